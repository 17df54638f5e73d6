//! What classes hold besides functions: properties, static and class methods, `super`, and methods without a receiver.

use super::lookup::{own_member, resolution_order};
use super::members::{self, plain};
use super::operator_methods::is_slot;
use super::{CompareOp, Vm};
use crate::python::args::Args;
use crate::python::exception::{PyResult, type_error};
use crate::python::modules::collections::COUNTER;
use crate::python::modules::signature::missing_arguments;
use crate::python::object::Object;
use crate::python::types::{
    BuiltinType, CLASS_METHOD, METHOD_DESCRIPTOR, OBJECT, PROPERTY, STATIC_METHOD, SUPER, Type, WRAPPER_DESCRIPTOR,
};
use crate::python::value::{Method, Value};

/// A `property`.
pub struct Property {
    /// The getter, or `None`.
    pub getter: Value,
    /// The setter, or `None`.
    pub setter: Value,
    /// The deleter, or `None`.
    pub deleter: Value,
}

impl Object for Property {
    fn class(&self) -> &'static BuiltinType {
        &PROPERTY
    }

    fn get_attr(&self, _: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        Ok(match name {
            "fget" => Some(self.getter.clone()),
            "fset" => Some(self.setter.clone()),
            "fdel" => Some(self.deleter.clone()),
            _ => None,
        })
    }

    fn has_method(&self, name: &str) -> bool {
        matches!(name, "getter" | "setter" | "deleter")
    }

    fn call_method(&self, _: &mut Vm, _: &Value, name: &str, args: &mut Args) -> Option<PyResult<Value>> {
        if !self.has_method(name) {
            return None;
        }
        let function = args.pos.first().cloned().unwrap_or(Value::None);
        let (mut getter, mut setter, mut deleter) = (self.getter.clone(), self.setter.clone(), self.deleter.clone());
        match name {
            "getter" => getter = function,
            "setter" => setter = function,
            _ => deleter = function,
        }
        Some(Ok(Value::object(Self { getter, setter, deleter })))
    }
}

/// `property(fget, fset, fdel, doc)`
pub(crate) fn property(_: &mut Vm, args: Args) -> PyResult<Value> {
    let [getter, setter, deleter, _] = args.bind("property", ["fget", "fset", "fdel", "doc"], 0)?;
    let or_none = |value: Option<Value>| value.unwrap_or(Value::None);
    Ok(Value::object(Property { getter: or_none(getter), setter: or_none(setter), deleter: or_none(deleter) }))
}

/// A `staticmethod`.
pub struct StaticMethod(pub Value);

impl Object for StaticMethod {
    fn class(&self) -> &'static BuiltinType {
        &STATIC_METHOD
    }

    fn callable(&self) -> bool {
        true
    }

    fn call(&self, vm: &mut Vm, _: &Value, args: Args) -> PyResult<Value> {
        vm.call(&self.0, args)
    }

    fn get_attr(&self, vm: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        of_wrapped(vm, &self.0, name)
    }

    fn repr(&self, vm: &mut Vm, _: &Value) -> PyResult<String> {
        Ok(format!("<staticmethod({})>", vm.repr(&self.0)?))
    }
}

/// What a static or class method shows of the function that it wraps.
fn of_wrapped(vm: &mut Vm, function: &Value, name: &str) -> PyResult<Option<Value>> {
    match name {
        "__func__" | "__wrapped__" => Ok(Some(function.clone())),
        "__module__" | "__name__" | "__qualname__" | "__doc__" => vm.find_attr(function, name),
        _ => Ok(None),
    }
}

fn one_function(args: Args, class: &str) -> PyResult<[Value; 1]> {
    Ok(args.between(class, 1)?.map(Option::unwrap_or_default))
}

/// `staticmethod(function)`
pub(crate) fn static_method(_: &mut Vm, args: Args) -> PyResult<Value> {
    let [function] = one_function(args, "staticmethod")?;
    Ok(Value::object(StaticMethod(function)))
}

/// A `classmethod`.
pub struct ClassMethod(pub Value);

impl Object for ClassMethod {
    fn class(&self) -> &'static BuiltinType {
        &CLASS_METHOD
    }

    fn get_attr(&self, vm: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        of_wrapped(vm, &self.0, name)
    }

    fn repr(&self, vm: &mut Vm, _: &Value) -> PyResult<String> {
        Ok(format!("<classmethod({})>", vm.repr(&self.0)?))
    }
}

/// `classmethod(function)`
pub(crate) fn class_method(_: &mut Vm, args: Args) -> PyResult<Value> {
    let [function] = one_function(args, "classmethod")?;
    Ok(Value::object(ClassMethod(function)))
}

