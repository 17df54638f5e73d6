//! `datetime.timezone`: a fixed offset from UTC.

use super::decide;
use super::timedelta::{Delta, delta};
use crate::python::args::Args;
use crate::python::exception::{PyResult, type_error, value_error};
use crate::python::object::Object;
use crate::python::string::Str;
use crate::python::types::{BuiltinType, OBJECT};
use crate::python::value::{Method, Value};
use crate::python::vm::{CompareOp, Vm};

/// `datetime.tzinfo`, for `isinstance`.
pub static TZINFO: BuiltinType = BuiltinType::new("tzinfo", "datetime", &OBJECT);

/// `datetime.timezone`
pub static TIMEZONE: BuiltinType = BuiltinType {
    construct: Some(construct),
    methods: &[
        Method {
            name: "utcoffset",
            call: |_, this, _| match this.downcast::<Zone>() {
                Some(zone) => delta(zone.microseconds()),
                None => Ok(Value::None),
            },
        },
        Method {
            name: "tzname",
            call: |_, this, _| Ok(this.downcast::<Zone>().map_or(Value::None, |zone| Value::str(zone.text()))),
        },
        Method { name: "dst", call: |_, _, _| Ok(Value::None) },
    ],
    ..BuiltinType::new("timezone", "datetime", &TZINFO)
};

/// A `timezone`.
#[derive(Clone)]
pub(in crate::python::modules) struct Zone {
    /// Seconds east of UTC.
    pub(super) seconds: i32,
    name: Option<Str>,
}

impl Zone {
    pub(super) fn of_seconds(seconds: i32) -> Self {
        Self { seconds, name: None }
    }

    pub(super) fn microseconds(&self) -> i128 {
        i128::from(self.seconds) * 1_000_000
    }

    /// `tzname()`
    pub(super) fn text(&self) -> String {
        match &self.name {
            Some(name) => name.to_string(),
            None if self.seconds == 0 => "UTC".to_owned(),
            None => format!("UTC{}", self.offset_text(":")),
        }
    }

    /// `+01:00`, with seconds where there are any.
    pub(super) fn offset_text(&self, separator: &str) -> String {
        let sign = if self.seconds < 0 { '-' } else { '+' };
        let size = self.seconds.unsigned_abs();
        let mut text = format!("{sign}{:02}{separator}{:02}", size / 3600, size / 60 % 60);
        if !size.is_multiple_of(60) {
            text.push_str(&format!("{separator}{:02}", size % 60));
        }
        text
    }
}

/// `timezone.utc`
pub(super) fn utc() -> Value {
    Value::object(Zone::of_seconds(0))
}

fn construct(_: &mut Vm, args: Args) -> PyResult<Value> {
    let [offset, name] = args.bind("timezone", ["offset", "name"], 1)?;
    let offset = offset.unwrap_or_default();
    let Some(Delta(microseconds)) = offset.downcast::<Delta>() else {
        return Err(type_error(format!(
            "timezone() argument 1 must be datetime.timedelta, not {}",
            offset.type_name().as_str()
        )));
    };
    // DIFFERENCE: parts of a second in an offset are cut off.
    let seconds = i32::try_from(microseconds / 1_000_000).ok().filter(|seconds| seconds.abs() < 86_400);
    let seconds = seconds.ok_or_else(|| {
        value_error(
            "offset must be a timedelta strictly between -timedelta(hours=24) and timedelta(hours=24), not a longer one",
        )
    })?;
    let name = name.and_then(|name| name.as_str().cloned());
    Ok(Value::object(Zone { seconds, name }))
}

/// The zone of a `tzinfo` argument.
///
/// # Errors
/// `TypeError` where it is neither `None` nor a `timezone`.
pub(super) fn zone_argument(value: Option<Value>) -> PyResult<Option<Zone>> {
    match value {
        None | Some(Value::None) => Ok(None),
        Some(value) => value.downcast::<Zone>().cloned().map(Some).ok_or_else(|| {
            type_error(format!(
                "tzinfo argument must be None or of a tzinfo subclass, not type '{}'",
                value.type_name().as_str()
            ))
        }),
    }
}

impl Object for Zone {
    fn class(&self) -> &'static BuiltinType {
        &TIMEZONE
    }

    fn repr(&self, vm: &mut Vm, _: &Value) -> PyResult<String> {
        if self.seconds == 0 && self.name.is_none() {
            return Ok("datetime.timezone.utc".to_owned());
        }
        let offset = delta(self.microseconds())?;
        let offset = vm.repr(&offset)?;
        Ok(match &self.name {
            Some(name) => format!("datetime.timezone({offset}, {})", vm.repr(&Value::Str(name.clone()))?),
            None => format!("datetime.timezone({offset})"),
        })
    }

    fn str(&self, _: &mut Vm, _: &Value) -> PyResult<String> {
        Ok(self.text())
    }

    fn compare(&self, _: &mut Vm, op: CompareOp, other: &Value) -> Option<PyResult<Value>> {
        let other = other.downcast::<Self>()?;
        matches!(op, CompareOp::Eq | CompareOp::Ne).then(|| Ok(decide(op, self.seconds.cmp(&other.seconds))))
    }

    fn hash(&self, _: &mut Vm) -> Option<PyResult<i64>> {
        Some(Ok(i64::from(self.seconds)))
    }
}
