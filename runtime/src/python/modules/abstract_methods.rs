//! `abc`: classes that leave methods open. While any is open, the class cannot be instantiated.

use std::rc::Rc;

use super::class;
use crate::python::args::Args;
use crate::python::exception::PyResult;
use crate::python::object::Object;
use crate::python::types::{BuiltinType, Class, FUNCTION, OBJECT, Type};
use crate::python::value::Value;
use crate::python::vm::Vm;
use crate::python::vm::attributes::bound;
use crate::python::vm::descriptors::{ClassMethod, Property, StaticMethod};
use crate::python::vm::lookup::{Member, class_member, resolution_order};

module! {
    /// `abc`
    MODULE = "abc";
    functions {
        "abstractmethod" => |_, args| {
            let [function] = args.exactly("abstractmethod")?;
            Ok(Value::object(AbstractMethod(function)))
        },
    }
    values(_vm) {
        "ABC" => class(&ABC),
    }
}

/// `abc.ABC`
///
/// DIFFERENCE: its class is `type`, not `abc.ABCMeta`: there are no metaclasses.
pub static ABC: BuiltinType = BuiltinType::new("ABC", "abc", &OBJECT);

/// What `@abstractmethod` gives: the function, marked.
pub struct AbstractMethod(pub Value);

impl Object for AbstractMethod {
    fn class(&self) -> &'static BuiltinType {
        &FUNCTION
    }

    fn get_attr(&self, vm: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        if name == "__isabstractmethod__" { Ok(Some(Value::Bool(true))) } else { vm.find_attr(&self.0, name) }
    }

    fn callable(&self) -> bool {
        true
    }

    fn call(&self, vm: &mut Vm, _: &Value, args: Args) -> PyResult<Value> {
        vm.call(&self.0, args)
    }

    fn bind(&self, _: &mut Vm, _: &Value, instance: &Value) -> Option<PyResult<Value>> {
        Some(Ok(bound(instance.clone(), self.0.clone())))
    }

    fn repr(&self, vm: &mut Vm, _: &Value) -> PyResult<String> {
        vm.repr(&self.0)
    }
}

/// Whether what a class holds is left open.
fn is_open(value: &Value) -> bool {
    if let Some(property) = value.downcast::<Property>() {
        return [&property.getter, &property.setter, &property.deleter].into_iter().any(is_open);
    }
    let inner = value.downcast::<StaticMethod>().map(|method| &method.0);
    let inner = inner.or_else(|| value.downcast::<ClassMethod>().map(|method| &method.0));
    inner.unwrap_or(value).downcast::<AbstractMethod>().is_some()
}

/// The names that a class leaves open, in order; none where it does not derive from [`ABC`].
///
/// # Errors
/// As [`resolution_order`].
pub fn open_methods(class: &Rc<Class>) -> PyResult<Vec<String>> {
    let class_type = Type::Class(class.clone());
    if !class_type.is_subclass(&Type::Builtin(&ABC)) {
        return Ok(Vec::new());
    }
    let mut names = Vec::new();
    for base in resolution_order(&class_type)? {
        if let Type::Class(base) = base {
            let open = base
                .dict
                .borrow()
                .iter()
                .filter(|(_, value)| is_open(value))
                .map(|(name, _)| name.clone())
                .collect::<Vec<_>>();
            names.extend(open);
        }
    }
    names.retain(|name| matches!(class_member(class, name), Some(Member::Value(value)) if is_open(&value)));
    names.sort();
    names.dedup();
    Ok(names)
}
