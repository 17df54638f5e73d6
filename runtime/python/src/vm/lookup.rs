//! The library that a machine is given, and the attributes of a class along its bases.

use super::Vm;
use crate::program::Name;
use crate::types::{BuiltinType, LibraryClass, Members};
use crate::value::{Builtin, Method, Value};

/// The part of Python that calls the machine, as the machine finds it: builtin functions, and the constructors and methods of
/// [classes](LibraryClass) whose values the machine knows. [`PYTHON`](crate::library::PYTHON) is the one that there is.
pub struct Library {
    /// The value of a builtin name: a function, a class or a constant.
    pub builtin: fn(&str) -> Option<Value>,
    /// The members of a class.
    pub members: fn(LibraryClass) -> &'static Members,
}

/// A class's entry under a name.
pub enum Member {
    /// A constant.
    Constant(Value),
    /// A method, with the class whose table it is in.
    Method(&'static BuiltinType, &'static Method),
    /// A class method or static method.
    Static(&'static Builtin),
}

impl Library {
    /// A class's own members, from its row or from the library.
    pub fn members(&self, class: &BuiltinType) -> Members {
        match class.in_library {
            Some(place) => *(self.members)(place),
            None => Members { construct: class.construct, methods: class.methods, statics: class.statics },
        }
    }

    /// The method `name` of a class, its own or a base's.
    pub fn method(&self, class: &BuiltinType, name: &str) -> Option<&'static Method> {
        let mut class = class;
        loop {
            if let Some(method) = self.members(class).methods.iter().find(|method| method.name == name) {
                return Some(method);
            }
            class = class.base?;
        }
    }

    /// The attribute `name` of a class or its bases.
    pub fn member(&self, class: &'static BuiltinType, name: &str) -> Option<Member> {
        let mut current = Some(class);
        while let Some(class) = current {
            let Members { methods, statics, .. } = self.members(class);
            // A class method may be in both tables, for calls through an instance.
            if let Some(function) = statics.iter().find(|function| function.name == name) {
                return Some(Member::Static(function));
            }
            if let Some(method) = methods.iter().find(|method| method.name == name) {
                return Some(Member::Method(class, method));
            }
            if let Some(value) = (class.constant)(name) {
                return Some(Member::Constant(value));
            }
            current = class.base;
        }
        None
    }
}

/// The capacity of the cache of [`Vm::cached_method`]; a power of two.
const CACHED_METHODS: usize = 256;

/// The methods found last, by class and by the slot of the name.
pub(super) struct MethodCache(Vec<Option<CachedMethod>>);

#[derive(Clone, Copy)]
struct CachedMethod {
    class: &'static BuiltinType,
    slot: usize,
    method: Option<&'static Method>,
}

impl Default for MethodCache {
    fn default() -> Self {
        Self(vec![None; CACHED_METHODS])
    }
}

impl Vm {
    /// [`Library::method`] by a name of a program, remembered: the name's slot stands for its text.
    pub fn cached_method(&mut self, class: &'static BuiltinType, name: &Name) -> Option<&'static Method> {
        let spread = (std::ptr::from_ref(class) as usize >> 4) ^ name.slot.wrapping_mul(31);
        let entry = self.methods.0.get_mut(spread & (CACHED_METHODS - 1))?;
        if let Some(cached) = entry
            && std::ptr::eq(cached.class, class)
            && cached.slot == name.slot
        {
            return cached.method;
        }
        let method = self.library.method(class, &name.text);
        *entry = Some(CachedMethod { class, slot: name.slot, method });
        method
    }
}
