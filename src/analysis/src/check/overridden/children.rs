//! T217: a parent that a later file changes, while entities that inherit from it keep what they had.
//!
//! TPV resolves `inherits` after each file, and what an entity has inherited then counts as its own: a field that the parent had by
//! then no later file can change through the parent.

use std::collections::{HashMap, HashSet};

use crate::check::files::Files;
use crate::lint::Linter;
use crate::parts::{Name, Part, joined, parts};
use tpv_config::entity::Entity;
use tpv_model::EntityClass;
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::finding::Finding;
use tpv_text::source::Span;

/// Looks at the entities that several files have, and at who inherits from them.
pub(super) fn check(linter: &mut Linter<'_>, files: &Files<'_>) {
    let config = linter.config;
    for kind in EntityClass::SECTIONS {
        let mut children: HashMap<&str, Vec<&Entity>> = HashMap::new();
        for child in config.section(kind).values() {
            if let Some(parent) = &child.common.inherits {
                children.entry(parent.as_str()).or_default().push(child);
            }
        }
        for parent in config.section(kind).values() {
            let Some(children) = children.get(&*parent.id) else { continue };
            let definitions = files.definitions(kind, &parent.id);
            let Some((last, earlier)) = definitions.split_last().filter(|(_, earlier)| !earlier.is_empty()) else {
                continue;
            };
            // The value that a stale child has is the earlier parent's: it was written there.
            let old: HashSet<Span> =
                earlier.iter().flat_map(|entity| parts(&entity.common)).map(|part| part.span).collect();
            let of_parent = |part: &Part<'_>| old.contains(&part.span);
            let inherited: Vec<(&Entity, HashMap<Name<'_>, Part<'_>>)> = children
                .iter()
                .map(|child| {
                    let parts = parts(&child.common).into_iter().filter(of_parent);
                    (*child, parts.map(|part| (part.name, part)).collect())
                })
                .collect();
            for new in parts(&last.common) {
                let stale = |parts: &HashMap<Name<'_>, Part<'_>>| {
                    parts.get(&new.name).filter(|part| part.value != new.value).map(|part| part.span)
                };
                let stale: Vec<(&Entity, Span)> =
                    inherited.iter().filter_map(|(child, parts)| Some((*child, stale(parts)?))).collect();
                if !stale.is_empty() {
                    linter.report(keeps(kind, parent, &new, &stale));
                }
            }
        }
    }
}

fn keeps(kind: EntityClass, parent: &Entity, new: &Part<'_>, stale: &[(&Entity, Span)]) -> Finding {
    let (noun, name) = (kind.noun(), &new.name);
    let ids: Vec<String> = stale.iter().map(|(child, _)| format!("`{}`", child.id)).collect();
    let mut diagnostic =
        Diagnostic::warning(format!("{name} of the parent `{}` does not reach {}", parent.id, joined(&ids)))
            .at(new.span, "entities that inherited before this file keep the earlier value");
    if let Some((child, old)) = stale.first() {
        diagnostic = diagnostic.also(*old, format!("the {noun} `{}` has this", child.id)).also(child.span, "");
    }
    let diagnostic = diagnostic
        .note("TPV resolves `inherits` after each file; inherited fields then count as the child's own")
        .help(format!("change {name} where `{}` is first defined, or set it for each of these here", parent.id));
    let children = stale.iter().map(|(child, _)| child.common.no_qa_codes.as_slice());
    Finding::new(Code::UselessChange, diagnostic).within(children.chain([parent.common.no_qa_codes.as_slice()]))
}
