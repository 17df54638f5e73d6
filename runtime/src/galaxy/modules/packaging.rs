//! `packaging`: versions and version specifiers.

use super::galaxy::none;
use crate::galaxy::version::{INVALID_SPECIFIER, INVALID_VERSION, SPECIFIER, SPECIFIER_SET, VERSION};
use crate::galaxy::{signature, version};
use crate::python::args::Args;
use crate::python::exception::PyResult;
use crate::python::module::ModuleDef;
use crate::python::types::BuiltinType;
use crate::python::value::{Builtin, Value};
use crate::python::vm::Vm;
use crate::python::vm::attributes::no_attribute;

/// `packaging`
pub static PACKAGING: ModuleDef = ModuleDef { name: "packaging", get: none, names: &[] };

/// `packaging.version`
pub static PACKAGING_VERSION: ModuleDef = ModuleDef {
    name: "packaging.version",
    get: |_, name| {
        let classes: [&'static BuiltinType; 2] = [&INVALID_VERSION, &VERSION];
        let class = classes.into_iter().find(|class| class.name == name);
        Ok(class.map(|class| Value::Type(class.into())).or((name == "parse").then_some(Value::Builtin(&PARSE))))
    },
    names: &["InvalidVersion", "Version", "parse"],
};

static PARSE: Builtin = Builtin {
    name: "parse",
    call: |vm, args| {
        let [version] = signature::bind(args, "parse", ["version"], 1)?;
        version::strict(vm, &version.unwrap_or_default())
    },
};

/// `packaging.specifiers`
pub static PACKAGING_SPECIFIERS: ModuleDef = ModuleDef {
    name: "packaging.specifiers",
    get: |_, name| {
        let classes: [&'static BuiltinType; 3] = [&INVALID_SPECIFIER, &SPECIFIER, &SPECIFIER_SET];
        Ok(classes.into_iter().find(|class| class.name == name).map(|class| Value::Type(class.into())))
    },
    names: &["InvalidSpecifier", "Specifier", "SpecifierSet"],
};

/// `packaging.utils`
pub static PACKAGING_UTILS: ModuleDef = ModuleDef {
    name: "packaging.utils",
    get: |_, name| Ok(UTILS.iter().find(|function| function.name == name).map(Value::Builtin)),
    names: &["canonicalize_name", "canonicalize_version"],
};

static UTILS: &[Builtin] = &[
    Builtin { name: "canonicalize_name", call: canonicalize_name },
    Builtin { name: "canonicalize_version", call: canonicalize_version },
];

/// `canonicalize_name(name)`: lower-case, each run of dashes, dots and underscores one dash.
fn canonicalize_name(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [name] = signature::bind(args, "canonicalize_name", ["name"], 1)?;
    let name = name.unwrap_or_default();
    let Value::Str(name) = &name else {
        // What `packaging` asks of any value.
        let lower = vm.call_method(&name, "lower", Args::none())?;
        vm.call_method(&lower, "replace", Args::positional([Value::str("_"), Value::str("-")]))?;
        return Err(no_attribute(&name, "lower"));
    };
    vm.charge_bytes(name.len())?;
    let mut out = String::with_capacity(name.len());
    for char in name.to_lowercase().chars() {
        let dash = matches!(char, '-' | '_' | '.');
        if !(dash && out.ends_with('-')) {
            out.push(if dash { '-' } else { char });
        }
    }
    Ok(Value::str(out))
}

/// `canonicalize_version(version, *, strip_trailing_zero=True)`
fn canonicalize_version(vm: &mut Vm, mut args: Args) -> PyResult<Value> {
    let strip = match args.kw.iter().position(|(name, _)| name.as_str() == "strip_trailing_zero") {
        Some(index) => vm.truthy(&args.kw.remove(index).1)?,
        None => true,
    };
    let [given] = signature::bind(args, "canonicalize_version", ["version"], 1)?;
    let given = given.unwrap_or_default();
    let text = match &given {
        Value::Str(text) => text.clone(),
        other if other.downcast::<version::VersionObject>().is_some() => vm.str(other)?,
        other if strip => return version::strict(vm, other),
        other => return vm.str(other).map(Value::Str),
    };
    Ok(match version::canonical(&text, strip) {
        Some(canonical) => Value::str(canonical),
        None => Value::Str(text),
    })
}