/// A method of a builtin class, without a receiver: `str.upper`.
pub struct UnboundMethod {
    /// The class whose table has it.
    pub class: &'static BuiltinType,
    /// The method.
    pub method: &'static Method,
}

impl Object for UnboundMethod {
    fn class(&self) -> &'static BuiltinType {
        if is_slot(self.class, self.method.name) { &WRAPPER_DESCRIPTOR } else { &METHOD_DESCRIPTOR }
    }

    fn get_attr(&self, _: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        Ok(match name {
            "__name__" => Some(Value::str(self.method.name)),
            "__qualname__" => {
                let owner = self.class.python_owner(self.method).unwrap_or(self.class);
                Some(Value::str(format!("{}.{}", owner.name, self.method.name)))
            }
            "__module__" => self.class.python_owner(self.method).map(|owner| Value::str(owner.module)),
            _ => None,
        })
    }

    fn callable(&self) -> bool {
        true
    }

    fn call(&self, vm: &mut Vm, _: &Value, mut args: Args) -> PyResult<Value> {
        if args.pos.is_empty() {
            // CPython writes this class in Python.
            if let Some(owner) = self.class.python_owner(self.method)
                && std::ptr::eq(self.class, &raw const COUNTER)
            {
                return Err(missing_arguments(&format!("{}.{}", owner.name, self.method.name), &["self"]));
            }
            let (class, method) = (self.class.shown_name(), self.method.name);
            return Err(type_error(if is_slot(self.class, method) {
                format!("descriptor '{method}' of '{}' object needs an argument", class.as_str())
            } else {
                format!("unbound method {}.{method}() needs an argument", self.class.name)
            }));
        }
        let given = args.pos.remove(0);
        let receiver = plain(&given);
        if !receiver.class().is_subclass(&Type::Builtin(self.class)) {
            let (class, given, method) = (self.class.shown_name(), given.type_name(), self.method.name);
            let (class, given) = (class.as_str(), given.as_str());
            return Err(type_error(if is_slot(self.class, method) {
                format!("descriptor '{method}' requires a '{class}' object but received a '{given}'")
            } else {
                format!("descriptor '{method}' for '{class}' objects doesn't apply to a '{given}' object")
            }));
        }
        vm.charge_receiver(&receiver)?;
        members::call(vm, args, |vm, args| (self.method.call)(vm, &receiver, args))
    }

    fn repr(&self, _: &mut Vm, _: &Value) -> PyResult<String> {
        let kind = if is_slot(self.class, self.method.name) { "slot wrapper" } else { "method" };
        Ok(format!("<{kind} '{}' of '{}' objects>", self.method.name, self.class.shown_name().as_str()))
    }

    fn compare(&self, _: &mut Vm, op: CompareOp, other: &Value) -> Option<PyResult<Value>> {
        let other = other.downcast::<Self>()?;
        let equal = std::ptr::eq(self.method, other.method);
        match op {
            CompareOp::Eq => Some(Ok(Value::Bool(equal))),
            CompareOp::Ne => Some(Ok(Value::Bool(!equal))),
            _ => None,
        }
    }
}

/// `super(class, object)`
struct Super {
    class: Type,
    object: Value,
}

impl Object for Super {
    fn class(&self) -> &'static BuiltinType {
        &SUPER
    }

    // What `super` itself has is not what is asked for: the methods of the object's classes are.
    fn call_method(&self, _: &mut Vm, _: &Value, _: &str, _: &mut Args) -> Option<PyResult<Value>> {
        None
    }

    fn has_method(&self, _: &str) -> bool {
        false
    }

    fn get_attr(&self, vm: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        // In a class method `object` is the class itself.
        let start = match &self.object {
            Value::Type(class) => class.clone(),
            object => object.class(),
        };
        let order = resolution_order(&start)?;
        let after = order.iter().position(|class| class.same(&self.class)).map_or(0, |index| index + 1);
        match order.iter().skip(after).find_map(|class| own_member(class, name)) {
            Some(found) => vm.bind_member(&self.object, found).map(Some),
            None => Ok(super::operator_methods::inherited(&self.object, name)),
        }
    }
}

/// `super(class, object)`. The form without arguments is the interpreter's affair: it knows the method that calls.
pub(crate) fn super_(_: &mut Vm, args: Args) -> PyResult<Value> {
    args.no_keywords("super")?;
    if args.pos.is_empty() {
        return Err(crate::python::exception::runtime_error("super(): no arguments"));
    }
    let [class, object] = args.between("super", 1)?;
    let class = match class {
        Some(Value::Type(class)) => class,
        other => {
            let name = other.unwrap_or(Value::None).type_name();
            return Err(type_error(format!("super() argument 1 must be a type, not {}", name.as_str())));
        }
    };
    let Some(object) = object else {
        return Err(type_error("super() needs an object"));
    };
    super_object(class, object)
}

