//! The operators of Python, as instructions and kernels name them.

use std::cmp::Ordering;

use bincode::{Decode, Encode};

/// A unary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Encode, Decode)]
pub enum UnaryOp {
    /// `-a`
    Negative,
    /// `+a`
    Positive,
    /// `~a`
    Invert,
    /// `not a`
    Not,
}

/// A binary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Encode, Decode)]
pub enum BinaryOp {
    /// `a + b`
    Add,
    /// `a - b`
    Subtract,
    /// `a * b`
    Multiply,
    /// `a @ b`
    MatMultiply,
    /// `a / b`
    TrueDivide,
    /// `a // b`
    FloorDivide,
    /// `a % b`
    Remainder,
    /// `a ** b`
    Power,
    /// `a << b`
    LeftShift,
    /// `a >> b`
    RightShift,
    /// `a & b`
    And,
    /// `a | b`
    Or,
    /// `a ^ b`
    Xor,
}

/// A rich comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Encode, Decode)]
pub enum CompareOp {
    /// `a < b`
    Lt,
    /// `a <= b`
    Le,
    /// `a == b`
    Eq,
    /// `a != b`
    Ne,
    /// `a > b`
    Gt,
    /// `a >= b`
    Ge,
}

impl CompareOp {
    /// The comparison that holds where this one does not, of values that have an order.
    #[must_use]
    pub fn negated(self) -> Self {
        match self {
            Self::Lt => Self::Ge,
            Self::Le => Self::Gt,
            Self::Eq => Self::Ne,
            Self::Ne => Self::Eq,
            Self::Gt => Self::Le,
            Self::Ge => Self::Lt,
        }
    }

    /// The comparison of the same values in the other order.
    #[must_use]
    pub fn swapped(self) -> Self {
        match self {
            Self::Lt => Self::Gt,
            Self::Le => Self::Ge,
            Self::Gt => Self::Lt,
            Self::Ge => Self::Le,
            other => other,
        }
    }

    /// Returns `true` if the comparison holds for two values in this order.
    pub fn holds(self, order: Ordering) -> bool {
        match self {
            Self::Lt => order.is_lt(),
            Self::Le => order.is_le(),
            Self::Eq => order.is_eq(),
            Self::Ne => order.is_ne(),
            Self::Gt => order.is_gt(),
            Self::Ge => order.is_ge(),
        }
    }
}

/// The conversion of an f-string field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Encode, Decode)]
pub enum Conversion {
    /// None
    None,
    /// `!s`
    Str,
    /// `!r`
    Repr,
    /// `!a`
    Ascii,
}
