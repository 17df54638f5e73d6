//! `random`'s selections: `choice`, `choices`, `sample`, `shuffle`.

use std::collections::HashSet;

use num_bigint::BigInt;
use num_traits::Signed;

use super::{Source, integers};
use crate::args::Args;
use crate::builtins::{convert, sequences};
use crate::exception::{PyResult, TYPE_ERROR, index_error, type_error, value_error};
use crate::modules::signature::Signature;
use crate::types::{BYTES, LIST, RANGE, STR, TUPLE};
use crate::value::{Range, Value};
use crate::vm::{BinaryOp, CompareOp, Vm};

fn below(vm: &mut Vm, source: Source<'_>, bound: usize) -> usize {
    let drawn = source.with(vm, |generator| generator.below(u64::try_from(bound).unwrap_or(u64::MAX)));
    usize::try_from(drawn).unwrap_or_default()
}

/// `choice(seq)`
pub(super) fn choice(vm: &mut Vm, source: Source<'_>, args: Args) -> PyResult<Value> {
    vm.charge(1)?;
    let [sequence] = Signature::method("Random.choice", ["seq"], 1).bind(args)?.map(Option::unwrap_or_default);
    let length = vm.len(&sequence)?;
    if length == 0 {
        return Err(index_error("Cannot choose from an empty sequence"));
    }
    let index = below(vm, source, length);
    vm.get_item(&sequence, &Value::from_usize(index))
}

/// `itertools.accumulate(values)` as a vector.
fn accumulate(vm: &mut Vm, values: &Value) -> PyResult<Vec<Value>> {
    let mut sums: Vec<Value> = Vec::new();
    let iterator = vm.iter(values)?;
    while let Some(value) = vm.next(&iterator)? {
        vm.charge(1)?;
        let sum = match sums.last() {
            Some(last) => sequences::add(vm, last, &value)?,
            None => value,
        };
        sums.push(sum);
    }
    Ok(sums)
}

