//! Methods of `generator`.

use std::rc::Rc;

use crate::python::args::Args;
use crate::python::exception::{
    GENERATOR_EXIT, PyResult, Raised, STOP_ITERATION, raise_with, runtime_error, stop_iteration, type_error,
    value_error,
};
use crate::python::iterator::IteratorObject;
use crate::python::value::{Method, Value};
use crate::python::vm::Vm;

/// The methods, by name.
pub static METHODS: &[Method] = &[
    Method { name: "__next__", call: |vm, this, args| step(vm, this, args, "generator.__next__") },
    Method { name: "close", call: close },
    Method { name: "send", call: send },
    Method { name: "throw", call: throw },
];

fn receiver(this: &Value) -> PyResult<&Rc<IteratorObject>> {
    match this {
        Value::Iterator(iterator) => Ok(iterator),
        other => Err(super::wrong_receiver("generator", other)),
    }
}

/// What a method that resumes the generator gives: the item, or `StopIteration` with what was returned.
fn resumed(iterator: &IteratorObject, item: Option<Value>) -> PyResult<Value> {
    if let Some(item) = item {
        return Ok(item);
    }
    let returned = iterator.state.try_borrow_mut().map_or(Value::None, |mut state| state.result());
    if returned.is_none() { Err(stop_iteration()) } else { Err(raise_with(&STOP_ITERATION, vec![returned])) }
}

fn step(vm: &mut Vm, this: &Value, args: Args, name: &str) -> PyResult<Value> {
    let [] = args.exactly(name)?;
    let item = vm.next(this)?;
    resumed(receiver(this)?, item)
}

fn already_running() -> Raised {
    value_error("generator already executing")
}

fn send(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [value] = args.exactly("generator.send")?;
    let iterator = receiver(this)?;
    let result = iterator.state.try_borrow_mut().map_err(|_| already_running())?.send(vm, value);
    resumed(iterator, result.ok_or_else(|| super::wrong_receiver("generator", this))??)
}

/// Throws into the generator; what it gives then.
fn throw_into(vm: &mut Vm, this: &Value, raised: Raised) -> PyResult<Option<Value>> {
    let iterator = receiver(this)?;
    let result = iterator.state.try_borrow_mut().map_err(|_| already_running())?.throw(vm, raised);
    result.ok_or_else(|| super::wrong_receiver("generator", this))?
}

fn throw(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [kind, value, _traceback] = args.between("throw", 1)?;
    let raised = match kind.unwrap_or_default() {
        Value::Exception(exception) => Raised(exception),
        class @ Value::Type(_) => {
            let args = match value {
                None | Some(Value::None) => Args::none(),
                Some(Value::Exception(exception)) => return finish_throw(vm, this, Raised(exception)),
                Some(Value::Tuple(items)) => Args::positional(items.items.iter().cloned()),
                Some(value) => Args::one(value),
            };
            match vm.call(&class, args)? {
                Value::Exception(exception) => Raised(exception),
                _ => return Err(not_an_exception(&class)),
            }
        }
        other => return Err(not_an_exception(&other)),
    };
    finish_throw(vm, this, raised)
}

fn not_an_exception(value: &Value) -> Raised {
    type_error(format!(
        "exceptions must be classes or instances deriving from BaseException, not {}",
        value.type_name().as_str()
    ))
}

fn finish_throw(vm: &mut Vm, this: &Value, raised: Raised) -> PyResult<Value> {
    let item = throw_into(vm, this, raised)?;
    resumed(receiver(this)?, item)
}

fn close(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [] = args.exactly("generator.close")?;
    match throw_into(vm, this, raise_with(&GENERATOR_EXIT, Vec::new())) {
        Ok(None) => Ok(Value::None),
        Ok(Some(_)) => Err(runtime_error("generator ignored GeneratorExit")),
        Err(raised) if raised.is(&GENERATOR_EXIT) || raised.is(&STOP_ITERATION) => Ok(Value::None),
        Err(raised) => Err(raised),
    }
}
