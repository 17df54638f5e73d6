//! `parse_version` and the objects that it gives to code.

use std::cell::OnceCell;

use super::Version;
use super::pep440::{LocalPart, Number, Pep440};
use crate::signature;
use tpv_python::args::Args;
use tpv_python::builtins::exceptions;
use tpv_python::exception::{PyResult, VALUE_ERROR, raise, type_error};
use tpv_python::hash::{compared, hash_immutable};
use tpv_python::number::parse;
use tpv_python::object::Object;
use tpv_python::string::Str;
use tpv_python::types::{BuiltinType, OBJECT};
use tpv_python::value::Value;
use tpv_python::vm::{CompareOp, Vm};

/// `packaging.version.Version`
pub static VERSION: BuiltinType = BuiltinType {
    construct: Some(|vm, args| {
        let [version] = signature::bind_method(args, "Version.__init__", ["version"], 1)?;
        strict(vm, &version.unwrap_or_default())
    }),
    ..BuiltinType::new("Version", "packaging.version", &OBJECT)
};

/// `packaging.version.InvalidVersion`
pub static INVALID_VERSION: BuiltinType = BuiltinType {
    construct: Some(|_, args| exceptions::construct(&INVALID_VERSION, args)),
    ..BuiltinType::new("InvalidVersion", "packaging.version", &VALUE_ERROR)
};

/// `Version(version)` of `packaging`, which takes only what follows PEP 440.
///
/// # Errors
/// `InvalidVersion`; `TypeError` for empty bytes, whose characters all pass its first look, and which it then splits as text.
pub(crate) fn strict(vm: &mut Vm, value: &Value) -> PyResult<Value> {
    if matches!(value, Value::Bytes(bytes) if bytes.is_empty()) {
        return Err(type_error("a bytes-like object is required, not 'str'"));
    }
    if let Value::Str(text) = value {
        vm.charge(text.len())?;
        if Pep440::parse(text).is_some() {
            check_digits(text)?;
            return Ok(Value::object(VersionObject::of(text.clone(), true)));
        }
    }
    Err(raise(&INVALID_VERSION, format!("Invalid version: {}", vm.repr(value)?)))
}

/// The numbers of a version as `packaging` makes ints of them, from front to back.
///
/// # Errors
/// `ValueError` for one of too many digits.
fn check_digits(version: &str) -> PyResult<()> {
    let (public, local) = version.split_once('+').unwrap_or((version, ""));
    let local = local.trim().split(['.', '_', '-']);
    let is_number = |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let mut numbers = public.split(|char: char| !char.is_ascii_digit()).chain(local).filter(is_number);
    numbers.try_for_each(|digits| parse::int_or_raise(digits, 10, || digits.to_owned()).map(|_| ()))
}

/// `galaxy.tool_util.version.LegacyVersion`
pub static LEGACY_VERSION: BuiltinType = BuiltinType::new("LegacyVersion", "galaxy.tool_util.version", &OBJECT);

/// A version as code holds it.
pub struct VersionObject {
    text: Str,
    /// `true` if it was given as text.
    is_text: bool,
    /// The class, found when it is first asked for.
    class: OnceCell<&'static BuiltinType>,
    /// The hash, found when it is first asked for.
    hash: OnceCell<i64>,
}

/// The bytes of a version that are read, and whose parts are compared, in about the time of a step.
const READ_A_STEP: usize = 4;

impl VersionObject {
    fn of(text: Str, is_text: bool) -> Self {
        Self { text, is_text, class: OnceCell::new(), hash: OnceCell::new() }
    }

    /// Galaxy's `parse_version(value)`: a text is read as a version; any other value is a legacy version of its `str`.
    ///
    /// # Errors
    /// Exceptions raised by `__str__`.
    pub fn new(vm: &mut Vm, value: &Value) -> PyResult<Self> {
        let (text, is_text) = match value {
            Value::Str(text) => (text.clone(), true),
            other => (vm.str(other)?, false),
        };
        let version = Self::of(text, is_text);
        version.charge_parsing(vm)?;
        Ok(version)
    }

    /// The version, read again: comparing two costs less than keeping their parts would.
    pub fn version(&self) -> Version<'_> {
        if self.is_text { Version::parse(&self.text) } else { Version::Legacy(&self.text) }
    }

    /// Pays for reading the text anew, which each use does.
    fn charge_parsing(&self, vm: &mut Vm) -> PyResult<()> {
        vm.visit(self.text.len(), READ_A_STEP)
    }

    /// The tuple by which Galaxy and `packaging` hash.
    fn key(&self) -> Value {
        match self.version() {
            Version::Legacy(legacy) => {
                let parts = super::legacy::key(legacy).into_iter().map(text).collect();
                Value::tuple(vec![Value::Int(-1), Value::tuple(parts)])
            }
            Version::Pep440(version) => sort_key(&version),
        }
    }

    /// `str(version)`
    fn shown(&self) -> String {
        match self.version() {
            Version::Legacy(text) => text.to_owned(),
            Version::Pep440(version) => match version.local_text() {
                Some(local) => format!("{}+{local}", version.public_text()),
                None => version.public_text(),
            },
        }
    }
}

