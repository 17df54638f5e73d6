//! Checks that the free names of code are defined when TPV evaluates it.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use tpv_front::syntax::text_size::TextRange;

use super::arrivals::Arrivals;
use super::block::{Bound, Free, Surroundings};
use super::cpython::{WITH_CPYTHON, list_of, without_cpython};
use super::for_some::ForSome;
use super::found::Found;
use super::order::{LATE, Phase};
use super::place::place;
use super::sites::Site;
use super::types::Type;
use super::unevaluated;
use crate::checker::stubs::model;
use tpv_bytecode::CodeKind;
use tpv_config::Config;
use tpv_config::entity::{Common, Dict, Entity};
use tpv_config::validate::unknown::synonym;
use tpv_front::language::instead_of_builtin;
use tpv_front::parse::Tree;
use tpv_model::{EntityClass, Field, Resource};
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::finding::Finding;
use tpv_text::suggest::closest;
use tpv_yaml::value::ValueKind;

/// The names that TPV gives to all code, whatever the config says.
pub const GIVEN: [&str; 12] = [
    "app",
    "tool",
    "user",
    "job",
    "job_wrapper",
    "resource_params",
    "workflow_invocation_uuid",
    "mapper",
    "entity",
    "self",
    "input_size",
    "helpers",
];

/// The verdict on a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Fine,
    /// It is never set.
    Missing,
    /// It is set only after the code runs; the reason.
    NotYetSet(String),
    /// It is set for some jobs of a tool or destination; the jobs that it is not set for.
    ForSome(String),
}

/// The names of the config's contexts.
pub(super) struct Names<'a> {
    pub config: &'a Config,
    default: Option<&'a str>,
    /// Of users and roles, with their rules.
    people: HashSet<&'a str>,
    /// Of destinations, with their rules.
    pub destinations: HashSet<&'a str>,
    /// The tools whose context, or that of a rule, has a name.
    tools: HashMap<&'a str, Vec<&'a Arc<Entity>>>,
    /// The resources that any tool, role or user sets.
    requested: HashSet<&'static str>,
    has_rank: bool,
    /// Names that code puts into the context of an entity.
    set_by_code: HashSet<String>,
    /// The jobs of destinations.
    pub arrivals: Arrivals<'a>,
    /// The tools and destinations of which a name has been reported, with the name.
    pub told: HashSet<(EntityClass, &'a str, String)>,
}

/// The names of all contexts.
pub(super) fn context_names(config: &Config) -> HashSet<String> {
    let mut out: HashSet<String> = config.global.context.keys().map(ToString::to_string).collect();
    for kind in EntityClass::SECTIONS {
        for entity in config.section(kind).values() {
            out.extend(keys(&entity.common).map(str::to_owned));
            out.extend(entity.rules.values().flat_map(|rule| keys(&rule.common)).map(str::to_owned));
        }
    }
    out
}

/// The types of names that have one in all contexts, and that TPV gives nothing else.
pub(super) fn context_types(config: &Config) -> HashMap<String, Type> {
    let entities = EntityClass::SECTIONS.into_iter().flat_map(|kind| config.section(kind).values());
    let of_entities = entities.flat_map(|entity| entity.commons()).filter_map(|common| common.context.as_ref());
    let mut out: HashMap<String, Type> = HashMap::new();
    for (name, value) in config.global.context.iter().chain(of_entities.flat_map(|context| context.iter())) {
        let ty = match &value.kind {
            ValueKind::Null => Type::None,
            ValueKind::Bool(_) => Type::BOOL,
            ValueKind::Int(_) => Type::INT,
            ValueKind::Float(_) => Type::FLOAT,
            ValueKind::Str(_) => Type::STR,
            _ => Type::Any,
        };
        out.entry(name.to_string()).and_modify(|known| *known = known.join(&ty)).or_insert(ty);
    }
    out.retain(|name, _| !model().mapper.contains_key(&**name));
    out
}

fn keys(common: &Common) -> impl Iterator<Item = &str> {
    common.context.iter().flat_map(|context| context.keys().map(|key| &**key))
}

