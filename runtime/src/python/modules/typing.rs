//! `typing`: names that can be subscripted and combined and do nothing; and unions, which `isinstance` takes.

use super::signature::Signature;
use super::{abc, collections};
use crate::python::args::Args;
use crate::python::exception::{PyResult, type_error};
use crate::python::hash;
use crate::python::iterator::{Items, IteratorObject};
use crate::python::object::Object;
use crate::python::types::{
    BuiltinType, DICT, FROZENSET, GENERIC_ALIAS, LIST, NONE_TYPE, OBJECT, SET, TUPLE, TYPE, Type,
};
use crate::python::value::Value;
use crate::python::vm::text::{CODE_MODULE, str_repr};
use crate::python::vm::{CompareOp, Vm};

/// `types.UnionType`, what `int | str` is.
pub static UNION_TYPE: BuiltinType = BuiltinType::new("UnionType", "types", &OBJECT);
/// `typing._SpecialForm`: `Any`, `Optional`, `List` ...
pub static SPECIAL_FORM: BuiltinType = BuiltinType::new("_SpecialForm", "typing", &OBJECT);
/// `typing.TypeVar`
pub static TYPE_VAR: BuiltinType =
    BuiltinType { construct: Some(type_var), ..BuiltinType::new("TypeVar", "typing", &OBJECT) };

static UNION_ALIAS: BuiltinType = BuiltinType::new("_UnionGenericAlias", "typing", &OBJECT);
static TYPING_ALIAS: BuiltinType = BuiltinType::new("_GenericAlias", "typing", &OBJECT);

/// A union of classes: `int | str`, or `typing.Union[int, str]`, which the names of `typing` make of any union they are in.
pub struct Union {
    members: Vec<Value>,
    typing: bool,
}

/// `a | b` of two classes, unions or `None`; `None` where one is no such thing.
///
/// # Errors
/// `TimeoutError`: each member is compared with all before it.
pub fn union(vm: &mut Vm, a: &Value, b: &Value) -> PyResult<Option<Value>> {
    let members = |value: &Value| match value {
        Value::Type(_) | Value::None => Some(vec![value.clone()]),
        Value::Object(_) => match (value.downcast::<Union>(), value.downcast::<Form>(), value.downcast::<Alias>()) {
            (Some(union), _, _) => Some(union.members.clone()),
            (None, None, None) => value.downcast::<TypeVar>().map(|_| vec![value.clone()]),
            _ => Some(vec![value.clone()]),
        },
        _ => None,
    };
    let Some((mut all, more)) = members(a).zip(members(b)) else { return Ok(None) };
    all.extend(more);
    vm.charge(comparisons(all.len()))?;
    if all.iter().all(Value::is_none) {
        return Ok(None);
    }
    Ok(Some(union_of(all, is_of_typing(a) || is_of_typing(b))))
}

/// Whether a value is one of `typing`, whose unions are `typing`'s.
fn is_of_typing(value: &Value) -> bool {
    value.downcast::<Union>().is_some_and(|union| union.typing)
        || value.downcast::<Alias>().is_some_and(Alias::is_of_typing)
        || value.downcast::<Form>().is_some_and(|form| !form.is_class())
        || value.downcast::<TypeVar>().is_some()
}

/// The steps of finding the members that are there once, each compared with all before it.
fn comparisons(members: usize) -> usize {
    members.saturating_mul(members) / 4
}

/// The union of members, each once; a single one is itself.
fn union_of(members: Vec<Value>, typing: bool) -> Value {
    let mut all: Vec<Value> = Vec::with_capacity(members.len());
    for member in members {
        let parts = match member.downcast::<Union>() {
            Some(union) => union.members.clone(),
            None => vec![member],
        };
        for part in parts {
            let part = if part.is_none() { Value::Type((&NONE_TYPE).into()) } else { part };
            if !all.iter().any(|known| known.is(&part) || hash::keys_equal(known, &part)) {
                all.push(part);
            }
        }
    }
    match <[Value; 1]>::try_from(all) {
        Ok([only]) => only,
        Err(members) => Value::object(Union { members, typing }),
    }
}

fn is_none_type(value: &Value) -> bool {
    matches!(value, Value::Type(class) if class.same(&Type::Builtin(&NONE_TYPE)))
}

