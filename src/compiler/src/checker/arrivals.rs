//! The jobs of tools and of the destinations that accept them: one without a name that code reads.
//!
//! An example is certain. The job is that of one tool, of an anonymous user or of one for whom nothing is said, with inputs of one size; no rule of the
//! tool, and none of the destination that matters, is for it; tags and limits let it come to the destination. What its own wrapper may declare is not known.

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use tpv_bytecode::CodeKind;
use tpv_config::Config;
use tpv_config::entity::{Common, Entity, Rule, text};
use tpv_model::{EntityClass, Field, Quantity, Resource, TagType};
use tpv_yaml::value::{ConfigValue, ValueKind};

use tpv_front::parse::{self, Tree};
use tpv_front::syntax::ast::{Expr, Stmt};
use tpv_front::validate;
use tpv_front::walk::{self, Part};

use super::guess::{Guess, Job, value};
use super::values::constant;

/// An id that no entry of a config names.
const WITHOUT_ENTRY: &str = "a_tool_without_an_entry";

/// The most tools that are tried for an example.
const MOST_TOOLS: usize = 300;

/// The most sizes of inputs that are tried for a tool.
const MOST_SIZES: usize = 24;

/// The jobs of a config by their tools.
pub(super) struct Arrivals<'a> {
    config: &'a Config,
    tools: OnceCell<Vec<Tool<'a>>>,
}

/// A tool with all entries that its jobs get.
struct Tool<'a> {
    /// The name of the tool in messages.
    shown: String,
    id: String,
    entries: Vec<&'a Entity>,
    /// The tags of the entries, the later ones over the earlier ones.
    tags: BTreeMap<&'a str, TagType>,
}

impl<'a> Arrivals<'a> {
    /// The arrivals of a config.
    pub(super) fn new(config: &'a Config) -> Self {
        Self { config, tools: OnceCell::new() }
    }

    /// A tool whose jobs a destination may accept and for which nothing sets what the destination's code reads.
    pub(super) fn without(&self, name: Need<'_>, destination: &'a Entity) -> Option<&str> {
        let place = Place::new(self.config, destination);
        let tools = self.tools.get_or_init(|| self.collect());
        let mut lacking = tools.iter().filter(|tool| !tool.entries.iter().any(|entity| sets(entity, name)));
        if self.people_set(name) {
            return None;
        }
        lacking.find(|tool| self.comes(tool, &place, name)).map(|tool| tool.shown.as_str())
    }

    /// Returns `true` if what a tool's code reads is set by rules alone, and a job of the tool certainly comes to the end of the rules without it.
    pub(super) fn only_by_rules(&self, name: Need<'_>, owner: &Entity) -> bool {
        let tools = self.tools.get_or_init(|| self.collect());
        let is_of = |tool: &&Tool<'_>| tool.entries.iter().any(|entity| std::ptr::eq(*entity, owner));
        !self.people_set(name)
            && tools.iter().filter(is_of).any(|tool| {
                let is_plain = |entity: &&Entity| common_sets(&entity.common, name);
                let rules = tool.entries.iter().flat_map(|entity| entity.rules.values());
                !tool.entries.iter().any(is_plain)
                    && self
                        .meets_none(tool, rules.filter(|rule| stops(rule) || common_sets(&rule.common, name)))
                        .is_some()
            })
    }

    /// What users and roles set may be set for every job that there is.
    fn people_set(&self, name: Need<'_>) -> bool {
        self.config.users.values().chain(self.config.roles.values()).any(|entity| sets(entity, name))
    }

