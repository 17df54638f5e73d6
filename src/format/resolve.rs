//! The type of a plain scalar: ruamel.yaml's implicit resolvers of YAML 1.2.

use super::timestamp;

/// The name of the type, as in `tag:yaml.org,2002:int`.
pub(super) fn resolve(text: &str) -> &'static str {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => "null",
        "true" | "True" | "TRUE" | "false" | "False" | "FALSE" => "bool",
        "<<" => "merge",
        "=" => "value",
        // No plain scalar is one of these, but a string that is gets its quotes for it.
        "!" | "&" | "*" => "yaml",
        ".nan" | ".NaN" | ".NAN" => "float",
        _ if is_float(text) => "float",
        _ if is_int(text) => "int",
        _ if timestamp::is_timestamp(text) => "timestamp",
        _ => "str",
    }
}

fn unsigned(text: &str) -> &str {
    text.strip_prefix(['+', '-']).unwrap_or(text)
}

fn is_int(text: &str) -> bool {
    let all = |digits: &str, radix| !digits.is_empty() && digits.chars().all(|ch| ch == '_' || ch.is_digit(radix));
    // The first character decides which patterns are tried: `_1` is no integer.
    if text.starts_with('_') {
        return false;
    }
    let body = unsigned(text);
    let prefixed = |prefix, radix| body.strip_prefix(prefix).is_some_and(|digits| all(digits, radix));
    all(body, 10) || prefixed("0b", 2) || prefixed("0o", 8) || prefixed("0x", 16)
}

fn is_float(text: &str) -> bool {
    let body = unsigned(text);
    if matches!(body, ".inf" | ".Inf" | ".INF") {
        return true;
    }
    let (mantissa, exponent) = match body.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (body, None),
    };
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_');
    let is_exponent =
        |text: &str| !unsigned(text).is_empty() && unsigned(text).bytes().all(|byte| byte.is_ascii_digit());
    if !exponent.is_none_or(is_exponent) {
        return false;
    }
    if let Some(fraction) = mantissa.strip_prefix('.') {
        // Without digits before the dot the exponent must have a sign.
        return !fraction.is_empty() && is_digits(fraction) && exponent.is_none_or(|text| text.starts_with(['+', '-']));
    }
    if !mantissa.starts_with(|ch: char| ch.is_ascii_digit()) {
        return false;
    }
    match mantissa.split_once('.') {
        Some((whole, fraction)) => is_digits(whole) && is_digits(fraction),
        None => exponent.is_some() && is_digits(mantissa),
    }
}

#[cfg(test)]
mod tests {
    use super::resolve;

    #[test]
    fn types_are_those_of_ruamel_yaml() {
        for (kind, texts) in [
            ("int", &["0", "-1", "+1_000", "017", "0o17", "0b1_0", "0xfF", "1_", "-_", "08"][..]),
            ("float", &["1.", "1.5", "-.5", "1e5", "1_0.0_1e-3", ".5e+1", ".inf", "-.INF", ".NaN", "._"]),
            ("str", &["", "_1", ".", ".5e1", "1e", "0o8", "0b2", "1.2.3", "yes", "1:20", "-.nan", "e5", "+"][1..]),
            ("bool", &["true", "False", "TRUE"]),
            ("null", &["", "~", "NULL"]),
            ("timestamp", &["2020-01-01", "2020-1-1 1:00:00", "2020-01-01T00:00:00Z"]),
            ("merge", &["<<"]),
            ("value", &["="]),
        ] {
            for text in texts {
                assert_eq!(resolve(text), kind, "{text}");
            }
        }
    }
}
