//! The members of an enumeration: how they are made and found.

use std::rc::Rc;

use super::{Auto, is_enum, methods};
use crate::python::args::Args;
use crate::python::builtins::construct;
use crate::python::dict::{Dict, Key};
use crate::python::exception::{PyResult, TYPE_ERROR, type_error, value_error};
use crate::python::methods::sort;
use crate::python::modules::collections::named_tuple::TUPLE_GETTER;
use crate::python::modules::functools::{CACHED_PROPERTY, LRU_CACHE_WRAPPER, PARTIAL_METHOD};
use crate::python::native_function::NativeFunction;
use crate::python::string::Str;
use crate::python::types::{
    CLASS_METHOD, Class, FUNCTION, GETSET_DESCRIPTOR, INT, Instance, MEMBER_DESCRIPTOR, METHOD, METHOD_DESCRIPTOR,
    PROPERTY, STATIC_METHOD, STR, SUPER, Type, WRAPPER_DESCRIPTOR,
};
use crate::python::value::Value;
use crate::python::vm::descriptors::{ClassMethod, Property, StaticMethod};
use crate::python::vm::lookup::{Member, class_member};
use crate::python::vm::members::plain;
use crate::python::vm::text::str_repr;
use crate::python::vm::{BinaryOp, CompareOp, Vm};

const MAP: &str = "_member_map_";
/// The members by value, where that can be hashed.
const BY_VALUE: &str = "_value2member_map_";

fn table(class: &Class, name: &str) -> Option<Rc<Dict>> {
    match class.dict.borrow().get(name) {
        Some(Value::Dict(table)) => Some(table.clone()),
        _ => None,
    }
}

/// The members by name, aliases among them; `None` where the class is no enumeration.
pub(super) fn map(class: &Class) -> Option<Rc<Dict>> {
    table(class, MAP)
}

/// The members by name, of a class that is an enumeration with members.
pub(crate) fn names(class: &Class) -> Option<Rc<Dict>> {
    map(class).filter(|map| !map.is_empty())
}

/// The members of any class, as [`of_class`].
pub(crate) fn of_type(class: &Type) -> Option<Vec<Value>> {
    match class {
        Type::Class(class) => of_class(class),
        Type::Builtin(_) => class.same(&Type::Builtin(&super::ENUM)).then(Vec::new),
    }
}

/// The members in their order, each once; `None` where the class is no enumeration.
pub(crate) fn of_class(class: &Class) -> Option<Vec<Value>> {
    let mut members: Vec<Value> = Vec::new();
    for member in map(class)?.values() {
        if !members.iter().any(|known| known.is(&member)) {
            members.push(member);
        }
    }
    Some(members)
}

/// The int or str that a member is beside being a member.
pub(crate) fn mixed_value(instance: &Instance) -> Option<Value> {
    // Most classes are no enumerations, which this tells first.
    map(&instance.class)?;
    let class = Type::Class(instance.class.clone());
    let mixed = class.is_subclass(&Type::Builtin(&INT)) || class.is_subclass(&Type::Builtin(&STR));
    if mixed { instance.attributes.get_str("_value_") } else { None }
}

/// Gives a class that derives from `Enum` what all have.
pub(super) fn prepare(class: &Rc<Class>) {
    let own_type = Type::Class(class.clone());
    let is_int = own_type.is_subclass(&Type::Builtin(&INT));
    let is_str = own_type.is_subclass(&Type::Builtin(&STR));
    for (name, function) in methods::of_members(is_int, is_str) {
        if !matches!(class_member(class, name), Some(Member::Value(_))) {
            class.dict.borrow_mut().insert(name.to_owned(), function);
        }
    }
    for name in [MAP, BY_VALUE] {
        class.dict.borrow_mut().insert(name.to_owned(), Value::dict(Dict::new()));
    }
}