/// The text of a member where `typing` writes it.
fn typing_text(vm: &mut Vm, value: &Value) -> PyResult<String> {
    Ok(match value {
        Value::Str(text) => format!("ForwardRef({})", str_repr(text)),
        Value::None => "NoneType".to_owned(),
        Value::List(list) => {
            let items = list.items.borrow().clone();
            let texts = items.iter().map(|item| typing_text(vm, item)).collect::<PyResult<Vec<_>>>()?;
            format!("[{}]", texts.join(", "))
        }
        value if is_none_type(value) => "NoneType".to_owned(),
        other => member_text(vm, other)?,
    })
}

/// The members of a union, or the class that a form of `typing` stands for; `None` for anything else.
pub fn union_members(value: &Value) -> Option<Vec<Value>> {
    if let Some(union) = value.downcast::<Union>() {
        return Some(union.members.clone());
    }
    let form = value.downcast::<Form>()?;
    Some(vec![Value::Type(form.origin?.into())])
}

/// Why `isinstance` or `issubclass` cannot ask a form of `typing` or an alias; `None` where it can, or nobody knows it.
pub fn no_check(value: &Value, function: &str) -> Option<String> {
    if let Some(alias) = value.downcast::<Alias>() {
        return Some(match alias.is_of_typing() {
            true => "Subscripted generics cannot be used with class and instance checks".to_owned(),
            false => format!("{function}() argument 2 cannot be a parameterized generic"),
        });
    }
    let form = value.downcast::<Form>()?;
    // `Any` is a class, which refuses instances alone.
    let refused = if form.is_class() { form.name == "Any" && function == "isinstance" } else { form.origin.is_none() };
    refused.then(|| format!("typing.{} cannot be used with {function}()", form.name))
}

/// The text of a class in a union or alias.
fn member_text(vm: &mut Vm, value: &Value) -> PyResult<String> {
    Ok(match value {
        Value::None => "None".to_owned(),
        Value::Type(class) if class.same(&Type::Builtin(&NONE_TYPE)) => "None".to_owned(),
        Value::Type(Type::Builtin(class)) => format!("{}{}", class.module_prefix(), class.name),
        Value::Type(Type::Class(class)) => {
            let qualified = class.qualified_name().as_str();
            match class.dict.borrow().get("__module__") {
                Some(Value::Str(module)) if module.as_str() == "builtins" => qualified.to_owned(),
                Some(Value::Str(module)) => format!("{}.{qualified}", module.as_str()),
                Some(_) => format!("<class '{qualified}'>"),
                None => format!("{CODE_MODULE}.{qualified}"),
            }
        }
        Value::Ellipsis => "...".to_owned(),
        Value::Builtin(builtin) => match vm.module_of(builtin) {
            Some(module) => format!("{module}.{}", builtin.name),
            None => builtin.name.to_owned(),
        },
        other => match other.downcast::<Form>() {
            Some(form) => format!("typing.{}", form.name),
            None => match function_text(vm, other)? {
                Some(text) => text,
                None => vm.repr(other)?,
            },
        },
    })
}

/// The text of what has a name and a module and is no class: a function.
fn function_text(vm: &mut Vm, value: &Value) -> PyResult<Option<String>> {
    if !matches!(value, Value::Function(_) | Value::Object(_) | Value::BoundMethod(_))
        || value.downcast::<Alias>().is_some()
    {
        return Ok(None);
    }
    let Some(name) = vm.find_attr(value, "__qualname__")? else { return Ok(None) };
    let Some(module) = vm.find_attr(value, "__module__")?.filter(|module| !module.is_none()) else { return Ok(None) };
    let (name, module) = (vm.str(&name)?, vm.str(&module)?);
    Ok(Some(match module.as_str() {
        "builtins" => name.to_string(),
        module => format!("{module}.{}", name.as_str()),
    }))
}

