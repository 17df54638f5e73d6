//! Methods of `generator`.

use crate::python::args::Args;
use crate::python::exception::{PyResult, Raised, is_traceback, type_error};
use crate::python::value::{Method, Value};
use crate::python::vm::Vm;

/// The methods, by name.
pub static METHODS: &[Method] = &[
    Method { name: "close", call: close },
    Method { name: "send", call: send },
    Method { name: "throw", call: throw },
];

/// The item that a generator gave, or `StopIteration` with what it returned.
fn item_or_stop(vm: &mut Vm, generator: &Value, item: Option<Value>) -> PyResult<Value> {
    match item {
        Some(item) => Ok(item),
        None => Err(vm.stop_iteration_of(generator)),
    }
}

/// `generator.send(value)`
fn send(vm: &mut Vm, generator: &Value, args: Args) -> PyResult<Value> {
    let [value] = args.exactly("generator.send")?;
    let item = vm.send(generator, value)?;
    item_or_stop(vm, generator, item)
}

/// `generator.throw(exception)`, or the older form with a class and a value.
fn throw(vm: &mut Vm, generator: &Value, args: Args) -> PyResult<Value> {
    let [exception, value, traceback] = args.between("throw", 1)?;
    let exception = exception.unwrap_or(Value::None);
    let exception = match (exception, value) {
        (class @ Value::Type(_), Some(value)) if !value.is_none() => match value {
            Value::Exception(_) => value,
            value => vm.call(&class, Args::one(value))?,
        },
        (exception, _) => exception,
    };
    if traceback.is_some_and(|traceback| !is_traceback(&traceback)) {
        return Err(type_error("throw() third argument must be a traceback object"));
    }
    let raised = Raised(vm.raised_by(exception)?);
    let item = vm.throw(generator, raised)?;
    item_or_stop(vm, generator, item)
}

/// `generator.close()`
fn close(vm: &mut Vm, generator: &Value, args: Args) -> PyResult<Value> {
    let [] = args.exactly("generator.close")?;
    vm.close(generator)?;
    Ok(Value::None)
}
