//! `numbers`: the abstract classes of numbers, for `isinstance`.

use crate::types::{BuiltinType, FLOAT, INT, OBJECT};
use crate::value::Value;

/// `numbers.Number`
pub static NUMBER: BuiltinType =
    BuiltinType { registered: &[&INT, &FLOAT], ..BuiltinType::new("Number", "numbers", &OBJECT) };
/// `numbers.Complex`
pub static COMPLEX: BuiltinType =
    BuiltinType { registered: &[&INT, &FLOAT], ..BuiltinType::new("Complex", "numbers", &NUMBER) };
/// `numbers.Real`
pub static REAL: BuiltinType =
    BuiltinType { registered: &[&INT, &FLOAT], ..BuiltinType::new("Real", "numbers", &COMPLEX) };
/// `numbers.Rational`
pub static RATIONAL: BuiltinType =
    BuiltinType { registered: &[&INT], ..BuiltinType::new("Rational", "numbers", &REAL) };
/// `numbers.Integral`
pub static INTEGRAL: BuiltinType =
    BuiltinType { registered: &[&INT], ..BuiltinType::new("Integral", "numbers", &RATIONAL) };

module! {
    /// `numbers`
    MODULE = "numbers";
    functions {}
    values(_vm) {
        "Number" => Value::Type(&NUMBER),
        "Complex" => Value::Type(&COMPLEX),
        "Real" => Value::Type(&REAL),
        "Rational" => Value::Type(&RATIONAL),
        "Integral" => Value::Type(&INTEGRAL),
    }
}
