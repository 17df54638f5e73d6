//! Text as dates and times: ISO 8601.

use jiff::civil;

use super::timezone::Zone;

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
