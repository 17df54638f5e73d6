//! `pathlib`, as on Linux: paths as objects. Files are those that the world lists.

use std::cmp::Ordering;

use super::os_path;
use crate::args::Args;
use crate::builtins::text::missing_file;
use crate::exception::{PyResult, attribute_error};
use crate::hash::{COMPARED_A_STEP, compared, hash_str};
use crate::object::Object;
use crate::string::Str;
use crate::types::{BuiltinType, OBJECT};
use crate::value::{Method, Value};
use crate::vm::{BYTES_A_STEP, CompareOp, Vm};
use tpv_literal::quoted::str_repr;

module! {
    /// `pathlib`
    MODULE = "pathlib";
    functions {}
    values(_vm) {
        "Path" => Value::Type(&PATH),
        "PosixPath" => Value::Type(&POSIX_PATH),
    }
}

static PATH: BuiltinType = BuiltinType {
    construct: Some(|vm, args| below(vm, "", &args)),
    methods: &[
        Method { name: "as_posix", call: |_, this, _| Ok(Value::Str(text_of(this))) },
        Method { name: "exists", call: exists },
        Method { name: "is_absolute", call: |_, this, _| Ok(Value::Bool(text_of(this).starts_with('/'))) },
        // DIFFERENCE: the world lists files only, so nothing is a directory.
        Method { name: "is_dir", call: |_, _, _| Ok(Value::Bool(false)) },
        Method { name: "is_file", call: exists },
        Method { name: "joinpath", call: |vm, this, args| below(vm, &text_of(this), &args) },
        Method { name: "stat", call: stat },
    ],
    ..BuiltinType::new("Path", "pathlib", &OBJECT)
};
/// The class of paths.
static POSIX_PATH: BuiltinType =
    BuiltinType { construct: Some(|vm, args| below(vm, "", &args)), ..BuiltinType::new("PosixPath", "pathlib", &PATH) };
static STAT_RESULT: BuiltinType = BuiltinType::new("stat_result", "os", &OBJECT);

/// A path: its text without what means nothing.
struct PathObject(Str);

/// The text of a path object; `None` for any other value.
pub fn path_text(value: &Value) -> Option<Str> {
    value.downcast::<PathObject>().map(|path| path.0.clone())
}

fn text_of(this: &Value) -> Str {
    path_text(this).unwrap_or_else(|| Str::from("."))
}

/// The path of a text: without empty parts and dots; of several slashes at the start one, but two stay.
fn value(vm: &mut Vm, text: &str) -> PyResult<Value> {
    let (root, parts) = split(vm, text)?;
    let joined = format!("{root}{}", parts.join("/"));
    Ok(Value::object(PathObject(if joined.is_empty() { Str::from(".") } else { Str::from(joined) })))
}

/// Root and parts. All that paths do begins with it, or is quicker: here they pay by their length.
fn split<'a>(vm: &mut Vm, text: &'a str) -> PyResult<(&'static str, Vec<&'a str>)> {
    vm.visit(text.len(), os_path::PATH_A_STEP)?;
    let root = match text.len() - text.trim_start_matches('/').len() {
        0 => "",
        2 => "//",
        _ => "/",
    };
    Ok((root, text.split('/').filter(|part| !part.is_empty() && *part != ".").collect()))
}

/// All parts, the root among them.
fn all_parts<'a>(vm: &mut Vm, text: &'a str) -> PyResult<Vec<&'a str>> {
    let (root, mut parts) = split(vm, text)?;
    if !root.is_empty() {
        parts.insert(0, root);
    }
    Ok(parts)
}

/// The path of a text and arguments joined: an absolute one drops what is before it.
fn below(vm: &mut Vm, first: &str, args: &Args) -> PyResult<Value> {
    let mut path = first.to_owned();
    for arg in &args.pos {
        let Some(part) = arg.as_str().cloned().or_else(|| path_text(arg)) else {
            return Err(os_path::not_a_path(arg));
        };
        vm.charge_bytes(path.len().saturating_add(part.len()))?;
        path = os_path::join(&path, &part);
    }
    value(vm, &path)
}

/// The last part. Empty if there is only a root.
fn name<'a>(vm: &mut Vm, text: &'a str) -> PyResult<&'a str> {
    Ok(split(vm, text)?.1.last().copied().unwrap_or_default())
}

