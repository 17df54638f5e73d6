//! The values of variables: as in Ansible, a text among them may be a template itself, of further variables.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::convert::Infallible;

use minijinja::{Environment, ErrorKind, Value};

use super::files::named;
use super::nesting::Guarded;
use super::placeholder::{Recorder, Why, placeholder, used};
use super::variables::Variables;
use tpv_text::source::Unfilled;
use tpv_yaml::value::{ConfigValue, ValueKind};

/// The most variables that are made of one another in a row.
const DEEPEST: usize = 100;

/// The variables that a template uses.
pub(super) struct Resolved {
    /// Their values.
    pub(super) values: BTreeMap<String, Value>,
    /// The faults of those that have none; these are undefined in the template, which may have a default for them.
    pub(super) faults: BTreeMap<String, Unfilled>,
}

/// The values of some variables, with those that they are made of. `may_miss` says which may have a placeholder.
pub(super) fn resolve(
    variables: &Variables,
    environment: &Environment<'_>,
    names: &HashSet<String>,
    may_miss: &dyn Fn(&str) -> bool,
    recorder: &Recorder,
) -> Resolved {
    let mut resolving = Resolving {
        variables,
        environment,
        may_miss,
        recorder,
        done: BTreeMap::new(),
        faults: BTreeMap::new(),
        undeclared: BTreeSet::new(),
        open: Vec::new(),
    };
    names.iter().for_each(|name| resolving.variable(name));
    // Those of the template itself: what a variable lacks is its own fault.
    let undeclared = resolving.undeclared.iter().filter(|name| names.contains(*name));
    let undeclared = undeclared.map(|name| (name.clone(), placeholder(name, Why::Undeclared, recorder)));
    let values = resolving.done.into_iter().chain(undeclared).collect();
    Resolved { values, faults: resolving.faults }
}

/// A key of a mapping. Numbers stay numbers, as in Ansible: `{{ disks.5.path }}` is for the key `5`, `{{ disks['5'].path }}` for `"5"`.
fn key(key: &ConfigValue) -> Value {
    match &key.kind {
        ValueKind::Int(number) => Value::from(*number),
        ValueKind::Bool(truth) | ValueKind::AnchoredBool(truth) => Value::from(*truth),
        _ => Value::from(key.python_str()),
    }
}

/// The name that an expression begins with.
pub(super) fn root(code: &str) -> &str {
    let code = code.trim_start_matches(|char: char| !char.is_alphabetic() && char != '_');
    let end = code.find(|char: char| !char.is_alphanumeric() && char != '_').unwrap_or(code.len());
    code.get(..end).unwrap_or("")
}

/// A value of which nothing is a template.
pub(super) fn plain(value: &ConfigValue) -> Value {
    let made: Result<Value, Infallible> = made_of(value, &mut |leaf| Ok(scalar(leaf)));
    made.unwrap_or_else(|never| match never {})
}

/// A value whose scalars `leaf` makes.
fn made_of<E>(value: &ConfigValue, leaf: &mut dyn FnMut(&ConfigValue) -> Result<Value, E>) -> Result<Value, E> {
    Ok(match &value.kind {
        ValueKind::List(items) | ValueKind::Set(items) => {
            let items: Result<Vec<Value>, E> = items.iter().map(|item| made_of(item, leaf)).collect();
            Value::from(items?)
        }
        ValueKind::Map(map) | ValueKind::OrderedMap(map) => {
            let pairs: Result<Vec<(Value, Value)>, E> =
                map.entries.iter().map(|entry| Ok((key(&entry.key), made_of(&entry.value, leaf)?))).collect();
            Value::from_pairs(pairs?)
        }
        _ => leaf(value)?,
    })
}

fn scalar(value: &ConfigValue) -> Value {
    match &value.kind {
        ValueKind::Null => Value::from(()),
        ValueKind::Bool(truth) | ValueKind::AnchoredBool(truth) => Value::from(*truth),
        ValueKind::Int(number) => Value::from(*number),
        ValueKind::Float(number) => Value::from(*number),
        _ => Value::from(value.python_str()),
    }
}

struct Resolving<'a> {
    variables: &'a Variables,
    environment: &'a Environment<'a>,
    may_miss: &'a dyn Fn(&str) -> bool,
    recorder: &'a Recorder,
    done: BTreeMap<String, Value>,
    faults: BTreeMap<String, Unfilled>,
    /// Names that are no variables.
    undeclared: BTreeSet<String>,
    /// Those that are being made.
    open: Vec<String>,
}

