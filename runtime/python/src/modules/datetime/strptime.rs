//! `strptime`: the pattern becomes a regular expression, as CPython's `_strptime` makes it, so that what is ambiguous is
//! read alike.
//!
//! DIFFERENCE: the directives of weeks (`%G`, `%U`, `%V`, `%W`, `%u`, `%w`) are not known.

use super::{date, format};
use crate::args::Args;
use crate::builtins::convert;
use crate::exception::{PyResult, value_error};
use crate::value::Value;
use crate::vm::Vm;

/// The values read from a text.
pub(super) struct Reading {
    /// Year, month and day.
    pub(super) date: [i64; 3],
    /// Hour, minute and second.
    pub(super) time: [i64; 3],
    pub(super) microsecond: i64,
    /// Microseconds east of UTC, by `%z`.
    pub(super) offset: Option<i64>,
}

fn alternatives(group: char, names: &[&str], abbreviated: bool) -> String {
    let mut names: Vec<String> = names
        .iter()
        .map(|name| if abbreviated { name.get(..3).unwrap_or(name) } else { name }.to_lowercase())
        .collect();
    // The longest first, so that none hides another; equal ones keep their order.
    names.sort_by_key(|name| std::cmp::Reverse(name.len()));
    format!("(?P<{group}>{})", names.join("|"))
}

/// The expression for a directive; `None` where there is no such directive.
fn directive(letter: char) -> Option<String> {
    let (months, weekdays) = format::names();
    let plain = match letter {
        'd' => r"(?P<d>3[0-1]|[1-2]\d|0[1-9]|[1-9]| [1-9])",
        'f' => r"(?P<f>[0-9]{1,6})",
        'H' => r"(?P<H>2[0-3]|[0-1]\d|\d)",
        'I' => r"(?P<I>1[0-2]|0[1-9]|[1-9])",
        'j' => r"(?P<j>36[0-6]|3[0-5]\d|[1-2]\d\d|0[1-9]\d|00[1-9]|[1-9]\d|0[1-9]|[1-9])",
        'm' => r"(?P<m>1[0-2]|0[1-9]|[1-9])",
        'M' => r"(?P<M>[0-5]\d|\d)",
        'S' => r"(?P<S>6[0-1]|[0-5]\d|\d)",
        'y' => r"(?P<y>\d\d)",
        'Y' => r"(?P<Y>\d\d\d\d)",
        'z' => r"(?P<z>[+-]\d\d:?[0-5]\d(:?[0-5]\d(\.\d{1,6})?)?|(?-i:Z))",
        'p' => "(?P<p>am|pm)",
        'Z' => "(?P<Z>utc|gmt)",
        '%' => "%",
        'A' => return Some(alternatives('A', weekdays, false)),
        'a' => return Some(alternatives('a', weekdays, true)),
        'B' => return Some(alternatives('B', months, false)),
        'b' => return Some(alternatives('b', months, true)),
        'c' => return expression("%a %b %d %H:%M:%S %Y").ok(),
        'x' => return expression("%m/%d/%y").ok(),
        'X' => return expression("%H:%M:%S").ok(),
        _ => return None,
    };
    Some(plain.to_owned())
}

/// The expression for a pattern; the directive that does not exist, or nothing where a `%` ends the pattern.
fn expression(pattern: &str) -> Result<String, Option<char>> {
    let mut escaped = String::new();
    let mut in_space = false;
    for char in pattern.chars() {
        let space = crate::unicode::is_space(char);
        if space && !in_space {
            escaped.push_str(r"\s+");
        } else if !space {
            if r"\.^$*+?(){}[]|".contains(char) {
                escaped.push('\\');
            }
            escaped.push(char);
        }
        in_space = space;
    }
    let mut out = String::new();
    let mut rest = escaped.as_str();
    while let Some((before, after)) = rest.split_once('%') {
        out.push_str(before);
        let mut characters = after.chars();
        let letter = characters.next().ok_or(None)?;
        // A backslash is one that was put before a special character, or before the white space of `\s+`.
        out.push_str(&directive(letter).ok_or(Some(if letter == '\\' { '%' } else { letter }))?);
        rest = characters.as_str();
    }
    out.push_str(rest);
    Ok(out)
}

/// The groups of a match.
struct Groups(Value);

impl Groups {
    fn text(&self, name: char) -> Option<String> {
        let Value::Dict(groups) = &self.0 else { return None };
        let found = groups.get_str(&name.to_string())?;
        found.as_str().map(|text| text.to_string())
    }

    fn number(&self, name: char) -> Option<i64> {
        let text = self.text(name)?;
        let digits = text.trim().chars().map(|char| crate::unicode::decimal_value(char).map(i64::from));
        digits.collect::<Option<Vec<i64>>>().map(|digits| digits.iter().fold(0, |number, digit| number * 10 + digit))
    }

    /// The names of the groups, in the order of the pattern.
    fn names(&self) -> Vec<char> {
        let Value::Dict(groups) = &self.0 else { return Vec::new() };
        groups.keys().iter().filter_map(|name| name.as_str()?.chars().next()).collect()
    }

