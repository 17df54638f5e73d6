//! Kernels: blocks that compute numbers, conditions and text, in a form that machine code can be made of.
//!
//! A [`Kernel`] says what the block's instructions say, as a tree, and has no effect: it computes a value or leaves. What
//! leaves is run by the interpreter from its first instruction, so that a kernel needs to know only the cases it is good
//! for. A block with statements is a [`Node::Block`]; what a kernel cannot do stands in it as [`Node::Leave`], where the block
//! is still worth a kernel for the ways around it.
//!
//! Kernels are plain data: the compiler writes them, the artifact stores them, [`verify`] checks what was read.

use std::fmt::Write;

use bincode::{Decode, Encode};

use super::code::{Code, CodeKind, Const, ProgramData};
use super::operator::{BinaryOp, CompareOp, UnaryOp};

/// The most names that a kernel reads.
pub const MAX_INPUTS: usize = 16;

/// The most variables of a kernel.
pub const MAX_LOCALS: u32 = 64;

/// The most nodes of a kernel: what takes long to compile is not worth it.
pub const MAX_NODES: usize = 256;

/// How deep the tree of a kernel may be, since it is walked by recursion.
pub const MAX_DEPTH: usize = 48;

/// One link of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
pub enum Relation {
    /// A rich comparison.
    Compare(CompareOp),
    /// `in`, or `not in` where `invert`.
    Contains {
        /// Whether it is `not in`.
        invert: bool,
    },
    /// `is`, or `is not` where `invert`.
    Is {
        /// Whether it is `is not`.
        invert: bool,
    },
}

/// A builtin that kernels know, called with numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
pub enum Function {
    /// `min(a, b, ...)`
    Min,
    /// `max(a, b, ...)`
    Max,
    /// `round(a)`, `round(a, digits)`
    Round,
    /// `int(a)`
    Int,
    /// `float(a)`
    Float,
    /// `abs(a)`
    Abs,
}

impl Function {
    /// All functions.
    pub const ALL: [Self; 6] = [Self::Min, Self::Max, Self::Round, Self::Int, Self::Float, Self::Abs];

    /// Python's name for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Min => "min",
            Self::Max => "max",
            Self::Round => "round",
            Self::Int => "int",
            Self::Float => "float",
            Self::Abs => "abs",
        }
    }

    /// Whether a kernel can call it with so many arguments.
    pub fn takes(self, count: usize) -> bool {
        match self {
            Self::Min | Self::Max => count >= 2,
            Self::Round => count == 1 || count == 2,
            Self::Int | Self::Float | Self::Abs => count == 1,
        }
    }
}

/// A part of the text that an f-string makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
pub struct TextPart {
    /// What `format` makes text of: a field, or a constant text between fields.
    pub node: u32,
    /// The specification of the format: a text among the code's constants.
    pub spec: Option<u32>,
}