/// Whether an attribute of the class's body makes a member.
fn is_member(class: &Class, name: &str, value: &Value) -> bool {
    let special = name.len() > 2 && name.starts_with('_') && name.ends_with('_');
    let private = name.starts_with(&format!("_{}__", class.name.trim_start_matches('_')));
    // What has a `__get__`, be it for its own instances: other classes and builtin functions have none.
    let with_get = [
        &FUNCTION,
        &METHOD,
        &METHOD_DESCRIPTOR,
        &WRAPPER_DESCRIPTOR,
        &GETSET_DESCRIPTOR,
        &MEMBER_DESCRIPTOR,
        &TUPLE_GETTER,
        &CACHED_PROPERTY,
        &LRU_CACHE_WRAPPER,
        &PARTIAL_METHOD,
        &PROPERTY,
        &STATIC_METHOD,
        &CLASS_METHOD,
        &SUPER,
    ]
    .map(Type::from);
    let descriptor = matches!(value, Value::Function(_))
        || with_get.iter().any(|class| value.class().same(class))
        || matches!(value, Value::Type(given) if with_get.iter().any(|class| given.same(class)))
        || value.downcast::<Property>().is_some()
        || value.downcast::<StaticMethod>().is_some()
        || value.downcast::<ClassMethod>().is_some()
        || value.downcast::<NativeFunction>().is_some()
        || value.type_name().as_str() == "function";
    !special && !private && !descriptor
}

/// Refuses names that enumerations keep for themselves.
pub(super) fn check_names(names: &[String]) -> PyResult<()> {
    const KNOWN: [&str; 6] =
        ["_order_", "_generate_next_value_", "_missing_", "_ignore_", "_numeric_repr_", "_new_member_"];
    for name in names {
        let inner = name.strip_prefix('_').and_then(|name| name.strip_suffix('_')).unwrap_or_default();
        let sunder = !inner.is_empty() && !inner.starts_with('_') && !inner.ends_with('_');
        if sunder && !KNOWN.contains(&name.as_str()) {
            let shown = str_repr(name);
            return Err(value_error(format!("_sunder_ names, such as {shown}, are reserved for future Enum use")));
        }
    }
    let invalid: Vec<String> =
        names.iter().filter(|name| matches!(name.as_str(), "mro" | "")).map(|name| str_repr(name)).collect();
    if !invalid.is_empty() {
        return Err(value_error(format!("invalid enum member name(s) {}", invalid.join(","))));
    }
    Ok(())
}

/// Refuses members that come in another order than `_order_` says.
fn check_order(vm: &mut Vm, class: &Rc<Class>, order: Value) -> PyResult<()> {
    let wanted = match &order {
        Value::Str(text) => text.replace(',', " ").split_whitespace().map(Value::str).collect(),
        other => vm.collect(other)?,
    };
    let mut found = Vec::new();
    for member in of_class(class).unwrap_or_default() {
        found.push(vm.get_attr(&member, "_name_")?);
    }
    // A second name of a member may stand anywhere.
    let is_alias = |name: &Value| {
        let named = name.as_str().and_then(|name| map(class)?.get_str(name));
        named.is_some() && !found.iter().any(|known| known.is(name))
    };
    let wanted: Vec<Value> = wanted.into_iter().filter(|name| !is_alias(name)).collect();
    let (found, wanted) = (Value::list(found), Value::list(wanted));
    if vm.equal(&found, &wanted)? {
        return Ok(());
    }
    let (found, wanted) = (vm.repr(&found)?, vm.repr(&wanted)?);
    Err(type_error(format!("member order does not match _order_:\n  {found}\n  {wanted}")))
}

