//! T212: what a later pattern of the same file always overrides. T213: ids that an abstract one matches, too.

use super::keys::{Key, Keys};
use crate::check::parts::{Part, joined, parts};
use crate::diagnostic::Diagnostic;
use crate::lint::{Finding, Linter};

/// Compares the keys that match an id in common.
pub(super) fn check(linter: &mut Linter<'_>, keys: &Keys<'_>) {
    for key in keys.list.iter().filter(|key| key.is_plain) {
        // Whoever matches all that the key matches, matches this.
        let Some(example) = key.example() else { continue };
        let others = keys.matching(&example).into_iter().filter_map(|place| keys.list.get(place));
        let candidates: Vec<&Key<'_>> = others.filter(|other| other.place != key.place).collect();
        let is_default = |other: &Key<'_>| keys.default.is_some_and(|default| default.id == other.entity.id);
        let mut others = candidates.iter().filter(|other| !is_default(other));
        if let Some(other) = others.find(|other| other.entity.common.is_abstract && keys.covers(other, key)) {
            linter.report(abstract_too(key, other, keys));
            continue;
        }
        // What a later file overrides is overridden on purpose.
        let is_later = |other: &Key<'_>| other.entity.span.source == key.entity.span.source;
        let later = candidates.iter().copied().filter(|other| other.place > key.place);
        let mut lost: Option<(&Key<'_>, Vec<Part<'_>>)> = None;
        for other in later.filter(|other| is_later(other) && !other.entity.common.is_abstract) {
            let overridden = overridden(key, other);
            let most = lost.as_ref().map_or(0, |(_, most)| most.len());
            if overridden.len() > most && keys.covers(other, key) {
                lost = Some((other, overridden));
            }
        }
        if let Some((other, parts)) = lost {
            linter.report(never_counts(key, other, &parts, keys));
        }
    }
}

/// The parts of a key's entity in whose place another's come, where the values differ.
fn overridden<'a>(key: &Key<'a>, other: &Key<'a>) -> Vec<Part<'a>> {
    let theirs = parts(&other.entity.common);
    let differs = |part: &Part<'_>| theirs.iter().any(|their| their.name == part.name && their.value != part.value);
    parts(&key.entity.common).into_iter().filter(differs).collect()
}

fn never_counts(key: &Key<'_>, other: &Key<'_>, lost: &[Part<'_>], keys: &Keys<'_>) -> Finding {
    let noun = keys.kind.noun();
    let names: Vec<String> = lost.iter().map(|part| part.name.to_string()).collect();
    let verb = if names.len() == 1 { "counts" } else { "count" };
    let (what, help) = if keys.covers(key, other) {
        ("exactly what this matches", "make one entry of both".to_owned())
    } else {
        ("all that this matches, too", format!("move `{}` up, before `{}`", other.entity.id, key.entity.id))
    };
    let diagnostic = Diagnostic::warning(format!("{} of the {noun} `{}` never {verb}", joined(&names), key.entity.id))
        .at(lost.first().map_or(key.entity.span, |part| part.span), "a later entry takes its place for every job")
        .also(key.entity.span, "")
        .also(other.entity.span, format!("this comes later, and matches {what}"))
        .note("of all entries that match, each overrides those before it")
        .help(help);
    Finding::new("T212", diagnostic).within([&**key.entity.common.no_qa_codes, &**other.entity.common.no_qa_codes])
}

fn abstract_too(key: &Key<'_>, other: &Key<'_>, keys: &Keys<'_>) -> Finding {
    let noun = keys.kind.noun();
    let diagnostic = Diagnostic::warning(format!("every job of the {noun} `{}` fails", key.entity.id))
        .at(key.entity.span, format!("the abstract {noun} `{}` matches all ids that this matches", other.entity.id))
        .also(other.entity.span, "jobs that meet an abstract entry are not mapped")
        .note("ids are patterns for what an id begins with, those of abstract entries, too")
        .help(format!("give the abstract {noun} a name that no id begins with, such as `_{}`", other.entity.id));
    Finding::new("T213", diagnostic).within([&**key.entity.common.no_qa_codes, &**other.entity.common.no_qa_codes])
}
