//! `os.path`, as on Linux (`posixpath`). Files are those that the world lists.

use super::signature::Signature;
use crate::args::Args;
use crate::builtins::text::missing_file;
use crate::exception::{PyResult, Raised, TYPE_ERROR, not_implemented_error, type_error};
use crate::string::Str;
use crate::value::Value;
use crate::vm::Vm;

module! {
    /// `os.path`
    MODULE = "os.path" written_in "posixpath";
    functions {
        "basename" => |vm, args| {
            let path = argument(vm, args, "basename", "p")?;
            Ok(Value::str(split(&path).1))
        },
        "dirname" => |vm, args| {
            let path = argument(vm, args, "dirname", "p")?;
            Ok(Value::str(split(&path).0))
        },
        "exists" => |vm, args| {
            let (_, size) = file(vm, args, "exists", "path")?;
            Ok(Value::Bool(size.is_some()))
        },
        "getsize" => |vm, args| match file(vm, args, "getsize", "filename")? {
            (_, Some(size)) => Ok(Value::from_bigint(size.into())),
            (path, None) => Err(missing_file(&path)),
        },
        "isabs" => |vm, args| {
            let path = argument(vm, args, "isabs", "s")?;
            Ok(Value::Bool(path.starts_with('/')))
        },
        // DIFFERENCE: the world lists files only, so nothing is a directory.
        "isdir" => |vm, args| file(vm, args, "isdir", "s").map(|_| Value::Bool(false)),
        "isfile" => |vm, args| {
            let (_, size) = file(vm, args, "isfile", "path")?;
            Ok(Value::Bool(size.is_some()))
        },
        "join" => join_all,
        "normpath" => |vm, args| {
            let path = argument(vm, args, "normpath", "path")?;
            Ok(Value::str(normalize(&path)))
        },
        "split" => |vm, args| {
            let path = argument(vm, args, "split", "p")?;
            let (head, tail) = split(&path);
            Ok(Value::tuple(vec![Value::str(head), Value::str(tail)]))
        },
        "splitext" => |vm, args| {
            let path = argument(vm, args, "splitext", "p")?;
            let (root, extension) = split_extension(&path);
            Ok(Value::tuple(vec![Value::str(root), Value::str(extension)]))
        },
    }
    values(_vm) {
        "sep" => Value::str("/"),
    }
}

/// The error of what is no path.
///
/// DIFFERENCE: paths are text; CPython takes bytes, too.
fn not_a_path(value: &Value) -> Raised {
    if matches!(value, Value::Bytes(_)) {
        return not_implemented_error("tpvc has paths and names of files as text only, not as bytes");
    }
    type_error(format!("expected str, bytes or os.PathLike object, not {}", value.class_name()))
}

/// The bytes of a path that are taken apart and put together in the time of a step.
const PATH_A_STEP: usize = 4;

/// The text of a path: `os.fspath`.
fn fspath(vm: &mut Vm, value: &Value) -> PyResult<Str> {
    let path = value.as_str().cloned().ok_or_else(|| not_a_path(value))?;
    vm.visit(path.len(), PATH_A_STEP)?;
    Ok(path)
}

/// The argument of a function that takes one path, by the name that CPython's parameter has.
fn argument(vm: &mut Vm, args: Args, function: &'static str, parameter: &'static str) -> PyResult<Str> {
    let [path] = Signature::function(function, [parameter], 1).bind(args)?.map(Option::unwrap_or_default);
    fspath(vm, &path)
}

/// Head and tail; the head keeps no slash at its end unless it is all slashes.
fn split(path: &str) -> (&str, &str) {
    let (head, tail) = match path.rfind('/') {
        Some(slash) => path.split_at_checked(slash + 1).unwrap_or((path, "")),
        None => ("", path),
    };
    let trimmed = head.trim_end_matches('/');
    (if trimmed.is_empty() { head } else { trimmed }, tail)
}

/// Root and extension; dots at the start of the name are part of the root.
fn split_extension(path: &str) -> (&str, &str) {
    let name_start = path.rfind('/').map_or(0, |slash| slash + 1);
    let name = path.get(name_start..).unwrap_or_default();
    let stem = name.trim_start_matches('.');
    match stem.rfind('.') {
        Some(dot) => {
            let at = name_start + (name.len() - stem.len()) + dot;
            path.split_at_checked(at).unwrap_or((path, ""))
        }
        None => (path, ""),
    }
}

/// `second` below `first`; an absolute one stands alone.
fn join(first: &str, second: &str) -> String {
    if second.starts_with('/') {
        second.to_owned()
    } else if first.is_empty() || first.ends_with('/') {
        format!("{first}{second}")
    } else {
        format!("{first}/{second}")
    }
}

/// `join(a, *p)`
fn join_all(vm: &mut Vm, args: Args) -> PyResult<Value> {
    args.no_keywords("join")?;
    let [first, rest @ ..] = args.pos.as_slice() else {
        return Err(type_error("join() missing 1 required positional argument: 'a'"));
    };
    let mut path = fspath(vm, first)?.to_string();
    for part in rest {
        match fspath(vm, part) {
            Ok(part) => {
                vm.charge_bytes(path.len() + part.len())?;
                path = join(&path, &part);
            }
            Err(raised) if !raised.is(&TYPE_ERROR) => return Err(raised),
            Err(_) => {
                return Err(type_error(format!(
                    "join() argument must be str, bytes, or os.PathLike object, not '{}'",
                    part.class_name()
                )));
            }
        }
    }
    Ok(Value::str(path))
}

/// `normpath(path)`
fn normalize(path: &str) -> String {
    // POSIX lets exactly two slashes at the start mean something else.
    let slashes = match path.len() - path.trim_start_matches('/').len() {
        0 => "",
        2 => "//",
        _ => "/",
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/').filter(|part| !part.is_empty() && *part != ".") {
        let parent_above = parts.last().is_none_or(|last| *last == "..");
        if part != ".." || (slashes.is_empty() && parent_above) {
            parts.push(part);
        } else {
            parts.pop();
        }
    }
    let joined = format!("{slashes}{}", parts.join("/"));
    if joined.is_empty() { ".".to_owned() } else { joined }
}

/// The argument of a function that asks for a file, and the size of the file in bytes where the world lists it.
fn file(vm: &mut Vm, args: Args, function: &'static str, parameter: &'static str) -> PyResult<(Value, Option<u64>)> {
    let [path] = Signature::function(function, [parameter], 1).bind(args)?.map(Option::unwrap_or_default);
    let Some(name) = path.as_str().cloned() else {
        return Err(type_error(format!(
            "stat: path should be string, bytes, os.PathLike or integer, not {}",
            path.type_name().as_str()
        )));
    };
    let size = vm.environment.file_size(&name, function == "getsize");
    Ok((path, size))
}
