//! The builtin functions: one table.
//!
//! What the functions do is in the files of this folder, by idea; [`convert`] is how they take numbers from arguments.

pub mod attributes;
pub mod classes;
pub mod construct;
pub(crate) mod construct_scalars;
pub mod containers;
pub mod convert;
pub mod exceptions;
pub mod lazy;
pub mod numbers;
pub mod sequences;
pub mod text;

use std::collections::HashMap;
use std::sync::OnceLock;

use super::exception::EXCEPTIONS;
use super::types::{BuiltinType, TYPES};
use super::value::{Builtin, Value};

/// The builtin functions, by name.
pub static BUILTINS: &[Builtin] = &[
    Builtin { name: "abs", call: numbers::abs },
    Builtin { name: "all", call: sequences::all },
    Builtin { name: "any", call: sequences::any },
    Builtin { name: "ascii", call: text::ascii },
    Builtin { name: "bin", call: numbers::bin },
    Builtin { name: "callable", call: classes::callable },
    Builtin { name: "chr", call: text::chr },
    Builtin { name: "divmod", call: numbers::divmod },
    Builtin { name: "format", call: text::format },
    Builtin { name: "getattr", call: attributes::getattr },
    Builtin { name: "hasattr", call: attributes::hasattr },
    Builtin { name: "hash", call: attributes::hash },
    Builtin { name: "hex", call: numbers::hex },
    Builtin { name: "id", call: attributes::id },
    Builtin { name: "isinstance", call: classes::isinstance },
    Builtin { name: "issubclass", call: classes::issubclass },
    Builtin { name: "iter", call: sequences::iter },
    Builtin { name: "len", call: sequences::len },
    Builtin { name: "max", call: sequences::max },
    Builtin { name: "min", call: sequences::min },
    Builtin { name: "next", call: sequences::next },
    Builtin { name: "oct", call: numbers::oct },
    Builtin { name: "ord", call: text::ord },
    Builtin { name: "pow", call: numbers::pow },
    Builtin { name: "print", call: text::print },
    Builtin { name: "repr", call: text::repr },
    Builtin { name: "round", call: numbers::round },
    Builtin { name: "sorted", call: sequences::sorted },
    Builtin { name: "sum", call: sequences::sum },
];

/// What a builtin name stands for.
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
