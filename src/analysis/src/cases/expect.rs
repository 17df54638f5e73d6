//! A case's expectations of the answer to its job, and their comparison with the answer.

use std::fmt::Write;

use tpv_galaxy::answer::{Answer, Field};
use tpv_galaxy::json::{Json, write_text};
use tpv_model::Quantity;
use tpv_python::regex::{Effort, Regex};

use super::fields::{Fields, fields, texts};
use super::keys::ERROR;
use super::range::Range;
use crate::json_number::to_f64;
use tpv_text::diagnostic::{Diagnostic, Diagnostics};
use tpv_text::source::Span;
use tpv_yaml::value::{ConfigValue, ValueKind};

/// Something that must hold.
pub struct Expectation {
    /// The part of the answer it concerns.
    pub subject: Subject,
    /// The required value.
    pub wanted: Wanted,
    /// The expectation's location in the file.
    pub at: Span,
}

/// The subject of an expectation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// `destination`
    Destination,
    /// `runner`
    Runner,
    /// `cores`, `mem` or `gpus`
    Amount(Quantity),
    /// A variable of `env`.
    Env(String),
    /// A parameter of `params`.
    Param(String),
    /// `tags`
    Tags,
    /// A destination of `not_on`.
    NotOn,
    /// A rule of `rules`.
    Rule,
    /// `error`: a part of the error's whole text.
    Error,
    /// `error.type`
    ErrorType,
    /// `error.message`
    ErrorMessage,
    /// `delay` of an attempt.
    Delay,
}

impl Subject {
    /// The name used in messages.
    pub fn name(&self) -> String {
        match self {
            Self::Destination => "destination".to_owned(),
            Self::Runner => "runner".to_owned(),
            Self::Amount(quantity) => quantity.name().to_owned(),
            Self::Env(name) => format!("env {name}"),
            Self::Param(name) => format!("params {name}"),
            Self::Tags => "tags".to_owned(),
            Self::NotOn => "not_on".to_owned(),
            Self::Rule => "rules".to_owned(),
            Self::Error => "error".to_owned(),
            Self::ErrorType => "error type".to_owned(),
            Self::ErrorMessage => "error message".to_owned(),
            Self::Delay => "delay".to_owned(),
        }
    }

    /// `true` if this expectation concerns the job's error.
    pub fn is_error(&self) -> bool {
        matches!(self, Self::Error | Self::ErrorType | Self::ErrorMessage)
    }
}

/// The requirement on a value.
pub enum Wanted {
    /// `null`
    Null,
    /// A boolean.
    Bool(bool),
    /// A number.
    Number(Json),
    /// A text.
    Text(String),
    /// A text in which a regular expression of Python is found: written `~ expression`.
    Pattern(String, Box<Regex>),
    /// A number between bounds: written `> 8` or `>= 8, < 20`.
    Range(Range),
    /// A list of as many items.
    List(Vec<Wanted>),
    /// An object of the same keys.
    Object(Vec<(String, Wanted)>),
}

impl Wanted {
    /// Reads what a value must be; an expression that Python refuses is a problem.
    pub(super) fn read(value: &ConfigValue, problems: &mut Diagnostics) -> Option<Self> {
        Some(match &value.kind {
            ValueKind::Null => Self::Null,
            ValueKind::Bool(value) | ValueKind::AnchoredBool(value) => Self::Bool(*value),
            ValueKind::Int(_) | ValueKind::BigInt(_) | ValueKind::Float(_) => {
                Self::Number(super::fields::json_of(value))
            }
            ValueKind::List(list) | ValueKind::Set(list) => {
                Self::List(list.iter().map(|item| Self::read(item, problems)).collect::<Option<_>>()?)
            }
            ValueKind::Map(map) | ValueKind::OrderedMap(map) => {
                let entry = |entry: &tpv_yaml::value::Entry, problems: &mut Diagnostics| {
                    Some((entry.key.python_str(), Self::read(&entry.value, problems)?))
                };
                Self::Object(map.entries.iter().map(|item| entry(item, problems)).collect::<Option<_>>()?)
            }
            _ => Self::text(&value.python_str(), value.span, problems)?,
        })
    }

    /// A text, or the regular expression behind `~ `.
    pub(super) fn text(text: &str, at: Span, problems: &mut Diagnostics) -> Option<Self> {
        let Some(expression) = text.strip_prefix("~ ") else { return Some(Self::Text(text.to_owned())) };
        match Regex::new(expression, 0) {
            Ok(regex) => Some(Self::Pattern(expression.to_owned(), Box::new(regex))),
            Err(error) => {
                problems.push(
                    Diagnostic::error(format!("this is not a regular expression: {}", error.text(expression)))
                        .at(at, "")
                        .help("after `~ `, write a regular expression of Python's `re`"),
                );
                None
            }
        }
    }

