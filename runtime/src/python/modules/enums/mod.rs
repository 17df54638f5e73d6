//! `enum`: `Enum`, `IntEnum`, `StrEnum`, `auto` and `unique`.
//!
//! A member is an instance of its class; the class keeps its members by name in `_member_map_`.
//!
//! Functions of the runtime take members that are ints or strs as such: see `vm/members.rs`.

mod members;
mod methods;

use std::rc::Rc;

use indexmap::IndexMap;

pub(crate) use members::{complete, find, mixed_value, names, of_class, of_type};

use super::class;
use super::signature::Signature;
use crate::python::args::Args;
use crate::python::exception::{PyResult, type_error, value_error};
use crate::python::object::Object;
use crate::python::string::Str;
use crate::python::types::{BuiltinType, Class, INT, OBJECT, STR, TYPE, Type};
use crate::python::unicode::is_space;
use crate::python::value::Value;
use crate::python::vm::Vm;
use crate::python::vm::attributes::no_attribute;
use crate::python::vm::members::plain;

module! {
    /// `enum`
    MODULE = "enum";
    functions { "unique" => unique }
    values(_vm) {
        "Enum" => class(&ENUM),
        "EnumMeta" => class(&ENUM_TYPE),
        "EnumType" => class(&ENUM_TYPE),
        "IntEnum" => INT_ENUM.with(|class| Value::Type(Type::Class(class.clone()))),
        "StrEnum" => STR_ENUM.with(|class| Value::Type(Type::Class(class.clone()))),
        "auto" => class(&AUTO),
    }
}

/// `enum.Enum`
pub static ENUM: BuiltinType = BuiltinType { construct: Some(functional), ..BuiltinType::new("Enum", "enum", &OBJECT) };

/// `enum.auto`
static AUTO: BuiltinType = BuiltinType {
    construct: Some(|_, args| {
        let [value] = Signature::method("auto.__init__", ["value"], 0).bind(args)?;
        Ok(Value::object(Auto(value)))
    }),
    ..BuiltinType::new("auto", "enum", &OBJECT)
};

/// A value to be chosen, or one that was given.
struct Auto(Option<Value>);

impl Object for Auto {
    fn class(&self) -> &'static BuiltinType {
        &AUTO
    }

    fn get_attr(&self, _: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        let null = || AUTO_NULL.with(Value::clone);
        Ok((name == "value").then(|| self.0.clone().unwrap_or_else(null)))
    }

    fn repr(&self, vm: &mut Vm, _: &Value) -> PyResult<String> {
        match &self.0 {
            Some(value) => Ok(format!("auto({})", vm.repr(value)?)),
            None => Ok("auto(_auto_null)".to_owned()),
        }
    }
}

static AUTO_NULL_TYPE: BuiltinType = BuiltinType {
    construct: Some(|_, args| {
        let given = !args.pos.is_empty() || !args.kw.is_empty();
        if given { Err(type_error("_auto_null() takes no arguments")) } else { Ok(Value::object(AutoNull)) }
    }),
    ..BuiltinType::new("_auto_null", "enum", &OBJECT)
};

/// `auto().value` before it is chosen.
struct AutoNull;

impl Object for AutoNull {
    fn class(&self) -> &'static BuiltinType {
        &AUTO_NULL_TYPE
    }

    fn repr(&self, _: &mut Vm, _: &Value) -> PyResult<String> {
        Ok("_auto_null".to_owned())
    }
}

/// `enum.EnumType`, the class of all enumerations.
pub static ENUM_TYPE: BuiltinType =
    BuiltinType { construct: Some(new_enumeration), ..BuiltinType::new("EnumType", "enum", &TYPE) };

thread_local! {
    // Classes belong to a thread; these derive from two, as builtin ones cannot.
    static INT_ENUM: Rc<Class> = mixed("IntEnum", &INT);
    static STR_ENUM: Rc<Class> = mixed("StrEnum", &STR);
    static AUTO_NULL: Value = Value::object(AutoNull);
}

fn mixed(name: &str, base: &'static BuiltinType) -> Rc<Class> {
    let mut dict = IndexMap::new();
    dict.insert("__str__".to_owned(), methods::plain_text());
    dict.insert("__format__".to_owned(), methods::plain_format());
    let bases = vec![Type::Builtin(base), Type::Builtin(&ENUM)];
    let class = Rc::new(Class::new(Str::from(name), bases, dict));
    members::prepare(&class);
    class
}

/// Whether a class is an enumeration.
pub(crate) fn is_enum(class: &Type) -> bool {
    class.is_subclass(&Type::Builtin(&ENUM))
}

/// `Enum(value, names)`: a class made by a call.
/// The steps that making an enumeration takes, beside those of its members.
const MAKING: usize = 30;

fn functional(vm: &mut Vm, args: Args) -> PyResult<Value> {
    make(vm, Value::Type((&ENUM).into()), args)
}

/// Makes an enumeration with this base from a name and the names of its members.
pub(crate) fn make(vm: &mut Vm, base: Value, args: Args) -> PyResult<Value> {
    vm.charge(MAKING)?;
    let [name, names, _, _, mixed, start, _] = CALL.bind(args)?;
    let name = name.unwrap_or_default();
    let Some(names) = names.filter(|names| !names.is_none()) else {
        return Err(type_error(format!("{} has no members defined", vm.repr(&base)?)));
    };
    let attributes = named_values(vm, &base, names, start.unwrap_or(Value::Int(1)))?;
    let Value::Str(name) = name else {
        // The names of the members are looked at first.
        members::check_names(&attributes.iter().map(|(name, _)| name.to_string()).collect::<Vec<_>>())?;
        let found = name.argument_class();
        return Err(type_error(format!("type.__new__() argument 1 must be str, not {}", found.as_str())));
    };
    vm.make_class(name, mixed.into_iter().chain([base]).collect(), attributes)
}

