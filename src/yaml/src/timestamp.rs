//! Timestamps: which plain scalars are timestamps, what they mean, and how they are written.
//!
//! ruamel.yaml reads them into Python's dates and times and writes those: in full, in ISO 8601.

use std::fmt;

/// A day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Date {
    /// 1 to 9999
    pub year: u16,
    /// 1 to 12
    pub month: u8,
    /// 1 to 31
    pub day: u8,
}

/// A day and a time of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DateTime {
    /// The day.
    pub date: Date,
    /// 0 to 23
    pub hour: u8,
    /// 0 to 59
    pub minute: u8,
    /// 0 to 59
    pub second: u8,
    /// 0 to 999999
    pub microsecond: u32,
    /// Minutes east of Greenwich, if the text names a zone.
    pub offset: Option<i32>,
    /// `true` if date and time were joined by `T`, which `str()` then keeps.
    pub t: bool,
}

/// A day, or a day and a time, that exists.
pub(crate) enum Timestamp<'a> {
    /// A day alone.
    Date(Date),
    /// A day and a time, and the zone as it is written; empty if there is none.
    DateTime(DateTime, &'a str),
}

/// Returns `true` if a plain scalar is a timestamp.
pub(crate) fn is_timestamp(text: &str) -> bool {
    // A date alone has two digits for month and day; only before a time one will do.
    split(text).is_some_and(|parts| parts.clock.is_some() || text.len() == 10)
}

impl<'a> Timestamp<'a> {
    /// The day and time of a text; `None` if they do not exist, for which Python raises `ValueError`.
    pub(crate) fn read(text: &'a str) -> Option<Self> {
        let Parts { date: [year, month, day], clock } = split(text)?;
        let (year, month, day) = (year.parse().ok()?, month.parse().ok()?, day.parse().ok()?);
        if year == 0 || !(1..=12).contains(&month) || !(1..=days(year, month)).contains(&day) {
            return None;
        }
        let date = Date { year, month, day };
        let Some(Clock { t, parts: [hour, minute, second], fraction, zone }) = clock else {
            return Some(Self::Date(date));
        };
        let (hour, minute, second) = (hour.parse().ok()?, minute.parse().ok()?, second.parse().ok()?);
        if hour > 23 || minute > 59 || second > 59 {
            return None;
        }
        let offset = if zone.is_empty() { None } else { Some(offset(zone)?) };
        let mut time = DateTime { date, hour, minute, second, microsecond: microseconds(fraction), offset, t };
        time.carry()?;
        Some(Self::DateTime(time, zone))
    }

    /// The text that ruamel.yaml writes.
    pub(crate) fn written(&self) -> String {
        match self {
            Self::Date(date) => date.to_string(),
            // The zone is kept as it is written, except for a `Z` after a time without `T`.
            Self::DateTime(time, zone) => {
                let local = DateTime { offset: None, ..*time };
                format!("{local}{}", if *zone == "Z" && !time.t { "+00:00" } else { zone })
            }
        }
    }
}

impl DateTime {
    /// A fraction that rounds to a second goes into the second, up to the year if need be; `None` past the last year.
    fn carry(&mut self) -> Option<()> {
        if self.microsecond <= 999_999 {
            return Some(());
        }
        self.microsecond = 0;
        self.second += 1;
        if self.second == 60 {
            (self.second, self.minute) = (0, self.minute + 1);
        }
        if self.minute == 60 {
            (self.minute, self.hour) = (0, self.hour + 1);
        }
        let date = &mut self.date;
        if self.hour == 24 {
            (self.hour, date.day) = (0, date.day + 1);
        }
        if date.day > days(date.year, date.month) {
            (date.day, date.month) = (1, date.month + 1);
        }
        if date.month > 12 {
            (date.month, date.year) = (1, date.year + 1);
        }
        (date.year <= 9999).then_some(())
    }
}

/// Python's `str()` of a `datetime.date`.
impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

/// Python's `str()` of what ruamel.yaml makes of a timestamp.
impl fmt::Display for DateTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let separator = if self.t { 'T' } else { ' ' };
        write!(f, "{}{separator}{:02}:{:02}:{:02}", self.date, self.hour, self.minute, self.second)?;
        if self.microsecond != 0 {
            write!(f, ".{:06}", self.microsecond)?;
        }
        let Some(offset) = self.offset else { return Ok(()) };
        let sign = if offset < 0 { '-' } else { '+' };
        write!(f, "{sign}{:02}:{:02}", offset.abs() / 60, offset.abs() % 60)
    }
}

/// The minutes of a zone; `None` for one of a day or more.
fn offset(zone: &str) -> Option<i32> {
    if zone == "Z" {
        return Some(0);
    }
    let digits = zone.get(1..)?;
    let (hours, minutes) = digits.split_once(':').unwrap_or((digits, "0"));
    let minutes = hours.parse::<i32>().ok()? * 60 + minutes.parse::<i32>().ok()?;
    (minutes < 24 * 60).then_some(if zone.starts_with('-') { -minutes } else { minutes })
}

/// Six digits, the seventh rounding.
fn microseconds(fraction: &str) -> u32 {
    let digit = |index: usize| fraction.as_bytes().get(index).map_or(0, |byte| u32::from(byte.saturating_sub(b'0')));
    (0..6).fold(0, |value, index| value * 10 + digit(index)) + u32::from(digit(6) > 4)
}

fn days(year: u16, month: u8) -> u8 {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// The parts of a timestamp, as its pattern divides the text.
pub struct Parts<'a> {
    date: [&'a str; 3],
    clock: Option<Clock<'a>>,
}

struct Clock<'a> {
    t: bool,
    parts: [&'a str; 3],
    fraction: &'a str,
    zone: &'a str,
}

fn split(text: &str) -> Option<Parts<'_>> {
    let mut rest = text;
    let date = [digits(&mut rest, 4, 4)?, after(&mut rest, '-', 1)?, after(&mut rest, '-', 1)?];
    if rest.is_empty() {
        return Some(Parts { date, clock: None });
    }
    let t = rest.starts_with(['T', 't']);
    let trimmed = if t { rest.get(1..)? } else { rest.trim_start_matches([' ', '\t']) };
    if trimmed.len() == rest.len() {
        return None;
    }
    rest = trimmed;
    let parts = [digits(&mut rest, 1, 2)?, after(&mut rest, ':', 2)?, after(&mut rest, ':', 2)?];
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
    Some(Parts { date, clock: Some(Clock { t, parts, fraction, zone }) })
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
    use super::{Timestamp, is_timestamp};

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
            assert_eq!(Timestamp::read(text).map(|read| read.written()).as_deref(), expected, "{text}");
        }
        assert!(!is_timestamp("2020-1-1") && !is_timestamp("2020-01-01 x") && !is_timestamp("2020-01-01 1:00"));
    }
}
