//! `textwrap`

mod wrapper;

use super::class;
use super::signature::Signature;
use crate::python::args::Args;
use crate::python::exception::PyResult;
use crate::python::value::Value;
use crate::python::vm::{BinaryOp, Vm};

module! {
    /// `textwrap`
    MODULE = "textwrap";
    functions {
        "dedent" => |vm, args| {
            let [text] = Signature::function("dedent", ["text"], 1).bind(args)?.map(Option::unwrap_or_default);
            let text = super::re::text_of(&text)?;
            vm.charge(text.len() / 2)?;
            Ok(Value::str(dedent(&text)))
        },
        "fill" => wrapper::fill,
        "indent" => indent,
        "shorten" => wrapper::shorten,
        "wrap" => wrapper::wrap,
    }
    values(_vm) { "TextWrapper" => class(&wrapper::TEXT_WRAPPER) }
}

/// `textwrap.indent(text, prefix, predicate=None)`, by the methods that the module calls, so that its errors are theirs.
fn indent(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let parameters = ["text", "prefix", "predicate"];
    let [text, prefix, predicate] =
        Signature::function("indent", parameters, 2).bind(args)?.map(Option::unwrap_or_default);
    let lines = vm.call_method(&text, "splitlines", Args::one(Value::Bool(true)))?;
    let mut indented = Vec::new();
    for line in vm.collect(&lines)? {
        let verdict = if predicate.is_none() {
            vm.call_method(&line, "strip", Args::none())?
        } else {
            vm.call(&predicate, Args::one(line.clone()))?
        };
        indented.push(if vm.truthy(&verdict)? { vm.binary(BinaryOp::Add, &prefix, &line)? } else { line });
    }
    vm.call_method(&Value::str(""), "join", Args::one(Value::list(indented)))
}

fn margin_of(line: &str) -> &str {
    let rest = line.trim_start_matches([' ', '\t']);
    line.get(..line.len() - rest.len()).unwrap_or_default()
}

/// `textwrap.dedent(text)`: lines of only blanks become empty, and count for nothing.
fn dedent(text: &str) -> String {
    let is_blank = |line: &str| line.trim_matches([' ', '\t']).is_empty();
    let mut margin: Option<&str> = None;
    for line in text.split('\n').filter(|line| !is_blank(line)) {
        let own = margin_of(line);
        let common = match margin {
            None => own,
            Some(margin) => {
                let shared = margin.bytes().zip(own.bytes()).take_while(|(a, b)| a == b).count();
                margin.get(..shared).unwrap_or_default()
            }
        };
        margin = Some(common);
    }
    let margin = margin.unwrap_or_default();
    let lines: Vec<&str> = text
        .split('\n')
        .map(|line| if is_blank(line) { "" } else { line.strip_prefix(margin).unwrap_or(line) })
        .collect();
    lines.join("\n")
}
