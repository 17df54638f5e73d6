//! `html`: `escape`. The names of characters that `unescape` needs are not here.

use super::signature::Signature;
use crate::python::args::Args;
use crate::python::exception::{PyResult, attribute_error};
use crate::python::value::Value;
use crate::python::vm::Vm;

module! {
    /// `html`
    MODULE = "html";
    functions { "escape" => escape }
    values(_vm) {}
}

/// `escape(s, quote=True)`
fn escape(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [text, quote] = Signature::function("escape", ["s", "quote"], 1).bind(args)?;
    let text = text.unwrap_or_default();
    let Value::Str(text) = &text else {
        // What CPython asks of any argument.
        vm.call_method(&text, "replace", Args::positional([Value::str("&"), Value::str("&amp;")]))?;
        return Err(attribute_error(format!("'{}' object has no attribute 'replace'", text.type_name().as_str())));
    };
    let quote = vm.truthy(&quote.unwrap_or(Value::Bool(true)))?;
    vm.charge_bytes(text.len().saturating_mul(6))?;
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' if quote => out.push_str("&quot;"),
            '\'' if quote => out.push_str("&#x27;"),
            other => out.push(other),
        }
    }
    Ok(Value::str(out))
}
