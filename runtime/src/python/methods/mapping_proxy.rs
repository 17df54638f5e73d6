//! `types.MappingProxyType`: a dict that can be read only, as `re.Pattern.groupindex` gives it.

use crate::python::args::Args;
use crate::python::exception::{PyResult, type_error};
use crate::python::object::Object;
use crate::python::types::{BuiltinType, OBJECT};
use crate::python::value::Value;
use crate::python::vm::{BinaryOp, CompareOp, Vm};

static MAPPING_PROXY: BuiltinType = BuiltinType::new("mappingproxy", "", &OBJECT);

const METHODS: &[&str] = &["copy", "get", "items", "keys", "values", "__reversed__"];

/// A dict behind its proxy.
struct MappingProxy(Value);

/// The proxy of a dict.
pub fn mapping_proxy(dict: Value) -> Value {
    Value::object(MappingProxy(dict))
}

impl MappingProxy {
    /// The dict behind a value that may be a proxy.
    fn behind(value: &Value) -> Value {
        value.downcast::<Self>().map_or_else(|| value.clone(), |proxy| proxy.0.clone())
    }
}

impl Object for MappingProxy {
    fn class(&self) -> &'static BuiltinType {
        &MAPPING_PROXY
    }

    fn has_method(&self, name: &str) -> bool {
        METHODS.contains(&name)
    }

    fn call_method(&self, vm: &mut Vm, _: &Value, name: &str, args: &mut Args) -> Option<PyResult<Value>> {
        METHODS.contains(&name).then(|| vm.call_method(&self.0, name, std::mem::take(args)))
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
        vm.repr(&self.0)
    }

    fn compare(&self, vm: &mut Vm, op: CompareOp, other: &Value) -> Option<PyResult<Value>> {
        Some(vm.compare(op, &self.0, &Self::behind(other)))
    }

    fn binary(&self, vm: &mut Vm, method: &str, other: &Value) -> Option<PyResult<Value>> {
        let other = Self::behind(other);
        match method {
            "or" => Some(vm.binary(BinaryOp::Or, &self.0, &other)),
            "ror" => Some(vm.binary(BinaryOp::Or, &other, &self.0)),
            _ => None,
        }
    }

    fn hash(&self, _: &mut Vm) -> Option<PyResult<i64>> {
        Some(Err(type_error("unhashable type: 'mappingproxy'")))
    }
}