/// Returns `true` if a name is that of a module of Python, or of one that comes with Galaxy.
fn is_module(name: &str) -> bool {
    ["stdlib", "installed", "others"].into_iter().any(|list| model().list(list).contains(name))
}

fn has(context: Option<&Arc<Dict>>, name: &str) -> bool {
    context.is_some_and(|context| context.contains_key(name))
}

fn has_resource(common: &Common, name: &str) -> bool {
    Resource::from_name(name).is_some_and(|resource| common.amounts.get(resource).is_some())
}

pub(super) fn is_resource(name: &str) -> bool {
    Resource::from_name(name).is_some()
}

pub(super) fn rules_have(entity: &Entity, name: &str) -> bool {
    entity.rules.values().any(|rule| has(rule.common.context.as_ref(), name))
}

fn all_keys(entity: &Entity) -> impl Iterator<Item = &str> {
    keys(&entity.common).chain(entity.rules.values().flat_map(|rule| keys(&rule.common)))
}

impl<'a> Names<'a> {
    pub(super) fn new(config: &'a Config, set_by_code: HashSet<String>) -> Self {
        let mut names = Self {
            config,
            default: config.global.default_inherits.as_ref().map(|id| id.as_str()),
            people: HashSet::new(),
            destinations: HashSet::new(),
            tools: HashMap::new(),
            requested: HashSet::new(),
            has_rank: false,
            set_by_code,
            arrivals: Arrivals::new(config),
            told: HashSet::new(),
        };
        for entity in config.users.values().chain(config.roles.values()) {
            names.people.extend(all_keys(entity));
            names.collect(entity);
        }
        for entity in config.tools.values() {
            for key in all_keys(entity) {
                names.tools.entry(key).or_default().push(entity);
            }
            names.collect(entity);
        }
        names.destinations = config.destinations.values().flat_map(|entity| all_keys(entity)).collect();
        // The resources that a Galaxy tool itself declares.
        names.requested.extend(Resource::DECLARED.map(Resource::name));
        names
    }

    fn collect(&mut self, entity: &'a Entity) {
        for common in entity.commons() {
            self.has_rank |= common.singles.get(Field::Rank).is_some();
            self.requested.extend(common.amounts.resources().map(|(resource, _)| resource.name()));
        }
    }

