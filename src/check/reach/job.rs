//! What the jobs of a tool may ask for when destinations are matched, over all users, roles and inputs.
//!
//! Entities are merged as the mapper merges them; what only some jobs have is kept as one of several possibilities, field by field
//! and tag by tag, so that what is left out of all of them is left out of every job.

use std::collections::HashMap;
use std::sync::Arc;

use tpv_bytecode::CodeKind;
use tpv_runtime::artifact::tables::Resource;

use crate::check::domain::{self, Kinds, Outcome, Truth, Value};
use crate::config::entity::{Common, Entity, Rule};
use crate::config::scheduling::TagKind;
use crate::source::Span;
use crate::yaml::value::{ConfigValue, Text};

use super::code::Code;
use super::effects::Effects;
use super::names::{Context, JobNames, any_input_size};
use super::tags::Tags;

/// What a field of a resource may be set to.
#[derive(Clone, Debug, Default)]
struct Field {
    /// What the config sets; `None` where it sets nothing.
    sources: Vec<Option<Arc<ConfigValue>>>,
    /// Whether it may be any number besides, as a tool's wrapper declares it.
    declared: bool,
    /// Whether code may have set it.
    unknown: bool,
}

impl Field {
    fn of(source: Option<Arc<ConfigValue>>) -> Self {
        Self { sources: vec![source], ..Self::default() }
    }

    fn or(&mut self, other: &Self) {
        for source in &other.sources {
            let same = |own: &Option<Arc<ConfigValue>>| match (own, source) {
                (Some(own), Some(other)) => Arc::ptr_eq(own, other),
                (None, None) => true,
                _ => false,
            };
            if !self.sources.iter().any(same) {
                self.sources.push(source.clone());
            }
        }
        self.declared |= other.declared;
        self.unknown |= other.unknown;
    }
}

/// The fields that a tool's wrapper may declare.
const DECLARED: [Resource; 6] =
    [Resource::Cores, Resource::Mem, Resource::Gpus, Resource::MaxCores, Resource::MaxMem, Resource::MaxGpus];

/// Jobs that may have more rules than these are not followed.
const MOST_RULES: usize = 2_000;

/// The lower and upper bounds of `gpus`, `cores` and `mem`, in the order in which they are evaluated.
const CLAMPED: [(Resource, Resource, Resource); 3] = [
    (Resource::Gpus, Resource::MinGpus, Resource::MaxGpus),
    (Resource::Cores, Resource::MinCores, Resource::MaxCores),
    (Resource::Mem, Resource::MinMem, Resource::MaxMem),
];

/// What destinations are matched with.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    /// The tags.
    pub tags: Tags,
    /// Cores, mem and gpus: what they may be where they are set, and whether they may not be.
    pub wanted: [(Value, bool); 3],
    /// The code that may have changed anything, so that nothing is known.
    pub unknown: Option<Span>,
    /// The code that may have changed something.
    pub doubts: Vec<Span>,
}

/// Why no job goes on to destinations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum End {
    /// A rule fails each of them, as it is meant to.
    Fails(Span),
    /// Code raises for each of them.
    Raises(Span),
    /// An abstract entity matches the id, too.
    Abstract(Span),
}

/// What was found of a rule's condition.
#[derive(Clone, Debug, Default)]
pub(crate) struct Condition {
    /// Whether it may be true, or false, or raise; in this order.
    pub may: [bool; 3],
}

/// What is noted of rules while jobs are followed, by their places.
pub(crate) type Conditions = HashMap<Span, Condition>;

/// A rule that jobs have.
#[derive(Clone, Debug)]
struct Held {
    rule: Arc<Rule>,
    /// Whether all of them have it.
    always: bool,
    /// The rule that it was merged with, where it is that of a role or user.
    over: Option<Arc<Rule>>,
}

/// What roles and users may add to a job, each of them or not.
#[derive(Default)]
pub(super) struct Higher {
    /// The tags, in the kinds in which they stand somewhere.
    tags: Vec<(Arc<str>, TagKind)>,
    fields: [Field; 9],
    contexts: Vec<Common>,
    rules: Vec<Arc<Rule>>,
}

