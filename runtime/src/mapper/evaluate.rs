//! Evaluate: rules, resources with their clamps, and the rest of an entity. TPV's `evaluate_rules`,
//! `evaluate_resources` and `evaluate`.

use std::ops::Range;
use std::rc::Rc;

use tpv_bytecode::CodeKind;
use tpv_galaxy::errors::job_mapping_exception;
use tpv_model::{EntityClass, Field, Resource};
use tpv_python::exception::{PyResult, RUNTIME_ERROR, Raised, attribute_error, raise};
use tpv_python::value::Value;
use tpv_python::vm::CompareOp;

use super::code::{evaluate, evaluate_complex};
use super::current_entity::CurrentEntity;
use super::data::deep_copy;
use super::entity::Entity;
use super::explain::{Observer, Step, readable_values};
use super::matching::{Resources, with_resources};
use super::objects::EntityObject;
use super::properties::{Properties, Property};
use super::worker::Worker;

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
    pub resubmit: Part,
    /// `dest_name`
    pub dest_name: Value,
    /// `handler_tags`
    pub handler_tags: Part,
    /// The text that holds the textual parts.
    pub text: String,
}

/// An evaluated property.
pub(super) enum Part {
    /// Its value.
    Value(Value),
    /// Its JSON text, as the answer has it: if that stands in [`Evaluated::text`].
    Text(Range<usize>),
}

/// The bytes that the text of most destinations takes.
const ROOM: usize = 768;

impl Worker {
    /// Evaluates the rules in order; each that matches inherits from the entity so far. The result is a new entity; the one given
    /// stays.
    ///
    /// # Errors
    /// Exceptions raised by the rules' code; `JobMappingException` if a rule fails the job.
    pub(super) fn evaluate_rules(
        &mut self,
        given: &CurrentEntity,
        observer: &mut dyn Observer,
    ) -> PyResult<CurrentEntity> {
        let entity = given.entity(&mut self.vm)?;
        let mut new = CurrentEntity::Unseen(entity.clone());
        self.enter_context(&mut new, &entity)?;
        for (_, rule) in entity.rules.all()? {
            if !self.is_matching(rule, observer)? {
                continue;
            }
            let rule = self.evaluate_rule(rule)?;
            let before = new.entity(&mut self.vm)?;
            let after = self.apply_rule(&rule, &before)?;
            observer.step(Step::Applied { rule: &rule, before: &before, after: &after });
            new = CurrentEntity::Unseen(after);
            self.show_as_entity(&mut new);
            if given.object_seen().is_some_and(EntityObject::rules_changed_size) {
                return Err(raise(&RUNTIME_ERROR, "dictionary changed size during iteration"));
            }
        }
        Ok(new)
    }

    /// `Rule.is_matching`
    pub(super) fn is_matching(&mut self, rule: &Rc<Entity>, observer: &mut dyn Observer) -> PyResult<bool> {
        if !rule.is_rule() {
            // Code put an entity that is no rule among the rules.
            let class = rule.class.name();
            return Err(attribute_error(format!("'{class}' object has no attribute 'is_matching'")));
        }
        let condition = rule.single(Field::If);
        if observer.reads() {
            let reads = readable_values(&mut self.vm, condition);
            observer.step(Step::Condition { rule, reads: &reads });
        }
        let value = evaluate(&mut self.vm, self.interpreters.as_deref(), condition, CodeKind::Block)?;
        let matched = self.vm.truthy(&value)?;
        observer.step(Step::Rule { rule, value: &value, matched });
        Ok(matched)
    }

    /// `Rule.evaluate`: fails the job, executes and gives the entity that the code left in the context, or is the rule.
    fn evaluate_rule(&mut self, rule: &Rc<Entity>) -> PyResult<Rc<Entity>> {
        let fail = rule.single(Field::Fail);
        if rule.is_rule() && self.vm.truthy(fail)? {
            return Err(self.fail(fail)?);
        }
        self.execute(rule)
    }

    /// The entity that the code of a rule left in the context, or the rule itself if it has none.
    pub(super) fn execute(&mut self, rule: &Rc<Entity>) -> PyResult<Rc<Entity>> {
        let execute = rule.single(Field::Execute);
        if rule.is_rule() && self.vm.truthy(execute)? {
            evaluate(&mut self.vm, self.interpreters.as_deref(), execute, CodeKind::Exec)?;
            let entity = self.vm.context.get(self.slots.entity).cloned().flatten().unwrap_or(Value::None);
            return EntityObject::of(&entity)?.entity(&mut self.vm);
        }
        Ok(rule.clone())
    }

    /// The exception of a rule that fails the job.
    pub(super) fn fail(&mut self, fail: &Value) -> PyResult<Raised> {
        let message = evaluate(&mut self.vm, self.interpreters.as_deref(), fail, CodeKind::FString)?;
        let text = self.vm.str(&message)?;
        let raised = job_mapping_exception(Value::Str(text));
        if let Value::Str(fail) = fail {
            raised.0.origin.set(fail.code());
        }
        Ok(raised)
    }