/// Makes the members of a class that was defined with a base that is an enumeration.
///
/// # Errors
/// `TypeError` where the base has members already, or what a constructor raises.
pub(crate) fn complete(vm: &mut Vm, class: &Rc<Class>) -> PyResult<()> {
    for base in &class.bases {
        if let Type::Class(base) = base
            && names(base).is_some()
        {
            let base = vm.repr(&Value::Type(Type::Class(base.clone())))?;
            return Err(type_error(format!("<enum {}> cannot extend {base}", str_repr(class.name.as_str()))));
        }
    }
    if !class.bases.last().is_some_and(is_enum) {
        let form = "`EnumName([mixin_type, ...] [data_type,] enum_type)`";
        return Err(type_error(format!("new enumerations should be created as {form}")));
    }
    let own = Type::Class(class.clone());
    if [&STR, &INT].iter().all(|data| own.is_subclass(&Type::Builtin(data))) {
        let name = str_repr(&class.name);
        return Err(type_error(format!("too many data types for {name}: {{<class 'int'>, <class 'str'>}}")));
    }
    // DIFFERENCE: a name that the body sets twice is not noticed; the last value is the member's.
    let body: Vec<(String, Value)> = class
        .dict
        .borrow()
        .iter()
        .filter(|(name, value)| is_member(class, name, value))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    let names: Vec<String> = class.dict.borrow().keys().cloned().collect();
    check_names(&names)?;
    let order = class.dict.borrow_mut().shift_remove("_order_");
    prepare(class);
    if !body.is_empty() {
        vm.note_enumeration(class);
    }
    let mut members: Vec<Value> = Vec::new();
    let mut values: Vec<Value> = Vec::new();
    for (name, given) in body {
        vm.charge(4 + members.len())?;
        let given = match given.downcast::<Auto>() {
            Some(Auto(Some(value))) => value.clone(),
            Some(Auto(None)) => next_value(vm, class, &name, &values)?,
            None => given,
        };
        // The next `auto` goes on from what was given, not from what a constructor makes of it.
        values.push(given.clone());
        let member = make_member(vm, class, &name, given, members.len())?;
        let value = vm.get_attr(&member, "_value_")?;
        let member = match with_value(vm, class, &value)? {
            Some(known) => known,
            None => {
                members.push(member.clone());
                if let Some((key, by_value)) = hashable(vm, &value)?.zip(table(class, BY_VALUE)) {
                    by_value.table.borrow_mut().insert(key, member.clone());
                }
                member
            }
        };
        if let Some(map) = map(class) {
            map.set_str(Str::from(name.as_str()), member.clone());
        }
        class.dict.borrow_mut().insert(name, member);
    }
    order.map_or(Ok(()), |order| check_order(vm, class, order))
}

/// The value as a key; `None` where it cannot be hashed.
fn hashable(vm: &mut Vm, value: &Value) -> PyResult<Option<Key>> {
    match Key::new(vm, value.clone()) {
        Err(raised) if raised.is(&TYPE_ERROR) => Ok(None),
        key => key.map(Some),
    }
}

/// The member with a value: by its hash, or one after the other compared with what cannot be hashed.
fn with_value(vm: &mut Vm, class: &Rc<Class>, value: &Value) -> PyResult<Option<Value>> {
    if let Some(key) = hashable(vm, value)? {
        return Ok(table(class, BY_VALUE).and_then(|by_value| by_value.table.borrow().get(&key).cloned()));
    }
    let members = of_class(class).unwrap_or_default();
    vm.charge(members.len())?;
    for member in members {
        let known = vm.get_attr(&member, "_value_")?;
        let equal = vm.compare(CompareOp::Eq, &known, value)?;
        if vm.truthy(&equal)? {
            return Ok(Some(member));
        }
    }
    Ok(None)
}

/// What `auto()` stands for.
fn next_value(vm: &mut Vm, class: &Rc<Class>, name: &str, values: &[Value]) -> PyResult<Value> {
    if let Some(Member::Value(function)) = class_member(class, "_generate_next_value_") {
        let function = function.downcast::<StaticMethod>().map_or(function.clone(), |method| method.0.clone());
        let last = Value::list(values.to_vec());
        let args = [Value::str(name), Value::Int(1), Value::from_usize(values.len()), last];
        return vm.call(&function, Args::positional(args));
    }
    let own = Type::Class(class.clone());
    if own.is_subclass(&Type::Builtin(&STR))
        && own.is_subclass(&super::STR_ENUM.with(|class| Type::Class(class.clone())))
    {
        return Ok(Value::str(name.to_lowercase()));
    }
    following(vm, values, Value::Int(1))
}

