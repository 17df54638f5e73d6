//! `enum`: `Enum`, `IntEnum`, `StrEnum`, `auto` and `unique`.
//!
//! A member is an instance of its class; the class keeps its members by name in `_member_map_`.
//!
//! Functions of the runtime take members that are ints or strs as such: see `vm/members.rs`.

mod members;
mod methods;

use std::cell::RefCell;
use std::rc::Rc;

use indexmap::IndexMap;

pub(crate) use members::{complete, find, mixed_value, names, of_class};

use super::class;
use super::signature::Signature;
use crate::python::args::Args;
use crate::python::exception::{PyResult, type_error, value_error};
use crate::python::object::Object;
use crate::python::string::Str;
use crate::python::types::{BuiltinType, Class, INT, OBJECT, STR, Type};
use crate::python::value::Value;
use crate::python::vm::Vm;

module! {
    /// `enum`
    MODULE = "enum";
    functions { "unique" => unique }
    values(_vm) {
        "Enum" => class(&ENUM),
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
        let [] = args.exactly("auto")?;
        Ok(Value::object(Auto))
    }),
    ..BuiltinType::new("auto", "enum", &OBJECT)
};

/// A value to be chosen.
struct Auto;

impl Object for Auto {
    fn class(&self) -> &'static BuiltinType {
        &AUTO
    }

    fn repr(&self, _: &mut Vm, _: &Value) -> PyResult<String> {
        Ok("auto(_auto_null)".to_owned())
    }
}

thread_local! {
    // Classes belong to a thread; these derive from two, as builtin ones cannot.
    static INT_ENUM: Rc<Class> = mixed("IntEnum", &INT);
    static STR_ENUM: Rc<Class> = mixed("StrEnum", &STR);
}

fn mixed(name: &str, base: &'static BuiltinType) -> Rc<Class> {
    let mut dict = IndexMap::new();
    dict.insert("__str__".to_owned(), methods::plain_text());
    dict.insert("__format__".to_owned(), methods::plain_format());
    let bases = vec![Type::Builtin(base), Type::Builtin(&ENUM)];
    let class = Rc::new(Class { name: Str::from(name), bases, dict: RefCell::new(dict) });
    members::prepare(&class);
    class
}

/// Whether a class is an enumeration.
pub(crate) fn is_enum(class: &Type) -> bool {
    class.is_subclass(&Type::Builtin(&ENUM))
}

/// `Enum(value, names)`: a class made by a call.
fn functional(vm: &mut Vm, args: Args) -> PyResult<Value> {
    make(vm, Value::Type((&ENUM).into()), args)
}

/// Makes an enumeration with this base from a name and the names of its members.
pub(crate) fn make(vm: &mut Vm, base: Value, args: Args) -> PyResult<Value> {
    let signature = Signature {
        name: "EnumType.__call__",
        parameters: ["value", "names", "module", "qualname", "type", "start", "boundary"],
        positional: 2,
        required: 1,
        method: true,
    };
    let [name, names, _, _, _, start, _] = signature.bind(args)?;
    let name = vm.str(&name.unwrap_or_default())?;
    let start = match start {
        Some(start) => crate::python::builtins::convert::index_i64(vm, &start)?,
        None => 1,
    };
    let Some(names) = names else {
        return Err(value_error(format!("{} is not a valid Enum", vm.repr(&Value::Str(name))?)));
    };
    let items = match &names {
        Value::Str(text) => {
            let words = text.replace(',', " ");
            words.split_whitespace().map(Value::str).collect()
        }
        Value::Dict(dict) => dict.items().into_iter().map(|(name, value)| Value::tuple(vec![name, value])).collect(),
        other => vm.collect(other)?,
    };
    let mut attributes = Vec::with_capacity(items.len());
    for (item, number) in items.iter().zip(start..) {
        attributes.push(match item {
            // Of strs the values are the names.
            Value::Str(name) if start == 1 => (name.clone(), Value::object(Auto)),
            Value::Str(name) => (name.clone(), Value::Int(number)),
            other => match vm.collect(other)?.as_slice() {
                [Value::Str(name), value] => (name.clone(), value.clone()),
                _ => return Err(type_error("members are names, or pairs of a name and a value")),
            },
        });
    }
    vm.make_class(name, vec![base], attributes)
}

/// `@unique`
fn unique(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [target] = Signature::function("unique", ["enumeration"], 1).bind(args)?.map(Option::unwrap_or_default);
    let Value::Type(Type::Class(class)) = &target else { return Err(type_error("unique() takes an enumeration")) };
    let mut aliases = Vec::new();
    for (name, member) in members::map(class).map(|map| map.items()).unwrap_or_default() {
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
