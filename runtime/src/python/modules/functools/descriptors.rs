//! What of `functools` classes hold: `cached_property`, `partialmethod`.

use super::partial;
use crate::python::args::Args;
use crate::python::builtins::classes::is_callable;
use crate::python::exception::{PyResult, type_error};
use crate::python::modules::signature::Signature;
use crate::python::object::Object;
use crate::python::string::Str;
use crate::python::types::{BuiltinType, OBJECT};
use crate::python::value::Value;
use crate::python::vm::Vm;
use crate::python::vm::attributes::bound;

/// `functools.cached_property`
pub(in crate::python::modules) static CACHED_PROPERTY: BuiltinType = BuiltinType {
    construct: Some(|_, args| {
        let [function] =
            Signature::method("cached_property.__init__", ["func"], 1).bind(args)?.map(Option::unwrap_or_default);
        Ok(Value::object(CachedProperty(function)))
    }),
    ..BuiltinType::new("cached_property", "functools", &OBJECT)
};

/// A property that is computed once and then an attribute of the instance, under the name of its function.
struct CachedProperty(Value);

impl Object for CachedProperty {
    fn class(&self) -> &'static BuiltinType {
        &CACHED_PROPERTY
    }

    fn get_attr(&self, vm: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        match name {
            "func" => Ok(Some(self.0.clone())),
            "attrname" => vm.find_attr(&self.0, "__name__"),
            _ => Ok(None),
        }
    }

    fn bind(&self, vm: &mut Vm, _: &Value, instance: &Value) -> Option<PyResult<Value>> {
        Some((|| {
            let name = vm.get_attr(&self.0, "__name__")?;
            let value = vm.call(&self.0, Args::one(instance.clone()))?;
            if let (Value::Instance(object), Value::Str(name)) = (instance, &name) {
                object.attributes.set_str(name.clone(), value.clone());
            }
            Ok(value)
        })())
    }
}

/// `functools.partialmethod`
pub(in crate::python::modules) static PARTIAL_METHOD: BuiltinType =
    BuiltinType { construct: Some(partial_method), ..BuiltinType::new("partialmethod", "functools", &OBJECT) };

/// A method with some of its arguments.
struct PartialMethod {
    function: Value,
    args: Vec<Value>,
    keywords: Vec<(Str, Value)>,
}

fn partial_method(vm: &mut Vm, mut args: Args) -> PyResult<Value> {
    if args.pos.is_empty() {
        let message = "partialmethod.__init__() missing 1 required positional argument: 'func'";
        return Err(type_error(message));
    }
    let function = args.pos.remove(0);
    if !is_callable(vm, &function)? && !matches!(function, Value::Object(_)) {
        return Err(type_error(format!("{} is not callable or a descriptor", vm.repr(&function)?)));
    }
    Ok(Value::object(PartialMethod { function, args: args.pos.into_vec(), keywords: args.kw }))
}

impl Object for PartialMethod {
    fn class(&self) -> &'static BuiltinType {
        &PARTIAL_METHOD
    }

    fn bind(&self, vm: &mut Vm, _: &Value, instance: &Value) -> Option<PyResult<Value>> {
        let mut args = Args::one(bound(instance.clone(), self.function.clone()));
        args.pos.extend(self.args.iter().cloned());
        args.kw.clone_from(&self.keywords);
        Some(partial(vm, args))
    }
}
