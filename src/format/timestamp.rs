//! Timestamps: which plain scalars are some, and how they are written.
//!
//! ruamel.yaml reads them into Python's dates and times and writes those: in full, in ISO 8601.

/// The parts of a timestamp, as its pattern divides the text.
struct Parts<'a> {
    date: [&'a str; 3],
    time: Option<Time<'a>>,
}

struct Time<'a> {
    /// Whether a `T` stands before the time.
    t: bool,
    clock: [&'a str; 3],
    fraction: &'a str,
    /// As it is written; empty where there is none.
    zone: &'a str,
}

/// Whether a plain scalar is a timestamp.
pub(super) fn is_timestamp(text: &str) -> bool {
    // A date alone has two digits for month and day; only before a time one will do.
    split(text).is_some_and(|parts| parts.time.is_some() || text.len() == 10)
}

/// The text that is written for a timestamp; `None` for a day or time that does not exist.
pub(super) fn format(text: &str) -> Option<String> {
    let Parts { date: [year, month, day], time } = split(text)?;
    let (mut year, mut month, mut day): (u32, u32, u32) = (year.parse().ok()?, month.parse().ok()?, day.parse().ok()?);
    if year == 0 || !(1..=12).contains(&month) || !(1..=days(year, month)).contains(&day) {
        return None;
    }
    let Some(time) = time else { return Some(format!("{year:04}-{month:02}-{day:02}")) };
    let [hour, minute, second] = time.clock;
    let (mut hour, mut minute, mut second): (u32, u32, u32) =
        (hour.parse().ok()?, minute.parse().ok()?, second.parse().ok()?);
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let mut micros = microseconds(time.fraction);
    if micros > 999_999 {
        micros = 0;
        second += 1;
        // Carry, up to the year if need be.
        if second == 60 {
            (second, minute) = (0, minute + 1);
        }
        if minute == 60 {
            (minute, hour) = (0, hour + 1);
        }
        if hour == 24 {
            (hour, day) = (0, day + 1);
        }
        if day > days(year, month) {
            (day, month) = (1, month + 1);
        }
        if month > 12 {
            (month, year) = (1, year + 1);
        }
        if year > 9999 {
            return None;
        }
    }
    let mut out = format!("{year:04}-{month:02}-{day:02}");
    out.push(if time.t { 'T' } else { ' ' });
    out += &format!("{hour:02}:{minute:02}:{second:02}");
    if micros > 0 {
        out += &format!(".{micros:06}");
    }
    out += &zone(&time)?;
    Some(out)
}

/// The zone is kept as it is written, except for a `Z` after a time without `T`; `None` for one of a day or more.
fn zone(time: &Time) -> Option<String> {
    if time.zone.is_empty() || time.zone == "Z" {
        return Some(if time.zone == "Z" && !time.t { "+00:00" } else { time.zone }.to_owned());
    }
    let offset = time.zone.get(1..)?;
    let (hours, minutes) = offset.split_once(':').unwrap_or((offset, "0"));
    let offset = hours.parse::<u32>().ok()? * 60 + minutes.parse::<u32>().ok()?;
    (offset < 24 * 60).then(|| time.zone.to_owned())
}

/// Six digits, the seventh rounding.
fn microseconds(fraction: &str) -> u32 {
    let digit = |index: usize| fraction.as_bytes().get(index).map_or(0, |byte| u32::from(byte.saturating_sub(b'0')));
    (0..6).fold(0, |value, index| value * 10 + digit(index)) + u32::from(digit(6) > 4)
}

fn days(year: u32, month: u32) -> u32 {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

fn split(text: &str) -> Option<Parts<'_>> {
    let mut rest = text;
    let date = [digits(&mut rest, 4, 4)?, after(&mut rest, '-', 1)?, after(&mut rest, '-', 1)?];
    if rest.is_empty() {
        return Some(Parts { date, time: None });
    }
    let t = rest.starts_with(['T', 't']);
    let trimmed = if t { rest.get(1..)? } else { rest.trim_start_matches([' ', '\t']) };
    if trimmed.len() == rest.len() {
        return None;
    }
    rest = trimmed;
    let clock = [digits(&mut rest, 1, 2)?, after(&mut rest, ':', 2)?, after(&mut rest, ':', 2)?];
    let mut fraction = "";
    if let Some(digits_on) = rest.strip_prefix('.') {
        rest = digits_on;
        fraction = digits(&mut rest, 0, usize::MAX)?;
    }
    let zone = rest.trim_start_matches([' ', '\t']);
    if !(rest.is_empty() || zone == "Z") {
        let mut rest = zone.strip_prefix(['+', '-'])?;
        digits(&mut rest, 1, 2)?;
        if !rest.is_empty() {
            after(&mut rest, ':', 2)?;
        }
        if !rest.is_empty() {
            return None;
        }
    }
    Some(Parts { date, time: Some(Time { t, clock, fraction, zone }) })
}

fn after<'a>(rest: &mut &'a str, separator: char, least: usize) -> Option<&'a str> {
    *rest = rest.strip_prefix(separator)?;
    digits(rest, least, 2)
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
    use super::{format, is_timestamp};

    #[test]
    fn timestamps_are_written_as_python_writes_them() {
        for (text, expected) in [
            ("2020-01-01", Some("2020-01-01")),
            ("2001-12-14 21:59:43.10 -5", Some("2001-12-14 21:59:43.100000-5")),
            ("2001-12-14T21:59:43Z", Some("2001-12-14T21:59:43Z")),
            ("2001-12-14 21:59:43 Z", Some("2001-12-14 21:59:43+00:00")),
            ("2020-1-1 1:00:00", Some("2020-01-01 01:00:00")),
            ("1999-12-31 23:59:59.9999999", Some("2000-01-01 00:00:00")),
            ("2021-02-29", None),
            ("2020-01-01 24:00:00", None),
        ] {
            assert!(is_timestamp(text), "{text}");
            assert_eq!(format(text).as_deref(), expected, "{text}");
        }
        assert!(!is_timestamp("2020-1-1") && !is_timestamp("2020-01-01 1:00"));
    }
}
