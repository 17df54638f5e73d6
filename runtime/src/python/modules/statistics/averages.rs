//! Other averages than the mean and the median of the module: harmonic, geometric, weighted; and quantiles.

use super::super::math::exact_sum;
use super::super::signature::Signature;
use super::{Fraction, Numbers, Sum, error};
use crate::python::args::Args;
use crate::python::builtins::{construct, convert};
use crate::python::exception::{PyResult, Raised, VALUE_ERROR, type_error, value_error};
use crate::python::methods::sort;
use crate::python::value::Value;
use crate::python::vm::members::plain;
use crate::python::vm::{BinaryOp, Vm};

/// `fmean(data, weights=None)`
pub(super) fn fmean(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [data, weights] =
        Signature::function("fmean", ["data", "weights"], 1).bind(args)?.map(Option::unwrap_or_default);
    if weights.is_none() {
        let values = floats(vm, &data)?;
        let sum = exact_sum(&values)?;
        if values.is_empty() {
            return Err(error("fmean requires at least one data point"));
        }
        #[expect(clippy::cast_precision_loss, reason = "a count of items in memory")]
        let count = values.len() as f64;
        return Ok(Value::Float(sum / count));
    }
    let weights = vm.collect(&weights)?;
    let values = vm.iter(&data)?;
    let (mut products, mut met) = (Vec::new(), 0);
    while let Some(value) = vm.next(&values)? {
        vm.charge(1)?;
        met += 1;
        let Some(weight) = weights.get(products.len()) else { break };
        let product = vm.binary(BinaryOp::Multiply, &value, weight)?;
        products.push(convert::real(vm, &product)?);
    }
    let sum = exact_sum(&products)?;
    if met != weights.len() {
        return Err(error("data and weights must be the same length"));
    }
    let weight = exact_sum(&floats(vm, &Value::list(weights))?)?;
    if weight == 0.0 {
        return Err(error("sum of weights must be non-zero"));
    }
    Ok(Value::Float(sum / weight))
}

/// The floats that `math.fsum(values)` sums up, each made as it comes.
fn floats(vm: &mut Vm, values: &Value) -> PyResult<Vec<f64>> {
    let iterator = vm.iter(values)?;
    let mut numbers = Vec::new();
    while let Some(value) = vm.next(&iterator)? {
        vm.charge(2)?;
        numbers.push(convert::real(vm, &value)?);
    }
    Ok(numbers)
}

/// `geometric_mean(data)`
pub(super) fn geometric_mean(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [data] = Signature::function("geometric_mean", ["data"], 1).bind(args)?.map(Option::unwrap_or_default);
    let refused = || error("geometric mean requires a non-empty dataset containing positive numbers");
    let math = vm.import("math", true)?;
    let mut logs = Vec::new();
    let as_refused = |raised: Raised| if raised.is(&VALUE_ERROR) { refused() } else { raised };
    let values = vm.iter(&data).map_err(as_refused)?;
    while let Some(value) = vm.next(&values).map_err(as_refused)? {
        vm.charge(1)?;
        logs.push(vm.call_method(&math, "log", Args::one(value)).map_err(as_refused)?);
    }
    if logs.is_empty() {
        return Err(refused());
    }
    let mean = fmean(vm, Args::one(Value::list(logs)))?;
    vm.call_method(&math, "exp", Args::one(mean))
}

const NEGATIVE: &str = "harmonic mean does not support negative values";

/// `harmonic_mean(data, weights=None)`
pub(super) fn harmonic_mean(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [data, weights] =
        Signature::function("harmonic_mean", ["data", "weights"], 1).bind(args)?.map(Option::unwrap_or_default);
    let values = vm.collect(&data)?;
    if !matches!(data, Value::Iterator(_)) {
        // CPython counts what is no iterator before it looks at the items.
        vm.len(&data)?;
    }
    let zero = Value::Int(0);
    match values.as_slice() {
        [] => return Err(error("harmonic_mean requires at least one data point")),
        [_] if weights.is_none() => {
            // CPython asks the data for its first item, unless it is an iterator.
            let only = match &data {
                Value::Iterator(_) => values.first().cloned().unwrap_or_default(),
                data => vm.get_item(data, &zero)?,
            };
            if !matches!(plain(&only), Value::Int(_) | Value::BigInt(_) | Value::Float(_) | Value::Bool(_)) {
                return Err(type_error("unsupported type"));
            }
            return if vm.less(&only, &zero)? { Err(error(NEGATIVE)) } else { Ok(only) };
        }
        _ => {}
    }
    let weights = if weights.is_none() {
        vec![Value::Int(1); values.len()]
    } else {
        let weights = vm.collect(&weights)?;
        if weights.len() != values.len() {
            return Err(error("Number of weights does not match data size"));
        }
        for weight in &weights {
            if vm.less(weight, &zero)? {
                return Err(error(NEGATIVE));
            }
        }
        weights
    };
    let mut quotients = Vec::with_capacity(values.len());
    for (weight, value) in weights.iter().zip(&values) {
        if vm.less(value, &zero)? {
            return Err(error(NEGATIVE));
        }
        if !vm.truthy(weight)? {
            quotients.push(Value::Int(0));
        } else if !vm.truthy(value)? {
            return Ok(Value::Int(0));
        } else {
            quotients.push(vm.binary(BinaryOp::TrueDivide, weight, value)?);
        }
    }
    let weights = Numbers::of(vm, &Value::list(weights))?.sum();
    let quotients = Numbers::of(vm, &Value::list(quotients))?;
    let (weight, sum) = match (weights, quotients.sum()) {
        (Sum::Exact(weight), Sum::Exact(sum)) => (weight, sum),
        (weight, sum) => {
            let (weight, sum) = (weight.to_float(), sum.to_float());
            let positive = sum > 0.0 || sum.is_nan();
            return if positive { Ok(Value::Float(weight / sum)) } else { Err(error("Weighted sum must be positive")) };
        }
    };
    if sum.numerator <= 0.into() {
        return Err(error("Weighted sum must be positive"));
    }
    let mean =
        Fraction { numerator: weight.numerator * sum.denominator, denominator: weight.denominator * sum.numerator };
    Sum::Exact(mean.reduced()).to_value(quotients.all_ints)
}

