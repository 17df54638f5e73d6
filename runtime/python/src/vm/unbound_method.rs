//! Methods of classes without a receiver: `str.upper`.

use super::{CompareOp, Vm};
use crate::args::{Args, missing_arguments};
use crate::exception::{PyResult, Raised, type_error};
use crate::object::Object;
use crate::types::{BuiltinType, METHOD_DESCRIPTOR};
use crate::value::{Method, Value};

/// A method of a class, which takes its receiver as the first argument.
pub struct UnboundMethod {
    /// The class whose table has it.
    pub class: &'static BuiltinType,
    /// The method.
    pub method: &'static Method,
}

/// The exception for a class's method that is called on a value of another class: `str.upper(1)`.
pub(crate) fn inapplicable(method: &str, class: &str, receiver: &Value) -> Raised {
    let found = receiver.type_name();
    type_error(format!("descriptor '{method}' for '{class}' objects doesn't apply to a '{}' object", found.as_str()))
}

impl UnboundMethod {
    fn qualified_name(&self) -> String {
        format!("{}.{}", self.class.name, self.method.name)
    }
}

impl Object for UnboundMethod {
    fn class(&self) -> &'static BuiltinType {
        &METHOD_DESCRIPTOR
    }

    fn get_attr(&self, _: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        Ok((name == "__name__").then(|| Value::str(self.method.name)))
    }

    fn callable(&self) -> bool {
        true
    }

    fn call(&self, vm: &mut Vm, _: &Value, mut args: Args) -> PyResult<Value> {
        if args.pos.is_empty() {
            if self.class.python_owner(self.method).is_some() {
                return Err(missing_arguments(&self.qualified_name(), &["self"]));
            }
            return Err(type_error(format!("unbound method {}() needs an argument", self.qualified_name())));
        }
        let receiver = args.pos.remove(0);
        if !receiver.class().is_subclass(self.class) {
            return Err(inapplicable(self.method.name, self.class.shown_name().as_str(), &receiver));
        }
        vm.charge_receiver(&receiver)?;
        (self.method.call)(vm, &receiver, args)
    }

    fn repr(&self, _: &mut Vm, _: &Value) -> PyResult<String> {
        Ok(format!("<method '{}' of '{}' objects>", self.method.name, self.class.shown_name().as_str()))
    }

    fn compare(&self, _: &mut Vm, op: CompareOp, other: &Value) -> Option<PyResult<Value>> {
        let other = other.downcast::<Self>()?;
        let equal = std::ptr::eq(self.method, other.method);
        match op {
            CompareOp::Eq => Some(Ok(Value::Bool(equal))),
            CompareOp::Ne => Some(Ok(Value::Bool(!equal))),
            _ => None,
        }
    }
}
