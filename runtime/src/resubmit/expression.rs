//! Conditions and delays: the Python that Galaxy evaluates for them.

use std::rc::Rc;

use tpv_bytecode::{CodeKind, ProgramData};
use tpv_literal::int_text::MAX_DIGITS;
use tpv_literal::parse;
use tpv_python::exception::{PyResult, value_error};
use tpv_python::value::Value;
use tpv_python::vm::{Environment, Vm};

use super::resubmitter::Failure;
use super::state::RunnerState;
use crate::mapper::{Compile, compile_by};

/// The names that conditions and delays know besides Python's own.
pub const VARIABLES: [&str; 10] = [
    "walltime_reached",
    "memory_limit_reached",
    "unknown_error",
    "tool_detected_failure",
    "tool_timelimit_reached",
    "any_failure",
    "any_potential_job_failure",
    "attempt",
    "seconds_running",
    "seconds_since_queued",
];

/// Evaluates conditions and delays as `_ExpressionContext` of `resubmit.py` does, each with the budgets of a job.
pub(super) struct Evaluator {
    vm: Vm,
    slots: [usize; VARIABLES.len()],
}

impl Evaluator {
    /// An evaluator of what this compiles: it refuses what `_safe_eval.py` does not allow.
    pub(super) fn new(compile: Compile) -> Self {
        let mut vm = Vm::new(Rc::new(Surroundings(compile)));
        let slots = VARIABLES.map(|name| vm.slot(name));
        Self { vm, slots }
    }

    /// Returns `true` if a condition holds.
    ///
    /// # Errors
    /// The class and the message of the exception that Galaxy logs.
    pub(super) fn holds(&mut self, condition: &str, failure: &Failure) -> Result<bool, String> {
        let value = self.evaluate(condition, failure).and_then(|value| self.vm.truthy(&value));
        value.map_err(|raised| self.describe(&raised))
    }

    /// A delay in seconds; `None` if the expression is no number, which Galaxy ignores.
    ///
    /// # Errors
    /// As [`Evaluator::holds`].
    pub(super) fn delay(&mut self, delay: &str, failure: &Failure) -> Result<Option<(String, f64)>, String> {
        let text = self.evaluate(delay, failure).and_then(|value| self.vm.str(&value));
        let text = text.map_err(|raised| self.describe(&raised))?;
        Ok(parse::float(text.as_str()).map(|seconds| (text.as_str().to_owned(), seconds)))
    }

    fn evaluate(&mut self, expression: &str, failure: &Failure) -> PyResult<Value> {
        // `str.isdigit`, then `int`.
        if !expression.is_empty() && expression.bytes().all(|byte| byte.is_ascii_digit()) {
            if expression.len() > MAX_DIGITS {
                return Err(value_error(format!(
                    "Exceeds the limit ({MAX_DIGITS} digits) for integer string conversion: value has {} digits",
                    expression.len()
                )));
            }
            return Ok(Value::from_bigint(expression.parse().unwrap_or_default()));
        }
        let values = values(failure);
        if let Some(index) = VARIABLES.iter().position(|name| *name == expression)
            && let Some(value) = values.get(index)
        {
            return Ok(value.clone());
        }
        self.vm.reset();
        for (slot, value) in self.slots.into_iter().zip(values) {
            self.vm.set_context(slot, value);
        }
        let program = self.vm.compile(expression, CodeKind::Block)?;
        self.vm.run(&program, 0)
    }

    fn describe(&mut self, raised: &tpv_python::exception::Raised) -> String {
        let exception = raised.value();
        let message = self.vm.str(&exception);
        match message {
            Ok(message) if !message.is_empty() => format!("{}: {}", raised.class_name(), message.as_str()),
            _ => raised.class_name().to_owned(),
        }
    }
}

/// The values of [`VARIABLES`], in their order.
fn values(failure: &Failure) -> [Value; VARIABLES.len()] {
    let ended = |state| Value::Bool(failure.state == state);
    [
        ended(RunnerState::WalltimeReached),
        ended(RunnerState::MemoryLimitReached),
        ended(RunnerState::UnknownError),
        ended(RunnerState::ToolDetectedFailure),
        ended(RunnerState::ToolTimelimitReached),
        Value::Bool(true),
        Value::Bool(true),
        Value::Int(failure.attempt.into()),
        seconds(failure.seconds_running),
        seconds(failure.seconds_since_queued),
    ]
}

/// The int 0 if the job was never in the state, else the float of `total_seconds()`.
fn seconds(seconds: Option<f64>) -> Value {
    seconds.map_or(Value::Int(0), Value::Float)
}

struct Surroundings(Compile);

impl Environment for Surroundings {
    fn compile(&self, source: &str, kind: CodeKind) -> Option<PyResult<ProgramData>> {
        Some(compile_by(&self.0, source, kind))
    }
}
