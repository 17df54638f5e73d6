//! `os`: paths, and the environment's variables.

use super::pathlib::path_text;
use super::random::entropy;
use super::{class, os_path};
use crate::python::args::Args;
use crate::python::exception::{OS_ERROR, PyResult, key_error, type_error, value_error};
use crate::python::object::Object;
use crate::python::string::Str;
use crate::python::types::{BuiltinType, OBJECT};
use crate::python::value::{Method, Value};
use crate::python::vm::Vm;

module! {
    /// `os`
    MODULE = "os";
    functions {
        "fspath" => |_, args| {
            let [path] = args.exactly("fspath")?;
            match path {
                Value::Str(_) | Value::Bytes(_) => Ok(path),
                other => match path_text(&other) {
                    Some(path) => Ok(Value::Str(path)),
                    None => Err(type_error(format!(
                        "expected str, bytes or os.PathLike object, not {}",
                        other.class().name().as_str()
                    ))),
                },
            }
        },
        "getcwd" => |vm, args| {
            let [] = args.exactly("posix.getcwd")?;
            Ok(Value::str(os_path::current_directory(vm)))
        },
        "getenv" => |vm, args| get(vm, args, "getenv"),
        "urandom" => |vm, args| {
            let [size] = args.exactly("posix.urandom")?;
            let size = crate::python::builtins::convert::index_i64(vm, &size)?;
            let size = usize::try_from(size).map_err(|_| value_error("negative argument not allowed"))?;
            entropy::bytes(vm, size).map(Value::bytes)
        },
    }
    values(_vm) {
        "altsep" => Value::None,
        "curdir" => Value::str("."),
        "environ" => Value::object(Environ),
        "devnull" => Value::str("/dev/null"),
        "error" => class(&OS_ERROR),
        "extsep" => Value::str("."),
        "linesep" => Value::str("\n"),
        "name" => Value::str("posix"),
        "pardir" => Value::str(".."),
        "path" => Value::Module(&os_path::MODULE),
        "pathsep" => Value::str(":"),
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
    let [key, default] = super::signature::Signature::function(function, ["key", "default"], 1).bind(args)?;
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
