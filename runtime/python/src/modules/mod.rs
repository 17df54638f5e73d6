//! Python's own modules: one table, one module a file.

/// Declares a module: its functions (Python's name, Rust function) and its other values.
///
/// The values are expressions, made each time they are asked for; `vm` names the machine in them. `written_in` names the module
/// that has the functions in CPython, where that is another.
macro_rules! module {
    (@owner $name:literal) => { $name };
    (@owner $name:literal, $owner:literal) => { $owner };
    (
        $(#[$meta:meta])* $id:ident = $name:literal $(written_in $owner:literal)?;
        functions { $($function:literal => $call:expr),* $(,)? }
        values($vm:ident) { $($value:literal => $make:expr),* $(,)? }
    ) => {
        // A module may have no functions.
        #[allow(dead_code)]
        const OWNER: &str = module!(@owner $name $(, $owner)?);

        static FUNCTIONS: &[$crate::value::Builtin] =
            &[$($crate::value::Builtin::new(OWNER, $function, $call)),*];

        $(#[$meta])*
        pub static $id: $crate::module::ModuleDef = $crate::module::ModuleDef {
            name: $name,
            get: |$vm, name| {
                let _ = &$vm;
                if let Some(function) = FUNCTIONS.iter().find(|function| function.name == name) {
                    return Ok(Some($crate::value::Value::Builtin(function)));
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

pub mod datetime;
pub mod functools;
pub mod itertools;
pub mod json;
pub mod logging;
pub mod math;
pub mod numbers;
pub mod os;
pub mod os_path;
pub mod random;
pub mod re;
pub mod signature;
pub mod string;
pub mod sys;
pub mod time;
pub mod typing;

use super::module::ModuleDef;

/// The modules of Python's standard library that the runtime has, by dotted name.
pub static MODULES: &[&ModuleDef] = &[
    &datetime::MODULE,
    &functools::MODULE,
    &itertools::MODULE,
    &json::MODULE,
    &logging::MODULE,
    &math::MODULE,
    &numbers::MODULE,
    &os::MODULE,
    &os_path::MODULE,
    &random::MODULE,
    &re::RE,
    &string::MODULE,
    &sys::MODULE,
    &time::MODULE,
    &typing::MODULE,
];
