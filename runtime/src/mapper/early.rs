//! TPV 1: the resources of each entity are evaluated early, then the entities are combined, and all else is evaluated late.
//!
//! TPV's `evaluate_early`, `combine` and `evaluate_late`. Of two amounts the lower counts, the amounts of a destination are the most
//! that it takes, and what a job asks for overrides what its destination says.

use std::rc::Rc;

use smallvec::SmallVec;
use tpv_bytecode::CodeKind;
use tpv_model::{Field, Quantity, Resource};
use tpv_python::dict::{Dict, StrKey};
use tpv_python::exception::PyResult;
use tpv_python::string::Str;
use tpv_python::value::Value;
use tpv_python::vm::CompareOp;

use super::code::{evaluate, evaluate_complex};
use super::current_entity::CurrentEntity;
use super::entity::{Entity, OwnParts};
use super::evaluate::{Evaluated, Part};
use super::explain::{Observer, Step};
use super::inherit::{combine, inherit};
use super::job_source::JobSource;
use super::matching::with_resources;
use super::worker::Worker;

/// The order in which resources are evaluated.
const ORDER: [Resource; 3] = [Resource::Gpus, Resource::Cores, Resource::Mem];

impl Worker {
    /// The entities of the job's tool, role and user in one, evaluated.
    ///
    /// # Errors
    /// Exceptions raised by the code of the entities; `JobMappingException` if a rule fails the job.
    pub(super) fn combine_evaluated(
        &mut self,
        job: JobSource<'_>,
        observer: &mut dyn Observer,
    ) -> PyResult<CurrentEntity> {
        let (tool, others) = self.find_matching_entities(job, observer)?;
        let mut entities: SmallVec<[CurrentEntity; 3]> =
            std::iter::once(tool).chain(others).map(CurrentEntity::Unseen).collect();
        let objects: Vec<Value> = entities.iter_mut().map(|entity| entity.object(&self.names)).collect();
        let mut combined: Option<Rc<Entity>> = None;
        for (index, mut entity) in entities.into_iter().enumerate() {
            self.show_entities(&objects, index);
            let evaluated = Rc::new(self.evaluate_early(&mut entity, observer)?);
            combined = Some(match combined {
                None => evaluated,
                Some(low) => Rc::new(self.combine_lower(&low, &evaluated)?),
            });
        }
        let combined = combined.unwrap_or_else(|| Rc::new(Entity::new(tpv_model::EntityClass::Tool, "")));
        observer.step(Step::Combined { entity: &combined });
        let mut combined = CurrentEntity::Unseen(combined);
        self.show_as_entity_and_self(&mut combined);
        let evaluated = self.evaluate_late(&mut combined, observer)?;
        let mut evaluated = CurrentEntity::Unseen(Rc::new(evaluated));
        self.show_as_entity_and_self(&mut evaluated);
        Ok(evaluated)
    }

    /// A destination that takes the job, evaluated: its own resources, then what the job asks for over it, then all else.
    ///
    /// # Errors
    /// As [`Worker::combine_evaluated`].
    pub(super) fn evaluate_destination_early(
        &mut self,
        destination: &Rc<Entity>,
        entity: &mut CurrentEntity,
        observer: &mut dyn Observer,
    ) -> PyResult<Evaluated> {
        let mut own = CurrentEntity::Unseen(destination.clone());
        let objects = [entity.object(&self.names), own.object(&self.names)];
        self.vm.set_context(self.slots.entities, Value::list(objects.to_vec()));
        let [asking, own_object] = objects;
        self.vm.set_context(self.slots.entity, asking);
        self.vm.set_context(self.slots.self_, own_object);
        let early = Rc::new(self.evaluate_early(&mut own, observer)?);
        let asking = entity.entity(&mut self.vm)?;
        let combined = Rc::new(self.combine_lower(&early, &asking)?);
        let evaluated = self.evaluate_late(&mut CurrentEntity::Unseen(combined), observer)?;
        let named = match &evaluated.params {
            Value::Dict(params) => params.table.borrow().get(&StrKey("destination_name_override")).cloned(),
            _ => None,
        };
        let dest_name = match named {
            Some(name) if self.vm.truthy(&name)? => name,
            _ => destination.id.clone(),
        };
        let (env, params, resubmit) = (env_list(&evaluated.env), evaluated.params.clone(), evaluated.resubmit.clone());
        let resources = evaluated.amounts.resources.clone();
        Ok(Evaluated {
            entity: Rc::new(evaluated),
            resources,
            env: Part::Value(env),
            params: Part::Value(params),
            resubmit: Part::Value(resubmit),
            dest_name,
            handler_tags: Part::Value(Value::None),
            text: String::new(),
        })
    }

