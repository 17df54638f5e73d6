//! The values of booleans and numbers, as ruamel.yaml constructs them: with Python's own `int` and `float`, once prefixes
//! and underscores are off.

use num_bigint::BigInt;
use tpv_literal::parse;

/// An integer, with the parts of its text.
pub(crate) struct Integer {
    /// The integer.
    pub(crate) value: BigInt,
    /// Its base.
    pub(crate) radix: u32,
    /// `0b`, `0o`, `0x` or nothing.
    pub(crate) prefix: &'static str,
    /// The digits after sign and prefix, without underscores.
    pub(crate) digits: String,
}

/// The boolean of a scalar; with a tag `!!bool` the words of YAML 1.1 are booleans, too.
pub(crate) fn boolean(text: &str) -> Option<bool> {
    match text.to_lowercase().as_str() {
        "true" | "yes" | "on" | "y" => Some(true),
        "false" | "no" | "off" | "n" => Some(false),
        _ => None,
    }
}

/// A number without its sign.
pub(crate) fn unsigned(text: &str) -> &str {
    text.strip_prefix(['+', '-']).unwrap_or(text)
}

/// The integer of a scalar; `None` where ruamel.yaml fails, as for `0x_` and for more digits than Python reads.
pub(crate) fn integer(text: &str) -> Option<Integer> {
    let text = text.replace('_', "");
    let digits = unsigned(&text);
    let (radix, prefix, digits) = match digits.get(..2) {
        Some("0b") => (2, "0b", digits.get(2..)?),
        Some("0o") => (8, "0o", digits.get(2..)?),
        Some("0x") => (16, "0x", digits.get(2..)?),
        _ => (10, "", digits),
    };
    let value: BigInt = parse::int(digits, radix).ok()?.into();
    let value = if text.starts_with('-') { -value } else { value };
    Some(Integer { value, radix, prefix, digits: digits.to_owned() })
}

/// The float of a scalar; `None` where ruamel.yaml fails, as for `._`.
pub(crate) fn float(text: &str) -> Option<f64> {
    let text = text.replace('_', "").to_ascii_lowercase();
    let magnitude = match unsigned(&text) {
        ".inf" => f64::INFINITY,
        ".nan" => f64::NAN,
        body => parse::float(body)?,
    };
    Some(if text.starts_with('-') { -magnitude } else { magnitude })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_python_values() {
        let value = |text: &str| integer(text).map(|integer| integer.value);
        for (text, expected) in [
            ("017", 17),
            ("0o17", 15),
            ("-0x1F", -31),
            ("1_000", 1000),
            ("0b11", 3),
            ("08", 8),
            ("0x-1", -1),
            ("--1", 1),
            (" 12 ", 12),
        ] {
            assert_eq!(value(text), Some(BigInt::from(expected)), "{text}");
        }
        assert_eq!(value("123456789012345678901234567890"), "123456789012345678901234567890".parse().ok());
        assert!(value("0x_").is_none() && value("-_").is_none() && value(&"1".repeat(4301)).is_none());
        for (text, expected) in [
            ("1.", 1.0),
            (".5", 0.5),
            ("1_0.5", 10.5),
            ("1e5", 1e5),
            ("-.inf", f64::NEG_INFINITY),
            ("Infinity", f64::INFINITY),
            ("--1.5", 1.5),
        ] {
            assert_eq!(float(text), Some(expected), "{text}");
        }
        assert!(float("._").is_none() && float(".NaN").is_some_and(f64::is_nan));
    }
}
