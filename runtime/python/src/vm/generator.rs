//! Generator expressions: frames that wait between their items.

use std::rc::Rc;

use super::Vm;
use super::frame::Frame;
use crate::exception::{PyResult, STOP_ITERATION, runtime_error, value_error};
use crate::iterator::{IteratorObject, PyIterator};
use crate::program::Program;
use crate::string::Str;
use crate::types::GENERATOR;
use crate::value::Value;

/// The outcome of executing a frame.
pub(super) enum Completion {
    /// The frame is done.
    Returned(Value),
    /// The frame gave an item of a generator, and waits.
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

/// The result of a generator expression.
struct Generator {
    /// The frame; `None` once it ended.
    frame: Option<Box<Frame>>,
    started: bool,
    /// The name, program and code, for `repr`.
    origin: (Str, Rc<Program>, u32),
}

/// A generator that starts at the beginning of the frame.
pub(super) fn new_generator(frame: Box<Frame>, name: Str) -> Value {
    let origin = (name, frame.program.clone(), frame.code);
    IteratorObject::new(&GENERATOR, Generator { frame: Some(frame), started: false, origin })
}

impl PyIterator for Generator {
    fn next(&mut self, vm: &mut Vm) -> PyResult<Option<Value>> {
        let Some(mut frame) = self.frame.take() else { return Ok(None) };
        vm.charge(1)?;
        if std::mem::replace(&mut self.started, true) {
            // The value of the `yield` that it waits in.
            frame.push(Value::None);
        }
        match vm.execute_deeper(&mut frame) {
            Ok(Completion::Yielded(value)) => {
                self.frame = Some(frame);
                Ok(Some(value))
            }
            Ok(Completion::Returned(_)) => {
                vm.recycle(frame);
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

    fn repr(&self, _: &mut Vm, address: usize) -> Option<PyResult<String>> {
        let (name, program, code) = &self.origin;
        let qualified = super::arguments::qualified(name, &program.data, *code);
        Some(Ok(format!("<generator object {qualified} at {address:#x}>")))
    }
}

impl Vm {
    /// The next item of an iterator object, or its end.
    pub(super) fn next_of(&mut self, iterator: &Rc<IteratorObject>) -> PyResult<Option<Value>> {
        let Ok(mut state) = iterator.state.try_borrow_mut() else {
            return Err(value_error("generator already executing"));
        };
        // What a callback of `map` or `filterfalse` raises so is their own end. No generator raises it.
        let next = state.next(self);
        self.end_as_none(next)
    }

    /// Turns `StopIteration` into the end of an iteration.
    pub(super) fn end_as_none(&mut self, result: PyResult<Option<Value>>) -> PyResult<Option<Value>> {
        match result {
            Err(raised) if raised.is(&STOP_ITERATION) => Ok(None),
            result => result,
        }
    }
}
