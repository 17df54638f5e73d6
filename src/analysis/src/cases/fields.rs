//! Reads the fields of a test file's mappings, checked against the list of their keys.

use tpv_galaxy::json::Json;
use tpv_galaxy::shape::Object;

use super::keys::Kind;
pub use super::read::wrong_kind;
use tpv_config::validate::unknown::synonym;
use tpv_text::diagnostic::{Diagnostic, Diagnostics};
use tpv_text::source::Span;
use tpv_text::suggest::{closest, did_you_mean};
use tpv_yaml::value::{ConfigValue, Entry, ValueKind};

/// The fields of a mapping, by the names of their keys.
#[derive(Clone, Default)]
pub struct Fields<'v> {
    entries: Vec<(&'static str, &'v Entry)>,
}

impl<'v> Fields<'v> {
    /// The value of a field.
    pub fn get(&self, name: &str) -> Option<&'v ConfigValue> {
        self.entry(name).map(|entry| &entry.value)
    }

    /// A field with its key.
    pub fn entry(&self, name: &str) -> Option<&'v Entry> {
        self.entries.iter().find(|(known, _)| *known == name).map(|(_, entry)| *entry)
    }

    /// Adds the fields of `other` that are missing here.
    pub fn over(mut self, other: &Self) -> Self {
        for (name, entry) in &other.entries {
            if self.get(name).is_none() {
                self.entries.push((name, entry));
            }
        }
        self
    }

    /// Some of the fields.
    pub fn only(&self, wanted: impl Fn(&str) -> bool) -> Self {
        Self { entries: self.entries.iter().filter(|(name, _)| wanted(name)).copied().collect() }
    }

    /// The names and values, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &'v ConfigValue)> {
        self.entries.iter().map(|(name, entry)| (*name, &entry.value))
    }

    /// The names, in order.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.entries.iter().map(|(name, _)| *name)
    }
}

/// Reads the fields of a mapping according to `object`. Unknown and ill-typed fields are reported and skipped. `None` if the
/// value is not a mapping.
pub fn fields<'v>(
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
            let problem = Diagnostic::error(format!("`{shown}` is not a field of {what}")).at(entry.key.span, "");
            problems.push(match closest(&shown, object.names()).or_else(|| synonym(&shown, object.names())) {
                Some(near) => problem.help(did_you_mean(near)),
                None => {
                    let names: Vec<&str> = object.names().collect();
                    problem.help(format!("expected one of `{}`", names.join("`, `")))
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
pub fn items(value: &ConfigValue) -> &[ConfigValue] {
    match &value.kind {
        ValueKind::List(items) | ValueKind::Set(items) => items,
        _ => &[],
    }
}

/// The texts of a field that takes one or a list of them, with their places.
pub(super) fn texts<'v>(name: &str, value: &'v ConfigValue, problems: &mut Diagnostics) -> Vec<(&'v str, Span)> {
    let items = if value.as_str().is_some() { std::slice::from_ref(value) } else { items(value) };
    let mut text = |item: &'v ConfigValue| {
        let text = item.as_str();
        if text.is_none() {
            problems.push(wrong_kind(&format!("an item of `{name}`"), &[Kind::Text], item));
        }
        Some((text?, item.span))
    };
    items.iter().filter_map(&mut text).collect()
}

/// Converts a value to the JSON of a job file.
pub fn json_of(value: &ConfigValue) -> Json {
    match &value.kind {
        ValueKind::Null => Json::Null,
        ValueKind::Bool(value) | ValueKind::AnchoredBool(value) => Json::Bool(*value),
        ValueKind::Int(value) => Json::Int(*value),
        ValueKind::BigInt(value) => Json::BigInt((**value).clone()),
        ValueKind::Float(value) => Json::Float(*value),
        ValueKind::Str(_) | ValueKind::Tagged(_) => Json::str(value.python_str()),
        // JSON has no dates; readers of job files parse ISO 8601.
        ValueKind::Date(_) | ValueKind::DateTime(_) => Json::str(value.python_str().replacen(' ', "T", 1)),
        ValueKind::List(items) | ValueKind::Set(items) => Json::List(items.iter().map(json_of).collect()),
        ValueKind::Map(map) | ValueKind::OrderedMap(map) => Json::Object(
            map.entries.iter().map(|entry| (entry.key.python_str().into(), json_of(&entry.value))).collect(),
        ),
    }
}
