//! `numbers`: the abstract classes of numbers.

use super::class;
use crate::python::types::{BuiltinType, OBJECT};

/// `numbers.Number`
pub static NUMBER: BuiltinType = BuiltinType::new("Number", "numbers", &OBJECT);
/// `numbers.Complex`
pub static COMPLEX: BuiltinType = BuiltinType::new("Complex", "numbers", &NUMBER);
/// `numbers.Real`
pub static REAL: BuiltinType = BuiltinType::new("Real", "numbers", &COMPLEX);
/// `numbers.Rational`
pub static RATIONAL: BuiltinType = BuiltinType::new("Rational", "numbers", &REAL);
/// `numbers.Integral`
pub static INTEGRAL: BuiltinType = BuiltinType::new("Integral", "numbers", &RATIONAL);

module! {
    /// `numbers`
    MODULE = "numbers";
    functions {}
    values(_vm) {
        "Number" => class(&NUMBER),
        "Complex" => class(&COMPLEX),
        "Real" => class(&REAL),
        "Rational" => class(&RATIONAL),
        "Integral" => class(&INTEGRAL),
    }
}
