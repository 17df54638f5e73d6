//! T140: `inherits: cluster` where `_cluster`, which `cluster` itself inherits from, is the abstract entity for that.

use std::collections::HashSet;

use super::Linter;
use tpv_compiler::diagnostic::Diagnostic;
use tpv_compiler::finding::Finding;
use tpv_model::EntityClass;

/// Looks at the parents of all entities.
pub(super) fn check(linter: &mut Linter<'_>) {
    let config = linter.config;
    let mut seen = HashSet::new();
    for kind in EntityClass::SECTIONS {
        let section = config.section(kind);
        for entity in section.values() {
            let Some(parent) = entity.common.inherits.as_ref() else { continue };
            let template = format!("_{}", parent.as_str());
            let (Some(concrete), Some(meant)) = (section.get(parent.as_str()), section.get(&*template)) else {
                continue;
            };
            let inherits = concrete.common.inherits.as_ref().is_some_and(|own| own.as_str() == template);
            let fits = !concrete.common.is_abstract && meant.common.is_abstract && inherits;
            if !fits || *entity.id == *template || !seen.insert(parent.span) {
                continue;
            }
            let message = format!("`{}` inherits from `{}`, which jobs use itself", entity.id, parent.as_str());
            let diagnostic = Diagnostic::warning(message)
                .at(parent.span, format!("`{template}` is the abstract one"))
                .also(concrete.span, "its tags, limits and rules are inherited as well")
                .help(format!("write `inherits: {template}`, unless all of `{}` is meant", parent.as_str()));
            linter.report(Finding::new("T140", diagnostic).of(&entity.common));
        }
    }
}
