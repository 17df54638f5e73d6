//! The filters that Ansible has besides Jinja's, as far as configs use them.

use std::rc::Rc;

use minijinja::value::{Kwargs, Rest, ValueKind};
use minijinja::{Environment, Error, ErrorKind, State, Value, tests};
use tpv_galaxy::json::{Json, Reader, write_text};
use tpv_python::args::Args;
use tpv_python::exception::PyResult;
use tpv_python::lacking;
use tpv_python::modules::re;
use tpv_python::value::Value as Python;
use tpv_python::vm::{NoEnvironment, Vm};

use super::cost::{self, VALUES_A_STEP, pay};
use super::to_json;
use crate::json_as_yaml::yaml as written_yaml;
use tpv_text::diagnostic::{Diagnostics, Severity};
use tpv_text::source::SourceMap;
use tpv_yaml::write::Layout;

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
    environment.add_filter("to_yaml", leaf_yaml);
    environment.add_filter("from_json", |state: &State, text: &str| from_yaml(state, text));
    environment.add_filter("from_yaml", |state: &State, text: &str| from_yaml(state, text));
    environment.add_filter("items2dict", items_to_dict);
    environment.add_filter("path_join", path_join);
    environment.add_filter("regex_escape", regex_escape);
    environment.add_filter("splitext", splitext);
    environment.add_filter("type_debug", type_debug);
    environment.add_test("match", |state: &State, text: &str, pattern: &str| regex_test(state, "match", text, pattern));
    environment
        .add_test("search", |state: &State, text: &str, pattern: &str| regex_test(state, "search", text, pattern));
    environment
        .add_test("regex", |state: &State, text: &str, pattern: &str| regex_test(state, "search", text, pattern));
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
    let arguments = [pattern, replacement.unwrap_or(""), text];
    of_re(state, "regex_replace", "sub", &arguments, |vm, replaced| vm.str(replaced).map(|text| text.to_string()))
}

/// `text is match(pattern)`, `text is search(pattern)`
fn regex_test(state: &State, function: &str, text: &str, pattern: &str) -> Result<bool, Error> {
    of_re(state, function, function, &[pattern, text], |_, found| Ok(!matches!(found, Python::None)))
}

/// Python's `re.escape`.
fn regex_escape(state: &State, text: &str) -> Result<String, Error> {
    of_re(state, "regex_escape", "escape", &[text], |vm, escaped| vm.str(escaped).map(|text| text.to_string()))
}

/// Calls a function of Python's `re`, which pays for its steps. `name` is the one in messages.
fn of_re<T>(
    state: &State,
    name: &str,
    function: &str,
    arguments: &[&str],
    read: impl Fn(&mut Vm, &Python) -> PyResult<T>,
) -> Result<T, Error> {
    let noted = lacking::take();
    let mut vm = Vm::new(Rc::new(NoEnvironment));
    let call = |vm: &mut Vm| {
        let function = vm.get_attr(&Python::Module(&re::RE), function)?;
        let args = Args::positional(arguments.iter().copied().map(Python::str));
        let result = vm.call(&function, args)?;
        read(vm, &result)
    };
    let result = call(&mut vm).map_err(|raised| {
        let message = vm.str(&raised.value()).map(|message| message.to_string()).unwrap_or_default();
        wrong(format!("`{name}`: {}: {message}", raised.class_name()))
    });
    lacking::restore(noted);
    state.consume_fuel(vm.limits.steps - vm.steps_left())?;
    result
}

/// The value of a text in YAML, or in JSON, which is YAML, too.
fn from_yaml(state: &State, text: &str) -> Result<Value, Error> {
    state.consume_fuel((text.len() / VALUES_A_STEP) as u64)?;
    let (mut sources, mut problems) = (SourceMap::new(), Diagnostics::new());
    let id = sources.add("", text);
    let document = tpv_yaml::load(&sources, id, &mut problems);
    if let Some(problem) = problems.iter().find(|problem| problem.severity == Severity::Error) {
        return Err(wrong(format!("the text is not YAML: {}", problem.message)));
    }
    Ok(document.map_or(Value::from(()), |document| super::resolve::plain(&document.root)))
}

