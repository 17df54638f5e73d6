//! `string.Formatter`: `str.format` as an object.
//!
//! DIFFERENCE: a class derived from it cannot replace single steps.

use crate::python::args::Args;
use crate::python::dict::Dict;
use crate::python::exception::{INDEX_ERROR, PyResult, Raised, index_error, type_error};
use crate::python::format::template::{self, Fields};
use crate::python::modules::signature::Signature;
use crate::python::object::Object;
use crate::python::string::Str;
use crate::python::types::{BuiltinType, OBJECT};
use crate::python::value::{Method, Value};
use crate::python::vm::Vm;

/// `string.Formatter`
pub(super) static FORMATTER: BuiltinType = BuiltinType {
    construct: Some(|_, args| {
        let [] = args.exactly("Formatter")?;
        Ok(Value::object(Formatter))
    }),
    methods: &[Method { name: "format", call: format }, Method { name: "vformat", call: vformat }],
    ..BuiltinType::new("Formatter", "string", &OBJECT)
};

struct Formatter;

impl Object for Formatter {
    fn class(&self) -> &'static BuiltinType {
        &FORMATTER
    }
}

/// `format(format_string, *args, **kwargs)`
fn format(vm: &mut Vm, _: &Value, mut args: Args) -> PyResult<Value> {
    if args.pos.is_empty() {
        let message = "Formatter.format() missing 1 required positional argument: 'format_string'";
        return Err(type_error(message));
    }
    let text = args.pos.remove(0);
    formatted(vm, &text, &args.pos, &args.kw)
}

/// `vformat(format_string, args, kwargs)`
fn vformat(vm: &mut Vm, _: &Value, args: Args) -> PyResult<Value> {
    let names = ["format_string", "args", "kwargs"];
    let [text, positional, keywords] =
        Signature::method("Formatter.vformat", names, 3).bind(args)?.map(Option::unwrap_or_default);
    let positional = vm.collect(&positional)?;
    let dict = Dict::new();
    crate::python::builtins::containers::update_from(vm, &dict, &keywords)?;
    let named: Vec<(Str, Value)> =
        dict.items().into_iter().filter_map(|(name, value)| Some((name.as_str()?.clone(), value))).collect();
    formatted(vm, &text, &positional, &named)
}

fn formatted(vm: &mut Vm, text: &Value, positional: &[Value], named: &[(Str, Value)]) -> PyResult<Value> {
    let Value::Str(text) = text else {
        return Err(type_error(format!("expected str, got {}", text.type_name().as_str())));
    };
    let result = template::format(vm, text, &Fields::Arguments(positional, named));
    result.map(Value::str).map_err(of_tuple)
}

/// Where an argument is missing, the tuple of the arguments says so here.
fn of_tuple(raised: Raised) -> Raised {
    let said = format!("{raised:?}");
    if raised.is(&INDEX_ERROR) && said.contains("Replacement index") {
        return index_error("tuple index out of range");
    }
    raised
}
