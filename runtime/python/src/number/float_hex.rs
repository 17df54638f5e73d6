//! `float.hex` and `float.fromhex`.

use super::convert::{compose, decompose};
use crate::exception::{PyResult, overflow_error, value_error};

/// `float.hex()`
pub fn hex(value: f64) -> String {
    if !value.is_finite() {
        return super::float_text::repr(value);
    }
    let sign = if value.is_sign_negative() { "-" } else { "" };
    let magnitude = value.abs();
    if magnitude == 0.0 {
        return format!("{sign}0x0.0p+0");
    }
    let (mantissa, exponent) = decompose(magnitude);
    let lead = mantissa >> 52;
    let fraction = mantissa & ((1 << 52) - 1);
    format!("{sign}0x{lead}.{fraction:013x}p{:+}", exponent + 52)
}

/// `float.fromhex(text)`
///
/// # Errors
/// `ValueError` for a bad text, `OverflowError` for a number too large.
pub fn from_hex(text: &str) -> PyResult<f64> {
    let bad = || value_error("invalid hexadecimal floating-point string");
    let text = text.trim_matches(['\t', '\n', '\x0b', '\x0c', '\r', ' ']);
    let (negative, rest) = match text.strip_prefix(['-', '+']) {
        Some(rest) => (text.starts_with('-'), rest),
        None => (false, text),
    };
    let lower = rest.to_ascii_lowercase();
    let magnitude = match lower.as_str() {
        "inf" | "infinity" => f64::INFINITY,
        "nan" => f64::NAN,
        digits => parse_magnitude(digits)
            .ok_or_else(bad)?
            .ok_or_else(|| overflow_error("hexadecimal value too large to represent as a float"))?,
    };
    Ok(if negative { -magnitude } else { magnitude })
}

/// The value of `[0x]digits[.digits][pN]`: `None` where it is no number, `Some(None)` where it is too large.
fn parse_magnitude(text: &str) -> Option<Option<f64>> {
    let text = text.strip_prefix("0x").unwrap_or(text);
    let (digits, exponent) = match text.split_once('p') {
        Some((digits, exponent)) => {
            let count = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
            if count.is_empty() || !count.bytes().all(|byte| byte.is_ascii_digit()) {
                return None;
            }
            let limit = if exponent.starts_with('-') { i64::MIN / 8 } else { i64::MAX / 8 };
            (digits, exponent.parse().unwrap_or(limit).clamp(i64::MIN / 8, i64::MAX / 8))
        }
        None => (text, 0),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let mut mantissa: u64 = 0;
    let mut exponent: i64 = exponent - 4 * fraction.len() as i64;
    for char in whole.chars().chain(fraction.chars()) {
        let digit = u64::from(char.to_digit(16)?);
        if mantissa >> 60 == 0 {
            mantissa = mantissa << 4 | digit;
        } else {
            // Past 60 bits only whether anything follows matters.
            mantissa |= u64::from(digit != 0);
            exponent += 4;
        }
    }
    Some(compose(mantissa, exponent))
}
