//! The runtime functions that machine code calls.
//!
//! A reference is a number: of a value that the run holds ([`Host::references`]), of a constant of the code, which has [`CONSTANT`]
//! set, of what the kernel imports and of names that the context cannot change ([`FIXED`]), or of a slot of the context ([`SLOT`]),
//! which nothing changes while a kernel runs. Every function here gives an answer or [`LEAVE`], and none has an effect that the
//! interpreter could see: code of the config is never called.

// SAFETY of all functions that take a `Host`: machine code passes on the pointer that `run` gave it, which points to a
// `Host` that lives while the code runs, and which nothing else uses meanwhile.
#![allow(unsafe_code)]

mod objects;
mod shared;
pub(super) mod text;

use super::kinds::Kind;
pub(super) use objects::{append, build, invoke, length, mark, method, new_list, nth};
pub(super) use shared::{SharedTests, known, share};
use tpv_bytecode::Code;
use tpv_python::builtins::numbers::round_float;
use tpv_python::number::float_ops;
use tpv_python::program::{Name, Program};
use tpv_python::value::Value;
use tpv_python::vm::{CompareOp, Vm};

/// The answer "not mine": the kernel is left.
pub(super) const LEAVE: u64 = 255;

/// The bit of references to constants.
pub(super) const CONSTANT: u64 = 1 << 32;

/// The reference to the text that was made last; no value of a run has so high a number.
pub(super) const TEXT: u64 = CONSTANT - 1;
/// The bit of references to what the kernel was loaded with.
pub(super) const FIXED: u64 = 1 << 33;

/// The bit of references to slots of the context.
pub(super) const SLOT: u64 = 1 << 34;

/// All of a reference's bits.
const REFERENCE: u64 = (SLOT << 1) - 1;

/// The data that a run passes to machine code.
#[repr(C)]
pub(super) struct Host<'a> {
    /// The address where functions store a payload, and the kernel its result.
    pub(super) out: u64,
    pub(super) vm: &'a mut Vm,
    /// The values that the run holds by reference.
    pub(super) references: &'a mut Vec<Value>,
    /// The buffer for the text of f-strings.
    pub(super) text: &'a mut String,
    /// The offset in it at which that text starts.
    pub(super) start: usize,
    /// The constants of the code.
    pub(super) consts: &'a [Value],
    pub(super) program: &'a Program,
    /// The code whose kernel runs.
    pub(super) code: &'a Code,
    /// The tests that kernels share.
    pub(super) shared: &'a mut SharedTests,
    /// The values that the kernel was loaded with: its imports, and names that the context cannot change.
    pub(super) fixed: &'a [Value],
}

impl<'a> Host<'a> {
    /// The name at an index of the code's names.
    pub(super) fn name(&self, index: u32) -> Option<&'a Name> {
        let name = self.code.names.get(index as usize)?;
        self.program.names.get(*name as usize)
    }

    /// The value behind a reference.
    pub(super) fn value(&self, reference: u64) -> Option<Value> {
        let index = usize::try_from(reference & (CONSTANT - 1)).ok()?;
        if reference & SLOT != 0 {
            return self.vm.context.get(index)?.clone();
        }
        let values = match reference & (CONSTANT | FIXED) {
            0 => &**self.references,
            CONSTANT => self.consts,
            _ => self.fixed,
        };
        values.get(index).cloned()
    }

    /// The value behind a reference, if it may be the result of the kernel. What the run holds may be something that others share as
    /// long as they only look at it, so that code must not get it, unless nobody can change it; what a name or a constant stands for,
    /// code gets anyway.
    pub(super) fn result(&self, reference: u64) -> Option<Value> {
        let is_held = reference & (SLOT | CONSTANT | FIXED) == 0;
        self.value(reference).filter(|value| !is_held || is_immutable(value))
    }

    /// The value of a tag and a payload.
    pub(super) fn tagged(&self, tag: u64, payload: u64) -> Option<Value> {
        let kind = Kind::of_tag(tag)?;
        if kind.is_reference() { self.value(reference(payload)) } else { kind.plain(payload) }
    }

    /// Keeps a value for the run; gives its tag and leaves its payload in `out`.
    pub(super) fn keep(&mut self, value: Value) -> u64 {
        let kind = Kind::of(&value);
        self.out = payload(self.references, value);
        kind as u64
    }
}

/// Returns `true` if neither the value nor its contents can change.
fn is_immutable(value: &Value) -> bool {
    match value {
        Value::None | Value::Bool(_) | Value::Int(_) | Value::BigInt(_) | Value::Float(_) | Value::Str(_) => true,
        Value::Tuple(tuple) => tuple.items.iter().all(is_immutable),
        _ => false,
    }
}

/// A reference as it comes from machine code: only its low bits are.
pub(super) fn reference(payload: u64) -> u64 {
    payload & REFERENCE
}

/// The payload of a value; what has none of its own is kept by the machine until the run ends.
pub(super) fn payload(references: &mut Vec<Value>, value: Value) -> u64 {
    match value {
        Value::None => 0,
        Value::Bool(truth) => u64::from(truth),
        Value::Int(int) => int.cast_unsigned(),
        Value::Float(float) => float.to_bits(),
        other => {
            references.push(other);
            (references.len() - 1) as u64
        }
    }
}

/// Returns `true` if testing this value's truth, or comparing it with text and numbers, calls no code of the config.
fn is_plain(value: &Value) -> bool {
    !matches!(value, Value::Exception(_) | Value::Type(_) | Value::Iterator(_))
}

fn answer(truth: Option<bool>) -> u64 {
    truth.map_or(LEAVE, u64::from)
}