fn items_to_dict(items: &Value, options: Kwargs) -> Result<Value, Error> {
    let (key, value): (Option<&str>, Option<&str>) = (options.get("key_name")?, options.get("value_name")?);
    options.assert_all_used()?;
    let pairs = items
        .try_iter()?
        .map(|item| Ok((item.get_attr(key.unwrap_or("key"))?, item.get_attr(value.unwrap_or("value"))?)));
    Ok(Value::from_pairs(pairs.collect::<Result<Vec<(Value, Value)>, Error>>()?))
}

fn path_join(parts: &Value) -> Result<String, Error> {
    if let Some(text) = parts.as_str() {
        return Ok(text.to_owned());
    }
    let mut path = String::new();
    for part in parts.try_iter()? {
        let part = part.to_string();
        if part.starts_with('/') {
            path.clear();
        } else if !path.is_empty() && !path.ends_with('/') {
            path.push('/');
        }
        path.push_str(&part);
    }
    Ok(path)
}

/// Python's `os.path.splitext`.
fn splitext(path: &str) -> Value {
    let name = path.rfind('/').map_or(0, |slash| slash + 1);
    let dots = path.get(name..).unwrap_or("").bytes().take_while(|byte| *byte == b'.').count();
    let at = path.get(name + dots..).and_then(|rest| rest.rfind('.')).map_or(path.len(), |dot| name + dots + dot);
    let (root, end) = path.split_at(at);
    Value::from(vec![Value::from(root), Value::from(end)])
}

fn type_debug(value: &Value) -> &'static str {
    match value.kind() {
        ValueKind::None => "NoneType",
        ValueKind::Bool => "bool",
        ValueKind::Number if value.is_integer() => "int",
        ValueKind::Number => "float",
        ValueKind::String => "str",
        ValueKind::Map => "dict",
        _ => "list",
    }
}

fn ternary(value: &Value, yes: Value, no: Value, none: Option<Value>) -> Value {
    match none {
        Some(none) if value.is_none() => none,
        _ if value.is_true() => yes,
        _ => no,
    }
}

/// The value as plain data, which is paid for.
fn data(state: &State, value: &Value) -> Result<Json, Error> {
    pay(state, value)?;
    let text = to_json(value)?.to_string();
    Json::read(&mut Reader::new(&text)).map_err(|_| wrong("the value isn't plain data"))
}

/// PyYAML's way to write it: collections without collections inside stand on one line.
fn leaf_yaml(state: &State, value: &Value, options: Kwargs) -> Result<String, Error> {
    written(state, value, &options, true)
}

fn json(state: &State, value: &Value) -> Result<String, Error> {
    let mut text = String::new();
    write_text(&mut text, &data(state, value)?);
    Ok(text)
}

fn nice_json(state: &State, value: &Value) -> Result<String, Error> {
    pay(state, value)?;
    serde_json::to_string_pretty(&to_json(value)?).map_err(|error| wrong(error.to_string()))
}

/// Blocks with sorted keys. How far they are indented does not change what YAML reads.
fn nice_yaml(state: &State, value: &Value, options: Kwargs) -> Result<String, Error> {
    written(state, value, &options, false)
}

fn written(state: &State, value: &Value, options: &Kwargs, flow_leaves: bool) -> Result<String, Error> {
    // What Ansible passes on to PyYAML.
    for name in ["indent", "width", "allow_unicode"] {
        let _: Option<Value> = options.get(name)?;
    }
    let flow: Option<bool> = options.get("default_flow_style")?;
    let sorted: Option<bool> = options.get("sort_keys")?;
    options.assert_all_used()?;
    let flow_leaves = flow.unwrap_or(flow_leaves);
    Ok(written_yaml(&data(state, value)?, Layout { sorted: sorted.unwrap_or(true), flow_leaves, ..Layout::default() }))
}
