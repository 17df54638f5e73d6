//! Where a function of the runtime belongs: the module or the class that has it.

use super::Vm;
use crate::python::module::ModuleDef;
use crate::python::modules::{MODULES, collections, datetime, itertools};
use crate::python::string::Str;
use crate::python::types::{BuiltinType, TYPES};
use crate::python::value::{Builtin, Value};

/// The classes of modules that have functions of their own, as [`TYPES`] those of no module.
static CLASSES_OF_MODULES: [&BuiltinType; 5] =
    [&collections::COUNTER, &collections::ORDERED_DICT, &datetime::DATE, &datetime::DATETIME, &itertools::CHAIN];

/// The class that has this function: `int` for `int.from_bytes`.
pub(super) fn class_of(function: &'static Builtin) -> Option<&'static BuiltinType> {
    let has = |class: &&BuiltinType| class.statics.iter().any(|own| std::ptr::eq(own, function));
    TYPES.iter().chain(&CLASSES_OF_MODULES).copied().find(has)
}

/// `__qualname__`: with the class, where one has the function.
pub(super) fn qualified_name(function: &'static Builtin) -> String {
    match class_of(function) {
        Some(class) => format!("{}.{}", class.name, function.name),
        None => function.name.to_owned(),
    }
}

/// The name of the class that has the method `name` of an object of the runtime.
pub(super) fn owner_of(object: &Value, name: &str) -> Str {
    let class = object.class();
    let owner = class.method(name).and_then(|method| class.python_owner(method));
    Str::from(owner.unwrap_or(class).name)
}

impl Vm {
    /// The module that has a function of the runtime, as CPython names it; none for builtins.
    pub(in crate::python) fn module_of(&mut self, builtin: &'static Builtin) -> Option<&'static str> {
        let has = |vm: &mut Self, module: &ModuleDef| match (module.get)(vm, builtin.name) {
            Ok(Some(Value::Builtin(found))) => std::ptr::eq(found, builtin),
            _ => false,
        };
        let module = MODULES.iter().find(|module| has(self, module))?;
        Some(match module.name {
            "operator" => "_operator",
            "os.path" => "posixpath",
            "functools" if matches!(builtin.name, "cmp_to_key" | "reduce") => "_functools",
            name => name,
        })
    }
}
