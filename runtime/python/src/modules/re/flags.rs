//! `re.RegexFlag`: the flags of patterns, an enumeration of ints.

use std::cell::RefCell;
use std::collections::HashMap;

use super::int;
use crate::exception::{PyResult, Raised, not_implemented_error};
use crate::hash::hash_immutable;
use crate::object::Object;
use crate::regex::ast::flag;
use crate::types::{BuiltinType, INT};
use crate::value::Value;
use crate::vm::{CompareOp, Vm};

/// The class `re.RegexFlag`.
pub static REGEX_FLAG: BuiltinType =
    BuiltinType { constant: member, repr: Some("<flag 'RegexFlag'>"), ..BuiltinType::new("RegexFlag", "re", &INT) };

/// The members in the order of their definition: long name, short name, bit.
const MEMBERS: [(&str, &str, u32); 9] = [
    ("ASCII", "A", flag::ASCII),
    ("IGNORECASE", "I", flag::IGNORECASE),
    ("LOCALE", "L", flag::LOCALE),
    ("UNICODE", "U", flag::UNICODE),
    ("MULTILINE", "M", flag::MULTILINE),
    ("DOTALL", "S", flag::DOTALL),
    ("VERBOSE", "X", flag::VERBOSE),
    ("TEMPLATE", "T", flag::TEMPLATE),
    ("DEBUG", "DEBUG", flag::DEBUG),
];

const ALL: i64 = 0x1ff;

/// A member, or several.
struct RegexFlag(i64);

/// The member of a name, long or short.
pub fn member(name: &str) -> Option<Value> {
    if name == "NOFLAG" {
        return Some(flags(0));
    }
    let found = MEMBERS.iter().find(|(long, short, _)| *long == name || *short == name);
    found.map(|(_, _, bit)| flags(i64::from(*bit)))
}

/// The flags of an int; the same object each time.
fn flags(bits: i64) -> Value {
    thread_local! {
        static MADE: RefCell<HashMap<i64, Value>> = RefCell::default();
    }
    // As many as sensible code combines; others are made anew.
    const MOST_KEPT: usize = 512;
    let bits = if bits < 0 { bits & ALL } else { bits };
    MADE.with_borrow_mut(|made| {
        if made.len() >= MOST_KEPT && !made.contains_key(&bits) {
            return Value::object(RegexFlag(bits));
        }
        made.entry(bits).or_insert_with(|| Value::object(RegexFlag(bits))).clone()
    })
}

/// The flags as an int; `None` where the value is no int.
pub(super) fn number(value: &Value) -> Option<i64> {
    match value.downcast::<RegexFlag>() {
        Some(flags) => Some(flags.0),
        None => int(value).ok(),
    }
}

impl RegexFlag {
    fn members(&self) -> impl Iterator<Item = &(&'static str, &'static str, u32)> {
        MEMBERS.iter().filter(|(_, _, bit)| self.0 & i64::from(*bit) != 0)
    }

    /// The names with a prefix, and what no member stands for in hexadecimal; `None` where there is no name.
    fn names(&self, prefix: &str) -> Option<String> {
        if self.0 == 0 {
            return Some(format!("{prefix}NOFLAG"));
        }
        let mut parts: Vec<String> = self.members().map(|(name, ..)| format!("{prefix}{name}")).collect();
        if parts.is_empty() {
            return None;
        }
        let rest = self.0 & !ALL;
        if rest != 0 {
            parts.push(format!("{rest:#x}"));
        }
        Some(parts.join("|"))
    }

    fn int(&self) -> Value {
        Value::Int(self.0)
    }
}

/// The error of arithmetic.
///
/// DIFFERENCE: CPython's flags are ints in all things.
fn no_number() -> Raised {
    not_implemented_error("tpvc does not calculate with the flags of `re`: use `int(...)` of them")
}

impl Object for RegexFlag {
    fn class(&self) -> &'static BuiltinType {
        &REGEX_FLAG
    }

    fn get_attr(&self, _: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        Ok(match name {
            "value" => Some(self.int()),
            "name" => Some(self.names("").map_or(Value::None, Value::str)),
            _ => None,
        })
    }

    fn truthy(&self, _: &mut Vm) -> PyResult<bool> {
        Ok(self.0 != 0)
    }

    fn repr(&self, _: &mut Vm, _: &Value) -> PyResult<String> {
        Ok(self.names("re.").unwrap_or_else(|| format!("re.RegexFlag({})", self.0)))
    }

    fn format(&self, vm: &mut Vm, this: &Value, spec: &str) -> Option<PyResult<String>> {
        Some(match spec {
            "" => self.repr(vm, this),
            spec => vm.format(&self.int(), spec).map(|text| text.to_string()),
        })
    }

    fn compare(&self, vm: &mut Vm, op: CompareOp, other: &Value) -> Option<PyResult<Value>> {
        let other = match other.downcast::<Self>() {
            Some(other) => other.int(),
            None => other.clone(),
        };
        matches!(other, Value::Int(_) | Value::BigInt(_) | Value::Bool(_) | Value::Float(_))
            .then(|| vm.compare(op, &self.int(), &other))
    }

    fn binary(&self, _: &mut Vm, method: &str, other: &Value) -> Option<PyResult<Value>> {
        let bits = number(other);
        Some(Ok(flags(match (method, bits) {
            ("and" | "rand", Some(bits)) => self.0 & bits,
            ("or" | "ror", Some(bits)) => self.0 | bits,
            ("xor" | "rxor", Some(bits)) => self.0 ^ bits,
            ("and" | "rand" | "or" | "ror" | "xor" | "rxor" | "matmul" | "rmatmul", _) => return None,
            _ => return Some(Err(no_number())),
        })))
    }

    fn unary(&self, _: &mut Vm, method: &str) -> Option<PyResult<Value>> {
        Some(if method == "invert" { Ok(flags(!self.0 & ALL)) } else { Err(no_number()) })
    }

    #[expect(clippy::cast_precision_loss, reason = "as CPython rounds it")]
    fn number(&self, _: &mut Vm, method: &str) -> Option<PyResult<Value>> {
        Some(Ok(if method == "float" { Value::Float(self.0 as f64) } else { self.int() }))
    }

    fn hash(&self, _: &mut Vm) -> Option<PyResult<i64>> {
        Some(Ok(hash_immutable(&self.int()).unwrap_or_default()))
    }

    fn equals_key(&self, other: &Value) -> bool {
        number(other) == Some(self.0)
    }
}
