//! Dates, times and durations in numbers, for a host that has such values of its own.

use super::date::Date;
use super::date_time::DateTime;
use super::timedelta::{Delta, delta};
use super::timezone::Zone;
use super::{EPOCH, between, shifted};
use crate::exception::PyResult;
use crate::string::Str;
use crate::value::Value;

/// A value of the module `datetime`, all of it.
#[derive(Clone, Debug, PartialEq)]
pub enum Exact {
    /// A `date`: the days since 1970.
    Date(i64),
    /// A `datetime`: the microseconds since 1970 of the local reading, and its zone.
    DateTime(i128, Option<ExactZone>),
    /// A `timedelta` in microseconds.
    Delta(i128),
    /// A `timezone`
    Zone(ExactZone),
}

/// The microseconds that a zone is east of UTC, and its name where it was given one.
pub type ExactZone = (i64, Option<String>);

const DAY: i128 = super::MICROSECONDS_PER_DAY;

impl Exact {
    /// The content of a value; `None` if it is of none of these classes.
    pub fn of(value: &Value) -> Option<Self> {
        if let Some(date) = value.downcast::<Date>() {
            let days = between(EPOCH, date.0.at(0, 0, 0, 0)).div_euclid(DAY);
            return Some(Self::Date(i64::try_from(days).unwrap_or_default()));
        }
        if let Some(moment) = value.downcast::<DateTime>() {
            return Some(Self::DateTime(between(EPOCH, moment.local), moment.zone.as_ref().map(Zone::exact)));
        }
        if let Some(delta) = value.downcast::<Delta>() {
            return Some(Self::Delta(delta.0));
        }
        value.downcast::<Zone>().map(|zone| Self::Zone(zone.exact()))
    }

    /// The value.
    ///
    /// # Errors
    /// `OverflowError` where it is outside of what the class can hold.
    pub fn into_value(self) -> PyResult<Value> {
        Ok(match self {
            Self::Date(days) => Value::object(Date(shifted(EPOCH, i128::from(days).saturating_mul(DAY))?.date())),
            Self::DateTime(microseconds, zone) => {
                Value::object(DateTime { local: shifted(EPOCH, microseconds)?, zone: zone.map(Zone::from_exact) })
            }
            Self::Delta(microseconds) => delta(microseconds)?,
            Self::Zone(zone) => Value::object(Zone::from_exact(zone)),
        })
    }
}

impl Zone {
    fn exact(&self) -> ExactZone {
        (self.offset, self.name.as_ref().map(|name| name.as_str().to_owned()))
    }

    fn from_exact((offset, name): ExactZone) -> Self {
        Self { offset, name: name.map(Str::from) }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn numbers_give_the_value_back() {
        let zone = || (3_600_000_001, Some("X".to_owned()));
        let values = [
            Exact::Date(-719_162),
            Exact::Date(2_932_896),
            Exact::DateTime(-62_135_596_800_000_000, None),
            Exact::DateTime(253_402_300_799_999_999, Some(zone())),
            Exact::Delta(-1),
            Exact::Delta(86_399_999_999_999_999_999),
            Exact::Zone((0, None)),
            Exact::Zone(zone()),
        ];
        for exact in values {
            assert_eq!(Exact::of(&exact.clone().into_value().unwrap()), Some(exact));
        }
        assert!(Exact::of(&Value::Int(1)).is_none());
        assert!(Exact::Date(2_932_897).into_value().is_err());
    }
}
