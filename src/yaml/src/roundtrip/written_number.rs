//! Integers and floats, written again the way ruamel.yaml remembers their writing.
//!
//! It keeps the width, underscores and letters of integers, and of floats the width, the place of the point and the form
//! of the exponent; what it computes from that is not always what was there, and is reproduced here.

use num_bigint::BigInt;
use num_traits::{Num, Signed, ToPrimitive};

use crate::number;

/// An integer.
pub(super) struct Integer {
    pub(super) value: BigInt,
    /// The written text.
    pub(super) text: String,
}

/// The integer of a scalar; `None` where ruamel.yaml fails, as for `0x_`.
pub(super) fn integer(text: &str) -> Option<Integer> {
    let number::Integer { value, radix, prefix, digits } = number::integer(text)?;
    let mut out = value.abs().to_str_radix(radix);
    if digits.chars().find(char::is_ascii_alphabetic).is_some_and(|ch| ch.is_ascii_uppercase()) {
        out.make_ascii_uppercase();
    }
    let sign = if value.is_negative() { "-" } else { "" };
    if digits.starts_with('0') {
        // The sign counts as a part of the width.
        let width = digits.len().saturating_sub(sign.len());
        out = zeros(out, width);
    }
    out.insert_str(0, sign);
    let out = if text.contains('_') { underscores(&out, text, prefix) } else { out };
    Some(Integer { value, text: format!("{prefix}{out}") })
}

/// Puts the underscores back: as many digits apart as stand behind the last one.
fn underscores(digits: &str, text: &str, prefix: &str) -> String {
    let trimmed = text.trim_end_matches('_');
    // Only underscores at the end leave no distance.
    let Some((_, last)) = trimmed.rsplit_once('_') else { return digits.to_owned() };
    let distance = last.chars().count();
    let mut out = String::new();
    let length = digits.chars().count();
    for (index, ch) in digits.chars().enumerate() {
        if index > 0 && distance > 0 && (length - index).is_multiple_of(distance) {
            out.push('_');
        }
        out.push(ch);
    }
    // ruamel.yaml looks at the third character of the whole text, sign or not.
    let third = text.chars().nth(2) == Some('_');
    if !prefix.is_empty() && third {
        out.insert(0, '_');
    }
    let long_enough = if prefix.is_empty() { text.len() > 1 } else { text.len() > 3 };
    if long_enough && text.ends_with('_') {
        out.push('_');
    }
    out
}

/// A float.
pub(super) struct Float {
    pub(super) value: f64,
    /// The written text.
    pub(super) text: String,
}

/// The float of a scalar; `None` where ruamel.yaml fails.
pub(super) fn float(text: &str) -> Option<Float> {
    let value = number::float(text)?;
    let sign = text.chars().find(|&ch| ch != '_').filter(|ch| matches!(ch, '+' | '-'));
    let text = if value.is_nan() {
        ".nan".to_owned()
    } else if value.is_infinite() {
        if value < 0.0 { "-.inf" } else { ".inf" }.to_owned()
    } else if let Some((mantissa, exponent)) = text.split_once(['e', 'E']) {
        let mark = if text.contains('e') { 'e' } else { 'E' };
        scientific(value, sign, mark, mantissa, exponent)?
    } else {
        fixed(value, sign, text)
    };
    Some(Float { value, text })
}

fn sign_text(sign: Option<char>) -> String {
    sign.map(String::from).unwrap_or_default()
}

/// Fills with zeros up to a width.
fn zeros(mut text: String, width: usize) -> String {
    text.insert_str(0, &"0".repeat(width.saturating_sub(text.len())));
    text
}

/// A float without an exponent.
fn fixed(value: f64, sign: Option<char>, text: &str) -> String {
    let sign = sign_text(sign);
    let width = text.chars().count();
    let whole = format!("{:.0}", value.abs().trunc());
    let Some(point) = text.find('.') else {
        return sign.clone() + &zeros(whole, width.saturating_sub(sign.len()));
    };
    if point > 0 && point + 1 == width {
        return format!("{sign}{whole}.");
    }
    let digits = format!("{:.*}", width - point - 1, value.abs());
    let mut out = sign.clone() + &zeros(digits, width - sign.len());
    if point == 0 || point == 1 && !sign.is_empty() {
        out = out.replace("0.", ".");
    }
    while out.len() < width {
        out.push('0');
    }
    out
}

/// A float with an exponent.
fn scientific(value: f64, sign: Option<char>, mark: char, mantissa: &str, exponent: &str) -> Option<String> {
    let signed = usize::from(sign.is_some());
    let point = mantissa.find('.');
    let lead = mantissa.chars().take_while(|ch| matches!(ch, '0' | '.')).filter(|&ch| ch == '0').count();
    let width = mantissa.chars().count() - signed;
    // Python's `e` format: Rust's differs in the exponent only.
    let formatted = format!("{:.*e}", width + signed, value);
    let (digits, power) = formatted.split_once('e')?;
    let mut power: i64 = power.parse().ok()?;
    let padded = format!("{:>width$}", format!("{digits}e{power:+03}"));
    let digits = padded.split_once('e')?.0;
    let kept = if point.is_some_and(|point| point > 0) { width } else { width + 1 } + usize::from(value < 0.0);
    let digits: String = digits.chars().take(kept).collect();
    let (m1, m2) = digits.split_once('.')?;
    let (mut m1, mut m2) = (m1.to_owned(), m2.to_owned());
    while m1.len() + m2.len() < width - usize::from(point.is_some()) {
        m2.push('0');
    }
    if sign.is_some() && value > 0.0 {
        m1.insert(0, '+');
    }
    match point {
        None => {
            if m2 == "0" {
                m2.clear();
            } else {
                power -= i64::try_from(m2.len()).ok()?;
            }
            while m1.len() + m2.len() < width + signed {
                m2.push('0');
                power -= 1;
            }
        }
        Some(0) => {
            power -= i64::try_from(m2.len()).ok()?;
            m2.push('.');
        }
        Some(point) => {
            if lead > 0 {
                m2 = "0".repeat(lead - 1) + &m1 + &m2;
                m1 = "0".to_owned();
                m2.truncate(m2.len().saturating_sub(lead));
                power += i64::try_from(lead).ok()?;
            }
            while m1.len() < point {
                if m2.is_empty() {
                    return None;
                }
                m1.push(m2.remove(0));
                power -= 1;
            }
            m1.push('.');
        }
    }
    let has_sign = exponent.starts_with(['+', '-']);
    let power_sign = if power < 0 {
        "-"
    } else if has_sign {
        "+"
    } else {
        ""
    };
    let width = exponent.chars().count().saturating_sub(power_sign.len());
    Some(format!("{m1}{m2}{mark}{power_sign}{}", zeros(power.unsigned_abs().to_string(), width)))
}

/// The integer that a float is equal to, if there is one.
pub(super) fn whole(value: f64) -> Option<BigInt> {
    if value.fract() != 0.0 || !value.is_finite() {
        return None;
    }
    value.to_i64().map(BigInt::from).or_else(|| BigInt::from_str_radix(&format!("{value:.0}"), 10).ok())
}
