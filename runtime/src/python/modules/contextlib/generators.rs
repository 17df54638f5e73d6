//! `@contextmanager`: generator functions as context managers.

use crate::python::args::Args;
use crate::python::exception::{PyResult, Raised, STOP_ITERATION, runtime_error};
use crate::python::modules::signature::Signature;
use crate::python::object::Object;
use crate::python::types::{BuiltinType, FUNCTION, OBJECT};
use crate::python::value::Value;
use crate::python::vm::Vm;

static MANAGER: BuiltinType = BuiltinType::new("_GeneratorContextManager", "contextlib", &OBJECT);

/// A function that `@contextmanager` decorated.
struct ManagerFunction(Value);

/// `contextmanager(func)`
pub(super) fn contextmanager(_: &mut Vm, args: Args) -> PyResult<Value> {
    let [function] = Signature::function("contextmanager", ["func"], 1).bind(args)?.map(Option::unwrap_or_default);
    Ok(Value::object(ManagerFunction(function)))
}

impl Object for ManagerFunction {
    fn class(&self) -> &'static BuiltinType {
        &FUNCTION
    }

    fn repr(&self, vm: &mut Vm, this: &Value) -> PyResult<String> {
        crate::python::modules::functools::wrapper_repr(vm, &self.0, "contextmanager.<locals>.helper", this)
    }

    fn get_attr(&self, vm: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        match name {
            "__wrapped__" => Ok(Some(self.0.clone())),
            "__name__" => Ok(vm.find_attr(&self.0, name)?.or_else(|| Some(Value::str("helper")))),
            "__qualname__" => {
                Ok(vm.find_attr(&self.0, name)?.or_else(|| Some(Value::str("contextmanager.<locals>.helper"))))
            }
            "__module__" => Ok(vm.find_attr(&self.0, name)?.or_else(|| Some(Value::str("contextlib")))),
            "__doc__" => vm.find_attr(&self.0, name),
            _ => Ok(None),
        }
    }

    fn callable(&self) -> bool {
        true
    }

    fn call(&self, vm: &mut Vm, _: &Value, args: Args) -> PyResult<Value> {
        let generator = vm.call(&self.0, args)?;
        Ok(Value::object(Manager(generator)))
    }
}

/// The generator that one call gave.
struct Manager(Value);

impl Object for Manager {
    fn class(&self) -> &'static BuiltinType {
        &MANAGER
    }

    fn enter(&self, vm: &mut Vm, _: &Value) -> Option<PyResult<Value>> {
        Some(vm.next(&self.0).and_then(|item| item.ok_or_else(|| runtime_error("generator didn't yield"))))
    }

    fn exit(&self, vm: &mut Vm, raised: Option<&Raised>) -> PyResult<bool> {
        let Some(raised) = raised else {
            return match vm.next(&self.0)? {
                None => Ok(false),
                Some(_) => {
                    vm.call_method(&self.0, "close", Args::none())?;
                    Err(runtime_error("generator didn't stop"))
                }
            };
        };
        let same = |other: &Raised| std::rc::Rc::ptr_eq(&other.0, &raised.0);
        match vm.call_method(&self.0, "throw", Args::one(raised.value())) {
            Ok(_) => {
                vm.call_method(&self.0, "close", Args::none())?;
                Err(runtime_error("generator didn't stop after throw()"))
            }
            Err(stop) if stop.is(&STOP_ITERATION) => Ok(!same(&stop)),
            Err(other) if same(&other) => Ok(false),
            // A generator cannot let `StopIteration` through: it became the cause of a `RuntimeError`.
            Err(other) if raised.is(&STOP_ITERATION) && caused_by(&other, raised) => Ok(false),
            Err(other) => Err(other),
        }
    }
}

fn caused_by(raised: &Raised, cause: &Raised) -> bool {
    matches!(&*raised.0.cause.borrow(), Some(Value::Exception(found)) if std::rc::Rc::ptr_eq(found, &cause.0))
}
