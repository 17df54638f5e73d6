//! `string`

mod formatter;
mod template;

pub(super) use formatter::PARTS;
pub use template::TEMPLATE;

use super::class;
use super::signature::Signature;
use crate::python::args::Args;
use crate::python::exception::PyResult;
use crate::python::types::STR;
use crate::python::value::Value;
use crate::python::vm::Vm;

module! {
    /// `string`
    MODULE = "string";
    functions {
        "capwords" => capwords,
    }
    values(_vm) {
        "Formatter" => class(&formatter::FORMATTER),
        "Template" => class(&TEMPLATE),
        "ascii_letters" => Value::str("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"),
        "ascii_lowercase" => Value::str("abcdefghijklmnopqrstuvwxyz"),
        "ascii_uppercase" => Value::str("ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
        "digits" => Value::str("0123456789"),
        "hexdigits" => Value::str("0123456789abcdefABCDEF"),
        "octdigits" => Value::str("01234567"),
        "printable" => Value::str(
            "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~ \t\n\r\u{b}\u{c}",
        ),
        "punctuation" => Value::str("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"),
        "whitespace" => Value::str(" \t\n\r\u{b}\u{c}"),
    }
}

/// `(sep or ' ').join(map(str.capitalize, s.split(sep)))`, as the module says it.
fn capwords(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [text, separator] = Signature::function("capwords", ["s", "sep"], 1).bind(args)?.map(Option::unwrap_or_default);
    let glue = if vm.truthy(&separator)? { separator.clone() } else { Value::str(" ") };
    let join = vm.get_attr(&glue, "join")?;
    let words = vm.call_method(&text, "split", Args::one(separator))?;
    let capitalize = vm.get_attr(&Value::Type((&STR).into()), "capitalize")?;
    let mut capitalized = Vec::new();
    for word in vm.collect(&words)? {
        capitalized.push(vm.call(&capitalize, Args::one(word))?);
    }
    vm.call(&join, Args::one(Value::list(capitalized)))
}
