//! `with`: entering and leaving context managers.

use super::Vm;
use crate::python::args::Args;
use crate::python::exception::{PyResult, Raised, type_error};
use crate::python::value::Value;

fn no_manager(manager: &Value, missed: &str) -> Raised {
    type_error(format!(
        "'{}' object does not support the context manager protocol{missed}",
        manager.type_name().as_str()
    ))
}

impl Vm {
    /// `manager.__enter__()`
    ///
    /// # Errors
    /// `TypeError` where it is no context manager, or what it raises.
    pub fn enter(&mut self, manager: &Value) -> PyResult<Value> {
        if let Value::Object(handle) = manager {
            return handle.enter(self, manager).unwrap_or_else(|| Err(no_manager(manager, "")));
        }
        let Some(enter) = self.bound_special(manager, "__enter__")? else { return Err(no_manager(manager, "")) };
        if self.bound_special(manager, "__exit__")?.is_none() {
            return Err(no_manager(manager, " (missed __exit__ method)"));
        }
        self.call(&enter, Args::none())
    }

    /// `manager.__exit__(...)`; true swallows the exception.
    ///
    /// # Errors
    /// What it raises.
    pub fn exit(&mut self, manager: &Value, raised: Option<&Raised>) -> PyResult<bool> {
        if let Value::Object(handle) = manager {
            return handle.exit(self, raised);
        }
        let Some(exit) = self.bound_special(manager, "__exit__")? else {
            return Err(no_manager(manager, " (missed __exit__ method)"));
        };
        let args = match raised {
            Some(raised) => {
                let traceback = raised.0.traceback.borrow().clone().unwrap_or(Value::None);
                [Value::Type(raised.0.class.clone()), raised.value(), traceback]
            }
            None => [Value::None, Value::None, Value::None],
        };
        let result = self.call(&exit, Args::positional(args))?;
        self.truthy(&result)
    }
}
