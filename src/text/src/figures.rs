//! Numbers and counts in reports for people.

use std::borrow::Cow;

/// A number with its digits in groups of three: `12,345`.
pub fn grouped(number: u64) -> String {
    in_groups(&number.to_string())
}

/// A count with its noun: `1 job`, `2 jobs`.
pub fn count(number: u64, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{} {noun}s", grouped(number)) }
}

/// A sum with its digits in groups of three, and at most two decimals below 10,000: `-1,234.5`.
pub fn amount(number: f64) -> String {
    if number < 0.0 {
        return format!("-{}", amount(-number));
    }
    let text = format!("{number:.2}");
    let (whole, decimals) = text.split_once('.').unwrap_or((&text, ""));
    let decimals = decimals.trim_end_matches('0');
    let whole = in_groups(whole);
    if decimals.is_empty() || number >= 10_000.0 { whole } else { format!("{whole}.{decimals}") }
}

/// A number as it is written, the digits of its whole part in groups of three, as of a bound such as `>2000`; other texts as they are.
pub fn grouped_text(number: &str) -> Cow<'_, str> {
    let (sign, digits) = number.split_at(number.find(|c: char| !"<>-".contains(c)).unwrap_or(0));
    let (whole, rest) = digits.split_at(digits.find('.').unwrap_or(digits.len()));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.len() < 4 || !is_number(whole) || !(rest.is_empty() || is_number(rest.trim_start_matches('.'))) {
        return Cow::Borrowed(number);
    }
    Cow::Owned(format!("{sign}{}{rest}", in_groups(whole)))
}

/// Digits in groups of three.
fn in_groups(digits: &str) -> String {
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_of_numbers_are_grouped() {
        for (text, grouped) in [
            ("999", "999"),
            ("1000", "1,000"),
            ("20422.702", "20,422.702"),
            ("-1234567", "-1,234,567"),
            (">2000", ">2,000"),
            ("1,000", "1,000"),
            ("2000 GiB", "2000 GiB"),
            ("2000.x", "2000.x"),
            ("-", "-"),
            ("", ""),
        ] {
            assert_eq!(grouped_text(text), grouped, "{text}");
        }
    }
}
