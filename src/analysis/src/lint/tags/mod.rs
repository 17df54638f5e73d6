//! T114 and T115: required tags that nobody has. T141: tags that only a misspelling explains. T147: rejected tags that nothing has.
//!
//! Both claim something about all jobs, so both need a proof: the tags of all entities are known, those that code adds only where it
//! writes them out ([`in_code`]).

mod destinations_in_code;
pub(crate) mod in_code;
mod rejected;
mod turned;

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::Linter;
use tpv_config::Config;
use tpv_config::entity::Entity;
use tpv_config::scheduling::SchedulingTags;
use tpv_model::{EntityClass, TagType};
use tpv_text::diagnostic::Diagnostic;
use tpv_text::finding::Finding;
use tpv_text::source::Span;
use tpv_text::suggest::{closest, did_you_mean};
use tpv_yaml::value::Text;

use in_code::TagsInCode;
use tpv_text::code::Code;

/// A note for both: only the given files are known.
const OTHER_FILES: &str = "if another file gives the tag, lint all files together: `tpvc lint one.yml other.yml`";

/// The kinds that count as having a tag.
const HAVING: [TagType; 3] = [TagType::Require, TagType::Prefer, TagType::Accept];

/// The tags that jobs may have, and what code does to them.
pub(crate) struct Tags<'a> {
    /// The tags of all tools, roles, users and their rules, but for those that they reject.
    asked: BTreeSet<&'a str>,
    /// The tags that one of them rejects.
    rejected: BTreeSet<&'a str>,
    /// The effects of code.
    pub code: TagsInCode,
    /// `true` if there are both tools and destinations. A config without either counts as a part of a whole.
    pub is_whole: bool,
}

impl<'a> Tags<'a> {
    pub(crate) fn new(config: &'a Config) -> Self {
        let (mut asked, mut rejected) = (BTreeSet::new(), BTreeSet::new());
        for kind in EntityClass::MATCHED {
            for entity in config.section(kind).values() {
                asked.extend(entity.commons().flat_map(|common| having(&common.tags)).map(Text::as_str));
                rejected.extend(entity.commons().flat_map(|common| common.tags.get(TagType::Reject)).map(Text::as_str));
            }
        }
        let has_destinations = config.destinations.values().any(|destination| !destination.common.is_abstract);
        Self { asked, rejected, code: in_code::collect(config), is_whole: has_destinations && !config.tools.is_empty() }
    }

    /// Returns `true` if a tool, user, role or a rule of theirs has the tag, or code names it.
    pub(crate) fn is_asked(&self, tag: &str) -> bool {
        self.asked.contains(tag) || self.code.names.contains(tag)
    }

    /// Returns `true` if a job may have the tag.
    pub(crate) fn may_be_asked(&self, tag: &str) -> bool {
        // Galaxy's own tags are seen only when a job runs.
        self.code.is_open || tag.starts_with("tool_type_") || self.asked.contains(tag) || self.code.names.contains(tag)
    }
}

/// Looks at both sides.
pub(super) fn check(linter: &mut Linter<'_>, tags: &Tags<'_>) {
    turned::of_another_form(linter, tags);
    if tags.is_whole {
        if !tags.code.changes_destinations {
            offered(linter);
        }
        asked(linter, tags);
        let reported = turned::check(linter);
        if !tags.code.changes_destinations {
            rejected::check(linter, tags, reported);
        }
    }
}

pub(crate) fn default(config: &Config, kind: EntityClass) -> Option<&Entity> {
    config.default_entity(kind).map(|entity| &**entity)
}

pub(super) fn having(tags: &SchedulingTags) -> impl Iterator<Item = &Text> {
    HAVING.into_iter().flat_map(|kind| tags.get(kind))
}

/// Tags that a tool, user, role or a rule of theirs requires, and no destination has.
fn offered(linter: &mut Linter<'_>) {
    let config = linter.config;
    let mut offers: BTreeMap<&str, Span> = BTreeMap::new();
    let concrete = config.destinations.values().filter(|destination| !destination.common.is_abstract);
    let inherited = default(config, EntityClass::Destination);
    for destination in concrete.map(|destination| &**destination).chain(inherited) {
        for tag in destination.dest_tags.iter().flat_map(|tags| having(tags)) {
            offers.entry(tag.as_str()).or_insert(tag.span);
        }
    }
    let mut seen = HashSet::new();
    for kind in EntityClass::MATCHED {
        let default = default(config, kind).map(|default| &*default.id);
        let takes_part = |entity: &Entity| !entity.common.is_abstract || default == Some(&*entity.id);
        for entity in config.section(kind).values().filter(|entity| takes_part(entity)) {
            // What a rule sets beside `fail` or `execute` is dropped.
            let rules = entity.rules.values().filter(|rule| rule.fail().is_none() && rule.execute().is_none());
            let rules = rules.map(|rule| &rule.common.tags);
            for tag in std::iter::once(&entity.common.tags).chain(rules).flat_map(|tags| tags.get(TagType::Require)) {
                if offers.contains_key(tag.as_str()) || !seen.insert(tag.span) {
                    continue;
                }
                let diagnostic = Diagnostic::warning(format!("no destination has the tag `{}`", tag.as_str()))
                    .at(tag.span, "a job that requires this finds no destination")
                    .also(entity.span, "")
                    .note(OTHER_FILES);
                let names = || offers.keys().copied();
                let near = closest(tag.as_str(), names()).or_else(|| turned::with_one_word_more(tag.as_str(), names()));
                let diagnostic = match near.and_then(|near| offers.get_key_value(near)) {
                    Some((near, at)) => diagnostic.also(*at, "").help(did_you_mean(near)),
                    None => diagnostic.help("add the tag to the `scheduling` of a destination, under `accept`"),
                };
                linter.report(Finding::new(Code::UnofferedTag, diagnostic).of(&entity.common.no_qa_codes));
            }
        }
    }
}

/// Tags that a destination requires, and no tool, user, role or rule has.
fn asked(linter: &mut Linter<'_>, tags: &Tags<'_>) {
    let config = linter.config;
    for destination in config.destinations.values().filter(|destination| !destination.common.is_abstract) {
        let Some(offered) = &destination.dest_tags else { continue };
        for tag in offered.get(TagType::Require) {
            let name = tag.as_str();
            // Who rejects a tag knows it: it switches destinations off.
            if tags.may_be_asked(name) || tags.rejected.contains(name) {
                continue;
            }
            let diagnostic = Diagnostic::warning(format!("no job can reach the destination `{}`", destination.id))
                .at(tag.span, format!("it requires `{name}`, which no tool, user or role has"))
                .also(destination.span, "")
                .note(OTHER_FILES);
            let diagnostic = match closest(name, tags.asked.iter().copied()) {
                Some(near) => diagnostic.help(did_you_mean(near)),
                None => diagnostic.help("give the tag to a tool, user or role, or move it to `accept`"),
            };
            linter.report(Finding::new(Code::UnmatchedDestination, diagnostic).of(&destination.common.no_qa_codes));
            break;
        }
    }
}
