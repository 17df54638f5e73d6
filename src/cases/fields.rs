//! The fields of a mapping of a test file, read by the list of its keys.

use tpv_runtime::galaxy::json::Json;
use tpv_runtime::galaxy::shape::Object;

use super::keys::Kind;
use super::read::wrong_kind;
use crate::config::suggest::{closest, did_you_mean};
use crate::config::validate::unknown::synonym;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::yaml::value::{ConfigValue, Entry, ValueKind};

/// The fields of a mapping, by the names of their keys.
#[derive(Clone, Default)]
pub(super) struct Fields<'v> {
    entries: Vec<(&'static str, &'v Entry)>,
}

impl<'v> Fields<'v> {
    pub(super) fn get(&self, name: &str) -> Option<&'v ConfigValue> {
        self.entry(name).map(|entry| &entry.value)
    }

    pub(super) fn entry(&self, name: &str) -> Option<&'v Entry> {
        self.entries.iter().find(|(known, _)| *known == name).map(|(_, entry)| *entry)
    }

    /// These fields, and those of `other` that are not among them.
    pub(super) fn over(mut self, other: &Self) -> Self {
        for (name, entry) in &other.entries {
            if self.get(name).is_none() {
                self.entries.push((name, entry));
            }
        }
        self
    }

    /// Some of the fields.
    pub(super) fn only(&self, wanted: impl Fn(&str) -> bool) -> Self {
        Self { entries: self.entries.iter().filter(|(name, _)| wanted(name)).copied().collect() }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&'static str, &'v ConfigValue)> {
        self.entries.iter().map(|(name, entry)| (*name, &entry.value))
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.entries.iter().map(|(name, _)| *name)
    }
}

/// The fields of a mapping that may be those of an object. Problems are added, and the fields that have them left out; nothing
/// where the value is no mapping.
pub(super) fn fields<'v>(
    value: &'v ConfigValue,
    object: &Object,
    what: &str,
    problems: &mut Diagnostics,
) -> Option<Fields<'v>> {
    let Some(map) = value.as_map() else {
        problems.push(
            Diagnostic::error(format!("{what} must be a mapping"))
                .at(value.span, format!("this is {}", value.describe()))
                .help("write `key: value` pairs"),
        );
        return None;
    };
    let mut fields = Fields::default();
    for entry in &map.entries {
        let name = entry.key.as_str().unwrap_or_default();
        let Some(key) = object.field(name) else {
            let shown = entry.key.python_str();
            let problem = Diagnostic::error(format!("{what} has no `{shown}`")).at(entry.key.span, "");
            problems.push(match closest(&shown, object.names()).or_else(|| synonym(&shown, object.names())) {
                Some(near) => problem.help(did_you_mean(near)),
                None => {
                    let names: Vec<&str> = object.names().collect();
                    problem.help(format!("it may have `{}`", names.join("`, `")))
                }
            });
            continue;
        };
        let takes = Kind::all_of(&key.shape);
        if takes.iter().any(|kind| kind.is_of(&entry.value)) {
            fields.entries.push((key.name, entry));
        } else {
            problems.push(wrong_kind(&format!("`{name}`"), &takes, &entry.value));
        }
    }
    Some(fields)
}

/// The items of a list.
pub(super) fn items(value: &ConfigValue) -> &[ConfigValue] {
    match &value.kind {
        ValueKind::List(items) | ValueKind::Set(items) => items,
        _ => &[],
    }
}

/// A value as the JSON that a job file would have.
pub(super) fn json_of(value: &ConfigValue) -> Json {
    match &value.kind {
        ValueKind::Null => Json::Null,
        ValueKind::Bool(value) | ValueKind::AnchoredBool(value) => Json::Bool(*value),
        ValueKind::Int(value) => Json::Int(*value),
        ValueKind::BigInt(value) => Json::BigInt((**value).clone()),
        ValueKind::Float(value) => Json::Float(*value),
        ValueKind::Str(_) | ValueKind::Tagged(_) => Json::str(value.python_str()),
        // JSON has no dates: what reads them there takes ISO 8601.
        ValueKind::Date(_) | ValueKind::DateTime(_) => Json::str(value.python_str().replacen(' ', "T", 1)),
        ValueKind::List(items) | ValueKind::Set(items) => Json::List(items.iter().map(json_of).collect()),
        ValueKind::Map(map) | ValueKind::OrderedMap(map) => Json::Object(
            map.entries.iter().map(|entry| (entry.key.python_str().into(), json_of(&entry.value))).collect(),
        ),
    }
}
