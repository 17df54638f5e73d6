//! `galaxy` and what of it rules use.

use super::model::CLASSES;
use crate::galaxy::errors::{JOB_MAPPING_CONFIGURATION_EXCEPTION, JOB_MAPPING_EXCEPTION, JOB_NOT_READY_EXCEPTION};
use crate::galaxy::signature;
use crate::galaxy::version;
use crate::python::args::Args;
use crate::python::exception::{PyResult, value_error};
use crate::python::module::ModuleDef;
use crate::python::types::{BuiltinType, Type};
use crate::python::unicode;
use crate::python::value::{Builtin, Value};
use crate::python::vm::Vm;

pub(super) fn none(_: &mut Vm, _: &str) -> PyResult<Option<Value>> {
    Ok(None)
}

fn class_of(classes: &[&'static BuiltinType], name: &str) -> Option<Value> {
    classes.iter().find(|class| class.name == name).map(|class| Value::Type(Type::Builtin(class)))
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

/// `galaxy.app`: its class serves annotations only.
pub static APP: ModuleDef = ModuleDef {
    name: "galaxy.app",
    get: |_, name| Ok(class_of(&[&UNIVERSE_APPLICATION], name)),
    names: &["UniverseApplication"],
};

/// `galaxy.tools`: its class serves annotations only.
pub static TOOLS: ModuleDef =
    ModuleDef { name: "galaxy.tools", get: |_, name| Ok(class_of(&[&TOOL], name)), names: &["Tool"] };

static UNIVERSE_APPLICATION: BuiltinType = BuiltinType {
    name: "UniverseApplication",
    module: "galaxy.app",
    base: Some(&crate::python::types::OBJECT),
    construct: None,
    methods: &[],
    statics: &[],
};

static TOOL: BuiltinType = BuiltinType {
    name: "Tool",
    module: "galaxy.tools",
    base: Some(&crate::python::types::OBJECT),
    construct: None,
    methods: &[],
    statics: &[],
};

/// `galaxy.jobs.mapper`
pub static JOBS_MAPPER: ModuleDef = ModuleDef {
    name: "galaxy.jobs.mapper",
    get: |_, name| {
        let classes = [&JOB_MAPPING_EXCEPTION, &JOB_NOT_READY_EXCEPTION, &JOB_MAPPING_CONFIGURATION_EXCEPTION];
        Ok(class_of(&classes, name))
    },
    names: &["JobMappingConfigurationException", "JobMappingException", "JobNotReadyException"],
};

/// `galaxy.model`
pub static MODEL: ModuleDef = ModuleDef {
    name: "galaxy.model",
    get: |_, name| Ok(class_of(CLASSES, name)),
    names: &[
        "Dataset",
        "History",
        "HistoryDatasetAssociation",
        "HistoryDatasetCollectionAssociation",
        "Job",
        "JobParameter",
        "JobToInputDatasetAssociation",
        "Role",
        "User",
    ],
};

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
    names: &["InvalidVersion", "LegacyVersion", "Version", "parse_tool_version", "parse_version"],
};

static VERSION_FUNCTIONS: &[Builtin] = &[
    Builtin { name: "parse_tool_version", call: version::parse_tool_version },
    Builtin { name: "parse_version", call: version::parse_version },
];

/// `galaxy.util`
pub static UTIL: ModuleDef = ModuleDef {
    name: "galaxy.util",
    get: |_, name| Ok(function_of(UTIL_FUNCTIONS, name)),
    names: &["asbool", "listify", "string_as_bool", "string_as_bool_or_none"],
};

static UTIL_FUNCTIONS: &[Builtin] = &[
    Builtin { name: "asbool", call: asbool },
    Builtin { name: "listify", call: listify },
    Builtin { name: "string_as_bool", call: string_as_bool },
    Builtin { name: "string_as_bool_or_none", call: string_as_bool_or_none },
];

const TRUE_WORDS: [&str; 6] = ["true", "yes", "on", "1", "t", "y"];
const FALSE_WORDS: [&str; 6] = ["false", "no", "off", "0", "f", "n"];

/// `asbool(obj)`: the truth that a word names, or that any other value has.
fn asbool(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [object] = signature::bind(args, "asbool", ["obj"], 1)?;
    let object = object.unwrap_or(Value::None);
    let Value::Str(text) = &object else { return vm.truthy(&object).map(Value::Bool) };
    let word = text.trim_matches(unicode::is_space).to_lowercase();
    if TRUE_WORDS.contains(&word.as_str()) {
        Ok(Value::Bool(true))
    } else if FALSE_WORDS.contains(&word.as_str()) {
        Ok(Value::Bool(false))
    } else {
        Err(value_error(format!("String is not true/false: {}", vm.repr(&Value::str(word))?)))
    }
}

/// `string_as_bool(string)`
fn string_as_bool(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [string] = signature::bind(args, "string_as_bool", ["string"], 1)?;
    let word = vm.str(&string.unwrap_or(Value::None))?.to_lowercase();
    Ok(Value::Bool(["true", "yes", "on", "1"].contains(&word.as_str())))
}

/// `string_as_bool_or_none(string)`
fn string_as_bool_or_none(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [string] = signature::bind(args, "string_as_bool_or_none", ["string"], 1)?;
    let word = vm.str(&string.unwrap_or(Value::None))?.to_lowercase();
    Ok(match word.as_str() {
        "none" | "null" => Value::None,
        word => Value::Bool(["true", "yes", "on"].contains(&word)),
    })
}

/// `listify(item, do_strip=False)`: a list of one item, of the parts of a text with commas, or of nothing.
fn listify(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [item, strip] = signature::bind(args, "listify", ["item", "do_strip"], 1)?;
    let item = item.unwrap_or(Value::None);
    if !vm.truthy(&item)? {
        return Ok(Value::list(Vec::new()));
    }
    let strip = vm.truthy(&strip.unwrap_or(Value::Bool(false)))?;
    Ok(match &item {
        Value::List(_) => item,
        Value::Tuple(tuple) => Value::list(tuple.items.clone()),
        Value::Str(text) if text.contains(',') => {
            vm.charge_bytes(text.len())?;
            let part = |part: &str| Value::str(if strip { part.trim_matches(unicode::is_space) } else { part });
            Value::list(text.split(',').map(part).collect())
        }
        _ => Value::list(vec![item]),
    })
}
