//! What annotations are made of: unions of classes (`int | str`, which `isinstance` takes, too), classes with parameters
//! (`list[int]`) and the names of `typing`.

use crate::args::Args;
use crate::exception::{PyResult, Raised, not_implemented_error, type_error};
use crate::hash;
use crate::object::Object;
use crate::types::{BuiltinType, NONE_TYPE, OBJECT};
use crate::value::Value;
use crate::vm::text::str_repr;
use crate::vm::{CompareOp, Vm};

/// `types.UnionType`, what `int | str` is.
pub static UNION_TYPE: BuiltinType = BuiltinType::new("UnionType", "types", &OBJECT).static_in_c();
/// `types.GenericAlias`, what `list[int]` is.
pub static GENERIC_ALIAS: BuiltinType = BuiltinType::new("GenericAlias", "types", &OBJECT).static_in_c();
/// `typing._SpecialForm`: `Any`, `Optional`, `List` ...
pub static SPECIAL_FORM: BuiltinType = BuiltinType::new("_SpecialForm", "typing", &OBJECT);

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
        _ => match value.downcast::<Union>() {
            Some(union) => Some(union.members.clone()),
            None => {
                (value.downcast::<Form>().is_some() || value.downcast::<Alias>().is_some()).then(|| vec![value.clone()])
            }
        },
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
        // `Any` is a class.
        || value.downcast::<Form>().is_some_and(|form| form.name != "Any")
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
            let part = if part.is_none() { Value::Type(&NONE_TYPE) } else { part };
            if !all.iter().any(|known| hash::keys_equal(known, &part)) {
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
    matches!(value, Value::Type(class) if class.is(&NONE_TYPE))
}

/// The members of a union, or the class that a form of `typing` stands for; `None` for anything else.
pub fn union_members(value: &Value) -> Option<Vec<Value>> {
    if let Some(union) = value.downcast::<Union>() {
        return Some(union.members.clone());
    }
    match value.downcast::<Form>()?.stands_for {
        StandsFor::Class(class) => Some(vec![Value::Type(class)]),
        StandsFor::Nothing | StandsFor::Abstract => None,
    }
}

/// Why `isinstance` or `issubclass` cannot ask a form of `typing` or an alias; `None` where it can, or it is no such thing.
pub fn no_check(value: &Value, function: &str) -> Option<Raised> {
    if let Some(alias) = value.downcast::<Alias>() {
        return Some(type_error(match alias.is_of_typing() {
            true => "Subscripted generics cannot be used with class and instance checks".to_owned(),
            false => format!("{function}() argument 2 cannot be a parameterized generic"),
        }));
    }
    let form = value.downcast::<Form>()?;
    match form.stands_for {
        StandsFor::Class(_) => None,
        StandsFor::Nothing => Some(type_error(format!("typing.{} cannot be used with {function}()", form.name))),
        StandsFor::Abstract => {
            Some(not_implemented_error(format!("tpvc does not know which classes typing.{} stands for", form.name)))
        }
    }
}

/// The text of a class in a union or alias; of one in `typing`'s where `typing`.
fn member_text(vm: &mut Vm, value: &Value, typing: bool) -> PyResult<String> {
    Ok(match value {
        Value::Type(class) if class.is(&NONE_TYPE) => if typing { "NoneType" } else { "None" }.to_owned(),
        Value::Type(class) => format!("{}{}", class.module_prefix(), class.name),
        Value::None if typing => "NoneType".to_owned(),
        Value::Str(text) if typing => format!("ForwardRef({})", str_repr(text)),
        Value::List(list) if typing => {
            let items = list.items.borrow().clone();
            let texts = items.iter().map(|item| member_text(vm, item, typing)).collect::<PyResult<Vec<_>>>()?;
            format!("[{}]", texts.join(", "))
        }
        Value::Ellipsis => "...".to_owned(),
        Value::Builtin(builtin) => builtin.full_name(),
        other => vm.repr(other)?,
    })
}

