//! `tpv`: the package, and what of it is neither helpers nor entities.

use super::galaxy::none;
use crate::resource_requirements::RESOURCE_TYPES;
use tpv_python::exception::PyResult;
use tpv_python::module::ModuleDef;
use tpv_python::value::Value;
use tpv_python::vm::Vm;

/// `tpv`
pub static TPV: ModuleDef = ModuleDef { name: "tpv", get: none, names: &[] };
/// `tpv.core`
pub static CORE: ModuleDef = ModuleDef { name: "tpv.core", get: none, names: &[] };

/// `tpv.core.resource_requirements`
pub static RESOURCE_REQUIREMENTS: ModuleDef = ModuleDef {
    name: "tpv.core.resource_requirements",
    get: resource_requirements,
    names: &["MEBIBYTES_PER_GIB", "VALID_RESOURCE_TYPES", "extract_resource_requirements_from_tool"],
};

fn resource_requirements(vm: &mut Vm, name: &str) -> PyResult<Option<Value>> {
    Ok(match name {
        "extract_resource_requirements_from_tool" => crate::helpers::get(vm, name)?,
        "MEBIBYTES_PER_GIB" => Some(Value::Int(1024)),
        // TPV's list is Galaxy's of an earlier version, which had no time limit.
        "VALID_RESOURCE_TYPES" => {
            let types = RESOURCE_TYPES.iter().filter(|name| **name != "timelimit");
            Some(Value::tuple(types.map(|name| Value::str(*name)).collect()))
        }
        _ => None,
    })
}
