//! The part of an expression that grows from attempt to attempt, so that another value can take the place of the rest.
//!
//! Rules see of earlier attempts only `job.destination_params` and `job.state`. An amount such as
//! `16 * int(job.destination_params.get('SCALING_FACTOR', 1))` is a value times a factor of the attempt, which [`AttemptFactor::around`]
//! puts around another value.

use crate::syntax::ast::{Constant, Expr, Operator, Ranged, Stmt};
use tpv_bytecode::CodeKind;

use super::walk::{self, Part};
use super::{parse, stack};

/// The attributes of a job that differ between its attempts.
const OF_ATTEMPTS: [&str; 2] = ["destination_params", "state"];
/// Functions of one number that give nearly the same number.
const ROUNDING: [&str; 4] = ["int", "float", "round", "ceil"];

/// The factor of the attempt in an amount.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AttemptFactor {
    /// The factor as Python; `None` if the amount is the same for each attempt.
    factor: Option<String>,
    /// Calls of `min` and `max` around the product with their other arguments, the outermost first.
    bounds: Vec<(String, String)>,
}

/// The amount depends on the attempt in another way than by a factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoFactor;

impl AttemptFactor {
    /// The factor of an amount.
    ///
    /// # Errors
    /// [`NoFactor`] if the amount depends on the attempt otherwise than by a factor, or is more than an expression.
    pub fn of(source: &str) -> Result<Self, NoFactor> {
        let source = source.trim();
        let found = stack::with_room(source.len(), || {
            let parsed = parse::parse(source, CodeKind::Exec).map_err(|_| NoFactor)?;
            let of_attempts = parsed.body.iter().any(|statement| without_attempts(&Part::Stmt(statement)).is_err());
            match parsed.body.as_slice() {
                _ if !of_attempts => Ok(Self::default()),
                [Stmt::Expr(only)] => Finder { text: &parsed.text.source }.whole(&only.value),
                _ => Err(NoFactor),
            }
        });
        found.unwrap_or(Err(NoFactor))
    }

    /// `true` if the amount is the same for each attempt.
    pub fn is_constant(&self) -> bool {
        self.factor.is_none()
    }

    /// An amount of this value at the first attempt that grows as the original does; `value` is a Python expression.
    pub fn around(&self, value: &str) -> String {
        let Some(factor) = &self.factor else { return value.to_owned() };
        let is_sum = value.contains(' ') && !value.starts_with("min(");
        let product = if is_sum { format!("({value}) * {factor}") } else { format!("{value} * {factor}") };
        self.bounds.iter().rev().fold(product, |inner, (name, others)| format!("{name}({inner}, {others})"))
    }
}

/// Returns an error, which ends a walk, if a part or one of its parts is an attribute that differs between attempts.
fn without_attempts(part: &Part<'_>) -> Result<(), ()> {
    match part {
        Part::Expr(Expr::Attribute(node)) if OF_ATTEMPTS.contains(&node.attr.as_str()) => Err(()),
        Part::Expr(node) => walk::expression(node, &mut |part| without_attempts(&part)),
        Part::Stmt(node) => walk::statement(node, &mut |part| without_attempts(&part)),
        Part::Pattern(node) => walk::pattern(node, &mut |part| without_attempts(&part)),
    }
}

/// A branch of an amount: the factor, and the number that it is a multiple of, where it is one.
struct Branch<'a> {
    factor: Option<String>,
    number: Option<f64>,
    /// The text of what the factor multiplies, if that is one operand.
    rest: Option<&'a str>,
}

struct Finder<'a> {
    text: &'a str,
}