    /// Reports undefined names. With `raising`, only names that raise for every entity.
    pub(super) fn check_names<'f>(
        &mut self,
        found: &mut Found<'_>,
        site: &Site<'a>,
        free: impl Iterator<Item = &'f Free>,
        surroundings: &Surroundings,
        tree: &Tree,
        raising: bool,
    ) {
        if site.property == "rank" && site.kind_of_owner() == EntityClass::Destination {
            // Destinations' `rank` is never evaluated.
            return;
        }
        let mut seen: HashSet<&str> = HashSet::new();
        let mut for_some = Vec::new();
        for name in free {
            if self.is_always_defined(&name.name, surroundings) || !seen.insert(&name.name) {
                continue;
            }
            for_some.extend(self.check_name(found, site, name, (!raising).then_some(tree)));
        }
        self.report_for_some(found, site, for_some);
    }

    /// Returns `true` for names that are defined regardless of the config.
    fn is_always_defined(&self, name: &str, surroundings: &Surroundings) -> bool {
        // TPV 1 knows the job and the entities that it is made of.
        const SINCE_2: [&str; 3] = ["job_wrapper", "resource_params", "workflow_invocation_uuid"];
        let is_early = self.config.version.evaluates_early();
        GIVEN.contains(&name) && !(is_early && SINCE_2.contains(&name))
            || is_early && name == "entities"
            || self.config.global.context.contains_key(name)
            || self.set_by_code.contains(name)
            || surroundings.native.borrow_mut().has_name(name)
    }

    /// Reports a name. Without the tree of the text, only if it raises for every entity. Returns one that only some jobs of a destination have.
    fn check_name(
        &self,
        found: &mut Found<'_>,
        site: &Site<'a>,
        free: &Free,
        tree: Option<&Tree>,
    ) -> Option<ForSome<'a>> {
        let name = free.name.as_str();
        let raising = tree.is_none();
        let concrete = self.concrete(site);
        let phase = Phase::of(site.property);
        // If the first entity has the name, it does not raise for every one.
        let is_fine = |owner: &&Arc<Entity>| self.verdict(owner, phase, name, false) == Verdict::Fine;
        if raising && free.bound == Bound::Never && concrete.first().is_some_and(is_fine) {
            return None;
        }
        let verdicts: Vec<(&Arc<Entity>, Verdict)> = if concrete.is_empty() {
            site.owners.iter().take(1).map(|owner| (*owner, self.verdict(owner, phase, name, true))).collect()
        } else {
            concrete.iter().map(|owner| (*owner, self.verdict(owner, phase, name, false))).collect()
        };
        let verdicts = match tree.filter(|_| free.bound == Bound::Never && !free.guarded) {
            Some(tree) => self.for_all(verdicts, site, name, tree),
            None => verdicts,
        };
        let mut bad: Vec<&(&Arc<Entity>, Verdict)> =
            verdicts.iter().filter(|(_, verdict)| *verdict != Verdict::Fine).collect();
        let is_for_all = |(_, verdict): &&(&Arc<Entity>, Verdict)| !matches!(verdict, Verdict::ForSome(_));
        if bad.iter().any(is_for_all) {
            bad.retain(is_for_all);
        }
        let (first, verdict) = bad.first()?;
        match (free.bound, verdict) {
            // If the entity has the field, its value is in the context by then.
            (Bound::UnlessField, Verdict::Missing) if is_resource(name) => {}
            (Bound::LeftOut { is_caught }, _) => {
                let what = list_of(name).unwrap_or("name");
                let span = place(found.sources, site.text, site.kind, free.range);
                let diagnostic = Diagnostic::warning(format!("tpvc has no {what} `{name}`"))
                    .at(span, without_cpython("NameError", is_caught))
                    .note(WITH_CPYTHON)
                    .help(instead_of_builtin(name).unwrap_or("write it another way, or let CPython run it"));
                found.report(Finding::new(Code::NeedsCPython, diagnostic).within(site.no_qa()));
            }
            (Bound::Maybe | Bound::UnlessField, _) => {
                let message = format!("`{name}` may not be set here");
                let help = format!("give `{name}` a value before the condition, or in each of its branches");
                self.finding(
                    found,
                    site,
                    Code::MaybeUnset,
                    free.range,
                    message,
                    "raises `NameError` if the condition is false",
                    &help,
                );
            }
            (Bound::Later, _) => {
                let message = format!("`{name}` is not set at this point");
                let label = "raises `NameError`, here and in Galaxy";
                self.finding(found, site, Code::UnknownName, free.range, message, label, "set it further up");
            }
            (Bound::Never, Verdict::NotYetSet(reason)) if !free.guarded => {
                let message = format!("`{name}` is not set yet when `{}` is evaluated", site.property);
                let help = early_help(self.config, name, site);
                self.finding(found, site, Code::UnsetName, free.range, message, reason, &help);
            }
            (_, Verdict::ForSome(jobs)) => {
                return Some(ForSome { name: name.to_owned(), range: free.range, owner: first, jobs: jobs.clone() });
            }
            (Bound::Never, Verdict::Missing) if is_resource(name) => {
                let message = format!("nothing sets `{name}` for the {} `{}`", first.class.noun(), first.id);
                let help = format!("set `{name}` in the entity or in its parent, or test `entity.{name}` instead");
                self.finding(found, site, Code::UnsetName, free.range, message, "raises `NameError`", &help);
            }
            (Bound::Never, Verdict::Missing) if bad.len() == verdicts.len() => {
                let message = format!("the name `{name}` is not defined");
                let help = match self.suggestion(name, site).as_deref() {
                    _ if let Some(inside) = of_shell(name, site) => {
                        format!("if the shell is to read it, double the braces: `${{{{{inside}}}}}`")
                    }
                    _ if is_module(name) => format!("import it first: `import {name}`"),
                    Some(near @ ("True" | "False")) if site.property == "if" && is_alone(name, site) => {
                        format!("write `if: {}`: YAML 1.2 has no other words for it", near.to_lowercase())
                    }
                    Some(near) => format!("did you mean `{near}`?"),
                    None if is_resource(site.property) && is_alone(name, site) => {
                        format!("write a number, or define `{name}` under `context`")
                    }
                    None => format!("define `{name}` under `context`, or correct the name"),
                };
                let before = found.findings.len();
                self.finding(
                    found,
                    site,
                    Code::UnknownName,
                    free.range,
                    message,
                    "raises `NameError`, here and in Galaxy",
                    &help,
                );
                let is_part = self.config.tools.is_empty() || self.config.destinations.is_empty();
                if let Some(finding) = found.findings.get_mut(before).filter(|_| is_part) {
                    let note = "if another file defines it, lint both together: `tpvc lint one.yml other.yml`";
                    finding.diagnostic.notes.push(note.to_owned());
                }
            }
            (Bound::Never, Verdict::Missing) if !free.guarded => {
                let which = format!("for the {} `{}`", first.class.noun(), first.id);
                let others = match bad.len() - 1 {
                    0 => String::new(),
                    1 => " and one other".to_owned(),
                    count => format!(" and {count} others"),
                };
                let message = format!("`{name}` is not defined {which}{others}");
                let help = format!("give `{name}` a default in the context of an entity that all inherit from");
                self.finding(found, site, Code::UnsetName, free.range, message, "raises `NameError`", &help);
            }
            _ => {}
        }
        None
    }

    /// The non-abstract entities that evaluate this code. Code of the default entity runs for every entity of its class, and for
    /// the default tool itself if no other tool matches.
    pub(super) fn concrete(&self, site: &Site<'a>) -> Vec<&'a Arc<Entity>> {
        let is_default = |owner: &Entity| Some(&*owner.id) == self.default;
        let kind = site.kind_of_owner();
        let through_default = site.owners.iter().copied().find(|owner| is_default(owner));
        let candidates: Vec<&Arc<Entity>> = match through_default {
            Some(_) => self.config.section(kind).values().collect(),
            None => site.owners.clone(),
        };
        let is_met =
            |owner: &&Arc<Entity>| !owner.common.is_abstract || (is_default(owner) && kind == EntityClass::Tool);
        candidates.into_iter().filter(is_met).collect()
    }

    #[allow(clippy::too_many_arguments, reason = "the parts of one finding")]
    fn finding(
        &self,
        found: &mut Found<'_>,
        site: &Site<'_>,
        code: Code,
        range: TextRange,
        message: String,
        label: &str,
        help: &str,
    ) {
        let span = place(found.sources, site.text, site.kind, range);
        let diagnostic = Diagnostic::warning(message).at(span, label).help(help);
        found.report(Finding::new(code, diagnostic).within(site.no_qa()));
    }

    fn verdict(&self, owner: &Entity, phase: Phase, name: &str, lenient: bool) -> Verdict {
        if owner.class == EntityClass::Destination {
            return self.at_destination(owner, phase, name, lenient);
        }
        let default = self.default_of(EntityClass::Tool);
        let from_tools = match owner.class {
            EntityClass::Tool if !lenient => {
                has(owner.common.context.as_ref(), name)
                    || default.is_some_and(|default| has(default.common.context.as_ref(), name))
                    || self.shares(owner, name)
            }
            _ => self.tools.contains_key(name) || has(owner.common.context.as_ref(), name),
        };
        if from_tools || self.people.contains(name) {
            return Verdict::Fine;
        }
        let set_by_rule = rules_have(owner, name) || default.is_some_and(|default| rules_have(default, name));
        if set_by_rule {
            return match phase {
                Phase::Rules => {
                    Verdict::NotYetSet("only the context of a rule sets it, after all conditions".to_owned())
                }
                _ => Verdict::Fine,
            };
        }
        if let Some(resource) = Resource::from_name(name) {
            return match phase {
                Phase::Rules => {
                    Verdict::NotYetSet("rules are evaluated before resources: raises `NameError`".to_owned())
                }
                Phase::Resource(own) if resource == own => {
                    Verdict::NotYetSet("this expression sets it: raises `NameError`".to_owned())
                }
                Phase::Resource(own) if resource > own => {
                    Verdict::NotYetSet(format!("`{name}` is evaluated later: raises `NameError`"))
                }
                _ if lenient || self.sets(owner, name, phase) => Verdict::Fine,
                _ => Verdict::Missing,
            };
        }
        let by_destination = self.destinations.contains(name);
        match phase {
            Phase::Late(_) if by_destination => Verdict::Fine,
            Phase::Late(own) => self.late(own, name),
            _ if by_destination => Verdict::NotYetSet(
                "only destinations set it, and they are evaluated later: raises `NameError`".to_owned(),
            ),
            Phase::Rank if name == "candidate_destinations" => Verdict::Fine,
            _ if name == "candidate_destinations" || LATE.contains(&name) => {
                Verdict::NotYetSet("it is set later: raises `NameError`".to_owned())
            }
            _ => Verdict::Missing,
        }
    }

    fn at_destination(&self, owner: &Entity, phase: Phase, name: &str, lenient: bool) -> Verdict {
        let default = self.default_of(EntityClass::Destination);
        let contexts = has(owner.common.context.as_ref(), name)
            || default.is_some_and(|default| has(default.common.context.as_ref(), name))
            || self.tools.contains_key(name)
            || self.people.contains(name)
            || (lenient && self.destinations.contains(name));
        // What a rule sets for one candidate is still there for the rules of the next one.
        if contexts || rules_have(owner, name) || default.is_some_and(|default| rules_have(default, name)) {
            return Verdict::Fine;
        }
        if is_resource(name) {
            return if has_resource(&owner.common, name) || self.requested.contains(name) {
                Verdict::Fine
            } else {
                Verdict::Missing
            };
        }
        match phase {
            Phase::Late(own) => self.late(own, name),
            _ if name == "candidate_destinations" && self.has_rank => Verdict::Fine,
            _ if LATE.contains(&name) || name == "candidate_destinations" => {
                Verdict::NotYetSet("it is set later: raises `NameError`".to_owned())
            }
            _ => Verdict::Missing,
        }
    }

    fn late(&self, own: usize, name: &str) -> Verdict {
        match LATE.iter().position(|late| *late == name) {
            Some(index) if index < own => Verdict::Fine,
            Some(_) => Verdict::NotYetSet(format!("`{name}` is evaluated later: raises `NameError`")),
            None if name == "candidate_destinations" && self.has_rank => Verdict::Fine,
            None => Verdict::Missing,
        }
    }

    pub(super) fn default_of(&self, kind: EntityClass) -> Option<&'a Arc<Entity>> {
        self.config.section(kind).get(self.default?)
    }

    /// Returns `true` if a resource is set by the entity, by one that it is combined with, or by one that may match
    /// together with it.
    fn sets(&self, owner: &Entity, name: &str, phase: Phase) -> bool {
        let sets = |entity: &Entity| entity.commons().any(|common| has_resource(common, name));
        let people = || self.config.users.values().chain(self.config.roles.values()).any(|entity| sets(entity));
        let is_late = matches!(phase, Phase::Late(_));
        let destinations = || is_late && self.config.destinations.values().any(|entity| sets(entity));
        if owner.class != EntityClass::Tool {
            return self.requested.contains(name);
        }
        let own = literal(&owner.id);
        let together = || {
            self.config.tools.values().any(|tool| {
                let other = literal(&tool.id);
                !tool.common.is_abstract && (other.starts_with(own) || own.starts_with(other)) && sets(tool)
            })
        };
        sets(owner)
            || self.default_of(EntityClass::Tool).is_some_and(|default| sets(default))
            || people()
            || destinations()
            || together()
    }

    /// Returns `true` if a tool that the same job may match has the name in its context: one whose pattern begins
    /// alike.
    pub(super) fn shares(&self, owner: &Entity, name: &str) -> bool {
        let Some(tools) = self.tools.get(name) else { return false };
        let own = literal(&owner.id);
        tools.iter().any(|tool| {
            let other = literal(&tool.id);
            has(tool.common.context.as_ref(), name)
                && !tool.common.is_abstract
                && (other.starts_with(own) || own.starts_with(other))
        })
    }

    fn suggestion(&self, name: &str, site: &Site<'_>) -> Option<String> {
        let owner = site.owners.first()?;
        let resources =
            Resource::ALL.map(Resource::name).into_iter().filter(|_| Phase::of(site.property) != Phase::Rules);
        let contexts = keys(&owner.common)
            .chain(self.default_of(owner.class).into_iter().flat_map(|default| keys(&default.common)))
            .chain(self.config.global.context.keys().map(|key| &**key));
        let mut names: Vec<&str> = contexts.chain(resources).chain(["helpers", "log"]).collect();
        // A name alone is not meant as a function, nor that of an amount as a constant.
        let is_alone = is_alone(name, site);
        let is_meant =
            |builtin: &&str| !is_alone || matches!(*builtin, "True" | "False" | "None") && !is_resource(site.property);
        for given in model().mapper.keys().copied().chain(model().builtins().iter().filter(is_meant)) {
            names.push(given);
        }
        // Sorted, so that ties between equally close names are always resolved alike.
        names.sort_unstable();
        if let Some(constant) = constant(name) {
            return Some(constant.to_owned());
        }
        let near = closest(name, names.iter().copied()).or_else(|| synonym(name, names));
        near.map(str::to_owned)
    }
}

