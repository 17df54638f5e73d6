//! Evaluate: rules, resources with their clamps, and the rest of an entity. TPV's `evaluate_rules`,
//! `evaluate_resources` and `evaluate`.

use std::rc::Rc;

use crate::artifact::tables::{EntityClass, Resource};
use crate::bytecode::CodeKind;
use crate::galaxy::errors::job_mapping_exception;
use crate::python::exception::{PyResult, Raised};
use crate::python::value::Value;
use crate::python::vm::CompareOp;

use super::code::evaluate;
use super::data::deep_copy;
use super::entity::Entity;
use super::explain::{Observer, Step, Unobserved, reads};
use super::matching::{Resources, with_resources};
use super::objects::EntityObject;
use super::output::{Prepared, Property};
use super::tree::Found;
use super::worker::Worker;
use super::working::Working;

/// The evaluated parts of a destination that the answer is made of.
pub(super) struct Evaluated {
    /// The entity with its rules applied.
    pub entity: Rc<Entity>,
    /// Its evaluated resources.
    pub resources: Resources,
    /// `env`
    pub env: Part,
    /// `params`
    pub params: Part,
    /// `resubmit`
    pub resubmit: Value,
    /// `dest_name`
    pub dest_name: Value,
    /// `handler_tags`
    pub handler_tags: Value,
}

/// An evaluated property.
pub(super) enum Part {
    /// Its value.
    Value(Value),
    /// Its JSON text: up to this place in the worker's text, from the one before.
    Text(usize),
}

/// The rules of an entity that match.
#[derive(Clone)]
pub(super) struct MatchedRules {
    /// Those that are applied, in order.
    pub applied: Rc<[Rc<Entity>]>,
    /// The one that fails the job.
    pub failing: Option<Rc<Entity>>,
}

/// A resource, the lower and the upper bound that clamp it.
const CLAMPED: [(Resource, Resource, Resource); 3] = [
    (Resource::Gpus, Resource::MinGpus, Resource::MaxGpus),
    (Resource::Cores, Resource::MinCores, Resource::MaxCores),
    (Resource::Mem, Resource::MinMem, Resource::MaxMem),
];

impl Worker {
    /// Adds an entity's context to the evaluation context; tells whether to do so again would change nothing.
    pub(super) fn enter_context(&mut self, entity: &mut Working) -> PyResult<bool> {
        entity.enter_context(&mut self.vm, &self.names, &self.store.shared, &mut self.entered)
    }

    /// Evaluates the rules in order; each that matches is inherited. The result is a new entity; the one given stays. The
    /// rules that matched come with it.
    pub(super) fn evaluate_rules(
        &mut self,
        entity: &Working,
        observer: &mut dyn Observer,
    ) -> PyResult<(Working, Rc<[Rc<Entity>]>)> {
        let mut working = entity.copy(&mut self.vm)?;
        self.enter_context(&mut working)?;
        let entity = entity.entity(&mut self.vm)?;
        if entity.rules.is_empty() {
            return Ok((working, Rc::default()));
        }
        let (ruled, matched) = self.match_rules(working, &entity, observer)?;
        match &matched.failing {
            Some(rule) => Err(self.fail(rule)?),
            None => Ok((ruled, matched.applied)),
        }
    }

    fn match_rules(
        &mut self,
        working: Working,
        entity: &Rc<Entity>,
        observer: &mut dyn Observer,
    ) -> PyResult<(Working, MatchedRules)> {
        if observer.watches() {
            return self.evaluate_each_rule(working, entity, observer);
        }
        match self.find_rules(entity) {
            Found::Given(matched) => {
                let mut ruled = working;
                if !matched.applied.is_empty() {
                    let entity = ruled.entity(&mut self.vm)?;
                    ruled = Working::Unseen(self.apply_each_rule(&entity, &matched.applied)?);
                    // No code runs between the rules: only the last entity can be seen.
                    self.see(&mut ruled);
                }
                Ok((ruled, matched))
            }
            Found::New => self.keep_rules(entity, |worker| worker.evaluate_each_rule(working, entity, &mut Unobserved)),
            Found::Run => {
                self.memo.lose_trail();
                self.evaluate_each_rule(working, entity, &mut Unobserved)
            }
        }
    }

    /// Makes an entity what code sees as `entity`.
    fn see(&mut self, entity: &mut Working) {
        let seen = entity.object(&self.names);
        self.vm.replace_context(self.slots.entity, seen);
    }