impl Object for Union {
    fn class(&self) -> &'static BuiltinType {
        if self.typing { &UNION_ALIAS } else { &UNION_TYPE }
    }

    fn get_attr(&self, _: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        Ok(match name {
            "__args__" => Some(Value::tuple(self.members.clone())),
            "__origin__" if self.typing => Some(Value::object(Form { name: "Union", origin: None })),
            _ => None,
        })
    }

    fn get_item(&self, vm: &mut Vm, _: &Value) -> PyResult<Value> {
        let text = self.repr(vm, &Value::None)?;
        Err(type_error(format!("{text} is not a generic class")))
    }

    fn repr(&self, vm: &mut Vm, _: &Value) -> PyResult<String> {
        if self.typing {
            let is_optional = self.members.len() == 2 && self.members.iter().any(is_none_type);
            let named = self.members.iter().filter(|member| !(is_optional && is_none_type(member)));
            let texts = named.map(|member| typing_text(vm, member)).collect::<PyResult<Vec<_>>>()?;
            let name = if is_optional { "Optional" } else { "Union" };
            return Ok(format!("typing.{name}[{}]", texts.join(", ")));
        }
        let texts = self.members.iter().map(|member| member_text(vm, member)).collect::<PyResult<Vec<_>>>()?;
        Ok(texts.join(" | "))
    }

    fn compare(&self, _: &mut Vm, op: CompareOp, other: &Value) -> Option<PyResult<Value>> {
        let other = other.downcast::<Union>()?;
        let same = |a: &Value, b: &Value| {
            let none = |value: &Value| value.is_none() || is_none_type(value);
            none(a) && none(b) || hash::keys_equal(a, b)
        };
        let within =
            |a: &Self, b: &Self| a.members.iter().all(|member| b.members.iter().any(|other| same(other, member)));
        let equal = within(self, other) && within(other, self);
        match op {
            CompareOp::Eq => Some(Ok(Value::Bool(equal))),
            CompareOp::Ne => Some(Ok(Value::Bool(!equal))),
            _ => None,
        }
    }

    fn hash(&self, vm: &mut Vm) -> Option<PyResult<i64>> {
        let mut all = 0;
        for member in &self.members {
            let class = if is_none_type(member) { Value::None } else { member.clone() };
            match hash::hash(vm, &class) {
                Ok(hash) => all ^= hash,
                Err(raised) => return Some(Err(raised)),
            }
        }
        Some(Ok(all))
    }

    fn equals_key(&self, other: &Value) -> bool {
        let Some(other) = other.downcast::<Self>() else { return false };
        self.members.len() == other.members.len()
            && self.members.iter().all(|member| other.members.iter().any(|other| hash::keys_equal(member, other)))
    }

    fn binary(&self, vm: &mut Vm, method: &str, other: &Value) -> Option<PyResult<Value>> {
        let this = Value::object(Self { members: self.members.clone(), typing: self.typing });
        match method {
            "or" => union(vm, &this, other).transpose(),
            "ror" => union(vm, other, &this).transpose(),
            _ => None,
        }
    }
}

static GENERIC_ALIAS_ITERATOR: BuiltinType = BuiltinType::new("generic_alias_iterator", "", &OBJECT);

/// What `list[int]` is.
pub struct Alias {
    origin: Value,
    arguments: Vec<Value>,
    /// Whether it is what unpacking an alias gives: `*tuple[int]`.
    unpacked: bool,
}

/// `class[arguments]`
pub fn generic_alias(origin: Value, arguments: &Value) -> Value {
    let arguments = match arguments {
        Value::Tuple(tuple) => tuple.items.clone(),
        other => vec![other.clone()],
    };
    Value::object(Alias { origin, arguments, unpacked: false })
}

impl Alias {
    /// The class that it is made of.
    pub(crate) fn origin(&self) -> &Value {
        &self.origin
    }

    /// Whether it is of a name of `typing`: `typing.List[int]`.
    fn is_of_typing(&self) -> bool {
        self.origin.downcast::<Form>().is_some()
    }

    fn copied(&self, unpacked: bool) -> Self {
        Self { origin: self.origin.clone(), arguments: self.arguments.clone(), unpacked }
    }
}

