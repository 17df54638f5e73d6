//! Helpers on input datasets: their sizes and attributes.

use super::{COMPRESSED_EXTENSION_SUFFIXES, DEFAULT_COMPRESSION_FACTOR, GIB};
use crate::job::{DatasetId, InputDataset, Job};
use crate::objects::{HostObject, JobFields};
use crate::signature;
use tpv_literal::unicode;
use tpv_python::args::Args;
use tpv_python::builtins::scalars;
use tpv_python::dict::{Dict, Key, Table};
use tpv_python::exception::{PyResult, type_error};
use tpv_python::string::Str;
use tpv_python::value::Value;
use tpv_python::vm::{BinaryOp, Vm};

/// `get_dataset_size(dataset)`: bytes, as a float.
pub(super) fn get_dataset_size(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [dataset] = signature::bind(args, "get_dataset_size", ["dataset"], 1)?;
    dataset_size(vm, &dataset.unwrap_or(Value::None))
}

/// `float(dataset.get_size(nice_size=False, calculate_size=False))`
fn dataset_size(vm: &mut Vm, dataset: &Value) -> PyResult<Value> {
    let mut args = Args::none();
    args.kw = ["nice_size", "calculate_size"].map(|name| (Str::from(name), Value::Bool(false))).to_vec();
    let size = vm.call_method(dataset, "get_size", args)?;
    scalars::float(vm, Args::one(size))
}

/// `sum_total(prev, current)`
pub(super) fn sum_total(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [previous, current] = signature::bind(args, "sum_total", ["prev", "current"], 2)?;
    vm.binary(BinaryOp::Add, &previous.unwrap_or(Value::None), &current.unwrap_or(Value::None))
}

/// `calculate_dataset_total(datasets)`: bytes of the distinct datasets.
pub(super) fn calculate_dataset_total(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [datasets] = signature::bind(args, "calculate_dataset_total", ["datasets"], 1)?;
    dataset_total(vm, &datasets.unwrap_or(Value::None)).map(Value::Float)
}

fn dataset_total(vm: &mut Vm, datasets: &Value) -> PyResult<f64> {
    if !vm.truthy(datasets)? {
        return Ok(0.0);
    }
    // Of datasets with the same id the last counts, at the place of the first, as in a dict comprehension.
    let mut unique = Table::default();
    for association in vm.collect(datasets)? {
        if let Some((_, stored)) = linked_datasets(vm, &association)? {
            let id = vm.get_attr(&stored, "id")?;
            unique.insert(Key::new(vm, id)?, stored);
        }
    }
    let mut total = 0.0;
    for stored in unique.values() {
        total += float_of(&dataset_size(vm, stored)?);
    }
    Ok(total)
}

fn float_of(value: &Value) -> f64 {
    match value {
        Value::Float(value) => *value,
        _ => 0.0,
    }
}

/// `association.dataset` and `association.dataset.dataset`, where both are true.
fn linked_datasets(vm: &mut Vm, association: &Value) -> PyResult<Option<(Value, Value)>> {
    let dataset = vm.get_attr(association, "dataset")?;
    if !vm.truthy(&dataset)? {
        return Ok(None);
    }
    let stored = vm.get_attr(&dataset, "dataset")?;
    Ok(vm.truthy(&stored)?.then_some((dataset, stored)))
}

/// `input_size(job)`: GiB of the distinct input datasets.
pub(super) fn input_size(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [job] = signature::bind(args, "input_size", ["job"], 1)?;
    input_size_of(vm, &job.unwrap_or(Value::None))
}

/// The size of a job's distinct inputs in GiB: `helpers.input_size(job)`, and the name `input_size` in code.
///
/// # Errors
/// `TypeError` where the size of a dataset is not known, `AttributeError` where this is no job.
pub fn input_size_of(vm: &mut Vm, job: &Value) -> PyResult<Value> {
    if let Some(object) = job.downcast::<HostObject<JobFields>>()
        && object.untouched("input_datasets")
    {
        return recorded_size(&object.fields().record().input_datasets).map(|total| Value::Float(total / GIB));
    }
    let datasets = vm.get_attr(job, "input_datasets")?;
    dataset_total(vm, &datasets).map(|total| Value::Float(total / GIB))
}

/// `input_size` of a job as its line has it. `None` if the size of a dataset is not known.
pub fn recorded_input_size(job: &Job) -> Option<f64> {
    recorded_size(&job.input_datasets).ok().map(|total| total / GIB)
}

/// The bytes of the distinct datasets of a record, summed in the order of [`dataset_total`].
fn recorded_size(inputs: &[InputDataset]) -> PyResult<f64> {
    let mut last: indexmap::IndexMap<&DatasetId, usize> = indexmap::IndexMap::new();
    if inputs.len() > 1 {
        last.reserve(inputs.len());
        for (index, input) in inputs.iter().enumerate() {
            last.insert(&input.id, index);
        }
        if last.len() < inputs.len() {
            return last.values().try_fold(0.0, |total, index| Ok(total + recorded_bytes(inputs.get(*index))?));
        }
    }
    inputs.iter().try_fold(0.0, |total, input| Ok(total + recorded_bytes(Some(input))?))
}

fn recorded_bytes(input: Option<&InputDataset>) -> PyResult<f64> {
    match input.and_then(|input| input.size) {
        Some(size) => Ok(size.to_float()),
        None => Err(type_error("float() argument must be a string or a real number, not 'NoneType'")),
    }
}

/// The HDAs of distinct stored datasets, the first of each, in order.
fn unique_inputs(vm: &mut Vm, associations: &[Value]) -> PyResult<Vec<Value>> {
    let mut unique = Table::default();
    for association in associations {
        if let Some((dataset, stored)) = linked_datasets(vm, association)? {
            let id = vm.get_attr(&stored, "id")?;
            unique.entry(Key::new(vm, id)?).or_insert(dataset);
        }
    }
    Ok(unique.values().cloned().collect())
}