    /// A number, or the bounds of one. What else the code of a rule makes of it is a value like any other.
    pub(super) fn number(value: &ConfigValue, problems: &mut Diagnostics) -> Option<Self> {
        match value.as_str().filter(|text| text.starts_with(['<', '>'])) {
            Some(text) => Range::read(text, value.span, problems).map(Self::Range),
            None => Self::read(value, problems),
        }
    }

    /// A value of `env`, which TPV makes a text of.
    fn of_variable(value: &ConfigValue, problems: &mut Diagnostics) -> Option<Self> {
        match &value.kind {
            ValueKind::Null => Some(Self::Null),
            _ => Self::text(&value.python_str(), value.span, problems),
        }
    }

    /// Returns `true` if a value satisfies it: numbers by value, floats to nine digits.
    pub fn holds(&self, value: &Json) -> bool {
        match (self, value) {
            (Self::Null, Json::Null) => true,
            // What is not set is none of it.
            (Self::Range(range), Json::Null) => range.holds(0.0),
            (Self::Range(range), value) => to_f64(value).is_some_and(|number| range.holds(number)),
            (Self::Bool(wanted), Json::Bool(value)) => wanted == value,
            (Self::Number(wanted), value) => same_number(wanted, value),
            (Self::Text(wanted), Json::Str(value)) => **wanted == **value,
            (Self::Pattern(_, regex), Json::Str(value)) => finds(regex, value),
            (Self::List(wanted), Json::List(values)) => {
                wanted.len() == values.len() && wanted.iter().zip(values).all(|(wanted, value)| wanted.holds(value))
            }
            (Self::Object(wanted), Json::Object(values)) => {
                wanted.len() == values.len()
                    && wanted.iter().all(|(name, wanted)| value.get(name).is_some_and(|value| wanted.holds(value)))
            }
            _ => false,
        }
    }

    /// Returns `true` if a text contains it.
    fn is_in(&self, text: &str) -> bool {
        match self {
            Self::Pattern(_, regex) => finds(regex, text),
            Self::Text(part) => text.contains(&**part),
            _ => false,
        }
    }

    /// As the file says it.
    pub fn show(&self) -> String {
        let mut out = String::new();
        self.write(&mut out, true);
        out
    }

    fn write(&self, out: &mut String, is_outermost: bool) {
        match self {
            Self::Null => out.push_str("none"),
            Self::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Self::Number(number) => write_text(out, number),
            Self::Text(text) if is_outermost && !text.is_empty() => out.push_str(text),
            Self::Text(text) => write_text(out, &Json::str(text.as_str())),
            Self::Pattern(expression, _) => {
                let _ = write!(out, "a text with /{expression}/");
            }
            Self::Range(range) => out.push_str(&range.text),
            Self::List(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    out.push_str(if index > 0 { ", " } else { "" });
                    item.write(out, false);
                }
                out.push(']');
            }
            Self::Object(items) => {
                out.push('{');
                for (index, (name, item)) in items.iter().enumerate() {
                    out.push_str(if index > 0 { ", " } else { "" });
                    write_text(out, &Json::str(name.as_str()));
                    out.push_str(": ");
                    item.write(out, false);
                }
                out.push('}');
            }
        }
    }
}

/// Returns `true` if an expression is found in a text. One that gives up on a text has found nothing.
fn finds(regex: &Regex, text: &str) -> bool {
    regex.search(text, 0, &Effort::default()).is_ok_and(|found| found.is_some())
}

/// Returns `true` if two numbers are equal, floats to nine digits: to the author of a test, `3.8 * 8` is 30.4.
fn same_number(wanted: &Json, value: &Json) -> bool {
    match (wanted, value) {
        (Json::Int(wanted), Json::Int(value)) => wanted == value,
        (Json::BigInt(wanted), Json::BigInt(value)) => wanted == value,
        _ => match (to_f64(wanted), to_f64(value)) {
            (Some(wanted), Some(value)) => {
                wanted == value
                    || (wanted.is_nan() && value.is_nan())
                    || (wanted - value).abs() <= 1e-9 * wanted.abs().max(value.abs())
            }
            _ => false,
        },
    }
}

