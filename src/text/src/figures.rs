//! Numbers and counts in reports for people.

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
