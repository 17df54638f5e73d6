//! The places where values of `mem` can be written: a file that is merged last, or where the value stands and nothing but the tool uses it.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use tpv_analysis::explain::Provenance;
use tpv_config::Config;
use tpv_config::entity::{Common, Entity};
use tpv_model::{Amount, EntityClass, Resource};
use tpv_text::figures::count;
use tpv_text::source::{SourceId, SourceMap, Span, is_url};
use tpv_text::splice::splice;

use crate::history::{History, Key};
use crate::patch::{Value, patch};
use crate::propose::Keep;
use crate::report::place;
use crate::today::SetBy;

/// The form in which proposals are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Not at all: a value is tried in the file that is merged last, or in its place if a rule sets it.
    None,
    /// A file that is merged last.
    Patch,
    /// Edits of the config files.
    Edits,
}

/// The way to write a value for a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// An entity in the file that is merged last.
    Patch,
    /// In place of the value here.
    Edit(Span),
}

/// The reason that a tool's value cannot be written: by kind, and in words.
pub type NoWay = (Keep, String);

/// A file with its new text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edited {
    /// The path.
    pub name: String,
    /// The text that it had.
    pub old: String,
    /// The text that it gets.
    pub new: String,
}

/// Texts that give tools their values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// The file that is merged last, if a value is in it.
    pub patch: Option<String>,
    /// The files with other values.
    pub files: Vec<Edited>,
}

/// The way to write the value of each tool and what sets its memory.
pub fn ways(
    history: &History,
    form: Form,
    provenance: &Provenance<'_>,
    origin: Option<(&Config, &SourceMap)>,
) -> HashMap<Key, Result<Way, NoWay>> {
    let mut sharing = HashMap::new();
    for key in history.groups.keys() {
        *sharing.entry(place(key.setter, provenance).map(|place| place.to_string())).or_insert(0_u64) += 1;
    }
    let way = |key: &Key| -> Result<Way, NoWay> {
        let Some((config, sources)) = origin else {
            return Err((Keep::NotTried, "the rules are an artifact: name the config files".to_owned()));
        };
        let shown = place(key.setter, provenance).map(|place| place.to_string());
        let others = sharing.get(&shown).copied().unwrap_or(1) - 1;
        let at = shown.as_deref().unwrap_or("nowhere");
        match (key.setter.by, form) {
            (SetBy::Other, _) => Err((Keep::OfOther, format!("its memory is not the tool's: it is set at {at}"))),
            (SetBy::Tool, Form::None | Form::Patch) => Ok(Way::Patch),
            (SetBy::Rule, Form::Patch) => {
                Err((Keep::OfRule, format!("a rule sets its memory at {at}: `--write` changes it there")))
            }
            _ => value_at(key, at, others, provenance, config, sources)
                .map(Way::Edit)
                .map_err(|reason| (Keep::NotReplaceable, reason)),
        }
    };
    history.groups.keys().map(|key| (key.clone(), way(key))).collect()
}

/// Writes values.
pub fn written<'v>(values: impl Iterator<Item = (&'v Value, Way)> + Clone, sources: &SourceMap) -> Written {
    let patched = values.clone().filter(|(_, way)| *way == Way::Patch).map(|(value, _)| value);
    let has_patch = patched.clone().next().is_some();
    let mut files = BTreeMap::<SourceId, Vec<(Range<usize>, &str)>>::new();
    for (value, way) in values {
        if let Way::Edit(span) = way {
            files.entry(span.source).or_default().push((span.range(), &value.mem));
        }
    }
    let edited = files.into_iter().filter_map(|(id, mut changes)| {
        let source = sources.get(id)?;
        changes.sort_by_key(|(range, _)| range.start);
        let (name, old) = (source.name.to_string(), source.text.to_string());
        let new = splice(&old, changes);
        Some(Edited { name, old, new })
    });
    Written { files: edited.collect(), patch: has_patch.then(|| patch(patched)) }
}

