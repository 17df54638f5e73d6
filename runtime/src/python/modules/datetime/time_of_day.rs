//! `datetime.time`.

use jiff::civil;

use super::date::number;
use super::timezone::{Zone, zone_argument};
use super::{decide, format, invalid_iso, parse};
use crate::python::args::Args;
use crate::python::builtins::convert;
use crate::python::exception::{PyResult, type_error, value_error};
use crate::python::modules::signature::Signature;
use crate::python::object::Object;
use crate::python::types::{BuiltinType, OBJECT};
use crate::python::value::{Builtin, Method, Value};
use crate::python::vm::{CompareOp, Vm};

/// `datetime.time`
pub static TIME: BuiltinType = BuiltinType {
    construct: Some(construct),
    methods: &[
        Method {
            name: "isoformat",
            call: |vm, this, args| {
                let [timespec] = Signature::function("isoformat", ["timespec"], 0).bind(args)?;
                let timespec = vm.str(&timespec.unwrap_or_else(|| Value::str("auto")))?;
                let time = receiver(this)?;
                Ok(Value::str(format::time(time.time, &timespec)? + &time.offset()))
            },
        },
        Method { name: "dst", call: |_, _, _| Ok(Value::None) },
        Method { name: "replace", call: replace },
        Method {
            name: "tzname",
            call: |_, this, _| Ok(receiver(this)?.zone.as_ref().map_or(Value::None, |zone| Value::str(zone.text()))),
        },
        Method {
            name: "utcoffset",
            call: |_, this, _| match &receiver(this)?.zone {
                Some(zone) => super::timedelta::delta(zone.microseconds()),
                None => Ok(Value::None),
            },
        },
        Method {
            name: "strftime",
            call: |vm, this, args| {
                let [pattern] = args.exactly("time.strftime")?;
                let pattern = convert::text(&pattern, "strftime() argument 1 must be str, not ")?.clone();
                format::pay(vm, &pattern)?;
                let time = receiver(this)?;
                let at = civil::date(1900, 1, 1).to_datetime(time.time);
                Ok(Value::str(format::strftime(&at, time.zone.as_ref(), &pattern)?))
            },
        },
    ],
    statics: &[Builtin {
        name: "fromisoformat",
        call: |vm, args| {
            let [text] = args.exactly("time.fromisoformat")?;
            let parsed = convert::text(&text, "")
                .map_err(|_| type_error("fromisoformat: argument must be str"))
                .map(|text| parse::time(text.strip_prefix('T').unwrap_or(text)))?;
            match parsed {
                Some((time, zone)) => Ok(Value::object(TimeOfDay { time, zone })),
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
}

fn receiver(this: &Value) -> PyResult<&TimeOfDay> {
    this.downcast::<TimeOfDay>().ok_or_else(|| crate::python::methods::wrong_receiver("datetime.time", this))
}

impl TimeOfDay {
    /// Microseconds since midnight of UTC.
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

fn construct(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let names = ["hour", "minute", "second", "microsecond", "tzinfo", "fold"];
    let [hour, minute, second, microsecond, zone, _fold] = args.bind("function", names, 0)?;
    let (hour, minute) = (number(vm, hour, 0)?, number(vm, minute, 0)?);
    let (second, microsecond) = (number(vm, second, 0)?, number(vm, microsecond, 0)?);
    Ok(Value::object(TimeOfDay { time: checked(hour, minute, second, microsecond)?, zone: zone_argument(zone)? }))
}

/// `replace(hour=..., minute=..., second=..., microsecond=..., tzinfo=..., fold=...)`
fn replace(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let TimeOfDay { time, zone: own } = receiver(this)?;
    let names = ["hour", "minute", "second", "microsecond", "tzinfo", "fold"];
    let [hour, minute, second, microsecond, zone, _fold] = Signature::function("replace", names, 0).bind(args)?;
    let hour = number(vm, hour, i64::from(time.hour()))?;
    let minute = number(vm, minute, i64::from(time.minute()))?;
    let second = number(vm, second, i64::from(time.second()))?;
    let microsecond = number(vm, microsecond, i64::from(format::microsecond(*time)))?;
    let zone = match zone {
        None => own.clone(),
        given => zone_argument(given)?,
    };
    Ok(Value::object(TimeOfDay { time: checked(hour, minute, second, microsecond)?, zone }))
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

/// `hour`, `minute`, `second`, `microsecond`, `tzinfo`, `fold`
pub(super) fn attribute(time: civil::Time, zone: Option<&Zone>, name: &str) -> Option<Value> {
    Some(match name {
        "hour" => Value::Int(i64::from(time.hour())),
        "minute" => Value::Int(i64::from(time.minute())),
        "second" => Value::Int(i64::from(time.second())),
        "microsecond" => Value::Int(i64::from(format::microsecond(time))),
        "tzinfo" => zone.map_or(Value::None, |zone| Value::object(zone.clone())),
        "fold" => Value::Int(0),
        _ => return None,
    })
}

impl Object for TimeOfDay {
    fn class(&self) -> &'static BuiltinType {
        &TIME
    }

    fn get_attr(&self, _: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        Ok(attribute(self.time, self.zone.as_ref(), name))
    }

    fn repr(&self, vm: &mut Vm, _: &Value) -> PyResult<String> {
        let zone = match &self.zone {
            Some(zone) => format!(", tzinfo={}", vm.repr(&Value::object(zone.clone()))?),
            None => String::new(),
        };
        Ok(format!("datetime.time({}{zone})", repr_parts(self.time)))
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
        if self.zone.is_some() != other.zone.is_some() {
            return Some(match op {
                CompareOp::Eq => Ok(Value::Bool(false)),
                CompareOp::Ne => Ok(Value::Bool(true)),
                _ => Err(type_error("can't compare offset-naive and offset-aware times")),
            });
        }
        Some(Ok(decide(op, self.universal().cmp(&other.universal()))))
    }

    fn equals_key(&self, other: &Value) -> bool {
        other
            .downcast::<Self>()
            .is_some_and(|other| self.zone.is_some() == other.zone.is_some() && self.universal() == other.universal())
    }

    fn hash(&self, vm: &mut Vm) -> Option<PyResult<i64>> {
        Some(crate::python::hash::hash(vm, &Value::from_bigint(self.universal().into())))
    }
}