/// `bisect.bisect_right(sorted, x, 0, high)`
fn bisect(vm: &mut Vm, sorted: &[Value], x: &Value, high: usize) -> PyResult<usize> {
    let (mut low, mut high) = (0, high);
    while low < high {
        let middle = usize::midpoint(low, high);
        let Some(item) = sorted.get(middle) else { break };
        let is_less = match (x, item) {
            (Value::Float(x), Value::Float(item)) => x < item,
            _ => vm.less(x, item)?,
        };
        if is_less {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    Ok(low)
}

/// `choices(population, weights=None, *, cum_weights=None, k=1)`
pub(super) fn choices(vm: &mut Vm, source: Source<'_>, args: Args) -> PyResult<Value> {
    let signature = Signature {
        name: "Random.choices",
        parameters: ["population", "weights", "cum_weights", "k"],
        positional: 2,
        required: 1,
        method: true,
    };
    let [population, weights, cumulative, count] = signature.bind(args)?;
    let population = population.unwrap_or_default();
    let weights = weights.filter(|weights| !weights.is_none());
    let cumulative = cumulative.filter(|weights| !weights.is_none());
    let count = count.unwrap_or(Value::Int(1));
    let length = vm.len(&population)?;
    let mut last = None;
    let cumulative = match (cumulative, weights) {
        (None, None) => {
            let count = repetitions(vm, &count)?;
            let mut chosen = Vec::with_capacity(count);
            for _ in 0..count {
                #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "floor(random() * n)")]
                let index = (source.random(vm) * length as f64).floor() as i64;
                chosen.push(vm.get_item(&population, &Value::Int(index))?);
            }
            return Ok(Value::list(chosen));
        }
        (None, Some(weights)) => match accumulate(vm, &weights) {
            Err(raised)
                if raised.is(&TYPE_ERROR) && matches!(weights, Value::Int(_) | Value::BigInt(_) | Value::Bool(_)) =>
            {
                return Err(type_error(format!(
                    "The number of choices must be a keyword argument: k={}",
                    vm.repr(&weights)?
                )));
            }
            result => result?,
        },
        (Some(_), Some(_)) => return Err(type_error("Cannot specify both weights and cumulative weights")),
        (Some(cumulative), None) => {
            // Its length is asked for before its items, then the last of these.
            if vm.len(&cumulative)? != length {
                return Err(value_error("The number of weights does not match the population"));
            }
            last = Some(vm.get_item(&cumulative, &Value::Int(-1))?);
            vm.collect(&cumulative)?
        }
    };
    if cumulative.len() != length {
        return Err(value_error("The number of weights does not match the population"));
    }
    let last = last.or_else(|| cumulative.last().cloned());
    let last = last.ok_or_else(|| index_error("list index out of range"))?;
    let total = vm.binary(BinaryOp::Add, &last, &Value::Float(0.0))?;
    let total = convert::real(vm, &total)?;
    if total <= 0.0 {
        return Err(value_error("Total of weights must be greater than zero"));
    }
    if !total.is_finite() {
        return Err(value_error("Total of weights must be finite"));
    }
    let count = repetitions(vm, &count)?;
    let mut chosen = Vec::with_capacity(count);
    for _ in 0..count {
        let x = Value::Float(source.random(vm) * total);
        let index = bisect(vm, &cumulative, &x, length - 1)?;
        chosen.push(vm.get_item(&population, &Value::from_usize(index))?);
    }
    Ok(Value::list(chosen))
}

/// `k` as `itertools.repeat` takes it: nothing below zero.
fn repetitions(vm: &mut Vm, count: &Value) -> PyResult<usize> {
    let count = usize::try_from(convert::index_i64(vm, count)?).unwrap_or(0);
    vm.charge(count)?;
    vm.charge_bytes(count.saturating_mul(16))?;
    Ok(count)
}

/// `sample(population, k, *, counts=None)`
pub(super) fn sample(vm: &mut Vm, source: Source<'_>, args: Args) -> PyResult<Value> {
    let signature = Signature {
        name: "Random.sample",
        parameters: ["population", "k", "counts"],
        positional: 2,
        required: 2,
        method: true,
    };
    let [population, count, counts] = signature.bind(args)?;
    let (population, count) = (population.unwrap_or_default(), count.unwrap_or_default());
    let sequences = [&LIST, &TUPLE, &STR, &BYTES, &RANGE];
    if !sequences.iter().any(|class| population.class().is_subclass(class)) {
        return Err(type_error("Population must be a sequence.  For dicts or sets, use sorted(d)."));
    }
    let Some(counts) = counts.filter(|counts| !counts.is_none()) else {
        return Ok(Value::list(draw_sample(vm, source, &population, &count)?));
    };
    let length = vm.len(&population)?;
    let mut cumulative = accumulate(vm, &counts)?;
    if cumulative.len() != length {
        return Err(value_error("The number of counts does not match the population"));
    }
    let Some(total) = cumulative.pop() else { return Err(index_error("pop from empty list")) };
    let total = match &total {
        Value::Int(total) => *total,
        Value::Bool(total) => i64::from(*total),
        Value::BigInt(total) if total.is_negative() => 0,
        Value::BigInt(_) => {
            return Err(crate::exception::overflow_error("Python int too large to convert to C ssize_t"));
        }
        _ => return Err(type_error("Counts must be integers")),
    };
    if total <= 0 {
        return Err(value_error("Total of counts must be greater than zero"));
    }
    let range = Value::Range(std::rc::Rc::new(Range { start: 0, stop: total, step: 1 }));
    let mut result = Vec::new();
    for selection in draw_sample(vm, source, &range, &count)? {
        let index = bisect(vm, &cumulative, &selection, cumulative.len())?;
        result.push(vm.get_item(&population, &Value::from_usize(index))?);
    }
    Ok(Value::list(result))
}

fn draw_sample(vm: &mut Vm, source: Source<'_>, population: &Value, count: &Value) -> PyResult<Vec<Value>> {
    let length = vm.len(population)?;
    let too_many = || value_error("Sample larger than population or is negative");
    let count = match count {
        Value::Float(_) => {
            let (least, most) = (Value::Int(0), Value::from_usize(length));
            let above = vm.compare(CompareOp::Le, &least, count)?;
            let below = vm.compare(CompareOp::Le, count, &most)?;
            let within = vm.truthy(&above)? && vm.truthy(&below)?;
            return Err(if within {
                type_error("can't multiply sequence by non-int of type 'float'")
            } else {
                too_many()
            });
        }
        Value::Int(_) | Value::Bool(_) | Value::BigInt(_) => convert::index_clamped(vm, count)?,
        other => {
            let within = vm.compare(CompareOp::Le, &Value::Int(0), other)?;
            return Err(if vm.truthy(&within)? {
                type_error(format!("'{}' object cannot be interpreted as an integer", other.type_name().as_str()))
            } else {
                too_many()
            });
        }
    };
    let count = usize::try_from(count).ok().filter(|count| *count <= length).ok_or_else(too_many)?;
    vm.charge(count)?;
    vm.charge_bytes(count.saturating_mul(16))?;
    // "size of a small set minus size of an empty list", plus the table of a bigger set: it decides which way is taken,
    // and each way draws other numbers.
    let mut set_size: f64 = 21.0;
    if count > 5 {
        #[expect(clippy::cast_precision_loss, reason = "as CPython computes it, in floats")]
        let exponent = ((count * 3) as f64).ln() / 4.0_f64.ln();
        set_size += 4.0_f64.powf(exponent.ceil());
    }
    let mut result = Vec::with_capacity(count);
    #[expect(clippy::cast_precision_loss, reason = "a comparison of sizes; lengths near 2**53 are far past it")]
    if length as f64 <= set_size {
        let mut pool = vm.collect(population)?;
        for drawn in 0..count {
            let index = below(vm, source, length - drawn);
            let Some(item) = pool.get(index).cloned() else { break };
            result.push(item);
            let last = pool.get(length - drawn - 1).cloned();
            if let (Some(slot), Some(last)) = (pool.get_mut(index), last) {
                *slot = last;
            }
        }
    } else {
        let mut selected = HashSet::with_capacity(count);
        let bound = BigInt::from(length);
        for _ in 0..count {
            let mut index = integers::below(vm, source, &bound)?;
            while !selected.insert(index.clone()) {
                index = integers::below(vm, source, &bound)?;
            }
            result.push(vm.get_item(population, &Value::from_bigint(index))?);
        }
    }
    Ok(result)
}

/// `shuffle(x)`: in place.
pub(super) fn shuffle(vm: &mut Vm, source: Source<'_>, args: Args) -> PyResult<Value> {
    let [sequence] = Signature::method("Random.shuffle", ["x"], 1).bind(args)?.map(Option::unwrap_or_default);
    let length = vm.len(&sequence)?;
    vm.charge(length)?;
    for i in (1..length).rev() {
        let j = below(vm, source, i + 1);
        if let Value::List(list) = &sequence {
            let mut items = list.items.borrow_mut();
            if i < items.len() {
                items.swap(i, j);
            }
            continue;
        }
        let (i, j) = (Value::from_usize(i), Value::from_usize(j));
        let (first, second) = (vm.get_item(&sequence, &j)?, vm.get_item(&sequence, &i)?);
        vm.set_item(&sequence, &i, first)?;
        vm.set_item(&sequence, &j, second)?;
    }
    Ok(Value::None)
}
