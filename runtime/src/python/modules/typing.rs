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
use crate::python::vm::text::CODE_MODULE;
use crate::python::vm::{CompareOp, Vm};

/// `types.UnionType`, what `int | str` is.
pub static UNION_TYPE: BuiltinType = BuiltinType::new("UnionType", "types", &OBJECT);
/// `typing._SpecialForm`: `Any`, `Optional`, `List` ...
pub static SPECIAL_FORM: BuiltinType = BuiltinType::new("_SpecialForm", "typing", &OBJECT);
/// `typing.TypeVar`
pub static TYPE_VAR: BuiltinType =
    BuiltinType { construct: Some(type_var), ..BuiltinType::new("TypeVar", "typing", &OBJECT) };

/// A union of classes.
pub struct Union {
    members: Vec<Value>,
}

/// `a | b` of two classes, unions or `None`; `None` where one is no such thing.
pub fn union(a: &Value, b: &Value) -> Option<Value> {
    let members = |value: &Value| match value {
        Value::Type(_) | Value::None => Some(vec![value.clone()]),
        Value::Object(_) => match (value.downcast::<Union>(), value.downcast::<Form>(), value.downcast::<Alias>()) {
            (Some(union), _, _) => Some(union.members.clone()),
            (None, None, None) => None,
            _ => Some(vec![value.clone()]),
        },
        _ => None,
    };
    if a.is_none() && b.is_none() {
        return None;
    }
    // `None` stands for its class.
    let class_of = |value: Value| if value.is_none() { Value::Type(Type::Builtin(&NONE_TYPE)) } else { value };
    let mut all: Vec<Value> = members(a)?.into_iter().map(class_of).collect();
    for member in members(b)?.into_iter().map(class_of) {
        if !all.iter().any(|known| known.is(&member)) {
            all.push(member);
        }
    }
    match <[Value; 1]>::try_from(all) {
        Ok([only]) => Some(only),
        Err(members) => Some(Value::object(Union { members })),
    }
}

/// The members of a union, or the class that a form of `typing` stands for; `None` for anything else.
pub fn union_members(value: &Value) -> Option<Vec<Value>> {
    if let Some(union) = value.downcast::<Union>() {
        return Some(union.members.clone());
    }
    let form = value.downcast::<Form>()?;
    Some(vec![Value::Type(form.origin?.into())])
}

/// The text of a class in a union or alias.
fn member_text(vm: &mut Vm, value: &Value) -> PyResult<String> {
    Ok(match value {
        Value::None => "None".to_owned(),
        Value::Type(class) if class.same(&Type::Builtin(&NONE_TYPE)) => "None".to_owned(),
        Value::Type(Type::Builtin(class)) => format!("{}{}", class.module_prefix(), class.name),
        Value::Type(class) => format!("{CODE_MODULE}.{}", class.name().as_str()),
        Value::Ellipsis => "...".to_owned(),
        other => vm.repr(other)?,
    })
}

