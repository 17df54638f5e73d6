//! The value of a scalar of a type, as ruamel.yaml constructs it.

use crate::number;
use crate::timestamp::Timestamp;
use crate::value::ValueKind;

/// The value of a scalar of one of YAML's types. `None` where ruamel.yaml fails too, such as for `0x_`.
pub(super) fn construct(kind: &str, text: &str) -> Option<ValueKind> {
    match kind {
        "null" => Some(ValueKind::Null),
        "bool" => number::boolean(text).map(ValueKind::Bool),
        "int" => number::integer(text).map(|integer| ValueKind::int(integer.value)),
        "float" => number::float(text).map(ValueKind::Float),
        "timestamp" => Timestamp::read(text).map(|read| match read {
            Timestamp::Date(date) => ValueKind::Date(date),
            Timestamp::DateTime(time, _) => ValueKind::DateTime(time),
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]
    use super::*;
    use crate::value::ConfigValue;
    use tpv_text::source::Span;

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
            let value = ConfigValue::new(construct("timestamp", text).unwrap(), Span::default());
            assert_eq!(value.python_str(), expected);
        }
        assert!(construct("timestamp", "2020-13-45").is_none() && construct("timestamp", "2021-02-29").is_none());
    }
}