    /// The destinations whose own amounts, as they are written, are not below what the job asks for, and whose tags fit.
    ///
    /// # Errors
    /// `TypeError` if the amount of a destination is an expression.
    pub(super) fn match_written(
        &mut self,
        entity: &Rc<Entity>,
        observer: &mut dyn Observer,
    ) -> PyResult<Vec<Rc<Entity>>> {
        let store = self.store.clone();
        let mut matching = Vec::new();
        for destination in &store.destinations {
            let mut matched = true;
            for resource in [Resource::Cores, Resource::Mem, Resource::Gpus] {
                let (most, wanted) = (destination.resource(resource), entity.resource(resource));
                if matched && self.vm.truthy(most)? && self.vm.truthy(wanted)? {
                    let refused = self.vm.compare(CompareOp::Lt, most, wanted)?;
                    matched = !self.vm.truthy(&refused)?;
                }
            }
            let matched = matched && destination.fits(&entity.tags);
            observer.step(Step::Destination { destination, entity, matched });
            if matched {
                matching.push(destination.clone());
            }
        }
        Ok(matching)
    }

    /// `context.update({"entities": entities, "entity": entities[0], "self": entities[index]})`
    fn show_entities(&mut self, objects: &[Value], index: usize) {
        self.vm.set_context(self.slots.entities, Value::list(objects.to_vec()));
        self.vm.set_context(self.slots.entity, objects.first().cloned().unwrap_or(Value::None));
        self.vm.set_context(self.slots.self_, objects.get(index).cloned().unwrap_or(Value::None));
    }

    /// `evaluate_early`: of each rule that matches the resources, or else the entity's own, and then their values.
    fn evaluate_early(&mut self, given: &mut CurrentEntity, observer: &mut dyn Observer) -> PyResult<Entity> {
        let own = given.entity(&mut self.vm)?;
        let mut new = Entity::clone(&own);
        self.enter_context(given, &own)?;
        for (_, rule) in own.rules.all()? {
            if !self.is_matching(rule, observer)? {
                continue;
            }
            let fail = rule.single(Field::Fail);
            if rule.is_rule() && self.vm.truthy(fail)? {
                return Err(self.fail(fail)?);
            }
            let before = Rc::new(new.clone());
            for resource in ORDER {
                let of_rule = rule.resource(resource);
                let value = if self.vm.truthy(of_rule)? { of_rule } else { own.resource(resource) };
                new.set_resource(resource, value.clone());
            }
            let (id, rule_id) = (self.vm.str(&new.id)?, self.vm.str(&rule.id)?);
            self.vm.charge_bytes(id.len() + rule_id.len())?;
            new.id = Value::str([id.as_str(), ", Rule: ", rule_id.as_str()].concat());
            observer.step(Step::Applied { rule, before: &before, after: &Rc::new(new.clone()) });
        }
        for resource in ORDER {
            let source = new.resource(resource).clone();
            if !self.vm.truthy(&source)? {
                continue;
            }
            let value = evaluate(&mut self.vm, self.interpreters.as_deref(), &source, CodeKind::Block)?;
            new.set_resource(resource, value.clone());
            // TPV keeps `mem` for the late evaluation.
            if resource != Resource::Mem {
                self.vm.set_context(self.slots.resource(resource), value);
            }
        }
        if observer.watches() {
            let evaluated = with_resources(&new, &new.amounts.resources);
            observer.step(Step::Resources { entity: &own, evaluated: &evaluated });
        }
        Ok(new)
    }