/// The value that sets a tool's memory, if it can be replaced without effect on others; else the reason.
fn value_at(
    key: &Key,
    shown: &str,
    others: u64,
    provenance: &Provenance<'_>,
    config: &Config,
    sources: &SourceMap,
) -> Result<Span, String> {
    if others > 0 {
        return Err(format!(
            "the value at {shown} is that of {}, too: `--patch` gives it its own",
            count(others, "other tool")
        ));
    }
    let Some(place) = place(key.setter, provenance) else {
        return Err("nothing sets its memory: `--patch` does".to_owned());
    };
    let is_here = |common: &Common| {
        let span = common.amounts.get(Amount::Resource(Resource::Mem)).map(|value| value.span)?;
        let at = sources.place(span);
        let is_here = span.source.0 == place.source
            && at.line == place.line as usize
            && u32::try_from(at.column).is_ok_and(|column| column == place.column);
        is_here.then_some(span)
    };
    // Inherited and aliased values have several owners.
    let entities = EntityClass::SECTIONS.into_iter().flat_map(|class| config.section(class).values());
    let mut owners = entities.flat_map(|entity| entity.commons().filter_map(is_here).map(move |span| (entity, span)));
    let (Some((owner, span)), others) = (owners.next(), owners.count()) else {
        return Err(format!("its memory is not written as a value of `mem` at {shown}: `--patch` gives it its own"));
    };
    if others > 0 || is_parent(owner, config) {
        return Err(format!("others inherit the value at {shown}: `--patch` gives it its own"));
    }
    let Some(source) = sources.get(span.source) else { return Err(format!("{shown} is of no file")) };
    if source.is_filled() {
        return Err(format!("{shown} is filled in from a template: write `mem` there by hand"));
    }
    if is_url(&source.name) || &*source.name == "<stdin>" {
        return Err(format!("{shown} is not of a file here: `--patch` gives it its own"));
    }
    if !is_plain(&source.text, &span.range()) {
        return Err(format!(
            "the value at {shown} is in braces, has an anchor or several lines: write `mem` there by hand"
        ));
    }
    Ok(span)
}

/// Returns `true` if other entities have what this one says.
fn is_parent(entity: &Entity, config: &Config) -> bool {
    let is_default = config.global.default_inherits.as_ref().is_some_and(|id| id.as_str() == &*entity.id);
    let mut inheriting = config.section(entity.class).values().filter_map(|other| other.common.inherits.as_ref());
    is_default || entity.common.is_abstract || inheriting.any(|id| id.as_str() == &*entity.id)
}

/// Returns `true` if the value is on one line with its key and nothing between them, and ends there.
fn is_plain(text: &str, range: &Range<usize>) -> bool {
    let (Some(before), Some(value)) = (text.get(..range.start), text.get(range.clone())) else { return false };
    let line = before.rsplit('\n').next().unwrap_or_default().trim_end();
    let after = text.get(range.end..).unwrap_or_default().split('\n').next().unwrap_or_default().trim();
    let has_key = ["mem:", "\"mem\":", "'mem':"].iter().any(|key| line.trim_start_matches("- ").trim() == *key);
    has_key && !value.contains('\n') && !value.is_empty() && (after.is_empty() || after.starts_with('#'))
}

#[cfg(test)]
mod tests {
    use super::is_plain;

    #[test]
    fn only_plain_values_are_replaced() {
        for (text, value, is) in [
            ("a:\n  mem: 4  # of old\n", "4", true),
            ("a:\n  'mem': \"4 * 2\"\n", "\"4 * 2\"", true),
            ("a:\n  mem: &m 4\n", "4", false),
            ("a: {cores: 1, mem: 4}\n", "4", false),
            ("a:\n  mem: |\n    4\n", "|\n    4\n", false),
            ("a:\n  mem:\n    4\n", "4", false),
            ("a:\n  mem: 4 *\n    2\n", "4 *\n    2", false),
        ] {
            let start = text.find(value).unwrap_or_default();
            assert_eq!(is_plain(text, &(start..start + value.len())), is, "{text}");
        }
    }
}
