//! TPV's helpers (`tpv.core.helpers`), which every rule sees as `helpers`. The mapper adds the one that asks an entity for its tags.
//!
//! They take what code gives them and ask it for attributes as Python would, so that any object of the right shape will
//! do; where it is the job file's own and unchanged, the answer comes straight from the record.

mod datasets;
mod draws;
mod jobs;
mod versions;

pub use datasets::{input_size_of, recorded_input_size};
pub use jobs::resource_fields;

use super::modules::galaxy as galaxy_modules;
use super::{standard, version};
use tpv_python::exception::PyResult;
use tpv_python::value::{Builtin, Value};
use tpv_python::vm::{CompareOp, Vm};

/// The functions, by name.
static FUNCTIONS: &[Builtin] = &[
    Builtin::pure("tpv.core.helpers", "get_dataset_size", datasets::get_dataset_size),
    Builtin::pure("tpv.core.helpers", "sum_total", datasets::sum_total),
    Builtin::pure("tpv.core.helpers", "calculate_dataset_total", datasets::calculate_dataset_total),
    Builtin::pure("tpv.core.helpers", "input_size", datasets::input_size),
    Builtin::pure("tpv.core.helpers", "get_input_datasets", datasets::get_input_datasets),
    Builtin::pure("tpv.core.helpers", "get_input_dataset", datasets::get_input_dataset),
    Builtin::pure("tpv.core.helpers", "get_input_size", datasets::get_input_size),
    Builtin::pure("tpv.core.helpers", "get_dataset_attributes", datasets::get_dataset_attributes),
    Builtin::new("tpv.core.helpers", "_weighted_draw", draws::weighted_draw),
    Builtin::new("tpv.core.helpers", "weighted_random_sampling", draws::weighted_random_sampling),
    Builtin::new("tpv.core.helpers", "weighted_choice", draws::weighted_choice),
    Builtin::pure("tpv.core.helpers", "job_args_match", jobs::job_args_match),
    Builtin::pure("tpv.core.helpers", "concurrent_job_count_for_tool", jobs::concurrent_job_count_for_tool),
    Builtin::pure("tpv.core.helpers", "tool_version_eq", |vm, args| {
        versions::compare(vm, args, "tool_version_eq", CompareOp::Eq)
    }),
    Builtin::pure("tpv.core.helpers", "tool_version_lte", |vm, args| {
        versions::compare(vm, args, "tool_version_lte", CompareOp::Le)
    }),
    Builtin::pure("tpv.core.helpers", "tool_version_lt", |vm, args| {
        versions::compare(vm, args, "tool_version_lt", CompareOp::Lt)
    }),
    Builtin::pure("tpv.core.helpers", "tool_version_gte", |vm, args| {
        versions::compare(vm, args, "tool_version_gte", CompareOp::Ge)
    }),
    Builtin::pure("tpv.core.helpers", "tool_version_gt", |vm, args| {
        versions::compare(vm, args, "tool_version_gt", CompareOp::Gt)
    }),
    Builtin::pure("tpv.core.helpers", "get_tool_resource_field", jobs::get_tool_resource_field),
    Builtin::pure("tpv.core.helpers", "extract_resource_requirements_from_tool", jobs::extract_resource_requirements),
    Builtin::pure("tpv.core.helpers", "parse_version", version::parse_version),
];

/// Returns `true` if there is a helper of this name that only looks at its arguments.
pub fn is_pure(name: &str) -> bool {
    FUNCTIONS.iter().any(|function| function.pure && function.name == name)
}

/// The public names.
pub static NAMES: &[&str] = &[
    "COMPRESSED_EXTENSION_SUFFIXES",
    "DEFAULT_COMPRESSION_FACTOR",
    "GIGABYTES",
    "Dataset",
    "HistoryDatasetAssociation",
    "Job",
    "JobToInputDatasetAssociation",
    "calculate_dataset_total",
    "concurrent_job_count_for_tool",
    "extract_resource_requirements_from_tool",
    "get_dataset_attributes",
    "get_dataset_size",
    "get_input_dataset",
    "get_input_datasets",
    "get_input_size",
    "get_tool_resource_field",
    "input_size",
    "job_args_match",
    "logging",
    "model",
    "parse_version",
    "random",
    "re",
    "reduce",
    "sum_total",
    "tag_values_match",
    "tool_version_eq",
    "tool_version_gt",
    "tool_version_gte",
    "tool_version_lt",
    "tool_version_lte",
    "weighted_choice",
    "weighted_random_sampling",
];

/// The bytes of a GiB: `GIGABYTES`.
pub const GIB: f64 = 1024.0 * 1024.0 * 1024.0;

/// `COMPRESSED_EXTENSION_SUFFIXES`: how the extension of a compressed dataset ends.
const COMPRESSED_EXTENSION_SUFFIXES: [&str; 2] = [".gz", ".bz2"];

/// `DEFAULT_COMPRESSION_FACTOR`: how much larger a dataset is taken to be uncompressed.
const DEFAULT_COMPRESSION_FACTOR: f64 = 3.4;

/// The value of a name of the module.
///
/// # Errors
/// Exceptions raised while the value is created.
pub fn get(vm: &mut Vm, name: &str) -> PyResult<Option<Value>> {
    if let Some(function) = FUNCTIONS.iter().find(|function| function.name == name) {
        return Ok(Some(Value::Builtin(function)));
    }
    Ok(match name {
        "GIGABYTES" => Some(Value::Float(GIB)),
        "DEFAULT_COMPRESSION_FACTOR" => Some(Value::Float(DEFAULT_COMPRESSION_FACTOR)),
        "COMPRESSED_EXTENSION_SUFFIXES" => {
            Some(Value::tuple(COMPRESSED_EXTENSION_SUFFIXES.iter().map(|suffix| Value::str(*suffix)).collect()))
        }
        "random" | "re" | "logging" => standard::module(name).map(Value::Module),
        "reduce" => Some(standard::get(vm, "functools", "reduce")?),
        "model" => Some(Value::Module(&galaxy_modules::MODEL)),
        "Dataset" | "HistoryDatasetAssociation" | "Job" | "JobToInputDatasetAssociation" => {
            (galaxy_modules::MODEL.get)(vm, name)?
        }
        "GalaxyUser" => (galaxy_modules::MODEL.get)(vm, "User")?,
        _ => None,
    })
}