    /// `low.combine(high)`: the fields of the higher entity over those of the lower, but of two amounts the lower one.
    fn combine_lower(&mut self, low: &Rc<Entity>, high: &Rc<Entity>) -> PyResult<Entity> {
        let mut entity = combine(&mut self.vm, None, &self.names, high, low)?;
        for quantity in Quantity::ALL {
            let resource = quantity.resource();
            let (a, b) = (low.resource(resource), high.resource(resource));
            if self.vm.truthy(a)? && self.vm.truthy(b)? {
                // `min(a, b)` keeps the first of equals.
                let is_less = self.vm.compare(CompareOp::Lt, b, a)?;
                let lower = if self.vm.truthy(&is_less)? { b } else { a };
                entity.set_resource(resource, lower.clone());
            }
        }
        let (low_id, high_id) = (self.vm.str(&low.id)?, self.vm.str(&high.id)?);
        let id = format!("{}: {}, {}: {}", low.class.name(), low_id.as_str(), high.class.name(), high_id.as_str());
        entity.id = Value::str(id);
        Ok(entity)
    }

    /// `evaluate_late`: the rules that match over the entity, but for their resources; then `env`, `params` and `resubmit`.
    fn evaluate_late(&mut self, given: &mut CurrentEntity, observer: &mut dyn Observer) -> PyResult<Entity> {
        let own = given.entity(&mut self.vm)?;
        let mut new = own.clone();
        for (_, rule) in own.rules.all()? {
            if !self.is_matching(rule, observer)? {
                continue;
            }
            let rule = self.execute(rule)?;
            // What code did to the entity so far counts, too.
            let mut applied = inherit(&mut self.vm, None, &rule, &new)?;
            // Code may have changed the amounts of the entity itself.
            let own = given.entity(&mut self.vm)?;
            for resource in ORDER {
                applied.set_resource(resource, own.resource(resource).clone());
            }
            let applied = Rc::new(applied);
            observer.step(Step::Applied { rule: &rule, before: &new, after: &applied });
            new = applied;
        }
        let mut entity = Entity::clone(&new);
        self.enter_context(&mut CurrentEntity::Unseen(new), &entity)?;
        for resource in ORDER {
            self.vm.set_context(self.slots.resource(resource), entity.resource(resource).clone());
        }
        entity.env = self.evaluate_property(&entity.env, self.slots.env)?;
        entity.params = self.evaluate_property(&entity.params, self.slots.params)?;
        entity.resubmit = self.evaluate_property(&entity.resubmit, self.slots.resubmit)?;
        entity.own = OwnParts::ALL;
        Ok(entity)
    }

    /// The value of `env`, `params` or `resubmit`, which code finds in the context unless it is empty.
    fn evaluate_property(&mut self, source: &Value, slot: usize) -> PyResult<Value> {
        if !self.vm.truthy(source)? {
            return Ok(source.clone());
        }
        let value = evaluate_complex(&mut self.vm, self.interpreters.as_deref(), source)?;
        self.vm.set_context(slot, value.clone());
        Ok(value)
    }
}

/// `[dict(name=k, value=v) for k, v in env.items()]`
fn env_list(env: &Value) -> Value {
    let Value::Dict(env) = env else { return Value::list(Vec::new()) };
    let item = |(name, value): (&Value, &Value)| {
        let item = Dict::new();
        item.set_str(Str::from("name"), name.clone());
        item.set_str(Str::from("value"), value.clone());
        Value::dict(item)
    };
    Value::list(env.table.borrow().iter().map(|(key, value)| item((&key.value, value))).collect())
}
