//! T147: rejected tags that no destination has, and nothing else either.

use std::collections::{BTreeSet, HashSet};

use super::{Tags, having};
use crate::lint::Linter;
use tpv_config::entity::Entity;
use tpv_model::{EntityClass, TagType};
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::finding::Finding;
use tpv_text::source::Span;
use tpv_text::suggest::{closest, did_you_mean};
use tpv_yaml::value::Text;

/// Looks at the tags that tools, roles and users reject, except for those whose places are `seen` already. One that another of them has keeps the two apart.
pub(super) fn check(linter: &mut Linter<'_>, tags: &Tags<'_>, mut seen: HashSet<Span>) {
    let config = linter.config;
    let mut offered: BTreeSet<&str> = BTreeSet::new();
    for destination in config.destinations.values() {
        offered.extend(destination.dest_tags.iter().flat_map(|tags| having(tags)).map(Text::as_str));
        // An abstract tool may be for destinations as well; so may the fields that are for jobs.
        offered.extend(destination.commons().flat_map(|common| having(&common.tags)).map(Text::as_str));
    }
    for kind in EntityClass::MATCHED {
        // What the default and abstract entities reject is often a standing arrangement: `offline`, for any destination that gets the tag.
        let default = super::default(config, kind).map(|default| &*default.id);
        let is_own = |entity: &Entity| !entity.common.is_abstract && default != Some(&*entity.id);
        for entity in config.section(kind).values() {
            for tag in entity.commons().flat_map(|common| common.tags.get(TagType::Reject)) {
                let name = tag.as_str();
                let is_known = offered.contains(name) || tags.may_be_asked(name);
                let near = closest(name, offered.iter().copied());
                if is_known || (near.is_none() && !is_own(entity)) || !seen.insert(tag.span) {
                    continue;
                }
                let diagnostic = Diagnostic::warning(format!("nothing has the rejected tag `{name}`"))
                    .at(tag.span, "this keeps no job from any destination")
                    .also(entity.span, "")
                    .note(super::OTHER_FILES);
                let diagnostic = match near {
                    Some(near) => diagnostic.help(did_you_mean(near)),
                    None => diagnostic.help("remove it, or give the tag to the destination that is meant"),
                };
                linter.report(Finding::new(Code::UselessReject, diagnostic).of(&entity.common.no_qa_codes));
            }
        }
    }
}
