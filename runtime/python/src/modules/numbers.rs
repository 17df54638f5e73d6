//! `numbers`: the abstract classes of numbers, for `isinstance`.

use super::class;
use crate::types::{BuiltinType, FLOAT, INT, OBJECT};

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

/// Whether a class counts as one of these, as CPython registers `int` and `float`.
pub fn counts_as(class: &BuiltinType, wanted: &BuiltinType) -> bool {
    let registered = [(&INT, &INTEGRAL), (&FLOAT, &REAL)];
    registered.iter().any(|(number, counts_as)| class.is_subclass(number) && counts_as.is_subclass(wanted))
}
