//! Where a class's attributes are found: along its bases.

use std::rc::Rc;

use super::Vm;
use crate::python::exception::{PyResult, type_error};
use crate::python::types::{BuiltinType, Class, OBJECT, Type};
use crate::python::value::{Builtin, Method, Value};

/// What a class holds under a name.
pub enum Member {
    /// An attribute of a class that the config's code defined.
    Value(Value),
    /// A method of a builtin class, with the class whose table it is in.
    Method(&'static BuiltinType, &'static Method),
    /// A class method or static method of a builtin class.
    Static(&'static Builtin),
}

/// The method `name` of a builtin class or its bases.
pub fn builtin_method(class: &'static BuiltinType, name: &str) -> Option<(&'static BuiltinType, &'static Method)> {
    let mut current = Some(class);
    while let Some(class) = current {
        if let Some(method) = class.methods.iter().find(|method| method.name == name) {
            return Some((class, method));
        }
        current = class.base;
    }
    None
}

/// The attribute `name` of a builtin class or its bases.
pub fn builtin_member(class: &'static BuiltinType, name: &str) -> Option<Member> {
    let mut current = Some(class);
    while let Some(class) = current {
        if let Some(found) = builtin_own_member(class, name) {
            return Some(found);
        }
        current = class.base;
    }
    None
}

/// The attribute `name` of a class or its bases, in the order of method resolution.
pub fn member(class: &Type, name: &str) -> Option<Member> {
    match class {
        Type::Builtin(class) => builtin_member(class, name),
        Type::Class(class) => class_member(class, name),
    }
}

/// [`member`] of a class that the config's code defined.
pub fn class_member(class: &Rc<Class>, name: &str) -> Option<Member> {
    if let Some(value) = class.dict.borrow().get(name) {
        return Some(Member::Value(value.clone()));
    }
    match class.bases.as_slice() {
        [] => builtin_member(&OBJECT, name),
        // The common case needs no order: one base after the other.
        [base] => member(base, name),
        _ => {
            let order = resolution_order(&Type::Class(class.clone())).unwrap_or_default();
            order.iter().skip(1).find_map(|class| own_member(class, name))
        }
    }
}

/// The attribute `name` of the class itself, without its bases.
pub fn own_member(class: &Type, name: &str) -> Option<Member> {
    match class {
        Type::Class(class) => class.dict.borrow().get(name).cloned().map(Member::Value),
        Type::Builtin(class) => builtin_own_member(class, name),
    }
}

/// The attribute `name` of a builtin class, without its bases.
fn builtin_own_member(class: &'static BuiltinType, name: &str) -> Option<Member> {
    // A class method may be in both tables, for calls through an instance.
    if let Some(function) = class.statics.iter().find(|function| function.name == name) {
        return Some(Member::Static(function));
    }
    if let Some(method) = class.methods.iter().find(|method| method.name == name) {
        return Some(Member::Method(class, method));
    }
    crate::python::modules::class_constant(class, name).map(Member::Value)
}

/// The order of method resolution: the class itself first, `object` last (CPython's C3 linearization).
///
/// # Errors
/// `TypeError` where the bases contradict each other.
pub fn resolution_order(class: &Type) -> PyResult<Vec<Type>> {
    let class = match class {
        Type::Builtin(class) => {
            let mut order = Vec::new();
            let mut current = Some(*class);
            while let Some(class) = current {
                order.push(Type::Builtin(class));
                current = class.base;
            }
            return Ok(order);
        }
        Type::Class(class) => class,
    };
    let bases = if class.bases.is_empty() { vec![Type::Builtin(&OBJECT)] } else { class.bases.clone() };
    let mut lists: Vec<Vec<Type>> = Vec::with_capacity(bases.len() + 1);
    for base in &bases {
        lists.push(resolution_order(base)?);
    }
    lists.push(bases.clone());
    let mut order = vec![Type::Class(class.clone())];
    loop {
        lists.retain(|list| !list.is_empty());
        if lists.is_empty() {
            return Ok(order);
        }
        let in_a_tail = |head: &Type| lists.iter().any(|list| list.iter().skip(1).any(|other| other.same(head)));
        let Some(head) = lists.iter().filter_map(|list| list.first()).find(|head| !in_a_tail(head)).cloned() else {
            let names: Vec<String> = bases.iter().map(|base| base.name().to_string()).collect();
            return Err(type_error(format!(
                "Cannot create a consistent method resolution\norder (MRO) for bases {}",
                names.join(", ")
            )));
        };
        for list in &mut lists {
            if list.first().is_some_and(|first| first.same(&head)) {
                list.remove(0);
            }
        }
        order.push(head);
    }
}

/// How many methods the cache of [`Vm::cached_method`] holds; a power of two.
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
    /// [`builtin_method`] by a name of a program, remembered: the name's slot stands for its text.
    pub(super) fn cached_method(
        &mut self,
        class: &'static BuiltinType,
        name: &crate::python::program::Name,
    ) -> Option<&'static Method> {
        let spread = (std::ptr::from_ref(class) as usize >> 4) ^ name.slot.wrapping_mul(31);
        let entry = self.methods.0.get_mut(spread & (CACHED_METHODS - 1))?;
        if let Some(cached) = entry
            && std::ptr::eq(cached.class, class)
            && cached.slot == name.slot
        {
            return cached.method;
        }
        let method = builtin_method(class, &name.text).map(|(_, method)| method);
        *entry = Some(CachedMethod { class, slot: name.slot, method });
        method
    }
}