    /// The tools that may be examples, a tool without an entry first.
    fn collect(&self) -> Vec<Tool<'a>> {
        let config = self.config;
        let default = config.default_entity(EntityClass::Tool);
        // A config of which the tools, or the default, are in another file says nothing of jobs.
        if config.tools.is_empty() || config.global.default_inherits.is_some() && default.is_none() {
            return Vec::new();
        }
        let tool = |shown: String, id: &str| {
            let mut found = Vec::new();
            config.matcher(EntityClass::Tool)?.matches(id, &mut found).ok()?;
            let matches = found.into_iter().filter_map(|index| Some(config.tools.get_index(index as usize)?.1));
            let matches: Vec<&Arc<Entity>> = matches.collect();
            // An abstract one is an error of its own.
            if matches.iter().any(|entity| entity.common.is_abstract) {
                return None;
            }
            let entries: Vec<&Entity> = default.into_iter().chain(matches).map(|entity| &**entity).collect();
            let mut tags = BTreeMap::from([("tool_type_default", TagType::Accept)]);
            for entity in &entries {
                for kind in TagType::APPLICATION {
                    tags.extend(entity.common.tags.get(kind).iter().map(|tag| (tag.as_str(), kind)));
                }
            }
            Some(Tool { shown, id: id.to_owned(), entries, tags })
        };
        // Without a default there are no jobs but those of the entries, as far as the config says.
        let without_entry = default.and_then(|_| tool("tools without an entry".to_owned(), WITHOUT_ENTRY));
        let mut out = Vec::from_iter(without_entry);
        for entity in config.tools.values().filter(|entity| !entity.common.is_abstract).take(MOST_TOOLS) {
            let id = entity.id.replace(".*", "x");
            let is_plain = !id.contains(['\\', '*', '+', '?', '(', '[', '{', '^', '$', '|']);
            if is_plain && default.is_none_or(|default| default.id != entity.id) {
                out.extend(tool(format!("the tool `{}`", entity.id), &id));
            }
        }
        out
    }

    /// Returns `true` if a job of the tool certainly comes to a destination without the name.
    fn comes(&self, tool: &Tool<'a>, place: &Place<'_>, name: Need<'_>) -> bool {
        if !place.accepts_tags(tool) {
            return false;
        }
        // A rank may leave destinations out by what the job asks for.
        let ranks = tool.entries.iter().filter_map(|entity| text(&entity.common, Field::Rank));
        if ranks.into_iter().any(|rank| rank.as_str().contains(name.name()) || rank.as_str().contains("gpu")) {
            return false;
        }
        let of_tool = tool.entries.iter().flat_map(|entity| entity.rules.values()).filter(|rule| changes(rule));
        let of_place = place.entities.iter().flat_map(|entity| entity.rules.values());
        let of_place = of_place.filter(|rule| stops(rule) || common_sets(&rule.common, name));
        let jobs = self.meets_none(tool, of_tool.chain(of_place));
        jobs.is_some_and(|jobs| jobs.iter().any(|job| place.accepts_amounts(job)))
    }

    /// Jobs of a tool for which none of these rules is, with certainty. `None` if there are none.
    fn meets_none<'t, 'r>(
        &self,
        tool: &'t Tool<'a>,
        rules: impl Iterator<Item = &'r Arc<Rule>>,
    ) -> Option<Vec<Imagined<'t, 'a>>> {
        let rules: Vec<Condition> = rules.map(|rule| Condition::of(rule)).collect::<Option<_>>()?;
        let mut sizes = vec![0.5, 0.0];
        rules.iter().for_each(|rule| rule.sizes(&mut sizes));
        let jobs = sizes.into_iter().take(MOST_SIZES).flat_map(|size| {
            // Nothing is said of a user if there are no entries that all of them have.
            let kinds: &[bool] = if self.is_silent_about_people() { &[false, true] } else { &[false] };
            kinds.iter().map(move |has_user| Imagined { tool, size, has_user: *has_user })
        });
        let jobs: Vec<_> = jobs.filter(|job| rules.iter().all(|rule| rule.holds(job) == Some(false))).collect();
        (!jobs.is_empty()).then_some(jobs)
    }

    /// Returns `true` unless an entry is for each user or each role.
    fn is_silent_about_people(&self) -> bool {
        let people = self.config.users.values().chain(self.config.roles.values());
        let default = self.config.global.default_inherits.as_ref();
        people.into_iter().all(|entity| {
            !entity.id.starts_with(['.', '(', '[', '^'])
                && default.is_none_or(|default| default.as_str() != &*entity.id)
        })
    }
}

