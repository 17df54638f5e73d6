//! Kernels as text.

use std::fmt::Write;

use super::{Kernel, Node};
use crate::code::{Code, ProgramData};

/// The kernel as text, one node a line, for `tpvc inspect`.
pub(crate) fn listing(kernel: &Kernel, data: &ProgramData, code: &Code, constant: impl Fn(u32) -> String) -> String {
    let name = |index: &u32| {
        let name = code.names.get(*index as usize).and_then(|name| data.names.get(*name as usize));
        name.map_or("?", String::as_str)
    };
    let list = |operands: &[u32]| operands.iter().map(|operand| format!("%{operand}")).collect::<Vec<_>>().join(", ");
    let called = |arguments: &[u32], keywords: &[u32]| {
        let unnamed = arguments.len().saturating_sub(keywords.len());
        let shown = arguments.iter().enumerate().map(|(index, argument)| {
            let keyword = index.checked_sub(unnamed).and_then(|index| keywords.get(index));
            keyword.map_or_else(|| format!("%{argument}"), |keyword| format!("{}=%{argument}", name(keyword)))
        });
        shown.collect::<Vec<_>>().join(", ")
    };
    let imported = |index: u32| {
        let Some(import) = kernel.imports.get(index as usize) else { return "?".to_owned() };
        let module = data.strings.get(import.module as usize).map_or("?", String::as_str);
        import.name.map_or_else(
            || format!("import {module}"),
            |attribute| format!("from {module} import {}", name(&attribute)),
        )
    };
    let mut text = String::from("  kernel\n");
    for (index, node) in kernel.nodes.iter().enumerate() {
        let what = match node {
            Node::Const { index } => constant(*index),
            Node::Input { index } => kernel.inputs.get(*index as usize).map_or("?", name).to_owned(),
            Node::Unary { op, operand } => format!("{op:?} %{operand}"),
            Node::Binary { op, left, right } => format!("{op:?} %{left}, %{right}"),
            Node::Compare { first, links } => {
                links.iter().fold(format!("%{first}"), |mut text, (relation, operand)| {
                    let _ = write!(text, " {relation:?} %{operand}");
                    text
                })
            }
            Node::Bool { all, operands } => format!("{} {}", if *all { "And" } else { "Or" }, list(operands)),
            Node::If { test, body, orelse } => format!("If %{test} then %{body} else %{orelse}"),
            Node::Call { function, arguments, .. } => format!("{}({})", function.name(), list(arguments)),
            Node::Attribute { object, name: attribute } => format!("%{object}.{}", name(attribute)),
            Node::Affix { text, affix, end } => {
                format!("%{text}.{}(%{affix})", if *end { "endswith" } else { "startswith" })
            }
            Node::Text { parts } => parts.iter().fold("Text".to_owned(), |text, part| {
                let spec = part.spec.map(|spec| format!(":{}", constant(spec))).unwrap_or_default();
                format!("{text} %{}{spec}", part.node)
            }),
            Node::Import { index } => imported(*index),
            Node::Local { slot, outer } => {
                let outer = outer.and_then(|outer| kernel.inputs.get(outer as usize));
                outer.map_or_else(|| format!("${slot}"), |outer| format!("${slot} or {}", name(outer)))
            }
            Node::Build { container, items } => format!("{container:?} {}", list(items)),
            Node::Invoke { callee, arguments, keywords } => format!("%{callee}({})", called(arguments, keywords)),
            Node::Method { object, name: method, arguments, keywords } => {
                format!("%{object}.{}({})", name(method), called(arguments, keywords))
            }
            Node::Comprehension { iterable, slot, condition, element, gives } => {
                let condition = condition.map_or_else(String::new, |condition| format!(" if %{condition}"));
                format!("{gives:?} %{element} for ${slot} in %{iterable}{condition}")
            }
            Node::Block { statements, value } => format!("Block {} gives %{value}", list(statements)),
            Node::Set { slot, value } => format!("${slot} = %{value}"),
            Node::When { test, then, orelse } => format!("When %{test} then {} else {}", list(then), list(orelse)),
            Node::Shared { value, .. } => format!("Shared %{value}"),
            Node::Leave => "Leave".to_owned(),
        };
        let _ = writeln!(text, "    %{index} = {what}");
    }
    text
}
