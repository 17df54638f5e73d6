//! T122: resources that no destination accepts; and T113, where they look like another unit.
//!
//! Only what is constant counts, after TPV's own clamping, and only where nothing else in the config may change it.

use std::collections::HashSet;

use tpv_runtime::patterns::{Matcher, PatternSet};

use super::tags::{Tags, default, having};
use super::units::{self, amount};
use super::{Finding, Linter};
use crate::config::Config;
use crate::config::entity::{Common, Entity, EntityKind, Resources, Rule};
use crate::config::scheduling::TagKind;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::yaml::value::ConfigValue;

/// Names that match an id only if it is a pattern for everyone.
const SOMEONE: [(EntityKind, &str); 2] =
    [(EntityKind::User, "zq.someone@nowhere.example"), (EntityKind::Role, "zq someone")];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Resource {
    Cores,
    Mem,
    Gpus,
}

/// The field of a resource with its limits.
type Field<'a> = Option<&'a ConfigValue>;

impl Resource {
    const ALL: [Self; 3] = [Self::Cores, Self::Mem, Self::Gpus];

    fn name(self) -> &'static str {
        match self {
            Self::Cores => "cores",
            Self::Mem => "mem",
            Self::Gpus => "gpus",
        }
    }

    /// `128 cores`
    fn describe(self, value: &str) -> String {
        match self {
            Self::Cores => format!("{value} cores"),
            Self::Mem => format!("{value} GiB of memory"),
            Self::Gpus => format!("{value} GPUs"),
        }
    }

    /// The value, the minimum and the maximum.
    fn of(self, own: &Resources) -> [Field<'_>; 3] {
        let [value, least, most] = match self {
            Self::Cores => [&own.cores, &own.min_cores, &own.max_cores],
            Self::Mem => [&own.mem, &own.min_mem, &own.max_mem],
            Self::Gpus => [&own.gpus, &own.min_gpus, &own.max_gpus],
        };
        [value.as_deref(), least.as_deref(), most.as_deref()]
    }

    /// Returns `true` if the code of a rule may set it.
    fn is_in_code(self, rule: &Rule) -> bool {
        let name = self.name();
        let execute = rule.execute.as_ref().map_or("", |code| code.as_str());
        let condition = rule.condition.as_str().unwrap_or("");
        execute.contains(name)
            || [execute, condition].iter().any(|code| code.contains("setattr"))
            || condition.contains(&format!("{name} = "))
    }

    /// The least and the most that a destination accepts.
    fn accepted(self, destination: &Entity) -> [Field<'_>; 2] {
        let Some(fields) = &destination.destination else { return [None; 2] };
        let [least, most] = match self {
            Self::Cores => [&fields.min_accepted_cores, &fields.max_accepted_cores],
            Self::Mem => [&fields.min_accepted_mem, &fields.max_accepted_mem],
            Self::Gpus => [&fields.min_accepted_gpus, &fields.max_accepted_gpus],
        };
        [least.as_deref(), most.as_deref()]
    }
}

/// Looks at what tools, roles, users and their rules ask for.
pub(super) fn check(linter: &mut Linter<'_>, tags: &Tags<'_>) {
    let config = linter.config;
    if !tags.is_whole || tags.code.changes_destinations {
        return;
    }
    let capacity = Capacity::new(config, tags);
    let mut seen = HashSet::new();
    for kind in [EntityKind::Tool, EntityKind::Role, EntityKind::User] {
        let default = default(config, kind);
        for entity in config.section(kind).values() {
            let is_default = default.is_some_and(|default| default.id == entity.id);
            if entity.common.is_abstract && !is_default {
                continue;
            }
            for resource in Resource::ALL {
                let found = capacity.entity(entity, resource);
                let rules = entity.rules.values().filter_map(|rule| capacity.rule(entity, rule, resource));
                for finding in found.into_iter().chain(rules) {
                    // Entities that inherit a value share its place.
                    if seen.insert(finding.span()) {
                        // This finding takes the place of the one about the number alone.
                        linter.findings.retain(|other| other.code != "T113" || other.span() != finding.span());
                        linter.report(finding.of(&entity.common));
                    }
                }
            }
        }
    }
}

