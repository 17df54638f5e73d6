//! Checking kernels that were read from a file.

use super::{Kernel, MAX_DEPTH, MAX_INPUTS, MAX_LOCALS, MAX_NODES, Node, covers};
use crate::code::{Code, CodeKind, Const};

/// Checks the kernel of a code that was read from a file: every index leads somewhere, every node but the last is an
/// operand of one later node, and the tree is no larger and no deeper than the compiler makes it.
///
/// # Errors
/// A short English reason why it must not be used.
pub fn verify(kernel: &Kernel, code: &Code) -> Result<(), String> {
    let check = |holds: bool, reason: &str| if holds { Ok(()) } else { Err(format!("its kernel {reason}")) };
    check(matches!(code.kind, CodeKind::Block | CodeKind::FString), "is not that of a block or an f-string")?;
    check(kernel.inputs.len() <= MAX_INPUTS, "has too many inputs")?;
    let is_name = |name: u32| (name as usize) < code.names.len();
    check(kernel.inputs.iter().all(|name| is_name(*name)), "reads something that isn't a name")?;
    check(kernel.imports.iter().all(|import| import.name.is_none_or(is_name)), "imports something that isn't a name")?;
    check(kernel.builtins.iter().all(|name| is_name(*name)), "calls something that isn't a name")?;
    check(kernel.locals <= MAX_LOCALS, "has too many variables")?;
    check(!kernel.nodes.is_empty() && kernel.nodes.len() <= MAX_NODES, "is empty or too large")?;
    let mut depths: Vec<Option<usize>> = Vec::with_capacity(kernel.nodes.len());
    for node in &kernel.nodes {
        match node {
            Node::Const { index } => {
                check((*index as usize) < code.consts.len(), "names a constant that is not there")?
            }
            Node::Input { index } | Node::Local { outer: Some(index), .. } => {
                check((*index as usize) < kernel.inputs.len(), "names an input that is not there")?
            }
            Node::Import { index } => {
                check((*index as usize) < kernel.imports.len(), "names an import that is not there")?
            }
            Node::Text { parts } => {
                let is_text = |index: u32| matches!(code.consts.get(index as usize), Some(Const::Str(_)));
                check(parts.iter().filter_map(|part| part.spec).all(is_text), "has a format that isn't text")?;
            }
            _ => {}
        }
        check(node.names().all(|name| (name as usize) < code.names.len()), "names a name that is not there")?;
        check(node.slot().is_none_or(|slot| slot < kernel.locals), "names a variable that is not there")?;
        check(
            match node {
                Node::Binary { op, .. } => covers(*op),
                Node::Compare { links, .. } => !links.is_empty(),
                Node::Bool { operands, .. } => !operands.is_empty(),
                Node::Call { function, arguments, .. } => function.takes(arguments.len()),
                Node::Invoke { arguments, keywords, .. } | Node::Method { arguments, keywords, .. } => {
                    keywords.len() <= arguments.len()
                }
                _ => true,
            },
            "has a node that cannot be computed",
        )?;
        let is_statement = |operand: &u32| kernel.nodes.get(*operand as usize).is_some_and(Node::is_statement);
        let allowed: usize = node.statements().into_iter().flatten().filter(|operand| is_statement(operand)).count();
        let operands = node.operands();
        check(
            operands.iter().filter(|operand| is_statement(operand)).count() == allowed,
            "takes a statement for a value",
        )?;
        let mut depth = 1;
        for operand in operands {
            // An operand is taken, so that no node has two users.
            let below = depths.get_mut(operand as usize).and_then(Option::take);
            check(below.is_some(), "is not a tree in the order of its computation")?;
            depth = depth.max(below.unwrap_or_default() + 1);
        }
        check(depth <= MAX_DEPTH, "is too deep")?;
        depths.push(Some(depth));
    }
    check(kernel.nodes.last().is_some_and(|node| !node.is_statement()), "has no value")?;
    check(depths.iter().filter(|depth| depth.is_some()).count() == 1, "computes what it does not use")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

    use super::super::{Function, TextPart};
    use super::*;
    use crate::{BinaryOp, Const, Instr, UnaryOp};

    fn code() -> Code {
        Code {
            instrs: vec![Instr::Const { index: 0 }, Instr::Return],
            consts: vec![Const::Int(2)],
            names: vec![0],
            max_stack: 1,
            ..Code::empty(CodeKind::Block, 0, 0)
        }
    }

    fn checked(inputs: Vec<u32>, nodes: Vec<Node>) -> Result<(), String> {
        verify(&Kernel { inputs, nodes, ..Kernel::default() }, &code())
    }

    fn constant() -> Node {
        Node::Const { index: 0 }
    }

    fn negative(operand: u32) -> Node {
        Node::Unary { op: UnaryOp::Negative, operand }
    }

    #[test]
    fn a_tree_in_order_is_sound() {
        let product = Node::Binary { op: BinaryOp::Multiply, left: 0, right: 1 };
        assert_eq!(checked(vec![0], vec![Node::Input { index: 0 }, constant(), product]), Ok(()));
    }

    #[test]
    fn what_leads_nowhere_is_refused() {
        for (inputs, nodes) in [
            (vec![], vec![]),
            (vec![1], vec![Node::Input { index: 0 }]),
            (vec![0], vec![Node::Input { index: 1 }]),
            (vec![0; MAX_INPUTS + 1], vec![constant()]),
            (vec![], vec![Node::Const { index: 1 }]),
            (vec![], vec![constant(), Node::Attribute { object: 0, name: 1 }]),
            (vec![], vec![constant(), Node::Text { parts: vec![TextPart { node: 0, spec: Some(1) }] }]),
            // Later than itself, itself, shared, unused.
            (vec![], vec![negative(1), constant()]),
            (vec![], vec![negative(0)]),
            (vec![], vec![constant(), Node::Binary { op: BinaryOp::Add, left: 0, right: 0 }]),
            (vec![], vec![constant(), constant(), negative(1)]),
            // What cannot be computed.
            (vec![], vec![constant(), Node::Compare { first: 0, links: Vec::new() }]),
            (vec![], vec![Node::Bool { all: true, operands: Vec::new() }]),
            (vec![], vec![constant(), Node::Call { function: Function::Min, name: 0, arguments: vec![0] }]),
            (vec![], vec![constant(), constant(), Node::Binary { op: BinaryOp::LeftShift, left: 0, right: 1 }]),
        ] {
            assert!(checked(inputs.clone(), nodes.clone()).is_err(), "{inputs:?} {nodes:?}");
        }
    }

    #[test]
    fn what_is_too_deep_or_too_large_is_refused() {
        let chain = |length: u32| std::iter::once(constant()).chain((0..length).map(negative)).collect::<Vec<_>>();
        assert_eq!(checked(vec![], chain(MAX_DEPTH as u32 - 1)), Ok(()));
        assert!(checked(vec![], chain(MAX_DEPTH as u32)).is_err());
        let wide = |count: usize| {
            let operands = (0..count as u32).collect();
            let mut nodes = vec![constant(); count];
            nodes.push(Node::Bool { all: true, operands });
            nodes
        };
        assert_eq!(checked(vec![], wide(MAX_NODES - 1)), Ok(()));
        assert!(checked(vec![], wide(MAX_NODES)).is_err());
    }

    #[test]
    fn only_blocks_and_fstrings_have_kernels() {
        let kernel = Kernel { nodes: vec![constant()], ..Kernel::default() };
        assert_eq!(verify(&kernel, &Code { kind: CodeKind::FString, ..code() }), Ok(()));
        for kind in [CodeKind::Exec, CodeKind::Function] {
            assert!(verify(&kernel, &Code { kind, ..code() }).is_err());
        }
    }

    #[test]
    fn the_format_of_a_field_is_a_text() {
        let kernel = |spec| {
            let part = TextPart { node: 0, spec: Some(spec) };
            Kernel { nodes: vec![constant(), Node::Text { parts: vec![part] }], ..Kernel::default() }
        };
        let code = Code { consts: vec![Const::Int(2), Const::Str(0)], ..code() };
        assert_eq!(verify(&kernel(1), &code), Ok(()));
        assert!(verify(&kernel(0), &code).is_err());
    }

    #[test]
    fn statements_stand_among_statements_and_name_variables() {
        let set = |slot| Node::Set { slot, value: 0 };
        let with_locals = |nodes| verify(&Kernel { locals: 1, nodes, ..Kernel::default() }, &code());
        let block = |statements: Vec<u32>, value| Node::Block { statements, value };
        assert_eq!(
            with_locals(vec![constant(), set(0), Node::Local { slot: 0, outer: None }, block(vec![1], 2)]),
            Ok(())
        );
        assert!(
            with_locals(vec![constant(), set(1), Node::Local { slot: 0, outer: None }, block(vec![1], 2)]).is_err()
        );
        assert!(
            with_locals(vec![constant(), set(0), Node::Local { slot: 1, outer: None }, block(vec![1], 2)]).is_err()
        );
        let hiding = Node::Local { slot: 0, outer: Some(0) };
        assert!(with_locals(vec![constant(), set(0), hiding, block(vec![1], 2)]).is_err());
        assert!(with_locals(vec![constant(), set(0)]).is_err());
        assert!(with_locals(vec![constant(), set(0), negative(1)]).is_err());
        assert!(with_locals(vec![constant(), set(0), constant(), block(vec![2], 1)]).is_err());
    }

    #[test]
    fn calls_have_an_argument_for_each_keyword() {
        let call = |keywords| {
            let method = Node::Method { object: 0, name: 0, arguments: vec![1], keywords };
            checked(vec![], vec![constant(), constant(), method])
        };
        assert_eq!(call(vec![0]), Ok(()));
        assert!(call(vec![0, 0]).is_err());
        assert!(call(vec![1]).is_err());
    }
}
