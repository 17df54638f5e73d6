//! The meaning of a plain scalar: the implicit types of YAML 1.2 as ruamel.yaml 0.19 resolves them.
//!
//! The rules follow ruamel.yaml's regular expressions, not the YAML specification: `017` is the integer 17, `1_000` is
//! an integer, `1e5` is a float, `yes` and `24:00:00` are strings.

use crate::number::unsigned;
use crate::timestamp;

/// The type a plain scalar resolves to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tag {
    Null,
    Bool,
    Int,
    Float,
    Timestamp,
    /// `<<`
    Merge,
    /// `=`
    Value,
    /// `!`, `&` and `*`: no plain scalar can be one of these, so that a string that is one is written in quotes.
    Yaml,
    Str,
}

impl Tag {
    /// The name of the type, as in `tag:yaml.org,2002:int`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool => "bool",
            Self::Int => "int",
            Self::Float => "float",
            Self::Timestamp => "timestamp",
            Self::Merge => "merge",
            Self::Value => "value",
            Self::Yaml => "yaml",
            Self::Str => "str",
        }
    }
}

/// The type of a plain scalar.
pub(crate) fn resolve(text: &str) -> Tag {
    let Some(first) = text.bytes().next() else { return Tag::Null };
    match first {
        b't' | b'T' | b'f' | b'F' => {
            let is_bool = matches!(text, "true" | "True" | "TRUE" | "false" | "False" | "FALSE");
            if is_bool { Tag::Bool } else { Tag::Str }
        }
        b'~' | b'n' | b'N' => {
            if matches!(text, "~" | "null" | "Null" | "NULL") {
                Tag::Null
            } else {
                Tag::Str
            }
        }
        b'!' | b'&' | b'*' if text.len() == 1 => Tag::Yaml,
        b'<' if text == "<<" => Tag::Merge,
        b'=' if text == "=" => Tag::Value,
        b'+' | b'-' | b'.' | b'0'..=b'9' if is_float(text) => Tag::Float,
        b'+' | b'-' | b'0'..=b'9' if is_int(text) => Tag::Int,
        b'0'..=b'9' if timestamp::is_timestamp(text) => Tag::Timestamp,
        _ => Tag::Str,
    }
}

fn is_int(text: &str) -> bool {
    let digits = unsigned(text);
    let all = |digits: &str, is: fn(char) -> bool| !digits.is_empty() && digits.chars().all(|c| c == '_' || is(c));
    if all(digits, |c| c.is_ascii_digit()) {
        return true;
    }
    match digits.get(..2) {
        Some("0b") => all(digits.get(2..).unwrap_or(""), |c| matches!(c, '0' | '1')),
        Some("0o") => all(digits.get(2..).unwrap_or(""), |c| c.is_digit(8)),
        Some("0x") => all(digits.get(2..).unwrap_or(""), |c| c.is_ascii_hexdigit()),
        _ => false,
    }
}

fn is_float(text: &str) -> bool {
    if matches!(text, ".nan" | ".NaN" | ".NAN") {
        return true;
    }
    let body = unsigned(text);
    if matches!(body, ".inf" | ".Inf" | ".INF") {
        return true;
    }
    let digits = |text: &str| text.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'_').count();
    let whole = digits(body);
    let starts_with_digit = body.bytes().next().is_some_and(|byte| byte.is_ascii_digit());
    let rest = body.get(whole..).unwrap_or("");
    if let Some(fraction) = rest.strip_prefix('.') {
        let length = digits(fraction);
        let tail = fraction.get(length..).unwrap_or("");
        // Without digits before the dot, some must follow it, and an exponent must be signed.
        return match whole {
            0 => length > 0 && (tail.is_empty() || is_exponent(tail, true)),
            _ => starts_with_digit && (tail.is_empty() || is_exponent(tail, false)),
        };
    }
    starts_with_digit && is_exponent(rest, false)
}

fn is_exponent(text: &str, must_be_signed: bool) -> bool {
    let Some(exponent) = text.strip_prefix(['e', 'E']) else { return false };
    let digits = unsigned(exponent);
    (!must_be_signed || digits.len() < exponent.len())
        && !digits.is_empty()
        && digits.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]
    use super::*;

    #[test]
    fn types_are_those_of_ruamel_yaml() {
        let cases = [
            (Tag::Int, "0 017 08 +5 -1 1_0 1__0 0_1 0o17 -0x1F 0b11 1_ 0o_ 123456789012345678901234567890"),
            (Tag::Float, "1. .5 1e5 1.5e-3 1_0.5 -.inf .NaN 1.e5 .5e+5 ._"),
            (
                Tag::Str,
                "_1 0x 0o 0o8 - + .5e5 yes on 24:00:00 1:2 tRue nil 1e +.nan .in 0X1F 1.2.3 2020-1-1 2020-01-01x -- e3",
            ),
            (Tag::Timestamp, "2020-01-01 2020-13-45 2020-01-01T1:00:00Z"),
            (Tag::Null, "~ null Null NULL"),
            (Tag::Bool, "true True FALSE"),
            (Tag::Merge, "<<"),
            (Tag::Value, "="),
            (Tag::Yaml, "! & *"),
        ];
        for (tag, texts) in cases {
            for text in texts.split(' ') {
                assert_eq!(resolve(text), tag, "{text}");
            }
        }
        assert_eq!(resolve(""), Tag::Null);
    }
}