/// Returns `true` if other rules of an entity may set the requested resource, for all of its jobs.
fn own_rules_may_change(entity: &Entity, but: Option<&Rule>, resource: Resource) -> bool {
    let mut setting = 0;
    for rule in entity.rules.values().filter(|rule| but.is_none_or(|but| but.span != rule.span)) {
        let [value, least, most] = resource.of(&rule.common.resources);
        if resource.is_in_code(rule) || most.is_some() {
            return true;
        }
        if value.is_none() && least.is_none() {
            continue;
        }
        let is_for_some = rule.condition.as_str().is_some_and(|code| {
            !code.contains("entity") && !code.contains(resource.name()) && !matches!(code.trim(), "True" | "true" | "1")
        });
        if !is_for_some && rule.condition.python_bool() {
            return true;
        }
        setting += usize::from(is_for_some);
    }
    // Several such rules may together apply to all jobs.
    but.is_none() && setting > 1
}

/// A requested amount, and its location.
struct Asked<'a> {
    amount: f64,
    /// `true` if exactly this is requested, rather than at least this.
    is_exact: bool,
    written: String,
    span: Span,
    owner: &'a Entity,
}

struct Capacity<'a> {
    config: &'a Config,
    tags: &'a Tags<'a>,
    tools: Matcher<PatternSet>,
    /// Tools, users and roles whose fields all jobs get.
    common: Vec<&'a Entity>,
}

impl<'a> Capacity<'a> {
    fn new(config: &'a Config, tags: &'a Tags<'a>) -> Self {
        let keys: Vec<&str> = config.tools.keys().map(|id| &**id).collect();
        let mut common: Vec<&Entity> = Vec::new();
        for (kind, name) in SOMEONE {
            let section = config.section(kind);
            let keys: Vec<&str> = section.keys().map(|id| &**id).collect();
            let mut found = Vec::new();
            // A pattern that is not valid has a finding of its own.
            drop(Matcher::new(PatternSet::build(&keys)).matches(name, &mut found));
            common.extend(found.into_iter().filter_map(|index| Some(&**section.get_index(index as usize)?.1)));
            common.extend(default(config, kind));
        }
        Self { config, tags, tools: Matcher::new(PatternSet::build(&keys)), common }
    }

