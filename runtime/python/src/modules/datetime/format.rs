//! Dates and times as text: ISO 8601 and `strftime`.

use jiff::civil;

use super::timezone::Zone;
use crate::args::Args;
use crate::exception::{PyResult, type_error, value_error};
use crate::string::Str;
use crate::value::Value;
use crate::vm::Vm;

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
pub(super) fn pattern(vm: &mut Vm, args: Args) -> PyResult<Str> {
    let [pattern] = args.bind("strftime", ["format"], 1)?.map(Option::unwrap_or_default);
    match pattern {
        Value::Str(pattern) => {
            pay(vm, &pattern)?;
            Ok(pattern)
        }
        other => Err(type_error(format!("strftime() argument 1 must be str, not {}", other.argument_class().as_str()))),
    }
}

/// The meaning of a directive.
enum Piece {
    /// A number, padded to a width with zeros or, as `%e`, with spaces.
    Number(i64, usize, char),
    /// Text that `#` puts in capitals.
    Text(String),
    /// Text in capitals, that `#` puts in small letters.
    Capitals(String),
}

/// The date and time that `strftime` shows.
struct Shown<'a> {
    at: civil::DateTime,
    /// The results of `%z` and `%Z`.
    zone: (&'a str, &'a str),
}

/// The part of a text before this rest of it.
fn before<'t>(text: &'t str, rest: &str) -> &'t str {
    text.get(..text.len() - rest.len()).unwrap_or_default()
}

/// The widest that a directive is made.
const WIDEST: usize = 1024;

/// Pays for what `strftime` makes of a pattern.
///
/// # Errors
/// `MemoryError`, `TimeoutError`
pub(super) fn pay(vm: &mut Vm, pattern: &str) -> PyResult<()> {
    vm.charge(pattern.len().saturating_mul(4).saturating_add(2))?;
    let numbers = pattern.split(|char: char| !char.is_ascii_digit()).map(|digits| digits.parse().unwrap_or(0_usize));
    let width = numbers.max().unwrap_or(0).clamp(32, WIDEST);
    vm.charge_bytes(pattern.matches('%').count().saturating_mul(width).saturating_add(pattern.len()))
}

/// `strftime` of a date and time.
pub(super) fn strftime(at: &civil::DateTime, zone: Option<&Zone>, pattern: &str) -> PyResult<String> {
    let offset = zone.map(|zone| zone.offset_text("")).unwrap_or_default();
    let name = zone.map(Zone::text).unwrap_or_default();
    let shown = Shown { at: *at, zone: (&offset, &name) };
    // CPython hands the pattern to C, where it ends with a zero.
    let pattern = pattern.split('\0').next().unwrap_or_default();
    Ok(shown.strftime(pattern))
}