/// A node of the tree; nodes name others by index.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub enum Node {
    /// Constant `index` of the code.
    Const {
        /// The constant.
        index: u32,
    },
    /// The value of a name.
    Input {
        /// The input.
        index: u32,
    },
    /// `op operand`
    Unary {
        /// The operator.
        op: UnaryOp,
        /// The operand.
        operand: u32,
    },
    /// `left op right`
    Binary {
        /// The operator.
        op: BinaryOp,
        /// The left operand.
        left: u32,
        /// The right operand.
        right: u32,
    },
    /// `first op second op third ...`; what follows a link that is false is not computed.
    Compare {
        /// The first operand.
        first: u32,
        /// The relations, each with its right operand; at least one.
        links: Vec<(Relation, u32)>,
    },
    /// `a and b and ...` where `all`, else `a or b or ...`: the value of the one that decides.
    Bool {
        /// Whether it is `and`.
        all: bool,
        /// The operands; at least one.
        operands: Vec<u32>,
    },
    /// `body if test else orelse`
    If {
        /// The condition.
        test: u32,
        /// The value where it is true.
        body: u32,
        /// The value where it is false.
        orelse: u32,
    },
    /// A builtin's value. The kernel is not for contexts in which the name stands for something else.
    Call {
        /// The builtin.
        function: Function,
        /// Its name in the code's names.
        name: u32,
        /// The arguments.
        arguments: Vec<u32>,
    },
    /// `object.name` of a host object.
    Attribute {
        /// The object.
        object: u32,
        /// The name, in the code's names.
        name: u32,
    },
    /// `text.startswith(affix)`, or `text.endswith(affix)` where `end`.
    Affix {
        /// The text.
        text: u32,
        /// The affix, or a tuple of them.
        affix: u32,
        /// Which end of the text.
        end: bool,
    },
    /// An f-string: the texts of its parts, joined.
    Text {
        /// The parts, in order.
        parts: Vec<TextPart>,
    },
    /// What an import of the kernel gives.
    Import {
        /// The import.
        index: u32,
    },
    /// The value of a variable; leaves where it has none.
    Local {
        /// The variable.
        slot: u32,
    },
    /// A container with these items; of a dict, keys and values in turn.
    Build {
        /// Which.
        container: Container,
        /// The items.
        items: Vec<u32>,
    },
    /// `object[key]` of text, tuples, lists and dicts.
    Item {
        /// The container.
        object: u32,
        /// The key or index.
        key: u32,
    },
    /// `callee(...)` of a function that only looks at its arguments.
    Invoke {
        /// The function.
        callee: u32,
        /// The arguments.
        arguments: Vec<u32>,
        /// The names of the last of them, in the code's names.
        keywords: Vec<u32>,
    },
    /// `object.name(...)` of a method that only looks at its object and its arguments, or of a module's function.
    Method {
        /// The object.
        object: u32,
        /// The name, in the code's names.
        name: u32,
        /// The arguments.
        arguments: Vec<u32>,
        /// The names of the last of them, in the code's names.
        keywords: Vec<u32>,
    },
    /// A comprehension over a tuple or list, or `any` or `all` of one.
    Comprehension {
        /// What is iterated.
        iterable: u32,
        /// The variable that holds each item.
        slot: u32,
        /// Which items count; all where there is none.
        condition: Option<u32>,
        /// What is made of an item.
        element: u32,
        /// What is made of the elements.
        gives: Gives,
    },
    /// Statements, then the value of the block.
    Block {
        /// The statements; of other nodes the value is dropped.
        statements: Vec<u32>,
        /// The value.
        value: u32,
    },
    /// A statement: `variable = value`.
    Set {
        /// The variable.
        slot: u32,
        /// The value.
        value: u32,
    },
    /// A statement: `if`.
    When {
        /// The condition.
        test: u32,
        /// The statements where it is true.
        then: Vec<u32>,
        /// The statements where it is false.
        orelse: Vec<u32>,
    },
    /// What only the interpreter does, as a statement or in the place of a value: leaves.
    Leave,
}

/// A container that a kernel makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
pub enum Container {
    /// `[a, b]`
    List,
    /// `(a, b)`
    Tuple,
    /// `{a: b}`
    Dict,
}

/// What a comprehension gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
pub enum Gives {
    /// `[element for ...]`
    List,
    /// `any(...)` of the elements; of a generator expression it ends with the first that is true.
    Any {
        /// Whether it is a generator expression.
        lazy: bool,
    },
    /// `all(...)` of the elements; of a generator expression it ends with the first that is false.
    All {
        /// Whether it is a generator expression.
        lazy: bool,
    },
}

impl Node {
    /// Whether it is a statement: it has no value.
    pub fn is_statement(&self) -> bool {
        matches!(self, Self::Set { .. } | Self::When { .. })
    }

    /// The nodes that this one names.
    pub fn operands(&self) -> Vec<u32> {
        match self {
            Self::Const { .. } | Self::Input { .. } => Vec::new(),
            Self::Unary { operand, .. } => vec![*operand],
            Self::Binary { left, right, .. } => vec![*left, *right],
            Self::Compare { first, links } => {
                std::iter::once(*first).chain(links.iter().map(|(_, operand)| *operand)).collect()
            }
            Self::Bool { operands, .. } => operands.clone(),
            Self::If { test, body, orelse } => vec![*test, *body, *orelse],
            Self::Call { arguments, .. } => arguments.clone(),
            Self::Attribute { object, .. } => vec![*object],
            Self::Affix { text, affix, .. } => vec![*text, *affix],
            Self::Text { parts } => parts.iter().map(|part| part.node).collect(),
            Self::Import { .. } | Self::Local { .. } | Self::Leave => Vec::new(),
            Self::Build { items, .. } => items.clone(),
            Self::Item { object, key } => vec![*object, *key],
            Self::Invoke { callee: first, arguments, .. } | Self::Method { object: first, arguments, .. } => {
                std::iter::once(*first).chain(arguments.iter().copied()).collect()
            }
            Self::Comprehension { iterable, condition, element, .. } => {
                [Some(*iterable), *condition, Some(*element)].into_iter().flatten().collect()
            }
            Self::Block { statements, value } => statements.iter().copied().chain([*value]).collect(),
            Self::Set { value, .. } => vec![*value],
            Self::When { test, then, orelse } => {
                std::iter::once(*test).chain(then.iter().copied()).chain(orelse.iter().copied()).collect()
            }
        }
    }