/// Returns `true` if the code is this name and nothing else.
fn is_alone(name: &str, site: &Site<'_>) -> bool {
    site.text.as_str().trim() == name
}

/// Python's constant for the equivalent word of another language.
fn constant(name: &str) -> Option<&'static str> {
    match name.to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" => Some("True"),
        "false" | "no" | "off" => Some("False"),
        "none" | "null" | "nil" | "undefined" => Some("None"),
        _ => None,
    }
}

/// The text that every id matched by a pattern begins with.
fn literal(pattern: &str) -> &str {
    let end = pattern.find(['\\', '.', '*', '+', '?', '(', '[', '{', '^', '$', '|']).unwrap_or(pattern.len());
    // A quantifier makes the character before it optional.
    let end = match pattern.get(end..).and_then(|rest| rest.chars().next()) {
        Some('*' | '?' | '{') => pattern.get(..end).and_then(|text| text.char_indices().last()).map_or(0, |(at, _)| at),
        Some('|') => 0,
        _ => end,
    };
    pattern.get(..end).unwrap_or("")
}

/// The text between the braces of `${NAME:-default}`, which a shell was meant to read.
fn of_shell<'t>(name: &str, site: &'t Site<'_>) -> Option<&'t str> {
    let text = site.text.as_str();
    let start = text.find(&format!("${{{name}")).filter(|_| site.kind == CodeKind::FString)? + 2;
    text.get(start..)?.split('}').next()
}

fn early_help(config: &Config, name: &str, site: &Site<'_>) -> String {
    if is_resource(name) && Phase::of(site.property) == Phase::Rules {
        if let Some(text) = unevaluated::of_resource(config, name, &site.owners) {
            return format!(
                "put the test into `{name}` itself: `entity.{name}` is the text `{text}` here, not what comes of it"
            );
        }
        return format!(
            "use `entity.{name}`, which is the value as the config writes it, or put the test into `{name}` itself"
        );
    }
    if is_resource(name) {
        return format!(
            "TPV sets them in the order `{}`: use only those before `{}`",
            Resource::ALL.map(Resource::name).join("`, `"),
            site.property
        );
    }
    if LATE.contains(&name) {
        return unevaluated::help(config, name, site.text.as_str());
    }
    "set it in the context of an entity, not of a rule or a destination".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_literal_start_of_a_pattern() {
        for (pattern, start) in [("bwa", "bwa"), ("a/b/.*", "a/b/"), ("ab*c", "a"), ("a|b", ""), (".*x", "")] {
            assert_eq!(literal(pattern), start);
        }
    }
}
