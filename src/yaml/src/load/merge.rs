//! Mappings under construction: duplicate keys are refused, merge keys (`<<`) resolved.
//!
//! ruamel.yaml keeps a mapping's own keys first, in their order, then adds the keys of the merged mappings that are not
//! there yet, the first mapping winning over the later ones.

use std::collections::HashMap;
use std::sync::Arc;

use tpv_literal::float_text;

use crate::value::{ConfigValue, Entry, Map, ValueKind};
use tpv_text::diagnostic::{Diagnostic, Diagnostics};
use tpv_text::source::Span;

/// The treatment of a key that occurs twice in a mapping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Duplicates {
    /// It is an error, as for ruamel.yaml.
    Refused,
    /// The last one counts, with a warning, as for Ansible.
    LastCounts,
}

/// Below this many keys, comparing each is quicker than hashing.
const FEW: usize = 12;

/// A mapping under construction.
#[derive(Debug, Default)]
pub(super) struct OpenMap {
    entries: Vec<Entry>,
    /// Places of the keys, once there are more than a few.
    index: HashMap<KeyId, usize>,
    merged: Vec<Arc<Map>>,
    merge_key: Option<Span>,
}

/// Equal for keys that are equal in Python.
#[derive(Debug, PartialEq, Eq, Hash)]
enum KeyId {
    Str(Arc<str>),
    /// Numbers by their canonical text: `1`, `1.0` and `True` are one key.
    Number(String),
    Other(String),
}

impl KeyId {
    fn of(key: &ConfigValue) -> Self {
        match &key.kind {
            ValueKind::Str(text) => Self::Str(text.value.clone()),
            ValueKind::Bool(value) | ValueKind::AnchoredBool(value) => Self::Number(u8::from(*value).to_string()),
            ValueKind::Int(value) => Self::Number(value.to_string()),
            ValueKind::BigInt(value) => Self::Number(value.to_string()),
            ValueKind::Float(value) if value.fract() == 0.0 && value.abs() < 1e15 => {
                Self::Number(format!("{value:.0}"))
            }
            ValueKind::Float(value) => Self::Number(float_text::repr(*value)),
            _ => Self::Other(key.python_repr()),
        }
    }
}

impl OpenMap {
    /// Adds an entry; reports duplicate keys.
    pub(super) fn insert(&mut self, entry: Entry, duplicates: Duplicates, problems: &mut Diagnostics) {
        let Some(first) = self.find(&entry.key) else { return self.push(entry) };
        let message = format!("the key `{}` occurs twice in this mapping", entry.key.python_str());
        let help = "merge both into one, or rename one of them";
        match duplicates {
            Duplicates::Refused => {
                let problem = Diagnostic::error(message).at(entry.key.span, "the second time");
                problems.push(problem.also(first, "the first time").help(help));
            }
            Duplicates::LastCounts => {
                let problem = Diagnostic::warning(message).at(entry.key.span, "this counts");
                problems.push(problem.also(first, "the first time").help(help));
                if let Some(known) = self.entries.iter_mut().find(|known| known.key.span == first) {
                    *known = entry;
                }
            }
        }
    }

    fn push(&mut self, entry: Entry) {
        if self.entries.len() == FEW {
            self.index = self.entries.iter().map(|entry| KeyId::of(&entry.key)).zip(0..).collect();
        }
        if self.entries.len() >= FEW {
            self.index.insert(KeyId::of(&entry.key), self.entries.len());
        }
        self.entries.push(entry);
    }

    /// The span of an existing key.
    fn find(&self, key: &ConfigValue) -> Option<Span> {
        if self.entries.len() >= FEW {
            return self.index.get(&KeyId::of(key)).and_then(|&at| self.entries.get(at)).map(|entry| entry.key.span);
        }
        let same = |entry: &&Entry| match (entry.key.as_str(), key.as_str()) {
            (Some(a), Some(b)) => a == b,
            (None, None) => KeyId::of(&entry.key) == KeyId::of(key),
            _ => false,
        };
        self.entries.iter().find(same).map(|entry| entry.key.span)
    }

    /// Adds the mappings of a merge key. Reports a problem and returns `None` if the value is neither a mapping nor a list of
    /// mappings, or if there is already a merge key.
    pub(super) fn merge(&mut self, key: Span, value: &ConfigValue, problems: &mut Diagnostics) -> Option<()> {
        if let Some(first) = self.merge_key.filter(|_| !self.merged.is_empty()) {
            problems.push(
                Diagnostic::error("the merge key `<<` occurs twice in this mapping")
                    .at(key, "the second time")
                    .also(first, "the first time")
                    .help("write one merge key with a list: `<<: [*first, *second]`"),
            );
            return None;
        }
        self.merge_key = Some(key);
        let wrong = |value: &ConfigValue| {
            Diagnostic::error("a merge key takes a mapping or a list of mappings")
                .at(
                    if value.span.start == value.span.end { key } else { value.span },
                    format!("this is {}", value.describe()),
                )
                .help("name an anchor of a mapping: `<<: *name`")
        };
        match &value.kind {
            ValueKind::Map(map) => self.merged.push(map.clone()),
            ValueKind::List(items) => {
                for item in items.iter() {
                    let Some(map) = item.as_map() else {
                        problems.push(wrong(item));
                        return None;
                    };
                    self.merged.push(map.clone());
                }
            }
            _ => {
                problems.push(wrong(value));
                return None;
            }
        }
        Some(())
    }

    /// The finished mapping.
    pub(super) fn finish(mut self) -> Map {
        for map in std::mem::take(&mut self.merged) {
            for entry in &map.entries {
                if self.find(&entry.key).is_none() {
                    // TPV gathers comments by the keys that the mapping itself writes.
                    self.push(Entry { noqa: None, ..entry.clone() });
                }
            }
        }
        // A vector grows in powers of two: up to half of its capacity would be unused.
        self.entries.shrink_to_fit();
        Map { entries: self.entries }
    }

    /// The end of the last entry so far.
    pub(super) fn end(&self) -> Option<Span> {
        self.entries
            .last()
            .map(|entry| if entry.value.span.end > entry.key.span.end { entry.value.span } else { entry.key.span })
    }
}