impl Higher {
    /// Adds a role or user.
    pub(super) fn add(&mut self, entity: &Entity) {
        let tags =
            TagKind::ALL.into_iter().flat_map(|kind| entity.common.tags.get(kind).iter().map(move |tag| (tag, kind)));
        for (tag, kind) in tags {
            if !self.tags.iter().any(|(known, other)| *known == tag.value && *other == kind) {
                self.tags.push((tag.value.clone(), kind));
            }
        }
        for (field, source) in self.fields.iter_mut().zip(fields(&entity.common)) {
            if source.is_some() {
                field.or(&Field::of(source));
            }
        }
        if entity.common.context.as_ref().is_some_and(|context| !context.is_empty()) {
            self.contexts.push(entity.common.clone());
        }
        for rule in entity.rules.values() {
            if !self.rules.iter().any(|known| Arc::ptr_eq(known, rule)) {
                self.rules.push(rule.clone());
            }
        }
    }
}

/// Jobs on their way.
#[derive(Clone, Debug)]
pub(super) struct Jobs {
    tags: Tags,
    fields: [Field; 9],
    /// What conditions see.
    context: Context,
    /// What resources see: the context with that of the rules that apply.
    ruled: Context,
    /// The rules, in order.
    rules: Vec<Held>,
    input_size: Value,
    unknown: Option<Span>,
    doubts: Vec<Span>,
}

/// Something for each resource, in their order.
fn by_resource<T: Default>(mut make: impl FnMut(Resource) -> T) -> [T; 9] {
    std::array::from_fn(|at| Resource::ALL.get(at).map(|resource| make(*resource)).unwrap_or_default())
}

fn fields(common: &Common) -> [Option<Arc<ConfigValue>>; 9] {
    let own = &common.resources;
    by_resource(|resource| {
        let named = own.evaluated().find(|(name, _)| *name == resource.name());
        named.and_then(|(_, value)| value.clone())
    })
}

impl Jobs {
    /// Jobs that no entity has matched yet.
    pub(super) fn new(context: Context) -> Self {
        Self {
            tags: Tags::none(),
            fields: by_resource(|_| Field::of(None)),
            ruled: Context::default(),
            context,
            rules: Vec::new(),
            input_size: any_input_size(),
            unknown: None,
            doubts: Vec::new(),
        }
    }

    /// Puts over all this what the tool's wrapper gives: its type, of which it may be any where none is known, and resources.
    pub(super) fn provide(&mut self, tool_type: Option<&str>, declares: bool) {
        self.tags.add_tool_type(tool_type);
        for resource in DECLARED {
            if let Some(field) = self.fields.get_mut(resource as usize) {
                field.declared |= declares;
            }
        }
    }

    /// Puts an entity over all this, which all of the jobs match, or some.
    pub(super) fn inherit(&mut self, child: &Entity, always: bool) {
        self.put(&child.common, always);
        self.context.put(&child.common, always);
        for rule in child.rules.values() {
            self.inherit_rule(rule, always);
        }
        // The rule of one id under the key of another is not followed.
        if self.rules.len() > MOST_RULES || child.rules.values().any(|rule| rule.key != rule.id) {
            self.unknown.get_or_insert(child.span);
        }
    }

    /// A rule takes the place of those of its id, and inherits from them.
    fn inherit_rule(&mut self, rule: &Arc<Rule>, always: bool) {
        let mut rules = Vec::with_capacity(self.rules.len() + 1);
        let mut surely_there = false;
        for parent in std::mem::take(&mut self.rules) {
            if parent.rule.key != rule.key {
                rules.push(parent);
                continue;
            }
            let merged = Arc::new(rule.inherit(&parent.rule));
            let was_always = parent.always;
            if !always {
                rules.push(Held { always: false, ..parent });
            }
            surely_there |= was_always;
            rules.push(Held { rule: merged, always: always && was_always, over: None });
        }
        if !surely_there {
            let alone = !rules.iter().any(|other| other.rule.key == rule.key);
            rules.push(Held { rule: rule.clone(), always: always && alone, over: None });
        }
        self.rules = rules;
    }

    /// Puts tags and resources over those that are there, for all jobs or for some.
    fn put(&mut self, common: &Common, always: bool) {
        if !common.tags.is_empty() {
            let mut tags = self.tags.clone();
            tags.inherit(&common.tags);
            self.tags = if always { tags } else { self.tags.or(&tags) };
        }
        if common.resources.is_empty() {
            return;
        }
        for (field, source) in self.fields.iter_mut().zip(fields(common)) {
            match (source, always) {
                (None, _) => {}
                (source, true) => *field = Field::of(source),
                (source, false) => field.or(&Field::of(source)),
            }
        }
    }

    /// Lets some of the jobs be those of roles and users, too.
    pub(super) fn or_with(&mut self, higher: &Higher) {
        for rule in &higher.rules {
            self.or_with_rule(rule);
        }
        self.tags.or_combined(&higher.tags);
        for (field, other) in self.fields.iter_mut().zip(&higher.fields) {
            field.or(other);
        }
        for common in &higher.contexts {
            self.context.put(common, false);
        }
    }

