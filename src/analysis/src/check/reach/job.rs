//! The requests that jobs of a tool may make when destinations are matched, over all users, roles and inputs.
//!
//! Entities are merged as the mapper merges them; what only some jobs have is kept as one of several possibilities, field by field
//! and tag by tag, so that what is left out of all of them is left out of every job.

use std::sync::Arc;

use indexmap::IndexSet;
use tpv_bytecode::CodeKind;
use tpv_model::{Quantity, Resource, TagType};

use crate::check::domain::{self, Kinds, Outcome, Truth, Value};
use tpv_config::entity::{Entity, Rule};
use tpv_text::source::Span;
use tpv_yaml::value::{ConfigValue, Text};

use super::code::Code;
use super::conditions::{Answer, Conditions};
use super::effects::Effects;
use super::fields::{Fields, fields_of, inherit};
use super::names::{Context, INPUT_SIZE, JobNames};
use super::rules::{Layered, Rules};
use super::tags::Tags;

/// The values that destinations are matched with.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Asked {
    /// The tags.
    pub tags: Tags,
    /// For each [`Quantity`]: what they may be where they are set, and whether they may not be.
    pub wanted: [(Value, bool); Quantity::COUNT],
    /// `false` if code may have changed everything.
    pub is_known: bool,
}

/// The reason that no job reaches the destinations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum End {
    /// A rule fails each of them, as it is meant to.
    Fails(Span),
    /// Code raises for each of them.
    Raises(Span),
    /// An abstract entity matches the id, too.
    Abstract(Span),
}

/// The additions that roles and users may make to a job, each of them or not.
#[derive(Default)]
pub(super) struct Higher {
    /// The tags, in the kinds in which they stand somewhere.
    tags: Vec<(Arc<str>, TagType)>,
    /// All other fields.
    fields: Fields,
    rules: Vec<Arc<Rule>>,
}

impl Higher {
    /// Adds a role or user.
    pub(super) fn add(&mut self, entity: &Entity) {
        let tags = TagType::APPLICATION
            .into_iter()
            .flat_map(|kind| entity.common.tags.get(kind).iter().map(move |tag| (tag, kind)));
        for (tag, kind) in tags {
            if !self.tags.iter().any(|(known, other)| *known == tag.value && *other == kind) {
                self.tags.push((tag.value.clone(), kind));
            }
        }
        inherit(&Fields { tags: Tags::default(), ..fields_of(&entity.common) }, &mut self.fields, false);
        self.rules.extend(entity.rules.values().cloned());
    }
}

/// Jobs on their way.
#[derive(Clone, Debug)]
pub(super) struct Jobs {
    /// The fields; the context with that of the rules that apply, as the code of resources sees it.
    fields: Fields,
    /// The context that conditions see: without the context of rules.
    context: Context,
    rules: Rules,
    input_size: Value,
    unknown: Option<Span>,
    doubts: IndexSet<Span>,
    /// `true` if a rule of all jobs counts as one that does not apply where its condition is not decided, and is not about sizes.
    pub is_plain: bool,
    /// The steps that this has taken so far.
    pub steps: usize,
}

impl Jobs {
    /// Jobs that no entity has matched yet.
    pub(super) fn new(context: Context, input_size: Value) -> Self {
        Self {
            fields: Fields { context, ..Fields::default() },
            context: Context::default(),
            rules: Rules::default(),
            input_size,
            unknown: None,
            doubts: IndexSet::new(),
            is_plain: false,
            steps: 0,
        }
    }

    /// Puts over all this what the tool's wrapper gives: its type, of which it may be any where none is known, and resources.
    pub(super) fn provide(&mut self, tool_type: Option<&str>, declares: bool) {
        self.fields.tags.add_tool_type(tool_type);
        for resource in Resource::DECLARED {
            if let Some(field) = self.fields.amounts.get_mut(resource as usize) {
                field.declared |= declares;
            }
        }
    }

    /// Puts an entity with these fields over all this, which all of the jobs match, or some.
    pub(super) fn inherit(&mut self, child: &Entity, fields: &Fields, always: bool) {
        self.steps += inherit(fields, &mut self.fields, always);
        for rule in child.rules.values() {
            self.inherit_rule(rule, always);
        }
    }

    fn inherit_rule(&mut self, rule: &Arc<Rule>, always: bool) {
        self.steps += 1;
        self.rules.inherit(rule, always);
        // The rule of one id under the key of another is not followed.
        if rule.key != rule.id {
            self.unknown.get_or_insert(rule.span);
        }
    }

    /// Lets some of the jobs be those of roles and users, too.
    pub(super) fn or_with(&mut self, higher: &Higher) {
        for rule in &higher.rules {
            self.inherit_rule(rule, false);
        }
        self.fields.tags.or_combined(&higher.tags);
        self.steps += TagType::APPLICATION.len() * higher.tags.len() + inherit(&higher.fields, &mut self.fields, false);
    }

