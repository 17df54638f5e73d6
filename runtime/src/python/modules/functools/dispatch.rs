//! `singledispatch`: functions that the class of their first argument chooses.

use std::cell::RefCell;

use crate::python::args::Args;
use crate::python::dict::Dict;
use crate::python::exception::{PyResult, type_error};
use crate::python::modules::abc::is_virtual_subclass;
use crate::python::modules::signature::Signature;
use crate::python::modules::typing::union_members;
use crate::python::native_function::NativeFunction;
use crate::python::object::Object;
use crate::python::types::{BuiltinType, FUNCTION, OBJECT, Type};
use crate::python::value::Value;
use crate::python::vm::Vm;
use crate::python::vm::attributes::no_attribute;
use crate::python::vm::descriptors::is_object;
use crate::python::vm::lookup::resolution_order;

/// A function with its variants.
struct Dispatch {
    function: Value,
    variants: RefCell<Vec<(Type, Value)>>,
}

/// `singledispatch(func)`
pub(super) fn singledispatch(_: &mut Vm, args: Args) -> PyResult<Value> {
    let [function] = Signature::function("singledispatch", ["func"], 1).bind(args)?.map(Option::unwrap_or_default);
    let variants = RefCell::new(vec![(Type::Builtin(&OBJECT), function.clone())]);
    Ok(Value::object(Dispatch { function, variants }))
}

/// The classes that a variant can be registered for: a class, or those of a union.
fn classes_of(value: &Value) -> Option<Vec<Type>> {
    let class = |value: &Value| match value {
        Value::Type(class) => Some(class.clone()),
        _ => None,
    };
    match union_members(value) {
        Some(members) => members.iter().map(class).collect(),
        None => class(value).map(|class| vec![class]),
    }
}

impl Dispatch {
    /// The variant for a class: that of the class itself or of the first of its bases that has one.
    fn variant(&self, vm: &mut Vm, of: &Type) -> PyResult<Value> {
        let variants = self.variants.borrow();
        vm.charge(variants.len())?;
        for class in resolution_order(of)? {
            // An abstract class is asked only where no other is registered but `object`.
            if is_object(&class)
                && let Some((_, function)) = variants.iter().rev().find(|(known, _)| {
                    matches!(known, Type::Builtin(known) if known.module == "collections.abc")
                        && is_virtual_subclass(of, known)
                })
            {
                return Ok(function.clone());
            }
            if let Some((_, function)) = variants.iter().rev().find(|(known, _)| known.same(&class)) {
                return Ok(function.clone());
            }
        }
        Ok(self.function.clone())
    }

    fn add(&self, classes: &[Type], function: &Value) {
        let added = classes.iter().map(|class| (class.clone(), function.clone()));
        self.variants.borrow_mut().extend(added);
    }

    /// `register(cls, func=None)`
    fn register(&self, vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
        let [class, function] = Signature::function("register", ["cls", "func"], 1).bind(args)?;
        let class = class.unwrap_or_default();
        let function = function.filter(|function| !function.is_none());
        let Some(classes) = classes_of(&class) else {
            let shown = vm.repr(&class)?;
            // DIFFERENCE: functions keep no annotations to take the class from.
            return Err(type_error(match function {
                Some(_) => format!("Invalid first argument to `register()`. {shown} is not a class or union type."),
                None => format!(
                    "Invalid first argument to `register()`: {shown}. Use either `@register(some_class)` or plain \
                     `@register` on an annotated function."
                ),
            }));
        };
        vm.charge(classes.len())?;
        if let Some(function) = function {
            self.add(&classes, &function);
            return Ok(function);
        }
        let this = this.clone();
        Ok(NativeFunction::value("<lambda>", "register.<locals>.<lambda>".to_owned(), move |_, args| {
            let [function] = args.exactly("register")?;
            if let Some(dispatch) = this.downcast::<Self>() {
                dispatch.add(&classes, &function);
            }
            Ok(function)
        }))
    }
}

impl Object for Dispatch {
    fn class(&self) -> &'static BuiltinType {
        &FUNCTION
    }

    fn repr(&self, vm: &mut Vm, this: &Value) -> PyResult<String> {
        super::wrapper_repr(vm, &self.function, "singledispatch.<locals>.wrapper", this)
    }

    fn get_attr(&self, vm: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        match name {
            "registry" => {
                let variants: Vec<(Type, Value)> = self.variants.borrow().clone();
                let registry = Dict::new();
                for (class, function) in variants {
                    registry.set(vm, Value::Type(class), function)?;
                }
                Ok(Some(Value::dict(registry)))
            }
            "__wrapped__" => Ok(Some(self.function.clone())),
            "__name__" => Ok(vm.find_attr(&self.function, name)?.or_else(|| Some(Value::str("wrapper")))),
            "__qualname__" => {
                Ok(vm.find_attr(&self.function, name)?.or_else(|| Some(Value::str("singledispatch.<locals>.wrapper"))))
            }
            "__module__" => Ok(vm.find_attr(&self.function, name)?.or_else(|| Some(Value::str("functools")))),
            "__doc__" => vm.find_attr(&self.function, name),
            _ => Ok(None),
        }
    }

    fn has_method(&self, name: &str) -> bool {
        matches!(name, "dispatch" | "register")
    }

    fn call_method(&self, vm: &mut Vm, this: &Value, name: &str, args: &mut Args) -> Option<PyResult<Value>> {
        match name {
            "dispatch" => Some(std::mem::take(args).exactly("dispatch").and_then(|[class]| match class {
                Value::Type(class) => self.variant(vm, &class),
                // It is looked for among those asked before, which are held by weak references.
                Value::Function(_) | Value::Builtin(_) | Value::BoundMethod(_) | Value::Instance(_) => {
                    Err(no_attribute(&class, "__mro__"))
                }
                other => {
                    let class = other.type_name();
                    Err(type_error(format!("cannot create weak reference to '{}' object", class.as_str())))
                }
            })),
            "register" => Some(self.register(vm, this, std::mem::take(args))),
            _ => None,
        }
    }

    fn callable(&self) -> bool {
        true
    }

    fn call(&self, vm: &mut Vm, _: &Value, args: Args) -> PyResult<Value> {
        let Some(first) = args.pos.first() else {
            let name = match vm.find_attr(&self.function, "__name__")? {
                Some(name) => vm.str(&name)?,
                None => "singledispatch function".into(),
            };
            return Err(type_error(format!("{} requires at least 1 positional argument", name.as_str())));
        };
        let function = self.variant(vm, &first.class())?;
        vm.call(&function, args)
    }
}
