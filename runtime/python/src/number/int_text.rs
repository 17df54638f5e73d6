//! Text of ints.

use num_bigint::{BigInt, BigUint};
use num_traits::Signed;
use tpv_literal::int_text::MAX_DIGITS;

use super::Num;
use crate::exception::{PyResult, Raised, value_error};

/// `str(int)`
///
/// # Errors
/// `ValueError` for more than [`MAX_DIGITS`] digits.
pub fn decimal(num: Num<'_>) -> PyResult<String> {
    match num {
        Num::Small(value) => Ok(value.to_string()),
        Num::Big(value) => big_decimal(value),
        Num::Float(value) => Ok(value.to_string()),
    }
}

fn big_decimal(value: &BigInt) -> PyResult<String> {
    // log10(2) bits a digit: tells without the work of converting.
    if value.bits() > MAX_DIGITS as u64 * 10 / 3 + 64 {
        return Err(too_many_digits());
    }
    let text = value.to_string();
    let digits = text.len() - usize::from(value.is_negative());
    if digits > MAX_DIGITS { Err(too_many_digits()) } else { Ok(text) }
}

fn too_many_digits() -> Raised {
    value_error(format!(
        "Exceeds the limit ({MAX_DIGITS} digits) for integer string conversion; \
         use sys.set_int_max_str_digits() to increase the limit"
    ))
}

/// The sign (`true` for negative) and the magnitude's digits in base 2, 8, 10 or 16, in lower case.
///
/// # Errors
/// `ValueError` for more than [`MAX_DIGITS`] decimal digits.
pub fn digits(num: Num<'_>, base: u32) -> PyResult<(bool, String)> {
    if base == 10 {
        let text = decimal(num)?;
        return Ok(match text.strip_prefix('-') {
            Some(rest) => (true, rest.to_owned()),
            None => (false, text),
        });
    }
    Ok(match num {
        Num::Small(value) => (value < 0, small_digits(value.unsigned_abs(), base)),
        Num::Big(value) => (value.is_negative(), big_digits(value.magnitude(), base)),
        Num::Float(value) => (value < 0.0, value.abs().to_string()),
    })
}

fn small_digits(value: u64, base: u32) -> String {
    match base {
        2 => format!("{value:b}"),
        8 => format!("{value:o}"),
        _ => format!("{value:x}"),
    }
}

fn big_digits(value: &BigUint, base: u32) -> String {
    value.to_str_radix(base)
}
