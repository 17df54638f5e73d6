//! What of `functools` classes hold: `cached_property`, `partialmethod`.

use std::cell::RefCell;

use super::{deepcopy_arguments, partial};
use crate::python::args::Args;
use crate::python::builtins::classes::is_callable;
use crate::python::exception::{PyResult, runtime_error, type_error};
use crate::python::modules::copy::deepcopy;
use crate::python::modules::signature::Signature;
use crate::python::object::Object;
use crate::python::string::Str;
use crate::python::types::{BuiltinType, CLASS_METHOD, OBJECT, PROPERTY, STATIC_METHOD, Type};
use crate::python::value::Value;
use crate::python::vm::Vm;
use crate::python::vm::attributes::bound;
use crate::python::vm::text::str_repr;

/// `functools.cached_property`
pub(in crate::python::modules) static CACHED_PROPERTY: BuiltinType = BuiltinType {
    construct: Some(|_, args| {
        let [function] =
            Signature::method("cached_property.__init__", ["func"], 1).bind(args)?.map(Option::unwrap_or_default);
        Ok(Value::object(CachedProperty { function, name: RefCell::default() }))
    }),
    ..BuiltinType::new("cached_property", "functools", &OBJECT)
};

/// A property that is computed once and then an attribute of the instance, under the name that the class has it under.
pub(crate) struct CachedProperty {
    function: Value,
    name: RefCell<Option<Str>>,
}

impl CachedProperty {
    /// `__set_name__`: what the class calls it.
    ///
    /// # Errors
    /// `RuntimeError`, as CPython has it, where another name is known already.
    pub(crate) fn set_name(&self, name: &str, class: &str) -> PyResult<()> {
        let mut known = self.name.borrow_mut();
        if known.get_or_insert_with(|| Str::from(name)).as_str() == name {
            return Ok(());
        }
        let (name, class) = (str_repr(name), str_repr(class));
        Err(runtime_error(format!("Error calling __set_name__ on 'cached_property' instance {name} in {class}")))
    }
}

impl Object for CachedProperty {
    fn class(&self) -> &'static BuiltinType {
        &CACHED_PROPERTY
    }

    fn get_attr(&self, _: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        Ok(match name {
            "func" => Some(self.function.clone()),
            "attrname" => Some(self.name.borrow().clone().map_or(Value::None, Value::Str)),
            _ => None,
        })
    }

    fn bind(&self, vm: &mut Vm, _: &Value, instance: &Value) -> Option<PyResult<Value>> {
        Some((|| {
            let Some(name) = self.name.borrow().clone() else {
                return Err(type_error("Cannot use cached_property instance without calling __set_name__ on it."));
            };
            let value = vm.call(&self.function, Args::one(instance.clone()))?;
            if let Value::Instance(object) = instance {
                object.attributes.set_str(name, value.clone());
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
    let is_descriptor = [&PROPERTY, &STATIC_METHOD, &CLASS_METHOD, &CACHED_PROPERTY, &PARTIAL_METHOD].map(Type::from);
    if !is_callable(vm, &function)? && !is_descriptor.iter().any(|class| function.class().same(class)) {
        return Err(type_error(format!("{} is not callable or a descriptor", vm.repr(&function)?)));
    }
    Ok(Value::object(PartialMethod { function, args: args.pos.into_vec(), keywords: args.kw }))
}

impl Object for PartialMethod {
    fn class(&self) -> &'static BuiltinType {
        &PARTIAL_METHOD
    }

    fn deepcopy(&self, vm: &mut Vm, _: &Value) -> PyResult<Value> {
        let Args { pos, kw } = deepcopy_arguments(vm, &self.args, &self.keywords)?;
        Ok(Value::object(Self { function: deepcopy(vm, &self.function)?, args: pos.into_vec(), keywords: kw }))
    }

    fn repr(&self, vm: &mut Vm, _: &Value) -> PyResult<String> {
        let function = vm.repr(&self.function)?;
        let args = self.args.iter().map(|value| vm.repr(value)).collect::<PyResult<Vec<_>>>()?.join(", ");
        let keyword = |(name, value): &(Str, Value)| Ok(format!("{}={}", name.as_str(), vm.repr(value)?));
        let keywords = self.keywords.iter().map(keyword).collect::<PyResult<Vec<_>>>()?.join(", ");
        Ok(format!("functools.partialmethod({function}, {args}, {keywords})"))
    }

    fn bind(&self, vm: &mut Vm, _: &Value, instance: &Value) -> Option<PyResult<Value>> {
        let mut args = Args::one(bound(instance.clone(), self.function.clone()));
        args.pos.extend(self.args.iter().cloned());
        args.kw.clone_from(&self.keywords);
        Some(partial(vm, args))
    }
}