    /// Evaluates the bounds, then gpus, cores and mem, clamped; each goes into the context for the next.
    pub(super) fn evaluate_resources(
        &mut self,
        entity: &mut CurrentEntity,
        observer: &mut dyn Observer,
    ) -> PyResult<(Rc<Entity>, Resources)> {
        let original = entity.entity(&mut self.vm)?;
        let mut resources: Resources = std::array::from_fn(|_| Value::None);
        self.enter_context(entity, &original)?;
        for resource in Resource::ALL {
            let source = original.resource(resource);
            if source.is_none() {
                continue;
            }
            let mut value = evaluate(&mut self.vm, self.interpreters.as_deref(), source, CodeKind::Block)?;
            if let Some((min, max)) = resource.clamped_by() {
                let of = |resource: Resource| resources.get(resource as usize).unwrap_or(&Value::None);
                let asked = value.clone();
                value = self.clamp(value, of(min), of(max))?;
                if observer.watches() && !value.is(&asked) {
                    observer.step(Step::Clamped { resource, asked: &asked, value: &value });
                }
            }
            if let Some(evaluated) = resources.get_mut(resource as usize) {
                *evaluated = value.clone();
            }
            let slot = self.slots.resource(resource);
            self.vm.set_context(slot, value);
        }
        Ok((original, resources))
    }

    /// `max(min or 0, value or 0) if min else value`, then the same with `min` and the upper bound: a bound that is false
    /// does not clamp. Before TPV 3.1 a lower bound that is false clamps as 0.
    fn clamp(&mut self, value: Value, min: &Value, max: &Value) -> PyResult<Value> {
        let zero = (!self.version().clamps_by_bounds_only()).then_some(Value::Int(0));
        let mut value = value;
        for (bound, otherwise, takes_bound_if) in [(min, zero.as_ref(), CompareOp::Gt), (max, None, CompareOp::Lt)] {
            let is_set = !bound.is_none() && self.vm.truthy(bound)?;
            let Some(bound) = Some(bound).filter(|_| is_set).or(otherwise) else { continue };
            let own = if self.vm.truthy(&value)? { value } else { Value::Int(0) };
            // `max(bound, own)` keeps the bound unless `own > bound`; `min` unless `own < bound`.
            let replaces = self.vm.compare(takes_bound_if, &own, bound)?;
            value = if self.vm.truthy(&replaces)? { own } else { bound.clone() };
        }
        Ok(value)
    }

    /// `Destination.evaluate`: rules, resources, env, params, resubmit, then name and handler tags.
    ///
    /// # Errors
    /// Exceptions raised by the code of any of these.
    pub(super) fn evaluate_destination(
        &mut self,
        destination: Rc<Entity>,
        observer: &mut dyn Observer,
    ) -> PyResult<Evaluated> {
        let mut ruled = self.evaluate_rules(&CurrentEntity::Unseen(destination.clone()), observer)?;
        let (entity, resources) = self.evaluate_resources(&mut ruled, observer)?;
        if observer.watches() {
            let evaluated = with_resources(&entity, &resources);
            observer.step(Step::Resources { entity: &entity, evaluated: &evaluated });
        }
        let properties = self.properties(&destination, &entity);
        let (properties, mut text) = (properties.as_deref(), String::with_capacity(ROOM));
        let env = self.evaluate_part(properties, Property::Env, &entity.env, &mut text)?;
        let params = self.evaluate_part(properties, Property::Params, &entity.params, &mut text)?;
        let resubmit = self.evaluate_part(properties, Property::Resubmit, &entity.resubmit, &mut text)?;
        let own = |field| entity.value(field).unwrap_or(Value::None);
        let (mut dest_name, mut handler_tags) = (own(Field::DestName), Part::Value(own(Field::HandlerTags)));
        if destination.class == EntityClass::Destination {
            let (name, tags) = (destination.single(Field::DestName), destination.single(Field::HandlerTags));
            if !name.is_none() {
                dest_name = evaluate(&mut self.vm, self.interpreters.as_deref(), name, CodeKind::FString)?;
                self.vm.set_context(self.slots.dest_name, dest_name.clone());
            }
            if !tags.is_none() {
                handler_tags = self.evaluate_part(properties, Property::HandlerTags, tags, &mut text)?;
            }
        }
        Ok(Evaluated { entity, resources, env, params, resubmit, dest_name, handler_tags, text })
    }

    /// Evaluates a property: to text, which it appends, if that can be; or else to a value, which it puts in the context. `env`,
    /// `params` and `resubmit` stay out of it if they are empty.
    fn evaluate_part(
        &mut self,
        properties: Option<&Properties>,
        property: Property,
        source: &Value,
        text: &mut String,
    ) -> PyResult<Part> {
        if let Some(range) = self.property_text(properties, property, text)? {
            return Ok(Part::Text(range));
        }
        if property != Property::HandlerTags && !self.vm.truthy(source)? {
            return deep_copy(&mut self.vm, source).map(Part::Value);
        }
        let value = evaluate_complex(&mut self.vm, self.interpreters.as_deref(), source)?;
        self.vm.set_context(property.slot(&self.slots), value.clone());
        Ok(Part::Value(value))
    }
}
