//! Classes of the config's code: how they are made, and how their instances are.

use std::rc::Rc;

use indexmap::IndexMap;

use super::Vm;
use super::descriptors::{ClassMethod, Property, StaticMethod, is_object};
use super::lookup::{Member, class_member, resolution_order};
use super::members;
use crate::python::args::Args;
use crate::python::dict::Dict;
use crate::python::exception::{PyResult, not_implemented_error, type_error, value_error};
use crate::python::modules::abc;
use crate::python::modules::abstract_methods::{AbstractMethod, open_methods};
use crate::python::modules::collections::named_tuple;
use crate::python::modules::enums;
use crate::python::modules::functools::CachedProperty;
use crate::python::modules::typing::{self, Base, NAMED_TUPLE};
use crate::python::string::Str;
use crate::python::types::{BuiltinType, Class, DICT, Instance, LIST, SET, Type};
use crate::python::value::Value;

/// The builtin class whose instances are values of their own form, which a class of the config's code cannot have, where the
/// class is one or derives from one.
pub(crate) fn own_form(class: &'static BuiltinType) -> Option<&'static BuiltinType> {
    use crate::python::types::*;
    let own: [&'static BuiltinType; 11] =
        [&INT, &FLOAT, &STR, &BYTES, &TUPLE, &LIST, &DICT, &SET, &FROZENSET, &TYPE, &MODULE];
    own.into_iter().find(|other| class.is_subclass(other))
}

fn has_own_form(class: &'static BuiltinType) -> bool {
    own_form(class).is_some()
}

/// Refuses a name that no class can have.
pub(crate) fn check_name(name: &str) -> PyResult<()> {
    if name.contains('\0') { Err(value_error("type name must not contain null characters")) } else { Ok(()) }
}

impl Vm {
    /// Makes a class: what a `class` statement and `type(name, bases, dict)` do.
    ///
    /// # Errors
    /// `TypeError` where a base is no class, or the bases contradict each other; `NotImplementedError` for bases such as
    /// `dict` (DIFFERENCE: CPython lets code derive from them).
    pub fn make_class(&mut self, name: Str, bases: Vec<Value>, attributes: Vec<(Str, Value)>) -> PyResult<Value> {
        self.charge(attributes.len().saturating_mul(4))?;
        if bases
            .iter()
            .any(|base| matches!(base, Value::Type(Type::Builtin(base)) if std::ptr::eq(*base, &raw const NAMED_TUPLE)))
        {
            return named_tuple::of_body(self, name, attributes);
        }
        let mut types: Vec<Type> = Vec::with_capacity(bases.len());
        let enumeration = bases.iter().any(|base| matches!(base, Value::Type(base) if enums::is_enum(base)));
        let (mut generic, original) = (false, bases.clone());
        for base in bases {
            let base = match typing::base_of(&base) {
                Some(found) => {
                    generic = true;
                    match found {
                        Base::Class(class) => class,
                        Base::Nothing => continue,
                    }
                }
                None => base,
            };
            let Value::Type(base) = base else {
                // As CPython says it where the base's class, called as a metaclass, refuses.
                return Err(type_error(format!("bases must be types, not '{}'", base.type_name().as_str())));
            };
            if let Type::Builtin(builtin) = &base {
                if matches!(builtin.name, "bool" | "NoneType" | "range" | "slice" | "function" | "generator") {
                    return Err(type_error(format!("type '{}' is not an acceptable base type", builtin.name)));
                }
                // The members of an enumeration may be ints or strs as well.
                if has_own_form(builtin) && !(enumeration && matches!(builtin.name, "int" | "str")) {
                    return Err(not_implemented_error(format!("a class derived from '{}'", builtin.name)));
                }
            }
            if types.iter().any(|other| other.same(&base)) {
                return Err(type_error(format!("duplicate base class {}", base.name().as_str())));
            }
            types.push(base);
        }
        if let [only] = types.as_slice()
            && is_object(only)
        {
            types.clear();
        }
        let mut dict = IndexMap::with_capacity(attributes.len());
        for (key, value) in attributes {
            dict.insert(key.to_string(), value);
        }
        if dict.contains_key("__eq__") && !dict.contains_key("__hash__") {
            dict.insert("__hash__".to_owned(), Value::None);
        }
        if generic {
            dict.insert("__orig_bases__".to_owned(), Value::tuple(original));
        }
        check_name(&name)?;
        let class = Rc::new(Class::new(name, types, dict));
        resolution_order(&Type::Class(class.clone()))?;
        for (name, value) in &*class.dict.borrow() {
            own(&class, value);
            if let Some(property) = value.downcast::<CachedProperty>() {
                property.set_name(name, &class.name)?;
            }
        }
        if enumeration {
            enums::complete(self, &class)?;
        }
        Ok(Value::Type(Type::Class(class)))
    }

    /// What calling an enumeration gives: one of its members, or a new enumeration where it has none. `None` where the
    /// class is no enumeration.
    fn call_enumeration(&mut self, class: &Rc<Class>, args: &Args) -> PyResult<Option<Value>> {
        if enums::of_class(class).is_none() {
            return Ok(None);
        }
        match (args.pos.as_slice(), enums::names(class)) {
            ([value] | [value, Value::None], Some(_)) if args.kw.is_empty() => {
                enums::find(self, class, value).map(Some)
            }
            (_, has_members) => {
                let base = Value::Type(Type::Class(class.clone()));
                let args = Args { pos: args.pos.clone(), kw: args.kw.clone() };
                match has_members {
                    Some(_) => enums::find_or_refuse(self, class, args).map(Some),
                    None => enums::make(self, base, args).map(Some),
                }
            }
        }
    }

    /// `class(args)`
    pub(super) fn instantiate(&mut self, class: &Type, args: Args) -> PyResult<Value> {
        self.charge(1)?;
        let class_object = match class {
            Type::Builtin(builtin) => {
                let Some(construct) = builtin.construct else {
                    let single = [Value::None, Value::NotImplemented, Value::Ellipsis];
                    if let Some(value) = single.into_iter().find(|value| value.class().same(&Type::Builtin(builtin))) {
                        return match args.pos.is_empty() && args.kw.is_empty() {
                            true => Ok(value),
                            false => Err(type_error(format!("{} takes no arguments", builtin.name))),
                        };
                    }
                    if let Some(missing) = abc::abstract_methods(builtin) {
                        let plural = if missing.contains(',') { "s" } else { "" };
                        return Err(type_error(format!(
                            "Can't instantiate abstract class {} with abstract method{plural} {missing}",
                            builtin.name
                        )));
                    }
                    return Err(type_error(format!(
                        "cannot create '{}{}' instances",
                        builtin.module_prefix(),
                        builtin.name
                    )));
                };
                return members::call(self, args, construct);
            }
            Type::Class(class) => class,
        };
        let open = open_methods(class_object)?;
        if !open.is_empty() {
            return Err(type_error(format!(
                "Can't instantiate abstract class {} with abstract method{} {}",
                class_object.name.as_str(),
                if open.len() == 1 { "" } else { "s" },
                open.join(", ")
            )));
        }
        if let Some(result) = self.call_enumeration(class_object, &args)? {
            return Ok(result);
        }
        let user_init = match class_member(class_object, "__init__") {
            Some(Member::Value(init)) => Some(init),
            _ => None,
        };
        let instance = match class_member(class_object, "__new__") {
            Some(Member::Value(new)) => {
                let new = match new.downcast::<super::descriptors::StaticMethod>() {
                    Some(method) => method.0.clone(),
                    None => new,
                };
                let mut new_args = Args { pos: args.pos.clone(), kw: args.kw.clone() };
                new_args.pos.insert(0, Value::Type(class.clone()));
                let instance = self.call(&new, new_args)?;
                if !instance.class().is_subclass(class) {
                    return Ok(instance);
                }
                instance
            }
            _ => {
                let instance = bare_instance(self, class, &args)?;
                let any_args = !args.pos.is_empty() || !args.kw.is_empty();
                if user_init.is_none() && any_args {
                    if !class.is_exception() {
                        return Err(type_error(format!("{}() takes no arguments", class.name().as_str())));
                    }
                    args.no_keywords(class.name().as_str())?;
                }
                instance
            }
        };
        if let Some(init) = user_init {
            let bound = self.bind_member(&instance, Member::Value(init))?;
            let result = self.call(&bound, args)?;
            if !result.is_none() {
                return Err(type_error(format!(
                    "__init__() should return None, not '{}'",
                    result.type_name().as_str()
                )));
            }
        }
        Ok(instance)
    }
}

/// Notes in the functions of a class, bare or in a descriptor, that they are its methods.
fn own(class: &Rc<Class>, value: &Value) {
    if let Value::Function(function) = value {
        // A function may be an attribute of several classes; the first is the one whose body defined it.
        let _ = function.owner.set(Rc::downgrade(class));
    } else if let Some(property) = value.downcast::<Property>() {
        for accessor in [&property.getter, &property.setter, &property.deleter] {
            own(class, accessor);
        }
    } else if let Some(method) = value.downcast::<StaticMethod>() {
        own(class, &method.0);
    } else if let Some(method) = value.downcast::<ClassMethod>() {
        own(class, &method.0);
    } else if let Some(method) = value.downcast::<AbstractMethod>() {
        own(class, &method.0);
    }
}

/// An instance before `__init__`: `object.__new__`, or `BaseException.__new__`, which keeps the arguments.
pub(super) fn bare_instance(vm: &mut Vm, class: &Type, args: &Args) -> PyResult<Value> {
    if class.is_exception() {
        let base = class.builtin_base();
        let instance = crate::python::builtins::exceptions::instance(class.clone(), base, args.pos.to_vec())?;
        return Ok(Value::Exception(instance));
    }
    match class {
        Type::Class(class) if !has_own_form(Type::Class(class.clone()).builtin_base()) => {
            Ok(Value::Instance(Rc::new(Instance::new(class.clone(), Dict::new()))))
        }
        Type::Builtin(builtin) => match builtin.construct {
            Some(construct) => {
                // What `__init__` would fill is empty.
                let filled = [&LIST, &DICT, &SET].iter().any(|class| builtin.is_subclass(class));
                let arguments = if filled { &[] } else { args.pos.get(1..).unwrap_or_default() };
                construct(vm, Args::positional(arguments.iter().cloned()))
            }
            None => Err(type_error(format!("object.__new__(X): X is not a type object ({})", builtin.name))),
        },
        _ => Err(not_implemented_error(format!("an instance of '{}' made without its class", class.name().as_str()))),
    }
}
