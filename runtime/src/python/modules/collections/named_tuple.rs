//! `collections.namedtuple`.
//!
//! The class is one that code could have defined, deriving from `tuple`; what makes it a named tuple is `_fields` in its
//! dict, and `_defaults` for the last of them.

use std::rc::Rc;

use indexmap::IndexMap;

use crate::python::args::Args;
use crate::python::dict::Dict;
use crate::python::exception::{PyResult, type_error, value_error};
use crate::python::modules::signature::{Signature, missing_arguments};
use crate::python::object::Object;
use crate::python::string::Str;
use crate::python::types::{BuiltinType, Class, FUNCTION, OBJECT, TUPLE, Type};
use crate::python::unicode;
use crate::python::value::{BoundMethod, Builtin, MethodTarget, Tuple, Value};
use crate::python::vm::Vm;
use crate::python::vm::descriptors::{ClassMethod, Property};

const FIELDS: &str = "_fields";
const DEFAULTS: &str = "_defaults";

static KEYWORDS: &[&str] = &[
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del",
    "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal",
    "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
];

/// `namedtuple(typename, field_names, *, rename=False, defaults=None, module=None)`
pub(super) fn namedtuple(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let signature = Signature {
        name: "namedtuple",
        parameters: ["typename", "field_names", "rename", "defaults", "module"],
        positional: 2,
        required: 2,
        method: false,
    };
    let [name, fields, rename, defaults, module] = signature.bind(args)?;
    let name = vm.str(&name.unwrap_or_default())?;
    let rename = match rename {
        Some(rename) => vm.truthy(&rename)?,
        None => false,
    };
    let mut names: Vec<String> = match fields.unwrap_or_default() {
        Value::Str(text) => text.replace(',', " ").split_whitespace().map(str::to_owned).collect(),
        other => {
            let mut names = Vec::new();
            for field in vm.collect(&other)? {
                names.push(vm.str(&field)?.to_string());
            }
            names
        }
    };
    check_fields(vm, &name, &mut names, rename)?;
    let defaults = match defaults.filter(|defaults| !defaults.is_none()) {
        Some(defaults) => vm.collect(&defaults)?,
        None => Vec::new(),
    };
    if defaults.len() > names.len() {
        return Err(type_error("Got more default values than field names"));
    }
    let class = new_class(name, names, defaults);
    if let Some(module) = module.filter(|module| !module.is_none()) {
        class.dict.borrow_mut().insert("__module__".to_owned(), module);
    }
    Ok(Value::Type(Type::Class(class)))
}

/// The class of named tuples with these fields.
fn new_class(name: Str, names: Vec<String>, defaults: Vec<Value>) -> Rc<Class> {
    let mut dict = IndexMap::new();
    let with_default = names.iter().skip(names.len() - defaults.len()).map(|name| Str::from(name.as_str()));
    let by_name = Dict::from_strs(with_default.zip(defaults.iter().cloned()));
    dict.insert("_field_defaults".to_owned(), Value::dict(by_name));
    let fields = Value::tuple(names.into_iter().map(Value::str).collect());
    dict.insert("__match_args__".to_owned(), fields.clone());
    dict.insert(FIELDS.to_owned(), fields);
    dict.insert(DEFAULTS.to_owned(), Value::tuple(defaults));
    dict.insert("__new__".to_owned(), Value::Builtin(&NEW));
    dict.insert("_make".to_owned(), Value::object(ClassMethod(Value::Builtin(&MAKE))));
    for (name, getter) in [("_asdict", &BIND_ASDICT), ("_replace", &BIND_REPLACE)] {
        dict.insert(name.to_owned(), property(getter));
    }
    Rc::new(Class::new(name, vec![Type::Builtin(&TUPLE)], dict))
}

