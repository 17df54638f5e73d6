//! T215: a whole id that is the beginning of another, whose jobs it takes, too.

use std::borrow::Cow;
use std::collections::HashMap;

use tpv_python::regex::ast::{At, Node, RepeatKind};

use super::keys::{Key, Keys};
use crate::lint::Linter;
use crate::parts::{Name, joined, parts};
use tpv_config::entity::Entity;
use tpv_model::Field;
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::finding::Finding;
use tpv_text::source::Span;

/// Another id that a key matches.
struct Taken<'a> {
    /// Whose jobs.
    by: &'a Entity,
    /// The fields they get.
    names: Vec<String>,
}

/// Looks at every id that is known since it is a key.
pub(super) fn check(linter: &mut Linter<'_>, keys: &Keys<'_>) {
    let mut taken: HashMap<usize, Vec<Taken<'_>>> = HashMap::new();
    for key in keys.plain() {
        let Some(id) = key.example().filter(|id| !id.is_empty()) else { continue };
        let matching = keys.matching(&id);
        if matching.len() < 2 {
            continue;
        }
        let mut changed = changed(keys, &matching);
        for place in &matching {
            let Some(other) = keys.list.get(*place).filter(|other| other.is_plain && !std::ptr::eq(*other, key)) else {
                continue;
            };
            let Some(width) = whole_id(&other.pattern.body) else { continue };
            // A longer path is a version of the same tool.
            if id.chars().nth(width).is_none_or(|next| next == '/') {
                continue;
            }
            if let Some(names) = changed.remove(place) {
                taken.entry(*place).or_default().push(Taken { by: key.entity, names });
            }
        }
    }
    let mut taken: Vec<_> = taken.into_iter().collect();
    taken.sort_unstable_by_key(|(place, _)| *place);
    for (place, taken) in taken {
        let (Some(key), Some(first)) = (keys.list.get(place), taken.first()) else { continue };
        linter.report(takes(key, keys, first, &taken));
    }
}

/// The number of characters of a pattern that spells one id: letters, and the dots of host names. `None` for others.
fn whole_id(nodes: &[Node]) -> Option<usize> {
    let nodes = match nodes {
        [Node::At(At::Beginning | At::BeginningOfText), rest @ ..] => rest,
        nodes => nodes,
    };
    // `bwa/*` is `bwa` and anything.
    let nodes = match nodes {
        [rest @ .., Node::Repeat { min: 0, max: None, kind: RepeatKind::Greedy, body }]
            if **body == Node::Literal('/'.into()) =>
        {
            rest
        }
        nodes => nodes,
    };
    let is_path = nodes.last() == Some(&Node::Literal('/'.into())) || nodes.last() == Some(&Node::Any);
    let spells = nodes.iter().all(|node| matches!(node, Node::Literal(_) | Node::Any));
    (spells && !is_path && !nodes.is_empty()).then_some(nodes.len())
}

/// The key that sets a part last, with its value and the value that it overrides.
struct Set<'k> {
    place: usize,
    value: Cow<'k, str>,
    before: Option<Cow<'k, str>>,
}

/// The parts that each matching key changes for the jobs of an id, by the places of the keys.
fn changed(keys: &Keys<'_>, matching: &[usize]) -> HashMap<usize, Vec<String>> {
    let default = keys.default.map(|default| parts(&default.common));
    let default = default.iter().flatten().map(|part| (part.name, Cow::Borrowed(&*part.value)));
    let default_rules = keys.default.iter().flat_map(|default| rules(default));
    let mut sets: HashMap<Name<'_>, Set<'_>> = HashMap::new();
    for (name, value) in default.chain(default_rules) {
        sets.insert(name, Set { place: usize::MAX, value, before: None });
    }
    for key in matching.iter().filter_map(|place| keys.list.get(*place)) {
        let own = key.parts().iter().map(|part| (part.name, Cow::Borrowed(&*part.value)));
        for (name, value) in own.chain(rules(key.entity)) {
            keys.charge(2);
            match sets.get_mut(&name) {
                Some(set) if set.place == key.place => set.value = value,
                Some(set) => {
                    let before = std::mem::replace(&mut set.value, value);
                    (set.place, set.before) = (key.place, Some(before));
                }
                None => drop(sets.insert(name, Set { place: key.place, value, before: None })),
            }
        }
    }
    let mut out: HashMap<usize, Vec<String>> = HashMap::new();
    for (name, set) in &sets {
        if set.before.as_ref() != Some(&set.value) {
            out.entry(set.place).or_default().push(name.to_string());
        }
    }
    out.values_mut().for_each(|names| names.sort_unstable());
    out
}

/// The rules of an entity as parts of it.
fn rules(entity: &Entity) -> impl Iterator<Item = (Name<'_>, Cow<'_, str>)> {
    entity.rules.values().map(|rule| (Name::Entry(Field::Rules, &rule.id), written_at(rule.span).into()))
}

/// A place as text: two rules are the same where they are written at one.
fn written_at(span: Span) -> String {
    format!("{}:{}", span.source.0, span.start)
}

fn takes(key: &Key<'_>, keys: &Keys<'_>, first: &Taken<'_>, all: &[Taken<'_>]) -> Finding {
    let noun = keys.class.noun();
    let id = &key.entity.id;
    let mut diagnostic = Diagnostic::warning(format!("`{id}` takes the jobs of `{}`, too", first.by.id))
        .at(key.entity.span, format!("these get {} from here", joined(&first.names)))
        .also(first.by.span, format!("this {noun}'s id begins with the other's"));
    let others: Vec<String> = all.iter().skip(1).map(|taken| format!("`{}`", taken.by.id)).collect();
    if !others.is_empty() {
        diagnostic = diagnostic.note(format!("it takes those of {}, too", joined(&others)));
    }
    let exact = id.trim_end_matches(['*', '/']);
    let diagnostic = diagnostic
        .note("a pattern matches from the start of an id, and anything may follow")
        // `toolshed.g2.bx.psu.edu/repos/OWNER/REPOSITORY/ID`, and a version after it.
        .help(match exact.matches('/').count() {
            4 => format!("write `{exact}/.*` for the versions of this tool alone"),
            _ => format!("write `{exact}$` for this id alone, or `{exact}.*` if all are meant"),
        });
    Finding::new(Code::TakenId, diagnostic).of(&key.entity.common.no_qa_codes)
}