impl Object for Union {
    fn class(&self) -> &'static BuiltinType {
        if self.typing { &UNION_ALIAS } else { &UNION_TYPE }
    }

    fn is_mapping(&self, _: &mut Vm) -> bool {
        !self.typing
    }

    fn get_item(&self, vm: &mut Vm, _: &Value) -> PyResult<Value> {
        Err(not_generic(&self.repr(vm, &Value::None)?))
    }

    fn repr(&self, vm: &mut Vm, _: &Value) -> PyResult<String> {
        let is_optional = self.typing && self.members.len() == 2 && self.members.iter().any(is_none_type);
        let named = self.members.iter().filter(|member| !(is_optional && is_none_type(member)));
        let texts = named.map(|member| member_text(vm, member, self.typing)).collect::<PyResult<Vec<_>>>()?;
        Ok(match (self.typing, is_optional) {
            (false, _) => texts.join(" | "),
            (true, true) => format!("typing.Optional[{}]", texts.join(", ")),
            (true, false) => format!("typing.Union[{}]", texts.join(", ")),
        })
    }

    fn compare(&self, _: &mut Vm, op: CompareOp, other: &Value) -> Option<PyResult<Value>> {
        let equal = other.downcast::<Self>().map(|_| self.equals_key(other))?;
        match op {
            CompareOp::Eq => Some(Ok(Value::Bool(equal))),
            CompareOp::Ne => Some(Ok(Value::Bool(!equal))),
            _ => None,
        }
    }

    fn hash(&self, vm: &mut Vm) -> Option<PyResult<i64>> {
        let mut all = 0;
        for member in &self.members {
            match hash::hash(vm, member) {
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
        joined(vm, Value::object(Self { members: self.members.clone(), typing: self.typing }), method, other)
    }
}

fn not_generic(text: &str) -> Raised {
    type_error(format!("{text} is not a generic class"))
}

/// `this | other` or `other | this`.
fn joined(vm: &mut Vm, this: Value, method: &str, other: &Value) -> Option<PyResult<Value>> {
    match method {
        "or" => union(vm, &this, other).transpose(),
        "ror" => union(vm, other, &this).transpose(),
        _ => None,
    }
}

/// What `list[int]` is.
pub struct Alias {
    origin: Value,
    arguments: Vec<Value>,
}

/// `class[arguments]`
pub fn generic_alias(origin: Value, arguments: &Value) -> Value {
    let arguments = match arguments {
        Value::Tuple(tuple) => tuple.items.clone(),
        other => vec![other.clone()],
    };
    Value::object(Alias { origin, arguments })
}

impl Alias {
    /// Whether it is of a name of `typing`: `typing.List[int]`.
    fn is_of_typing(&self) -> bool {
        self.origin.downcast::<Form>().is_some()
    }
}

impl Object for Alias {
    fn class(&self) -> &'static BuiltinType {
        if self.is_of_typing() { &TYPING_ALIAS } else { &GENERIC_ALIAS }
    }

    fn is_mapping(&self, _: &mut Vm) -> bool {
        !self.is_of_typing()
    }

    fn get_attr(&self, vm: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        if name == "__class__" { Ok(None) } else { vm.get_attr(&self.origin, name).map(Some) }
    }

    fn get_item(&self, vm: &mut Vm, _: &Value) -> PyResult<Value> {
        Err(not_generic(&self.repr(vm, &Value::None)?))
    }

    fn callable(&self) -> bool {
        true
    }

    fn call(&self, vm: &mut Vm, _: &Value, args: Args) -> PyResult<Value> {
        if let Some(Form { name, stands_for: StandsFor::Class(class) }) = self.origin.downcast::<Form>() {
            let class = class.name;
            return Err(type_error(format!("Type {name} cannot be instantiated; use {class}() instead")));
        }
        vm.call(&self.origin, args)
    }

    fn compare(&self, vm: &mut Vm, op: CompareOp, other: &Value) -> Option<PyResult<Value>> {
        let other = other.downcast::<Self>()?;
        let arguments = |alias: &Self| Value::tuple(alias.arguments.clone());
        let same = self.origin.is(&other.origin);
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
        let typing = self.is_of_typing();
        let mut texts = Vec::with_capacity(self.arguments.len());
        for argument in &self.arguments {
            texts.push(match argument {
                // Only unions show the class of `None` as `None`.
                argument if is_none_type(argument) => "NoneType".to_owned(),
                argument if values && !matches!(argument, Value::Type(_)) => vm.repr(argument)?,
                argument => member_text(vm, argument, typing)?,
            });
        }
        if texts.is_empty() {
            texts.push("()".to_owned());
        }
        Ok(format!("{}[{}]", member_text(vm, &self.origin, typing)?, texts.join(", ")))
    }

    fn binary(&self, vm: &mut Vm, method: &str, other: &Value) -> Option<PyResult<Value>> {
        let this = Self { origin: self.origin.clone(), arguments: self.arguments.clone() };
        joined(vm, Value::object(this), method, other)
    }
}

/// What a name of `typing` stands for where classes are asked for.
#[derive(Clone, Copy)]
pub enum StandsFor {
    /// No class.
    Nothing,
    /// An abstract class, which the native language does not have.
    Abstract,
    /// This class.
    Class(&'static BuiltinType),
}

/// A name of `typing`.
pub struct Form {
    name: &'static str,
    stands_for: StandsFor,
}

impl Form {
    /// The name as a value.
    pub fn named(name: &'static str, stands_for: StandsFor) -> Value {
        Value::object(Self { name, stands_for })
    }

    fn value(&self) -> Value {
        Value::object(Self { name: self.name, stands_for: self.stands_for })
    }
}

impl Object for Form {
    fn class(&self) -> &'static BuiltinType {
        &SPECIAL_FORM
    }

    fn get_item(&self, vm: &mut Vm, key: &Value) -> PyResult<Value> {
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
            (_, other) => generic_alias(self.value(), other),
        })
    }

    fn binary(&self, vm: &mut Vm, method: &str, other: &Value) -> Option<PyResult<Value>> {
        joined(vm, self.value(), method, other)
    }

    fn repr(&self, _: &mut Vm, _: &Value) -> PyResult<String> {
        Ok(format!("typing.{}", self.name))
    }
}