/// The class that a body deriving from `typing.NamedTuple` makes: its annotations are the fields, values their defaults.
///
/// # Errors
/// `TypeError`, `AttributeError` as `typing` raises them.
pub(crate) fn of_body(vm: &mut Vm, name: Str, mut attributes: Vec<(Str, Value)>) -> PyResult<Value> {
    let annotations =
        attributes.iter().find(|(key, _)| key.as_str() == "__annotations__").map(|(_, value)| value.clone());
    let mut names: Vec<String> = match annotations {
        Some(Value::Dict(annotations)) => {
            annotations.keys().iter().filter_map(|key| key.as_str().map(|key| key.to_string())).collect()
        }
        _ => Vec::new(),
    };
    check_fields(vm, &name, &mut names, false)?;
    let mut defaults: Vec<Value> = Vec::new();
    let mut with_defaults: Vec<&str> = Vec::new();
    for field in &names {
        match attributes.iter().position(|(key, _)| key.as_str() == field) {
            Some(index) => {
                defaults.push(attributes.remove(index).1);
                with_defaults.push(field);
            }
            None if !with_defaults.is_empty() => {
                let plural = if with_defaults.len() > 1 { "s" } else { "" };
                return Err(type_error(format!(
                    "Non-default namedtuple field {field} cannot follow default field{plural} {}",
                    with_defaults.join(", ")
                )));
            }
            None => {}
        }
    }
    let class = new_class(name, names, defaults);
    for (key, value) in attributes {
        if matches!(key.as_str(), "__new__" | "__init__" | "_fields" | "_make" | "_replace" | "_asdict") {
            let message = format!("Cannot overwrite NamedTuple attribute {}", key.as_str());
            return Err(crate::python::exception::attribute_error(message));
        }
        class.dict.borrow_mut().insert(key.to_string(), value);
    }
    Ok(Value::Type(Type::Class(class)))
}

fn property(getter: &'static Builtin) -> Value {
    Value::object(Property { getter: Value::Builtin(getter), setter: Value::None, deleter: Value::None })
}