impl Object for Alias {
    fn class(&self) -> &'static BuiltinType {
        if self.is_of_typing() { &TYPING_ALIAS } else { &GENERIC_ALIAS }
    }

    fn get_item(&self, vm: &mut Vm, _: &Value) -> PyResult<Value> {
        let text = self.repr(vm, &Value::None)?;
        Err(type_error(format!("{text} is not a generic class")))
    }

    fn get_attr(&self, vm: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        match name {
            "__origin__" => Ok(Some(match self.origin.downcast::<Form>().and_then(|form| form.origin) {
                Some(class) => Value::Type(class.into()),
                None => self.origin.clone(),
            })),
            "__args__" => Ok(Some(Value::tuple(self.arguments.clone()))),
            "type" if matches!(&self.origin, Value::Type(class) if class.name().as_str() == "InitVar") => {
                Ok(self.arguments.first().cloned())
            }
            "__class__" => Ok(None),
            other if other.starts_with("__") => vm.find_attr(&self.origin, other),
            other => vm.get_attr(&self.origin, other).map(Some),
        }
    }

    fn callable(&self) -> bool {
        true
    }

    fn call(&self, vm: &mut Vm, _: &Value, args: Args) -> PyResult<Value> {
        if let Some(Form { name, origin: Some(class) }) = self.origin.downcast::<Form>() {
            let class = class.name;
            return Err(type_error(format!("Type {name} cannot be instantiated; use {class}() instead")));
        }
        vm.call(&self.origin, args)
    }

    fn compare(&self, vm: &mut Vm, op: CompareOp, other: &Value) -> Option<PyResult<Value>> {
        let other = other.downcast::<Self>()?;
        let arguments = |alias: &Self| Value::tuple(alias.arguments.clone());
        let same = self.origin.is(&other.origin) && self.unpacked == other.unpacked;
        let equal = vm.equal(&arguments(self), &arguments(other)).map(|equal| equal && same);
        match op {
            CompareOp::Eq => Some(equal.map(Value::Bool)),
            CompareOp::Ne => Some(equal.map(|equal| Value::Bool(!equal))),
            _ => None,
        }
    }

    fn hash(&self, vm: &mut Vm) -> Option<PyResult<i64>> {
        let arguments = Value::tuple(self.arguments.clone());
        Some((|| Ok(hash::hash(vm, &self.origin)? ^ hash::hash(vm, &arguments)?))())
    }

    fn equals_key(&self, other: &Value) -> bool {
        let arguments = |alias: &Self| Value::tuple(alias.arguments.clone());
        other
            .downcast::<Self>()
            .is_some_and(|other| self.origin.is(&other.origin) && hash::keys_equal(&arguments(self), &arguments(other)))
    }

    fn repr(&self, vm: &mut Vm, _: &Value) -> PyResult<String> {
        let values = self.origin.downcast::<Form>().is_some_and(|form| matches!(form.name, "Literal" | "Annotated"));
        let mut text = |argument: &Value| match argument {
            // Only unions show the class of `None` as `None`.
            argument if is_none_type(argument) => Ok("NoneType".to_owned()),
            argument if values && !matches!(argument, Value::Type(_)) => vm.repr(argument),
            argument if self.is_of_typing() => typing_text(vm, argument),
            argument => member_text(vm, argument),
        };
        let texts = self.arguments.iter().map(&mut text).collect::<PyResult<Vec<_>>>()?;
        let mut texts = texts;
        if texts.is_empty() {
            texts.push("()".to_owned());
        }
        let star = if self.unpacked { "*" } else { "" };
        Ok(format!("{star}{}[{}]", text(&self.origin)?, texts.join(", ")))
    }

    fn iter(&self, _: &mut Vm, _: &Value) -> Option<PyResult<Value>> {
        let items = vec![Value::object(self.copied(true))];
        Some(Ok(IteratorObject::new(&GENERIC_ALIAS_ITERATOR, Items(items.into_iter()))))
    }

    fn binary(&self, vm: &mut Vm, method: &str, other: &Value) -> Option<PyResult<Value>> {
        let this = Value::object(self.copied(self.unpacked));
        match method {
            "or" => union(vm, &this, other).transpose(),
            "ror" => union(vm, other, &this).transpose(),
            _ => None,
        }
    }
}

/// A name of `typing`.
pub struct Form {
    name: &'static str,
    origin: Option<&'static BuiltinType>,
}

impl Form {
    /// Whether CPython makes it a class.
    fn is_class(&self) -> bool {
        matches!(self.name, "Any" | "IO" | "Generic" | "Protocol" | "SupportsFloat" | "SupportsIndex" | "SupportsInt")
    }
}