impl Expectation {
    /// Reads all that is expected of a case.
    pub(super) fn read_all(expect: &Fields<'_>, problems: &mut Diagnostics) -> Vec<Self> {
        let mut out = Vec::new();
        for (name, value) in expect.iter() {
            Self::read(name, value, &mut out, problems);
        }
        let error = out.iter().find(|one| one.subject.is_error()).map(|one| one.at);
        let other = out.iter().find(|one| !one.subject.is_error() && one.subject != Subject::Rule);
        if let (Some(error), Some(other)) = (error, other) {
            problems.push(
                Diagnostic::error(format!("a job that ends in an error has no `{}`", other.subject.name()))
                    .at(other.at, "")
                    .also(error, "the error that is expected")
                    .help("expect the one or the other"),
            );
        }
        out
    }

    fn read(name: &'static str, value: &ConfigValue, out: &mut Vec<Self>, problems: &mut Diagnostics) {
        if let Some(quantity) = Quantity::from_name(name) {
            let subject = Subject::Amount(quantity);
            out.extend(Wanted::number(value, problems).map(|wanted| Self { subject, wanted, at: value.span }));
            return;
        }
        let subject = match name {
            "destination" => Subject::Destination,
            "runner" => Subject::Runner,
            "tags" => Subject::Tags,
            "env" | "params" => {
                for entry in value.as_map().iter().flat_map(|map| &map.entries) {
                    let key = entry.key.python_str();
                    let (subject, wanted) = match name {
                        "env" => (Subject::Env(key), Wanted::of_variable(&entry.value, problems)),
                        _ => (Subject::Param(key), Wanted::read(&entry.value, problems)),
                    };
                    out.extend(wanted.map(|wanted| Self { subject, wanted, at: entry.value.span }));
                }
                return;
            }
            "not_on" | "rules" => {
                let subject = if name == "rules" { Subject::Rule } else { Subject::NotOn };
                for (text, at) in texts(name, value, problems) {
                    let wanted = Wanted::text(text, at, problems);
                    out.extend(wanted.map(|wanted| Self { subject: subject.clone(), wanted, at }));
                }
                return;
            }
            _ if value.as_str().is_some() => Subject::Error,
            _ => {
                let Some(error) = fields(value, &ERROR, "an error", problems) else { return };
                for (name, value) in error.iter() {
                    let subject = if name == "type" { Subject::ErrorType } else { Subject::ErrorMessage };
                    out.extend(Wanted::read(value, problems).map(|wanted| Self { subject, wanted, at: value.span }));
                }
                return;
            }
        };
        out.extend(Wanted::read(value, problems).map(|wanted| Self { subject, wanted, at: value.span }));
    }
}

/// A failed expectation.
#[derive(Clone, Debug)]
pub struct Mismatch {
    /// The number of the attempt, from 1. `None` for a case that is mapped once.
    pub attempt: Option<u32>,
    /// The part of the answer (`cores`, `env TMPDIR`), or `None` if the whole answer is of another sort.
    pub subject: Option<Subject>,
    /// The expected value; empty if the file gives none.
    pub expected: String,
    /// The value received.
    pub came: String,
    /// The value that came, where it is one of the answer.
    pub value: Option<Json>,
    /// The expectation's location in the file.
    pub at: Option<Span>,
    /// The origin of the value, in lines.
    pub why: Vec<String>,
}

impl Mismatch {
    /// The mismatch of a whole answer, to be filled in.
    pub(super) fn whole(at: Option<Span>) -> Self {
        Self {
            attempt: None,
            subject: None,
            expected: String::new(),
            came: String::new(),
            value: None,
            at,
            why: Vec::new(),
        }
    }

    /// The name used in reports: `cores`, `attempt 2 mem`, `answer`.
    pub fn name(&self) -> String {
        match (self.attempt, &self.subject) {
            (None, None) => "answer".to_owned(),
            (None, Some(subject)) => subject.name(),
            (Some(attempt), None) => format!("attempt {attempt}"),
            (Some(attempt), Some(subject)) => format!("attempt {attempt} {}", subject.name()),
        }
    }
}

/// The expectations that an answer does not meet; `fired` are the ids of the rules that fired.
pub fn compare(expect: &[Expectation], answer: &Answer, fired: &[String]) -> Vec<Mismatch> {
    let whole = |expected: &str, came: String| Mismatch {
        expected: expected.to_owned(),
        came,
        ..Mismatch::whole(expect.first().map(|one| one.at))
    };
    let came = || {
        answer
            .error_text()
            .unwrap_or_else(|| format!("destination {}", shown(&answer.get(Field::Id).unwrap_or(Json::Null))))
    };
    if expect.is_empty() {
        let mut nothing = whole("", came());
        nothing.why = vec!["the case expects nothing: `tpvc test --update` records the answer".to_owned()];
        return vec![nothing];
    }
    let expects_error = expect.iter().any(|one| one.subject.is_error());
    let expects_answer = expect.iter().any(|one| !one.subject.is_error() && one.subject != Subject::Rule);
    let mut found = Vec::new();
    match answer.error() {
        Some(_) if expects_answer => found.push(whole("a destination", came())),
        None if expects_error => found.push(whole("an error", came())),
        _ => {}
    }
    let is_other = !found.is_empty();
    let held = |one: &&Expectation| one.subject == Subject::Rule || !is_other;
    for one in expect.iter().filter(held) {
        found.extend(one.check(answer, fired));
    }
    found
}

