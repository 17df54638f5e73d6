//! `@dataclass`: reads the annotations of a class and gives it methods.

use std::rc::Rc;

use indexmap::IndexMap;

use super::field::{Field, Kind};
use super::{FIELDS, FROZEN, Fields, Mark, fields_of, is_missing, methods};
use crate::python::args::Args;
use crate::python::exception::{PyResult, attribute_error, type_error, value_error};
use crate::python::hash;
use crate::python::modules::signature::Signature;
use crate::python::native_function::NativeFunction;
use crate::python::string::Str;
use crate::python::types::{Class, Type};
use crate::python::value::Value;
use crate::python::vm::Vm;
use crate::python::vm::lookup::{Member, class_member, resolution_order};
use crate::python::vm::members::plain;

/// The parameters of `dataclass`, with their defaults.
const PARAMETERS: [(&str, bool); 10] = [
    ("init", true),
    ("repr", true),
    ("eq", true),
    ("order", false),
    ("unsafe_hash", false),
    ("frozen", false),
    ("match_args", true),
    ("kw_only", false),
    ("slots", false),
    ("weakref_slot", false),
];

/// What a data class is to have.
#[derive(Clone, Copy)]
struct Options {
    init: bool,
    repr: bool,
    eq: bool,
    order: bool,
    unsafe_hash: bool,
    frozen: bool,
    match_args: bool,
    kw_only: bool,
    // DIFFERENCE: `slots` changes nothing; instances take other attributes as well.
}

impl Options {
    fn of(vm: &mut Vm, given: &[Option<Value>]) -> PyResult<Self> {
        let mut flags = PARAMETERS.map(|(_, default)| default);
        for (flag, value) in flags.iter_mut().zip(given) {
            if let Some(value) = value {
                *flag = vm.truthy(value)?;
            }
        }
        let [init, repr, eq, order, unsafe_hash, frozen, match_args, kw_only, slots, weakref_slot] = flags;
        if weakref_slot && !slots {
            return Err(type_error("weakref_slot is True but slots is False"));
        }
        Ok(Self { init, repr, eq, order, unsafe_hash, frozen, match_args, kw_only })
    }
}

/// `@dataclass`, `@dataclass(...)`
pub(super) fn dataclass(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [a, b, c, d, e, f, g, h, i, j] = PARAMETERS.map(|(name, _)| name);
    let signature = Signature {
        name: "dataclass",
        parameters: ["cls", a, b, c, d, e, f, g, h, i, j],
        positional: 1,
        required: 0,
        method: false,
    };
    let [class, options @ ..] = signature.bind(args)?;
    let options = Options::of(vm, &options)?;
    match class.filter(|class| !class.is_none()) {
        Some(class) => process(vm, class, options),
        None => Ok(NativeFunction::value("wrap", "dataclass.<locals>.wrap".to_owned(), move |vm, args| {
            let [class] = Signature::function("dataclass.<locals>.wrap", ["cls"], 1).bind(args)?;
            process(vm, class.unwrap_or_default(), options)
        })),
    }
}