impl Resolving<'_> {
    fn variable(&mut self, name: &str) {
        if self.done.contains_key(name) || self.faults.contains_key(name) {
            return;
        }
        let value = match self.variables.get(name) {
            None => None,
            Some(_) if self.open.iter().any(|open| open == name) || self.open.len() >= DEEPEST => {
                Some(Err(self.wrong(name, "it is made of itself")))
            }
            Some(value) => {
                self.open.push(name.to_owned());
                let value = self.value(name, value);
                self.open.pop();
                Some(value)
            }
        };
        let is_global = || self.environment.globals().any(|(global, _)| global == name);
        match value {
            Some(Ok(value)) => {
                self.done.insert(name.to_owned(), value);
            }
            None if is_global() => {}
            _ if (self.may_miss)(name) => {
                self.done.insert(name.to_owned(), placeholder(name, Why::Missing, self.recorder));
            }
            Some(Err(fault)) => {
                self.faults.insert(name.to_owned(), *fault);
            }
            None => {
                self.undeclared.insert(name.to_owned());
            }
        }
    }

    fn wrong(&self, name: &str, what: &str) -> Box<Unfilled> {
        Box::new(Unfilled {
            message: format!("the variable `{name}` cannot be filled in: {what}"),
            at: None,
            help: "correct it in its file, or give it in a later file of `--vars`".to_owned(),
            notes: vec![format!("it is at {}", self.variables.place(name))],
        })
    }

    fn value(&mut self, name: &str, value: &ConfigValue) -> Result<Value, Box<Unfilled>> {
        made_of(value, &mut |leaf| match &leaf.kind {
            ValueKind::Str(text) => self.text(name, text.as_str()),
            ValueKind::Tagged(scalar) if scalar.tag.ends_with("vault") || scalar.tag.ends_with("vault-encrypted") => {
                Ok(placeholder(name, Why::Vaulted, self.recorder))
            }
            _ => Ok(scalar(leaf)),
        })
    }

    /// A text, which may be a template; one that is nothing but an expression has the kind that the expression has.
    fn text(&mut self, name: &str, text: &str) -> Result<Value, Box<Unfilled>> {
        if !text.contains("{{") && !text.contains("{%") {
            return Ok(Value::from(text));
        }
        let environment = self.environment;
        let guarded = Guarded::new(text, environment.syntax());
        let template =
            environment.template_from_str(&guarded.text).map_err(|error| self.failed(name, &error, &guarded.text))?;
        let mut names = template.undeclared_variables(false);
        names.extend(named(text, environment.syntax()).variables);
        names.iter().for_each(|used| self.variable(used));
        let recorder = Recorder::default();
        let undeclared = self.undeclared.iter().filter(|name| names.contains(*name));
        let undeclared = undeclared.map(|name| (name.clone(), placeholder(name, Why::Undeclared, &recorder)));
        let context = Value::from_pairs(self.done.clone().into_iter().chain(undeclared));
        let expression = guarded.text.trim().strip_prefix("{{").and_then(|rest| rest.strip_suffix("}}"));
        let whole = expression.filter(|inner| !inner.contains("{{") && !inner.contains("}}"));
        let value = match whole.map(|inner| inner.trim_matches('-').trim()) {
            None => template.render(context).map(Value::from),
            Some(expression) => {
                environment.compile_expression_owned(expression.to_owned()).and_then(|compiled| compiled.eval(context))
            }
        };
        let whole = whole.map_or(guarded.text.as_str(), |inner| inner.trim_matches('-').trim());
        if let Ok(value) = &value {
            used(value);
        }
        if let Some((missing, _)) = recorder.used().first_key_value() {
            return Err(self.undefined(name, missing));
        }
        let value = value.map_err(|error| self.failed(name, &error, whole))?;
        if value.is_undefined() { Err(self.undefined(name, whole)) } else { Ok(value) }
    }

    fn undefined(&self, name: &str, code: &str) -> Box<Unfilled> {
        // The variable that it is made of may have a fault of its own.
        match self.faults.get(root(code)) {
            Some(fault) => Box::new(fault.clone()),
            None => self.wrong(name, &format!("`{}` is not among the variables", code.trim())),
        }
    }

    fn failed(&self, name: &str, error: &minijinja::Error, whole: &str) -> Box<Unfilled> {
        let source = error.template_source().unwrap_or(whole);
        let code = error.range().and_then(|range| source.get(range)).unwrap_or("");
        if error.kind() == ErrorKind::UndefinedError && !code.is_empty() {
            return self.undefined(name, code);
        }
        self.wrong(name, error.detail().unwrap_or(&error.kind().to_string()))
    }
}
