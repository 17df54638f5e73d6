//! `datetime.datetime`.

use jiff::civil;

use super::arguments::{Parameters, none, number};
use super::date::{Date, checked as checked_date};
use super::timedelta::{Delta, delta};
use super::timezone::{Zone, zone_argument};
use super::{DATE, EPOCH, between, calendar, format, invalid_iso, now, parse, shifted};
use crate::args::Args;
use crate::builtins::convert;
use crate::exception::{PyResult, type_error, value_error};
use crate::hash::hash_bytes;
use crate::object::Object;
use crate::string::Str;
use crate::types::BuiltinType;
use crate::value::{Builtin, Method, Value};
use crate::vm::{CompareOp, Vm};

/// `datetime.datetime`, a subclass of `date`
pub static DATETIME: BuiltinType = BuiltinType {
    construct: Some(construct),
    methods: &[
        Method { name: "astimezone", call: astimezone },
        Method {
            name: "date",
            call: |_, this, args| {
                none(args, "datetime.date")?;
                Ok(Value::object(Date(receiver(this)?.local.date())))
            },
        },
        Method { name: "isoformat", call: isoformat },
        Method { name: "replace", call: replace },
        Method {
            name: "strftime",
            call: |vm, this, args| {
                let pattern = format::pattern(vm, args)?;
                let moment = receiver(this)?;
                Ok(Value::str(format::strftime(&moment.local, moment.zone.as_ref(), &pattern)?))
            },
        },
        Method { name: "timestamp", call: timestamp },
    ],
    statics: &[
        Builtin {
            pure: false,
            owner: "datetime",
            name: "fromisoformat",
            call: |vm, args| {
                let [text] = args.exactly("datetime.fromisoformat")?;
                let parsed = convert::text(&text, "")
                    .map_err(|_| type_error("fromisoformat: argument must be str"))
                    .map(|text| parse::date_time(text))?;
                match parsed {
                    Some((local, zone)) => Ok(Value::object(DateTime { local, zone })),
                    None => Err(invalid_iso(vm, &text)?),
                }
            },
        },
        Builtin {
            pure: false,
            owner: "datetime",
            name: "fromtimestamp",
            call: |vm, args| {
                let [seconds, zone] = args.bind("fromtimestamp", ["timestamp", "tz"], 1)?;
                let zone = zone_argument(zone)?;
                let at = from_timestamp(vm, &seconds.unwrap_or_default())?;
                in_zone(at, zone)
            },
        },
        Builtin {
            pure: false,
            owner: "datetime",
            name: "now",
            call: |vm, args| {
                let [zone] = args.bind("now", ["tz"], 0)?;
                let zone = zone_argument(zone)?;
                let at = now(vm)?;
                in_zone(at, zone)
            },
        },
        Builtin {
            pure: false,
            owner: "datetime",
            name: "today",
            call: |vm, args| {
                let [] = args.exactly("datetime.today")?;
                Ok(Value::object(DateTime { local: now(vm)?, zone: None }))
            },
        },
        Builtin {
            pure: false,
            owner: "datetime",
            name: "utcnow",
            call: |vm, args| {
                let [] = args.exactly("datetime.utcnow")?;
                Ok(Value::object(DateTime { local: now(vm)?, zone: None }))
            },
        },
    ],
    constant: super::constants_of_datetime,
    ..BuiltinType::new("datetime", "datetime", &DATE).static_in_c()
};

/// A `datetime`: the local reading, and the zone if it has one. Local time without a zone is UTC.
pub(super) struct DateTime {
    pub(super) local: civil::DateTime,
    pub(super) zone: Option<Zone>,
}

fn receiver(this: &Value) -> PyResult<&DateTime> {
    this.downcast::<DateTime>().ok_or_else(|| crate::methods::wrong_receiver("datetime.datetime", this))
}

impl DateTime {
    /// Microseconds since 1970 in UTC, which may be of a year that no date can have.
    fn instant(&self) -> i128 {
        between(EPOCH, self.local) - self.zone.as_ref().map_or(0, Zone::microseconds)
    }