/// `make_dataclass(cls_name, fields, *, bases=(), namespace=None, ...)`
pub(super) fn make_dataclass(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [a, b, c, d, e, f, g, h, i, j] = PARAMETERS.map(|(name, _)| name);
    let signature = Signature {
        name: "make_dataclass",
        parameters: ["cls_name", "fields", "bases", "namespace", a, b, c, d, e, f, g, h, i, j],
        positional: 2,
        required: 2,
        method: false,
    };
    let [name, fields, bases, namespace, options @ ..] = signature.bind(args)?;
    let options = Options::of(vm, &options)?;
    let name = name.unwrap_or_default();
    let mut attributes: Vec<(Str, Value)> = Vec::new();
    if let Some(Value::Dict(namespace)) = namespace {
        attributes
            .extend(namespace.items().into_iter().filter_map(|(key, value)| Some((key.as_str()?.clone(), value))));
    }
    let annotations = crate::python::dict::Dict::new();
    let fields = vm.iter(&fields.unwrap_or_default())?;
    while let Some(item) = vm.next(&fields)? {
        vm.charge(1)?;
        let parts = match plain(&item) {
            Value::Str(_) => vec![item.clone(), Value::str("typing.Any")],
            _ => {
                let length = vm.len(&item)?;
                let parts = vm.collect(&item)?;
                if parts.len() == length { parts } else { Vec::new() }
            }
        };
        let (Some(field), Some(annotation), true) = (parts.first(), parts.get(1), parts.len() <= 3) else {
            return Err(type_error(format!("Invalid field: {}", vm.repr(&item)?)));
        };
        let shown = vm.repr(field)?;
        // DIFFERENCE: a name that NFKC changes is one, which CPython refuses in the end.
        let name = plain(field);
        let Some(text) = name.as_str().filter(|text| super::super::collections::is_identifier(text)) else {
            return Err(type_error(format!("Field names must be valid identifiers: {shown}")));
        };
        if super::super::collections::is_keyword(text) {
            return Err(type_error(format!("Field names must not be keywords: {shown}")));
        }
        if annotations.get_str(text).is_some() {
            return Err(type_error(format!("Field name duplicated: {shown}")));
        }
        annotations.set_str(text.clone(), annotation.clone());
        if let Some(default) = parts.get(2) {
            attributes.push((text.clone(), default.clone()));
        }
    }
    attributes.push((Str::from("__annotations__"), Value::dict(annotations)));
    // CPython makes the class in that module.
    attributes.push((Str::from("__module__"), Value::str("types")));
    let bases = match bases {
        Some(bases) => vm.collect(&bases)?,
        None => Vec::new(),
    };
    let Value::Str(name) = name else {
        let found = name.argument_class();
        return Err(type_error(format!("type.__new__() argument 1 must be str, not {}", found.as_str())));
    };
    let class = vm.make_class(name, bases, attributes)?;
    process(vm, class, options)
}

/// The names of an annotation's text: of `typing.ClassVar[int]`, `typing` and `ClassVar`.
fn annotated_name(text: &str) -> (Option<&str>, &str) {
    let text = text.trim_start();
    let end = text.find(|char: char| !(char == '_' || char.is_alphanumeric())).unwrap_or(text.len());
    let (first, rest) = text.split_at_checked(end).unwrap_or((text, ""));
    match rest.trim_start().strip_prefix('.') {
        Some(rest) => {
            let rest = rest.trim_start();
            let end = rest.find(|char: char| !(char == '_' || char.is_alphanumeric())).unwrap_or(rest.len());
            (Some(first), rest.get(..end).unwrap_or_default())
        }
        None => (None, first),
    }
}

/// Whether an annotation names `what` of the module `module`, as far as the loader's module knows the name: that is where
/// CPython looks, not among the block's names.
fn names(vm: &mut Vm, annotation: &Value, module: &str, what: &str) -> PyResult<bool> {
    let Value::Str(text) = annotation else { return Ok(false) };
    let (qualifier, name) = annotated_name(text);
    if name != what {
        return Ok(false);
    }
    let environment = vm.environment.clone();
    let known = environment.global(vm, qualifier.unwrap_or(name))?;
    Ok(match (qualifier, known) {
        (_, None) => false,
        (Some(_), Some(Value::Module(known))) => known.name == module,
        (Some(_), Some(_)) => false,
        (None, Some(_)) => true,
    })
}

/// The annotations of the class itself, in order.
fn annotations(class: &Class) -> Vec<(Str, Value)> {
    match class.dict.borrow().get("__annotations__") {
        Some(Value::Dict(dict)) => {
            dict.items().into_iter().filter_map(|(name, value)| Some((name.as_str()?.clone(), value))).collect()
        }
        _ => Vec::new(),
    }
}