    /// Lets some of the jobs have a rule of a role or user. It becomes one with those of its id, where they stand: with its own
    /// condition, and the fields of both.
    fn or_with_rule(&mut self, rule: &Arc<Rule>) {
        let before = std::mem::take(&mut self.rules);
        for held in &before {
            let is_replaced = held.rule.key == rule.key;
            self.rules.push(Held { always: held.always && !is_replaced, ..held.clone() });
            // Effects are joined field by field, so that pairs stand for longer chains, too.
            if is_replaced && held.over.is_none() && held.rule.span != rule.span {
                let merges = |known: &Held| {
                    known.rule.span == rule.span
                        && known.over.as_ref().is_some_and(|over| Arc::ptr_eq(over, &held.rule))
                };
                if !before.iter().any(merges) {
                    let merged = Arc::new(rule.inherit(&held.rule));
                    self.rules.push(Held { rule: merged, always: false, over: Some(held.rule.clone()) });
                }
            }
        }
        let is_there = |held: &Held| held.over.is_none() && held.rule.span == rule.span && held.rule.key == rule.key;
        if !before.iter().any(is_there) {
            self.rules.push(Held { rule: rule.clone(), always: false, over: None });
        }
    }

    /// Applies the rules.
    ///
    /// # Errors
    /// Why no job is left after them.
    pub(super) fn apply_rules(&mut self, code: &Code<'_>, conditions: &mut Conditions) -> Result<(), End> {
        self.ruled = self.context.clone();
        if let Some(last) = self.rules.last().filter(|_| self.rules.len() > MOST_RULES) {
            self.unknown.get_or_insert(last.rule.span);
        }
        for held in std::mem::take(&mut self.rules) {
            self.apply(&held.rule, held.always, code, conditions)?;
        }
        Ok(())
    }

    fn apply(&mut self, rule: &Rule, always: bool, code: &Code<'_>, conditions: &mut Conditions) -> Result<(), End> {
        let condition = rule.condition.as_text();
        if let Some(text) = condition {
            self.change(&code.effects(text, CodeKind::Block), text.span);
        }
        let outcome = self.condition(rule, code, false);
        let truth = outcome.value.truth();
        {
            let outcome = self.condition(rule, code, true);
            let mut truth = outcome.value.truth();
            // A condition on what the context sets, and on nothing of the job, is a switch.
            let block = condition.and_then(|text| code.block(text, CodeKind::Block));
            if block
                .is_some_and(|block| block.names().next().is_some() && block.names().all(|name| self.context.has(name)))
            {
                truth = Truth { yes: true, no: true };
            }
            let noted = conditions.entry(rule.span).or_default();
            let may = [truth.yes || self.unknown.is_some(), truth.no || self.unknown.is_some(), outcome.raises];
            noted.may = std::array::from_fn(|at| noted.may.get(at) == Some(&true) || may.get(at) == Some(&true));
        }
        if self.unknown.is_some() {
            return Ok(());
        }
        if !truth.yes && !truth.no {
            return if always { Err(End::Raises(rule.span)) } else { Ok(()) };
        }
        if !truth.yes {
            return Ok(());
        }
        let is_set = |text: &&Text| !text.value.is_empty();
        if rule.fail.as_ref().filter(is_set).is_some() {
            if always && !truth.no {
                return Err(End::Fails(rule.span));
            }
            if let Some(block) = condition.filter(|_| always).and_then(|text| code.block(text, CodeKind::Block)) {
                let assumed = domain::assume(block, &self.names(false), false);
                let sizes = assumed.into_iter().filter(|(name, _)| name == "input_size");
                if let Some((_, left)) = sizes.last() {
                    self.input_size = left;
                }
            }
            return Ok(());
        }
        if let Some(execute) = rule.execute.as_ref().filter(is_set) {
            self.change(&code.effects(execute, CodeKind::Exec), execute.span);
            return Ok(());
        }
        let always = always && !truth.no;
        self.put(&rule.common, always);
        self.ruled.put(&rule.common, always);
        Ok(())
    }

