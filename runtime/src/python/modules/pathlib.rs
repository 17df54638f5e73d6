//! `pathlib`, as on Linux: paths as objects. Files are those that the world lists.

use std::cmp::Ordering;

use super::fnmatch::glob;
use super::{class, decide, os_path};
use crate::python::args::Args;
use crate::python::builtins::text::missing_file;
use crate::python::exception::{PyResult, attribute_error, type_error, value_error};
use crate::python::hash::hash_str;
use crate::python::object::Object;
use crate::python::string::Str;
use crate::python::types::{BuiltinType, OBJECT};
use crate::python::value::{Builtin, Method, Value};
use crate::python::vm::text::str_repr;
use crate::python::vm::{BYTES_A_STEP, CompareOp, Vm};

module! {
    /// `pathlib`
    MODULE = "pathlib";
    functions {}
    values(_vm) {
        "Path" => class(&PATH),
        "PosixPath" => class(&POSIX_PATH),
        "PurePath" => class(&PURE_PATH),
        "PurePosixPath" => class(&PURE_POSIX_PATH),
    }
}

static PURE_PATH: BuiltinType = BuiltinType {
    construct: Some(|vm, args| made(vm, &args, false)),
    methods: &[
        Method { name: "__fspath__", call: |_, this, _| Ok(Value::Str(text_of(this))) },
        Method { name: "as_posix", call: |_, this, _| Ok(Value::Str(text_of(this))) },
        Method { name: "is_absolute", call: |_, this, _| Ok(Value::Bool(text_of(this).starts_with('/'))) },
        Method { name: "is_relative_to", call: |vm, this, args| Ok(Value::Bool(rest_of(vm, this, &args)?.is_ok())) },
        Method { name: "joinpath", call: joinpath },
        Method { name: "match", call: matches },
        Method { name: "relative_to", call: relative_to },
        Method { name: "with_name", call: with_name },
        Method { name: "with_stem", call: with_stem },
        Method { name: "with_suffix", call: with_suffix },
    ],
    ..BuiltinType::new("PurePath", "pathlib", &OBJECT)
};
static PURE_POSIX_PATH: BuiltinType = BuiltinType {
    construct: Some(|vm, args| made(vm, &args, false)),
    ..BuiltinType::new("PurePosixPath", "pathlib", &PURE_PATH)
};
// CPython derives it from `Path` first; a class of the runtime has one base, and what `Path` adds is in its own table.
pub(crate) static PATH: BuiltinType = BuiltinType {
    construct: Some(|vm, args| made(vm, &args, true)),
    methods: &[
        Method { name: "absolute", call: absolute },
        Method { name: "exists", call: |vm, this, _| Ok(Value::Bool(size_of_file(vm, this).is_some())) },
        // DIFFERENCE: the world lists files only, so nothing is a directory.
        Method { name: "is_dir", call: |_, _, _| Ok(Value::Bool(false)) },
        Method { name: "is_file", call: |vm, this, _| Ok(Value::Bool(size_of_file(vm, this).is_some())) },
        Method { name: "is_symlink", call: |_, _, _| Ok(Value::Bool(false)) },
        Method { name: "resolve", call: resolve },
        Method { name: "stat", call: stat },
    ],
    statics: &[Builtin { name: "cwd", call: |vm, _| value(vm, &os_path::current_directory(vm), true) }],
    ..BuiltinType::new("Path", "pathlib", &PURE_PATH)
};
static POSIX_PATH: BuiltinType = BuiltinType {
    construct: Some(|vm, args| made(vm, &args, true)),
    ..BuiltinType::new("PosixPath", "pathlib", &PATH)
};
static STAT_RESULT: BuiltinType = BuiltinType::new("stat_result", "os", &OBJECT);

/// A path: its text without what means nothing.
struct PathObject {
    text: Str,
    /// Whether it can be asked for its file.
    concrete: bool,
}

/// The text of a path object; `None` for any other value.
pub fn path_text(value: &Value) -> Option<Str> {
    value.downcast::<PathObject>().map(|path| path.text.clone())
}

fn text_of(this: &Value) -> Str {
    path_text(this).unwrap_or_else(|| Str::from("."))
}

fn is_concrete(this: &Value) -> bool {
    this.downcast::<PathObject>().is_some_and(|path| path.concrete)
}

/// The path of a text: without empty parts and dots; of several slashes at the start one, but two stay.
fn value(vm: &mut Vm, text: &str, concrete: bool) -> PyResult<Value> {
    let (root, parts) = split(vm, text)?;
    let joined = format!("{root}{}", parts.join("/"));
    let text = if joined.is_empty() { Str::from(".") } else { Str::from(joined) };
    Ok(Value::object(PathObject { text, concrete }))
}

