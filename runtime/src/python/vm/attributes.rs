//! Attributes: `object.name`.

use std::rc::Rc;

use super::Vm;
use super::descriptors::{ClassMethod, Property, StaticMethod, UnboundMethod};
use super::lookup::{Member, builtin_member, class_member, member, resolution_order};
use super::origin;
use crate::python::args::Args;
use crate::python::dict::{Dict, DictKind};
use crate::python::exception::{
    ATTRIBUTE_ERROR, ExceptionObject, IMPORT_ERROR, OS_ERROR, PyResult, Raised, STOP_ITERATION, SYSTEM_EXIT,
    attribute_error, type_error,
};
use crate::python::modules::collections::named_tuple;
use crate::python::modules::enums;
use crate::python::modules::types::read_only;
use crate::python::modules::typing::Alias;
use crate::python::string::Str;
use crate::python::types::{BUILTIN_FUNCTION, Instance, OBJECT, Type};
use crate::python::value::{BoundMethod, MethodTarget, Value};

impl Vm {
    /// `object.name`
    ///
    /// # Errors
    /// `AttributeError` with CPython's text.
    pub fn get_attr(&mut self, object: &Value, name: &str) -> PyResult<Value> {
        match self.attribute(object, name)? {
            Some(value) => Ok(value),
            None => Err(no_attribute(object, name)),
        }
    }

    /// `getattr(object, name, None)` as an option: only `AttributeError` counts as absent.
    ///
    /// # Errors
    /// Any other exception.
    pub fn find_attr(&mut self, object: &Value, name: &str) -> PyResult<Option<Value>> {
        match self.attribute(object, name) {
            Err(raised) if raised.is(&ATTRIBUTE_ERROR) => Ok(None),
            result => result,
        }
    }

    /// The method `name` that a class of the config's code defines for its instances, bound to the object: how Python
    /// finds `__eq__`, `__len__` and their like. `None` for objects of all other classes.
    ///
    /// # Errors
    /// What a property raises.
    pub fn bound_special(&mut self, object: &Value, name: &str) -> PyResult<Option<Value>> {
        let found = match object {
            Value::Instance(instance) => class_member(&instance.class, name),
            Value::Exception(exception) => member(&exception.class, name),
            Value::Tuple(tuple) => tuple.class.as_ref().and_then(|class| member(class, name)),
            _ => None,
        };
        match found {
            Some(found @ Member::Value(_)) => self.bind_member(object, found).map(Some),
            _ => Ok(None),
        }
    }

