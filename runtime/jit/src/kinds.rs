//! Kinds of values, and inference of the kinds of a kernel's nodes from those of its inputs.

use tpv_bytecode::kernel::{Function, Gives, Kernel, Node, Relation, TextPart};
use tpv_bytecode::{BinaryOp, CompareOp, Const, UnaryOp};
use tpv_python::value::Value;

/// The representation of a value in machine code. The numbers are the tags in machine code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Kind {
    /// `None`; the payload is unused.
    None = 0,
    /// A `bool`; the payload is 0 or 1.
    Bool = 1,
    /// An `int` of 64 bits.
    Int = 2,
    /// A `float`; the payload is its bits.
    Float = 3,
    /// A `str`; the payload is a reference (see [`super::host`]).
    Str = 4,
    /// Anything else, by reference.
    Other = 5,
}

impl Kind {
    /// All kinds, in the order of their tags.
    pub(super) const ALL: [Self; 6] = [Self::None, Self::Bool, Self::Int, Self::Float, Self::Str, Self::Other];

    /// The kind of a value.
    pub(super) fn of(value: &Value) -> Self {
        match value {
            Value::None => Self::None,
            Value::Bool(_) => Self::Bool,
            Value::Int(_) => Self::Int,
            Value::Float(_) => Self::Float,
            Value::Str(_) => Self::Str,
            _ => Self::Other,
        }
    }

    /// The kind of a tag of machine code. `None` for the tag of a bail-out.
    #[inline]
    pub(super) fn of_tag(tag: u64) -> Option<Self> {
        Self::ALL.get(usize::try_from(tag).ok()?).copied()
    }

    /// The value of a payload. `None` for the kinds whose payload is a reference.
    #[inline]
    pub(super) fn plain(self, payload: u64) -> Option<Value> {
        Some(match self {
            Self::None => Value::None,
            Self::Bool => Value::Bool(payload != 0),
            Self::Int => Value::Int(payload.cast_signed()),
            Self::Float => Value::Float(f64::from_bits(payload)),
            Self::Str | Self::Other => return None,
        })
    }

    fn of_const(constant: &Const) -> Self {
        match constant {
            Const::None => Self::None,
            Const::Bool(_) => Self::Bool,
            Const::Int(_) => Self::Int,
            Const::Float(_) => Self::Float,
            Const::Str(_) => Self::Str,
            _ => Self::Other,
        }
    }

    /// Returns `true` for the kinds that arithmetic treats as an int.
    pub(super) fn is_int(self) -> bool {
        matches!(self, Self::Int | Self::Bool)
    }

    /// Returns `true` if it is a number.
    pub(super) fn is_number(self) -> bool {
        self.is_int() || self == Self::Float
    }

    /// Returns `true` if the payload is a reference.
    pub(super) fn is_reference(self) -> bool {
        matches!(self, Self::Str | Self::Other)
    }
}

/// A set of kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kinds(u8);

impl Kinds {
    /// No kind: the node never has a value.
    pub(super) const NONE: Self = Self(0);
    /// Every kind.
    pub(super) const ANY: Self = Self(0b11_1111);

    pub(super) fn iter(self) -> impl Iterator<Item = Kind> {
        Kind::ALL.into_iter().filter(move |kind| self.has(*kind))
    }

    pub(super) fn has(self, kind: Kind) -> bool {
        self.0 & (1 << kind as u8) != 0
    }

    pub(super) fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The kind, if the set has exactly one.
    pub(super) fn single(self) -> Option<Kind> {
        let mut kinds = self.iter();
        kinds.next().filter(|_| self.0.count_ones() == 1)
    }
}

impl From<Kind> for Kinds {
    fn from(kind: Kind) -> Self {
        Self(1 << kind as u8)
    }
}

impl From<Option<Kind>> for Kinds {
    fn from(kind: Option<Kind>) -> Self {
        kind.map_or(Self::NONE, Self::from)
    }
}

impl FromIterator<Kind> for Kinds {
    fn from_iter<I: IntoIterator<Item = Kind>>(kinds: I) -> Self {
        kinds.into_iter().fold(Self::NONE, |all, kind| all.or(kind.into()))
    }
}

