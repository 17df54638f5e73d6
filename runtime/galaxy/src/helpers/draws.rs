//! Helpers that draw at random, biased by weights. The numbers are those of Python's `random`.

use crate::tpv::version_of;
use crate::{signature, standard};
use tpv_python::args::Args;
use tpv_python::dict::StrKey;
use tpv_python::exception::{PyResult, value_error};
use tpv_python::string::Str;
use tpv_python::value::Value;
use tpv_python::vm::{CompareOp, Vm};

/// `_weighted_draw(items, weights, k)`
pub(super) fn weighted_draw(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [items, weights, count] = signature::bind(args, "_weighted_draw", ["items", "weights", "k"], 3)?;
    let [items, weights, count] = [items, weights, count].map(|argument| argument.unwrap_or(Value::None));
    let weights = vm.collect(&weights)?;
    draw(vm, &items, weights, count)
}

/// Draws `count` of the items: with replacement by weight where a weight is not 1 and one is positive, else a sample.
fn draw(vm: &mut Vm, items: &Value, weights: Vec<Value>, count: Value) -> PyResult<Value> {
    let zero = Value::Int(0);
    let mut clamped = Vec::with_capacity(weights.len());
    for weight in weights {
        // `max(weight, 0)` keeps the first of equals.
        clamped.push(if holds(vm, CompareOp::Gt, &zero, &weight)? { zero.clone() } else { weight });
    }
    let mut weighted = false;
    for weight in &clamped {
        if holds(vm, CompareOp::Ne, weight, &Value::Int(1))? {
            weighted = true;
            break;
        }
    }
    let mut positive = false;
    if weighted {
        for weight in &clamped {
            if holds(vm, CompareOp::Gt, weight, &zero)? {
                positive = true;
                break;
            }
        }
    }
    let mut args = Args::one(items.clone());
    if positive {
        args.kw.push((Str::from("weights"), Value::list(clamped)));
    }
    args.kw.push((Str::from("k"), count));
    standard::call(vm, "random", if positive { "choices" } else { "sample" }, args)
}

fn holds(vm: &mut Vm, op: CompareOp, a: &Value, b: &Value) -> PyResult<bool> {
    let result = vm.compare(op, a, b)?;
    vm.truthy(&result)
}

/// `object.get("weight", 1)`
fn weight(vm: &mut Vm, object: &Value) -> PyResult<Value> {
    vm.call_method(object, "get", Args::positional([Value::str("weight"), Value::Int(1)]))
}

/// `weighted_random_sampling(destinations)`: as many as there are, by the `weight` of their params.
pub(super) fn weighted_random_sampling(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [destinations] = signature::bind(args, "weighted_random_sampling", ["destinations"], 1)?;
    let destinations = destinations.unwrap_or(Value::None);
    if !vm.truthy(&destinations)? {
        return Ok(Value::list(Vec::new()));
    }
    if !version_of(vm).clamps_weights() {
        let weights = own_weights(vm, &destinations)?;
        return draw_unclamped(vm, destinations, weights);
    }
    let mut weights = Vec::new();
    for destination in vm.collect(&destinations)? {
        let seen = if let Value::Object(object) = &destination { object.peek("params") } else { None };
        weights.push(match seen {
            Some(Value::Dict(params)) => params.table.borrow().get(&StrKey("weight")).cloned().unwrap_or(Value::Int(1)),
            _ => {
                let params = vm.get_attr(&destination, "params")?;
                if vm.truthy(&params)? { weight(vm, &params)? } else { Value::Int(1) }
            }
        });
    }
    let count = Value::from_usize(vm.len(&destinations)?);
    draw(vm, &destinations, weights, count)
}

/// The `weight` in the params of each destination, if it has one.
fn own_weights(vm: &mut Vm, destinations: &Value) -> PyResult<Vec<Option<Value>>> {
    let mut weights = Vec::new();
    for destination in vm.collect(destinations)? {
        let params = vm.get_attr(&destination, "params")?;
        let is_set = vm.truthy(&params)? && vm.contains(&params, &Value::str("weight"))?;
        weights.push(if is_set { Some(weight(vm, &params)?) } else { None });
    }
    Ok(weights)
}

/// The draw of `weighted_random_sampling` before TPV 3.3: by weights, with replacement, if a destination has a `weight` in its
/// params, whatever the weights are. TPV 3.1 draws so in any case.
fn draw_unclamped(vm: &mut Vm, destinations: Value, weights: Vec<Option<Value>>) -> PyResult<Value> {
    let is_weighted = !version_of(vm).samples_without_weights() || weights.iter().any(Option::is_some);
    let count = Value::from_usize(vm.len(&destinations)?);
    let mut args = Args::one(destinations);
    if is_weighted {
        let weights = weights.into_iter().map(|weight| weight.unwrap_or(Value::Int(1)));
        args.kw.push((Str::from("weights"), Value::list(weights.collect())));
    }
    args.kw.push((Str::from("k"), count));
    standard::call(vm, "random", if is_weighted { "choices" } else { "sample" }, args)
}

/// `weighted_choice(items)`: one of the items, by the `weight` that each may have.
pub(super) fn weighted_choice(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [items] = signature::bind(args, "weighted_choice", ["items"], 1)?;
    let items = items.unwrap_or(Value::None);
    if !vm.truthy(&items)? {
        return Err(value_error("weighted_choice requires a non-empty list of items"));
    }
    let mut weights = Vec::new();
    for item in vm.collect(&items)? {
        weights.push(weight(vm, &item)?);
    }
    let drawn = draw(vm, &items, weights, Value::Int(1))?;
    vm.get_item(&drawn, &Value::Int(0))
}
