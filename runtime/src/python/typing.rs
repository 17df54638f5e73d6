//! What annotations make of classes: `int | str` and `list[int]`.

use super::args::Args;
use super::exception::{PyResult, type_error};
use super::object::Object;
use super::types::{BuiltinType, GENERIC_ALIAS, OBJECT, Type};
use super::value::Value;
use super::vm::{CompareOp, Vm};

/// `types.UnionType`
pub static UNION_TYPE: BuiltinType = BuiltinType {
    name: "UnionType",
    module: "types",
    base: Some(&OBJECT),
    construct: None,
    methods: &[],
    statics: &[],
};

/// `int | str`: what `isinstance` takes like a tuple of its members.
pub struct Union {
    /// The members, classes and `NoneType`, each once.
    pub members: Vec<Value>,
}

impl Union {
    /// `a | b`; `None` where one of them is no class, alias, union or `None`, or where both are `None`.
    pub fn of(a: &Value, b: &Value) -> Option<Value> {
        if a.is_none() && b.is_none() {
            return None;
        }
        let mut members: Vec<Value> = Vec::new();
        for value in [a, b] {
            for member in Self::members_of(value)? {
                if !members.iter().any(|known| known.is(&member)) {
                    members.push(member);
                }
            }
        }
        match <[Value; 1]>::try_from(members) {
            Ok([only]) => Some(only),
            Err(members) => Some(Value::object(Self { members })),
        }
    }

    fn members_of(value: &Value) -> Option<Vec<Value>> {
        match value {
            Value::Type(_) => Some(vec![value.clone()]),
            Value::None => Some(vec![Value::Type(Value::None.class())]),
            _ if value.downcast::<GenericAlias>().is_some() => Some(vec![value.clone()]),
            _ => value.downcast::<Self>().map(|union| union.members.clone()),
        }
    }
}

impl Object for Union {
    fn class(&self) -> &'static BuiltinType {
        &UNION_TYPE
    }

    fn get_attr(&self, _: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        Ok((name == "__args__").then(|| Value::tuple(self.members.clone())))
    }

    fn repr(&self, vm: &mut Vm, _: &Value) -> PyResult<String> {
        let texts = self.members.iter().map(|member| parameter_text(vm, member)).collect::<PyResult<Vec<_>>>()?;
        Ok(texts.join(" | "))
    }

    fn compare(&self, _: &mut Vm, op: CompareOp, other: &Value) -> Option<PyResult<Value>> {
        let other = other.downcast::<Self>()?;
        let holds = |a: &[Value], b: &[Value]| a.iter().all(|x| b.iter().any(|y| x.is(y)));
        let equal = holds(&self.members, &other.members) && holds(&other.members, &self.members);
        match op {
            CompareOp::Eq => Some(Ok(Value::Bool(equal))),
            CompareOp::Ne => Some(Ok(Value::Bool(!equal))),
            _ => None,
        }
    }
}

/// `list[int]`: the class with parameters that only readers look at.
pub struct GenericAlias {
    /// The class.
    pub origin: Value,
    /// The parameters.
    pub parameters: Vec<Value>,
}

impl GenericAlias {
    /// `class[key]`
    ///
    /// # Errors
    /// `TypeError: type 'int' is not subscriptable`
    pub fn subscript(class: &Type, key: &Value) -> PyResult<Value> {
        const GENERIC: &[&str] = &[
            "list",
            "dict",
            "tuple",
            "set",
            "frozenset",
            "type",
            "enumerate",
            "defaultdict",
            "OrderedDict",
            "Counter",
            "deque",
        ];
        let name = class.name();
        if !matches!(class, Type::Builtin(class) if GENERIC.contains(&class.name)) {
            return Err(type_error(format!("type '{}' is not subscriptable", name.as_str())));
        }
        let parameters = match key {
            Value::Tuple(tuple) => tuple.items.clone(),
            single => vec![single.clone()],
        };
        Ok(Value::object(Self { origin: Value::Type(class.clone()), parameters }))
    }
}

impl Object for GenericAlias {
    fn class(&self) -> &'static BuiltinType {
        &GENERIC_ALIAS
    }

    fn get_attr(&self, _: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        Ok(match name {
            "__origin__" => Some(self.origin.clone()),
            "__args__" => Some(Value::tuple(self.parameters.clone())),
            _ => None,
        })
    }

    fn call(&self, vm: &mut Vm, _: &Value, args: Args) -> PyResult<Value> {
        vm.call(&self.origin, args)
    }

    fn repr(&self, vm: &mut Vm, _: &Value) -> PyResult<String> {
        let mut texts = Vec::with_capacity(self.parameters.len());
        for parameter in &self.parameters {
            texts.push(parameter_text(vm, parameter)?);
        }
        Ok(format!("{}[{}]", parameter_text(vm, &self.origin)?, texts.join(", ")))
    }
}

/// A parameter as it is written: a class by its name, `...`, anything else by its `repr`.
fn parameter_text(vm: &mut Vm, value: &Value) -> PyResult<String> {
    match value {
        Value::Type(Type::Builtin(class)) if class.name == "NoneType" => Ok("None".to_owned()),
        Value::Type(Type::Builtin(class)) => Ok(format!("{}{}", class.module_prefix(), class.name)),
        Value::Type(Type::Class(class)) => Ok(class.name.to_string()),
        Value::Ellipsis => Ok("...".to_owned()),
        value => vm.repr(value),
    }
}
