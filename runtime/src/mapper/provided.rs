//! The resources that a tool's wrapper declares.

use tpv_model::Resource;
use tpv_python::value::Value;

/// A tool wrapper's declarations, as far as they affect the tool's entity.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct Provided {
    /// The tool's id, which shows where nothing else gives the entity one.
    pub id: Option<Box<str>>,
    /// The tool's type; `None` is `default`.
    pub tool_type: Option<Box<str>>,
    /// Resources.
    pub resources: Box<[(Resource, Number)]>,
}

/// A number that a tool's wrapper declares.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Number {
    /// An int.
    Int(i64),
    /// A float, by its bits.
    Float(u64),
}

impl Number {
    pub(super) fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Int(number) => Some(Self::Int(*number)),
            Value::Float(number) => Some(Self::Float(number.to_bits())),
            _ => None,
        }
    }

    pub(super) fn value(self) -> Value {
        match self {
            Self::Int(number) => Value::Int(number),
            Self::Float(bits) => Value::Float(f64::from_bits(bits)),
        }
    }
}
