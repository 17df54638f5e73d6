//! `types`: names of classes that have no other name, `SimpleNamespace` and `MappingProxyType`.

use std::rc::Rc;

use super::{class, typing};
use crate::python::args::Args;
use crate::python::dict::{Dict, StrKey};
use crate::python::exception::{PyResult, attribute_error, type_error};
use crate::python::methods::wrong_receiver;
use crate::python::object::Object;
use crate::python::string::Str;
use crate::python::types::{self, BuiltinType, OBJECT, Type};
use crate::python::value::{Method, Value};
use crate::python::vm::items::passes_for_mapping;
use crate::python::vm::{BinaryOp, CompareOp, Vm};

module! {
    /// `types`
    MODULE = "types";
    functions {}
    values(_vm) {
        "BuiltinFunctionType" => class(&types::BUILTIN_FUNCTION),
        "BuiltinMethodType" => class(&types::BUILTIN_FUNCTION),
        "EllipsisType" => class(&types::ELLIPSIS_TYPE),
        "FunctionType" => class(&types::FUNCTION),
        "GeneratorType" => class(&types::GENERATOR),
        "GenericAlias" => class(&types::GENERIC_ALIAS),
        "LambdaType" => class(&types::FUNCTION),
        "MappingProxyType" => class(&MAPPING_PROXY),
        "MethodDescriptorType" => class(&types::METHOD_DESCRIPTOR),
        "MethodWrapperType" => class(&types::METHOD_WRAPPER),
        "MethodType" => class(&types::METHOD),
        "ModuleType" => class(&types::MODULE),
        "NoneType" => class(&types::NONE_TYPE),
        "NotImplementedType" => class(&types::NOT_IMPLEMENTED_TYPE),
        "SimpleNamespace" => class(&SIMPLE_NAMESPACE),
        "TracebackType" => class(&types::TRACEBACK),
        "WrapperDescriptorType" => class(&types::WRAPPER_DESCRIPTOR),
        "UnionType" => class(&typing::UNION_TYPE),
    }
}

/// `types.SimpleNamespace`
pub(crate) static SIMPLE_NAMESPACE: BuiltinType =
    BuiltinType { construct: Some(namespace), ..BuiltinType::new("SimpleNamespace", "types", &OBJECT) };

/// An object that is nothing but its attributes.
struct SimpleNamespace(Rc<Dict>);

fn namespace(_: &mut Vm, args: Args) -> PyResult<Value> {
    if !args.pos.is_empty() {
        return Err(type_error("no positional arguments expected"));
    }
    Ok(Value::object(SimpleNamespace(Rc::new(Dict::from_strs(args.kw)))))
}

impl SimpleNamespace {
    fn dict(&self) -> Value {
        Value::Dict(self.0.clone())
    }
}

impl Object for SimpleNamespace {
    fn class(&self) -> &'static BuiltinType {
        &SIMPLE_NAMESPACE
    }

    fn get_attr(&self, _: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        Ok(if name == "__dict__" { Some(self.dict()) } else { self.0.get_str(name) })
    }

    fn set_attr(&self, _: &mut Vm, name: &Str, value: Value) -> PyResult<()> {
        self.0.set_str(name.clone(), value);
        Ok(())
    }

    fn del_attr(&self, _: &mut Vm, name: &Str) -> PyResult<()> {
        let removed = self.0.table.borrow_mut().shift_remove(&StrKey(name));
        match removed {
            Some(_) => Ok(()),
            None => {
                let message = format!("'types.SimpleNamespace' object has no attribute '{}'", name.as_str());
                Err(attribute_error(message))
            }
        }
    }

    fn compare(&self, vm: &mut Vm, op: CompareOp, other: &Value) -> Option<PyResult<Value>> {
        Some(vm.compare(op, &self.dict(), &other.downcast::<Self>()?.dict()))
    }

    fn hash(&self, _: &mut Vm) -> Option<PyResult<i64>> {
        Some(Err(type_error("unhashable type: 'types.SimpleNamespace'")))
    }

    fn repr(&self, vm: &mut Vm, this: &Value) -> PyResult<String> {
        if !vm.in_repr.enter(this) {
            return Ok("namespace(...)".to_owned());
        }
        let attributes = self.0.items();
        let mut parts = Vec::with_capacity(attributes.len());
        let mut failed = None;
        for (name, value) in attributes {
            if name.as_str().is_some_and(|name| name.is_empty()) {
                continue;
            }
            match vm.deeper(|vm| vm.repr(&value)) {
                Ok(text) => parts.push(format!("{}={text}", vm.str(&name)?.as_str())),
                Err(raised) => {
                    failed = Some(raised);
                    break;
                }
            }
        }
        vm.in_repr.leave();
        failed.map_or_else(|| Ok(format!("namespace({})", parts.join(", "))), Err)
    }

    fn deepcopy(&self, vm: &mut Vm, _: &Value) -> PyResult<Value> {
        match super::copy::deepcopy(vm, &self.dict())? {
            Value::Dict(dict) => Ok(Value::object(Self(dict))),
            other => Ok(other),
        }
    }
}