    /// The sizes of inputs, in GiB, at which the conditions of rules may change their outcome: the least size above each border.
    pub(super) fn borders(&self, code: &Code<'_>) -> Vec<f64> {
        let names = self.first_names();
        let layers = self.rules.in_order().into_iter().flat_map(|(layered, _)| &layered.layers);
        let conditions = layers.filter_map(|layer| layer.rule.condition().as_text());
        let blocks = conditions.filter_map(|text| code.block(text, CodeKind::Block));
        blocks.flat_map(|block| domain::borders(block, &names, INPUT_SIZE)).collect()
    }

    /// The value that the config gives each [`Quantity`], if it is the same for all of these jobs.
    pub(super) fn amounts(&self) -> [Option<Arc<ConfigValue>>; Quantity::COUNT] {
        Quantity::ALL.map(|quantity| match self.fields.amounts.get(quantity.resource() as usize)?.sources.as_slice() {
            [one] => Some(one.clone()),
            _ => None,
        })
    }

    /// Applies the rules.
    ///
    /// # Errors
    /// The reason, if no job is left after the rules.
    pub(super) fn apply_rules(&mut self, code: &Code<'_>, conditions: &mut Conditions) -> Result<(), End> {
        self.context = self.fields.context.clone();
        let rules = std::mem::take(&mut self.rules);
        for (rule, always) in rules.in_order() {
            self.apply(rule, always, code, conditions)?;
        }
        Ok(())
    }

    fn apply(
        &mut self,
        layered: &Layered,
        always: bool,
        code: &Code<'_>,
        conditions: &mut Conditions,
    ) -> Result<(), End> {
        let lowest = layered.lowest();
        // One of these layers has the condition that is asked.
        let asked = || layered.layers.iter().enumerate().skip(lowest);
        for (_, layer) in asked() {
            if let Some(text) = layer.rule.condition().as_text() {
                self.change(&code.effects(text, CodeKind::Block), text.span);
            }
        }
        let (truth, top) = self.truth(layered, code);
        self.steps += 2 * layered.layers.len();
        let answers = asked().map(|(_, layer)| self.answer(&layer.rule, code));
        conditions.note(layered, lowest, &answers.collect::<Vec<_>>());
        let Some(highest) = layered.layers.last().filter(|_| self.unknown.is_none()) else { return Ok(()) };
        if !truth.yes && !truth.no {
            return if always { Err(End::Raises(highest.rule.span)) } else { Ok(()) };
        }
        let Some(top) = top.filter(|_| !(self.is_plain && always && truth.no && !mentions_size(layered))) else {
            return Ok(());
        };
        let fail = layered.choice(top, |rule| rule.fail());
        if fail.always {
            if always && !truth.no {
                return Err(End::Fails(highest.rule.span));
            }
            // The jobs that are left are those of which the condition is false, where it is one and the same for all.
            let condition = highest.rule.condition().as_text().filter(|_| always && lowest + 1 == layered.layers.len());
            if let Some(block) = condition.and_then(|text| code.block(text, CodeKind::Block)) {
                let assumed = domain::assume(block, &self.names(false), false);
                let sizes = assumed.into_iter().filter(|(name, _)| name == INPUT_SIZE);
                if let Some((_, left)) = sizes.last() {
                    self.input_size = left;
                }
            }
            return Ok(());
        }
        let execute = layered.choice(top, |rule| rule.execute());
        for text in &execute.texts {
            self.change(&code.effects(text, CodeKind::Exec), text.span);
        }
        if execute.always {
            return Ok(());
        }
        let (fields, steps) = layered.fields(top);
        self.steps += steps + inherit(&fields, &mut self.fields, always && !truth.no && execute.texts.is_empty());
        Ok(())
    }

    /// The possible truth of the conditions of a rule's layers, one of which is asked, and the highest layer whose condition may be true.
    fn truth(&self, layered: &Layered, code: &Code<'_>) -> (Truth, Option<usize>) {
        let (mut truth, mut top) = (Truth::default(), None);
        for (index, layer) in layered.layers.iter().enumerate().skip(layered.lowest()) {
            let found = self.condition(&layer.rule, code, false).value.truth();
            truth = Truth { yes: truth.yes || found.yes, no: truth.no || found.no };
            top = found.yes.then_some(index).or(top);
        }
        (truth, top)
    }

    /// The number of rules of an entity that change what destinations are matched with, and whose conditions are not decided.
    pub(super) fn undecided(&self, entity: &Entity, code: &Code<'_>) -> usize {
        let names = self.first_names();
        let changes = |rule: &Rule| {
            let tags = &rule.common.tags;
            rule.execute().is_some()
                || rule.common.amounts.resources().next().is_some()
                || TagType::APPLICATION.into_iter().any(|kind| !tags.get(kind).is_empty())
        };
        let is_open = |rule: &Rule| {
            let truth = rule.condition().as_text().map(|text| code.evaluate(text, &names).value.truth());
            truth.is_some_and(|truth| truth.yes && truth.no && !is_about_size(rule))
        };
        entity.rules.values().filter(|rule| changes(rule) && is_open(rule)).count()
    }