/// What comes after these values: `Enum._generate_next_value_`.
pub(super) fn following(vm: &mut Vm, values: &[Value], start: Value) -> PyResult<Value> {
    let Some(last) = values.last() else { return Ok(start) };
    let mut sorted = values.to_vec();
    let mut in_order = false;
    match sort::sort(vm, &mut sorted, None, false) {
        Ok(()) => {
            if let Some(greatest) = sorted.last() {
                // Compared even where they are the same.
                let equal = vm.compare(CompareOp::Eq, last, greatest)?;
                in_order = vm.truthy(&equal)?;
            }
        }
        Err(raised) if raised.is(&TYPE_ERROR) => sorted = values.to_vec(),
        Err(raised) => return Err(raised),
    }
    let next = |vm: &mut Vm, value: &Value| match vm.binary(BinaryOp::Add, value, &Value::Int(1)) {
        Err(raised) if raised.is(&TYPE_ERROR) => Ok(None),
        result => result.map(Some),
    };
    if in_order && let Some(value) = next(vm, last)? {
        return Ok(value);
    }
    for value in sorted.iter().rev() {
        if let Some(value) = next(vm, value)? {
            return Ok(value);
        }
    }
    Ok(start)
}

fn make_member(vm: &mut Vm, class: &Rc<Class>, name: &str, given: Value, order: usize) -> PyResult<Value> {
    let own = Type::Class(class.clone());
    let args = match &given {
        Value::Tuple(tuple) => Args::positional(tuple.items.iter().cloned()),
        other => Args::one(other.clone()),
    };
    let again = || Args::positional(args.pos.iter().cloned());
    let value = if own.is_subclass(&Type::Builtin(&INT)) {
        construct::int(vm, Args::positional(args.pos.iter().map(plain)))?
    } else if own.is_subclass(&super::STR_ENUM.with(|class| Type::Class(class.clone()))) {
        if args.pos.len() > 3 {
            let shown = vm.repr(&Value::tuple(args.pos.to_vec()))?;
            return Err(type_error(format!("too many arguments for str(): {shown}")));
        }
        // What is wrong with the text shows only where it is alone.
        let wants = [" is not a string", "encoding must be a string, not ", "errors must be a string, not "];
        for (index, (part, want)) in args.pos.iter().zip(wants).enumerate() {
            if plain(part).as_str().is_none() && (index > 0 || args.pos.len() == 1) {
                let shown = vm.repr(part)?;
                return Err(type_error(if index == 0 { format!("{shown}{want}") } else { format!("{want}{shown}") }));
            }
        }
        construct::str_(vm, again())?
    } else if own.is_subclass(&Type::Builtin(&STR)) {
        construct::str_(vm, again())?
    } else {
        given.clone()
    };
    let attributes = Dict::from_strs([
        ("_value_", value.clone()),
        ("_name_", Value::str(name)),
        ("__objclass__", Value::Type(own)),
        ("_sort_order_", Value::from_usize(order)),
        ("name", Value::str(name)),
        ("value", value),
    ]);
    let member = Value::Instance(Rc::new(Instance::new(class.clone(), attributes)));
    if let Some(init @ Member::Value(_)) = class_member(class, "__init__") {
        let init = vm.bind_found(&member, init)?;
        vm.call(&init, args)?;
        // `__init__` may have set the value.
        let value = vm.get_attr(&member, "_value_")?;
        if let Value::Instance(instance) = &member {
            instance.attributes.set_str(Str::from("value"), value);
        }
    }
    Ok(member)
}

/// `Class(value)`: the member with a value.
///
/// # Errors
/// `ValueError: 5 is not a valid Color`
pub(crate) fn find(vm: &mut Vm, class: &Rc<Class>, value: &Value) -> PyResult<Value> {
    if matches!(value, Value::Instance(instance) if Rc::ptr_eq(&instance.class, class)) {
        return Ok(value.clone());
    }
    if let Some(member) = with_value(vm, class, value)? {
        return Ok(member);
    }
    let target = Value::Type(Type::Class(class.clone()));
    let invalid = value_error(format!("{} is not a valid {}", vm.repr(value)?, class.qualified_name().as_str()));
    if let Some(Member::Value(_)) = class_member(class, "_missing_") {
        let found = vm.call_method(&target, "_missing_", Args::one(value.clone()))?;
        if found.class().is_subclass(&Type::Class(class.clone())) {
            return Ok(found);
        }
        if !found.is_none() {
            let shown = vm.repr(&found)?;
            let class = class.name.as_str();
            return Err(type_error(format!(
                "error in {class}._missing_: returned {shown} instead of None or a valid member"
            )));
        }
    }
    Err(invalid)
}