/// The truth of a reference.
pub(super) unsafe extern "C" fn truth(host: *mut Host<'_>, payload: u64) -> u64 {
    // SAFETY: see the head of this file.
    let host = unsafe { &mut *host };
    let truth = host.value(reference(payload)).filter(is_plain).and_then(|value| host.vm.truthy(&value).ok());
    answer(truth)
}

/// An attribute of a host object: its tag, and its payload in `out`.
pub(super) unsafe extern "C" fn attribute(host: *mut Host<'_>, object: u64, name: u64) -> u64 {
    // SAFETY: see the head of this file.
    let host = unsafe { &mut *host };
    let (Some(value), Ok(name)) = (host.value(reference(object)), u32::try_from(name)) else { return LEAVE };
    match objects::attribute(host, &value, name) {
        Some(value) => host.keep(value),
        None => LEAVE,
    }
}

/// `text.startswith(affix)`, or `text.endswith(affix)` if `end` is not 0.
pub(super) unsafe extern "C" fn affix(host: *mut Host<'_>, text: u64, affix: u64, end: u64) -> u64 {
    // SAFETY: see the head of this file.
    let host = unsafe { &mut *host };
    let (Some(Value::Str(text)), Some(affix)) = (host.value(reference(text)), host.value(reference(affix))) else {
        return LEAVE;
    };
    let holds = |affix: &Value| match affix {
        Value::Str(affix) if end != 0 => Some(text.as_str().ends_with(affix.as_str())),
        Value::Str(affix) => Some(text.as_str().starts_with(affix.as_str())),
        _ => None,
    };
    answer(match &affix {
        Value::Tuple(tuple) => {
            // An item that is no text is an error only where none before it holds.
            let found = tuple.items.iter().map(holds).find(|held| *held != Some(false));
            found.unwrap_or(Some(false))
        }
        other => holds(other),
    })
}

/// `item in container`, for containers whose items are text and numbers.
pub(super) unsafe extern "C" fn contains(host: *mut Host<'_>, container: u64, tag: u64, payload: u64) -> u64 {
    // SAFETY: see the head of this file.
    let host = unsafe { &mut *host };
    let (Some(container), Some(item)) = (host.value(reference(container)), host.tagged(tag, payload)) else {
        return LEAVE;
    };
    let is_item = |value: &Value| Kind::of(value) != Kind::Other;
    let simple = match &container {
        Value::Str(_) => true,
        Value::Tuple(tuple) => tuple.items.iter().all(is_item),
        Value::List(list) => list.items.borrow().iter().all(is_item),
        _ => false,
    };
    answer(if simple { host.vm.contains(&container, &item).ok() } else { None })
}

/// A comparison of two texts.
pub(super) unsafe extern "C" fn compare(host: *mut Host<'_>, op: u64, a: u64, b: u64) -> u64 {
    // SAFETY: see the head of this file.
    let host = unsafe { &mut *host };
    let (Some(Value::Str(a)), Some(Value::Str(b))) = (host.value(reference(a)), host.value(reference(b))) else {
        return LEAVE;
    };
    answer(ordering_op(op).and_then(|op| match host.vm.compare(op, &Value::Str(a), &Value::Str(b)) {
        Ok(Value::Bool(truth)) => Some(truth),
        _ => None,
    }))
}

const OPERATORS: [CompareOp; 6] =
    [CompareOp::Lt, CompareOp::Le, CompareOp::Eq, CompareOp::Ne, CompareOp::Gt, CompareOp::Ge];

fn ordering_op(number: u64) -> Option<CompareOp> {
    OPERATORS.get(usize::try_from(number).ok()?).copied()
}

/// The number by which machine code names a comparison.
pub(super) fn operator_number(op: CompareOp) -> u64 {
    OPERATORS.iter().position(|known| *known == op).unwrap_or(OPERATORS.len()) as u64
}

/// Leaves a float in `out`, or leaves the kernel.
fn float_out(host: &mut Host<'_>, float: Option<f64>) -> u64 {
    match float {
        Some(float) => {
            host.out = float.to_bits();
            Kind::Float as u64
        }
        None => LEAVE,
    }
}

/// `a ** b` of floats.
pub(super) unsafe extern "C" fn float_power(host: *mut Host<'_>, a: f64, b: f64) -> u64 {
    // SAFETY: see the head of this file.
    float_out(unsafe { &mut *host }, float_ops::power(a, b).ok())
}

/// `a ** b` of ints, if the result is one of 64 bits.
pub(super) unsafe extern "C" fn int_power(host: *mut Host<'_>, a: i64, b: i64) -> u64 {
    // SAFETY: see the head of this file.
    let host = unsafe { &mut *host };
    match u32::try_from(b).ok().and_then(|exponent| a.checked_pow(exponent)) {
        Some(power) => {
            host.out = power.cast_unsigned();
            Kind::Int as u64
        }
        None => LEAVE,
    }
}

/// `round(a, digits)` of a float.
pub(super) unsafe extern "C" fn round_digits(host: *mut Host<'_>, a: f64, digits: i64) -> u64 {
    // SAFETY: see the head of this file.
    float_out(unsafe { &mut *host }, round_float(a, digits).ok())
}

/// `a // b` of floats; `b` is not zero.
pub(super) extern "C" fn float_floor_divide(a: f64, b: f64) -> f64 {
    float_ops::div_mod(a, b).0
}

/// `a % b` of floats; `b` is not zero.
pub(super) extern "C" fn float_remainder(a: f64, b: f64) -> f64 {
    float_ops::div_mod(a, b).1
}

/// The whole number nearest to `a`, ties to the even one.
pub(super) extern "C" fn round_even(a: f64) -> f64 {
    a.round_ties_even()
}
