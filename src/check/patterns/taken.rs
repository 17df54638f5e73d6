//! T215: a whole id that is the beginning of another, whose jobs it takes, too.

use std::collections::HashMap;

use tpv_python::regex::ast::{At, Node, RepeatKind};

use super::keys::{Key, Keys};
use crate::check::parts::{Name, joined, parts};
use crate::config::entity::Entity;
use crate::diagnostic::Diagnostic;
use crate::lint::{Finding, Linter};
use crate::source::Span;

/// Another id that a key matches.
struct Taken<'a> {
    /// Whose jobs.
    by: &'a Entity,
    /// What they get.
    names: Vec<String>,
}

/// Looks at every id that is known since it is a key.
pub(super) fn check(linter: &mut Linter<'_>, keys: &Keys<'_>) {
    let mut taken: HashMap<usize, Vec<Taken<'_>>> = HashMap::new();
    for key in keys.list.iter().filter(|key| key.is_plain) {
        let Some(id) = key.example().filter(|id| !id.is_empty()) else { continue };
        let matching = keys.matching(&id);
        if matching.len() < 2 {
            continue;
        }
        for place in &matching {
            let Some(other) = keys.list.get(*place).filter(|other| other.is_plain && !std::ptr::eq(*other, key)) else {
                continue;
            };
            let Some(width) = whole_id(&other.pattern.body) else { continue };
            // A longer path is a version of the same tool.
            if id.chars().nth(width).is_none_or(|next| next == '/') {
                continue;
            }
            let names = changed(keys, &matching, *place);
            if !names.is_empty() {
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

/// How many characters a pattern has that spells one id: letters, and the dots of host names. `None` for others.
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

/// What the jobs of an id get of one of the keys that match it, and would not have without it.
fn changed(keys: &Keys<'_>, matching: &[usize], place: usize) -> Vec<String> {
    let with = effective(keys, matching.iter().copied());
    let without = effective(keys, matching.iter().copied().filter(|other| *other != place));
    let mut names: Vec<String> = with
        .iter()
        .filter(|(name, value)| without.get(*name) != Some(value))
        .map(|(name, _)| name.to_string())
        .collect();
    names.sort_unstable();
    names
}

/// All parts that entities have together, each over those before it, and their rules.
fn effective<'a>(keys: &'a Keys<'_>, places: impl Iterator<Item = usize>) -> HashMap<Name<'a>, String> {
    let entities =
        keys.default.into_iter().chain(places.filter_map(|place| keys.list.get(place)).map(|key| key.entity));
    let mut out = HashMap::new();
    for entity in entities {
        out.extend(parts(&entity.common).into_iter().map(|part| (part.name, part.value.into_owned())));
        let rules = entity.rules.values().map(|rule| (Name::Entry("rules", &rule.id), written_at(rule.span)));
        out.extend(rules);
    }
    out
}

/// A place as text: two rules are the same where they are written at one.
fn written_at(span: Span) -> String {
    format!("{}:{}", span.source.0, span.start)
}

fn takes(key: &Key<'_>, keys: &Keys<'_>, first: &Taken<'_>, all: &[Taken<'_>]) -> Finding {
    let noun = keys.kind.noun();
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
        .note("ids are patterns for what an id begins with")
        // `toolshed.g2.bx.psu.edu/repos/OWNER/REPOSITORY/ID`, and a version after it.
        .help(match exact.matches('/').count() {
            4 => format!("write `{exact}/.*` for the versions of this tool alone"),
            _ => format!("write `{exact}$` for this id alone, or `{exact}.*` if all are meant"),
        });
    Finding::new("T215", diagnostic).of(&key.entity.common)
}
