//! Timestamps, which ruamel.yaml turns into `datetime.date` and `datetime.datetime`.

use crate::config::value::{Date, DateTime, ValueKind};

/// The parts of a timestamp, as ruamel.yaml's `timestamp_regexp` finds them.
struct Parts<'a> {
    date: [&'a str; 3],
    time: Option<Time<'a>>,
}

struct Time<'a> {
    t: bool,
    clock: [&'a str; 3],
    fraction: &'a str,
    zone: Option<Zone<'a>>,
}

enum Zone<'a> {
    Utc,
    Offset { negative: bool, hour: &'a str, minute: &'a str },
}

/// Whether a plain scalar is resolved as a timestamp.
pub(super) fn is_timestamp(text: &str) -> bool {
    // A date alone has two-digit months and days; the looser form holds only before a time.
    parse(text).is_some_and(|parts| parts.time.is_some() || text.len() == 10)
}

/// The value; `None` for a day or a time that does not exist, where Python raises `ValueError`.
pub(super) fn construct(text: &str) -> Option<ValueKind> {
    let Parts { date: [year, month, day], time } = parse(text)?;
    let date = Date { year: year.parse().ok()?, month: month.parse().ok()?, day: day.parse().ok()? };
    if date.year == 0 || !(1..=12).contains(&date.month) || !(1..=days_in(date)).contains(&date.day) {
        return None;
    }
    let Some(time) = time else { return Some(ValueKind::Date(date)) };
    let [hour, minute, second] = time.clock;
    let (hour, minute, second): (u8, u8, u8) = (hour.parse().ok()?, minute.parse().ok()?, second.parse().ok()?);
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let offset = match time.zone {
        None => None,
        Some(Zone::Utc) => Some(0),
        Some(Zone::Offset { negative, hour, minute }) => {
            let minutes = if minute.is_empty() { 0 } else { minute.parse().ok()? };
            let total = hour.parse::<i32>().ok()? * 60 + minutes;
            if total >= 24 * 60 {
                return None;
            }
            Some(if negative { -total } else { total })
        }
    };
    let value = DateTime { date, hour, minute, second, microsecond: microseconds(time.fraction), offset, t: time.t };
    Some(ValueKind::DateTime(value))
}

/// Six digits, the seventh rounding.
///
/// DIFFERENCE: ruamel.yaml lets `.9999995` carry into the seconds; here it stays the last microsecond.
fn microseconds(fraction: &str) -> u32 {
    let digit = |index: usize| fraction.as_bytes().get(index).map_or(0, |byte| u32::from(byte - b'0'));
    let value = (0..6).fold(0, |value, index| value * 10 + digit(index));
    (value + u32::from(digit(6) > 4)).min(999_999)
}

fn days_in(date: Date) -> u8 {
    let leap = date.year % 4 == 0 && (date.year % 100 != 0 || date.year % 400 == 0);
    match date.month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

fn parse(text: &str) -> Option<Parts<'_>> {
    let mut rest = text;
    let year = digits(&mut rest, 4, 4)?;
    let month = after(&mut rest, '-', 1, 2)?;
    let day = after(&mut rest, '-', 1, 2)?;
    let date = [year, month, day];
    if rest.is_empty() {
        return Some(Parts { date, time: None });
    }
    let t = rest.starts_with(['T', 't']);
    let trimmed = if t { rest.get(1..)? } else { rest.trim_start_matches([' ', '\t']) };
    if trimmed.len() == rest.len() {
        return None;
    }
    rest = trimmed;
    let clock = [digits(&mut rest, 1, 2)?, after(&mut rest, ':', 2, 2)?, after(&mut rest, ':', 2, 2)?];
    let mut fraction = "";
    if let Some(after_dot) = rest.strip_prefix('.') {
        rest = after_dot;
        fraction = digits(&mut rest, 0, usize::MAX)?;
    }
    let zone = zone(rest)?;
    Some(Parts { date, time: Some(Time { t, clock, fraction, zone }) })
}

/// The zone at the end; the outer `None` where the rest is something else.
fn zone(rest: &str) -> Option<Option<Zone<'_>>> {
    if rest.is_empty() {
        return Some(None);
    }
    let mut rest = rest.trim_start_matches([' ', '\t']);
    if rest == "Z" {
        return Some(Some(Zone::Utc));
    }
    let negative = rest.starts_with('-');
    rest = rest.strip_prefix(['+', '-'])?;
    let hour = digits(&mut rest, 1, 2)?;
    let minute = if rest.is_empty() { "" } else { after(&mut rest, ':', 2, 2)? };
    rest.is_empty().then_some(Some(Zone::Offset { negative, hour, minute }))
}

fn after<'a>(rest: &mut &'a str, separator: char, least: usize, most: usize) -> Option<&'a str> {
    *rest = rest.strip_prefix(separator)?;
    digits(rest, least, most)
}

fn digits<'a>(rest: &mut &'a str, least: usize, most: usize) -> Option<&'a str> {
    let count = rest.bytes().take(most).take_while(u8::is_ascii_digit).count();
    if count < least {
        return None;
    }
    let (found, tail) = rest.split_at_checked(count)?;
    *rest = tail;
    Some(found)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
    use super::*;
    use crate::config::value::ConfigValue;

    #[test]
    fn texts_read_as_ruamel_yaml_reads_them() {
        let cases = [
            ("2020-01-01", "2020-01-01"),
            ("2001-12-14 21:59:43.10 -5", "2001-12-14 21:59:43.100000-05:00"),
            ("2001-12-14T21:59:43Z", "2001-12-14T21:59:43+00:00"),
            ("2020-01-01T00:00:00+01:30", "2020-01-01T00:00:00+01:30"),
            ("2020-1-1 1:00:00.5", "2020-01-01 01:00:00.500000"),
        ];
        for (text, expected) in cases {
            assert!(is_timestamp(text), "{text}");
            let value = ConfigValue::new(construct(text).unwrap(), crate::source::Span::default());
            assert_eq!(value.python_str(), expected);
        }
        assert!(construct("2020-13-45").is_none() && construct("2021-02-29").is_none());
        assert!(!is_timestamp("2020-1-1") && !is_timestamp("2020-01-01 x") && !is_timestamp("2020-01-01 1:00"));
    }
}