/// The field that a class's annotation of a name makes.
fn own_field(vm: &mut Vm, class: &Rc<Class>, name: Str, annotation: Value, keyword_only: bool) -> PyResult<Field> {
    let default = match class_member(class, &name) {
        // As the class gives it: of a static method the function.
        Some(Member::Value(_)) => vm.get_attr(&Value::Type(Type::Class(class.clone())), &name)?,
        _ => super::missing(),
    };
    let mut field = match default.downcast::<Field>() {
        Some(field) => field.clone(),
        None => Field::with_default(default),
    };
    if names(vm, &annotation, "typing", "ClassVar")? {
        field.kind = Kind::ClassVar;
    } else if names(vm, &annotation, "dataclasses", "InitVar")? {
        field.kind = Kind::InitVar;
    }
    if field.kind != Kind::Field && !is_missing(&field.factory) {
        return Err(type_error(format!("field {} cannot have a default factory", name.as_str())));
    }
    if field.kind == Kind::ClassVar {
        if field.keyword_only.is_some() {
            return Err(type_error(format!("field {} is a ClassVar but specifies kw_only", name.as_str())));
        }
    } else {
        field.keyword_only.get_or_insert(keyword_only);
    }
    if field.kind == Kind::Field {
        let unhashable = match &field.default {
            Value::List(_) | Value::Dict(_) | Value::Set(_) | Value::Slice(_) | Value::Object(_) => {
                // Not what it holds, but the class is asked.
                let own = format!("unhashable type: '{}'", field.default.type_name().as_str());
                match hash::hash(vm, &field.default) {
                    Err(raised) => vm.str(&raised.value())?.as_str() == own,
                    Ok(_) => false,
                }
            }
            Value::Instance(instance) => {
                matches!(class_member(&instance.class, "__hash__"), Some(Member::Value(Value::None)))
            }
            _ => false,
        };
        if unhashable {
            let class = vm.repr(&Value::Type(field.default.class()))?;
            return Err(value_error(format!(
                "mutable default {class} for field {} is not allowed: use default_factory",
                name.as_str()
            )));
        }
    }
    (field.name, field.annotation) = (name, annotation);
    Ok(field)
}

/// Sets an attribute that the class does not define itself; whether it does.
fn set_new(class: &Class, name: &str, value: Value) -> bool {
    let mut dict = class.dict.borrow_mut();
    let there = dict.contains_key(name);
    if !there {
        dict.insert(name.to_owned(), value);
    }
    there
}

fn process(vm: &mut Vm, target: Value, options: Options) -> PyResult<Value> {
    let Value::Type(Type::Class(class)) = &target else {
        if let Value::Type(Type::Builtin(_)) = &target {
            vm.set_attr(&target, &Str::from(FROZEN), Value::None)?;
        }
        vm.get_attr(&target, "__module__")?;
        vm.get_attr(&target, "__mro__")?;
        return Err(attribute_error("a data class is a class of the code"));
    };
    let mut fields: IndexMap<String, Rc<Field>> = IndexMap::new();
    let (mut has_base, mut frozen_base) = (false, false);
    let order = resolution_order(&Type::Class(class.clone()))?;
    for base in order.iter().skip(1).rev() {
        let Type::Class(base) = base else { continue };
        let Some(base_fields) = fields_of(base) else { continue };
        has_base = true;
        fields.extend(base_fields.into_iter().map(|field| (field.name.to_string(), field)));
        if let Some(Member::Value(Value::Bool(frozen))) = class_member(base, FROZEN) {
            frozen_base |= frozen;
        }
    }
    let annotations = annotations(class);
    // A method or more is made for each option, and holds all fields.
    vm.charge(annotations.len().saturating_mul(16).saturating_add(40))?;
    let (mut keyword_only, mut mark_seen) = (options.kw_only, false);
    // The fields of the class itself, each with the object in its place that made it.
    let mut own: Vec<(Option<Value>, Field)> = Vec::new();
    for (name, annotation) in &annotations {
        let mark = matches!(annotation.downcast::<Mark>(), Some(Mark::KeywordOnly));
        if mark || names(vm, annotation, "dataclasses", "KW_ONLY")? {
            if mark_seen {
                let shown = vm.repr(&Value::Str(name.clone()))?;
                return Err(type_error(format!("{shown} is KW_ONLY, but KW_ONLY has already been specified")));
            }
            (mark_seen, keyword_only) = (true, true);
            continue;
        }
        let mut field = own_field(vm, class, name.clone(), annotation.clone(), keyword_only)?;
        let given = class.dict.borrow().get(name.as_str()).filter(|given| given.downcast::<Field>().is_some()).cloned();
        // A field that stands under two names (`b: int = a`) is one, and has the last name.
        for (known, earlier) in &mut own {
            if given.as_ref().zip(known.as_ref()).is_some_and(|(given, known)| given.is(known)) {
                field.keyword_only = earlier.keyword_only;
                earlier.clone_from(&field);
            }
        }
        own.push((given, field));
    }
    for (_, field) in own {
        let name = field.name.to_string();
        let mut dict = class.dict.borrow_mut();
        if dict.get(&name).is_some_and(|value| value.downcast::<Field>().is_some()) {
            if is_missing(&field.default) {
                dict.shift_remove(&name);
            } else {
                dict.insert(name.clone(), field.default.clone());
            }
        }
        drop(dict);
        fields.insert(name, Rc::new(field));
    }
    let stray = {
        let dict = class.dict.borrow();
        let annotated = |name: &str| annotations.iter().any(|(annotated, _)| annotated.as_str() == name);
        let stray = |name: &str, value: &Value| value.downcast::<Field>().is_some() && !annotated(name);
        dict.iter().find(|(name, value)| stray(name, value)).map(|(name, _)| name.clone())
    };
    if let Some(name) = stray {
        let shown = vm.repr(&Value::str(name))?;
        return Err(type_error(format!("{shown} is a field but has no type annotation")));
    }
    if has_base && frozen_base && !options.frozen {
        return Err(type_error("cannot inherit non-frozen dataclass from a frozen one"));
    }
    if has_base && !frozen_base && options.frozen {
        return Err(type_error("cannot inherit frozen dataclass from a non-frozen one"));
    }
    let fields: Vec<Rc<Field>> = fields.into_values().collect();
    class.dict.borrow_mut().insert(FROZEN.to_owned(), Value::Bool(options.frozen));
    class.dict.borrow_mut().insert(FIELDS.to_owned(), Value::object(Fields(fields.clone())));
    add_methods(vm, class, &fields, options)?;
    Ok(target)
}