impl Object for Union {
    fn class(&self) -> &'static BuiltinType {
        &UNION_TYPE
    }

    fn get_attr(&self, _: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        Ok((name == "__args__").then(|| Value::tuple(self.members.clone())))
    }

    fn repr(&self, vm: &mut Vm, _: &Value) -> PyResult<String> {
        let texts = self.members.iter().map(|member| member_text(vm, member)).collect::<PyResult<Vec<_>>>()?;
        Ok(texts.join(" | "))
    }

    fn compare(&self, _: &mut Vm, op: CompareOp, other: &Value) -> Option<PyResult<Value>> {
        let other = other.downcast::<Union>()?;
        let within = |a: &Self, b: &Self| a.members.iter().all(|member| b.members.iter().any(|other| other.is(member)));
        let equal = within(self, other) && within(other, self);
        match op {
            CompareOp::Eq => Some(Ok(Value::Bool(equal))),
            CompareOp::Ne => Some(Ok(Value::Bool(!equal))),
            _ => None,
        }
    }

    fn binary(&self, _: &mut Vm, method: &str, other: &Value) -> Option<PyResult<Value>> {
        let this = Value::object(Self { members: self.members.clone() });
        match method {
            "or" => union(&this, other).map(Ok),
            "ror" => union(other, &this).map(Ok),
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

    fn copied(&self, unpacked: bool) -> Self {
        Self { origin: self.origin.clone(), arguments: self.arguments.clone(), unpacked }
    }
}

impl Object for Alias {
    fn class(&self) -> &'static BuiltinType {
        &GENERIC_ALIAS
    }

    fn get_item(&self, vm: &mut Vm, _: &Value) -> PyResult<Value> {
        let text = self.repr(vm, &Value::None)?;
        Err(type_error(format!("{text} is not a generic class")))
    }

    fn get_attr(&self, vm: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        match name {
            "__origin__" => Ok(Some(self.origin.clone())),
            "__args__" => Ok(Some(Value::tuple(self.arguments.clone()))),
            other if other.starts_with("__") => vm.find_attr(&self.origin, other),
            other => vm.get_attr(&self.origin, other).map(Some),
        }
    }

    fn callable(&self) -> bool {
        true
    }

    fn call(&self, vm: &mut Vm, _: &Value, args: Args) -> PyResult<Value> {
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
        // Only unions show the class of `None` as `None`.
        let mut text = |value: &Value| match value {
            Value::Type(class) if class.same(&Type::Builtin(&NONE_TYPE)) => Ok("NoneType".to_owned()),
            other => member_text(vm, other),
        };
        let texts = self.arguments.iter().map(&mut text).collect::<PyResult<Vec<_>>>()?;
        let star = if self.unpacked { "*" } else { "" };
        Ok(format!("{star}{}[{}]", text(&self.origin)?, texts.join(", ")))
    }

    fn iter(&self, _: &mut Vm, _: &Value) -> Option<PyResult<Value>> {
        let items = vec![Value::object(self.copied(true))];
        Some(Ok(IteratorObject::new(&GENERIC_ALIAS_ITERATOR, Items(items.into_iter()))))
    }

    fn binary(&self, _: &mut Vm, method: &str, other: &Value) -> Option<PyResult<Value>> {
        let this = Value::object(self.copied(self.unpacked));
        match method {
            "or" => union(&this, other).map(Ok),
            "ror" => union(other, &this).map(Ok),
            _ => None,
        }
    }
}

/// A name of `typing`.
pub struct Form {
    name: &'static str,
    origin: Option<&'static BuiltinType>,
}

impl Object for Form {
    fn class(&self) -> &'static BuiltinType {
        &SPECIAL_FORM
    }

    fn get_item(&self, _: &mut Vm, key: &Value) -> PyResult<Value> {
        let this = Value::object(Self { name: self.name, origin: self.origin });
        Ok(match (self.name, key) {
            ("Optional", other) => union(other, &Value::None).unwrap_or_else(|| generic_alias(this, other)),
            ("Union", Value::Tuple(members)) => {
                let mut members = members.items.iter();
                let first = members.next().cloned().unwrap_or_default();
                members.fold(first, |all, member| union(&all, member).unwrap_or(all))
            }
            ("Union", other) => other.clone(),
            (_, other) => generic_alias(this, other),
        })
    }

    fn binary(&self, _: &mut Vm, method: &str, other: &Value) -> Option<PyResult<Value>> {
        let this = Value::object(Self { name: self.name, origin: self.origin });
        match method {
            "or" => union(&this, other).map(Ok),
            "ror" => union(other, &this).map(Ok),
            _ => None,
        }
    }

    fn repr(&self, _: &mut Vm, _: &Value) -> PyResult<String> {
        Ok(format!("typing.{}", self.name))
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
    "ChainMap" => None,
    "ClassVar" => None,
    "Collection" => Some(&abc::COLLECTION),
    "Container" => Some(&abc::CONTAINER),
    "ContextManager" => None,
    "Counter" => Some(&collections::COUNTER),
    "DefaultDict" => Some(&collections::DEFAULTDICT),
    "Deque" => Some(&collections::deque::DEQUE),
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