    fn universal(&self) -> PyResult<civil::DateTime> {
        match &self.zone {
            Some(zone) => shifted(self.local, -zone.microseconds()),
            None => Ok(self.local),
        }
    }

    fn text(&self, separator: char, timespec: &str) -> PyResult<String> {
        let zone = self.zone.as_ref().map(|zone| zone.offset_text(":")).unwrap_or_default();
        Ok(format!(
            "{}{separator}{}{zone}",
            format::date(self.local.date()),
            format::time(self.local.time(), timespec)?
        ))
    }
}

/// A reading of UTC, in a zone where one is given.
fn in_zone(universal: civil::DateTime, zone: Option<Zone>) -> PyResult<Value> {
    let local = match &zone {
        Some(zone) => shifted(universal, zone.microseconds())?,
        None => universal,
    };
    Ok(Value::object(DateTime { local, zone }))
}

/// The reading of UTC at a number of seconds since 1970, rounded to microseconds, half to even.
pub(in crate::modules) fn from_timestamp(vm: &mut Vm, seconds: &Value) -> PyResult<civil::DateTime> {
    let (seconds, microseconds) = match seconds {
        Value::Float(seconds) => {
            let floor = whole(seconds.floor())?;
            #[expect(clippy::cast_possible_truncation, reason = "a million at most")]
            let rest = ((seconds - seconds.floor()) * 1e6).round_ties_even() as i64;
            (floor + rest.div_euclid(1_000_000), rest.rem_euclid(1_000_000))
        }
        other => (c_long(vm, other)?, 0),
    };
    at_seconds(seconds, microseconds)
}

/// The reading of UTC at a number of seconds since 1970, of which the fraction is dropped.
pub(super) fn from_whole_seconds(vm: &mut Vm, seconds: &Value) -> PyResult<civil::DateTime> {
    let seconds = match seconds {
        Value::Float(seconds) => whole(seconds.floor())?,
        other => c_long(vm, other)?,
    };
    at_seconds(seconds, 0)
}

fn at_seconds(seconds: i64, microseconds: i64) -> PyResult<civil::DateTime> {
    calendar::check_seconds(seconds)?;
    shifted(EPOCH, i128::from(seconds) * 1_000_000 + i128::from(microseconds))
}

/// A float of whole seconds as C's `time_t`.
fn whole(seconds: f64) -> PyResult<i64> {
    if seconds.is_nan() {
        return Err(value_error("Invalid value NaN (not a number)"));
    }
    // 2**63 itself is too large, its negative is not.
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    if !(-LIMIT..LIMIT).contains(&seconds) {
        return Err(calendar::no_time_t());
    }
    #[expect(clippy::cast_possible_truncation, reason = "checked just before")]
    let whole = seconds as i64;
    Ok(whole)
}

fn c_long(vm: &mut Vm, seconds: &Value) -> PyResult<i64> {
    match convert::index(vm, seconds)? {
        Value::Int(seconds) => Ok(seconds),
        _ => Err(calendar::no_time_t()),
    }
}

/// `datetime.timestamp()`
fn timestamp(_: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    none(args, "datetime.timestamp")?;
    let moment = receiver(this)?;
    // CPython looks at the local time a day earlier, for a change of the clock in between.
    if moment.zone.is_none() && moment.local < civil::date(1, 1, 2).at(0, 0, 0, 0) {
        return Err(value_error("year 0 is out of range"));
    }
    let instant = moment.instant();
    // Without a zone the seconds and the rest are added as floats.
    let (whole, rest) = match moment.zone {
        None => (instant.div_euclid(1_000_000), instant.rem_euclid(1_000_000)),
        Some(_) => (0, instant),
    };
    #[expect(clippy::cast_precision_loss, reason = "as CPython computes it, in floats")]
    let seconds = whole as f64 + rest as f64 / 1e6;
    Ok(Value::Float(seconds))
}