fn add_methods(vm: &mut Vm, class: &Rc<Class>, fields: &[Rc<Field>], options: Options) -> PyResult<()> {
    let own_hash = class.dict.borrow().get("__hash__").cloned();
    let own_eq = class.dict.borrow().contains_key("__eq__");
    let explicit_hash = own_hash.is_some_and(|hash| !(hash.is_none() && own_eq));
    if options.order && !options.eq {
        return Err(value_error("eq must be true if order is true"));
    }
    let in_init = |field: &&Rc<Field>| field.kind != Kind::ClassVar;
    let keyword_only = |field: &Rc<Field>| field.keyword_only == Some(true);
    let standard: Vec<Rc<Field>> =
        fields.iter().filter(in_init).filter(|field| !keyword_only(field)).cloned().collect();
    let matched: Vec<Value> =
        standard.iter().filter(|field| field.init).map(|field| Value::Str(field.name.clone())).collect();
    let of_instances: Vec<Rc<Field>> = fields.iter().filter(|field| field.kind == Kind::Field).cloned().collect();
    if options.init {
        methods::check_order(vm, &standard)?;
        set_new(class, "__init__", methods::init(class, fields.iter().filter(in_init).cloned().collect()));
    }
    if options.repr {
        let shown = of_instances.iter().filter(|field| field.repr).cloned().collect();
        set_new(class, "__repr__", methods::repr(class, shown));
    }
    let compared: Vec<Rc<Field>> = of_instances.iter().filter(|field| field.compare).cloned().collect();
    if options.eq {
        set_new(class, "__eq__", methods::comparison(class, "__eq__", compared.clone()));
    }
    if options.order {
        for name in ["__lt__", "__le__", "__gt__", "__ge__"] {
            if set_new(class, name, methods::comparison(class, name, compared.clone())) {
                let class = class.name.as_str();
                return Err(type_error(format!(
                    "Cannot overwrite attribute {name} in class {class}. Consider using functools.total_ordering"
                )));
            }
        }
    }
    if options.frozen {
        for name in ["__setattr__", "__delattr__"] {
            if set_new(class, name, methods::refusal(class, name, of_instances.clone())) {
                let class = class.name.as_str();
                return Err(type_error(format!("Cannot overwrite attribute {name} in class {class}")));
            }
        }
    }
    let hashed = of_instances.into_iter().filter(|field| field.hash.unwrap_or(field.compare)).collect();
    match (options.unsafe_hash, options.eq, options.frozen, explicit_hash) {
        (true, _, _, true) => {
            let class = class.name.as_str();
            return Err(type_error(format!("Cannot overwrite attribute __hash__ in class {class}")));
        }
        (true, _, _, false) | (false, true, true, false) => {
            class.dict.borrow_mut().insert("__hash__".to_owned(), methods::hash(class, hashed));
        }
        (false, true, false, false) => {
            class.dict.borrow_mut().insert("__hash__".to_owned(), Value::None);
        }
        _ => {}
    }
    if options.match_args {
        set_new(class, "__match_args__", Value::tuple(matched));
    }
    Ok(())
}
