//! `datetime.datetime`.

use jiff::civil;

use super::date::{Date, checked as checked_date, from_iso_calendar, from_ordinal, number};
use super::time_of_day::{self, TimeOfDay, checked as checked_time};
use super::timedelta::{Delta, delta};
use super::timezone::{self, Zone, zone_argument};
use super::{DATE, EPOCH, between, decide, format, invalid_iso, now, parse, shifted, strptime};
use crate::python::args::Args;
use crate::python::builtins::convert;
use crate::python::exception::{PyResult, type_error};
use crate::python::modules::signature::Signature;
use crate::python::object::Object;
use crate::python::types::BuiltinType;
use crate::python::value::{Builtin, Method, Value};
use crate::python::vm::{CompareOp, Vm};

/// `datetime.datetime`, a subclass of `date`
pub static DATETIME: BuiltinType = BuiltinType {
    construct: Some(construct),
    methods: &[
        Method { name: "astimezone", call: astimezone },
        Method { name: "date", call: |_, this, _| Ok(Value::object(Date(receiver(this)?.local.date()))) },
        Method { name: "isoformat", call: isoformat },
        Method { name: "replace", call: replace },
        Method {
            name: "strftime",
            call: |vm, this, args| {
                let [pattern] = args.exactly("datetime.strftime")?;
                let pattern = convert::text(&pattern, "strftime() argument 1 must be str, not ")?.clone();
                format::pay(vm, &pattern)?;
                let moment = receiver(this)?;
                Ok(Value::str(format::strftime(&moment.local, moment.zone.as_ref(), &pattern)?))
            },
        },
        Method {
            name: "time",
            call: |_, this, _| Ok(Value::object(TimeOfDay { time: receiver(this)?.local.time(), zone: None })),
        },
        Method {
            name: "timestamp",
            call: |_, this, _| {
                #[expect(clippy::cast_precision_loss, reason = "as CPython computes it, in floats")]
                let seconds = between(EPOCH, receiver(this)?.universal()?) as f64 / 1e6;
                Ok(Value::Float(seconds))
            },
        },
        Method { name: "dst", call: |_, _, _| Ok(Value::None) },
        Method {
            name: "timetz",
            call: |_, this, _| {
                let moment = receiver(this)?;
                Ok(Value::object(TimeOfDay { time: moment.local.time(), zone: moment.zone.clone() }))
            },
        },
        Method {
            name: "utctimetuple",
            call: |_, this, _| {
                let moment = receiver(this)?;
                Ok(super::super::time::struct_time::of_date_time(&moment.universal()?, 0, None))
            },
        },
        Method {
            name: "tzname",
            call: |_, this, _| Ok(receiver(this)?.zone.as_ref().map_or(Value::None, |zone| Value::str(zone.text()))),
        },
        Method {
            name: "utcoffset",
            call: |_, this, _| match &receiver(this)?.zone {
                Some(zone) => delta(zone.microseconds()),
                None => Ok(Value::None),
            },
        },
    ],
    statics: &[
        Builtin { name: "combine", call: combine },
        Builtin {
            name: "fromisoformat",
            call: |vm, args| {
                let [text] = args.exactly("datetime.fromisoformat")?;
                let parsed = convert::text(&text, "")
                    .map_err(|_| type_error("fromisoformat: argument must be str"))
                    .map(|text| parse::date_time(text))?;
                match parsed {
                    Some((local, zone)) => Ok(Value::object(Moment { local, zone })),
                    None => Err(invalid_iso(vm, &text)?),
                }
            },
        },
        Builtin {
            name: "fromisocalendar",
            call: |vm, args| {
                let local = from_iso_calendar(vm, args)?.at(0, 0, 0, 0);
                Ok(Value::object(Moment { local, zone: None }))
            },
        },
        Builtin {
            name: "fromordinal",
            call: |vm, args| Ok(Value::object(Moment { local: from_ordinal(vm, args)?.at(0, 0, 0, 0), zone: None })),
        },
        Builtin {
            name: "fromtimestamp",
            call: |vm, args| {
                let [seconds, zone] = args.bind("fromtimestamp", ["timestamp", "tz"], 1)?;
                let zone = zone_argument(zone)?;
                let at = from_timestamp(vm, &seconds.unwrap_or_default())?;
                in_zone(at, zone)
            },
        },
        Builtin {
            name: "now",
            call: |vm, args| {
                let [zone] = args.bind("now", ["tz"], 0)?;
                let zone = zone_argument(zone)?;
                let at = now(vm)?;
                in_zone(at, zone)
            },
        },
        Builtin {
            name: "strptime",
            call: |vm, args| {
                let [text, pattern] = args.between("strptime", 2)?.map(Option::unwrap_or_default);
                let text = convert::text(&text, "strptime() argument 1 must be str, not ")?;
                let pattern = convert::text(&pattern, "strptime() argument 2 must be str, not ")?;
                let read = strptime::strptime(vm, text, pattern)?;
                let ([year, month, day], [hour, minute, second]) = (read.date, read.time);
                let date = checked_date(year, month, day)?;
                let local = date.to_datetime(checked_time(hour, minute, second, read.microsecond)?);
                let zone = read.offset.map(|offset| timezone::checked(vm, offset.into())).transpose()?;
                Ok(Value::object(Moment { local, zone }))
            },
        },
        Builtin {
            name: "today",
            call: |vm, args| {
                let [] = args.exactly("datetime.today")?;
                Ok(Value::object(Moment { local: now(vm)?, zone: None }))
            },
        },
        Builtin {
            name: "utcfromtimestamp",
            call: |vm, args| {
                if args.pos.is_empty() && args.kw.is_empty() {
                    return Err(type_error("utcfromtimestamp() takes exactly 1 argument (0 given)"));
                }
                let [seconds] = args.exactly("utcfromtimestamp")?;
                Ok(Value::object(Moment { local: from_timestamp(vm, &seconds)?, zone: None }))
            },
        },
        Builtin {
            name: "utcnow",
            call: |vm, args| {
                let [] = args.exactly("datetime.utcnow")?;
                Ok(Value::object(Moment { local: now(vm)?, zone: None }))
            },
        },
    ],
    ..BuiltinType::new("datetime", "datetime", &DATE)
};