/// A time of numbers, checked as CPython checks them.
fn checked_time(hour: i64, minute: i64, second: i64, microsecond: i64) -> PyResult<civil::Time> {
    let parts =
        [(hour, 23, "hour"), (minute, 59, "minute"), (second, 59, "second"), (microsecond, 999_999, "microsecond")];
    for (number, highest, name) in parts {
        if !(0..=highest).contains(&number) {
            return Err(value_error(format!("{name} must be in 0..{highest}")));
        }
    }
    let small = |number: i64| i8::try_from(number).unwrap_or_default();
    let nanosecond = i32::try_from(microsecond * 1000).unwrap_or_default();
    civil::Time::new(small(hour), small(minute), small(second), nanosecond).map_err(|e| value_error(e.to_string()))
}

/// The bytes that CPython holds a time in, which it hashes.
fn packed(time: civil::Time) -> [u8; 6] {
    let [_, high, middle, low] = format::microsecond(time).to_be_bytes();
    let byte = i8::cast_unsigned;
    [byte(time.hour()), byte(time.minute()), byte(time.second()), high, middle, low]
}

/// `12, 30`, and the seconds and microseconds where there are any: the tail of a `repr`.
fn repr_parts(time: civil::Time) -> String {
    let mut text = format!("{}, {}", time.hour(), time.minute());
    let micro = format::microsecond(time);
    if time.second() != 0 || micro != 0 {
        text.push_str(&format!(", {}", time.second()));
    }
    if micro != 0 {
        text.push_str(&format!(", {micro}"));
    }
    text
}

const NAMES: [&str; 8] = ["year", "month", "day", "hour", "minute", "second", "microsecond", "tzinfo"];

fn construct(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let parameters = Parameters { function: None, names: NAMES, required: 3, positional: 8 };
    let [year, month, day, hour, minute, second, microsecond, zone] = parameters.bind(vm, args)?;
    let date = checked_date(number(year, 0), number(month, 0), number(day, 0))?;
    let time = checked_time(number(hour, 0), number(minute, 0), number(second, 0), number(microsecond, 0))?;
    let zone = zone_argument(zone)?;
    Ok(Value::object(DateTime { local: date.to_datetime(time), zone }))
}

fn replace(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let moment = receiver(this)?;
    let parameters = Parameters { function: Some("replace"), names: NAMES, required: 0, positional: 8 };
    let [year, month, day, hour, minute, second, microsecond, zone] = parameters.bind(vm, args)?;
    let (date, time) = (moment.local.date(), moment.local.time());
    let year = number(year, i64::from(date.year()));
    let month = number(month, i64::from(date.month()));
    let day = number(day, i64::from(date.day()));
    let hour = number(hour, i64::from(time.hour()));
    let minute = number(minute, i64::from(time.minute()));
    let second = number(second, i64::from(time.second()));
    let microsecond = number(microsecond, i64::from(format::microsecond(time)));
    let date = checked_date(year, month, day)?;
    let time = checked_time(hour, minute, second, microsecond)?;
    let zone = match zone {
        None => moment.zone.clone(),
        given => zone_argument(given)?,
    };
    Ok(Value::object(DateTime { local: date.to_datetime(time), zone }))
}

fn astimezone(_: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [zone] = args.bind("astimezone", ["tz"], 0)?;
    let moment = receiver(this)?;
    let Some(zone) = zone_argument(zone)? else { return in_zone(moment.universal()?, Some(Zone::local())) };
    if moment.zone.as_ref() == Some(&zone) {
        return Ok(this.clone());
    }
    in_zone(moment.universal()?, Some(zone))
}

fn isoformat(_: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [separator, timespec] = args.bind("isoformat", ["sep", "timespec"], 0)?;
    let separator = match separator {
        None => 'T',
        Some(value) => {
            let characters = value.as_str().map(|text| (text.chars().next(), text.chars().nth(1)));
            match characters {
                Some((Some(separator), None)) => separator,
                _ => {
                    return Err(type_error(format!(
                        "isoformat() argument 1 must be a unicode character, not {}",
                        value.argument_class().as_str()
                    )));
                }
            }
        }
    };
    let timespec = match timespec {
        None => Str::from("auto"),
        Some(Value::Str(text)) => text,
        Some(other) => {
            let given = other.argument_class();
            return Err(type_error(format!("isoformat() argument 2 must be str, not {}", given.as_str())));
        }
    };
    Ok(Value::str(receiver(this)?.text(separator, &timespec)?))
}