/// `float(value)`, where a text that is no number is a wrong type.
fn coerced(vm: &mut Vm, value: &Value) -> PyResult<f64> {
    match construct::float(vm, Args::one(plain(value))) {
        Ok(number) => convert::real(vm, &number),
        Err(raised) if raised.is(&VALUE_ERROR) => Err(type_error("Value cannot be converted to a float")),
        Err(raised) => Err(raised),
    }
}

/// `median_grouped(data, interval=1.0)`
pub(super) fn median_grouped(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [data, interval] = Signature::function("median_grouped", ["data", "interval"], 1).bind(args)?;
    let mut values = vm.collect(&data.unwrap_or_default())?;
    sort::sort(vm, &mut values, None, false)?;
    let Some(middle) = values.get(values.len() / 2).cloned() else { return Err(error("no median for empty data")) };
    let (mut below, mut same) = (0_u32, 0_u32);
    for value in &values {
        if vm.less(value, &middle)? {
            below += 1;
        } else if !vm.less(&middle, value)? {
            same += 1;
        }
    }
    let interval = match interval {
        Some(interval) => coerced(vm, &interval)?,
        None => 1.0,
    };
    #[expect(clippy::cast_precision_loss, reason = "a count of items in memory")]
    let half = values.len() as f64 / 2.0;
    let low = coerced(vm, &middle)? - interval / 2.0;
    Ok(Value::Float(low + interval * (half - f64::from(below)) / f64::from(same)))
}

/// `quantiles(data, *, n=4, method="exclusive")`
pub(super) fn quantiles(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let signature =
        Signature { name: "quantiles", parameters: ["data", "n", "method"], positional: 1, required: 1, method: false };
    let [data, parts, method] = signature.bind(args)?;
    let parts = parts.unwrap_or(Value::Int(4));
    if vm.less(&parts, &Value::Int(1))? {
        return Err(error("n must be at least 1"));
    }
    let mut values = vm.collect(&data.unwrap_or_default())?;
    sort::sort(vm, &mut values, None, false)?;
    let count = i64::try_from(values.len()).unwrap_or(i64::MAX);
    if count < 2 {
        return Err(error("must have at least two data points"));
    }
    let parts = convert::index_i64(vm, &parts)?;
    let method = method.unwrap_or_else(|| Value::str("exclusive"));
    let inclusive = vm.equal(&method, &Value::str("inclusive"))?;
    if !inclusive && !vm.equal(&method, &Value::str("exclusive"))? {
        return Err(value_error(format!("Unknown method: {}", vm.repr(&method)?)));
    }
    let mut result = Vec::new();
    for index in 1..parts {
        vm.charge(4)?;
        let (place, rest) = if inclusive {
            let scaled = index * (count - 1);
            (scaled / parts, scaled % parts)
        } else {
            let scaled = index * (count + 1);
            let place = (scaled / parts).clamp(1, count - 1);
            (place - 1, scaled - place * parts)
        };
        let at =
            |place: i64| usize::try_from(place).ok().and_then(|place| values.get(place)).cloned().unwrap_or_default();
        let low = vm.binary(BinaryOp::Multiply, &at(place), &Value::Int(parts - rest))?;
        let high = vm.binary(BinaryOp::Multiply, &at(place + 1), &Value::Int(rest))?;
        let sum = vm.binary(BinaryOp::Add, &low, &high)?;
        result.push(vm.binary(BinaryOp::TrueDivide, &sum, &Value::Int(parts))?);
    }
    Ok(Value::list(result))
}