    fn attribute(&mut self, object: &Value, name: &str) -> PyResult<Option<Value>> {
        match object {
            Value::Object(handle) => {
                if let Some(value) = handle.get_attr(self, object, name)? {
                    return Ok(Some(value));
                }
                if handle.has_method(name) {
                    let target = MethodTarget::Host(Str::from(name));
                    return Ok(Some(Value::BoundMethod(Rc::new(BoundMethod { receiver: object.clone(), target }))));
                }
            }
            Value::Instance(instance) => return self.instance_attribute(object, instance, name),
            Value::Exception(exception) => {
                if let Some(value) = exception_attribute(exception, name) {
                    return Ok(Some(value));
                }
            }
            Value::Module(module) => {
                if let Some(value) = (module.get)(self, name)? {
                    return Ok(Some(value));
                }
                if let Some(value) = self.submodule(module.name, name) {
                    return Ok(Some(value));
                }
                match name {
                    "__name__" => return Ok(Some(Value::str(module.name))),
                    "__dict__" | "__all__" => {}
                    _ if name.starts_with("__") => {}
                    _ => return Ok(None),
                }
            }
            Value::Type(class) => return self.class_attribute(object, class, name),
            Value::Tuple(tuple) => {
                if let Some(class) = &tuple.class
                    && let Some(value) = named_field(class, &tuple.items, name)
                {
                    return Ok(Some(value));
                }
            }
            Value::Int(_) | Value::BigInt(_) | Value::Bool(_) | Value::Float(_) => {
                if let Some(value) = number_attribute(object, name) {
                    return Ok(Some(value));
                }
            }
            Value::Dict(dict) if name == "default_factory" => {
                if let DictKind::Default(factory) = &dict.kind {
                    return Ok(Some(factory.clone()));
                }
            }
            Value::Slice(slice) => match name {
                "start" => return Ok(Some(slice.start.clone())),
                "stop" => return Ok(Some(slice.stop.clone())),
                "step" => return Ok(Some(slice.step.clone())),
                _ => {}
            },
            Value::Range(range) => match name {
                "start" => return Ok(Some(Value::Int(range.start))),
                "stop" => return Ok(Some(Value::Int(range.stop))),
                "step" => return Ok(Some(Value::Int(range.step))),
                _ => {}
            },
            Value::Iterator(iterator) if matches!(name, "__name__" | "__qualname__") => {
                // A generator that asks for its own name while it runs is not told.
                let names = iterator.state.try_borrow().ok().and_then(|state| state.names());
                if let Some((short, qualified)) = names {
                    return Ok(Some(Value::str(if name == "__name__" { short } else { qualified })));
                }
            }
            Value::Function(_) | Value::Builtin(_) | Value::BoundMethod(_) => {
                if let Some(value) = self.function_attribute(object, name) {
                    return Ok(Some(value));
                }
                // A method has what its function has, which may be an object: what `functools.cache` makes.
                if let Some(function) = object_of_method(object) {
                    return match name {
                        "__class__" => Ok(self.common_attribute(object, name)),
                        _ => self.find_attr(&function, name),
                    };
                }
            }
            _ => {}
        }
        if let Some(found) = member(&object.class(), name) {
            return self.bind_member(object, found).map(Some);
        }
        Ok(self.common_attribute(object, name))
    }

    fn instance_attribute(&mut self, object: &Value, instance: &Rc<Instance>, name: &str) -> PyResult<Option<Value>> {
        let found = class_member(&instance.class, name);
        // A property hides what the instance holds; all else of the class is hidden by it.
        let is_property = matches!(&found, Some(Member::Value(value)) if value.downcast::<Property>().is_some());
        if !is_property && let Some(value) = instance.attributes.get_str(name) {
            return Ok(Some(value));
        }
        let result = match found {
            Some(found) => self.bind_member(object, found).map(Some),
            None if name == "__dict__" => return Ok(Some(Value::Dict(instance.attributes.clone()))),
            None => match enums::mixed_value(instance).and_then(|number| number_attribute(&number, name)) {
                // A member of an enumeration that is an int has the parts of ints.
                Some(part) => Ok(Some(part)),
                None => Ok(self.common_attribute(object, name)),
            },
        };
        let absent = match &result {
            Ok(value) => value.is_none(),
            Err(raised) => raised.is(&ATTRIBUTE_ERROR),
        };
        if absent && let Some(fallback) = self.bound_special(object, "__getattr__")? {
            return self.call(&fallback, Args::one(Value::str(name))).map(Some);
        }
        result
    }

