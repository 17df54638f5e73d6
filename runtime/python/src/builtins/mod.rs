//! The builtin functions: one table.
//!
//! The functions are in the files of this folder, by topic; [`convert`] converts arguments to numbers.

pub mod attributes;
pub mod classes;
pub mod containers;
pub mod convert;
pub mod exceptions;
pub mod lazy;
pub mod numbers;
pub mod scalars;
pub mod sequences;
pub mod text;

use std::collections::HashMap;
use std::sync::OnceLock;

use super::exception::EXCEPTIONS;
use super::types::{BuiltinType, TYPES};
use super::value::{Builtin, Value};

/// The builtin functions, by name.
pub static BUILTINS: &[Builtin] = &[
    Builtin::pure("", "abs", numbers::abs),
    Builtin::pure("", "all", sequences::all),
    Builtin::pure("", "any", sequences::any),
    Builtin::new("", "ascii", text::ascii),
    Builtin::new("", "bin", numbers::bin),
    Builtin::pure("", "callable", classes::callable),
    Builtin::pure("", "chr", text::chr),
    Builtin::pure("", "divmod", numbers::divmod),
    Builtin::new("", "format", text::format),
    Builtin::pure("", "getattr", attributes::getattr),
    Builtin::pure("", "hasattr", attributes::hasattr),
    Builtin::new("", "hash", attributes::hash),
    Builtin::new("", "hex", numbers::hex),
    Builtin::new("", "id", attributes::id),
    Builtin::pure("", "isinstance", classes::isinstance),
    Builtin::pure("", "issubclass", classes::issubclass),
    Builtin::new("", "iter", sequences::iter),
    Builtin::pure("", "len", sequences::len),
    Builtin::pure("", "max", sequences::max),
    Builtin::pure("", "min", sequences::min),
    Builtin::new("", "next", sequences::next),
    Builtin::new("", "oct", numbers::oct),
    Builtin::pure("", "ord", text::ord),
    Builtin::new("", "pow", numbers::pow),
    Builtin::new("", "print", text::print),
    Builtin::new("", "repr", text::repr),
    Builtin::pure("", "round", numbers::round),
    Builtin::pure("", "sorted", sequences::sorted),
    Builtin::pure("", "sum", sequences::sum),
];

/// The meaning of a builtin name.
#[derive(Clone, Copy)]
enum Entry {
    Function(&'static Builtin),
    Class(&'static BuiltinType),
    NotImplemented,
    Ellipsis,
    Debug,
}

/// Other names of classes that have another one.
static ALIASES: &[(&str, &str)] = &[("EnvironmentError", "OSError"), ("IOError", "OSError")];

fn entries() -> &'static HashMap<&'static str, Entry> {
    static ENTRIES: OnceLock<HashMap<&'static str, Entry>> = OnceLock::new();
    ENTRIES.get_or_init(|| {
        let mut entries = HashMap::new();
        let named = |class: &&&BuiltinType| class.construct.is_some();
        for class in TYPES.iter().chain(EXCEPTIONS).filter(named) {
            entries.insert(class.name, Entry::Class(class));
        }
        entries.extend(BUILTINS.iter().map(|builtin| (builtin.name, Entry::Function(builtin))));
        for (alias, name) in ALIASES {
            if let Some(entry) = entries.get(name).copied() {
                entries.insert(alias, entry);
            }
        }
        entries.insert("NotImplemented", Entry::NotImplemented);
        entries.insert("Ellipsis", Entry::Ellipsis);
        entries.insert("__debug__", Entry::Debug);
        entries
    })
}

/// The builtin `name`: a function, a type, an exception class or a constant.
pub fn get(name: &str) -> Option<Value> {
    Some(match *entries().get(name)? {
        Entry::Function(builtin) => Value::Builtin(builtin),
        Entry::Class(class) => Value::Type(class),
        Entry::NotImplemented => Value::NotImplemented,
        Entry::Ellipsis => Value::Ellipsis,
        Entry::Debug => Value::Bool(true),
    })
}

/// The names of all builtins, for the checker of names at compile time.
pub fn names() -> impl Iterator<Item = &'static str> {
    entries().keys().copied()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

    use super::*;

    #[test]
    fn names_stand_for_functions_classes_and_constants() {
        assert!(matches!(get("len"), Some(Value::Builtin(b)) if b.name == "len"));
        assert!(matches!(get("IOError"), Some(Value::Type(t)) if t.name == "OSError"));
        assert!(matches!(get("Ellipsis"), Some(Value::Ellipsis)));
        assert!(get("dict_keys").is_none());
        assert!(get("function").is_none() && get("method").is_none());
        assert!(get("nonsense").is_none());
    }
}
