//! The loader of TPV before 3.0, whose entities are plain objects without types.
//!
//! It takes what is empty for what is not there, ignores what it does not ask for, and takes any number for code. Here each value becomes the
//! one that means the same to the checks of later versions; what no job could use stays as it is, and the checks refuse it.

use std::sync::Arc;

use super::Validator;
use tpv_model::{Amount, EntityClass, TagType};
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostic;
use tpv_yaml::value::{ConfigValue, Entry, Map, Text, ValueKind};

/// The object that a field belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Entity,
    Rule,
}

impl Validator<'_> {
    /// A file of a version without models, as the checks of those with models take it.
    pub(super) fn plain(&mut self, root: ConfigValue) -> ConfigValue {
        if self.version.has_models() {
            return root;
        }
        let is_first = !std::mem::replace(&mut self.has_files, true);
        rewritten(root, |mut entry| {
            let key = entry.key.as_str()?;
            if let Some(class) = EntityClass::of_section(key) {
                entry.value = rewritten(entry.value, |entry| Some(self.plain_entity(class, entry)));
            } else if key == "global" {
                // The settings of the first file are kept as they are; those of later files count if there are any.
                if !is_first && !entry.value.python_bool() && !self.version.evaluates_early() {
                    return None;
                }
                entry.value = rewritten(entry.value, plain_global);
            }
            Some(entry)
        })
    }

    fn plain_entity(&mut self, class: EntityClass, mut entry: Entry) -> Entry {
        // The id of a destination is a name, those of others are patterns.
        if class == EntityClass::Destination {
            entry.key = texted(entry.key);
        }
        if !entry.value.python_bool() {
            self.is_old |= entry.value.is_null();
            entry.value.kind = ValueKind::Map(Arc::default());
        }
        entry.value = rewritten(entry.value, |field| self.plain_field(field, Place::Entity));
        entry
    }

    /// A field; `None` if it is as if it were not there.
    fn plain_field(&mut self, mut entry: Entry, place: Place) -> Option<Entry> {
        let key = entry.key.as_str()?.to_owned();
        let is_empty = !entry.value.python_bool();
        match key.as_str() {
            "evaluator" | "no_qa_codes" => return None,
            "id" if place == Place::Entity || is_empty => return None,
            "if" | "match" | "scheduling" | "rules" if is_empty => {
                self.is_old |= entry.value.is_null();
                return None;
            }
            // An empty mapping or list is a value, which `None` is not.
            "env" | "params" | "context" | "resubmit" if is_empty && entry.value.as_map().is_none() => return None,
            "tags" if is_empty && !matches!(entry.value.kind, ValueKind::List(_)) => return None,
            "id" | "runner" | "if" | "match" if !matches!(entry.value.kind, ValueKind::Bool(_)) => {
                entry.value = texted(entry.value);
            }
            // An empty one hides that of the parent.
            "inherits" | "rank" | "execute" | "fail" | "destination_name_override" if !entry.value.is_null() => {
                entry.value = if is_empty { text_of("", &entry.value) } else { texted(entry.value) };
            }
            "env" | "params" | "context" | "resubmit" => {
                entry.value = rewritten(entry.value, |entry| Some(named(entry)))
            }
            "tags" => {
                self.is_old |= entry.value.as_text().is_some();
                entry.value = each(entry.value, texted);
            }
            "scheduling" => entry.value = rewritten(entry.value, |list| self.plain_tags(list)),
            "rules" => {
                entry.value = each(entry.value, |rule| rewritten(rule, |field| self.plain_field(field, Place::Rule)));
            }
            key if Amount::from_name(key).is_some() => {
                // Numbers and booleans stay what they are.
                if let ValueKind::Date(_) | ValueKind::DateTime(_) | ValueKind::Tagged(_) = entry.value.kind {
                    entry.value = texted(entry.value);
                }
            }
            _ => {}
        }
        Some(entry)
    }

    /// A list of tags: whatever Python iterates.
    fn plain_tags(&mut self, mut entry: Entry) -> Option<Entry> {
        let key = entry.key.as_str()?;
        if TagType::from_field(key).is_none() {
            return Some(entry);
        }
        if !entry.value.python_bool() {
            entry.value.kind = ValueKind::Null;
            return Some(entry);
        }
        let items: Vec<ConfigValue> = match &entry.value.kind {
            ValueKind::Str(text) => {
                self.is_old = true;
                self.problems.push(
                    Diagnostic::warning(format!("each character of `{key}` is a tag"))
                        .code(Code::WrongType)
                        .at(text.span, format!("TPV {} takes a list from this string", self.version))
                        .help(format!("write a list: `{key}: [{}]`", text.value)),
                );
                text.value.chars().map(|tag| text_of(tag.encode_utf8(&mut [0; 4]), &entry.value)).collect()
            }
            ValueKind::Map(map) => map.entries.iter().map(|tag| texted(tag.key.clone())).collect(),
            ValueKind::List(items) | ValueKind::Set(items) => items.iter().cloned().map(texted).collect(),
            _ => return Some(entry),
        };
        entry.value.kind = ValueKind::List(Arc::new(items));
        Some(entry)
    }
}

fn plain_global(mut entry: Entry) -> Option<Entry> {
    match entry.key.as_str()? {
        "context" | "default_inherits" if !entry.value.python_bool() => return None,
        "context" => entry.value = rewritten(entry.value, |entry| Some(named(entry))),
        "default_inherits" => entry.value = texted(entry.value),
        _ => {}
    }
    Some(entry)
}

/// An entry whose key is a text: what a number is called in the answer.
fn named(entry: Entry) -> Entry {
    Entry { key: texted(entry.key), ..entry }
}

/// A scalar as Python's `str()`, which is what code is made of. Lists and mappings stay: they are no keys of the table of compiled code.
fn texted(value: ConfigValue) -> ConfigValue {
    match &value.kind {
        ValueKind::Str(_) | ValueKind::List(_) | ValueKind::Set(_) | ValueKind::Map(_) | ValueKind::OrderedMap(_) => {
            value
        }
        _ => text_of(&value.python_str(), &value),
    }
}

fn text_of(text: &str, value: &ConfigValue) -> ConfigValue {
    ConfigValue::new(ValueKind::Str(Text::new(text, value.span)), value.span)
}

/// A mapping with each entry replaced; any other value as it is.
fn rewritten(value: ConfigValue, replace: impl FnMut(Entry) -> Option<Entry>) -> ConfigValue {
    let span = value.span;
    let ValueKind::Map(map) = value.kind else { return value };
    let entries = Arc::unwrap_or_clone(map).entries.into_iter().filter_map(replace).collect();
    ConfigValue::new(ValueKind::Map(Arc::new(Map { entries })), span)
}

/// A list with each item replaced; any other value as it is.
fn each(value: ConfigValue, replace: impl FnMut(ConfigValue) -> ConfigValue) -> ConfigValue {
    let span = value.span;
    let ValueKind::List(items) = value.kind else { return value };
    ConfigValue::new(ValueKind::List(Arc::new(Arc::unwrap_or_clone(items).into_iter().map(replace).collect())), span)
}
