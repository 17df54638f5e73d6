//! An entity that the mapper works on and that code may see and change meanwhile.

use std::rc::Rc;

use crate::python::exception::PyResult;
use crate::python::value::Value;
use crate::python::vm::Vm;

use super::entity::Entity;
use super::objects::EntityObject;
use super::tags::TagNames;

/// An entity, and the object that code has of it once code has one: then what the object says counts.
pub(super) struct Working {
    entity: Rc<Entity>,
    object: Option<Value>,
}

impl Working {
    /// An entity that code has not seen.
    pub(super) fn new(entity: Rc<Entity>) -> Self {
        Self { entity, object: None }
    }

    /// The entity as it is now.
    ///
    /// # Errors
    /// What reading the changes of code raises.
    pub(super) fn entity(&self, vm: &mut Vm) -> PyResult<Rc<Entity>> {
        match &self.object {
            Some(object) => EntityObject::of(object)?.entity(vm),
            None => Ok(self.entity.clone()),
        }
    }

    /// The object that code sees, always the same one.
    pub(super) fn object(&mut self, names: &Rc<TagNames>) -> Value {
        self.object.get_or_insert_with(|| EntityObject::value(names, self.entity.clone())).clone()
    }

    /// `copy.deepcopy(entity)`: the same entity, which no code has seen.
    ///
    /// # Errors
    /// As [`Working::entity`].
    pub(super) fn copy(&self, vm: &mut Vm) -> PyResult<Self> {
        Ok(Self::new(self.entity(vm)?))
    }

    /// The context of the entity, name by name. A list or dict in it is the one that code finds as `entity.context[name]`,
    /// so that changing the one changes the other.
    ///
    /// # Errors
    /// As [`Working::entity`].
    pub(super) fn context(&mut self, vm: &mut Vm, names: &Rc<TagNames>) -> PyResult<Vec<(Value, Value)>> {
        let entity = self.entity(vm)?;
        let Value::Dict(context) = &entity.context else { return Ok(Vec::new()) };
        let mutable =
            |value: &Value| matches!(value, Value::List(_) | Value::Dict(_) | Value::Set(_) | Value::Object(_));
        if !context.table.borrow().values().any(mutable) {
            return Ok(context.items());
        }
        let object = self.object(names);
        match vm.get_attr(&object, "context")? {
            Value::Dict(live) => Ok(live.items()),
            _ => Ok(Vec::new()),
        }
    }
}
