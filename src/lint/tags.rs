//! T114 and T115: required tags that nobody has.

use std::collections::{BTreeSet, HashSet};

use super::{Finding, Linter};
use crate::config::Config;
use crate::config::entity::{Entity, EntityKind};
use crate::config::scheduling::{SchedulingTags, TagKind};
use crate::config::suggest::closest;
use crate::config::value::{ConfigValue, Text, ValueKind};
use crate::diagnostic::Diagnostic;

/// The kinds that count as having a tag.
const HAVING: [TagKind; 3] = [TagKind::Require, TagKind::Prefer, TagKind::Accept];

/// Looks at both sides. A config without the other side is taken to be a part of a whole.
pub(super) fn check(linter: &mut Linter<'_>) {
    let config = linter.config;
    let is_whole = config.destinations.values().any(|destination| !destination.common.is_abstract);
    if is_whole && !config.tools.is_empty() {
        offered(linter);
        asked(linter);
    }
    limits(linter);
}

fn default(config: &Config, kind: EntityKind) -> Option<&Entity> {
    let id = config.global.default_inherits.as_ref()?;
    config.section(kind).get(id.as_str()).map(|entity| &**entity)
}

fn having(tags: &SchedulingTags) -> impl Iterator<Item = &Text> {
    HAVING.into_iter().flat_map(|kind| tags.get(kind))
}

/// Tags that a tool, user, role or a rule of theirs requires, and no destination has.
fn offered(linter: &mut Linter<'_>) {
    let config = linter.config;
    let mut offers: BTreeSet<&str> = BTreeSet::new();
    let concrete = config.destinations.values().filter(|destination| !destination.common.is_abstract);
    let inherited = default(config, EntityKind::Destination);
    for destination in concrete.map(|destination| &**destination).chain(inherited) {
        if let Some(fields) = &destination.destination {
            offers.extend(having(&fields.dest_tags).map(Text::as_str));
        }
    }
    let mut seen = HashSet::new();
    for kind in [EntityKind::Tool, EntityKind::Role, EntityKind::User] {
        for entity in config.section(kind).values().filter(|entity| !entity.common.is_abstract) {
            let rules = entity.rules.values().map(|rule| &rule.common.tags);
            for tag in std::iter::once(&entity.common.tags).chain(rules).flat_map(|tags| tags.get(TagKind::Require)) {
                if offers.contains(tag.as_str()) || !seen.insert(tag.span) {
                    continue;
                }
                let diagnostic = Diagnostic::warning(format!("no destination has the tag `{}`", tag.as_str()))
                    .at(tag.span, "required here, so that these jobs find no destination")
                    .also(entity.span, "");
                let diagnostic = match closest(tag.as_str(), offers.iter().copied()) {
                    Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
                    None => diagnostic.help("add the tag to the `scheduling` of a destination, under `accept`"),
                };
                linter.report(Finding::new("T114", diagnostic).of(&entity.common));
            }
        }
    }
}

/// Tags that a destination requires, and no tool, user, role or rule has.
fn asked(linter: &mut Linter<'_>) {
    let config = linter.config;
    let mut asks: BTreeSet<&str> = BTreeSet::new();
    let mut code: Vec<&str> = Vec::new();
    for kind in [EntityKind::Tool, EntityKind::Role, EntityKind::User, EntityKind::Destination] {
        for entity in config.section(kind).values() {
            let is_destination = kind == EntityKind::Destination;
            if !is_destination {
                asks.extend(having(&entity.common.tags).map(Text::as_str));
            }
            for rule in entity.rules.values() {
                code.extend(rule.execute.as_ref().map(Text::as_str));
                if !is_destination {
                    asks.extend(having(&rule.common.tags).map(Text::as_str));
                }
            }
        }
    }
    for destination in config.destinations.values().filter(|destination| !destination.common.is_abstract) {
        let Some(fields) = &destination.destination else { continue };
        for tag in fields.dest_tags.get(TagKind::Require) {
            let name = tag.as_str();
            // Galaxy's own tags, and those that code adds, are seen only when a job runs.
            let elsewhere = name.starts_with("tool_type_") || code.iter().any(|code| code.contains(name));
            if asks.contains(name) || elsewhere {
                continue;
            }
            let diagnostic = Diagnostic::warning(format!("no job can reach the destination `{}`", destination.id))
                .at(tag.span, format!("it requires `{name}`, which no tool, user or role has"))
                .also(destination.span, "");
            let diagnostic = match closest(name, asks.iter().copied()) {
                Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
                None => diagnostic.help("give the tag to a tool, user or role, or move it to `accept`"),
            };
            linter.report(Finding::new("T115", diagnostic).of(&destination.common));
            break;
        }
    }
}

/// Destinations that accept at least more than at most.
fn limits(linter: &mut Linter<'_>) {
    for destination in linter.config.destinations.values().filter(|destination| !destination.common.is_abstract) {
        let Some(fields) = &destination.destination else { continue };
        let pairs = [
            ("cores", &fields.min_accepted_cores, &fields.max_accepted_cores),
            ("mem", &fields.min_accepted_mem, &fields.max_accepted_mem),
            ("gpus", &fields.min_accepted_gpus, &fields.max_accepted_gpus),
        ];
        for (name, least, most) in pairs {
            let (Some(least), Some(most)) = (least, most) else { continue };
            let (least_number, most_number) = (number(least), number(most));
            if least_number.is_nan() || most_number.is_nan() || least_number <= most_number {
                continue;
            }
            let diagnostic = Diagnostic::warning(format!("no job can reach the destination `{}`", destination.id))
                .at(least.span, format!("it accepts at least this, which is more than `max_accepted_{name}`"))
                .also(most.span, "at most this")
                .help("swap the two numbers");
            linter.report(Finding::new("T115", diagnostic).of(&destination.common));
        }
    }
}

#[allow(clippy::cast_precision_loss, reason = "limits are small")]
fn number(value: &ConfigValue) -> f64 {
    match value.kind {
        ValueKind::Int(number) => number as f64,
        ValueKind::Float(number) => number,
        _ => f64::NAN,
    }
}
