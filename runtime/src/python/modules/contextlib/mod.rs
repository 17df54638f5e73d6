//! `contextlib`

mod generators;
mod stack;

use super::class;
use super::signature::Signature;
use crate::python::args::Args;
use crate::python::builtins::classes;
use crate::python::exception::{PyResult, Raised};
use crate::python::object::Object;
use crate::python::types::{BuiltinType, OBJECT};
use crate::python::value::Value;
use crate::python::vm::Vm;

module! {
    /// `contextlib`
    MODULE = "contextlib";
    functions { "contextmanager" => generators::contextmanager }
    values(_vm) {
        "ExitStack" => class(&stack::EXIT_STACK),
        "closing" => class(&CLOSING),
        "nullcontext" => class(&NULLCONTEXT),
        "suppress" => class(&SUPPRESS),
    }
}

static SUPPRESS: BuiltinType =
    BuiltinType { construct: Some(suppress), ..BuiltinType::new("suppress", "contextlib", &OBJECT) };
static NULLCONTEXT: BuiltinType =
    BuiltinType { construct: Some(nullcontext), ..BuiltinType::new("nullcontext", "contextlib", &OBJECT) };

static CLOSING: BuiltinType =
    BuiltinType { construct: Some(closing), ..BuiltinType::new("closing", "contextlib", &OBJECT) };

/// `closing(thing)`
struct Closing(Value);

fn closing(_: &mut Vm, args: Args) -> PyResult<Value> {
    let [thing] = Signature::method("closing.__init__", ["thing"], 1).bind(args)?.map(Option::unwrap_or_default);
    Ok(Value::object(Closing(thing)))
}

impl Object for Closing {
    fn class(&self) -> &'static BuiltinType {
        &CLOSING
    }

    fn deepcopy(&self, vm: &mut Vm, _: &Value) -> PyResult<Value> {
        super::copy::deepcopy(vm, &self.0).map(|copy| Value::object(Self(copy)))
    }

    fn enter(&self, _: &mut Vm, _: &Value) -> Option<PyResult<Value>> {
        Some(Ok(self.0.clone()))
    }

    fn exit(&self, vm: &mut Vm, _: Option<&Raised>) -> PyResult<bool> {
        vm.call_method(&self.0, "close", Args::none())?;
        Ok(false)
    }
}

/// `suppress(*exceptions)`
struct Suppress(Value);

fn suppress(_: &mut Vm, args: Args) -> PyResult<Value> {
    args.no_keywords("suppress.__init__")?;
    Ok(Value::object(Suppress(Value::tuple(args.pos.into_vec()))))
}

impl Object for Suppress {
    fn class(&self) -> &'static BuiltinType {
        &SUPPRESS
    }

    fn deepcopy(&self, vm: &mut Vm, _: &Value) -> PyResult<Value> {
        super::copy::deepcopy(vm, &self.0).map(|copy| Value::object(Self(copy)))
    }

    fn enter(&self, _: &mut Vm, _: &Value) -> Option<PyResult<Value>> {
        Some(Ok(Value::None))
    }

    fn exit(&self, vm: &mut Vm, raised: Option<&Raised>) -> PyResult<bool> {
        match raised {
            Some(raised) => classes::is_instance(vm, &raised.value(), &self.0),
            None => Ok(false),
        }
    }
}

/// `nullcontext(enter_result=None)`
struct NullContext(Value);

fn nullcontext(_: &mut Vm, args: Args) -> PyResult<Value> {
    let [result] = Signature::method("nullcontext.__init__", ["enter_result"], 0).bind(args)?;
    Ok(Value::object(NullContext(result.unwrap_or_default())))
}

impl Object for NullContext {
    fn class(&self) -> &'static BuiltinType {
        &NULLCONTEXT
    }

    fn get_attr(&self, _: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        Ok((name == "enter_result").then(|| self.0.clone()))
    }

    fn deepcopy(&self, vm: &mut Vm, _: &Value) -> PyResult<Value> {
        super::copy::deepcopy(vm, &self.0).map(|copy| Value::object(Self(copy)))
    }

    fn enter(&self, _: &mut Vm, _: &Value) -> Option<PyResult<Value>> {
        Some(Ok(self.0.clone()))
    }
}
