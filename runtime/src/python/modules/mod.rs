//! Python's own modules: one table, one module a file.

/// Declares a module: its functions (Python's name, Rust function) and its other values.
///
/// The values are expressions, made each time they are asked for; `vm` names the machine in them.
macro_rules! module {
    (
        $(#[$meta:meta])* $id:ident = $name:literal;
        functions { $($function:literal => $call:expr),* $(,)? }
        values($vm:ident) { $($value:literal => $make:expr),* $(,)? }
    ) => {
        static FUNCTIONS: &[$crate::python::value::Builtin] =
            &[$($crate::python::value::Builtin { name: $function, call: $call }),*];

        $(#[$meta])*
        pub static $id: $crate::python::module::ModuleDef = $crate::python::module::ModuleDef {
            name: $name,
            get: |$vm, name| {
                let _ = &$vm;
                if let Some(function) = FUNCTIONS.iter().find(|function| function.name == name) {
                    return Ok(Some($crate::python::value::Value::Builtin(function)));
                }
                match name {
                    $($value => Ok(Some($make)),)*
                    _ => Ok(None),
                }
            },
            names: &[$($function,)* $($value),*],
        };
    };
}

pub mod abc;
pub mod abstract_methods;
pub mod collections;
pub mod contextlib;
pub mod copy;
pub mod dataclasses;
pub mod datetime;
pub mod enums;
pub mod fnmatch;
pub mod functools;
pub mod hashlib;
pub mod itertools;
pub mod json;
pub mod logging;
pub mod math;
pub mod numbers;
pub mod operator;
pub mod os;
pub mod os_path;
pub mod pathlib;
pub mod random;
pub mod re;
pub mod signature;
pub mod string;
pub mod sys;
pub mod time;
pub mod types;
pub mod typing;

use super::module::ModuleDef;
use super::types::BuiltinType;
use super::value::Value;
use super::vm::CompareOp;

/// The modules of Python's standard library that the runtime has, by dotted name.
pub static MODULES: &[&ModuleDef] = &[
    &abc::COLLECTIONS_ABC,
    &abstract_methods::MODULE,
    &collections::MODULE,
    &contextlib::MODULE,
    &copy::MODULE,
    &dataclasses::MODULE,
    &datetime::MODULE,
    &enums::MODULE,
    &fnmatch::MODULE,
    &functools::MODULE,
    &hashlib::MODULE,
    &itertools::MODULE,
    &json::MODULE,
    &logging::MODULE,
    &math::MODULE,
    &numbers::MODULE,
    &operator::MODULE,
    &os::MODULE,
    &os_path::MODULE,
    &pathlib::MODULE,
    &random::MODULE,
    &re::RE,
    &string::MODULE,
    &sys::MODULE,
    &time::MODULE,
    &types::MODULE,
    &typing::MODULE,
];

/// A constant that a builtin class has as an attribute.
pub fn class_constant(class: &'static BuiltinType, name: &str) -> Option<Value> {
    if std::ptr::eq(class, &raw const re::REGEX_FLAG) {
        return re::member(name);
    }
    datetime::class_value(class, name)
}

/// A class as a value.
pub fn class(class: &'static BuiltinType) -> Value {
    Value::Type(class.into())
}

/// The answer of a comparison to an ordering.
pub(crate) fn decide(op: CompareOp, order: std::cmp::Ordering) -> Value {
    Value::Bool(op.holds(order))
}