/// A name that code of a destination reads.
#[derive(Clone, Copy)]
pub(super) enum Need<'n> {
    /// A resource, or a name of a context.
    Name(&'n str),
    /// A param of the entity.
    Param(&'n str),
}

impl<'n> Need<'n> {
    fn name(self) -> &'n str {
        match self {
            Self::Name(name) | Self::Param(name) => name,
        }
    }
}

/// Returns `true` if an entity or a rule of it sets what is needed.
fn sets(entity: &Entity, need: Need<'_>) -> bool {
    entity.commons().any(|common| common_sets(common, need))
}

/// Returns `true` if the fields of an entity or a rule set what is needed.
pub(super) fn common_sets(common: &Common, need: Need<'_>) -> bool {
    match need {
        Need::Name(name) => {
            common.context.as_ref().is_some_and(|context| context.contains_key(name))
                || Resource::from_name(name).is_some_and(|resource| common.amounts.get(resource).is_some())
        }
        Need::Param(name) => common.params.as_ref().is_some_and(|params| params.contains_key(name)),
    }
}

/// Returns `true` if a rule of a tool may change where its jobs go, or with what.
fn changes(rule: &Rule) -> bool {
    let common = &rule.common;
    stops(rule)
        || common.amounts.common().next().is_some()
        || TagType::APPLICATION.into_iter().any(|kind| !common.tags.get(kind).is_empty())
}

/// Returns `true` if a rule may end the mapping, or do anything.
fn stops(rule: &Rule) -> bool {
    let is_set = |text: &tpv_yaml::value::Text| !text.value.is_empty();
    rule.fail().is_some_and(is_set) || rule.execute().is_some_and(is_set)
}

/// A destination with the default.
struct Place<'a> {
    entities: Vec<&'a Entity>,
    tags: BTreeMap<&'a str, TagType>,
}

impl<'a> Place<'a> {
    fn new(config: &'a Config, destination: &'a Entity) -> Self {
        let default = config.default_entity(EntityClass::Destination).filter(|default| default.id != destination.id);
        let entities: Vec<&Entity> = default.map(|default| &**default).into_iter().chain([destination]).collect();
        let mut tags = BTreeMap::new();
        for offered in entities.iter().filter_map(|entity| entity.dest_tags.as_ref()) {
            for kind in TagType::APPLICATION {
                tags.extend(offered.get(kind).iter().map(|tag| (tag.as_str(), kind)));
            }
        }
        Self { entities, tags }
    }

    /// TPV's `SchedulingTags.match`.
    fn accepts_tags(&self, tool: &Tool<'_>) -> bool {
        let fits = |these: &BTreeMap<&str, TagType>, those: &BTreeMap<&str, TagType>| {
            these.iter().all(|(tag, kind)| match kind {
                TagType::Require => those.contains_key(tag),
                TagType::Reject => !those.contains_key(tag),
                _ => true,
            })
        };
        fits(&self.tags, &tool.tags) && fits(&tool.tags, &self.tags)
    }

    /// Returns `true` if what a job asks for is certainly accepted.
    fn accepts_amounts(&self, job: &Imagined<'_, '_>) -> bool {
        Quantity::ALL.into_iter().all(|quantity| {
            let limit = |of: tpv_model::Limit| {
                let mut entities = self.entities.iter().rev();
                entities.find_map(|entity| entity.common.amounts.get(of)).map(|value| plain(value))
            };
            let limits = [limit(quantity.least_accepted()), limit(quantity.most_accepted())];
            match (job.amount(quantity.resource()), limits) {
                (Guess::None, _) | (_, [None, None]) => true,
                (Guess::Number(asked), [least, most]) => {
                    let number = |limit: Option<Guess>, none: f64| match limit {
                        None => Some(none),
                        Some(Guess::Number(limit)) => Some(limit),
                        Some(_) => None,
                    };
                    let (least, most) = (number(least, f64::NEG_INFINITY), number(most, f64::INFINITY));
                    least.zip(most).is_some_and(|(least, most)| (least..=most).contains(&asked))
                }
                _ => false,
            }
        })
    }
}

