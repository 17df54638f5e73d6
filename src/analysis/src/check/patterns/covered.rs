//! T212: fields that a later pattern of the same file always overrides. T213: ids that an abstract entry also matches.

use indexmap::IndexMap;

use super::keys::{Key, Keys};
use crate::lint::Linter;
use crate::parts::{Name, Part, joined};
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::finding::{Finding, silences};

/// The cause of a finding: the place of the other key, and the overridden parts (empty for T213).
type Cause<'k> = (usize, Vec<Name<'k>>);

/// Compares the keys that match an id in common. Keys of one cause are one finding.
pub(super) fn check(linter: &mut Linter<'_>, keys: &Keys<'_>) {
    let mut lost: IndexMap<Cause<'_>, Vec<&Key<'_>>> = IndexMap::new();
    for key in keys.plain() {
        // A key that covers this one matches this example too.
        let Some(example) = key.example() else { continue };
        let others = keys.matching(&example).into_iter().filter_map(|place| keys.list.get(place));
        let candidates: Vec<&Key<'_>> = others.filter(|other| other.place != key.place).collect();
        let is_default = |other: &Key<'_>| keys.default.is_some_and(|default| default.id == other.entity.id);
        let mut others = candidates.iter().filter(|other| !is_default(other));
        if let Some(other) = others.find(|other| other.entity.common.is_abstract && keys.covers(other, key)) {
            lost.entry((other.place, Vec::new())).or_default().push(key);
            continue;
        }
        // Overriding by a later file is intentional.
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
        let code = if names.is_empty() { Code::AlsoAbstract } else { Code::OverriddenFields };
        let is_silenced = |key: &Key<'_>| silences(&key.entity.common.no_qa_codes, code);
        members.retain(|key| !is_silenced(key));
        let Some(key) = members.first().copied().filter(|_| !is_silenced(other)) else { continue };
        let ids: Vec<String> = members.iter().map(|key| format!("`{}`", key.entity.id)).collect();
        let nouns = if ids.len() == 1 { keys.class.noun() } else { keys.class.section() };
        let whose = format!("the {nouns} {}", joined(&ids));
        let finding = if names.is_empty() {
            abstract_too(key, other, keys, &whose)
        } else {
            never_used(key, other, keys, &names, &whose)
        };
        linter.report(finding);
    }
}

/// The parts of a key's entity that another entity overrides with different values.
fn overridden<'k>(key: &'k Key<'_>, other: &Key<'_>) -> Vec<Name<'k>> {
    let theirs = other.parts();
    let differs = |part: &&Part<'_>| theirs.iter().any(|their| their.name == part.name && their.value != part.value);
    key.parts().iter().filter(differs).map(|part| part.name).collect()
}

fn never_used(key: &Key<'_>, other: &Key<'_>, keys: &Keys<'_>, names: &[Name<'_>], whose: &str) -> Finding {
    let verb = if names.len() == 1 { "is" } else { "are" };
    let (what, help) = if keys.covers(key, other) {
        ("exactly what this matches", "merge the two entries".to_owned())
    } else {
        ("everything that this matches", format!("move `{}` up, before `{}`", other.entity.id, key.entity.id))
    };
    let first = key.parts().iter().find(|part| names.first() == Some(&part.name));
    let diagnostic = Diagnostic::warning(format!("{} of {whose} {verb} never used", joined(names)))
        .at(first.map_or(key.entity.span, |part| part.span), "overridden by a later entry for every job")
        .also(key.entity.span, "")
        .also(other.entity.span, format!("this comes later, and matches {what}"))
        .note("of all entries that match, each overrides those before it")
        .help(help);
    Finding::new(Code::OverriddenFields, diagnostic)
}

fn abstract_too(key: &Key<'_>, other: &Key<'_>, keys: &Keys<'_>, whose: &str) -> Finding {
    let noun = keys.class.noun();
    let diagnostic = Diagnostic::warning(format!("every job of {whose} fails"))
        .at(key.entity.span, format!("the abstract {noun} `{}` matches all ids that this matches", other.entity.id))
        .also(other.entity.span, "jobs that match an abstract entry are not mapped")
        .note("every id is a pattern that matches from the beginning, also that of an abstract entry")
        .help(format!("give the abstract {noun} a name that isn't the start of an id, such as `_{}`", other.entity.id));
    Finding::new(Code::AlsoAbstract, diagnostic)
}