    fn class_attribute(&mut self, object: &Value, class: &Type, name: &str) -> PyResult<Option<Value>> {
        if let (Type::Class(class), "__annotations__") = (class, name) {
            // Those of a base are not the class's.
            let own = class.dict.borrow().get(name).cloned();
            return Ok(Some(own.unwrap_or_else(|| Value::dict(Dict::new()))));
        }
        if name == "__members__" && enums::of_type(class).is_some() {
            let members = match class {
                Type::Class(class) => enums::names(class).unwrap_or_default(),
                Type::Builtin(_) => Rc::default(),
            };
            return Ok(Some(read_only(Value::Dict(members))));
        }
        match member(class, name) {
            Some(Member::Value(value)) => {
                if let Some(method) = value.downcast::<StaticMethod>() {
                    return Ok(Some(method.0.clone()));
                }
                if let Some(method) = value.downcast::<ClassMethod>() {
                    return Ok(Some(bound(object.clone(), method.0.clone())));
                }
                if let Some(function) =
                    value.downcast::<Property>().and_then(|property| named_tuple::unbound(class, &property.getter))
                {
                    return Ok(Some(function));
                }
                return Ok(Some(value));
            }
            Some(Member::Method(owner, method)) => {
                return Ok(Some(Value::object(UnboundMethod { class: owner, method })));
            }
            Some(Member::Static(function)) => return Ok(Some(Value::Builtin(function))),
            None => {}
        }
        Ok(match name {
            "__name__" => Some(Value::Str(class.name())),
            "__qualname__" => Some(Value::Str(match class {
                Type::Builtin(_) => class.name(),
                Type::Class(class) => class.qualified_name().clone(),
            })),
            "__module__" => Some(match class {
                Type::Builtin(class) if class.module.is_empty() => Value::str("builtins"),
                Type::Builtin(class) => Value::str(class.module),
                Type::Class(_) => self.module_name(),
            }),
            "__doc__" => Some(Value::None),
            "__class__" => Some(Value::Type(object.class())),
            "__bases__" => Some(Value::tuple(match class {
                Type::Builtin(class) => class.base.iter().map(|base| Value::Type(Type::Builtin(base))).collect(),
                Type::Class(class) if class.bases.is_empty() => vec![Value::Type(Type::Builtin(&OBJECT))],
                Type::Class(class) => class.bases.iter().cloned().map(Value::Type).collect(),
            })),
            "__base__" => Some(match class {
                Type::Builtin(class) => class.base.map_or(Value::None, |base| Value::Type(Type::Builtin(base))),
                Type::Class(class) => Value::Type(class.bases.first().cloned().unwrap_or(Type::Builtin(&OBJECT))),
            }),
            "__mro__" => Some(Value::tuple(resolution_order(class)?.into_iter().map(Value::Type).collect())),
            // DIFFERENCE: it holds what the body and decorators set, not what every class has.
            "__dict__" => match class {
                Type::Class(class) => {
                    let items: Vec<(Str, Value)> =
                        class.dict.borrow().iter().map(|(k, v)| (Str::from(k.as_str()), v.clone())).collect();
                    Some(read_only(Value::dict(Dict::from_strs(items))))
                }
                Type::Builtin(_) => None,
            },
            "mro" => {
                let mro = resolution_order(class)?.into_iter().map(Value::Type).collect();
                Some(super::descriptors::constant_function("mro", Value::list(mro)))
            }
            _ => {
                if let Type::Builtin(class) = class {
                    if let Some(value) = super::data_descriptor::of(class, name) {
                        return Ok(Some(value));
                    }
                    let environment = self.environment.clone();
                    if let Some(value) = environment.class_attribute(self, class, name)? {
                        return Ok(Some(value));
                    }
                }
                if let Type::Class(_) = class {
                    // Of classes that derive from builtin ones: members of enumerations that are ints.
                    let of_bases = resolution_order(class)?.into_iter().find_map(|base| match base {
                        Type::Builtin(base) => super::data_descriptor::of(base, name),
                        Type::Class(_) => None,
                    });
                    if of_bases.is_some() {
                        return Ok(of_bases);
                    }
                }
                named_tuple::field(class, name).or_else(|| super::operator_methods::of_class(class, name))
            }
        })
    }

