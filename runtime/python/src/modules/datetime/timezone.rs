//! `datetime.timezone`: a fixed offset from UTC.

use super::MICROSECONDS_PER_DAY;
use super::timedelta::{Delta, delta};
use crate::args::Args;
use crate::exception::{PyResult, type_error, value_error};
use crate::object::Object;
use crate::string::Str;
use crate::types::{BuiltinType, OBJECT};
use crate::value::Value;
use crate::vm::{CompareOp, Vm};

/// `datetime.tzinfo`
static TZINFO: BuiltinType = BuiltinType::new("tzinfo", "datetime", &OBJECT).static_in_c();

/// `datetime.timezone`
pub static TIMEZONE: BuiltinType = BuiltinType {
    construct: Some(construct),
    constant: |name| (name == "utc").then(utc),
    ..BuiltinType::new("timezone", "datetime", &TZINFO).static_in_c()
};

/// A `timezone`. Two of the same offset are equal, whatever their names.
#[derive(Clone)]
pub(in crate::modules) struct Zone {
    /// Microseconds east of UTC.
    pub(super) offset: i64,
    pub(super) name: Option<Str>,
}

impl PartialEq for Zone {
    fn eq(&self, other: &Self) -> bool {
        self.offset == other.offset
    }
}

impl Zone {
    pub(super) fn of_seconds(seconds: i32) -> Self {
        Self::of_microseconds(i64::from(seconds) * 1_000_000)
    }

    /// The zone of the machine, which is UTC by its name.
    pub(super) fn local() -> Self {
        Self { offset: 0, name: Some(Str::from("UTC")) }
    }

    pub(super) fn of_microseconds(offset: i64) -> Self {
        Self { offset, name: None }
    }

    pub(super) fn microseconds(&self) -> i128 {
        i128::from(self.offset)
    }

    /// `tzname()`
    pub(super) fn text(&self) -> String {
        match &self.name {
            Some(name) => name.to_string(),
            None if self.offset == 0 => "UTC".to_owned(),
            None => format!("UTC{}", self.offset_text(":")),
        }
    }

    /// `+01:00`, with seconds and microseconds where there are any.
    pub(super) fn offset_text(&self, separator: &str) -> String {
        let sign = if self.offset < 0 { '-' } else { '+' };
        let (size, micro) = (self.offset.unsigned_abs() / 1_000_000, self.offset.unsigned_abs() % 1_000_000);
        let mut text = format!("{sign}{:02}{separator}{:02}", size / 3600, size / 60 % 60);
        if size % 60 != 0 || micro != 0 {
            text.push_str(&format!("{separator}{:02}", size % 60));
        }
        if micro != 0 {
            text.push_str(&format!(".{micro:06}"));
        }
        text
    }
}

/// `timezone.utc`
pub(super) fn utc() -> Value {
    Value::object(Zone::of_seconds(0))
}

fn construct(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [offset, name] = args.bind("timezone", ["offset", "name"], 1)?;
    let offset = offset.unwrap_or_default();
    let Some(Delta(microseconds)) = offset.downcast::<Delta>() else {
        return Err(type_error(format!(
            "timezone() argument 1 must be datetime.timedelta, not {}",
            offset.argument_class().as_str()
        )));
    };
    let name = match name {
        None => None,
        Some(Value::Str(name)) => Some(name),
        Some(other) => {
            return Err(type_error(format!(
                "timezone() argument 2 must be str, not {}",
                other.argument_class().as_str()
            )));
        }
    };
    let zone = checked(vm, *microseconds)?;
    Ok(Value::object(Zone { name, ..zone }))
}

/// A zone of an offset, less than a day either way.
pub(super) fn checked(vm: &mut Vm, microseconds: i128) -> PyResult<Zone> {
    match i64::try_from(microseconds).ok().filter(|offset| i128::from(*offset).abs() < MICROSECONDS_PER_DAY) {
        Some(offset) => Ok(Zone::of_microseconds(offset)),
        None => {
            let offset = delta(microseconds)?;
            Err(value_error(format!(
                "offset must be a timedelta strictly between -timedelta(hours=24) and timedelta(hours=24), not {}.",
                vm.repr(&offset)?
            )))
        }
    }
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
        if self.offset == 0 && self.name.is_none() {
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
        matches!(op, CompareOp::Eq | CompareOp::Ne).then(|| Ok(Value::Bool(op.holds(self.offset.cmp(&other.offset)))))
    }

    fn equals_key(&self, other: &Value) -> bool {
        other.downcast::<Self>().is_some_and(|other| self.offset == other.offset)
    }

    fn hash(&self, vm: &mut Vm) -> Option<PyResult<i64>> {
        Some(super::timedelta::hash(vm, self.microseconds()))
    }
}