/// The position at which a name's suffix begins; a dot at its start or end begins none.
fn suffix_start(name: &str) -> usize {
    name.rfind('.').filter(|dot| 0 < *dot && dot + 1 < name.len()).unwrap_or(name.len())
}

fn parent(vm: &mut Vm, text: &str) -> PyResult<String> {
    let (root, mut parts) = split(vm, text)?;
    parts.pop();
    let joined = format!("{root}{}", parts.join("/"));
    Ok(if joined.is_empty() { ".".to_owned() } else { joined })
}

fn shown(this: &Value) -> String {
    format!("PosixPath({})", str_repr(&text_of(this)))
}

fn exists(vm: &mut Vm, this: &Value, _: Args) -> PyResult<Value> {
    Ok(Value::Bool(vm.environment.file_size(&text_of(this), false).is_some()))
}

/// `os.stat_result`, of which the world knows the size.
struct StatResult(u64);

impl Object for StatResult {
    fn class(&self) -> &'static BuiltinType {
        &STAT_RESULT
    }

    fn get_attr(&self, _: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        Ok((name == "st_size").then(|| Value::from_bigint(self.0.into())))
    }
}

fn stat(vm: &mut Vm, this: &Value, _: Args) -> PyResult<Value> {
    match vm.environment.file_size(&text_of(this), true) {
        Some(size) => Ok(Value::object(StatResult(size))),
        None => Err(missing_file(&Value::Str(text_of(this)))),
    }
}

/// The attributes that a path has by its text.
const ATTRIBUTES: [&str; 5] = ["name", "parent", "parts", "stem", "suffix"];

impl Object for PathObject {
    fn class(&self) -> &'static BuiltinType {
        &POSIX_PATH
    }

    fn get_attr(&self, vm: &mut Vm, _: &Value, attribute: &str) -> PyResult<Option<Value>> {
        let name = name(vm, &self.0)?;
        let text = |part: Option<&str>| Some(Value::str(part.unwrap_or_default()));
        Ok(match attribute {
            "name" => text(Some(name)),
            "suffix" => text(name.get(suffix_start(name)..)),
            "stem" => text(name.get(..suffix_start(name))),
            "parts" => Some(Value::tuple(all_parts(vm, &self.0)?.into_iter().map(Value::str).collect())),
            "parent" => {
                let parent = parent(vm, &self.0)?;
                Some(value(vm, &parent)?)
            }
            _ => None,
        })
    }

    fn set_attr(&self, _: &mut Vm, name: &Str, _: Value) -> PyResult<()> {
        Err(attribute_error(if ATTRIBUTES.contains(&name.as_str()) {
            format!("property '{}' of 'PosixPath' object has no setter", name.as_str())
        } else {
            format!("'PosixPath' object has no attribute '{}'", name.as_str())
        }))
    }

    fn binary(&self, vm: &mut Vm, method: &str, other: &Value) -> Option<PyResult<Value>> {
        let other = other.as_str().cloned().or_else(|| path_text(other))?;
        match method {
            "truediv" => Some(value(vm, &os_path::join(&self.0, &other))),
            "rtruediv" => Some(value(vm, &os_path::join(&other, &self.0))),
            _ => None,
        }
    }

    fn compare(&self, vm: &mut Vm, op: CompareOp, other: &Value) -> Option<PyResult<Value>> {
        let other = path_text(other)?;
        let mut order = || -> PyResult<Ordering> { Ok(all_parts(vm, &self.0)?.cmp(&all_parts(vm, &other)?)) };
        Some(order().map(|order| Value::Bool(op.holds(order))))
    }

    fn hash(&self, vm: &mut Vm) -> Option<PyResult<i64>> {
        Some(vm.visit(self.0.len(), BYTES_A_STEP).map(|()| hash_str(&self.0)))
    }

    fn equals_key(&self, other: &Value) -> bool {
        path_text(other)
            .is_some_and(|other| compared(self.0.len().min(other.len()), COMPARED_A_STEP) && other == self.0)
    }

    fn str(&self, _: &mut Vm, _: &Value) -> PyResult<String> {
        Ok(self.0.to_string())
    }

    fn repr(&self, vm: &mut Vm, this: &Value) -> PyResult<String> {
        vm.visit(self.0.len(), os_path::PATH_A_STEP)?;
        Ok(shown(this))
    }
}
