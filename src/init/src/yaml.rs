//! A text of a repository as YAML, as Ansible reads it.

use tpv_config::job_conf::block;
use tpv_text::diagnostic::{Diagnostics, Severity};
use tpv_text::source::SourceMap;
use tpv_yaml::Duplicates;
use tpv_yaml::value::{ConfigValue, Map, ValueKind};

/// The deepest values that are looked at.
const DEEPEST: usize = 24;

/// A text as YAML, with the places of its values.
pub(super) struct Yaml {
    sources: SourceMap,
    /// The document.
    pub(super) root: ConfigValue,
}

impl Yaml {
    /// Reads a text as Ansible does. `None` if it is no YAML.
    pub(super) fn of(name: &str, text: &str) -> Option<Self> {
        let (mut sources, mut problems) = (SourceMap::new(), Diagnostics::new());
        let id = sources.add(name, text);
        let document = tpv_yaml::load_with(&sources, id, Duplicates::LastCounts, &mut problems)?;
        let is_sound = problems.iter().all(|problem| problem.severity != Severity::Error);
        is_sound.then_some(Self { sources, root: document.root })
    }

    /// The line of a value, from 1.
    pub(super) fn line(&self, value: &ConfigValue) -> usize {
        self.sources.place(value.span).line
    }

    /// Returns `true` for a text that is a block of lines (`|`).
    pub(super) fn has_block(&self, value: &ConfigValue) -> bool {
        let source = self.sources.get(value.span.source);
        source.is_some_and(|source| block(&source.text, value).is_some())
    }

    /// Calls `visit` for each mapping, with the key that it is below, or that of the list that it is in.
    pub(super) fn maps<'a>(&'a self, visit: &mut dyn FnMut(&str, &'a Map)) {
        below(&self.root, "", DEEPEST, visit);
    }
}

fn below<'a>(value: &'a ConfigValue, key: &str, depth: usize, visit: &mut dyn FnMut(&str, &'a Map)) {
    let Some(depth) = depth.checked_sub(1) else { return };
    match &value.kind {
        ValueKind::Map(map) | ValueKind::OrderedMap(map) => {
            visit(key, map);
            for entry in &map.entries {
                below(&entry.value, entry.key.as_str().unwrap_or(""), depth, visit);
            }
        }
        ValueKind::List(items) => items.iter().for_each(|item| below(item, key, depth, visit)),
        _ => {}
    }
}
