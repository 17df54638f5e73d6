//! T134: what has another meaning since the version of TPV that `--from` names.

mod pairs;

use std::collections::HashSet;
use std::sync::Arc;

use tpv_bytecode::CodeKind;
use tpv_config::code::each_code;
use tpv_config::entity::{Common, Entity};
use tpv_model::{Amount, Change, EntityClass, Field, Limit, Quantity, Resource, TagType, Version};
use tpv_text::diagnostic::{Diagnostic, Diagnostics};
use tpv_text::finding::Finding;
use tpv_text::source::Span;
use tpv_yaml::value::Text;
use tpv_yaml::value::ValueKind;

use super::Linter;
use tpv_text::code::Code;

/// Words of code, each with the changes that bear on blocks that have it.
const WORDS: [(&str, &[Change]); 10] = [
    ("weighted_random_sampling", &[Change::UnweightedSample, Change::ClampedWeights]),
    ("concurrent_job_count_for_tool", &[Change::JobsById]),
    ("tool_version_", &[Change::NoVersion]),
    ("get_tool_resource_field", &[Change::ResourceHelpers, Change::RamInGib]),
    ("get_input_", &[Change::InputHelpers]),
    ("weighted_choice", &[Change::InputHelpers]),
    (".dict(", &[Change::DumpedNames]),
    ("add_tag_override(", &[Change::Models]),
    ("tag_name", &[Change::Models]),
    ("Tag(", &[Change::Models]),
];

/// Looks for what each change between the two versions bears on.
pub(super) fn check(linter: &mut Linter<'_>) {
    let Some(from) = linter.from() else { return };
    let changes: Vec<Change> = from.between(linter.config.version).collect();
    let mut seen = Seen { changes, places: HashSet::new() };
    for kind in EntityClass::SECTIONS {
        for entity in linter.config.section(kind).values() {
            of_entity(linter, &mut seen, entity);
            for common in entity.commons() {
                of_fields(linter, &mut seen, entity, common);
            }
            of_code(linter, &mut seen, entity);
        }
    }
    pairs::check(linter, &mut seen);
    of_files(linter, &mut seen);
    of_comments(linter, &mut seen, from);
    of_config(linter, &mut seen);
}

/// The changes to look for, and the places at which each was reported: entities share what they inherit.
struct Seen {
    changes: Vec<Change>,
    places: HashSet<(Change, Span)>,
}

impl Seen {
    /// Returns `true` if the change is looked for and was not reported here.
    fn is_news(&mut self, change: Change, at: Span) -> bool {
        self.changes.contains(&change) && self.places.insert((change, at))
    }
}

/// The finding about a change at a place.
fn finding(change: Change, at: Span, entity: &Entity, help: Option<&str>) -> Diagnostic {
    let (about, since) = (change.about(), change.since());
    let diagnostic = Diagnostic::warning(format!("TPV {since} changed this: {about}"))
        .at(at, "")
        .also(entity.span, format!("in the {} `{}`", entity.class.noun(), entity.id))
        .note(format!("before TPV {since}: {}", change.before()))
        .note(format!("since TPV {since}: {}", change.after()));
    match help.or_else(|| change.keep()) {
        Some(help) => diagnostic.help(help),
        None => diagnostic,
    }
}

fn tell(linter: &mut Linter<'_>, seen: &mut Seen, change: Change, at: Span, entity: &Entity) {
    if seen.is_news(change, at) {
        linter.report(
            Finding::new(Code::ChangedMeaning, finding(change, at, entity, None)).of(&entity.common.no_qa_codes),
        );
    }
}

/// What an entity is, and the amounts of users, roles and destinations.
fn of_entity(linter: &mut Linter<'_>, seen: &mut Seen, entity: &Arc<Entity>) {
    if entity.common.is_abstract && entity.common.inherits.is_some() {
        tell(linter, seen, Change::OwnAbstract, entity.span, entity);
    }
    if entity.class == EntityClass::PoolEntity {
        tell(linter, seen, Change::Pools, entity.span, entity);
    }
    for quantity in Quantity::ALL {
        let resource = quantity.resource();
        let Some(value) = entity.common.amounts.get(resource) else { continue };
        let Some(limit) = limit_of(entity.class, quantity) else { continue };
        if !seen.is_news(Change::CombineFirst, value.span) {
            continue;
        }
        let help = format!("if this is the most, write `{}` in place of `{}`", limit.name(), resource.name());
        let mut diagnostic = finding(Change::CombineFirst, value.span, entity, Some(&help));
        // Of a destination it can be nothing else; a user's or role's may also be what its jobs get.
        if entity.class == EntityClass::Destination
            && value.as_text().is_none()
            && let Some(key) = key_before(linter, value.span, resource)
        {
            diagnostic = diagnostic.fix(key, limit.name());
        }
        linter.report(Finding::new(Code::ChangedMeaning, diagnostic).of(&entity.common.no_qa_codes));
    }
}

