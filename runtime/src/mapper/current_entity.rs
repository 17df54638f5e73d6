//! An entity that the mapper works on and that code may see and change meanwhile.

use std::rc::Rc;

use tpv_python::exception::PyResult;
use tpv_python::value::Value;
use tpv_python::vm::Vm;

use super::entity::Entity;
use super::objects::EntityObject;
use super::tags::TagNames;

/// An entity, or the object that code has of it once code has one: then what the object says counts.
pub(super) enum CurrentEntity {
    /// No code has seen it.
    Unseen(Rc<Entity>),
    /// Code has it.
    Seen(Value),
}

impl CurrentEntity {
    /// The entity as it is now.
    ///
    /// # Errors
    /// Exceptions raised by reading code's changes; `AttributeError`, as in TPV, if rank code returned something else.
    pub(super) fn entity(&self, vm: &mut Vm) -> PyResult<Rc<Entity>> {
        match self {
            Self::Seen(object) => EntityObject::of(object)?.entity(vm),
            Self::Unseen(entity) => Ok(entity.clone()),
        }
    }

    /// The object that code has, if it has one.
    pub(super) fn object_seen(&self) -> Option<&EntityObject> {
        match self {
            Self::Seen(object) => EntityObject::of(object).ok(),
            Self::Unseen(_) => None,
        }
    }

    /// The object that code sees, always the same one.
    pub(super) fn object(&mut self, names: &Rc<TagNames>) -> Value {
        let object = match self {
            Self::Seen(object) => return object.clone(),
            Self::Unseen(entity) => EntityObject::value(names, entity.clone()),
        };
        *self = Self::Seen(object.clone());
        object
    }
}
