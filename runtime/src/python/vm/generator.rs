//! Generators: frames that wait between their items.

use std::rc::Rc;

use super::Vm;
use super::frame::Frame;
use crate::python::exception::{
    GENERATOR_EXIT, PyResult, Raised, STOP_ITERATION, raise_with, runtime_error, type_error,
};
use crate::python::function::Function;
use crate::python::iterator::{IteratorObject, PyIterator};
use crate::python::program::Program;
use crate::python::string::Str;
use crate::python::types::GENERATOR;
use crate::python::value::Value;

/// How an execution of a frame ended.
pub(super) enum Completion {
    /// `return`: the frame is done.
    Returned(Value),
    /// `yield`: the frame waits.
    Yielded(Value),
}

impl Completion {
    /// The value, either way.
    pub(super) fn into_value(self) -> Value {
        match self {
            Self::Returned(value) | Self::Yielded(value) => value,
        }
    }
}

/// A generator. DIFFERENCE: one that is dropped before its end does not run its `finally` blocks; in CPython it does.
struct Generator {
    /// The frame; `None` once it ended.
    frame: Option<Box<Frame>>,
    started: bool,
    result: Value,
    /// The name, program and code of the function, for `repr`.
    origin: (Str, Rc<Program>, u32),
}

/// A generator that starts at the beginning of the frame.
pub(super) fn new_generator(frame: Box<Frame>, function: &Function) -> Value {
    let origin = (function.name.clone(), function.program.clone(), function.code);
    IteratorObject::new(&GENERATOR, Generator { frame: Some(frame), started: false, result: Value::None, origin })
}

impl Generator {
    /// Lets the frame go on, with a value sent into it or an exception thrown into it.
    fn resume(&mut self, vm: &mut Vm, input: PyResult<Value>) -> PyResult<Option<Value>> {
        let Some(mut frame) = self.frame.take() else {
            return match input {
                Ok(_) => Ok(None),
                Err(raised) => Err(raised),
            };
        };
        vm.charge(1)?;
        let started = std::mem::replace(&mut self.started, true);
        let outcome = vm.deeper(|vm| {
            let base = vm.handling.len();
            frame.handling_base = base;
            vm.handling.append(&mut frame.handling);
            let outcome = match input {
                Ok(value) => {
                    if frame.delegating {
                        frame.sent = value;
                    } else if started {
                        frame.push(value);
                    }
                    vm.execute(&mut frame)
                }
                Err(raised) => vm.execute_throw(&mut frame, raised),
            };
            frame.handling.extend(vm.handling.drain(base.min(vm.handling.len())..));
            outcome
        });
        match outcome {
            Ok(Completion::Yielded(value)) => {
                self.frame = Some(frame);
                Ok(Some(value))
            }
            Ok(Completion::Returned(value)) => {
                vm.recycle(frame);
                self.result = value;
                Ok(None)
            }
            Err(raised) => {
                vm.recycle(frame);
                if raised.is(&STOP_ITERATION) {
                    let error = runtime_error("generator raised StopIteration");
                    *error.0.cause.borrow_mut() = Some(raised.value());
                    *error.0.context.borrow_mut() = Some(raised.value());
                    error.0.suppress_context.set(true);
                    error.0.places.borrow_mut().extend(raised.0.places.borrow().iter().copied());
                    return Err(error);
                }
                Err(raised)
            }
        }
    }
}

impl PyIterator for Generator {
    fn next(&mut self, vm: &mut Vm) -> PyResult<Option<Value>> {
        self.resume(vm, Ok(Value::None))
    }

    fn send(&mut self, vm: &mut Vm, value: Value) -> Option<PyResult<Option<Value>>> {
        if !self.started && self.frame.is_some() && !value.is_none() {
            return Some(Err(type_error("can't send non-None value to a just-started generator")));
        }
        Some(self.resume(vm, Ok(value)))
    }

    fn throw(&mut self, vm: &mut Vm, raised: Raised) -> Option<PyResult<Option<Value>>> {
        Some(self.resume(vm, Err(raised)))
    }

    fn result(&mut self) -> Value {
        std::mem::replace(&mut self.result, Value::None)
    }

    fn repr(&self, _: &mut Vm, address: usize) -> Option<PyResult<String>> {
        let (_, qualified) = self.names()?;
        Some(Ok(format!("<generator object {qualified} at {address:#x}>")))
    }

