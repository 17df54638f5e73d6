//! Looks up the attributes of a class along its bases.

use super::Vm;
use crate::program::Name;
use crate::types::BuiltinType;
use crate::value::{Builtin, Method, Value};

/// A class's entry under a name.
pub enum Member {
    /// A constant.
    Constant(Value),
    /// A method, with the class whose table it is in.
    Method(&'static BuiltinType, &'static Method),
    /// A class method or static method.
    Static(&'static Builtin),
}

/// The attribute `name` of a class or its bases.
pub fn member(class: &'static BuiltinType, name: &str) -> Option<Member> {
    let mut current = Some(class);
    while let Some(class) = current {
        // A class method may be in both tables, for calls through an instance.
        if let Some(function) = class.statics.iter().find(|function| function.name == name) {
            return Some(Member::Static(function));
        }
        if let Some(method) = class.methods.iter().find(|method| method.name == name) {
            return Some(Member::Method(class, method));
        }
        if let Some(value) = (class.constant)(name) {
            return Some(Member::Constant(value));
        }
        current = class.base;
    }
    None
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
    /// [`BuiltinType::method`] by a name of a program, remembered: the name's slot stands for its text.
    pub fn cached_method(&mut self, class: &'static BuiltinType, name: &Name) -> Option<&'static Method> {
        let spread = (std::ptr::from_ref(class) as usize >> 4) ^ name.slot.wrapping_mul(31);
        let entry = self.methods.0.get_mut(spread & (CACHED_METHODS - 1))?;
        if let Some(cached) = entry
            && std::ptr::eq(cached.class, class)
            && cached.slot == name.slot
        {
            return cached.method;
        }
        let method = class.method(&name.text);
        *entry = Some(CachedMethod { class, slot: name.slot, method });
        method
    }
}
