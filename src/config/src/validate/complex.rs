//! Fields that are lists or mappings: `env`, `params`, `context`, `resubmit`, lists of strings.

use std::sync::Arc;

use super::braces::braced;
use super::scalar::number_or_text;
use super::{Owner, Validator, at_value};
use crate::entity::{Dict, EnvEntry};
use tpv_text::diagnostic::Diagnostic;
use tpv_yaml::load::quoted;
use tpv_yaml::value::{ConfigValue, Entry, Map, Text, ValueKind};

/// The fields of a resubmission that Galaxy knows.
const RESUBMISSION: [&str; 5] = ["condition", "destination", "environment", "handler", "delay"];

impl Validator<'_> {
    /// A field of type `dict[str, Any]`.
    pub(super) fn dict(&mut self, entry: &Entry, owner: Owner<'_>) -> Option<Arc<Dict>> {
        let map = self.mapping(entry, format_args!("`{}`", entry.key.python_str()), Some(owner))?;
        let what = format!("an entry of `{}`", entry.key.python_str());
        let mut dict = Dict::with_capacity(map.entries.len());
        for entry in &map.entries {
            if let Some(key) = self.string_key(entry, &what) {
                dict.insert(key.value, entry.value.clone());
            }
        }
        Some(Arc::new(dict))
    }

    /// A field of type `dict[str, Any] | None`.
    pub(super) fn optional_dict(&mut self, entry: &Entry, owner: Owner<'_>) -> Option<Arc<Dict>> {
        if entry.value.is_null() { None } else { self.dict(entry, owner) }
    }

    /// A field of type `list[str]`.
    pub(super) fn text_list(&mut self, entry: &Entry, owner: Owner<'_>) -> Option<Arc<Vec<Text>>> {
        let name = entry.key.python_str();
        let (ValueKind::List(items) | ValueKind::Set(items)) = &entry.value.kind else {
            let help = match entry.value.as_str() {
                Some(text) if text.starts_with('-') => {
                    let item = text.split(" -").next().unwrap_or(text).trim_start_matches('-').trim_start();
                    format!("put a blank after each dash: `- {item}`")
                }
                Some(text) => {
                    let items: Vec<&str> = text.split([',', ' ']).filter(|item| !item.is_empty()).collect();
                    format!("write a list: `{name}: [{}]`", items.join(", "))
                }
                None => format!("write a list: `{name}: []`"),
            };
            self.wrong_type(entry, owner, "a list of strings", help);
            return None;
        };
        let mut out = Vec::with_capacity(items.len());
        for item in items.iter() {
            let Some(text) = item.as_text() else {
                self.problems.push(
                    Diagnostic::error(format!("`{name}` must be a list of strings"))
                        .at(item.span, format!("this is {}", item.describe()))
                        .also(owner.span, owner.describe())
                        .help(match braced(item) {
                            Some(text) => format!("put it in quotes: `{}`", quoted(&text)),
                            None => format!("put it in quotes: `\"{}\"`", item.python_str()),
                        }),
                );
                continue;
            };
            out.push(text.clone());
        }
        Some(Arc::new(out))
    }

    /// `env`: a mapping, whose values become strings by Python's `str()`, or a list of mappings of strings.
    pub(super) fn env(&mut self, entry: &Entry, owner: Owner<'_>) -> Option<Arc<Vec<EnvEntry>>> {
        match &entry.value.kind {
            ValueKind::Null => None,
            ValueKind::Map(map) => Some(Arc::new(self.env_mapping(map, owner))),
            ValueKind::List(items) | ValueKind::Set(items) => {
                let entries = items.iter().filter_map(|item| self.env_item(item, owner)).collect();
                Some(Arc::new(entries))
            }
            _ => {
                self.wrong_type(entry, owner, "a mapping or a list of mappings", "write `env: {NAME: value}`");
                None
            }
        }
    }

    /// `env` of TPV 1: a mapping of anything.
    pub(super) fn early_env(&mut self, entry: &Entry, owner: Owner<'_>) -> Option<Arc<Vec<EnvEntry>>> {
        if !entry.value.python_bool() {
            return None;
        }
        let dict = self.optional_dict(entry, owner)?;
        let item = |(name, value): (&Arc<str>, &ConfigValue)| {
            let text = ValueKind::Str(Text::new(name.clone(), value.span));
            vec![("name".into(), ConfigValue::new(text, value.span)), ("value".into(), value.clone())]
        };
        Some(Arc::new(dict.iter().map(item).collect()))
    }

    fn env_mapping(&mut self, map: &Map, owner: Owner<'_>) -> Vec<EnvEntry> {
        let mut out = Vec::with_capacity(map.entries.len());
        for entry in &map.entries {
            let Some(name) = self.string_key(entry, "an environment variable") else { continue };
            self.braces(name.as_str(), &entry.value, owner, "every job that comes here fails");
            let span = name.span;
            let name = ConfigValue::new(ValueKind::Str(name), span);
            out.push(vec![("name".into(), name), ("value".into(), texted(&entry.value))]);
        }
        out
    }

    fn env_item(&mut self, item: &ConfigValue, owner: Owner<'_>) -> Option<EnvEntry> {
        let Some(map) = item.as_map() else {
            self.problems.push(
                Diagnostic::error("each item of `env` must be a mapping")
                    .at(item.span, format!("this is {}", item.describe()))
                    .also(owner.span, owner.describe())
                    .help("write `- {name: NAME, value: \"...\"}`, `- {file: ...}` or `- {execute: ...}`"),
            );
            return None;
        };
        let mut out = EnvEntry::with_capacity(map.entries.len());
        for entry in &map.entries {
            let key = self.string_key(entry, "a part of an `env` item");
            let value = match self.version.has_models() {
                true => self.text(entry, owner).map(|_| entry.value.clone()),
                false => Some(texted(&entry.value)),
            };
            if let (Some(key), Some(value)) = (key, value) {
                out.push((key.value, value));
            }
        }
        Some(out)
    }

    /// `resubmit`: a mapping of mappings of strings, numbers and nulls.
    pub(super) fn resubmit(&mut self, entry: &Entry, owner: Owner<'_>) -> Option<Arc<Dict>> {
        let map = self.mapping(entry, "`resubmit`", Some(owner))?;
        if !self.version.has_models() {
            return self.dict(entry, owner);
        }
        if !self.version.has_resubmit_mappings() {
            return Some(Arc::new(self.resubmit_texts(map, owner)));
        }
        let is_field = |entry: &&Entry| {
            entry.value.as_map().is_none() && entry.key.as_str().is_some_and(|key| RESUBMISSION.contains(&key))
        };
        if let Some(field) = map.entries.iter().find(is_field) {
            let name = field.key.python_str();
            self.problems.push(
                Diagnostic::error("`resubmit` must be a mapping of names to resubmissions")
                    .at(field.key.span, format!("`{name}` is a field of a resubmission"))
                    .also(owner.span, owner.describe())
                    .note("TPV replaces inherited resubmissions by their names")
                    .help(format!(
                        "put a name of your choice above them: `resubmit: {{more_memory: {{{name}: ...}}}}`"
                    )),
            );
            return None;
        }
        let mut out = Dict::with_capacity(map.entries.len());
        for entry in &map.entries {
            let key = self.string_key(entry, "an entry of `resubmit`");
            let what = format!("`{}` in `resubmit`", entry.key.python_str());
            let Some(fields) = self.mapping(entry, &what, Some(owner)) else { continue };
            let mut entries = Vec::with_capacity(fields.entries.len());
            for field in &fields.entries {
                self.string_key(field, "a field of a `resubmit` entry");
                if let Some(value) = self.resubmit_value(field, owner) {
                    entries.push(Entry { key: field.key.clone(), value, noqa: None });
                }
            }
            if let Some(key) = key {
                let value = ConfigValue::new(ValueKind::Map(Arc::new(Map { entries })), entry.value.span);
                out.insert(key.value, value);
            }
        }
        Some(Arc::new(out))
    }

    /// `resubmit` before TPV 3.2: a mapping of strings.
    fn resubmit_texts(&mut self, map: &Map, owner: Owner<'_>) -> Dict {
        let mut out = Dict::with_capacity(map.entries.len());
        for entry in &map.entries {
            let key = self.string_key(entry, "an entry of `resubmit`");
            if entry.value.as_map().is_some() {
                let name = entry.key.python_str();
                self.problems.push(
                    Diagnostic::error(format!("TPV {} does not load mappings in `resubmit`", self.version))
                        .at(entry.key.span, format!("`{name}` is a mapping"))
                        .also(owner.span, owner.describe())
                        .help("remove it, or upgrade to TPV 3.2"),
                );
                continue;
            }
            if let (Some(key), Some(text)) = (key, self.text(entry, owner)) {
                let span = text.span;
                out.insert(key.value, ConfigValue::new(ValueKind::Str(text), span));
            }
        }
        out
    }

    fn resubmit_value(&mut self, entry: &Entry, owner: Owner<'_>) -> Option<ConfigValue> {
        if entry.value.is_null() {
            return Some(entry.value.clone());
        }
        let value = number_or_text(&entry.value);
        if value.is_none() {
            let name = entry.key.python_str();
            let problem = Diagnostic::error(format!("`{name}` in `resubmit` must be a string, a number or null"));
            self.problems.push(at_value(problem, entry, Some(owner)).help(format!("write `{name}: \"...\"`")));
        }
        value
    }
}

/// A value as its text, by Python's `str()`.
fn texted(value: &ConfigValue) -> ConfigValue {
    match value.as_text() {
        Some(_) => value.clone(),
        None => ConfigValue::new(ValueKind::Str(Text::new(value.python_str(), value.span)), value.span),
    }
}
