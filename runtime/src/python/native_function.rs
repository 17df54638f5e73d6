//! Functions of the runtime that hold data, and that classes can have as methods.

use super::args::Args;
use super::exception::PyResult;
use super::object::Object;
use super::types::{BuiltinType, FUNCTION};
use super::value::Value;
use super::vm::Vm;

/// What such a function does. The receiver, where there is one, is the first argument.
type Call = Box<dyn Fn(&mut Vm, Args) -> PyResult<Value>>;

/// A function that is made while code runs: what a decorator gives.
pub struct NativeFunction {
    name: &'static str,
    /// `__qualname__`
    qualified: String,
    call: Call,
}

impl NativeFunction {
    /// A function as a value.
    pub fn value(
        name: &'static str,
        qualified: String,
        call: impl Fn(&mut Vm, Args) -> PyResult<Value> + 'static,
    ) -> Value {
        Value::object(Self { name, qualified, call: Box::new(call) })
    }

    /// `__name__`
    pub fn name(&self) -> &'static str {
        self.name
    }
}

impl Object for NativeFunction {
    fn class(&self) -> &'static BuiltinType {
        &FUNCTION
    }

    fn get_attr(&self, _: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        Ok(match name {
            "__name__" => Some(Value::str(self.name)),
            "__qualname__" => Some(Value::str(self.qualified.as_str())),
            _ => None,
        })
    }

    fn callable(&self) -> bool {
        true
    }

    fn call(&self, vm: &mut Vm, _: &Value, args: Args) -> PyResult<Value> {
        (self.call)(vm, args)
    }

    fn repr(&self, _: &mut Vm, this: &Value) -> PyResult<String> {
        let address = super::builtins::attributes::identity(this);
        Ok(format!("<function {} at {address:#x}>", self.qualified))
    }
}
