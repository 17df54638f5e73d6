//! `random`'s integers: `randrange`, `randint`.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};

use super::Source;
use crate::args::Args;
use crate::builtins::{convert, scalars};
use crate::exception::{PyResult, TYPE_ERROR, type_error, value_error};
use crate::modules::signature::Signature;
use crate::number::int_ops::{charge_division, charge_product, words};
use crate::value::Value;
use crate::vm::{BinaryOp, Vm};

/// An argument of `randrange`: an int, or with CPython 3.11 anything that equals its own `int(...)`.
fn int_argument(vm: &mut Vm, value: &Value, what: &str) -> PyResult<BigInt> {
    match convert::bigint(vm, value) {
        Err(raised) if raised.is(&TYPE_ERROR) => {
            let int = scalars::int(vm, Args::one(value.clone()))?;
            if !vm.equal(&int, value)? {
                return Err(value_error(format!("non-integer {what} for randrange()")));
            }
            convert::bigint(vm, &int)
        }
        result => result,
    }
}

/// An int from 0 up to, not including, the bound, which is positive.
///
/// # Errors
/// As [`Vm::charge`].
pub(super) fn below(vm: &mut Vm, source: Source<'_>, bound: &BigInt) -> PyResult<BigInt> {
    Ok(match bound.to_u64() {
        Some(bound) => BigInt::from(source.with(vm, |generator| generator.below(bound))),
        None => {
            // Half of what is drawn may be too large and is drawn again.
            vm.charge(words(bound))?;
            BigInt::from(source.with(vm, |generator| generator.below_big(bound.magnitude())))
        }
    })
}

fn range(vm: &mut Vm, source: Source<'_>, start: &Value, stop: &Value, step: Option<Value>) -> PyResult<Value> {
    // The common case first: small ints and no step.
    if let (Value::Int(start), Value::Int(stop), None) = (start, stop, &step)
        && let Some(width) = stop.checked_sub(*start).and_then(|width| u64::try_from(width).ok()).filter(|w| *w > 0)
    {
        let offset = source.with(vm, |generator| generator.below(width));
        return Ok(Value::Int(start.wrapping_add(offset.cast_signed())));
    }
    let start = int_argument(vm, start, "arg 1")?;
    if stop.is_none() {
        if step.is_some() {
            return Err(type_error("Missing a non-None stop argument"));
        }
        if start.is_positive() {
            return Ok(Value::from_bigint(below(vm, source, &start)?));
        }
        return Err(value_error("empty range for randrange()"));
    }
    let stop = int_argument(vm, stop, "stop")?;
    vm.visit(words(&start) + words(&stop), 4)?;
    let width = &stop - &start;
    let step = int_argument(vm, &step.unwrap_or(Value::Int(1)), "step")?;
    if step.is_one() {
        if width.is_positive() {
            return Ok(Value::from_bigint(start + below(vm, source, &width)?));
        }
        let mut shown = |number: BigInt| vm.repr(&Value::from_bigint(number));
        let (start, stop, width) = (shown(start)?, shown(stop)?, shown(width)?);
        return Err(value_error(format!("empty range for randrange() ({start}, {stop}, {width})")));
    }
    if step.is_zero() {
        return Err(value_error("zero step for randrange()"));
    }
    charge_division(vm, &width, &step)?;
    let count = (width + &step - step.signum()).div_floor(&step);
    if !count.is_positive() {
        return Err(value_error("empty range for randrange()"));
    }
    charge_product(vm, &step, &count)?;
    Ok(Value::from_bigint(start + step * below(vm, source, &count)?))
}

/// `randrange(start, stop=None, step=1)`
pub(super) fn randrange(vm: &mut Vm, source: Source<'_>, args: Args) -> PyResult<Value> {
    vm.charge(1)?;
    let [start, stop, step] = Signature::method("Random.randrange", ["start", "stop", "step"], 1).bind(args)?;
    range(vm, source, &start.unwrap_or_default(), &stop.unwrap_or_default(), step)
}

/// `randint(a, b)`: both ends included.
pub(super) fn randint(vm: &mut Vm, source: Source<'_>, args: Args) -> PyResult<Value> {
    vm.charge(1)?;
    let [low, high] = Signature::method("Random.randint", ["a", "b"], 2).bind(args)?.map(Option::unwrap_or_default);
    let stop = match &high {
        Value::Int(high) if *high < i64::MAX => Value::Int(high + 1),
        other => vm.binary(BinaryOp::Add, other, &Value::Int(1))?,
    };
    range(vm, source, &low, &stop, None)
}
