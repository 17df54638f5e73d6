//! `datetime.time`.

use jiff::civil;

use super::arguments::{Parameters, check_fold, none, number};
use super::timedelta::delta;
use super::timezone::{Zone, zone_argument};
use super::{decide, format, invalid_iso, parse};
use crate::python::args::Args;
use crate::python::builtins::convert;
use crate::python::exception::{PyResult, type_error, value_error};
use crate::python::hash::hash_bytes;
use crate::python::object::Object;
use crate::python::string::Str;
use crate::python::types::{BuiltinType, OBJECT};
use crate::python::value::{Builtin, Method, Value};
use crate::python::vm::{CompareOp, Vm};

/// `datetime.time`
pub static TIME: BuiltinType = BuiltinType {
    construct: Some(construct),
    methods: &[
        Method {
            name: "dst",
            call: |_, _, args| {
                none(args, "time.dst")?;
                Ok(Value::None)
            },
        },
        Method {
            name: "isoformat",
            call: |_, this, args| {
                let [timespec] = args.bind("isoformat", ["timespec"], 0)?;
                let timespec = self::timespec(timespec, 1)?;
                let time = receiver(this)?;
                Ok(Value::str(format::time(time.time, &timespec)? + &time.offset()))
            },
        },
        Method { name: "replace", call: replace },
        Method {
            name: "strftime",
            call: |vm, this, args| {
                let pattern = format::pattern(vm, args)?;
                let time = receiver(this)?;
                let at = civil::date(1900, 1, 1).to_datetime(time.time);
                Ok(Value::str(format::strftime(&at, time.zone.as_ref(), &pattern)?))
            },
        },
        Method {
            name: "tzname",
            call: |_, this, args| {
                none(args, "time.tzname")?;
                Ok(receiver(this)?.zone.as_ref().map_or(Value::None, |zone| Value::str(zone.text())))
            },
        },
        Method {
            name: "utcoffset",
            call: |_, this, args| {
                none(args, "time.utcoffset")?;
                receiver(this)?.zone.as_ref().map_or(Ok(Value::None), |zone| delta(zone.microseconds()))
            },
        },
    ],
    statics: &[Builtin {
        name: "fromisoformat",
        call: |vm, args| {
            let [text] = args.exactly("time.fromisoformat")?;
            let parsed = convert::text(&text, "")
                .map_err(|_| crate::python::exception::type_error("fromisoformat: argument must be str"))
                .map(|text| parse::time(text.strip_prefix('T').unwrap_or(text)))?;
            match parsed {
                Some((time, zone)) => Ok(Value::object(TimeOfDay { time, zone, fold: 0 })),
                None => Err(invalid_iso(vm, &text)?),
            }
        },
    }],
    ..BuiltinType::new("time", "datetime", &OBJECT)
};

/// A `time`.
pub(super) struct TimeOfDay {
    pub(super) time: civil::Time,
    pub(super) zone: Option<Zone>,
    /// As of [`super::moment::Moment`].
    pub(super) fold: u8,
}

/// A time without a zone.
pub(super) fn naive(time: civil::Time) -> Value {
    Value::object(TimeOfDay { time, zone: None, fold: 0 })
}

pub(super) fn receiver(this: &Value) -> PyResult<&TimeOfDay> {
    this.downcast::<TimeOfDay>().ok_or_else(|| crate::python::methods::wrong_receiver("datetime.time", this))
}

impl TimeOfDay {
    /// Microseconds since midnight in UTC, which may be of the day before or after.
    fn universal(&self) -> i128 {
        let local = self.time.duration_since(civil::Time::midnight()).as_micros();
        local - self.zone.as_ref().map_or(0, Zone::microseconds)
    }

    fn offset(&self) -> String {
        self.zone.as_ref().map(|zone| zone.offset_text(":")).unwrap_or_default()
    }
}