/// Root and parts. All that paths do begins with it, or is quicker: here they pay by their length.
fn split<'a>(vm: &mut Vm, text: &'a str) -> PyResult<(&'static str, Vec<&'a str>)> {
    vm.charge(text.len() / os_path::PATH_A_STEP)?;
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

/// The texts of arguments joined: an absolute one drops what is before it.
fn joined(vm: &mut Vm, first: &str, args: &[Value]) -> PyResult<String> {
    let mut path = first.to_owned();
    for arg in args {
        let Some(part) = arg.as_str().cloned().or_else(|| path_text(arg)) else {
            return Err(match arg {
                Value::Bytes(_) => type_error(
                    "argument should be a str object or an os.PathLike object returning str, not <class 'bytes'>",
                ),
                other => os_path::not_a_path(other),
            });
        };
        vm.charge_bytes(path.len().saturating_add(part.len()))?;
        path = os_path::join(&path, &part);
    }
    Ok(path)
}

fn made(vm: &mut Vm, args: &Args, concrete: bool) -> PyResult<Value> {
    let text = joined(vm, "", &args.pos)?;
    value(vm, &text, concrete)
}

fn joinpath(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let text = joined(vm, &text_of(this), &args.pos)?;
    value(vm, &text, is_concrete(this))
}

/// The last part; nothing where there is only a root.
fn name<'a>(vm: &mut Vm, text: &'a str) -> PyResult<&'a str> {
    Ok(split(vm, text)?.1.last().copied().unwrap_or_default())
}

/// Where the suffix of a name begins; a dot at its start or end begins none.
fn suffix_start(name: &str) -> usize {
    name.rfind('.').filter(|dot| 0 < *dot && dot + 1 < name.len()).unwrap_or(name.len())
}

fn parent(vm: &mut Vm, text: &str) -> PyResult<String> {
    let (root, mut parts) = split(vm, text)?;
    parts.pop();
    let joined = format!("{root}{}", parts.join("/"));
    Ok(if joined.is_empty() { ".".to_owned() } else { joined })
}

/// The same path with another last part.
fn renamed(vm: &mut Vm, this: &Value, new: &str) -> PyResult<Value> {
    let text = text_of(this);
    if name(vm, &text)?.is_empty() {
        return Err(value_error(format!("{} has an empty name", shown(this))));
    }
    let parent = parent(vm, &text)?;
    value(vm, &os_path::join(&parent, new), is_concrete(this))
}

fn shown(this: &Value) -> String {
    let class = if is_concrete(this) { "PosixPath" } else { "PurePosixPath" };
    format!("{class}({})", str_repr(&text_of(this)))
}

fn text_argument(args: Args, method: &str) -> PyResult<Str> {
    let [text] = args.exactly(method)?;
    text.as_str()
        .cloned()
        .ok_or_else(|| type_error(format!("argument of type '{}' is not iterable", text.type_name().as_str())))
}

fn with_name(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let new = text_argument(args, "PurePath.with_name")?;
    if name(vm, &text_of(this))?.is_empty() {
        return Err(value_error(format!("{} has an empty name", shown(this))));
    }
    if new.is_empty() || new.contains('/') || new.as_str() == "." {
        return Err(value_error(format!("Invalid name {}", str_repr(&new))));
    }
    renamed(vm, this, &new)
}

fn with_stem(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let stem = text_argument(args, "PurePath.with_stem")?;
    let text = text_of(this);
    let old = name(vm, &text)?;
    let suffix = old.get(suffix_start(old)..).unwrap_or_default();
    with_name(vm, this, Args::one(Value::str(format!("{}{suffix}", stem.as_str()))))
}

fn with_suffix(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let suffix = text_argument(args, "PurePath.with_suffix")?;
    let wrong = suffix.contains('/') || !suffix.is_empty() && !suffix.starts_with('.') || suffix.as_str() == ".";
    if wrong {
        return Err(value_error(format!("Invalid suffix {}", str_repr(&suffix))));
    }
    let text = text_of(this);
    let old = name(vm, &text)?;
    let stem = old.get(..suffix_start(old)).unwrap_or_default();
    renamed(vm, this, &format!("{stem}{}", suffix.as_str()))
}

/// What is left of a path below another, or that other path where it is not below.
fn rest_of(vm: &mut Vm, this: &Value, args: &Args) -> PyResult<Result<String, Str>> {
    if args.pos.is_empty() {
        return Err(type_error("need at least one argument"));
    }
    let other = text_of(&made(vm, args, false)?);
    let text = text_of(this);
    let (mine, theirs) = (all_parts(vm, &text)?, all_parts(vm, &other)?);
    Ok(match mine.strip_prefix(theirs.as_slice()) {
        Some(rest) => Ok(rest.join("/")),
        None => Err(other),
    })
}

fn relative_to(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    match rest_of(vm, this, &args)? {
        Ok(rest) => value(vm, &rest, is_concrete(this)),
        Err(other) => Err(value_error(format!(
            "{} is not in the subpath of {} OR one path is relative and the other is absolute.",
            str_repr(&text_of(this)),
            str_repr(&other)
        ))),
    }
}

