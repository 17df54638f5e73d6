//! Special methods (`__add__`, `__eq__`, ...) of classes that the config's code defined.

use std::rc::Rc;

use super::Vm;
use super::lookup::{Member, class_member};
use crate::python::args::Args;
use crate::python::exception::PyResult;
use crate::python::types::{Class, Type};
use crate::python::value::Value;

impl Vm {
    /// The special method `name` of an object, looked up in its class only, as Python does; `None` for all but instances
    /// of the config's own classes.
    pub(crate) fn special(&self, object: &Value, name: &str) -> Option<Value> {
        match object {
            Value::Instance(instance) => class_attribute(&instance.class, name),
            Value::Exception(exception) => match &exception.class {
                Type::Class(class) => class_attribute(class, name),
                Type::Builtin(_) => None,
            },
            _ => None,
        }
    }

    /// Calls what [`Vm::special`] found.
    ///
    /// # Errors
    /// What the method raises.
    pub(crate) fn call_special(&mut self, method: &Value, receiver: &Value, mut args: Args) -> PyResult<Value> {
        // Functions take the receiver, and so do objects that bind: anything else that a class holds is called as it is.
        if matches!(method, Value::Function(_)) {
            args.pos.insert(0, receiver.clone());
        } else if let Value::Object(object) = method
            && let Some(bound) = object.bind(self, method, receiver)
        {
            return self.call(&bound?, args);
        }
        self.call(method, args)
    }

    /// `object.name(*args)` for a special method; `None` where the class has none.
    ///
    /// # Errors
    /// What the method raises.
    pub(crate) fn try_special(&mut self, object: &Value, name: &str, args: Args) -> Option<PyResult<Value>> {
        let method = self.special(object, name)?;
        Some(self.call_special(&method, object, args))
    }

    /// What an object or instance gives as a number by `__int__` (`"int"`), `__float__` or `__index__`; `None` where it has
    /// no such method.
    ///
    /// # Errors
    /// What the method raises.
    pub(crate) fn number_of(&mut self, object: &Value, method: &str) -> PyResult<Option<Value>> {
        match object {
            Value::Object(inner) => inner.number(self, method).transpose(),
            _ => self.try_special(object, &format!("__{method}__"), Args::none()).transpose(),
        }
    }
}

/// What the config's code defined in a class or its bases, in the order of method resolution.
fn class_attribute(class: &Rc<Class>, name: &str) -> Option<Value> {
    match class_member(class, name) {
        Some(Member::Value(value)) => Some(value),
        _ => None,
    }
}