impl Object for Form {
    fn class(&self) -> &'static BuiltinType {
        &SPECIAL_FORM
    }

    fn get_item(&self, vm: &mut Vm, key: &Value) -> PyResult<Value> {
        let this = Value::object(Self { name: self.name, origin: self.origin });
        Ok(match (self.name, key) {
            ("Optional", other) => union_of(vec![other.clone(), Value::None], true),
            ("Union", Value::Tuple(members)) if members.items.is_empty() => {
                return Err(type_error("Cannot take a Union of no types."));
            }
            ("Union", Value::Tuple(members)) => {
                vm.charge(comparisons(members.items.len()))?;
                union_of(members.items.clone(), true)
            }
            ("Union", other) => union_of(vec![other.clone()], true),
            (_, other) => generic_alias(this, other),
        })
    }

    fn binary(&self, vm: &mut Vm, method: &str, other: &Value) -> Option<PyResult<Value>> {
        let this = Value::object(Self { name: self.name, origin: self.origin });
        match method {
            "or" => union(vm, &this, other).transpose(),
            "ror" => union(vm, other, &this).transpose(),
            _ => None,
        }
    }

    fn repr(&self, _: &mut Vm, _: &Value) -> PyResult<String> {
        let name = self.name;
        Ok(if self.is_class() && name != "Any" { format!("<class 'typing.{name}'>") } else { format!("typing.{name}") })
    }
}

struct TypeVar {
    name: Value,
}

impl Object for TypeVar {
    fn class(&self) -> &'static BuiltinType {
        &TYPE_VAR
    }

    fn get_attr(&self, _: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        Ok((name == "__name__").then(|| self.name.clone()))
    }

    fn repr(&self, vm: &mut Vm, _: &Value) -> PyResult<String> {
        Ok(format!("~{}", vm.str(&self.name)?.as_str()))
    }
}

fn type_var(_: &mut Vm, mut args: Args) -> PyResult<Value> {
    let name = if args.pos.is_empty() { Value::None } else { args.pos.remove(0) };
    Ok(Value::object(TypeVar { name }))
}

/// `typing.NamedTuple`: a class of the config's code that derives from it is a named tuple of its annotations.
pub(crate) static NAMED_TUPLE: BuiltinType = BuiltinType::new("NamedTuple", "typing", &OBJECT);

static NEW_TYPE: BuiltinType = BuiltinType::new("NewType", "typing", &OBJECT);

/// `NewType(name, tp)`: a function that gives what it is given.
struct NewType(Value);

fn new_type(_: &mut Vm, args: Args) -> PyResult<Value> {
    let [name, _] = Signature::method("NewType.__init__", ["name", "tp"], 2).bind(args)?;
    Ok(Value::object(NewType(name.unwrap_or_default())))
}

impl Object for NewType {
    fn class(&self) -> &'static BuiltinType {
        &NEW_TYPE
    }

    fn get_attr(&self, _: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        Ok(matches!(name, "__name__" | "__qualname__").then(|| self.0.clone()))
    }

    fn repr(&self, vm: &mut Vm, _: &Value) -> PyResult<String> {
        Ok(format!("{CODE_MODULE}.{}", vm.str(&self.0)?.as_str()))
    }

    fn callable(&self) -> bool {
        true
    }

    fn call(&self, _: &mut Vm, _: &Value, args: Args) -> PyResult<Value> {
        let [value] = args.exactly("NewType.__call__")?;
        Ok(value)
    }
}

fn cast(_: &mut Vm, args: Args) -> PyResult<Value> {
    let [_, value] = Signature::function("cast", ["typ", "val"], 2).bind(args)?;
    Ok(value.unwrap_or_default())
}

/// `get_origin(tp)`: the class that an alias or a union is of.
fn get_origin(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [value] = Signature::function("get_origin", ["tp"], 1).bind(args)?.map(Option::unwrap_or_default);
    if value.downcast::<Union>().is_some_and(|union| !union.typing) {
        return Ok(Value::Type((&UNION_TYPE).into()));
    }
    let is_alias = value.downcast::<Union>().is_some() || value.downcast::<Alias>().is_some();
    if is_alias { vm.get_attr(&value, "__origin__") } else { Ok(Value::None) }
}

