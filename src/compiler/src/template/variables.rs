//! The variables of templates: YAML and JSON files, later over earlier. As in Ansible, a text among them may be a template itself.

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;

use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, Value};

use super::nesting::Guarded;
use crate::config::suggest::closest;
use crate::diagnostic::{Diagnostic, Diagnostics, Problem, Severity};
use crate::source::{Limits, SourceMap, Unfilled};
use crate::yaml;
use crate::yaml::value::{ConfigValue, ValueKind};

/// The variables of some files.
#[derive(Debug, Default)]
pub(super) struct Variables {
    values: BTreeMap<String, ConfigValue>,
    /// The places of the names, for messages.
    places: BTreeMap<String, String>,
    are_given: bool,
}

impl Variables {
    /// Reads files, later over earlier.
    pub(super) fn read(files: &[PathBuf]) -> Result<Self, Problem> {
        let (mut sources, mut problems) = (SourceMap::new(), Diagnostics::new());
        let mut all = Self { are_given: !files.is_empty(), ..Self::default() };
        for file in files {
            let name = file.to_string_lossy();
            let id = match sources.load(&name, &Limits::default()) {
                Ok(id) => id,
                Err(error) => {
                    let problem = Diagnostic::error(format!("the variables cannot be read from `{name}`: {error}"));
                    problems.push(problem.help(error.help()));
                    continue;
                }
            };
            let Some(document) = yaml::load(&sources, id, &mut problems) else { continue };
            match &document.root.kind {
                ValueKind::Map(map) => {
                    for entry in &map.entries {
                        let key = entry.key.python_str();
                        all.places.insert(key.clone(), sources.locate(entry.key.span));
                        all.values.insert(key, entry.value.clone());
                    }
                }
                ValueKind::Null => {}
                _ => {
                    let what = document.root.describe();
                    problems.push(
                        Diagnostic::error(format!("variables are a mapping, and this is {what}"))
                            .at(document.root.span, "")
                            .help("write `name: value` on each line"),
                    );
                }
            }
        }
        let error = problems.iter().find(|problem| problem.severity == Severity::Error).cloned();
        error.map_or(Ok(all), |diagnostic| Err(Problem::new(diagnostic, sources)))
    }

    /// Returns `true` if there are files with variables.
    pub(super) fn are_given(&self) -> bool {
        self.are_given
    }

    /// Returns `true` if a file has the variable.
    pub(super) fn has(&self, name: &str) -> bool {
        self.values.contains_key(name)
    }

    /// The variable that a name may be a misspelling of.
    pub(super) fn near(&self, name: &str) -> Option<&str> {
        closest(name, self.values.keys().map(String::as_str))
    }

    /// The values of some variables, with those that they are made of.
    pub(super) fn resolve(
        &self,
        environment: &Environment<'_>,
        names: &HashSet<String>,
    ) -> Result<Value, Box<Unfilled>> {
        let mut resolving = Resolving { all: self, environment, done: BTreeMap::new(), open: Vec::new() };
        for name in names {
            resolving.variable(name)?;
        }
        Ok(Value::from_pairs(resolving.done))
    }
}

/// The most variables that are made of one another in a row.
const DEEPEST: usize = 100;

/// A key of a mapping. Numbers stay numbers, as in Ansible: `{{ disks.5.path }}` is for the key `5`, `{{ disks['5'].path }}` for `"5"`.
fn key(key: &ConfigValue) -> Value {
    match &key.kind {
        ValueKind::Int(number) => Value::from(*number),
        ValueKind::Bool(truth) | ValueKind::AnchoredBool(truth) => Value::from(*truth),
        _ => Value::from(key.python_str()),
    }
}

struct Resolving<'a> {
    all: &'a Variables,
    environment: &'a Environment<'a>,
    done: BTreeMap<String, Value>,
    /// Those that are being made.
    open: Vec<String>,
}

impl Resolving<'_> {
    fn variable(&mut self, name: &str) -> Result<(), Box<Unfilled>> {
        let Some(value) = self.all.values.get(name).filter(|_| !self.done.contains_key(name)) else { return Ok(()) };
        if self.open.iter().any(|open| open == name) || self.open.len() >= DEEPEST {
            return Err(self.wrong(name, "it is made of itself"));
        }
        self.open.push(name.to_owned());
        let value = self.value(name, value)?;
        self.open.pop();
        self.done.insert(name.to_owned(), value);
        Ok(())
    }

    fn wrong(&self, name: &str, what: &str) -> Box<Unfilled> {
        let place = self.all.places.get(name).map_or("", String::as_str);
        Box::new(Unfilled {
            message: format!("the variable `{name}` cannot be filled in: {what}"),
            at: None,
            help: "correct it in its file, or give it in a later file of `--vars`".to_owned(),
            notes: vec![format!("it is at {place}")],
        })
    }

    fn value(&mut self, name: &str, value: &ConfigValue) -> Result<Value, Box<Unfilled>> {
        Ok(match &value.kind {
            ValueKind::Null => Value::from(()),
            ValueKind::Bool(truth) | ValueKind::AnchoredBool(truth) => Value::from(*truth),
            ValueKind::Int(number) => Value::from(*number),
            ValueKind::Float(number) => Value::from(*number),
            ValueKind::Str(text) => return self.text(name, text.as_str()),
            ValueKind::Tagged(scalar) => Value::from(scalar.text.as_str()),
            ValueKind::BigInt(_) | ValueKind::Date(_) | ValueKind::DateTime(_) => Value::from(value.python_str()),
            ValueKind::List(items) | ValueKind::Set(items) => {
                let items: Result<Vec<Value>, _> = items.iter().map(|item| self.value(name, item)).collect();
                Value::from(items?)
            }
            ValueKind::Map(map) | ValueKind::OrderedMap(map) => {
                let pairs: Result<Vec<(Value, Value)>, Box<Unfilled>> =
                    map.entries.iter().map(|entry| Ok((key(&entry.key), self.value(name, &entry.value)?))).collect();
                Value::from_pairs(pairs?)
            }
        })
    }

    /// A text, which may be a template; one that is nothing but an expression has the kind that the expression has.
    fn text(&mut self, name: &str, text: &str) -> Result<Value, Box<Unfilled>> {
        if !text.contains("{{") && !text.contains("{%") {
            return Ok(Value::from(text));
        }
        let environment = self.environment;
        let failed = |resolving: &Self, error: &minijinja::Error| {
            let what = error.detail().map_or_else(|| error.kind().to_string(), str::to_owned);
            resolving.wrong(name, &what)
        };
        let guarded = Guarded::new(text, &SyntaxConfig::default());
        let template = environment.template_from_str(&guarded.text).map_err(|error| failed(self, &error))?;
        for used in template.undeclared_variables(false) {
            self.variable(&used)?;
        }
        let context = Value::from_pairs(self.done.clone());
        let expression = text.trim().strip_prefix("{{").and_then(|rest| rest.strip_suffix("}}"));
        let whole = expression.filter(|inner| !inner.contains("{{") && !inner.contains("}}"));
        match whole {
            Some(expression) => {
                let expression = environment
                    .compile_expression_owned(expression.trim().to_owned())
                    .map_err(|error| failed(self, &error))?;
                let value = expression.eval(context).map_err(|error| failed(self, &error))?;
                if value.is_undefined() {
                    return Err(self.wrong(name, &format!("`{text}` is not among the variables")));
                }
                Ok(value)
            }
            None => Ok(Value::from(template.render(context).map_err(|error| failed(self, &error))?)),
        }
    }
}