/// The kind of `op a`, or `None` if kernels do not support it.
pub(super) fn unary(op: UnaryOp, a: Kind) -> Option<Kind> {
    match op {
        UnaryOp::Not => Some(Kind::Bool),
        UnaryOp::Negative | UnaryOp::Positive if a == Kind::Float => Some(Kind::Float),
        _ => a.is_int().then_some(Kind::Int),
    }
}

/// The kind of `a op b`, or `None` if kernels do not support it.
pub(super) fn binary(op: BinaryOp, a: Kind, b: Kind) -> Option<Kind> {
    if !a.is_number() || !b.is_number() {
        return None;
    }
    let ints = a.is_int() && b.is_int();
    match op {
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor if a == Kind::Bool && b == Kind::Bool => Some(Kind::Bool),
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => ints.then_some(Kind::Int),
        BinaryOp::TrueDivide => Some(Kind::Float),
        BinaryOp::Add
        | BinaryOp::Subtract
        | BinaryOp::Multiply
        | BinaryOp::FloorDivide
        | BinaryOp::Remainder
        | BinaryOp::Power => Some(if ints { Kind::Int } else { Kind::Float }),
        BinaryOp::MatMultiply | BinaryOp::LeftShift | BinaryOp::RightShift => None,
    }
}

/// Returns `true` if a kernel computes `a relation b`; the result is a `bool`.
pub(super) fn relates(relation: Relation, a: Kind, b: Kind) -> bool {
    match relation {
        Relation::Is { .. } => a != b || !a.is_reference(),
        // The container must be a reference. An operand of kind `Other` may define its own `__eq__`, so the kernel bails out.
        Relation::Contains { .. } => b.is_reference() && a != Kind::Other,
        Relation::Compare(CompareOp::Eq | CompareOp::Ne) => a != Kind::Other && b != Kind::Other,
        Relation::Compare(_) => (a.is_number() && b.is_number()) || (a == Kind::Str && b == Kind::Str),
    }
}

/// The kind of the result of a function of one or two arguments. `None` if kernels do not support it, and for `min` and `max`.
pub(super) fn call(function: Function, a: Kind, digits: Option<Kind>) -> Option<Kind> {
    if !a.is_number() || digits.is_some_and(|digits| !digits.is_int()) {
        return None;
    }
    match function {
        Function::Min | Function::Max => None,
        Function::Round => Some(if digits.is_some() && a == Kind::Float { Kind::Float } else { Kind::Int }),
        Function::Int => Some(Kind::Int),
        Function::Float => Some(Kind::Float),
        Function::Abs => Some(if a == Kind::Float { Kind::Float } else { Kind::Int }),
    }
}

/// The kinds of `f(a, b)` over all pairs.
fn pairs(a: Kinds, b: Kinds, f: impl Fn(Kind, Kind) -> Option<Kind>) -> Kinds {
    a.iter().flat_map(|a| b.iter().filter_map(|b| f(a, b)).collect::<Vec<_>>()).collect()
}

/// The kinds of `min` and `max`: those of the arguments that can be compared with one another.
pub(super) fn extreme(best: Kinds, item: Kinds) -> Kinds {
    let less = Relation::Compare(CompareOp::Lt);
    let first = pairs(best, item, |a, b| relates(less, a, b).then_some(a));
    first.or(pairs(best, item, |a, b| relates(less, a, b).then_some(b)))
}

/// Returns `true` if machine code can convert the kind to text, with a format specification or without one.
pub(super) fn has_text(kind: Kind, by_spec: bool) -> bool {
    match kind {
        Kind::None => !by_spec,
        Kind::Other => false,
        Kind::Bool | Kind::Int | Kind::Float | Kind::Str => true,
    }
}