impl Shown<'_> {
    /// `strftime`, as in the C locale of glibc, with its flags and widths: `%-d`, `%_3H`, `%^a`.
    fn strftime(&self, pattern: &str) -> String {
        let mut out = String::new();
        let mut rest = pattern;
        while let Some((literal, directive)) = rest.split_once('%') {
            out.push_str(literal);
            let after_flags = directive.trim_start_matches(['-', '_', '0', '^', '#']);
            let flags = before(directive, after_flags);
            let after_width = after_flags.trim_start_matches(|char: char| char.is_ascii_digit());
            let width = before(after_flags, after_width).parse().unwrap_or(0_usize).min(WIDEST);
            let letter_at = after_width.strip_prefix(['E', 'O']).filter(|rest| !rest.is_empty()).unwrap_or(after_width);
            let mut characters = letter_at.chars();
            let letter = characters.next();
            // glibc does not know `%f`, so it has neither flags nor a width.
            let letter = letter.filter(|letter| *letter != 'f' || directive.starts_with('f'));
            let piece = letter.and_then(|letter| self.piece(letter));
            rest = characters.as_str();
            match piece {
                Some(piece) => out.push_str(&piece.padded(flags, width)),
                // What is no directive is left as it is.
                None => {
                    out.push('%');
                    out.push_str(before(directive, rest));
                }
            }
        }
        out.push_str(rest);
        out
    }

    fn piece(&self, letter: char) -> Option<Piece> {
        let at = &self.at;
        let two = |number: i8| Piece::Number(number.into(), 2, '0');
        let hour12 = (at.hour() + 11) % 12 + 1;
        let week = at.date().iso_week_date();
        let (weekday, yearday) = (i64::from(at.weekday().to_monday_zero_offset()), i64::from(at.day_of_year()));
        let sunday_zero = (weekday + 1) % 7;
        let year = i64::from(at.year());
        let text = |text: &str| Piece::Text(text.to_owned());
        Some(match letter {
            '%' => text("%"),
            'a' => text(short(name(&WEEKDAYS, at.weekday().to_monday_zero_offset()))),
            'A' => text(name(&WEEKDAYS, at.weekday().to_monday_zero_offset())),
            'b' | 'h' => text(short(name(&MONTHS, at.month() - 1))),
            'B' => text(name(&MONTHS, at.month() - 1)),
            'c' => Piece::Text(self.strftime("%a %b %e %H:%M:%S %Y")),
            'C' => Piece::Number(year / 100, 2, '0'),
            'd' => two(at.day()),
            'D' | 'x' => Piece::Text(self.strftime("%m/%d/%y")),
            'e' => Piece::Number(at.day().into(), 2, ' '),
            'f' => Piece::Text(format!("{:06}", microsecond(at.time()))),
            'F' => Piece::Text(self.strftime("%Y-%m-%d")),
            'g' => Piece::Number(i64::from(week.year()).rem_euclid(100), 2, '0'),
            'G' => Piece::Number(week.year().into(), 1, '0'),
            'H' => two(at.hour()),
            'I' => two(hour12),
            'j' => Piece::Number(yearday, 3, '0'),
            'k' => Piece::Number(at.hour().into(), 2, ' '),
            'l' => Piece::Number(hour12.into(), 2, ' '),
            'm' => two(at.month()),
            'M' => two(at.minute()),
            'n' => text("\n"),
            'p' => Piece::Capitals(if at.hour() < 12 { "AM" } else { "PM" }.to_owned()),
            'P' => text(if at.hour() < 12 { "am" } else { "pm" }),
            'r' => Piece::Text(self.strftime("%I:%M:%S %p")),
            'R' => Piece::Text(self.strftime("%H:%M")),
            's' => {
                let seconds = super::between(super::EPOCH, *at) / 1_000_000;
                Piece::Number(i64::try_from(seconds).unwrap_or_default(), 1, '0')
            }
            'S' => two(at.second()),
            't' => text("\t"),
            'T' | 'X' => Piece::Text(self.strftime("%H:%M:%S")),
            'u' => Piece::Number(weekday + 1, 1, '0'),
            'U' => Piece::Number((yearday - 1 + 7 - sunday_zero) / 7, 2, '0'),
            'V' => two(week.week()),
            'w' => Piece::Number(sunday_zero, 1, '0'),
            'W' => Piece::Number((yearday - 1 + 7 - weekday) / 7, 2, '0'),
            'y' => Piece::Number(year.rem_euclid(100), 2, '0'),
            'Y' => Piece::Number(year, 1, '0'),
            'z' => text(self.zone.0),
            'Z' => Piece::Capitals(self.zone.1.to_owned()),
            _ => return None,
        })
    }
}

impl Piece {
    /// The text with flags and width applied. The last flag about padding counts.
    fn padded(self, flags: &str, width: usize) -> String {
        let pad = flags.chars().rev().find(|flag| matches!(flag, '-' | '_' | '0'));
        let capitals = matches!(self, Self::Capitals(_));
        match self {
            Self::Number(number, digits, fill) => {
                let fill = match pad {
                    Some('_') => ' ',
                    Some('0') => '0',
                    _ => fill,
                };
                let width = if pad == Some('-') { width } else { width.max(digits) };
                match fill {
                    ' ' => format!("{number:>width$}"),
                    _ => format!("{number:0>width$}"),
                }
            }
            Self::Text(text) | Self::Capitals(text) => {
                let text = match flags.chars().rev().find(|flag| matches!(flag, '^' | '#')) {
                    Some('#') if capitals => text.to_lowercase(),
                    Some(_) => text.to_uppercase(),
                    None => text,
                };
                if pad == Some('0') { format!("{text:0>width$}") } else { format!("{text:>width$}") }
            }
        }
    }
}