    fn function_attribute(&mut self, object: &Value, name: &str) -> Option<Value> {
        let function = match object {
            Value::BoundMethod(method) => match (&method.target, name) {
                (_, "__self__") => return Some(method.receiver.clone()),
                (MethodTarget::Function(function), "__func__") => return Some(function.clone()),
                (MethodTarget::Native(native), "__name__") => return Some(Value::str(native.name)),
                (MethodTarget::Native(native), "__qualname__") => {
                    let class = match &method.receiver {
                        Value::Type(class) => class.clone(),
                        receiver => receiver.class(),
                    };
                    let owner = class.builtin_base().python_owner(native).map(Type::from);
                    let class = owner.unwrap_or(class).name();
                    return Some(Value::str(format!("{}.{}", class.as_str(), native.name)));
                }
                (MethodTarget::Native(_) | MethodTarget::Host(_), "__module__") => {
                    let of_c = object.class().same(&Type::Builtin(&BUILTIN_FUNCTION)).then_some(Value::None);
                    return origin::module_of_method(method).map(Value::str).or(of_c);
                }
                (MethodTarget::Host(text), "__name__") => return Some(Value::Str(text.clone())),
                (MethodTarget::Host(text), "__qualname__") => {
                    let class = origin::owner_of(&method.receiver, text);
                    return Some(Value::str(format!("{}.{}", class.as_str(), text.as_str())));
                }
                (MethodTarget::Function(function), _) => function,
                _ => return None,
            },
            other => other,
        };
        if let Value::Function(function) = function
            && let Some(value) = function.borrowed(name)
        {
            return Some(value);
        }
        match (function, name) {
            (Value::Function(function), "__name__") => Some(Value::Str(function.name.clone())),
            (Value::Function(function), "__qualname__") => Some(Value::str(super::arguments::qualified_name(function))),
            (Value::Function(function), "__defaults__") => {
                Some(if function.defaults.is_empty() { Value::None } else { Value::tuple(function.defaults.clone()) })
            }
            (Value::Function(_), "__module__") => Some(self.module_name()),
            (Value::Builtin(builtin), "__name__") => Some(Value::str(builtin.name)),
            (Value::Builtin(builtin), "__qualname__") => Some(Value::str(origin::qualified_name(builtin))),
            (Value::Builtin(builtin), "__module__") => Some(match origin::class_of(builtin) {
                Some(class) if class.module.is_empty() || class.is_in_c_module() => Value::None,
                Some(class) => Value::str(class.module),
                None => Value::str(self.module_of(builtin).unwrap_or("builtins")),
            }),
            _ => None,
        }
    }

    fn common_attribute(&mut self, object: &Value, name: &str) -> Option<Value> {
        match name {
            "__class__" => Some(Value::Type(object.class())),
            "__doc__" => Some(Value::None),
            "__module__" => match object.class() {
                Type::Class(_) => Some(self.module_name()),
                Type::Builtin(class) if !class.is_static() => Some(Value::str(class.module)),
                Type::Builtin(_) => None,
            },
            _ => super::operator_methods::of_value(object, name),
        }
    }

    /// `__name__` of the module that the config's code seems to be in.
    pub(super) fn module_name(&mut self) -> Value {
        let environment = self.environment.clone();
        match environment.global(self, "__name__") {
            Ok(Some(name)) => name,
            _ => Value::str("__main__"),
        }
    }

    /// What a class's attribute is when it is asked of an instance.
    pub(super) fn bind_member(&mut self, object: &Value, found: Member) -> PyResult<Value> {
        let value = match found {
            Member::Method(_, method) => {
                let target = MethodTarget::Native(method);
                // A member of an enumeration that is a str has the methods of strs.
                let receiver = match object {
                    Value::Instance(instance) => enums::mixed_value(instance),
                    _ => None,
                };
                let receiver = receiver.unwrap_or_else(|| object.clone());
                return Ok(Value::BoundMethod(Rc::new(BoundMethod { receiver, target })));
            }
            Member::Static(function) => return Ok(Value::Builtin(function)),
            Member::Value(value) => value,
        };
        if let Value::Function(_) = value {
            return Ok(bound(object.clone(), value));
        }
        if let Some(property) = value.downcast::<Property>() {
            if property.getter.is_none() {
                return Err(attribute_error("unreadable attribute"));
            }
            let getter = property.getter.clone();
            return self.call(&getter, Args::one(object.clone()));
        }
        if let Some(method) = value.downcast::<StaticMethod>() {
            return Ok(method.0.clone());
        }
        if let Some(method) = value.downcast::<ClassMethod>() {
            return Ok(bound(Value::Type(object.class()), method.0.clone()));
        }
        if let Value::Object(handle) = &value
            && let Some(result) = handle.bind(self, &value, object)
        {
            return result;
        }
        Ok(value)
    }

