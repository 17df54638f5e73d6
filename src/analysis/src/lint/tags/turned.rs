//! T141: tags that only one side has, beside one of the same words in another order: `qld-pulsar-gpu` for `pulsar-qld-gpu`.

use std::collections::{BTreeMap, HashSet};

use super::{default, having};
use crate::lint::Linter;
use tpv_compiler::config::scheduling::SchedulingTags;
use tpv_compiler::diagnostic::Diagnostic;
use tpv_compiler::finding::Finding;
use tpv_compiler::yaml::value::Text;
use tpv_model::{EntityClass, TagType};

/// The words of a tag in order of the alphabet. `None` for fewer than two.
fn words(tag: &str) -> Option<Vec<&str>> {
    let mut words: Vec<&str> = tag.split(['-', '_', '.']).collect();
    words.sort_unstable();
    (words.len() > 1).then_some(words)
}

fn all(tags: &SchedulingTags) -> impl Iterator<Item = &Text> {
    having(tags).chain(tags.get(TagType::Reject))
}

/// Looks at the tags of tools, roles and users, and at those of destinations.
pub(super) fn check(linter: &mut Linter<'_>) {
    let config = linter.config;
    let mut offered: Vec<&str> = Vec::new();
    let concrete = config.destinations.values().filter(|destination| !destination.common.is_abstract);
    for destination in concrete.map(|destination| &**destination).chain(default(config, EntityClass::Destination)) {
        offered.extend(destination.destination.iter().flat_map(|fields| all(&fields.dest_tags)).map(Text::as_str));
    }
    let known: HashSet<&str> = offered.iter().copied().collect();
    let by_words: BTreeMap<Vec<&str>, &str> = offered.iter().filter_map(|tag| Some((words(tag)?, *tag))).collect();
    let mut seen = HashSet::new();
    for kind in EntityClass::MATCHED {
        for entity in config.section(kind).values() {
            for tag in entity.commons().flat_map(|common| all(&common.tags)) {
                let name = tag.as_str();
                let Some(near) = words(name).and_then(|words| by_words.get(&words)) else { continue };
                if known.contains(name) || !seen.insert(tag.span) {
                    continue;
                }
                let diagnostic = Diagnostic::warning(format!("no destination has the tag `{name}`"))
                    .at(tag.span, format!("destinations have `{near}`"))
                    .also(entity.span, "")
                    .help(format!("did you mean `{near}`?"))
                    .fix(tag.span, near.to_string());
                linter.report(Finding::new("T141", diagnostic).of(&entity.common));
            }
        }
    }
}