    /// The entity with the rules applied that match, up to one that fails the job.
    fn evaluate_each_rule(
        &mut self,
        working: Working,
        entity: &Entity,
        observer: &mut dyn Observer,
    ) -> PyResult<(Working, MatchedRules)> {
        let (mut result, mut applied) = (working, Vec::new());
        for (_, rule) in entity.rules.clone().iter() {
            let Some(fields) = &rule.rule else { continue };
            let condition = if observer.watches() {
                let reads = reads(&mut self.vm, &fields.if_condition);
                observer.step(Step::Condition { rule, reads: &reads });
                evaluate(&mut self.vm, &fields.if_condition, CodeKind::Block)?
            } else {
                self.evaluate_kept(&fields.if_condition, CodeKind::Block)?
            };
            let matched = self.vm.truthy(&condition)?;
            observer.step(Step::Rule { rule, value: &condition, matched });
            if !matched {
                continue;
            }
            if self.vm.truthy(&fields.fail)? {
                return Ok((result, MatchedRules { applied: applied.into(), failing: Some(rule.clone()) }));
            }
            let rule = self.evaluate_rule(rule)?;
            let parent = result.entity(&mut self.vm)?;
            let after = self.apply_rule(&rule, &parent)?;
            observer.step(Step::Applied { rule: &rule, before: &parent, after: &after });
            result = Working::Unseen(after);
            self.see(&mut result);
            applied.push(rule);
        }
        Ok((result, MatchedRules { applied: applied.into(), failing: None }))
    }

    /// `Rule.evaluate` of a rule that fails the job: the exception.
    fn fail(&mut self, rule: &Entity) -> PyResult<Raised> {
        let fail = rule.rule.as_ref().map_or(&Value::None, |fields| &fields.fail);
        let message = evaluate(&mut self.vm, fail, CodeKind::FString)?;
        let text = self.vm.str(&message)?;
        let raised = job_mapping_exception(Value::Str(text));
        if let Value::Str(fail) = fail {
            raised.0.origin.set(fail.code());
        }
        Ok(raised)
    }

    /// `Rule.evaluate` of a rule that does not fail the job: executes and gives the entity that the code left in the context,
    /// or is the rule.
    fn evaluate_rule(&mut self, rule: &Rc<Entity>) -> PyResult<Rc<Entity>> {
        let Some(fields) = &rule.rule else { return Ok(rule.clone()) };
        if self.vm.truthy(&fields.execute)? {
            self.memo.lose_trail();
            evaluate(&mut self.vm, &fields.execute, CodeKind::Exec)?;
            return self.context_entity();
        }
        Ok(rule.clone())
    }

    /// The entity in the context, with what code changed.
    pub(super) fn context_entity(&mut self) -> PyResult<Rc<Entity>> {
        let value = self.vm.context.get(self.slots.entity).cloned().flatten().unwrap_or(Value::None);
        EntityObject::of(&value)?.entity(&mut self.vm)
    }

    /// Evaluates the bounds, then gpus, cores and mem, clamped; each goes into the context for the next.
    pub(super) fn evaluate_resources(
        &mut self,
        entity: &mut Working,
        observer: &mut dyn Observer,
    ) -> PyResult<(Rc<Entity>, Resources)> {
        let original = entity.entity(&mut self.vm)?;
        let mut resources = original.resources.clone();
        self.enter_context(entity)?;
        for resource in Resource::ALL {
            let source = original.resource(*resource);
            if source.is_none() {
                continue;
            }
            let mut value = self.evaluate_told(source, CodeKind::Block)?;
            if let Some((_, min, max)) = CLAMPED.iter().find(|(clamped, ..)| clamped == resource) {
                let of = |resource: Resource| resources.get(resource as usize).unwrap_or(&Value::None);
                let asked = value.clone();
                value = self.clamp(value, of(*min), of(*max))?;
                if observer.watches() && !value.is(&asked) {
                    observer.step(Step::Clamped { resource: *resource, asked: &asked, value: &value });
                }
            }
            if let Some(evaluated) = resources.get_mut(*resource as usize) {
                *evaluated = value.clone();
            }
            let slot = self.slots.resource(*resource);
            self.vm.set_context(slot, value);
        }
        Ok((original, resources))
    }

    /// `max(min or 0, value or 0) if min else value`, then the same with `min` and the upper bound: a bound that is false
    /// does not clamp.
    fn clamp(&mut self, value: Value, min: &Value, max: &Value) -> PyResult<Value> {
        let mut value = value;
        for (bound, takes_bound_if) in [(min, CompareOp::Gt), (max, CompareOp::Lt)] {
            if !self.vm.truthy(bound)? {
                continue;
            }
            let own = if self.vm.truthy(&value)? { value } else { Value::Int(0) };
            // `max(bound, own)` keeps the bound unless `own > bound`; `min` unless `own < bound`.
            let replaces = self.vm.compare(takes_bound_if, &own, bound)?;
            value = if self.vm.truthy(&replaces)? { own } else { bound.clone() };
        }
        Ok(value)
    }