    /// [`Vm::bind_member`] for the modules of the runtime.
    pub(crate) fn bind_found(&mut self, object: &Value, found: Member) -> PyResult<Value> {
        self.bind_member(object, found)
    }

    /// `object.name = value`
    ///
    /// # Errors
    /// `AttributeError` where it cannot be set.
    pub fn set_attr(&mut self, object: &Value, name: &Str, value: Value) -> PyResult<()> {
        match object {
            Value::Object(handle) => handle.set_attr(self, name, value),
            Value::Instance(instance) => {
                let found = match class_member(&instance.class, name) {
                    Some(Member::Value(found @ Value::Object(_))) => Some(found),
                    _ => None,
                };
                if found.as_ref().is_some_and(|found| found.downcast::<named_tuple::TupleGetter>().is_some()) {
                    return Err(attribute_error("can't set attribute"));
                }
                if let Some(property) = found.as_ref().and_then(|found| found.downcast::<Property>()) {
                    if property.setter.is_none() {
                        return Err(attribute_error(format!(
                            "property '{}' of '{}' object has no setter",
                            name.as_str(),
                            object.type_name().as_str()
                        )));
                    }
                    let setter = property.setter.clone();
                    return self.call(&setter, Args::positional([object.clone(), value])).map(drop);
                }
                if let Some(setter) = self.bound_special(object, "__setattr__")? {
                    return self.call(&setter, Args::positional([Value::Str(name.clone()), value])).map(drop);
                }
                match (name.as_str(), &value) {
                    ("__dict__", Value::Dict(new)) => {
                        drop(instance.attributes.table.replace(new.table.borrow().clone()))
                    }
                    ("__dict__", other) => {
                        let given = other.type_name();
                        let message = format!("__dict__ must be set to a dictionary, not a '{}'", given.as_str());
                        return Err(type_error(message));
                    }
                    _ => instance.attributes.set_str(name.clone(), value),
                }
                Ok(())
            }
            Value::Exception(exception) => self.set_exception_attribute(exception, name, value),
            Value::Type(Type::Class(class)) => {
                if enums::names(class).is_some_and(|members| members.get_str(name).is_some()) {
                    return Err(attribute_error(format!("cannot reassign member '{}'", name.as_str())));
                }
                let old = class.dict.borrow_mut().insert(name.to_string(), value);
                drop(old);
                Ok(())
            }
            Value::Type(Type::Builtin(class)) => Err(type_error(format!(
                "cannot set '{}' attribute of immutable type '{}{}'",
                name.as_str(),
                class.module_prefix(),
                class.name
            ))),
            // DIFFERENCE: CPython's functions and modules take new attributes; here a config's code cannot change what
            // outlives its block.
            _ => Err(self.cannot_set(object, name)),
        }
    }

    fn cannot_set(&mut self, object: &Value, name: &Str) -> Raised {
        let there = builtin_member(object.class().builtin_base(), name).is_some();
        if matches!(object, Value::Range(_) | Value::Slice(_)) && matches!(name.as_str(), "start" | "stop" | "step") {
            return attribute_error("readonly attribute");
        }
        if matches!(object.class(), Type::Builtin(class) if std::ptr::eq(class, &raw const BUILTIN_FUNCTION))
            && matches!(name.as_str(), "__doc__" | "__name__" | "__qualname__" | "__self__")
        {
            let name = name.as_str();
            return attribute_error(format!(
                "attribute '{name}' of 'builtin_function_or_method' objects is not writable"
            ));
        }
        let hidden = name.as_str() == "__module__" && object.class().builtin_base().is_static();
        if !hidden && (there || matches!(self.find_attr(object, name), Ok(Some(_)))) {
            return attribute_error(format!(
                "'{}' object attribute '{}' is read-only",
                object.type_name().as_str(),
                name.as_str()
            ));
        }
        no_attribute(object, name)
    }

