//! Runs Python code as TPV's loader runs it.

use std::rc::Rc;
use std::sync::Arc;

use serde_json::Value as Json;
use tpv_bytecode::verify::verify;
use tpv_bytecode::{CodeKind, ProgramData};
use tpv_compiler::python::program::ProgramBuilder;
use tpv_jit::{Mode, Native};
use tpv_python::dict::Dict;
use tpv_python::exception::PyResult;
use tpv_python::module::ModuleDef;
use tpv_python::native_code::NativeCode;
use tpv_python::value::Value;
use tpv_python::vm::{Environment, Vm};

/// The surroundings as far as messages show them: the module that the code seems to be in.
struct Loader;

impl Environment for Loader {
    fn modules(&self) -> &'static [&'static ModuleDef] {
        tpv_galaxy::modules::with_python()
    }

    fn global(&self, _: &mut Vm, name: &str) -> PyResult<Option<Value>> {
        Ok((name == "__name__").then(|| Value::str("tpv.core.loader")))
    }
}

fn value(json: &Json) -> Value {
    match json {
        Json::Null => Value::None,
        Json::Bool(value) => Value::Bool(*value),
        Json::Number(number) => match number.as_i64() {
            Some(int) => Value::Int(int),
            None => Value::Float(number.as_f64().unwrap()),
        },
        Json::String(text) => Value::str(text.as_str()),
        Json::Array(items) => {
            let items = items.iter().map(value).collect();
            Value::list(items)
        }
        Json::Object(entries) => {
            let dict = Dict::new();
            for (key, item) in entries {
                let item = value(item);
                dict.set_str(key.as_str().into(), item);
            }
            Value::dict(dict)
        }
    }
}

/// The machine's answer for a code and its context: `Ok(repr)`, or the exception's class and message; the same with
/// machine code.
pub fn answer(source: &str, kind: CodeKind, context: &Json) -> Result<String, (String, String)> {
    let mut program = ProgramBuilder::new();
    let (root, errors) = program.compile_lenient(source, kind);
    for error in &errors {
        let lines = source.split('\n').count() as u32 + 1;
        assert!(error.line >= 1 && error.column >= 1 && error.line <= lines, "{source:?}: {error:?}");
    }
    let data = program.finish();
    verify(&data).unwrap_or_else(|reason| panic!("{source:?} does not verify: {reason}"));
    let data = Arc::new(data);
    let expected = run(source, &data, root, context, None);
    if data.codes.iter().any(|code| code.kernel.is_some()) {
        let native = Native::new(&data, Mode::Eager).map(|native| native.view());
        assert_eq!(run(source, &data, root, context, native), expected, "by machine code: {source}");
    }
    expected
}

fn run(
    source: &str,
    data: &Arc<ProgramData>,
    root: u32,
    context: &Json,
    native: Option<Box<dyn NativeCode>>,
) -> Result<String, (String, String)> {
    let mut vm = Vm::new(Rc::new(Loader));
    let program = vm.load_native(data.clone(), native);
    if let Some(context) = context.as_object() {
        for (name, json) in context {
            let json = value(json);
            let slot = vm.slot(name);
            vm.set_context(slot, json);
        }
    }
    let result = vm.run(&program, root).and_then(|result| vm.repr(&result));
    match result {
        Ok(text) => Ok(text.to_string()),
        Err(raised) => {
            let class = raised.class_name().to_string();
            assert!(!raised.0.places.borrow().is_empty(), "no place: {source}");
            let message = vm.str(&raised.value()).map(|text| text.to_string());
            Err((class, message.unwrap_or_else(|raised| format!("{raised:?}"))))
        }
    }
}