    /// `Destination.evaluate`: rules, resources, env, params, resubmit, then name and handler tags.
    pub(super) fn evaluate_destination(
        &mut self,
        combined: Rc<Entity>,
        observer: &mut dyn Observer,
    ) -> PyResult<Evaluated> {
        let (mut working, _) = self.evaluate_rules(&Working::Unseen(combined.clone()), observer)?;
        let (ruled, resources) = self.evaluate_resources(&mut working, observer)?;
        if observer.watches() {
            let evaluated = with_resources(&ruled, &resources);
            observer.step(Step::Resources { entity: &ruled, evaluated: &evaluated });
        }
        self.text.clear();
        let (env, params) = match self.evaluate_text(&ruled)? {
            Some(env_end) => (Part::Text(env_end), Part::Text(self.text.len())),
            None => (self.evaluate_part(&ruled, Property::Env)?, self.evaluate_part(&ruled, Property::Params)?),
        };
        let resubmit = self.evaluate_property(&ruled.resubmit, self.slots.resubmit)?;
        let (mut dest_name, mut handler_tags) = match &ruled.destination {
            Some(fields) => (fields.dest_name.clone(), fields.handler_tags.clone()),
            None => (Value::None, Value::None),
        };
        if combined.class == EntityClass::Destination
            && let Some(fields) = &combined.destination
        {
            if !fields.dest_name.is_none() {
                dest_name = self.evaluate_told(&fields.dest_name, CodeKind::FString)?;
                self.vm.set_context(self.slots.dest_name, dest_name.clone());
            }
            if !fields.handler_tags.is_none() {
                handler_tags = self.evaluate_complex_told(&fields.handler_tags)?;
                self.vm.set_context(self.slots.handler_tags, handler_tags.clone());
            }
        }
        Ok(Evaluated { entity: ruled, resources, env, params, resubmit, dest_name, handler_tags })
    }

    /// Evaluates `env` and `params` of an entity to text, where both are prepared and no code sees the values; gives where
    /// the text of `env` ends.
    fn evaluate_text(&mut self, entity: &Rc<Entity>) -> PyResult<Option<usize>> {
        let Some(prepared) = self.prepared(entity) else { return Ok(None) };
        let pieces = (prepared.pieces(Property::Env), prepared.pieces(Property::Params));
        let (Some(env), Some(params)) = pieces else { return Ok(None) };
        let env_end = self.text_kept(entity, |worker| {
            worker.write_pieces(env)?;
            let env_end = worker.text.len();
            worker.write_pieces(params)?;
            Ok(env_end)
        })?;
        Ok(Some(env_end))
    }

    /// The prepared properties of an entity, where jobs share it.
    fn prepared(&mut self, entity: &Entity) -> Option<Rc<Prepared>> {
        // Code that was made at run time may load any name.
        if self.vm.has_compiled() || !entity.kept.is_shared() {
            return None;
        }
        let (vm, unseen) = (&mut self.vm, self.unseen);
        let make = || Ok(Rc::new(Prepared::new(vm, entity, unseen)));
        self.store.shared.prepared.get(&entity.env, &entity.params, make).ok()
    }

    /// Evaluates a property of an entity: to text where it is prepared and no code sees the value.
    fn evaluate_part(&mut self, entity: &Rc<Entity>, property: Property) -> PyResult<Part> {
        if let Some(prepared) = self.prepared(entity)
            && let Some(pieces) = prepared.pieces(property)
        {
            self.write_pieces(pieces)?;
            return Ok(Part::Text(self.text.len()));
        }
        Ok(Part::Value(match property {
            Property::Env => self.evaluate_property(&entity.env, self.slots.env)?,
            Property::Params => self.evaluate_property(&entity.params, self.slots.params)?,
        }))
    }

    /// Evaluates a property of strings and puts it in the context; one that is empty stays out of it.
    fn evaluate_property(&mut self, property: &Value, slot: usize) -> PyResult<Value> {
        if !self.vm.truthy(property)? {
            return deep_copy(&mut self.vm, property);
        }
        let value = self.evaluate_complex_told(property)?;
        self.vm.set_context(slot, value.clone());
        Ok(value)
    }
}