    fn set_exception_attribute(&mut self, exception: &Rc<ExceptionObject>, name: &Str, value: Value) -> PyResult<()> {
        match name.as_str() {
            "args" => {
                let items = self.collect(&value)?;
                exception.args.replace(items);
            }
            "__cause__" | "__context__" => {
                let value = match value {
                    Value::None => None,
                    value @ Value::Exception(_) => Some(value),
                    _ => {
                        let what = name.trim_matches('_');
                        return Err(type_error(format!("exception {what} must be None or derive from BaseException")));
                    }
                };
                if name.as_str() == "__cause__" {
                    exception.suppress_context.set(true);
                    exception.cause.replace(value);
                } else {
                    exception.context.replace(value);
                }
            }
            "__suppress_context__" => {
                let suppress = self.truthy(&value)?;
                exception.suppress_context.set(suppress);
            }
            "__traceback__" => exception.set_traceback(value)?,
            _ => {
                let old = exception.attributes.borrow_mut().insert(name.to_string(), value);
                drop(old);
            }
        }
        Ok(())
    }

    /// `del object.name`
    ///
    /// # Errors
    /// `AttributeError` where it is not there.
    pub fn del_attr(&mut self, object: &Value, name: &Str) -> PyResult<()> {
        let removed = match object {
            Value::Object(handle) => return handle.del_attr(self, name),
            Value::Instance(instance) => {
                if let Some(Member::Value(found)) = class_member(&instance.class, name)
                    && let Some(property) = found.downcast::<Property>()
                {
                    if property.deleter.is_none() {
                        return Err(attribute_error(format!(
                            "property '{}' of '{}' object has no deleter",
                            name.as_str(),
                            object.type_name().as_str()
                        )));
                    }
                    let deleter = property.deleter.clone();
                    return self.call(&deleter, Args::one(object.clone())).map(drop);
                }
                if let Some(deleter) = self.bound_special(object, "__delattr__")? {
                    return self.call(&deleter, Args::one(Value::Str(name.clone()))).map(drop);
                }
                instance.attributes.remove_str(name)
            }
            Value::Exception(_) if matches!(name.as_str(), "__cause__" | "__context__" | "__traceback__" | "args") => {
                return Err(type_error(format!("{} may not be deleted", name.as_str())));
            }
            Value::Exception(exception) => exception.attributes.borrow_mut().shift_remove(name.as_str()),
            Value::Type(Type::Class(class)) => class.dict.borrow_mut().shift_remove(name.as_str()),
            Value::Type(Type::Builtin(class)) => {
                return Err(type_error(format!(
                    "cannot delete '{}' attribute of immutable type '{}{}'",
                    name.as_str(),
                    class.module_prefix(),
                    class.name
                )));
            }
            _ => return Err(self.cannot_set(object, name)),
        };
        match (removed, object) {
            (Some(_), _) => Ok(()),
            // CPython names only the attribute here.
            (None, Value::Type(_)) => Err(attribute_error(name.as_str())),
            (None, _) => Err(no_attribute(object, name)),
        }
    }
}

/// The object that a method calls, where that is neither a function nor a method of a class of the runtime.
fn object_of_method(method: &Value) -> Option<Value> {
    let Value::BoundMethod(method) = method else { return None };
    match &method.target {
        MethodTarget::Function(function @ Value::Object(_)) => Some(function.clone()),
        _ => None,
    }
}

/// A function with a receiver.
pub(crate) fn bound(receiver: Value, function: Value) -> Value {
    Value::BoundMethod(Rc::new(BoundMethod { receiver, target: MethodTarget::Function(function) }))
}