fn matches(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [pattern] = args.exactly("PurePath.match")?;
    let pattern = joined(vm, "", &[pattern])?;
    let text = text_of(this);
    let (mut parts, mut wanted) = (all_parts(vm, &text)?, all_parts(vm, &pattern)?);
    if wanted.is_empty() {
        return Err(value_error("empty pattern"));
    }
    vm.charge(text.len() + pattern.len())?;
    if pattern.starts_with('/') {
        if parts.len() != wanted.len() || parts.first() != wanted.first() {
            return Ok(Value::Bool(false));
        }
        (parts, wanted) = (parts.split_off(1), wanted.split_off(1));
    } else if wanted.len() > parts.len() {
        return Ok(Value::Bool(false));
    }
    Ok(Value::Bool(parts.iter().rev().zip(wanted.iter().rev()).all(|(part, pattern)| glob(pattern, part))))
}

fn absolute(vm: &mut Vm, this: &Value, _: Args) -> PyResult<Value> {
    let path = os_path::join(&os_path::current_directory(vm), &text_of(this));
    value(vm, &path, true)
}

fn resolve(vm: &mut Vm, this: &Value, _: Args) -> PyResult<Value> {
    let joined = os_path::join(&os_path::current_directory(vm), &text_of(this));
    value(vm, &os_path::normalize(&joined), true)
}

fn size_of_file(vm: &mut Vm, this: &Value) -> Option<u64> {
    vm.environment.file_size(&text_of(this))
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
    match size_of_file(vm, this) {
        Some(size) => Ok(Value::object(StatResult(size))),
        None => Err(missing_file(&Value::Str(text_of(this)))),
    }
}

impl Object for PathObject {
    fn class(&self) -> &'static BuiltinType {
        if self.concrete { &POSIX_PATH } else { &PURE_POSIX_PATH }
    }

    fn get_attr(&self, vm: &mut Vm, _: &Value, attribute: &str) -> PyResult<Option<Value>> {
        let name = name(vm, &self.text)?;
        let text = |part: Option<&str>| Some(Value::str(part.unwrap_or_default()));
        Ok(match attribute {
            "name" => text(Some(name)),
            "suffix" => text(name.get(suffix_start(name)..)),
            "stem" => text(name.get(..suffix_start(name))),
            "suffixes" if name.ends_with('.') => Some(Value::list(Vec::new())),
            "suffixes" => {
                let parts = name.trim_start_matches('.').split('.').skip(1);
                Some(Value::list(parts.map(|part| Value::str(format!(".{part}"))).collect()))
            }
            "parts" => Some(Value::tuple(all_parts(vm, &self.text)?.into_iter().map(Value::str).collect())),
            "parent" => {
                let parent = parent(vm, &self.text)?;
                Some(value(vm, &parent, self.concrete)?)
            }
            "parents" => {
                let mut parents = Vec::new();
                let mut text = self.text.to_string();
                for _ in 0..split(vm, &self.text)?.1.len() {
                    text = parent(vm, &text)?;
                    parents.push(value(vm, &text, self.concrete)?);
                }
                Some(Value::tuple(parents))
            }
            "root" | "anchor" => text(Some(split(vm, &self.text)?.0)),
            "drive" => text(Some("")),
            _ => None,
        })
    }

    fn set_attr(&self, _: &mut Vm, name: &Str, _: Value) -> PyResult<()> {
        let class = self.class().name;
        Err(attribute_error(match name.as_str() {
            "name" | "suffix" | "stem" | "suffixes" | "parts" | "parent" | "parents" | "root" | "anchor" | "drive" => {
                format!("property '{}' of '{class}' object has no setter", name.as_str())
            }
            name => format!("'{class}' object has no attribute '{name}'"),
        }))
    }

    fn binary(&self, vm: &mut Vm, method: &str, other: &Value) -> Option<PyResult<Value>> {
        let other = other.as_str().cloned().or_else(|| path_text(other))?;
        match method {
            "truediv" => Some(value(vm, &os_path::join(&self.text, &other), self.concrete)),
            "rtruediv" => Some(value(vm, &os_path::join(&other, &self.text), self.concrete)),
            _ => None,
        }
    }

    fn compare(&self, vm: &mut Vm, op: CompareOp, other: &Value) -> Option<PyResult<Value>> {
        let other = path_text(other)?;
        let mut order = || -> PyResult<Ordering> { Ok(all_parts(vm, &self.text)?.cmp(&all_parts(vm, &other)?)) };
        Some(order().map(|order| decide(op, order)))
    }

    fn hash(&self, vm: &mut Vm) -> Option<PyResult<i64>> {
        Some(vm.charge(self.text.len() / BYTES_A_STEP).map(|()| hash_str(&self.text)))
    }

    fn equals_key(&self, other: &Value) -> bool {
        path_text(other).is_some_and(|other| other == self.text)
    }

    fn str(&self, _: &mut Vm, _: &Value) -> PyResult<String> {
        Ok(self.text.to_string())
    }

    fn repr(&self, vm: &mut Vm, this: &Value) -> PyResult<String> {
        vm.charge(self.text.len() / os_path::PATH_A_STEP)?;
        Ok(shown(this))
    }
}
