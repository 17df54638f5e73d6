//! Placeholders: values that stand for variables without one, such as secrets in a vault or facts of a host.
//!
//! A placeholder has any attribute, which is a placeholder, too; it has no items, and is printed as `placeholder_NAME`.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use minijinja::value::{Enumerator, Object, ObjectRepr, Rest};
use minijinja::{Environment, Error, State, Value, filters};

/// The reason that a variable has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// No file has it, and it is not declared as one without a value: its use is an error.
    Undeclared,
    /// No file has it, and it is declared as one without a value.
    Missing,
    /// Ansible Vault encrypts it.
    Vaulted,
}

/// The variables whose placeholders were used.
pub(super) type Used = BTreeMap<String, Why>;

/// Records the use of placeholders.
#[derive(Clone, Debug, Default)]
pub(super) struct Recorder(Arc<Mutex<Used>>);

impl Recorder {
    /// The recorded uses.
    pub(super) fn used(&self) -> Used {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn record(&self, name: &str, why: Why) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned(), why);
    }
}

/// A value that is not known.
#[derive(Debug)]
struct Placeholder {
    /// The variable.
    variable: String,
    why: Why,
    /// The text that it is printed as.
    text: String,
    recorder: Recorder,
}

/// The most bytes of a placeholder's text: an attribute of an attribute has a longer one.
const LONGEST: usize = 200;

/// The beginning of a placeholder's text, before the name of the variable.
pub const PLACEHOLDER: &str = "placeholder_";

/// The variables whose placeholders are in a text.
pub fn variables_in(text: &str) -> impl Iterator<Item = &str> {
    text.split(PLACEHOLDER).skip(1).filter_map(|rest| {
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        rest.get(..end).filter(|name| !name.is_empty())
    })
}

/// The placeholder of a variable.
pub(super) fn placeholder(variable: &str, why: Why, recorder: &Recorder) -> Value {
    part(variable, why, &format!("{PLACEHOLDER}{variable}"), recorder)
}

fn part(variable: &str, why: Why, text: &str, recorder: &Recorder) -> Value {
    let is_word = |char: char| char.is_ascii_alphanumeric() || char == '_';
    let text = text.chars().take(LONGEST).map(|char| if is_word(char) { char } else { '_' }).collect();
    Value::from_object(Placeholder { variable: variable.to_owned(), why, text, recorder: recorder.clone() })
}

/// Adds the filters and tests that treat the placeholder of a missing variable as undefined.
pub(super) fn add(environment: &mut Environment<'static>) {
    let default = |state: &State, value: &Value, args: Rest<Value>| {
        filters::default(state, if is_missing(value) { &Value::UNDEFINED } else { value }, args)
    };
    environment.add_filter("default", default);
    environment.add_filter("d", default);
    environment.add_test("defined", |value: &Value| !value.is_undefined() && !is_missing(value));
    environment.add_test("undefined", |value: &Value| value.is_undefined() || is_missing(value));
}

/// Returns `true` for the placeholder of a variable that is not encrypted, or for a part of it.
fn is_missing(value: &Value) -> bool {
    value.downcast_object_ref::<Placeholder>().is_some_and(|placeholder| placeholder.why != Why::Vaulted)
}

/// Returns `true` for the placeholder of a variable that is not declared.
pub(super) fn is_undeclared(value: &Value) -> bool {
    value.downcast_object_ref::<Placeholder>().is_some_and(|placeholder| placeholder.why == Why::Undeclared)
}

/// Records the use of a value if it is a placeholder.
pub(super) fn used(value: &Value) {
    if let Some(placeholder) = value.downcast_object_ref::<Placeholder>() {
        placeholder.record();
    }
}

impl Placeholder {
    fn record(&self) {
        self.recorder.record(&self.variable, self.why);
    }
}

impl Object for Placeholder {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        Some(part(&self.variable, self.why, &format!("{}_{key}", self.text), &self.recorder))
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        self.record();
        Enumerator::Empty
    }

    fn is_true(self: &Arc<Self>) -> bool {
        self.record();
        true
    }

    fn call(self: &Arc<Self>, _: &mut State<'_, '_>, _: &[Value]) -> Result<Value, Error> {
        Ok(Value::from_dyn_object(self.clone()))
    }

    fn call_method(self: &Arc<Self>, _: &mut State<'_, '_>, _: &str, _: &[Value]) -> Result<Value, Error> {
        Ok(Value::from_dyn_object(self.clone()))
    }

    fn render(self: &Arc<Self>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.record();
        f.write_str(&self.text)
    }
}