/// `AttributeError` as CPython words it for what `object` is.
pub(crate) fn no_attribute(object: &Value, name: &str) -> Raised {
    if let Some(alias) = object.downcast::<Alias>() {
        return no_attribute(alias.origin(), name);
    }
    if let Some(function) = object_of_method(object) {
        return no_attribute(&function, name);
    }
    attribute_error(match object {
        Value::Type(class) if enums::is_enum(class) => name.to_owned(),
        Value::Type(Type::Builtin(class)) => {
            format!("type object '{}' has no attribute '{name}'", class.shown_name().as_str())
        }
        Value::Type(class) => format!("type object '{}' has no attribute '{name}'", class.name().as_str()),
        Value::Module(module) => format!("module '{}' has no attribute '{name}'", module.name),
        _ => match super::import::package_name(object) {
            Some(package) => format!("module '{package}' has no attribute '{name}'"),
            None => format!("'{}' object has no attribute '{name}'", object.type_name().as_str()),
        },
    })
}

/// A field of a named tuple: its class holds the names in `_fields`.
fn named_field(class: &Type, items: &[Value], name: &str) -> Option<Value> {
    let Some(Member::Value(Value::Tuple(fields))) = member(class, "_fields") else { return None };
    let is_it = |field: &Value| field.as_str().is_some_and(|field| field.as_str() == name);
    items.get(fields.items.iter().position(is_it)?).cloned()
}

/// What a number has; nothing where it is none.
fn number_attribute(number: &Value, name: &str) -> Option<Value> {
    if !matches!(number, Value::Int(_) | Value::BigInt(_) | Value::Bool(_) | Value::Float(_)) {
        return None;
    }
    let whole = match number {
        Value::Bool(value) => Value::Int(i64::from(*value)),
        other => other.clone(),
    };
    match (number, name) {
        (_, "real") => Some(whole),
        (Value::Float(_), "imag") => Some(Value::Float(0.0)),
        (_, "imag") => Some(Value::Int(0)),
        (Value::Float(_), _) => None,
        (_, "numerator") => Some(whole),
        (_, "denominator") => Some(Value::Int(1)),
        _ => None,
    }
}

fn exception_attribute(exception: &ExceptionObject, name: &str) -> Option<Value> {
    let optional = |cell: &std::cell::RefCell<Option<Value>>| cell.borrow().clone().unwrap_or(Value::None);
    if let Some(value) = exception.attributes.borrow().get(name) {
        return Some(value.clone());
    }
    let argument = |index: usize| exception.args.borrow().get(index).cloned().unwrap_or(Value::None);
    match name {
        "args" => Some(Value::tuple(exception.args.borrow().clone())),
        "__cause__" => Some(optional(&exception.cause)),
        "__context__" => Some(optional(&exception.context)),
        "__suppress_context__" => Some(Value::Bool(exception.suppress_context.get())),
        "__traceback__" => Some(optional(&exception.traceback)),
        "__dict__" => {
            let items: Vec<(Str, Value)> =
                exception.attributes.borrow().iter().map(|(k, v)| (Str::from(k.as_str()), v.clone())).collect();
            Some(Value::dict(Dict::from_strs(items)))
        }
        "value" if exception.is(&STOP_ITERATION) => Some(argument(0)),
        "code" if exception.is(&SYSTEM_EXIT) => {
            let count = exception.args.borrow().len();
            Some(if count > 1 { Value::tuple(exception.args.borrow().clone()) } else { argument(0) })
        }
        "errno" | "strerror" | "filename" if exception.is(&OS_ERROR) => {
            // `OSError` takes its arguments apart only where there are two or more.
            let index = match name {
                "errno" => 0,
                "strerror" => 1,
                _ => 2,
            };
            let count = exception.args.borrow().len();
            Some(if count >= 2 { argument(index) } else { Value::None })
        }
        "msg" if exception.is(&IMPORT_ERROR) => Some(argument(0)),
        "name" | "path" if exception.is(&IMPORT_ERROR) => Some(Value::None),
        _ => None,
    }
}