/// A class of named tuples of the runtime, with properties.
pub(in crate::python::modules) fn class(
    module: &str,
    name: &str,
    fields: &[&str],
    properties: &[(&str, &'static Builtin)],
) -> Rc<Class> {
    let class = new_class(Str::from(name), fields.iter().map(|field| (*field).to_owned()).collect(), Vec::new());
    class.dict.borrow_mut().insert("__module__".to_owned(), Value::str(module));
    for (name, getter) in properties {
        class.dict.borrow_mut().insert((*name).to_owned(), property(getter));
    }
    class
}

/// A function as a method of this value.
pub(in crate::python::modules) fn bound(receiver: Value, function: &'static Builtin) -> Value {
    Value::BoundMethod(Rc::new(BoundMethod { receiver, target: MethodTarget::Function(Value::Builtin(function)) }))
}

/// Whether a text can be a name.
pub(in crate::python::modules) fn is_identifier(name: &str) -> bool {
    let mut characters = name.chars();
    characters.next().is_some_and(unicode::is_id_start) && characters.all(unicode::is_id_continue)
}

/// Whether a text is a word of the language.
pub(in crate::python::modules) fn is_keyword(name: &str) -> bool {
    KEYWORDS.contains(&name)
}

fn check_fields(vm: &mut Vm, name: &Str, names: &mut [String], rename: bool) -> PyResult<()> {
    let mut seen = std::collections::HashSet::new();
    if rename {
        for (index, field) in names.iter_mut().enumerate() {
            let bad = !is_identifier(field) || is_keyword(field) || field.starts_with('_');
            if bad || !seen.insert(field.clone()) {
                *field = format!("_{index}");
            }
        }
        seen.clear();
    }
    for checked in std::iter::once(name.as_str()).chain(names.iter().map(String::as_str)) {
        let quoted = |vm: &mut Vm| vm.repr(&Value::str(checked));
        if !is_identifier(checked) {
            return Err(value_error(format!("Type names and field names must be valid identifiers: {}", quoted(vm)?)));
        }
        if is_keyword(checked) {
            return Err(value_error(format!("Type names and field names cannot be a keyword: {}", quoted(vm)?)));
        }
    }
    for field in names.iter() {
        if field.starts_with('_') && !rename {
            let quoted = vm.repr(&Value::str(field.as_str()))?;
            return Err(value_error(format!("Field names cannot start with an underscore: {quoted}")));
        }
        if !seen.insert(field.clone()) {
            let quoted = vm.repr(&Value::str(field.as_str()))?;
            return Err(value_error(format!("Encountered duplicate field name: {quoted}")));
        }
    }
    Ok(())
}

/// The class and the field names, where the class is a named tuple's.
fn definition(class: &Type) -> Option<(Rc<Class>, Rc<Tuple>)> {
    let Type::Class(class) = class else { return None };
    if let Some(Value::Tuple(fields)) = class.dict.borrow().get(FIELDS) {
        return Some((class.clone(), fields.clone()));
    }
    class.bases.iter().find_map(definition).map(|(_, fields)| (class.clone(), fields))
}

static NEW: Builtin = Builtin { name: "__new__", call: new };
static MAKE: Builtin = Builtin { name: "_make", call: make };
static ASDICT: Builtin = Builtin { name: "_asdict", call: asdict };
static REPLACE: Builtin = Builtin { name: "_replace", call: replace };
// A builtin in a class's dict is not bound to instances; a property that gives the bound method is.
static BIND_ASDICT: Builtin = Builtin { name: "_asdict", call: |_, args| bound_method(&ASDICT, args) };
static BIND_REPLACE: Builtin = Builtin { name: "_replace", call: |_, args| bound_method(&REPLACE, args) };

/// What the class itself gives for a member that instances get as a property: the function.
pub fn unbound(class: &Type, getter: &Value) -> Option<Value> {
    let function = match getter {
        Value::Builtin(getter) if std::ptr::eq(*getter, &raw const BIND_ASDICT) => &ASDICT,
        Value::Builtin(getter) if std::ptr::eq(*getter, &raw const BIND_REPLACE) => &REPLACE,
        _ => return None,
    };
    Some(Value::object(ClassFunction { class: class.name(), function }))
}

/// A function of a named tuple's class, which the module writes in Python.
struct ClassFunction {
    class: Str,
    function: &'static Builtin,
}

impl Object for ClassFunction {
    fn class(&self) -> &'static BuiltinType {
        &FUNCTION
    }

    fn callable(&self) -> bool {
        true
    }

    fn call(&self, vm: &mut Vm, _: &Value, args: Args) -> PyResult<Value> {
        if args.pos.is_empty() {
            return Err(missing_arguments(&format!("{}.{}", self.class.as_str(), self.function.name), &["self"]));
        }
        (self.function.call)(vm, args)
    }

    fn repr(&self, _: &mut Vm, this: &Value) -> PyResult<String> {
        let address = crate::python::builtins::attributes::identity(this);
        Ok(format!("<function {}.{} at {address:#x}>", self.class.as_str(), self.function.name))
    }
}

/// The class of the descriptors of fields.
pub(crate) static TUPLE_GETTER: BuiltinType = BuiltinType::new("_tuplegetter", "_collections", &OBJECT);

/// What the class gives for a field: the descriptor of its place.
pub(crate) struct TupleGetter(usize);

/// The descriptor of a field of a named tuple, where the class has the field.
pub fn field(class: &Type, name: &str) -> Option<Value> {
    let (_, fields) = definition(class)?;
    let place = fields.items.iter().position(|field| field.as_str().is_some_and(|field| field.as_str() == name))?;
    Some(Value::object(TupleGetter(place)))
}

impl Object for TupleGetter {
    fn class(&self) -> &'static BuiltinType {
        &TUPLE_GETTER
    }

    fn repr(&self, _: &mut Vm, _: &Value) -> PyResult<String> {
        Ok(format!("_tuplegetter({0}, 'Alias for field number {0}')", self.0))
    }
}

fn bound_method(function: &'static Builtin, args: Args) -> PyResult<Value> {
    let [receiver] = args.exactly(function.name)?;
    Ok(bound(receiver, function))
}

/// The class that a class method was called on.
fn take_class(args: &mut Args) -> PyResult<(Rc<Class>, Rc<Tuple>)> {
    let class = if args.pos.is_empty() { Value::None } else { args.pos.remove(0) };
    let found = match &class {
        Value::Type(class) => definition(class),
        _ => None,
    };
    found.ok_or_else(|| crate::python::methods::wrong_receiver("type", &class))
}

/// The named tuple that a method was called on.
/// The named tuple that a method was called on, with its class and fields. Methods go through all of the fields.
fn take_tuple(vm: &mut Vm, args: &mut Args) -> PyResult<(Rc<Tuple>, Rc<Class>, Rc<Tuple>)> {
    let this = if args.pos.is_empty() { Value::None } else { args.pos.remove(0) };
    if let Value::Tuple(tuple) = &this
        && let Some((class, fields)) = tuple.class.as_ref().and_then(definition)
    {
        vm.charge(fields.items.len().saturating_mul(2))?;
        return Ok((tuple.clone(), class, fields));
    }
    Err(crate::python::methods::wrong_receiver("tuple", &this))
}