    /// The operands that may be statements.
    fn statements(&self) -> [&[u32]; 2] {
        match self {
            Self::Block { statements, .. } => [statements, &[]],
            Self::When { then, orelse, .. } => [then, orelse],
            _ => [&[], &[]],
        }
    }

    /// The variable that the node reads or sets.
    fn slot(&self) -> Option<u32> {
        match self {
            Self::Local { slot } | Self::Set { slot, .. } | Self::Comprehension { slot, .. } => Some(*slot),
            _ => None,
        }
    }

    /// The names that the node asks for, in the code's names.
    fn names(&self) -> impl Iterator<Item = u32> {
        let (name, keywords): (Option<u32>, &[u32]) = match self {
            Self::Attribute { name, .. } | Self::Call { name, .. } => (Some(*name), &[]),
            Self::Method { name, keywords, .. } => (Some(*name), keywords),
            Self::Invoke { keywords, .. } => (None, keywords),
            _ => (None, &[]),
        };
        name.into_iter().chain(keywords.iter().copied())
    }
}

/// `import module`, or `from module import name`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Import {
    /// The module, in the program's strings.
    pub module: u32,
    /// The name in the module, in the code's names; none for the module itself.
    pub name: Option<u32>,
}

/// A block as a tree of computations.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
pub struct Kernel {
    /// The names that it reads, by index in the code's names.
    pub inputs: Vec<u32>,
    /// What it imports.
    pub imports: Vec<Import>,
    /// The names, in the code's names, that must mean the builtins of these names: `any` and `all` of comprehensions.
    pub builtins: Vec<u32>,
    /// How many variables it has.
    pub locals: u32,
    /// The nodes: each after those that it names, the result last.
    pub nodes: Vec<Node>,
}

/// Whether a kernel may compute with the operator; shifts are left to the interpreter.
pub fn covers(op: BinaryOp) -> bool {
    !matches!(op, BinaryOp::MatMultiply | BinaryOp::LeftShift | BinaryOp::RightShift)
}

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
    check(kernel.inputs.iter().all(|name| is_name(*name)), "reads what is no name")?;
    check(kernel.imports.iter().all(|import| import.name.is_none_or(is_name)), "imports what is no name")?;
    check(kernel.builtins.iter().all(|name| is_name(*name)), "calls what is no name")?;
    check(kernel.locals <= MAX_LOCALS, "has too many variables")?;
    check(!kernel.nodes.is_empty() && kernel.nodes.len() <= MAX_NODES, "is empty or too large")?;
    let mut depths: Vec<Option<usize>> = Vec::with_capacity(kernel.nodes.len());
    for node in &kernel.nodes {
        match node {
            Node::Const { index } => {
                check((*index as usize) < code.consts.len(), "names a constant that is not there")?
            }
            Node::Input { index } => {
                check((*index as usize) < kernel.inputs.len(), "names an input that is not there")?
            }
            Node::Import { index } => {
                check((*index as usize) < kernel.imports.len(), "names an import that is not there")?
            }
            Node::Text { parts } => {
                let is_text = |index: u32| matches!(code.consts.get(index as usize), Some(Const::Str(_)));
                check(parts.iter().filter_map(|part| part.spec).all(is_text), "has a format that is no text")?;
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
                Node::Build { container: Container::Dict, items } => items.len().is_multiple_of(2),
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

/// The kernel as text, one node a line, for `tpvc inspect`.
pub(super) fn listing(kernel: &Kernel, data: &ProgramData, code: &Code, constant: impl Fn(u32) -> String) -> String {
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
            Node::Local { slot } => format!("${slot}"),
            Node::Build { container, items } => format!("{container:?} {}", list(items)),
            Node::Item { object, key } => format!("%{object}[%{key}]"),
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
            Node::Leave => "Leave".to_owned(),
        };
        let _ = writeln!(text, "    %{index} = {what}");
    }
    text
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

    use super::*;
    use crate::{Const, Instr};

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
}
