//! `os.path`, as on Linux (`posixpath`). Files are those that the world lists.

use std::rc::Rc;

use super::pathlib::path_text;
use super::signature::Signature;
use crate::python::args::Args;
use crate::python::builtins::text::missing_file;
use crate::python::exception::{PyResult, Raised, TIMEOUT_ERROR, index_error, type_error, value_error};
use crate::python::methods::sort;
use crate::python::string::Str;
use crate::python::value::{Slice, Value};
use crate::python::vm::Vm;
use crate::python::vm::members::plain;

module! {
    /// `os.path`
    MODULE = "os.path";
    functions {
        "abspath" => |vm, args| {
            let (path, kind) = any_path(vm, args, "abspath")?;
            let joined = join(&current_directory(vm), &path);
            Ok(kind.value(&normalize(&joined)))
        },
        "basename" => |vm, args| {
            let (path, kind) = any_path(vm, args, "basename")?;
            Ok(kind.value(split(&path).1))
        },
        "commonpath" => common_path,
        "commonprefix" => common_prefix,
        "dirname" => |vm, args| {
            let (path, kind) = any_path(vm, args, "dirname")?;
            Ok(kind.value(split(&path).0))
        },
        "exists" => |vm, args| {
            let path = path_argument(vm, args, "exists")?;
            Ok(Value::Bool(vm.environment.file_size(&path).is_some()))
        },
        "expanduser" => |vm, args| {
            let (path, kind) = any_path(vm, args, "expanduser")?;
            let home = vm.environment.environment_variable("HOME");
            match (path.strip_prefix('~'), home) {
                (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => {
                    Ok(kind.value(&format!("{}{rest}", home.trim_end_matches('/'))))
                }
                _ => Ok(kind.value(&path)),
            }
        },
        "expandvars" => expand_variables,
        "getsize" => getsize,
        "isabs" => |vm, args| {
            let (path, _) = any_path(vm, args, "isabs")?;
            Ok(Value::Bool(path.starts_with('/')))
        },
        // DIFFERENCE: the world lists files only, so nothing is a directory.
        "isdir" => |vm, args| path_argument(vm, args, "isdir").map(|_| Value::Bool(false)),
        "isfile" => |vm, args| {
            let path = path_argument(vm, args, "isfile")?;
            Ok(Value::Bool(vm.environment.file_size(&path).is_some()))
        },
        "islink" => |vm, args| path_argument(vm, args, "islink").map(|_| Value::Bool(false)),
        "join" => join_all,
        "lexists" => |vm, args| {
            let path = path_argument(vm, args, "lexists")?;
            Ok(Value::Bool(vm.environment.file_size(&path).is_some()))
        },
        "normcase" => |vm, args| any_path(vm, args, "normcase").map(|(path, kind)| kind.value(&path)),
        "normpath" => |vm, args| {
            let (path, kind) = any_path(vm, args, "normpath")?;
            Ok(kind.value(&normalize(&path)))
        },
        "realpath" => |vm, args| {
            let path = path_argument(vm, args, "realpath")?;
            let joined = join(&current_directory(vm), &path);
            Ok(Value::str(normalize(&joined)))
        },
        "relpath" => relative_path,
        "split" => |vm, args| {
            let (path, kind) = any_path(vm, args, "split")?;
            let (head, tail) = split(&path);
            Ok(Value::tuple(vec![kind.value(head), kind.value(tail)]))
        },
        "splitdrive" => |vm, args| {
            let (path, kind) = any_path(vm, args, "splitdrive")?;
            Ok(Value::tuple(vec![kind.value(""), kind.value(&path)]))
        },
        "splitext" => |vm, args| {
            let (path, kind) = any_path(vm, args, "splitext")?;
            let (root, extension) = split_extension(&path);
            Ok(Value::tuple(vec![kind.value(root), kind.value(extension)]))
        },
    }
    values(_vm) {
        "sep" => Value::str("/"),
        "pathsep" => Value::str(":"),
        "extsep" => Value::str("."),
        "curdir" => Value::str("."),
        "pardir" => Value::str(".."),
    }
}

/// The error of what is no path.
pub fn not_a_path(value: &Value) -> Raised {
    type_error(format!("expected str, bytes or os.PathLike object, not {}", value.class().name().as_str()))
}

/// What a path is made of. Those of bytes are computed as text, of characters of the bytes' numbers.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Text,
    Bytes,
}

impl Kind {
    /// A path, or a part of one, as a value of its kind.
    fn value(self, text: &str) -> Value {
        match self {
            Self::Text => Value::str(text),
            Self::Bytes => Value::bytes(text.chars().filter_map(|c| u8::try_from(c).ok()).collect()),
        }
    }
}

