//! Dates and times as text: ISO 8601 and `strftime`.

use jiff::civil;

use super::timezone::Zone;
use crate::python::args::Args;
use crate::python::exception::{PyResult, type_error, value_error};
use crate::python::string::Str;
use crate::python::value::Value;

static WEEKDAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
static MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// The English name of a month, from 1, or of a weekday, from 0 for Monday.
fn name(names: &'static [&'static str], index: i8) -> &'static str {
    usize::try_from(index).ok().and_then(|index| names.get(index)).copied().unwrap_or_default()
}

/// The names of the months and of the weekdays, for reading them.
pub(super) fn names() -> (&'static [&'static str], &'static [&'static str]) {
    (&MONTHS, &WEEKDAYS)
}

fn short(name: &str) -> &str {
    name.get(..3).unwrap_or(name)
}

/// `2024-01-31`
pub(super) fn date(date: civil::Date) -> String {
    format!("{:04}-{:02}-{:02}", date.year(), date.month(), date.day())
}

/// The microseconds of a time.
pub(super) fn microsecond(time: civil::Time) -> i32 {
    time.subsec_nanosecond() / 1000
}

/// `12:30:00.000001`, to the precision that `timespec` names.
///
/// # Errors
/// `ValueError: Unknown timespec value`
pub(super) fn time(time: civil::Time, timespec: &str) -> PyResult<String> {
    let (hour, minute, second, micro) = (time.hour(), time.minute(), time.second(), microsecond(time));
    Ok(match timespec {
        "auto" if micro == 0 => format!("{hour:02}:{minute:02}:{second:02}"),
        "auto" | "microseconds" => format!("{hour:02}:{minute:02}:{second:02}.{micro:06}"),
        "milliseconds" => format!("{hour:02}:{minute:02}:{second:02}.{:03}", micro / 1000),
        "seconds" => format!("{hour:02}:{minute:02}:{second:02}"),
        "minutes" => format!("{hour:02}:{minute:02}"),
        "hours" => format!("{hour:02}"),
        _ => return Err(value_error("Unknown timespec value")),
    })
}

/// The argument of `strftime(format)`.
///
/// # Errors
/// `TypeError` where it is missing or no text.
pub(super) fn pattern(args: Args) -> PyResult<Str> {
    let [pattern] = args.bind("strftime", ["format"], 1)?.map(Option::unwrap_or_default);
    match pattern {
        Value::Str(pattern) => Ok(pattern),
        other => Err(type_error(format!("strftime() argument 1 must be str, not {}", other.argument_class().as_str()))),
    }
}

/// `strftime`, as in the C locale of glibc.
pub(super) fn strftime(at: &civil::DateTime, zone: Option<&Zone>, pattern: &str) -> PyResult<String> {
    let mut out = String::new();
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        if character != '%' {
            out.push(character);
            continue;
        }
        let weekday = at.weekday().to_monday_zero_offset();
        let hour12 = (at.hour() + 11) % 12 + 1;
        let day_of_year = at.day_of_year();
        let week = at.date().iso_week_date();
        let sunday_zero = i16::from(at.weekday().to_sunday_zero_offset());
        let piece = match characters.next() {
            None => "%".to_owned(),
            Some('%') => "%".to_owned(),
            Some('a') => short(name(&WEEKDAYS, weekday)).to_owned(),
            Some('A') => name(&WEEKDAYS, weekday).to_owned(),
            Some('b' | 'h') => short(name(&MONTHS, at.month() - 1)).to_owned(),
            Some('B') => name(&MONTHS, at.month() - 1).to_owned(),
            Some('c') => strftime(at, zone, "%a %b %e %H:%M:%S %Y")?,
            Some('C') => format!("{:02}", at.year() / 100),
            Some('d') => format!("{:02}", at.day()),
            Some('D' | 'x') => strftime(at, zone, "%m/%d/%y")?,
            Some('e') => format!("{:2}", at.day()),
            Some('f') => format!("{:06}", microsecond(at.time())),
            Some('F') => strftime(at, zone, "%Y-%m-%d")?,
            Some('g') => format!("{:02}", week.year().rem_euclid(100)),
            Some('G') => week.year().to_string(),
            Some('H') => format!("{:02}", at.hour()),
            Some('I') => format!("{hour12:02}"),
            Some('j') => format!("{day_of_year:03}"),
            Some('m') => format!("{:02}", at.month()),
            Some('M') => format!("{:02}", at.minute()),
            Some('n') => "\n".to_owned(),
            Some('p') => if at.hour() < 12 { "AM" } else { "PM" }.to_owned(),
            Some('R') => strftime(at, zone, "%H:%M")?,
            Some('s') => (super::between(super::EPOCH, *at) / 1_000_000).to_string(),
            Some('S') => format!("{:02}", at.second()),
            Some('t') => "\t".to_owned(),
            Some('T' | 'X') => strftime(at, zone, "%H:%M:%S")?,
            Some('u') => (weekday + 1).to_string(),
            Some('U') => format!("{:02}", (day_of_year - 1 + 7 - sunday_zero) / 7),
            Some('V') => format!("{:02}", week.week()),
            Some('w') => sunday_zero.to_string(),
            Some('W') => format!("{:02}", (day_of_year - 1 + 7 - i16::from(weekday)) / 7),
            Some('y') => format!("{:02}", at.year().rem_euclid(100)),
            Some('Y') => at.year().to_string(),
            Some('z') => zone.map(|zone| zone.offset_text("")).unwrap_or_default(),
            Some('Z') => zone.map(Zone::text).unwrap_or_default(),
            Some(other) => format!("%{other}"),
        };
        out.push_str(&piece);
    }
    Ok(out)
}