    /// What conditions see.
    fn names(&self, switches: bool) -> JobNames<'_> {
        const NO_RESOURCES: &[Option<Outcome>; 9] = &[const { None }; 9];
        JobNames { context: &self.context, input_size: &self.input_size, resources: NO_RESOURCES, switches }
    }

    fn condition(&self, rule: &Rule, code: &Code<'_>, switches: bool) -> Outcome {
        match rule.condition.as_text() {
            Some(text) => code.evaluate(text, &self.names(switches)),
            None => Outcome::of(super::code::constant(&rule.condition)),
        }
    }

    /// Takes what code may change.
    fn change(&mut self, effects: &Effects, at: Span) {
        if effects.is_none() {
            return;
        }
        if !self.doubts.contains(&at) {
            self.doubts.push(at);
        }
        if effects.everything {
            self.unknown.get_or_insert(at);
        }
        if let Some(tags) = &effects.tags {
            self.tags.change(&tags.names, tags.is_open);
        }
        let groups = [
            [Resource::Cores, Resource::MinCores, Resource::MaxCores],
            [Resource::Mem, Resource::MinMem, Resource::MaxMem],
            [Resource::Gpus, Resource::MinGpus, Resource::MaxGpus],
        ];
        for (_, group) in effects.resources.iter().zip(groups).filter(|(changed, _)| **changed) {
            for resource in group {
                if let Some(field) = self.fields.get_mut(resource as usize) {
                    field.unknown = true;
                }
            }
        }
        self.context.open |= effects.context;
        self.ruled.open |= effects.context;
    }

    /// What destinations are matched with.
    pub(super) fn ask(mut self, code: &Code<'_>) -> Asked {
        let texts: Vec<(Text, Span)> = self
            .fields
            .iter()
            .flat_map(|field| field.sources.iter().flatten())
            .filter_map(|source| source.as_text().map(|text| (text.clone(), text.span)))
            .collect();
        for (text, at) in texts {
            self.change(&code.effects(&text, CodeKind::Block), at);
        }
        let mut evaluated: [Option<Outcome>; 9] = Default::default();
        let mut wanted: [(Value, bool); 9] = std::array::from_fn(|_| (Value::nothing(), true));
        for resource in Resource::ALL {
            let Some(field) = self.fields.get(*resource as usize) else { continue };
            let mut value = Value::nothing();
            let names =
                JobNames { context: &self.ruled, input_size: &self.input_size, resources: &evaluated, switches: false };
            for source in field.sources.iter().flatten() {
                value = value.or(&code.value(source, &names).value);
            }
            if field.declared {
                value = value.or(&Value::of_kinds(Kinds::FLOAT));
            }
            if field.unknown {
                value = Value::any();
            }
            let unset = field.unknown || field.sources.iter().any(Option::is_none);
            if let Some((_, min, max)) = CLAMPED.iter().find(|(clamped, ..)| clamped == resource) {
                let bound = |bound: Resource| wanted.get(bound as usize).cloned().unwrap_or((Value::any(), true));
                value = clamp(&clamp(&value, &bound(*min), true), &bound(*max), false);
            }
            if let Some(slot) = evaluated.get_mut(*resource as usize) {
                *slot = (!value.is_nothing()).then(|| Outcome { value: value.clone(), raises: unset });
            }
            if let Some(slot) = wanted.get_mut(*resource as usize) {
                *slot = (value, unset);
            }
        }
        let of = |resource: Resource| wanted.get(resource as usize).cloned().unwrap_or((Value::any(), true));
        let wanted = [of(Resource::Cores), of(Resource::Mem), of(Resource::Gpus)];
        Asked { tags: self.tags, wanted, unknown: self.unknown, doubts: self.doubts }
    }
}

/// `max(bound or 0, value or 0) if bound else value`, or the same with `min`.
fn clamp(value: &Value, (bound, may_be_unset): &(Value, bool), is_least: bool) -> Value {
    if value.is_nothing() {
        return Value::nothing();
    }
    let truth = bound.truth();
    let mut out = Value::nothing();
    if *may_be_unset || truth.no {
        out = out.or(value);
    }
    if !truth.yes {
        return out;
    }
    let own = if value.truth().no { value.truthy().or(&Value::int(0)) } else { value.truthy() };
    let bound = bound.truthy();
    let plain = |value: &Value| value.kinds().within(Kinds::NUMBER) && !value.may_be_nan();
    let (true, true, Some(a), Some(b)) = (plain(&own), plain(&bound), own.bounds(), bound.bounds()) else {
        return if own.kinds().or(bound.kinds()).within(Kinds::NUMBER) {
            // NaN compares as false with everything, and so gives way to neither.
            out.or(&own).or(&bound)
        } else {
            Value::any()
        };
    };
    let (low, high) = if is_least { (a.0.max(b.0), a.1.max(b.1)) } else { (a.0.min(b.0), a.1.min(b.1)) };
    out.or(&Value::number(own.kinds().or(bound.kinds()), low, high, false))
}
