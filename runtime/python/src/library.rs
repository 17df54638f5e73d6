//! Python's own library as a machine finds it: the builtin names, and the constructors and methods of the classes of
//! [`types`](crate::types).
//!
//! It stands above the machine, which imports none of it, and is given to it when it is made.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::OnceLock;

use crate::builtins::{BUILTINS, containers, lazy, scalars};
use crate::exception::EXCEPTIONS;
use crate::methods;
use crate::types::{BuiltinType, LibraryClass, Members, TYPES};
use crate::value::{Builtin, Value};
use crate::vm::lookup::Library;
use crate::vm::{Environment, Vm};

/// Python's library.
pub static PYTHON: Library = Library { builtin, members };

impl Vm {
    /// A machine with Python's library in these surroundings, with an empty context.
    pub fn new(environment: Rc<dyn Environment>) -> Self {
        Self::with_library(&PYTHON, environment)
    }
}

/// The members of the classes: constructor, methods, and the static methods where there are any.
macro_rules! members {
    (@statics) => { &[] };
    (@statics $statics:expr) => { $statics };
    ($($class:ident: $construct:expr, $methods:expr $(, $statics:expr)?;)*) => {
        fn members(class: LibraryClass) -> &'static Members {
            match class {
                $(LibraryClass::$class => {
                    static MEMBERS: Members =
                        Members { construct: Some($construct), methods: $methods, statics: members!(@statics $($statics)?) };
                    &MEMBERS
                })*
            }
        }
    };
}

members! {
    Object: scalars::object, &[];
    Type: scalars::type_, &[];
    Int: scalars::int, methods::int::METHODS, methods::int::STATICS;
    Bool: scalars::bool_, &[], methods::int::BOOL_STATICS;
    Float: scalars::float, methods::float::METHODS;
    Str: scalars::str_, methods::str::METHODS, methods::str::STATICS;
    Bytes: scalars::bytes, methods::bytes::METHODS, methods::bytes::STATICS;
    Tuple: containers::tuple, methods::tuple::METHODS;
    List: containers::list, methods::list::METHODS;
    Dict: containers::dict, methods::dict::METHODS, methods::dict::STATICS;
    Set: containers::set, methods::set::METHODS;
    Frozenset: containers::frozenset, methods::set::FROZEN_METHODS;
    Range: containers::range, methods::range::METHODS;
    Slice: scalars::slice, &[];
    Map: lazy::map, &[];
    Filter: lazy::filter, &[];
    Zip: lazy::zip, &[];
    Enumerate: lazy::enumerate, &[];
    Reversed: lazy::reversed, &[];
}

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
        let named = |class: &&&BuiltinType| PYTHON.members(class).construct.is_some();
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
pub fn builtin(name: &str) -> Option<Value> {
    Some(match *entries().get(name)? {
        Entry::Function(builtin) => Value::Builtin(builtin),
        Entry::Class(class) => Value::Type(class),
        Entry::NotImplemented => Value::NotImplemented,
        Entry::Ellipsis => Value::Ellipsis,
        Entry::Debug => Value::Bool(true),
    })
}

/// The names of all builtins, for the checker of names at compile time.
pub fn builtin_names() -> impl Iterator<Item = &'static str> {
    entries().keys().copied()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

    use super::*;

    #[test]
    fn names_stand_for_functions_classes_and_constants() {
        assert!(matches!(builtin("len"), Some(Value::Builtin(b)) if b.name == "len"));
        assert!(matches!(builtin("IOError"), Some(Value::Type(t)) if t.name == "OSError"));
        assert!(matches!(builtin("Ellipsis"), Some(Value::Ellipsis)));
        assert!(builtin("dict_keys").is_none());
        assert!(builtin("function").is_none() && builtin("method").is_none());
        assert!(builtin("nonsense").is_none());
    }

    #[test]
    fn what_a_class_names_as_pure_is_a_method_of_it() {
        for class in TYPES {
            let members = PYTHON.members(class);
            for name in class.pure.iter().filter(|name| **name != "__new__") {
                assert!(members.methods.iter().any(|method| method.name == *name), "{}.{name}", class.name);
            }
            assert!(!class.is_made_purely() || members.construct.is_some(), "{}", class.name);
        }
    }
}