/// `galaxy.tool_util.version.parse_version(version)`
///
/// # Errors
/// `TypeError` where it is called with other arguments.
pub fn parse_version(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [version] = signature::bind(args, "parse_version", ["version"], 1)?;
    VersionObject::new(vm, &version.unwrap_or(Value::None)).map(Value::object)
}

fn int(digits: &str) -> Value {
    tpv_literal::parse::int(digits, 10).map_or(Value::None, Value::from)
}

fn text(text: impl Into<String>) -> Value {
    Value::str(text)
}

impl Object for VersionObject {
    fn class(&self) -> &'static BuiltinType {
        self.class.get_or_init(|| match self.version() {
            Version::Pep440(_) => &VERSION,
            Version::Legacy(_) => &LEGACY_VERSION,
        })
    }

    fn get_attr(&self, vm: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        self.charge_parsing(vm)?;
        Ok(match self.version() {
            Version::Pep440(version) => version_attribute(&version, name),
            Version::Legacy(_) => None,
        })
    }

    fn repr(&self, vm: &mut Vm, _: &Value) -> PyResult<String> {
        self.charge_parsing(vm)?;
        Ok(format!("<{}('{}')>", self.class().name, self.shown()))
    }

    fn str(&self, vm: &mut Vm, _: &Value) -> PyResult<String> {
        self.charge_parsing(vm)?;
        Ok(self.shown())
    }

    fn compare(&self, vm: &mut Vm, op: CompareOp, other: &Value) -> Option<PyResult<Value>> {
        let other = other.downcast::<Self>()?;
        let paid = self.charge_parsing(vm).and_then(|()| other.charge_parsing(vm));
        Some(paid.map(|()| Value::Bool(op.holds(self.version().compare(&other.version())))))
    }

    fn equals_key(&self, other: &Value) -> bool {
        other.downcast::<Self>().is_some_and(|other| {
            compared(self.text.len().max(other.text.len()), READ_A_STEP)
                && self.version().compare(&other.version()).is_eq()
        })
    }

    fn hash(&self, vm: &mut Vm) -> Option<PyResult<i64>> {
        // A lookup reads the text once more, to compare; the first one also makes the key of its parts.
        let making = if self.hash.get().is_none() { self.text.len() } else { 0 };
        if let Err(raised) = self.charge_parsing(vm).and_then(|()| vm.charge(making)) {
            return Some(Err(raised));
        }
        Some(Ok(*self.hash.get_or_init(|| hash_immutable(&self.key()).unwrap_or_default())))
    }
}

/// `Version._key`, the tuple by which `packaging` compares and hashes.
fn sort_key(version: &Pep440<'_>) -> Value {
    let ints = |numbers: &mut dyn Iterator<Item = Number<'_>>| {
        Value::tuple(numbers.map(|number| int(number.digits())).collect())
    };
    let (rank, number, post, no_dev, dev) = version.suffix();
    let suffix = [
        Value::Int(i64::from(rank)),
        int(number.digits()),
        Value::Int(i64::from(post.is_some())),
        post.map_or(Value::Int(0), |number| int(number.digits())),
        Value::Int(i64::from(no_dev)),
        int(dev.digits()),
    ];
    let mut key =
        vec![int(version.epoch.digits()), ints(&mut version.significant_release()), Value::tuple(suffix.to_vec())];
    let local = |part| match part {
        LocalPart::Number(number) => Value::tuple(vec![int(number.digits()), text("")]),
        LocalPart::Word(word) => Value::tuple(vec![Value::Int(-1), text(word)]),
    };
    key.extend(version.local().map(|parts| Value::tuple(parts.map(local).collect())));
    Value::tuple(key)
}

/// A version's attribute, one of those of `packaging`.
fn version_attribute(version: &Pep440<'_>, name: &str) -> Option<Value> {
    let place = match name {
        "release" => return Some(Value::tuple(version.release().map(|number| int(number.digits())).collect())),
        "major" => 0,
        "minor" => 1,
        "micro" => 2,
        _ => return None,
    };
    Some(version.release().nth(place).map_or(Value::Int(0), |number| int(number.digits())))
}