/// `types.MappingProxyType`
pub static MAPPING_PROXY: BuiltinType = BuiltinType {
    construct: Some(proxy),
    methods: &[
        Method { name: "copy", call: |vm, this, args| forward(vm, this, "copy", args) },
        Method { name: "get", call: |vm, this, args| forward(vm, this, "get", args) },
        Method { name: "items", call: |vm, this, args| forward(vm, this, "items", args) },
        Method { name: "keys", call: |vm, this, args| forward(vm, this, "keys", args) },
        Method { name: "values", call: |vm, this, args| forward(vm, this, "values", args) },
        Method { name: "__reversed__", call: |vm, this, args| forward(vm, this, "__reversed__", args) },
    ],
    ..BuiltinType::new("mappingproxy", "", &OBJECT)
};

/// A mapping that cannot be changed through it.
struct MappingProxy(Value);

fn proxy(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [mapping] = args.bind("mappingproxy", ["mapping"], 1)?.map(Option::unwrap_or_default);
    checked_proxy(vm, mapping)
}

/// `MappingProxyType(mapping)`
///
/// # Errors
/// `TypeError` where it is no mapping.
pub(in crate::python::modules) fn checked_proxy(vm: &mut Vm, mapping: Value) -> PyResult<Value> {
    // What can be subscripted and is no list or tuple counts as a mapping.
    let listed = [&types::LIST, &types::TUPLE].iter().any(|class| mapping.class().is_subclass(&Type::Builtin(class)));
    if listed || !passes_for_mapping(vm, &mapping) {
        let found = mapping.type_name();
        return Err(type_error(format!("mappingproxy() argument must be a mapping, not {}", found.as_str())));
    }
    Ok(Value::object(MappingProxy(mapping)))
}

/// A mapping as code may read it only.
pub(crate) fn read_only(mapping: Value) -> Value {
    Value::object(MappingProxy(mapping))
}

fn forward(vm: &mut Vm, this: &Value, name: &str, args: Args) -> PyResult<Value> {
    let proxy = this.downcast::<MappingProxy>().ok_or_else(|| wrong_receiver("mappingproxy", this))?;
    vm.call_method(&proxy.0, name, args)
}

impl Object for MappingProxy {
    fn class(&self) -> &'static BuiltinType {
        &MAPPING_PROXY
    }

    fn get_item(&self, vm: &mut Vm, key: &Value) -> PyResult<Value> {
        vm.get_item(&self.0, key)
    }

    fn contains(&self, vm: &mut Vm, item: &Value) -> Option<PyResult<bool>> {
        Some(vm.contains(&self.0, item))
    }

    fn iter(&self, vm: &mut Vm, _: &Value) -> Option<PyResult<Value>> {
        Some(vm.iter(&self.0))
    }

    fn len(&self, vm: &mut Vm) -> Option<PyResult<usize>> {
        Some(vm.len(&self.0))
    }

    fn repr(&self, vm: &mut Vm, _: &Value) -> PyResult<String> {
        Ok(format!("mappingproxy({})", vm.repr(&self.0)?))
    }

    fn str(&self, vm: &mut Vm, _: &Value) -> PyResult<String> {
        vm.str(&self.0).map(|text| text.to_string())
    }

    fn compare(&self, vm: &mut Vm, op: CompareOp, other: &Value) -> Option<PyResult<Value>> {
        let other = other.downcast::<Self>().map_or(other, |other| &other.0);
        Some(vm.compare(op, &self.0, other))
    }

    fn binary(&self, vm: &mut Vm, method: &str, other: &Value) -> Option<PyResult<Value>> {
        let other = other.downcast::<Self>().map_or(other, |other| &other.0);
        match method {
            "or" => Some(vm.binary(BinaryOp::Or, &self.0, other)),
            "ror" => Some(vm.binary(BinaryOp::Or, other, &self.0)),
            "ior" => Some(Err(type_error("'|=' is not supported by mappingproxy; use '|' instead"))),
            _ => None,
        }
    }

    fn hash(&self, _: &mut Vm) -> Option<PyResult<i64>> {
        Some(Err(type_error("unhashable type: 'mappingproxy'")))
    }
}
