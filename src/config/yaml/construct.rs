//! The value of a scalar of a type, as ruamel.yaml constructs it.

use std::sync::Arc;

use num_bigint::BigInt;
use num_traits::{Num, ToPrimitive};

use crate::config::value::{Date, DateTime, ValueKind};
use crate::python::numbers::MAX_DIGITS;
use crate::yaml::resolve::{Tag, unsigned};
use crate::yaml::timestamp::Timestamp;

/// The value of a scalar of a type. `None` where ruamel.yaml fails too, such as for `0x_`.
pub(super) fn construct(tag: Tag, text: &str) -> Option<ValueKind> {
    match tag {
        Tag::Null => Some(ValueKind::Null),
        Tag::Bool => match text.to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" | "y" => Some(ValueKind::Bool(true)),
            "false" | "no" | "off" | "n" => Some(ValueKind::Bool(false)),
            _ => None,
        },
        Tag::Int => int(text),
        Tag::Float => float(text).map(ValueKind::Float),
        Tag::Timestamp => Timestamp::read(text).map(|read| read.value()),
        Tag::Merge | Tag::Value | Tag::Yaml | Tag::Str => None,
    }
}

fn int(text: &str) -> Option<ValueKind> {
    let text = text.replace('_', "");
    let negative = text.starts_with('-');
    let digits = unsigned(&text);
    let (radix, digits) = match digits.get(..2) {
        Some("0b") => (2, digits.get(2..)?),
        Some("0o") => (8, digits.get(2..)?),
        Some("0x") => (16, digits.get(2..)?),
        _ => (10, digits),
    };
    if digits.is_empty() || digits.starts_with(['+', '-']) {
        return None;
    }
    // Python reads no more.
    if radix == 10 && digits.len() > MAX_DIGITS {
        return None;
    }
    let value = BigInt::from_str_radix(digits, radix).ok()?;
    Some(int_kind(if negative { -value } else { value }))
}

/// The narrowest kind that holds an integer.
pub(crate) fn int_kind(value: BigInt) -> ValueKind {
    value.to_i64().map_or_else(|| ValueKind::BigInt(Arc::new(value)), ValueKind::Int)
}

fn float(text: &str) -> Option<f64> {
    let text = text.replace('_', "").to_ascii_lowercase();
    match unsigned(&text) {
        ".inf" if text.starts_with('-') => Some(f64::NEG_INFINITY),
        ".inf" => Some(f64::INFINITY),
        ".nan" => Some(f64::NAN),
        "inf" | "infinity" | "nan" => text.parse().ok(),
        body if body.bytes().any(|byte| byte.is_ascii_digit()) => text.parse().ok(),
        _ => None,
    }
}

impl Timestamp<'_> {
    /// `datetime.date` or `datetime.datetime`.
    fn value(&self) -> ValueKind {
        let date = Date { year: self.year, month: self.month, day: self.day };
        let Some(time) = &self.time else { return ValueKind::Date(date) };
        let (hour, minute, second, microsecond) = (time.hour, time.minute, time.second, time.microsecond);
        ValueKind::DateTime(DateTime { date, hour, minute, second, microsecond, offset: time.offset, t: time.t })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]
    use super::*;
    use crate::config::value::ConfigValue;
    use crate::source::Span;

    #[test]
    fn numbers_have_python_values() {
        for (text, expected) in [("017", 17), ("0o17", 15), ("-0x1F", -31), ("1_000", 1000), ("0b11", 3), ("08", 8)] {
            assert!(matches!(construct(Tag::Int, text), Some(ValueKind::Int(value)) if value == expected), "{text}");
        }
        assert!(matches!(construct(Tag::Int, "123456789012345678901234567890"), Some(ValueKind::BigInt(_))));
        assert!(construct(Tag::Int, "0x_").is_none() && construct(Tag::Int, "-_").is_none());
        for (text, expected) in [("1.", 1.0), (".5", 0.5), ("1_0.5", 10.5), ("1e5", 1e5), ("-.inf", f64::NEG_INFINITY)]
        {
            assert!(
                matches!(construct(Tag::Float, text), Some(ValueKind::Float(value)) if value == expected),
                "{text}"
            );
        }
        assert!(construct(Tag::Float, "._").is_none());
    }

    #[test]
    fn timestamps_have_python_values() {
        let cases = [
            ("2020-01-01", "2020-01-01"),
            ("2001-12-14 21:59:43.10 -5", "2001-12-14 21:59:43.100000-05:00"),
            ("2001-12-14T21:59:43Z", "2001-12-14T21:59:43+00:00"),
            ("2020-01-01T00:00:00+01:30", "2020-01-01T00:00:00+01:30"),
            ("2020-1-1 1:00:00.5", "2020-01-01 01:00:00.500000"),
            ("2020-12-31 23:59:59.9999999", "2021-01-01 00:00:00"),
        ];
        for (text, expected) in cases {
            let value = ConfigValue::new(construct(Tag::Timestamp, text).unwrap(), Span::default());
            assert_eq!(value.python_str(), expected);
        }
        assert!(construct(Tag::Timestamp, "2020-13-45").is_none() && construct(Tag::Timestamp, "2021-02-29").is_none());
    }
}