/// What `super(class, object)` gives.
///
/// # Errors
/// `TypeError` where the object is none of the class's.
pub(super) fn super_object(class: Type, object: Value) -> PyResult<Value> {
    let fits = match &object {
        Value::Type(other) => other.is_subclass(&class),
        other => other.class().is_subclass(&class),
    };
    if !fits {
        return Err(type_error("super(type, obj): obj must be an instance or subtype of type"));
    }
    Ok(Value::object(Super { class, object }))
}

/// A function without arguments that always gives the same.
struct ConstantFunction {
    name: &'static str,
    value: Value,
}

impl Object for ConstantFunction {
    fn class(&self) -> &'static BuiltinType {
        &crate::python::types::BUILTIN_FUNCTION
    }

    fn callable(&self) -> bool {
        true
    }

    fn call(&self, _: &mut Vm, _: &Value, args: Args) -> PyResult<Value> {
        let [] = args.exactly(self.name)?;
        Ok(self.value.clone())
    }
}

/// A function `name()` that gives `value`.
pub(super) fn constant_function(name: &'static str, value: Value) -> Value {
    Value::object(ConstantFunction { name, value })
}

/// `object.__init__`: for exceptions it sets the arguments, as `BaseException.__init__` does.
fn init(_: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    match receiver {
        Value::Exception(exception) => {
            exception.args.replace(args.pos.into_vec());
        }
        _ if args.pos.is_empty() && args.kw.is_empty() => {}
        // What is made by `__new__` alone takes anything here.
        Value::Int(_)
        | Value::BigInt(_)
        | Value::Bool(_)
        | Value::Float(_)
        | Value::Str(_)
        | Value::Bytes(_)
        | Value::Tuple(_)
        | Value::Range(_) => {}
        _ => {
            return Err(type_error("object.__init__() takes exactly one argument (the instance to initialize)"));
        }
    }
    Ok(Value::None)
}

/// `object.__setattr__`: sets what the instance holds, past a `__setattr__` of its class.
fn set_attribute(vm: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    let [name, value] = args.exactly("__setattr__")?;
    let Value::Str(name) = name else {
        return Err(type_error(format!("attribute name must be string, not '{}'", name.type_name().as_str())));
    };
    match receiver {
        Value::Instance(instance) => {
            instance.attributes.set_str(name, value);
        }
        _ => vm.set_attr(receiver, &name, value)?,
    }
    Ok(Value::None)
}

/// `object.__delattr__`: deletes what the instance holds, past a `__delattr__` of its class.
fn delete_attribute(vm: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    let [name] = args.exactly("__delattr__")?;
    let Value::Str(name) = name else {
        return Err(type_error(format!("attribute name must be string, not '{}'", name.type_name().as_str())));
    };
    match receiver {
        Value::Instance(instance) => {
            let removed = instance.attributes.remove_str(&name);
            if removed.is_none() {
                return Err(super::attributes::no_attribute(receiver, &name));
            }
        }
        _ => vm.del_attr(receiver, &name)?,
    }
    Ok(Value::None)
}

/// The methods of `object` that code calls by name.
pub static OBJECT_METHODS: &[Method] = &[
    Method { name: "__delattr__", call: delete_attribute },
    Method {
        name: "__getattribute__",
        call: |vm, this, args| {
            let [name] = args.exactly("__getattribute__")?;
            match &name {
                Value::Str(name) => vm.get_attr(this, name),
                other => {
                    let given = other.type_name();
                    Err(type_error(format!("attribute name must be string, not '{}'", given.as_str())))
                }
            }
        },
    },
    Method { name: "__init__", call: init },
    Method { name: "__setattr__", call: set_attribute },
];

/// `object.__new__(class)`
pub(crate) fn new(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let Some(Value::Type(class)) = args.pos.first() else {
        return Err(type_error("object.__new__(X): X is not a type object"));
    };
    super::class::bare_instance(vm, class, &args)
}

/// The static methods of `object`.
pub static OBJECT_STATICS: &[crate::python::value::Builtin] =
    &[crate::python::value::Builtin { name: "__new__", call: new }];

/// Whether a class is `object` itself.
pub(crate) fn is_object(class: &Type) -> bool {
    matches!(class, Type::Builtin(class) if std::ptr::eq(*class, &raw const OBJECT))
}
