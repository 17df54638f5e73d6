//! T217: a parent that a later file changes, while entities that inherit from it keep what they had.
//!
//! TPV resolves `inherits` after each file, and what an entity has inherited then counts as its own: a field that the parent had by
//! then no later file can change through the parent.

use crate::check::files::Files;
use crate::check::parts::{Part, joined, parts};
use crate::config::entity::{Entity, EntityKind};
use crate::diagnostic::Diagnostic;
use crate::lint::{Finding, Linter};
use crate::source::Span;

/// Looks at the entities that several files have, and at who inherits from them.
pub(super) fn check(linter: &mut Linter<'_>, files: &Files) {
    let config = linter.config;
    for kind in EntityKind::ALL {
        for parent in config.section(kind).values() {
            let definitions = files.definitions(kind, &parent.id);
            let Some((last, earlier)) = definitions.split_last().filter(|(_, earlier)| !earlier.is_empty()) else {
                continue;
            };
            let children: Vec<&Entity> =
                config.section(kind).values().map(|child| &**child).filter(|child| names(child, &parent.id)).collect();
            let old: Vec<Span> =
                earlier.iter().flat_map(|entity| parts(&entity.common)).map(|part| part.span).collect();
            for new in parts(&last.common) {
                // The value that the child has is the earlier parent's: it was written there.
                let is_stale =
                    |part: &Part<'_>| part.name == new.name && part.value != new.value && old.contains(&part.span);
                let stale = |child: &&'_ Entity| parts(&child.common).into_iter().find(is_stale).map(|part| part.span);
                let stale: Vec<(&Entity, Span)> =
                    children.iter().filter_map(|child| Some((*child, stale(child)?))).collect();
                if !stale.is_empty() {
                    linter.report(keeps(kind, parent, &new, &stale));
                }
            }
        }
    }
}

fn names(child: &Entity, parent: &str) -> bool {
    child.common.inherits.as_ref().is_some_and(|name| name.as_str() == parent)
}

fn keeps(kind: EntityKind, parent: &Entity, new: &Part<'_>, stale: &[(&Entity, Span)]) -> Finding {
    let (noun, name) = (kind.noun(), &new.name);
    let ids: Vec<String> = stale.iter().map(|(child, _)| format!("`{}`", child.id)).collect();
    let mut diagnostic =
        Diagnostic::warning(format!("{name} of the parent `{}` does not reach {}", parent.id, joined(&ids)))
            .at(new.span, "who inherited before this file keeps the earlier value");
    if let Some((child, old)) = stale.first() {
        diagnostic = diagnostic.also(*old, format!("the {noun} `{}` has this", child.id)).also(child.span, "");
    }
    let diagnostic = diagnostic
        .note("TPV resolves `inherits` after each file; what was inherited then counts as the child's own")
        .help(format!("change {name} where `{}` is first defined, or set it for each of these here", parent.id));
    let children = stale.iter().map(|(child, _)| child.common.no_qa_codes.as_slice());
    Finding::new("T217", diagnostic).within(children.chain([parent.common.no_qa_codes.as_slice()]))
}
