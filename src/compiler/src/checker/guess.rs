//! The value of a condition for one imagined job, as far as it is certain.

use num_traits::ToPrimitive;

use tpv_front::syntax::ast::{BoolOp, CmpOp, Constant, Expr, Operator, UnaryOp};

/// A value that an expression has for the job.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Guess {
    /// Anything, or an exception.
    Unknown,
    None,
    Bool(bool),
    Number(f64),
    Text(String),
    /// The items of a list, tuple or set.
    Items(Vec<Guess>),
}

impl Guess {
    /// The truth of the value, if it is certain.
    pub(super) fn truth(&self) -> Option<bool> {
        match self {
            Self::Unknown => None,
            Self::None => Some(false),
            Self::Bool(value) => Some(*value),
            Self::Number(value) => Some(*value != 0.0),
            Self::Text(value) => Some(!value.is_empty()),
            Self::Items(items) => Some(!items.is_empty()),
        }
    }

    fn of(truth: Option<bool>) -> Self {
        truth.map_or(Self::Unknown, Self::Bool)
    }

    fn number(&self) -> Option<f64> {
        match self {
            Self::Number(value) => Some(*value),
            Self::Bool(value) => Some(f64::from(u8::from(*value))),
            _ => None,
        }
    }
}

/// The job that expressions are evaluated for.
pub(super) trait Job {
    /// The value of a name.
    fn name(&self, name: &str) -> Guess;
    /// The value of an attribute of one: `tool.id`, `entity.mem`.
    fn attribute(&self, of: &str, name: &str) -> Guess;
}

/// Evaluates an expression.
pub(super) fn value(node: &Expr, job: &impl Job) -> Guess {
    match node {
        Expr::Constant(node) => match &node.value {
            Constant::None => Guess::None,
            Constant::Bool(value) => Guess::Bool(*value),
            Constant::Int(value) => value.to_f64().map_or(Guess::Unknown, Guess::Number),
            Constant::Float(value) => Guess::Number(*value),
            Constant::Str(value) => Guess::Text(value.clone()),
            _ => Guess::Unknown,
        },
        Expr::Name(node) => job.name(&node.id),
        Expr::Attribute(node) => match &*node.value {
            Expr::Name(of) => job.attribute(&of.id, &node.attr),
            _ => Guess::Unknown,
        },
        Expr::List(node) => items(&node.elts, job),
        Expr::Tuple(node) => items(&node.elts, job),
        Expr::Set(node) => items(&node.elts, job),
        Expr::UnaryOp(node) => {
            let operand = value(&node.operand, job);
            match (node.op, operand.number()) {
                (UnaryOp::Not, _) => Guess::of(operand.truth().map(|truth| !truth)),
                (UnaryOp::USub, Some(number)) => Guess::Number(-number),
                _ => Guess::Unknown,
            }
        }
        Expr::BinOp(node) => match (value(&node.left, job).number(), node.op, value(&node.right, job).number()) {
            (Some(left), Operator::Add, Some(right)) => Guess::Number(left + right),
            (Some(left), Operator::Sub, Some(right)) => Guess::Number(left - right),
            (Some(left), Operator::Mult, Some(right)) => Guess::Number(left * right),
            (Some(left), Operator::Div, Some(right)) if right != 0.0 => Guess::Number(left / right),
            _ => Guess::Unknown,
        },
        Expr::BoolOp(node) => {
            // The first that decides is the result; one before it that is not certain may be.
            let decides = node.op == BoolOp::Or;
            let mut last = Guess::Unknown;
            for operand in &node.values {
                last = value(operand, job);
                match last.truth() {
                    None => return Guess::Unknown,
                    Some(truth) if truth == decides => return last,
                    Some(_) => {}
                }
            }
            last
        }
        Expr::Compare(node) => {
            let mut left = value(&node.left, job);
            for (op, right) in node.ops.iter().zip(&node.comparators) {
                let right = value(right, job);
                match compare(&left, *op, &right) {
                    Some(true) => left = right,
                    Some(false) => return Guess::Bool(false),
                    None => return Guess::Unknown,
                }
            }
            Guess::Bool(true)
        }
        Expr::Call(node) => {
            let (Expr::Attribute(method), [argument], []) =
                (&*node.func, node.args.as_slice(), node.keywords.as_slice())
            else {
                return Guess::Unknown;
            };
            let (Guess::Text(text), argument) = (value(&method.value, job), value(argument, job)) else {
                return Guess::Unknown;
            };
            let any = |is: &dyn Fn(&str) -> bool| match &argument {
                Guess::Text(part) => Guess::Bool(is(part)),
                _ => Guess::Unknown,
            };
            match method.attr.as_str() {
                "startswith" => any(&|part| text.starts_with(part)),
                "endswith" => any(&|part| text.ends_with(part)),
                _ => Guess::Unknown,
            }
        }
        _ => Guess::Unknown,
    }
}

fn items(nodes: &[Expr], job: &impl Job) -> Guess {
    Guess::Items(nodes.iter().map(|node| value(node, job)).collect())
}

fn compare(left: &Guess, op: CmpOp, right: &Guess) -> Option<bool> {
    match op {
        CmpOp::Eq | CmpOp::Is => equal(left, right),
        CmpOp::NotEq | CmpOp::IsNot => equal(left, right).map(|equal| !equal),
        CmpOp::In => contains(right, left),
        CmpOp::NotIn => contains(right, left).map(|contains| !contains),
        CmpOp::Lt => Some(left.number()? < right.number()?),
        CmpOp::LtE => Some(left.number()? <= right.number()?),
        CmpOp::Gt => Some(left.number()? > right.number()?),
        CmpOp::GtE => Some(left.number()? >= right.number()?),
    }
}

fn equal(left: &Guess, right: &Guess) -> Option<bool> {
    match (left, right) {
        (Guess::Unknown | Guess::Items(_), _) | (_, Guess::Unknown | Guess::Items(_)) => None,
        _ => match (left.number(), right.number()) {
            #[allow(clippy::float_cmp, reason = "as Python compares them")]
            (Some(left), Some(right)) => Some(left == right),
            _ => Some(left == right),
        },
    }
}

fn contains(all: &Guess, one: &Guess) -> Option<bool> {
    match (all, one) {
        (Guess::Text(text), Guess::Text(part)) => Some(text.contains(part.as_str())),
        (Guess::Items(items), one) => {
            let mut is_certain = true;
            for item in items {
                match equal(item, one) {
                    Some(true) => return Some(true),
                    Some(false) => {}
                    None => is_certain = false,
                }
            }
            is_certain.then_some(false)
        }
        _ => None,
    }
}
