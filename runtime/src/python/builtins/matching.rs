//! What the compiler asks for the patterns of `match`: hidden builtins, whose names start with a dot.

use super::{classes, containers};
use crate::python::args::Args;
use crate::python::dict::Dict;
use crate::python::exception::{PyResult, type_error};
use crate::python::modules::abc::{MAPPING, is_virtual_subclass};
use crate::python::types::Type;
use crate::python::value::Value;
use crate::python::vm::Vm;

/// The builtin classes whose single positional sub-pattern is the value itself.
const SELF_MATCHING: [&str; 10] = ["bool", "bytes", "dict", "float", "frozenset", "int", "list", "set", "str", "tuple"];

/// `(subject, length, exact)`: whether the subject is a sequence (not a string) of this length, or of at least that where not
/// `exact`.
pub(super) fn sequence(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [subject, length, exact] = args.exactly("match_sequence")?;
    let is_sequence = match &subject {
        Value::List(_) | Value::Tuple(_) | Value::Range(_) => true,
        other => other.class().name().as_str() == "range",
    };
    if !is_sequence {
        return Ok(Value::Bool(false));
    }
    let found = vm.len(&subject)?;
    let wanted = match length {
        Value::Int(length) => usize::try_from(length).unwrap_or(usize::MAX),
        _ => usize::MAX,
    };
    Ok(Value::Bool(if matches!(exact, Value::Bool(true)) { found == wanted } else { found >= wanted }))
}

/// `(subject, keys)`: the values of the keys as a tuple; `None` where the subject is no mapping or lacks a key.
pub(super) fn mapping(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [subject, keys] = args.exactly("match_mapping")?;
    let Value::Tuple(keys) = &keys else { return Ok(Value::None) };
    let Value::Dict(dict) = &subject else { return values_of_mapping(vm, &subject, &keys.items) };
    let mut values = Vec::with_capacity(keys.items.len());
    for key in &keys.items {
        match dict.get(vm, key)? {
            Some(value) => values.push(value),
            None => return Ok(Value::None),
        }
    }
    Ok(Value::tuple(values))
}

/// As [`mapping`], of what is a mapping but no dict: it is asked by `get`.
fn values_of_mapping(vm: &mut Vm, subject: &Value, keys: &[Value]) -> PyResult<Value> {
    if !is_mapping(subject) || (!keys.is_empty() && vm.len(subject)? < keys.len()) {
        return Ok(Value::None);
    }
    let missing = Value::list(Vec::new());
    let mut values = Vec::with_capacity(keys.len());
    for key in keys {
        let value = vm.call_method(subject, "get", Args::positional([key.clone(), missing.clone()]))?;
        if value.is(&missing) {
            return Ok(Value::None);
        }
        values.push(value);
    }
    Ok(Value::tuple(values))
}

fn is_mapping(value: &Value) -> bool {
    let mapping = Type::Builtin(&MAPPING);
    matches!(value, Value::Object(_) | Value::Instance(_))
        && (value.type_name().as_str() == "mappingproxy"
            || value.class().is_subclass(&mapping)
            || is_virtual_subclass(&value.class(), &mapping))
}

/// `(subject, keys)`: a dict of what the subject holds under other keys.
pub(super) fn rest(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [subject, keys] = args.exactly("match_rest")?;
    let rest = Dict::new();
    let subject = if is_mapping(&subject) {
        let plain = Dict::new();
        containers::update_from(vm, &plain, &subject)?;
        Value::dict(plain)
    } else {
        subject
    };
    if let (Value::Dict(dict), Value::Tuple(keys)) = (&subject, &keys) {
        let taken = Dict::new();
        for key in &keys.items {
            taken.set(vm, key.clone(), Value::None)?;
        }
        for (key, value) in dict.items() {
            if taken.get(vm, &key)?.is_none() {
                rest.set(vm, key, value)?;
            }
        }
    }
    Ok(Value::dict(rest))
}

/// `(subject, class, count, names)`: the values of `count` positional sub-patterns and of the named attributes as a tuple;
/// `None` where the subject is no instance or lacks an attribute.
pub(super) fn class(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [subject, class, count, names] = args.exactly("match_class")?;
    let Value::Type(wanted) = &class else {
        return Err(type_error("called match pattern must be a type"));
    };
    if !classes::is_instance(vm, &subject, &class)? {
        return Ok(Value::None);
    }
    let count = match count {
        Value::Int(count) => usize::try_from(count).unwrap_or(usize::MAX),
        _ => 0,
    };
    let mut values = Vec::new();
    if count > 0 {
        let refuse = |allowed: usize| {
            let plural = if allowed == 1 { "" } else { "s" };
            let name = wanted.name();
            let name = name.as_str();
            type_error(format!("{name}() accepts {allowed} positional sub-pattern{plural} ({count} given)"))
        };
        match vm.find_attr(&class, "__match_args__")? {
            Some(Value::Tuple(names)) => {
                if count > names.items.len() {
                    return Err(refuse(names.items.len()));
                }
                for name in names.items.iter().take(count) {
                    let Some(name) = name.as_str() else {
                        let found = name.type_name();
                        return Err(type_error(format!(
                            "__match_args__ elements must be strings (got {})",
                            found.as_str()
                        )));
                    };
                    match vm.find_attr(&subject, name.as_str())? {
                        Some(value) => values.push(value),
                        None => return Ok(Value::None),
                    }
                }
            }
            Some(other) => {
                let (name, found) = (wanted.name(), other.type_name());
                let message = format!("{}.__match_args__ must be a tuple (got {})", name.as_str(), found.as_str());
                return Err(type_error(message));
            }
            None if SELF_MATCHING.contains(&wanted.builtin_base().name) => {
                if count > 1 {
                    return Err(refuse(1));
                }
                values.push(subject.clone());
            }
            None => return Err(refuse(0)),
        }
    }
    if let Value::Tuple(names) = &names {
        for name in names.items.iter().filter_map(Value::as_str) {
            match vm.find_attr(&subject, name.as_str())? {
                Some(value) => values.push(value),
                None => return Ok(Value::None),
            }
        }
    }
    Ok(Value::tuple(values))
}