fn mixed() -> &'static str {
    "offset-naive and offset-aware datetimes"
}

impl Object for DateTime {
    fn class(&self) -> &'static BuiltinType {
        &DATETIME
    }

    fn get_attr(&self, _: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        let number = match name {
            "year" => i64::from(self.local.year()),
            "month" => i64::from(self.local.month()),
            "day" => i64::from(self.local.day()),
            "hour" => i64::from(self.local.hour()),
            "minute" => i64::from(self.local.minute()),
            "second" => i64::from(self.local.second()),
            "microsecond" => i64::from(format::microsecond(self.local.time())),
            "tzinfo" => return Ok(Some(self.zone.clone().map_or(Value::None, Value::object))),
            _ => return Ok(None),
        };
        Ok(Some(Value::Int(number)))
    }

    fn repr(&self, vm: &mut Vm, _: &Value) -> PyResult<String> {
        let date = self.local.date();
        let zone = match &self.zone {
            Some(zone) => format!(", tzinfo={}", vm.repr(&Value::object(zone.clone()))?),
            None => String::new(),
        };
        let time = repr_parts(self.local.time());
        Ok(format!("datetime.datetime({}, {}, {}, {time}{zone})", date.year(), date.month(), date.day()))
    }

    fn str(&self, _: &mut Vm, _: &Value) -> PyResult<String> {
        self.text(' ', "auto")
    }

    fn format(&self, vm: &mut Vm, _: &Value, spec: &str) -> Option<PyResult<String>> {
        Some(if spec.is_empty() {
            self.text(' ', "auto")
        } else {
            format::pay(vm, spec).and_then(|()| format::strftime(&self.local, self.zone.as_ref(), spec))
        })
    }

    fn compare(&self, _: &mut Vm, op: CompareOp, other: &Value) -> Option<PyResult<Value>> {
        let Some(other) = other.downcast::<Self>() else {
            let ordering = !matches!(op, CompareOp::Eq | CompareOp::Ne);
            return (ordering && other.downcast::<Date>().is_some())
                .then(|| Err(type_error("can't compare datetime.datetime to datetime.date")));
        };
        if self.zone.is_some() != other.zone.is_some() {
            return Some(match op {
                CompareOp::Eq => Ok(Value::Bool(false)),
                CompareOp::Ne => Ok(Value::Bool(true)),
                _ => Err(type_error(format!("can't compare {}", mixed()))),
            });
        }
        Some(Ok(Value::Bool(op.holds(self.instant().cmp(&other.instant())))))
    }

    fn equals_key(&self, other: &Value) -> bool {
        other
            .downcast::<Self>()
            .is_some_and(|other| self.zone.is_some() == other.zone.is_some() && self.instant() == other.instant())
    }

    fn hash(&self, vm: &mut Vm) -> Option<PyResult<i64>> {
        if self.zone.is_none() {
            let [a, b, c, d] = super::date::packed(self.local.date());
            let [e, f, g, h, i, j] = packed(self.local.time());
            return Some(Ok(hash_bytes(&[a, b, c, d, e, f, g, h, i, j])));
        }
        let epoch = i128::from(super::date::ordinal(EPOCH.date())) * super::MICROSECONDS_PER_DAY;
        Some(super::timedelta::hash(vm, epoch + self.instant()))
    }

    fn binary(&self, _: &mut Vm, method: &str, other: &Value) -> Option<PyResult<Value>> {
        if let ("sub", Some(other)) = (method, other.downcast::<Self>()) {
            if self.zone.is_some() != other.zone.is_some() {
                return Some(Err(type_error(format!("can't subtract {}", mixed()))));
            }
            return Some(delta(self.instant() - other.instant()));
        }
        let Delta(microseconds) = other.downcast::<Delta>()?;
        let by = match method {
            "add" | "radd" => *microseconds,
            "sub" => -microseconds,
            _ => return None,
        };
        let zone = self.zone.clone();
        Some(shifted(self.local, by).map(|local| Value::object(Self { local, zone })))
    }
}
