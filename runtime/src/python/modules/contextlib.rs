//! `contextlib`: `suppress` and `nullcontext`.

use super::class;
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
    functions {}
    values(_vm) { "nullcontext" => class(&NULLCONTEXT), "suppress" => class(&SUPPRESS) }
}

static SUPPRESS: BuiltinType =
    BuiltinType { construct: Some(suppress), ..BuiltinType::new("suppress", "contextlib", &OBJECT) };
static NULLCONTEXT: BuiltinType =
    BuiltinType { construct: Some(nullcontext), ..BuiltinType::new("nullcontext", "contextlib", &OBJECT) };

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
    let [result] = args.bind("nullcontext", ["enter_result"], 0)?;
    Ok(Value::object(NullContext(result.unwrap_or_default())))
}

impl Object for NullContext {
    fn class(&self) -> &'static BuiltinType {
        &NULLCONTEXT
    }

    fn enter(&self, _: &mut Vm, _: &Value) -> Option<PyResult<Value>> {
        Some(Ok(self.0.clone()))
    }
}
