//! The calendar beyond the years that dates can have: which year a number of seconds since 1970 is in.

use crate::exception::{OS_ERROR, PyResult, Raised, overflow_error, raise_with, value_error};
use crate::value::Value;

const SECONDS_PER_DAY: i64 = 86_400;
/// The seconds at which the year does not fit glibc's `struct tm` any more.
const FIRST_OF_TM: i64 = -67_768_040_609_740_800;
const LAST_OF_TM: i64 = 67_768_036_191_676_799;

/// Checks that a number of seconds since 1970 is in the years 1 to 9999, as CPython does with what `gmtime` gives.
///
/// # Errors
/// `ValueError: year 10000 is out of range`, `OSError` where the year does not fit C's `int`.
pub(super) fn check_seconds(seconds: i64) -> PyResult<()> {
    if !(FIRST_OF_TM..=LAST_OF_TM).contains(&seconds) {
        return Err(raise_with(&OS_ERROR, vec![Value::Int(75), Value::str("Value too large for defined data type")]));
    }
    let year = year_of(seconds.div_euclid(SECONDS_PER_DAY));
    if (1..=9999).contains(&year) { Ok(()) } else { Err(value_error(format!("year {year} is out of range"))) }
}

/// The Gregorian year that a day is in, counted from 1970-01-01.
fn year_of(day: i64) -> i64 {
    // Eras of 400 years that begin on 1 March of the year 0: Howard Hinnant's `civil_from_days`.
    let day = day + 719_468;
    let (era, day) = (day.div_euclid(146_097), day.rem_euclid(146_097));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day_of_year = day - (365 * year + year / 4 - year / 100);
    // From 306 on it is January or February of the next year.
    era * 400 + year + i64::from(day_of_year >= 306)
}

/// The error of a number of seconds that does not fit C's `time_t`.
pub(super) fn no_time_t() -> Raised {
    overflow_error("timestamp out of range for platform time_t")
}
