//! The filters that Ansible has besides Jinja's, as far as configs use them.

use fancy_regex::Regex;
use minijinja::value::{Kwargs, Rest, ValueKind};
use minijinja::{Environment, Error, ErrorKind, Value};
use tpv_runtime::galaxy::json::{Json, Reader};

use super::to_json;
use crate::yaml::write::{Layout, yaml};

/// What to do about a filter that is not there.
pub(super) const HELP: &str =
    "docs/pipeline.md lists the filters; give what it would give as a variable in a file of `--vars`";

/// Adds the filters.
pub(super) fn add(environment: &mut Environment<'static>) {
    environment.add_filter("basename", basename);
    environment.add_filter("bool", bool);
    environment.add_filter("combine", combine);
    environment.add_filter("dict2items", dict_to_items);
    environment.add_filter("dirname", dirname);
    environment.add_filter("mandatory", mandatory);
    environment.add_filter("quote", quote);
    environment.add_filter("regex_replace", regex_replace);
    environment.add_filter("ternary", ternary);
    environment.add_filter("to_json", json);
    environment.add_filter("to_nice_json", nice_json);
    environment.add_filter("to_nice_yaml", nice_yaml);
    environment.add_filter("to_yaml", nice_yaml);
}

fn wrong(message: impl Into<String>) -> Error {
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

fn combine(value: Value, others: Rest<Value>, options: Kwargs) -> Result<Value, Error> {
    let recursive: Option<bool> = options.get("recursive")?;
    options.assert_all_used()?;
    others.iter().try_fold(value, |sum, other| merged(&sum, other, recursive.unwrap_or(false)))
}

fn merged(one: &Value, other: &Value, recursive: bool) -> Result<Value, Error> {
    if one.kind() != ValueKind::Map || other.kind() != ValueKind::Map {
        return Err(wrong("`combine` takes mappings"));
    }
    let mut pairs: Vec<(Value, Value)> = Vec::new();
    for key in one.try_iter()? {
        let value = one.get_item(&key)?;
        pairs.push((key, value));
    }
    for key in other.try_iter()? {
        let value = other.get_item(&key)?;
        match pairs.iter_mut().find(|(known, _)| *known == key) {
            Some((_, old)) if recursive && old.kind() == ValueKind::Map && value.kind() == ValueKind::Map => {
                *old = merged(old, &value, true)?;
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

fn quote(text: String) -> String {
    let is_plain = !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "@%+=:,./-_".contains(c));
    if is_plain { text } else { format!("'{}'", text.replace('\'', "'\"'\"'")) }
}

/// Python's `re.sub`, with `\1` and `\g<name>` for what groups matched.
fn regex_replace(text: String, pattern: String, replacement: Option<String>) -> Result<String, Error> {
    let regex = Regex::new(&pattern).map_err(|error| wrong(format!("`{pattern}` is no pattern: {error}")))?;
    let replacement = replacement.unwrap_or_default();
    let mut template = String::new();
    let mut rest = replacement.chars().peekable();
    while let Some(c) = rest.next() {
        match (c, rest.peek()) {
            ('$', _) => template.push_str("$$"),
            ('\\', Some(digit)) if digit.is_ascii_digit() => {
                template.push_str("${");
                while let Some(digit) = rest.next_if(char::is_ascii_digit) {
                    template.push(digit);
                }
                template.push('}');
            }
            ('\\', Some('g')) => {
                rest.next();
                rest.next_if_eq(&'<');
                template.push_str("${");
                template.extend(std::iter::from_fn(|| rest.next().filter(|c| *c != '>')));
                template.push('}');
            }
            (c, _) => template.push(c),
        }
    }
    regex
        .try_replacen(&text, 0, template.as_str())
        .map(std::borrow::Cow::into_owned)
        .map_err(|error| wrong(format!("`{pattern}` gives up: {error}")))
}

fn ternary(value: &Value, yes: Value, no: Value, none: Option<Value>) -> Value {
    match none {
        Some(none) if value.is_none() => none,
        _ if value.is_true() => yes,
        _ => no,
    }
}

fn json(value: &Value) -> Result<String, Error> {
    Ok(to_json(value)?.to_string())
}

fn nice_json(value: &Value) -> Result<String, Error> {
    serde_json::to_string_pretty(&to_json(value)?).map_err(|error| wrong(error.to_string()))
}

/// Blocks with sorted keys. How far they are indented does not change what YAML reads.
fn nice_yaml(value: &Value, options: Kwargs) -> Result<String, Error> {
    // What Ansible passes on to PyYAML.
    for name in ["indent", "width", "sort_keys", "default_flow_style"] {
        let _: Option<Value> = options.get(name)?;
    }
    options.assert_all_used()?;
    let text = to_json(value)?.to_string();
    let json = Json::read(&mut Reader::new(&text)).map_err(|_| wrong("the value is no data"))?;
    Ok(yaml(&json, Layout { sorted: true, ..Layout::default() }))
}