/// A job of a tool.
struct Imagined<'t, 'a> {
    tool: &'t Tool<'a>,
    size: f64,
    has_user: bool,
}

impl Imagined<'_, '_> {
    /// The amount of a resource that the job asks for, as none of its rules holds.
    fn amount(&self, resource: Resource) -> Guess {
        let entries = || self.tool.entries.iter().rev();
        let own = |resource: Resource| entries().find_map(|entity| entity.common.amounts.get(resource));
        // A bound may change it.
        if let Some((least, most)) = resource.clamped_by()
            && (own(least).is_some() || own(most).is_some())
        {
            return Guess::Unknown;
        }
        own(resource).map_or(Guess::None, |value| plain(value))
    }
}

impl Job for Imagined<'_, '_> {
    fn name(&self, name: &str) -> Guess {
        match name {
            "input_size" => Guess::Number(self.size),
            "user" if !self.has_user => Guess::None,
            _ => match Resource::from_name(name).map(|resource| self.amount(resource)) {
                // Reading a name that is not set raises.
                None | Some(Guess::None) => Guess::Unknown,
                Some(amount) => amount,
            },
        }
    }

    fn attribute(&self, of: &str, name: &str) -> Guess {
        match (of, name) {
            ("tool", "id") => Guess::Text(self.tool.id.clone()),
            ("entity", _) => Resource::from_name(name).map_or(Guess::Unknown, |resource| self.amount(resource)),
            _ => Guess::Unknown,
        }
    }
}

/// The number that a field holds, if it is plain.
fn plain(value: &ConfigValue) -> Guess {
    #[allow(clippy::cast_precision_loss, reason = "amounts are small")]
    let number = match &value.kind {
        ValueKind::Int(number) => Some(*number as f64),
        ValueKind::Float(number) => Some(*number),
        ValueKind::Str(text) => text.value.trim().parse::<f64>().ok().filter(|number| number.is_finite()),
        _ => None,
    };
    number.map_or(Guess::Unknown, Guess::Number)
}

/// The condition of a rule.
enum Condition {
    Plain(bool),
    Code(Tree),
}

impl Condition {
    /// The condition of a rule. `None` if it is more than an expression.
    fn of(rule: &Rule) -> Option<Self> {
        let Some(text) = rule.condition().as_text() else { return Some(Self::Plain(rule.condition().python_bool())) };
        let parsed = parse::parse(text.as_str(), CodeKind::Block).ok()?;
        validate::validate(&parsed.body, &parsed.text).ok()?;
        let tree = parsed.into_tree();
        matches!(tree.body.as_slice(), [Stmt::Expr(_)]).then_some(Self::Code(tree))
    }

    /// Returns `true` if the condition holds for a job; `None` if that is not certain.
    fn holds(&self, job: &Imagined<'_, '_>) -> Option<bool> {
        match self {
            Self::Plain(holds) => Some(*holds),
            Self::Code(tree) => match tree.body.as_slice() {
                [Stmt::Expr(node)] => value(&node.value, job).truth(),
                _ => None,
            },
        }
    }

    /// Adds the sizes of inputs at which the condition may change.
    fn sizes(&self, sizes: &mut Vec<f64>) {
        let Self::Code(tree) = self else { return };
        let mut numbers = Vec::new();
        let mut has_size = false;
        for statement in &tree.body {
            if let Stmt::Expr(node) = statement {
                parts(&node.value, &mut |node| {
                    has_size |= matches!(node, Expr::Name(name) if name.id.as_str() == "input_size");
                    numbers.extend(constant(node));
                });
            }
        }
        if has_size {
            sizes.extend(numbers.into_iter().filter(|number| *number >= 0.0).flat_map(|at| [at, at / 2.0, at + 1.0]));
        }
    }
}

