//! `os`: paths, and the environment's variables.

use super::os_path;
use super::signature::Signature;
use crate::args::Args;
use crate::exception::{PyResult, key_error, type_error};
use crate::object::Object;
use crate::string::Str;
use crate::types::{BuiltinType, OBJECT};
use crate::value::{Method, Value};
use crate::vm::Vm;

module! {
    /// `os`
    MODULE = "os";
    functions {
        "getenv" => |vm, args| get(vm, args, "getenv"),
    }
    values(_vm) {
        "environ" => Value::object(Environ),
        "linesep" => Value::str("\n"),
        "name" => Value::str("posix"),
        "path" => Value::Module(&os_path::MODULE),
        "sep" => Value::str("/"),
    }
}

static ENVIRON: BuiltinType = BuiltinType {
    methods: &[Method { name: "get", call: |vm, _, args| get(vm, args, "get") }],
    ..BuiltinType::new("_Environ", "os", &OBJECT)
};

/// `os.environ`: what the world tells of the environment's variables.
///
/// DIFFERENCE: it cannot be changed or listed; the world answers for single names.
struct Environ;

fn get(vm: &mut Vm, args: Args, function: &'static str) -> PyResult<Value> {
    let [key, default] = Signature::function(function, ["key", "default"], 1).bind(args)?;
    let key = key.unwrap_or_default();
    Ok(variable(vm, &key)?.or(default).unwrap_or_default())
}

fn variable(vm: &mut Vm, key: &Value) -> PyResult<Option<Value>> {
    match key {
        Value::Str(name) => Ok(vm.environment.environment_variable(name).map(|text| Value::Str(Str::from(text)))),
        other => Err(type_error(format!("str expected, not {}", other.type_name().as_str()))),
    }
}

impl Object for Environ {
    fn class(&self) -> &'static BuiltinType {
        &ENVIRON
    }

    fn get_item(&self, vm: &mut Vm, key: &Value) -> PyResult<Value> {
        variable(vm, key)?.ok_or_else(|| key_error(key.clone()))
    }

    fn contains(&self, vm: &mut Vm, item: &Value) -> Option<PyResult<bool>> {
        Some(variable(vm, item).map(|found| found.is_some()))
    }
}
