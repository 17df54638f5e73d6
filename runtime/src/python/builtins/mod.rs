//! The builtin functions: one table.

pub mod construct;
pub(crate) mod construct_scalars;

use super::types::{BuiltinType, TYPES};
use super::value::{Builtin, Value};

/// The builtin functions, by name.
pub static BUILTINS: &[Builtin] = &[];

/// The builtin `name`: a function, a type, an exception class or a constant.
pub fn get(name: &str) -> Option<Value> {
    if let Some(builtin) = BUILTINS.iter().find(|builtin| builtin.name == name) {
        return Some(Value::Builtin(builtin));
    }
    let is_public = |class: &&&'static BuiltinType| class.name == name && class.construct.is_some();
    TYPES.iter().chain(super::exception::EXCEPTIONS).find(is_public).map(|class| Value::Type((*class).into()))
}
