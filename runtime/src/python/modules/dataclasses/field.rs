//! `field()` and what it gives.

use super::is_missing;
use crate::python::args::Args;
use crate::python::dict::Dict;
use crate::python::exception::{PyResult, not_implemented_error, value_error};
use crate::python::modules::signature::Signature;
use crate::python::modules::types::{checked_proxy, read_only};
use crate::python::object::Object;
use crate::python::string::Str;
use crate::python::types::{BuiltinType, OBJECT};
use crate::python::value::Value;
use crate::python::vm::Vm;

/// `dataclasses.Field`
pub(super) static FIELD: BuiltinType = BuiltinType {
    construct: Some(|_, args| {
        Signature::method("Field.__init__", ARGUMENTS, 8).bind(args)?;
        Err(not_implemented_error("dataclasses.Field() rather than dataclasses.field()"))
    }),
    ..BuiltinType::new("Field", "dataclasses", &OBJECT)
};

const ARGUMENTS: [&str; 8] = ["default", "default_factory", "init", "repr", "hash", "compare", "metadata", "kw_only"];

/// `dataclasses.InitVar`: `InitVar[int]` marks what only `__post_init__` gets.
pub(super) static INIT_VAR: BuiltinType = BuiltinType::new("InitVar", "dataclasses", &OBJECT);

/// What a name that a data class annotates is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// An attribute of instances.
    Field,
    /// An attribute of the class.
    ClassVar,
    /// A parameter of `__init__` and `__post_init__`.
    InitVar,
}

/// A field of a data class.
#[derive(Clone)]
pub struct Field {
    pub(super) name: Str,
    pub(super) annotation: Value,
    /// The default, or `MISSING`.
    pub(super) default: Value,
    /// The function that gives the default, or `MISSING`.
    pub(super) factory: Value,
    pub(super) init: bool,
    pub(super) repr: bool,
    /// Whether it counts for the hash; as `compare` where it is `None`.
    pub(super) hash: Option<bool>,
    pub(super) compare: bool,
    pub(super) metadata: Value,
    /// `None` as long as the class has not decided.
    pub(super) keyword_only: Option<bool>,
    pub(super) kind: Kind,
}

impl Field {
    /// A field with this default, `MISSING` for none.
    pub(super) fn with_default(default: Value) -> Self {
        Self {
            name: Str::from(""),
            annotation: Value::None,
            default,
            factory: super::missing(),
            init: true,
            repr: true,
            hash: None,
            compare: true,
            metadata: read_only(Value::dict(Dict::new())),
            keyword_only: None,
            kind: Kind::Field,
        }
    }

    /// Whether `__init__` needs no argument for it.
    pub(super) fn has_default(&self) -> bool {
        !is_missing(&self.default) || !is_missing(&self.factory)
    }
}

/// `field(*, default, default_factory, init, repr, hash, compare, metadata, kw_only)`
pub(super) fn field(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let signature = Signature { name: "field", parameters: ARGUMENTS, positional: 0, required: 0, method: false };
    let [default, factory, init, repr, hash, compare, metadata, keyword_only] = signature.bind(args)?;
    let mut flag = |value: Option<Value>| match value {
        Some(value) => vm.truthy(&value),
        None => Ok(true),
    };
    let (init, repr, compare) = (flag(init)?, flag(repr)?, flag(compare)?);
    let mut optional = |value: Option<Value>| match value {
        Some(value) if !value.is_none() && !is_missing(&value) => flag(Some(value)).map(Some),
        _ => Ok(None),
    };
    let (hash, keyword_only) = (optional(hash)?, optional(keyword_only)?);
    let missing = || super::missing();
    let (default, factory) = (default.unwrap_or_else(missing), factory.unwrap_or_else(missing));
    if !is_missing(&default) && !is_missing(&factory) {
        return Err(value_error("cannot specify both default and default_factory"));
    }
    let metadata = metadata.filter(|metadata| !metadata.is_none()).unwrap_or_else(|| Value::dict(Dict::new()));
    let metadata = checked_proxy(vm, metadata)?;
    Ok(Value::object(Field {
        factory,
        init,
        repr,
        hash,
        compare,
        metadata,
        keyword_only,
        ..Field::with_default(default)
    }))
}

impl Object for Field {
    fn class(&self) -> &'static BuiltinType {
        &FIELD
    }

    fn get_attr(&self, _: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        Ok(Some(match name {
            "name" => Value::Str(self.name.clone()),
            "type" => self.annotation.clone(),
            "default" => self.default.clone(),
            "default_factory" => self.factory.clone(),
            "init" => Value::Bool(self.init),
            "repr" => Value::Bool(self.repr),
            "hash" => self.hash.map_or(Value::None, Value::Bool),
            "compare" => Value::Bool(self.compare),
            "metadata" => self.metadata.clone(),
            "kw_only" => self.keyword_only.map_or_else(super::missing, Value::Bool),
            _ => return Ok(None),
        }))
    }

    fn repr(&self, vm: &mut Vm, _: &Value) -> PyResult<String> {
        let bound = self.keyword_only.is_some();
        let name = if bound { Value::Str(self.name.clone()) } else { Value::None };
        let mut parts = vec![("name", name), ("type", self.annotation.clone())];
        for name in ["default", "default_factory", "init", "repr", "hash", "compare", "metadata", "kw_only"] {
            parts.push((name, self.get_attr(vm, &Value::None, name)?.unwrap_or_default()));
        }
        let mut texts = Vec::with_capacity(parts.len());
        for (name, value) in parts {
            texts.push(format!("{name}={}", vm.repr(&value)?));
        }
        let kind = match self.kind {
            _ if !bound => "None",
            Kind::Field => "_FIELD",
            Kind::ClassVar => "_FIELD_CLASSVAR",
            Kind::InitVar => "_FIELD_INITVAR",
        };
        Ok(format!("Field({},_field_type={kind})", texts.join(",")))
    }
}