/// A time of numbers, checked as CPython checks them.
pub(super) fn checked(hour: i64, minute: i64, second: i64, microsecond: i64) -> PyResult<civil::Time> {
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

const NAMES: [&str; 6] = ["hour", "minute", "second", "microsecond", "tzinfo", "fold"];

fn construct(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let parameters = Parameters { function: None, names: NAMES, required: 0, positional: 5 };
    let [hour, minute, second, microsecond, zone, fold] = parameters.bind(vm, args)?;
    let time = checked(number(hour, 0), number(minute, 0), number(second, 0), number(microsecond, 0))?;
    let fold = check_fold(fold, 0)?;
    Ok(Value::object(TimeOfDay { time, zone: zone_argument(zone)?, fold }))
}

fn replace(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let TimeOfDay { time, zone: own_zone, fold: own_fold } = receiver(this)?;
    let parameters = Parameters { function: Some("replace"), names: NAMES, required: 0, positional: 5 };
    let [hour, minute, second, microsecond, zone, fold] = parameters.bind(vm, args)?;
    let (hour, minute) = (number(hour, i64::from(time.hour())), number(minute, i64::from(time.minute())));
    let second = number(second, i64::from(time.second()));
    let microsecond = number(microsecond, i64::from(format::microsecond(*time)));
    let time = checked(hour, minute, second, microsecond)?;
    let fold = check_fold(fold, *own_fold)?;
    let zone = match zone {
        None => own_zone.clone(),
        given => zone_argument(given)?,
    };
    Ok(Value::object(TimeOfDay { time, zone, fold }))
}

/// The `timespec` argument of `isoformat`, at this place of its arguments.
///
/// # Errors
/// `TypeError` where it is no text.
pub(super) fn timespec(value: Option<Value>, place: usize) -> PyResult<Str> {
    match value {
        None => Ok(Str::from("auto")),
        Some(Value::Str(text)) => Ok(text),
        Some(other) => {
            let given = other.argument_class();
            Err(type_error(format!("isoformat() argument {place} must be str, not {}", given.as_str())))
        }
    }
}

/// The bytes that CPython holds a time in, which it hashes.
pub(super) fn packed(time: civil::Time) -> [u8; 6] {
    let [_, high, middle, low] = format::microsecond(time).to_be_bytes();
    let byte = i8::cast_unsigned;
    [byte(time.hour()), byte(time.minute()), byte(time.second()), high, middle, low]
}

/// `, 12, 30`, and the seconds and microseconds where there are any: the tail of a `repr`.
pub(super) fn repr_parts(time: civil::Time) -> String {
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

/// `, fold=1` of a `repr`.
pub(super) fn fold_part(fold: u8) -> &'static str {
    if fold == 0 { "" } else { ", fold=1" }
}

/// `hour`, `minute`, `second`, `microsecond`, `tzinfo`, `fold`
pub(super) fn attribute(time: civil::Time, zone: Option<&Zone>, fold: u8, name: &str) -> Option<Value> {
    Some(match name {
        "hour" => Value::Int(i64::from(time.hour())),
        "minute" => Value::Int(i64::from(time.minute())),
        "second" => Value::Int(i64::from(time.second())),
        "microsecond" => Value::Int(i64::from(format::microsecond(time))),
        "tzinfo" => zone.map_or(Value::None, |zone| Value::object(zone.clone())),
        "fold" => Value::Int(i64::from(fold)),
        _ => return None,
    })
}

impl Object for TimeOfDay {
    fn class(&self) -> &'static BuiltinType {
        &TIME
    }

    fn get_attr(&self, _: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        Ok(attribute(self.time, self.zone.as_ref(), self.fold, name))
    }

    fn repr(&self, vm: &mut Vm, _: &Value) -> PyResult<String> {
        let zone = match &self.zone {
            Some(zone) => format!(", tzinfo={}", vm.repr(&Value::object(zone.clone()))?),
            None => String::new(),
        };
        Ok(format!("datetime.time({}{zone}{})", repr_parts(self.time), fold_part(self.fold)))
    }

    fn str(&self, _: &mut Vm, _: &Value) -> PyResult<String> {
        Ok(format::time(self.time, "auto")? + &self.offset())
    }

    fn format(&self, vm: &mut Vm, this: &Value, spec: &str) -> Option<PyResult<String>> {
        if spec.is_empty() {
            return Some(self.str(vm, this));
        }
        let at = civil::date(1900, 1, 1).to_datetime(self.time);
        Some(format::pay(vm, spec).and_then(|()| format::strftime(&at, self.zone.as_ref(), spec)))
    }

    fn compare(&self, _: &mut Vm, op: CompareOp, other: &Value) -> Option<PyResult<Value>> {
        let other = other.downcast::<Self>()?;
        Some(match (&self.zone, &other.zone) {
            (None, None) => Ok(decide(op, self.time.cmp(&other.time))),
            (Some(_), Some(_)) => Ok(decide(op, self.universal().cmp(&other.universal()))),
            _ if op == CompareOp::Eq => Ok(Value::Bool(false)),
            _ if op == CompareOp::Ne => Ok(Value::Bool(true)),
            _ => Err(type_error("can't compare offset-naive and offset-aware times")),
        })
    }

    fn equals_key(&self, other: &Value) -> bool {
        other
            .downcast::<Self>()
            .is_some_and(|other| self.zone.is_some() == other.zone.is_some() && self.universal() == other.universal())
    }

    fn hash(&self, vm: &mut Vm) -> Option<PyResult<i64>> {
        Some(match self.zone {
            None => Ok(hash_bytes(&packed(self.time))),
            Some(_) => super::timedelta::hash(vm, self.universal()),
        })
    }
}