/// `get_input_datasets(job, param_name=None)`
pub(super) fn get_input_datasets(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [job, name] = signature::bind(args, "get_input_datasets", ["job", "param_name"], 1)?;
    input_datasets(vm, &job.unwrap_or(Value::None), &name.unwrap_or(Value::None)).map(Value::list)
}

/// A parameter's datasets are recorded under its name, or its name and a number.
fn input_datasets(vm: &mut Vm, job: &Value, param_name: &Value) -> PyResult<Vec<Value>> {
    let datasets = vm.get_attr(job, "input_datasets")?;
    let wanted = match param_name {
        Value::None => None,
        Value::Str(name) => Some(name),
        // What `re.escape` says of anything but text.
        other => {
            return Err(type_error(format!(
                "decoding to str: need a bytes-like object, {} found",
                other.type_name().as_str()
            )));
        }
    };
    let mut associations = if vm.truthy(&datasets)? { vm.collect(&datasets)? } else { Vec::new() };
    if let Some(wanted) = wanted {
        let mut matching = Vec::with_capacity(associations.len());
        for association in associations {
            let name = vm.get_attr(&association, "name")?;
            let name = if vm.truthy(&name)? { name } else { Value::str("") };
            let Value::Str(name) = &name else {
                let found = name.type_name();
                return Err(type_error(format!("expected string or bytes-like object, got '{}'", found.as_str())));
            };
            if is_numbered(name, wanted) {
                matching.push(association);
            }
        }
        associations = matching;
    }
    unique_inputs(vm, &associations)
}

/// Returns `true` if the name is `wanted` followed by digits: `^wanted\d*$`, where `$` also matches before a final line
/// feed.
fn is_numbered(name: &str, wanted: &str) -> bool {
    name.strip_prefix(wanted).is_some_and(|rest| {
        let rest = rest.strip_suffix('\n').unwrap_or(rest);
        rest.chars().all(unicode::is_decimal)
    })
}

/// `get_input_dataset(job, param_name)`: the first of a parameter, or `None`.
pub(super) fn get_input_dataset(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [job, name] = signature::bind(args, "get_input_dataset", ["job", "param_name"], 2)?;
    let datasets = input_datasets(vm, &job.unwrap_or(Value::None), &name.unwrap_or(Value::None))?;
    Ok(datasets.into_iter().next().unwrap_or(Value::None))
}

/// `get_input_size(job, param_name=None, estimate_uncompressed_size=True, compression_factor=3.4)`: GiB.
pub(super) fn get_input_size(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let names = ["job", "param_name", "estimate_uncompressed_size", "compression_factor"];
    let [job, name, estimate, factor] = signature::bind(args, "get_input_size", names, 1)?;
    let estimate = estimate.unwrap_or(Value::Bool(true));
    let factor = factor.unwrap_or(Value::Float(DEFAULT_COMPRESSION_FACTOR));
    let mut total = Value::Float(0.0);
    for dataset in input_datasets(vm, &job.unwrap_or(Value::None), &name.unwrap_or(Value::None))? {
        let stored = vm.get_attr(&dataset, "dataset")?;
        if !vm.truthy(&stored)? {
            continue;
        }
        let mut multiplier = Value::Float(1.0);
        if vm.truthy(&estimate)? && is_compressed(vm, &dataset)? {
            multiplier = factor.clone();
        }
        let size = dataset_size(vm, &stored)?;
        let size = vm.binary(BinaryOp::Multiply, &size, &multiplier)?;
        total = vm.in_place(BinaryOp::Add, &total, &size)?;
    }
    vm.binary(BinaryOp::TrueDivide, &total, &Value::Float(GIB))
}

/// `(dataset.extension or "").endswith(COMPRESSED_EXTENSION_SUFFIXES)`
fn is_compressed(vm: &mut Vm, dataset: &Value) -> PyResult<bool> {
    let extension = vm.get_attr(dataset, "extension")?;
    if !vm.truthy(&extension)? {
        return Ok(false);
    }
    match &extension {
        Value::Str(text) => Ok(COMPRESSED_EXTENSION_SUFFIXES.iter().any(|suffix| text.ends_with(suffix))),
        other => {
            let suffixes = Value::tuple(COMPRESSED_EXTENSION_SUFFIXES.iter().map(|text| Value::str(*text)).collect());
            let found = vm.call_method(other, "endswith", Args::one(suffixes))?;
            vm.truthy(&found)
        }
    }
}

/// `get_dataset_attributes(datasets)`: object store and bytes by dataset id.
pub(super) fn get_dataset_attributes(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [datasets] = signature::bind(args, "get_dataset_attributes", ["datasets"], 1)?;
    let datasets = datasets.unwrap_or(Value::None);
    let result = Dict::new();
    if !vm.truthy(&datasets)? {
        return Ok(Value::dict(result));
    }
    for association in vm.collect(&datasets)? {
        let Some((_, stored)) = linked_datasets(vm, &association)? else { continue };
        let id = vm.get_attr(&stored, "id")?;
        let object_store_id = vm.get_attr(&stored, "object_store_id")?;
        let size = dataset_size(vm, &stored)?;
        let attributes = Dict::from_strs([("object_store_id", object_store_id), ("size", size)]);
        result.set(vm, id, Value::dict(attributes))?;
    }
    Ok(Value::dict(result))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers() {
        assert!(is_numbered("input", "input") && is_numbered("input12", "input") && is_numbered("a|b1\n", "a|b"));
        assert!(!is_numbered("input_1", "input") && !is_numbered("my_input", "input") && !is_numbered("in", "input"));
    }
}