const MIXED: &str = "Can't mix strings and bytes in path components";

/// The bytes of a path that are taken apart and put together in the time of a step.
pub(super) const PATH_A_STEP: usize = 4;

/// The text of a path and its kind: `os.fspath`.
fn fspath(vm: &mut Vm, value: &Value) -> PyResult<(Str, Kind)> {
    match &plain(value) {
        Value::Str(path) => {
            vm.charge(path.len() / PATH_A_STEP)?;
            Ok((path.clone(), Kind::Text))
        }
        Value::Bytes(path) => {
            vm.charge(path.len() / PATH_A_STEP)?;
            Ok((Str::from(path.iter().map(|byte| char::from(*byte)).collect::<String>()), Kind::Bytes))
        }
        other => path_text(other).map(|path| (path, Kind::Text)).ok_or_else(|| not_a_path(value)),
    }
}

/// The argument of a function that takes one path.
fn any_path(vm: &mut Vm, args: Args, function: &'static str) -> PyResult<(Str, Kind)> {
    let parameter = match function {
        "isabs" | "normcase" => "s",
        "abspath" | "expanduser" | "expandvars" | "normpath" => "path",
        _ => "p",
    };
    let [path] = Signature::function(function, [parameter], 1).bind(args)?.map(Option::unwrap_or_default);
    fspath(vm, &path)
}

/// The argument of a function that asks the world, which knows paths as text.
fn path_argument(vm: &mut Vm, args: Args, function: &'static str) -> PyResult<Str> {
    let parameter = match function {
        "realpath" => "filename",
        "normcase" => "s",
        _ => "path",
    };
    let [path] = Signature::function(function, [parameter], 1).bind(args)?.map(Option::unwrap_or_default);
    match path {
        Value::Str(path) => {
            vm.charge(path.len() / PATH_A_STEP)?;
            Ok(path)
        }
        other => path_text(&other).ok_or_else(|| not_a_path(&other)),
    }
}