/// The field that has been the upper limit of a class since TPV 2. `None` of classes whose amounts always were those of the job.
fn limit_of(class: EntityClass, quantity: Quantity) -> Option<Amount> {
    match class {
        EntityClass::User | EntityClass::Role => Some(quantity.most().into()),
        EntityClass::Destination => {
            Limit::ACCEPTED.into_iter().find(|limit| limit.is_upper() && limit.quantity() == quantity).map(Amount::from)
        }
        _ => None,
    }
}

/// The key before a value, if it stands there without quotes.
fn key_before(linter: &Linter<'_>, value: Span, resource: Resource) -> Option<Span> {
    let text = &linter.sources.get(value.source)?.text;
    let before = text.get(..value.range().start)?.trim_end().strip_suffix(':')?;
    before
        .ends_with(resource.name())
        .then(|| Span::new(value.source, before.len() - resource.name().len(), before.len()))
}

/// The fields that entities and rules share.
fn of_fields(linter: &mut Linter<'_>, seen: &mut Seen, entity: &Entity, common: &Common) {
    for (amount, value) in common.amounts.common() {
        match amount {
            Amount::Limit(limit) if Limit::CONCURRENT.contains(&limit) => {
                tell(linter, seen, Change::Pools, value.span, entity);
            }
            Amount::Resource(resource) if resource.clamped_by().is_some() => {
                let least = resource.clamped_by().and_then(|(least, _)| common.amounts.get(least));
                let code = value.as_str().unwrap_or("");
                if least.is_none() && (code.contains(" - ") || code.trim_start().starts_with('-')) {
                    tell(linter, seen, Change::ClampByBounds, value.span, entity);
                }
                if code.contains("random") {
                    tell(linter, seen, Change::ResourcesOnce, value.span, entity);
                }
            }
            _ => {}
        }
    }
    for action in common.resubmit.values() {
        let target = action.as_map().and_then(|map| map.entry("destination"));
        if let Some(target) = target {
            tell(linter, seen, Change::ResubmitEnvironment, target.key.span, entity);
        }
    }
}

/// The code of an entity and its rules.
fn of_code(linter: &mut Linter<'_>, seen: &mut Seen, entity: &Arc<Entity>) {
    let mut found: Vec<(Change, Span)> = Vec::new();
    let mut look = |text: &Text, _: CodeKind, _: &'static str| {
        let words = WORDS.iter().filter(|(word, _)| text.as_str().contains(word));
        found.extend(words.flat_map(|(_, changes)| changes.iter()).map(|change| (*change, text.span)));
        if uses_re(text.as_str()) {
            found.push((Change::Models, text.span));
        }
    };
    each_code(&entity.common, &mut look);
    entity.rules.values().for_each(|rule| rule.each_code(&mut look));
    for rule in entity.rules.values() {
        let older_name = rule.common.extras.iter().find(|(name, _)| &***name == "match");
        found.extend(older_name.map(|(_, value)| (Change::Models, value.span)));
        // Before, an entity's `false` was as unset, so that its parent's condition counted.
        let is_false = matches!(rule.condition().kind, ValueKind::Bool(false));
        if is_false && rule.inherited.as_ref().is_none_or(|parents| !parents.is_empty()) {
            found.push((Change::Models, rule.condition().span));
        }
    }
    for (change, at) in found {
        tell(linter, seen, change, at, entity);
    }
}

/// Returns `true` if code uses the module `re` and does not import it.
fn uses_re(code: &str) -> bool {
    let is_word = |ch: char| ch.is_alphanumeric() || ch == '_' || ch == '.';
    let starts = |(at, _): (usize, &str)| !code.get(..at).is_some_and(|before| before.ends_with(is_word));
    !code.contains("import re") && code.match_indices("re.").any(starts)
}

