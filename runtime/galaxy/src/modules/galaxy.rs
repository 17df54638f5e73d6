//! `galaxy` and what of it rules use.

use super::model::{self, CLASSES};
use crate::errors::{JOB_MAPPING_CONFIGURATION_EXCEPTION, JOB_MAPPING_EXCEPTION, JOB_NOT_READY_EXCEPTION};
use crate::objects::RULE_HELPER;
use crate::version;
use tpv_python::exception::PyResult;
use tpv_python::module::ModuleDef;
use tpv_python::types::BuiltinType;
use tpv_python::value::{Builtin, Value};
use tpv_python::vm::Vm;

pub(super) fn none(_: &mut Vm, _: &str) -> PyResult<Option<Value>> {
    Ok(None)
}

fn class_of(classes: &[&'static BuiltinType], name: &str) -> Option<Value> {
    classes.iter().find(|class| class.name == name).map(|class| Value::Type(class))
}

fn function_of(functions: &'static [Builtin], name: &str) -> Option<Value> {
    functions.iter().find(|function| function.name == name).map(Value::Builtin)
}

/// `galaxy`
pub static GALAXY: ModuleDef = ModuleDef { name: "galaxy", get: none, names: &[] };
/// `galaxy.jobs`
pub static JOBS: ModuleDef = ModuleDef { name: "galaxy.jobs", get: none, names: &[] };
/// `galaxy.tool_util`
pub static TOOL_UTIL: ModuleDef = ModuleDef { name: "galaxy.tool_util", get: none, names: &[] };

/// `galaxy.jobs.mapper`
pub static JOBS_MAPPER: ModuleDef = ModuleDef {
    name: "galaxy.jobs.mapper",
    get: |_, name| {
        let classes = [&JOB_MAPPING_EXCEPTION, &JOB_NOT_READY_EXCEPTION, &JOB_MAPPING_CONFIGURATION_EXCEPTION];
        Ok(class_of(&classes, name))
    },
    names: &["JobMappingConfigurationException", "JobMappingException", "JobNotReadyException"],
};

/// `galaxy.jobs.rule_helper`
pub static JOBS_RULE_HELPER: ModuleDef = ModuleDef {
    name: "galaxy.jobs.rule_helper",
    get: |_, name| Ok(class_of(&[&RULE_HELPER], name)),
    names: &["RuleHelper"],
};

/// `galaxy.model`
pub static MODEL: ModuleDef =
    ModuleDef { name: "galaxy.model", get: |_, name| Ok(class_of(CLASSES, name)), names: model::NAMES };

/// `galaxy.tool_util.version`
pub static TOOL_UTIL_VERSION: ModuleDef = ModuleDef {
    name: "galaxy.tool_util.version",
    get: |_, name| {
        Ok(match name {
            "InvalidVersion" | "LegacyVersion" | "Version" => {
                class_of(&[&version::INVALID_VERSION, &version::LEGACY_VERSION, &version::VERSION], name)
            }
            _ => function_of(VERSION_FUNCTIONS, name),
        })
    },
    names: &["InvalidVersion", "LegacyVersion", "Version", "parse_version"],
};

static VERSION_FUNCTIONS: &[Builtin] =
    &[Builtin::new("galaxy.tool_util.version", "parse_version", version::parse_version)];
