//! T140: `inherits: cluster` where `_cluster`, which `cluster` itself inherits from, is the abstract entity for that.

use std::collections::HashSet;

use super::Linter;
use tpv_config::entity::{Entity, entries};
use tpv_model::{EntityClass, Field, TagType};
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::finding::Finding;

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
            if !fits || *entity.id == *template || is_variant(entity, concrete) || !seen.insert(parent.span) {
                continue;
            }
            let message = format!("`{}` inherits from `{}`, which jobs use itself", entity.id, parent.as_str());
            let diagnostic = Diagnostic::warning(message)
                .at(parent.span, format!("`{template}` is the abstract one"))
                .also(concrete.span, "its tags, limits and rules are inherited as well")
                .help(format!("write `inherits: {template}`, unless all of `{}` is meant", parent.as_str()));
            linter.report(Finding::new(Code::ConcreteParent, diagnostic).of(&entity.common.no_qa_codes));
        }
    }
}

/// Returns `true` for the same destination for some jobs only: it requires another tag, and sets nothing of how jobs run there.
fn is_variant(child: &Entity, parent: &Entity) -> bool {
    let required = |entity: &Entity| {
        let offered = entity.dest_tags.iter();
        offered.flat_map(|tags| tags.get(TagType::Require)).map(|tag| tag.value.clone()).collect::<HashSet<_>>()
    };
    let is_same = |field| {
        let of =
            |entity| entries(entity, field).into_iter().flatten().map(|(_, value)| value.span).collect::<HashSet<_>>();
        of(&child.common) == of(&parent.common)
    };
    let rules = |entity: &Entity| entity.rules.values().map(|rule| rule.span).collect::<HashSet<_>>();
    !required(child).is_subset(&required(parent))
        && [Field::Params, Field::Context, Field::Resubmit].into_iter().all(is_same)
        && child.common.env.as_ref().map(|env| env.len()) == parent.common.env.as_ref().map(|env| env.len())
        && rules(child) == rules(parent)
}