    fn names(&self) -> Option<(String, String)> {
        let (name, program, code) = &self.origin;
        Some((name.to_string(), super::arguments::qualified(name, &program.data, *code)))
    }
}

fn already_executing() -> Raised {
    crate::python::exception::value_error("generator already executing")
}

impl Vm {
    /// The next item of an iterator object, or its end.
    pub(super) fn next_of(&mut self, iterator: &Rc<IteratorObject>) -> PyResult<Option<Value>> {
        let Ok(mut state) = iterator.state.try_borrow_mut() else { return Err(already_executing()) };
        let next = state.next(self);
        // What a callback of `map` or `filterfalse` raises so is their own end. No generator raises it.
        match next {
            Err(raised) if raised.is(&STOP_ITERATION) => Ok(None),
            next => next,
        }
    }

    /// What an iterator returned, once it ended: the value of `yield from`.
    pub(super) fn result_of(iterator: &Value) -> Value {
        match iterator {
            Value::Iterator(iterator) => match iterator.state.try_borrow_mut() {
                Ok(mut state) => state.result(),
                Err(_) => Value::None,
            },
            _ => Value::None,
        }
    }

    /// `StopIteration` with what an iterator returned, once it ended.
    pub fn stop_iteration_of(&self, iterator: &Value) -> Raised {
        let result = Self::result_of(iterator);
        raise_with(&STOP_ITERATION, if result.is_none() { Vec::new() } else { vec![result] })
    }

    /// `generator.send(value)`; `None` at the end.
    ///
    /// # Errors
    /// `AttributeError` where this is no generator, or what it raises.
    pub fn send(&mut self, generator: &Value, value: Value) -> PyResult<Option<Value>> {
        if let Value::Iterator(iterator) = generator {
            let Ok(mut state) = iterator.state.try_borrow_mut() else { return Err(already_executing()) };
            if let Some(result) = state.send(self, value) {
                return result;
            }
            return Err(no_attribute(generator, "send"));
        }
        let result = self.call_method(generator, "send", crate::python::args::Args::one(value));
        self.end_as_none(result)
    }

    /// `generator.throw(exception)`; `None` at the end.
    ///
    /// # Errors
    /// The exception where this is no generator, or what it raises.
    pub fn throw(&mut self, generator: &Value, raised: Raised) -> PyResult<Option<Value>> {
        match generator {
            Value::Iterator(iterator) => {
                let Ok(mut state) = iterator.state.try_borrow_mut() else { return Err(already_executing()) };
                state.throw(self, raised.clone()).unwrap_or(Err(raised))
            }
            _ => match self.find_attr(generator, "throw")? {
                Some(method) => {
                    let result = self.call(&method, crate::python::args::Args::one(raised.value()));
                    self.end_as_none(result)
                }
                None => Err(raised),
            },
        }
    }

    /// `generator.close()`
    ///
    /// # Errors
    /// `RuntimeError: generator ignored GeneratorExit`, or what its `finally` blocks raise.
    pub fn close(&mut self, generator: &Value) -> PyResult<()> {
        let Value::Iterator(iterator) = generator else {
            if let Some(method) = self.find_attr(generator, "close")? {
                self.call(&method, crate::python::args::Args::none())?;
            }
            return Ok(());
        };
        let Ok(mut state) = iterator.state.try_borrow_mut() else { return Err(already_executing()) };
        let exit = raise_with(&GENERATOR_EXIT, Vec::new());
        match state.throw(self, exit) {
            None | Some(Ok(None)) => Ok(()),
            Some(Ok(Some(_))) => Err(runtime_error("generator ignored GeneratorExit")),
            Some(Err(raised)) if raised.is(&GENERATOR_EXIT) || raised.is(&STOP_ITERATION) => Ok(()),
            Some(Err(raised)) => Err(raised),
        }
    }

    /// Turns `StopIteration` into the end of an iteration.
    pub(super) fn end_as_none(&mut self, result: PyResult<Value>) -> PyResult<Option<Value>> {
        match result {
            Ok(value) => Ok(Some(value)),
            Err(raised) if raised.is(&STOP_ITERATION) => Ok(None),
            Err(raised) => Err(raised),
        }
    }
}

fn no_attribute(value: &Value, name: &str) -> Raised {
    crate::python::exception::attribute_error(format!(
        "'{}' object has no attribute '{name}'",
        value.type_name().as_str()
    ))
}