    /// The place of a name among names.
    fn index(&self, name: char, names: &[&str], abbreviated: bool) -> Option<i64> {
        let text = self.text(name)?.to_lowercase();
        let cut = |name: &str| if abbreviated { name.get(..3).unwrap_or(name) } else { name }.to_lowercase();
        names.iter().position(|name| cut(name) == text).and_then(|index| i64::try_from(index).ok())
    }
}

/// `strptime(text, pattern)`
///
/// # Errors
/// `ValueError` where the text does not fit the pattern or the pattern is none; `re.error` where a directive is there twice.
pub(super) fn strptime(vm: &mut Vm, text: &str, pattern: &str) -> PyResult<Reading> {
    vm.charge(16 + (text.len() + pattern.len()) * 2)?;
    let regex = match expression(pattern) {
        Ok(regex) => regex,
        Err(Some(bad)) => {
            crate::lacking::note(format!("tpvc's `strptime` has no `%{bad}`"));
            return Err(value_error(format!("'{bad}' is a bad directive in format '{pattern}'")));
        }
        Err(None) => return Err(value_error(format!("stray % in format '{pattern}'"))),
    };
    let re = vm.import("re", true)?;
    let ignore_case = vm.get_attr(&re, "IGNORECASE")?;
    let arguments = [Value::str(regex), Value::str(text), ignore_case];
    let found = vm.call_method(&re, "match", Args::positional(arguments))?;
    if found.is_none() {
        let (text, pattern) = (vm.repr(&Value::str(text))?, vm.repr(&Value::str(pattern))?);
        return Err(value_error(format!("time data {text} does not match format {pattern}")));
    }
    let end = vm.call_method(&found, "end", Args::none())?;
    let end = usize::try_from(convert::index_i64(vm, &end)?).unwrap_or(0);
    let rest: String = text.chars().skip(end).collect();
    if !rest.is_empty() {
        return Err(value_error(format!("unconverted data remains: {rest}")));
    }
    let groups = Groups(vm.call_method(&found, "groupdict", Args::none())?);
    read(&groups)
}

/// Microseconds east of UTC, of what `%z` read.
fn offset(text: &str) -> PyResult<i64> {
    if text == "Z" {
        return Ok(0);
    }
    let inconsistent = || value_error(format!("Inconsistent use of : in {text}"));
    let mut digits = text.to_owned();
    if digits.get(3..4) == Some(":") {
        digits.remove(3);
        if digits.len() > 5 {
            if digits.get(5..6) != Some(":") {
                return Err(inconsistent());
            }
            digits.remove(5);
        }
    }
    let part = |from: usize, to: usize| digits.get(from..to).and_then(|part| part.parse::<i64>().ok()).unwrap_or(0);
    let seconds = part(1, 3) * 3600 + part(3, 5) * 60 + part(5, 7);
    let fraction = format!("{:0<6}", digits.get(8..).unwrap_or_default()).parse::<i64>().unwrap_or(0);
    let microseconds = seconds * 1_000_000 + fraction;
    Ok(if digits.starts_with('-') { -microseconds } else { microseconds })
}

fn read(groups: &Groups) -> PyResult<Reading> {
    let (months, _) = format::names();
    let century = |year: i64| if year <= 68 { 2000 + year } else { 1900 + year };
    let (mut year, mut month, mut day, mut hour) = (None::<i64>, 1, 1, 0);
    let afternoon = groups.text('p').is_some_and(|half| half.eq_ignore_ascii_case("pm"));
    // Of two ways to say the same, the one that comes later in the pattern counts.
    for name in groups.names() {
        let number = groups.number(name).unwrap_or(0);
        match name {
            'Y' => year = Some(number),
            'y' => year = Some(century(number)),
            'm' => month = number,
            'B' => month = groups.index('B', months, false).unwrap_or(0) + 1,
            'b' => month = groups.index('b', months, true).unwrap_or(0) + 1,
            'd' => day = number,
            'H' => hour = number,
            'I' => hour = number % 12 + if afternoon { 12 } else { 0 },
            _ => {}
        }
    }
    let fraction = groups.text('f').map(|digits| format!("{digits:0<6}")).and_then(|digits| digits.parse().ok());
    let offset = groups.text('z').map(|text| offset(&text)).transpose()?;
    // 29 February without a year is there in some years.
    let any_leap_year = year.is_none() && (month, day) == (2, 29);
    let mut of = year.unwrap_or(if any_leap_year { 1904 } else { 1900 });
    let day_of_year = groups.number('j');
    let start = date::checked(of, 1, 1)?;
    match day_of_year {
        Some(number) => {
            let shifted = i128::from(number - 1) * super::MICROSECONDS_PER_DAY;
            let found = super::shifted(start.at(0, 0, 0, 0), shifted)?;
            (of, month, day) = (found.year().into(), found.month().into(), found.day().into());
        }
        None => drop(date::checked(of, month, day)?),
    }
    Ok(Reading {
        date: [if any_leap_year { 1900 } else { of }, month, day],
        time: [hour, groups.number('M').unwrap_or(0), groups.number('S').unwrap_or(0)],
        microsecond: fraction.unwrap_or(0),
        offset,
    })
}