/// The kinds of all nodes for these kinds of inputs (`None` for an unset input). A node without kinds always bails out, or is a
/// statement.
pub(super) fn infer(kernel: &Kernel, consts: &[Const], inputs: &[Option<Kind>]) -> Vec<Kinds> {
    let mut all: Vec<Kinds> = Vec::with_capacity(kernel.nodes.len());
    // The kinds of the variables. Nodes are in execution order, so a variable is set before it is read, except in comprehensions.
    let mut variables = vec![Kinds::NONE; kernel.locals as usize];
    for node in &kernel.nodes {
        if let Node::Comprehension { slot, .. } = node
            && let Some(kinds) = variables.get_mut(*slot as usize)
        {
            *kinds = Kinds::ANY;
        }
    }
    for node in &kernel.nodes {
        let of = |operand: &u32| all.get(*operand as usize).copied().unwrap_or(Kinds::NONE);
        let kinds = match node {
            Node::Const { index } => consts.get(*index as usize).map(Kind::of_const).into(),
            Node::Input { index } => inputs.get(*index as usize).copied().flatten().into(),
            Node::Unary { op, operand } => of(operand).iter().filter_map(|kind| unary(*op, kind)).collect(),
            Node::Binary { op, left, right } => pairs(of(left), of(right), |a, b| binary(*op, a, b)),
            Node::Compare { first, links } => {
                let mut left = of(first);
                let mut result = Kinds::from(Kind::Bool);
                for (index, (relation, right)) in links.iter().enumerate() {
                    let right = of(right);
                    // If the first link never has a value, the comparison has none.
                    if index == 0 && pairs(left, right, |a, b| relates(*relation, a, b).then_some(a)).is_empty() {
                        result = Kinds::NONE;
                    }
                    left = right;
                }
                result
            }
            // Every operand is assumed to be a possible result, so the set may be larger than necessary.
            Node::Bool { operands, .. } => match operands.first().map(of) {
                Some(first) if !first.is_empty() => operands.iter().map(of).fold(Kinds::NONE, Kinds::or),
                _ => Kinds::NONE,
            },
            Node::If { test, .. } if of(test).is_empty() => Kinds::NONE,
            Node::If { body, orelse, .. } => of(body).or(of(orelse)),
            Node::Call { function: Function::Min | Function::Max, arguments, .. } => {
                let mut kinds = arguments.iter().map(of);
                let first = kinds.next().unwrap_or(Kinds::NONE);
                kinds.fold(first, extreme)
            }
            Node::Call { function, arguments, .. } => {
                let first = arguments.first().map_or(Kinds::NONE, of);
                match arguments.get(1).map(of) {
                    None => first.iter().filter_map(|a| call(*function, a, None)).collect(),
                    Some(digits) => pairs(first, digits, |a, digits| call(*function, a, Some(digits))),
                }
            }
            Node::Attribute { object, .. } if of(object).has(Kind::Other) => Kinds::ANY,
            Node::Affix { text, affix, .. } if of(text).has(Kind::Str) && of(affix).iter().any(Kind::is_reference) => {
                Kind::Bool.into()
            }
            Node::Attribute { .. } | Node::Affix { .. } | Node::Leave => Kinds::NONE,
            Node::Text { parts } => {
                let has_text = |part: &TextPart| of(&part.node).iter().any(|kind| has_text(kind, part.spec.is_some()));
                if parts.iter().all(has_text) { Kind::Str.into() } else { Kinds::NONE }
            }
            // `load` rejects imports of any other kind.
            Node::Import { .. } => Kind::Other.into(),
            Node::Local { slot, outer } => {
                let outer = outer.and_then(|outer| inputs.get(outer as usize).copied().flatten());
                variables.get(*slot as usize).copied().unwrap_or(Kinds::NONE).or(outer.into())
            }
            Node::Build { .. } => Kind::Other.into(),
            Node::Invoke { callee, .. } if of(callee).has(Kind::Other) => Kinds::ANY,
            Node::Method { object, .. } if of(object).iter().any(Kind::is_reference) => Kinds::ANY,
            Node::Comprehension { iterable, gives, .. } if of(iterable).has(Kind::Other) => match gives {
                Gives::List => Kind::Other.into(),
                Gives::Any { .. } | Gives::All { .. } => Kind::Bool.into(),
            },
            Node::Invoke { .. } | Node::Method { .. } | Node::Comprehension { .. } => Kinds::NONE,
            Node::Block { value, .. } | Node::Shared { value, .. } => of(value),
            Node::Set { slot, value } => {
                let value = of(value);
                if let Some(kinds) = variables.get_mut(*slot as usize) {
                    *kinds = kinds.or(value);
                }
                Kinds::NONE
            }
            Node::When { .. } => Kinds::NONE,
        };
        all.push(kinds);
    }
    all
}
