//! Text as dates and times: ISO 8601 and `strptime`.

use jiff::civil;

use super::format;
use super::timezone::Zone;
use crate::python::exception::{PyResult, Raised, value_error};
use crate::python::value::Value;
use crate::python::vm::Vm;

fn digits(text: &str, count: usize) -> Option<(i64, &str)> {
    let (head, tail) = text.split_at_checked(count)?;
    head.bytes().all(|byte| byte.is_ascii_digit()).then(|| head.parse().ok().map(|number| (number, tail)))?
}

fn make_date(year: i64, month: i64, day: i64) -> Option<civil::Date> {
    super::date::checked(year, month, day).ok()
}

/// `2024-01-31`, `20240131`
pub(super) fn date(text: &str) -> Option<civil::Date> {
    let (date, rest) = leading_date(text)?;
    rest.is_empty().then_some(date)
}

fn leading_date(text: &str) -> Option<(civil::Date, &str)> {
    let (year, rest) = digits(text, 4)?;
    let dashed = rest.strip_prefix('-');
    let rest = dashed.unwrap_or(rest);
    if let Some(week_part) = rest.strip_prefix('W') {
        let (week, rest) = digits(week_part, 2)?;
        let (day, rest) = match if dashed.is_some() { rest.strip_prefix('-') } else { Some(rest) } {
            // In `2022W52520` the digit after the week is the day where the rest is left for a separator and a time.
            Some(rest) => digits(rest, 1).unwrap_or((1, rest)),
            None => (1, rest),
        };
        let weekday = jiff::civil::Weekday::from_monday_one_offset(i8::try_from(day).ok()?).ok()?;
        let week = civil::ISOWeekDate::new(i16::try_from(year).ok()?, i8::try_from(week).ok()?, weekday).ok()?;
        return Some((week.date(), rest));
    }
    let (month, rest) = digits(rest, 2)?;
    let rest = if dashed.is_some() { rest.strip_prefix('-')? } else { rest };
    let (day, rest) = digits(rest, 2)?;
    Some((make_date(year, month, day)?, rest))
}

/// `12:30`, `12:30:01.5`, `123001`, with an offset.
pub(super) fn time(text: &str) -> Option<(civil::Time, Option<Zone>)> {
    let at = text.find(['+', '-', 'Z']).unwrap_or(text.len());
    let (clock, offset) = text.split_at_checked(at)?;
    let zone = match offset {
        "" => None,
        "Z" => Some(Zone::of_seconds(0)),
        other => Some(Zone::of_microseconds(offset_microseconds(other)?)),
    };
    Some((clock_time(clock)?, zone))
}

fn offset_microseconds(text: &str) -> Option<i64> {
    let sign = if text.starts_with('-') { -1 } else { 1 };
    let since_midnight = clock_time(text.get(1..)?)?.duration_since(civil::Time::midnight());
    Some(sign * i64::try_from(since_midnight.as_micros()).ok()?)
}

fn clock_time(text: &str) -> Option<civil::Time> {
    let (hour, mut rest) = digits(text, 2)?;
    let colons = rest.starts_with(':');
    let mut numbers = [0_i64; 2];
    for number in &mut numbers {
        if rest.is_empty() {
            break;
        }
        if colons {
            rest = rest.strip_prefix(':')?;
        }
        (*number, rest) = digits(rest, 2)?;
    }
    let [minute, second] = numbers;
    let mut nanosecond = 0;
    if let Some(fraction) = rest.strip_prefix(['.', ',']) {
        if fraction.is_empty() || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let micro: i32 = fraction.chars().chain("000000".chars()).take(6).collect::<String>().parse().ok()?;
        nanosecond = micro * 1000;
        rest = "";
    }
    if !rest.is_empty() {
        return None;
    }
    civil::Time::new(i8::try_from(hour).ok()?, i8::try_from(minute).ok()?, i8::try_from(second).ok()?, nanosecond).ok()
}

/// `2024-01-31T12:30:00+01:00`
pub(super) fn date_time(text: &str) -> Option<(civil::DateTime, Option<Zone>)> {
    let (date, rest) = leading_date(text)?;
    let mut characters = rest.chars();
    if characters.next().is_none() {
        return Some((date.at(0, 0, 0, 0), None));
    }
    let (time, zone) = time(characters.as_str())?;
    Some((date.to_datetime(time), zone))
}

/// What `strptime` has read so far.
#[derive(Default)]
struct Fields {
    year: Option<i64>,
    month: Option<i64>,
    day: Option<i64>,
    hour: i64,
    afternoon: Option<bool>,
    minute: i64,
    second: i64,
    micro: i64,
    day_of_year: Option<i64>,
    zone: Option<Zone>,
}

