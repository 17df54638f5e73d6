//! TPV's helpers (`tpv.core.helpers`), which every rule sees as `helpers`.
//!
//! They take what code gives them and ask it for attributes as Python would, so that any object of the right shape will
//! do; where it is the job file's own and unchanged, the answer comes straight from the record.

mod datasets;
mod draws;
mod jobs;
mod tags;
mod versions;

pub use datasets::input_size_of;

use super::modules::galaxy as galaxy_modules;
use super::{standard, version};
use crate::python::exception::PyResult;
use crate::python::module::ModuleDef;
use crate::python::value::{Builtin, Value};
use crate::python::vm::Vm;

/// `tpv.core.helpers`
pub static MODULE: ModuleDef = ModuleDef { name: "tpv.core.helpers", get, names: NAMES };

/// The functions, by name.
static FUNCTIONS: &[Builtin] = &[
    Builtin { name: "get_dataset_size", call: datasets::get_dataset_size },
    Builtin { name: "sum_total", call: datasets::sum_total },
    Builtin { name: "calculate_dataset_total", call: datasets::calculate_dataset_total },
    Builtin { name: "input_size", call: datasets::input_size },
    Builtin { name: "get_input_datasets", call: datasets::get_input_datasets },
    Builtin { name: "get_input_dataset", call: datasets::get_input_dataset },
    Builtin { name: "get_input_size", call: datasets::get_input_size },
    Builtin { name: "get_dataset_attributes", call: datasets::get_dataset_attributes },
    Builtin { name: "_weighted_draw", call: draws::weighted_draw },
    Builtin { name: "weighted_random_sampling", call: draws::weighted_random_sampling },
    Builtin { name: "weighted_choice", call: draws::weighted_choice },
    Builtin { name: "job_args_match", call: jobs::job_args_match },
    Builtin { name: "concurrent_job_count_for_tool", call: jobs::concurrent_job_count_for_tool },
    Builtin { name: "tag_values_match", call: tags::tag_values_match },
    Builtin { name: "tool_version_eq", call: versions::tool_version_eq },
    Builtin { name: "tool_version_lte", call: versions::tool_version_lte },
    Builtin { name: "tool_version_lt", call: versions::tool_version_lt },
    Builtin { name: "tool_version_gte", call: versions::tool_version_gte },
    Builtin { name: "tool_version_gt", call: versions::tool_version_gt },
    Builtin { name: "get_tool_resource_field", call: jobs::get_tool_resource_field },
    Builtin { name: "extract_resource_requirements_from_tool", call: jobs::extract_resource_requirements },
    Builtin { name: "parse_version", call: version::parse_version },
];

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
    "operator",
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

/// `GIGABYTES`: bytes of a GiB.
const GIGABYTES: f64 = 1024.0 * 1024.0 * 1024.0;

/// `COMPRESSED_EXTENSION_SUFFIXES`: how the extension of a compressed dataset ends.
const COMPRESSED_EXTENSION_SUFFIXES: [&str; 2] = [".gz", ".bz2"];

/// `DEFAULT_COMPRESSION_FACTOR`: how much larger a dataset is taken to be uncompressed.
const DEFAULT_COMPRESSION_FACTOR: f64 = 3.4;

fn get(vm: &mut Vm, name: &str) -> PyResult<Option<Value>> {
    if let Some(function) = FUNCTIONS.iter().find(|function| function.name == name) {
        return Ok(Some(Value::Builtin(function)));
    }
    Ok(match name {
        "GIGABYTES" => Some(Value::Float(GIGABYTES)),
        "DEFAULT_COMPRESSION_FACTOR" => Some(Value::Float(DEFAULT_COMPRESSION_FACTOR)),
        "COMPRESSED_EXTENSION_SUFFIXES" => {
            Some(Value::tuple(COMPRESSED_EXTENSION_SUFFIXES.iter().map(|suffix| Value::str(*suffix)).collect()))
        }
        "random" | "re" | "operator" | "logging" => standard::module(name).map(Value::Module),
        "reduce" => Some(standard::get(vm, "functools", "reduce")?),
        "model" => Some(Value::Module(&galaxy_modules::MODEL)),
        "Dataset" | "HistoryDatasetAssociation" | "Job" | "JobToInputDatasetAssociation" => {
            (galaxy_modules::MODEL.get)(vm, name)?
        }
        "GalaxyUser" => (galaxy_modules::MODEL.get)(vm, "User")?,
        _ => None,
    })
}
