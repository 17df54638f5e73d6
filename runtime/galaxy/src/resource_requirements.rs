//! A tool's own requests: Galaxy's resource requirements, and the fields that TPV derives from them.
//!
//! The rules are those of `galaxy.tool_util.deps.requirements.ResourceRequirement` and of
//! `tpv.core.resource_requirements`: a value that reads as a number is a float; any other is an expression, which TPV
//! skips; RAM comes in MiB and leaves in GiB.

use crate::json::Json;
use tpv_literal::parse;
use tpv_model::{Resource, Version};
use tpv_python::number::convert;

/// The resource types that Galaxy knows.
pub const RESOURCE_TYPES: [&str; 13] = [
    "cores_min",
    "cores_max",
    "ram_min",
    "ram_max",
    "tmpdir_min",
    "tmpdir_max",
    "cuda_version_min",
    "cuda_compute_capability",
    "gpu_memory_min",
    "cuda_device_count_min",
    "cuda_device_count_max",
    "shm_size",
    "timelimit",
];

/// Galaxy gives RAM in MiB, TPV's `mem` is in GiB.
const MEBIBYTES_PER_GIB: f64 = 1024.0;

/// One resource that a tool asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct Requirement {
    resource_type: &'static str,
    value: Json,
    /// The value as a number; `None` for an expression.
    number: Option<f64>,
}

impl Requirement {
    /// A requirement with a number or text.
    ///
    /// # Errors
    /// Says what is wrong where Galaxy's constructor would raise: a type it does not know, or an int outside the range of
    /// floats.
    pub fn new(resource_type: &str, value: Json) -> Result<Self, &'static str> {
        let known = RESOURCE_TYPES.iter().find(|known| **known == resource_type);
        let resource_type = known.ok_or("Galaxy has no such resource type")?;
        let number = match &value {
            #[expect(clippy::cast_precision_loss, reason = "Python's float(int) rounds the same way")]
            Json::Int(value) => Some(*value as f64),
            Json::BigInt(value) => Some(convert::big_to_float(value).map_err(|_| "too large")?),
            Json::Float(value) => Some(*value),
            Json::Str(text) => parse::float(text),
            _ => return Err("must be a number or a string"),
        };
        Ok(Self { resource_type, value, number })
    }

    /// Galaxy's name of the resource.
    pub fn resource_type(&self) -> &'static str {
        self.resource_type
    }

    /// The value as it was given.
    pub fn value(&self) -> &Json {
        &self.value
    }

    /// The value as a number; `None` for an expression, which nobody evaluates.
    pub fn number(&self) -> Option<f64> {
        self.number
    }
}

/// The field of a TPV entity that a resource type sets, and what its value is divided by.
pub fn field(resource_type: &str, version: Version) -> Option<(&'static str, Option<f64>)> {
    let to_gib = version.converts_ram().then_some(MEBIBYTES_PER_GIB);
    Some(match resource_type {
        "cores_min" => (Resource::Cores.name(), None),
        "cores_max" => (Resource::MaxCores.name(), None),
        "ram_min" => (Resource::Mem.name(), to_gib),
        "ram_max" => (Resource::MaxMem.name(), to_gib),
        "cuda_device_count_min" => (Resource::Gpus.name(), None),
        "cuda_device_count_max" => (Resource::MaxGpus.name(), None),
        _ => return None,
    })
}

/// TPV's `extract_resource_requirements_from_tool`: the fields that the requirements set, in their order.
pub fn extract(requirements: &[Requirement], version: Version) -> impl Iterator<Item = (&'static str, f64)> {
    requirements.iter().filter_map(move |requirement| {
        let (field, divisor) = field(requirement.resource_type, version)?;
        let number = requirement.number?;
        Some((field, divisor.map_or(number, |divisor| number / divisor)))
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn fields_come_in_order_and_in_gib() {
        let given = [
            ("ram_min", Json::Int(1536)),
            ("cores_min", Json::str(" 2 ")),
            ("cores_max", Json::str("$(inputs.n)")),
            ("tmpdir_min", Json::Int(5)),
            ("cuda_device_count_min", Json::Float(1.5)),
            ("ram_max", Json::str("1e3")),
        ];
        let requirements: Vec<Requirement> =
            given.into_iter().map(|(name, value)| Requirement::new(name, value).unwrap()).collect();
        let fields: Vec<_> = extract(&requirements, Version::V3_3).collect();
        assert_eq!(fields, [("mem", 1.5), ("cores", 2.0), ("gpus", 1.5), ("max_mem", 0.9765625)]);
    }

    #[test]
    fn what_galaxy_refuses_is_refused() {
        assert!(Requirement::new("cores", Json::Int(1)).is_err());
        assert!(Requirement::new("cores_min", Json::Null).is_err());
    }
}