/// A `datetime`: the local reading, and the zone if it has one. Local time without a zone is UTC.
pub(super) struct Moment {
    pub(super) local: civil::DateTime,
    pub(super) zone: Option<Zone>,
}

fn receiver(this: &Value) -> PyResult<&Moment> {
    this.downcast::<Moment>().ok_or_else(|| crate::python::methods::wrong_receiver("datetime.datetime", this))
}

impl Moment {
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
    Ok(Value::object(Moment { local, zone }))
}

/// The reading of UTC at a number of seconds since 1970, rounded to microseconds, half to even.
pub(in crate::python::modules) fn from_timestamp(vm: &mut Vm, seconds: &Value) -> PyResult<civil::DateTime> {
    let microseconds = match seconds {
        Value::Int(seconds) => i128::from(*seconds) * 1_000_000,
        other => {
            let seconds = convert::real(vm, other)?;
            let whole = convert::float_to_int(seconds.floor())?;
            let whole = convert::index_i64(vm, &whole)?;
            #[expect(clippy::cast_possible_truncation, reason = "less than a million and one")]
            let rest = ((seconds - seconds.floor()) * 1e6).round_ties_even() as i128;
            i128::from(whole) * 1_000_000 + rest
        }
    };
    shifted(EPOCH, microseconds)
}

fn construct(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let names = ["year", "month", "day", "hour", "minute", "second", "microsecond", "tzinfo", "fold"];
    for value in args.pos.iter().take(7) {
        // CPython's parser of arguments looks at each before it misses the next.
        number(vm, Some(value.clone()), 0)?;
    }
    let [year, month, day, hour, minute, second, microsecond, zone, _fold] = args.bind("function", names, 3)?;
    let (year, month, day) = (number(vm, year, 0)?, number(vm, month, 0)?, number(vm, day, 0)?);
    let (hour, minute) = (number(vm, hour, 0)?, number(vm, minute, 0)?);
    let (second, microsecond) = (number(vm, second, 0)?, number(vm, microsecond, 0)?);
    let zone = zone_argument(zone)?;
    let local = checked_date(year, month, day)?.to_datetime(checked_time(hour, minute, second, microsecond)?);
    Ok(Value::object(Moment { local, zone }))
}