    /// The other entities that set fields for the jobs of an entity: the default, other tools of the same pattern, users and roles.
    fn others(&self, entity: &Entity) -> Vec<&'a Entity> {
        let mut out = self.common.clone();
        if entity.kind == EntityKind::Tool {
            out.extend(default(self.config, EntityKind::Tool));
            let mut found = Vec::new();
            drop(self.tools.matches(&sample(&entity.id), &mut found));
            out.extend(found.into_iter().filter_map(|index| Some(&**self.config.tools.get_index(index as usize)?.1)));
        } else {
            // The jobs of a role or user may be those of any tool.
            out.extend(self.config.tools.values().map(|tool| &**tool));
            out.extend(self.config.roles.values().map(|role| &**role));
        }
        out.retain(|other| other.kind != entity.kind || other.id != entity.id);
        out
    }

    /// Returns `true` if an entity's request may be changed elsewhere: by its rules, or by other entities that set
    /// fields for its jobs. The rule `but` is the one that makes the request.
    fn may_change(&self, entity: &Entity, but: Option<&Rule>, resource: Resource) -> bool {
        let sets = |common: &Common| resource.of(&common.resources).iter().any(Option::is_some);
        // The fields of the default are taken into account already.
        let default = default(self.config, entity.kind).map(|default| &default.id);
        let is_default = |other: &Entity| other.kind == entity.kind && Some(&other.id) == default;
        let fields = |other: &&Entity| !is_default(other) && sets(&other.common);
        let acts = |rule: &Rule| sets(&rule.common) || resource.is_in_code(rule);
        own_rules_may_change(entity, but, resource)
            || self.others(entity).iter().any(|other| fields(other) || other.rules.values().any(|rule| acts(rule)))
    }

    fn entity(&self, entity: &'a Entity, resource: Resource) -> Option<Finding> {
        let own = resource.of(&entity.common.resources);
        let asked = self.asked(entity, [own, self.inherited(entity, resource), [None; 3]])?;
        let finding = self.judge(&asked, None, resource)?;
        (!self.may_change(entity, None, resource)).then_some(finding)
    }

    fn rule(&self, entity: &'a Entity, rule: &Rule, resource: Resource) -> Option<Finding> {
        if rule.fail.is_some() || rule.execute.is_some() {
            return None;
        }
        let own = resource.of(&rule.common.resources);
        own.first().copied().flatten()?;
        let asked =
            self.asked(entity, [own, resource.of(&entity.common.resources), self.inherited(entity, resource)])?;
        let finding = self.judge(&asked, Some(rule), resource)?;
        (!self.may_change(entity, Some(rule), resource)).then_some(finding)
    }

    fn inherited(&self, entity: &Entity, resource: Resource) -> [Field<'a>; 3] {
        let default = default(self.config, entity.kind).filter(|default| default.id != entity.id);
        default.map_or([None; 3], |default| resource.of(&default.common.resources))
    }

    /// The least that jobs request, if it is known: the first of the levels sets the value, each its limits.
    fn asked(&self, owner: &'a Entity, levels: [[Field<'_>; 3]; 3]) -> Option<Asked<'a>> {
        let limit = |index: usize| levels.iter().find_map(|level| level.get(index).copied().flatten());
        let [value, own_least, _] = *levels.first()?;
        let constant = value.and_then(amount);
        let (mut asked, mut at) = match (constant, value.or(own_least)) {
            (Some(constant), Some(value)) => (constant, value),
            // Code may give anything, but not less than its minimum.
            (None, Some(value)) => (0.0, value),
            (_, None) => return None,
        };
        if let Some(least) = limit(1) {
            match amount(least) {
                Some(number) if number > asked => (asked, at) = (number, least),
                Some(_) => {}
                None if constant.is_none() => return None,
                None => {}
            }
        }
        if let Some(most) = limit(2) {
            let number = amount(most)?;
            if number != 0.0 && number < asked {
                (asked, at) = (number, most);
            }
        }
        (asked > 0.0 && asked.is_finite()).then(|| Asked {
            amount: asked,
            is_exact: constant.is_some() && limit(1).is_none_or(|least| amount(least).is_some()),
            written: at.python_str(),
            span: at.span,
            owner,
        })
    }

    /// Returns `true` if the tags may allow a destination for jobs of an entity.
    fn may_go(&self, entity: &Entity, rule: Option<&Rule>, destination: &Entity) -> bool {
        let Some(fields) = &destination.destination else { return true };
        let required = fields.dest_tags.get(TagKind::Require).iter();
        if !required.clone().all(|tag| self.tags.may_be_asked(tag.as_str())) {
            return false;
        }
        if self.tags.code.changes {
            return true;
        }
        let inherited = default(self.config, EntityKind::Destination).and_then(|default| default.destination.as_ref());
        let offers = |tag: &str| {
            let own =
                having(&fields.dest_tags).chain(inherited.into_iter().flat_map(|fields| having(&fields.dest_tags)));
            own.into_iter().any(|offered| offered.as_str() == tag)
        };
        let lists = [Some(&entity.common.tags), rule.map(|rule| &rule.common.tags)];
        let mut lists = lists.into_iter().flatten();
        lists.all(|tags| {
            tags.get(TagKind::Require).iter().all(|tag| offers(tag.as_str()))
                && tags
                    .get(TagKind::Reject)
                    .iter()
                    .all(|tag| !having(&fields.dest_tags).any(|own| own.value == tag.value))
        })
    }

    fn judge(&self, asked: &Asked<'a>, rule: Option<&Rule>, resource: Resource) -> Option<Finding> {
        let inherited = default(self.config, EntityKind::Destination);
        // The highest maximum and the lowest minimum that keep the job out.
        let mut most: Option<(f64, &Entity, &ConfigValue)> = None;
        let mut least: Option<(f64, &Entity, &ConfigValue)> = None;
        let mut is_limited = false;
        for destination in self.config.destinations.values().filter(|destination| !destination.common.is_abstract) {
            if !self.may_go(asked.owner, rule, destination) {
                is_limited = true;
                continue;
            }
            let [own_least, own_most] = resource.accepted(destination);
            let [default_least, default_most] = inherited.map_or([None; 2], |default| resource.accepted(default));
            let limit =
                |own: Field<'a>, default: Field<'a>| own.or(default).and_then(|value| Some((amount(value)?, value)));
            match (limit(own_least, default_least), limit(own_most, default_most)) {
                (_, Some((number, value))) if number < asked.amount => {
                    if most.is_none_or(|(best, ..)| number > best) {
                        most = Some((number, destination, value));
                    }
                }
                (Some((number, value)), _) if asked.is_exact && number > asked.amount => {
                    if least.is_none_or(|(best, ..)| number < best) {
                        least = Some((number, destination, value));
                    }
                }
                _ => return None,
            }
        }
        let name = resource.name();
        let whose = if is_limited { "no destination that the tags allow" } else { "no destination" };
        let message = format!("{whose} accepts {}", resource.describe(&asked.written));
        let lost = "jobs that ask for this find no destination";
        let (code, diagnostic) = match (most, least) {
            (Some((_, destination, value)), None) => {
                let shown = value.python_str();
                let diagnostic = if resource == Resource::Mem && units::looks_like_mib(asked.amount) {
                    let help = format!("write `{name}: {}` for {} MiB", units::in_gib(asked.amount), asked.written);
                    let message = format!("`{name}` is in GiB, and `{}` looks like MiB", asked.written);
                    (
                        "T113",
                        Diagnostic::warning(message).at(asked.span, format!("{whose} accepts so many GiB")).help(help),
                    )
                } else {
                    let help = format!("ask for {shown} at most, or raise a `max_accepted_{name}`");
                    ("T122", Diagnostic::warning(message).at(asked.span, lost).help(help))
                };
                let (code, diagnostic) = diagnostic;
                (code, diagnostic.also(value.span, format!("`{}` accepts the most, {shown}", destination.id)))
            }
            (None, Some((_, destination, value))) => {
                let shown = value.python_str();
                let help = format!("ask for {shown} at least, or lower a `min_accepted_{name}`");
                let label = format!("`{}` accepts the least, {shown}", destination.id);
                ("T122", Diagnostic::warning(message).at(asked.span, lost).also(value.span, label).help(help))
            }
            (Some((_, low, most)), Some((_, high, least))) => {
                let (below, above) = (most.python_str(), least.python_str());
                let help = format!("ask for {below} at most, or for {above} at least");
                let diagnostic = Diagnostic::warning(message).at(asked.span, lost).help(help);
                let diagnostic = diagnostic.also(most.span, format!("`{}` accepts up to {below}", low.id));
                ("T122", diagnostic.also(least.span, format!("`{}` accepts {above} and more", high.id)))
            }
            (None, None) => return None,
        };
        let noun = format!("in the {} `{}`", asked.owner.kind.noun(), asked.owner.id);
        Some(Finding::new(code, diagnostic.also(asked.owner.span, noun)))
    }
}

/// An id that a pattern matches: its text with something for each wildcard.
fn sample(pattern: &str) -> String {
    pattern.replace(".*", "x").replace(".+", "x").replace('\\', "")
}