    /// The outcomes of a condition, assuming that switches of the config may be flipped.
    fn answer(&self, rule: &Rule, code: &Code<'_>) -> Answer {
        if self.unknown.is_some() {
            return Answer { yes: true, no: true, raises: true };
        }
        let outcome = self.condition(rule, code, true);
        let truth = outcome.value.truth();
        // A condition on what the context sets, and on nothing of the job, is a switch.
        let block = rule.condition().as_text().and_then(|text| code.block(text, CodeKind::Block));
        let is_switch = block
            .is_some_and(|block| block.names().next().is_some() && block.names().all(|name| self.context.has(name)));
        Answer { yes: truth.yes || is_switch, no: truth.no || is_switch, raises: outcome.raises }
    }

    /// The names that conditions see before any rule is applied.
    fn first_names(&self) -> JobNames<'_> {
        JobNames { context: &self.fields.context, ..self.names(false) }
    }

    /// The names that conditions see.
    fn names(&self, switches: bool) -> JobNames<'_> {
        const NO_RESOURCES: &[Option<Outcome>; Resource::COUNT] = &[const { None }; Resource::COUNT];
        JobNames { context: &self.context, input_size: &self.input_size, resources: NO_RESOURCES, switches }
    }

    fn condition(&self, rule: &Rule, code: &Code<'_>, switches: bool) -> Outcome {
        match rule.condition().as_text() {
            Some(text) => code.evaluate(text, &self.names(switches)),
            None => Outcome::of(super::code::constant(rule.condition())),
        }
    }

    /// Takes what code may change.
    fn change(&mut self, effects: &Effects, at: Span) {
        if effects.is_none() {
            return;
        }
        self.doubts.insert(at);
        if effects.everything {
            self.unknown.get_or_insert(at);
        }
        if let Some(tags) = &effects.tags {
            match &tags.combines {
                Some(kinds) => self.fields.tags.or_combined_in_code(&tags.names, tags.is_open, kinds),
                None => self.fields.tags.change(&tags.names, tags.is_open),
            }
        }
        for (_, quantity) in effects.resources.iter().zip(Quantity::ALL).filter(|(changed, _)| **changed) {
            for resource in quantity.resources() {
                if let Some(field) = self.fields.amounts.get_mut(resource as usize) {
                    field.unknown = true;
                }
            }
        }
        self.context.open |= effects.context;
        self.fields.context.open |= effects.context;
    }

    /// The facts that destinations are matched with, and the code that may have changed them.
    pub(super) fn ask(mut self, code: &Code<'_>) -> (Asked, Vec<Span>) {
        let texts: Vec<(Text, Span)> = self
            .fields
            .amounts
            .iter()
            .flat_map(|field| &field.sources)
            .filter_map(|source| source.as_text().map(|text| (text.clone(), text.span)))
            .collect();
        for (text, at) in texts {
            self.change(&code.effects(&text, CodeKind::Block), at);
        }
        let mut evaluated: [Option<Outcome>; Resource::COUNT] = Default::default();
        let mut wanted: [(Value, bool); Resource::COUNT] = std::array::from_fn(|_| (Value::nothing(), true));
        for resource in Resource::ALL {
            let Some(field) = self.fields.amounts.get(resource as usize) else { continue };
            let mut value = Value::nothing();
            let context = &self.fields.context;
            let names = JobNames { context, input_size: &self.input_size, resources: &evaluated, switches: false };
            for source in &field.sources {
                value = value.or(&code.value(source, &names).value);
            }
            // A wrapper may declare code, too.
            if field.declared || field.unknown {
                value = Value::any();
            }
            let unset = field.unknown || field.unset;
            if let Some((min, max)) = resource.clamped_by() {
                let bound = |bound: Resource| wanted.get(bound as usize).cloned().unwrap_or((Value::any(), true));
                value = clamp(&clamp(&value, &bound(min), true), &bound(max), false);
            }
            if let Some(slot) = evaluated.get_mut(resource as usize) {
                *slot = (!value.is_nothing()).then(|| Outcome { value: value.clone(), raises: unset });
            }
            if let Some(slot) = wanted.get_mut(resource as usize) {
                *slot = (value, unset);
            }
        }
        let wanted = Quantity::ALL
            .map(|quantity| wanted.get(quantity.resource() as usize).cloned().unwrap_or((Value::any(), true)));
        let asked = Asked { tags: self.fields.tags, wanted, is_known: self.unknown.is_none() };
        (asked, self.doubts.into_iter().collect())
    }
}

/// Returns `true` if the condition of a rule has the size of the inputs in it.
fn is_about_size(rule: &Rule) -> bool {
    rule.condition().as_text().is_some_and(|text| text.as_str().contains(INPUT_SIZE))
}

fn mentions_size(layered: &Layered) -> bool {
    layered.layers.iter().any(|layer| is_about_size(&layer.rule))
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
