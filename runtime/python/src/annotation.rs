//! The parts of annotations: unions of classes (`int | str`, which `isinstance` also accepts) and the names of
//! `typing`.

use crate::args::Args;
use crate::collisions;
use crate::exception::{PyResult, Raised, not_implemented_error, type_error};
use crate::hash;
use crate::object::Object;
use crate::types::{BuiltinType, NONE_TYPE, OBJECT};
use crate::value::Value;
use crate::vm::{CompareOp, Vm};

/// `types.UnionType`, what `int | str` is.
static UNION_TYPE: BuiltinType = BuiltinType::new("UnionType", "types", &OBJECT).static_in_c();
/// The class of the parts of annotations.
static ANNOTATION: BuiltinType = BuiltinType::new("_SpecialForm", "typing", &OBJECT);

/// The number of members compared in about the time of a step.
const MEMBERS_A_STEP: usize = 4;

/// A union of classes: `int | str`.
pub struct Union {
    members: Vec<Value>,
}

/// `a | b` of two classes, unions, annotations or `None`; `None` where one is no such thing.
///
/// # Errors
/// `TimeoutError`: each member is compared with all before it.
pub fn union(vm: &mut Vm, a: &Value, b: &Value) -> PyResult<Option<Value>> {
    let members = |value: &Value| match value {
        Value::Type(_) => Some(vec![value.clone()]),
        Value::None => Some(vec![Value::Type(&NONE_TYPE)]),
        _ => value.downcast::<Union>().map(|union| union.members.clone()),
    };
    if a.is_none() && b.is_none() {
        return Ok(None);
    }
    let Some((mut all, more)) = members(a).zip(members(b)) else { return Ok(None) };
    vm.visit((all.len() + more.len()).saturating_mul(more.len()), MEMBERS_A_STEP)?;
    for member in more {
        if !all.iter().any(|known| known.is(&member)) {
            all.push(member);
        }
    }
    Ok(Some(match <[Value; 1]>::try_from(all) {
        Ok([only]) => only,
        Err(members) => Value::object(Union { members }),
    }))
}

/// The members of a union; `None` for anything else.
pub fn union_members(value: &Value) -> Option<Vec<Value>> {
    value.downcast::<Union>().map(|union| union.members.clone())
}

impl Object for Union {
    fn class(&self) -> &'static BuiltinType {
        &UNION_TYPE
    }

    fn is_mapping(&self, _: &mut Vm) -> bool {
        true
    }

    fn get_item(&self, vm: &mut Vm, _: &Value) -> PyResult<Value> {
        Err(type_error(format!("{} is not a generic class", self.repr(vm, &Value::None)?)))
    }

    fn repr(&self, vm: &mut Vm, _: &Value) -> PyResult<String> {
        vm.charge(self.members.len())?;
        let texts = self.members.iter().map(|member| match member {
            Value::Type(class) if class.is(&NONE_TYPE) => "None".to_owned(),
            Value::Type(class) => format!("{}{}", class.module_prefix(), class.name),
            _ => String::new(),
        });
        Ok(texts.collect::<Vec<_>>().join(" | "))
    }

    fn compare(&self, vm: &mut Vm, op: CompareOp, other: &Value) -> Option<PyResult<Value>> {
        let equal = other.downcast::<Self>().map(|_| self.equals_key(other))?;
        if let Err(raised) = vm.charge_comparisons() {
            return Some(Err(raised));
        }
        match op {
            CompareOp::Eq => Some(Ok(Value::Bool(equal))),
            CompareOp::Ne => Some(Ok(Value::Bool(!equal))),
            _ => None,
        }
    }

    fn hash(&self, vm: &mut Vm) -> Option<PyResult<i64>> {
        if let Err(raised) = vm.visit(self.members.len(), MEMBERS_A_STEP) {
            return Some(Err(raised));
        }
        let hashes = self.members.iter().map(|member| hash::hash(vm, member));
        Some(hashes.collect::<PyResult<Vec<_>>>().map(|hashes| hashes.into_iter().fold(0, |all, hash| all ^ hash)))
    }

    fn equals_key(&self, other: &Value) -> bool {
        other.downcast::<Self>().is_some_and(|other| {
            self.members.len() == other.members.len()
                && collisions::visit(self.members.len().saturating_mul(self.members.len()), MEMBERS_A_STEP)
                && self.members.iter().all(|member| other.members.iter().any(|other| member.is(other)))
        })
    }

    fn binary(&self, vm: &mut Vm, method: &str, other: &Value) -> Option<PyResult<Value>> {
        let this = Value::object(Self { members: self.members.clone() });
        match method {
            "or" => union(vm, &this, other).transpose(),
            "ror" => union(vm, other, &this).transpose(),
            _ => None,
        }
    }
}

/// A name of `typing`: `Any`, `Optional`, `List`.
///
/// DIFFERENCE: CPython's have parameters, can be called, compared and shown. Here they are for annotations, which are never evaluated: what
/// is done with one elsewhere raises `NotImplementedError`.
struct Annotation;

/// A name of `typing`.
pub fn annotation() -> Value {
    Value::object(Annotation)
}

/// The exception that `isinstance` or `issubclass` raises for an annotation. `None` for any other value.
pub fn no_check(value: &Value) -> Option<Raised> {
    value.downcast::<Annotation>().map(|_| only_annotates())
}

/// The exception for any use of parametrized classes (`list[int]`) and names of `typing` other than as annotations.
pub fn only_annotates() -> Raised {
    not_implemented_error("tpvc takes names of `typing`, and parameters of classes, in annotations only")
}

impl Object for Annotation {
    fn class(&self) -> &'static BuiltinType {
        &ANNOTATION
    }

    fn is_mapping(&self, _: &mut Vm) -> bool {
        true
    }

    fn get_attr(&self, _: &mut Vm, _: &Value, _: &str) -> PyResult<Option<Value>> {
        Err(only_annotates())
    }

    fn get_item(&self, _: &mut Vm, _: &Value) -> PyResult<Value> {
        Err(only_annotates())
    }

    fn callable(&self) -> bool {
        true
    }

    fn call(&self, _: &mut Vm, _: &Value, _: Args) -> PyResult<Value> {
        Err(only_annotates())
    }

    fn iter(&self, _: &mut Vm, _: &Value) -> Option<PyResult<Value>> {
        Some(Err(only_annotates()))
    }

    fn binary(&self, _: &mut Vm, _: &str, _: &Value) -> Option<PyResult<Value>> {
        Some(Err(only_annotates()))
    }

    fn compare(&self, _: &mut Vm, _: CompareOp, _: &Value) -> Option<PyResult<Value>> {
        Some(Err(only_annotates()))
    }

    fn hash(&self, _: &mut Vm) -> Option<PyResult<i64>> {
        Some(Err(only_annotates()))
    }

    fn repr(&self, _: &mut Vm, _: &Value) -> PyResult<String> {
        Err(only_annotates())
    }
}
