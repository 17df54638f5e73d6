//! Exceptions on their way: raising, handlers, and the places they pass.

use std::rc::Rc;

use super::Vm;
use super::frame::Frame;
use crate::args::Args;
use crate::exception::{ExceptionObject, PyResult, RUNTIME_ERROR, Raised, raise, system_error, type_error};
use crate::program::Place;
use crate::types::BuiltinType;
use crate::value::Value;
use tpv_bytecode::{Code, Instr};

/// The number of places that an exception keeps: after a deep recursion, or a loop that raises it again, the first ones
/// and the last.
const MAX_PLACES: usize = 64;

impl Vm {
    /// Brings a raised exception to the innermost handler of the frame.
    ///
    /// # Errors
    /// The exception, where the frame has no handler for it.
    #[inline(never)]
    pub(super) fn unwind(&mut self, frame: &mut Frame, code: &Code, raised: Raised) -> PyResult<()> {
        let at = frame.pc.saturating_sub(1);
        let again = matches!(code.instrs.get(at), Some(Instr::Reraise | Instr::Raise { argc: 0 }));
        let placed = !raised.0.places.borrow().is_empty();
        if !again || !placed {
            if !placed && raised.0.context.borrow().is_none() {
                self.chain_context(&raised.0);
            }
            self.record_place(frame, code, at, &raised);
        }
        let Some(block) = frame.blocks.pop() else { return Err(raised) };
        if block.handler <= at {
            self.charge(at - block.handler + 1)?;
        }
        frame.stack.truncate(block.stack_height);
        self.handling.truncate(frame.handling_base + block.handling_height);
        frame.push(raised.value());
        frame.pc = block.handler;
        Ok(())
    }

    fn record_place(&self, frame: &Frame, code: &Code, at: usize, raised: &Raised) {
        // The index of a code tells its place in the main program only; code compiled at run time has none there.
        if self.program.as_ref().is_some_and(|main| !Rc::ptr_eq(main, &frame.program)) {
            return;
        }
        let mut places = raised.0.places.borrow_mut();
        let full = places.len() >= MAX_PLACES;
        let after = code.places.partition_point(|(first, _, _)| *first as usize <= at);
        if let Some((_, line, column)) = after.checked_sub(1).and_then(|index| code.places.get(index)) {
            let place = Place { code: frame.code, line: *line, column: *column, site: None };
            match places.last_mut() {
                Some(last) if full => {
                    *last = place;
                    raised.0.places_left_out.set(raised.0.places_left_out.get().saturating_add(1));
                }
                _ => places.push(place),
            }
        }
    }

    /// `exception.__context__`: what is being handled, unless it is the exception itself. A chain that would lead back
    /// to it is cut, as CPython does.
    fn chain_context(&mut self, exception: &Rc<ExceptionObject>) {
        let Some(Value::Exception(handled)) = self.handling.last() else { return };
        let handled = handled.clone();
        if Rc::ptr_eq(&handled, exception) {
            return;
        }
        // An exception that nobody else holds is in no chain.
        if Rc::strong_count(exception) > 1 {
            let mut current = handled.clone();
            loop {
                let next = current.context.borrow().clone();
                let Some(Value::Exception(next)) = next else { break };
                if Rc::ptr_eq(&next, exception) {
                    current.context.replace(None);
                    break;
                }
                // Code can make a chain of any length. Where the budget does not allow walking it, it is not extended.
                if self.charge(1).is_err() {
                    return;
                }
                current = next;
            }
        }
        let old = exception.context.replace(Some(Value::Exception(handled)));
        drop(old);
    }

    /// The exception that `raise value` raises: the value itself, or a new instance where it is a class.
    ///
    /// # Errors
    /// `TypeError` where it is no exception, or what making the instance raises.
    pub fn raised_by(&mut self, value: Value) -> PyResult<Rc<ExceptionObject>> {
        match value {
            Value::Exception(exception) => Ok(exception),
            Value::Type(class) if class.is_exception() => match self.instantiate(class, Args::none())? {
                Value::Exception(exception) => Ok(exception),
                _ => Err(system_error("an exception class made no exception")),
            },
            Value::Object(ref handle) if handle.as_class().is_some_and(BuiltinType::is_exception) => {
                match self.call(&value, Args::none())? {
                    Value::Exception(exception) => Ok(exception),
                    other => Err(type_error(format!(
                        "calling {} should have returned an instance of BaseException, not {}",
                        self.repr(&value)?,
                        self.repr(&Value::Type(other.class()))?
                    ))),
                }
            }
            _ => Err(type_error("exceptions must derive from BaseException")),
        }
    }

    /// The exception of `raise`, `raise value` or `raise value from cause`.
    #[inline(never)]
    pub(super) fn raise_instruction(&mut self, frame: &mut Frame, argc: u32) -> Raised {
        match argc {
            0 => match self.handling.last() {
                Some(Value::Exception(exception)) => Raised(exception.clone()),
                _ => raise(&RUNTIME_ERROR, "No active exception to reraise"),
            },
            1 => {
                let value = frame.pop();
                match self.raised_by(value) {
                    Ok(exception) => {
                        self.chain_context(&exception);
                        Raised(exception)
                    }
                    Err(raised) => raised,
                }
            }
            _ => {
                let cause = frame.pop();
                let value = frame.pop();
                match self.raise_from(value, cause) {
                    Ok(raised) | Err(raised) => raised,
                }
            }
        }
    }

    fn raise_from(&mut self, value: Value, cause: Value) -> PyResult<Raised> {
        let exception = self.raised_by(value)?;
        let cause = match cause {
            Value::None => None,
            cause @ Value::Exception(_) => Some(cause),
            Value::Type(class) if class.is_exception() => Some(Value::Exception(self.raised_by(Value::Type(class))?)),
            _ => return Err(type_error("exception causes must derive from BaseException")),
        };
        exception.cause.replace(cause);
        exception.suppress_context.set(true);
        self.chain_context(&exception);
        Ok(Raised(exception))
    }

    /// Returns `true` if `except class` catches an exception.
    ///
    /// # Errors
    /// `TypeError` if it is neither an exception class nor a tuple of these.
    pub(super) fn matches_exception(&mut self, exception: &Value, class: &Value) -> PyResult<bool> {
        let not_a_class = || type_error("catching classes that do not inherit from BaseException is not allowed");
        let Value::Exception(exception) = exception else { return Ok(false) };
        let classes: &[Value] = match class {
            Value::Tuple(tuple) => &tuple.items,
            other => std::slice::from_ref(other),
        };
        self.visit(classes.len(), 4)?;
        let mut found = false;
        for class in classes {
            let class = match class {
                Value::Type(class) => Some(*class),
                Value::Object(handle) => handle.as_class(),
                _ => None,
            };
            match class.filter(|class| class.is_exception()) {
                Some(class) => found = found || exception.class.is_subclass(class),
                None => return Err(not_a_class()),
            }
        }
        Ok(found)
    }
}
