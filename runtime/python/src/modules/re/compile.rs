//! Compiled patterns, kept for each thread as CPython keeps them for a process.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use super::errors::compile_error;
use super::flags::number;
use super::pattern::PatternObject;
use super::text_only;
use crate::exception::{PyResult, overflow_error, type_error, value_error};
use crate::hash;
use crate::regex::{Regex, compiling};
use crate::value::Value;
use crate::vm::{MAX_KEPT, MAX_STEPS_KEPT, Vm};

thread_local! {
    static KEPT: RefCell<Kept> = RefCell::default();
}

/// The patterns of a thread.
#[derive(Default)]
struct Kept {
    /// The pattern objects, by flags and text.
    patterns: HashMap<u32, HashMap<String, Value>>,
    count: usize,
    /// The steps that compiling all of them took.
    steps: usize,
}

impl Kept {
    fn add(&mut self, flags: u32, text: String, steps: usize, value: Value) {
        if self.count >= MAX_KEPT || self.steps.saturating_add(steps) > MAX_STEPS_KEPT {
            *self = Self::default();
        }
        self.count += 1;
        self.steps = self.steps.saturating_add(steps);
        self.patterns.entry(flags).or_default().insert(text, value);
    }
}

/// The pattern object for a pattern, compiled or not, and flags.
pub(super) fn pattern(vm: &mut Vm, pattern: &Value, flags: Option<&Value>) -> PyResult<Value> {
    let flags = match flags {
        None => 0,
        Some(Value::BigInt(_)) => return too_large(vm, pattern),
        Some(flags) => match number(flags) {
            Some(flags) => match i32::try_from(flags) {
                // A negative number has all higher flags set.
                Ok(flags) => flags.cast_unsigned(),
                Err(_) => return too_large(vm, pattern),
            },
            None => {
                // CPython first looks the pattern up in its cache, which hashes the flags.
                hash::hash(vm, flags)?;
                let name = flags.type_name();
                return Err(type_error(format!(
                    "unsupported operand type(s) for &: '{}' and 'RegexFlag'",
                    name.as_str()
                )));
            }
        },
    };
    if pattern.downcast::<PatternObject>().is_some() {
        if flags != 0 {
            return Err(value_error("cannot process flags argument with a compiled pattern"));
        }
        return Ok(pattern.clone());
    }
    let text = match pattern {
        Value::Str(text) => text,
        Value::Bytes(_) => return Err(text_only()),
        other => {
            // CPython first looks the pattern up in its cache, which hashes it.
            hash::hash(vm, other)?;
            return Err(type_error("first argument must be string or compiled pattern"));
        }
    };
    // Whether the pattern is kept depends on earlier jobs, but a job's charge must not: each job pays once, as if it compiled it.
    let kept = KEPT.with_borrow(|kept| kept.patterns.get(&flags)?.get(text.as_str()).cloned());
    let reading = compiling::reading(text);
    let compiling = match kept.as_ref().and_then(|kept| kept.downcast::<PatternObject>()) {
        Some(kept) => kept.regex.compiling(),
        // Estimating the cost reads the pattern, which the budget must allow.
        None if reading as u64 > vm.steps_left() => 0,
        None => compiling::cost(text, flags),
    };
    let steps = reading.saturating_add(compiling);
    vm.charge_once(text, flags, steps)?;
    if let Some(value) = kept {
        return Ok(value);
    }
    let regex = Regex::new(text, flags).map_err(|error| compile_error(&error, text))?;
    let value = Value::object(PatternObject::new(text.clone(), Rc::new(regex)));
    KEPT.with_borrow_mut(|kept| kept.add(flags, text.to_string(), steps, value.clone()));
    Ok(value)
}

/// Refuses flags past a C int; an error in the pattern comes first.
fn too_large(vm: &mut Vm, given: &Value) -> PyResult<Value> {
    pattern(vm, given, None)?;
    Err(overflow_error("Python int too large to convert to C int"))
}
