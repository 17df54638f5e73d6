//! T218: parents that only another file has.

use std::collections::{BTreeMap, HashMap};

use super::files::Files;
use crate::lint::Linter;
use tpv_config::entity::Entity;
use tpv_model::EntityClass;
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::finding::Finding;

/// Looks at the parents that each file names.
pub(super) fn check(linter: &mut Linter<'_>, files: &Files<'_>) {
    for kind in EntityClass::SECTIONS {
        let homes: HashMap<&str, _> =
            files.sections(kind).flat_map(|(source, section)| section.keys().map(move |id| (&**id, source))).collect();
        for (source, section) in files.sections(kind) {
            let mut children: BTreeMap<&str, Vec<&Entity>> = BTreeMap::new();
            for entity in section.values() {
                let parent = entity.common.inherits.as_ref().map(|parent| parent.as_str());
                if let Some(parent) = parent.filter(|parent| !parent.is_empty() && !section.contains_key(*parent)) {
                    children.entry(parent).or_default().push(entity);
                }
            }
            for (parent, children) in children {
                let Some(home) = homes.get(parent).filter(|home| **home != source) else { continue };
                let home = linter.sources.get(*home).map_or("", |source| &*source.name);
                linter.report(elsewhere(kind, parent, &children, home));
            }
        }
    }
}

/// One finding for all that name a parent in one file.
fn elsewhere(kind: EntityClass, parent: &str, children: &[&Entity], home: &str) -> Finding {
    let noun = kind.noun();
    let link = children.first().and_then(|child| child.common.inherits.as_ref());
    let span = link.map(|link| link.span).unwrap_or_default();
    let others = match children.len() {
        0 | 1 => String::new(),
        2 => ", and one more that names it".to_owned(),
        more => format!(", and {} more that name it", more - 1),
    };
    let first = children.first().map_or("", |child| &*child.id);
    let diagnostic = Diagnostic::warning(format!("the parent `{parent}` is only in another file"))
        .at(span, format!("defined in `{home}`"))
        .note(format!(
            "alone or before that file, this file does not load: `InvalidParentException` for the {noun} `{first}`{others}"
        ))
        .help(format!("define `{parent}` in this file, or always load `{home}` before it"));
    Finding::new(Code::ForeignParent, diagnostic)
        .within(children.iter().map(|child| child.common.no_qa_codes.as_slice()))
}