impl Expectation {
    /// The part of the answer that it concerns. `None` if there is no such part.
    fn value(&self, answer: &Answer, fired: &[String]) -> Option<Json> {
        let of = |field: Field| answer.get(field).unwrap_or(Json::Null);
        Some(match &self.subject {
            Subject::Destination | Subject::NotOn => of(Field::Id),
            Subject::Runner => of(Field::Runner),
            Subject::Amount(quantity) => of((*quantity).into()),
            Subject::Tags => of(Field::Tags),
            Subject::Env(name) => variable(&of(Field::Env), name),
            Subject::Param(name) => of(Field::Params).get(name).cloned().unwrap_or(Json::Null),
            // Not of the answer: `attempts` compares it.
            Subject::Delay => return None,
            Subject::Rule if fired.is_empty() => Json::Null,
            Subject::Rule => Json::str(fired.join(", ")),
            Subject::ErrorType => Json::str(answer.error()?.0),
            Subject::ErrorMessage => Json::str(shown(answer.error()?.1)),
            Subject::Error => Json::str(answer.error_text()?),
        })
    }

    /// The mismatch of an answer that must not have this, and has it.
    pub(super) fn forbidden(&self, answer: &Answer, fired: &[String]) -> Option<Mismatch> {
        let value = self.value(answer, fired)?;
        let expected = match self.subject {
            Subject::NotOn => self.wanted.show(),
            _ => format!("never {}", self.wanted.show()),
        };
        let subject = Some(self.subject.clone());
        Some(Mismatch { subject, expected, came: shown(&value), value: None, ..Mismatch::whole(Some(self.at)) })
    }

    fn check(&self, answer: &Answer, fired: &[String]) -> Option<Mismatch> {
        let mismatch = |expected: String, came: String, value: Option<Json>| {
            let subject = Some(self.subject.clone());
            Some(Mismatch { subject, expected, came, value, ..Mismatch::whole(Some(self.at)) })
        };
        let value = self.value(answer, fired)?;
        match &self.subject {
            Subject::NotOn if self.wanted.holds(&value) => {
                return mismatch(format!("not {}", self.wanted.show()), shown(&value), None);
            }
            Subject::NotOn => return None,
            Subject::Rule => {
                let is_fired = fired.iter().any(|rule| self.wanted.holds(&Json::str(rule.as_str())));
                return if is_fired { None } else { mismatch(self.wanted.show(), shown(&value), None) };
            }
            Subject::Error | Subject::ErrorMessage => {
                let holds = matches!(&value, Json::Str(text) if self.wanted.is_in(text));
                return if holds { None } else { mismatch(self.wanted.show(), shown(&value), Some(value)) };
            }
            _ => {}
        }
        if self.wanted.holds(&value) {
            return None;
        }
        let (mut expected, mut came) = (self.wanted.show(), shown(&value));
        if expected == came {
            // The text "4" is not the number 4.
            expected.clear();
            self.wanted.write(&mut expected, false);
            came.clear();
            write_text(&mut came, &value);
        }
        mismatch(expected, came, Some(value))
    }
}

/// The value of a variable of `env`; of several the last, as a shell would have it. One of `file` or `execute` is called by that.
fn variable(env: &Json, name: &str) -> Json {
    let Json::List(entries) = env else { return Json::Null };
    let named = entries.iter().rev().find(|entry| entry.get("name") == Some(&Json::str(name)));
    let value = named.and_then(|entry| entry.get("value"));
    let other = || entries.iter().rev().find_map(|entry| entry.get(name).filter(|_| entry.get("name").is_none()));
    value.or_else(other).cloned().unwrap_or(Json::Null)
}

/// A value as a message shows it: a text bare.
pub(super) fn shown(value: &Json) -> String {
    match value {
        Json::Null => "none".to_owned(),
        Json::Str(text) if !text.is_empty() => text.to_string(),
        other => {
            let mut text = String::new();
            write_text(&mut text, other);
            text
        }
    }
}