/// `get_args(tp)`: what an alias or a union was made with.
fn get_args(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [value] = Signature::function("get_args", ["tp"], 1).bind(args)?.map(Option::unwrap_or_default);
    let is_alias = value.downcast::<Union>().is_some() || value.downcast::<Alias>().is_some();
    if is_alias { vm.get_attr(&value, "__args__") } else { Ok(Value::tuple(Vec::new())) }
}

/// The class that a base of a class statement stands for: that of `Box[int]` is `Box`. `Generic` and `Protocol`, with or
/// without brackets, add nothing.
pub(crate) enum Base {
    /// This class.
    Class(Value),
    /// None.
    Nothing,
}

/// What a base that is no class stands for; `None` where it cannot be one.
pub(crate) fn base_of(base: &Value) -> Option<Base> {
    let marker =
        |value: &Value| value.downcast::<Form>().is_some_and(|form| matches!(form.name, "Generic" | "Protocol"));
    if marker(base) {
        return Some(Base::Nothing);
    }
    let alias = base.downcast::<Alias>()?;
    Some(if marker(&alias.origin) { Base::Nothing } else { Base::Class(alias.origin.clone()) })
}

fn first_argument(_: &mut Vm, mut args: Args) -> PyResult<Value> {
    Ok(if args.pos.is_empty() { Value::None } else { args.pos.swap_remove(0) })
}

macro_rules! forms {
    ($($name:literal => $origin:expr),* $(,)?) => {
        module! {
            /// `typing`
            MODULE = "typing";
            functions {
                "cast" => cast,
                "NewType" => new_type,
                "get_args" => get_args,
                "get_origin" => get_origin,
                "assert_type" => first_argument,
                "final" => first_argument,
                "no_type_check" => first_argument,
                "overload" => first_argument,
                "runtime_checkable" => first_argument,
            }
            values(_vm) {
                "TYPE_CHECKING" => Value::Bool(false),
                "NamedTuple" => super::class(&NAMED_TUPLE),
                "TypeVar" => super::class(&TYPE_VAR),
                $($name => Value::object(Form { name: $name, origin: $origin })),*
            }
        }
    };
}

forms! {
    "Any" => None,
    "AbstractSet" => Some(&abc::SET),
    "AnyStr" => None,
    "Annotated" => None,
    "Callable" => Some(&abc::CALLABLE),
    "ClassVar" => None,
    "Collection" => Some(&abc::COLLECTION),
    "Container" => Some(&abc::CONTAINER),
    "ContextManager" => None,
    "Counter" => Some(&collections::COUNTER),
    "DefaultDict" => Some(&collections::DEFAULTDICT),
    "Dict" => Some(&DICT),
    "Final" => None,
    "FrozenSet" => Some(&FROZENSET),
    "Generator" => Some(&abc::GENERATOR_ABC),
    "Generic" => None,
    "Hashable" => Some(&abc::HASHABLE),
    "IO" => None,
    "ItemsView" => Some(&abc::ITEMS_VIEW),
    "Iterable" => Some(&abc::ITERABLE),
    "Iterator" => Some(&abc::ITERATOR),
    "KeysView" => Some(&abc::KEYS_VIEW),
    "List" => Some(&LIST),
    "Literal" => None,
    "LiteralString" => None,
    "Mapping" => Some(&abc::MAPPING),
    "MutableMapping" => Some(&abc::MUTABLE_MAPPING),
    "MutableSequence" => Some(&abc::MUTABLE_SEQUENCE),
    "MutableSet" => Some(&abc::MUTABLE_SET),
    "Never" => None,
    "NoReturn" => None,
    "NotRequired" => None,
    "Optional" => None,
    "OrderedDict" => Some(&collections::ORDERED_DICT),
    "Protocol" => None,
    "Required" => None,
    "Reversible" => Some(&abc::REVERSIBLE),
    "Self" => None,
    "Sequence" => Some(&abc::SEQUENCE),
    "Set" => Some(&SET),
    "Sized" => Some(&abc::SIZED),
    "SupportsFloat" => None,
    "SupportsIndex" => None,
    "SupportsInt" => None,
    "Text" => Some(&crate::python::types::STR),
    "Tuple" => Some(&TUPLE),
    "Type" => Some(&TYPE),
    "TypeAlias" => None,
    "TypeGuard" => None,
    "Union" => None,
    "ValuesView" => Some(&abc::VALUES_VIEW),
}