/// Calling an enumeration.
const CALL: Signature<7> = Signature {
    name: "EnumType.__call__",
    parameters: ["value", "names", "module", "qualname", "type", "start", "boundary"],
    positional: 2,
    required: 1,
    method: true,
};

/// `Enumeration(...)` of one that has members, which cannot be extended.
///
/// # Errors
/// `TypeError` where it is to be extended, and as [`find`].
pub(crate) fn find_or_refuse(vm: &mut Vm, class: &Rc<Class>, args: Args) -> PyResult<Value> {
    let [value, names, ..] = CALL.bind(args)?;
    let value = value.unwrap_or_default();
    if names.is_none_or(|names| names.is_none()) {
        return find(vm, class, &value);
    }
    let class = vm.repr(&Value::Type(Type::Class(class.clone())))?;
    Err(type_error(format!("<enum {}> cannot extend {class}", vm.repr(&value)?)))
}

/// `EnumType(cls, bases, classdict)`: only a `class` statement has a dict that will do.
fn new_enumeration(vm: &mut Vm, mut args: Args) -> PyResult<Value> {
    const PARAMETERS: [&str; 3] = ["cls", "bases", "classdict"];
    // Others go to `__init_subclass__`.
    args.kw.retain(|(name, _)| PARAMETERS.contains(&name.as_str()));
    let [_, _, dict] = Signature::method("EnumType.__new__", PARAMETERS, 3).bind(args)?;
    let dict = dict.unwrap_or_default();
    vm.get_attr(&dict, "setdefault")?;
    Err(no_attribute(&dict, "_member_names"))
}

/// The names and values of members that are given as a text, a list of names, pairs, or a mapping.
fn named_values(vm: &mut Vm, base: &Value, names: Value, start: Value) -> PyResult<Vec<(Str, Value)>> {
    let names = match plain(&names) {
        Value::Str(text) => {
            let between = |char: char| char == ',' || is_space(char);
            Value::list(text.split(between).filter(|word| !word.is_empty()).map(Value::str).collect())
        }
        Value::None => Value::tuple(Vec::new()),
        _ => names,
    };
    let counted = match &names {
        Value::List(list) => list.items.borrow().first().is_some_and(|first| plain(first).as_str().is_some()),
        Value::Tuple(tuple) => tuple.items.first().is_some_and(|first| plain(first).as_str().is_some()),
        _ => false,
    };
    let lower =
        matches!(base, Value::Type(base) if base.is_subclass(&STR_ENUM.with(|class| Type::Class(class.clone()))));
    let mut attributes: Vec<(Str, Value)> = Vec::new();
    let mut given: Vec<Value> = Vec::new();
    let iterator = vm.iter(&names)?;
    while let Some(item) = vm.next(&iterator)? {
        vm.charge(1)?;
        // Members of other enumerations may be strs, too.
        let asked = item.clone();
        let item = match &item {
            Value::Instance(instance) => mixed_value(instance).filter(|value| value.as_str().is_some()).unwrap_or(item),
            _ => item,
        };
        vm.charge(2 + attributes.len() / 4)?;
        let (name, value) = match &item {
            Value::Str(name) if counted && lower => (item.clone(), Value::str(name.to_lowercase())),
            other if counted && lower => return Err(no_attribute(other, "lower")),
            _ if counted => {
                let value = members::following(vm, &given, start.clone())?;
                given.push(value.clone());
                (item.clone(), value)
            }
            Value::Str(_) => (item.clone(), vm.get_item(&names, &asked)?),
            pair => match vm.unpack(pair, 2)?.as_slice() {
                [name, value] => (name.clone(), value.clone()),
                _ => continue,
            },
        };
        let Value::Str(name) = name else {
            let found = name.type_name();
            return Err(type_error(format!("object of type '{}' has no len()", found.as_str())));
        };
        if let Some((_, known)) = attributes.iter().find(|(known, _)| *known == name) {
            let message = format!("{} already defined as {}", vm.repr(&Value::Str(name))?, vm.repr(known)?);
            return Err(type_error(message));
        }
        attributes.push((name, value));
    }
    Ok(attributes)
}

/// `@unique`
fn unique(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [target] = Signature::function("unique", ["enumeration"], 1).bind(args)?.map(Option::unwrap_or_default);
    let named = match &target {
        Value::Type(Type::Class(class)) => members::map(class),
        _ => None,
    };
    let Some(named) = named else {
        let members = vm.get_attr(&target, "__members__")?;
        return vm.call_method(&members, "items", Args::none()).map(|_| target);
    };
    let mut aliases = Vec::new();
    for (name, member) in named.items() {
        let real = vm.get_attr(&member, "_name_")?;
        if !vm.equal(&real, &name)? {
            aliases.push(format!("{} -> {}", vm.str(&name)?.as_str(), vm.str(&real)?.as_str()));
        }
    }
    if aliases.is_empty() {
        return Ok(target);
    }
    let shown = vm.repr(&target)?;
    Err(value_error(format!("duplicate values found in {shown}: {}", aliases.join(", "))))
}