/// `datetime.strptime(text, pattern)`
pub(super) fn strptime(vm: &mut Vm, text: &str, pattern: &str) -> PyResult<(civil::DateTime, Option<Zone>)> {
    let mut fields = Fields::default();
    let rest = match read(&mut fields, text, pattern) {
        Ok(rest) => rest,
        Err(Some(bad)) => {
            return Err(value_error(format!(
                "'{bad}' is a bad directive in format {}",
                vm.repr(&Value::str(pattern))?
            )));
        }
        Err(None) => return Err(mismatch(vm, text, pattern)?),
    };
    if !rest.is_empty() {
        return Err(value_error(format!("unconverted data remains: {rest}")));
    }
    let mut hour = fields.hour;
    if let Some(afternoon) = fields.afternoon {
        hour = hour % 12 + if afternoon { 12 } else { 0 };
    }
    let year = fields.year.unwrap_or(1900);
    let date = match fields.day_of_year {
        Some(day) if fields.month.is_none() && fields.day.is_none() => {
            let start = super::date::checked(year, 1, 1)?.at(0, 0, 0, 0);
            super::shifted(start, i128::from(day - 1) * super::MICROSECONDS_PER_DAY)?.date()
        }
        _ => super::date::checked(year, fields.month.unwrap_or(1), fields.day.unwrap_or(1))?,
    };
    let time = super::time_of_day::checked(hour, fields.minute, fields.second, fields.micro)?;
    Ok((date.to_datetime(time), fields.zone))
}

fn mismatch(vm: &mut Vm, text: &str, pattern: &str) -> PyResult<Raised> {
    let (text, pattern) = (vm.repr(&Value::str(text))?, vm.repr(&Value::str(pattern))?);
    Ok(value_error(format!("time data {text} does not match format {pattern}")))
}

/// One to `most` digits whose number is at most `highest`.
fn number(text: &str, most: usize, highest: i64) -> Option<(i64, &str)> {
    let available = text.bytes().take(most).take_while(u8::is_ascii_digit).count();
    (1..=available).rev().filter_map(|count| digits(text, count)).find(|(number, _)| *number <= highest)
}

fn word<'a>(text: &'a str, names: &[&str], abbreviated: bool) -> Option<(i64, &'a str)> {
    names.iter().zip(0..).find_map(|(name, index)| {
        let name = if abbreviated { name.get(..3)? } else { name };
        let (head, tail) = text.split_at_checked(name.len())?;
        head.eq_ignore_ascii_case(name).then_some((index, tail))
    })
}

/// Reads the text by the pattern; gives what is left. An error holds the directive that does not exist.
fn read<'a>(fields: &mut Fields, mut text: &'a str, pattern: &str) -> Result<&'a str, Option<char>> {
    let (months, weekdays) = format::names();
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        if character.is_whitespace() {
            text = text.trim_start();
            continue;
        }
        if character != '%' {
            text = text.strip_prefix(character).ok_or(None)?;
            continue;
        }
        let directive = characters.next().ok_or(Some('%'))?;
        let mut take = |most: usize, highest: i64| -> Result<i64, Option<char>> {
            let (value, rest) = number(text, most, highest).ok_or(None)?;
            text = rest;
            Ok(value)
        };
        match directive {
            'Y' => {
                let (year, rest) = digits(text, 4).ok_or(None)?;
                (fields.year, text) = (Some(year), rest);
            }
            'y' => {
                let year = take(2, 99)?;
                fields.year = Some(if year <= 68 { 2000 + year } else { 1900 + year });
            }
            'm' => fields.month = Some(take(2, 12)?),
            'd' | 'e' => fields.day = Some(take(2, 31)?),
            'H' => fields.hour = take(2, 23)?,
            'I' => {
                fields.hour = take(2, 12)?;
                fields.afternoon.get_or_insert(false);
            }
            'M' => fields.minute = take(2, 59)?,
            'S' => fields.second = take(2, 61)?,
            'j' => fields.day_of_year = Some(take(3, 366)?),
            'f' => {
                let count = text.bytes().take(6).take_while(u8::is_ascii_digit).count();
                let (value, rest) = digits(text, count.max(1)).ok_or(None)?;
                let scale = 10_i64.pow(6 - u32::try_from(count).unwrap_or(6).min(6));
                (fields.micro, text) = (value * scale, rest);
            }
            'b' | 'B' | 'h' => {
                let found = word(text, months, directive != 'B').ok_or(None)?;
                (fields.month, text) = (Some(found.0 + 1), found.1);
            }
            'a' | 'A' => text = word(text, weekdays, directive == 'a').ok_or(None)?.1,
            'p' => {
                let (index, rest) = word(text, &["AM ", "PM "].map(|half| half.trim_end()), false).ok_or(None)?;
                (fields.afternoon, text) = (Some(index == 1), rest);
            }
            'z' => {
                if let Some(rest) = text.strip_prefix('Z') {
                    (fields.zone, text) = (Some(Zone::of_seconds(0)), rest);
                } else {
                    let length = 1 + text.bytes().skip(1).take_while(|b| b.is_ascii_digit() || *b == b':').count();
                    let (offset, rest) = text.split_at_checked(length).ok_or(None)?;
                    if !offset.starts_with(['+', '-']) {
                        return Err(None);
                    }
                    (fields.zone, text) = (Some(Zone::of_microseconds(offset_microseconds(offset).ok_or(None)?)), rest);
                }
            }
            'Z' => text = text.strip_prefix("UTC").or_else(|| text.strip_prefix("GMT")).ok_or(None)?,
            'T' | 'X' => text = read(fields, text, "%H:%M:%S")?,
            'D' | 'x' => text = read(fields, text, "%m/%d/%y")?,
            'F' => text = read(fields, text, "%Y-%m-%d")?,
            'c' => text = read(fields, text, "%a %b %d %H:%M:%S %Y")?,
            '%' => text = text.strip_prefix('%').ok_or(None)?,
            other => return Err(Some(other)),
        }
    }
    Ok(text)
}
