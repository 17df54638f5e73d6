//! The filters that Ansible has besides Jinja's, as far as configs use them.

use std::rc::Rc;

use minijinja::value::{Kwargs, Rest, ValueKind};
use minijinja::{Environment, Error, ErrorKind, State, Value, tests};
use tpv_python::args::Args;
use tpv_python::exception::PyResult;
use tpv_python::lacking;
use tpv_python::modules::re;
use tpv_python::value::Value as Python;
use tpv_python::vm::{NoEnvironment, Vm};
use tpv_runtime::galaxy::json::{Json, Reader};

use super::cost::{self, VALUES_A_STEP, pay};
use super::to_json;
use crate::yaml::write::{Layout, yaml};

/// The remedy for a filter that does not exist.
pub(super) const HELP: &str = "docs/settings.md lists the filters; put its result in a file for `--vars` as a variable";

/// Adds the filters.
pub(super) fn add(environment: &mut Environment<'static>) {
    environment.add_filter("basename", basename);
    environment.add_filter("bool", bool);
    environment.add_filter("combine", combine);
    environment.add_filter("dict2items", dict_to_items);
    environment.add_filter("dirname", dirname);
    environment.add_filter("format", cost::format);
    environment.add_filter("join", cost::join);
    environment.add_filter("mandatory", mandatory);
    environment.add_filter("quote", quote);
    environment.add_filter("regex_replace", regex_replace);
    environment.add_filter("string", cost::string);
    environment.add_filter("sum", cost::sum);
    environment.add_filter("ternary", ternary);
    environment.add_filter("to_json", json);
    environment.add_filter("to_nice_json", nice_json);
    environment.add_filter("to_nice_yaml", nice_yaml);
    environment.add_filter("to_yaml", nice_yaml);
    environment.add_test("lower", |state: &State, value: &Value| cost::case(state, value, tests::is_lower));
    environment.add_test("upper", |state: &State, value: &Value| cost::case(state, value, tests::is_upper));
}

pub(super) fn wrong(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::InvalidOperation, message.into())
}

fn basename(path: String) -> String {
    path.rsplit_once('/').map_or(path.clone(), |(_, name)| name.to_owned())
}

fn dirname(path: String) -> String {
    path.rsplit_once('/').map_or_else(String::new, |(folder, _)| folder.to_owned())
}

/// Ansible's: the words of YAML 1.1 that say yes, not any text.
fn bool(value: &Value) -> bool {
    match value.as_str() {
        Some(text) => matches!(text.to_lowercase().as_str(), "yes" | "on" | "1" | "true"),
        None if value.kind() == ValueKind::Number => *value == Value::from(1),
        None => value.is_true(),
    }
}

fn combine(state: &State, value: Value, others: Rest<Value>, options: Kwargs) -> Result<Value, Error> {
    let recursive: Option<bool> = options.get("recursive")?;
    options.assert_all_used()?;
    others.iter().try_fold(value, |sum, other| merged(state, &sum, other, recursive.unwrap_or(false)))
}

fn merged(state: &State, one: &Value, other: &Value, recursive: bool) -> Result<Value, Error> {
    if one.kind() != ValueKind::Map || other.kind() != ValueKind::Map {
        return Err(wrong("`combine` takes mappings"));
    }
    let (length, others) = (one.len().unwrap_or(0), other.len().unwrap_or(0));
    state.consume_fuel((length.saturating_add(others).saturating_mul(1 + others) / VALUES_A_STEP) as u64)?;
    let mut pairs: Vec<(Value, Value)> = Vec::new();
    for key in one.try_iter()? {
        let value = one.get_item(&key)?;
        pairs.push((key, value));
    }
    for key in other.try_iter()? {
        let value = other.get_item(&key)?;
        match pairs.iter_mut().find(|(known, _)| *known == key) {
            Some((_, old)) if recursive && old.kind() == ValueKind::Map && value.kind() == ValueKind::Map => {
                *old = merged(state, old, &value, true)?;
            }
            Some((_, old)) => *old = value,
            None => pairs.push((key, value)),
        }
    }
    Ok(Value::from_pairs(pairs))
}

fn dict_to_items(value: &Value) -> Result<Value, Error> {
    if value.kind() != ValueKind::Map {
        return Err(wrong("`dict2items` takes a mapping"));
    }
    let mut items = Vec::new();
    for key in value.try_iter()? {
        let item = value.get_item(&key)?;
        items.push(Value::from_pairs([("key", key), ("value", item)]));
    }
    Ok(Value::from(items))
}

fn mandatory(value: Value) -> Result<Value, Error> {
    if value.is_undefined() { Err(Error::from(ErrorKind::UndefinedError)) } else { Ok(value) }
}

fn quote(state: &State, text: String) -> Result<String, Error> {
    state.consume_fuel((text.len() / VALUES_A_STEP) as u64)?;
    let is_plain = !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "@%+=:,./-_".contains(c));
    Ok(if is_plain { text } else { format!("'{}'", text.replace('\'', "'\"'\"'")) })
}

/// Python's `re.sub`, which pays for its steps.
fn regex_replace(state: &State, text: &str, pattern: &str, replacement: Option<&str>) -> Result<String, Error> {
    let noted = lacking::take();
    let mut vm = Vm::new(Rc::new(NoEnvironment));
    let replaced = re_sub(&mut vm, pattern, replacement.unwrap_or(""), text);
    let words = replaced.map_err(|raised| {
        let message = vm.str(&raised.value()).map(|message| message.to_string()).unwrap_or_default();
        wrong(format!("`regex_replace`: {}: {message}", raised.class_name()))
    });
    lacking::restore(noted);
    state.consume_fuel(vm.limits.steps - vm.steps_left())?;
    words
}

fn re_sub(vm: &mut Vm, pattern: &str, replacement: &str, text: &str) -> PyResult<String> {
    let function = vm.get_attr(&Python::Module(&re::RE), "sub")?;
    let args = Args::positional([pattern, replacement, text].map(Python::str));
    let replaced = vm.call(&function, args)?;
    vm.str(&replaced).map(|text| text.to_string())
}

fn ternary(value: &Value, yes: Value, no: Value, none: Option<Value>) -> Value {
    match none {
        Some(none) if value.is_none() => none,
        _ if value.is_true() => yes,
        _ => no,
    }
}

fn json(state: &State, value: &Value) -> Result<String, Error> {
    pay(state, value)?;
    Ok(to_json(value)?.to_string())
}

fn nice_json(state: &State, value: &Value) -> Result<String, Error> {
    pay(state, value)?;
    serde_json::to_string_pretty(&to_json(value)?).map_err(|error| wrong(error.to_string()))
}

/// Blocks with sorted keys. How far they are indented does not change what YAML reads.
fn nice_yaml(state: &State, value: &Value, options: Kwargs) -> Result<String, Error> {
    // What Ansible passes on to PyYAML.
    for name in ["indent", "width", "sort_keys", "default_flow_style"] {
        let _: Option<Value> = options.get(name)?;
    }
    options.assert_all_used()?;
    pay(state, value)?;
    let text = to_json(value)?.to_string();
    let json = Json::read(&mut Reader::new(&text)).map_err(|_| wrong("the value isn't plain data"))?;
    Ok(yaml(&json, Layout { sorted: true, ..Layout::default() }))
}