/// Calls `f` with an expression and each one in it.
fn parts<'t>(node: &'t Expr, f: &mut impl FnMut(&'t Expr)) {
    let mut rest = vec![node];
    while let Some(node) = rest.pop() {
        f(node);
        let _: Result<(), std::convert::Infallible> = walk::expression(node, &mut |part| {
            if let Part::Expr(part) = part {
                rest.push(part);
            }
            Ok(())
        });
    }
}

/// The names that a text reads whatever the job is: not only in a branch of a condition, in a function or beside a test of the same name.
pub(super) fn certain_names(tree: &Tree, text: &str) -> HashSet<String> {
    let mut out = HashSet::new();
    if ["locals(", "globals(", "vars(", "dir(", "context"].iter().any(|word| text.contains(word)) {
        return out;
    }
    for statement in &tree.body {
        match statement {
            Stmt::Expr(node) => certain(&node.value, &mut out),
            Stmt::Assign(node) => certain(&node.value, &mut out),
            Stmt::Return(node) => node.value.iter().for_each(|value| certain(value, &mut out)),
            // What comes after may never be reached.
            _ => break,
        }
    }
    out.retain(|name| !text.contains(&format!("entity.{name}")));
    out
}

fn certain(node: &Expr, out: &mut HashSet<String>) {
    match node {
        Expr::Name(name) => drop(out.insert(name.id.to_string())),
        Expr::IfExp(node) => certain(&node.test, out),
        Expr::BoolOp(node) => node.values.iter().take(1).for_each(|first| certain(first, out)),
        Expr::Lambda(_) | Expr::ListComp(_) | Expr::SetComp(_) | Expr::DictComp(_) | Expr::GeneratorExp(_) => {}
        node => {
            let _: Result<(), std::convert::Infallible> = walk::expression(node, &mut |part| {
                if let Part::Expr(part) = part {
                    certain(part, out);
                }
                Ok(())
            });
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn certain_of(text: &str, kind: CodeKind) -> Vec<String> {
        let tree = parse::parse(text, kind).unwrap().into_tree();
        let mut names: Vec<String> = certain_names(&tree, text).into_iter().collect();
        names.sort();
        names
    }

    #[test]
    fn names_that_are_read_whatever_the_job_is() {
        let of_fstring = |text| certain_of(text, CodeKind::FString);
        assert_eq!(of_fstring("--gpus={gpus} {int(mem)}"), ["gpus", "int", "mem"]);
        assert_eq!(of_fstring("{gpus if tool.id == 'x' else 0}"), ["tool"]);
        assert_eq!(of_fstring("{gpus if entity.gpus else 0}"), ["entity"]);
        assert_eq!(of_fstring("{user and gpus}"), ["user"]);
        assert_eq!(certain_of("x = cores\nif x: gpus\n", CodeKind::Block), ["cores"]);
    }

    #[test]
    fn conditions_of_an_imagined_job() {
        let tool = Tool { shown: String::new(), id: "bwa".to_owned(), entries: Vec::new(), tags: BTreeMap::new() };
        let job = Imagined { tool: &tool, size: 2.0, has_user: false };
        for (text, holds) in [
            ("input_size > 1", Some(true)),
            ("1 < input_size <= 1.5", Some(false)),
            ("tool.id == 'alphafold'", Some(false)),
            ("tool.id in ['bwa', 'star']", Some(true)),
            ("tool.id.startswith('b') and not user", Some(true)),
            ("user and user.email == 'a'", Some(false)),
            ("entity.gpus", Some(false)),
            ("entity.gpus is None", Some(true)),
            ("gpus > 1", None),
            ("helpers.tag_values_match(entity)", None),
            ("input_size > 5 and helpers.x()", Some(false)),
        ] {
            let tree = parse::parse(text, CodeKind::Block).unwrap().into_tree();
            assert_eq!(Condition::Code(tree).holds(&job), holds, "{text}");
        }
    }
}
