//! The values of JSON's numbers.

use num_traits::ToPrimitive;
use tpv_galaxy::json::Json;

/// The nearest float of a number; an int beyond all floats is infinite. `None` for values of other kinds.
pub(crate) fn to_f64(value: &Json) -> Option<f64> {
    match value {
        Json::Int(number) => number.to_f64(),
        Json::BigInt(number) => number.to_f64(),
        Json::Float(number) => Some(*number),
        _ => None,
    }
}
