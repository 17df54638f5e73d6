//! `textwrap`

mod wrapper;

use super::class;
use super::signature::Signature;
use crate::python::args::Args;
use crate::python::exception::type_error;
use crate::python::unicode;
use crate::python::value::Value;

module! {
    /// `textwrap`
    MODULE = "textwrap";
    functions {
        "dedent" => |vm, args| {
            let [text] = Signature::function("dedent", ["text"], 1).bind(args)?.map(Option::unwrap_or_default);
            let Value::Str(text) = &text else { return Err(type_error("expected string or bytes-like object, got 'int'")) };
            vm.charge(text.len() / 16)?;
            Ok(Value::str(dedent(text)))
        },
        "fill" => wrapper::fill,
        "indent" => |vm, args| {
            let [text, prefix, predicate] =
                Signature::function("indent", ["text", "prefix", "predicate"], 2).bind(args)?.map(Option::unwrap_or_default);
            let (Value::Str(text), Value::Str(prefix)) = (&text, &prefix) else {
                return Err(type_error("indent() needs two strings"));
            };
            vm.charge_bytes(text.len() + prefix.len().saturating_mul(text.matches('\n').count() + 1))?;
            let lines = vm.call_method(&Value::Str(text.clone()), "splitlines", Args::one(Value::Bool(true)))?;
            let mut out = String::new();
            for line in vm.collect(&lines)? {
                let Value::Str(text) = &line else { continue };
                let wanted = if predicate.is_none() {
                    !text.trim_matches(unicode::is_space).is_empty()
                } else {
                    let answer = vm.call(&predicate, Args::one(line.clone()))?;
                    vm.truthy(&answer)?
                };
                if wanted {
                    out.push_str(prefix);
                }
                out.push_str(text);
            }
            Ok(Value::str(out))
        },
        "shorten" => wrapper::shorten,
        "wrap" => wrapper::wrap,
    }
    values(_vm) { "TextWrapper" => class(&wrapper::TEXT_WRAPPER) }
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