/// Comments that the older version takes for parameters and variables.
fn of_comments(linter: &mut Linter<'_>, seen: &mut Seen, from: Version) {
    if !seen.changes.contains(&Change::NoqaOnly) {
        return;
    }
    let ids: Vec<_> = linter.sources.iter().map(|(id, _)| id).collect();
    // What is wrong was reported when the config was loaded.
    let older = tpv_config::load_sources(from, linter.sources, &ids, &mut Diagnostics::new());
    for (_, file) in &older.files {
        for entity in file.sections.iter().flat_map(|section| section.values()) {
            for common in entity.commons() {
                let of_params = common.params.iter().filter_map(|params| params.get("no_qa_codes"));
                let of_env = common.env.iter().flat_map(|env| env.iter()).filter_map(|entry| {
                    entry.iter().find(|(key, value)| &**key == "no_qa_codes" || value.as_str() == Some("no_qa_codes"))
                });
                let found: Vec<Span> =
                    of_params.map(|value| value.span).chain(of_env.map(|(_, value)| value.span)).collect();
                for span in found {
                    tell(linter, seen, Change::NoqaOnly, span, entity);
                }
            }
        }
    }
}

/// Entities that stand in several files.
fn of_files(linter: &mut Linter<'_>, seen: &mut Seen) {
    let is_wanted = |change| seen.changes.contains(change);
    if !is_wanted(&Change::ParentsFirst) && !is_wanted(&Change::ParentsAcrossFiles) {
        return;
    }
    let mut earlier: HashSet<(EntityClass, Arc<str>)> = HashSet::new();
    for (_, file) in &linter.config.files {
        for (kind, section) in EntityClass::SECTIONS.into_iter().zip(&file.sections) {
            for (id, entity) in section {
                let inherits = entity.common.inherits.as_ref().filter(|parent| !parent.value.is_empty());
                let is_again = !earlier.insert((kind, id.clone()));
                if let Some(parent) = inherits.filter(|_| is_again) {
                    tell(linter, seen, Change::ParentsFirst, parent.span, entity);
                    tell(linter, seen, Change::ParentsAcrossFiles, parent.span, entity);
                }
            }
        }
    }
}

/// What concerns the whole config, each at one place.
fn of_config(linter: &mut Linter<'_>, seen: &mut Seen) {
    let config = linter.config;
    let default = config.default_entity(EntityClass::Tool);
    if let Some(tool) = default.or_else(|| config.tools.values().next()) {
        // What a tool sets itself, no wrapper changes.
        let lacks = |quantity: Quantity| tool.common.amounts.get(quantity.resource()).is_none();
        if Quantity::ALL.into_iter().any(lacks) {
            tell(linter, seen, Change::Wrappers, tool.span, tool);
        }
        if lacks(Quantity::Mem) {
            tell(linter, seen, Change::RamInGib, tool.span, tool);
        }
    }
    let tags = |entity: &Arc<Entity>, kinds: &[TagType]| -> bool {
        entity.dest_tags.as_ref().is_some_and(|tags| kinds.iter().any(|kind| !tags.get(*kind).is_empty()))
    };
    let counted = [TagType::Require, TagType::Prefer, TagType::Accept];
    let is_ranked = default.is_some_and(|tool| tool.common.singles.get(Field::Rank).is_some());
    if let Some(destination) = config.destinations.values().find(|entity| tags(entity, &counted))
        && !is_ranked
    {
        tell(linter, seen, Change::TagNumbers, destination.span, destination);
        tell(linter, seen, Change::Scores, destination.span, destination);
    }
    let concrete = config.destinations.values().find(|destination| !destination.common.is_abstract);
    if let Some(destination) = concrete {
        tell(linter, seen, Change::ToolTypeTags, destination.span, destination);
    }
    let inherited = config.destinations.values().find(|parent| {
        let has_tags = parent.handler_tags().next().is_some();
        let is_parent =
            |child: &&Arc<Entity>| child.common.inherits.as_ref().is_some_and(|id| id.as_str() == &*parent.id);
        let is_default = config.global.default_inherits.as_ref().is_some_and(|id| id.as_str() == &*parent.id);
        has_tags && (is_default || config.destinations.values().any(|child| is_parent(&child)))
    });
    if let Some(parent) = inherited {
        tell(linter, seen, Change::OwnHandlerTags, parent.span, parent);
    }
}
