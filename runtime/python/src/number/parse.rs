//! `int` from text, as a value or an exception.

use tpv_literal::int_text::MAX_DIGITS;
use tpv_literal::parse::{Int, IntError, int};

use crate::exception::{PyResult, value_error};
use crate::value::Value;

impl From<Int> for Value {
    fn from(int: Int) -> Self {
        match int {
            Int::Small(value) => Self::Int(value),
            Int::Big(value) => Self::from_bigint(value),
        }
    }
}

/// `int(text, base)`; `repr` gives the text for the message.
///
/// # Errors
/// `ValueError`
pub fn int_or_raise(text: &str, base: u32, repr: impl FnOnce() -> String) -> PyResult<Value> {
    int(text, base).map(Value::from).map_err(|error| match error {
        IntError::Invalid => {
            // CPython cuts the text's repr at 200 characters.
            let repr: String = repr().chars().take(200).collect();
            value_error(format!("invalid literal for int() with base {base}: {repr}"))
        }
        IntError::TooLong(digits) => value_error(format!(
            "Exceeds the limit ({MAX_DIGITS} digits) for integer string conversion: value has {digits} digits; \
             use sys.set_int_max_str_digits() to increase the limit"
        )),
    })
}
