//! `int` and `float` from text.

use std::borrow::Cow;

use num_bigint::{BigInt, Sign};

use crate::int_text::MAX_DIGITS;
use crate::unicode;

/// The text with decimal digits of any script as ASCII and without white space around it, as CPython reads numbers.
fn ascii_digits(text: &str) -> Cow<'_, str> {
    // The separators of ASCII are white space in texts, but not round numbers.
    let is_space = |char: char| unicode::is_space(char) && !('\x1c'..='\x1f').contains(&char);
    let text = text.trim_matches(is_space);
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let ascii = |char| match unicode::decimal_value(char).and_then(|digit| char::from_digit(digit, 10)) {
        Some(digit) => digit,
        None if is_space(char) => ' ',
        None => char,
    };
    Cow::Owned(text.chars().map(ascii).collect())
}

/// An int of any size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Int {
    /// One that fits 64 bits.
    Small(i64),
    /// A larger one.
    Big(BigInt),
}

impl From<Int> for BigInt {
    fn from(int: Int) -> Self {
        match int {
            Int::Small(value) => value.into(),
            Int::Big(value) => value,
        }
    }
}

/// The error of [`int`].
pub enum IntError {
    /// The text is no number in this base.
    Invalid,
    /// More than 4300 digits in a base that is no power of two; holds their count.
    TooLong(usize),
}

/// `int(text, base)` where `base` is 0 or 2 to 36.
///
/// # Errors
/// See [`IntError`].
pub fn int(text: &str, base: u32) -> Result<Int, IntError> {
    let text = ascii_digits(text);
    // The usual case: a few plain digits.
    if base == 10 && text.len() < 19 && !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.parse().map(Int::Small).map_err(|_| IntError::Invalid);
    }
    let (negative, rest) = match text.strip_prefix(['-', '+']) {
        Some(rest) => (text.starts_with('-'), rest),
        None => (false, text.as_ref()),
    };
    let lower = rest.to_ascii_lowercase();
    let (digits, base, prefixed) = split_base(&lower, base);
    // An underscore may stand between digits, and between prefix and digits.
    let digits = if prefixed { digits.strip_prefix('_').unwrap_or(digits) } else { digits };
    let mut values = Vec::with_capacity(digits.len());
    let mut after_digit = false;
    for char in digits.chars() {
        if char == '_' {
            if !std::mem::take(&mut after_digit) {
                return Err(IntError::Invalid);
            }
            continue;
        }
        let digit = char.to_digit(base.max(10)).ok_or(IntError::Invalid)?;
        if digit >= base.max(10) {
            return Err(IntError::Invalid);
        }
        values.push(u8::try_from(digit).map_err(|_| IntError::Invalid)?);
        after_digit = true;
    }
    if !after_digit {
        return Err(IntError::Invalid);
    }
    let base = if base == 0 {
        // Base 0 reads code: a number that starts with 0 must be 0.
        if values.first() == Some(&0) && values.iter().any(|digit| *digit != 0) {
            return Err(IntError::Invalid);
        }
        10
    } else {
        base
    };
    if values.iter().any(|digit| u32::from(*digit) >= base) {
        return Err(IntError::Invalid);
    }
    if !base.is_power_of_two() && values.len() > MAX_DIGITS {
        return Err(IntError::TooLong(values.len()));
    }
    let sign = if negative { Sign::Minus } else { Sign::Plus };
    let value = BigInt::from_radix_be(sign, &values, base).ok_or(IntError::Invalid)?;
    Ok(i64::try_from(&value).map_or(Int::Big(value), Int::Small))
}

/// Takes the prefix off that the base allows: the digits, the base (0 where still open), whether there was a prefix.
fn split_base(lower: &str, base: u32) -> (&str, u32, bool) {
    for (prefix, of) in [("0x", 16), ("0o", 8), ("0b", 2)] {
        if (base == 0 || base == of)
            && let Some(rest) = lower.strip_prefix(prefix)
        {
            return (rest, of, true);
        }
    }
    (lower, base, false)
}

/// `float(text)`; `None` where it isn't a number.
pub fn float(text: &str) -> Option<f64> {
    let text = ascii_digits(text);
    let text = if text.contains('_') { Cow::Owned(without_underscores(&text)?) } else { text };
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(&text);
    let lower = unsigned.to_ascii_lowercase();
    // Rust reads "infinity", "inf" and "nan" too, but of numbers all the forms that Python does and no others.
    let named = matches!(lower.as_str(), "inf" | "infinity" | "nan");
    if !named && !lower.starts_with(|char: char| char.is_ascii_digit() || char == '.') {
        return None;
    }
    text.parse().ok()
}

/// The text without underscores, each of which must stand between two digits.
fn without_underscores(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut before = ' ';
    for char in text.chars() {
        if char == '_' {
            if !before.is_ascii_digit() {
                return None;
            }
        } else {
            if before == '_' && !char.is_ascii_digit() {
                return None;
            }
            out.push(char);
        }
        before = char;
    }
    (before != '_').then_some(out)
}
