//! Pydantic's conversion of scalars in its lax mode, for each type of TPV's fields.

use std::str::FromStr;

use num_bigint::BigInt;
use num_traits::ToPrimitive;

use tpv_literal::int_text::MAX_DIGITS;
use tpv_yaml::value::{ConfigValue, ValueKind};

/// `int | float | str`: a boolean is taken as an integer, everything else stays as it is.
pub(super) fn number_or_text(value: &ConfigValue) -> Option<ConfigValue> {
    match value.kind {
        ValueKind::Int(_) | ValueKind::BigInt(_) | ValueKind::Float(_) | ValueKind::Str(_) => Some(value.clone()),
        ValueKind::Bool(flag) | ValueKind::AnchoredBool(flag) => {
            Some(ConfigValue::new(ValueKind::Int(i64::from(flag)), value.span))
        }
        _ => None,
    }
}

/// `int | float`: strings are read as numbers, as an integer where they can be.
pub(super) fn number(value: &ConfigValue) -> Option<ConfigValue> {
    let ValueKind::Str(text) = &value.kind else { return number_or_text(value) };
    let kind = parse_int(&text.value).map(ValueKind::int).or_else(|| parse_float(&text.value).map(ValueKind::Float))?;
    Some(ConfigValue::new(kind, value.span))
}

/// `int`: a float must be whole and within 64 bits.
pub(super) fn integer(value: &ConfigValue) -> Option<ConfigValue> {
    let kind = match &value.kind {
        ValueKind::Float(number) if number.fract() == 0.0 => ValueKind::Int(number.to_i64()?),
        ValueKind::Float(_) => return None,
        ValueKind::Str(text) => ValueKind::int(parse_int(&text.value)?),
        _ => return number_or_text(value),
    };
    Some(ConfigValue::new(kind, value.span))
}

/// `float`
pub(super) fn float(value: &ConfigValue) -> Option<ConfigValue> {
    let number = match &value.kind {
        ValueKind::Bool(flag) | ValueKind::AnchoredBool(flag) => f64::from(u8::from(*flag)),
        #[allow(clippy::cast_precision_loss, reason = "Python's float(int) rounds as well")]
        ValueKind::Int(number) => *number as f64,
        ValueKind::BigInt(number) => number.to_f64().filter(|number| number.is_finite())?,
        ValueKind::Float(number) => *number,
        ValueKind::Str(text) => parse_float(&text.value)?,
        _ => return None,
    };
    Some(ConfigValue::new(ValueKind::Float(number), value.span))
}

/// `bool`
pub(super) fn boolean(value: &ConfigValue) -> Option<bool> {
    match &value.kind {
        ValueKind::Bool(flag) | ValueKind::AnchoredBool(flag) => Some(*flag),
        ValueKind::Int(0) => Some(false),
        ValueKind::Int(1) => Some(true),
        ValueKind::Float(0.0) => Some(false),
        ValueKind::Float(1.0) => Some(true),
        ValueKind::Str(text) => match text.value.to_ascii_lowercase().as_str() {
            "0" | "off" | "f" | "false" | "n" | "no" => Some(false),
            "1" | "on" | "t" | "true" | "y" | "yes" => Some(true),
            _ => None,
        },
        _ => None,
    }
}

/// Galaxy's `asbool`: words, else Python's truth.
pub(super) fn as_bool(value: &ConfigValue) -> Option<bool> {
    let ValueKind::Str(text) = &value.kind else { return Some(value.python_bool()) };
    match text.value.trim().to_lowercase().as_str() {
        "true" | "yes" | "on" | "y" | "t" | "1" => Some(true),
        "false" | "no" | "off" | "n" | "f" | "0" => Some(false),
        _ => None,
    }
}

/// The text without single underscores between digits; `None` where they stand elsewhere.
fn without_underscores(text: &str) -> Option<String> {
    let wrong = text.starts_with('_') || text.ends_with('_') || text.contains("__");
    (!wrong).then(|| text.replace('_', ""))
}

fn parse_int(text: &str) -> Option<BigInt> {
    let text = text.trim();
    // A fraction of zeros is dropped.
    let whole = match text.split_once('.') {
        Some((whole, zeros)) if !zeros.is_empty() && zeros.bytes().all(|byte| byte == b'0') => whole,
        Some(_) => return None,
        None => text,
    };
    let digits = whole.strip_prefix(['+', '-']).unwrap_or(whole);
    if !digits.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let whole = without_underscores(whole)?;
    // Pydantic reads no more.
    (whole.len() <= MAX_DIGITS).then(|| BigInt::from_str(&whole).ok())?
}

fn parse_float(text: &str) -> Option<f64> {
    without_underscores(text.trim())?.parse().ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]
    use super::*;
    use tpv_text::source::Span;
    use tpv_yaml::value::Text;

    fn text(text: &str) -> ConfigValue {
        ConfigValue::new(ValueKind::Str(Text::new(text, Span::default())), Span::default())
    }

    #[test]
    fn strings_become_the_numbers_pydantic_makes_of_them() {
        let cases = [
            ("2", "2"),
            ("2.0", "2"),
            (" 2 ", "2"),
            ("1_000", "1000"),
            ("1e3", "1000.0"),
            ("inf", "inf"),
            ("+5", "5"),
            ("1.5", "1.5"),
            ("nan", "nan"),
            ("2.", "2.0"),
            (".5", "0.5"),
            ("1_0.5", "10.5"),
            ("2.0_0", "2.0"),
            ("-0.0", "0"),
            ("\u{a0}2", "2"),
            ("2\n", "2"),
        ];
        for (given, expected) in cases {
            assert_eq!(number(&text(given)).unwrap().python_str(), expected, "{given:?}");
        }
        for refused in ["", "x", "0x10", "true", "1__0", "_1", "1_"] {
            assert!(number(&text(refused)).is_none(), "{refused:?}");
        }
    }

    #[test]
    fn booleans() {
        for (given, expected) in [("Y", Some(true)), ("off", Some(false)), (" true", None), ("2", None)] {
            assert_eq!(boolean(&text(given)), expected, "{given:?}");
        }
        assert_eq!(as_bool(&text(" TRUE ")), Some(true));
        assert_eq!(as_bool(&text("maybe")), None);
    }
}
