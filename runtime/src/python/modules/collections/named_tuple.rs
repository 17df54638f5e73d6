//! `collections.namedtuple`.
//!
//! The class is one that code could have defined, deriving from `tuple`; what makes it a named tuple is `_fields` in its
//! dict, and `_defaults` for the last of them.

use std::cell::RefCell;
use std::rc::Rc;

use indexmap::IndexMap;

use crate::python::args::Args;
use crate::python::dict::Dict;
use crate::python::exception::{PyResult, type_error, value_error};
use crate::python::modules::signature::Signature;
use crate::python::string::Str;
use crate::python::types::{Class, TUPLE, Type};
use crate::python::value::{Tuple, Value};
use crate::python::vm::Vm;

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
    let [name, fields, rename, defaults, _module] = signature.bind(args)?;
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
    let mut dict = IndexMap::new();
    dict.insert(FIELDS.to_owned(), Value::tuple(names.into_iter().map(Value::str).collect()));
    dict.insert(DEFAULTS.to_owned(), Value::tuple(defaults));
    Ok(Value::Type(Type::Class(Rc::new(Class { name, bases: vec![Type::Builtin(&TUPLE)], dict: RefCell::new(dict) }))))
}

fn is_identifier(name: &str) -> bool {
    let mut characters = name.chars();
    characters.next().is_some_and(|c| c.is_alphabetic() || c == '_')
        && characters.all(|c| c.is_alphanumeric() || c == '_')
}

fn check_fields(vm: &mut Vm, name: &Str, names: &mut [String], rename: bool) -> PyResult<()> {
    let mut seen = std::collections::HashSet::new();
    if rename {
        for (index, field) in names.iter_mut().enumerate() {
            let bad = !is_identifier(field) || KEYWORDS.contains(&field.as_str()) || field.starts_with('_');
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
        if KEYWORDS.contains(&checked) {
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

/// `Point(1, y=2)`; `None` where the class is not a named tuple's.
///
/// # Errors
/// `TypeError`, as calling its `__new__` raises it.
pub fn construct(class: &Rc<Class>, args: Args) -> Option<PyResult<Value>> {
    let (_, fields) = definition(&Type::Class(class.clone()))?;
    Some(bind(class, &fields, args).map(|items| instance(class, items)))
}

fn instance(class: &Rc<Class>, items: Vec<Value>) -> Value {
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

/// An attribute of a named tuple that is no method of `tuple`: a field, or `_fields`.
pub fn attribute(tuple: &Tuple, name: &str) -> Option<Value> {
    let (_, fields) = definition(tuple.class.as_ref()?)?;
    let index = fields.items.iter().position(|field| field.as_str().is_some_and(|field| field.as_str() == name))?;
    tuple.items.get(index).cloned()
}

/// The methods that named tuples add; `None` where there is no such method or the tuple is a plain one.
pub fn call_method(vm: &mut Vm, tuple: &Tuple, name: &str, args: &mut Args) -> Option<PyResult<Value>> {
    let (class, fields) = definition(tuple.class.as_ref()?)?;
    match name {
        "_asdict" => {
            let dict = Dict::new();
            for (field, value) in field_names(&fields).into_iter().zip(&tuple.items) {
                dict.set_str(field, value.clone());
            }
            Some(Ok(Value::dict(dict)))
        }
        "_replace" => {
            let args = std::mem::take(args);
            Some(replace(vm, &class, &fields, tuple, args))
        }
        _ => None,
    }
}

/// Whether named tuples add a method of this name.
pub fn has_method(tuple: &Tuple, name: &str) -> bool {
    tuple.class.is_some() && matches!(name, "_asdict" | "_replace")
}

fn replace(vm: &mut Vm, class: &Rc<Class>, fields: &Tuple, tuple: &Tuple, args: Args) -> PyResult<Value> {
    let names = field_names(fields);
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
    Ok(instance(class, items))
}

/// `Point._make(iterable)`; `None` where the class is not a named tuple's.
pub fn make(vm: &mut Vm, class: &Rc<Class>, iterable: &Value) -> Option<PyResult<Value>> {
    let (_, fields) = definition(&Type::Class(class.clone()))?;
    Some((|| {
        let items = vm.collect(iterable)?;
        if items.len() != fields.items.len() {
            return Err(type_error(format!("Expected {} arguments, got {}", fields.items.len(), items.len())));
        }
        Ok(instance(class, items))
    })())
}

/// `repr` of a named tuple; `None` for a plain tuple.
pub fn repr(vm: &mut Vm, tuple: &Tuple) -> PyResult<Option<String>> {
    let Some((class, fields)) = tuple.class.as_ref().and_then(definition) else { return Ok(None) };
    let mut parts = Vec::with_capacity(tuple.items.len());
    for (field, value) in field_names(&fields).iter().zip(&tuple.items) {
        parts.push(format!("{}={}", field.as_str(), vm.deeper(|vm| vm.repr(value))?));
    }
    Ok(Some(format!("{}({})", class.name.as_str(), parts.join(", "))))
}
