//! T212: what a later pattern of the same file always overrides. T213: ids that an abstract one matches, too.

use indexmap::IndexMap;

use super::keys::{Key, Keys};
use crate::check::parts::{Name, Part, joined};
use crate::diagnostic::Diagnostic;
use crate::lint::{Finding, Linter, silences};

/// Keys of one cause: which parts of theirs never count, or none of their jobs is mapped, because of another key.
type Cause<'k> = (usize, Vec<Name<'k>>);

/// Compares the keys that match an id in common. Keys of one cause are one finding.
pub(super) fn check(linter: &mut Linter<'_>, keys: &Keys<'_>) {
    let mut lost: IndexMap<Cause<'_>, Vec<&Key<'_>>> = IndexMap::new();
    for key in keys.plain() {
        // Whoever matches all that the key matches, matches this.
        let Some(example) = key.example() else { continue };
        let others = keys.matching(&example).into_iter().filter_map(|place| keys.list.get(place));
        let candidates: Vec<&Key<'_>> = others.filter(|other| other.place != key.place).collect();
        let is_default = |other: &Key<'_>| keys.default.is_some_and(|default| default.id == other.entity.id);
        let mut others = candidates.iter().filter(|other| !is_default(other));
        if let Some(other) = others.find(|other| other.entity.common.is_abstract && keys.covers(other, key)) {
            lost.entry((other.place, Vec::new())).or_default().push(key);
            continue;
        }
        // What a later file overrides is overridden on purpose.
        let is_later = |other: &Key<'_>| other.entity.span.source == key.entity.span.source;
        let later = candidates.iter().copied().filter(|other| other.place > key.place);
        let mut most: Cause<'_> = (key.place, Vec::new());
        for other in later.filter(|other| is_later(other) && !other.entity.common.is_abstract) {
            let names = overridden(key, other);
            if !keys.charge(key.parts().len() * other.parts().len()) {
                break;
            }
            if names.len() > most.1.len() && keys.covers(other, key) {
                most = (other.place, names);
            }
        }
        if !most.1.is_empty() {
            lost.entry(most).or_default().push(key);
        }
    }
    for ((place, names), mut members) in lost {
        let Some(other) = keys.list.get(place) else { continue };
        let code = if names.is_empty() { "T213" } else { "T212" };
        let is_silenced = |key: &Key<'_>| silences(&key.entity.common.no_qa_codes, code);
        members.retain(|key| !is_silenced(key));
        let Some(key) = members.first().copied().filter(|_| !is_silenced(other)) else { continue };
        let ids: Vec<String> = members.iter().map(|key| format!("`{}`", key.entity.id)).collect();
        let nouns = if ids.len() == 1 { keys.class.noun() } else { keys.class.section() };
        let whose = format!("the {nouns} {}", joined(&ids));
        let finding = if names.is_empty() {
            abstract_too(key, other, keys, &whose)
        } else {
            never_counts(key, other, keys, &names, &whose)
        };
        linter.report(finding);
    }
}

/// The parts of a key's entity in whose place another's come, where the values differ.
fn overridden<'k>(key: &'k Key<'_>, other: &Key<'_>) -> Vec<Name<'k>> {
    let theirs = other.parts();
    let differs = |part: &&Part<'_>| theirs.iter().any(|their| their.name == part.name && their.value != part.value);
    key.parts().iter().filter(differs).map(|part| part.name).collect()
}

fn never_counts(key: &Key<'_>, other: &Key<'_>, keys: &Keys<'_>, names: &[Name<'_>], whose: &str) -> Finding {
    let verb = if names.len() == 1 { "counts" } else { "count" };
    let (what, help) = if keys.covers(key, other) {
        ("exactly what this matches", "make one entry of both".to_owned())
    } else {
        ("everything that this matches, too", format!("move `{}` up, before `{}`", other.entity.id, key.entity.id))
    };
    let first = key.parts().iter().find(|part| names.first() == Some(&part.name));
    let diagnostic = Diagnostic::warning(format!("{} of {whose} never {verb}", joined(names)))
        .at(first.map_or(key.entity.span, |part| part.span), "a later entry takes its place for every job")
        .also(key.entity.span, "")
        .also(other.entity.span, format!("this comes later, and matches {what}"))
        .note("of all entries that match, each overrides those before it")
        .help(help);
    Finding::new("T212", diagnostic)
}

fn abstract_too(key: &Key<'_>, other: &Key<'_>, keys: &Keys<'_>, whose: &str) -> Finding {
    let noun = keys.class.noun();
    let diagnostic = Diagnostic::warning(format!("every job of {whose} fails"))
        .at(key.entity.span, format!("the abstract {noun} `{}` matches all ids that this matches", other.entity.id))
        .also(other.entity.span, "jobs that meet an abstract entry are not mapped")
        .note("ids are patterns for what an id begins with, those of abstract entries, too")
        .help(format!("give the abstract {noun} a name that isn't the start of an id, such as `_{}`", other.entity.id));
    Finding::new("T213", diagnostic)
}
