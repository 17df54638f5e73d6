//! `with`: entering and leaving context managers.

use super::Vm;
use crate::exception::{PyResult, Raised, type_error};
use crate::value::Value;

fn no_manager(manager: &Value) -> Raised {
    type_error(format!("'{}' object does not support the context manager protocol", manager.type_name().as_str()))
}

impl Vm {
    /// Enters a `with` block
    ///
    /// # Errors
    /// `TypeError` where it is no context manager, or what it raises.
    pub fn enter(&mut self, manager: &Value) -> PyResult<Value> {
        if let Value::Object(handle) = manager {
            return handle.enter(self, manager).unwrap_or_else(|| Err(no_manager(manager)));
        }
        Err(no_manager(manager))
    }

    /// Leaves a `with` block; true swallows the exception.
    ///
    /// # Errors
    /// Exceptions raised by the manager.
    pub fn exit(&mut self, manager: &Value, raised: Option<&Raised>) -> PyResult<bool> {
        if let Value::Object(handle) = manager {
            return handle.exit(self, raised);
        }
        Err(no_manager(manager))
    }
}