impl<'a> Finder<'a> {
    fn source(&self, expression: &Expr) -> &'a str {
        self.text.get(expression.start().to_usize()..expression.end().to_usize()).unwrap_or_default()
    }

    fn mentions(&self, expression: &Expr) -> bool {
        without_attempts(&Part::Expr(expression)).is_err()
    }

    /// The factor of a whole amount, with its bounds.
    fn whole(&self, expression: &Expr) -> Result<AttemptFactor, NoFactor> {
        if let Expr::Call(call) = expression
            && let Expr::Name(name) = &*call.func
            && call.keywords.is_empty()
        {
            if let ([only], true) = (call.args.as_slice(), ROUNDING.contains(&name.id.as_str()))
                && is_compound(only)
            {
                return self.whole(only);
            }
            if matches!(name.id.as_str(), "min" | "max") {
                let (with, without): (Vec<&Expr>, Vec<&Expr>) = call.args.iter().partition(|arg| self.mentions(arg));
                let ([only], false) = (with.as_slice(), without.is_empty()) else { return Err(NoFactor) };
                let others: Vec<&str> = without.into_iter().map(|arg| self.source(arg)).collect();
                let mut found = self.whole(only)?;
                found.bounds.insert(0, (name.id.to_string(), others.join(", ")));
                return Ok(found);
            }
        }
        let branch = self.branch(expression)?;
        Ok(AttemptFactor { factor: branch.factor, bounds: Vec::new() })
    }

    /// The factor of an amount without bounds.
    fn branch(&self, expression: &Expr) -> Result<Branch<'a>, NoFactor> {
        if !self.mentions(expression) {
            let number = number(expression);
            return Ok(Branch { factor: None, number, rest: Some(self.source(expression)) });
        }
        match expression {
            Expr::BinOp(node) if node.op == Operator::Mult => {
                let (with, without) = match (self.mentions(&node.left), self.mentions(&node.right)) {
                    (true, false) => (&node.left, &node.right),
                    (false, true) => (&node.right, &node.left),
                    _ => return Err(NoFactor),
                };
                if let Ok(inner) = self.branch(with) {
                    // Another operand of the product: `16 * F * 2`.
                    let number = inner.number.zip(number(without)).map(|(one, other)| one * other);
                    return Ok(Branch { factor: inner.factor, number, rest: None });
                }
                let factor = self.operand(with);
                Ok(Branch { factor: Some(factor), number: number(without), rest: Some(self.source(without)) })
            }
            Expr::BinOp(node) if node.op == Operator::Div && !self.mentions(&node.right) => {
                let inner = self.branch(&node.left)?;
                let number = inner.number.zip(number(&node.right)).map(|(one, other)| one / other);
                Ok(Branch { factor: inner.factor, number, rest: None })
            }
            Expr::Call(call) => match (&*call.func, call.args.as_slice()) {
                (Expr::Name(name), [only])
                    if ROUNDING.contains(&name.id.as_str()) && call.keywords.is_empty() && is_compound(only) =>
                {
                    self.branch(only)
                }
                _ => Err(NoFactor),
            },
            Expr::IfExp(node) => {
                let (one, other) = (self.branch(&node.body)?, self.branch(&node.orelse)?);
                let ratio = match (one.number, other.number) {
                    (Some(one), Some(other)) if other != 0.0 => one / other,
                    _ if one.rest.is_some() && one.rest == other.rest => 1.0,
                    _ => return Err(NoFactor),
                };
                let one = match one.factor {
                    Some(factor) if (ratio - 1.0).abs() < 1e-9 => factor,
                    Some(factor) => format!("{ratio} * {factor}"),
                    None => ratio.to_string(),
                };
                let factor =
                    format!("({one} if {} else {})", self.source(&node.test), other.factor.as_deref().unwrap_or("1"));
                Ok(Branch { factor: Some(factor), number: other.number, rest: other.rest })
            }
            _ => Err(NoFactor),
        }
    }

    /// The text of an operand of `*`.
    fn operand(&self, expression: &Expr) -> String {
        let text = self.source(expression);
        match expression {
            Expr::Call(_) | Expr::Name(_) | Expr::Attribute(_) | Expr::Subscript(_) | Expr::Constant(_) => {
                text.to_owned()
            }
            Expr::BinOp(node) if node.op == Operator::Pow => text.to_owned(),
            _ => format!("({text})"),
        }
    }
}

/// Returns `true` for an argument of `int` that is a product or a choice: the rest is one number, such as a param.
fn is_compound(expression: &Expr) -> bool {
    matches!(expression, Expr::BinOp(_) | Expr::IfExp(_))
}

fn number(expression: &Expr) -> Option<f64> {
    let Expr::Constant(node) = expression else { return None };
    match &node.value {
        Constant::Int(number) => number.to_string().parse().ok(),
        Constant::Float(number) => Some(*number),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_are_kept_around_another_value() {
        const PARAM: &str = "int(job.destination_params.get('F', 1))";
        for (amount, expected) in [
            ("16", "3.5"),
            ("2 + 3 * input_size", "3.5"),
            ("16 * P", "3.5 * P"),
            ("P * 16", "3.5 * P"),
            ("int(16 * P)", "3.5 * P"),
            ("16 * P * 2", "3.5 * P"),
            ("(4 + input_size) * P", "3.5 * P"),
            ("16 * P if job.destination_params else 16", "3.5 * (P if job.destination_params else 1)"),
            ("32 if job.state == 'resubmitted' else 16", "3.5 * (2 if job.state == 'resubmitted' else 1)"),
            ("min(16 * P, 250)", "min(3.5 * P, 250)"),
            ("max(min(16 * P, 250), 4)", "max(min(3.5 * P, 250), 4)"),
            ("16 * 2 ** P", "3.5 * 2 ** P"),
            ("16 * (1 + P)", "3.5 * (1 + P)"),
        ] {
            let found = AttemptFactor::of(&amount.replace('P', PARAM)).map(|factor| factor.around("3.5"));
            assert_eq!(found, Ok(expected.replace('P', PARAM)), "{amount}");
        }
        let sum = AttemptFactor::of(&format!("16 * {PARAM}")).map(|factor| factor.around("2 + 3 * input_size"));
        assert_eq!(sum, Ok(format!("(2 + 3 * input_size) * {PARAM}")));
        for amount in ["8 + 8 * P", "P", "input_size * P if job.state else 4", "x = P\nx * 4", "f(P)", "min(P, P)"] {
            assert_eq!(AttemptFactor::of(&amount.replace('P', PARAM)), Err(NoFactor), "{amount}");
        }
    }
}