/// The working directory: what the world says `PWD` is.
pub(super) fn current_directory(vm: &Vm) -> String {
    vm.environment.environment_variable("PWD").unwrap_or_else(|| "/".to_owned())
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

pub(super) fn join(first: &str, second: &str) -> String {
    if second.starts_with('/') {
        second.to_owned()
    } else if first.is_empty() || first.ends_with('/') {
        format!("{first}{second}")
    } else {
        format!("{first}/{second}")
    }
}

fn join_all(vm: &mut Vm, args: Args) -> PyResult<Value> {
    args.no_keywords("join")?;
    let [first, rest @ ..] = args.pos.as_slice() else {
        return Err(type_error("join() missing 1 required positional argument: 'a'"));
    };
    let (first, kind) = fspath(vm, first)?;
    let mut path = first.to_string();
    for part in rest {
        match fspath(vm, part) {
            Ok((part, other)) if other == kind => {
                vm.charge_bytes(path.len() + part.len())?;
                path = join(&path, &part);
            }
            Ok(_) => return Err(type_error(MIXED)),
            Err(raised) if raised.is(&TIMEOUT_ERROR) => return Err(raised),
            Err(_) => {
                return Err(type_error(format!(
                    "join() argument must be str, bytes, or os.PathLike object, not '{}'",
                    part.class().name().as_str()
                )));
            }
        }
    }
    Ok(kind.value(&path))
}

pub(super) fn normalize(path: &str) -> String {
    if path.is_empty() {
        return ".".to_owned();
    }
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

/// `commonpath(paths)`
fn common_path(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [paths] = Signature::function("commonpath", ["paths"], 1).bind(args)?.map(Option::unwrap_or_default);
    if !vm.truthy(&paths)? {
        return Err(value_error("commonpath() arg is an empty sequence"));
    }
    let mut texts = Vec::new();
    let iterator = vm.iter(&paths)?;
    while let Some(path) = vm.next(&iterator)? {
        vm.charge(1)?;
        texts.push(fspath(vm, &path)?);
    }
    // An iterator does not tell before that it is empty.
    let Some((first, kind)) = texts.first() else { return Err(index_error("tuple index out of range")) };
    if texts.iter().any(|(_, other)| other != kind) {
        return Err(type_error(MIXED));
    }
    let texts: Vec<&str> = texts.iter().map(|(path, _)| path.as_str()).collect();
    let absolute = first.starts_with('/');
    if texts.iter().any(|path| path.starts_with('/') != absolute) {
        return Err(value_error("Can't mix absolute and relative paths"));
    }
    let parts = |path: &str| -> Vec<String> {
        path.split('/').filter(|part| !part.is_empty() && *part != ".").map(str::to_owned).collect()
    };
    let mut common = parts(first);
    for path in &texts {
        let other = parts(path);
        let shared = common.iter().zip(&other).take_while(|(a, b)| a == b).count();
        common.truncate(shared);
    }
    Ok(kind.value(&format!("{}{}", if absolute { "/" } else { "" }, common.join("/"))))
}

/// `relpath(path, start=os.curdir)`
fn relative_path(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [path, start] = Signature::function("relpath", ["path", "start"], 1).bind(args)?;
    let path = path.unwrap_or_default();
    let given = matches!(start, Some(Value::Str(_)));
    let start = start.filter(|start| !start.is_none()).unwrap_or_else(|| Value::str("."));
    if !vm.truthy(&path)? {
        return Err(value_error("no path specified"));
    }
    let Value::Str(path) = &path else {
        return Err(match (&path, given) {
            (Value::Bytes(_), true) => type_error(MIXED),
            _ => not_a_path(&path),
        });
    };
    let Value::Str(start) = &start else { return Err(not_a_path(&start)) };
    vm.charge(path.len().saturating_add(start.len()) / PATH_A_STEP)?;
    let here = current_directory(vm);
    let absolute = |path: &str| normalize(&join(&here, path));
    let (path, start) = (absolute(path), absolute(start));
    let parts =
        |path: &str| -> Vec<String> { path.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect() };
    let (path, start) = (parts(&path), parts(&start));
    let shared = path.iter().zip(&start).take_while(|(a, b)| a == b).count();
    let mut relative: Vec<&str> = vec![".."; start.len() - shared];
    relative.extend(path.iter().skip(shared).map(String::as_str));
    Ok(Value::str(if relative.is_empty() { ".".to_owned() } else { relative.join("/") }))
}

/// `expandvars(path)`: `$name` and `${name}` of the world's environment.
fn expand_variables(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let (path, kind) = any_path(vm, args, "expandvars")?;
    vm.charge(path.len() / 8)?;
    let mut out = String::new();
    let mut rest = path.as_str();
    while let Some((before, after)) = rest.split_once('$') {
        out.push_str(before);
        let word = after.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
        let braced = after.strip_prefix('{').and_then(|inside| inside.split_once('}'));
        let (name, whole, next) = match braced {
            Some((name, next)) => (name, after.get(..name.len() + 2).unwrap_or_default(), next),
            None => {
                let name = after.get(..word).unwrap_or_default();
                (name, name, after.get(word..).unwrap_or_default())
            }
        };
        match vm.environment.environment_variable(name).filter(|_| !name.is_empty()) {
            Some(value) => out.push_str(&value),
            None => {
                out.push('$');
                out.push_str(whole);
            }
        }
        rest = next;
    }
    out.push_str(rest);
    Ok(kind.value(&out))
}

fn common_prefix(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [paths] = Signature::function("commonprefix", ["m"], 1).bind(args)?.map(Option::unwrap_or_default);
    if !vm.truthy(&paths)? {
        return Ok(Value::str(""));
    }
    // Lists of the parts of paths are compared part by part.
    let first = vm.get_item(&paths, &Value::Int(0))?;
    let mut paths = vm.collect(&paths)?;
    if !matches!(first, Value::List(_) | Value::Tuple(_)) {
        for path in &paths {
            fspath(vm, path)?;
        }
    }
    sort::sort(vm, &mut paths, None, false)?;
    let (Some(least), Some(most)) = (paths.first(), paths.last()) else { return Ok(Value::str("")) };
    let (parts, others) = (vm.collect(least)?, vm.collect(most)?);
    let mut common = 0;
    for (part, other) in parts.iter().zip(&others) {
        if !vm.equal(part, other)? {
            break;
        }
        common += 1;
    }
    let end = Value::Slice(Rc::new(Slice { start: Value::None, stop: Value::from_usize(common), step: Value::None }));
    vm.get_item(least, &end)
}

/// `os.path.getsize(filename)`
fn getsize(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [path] = Signature::function("getsize", ["filename"], 1).bind(args)?.map(Option::unwrap_or_default);
    let Some(name) = path.as_str().cloned().or_else(|| path_text(&path)) else {
        return Err(type_error(format!(
            "stat: path should be string, bytes, os.PathLike or integer, not {}",
            path.type_name().as_str()
        )));
    };
    match vm.environment.file_size(&name) {
        Some(size) => Ok(Value::from_bigint(size.into())),
        None => Err(missing_file(&path)),
    }
}