fn replace(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let moment = receiver(this)?;
    let names = ["year", "month", "day", "hour", "minute", "second", "microsecond", "tzinfo", "fold"];
    let [year, month, day, hour, minute, second, microsecond, zone, _fold] =
        Signature::function("replace", names, 0).bind(args)?;
    let (date, time) = (moment.local.date(), moment.local.time());
    let year = number(vm, year, i64::from(date.year()))?;
    let month = number(vm, month, i64::from(date.month()))?;
    let day = number(vm, day, i64::from(date.day()))?;
    let hour = number(vm, hour, i64::from(time.hour()))?;
    let minute = number(vm, minute, i64::from(time.minute()))?;
    let second = number(vm, second, i64::from(time.second()))?;
    let microsecond = number(vm, microsecond, i64::from(format::microsecond(time)))?;
    let zone = match zone {
        None => moment.zone.clone(),
        given => zone_argument(given)?,
    };
    let local = checked_date(year, month, day)?.to_datetime(checked_time(hour, minute, second, microsecond)?);
    Ok(Value::object(Moment { local, zone }))
}

fn astimezone(_: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [zone] = args.bind("astimezone", ["tz"], 0)?;
    let zone = zone_argument(zone)?.unwrap_or_else(|| Zone::of_seconds(0));
    in_zone(receiver(this)?.universal()?, Some(zone))
}

fn isoformat(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [separator, timespec] = Signature::function("isoformat", ["sep", "timespec"], 0).bind(args)?;
    let separator = vm.str(&separator.unwrap_or_else(|| Value::str("T")))?;
    let timespec = vm.str(&timespec.unwrap_or_else(|| Value::str("auto")))?;
    let mut characters = separator.chars();
    match (characters.next(), characters.next()) {
        (Some(separator), None) => Ok(Value::str(receiver(this)?.text(separator, &timespec)?)),
        _ => Err(type_error("isoformat() argument 1 must be a unicode character, not str")),
    }
}

fn combine(_: &mut Vm, args: Args) -> PyResult<Value> {
    let [date, time, zone] = args.bind("combine", ["date", "time", "tzinfo"], 2)?;
    let (date, time) = (date.unwrap_or_default(), time.unwrap_or_default());
    let date = super::date::local(&date)?.date();
    let Some(time) = time.downcast::<TimeOfDay>() else {
        return Err(type_error(format!(
            "combine() argument 2 must be datetime.time, not {}",
            time.type_name().as_str()
        )));
    };
    let zone = match zone {
        None => time.zone.clone(),
        given => zone_argument(given)?,
    };
    Ok(Value::object(Moment { local: date.to_datetime(time.time), zone }))
}

fn mixed() -> &'static str {
    "offset-naive and offset-aware datetimes"
}

impl Object for Moment {
    fn class(&self) -> &'static BuiltinType {
        &DATETIME
    }

    fn get_attr(&self, _: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        let number = match name {
            "year" => i64::from(self.local.year()),
            "month" => i64::from(self.local.month()),
            "day" => i64::from(self.local.day()),
            other => return Ok(time_of_day::attribute(self.local.time(), self.zone.as_ref(), other)),
        };
        Ok(Some(Value::Int(number)))
    }

    fn repr(&self, vm: &mut Vm, _: &Value) -> PyResult<String> {
        let date = self.local.date();
        let zone = match &self.zone {
            Some(zone) => format!(", tzinfo={}", vm.repr(&Value::object(zone.clone()))?),
            None => String::new(),
        };
        let time = time_of_day::repr_parts(self.local.time());
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
        Some((|| Ok(decide(op, self.universal()?.cmp(&other.universal()?))))())
    }

    fn equals_key(&self, other: &Value) -> bool {
        other.downcast::<Self>().is_some_and(|other| {
            self.zone.is_some() == other.zone.is_some()
                && matches!((self.universal(), other.universal()), (Ok(own), Ok(other)) if own == other)
        })
    }

    fn hash(&self, vm: &mut Vm) -> Option<PyResult<i64>> {
        Some((|| {
            let microseconds = between(EPOCH, self.universal()?);
            crate::python::hash::hash(vm, &Value::from_bigint(microseconds.into()))
        })())
    }

    fn binary(&self, _: &mut Vm, method: &str, other: &Value) -> Option<PyResult<Value>> {
        if let ("sub", Some(other)) = (method, other.downcast::<Self>()) {
            if self.zone.is_some() != other.zone.is_some() {
                return Some(Err(type_error(format!("can't subtract {}", mixed()))));
            }
            return Some((|| delta(between(other.universal()?, self.universal()?)))());
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