/// `Point(1, y=2)`
fn new(_: &mut Vm, mut args: Args) -> PyResult<Value> {
    let (class, fields) = take_class(&mut args)?;
    Ok(instance(&class, bind(&class, &fields, args)?))
}

/// `Point._make(iterable)`
fn make(vm: &mut Vm, mut args: Args) -> PyResult<Value> {
    let (class, fields) = take_class(&mut args)?;
    let [iterable] = args.exactly("_make")?;
    let items = vm.collect(&iterable)?;
    if items.len() != fields.items.len() {
        return Err(type_error(format!("Expected {} arguments, got {}", fields.items.len(), items.len())));
    }
    Ok(instance(&class, items))
}

/// `point._asdict()`
fn asdict(vm: &mut Vm, mut args: Args) -> PyResult<Value> {
    let (tuple, _, fields) = take_tuple(vm, &mut args)?;
    let [] = args.exactly("_asdict")?;
    let dict = Dict::new();
    for (field, value) in field_names(&fields).into_iter().zip(&tuple.items) {
        dict.set_str(field, value.clone());
    }
    Ok(Value::dict(dict))
}

/// `point._replace(x=1)`
fn replace(vm: &mut Vm, mut args: Args) -> PyResult<Value> {
    let (tuple, class, fields) = take_tuple(vm, &mut args)?;
    let names = field_names(&fields);
    let mut items = tuple.items.clone();
    let mut unknown = Vec::new();
    for (keyword, value) in args.kw {
        match names.iter().position(|name| *name == keyword).and_then(|index| items.get_mut(index)) {
            Some(slot) => *slot = value,
            None => unknown.push(Value::Str(keyword)),
        }
    }
    if !unknown.is_empty() {
        return Err(value_error(format!("Got unexpected field names: {}", vm.repr(&Value::list(unknown))?)));
    }
    Ok(instance(&class, items))
}

/// An instance of such a class.
pub(in crate::python::modules) fn instance(class: &Rc<Class>, items: Vec<Value>) -> Value {
    Value::Tuple(Rc::new(Tuple { items, class: Some(Type::Class(class.clone())) }))
}

fn field_names(fields: &Tuple) -> Vec<Str> {
    fields.items.iter().filter_map(|field| field.as_str().cloned()).collect()
}

fn bind(class: &Rc<Class>, fields: &Tuple, args: Args) -> PyResult<Vec<Value>> {
    let function = format!("{}.__new__", class.name.as_str());
    let names = field_names(fields);
    let defaults = match class.dict.borrow().get(DEFAULTS) {
        Some(Value::Tuple(defaults)) => defaults.items.clone(),
        _ => Vec::new(),
    };
    let given = args.pos.len();
    let mut bound: Vec<Option<Value>> = args.pos.into_iter().take(names.len()).map(Some).collect();
    bound.resize(names.len(), None);
    for (keyword, value) in args.kw {
        let index = names.iter().position(|name| *name == keyword);
        let Some(slot) = index.and_then(|index| bound.get_mut(index)) else {
            return Err(type_error(format!("{function}() got an unexpected keyword argument '{}'", keyword.as_str())));
        };
        if slot.is_some() {
            return Err(type_error(format!("{function}() got multiple values for argument '{}'", keyword.as_str())));
        }
        *slot = Some(value);
    }
    let required = names.len() - defaults.len().min(names.len());
    if given > names.len() {
        let most = names.len() + 1;
        let takes = if defaults.is_empty() { most.to_string() } else { format!("from {} to {most}", required + 1) };
        let plural = if most == 1 { "" } else { "s" };
        return Err(type_error(format!(
            "{function}() takes {takes} positional argument{plural} but {} were given",
            given + 1
        )));
    }
    for (slot, default) in bound.iter_mut().skip(required).zip(defaults) {
        slot.get_or_insert(default);
    }
    let missing: Vec<&str> =
        bound.iter().zip(&names).filter(|(slot, _)| slot.is_none()).map(|(_, name)| name.as_str()).collect();
    if !missing.is_empty() {
        return Err(crate::python::modules::signature::missing_arguments(&function, &missing));
    }
    Ok(bound.into_iter().flatten().collect())
}
