//! Kernels: blocks that compute numbers, conditions and text, in a form that machine code can be made of.
//!
//! A [`Kernel`] says what the block's instructions say, as a tree, and has no effect: it computes a value or leaves. What
//! leaves is run by the interpreter from its first instruction, so that a kernel needs to know only the cases it is good
//! for. A block with statements is a [`Node::Block`]; what a kernel cannot do stands in it as [`Node::Leave`], if the block
//! is still worth a kernel for the ways around it.
//!
//! Kernels are plain data: the compiler writes them, the artifact stores them, [`verify`] checks what was read.

mod listing;
mod verify;

use bincode::{Decode, Encode};

use super::operator::{BinaryOp, CompareOp, UnaryOp};

pub(crate) use listing::listing;
pub use verify::verify;

/// The most names that a kernel reads.
pub const MAX_INPUTS: usize = 16;

/// The most variables of a kernel.
pub const MAX_LOCALS: u32 = 64;

/// The most nodes of a kernel: what takes long to compile is not worth it.
pub const MAX_NODES: usize = 256;

/// The maximum depth of a kernel's tree, which is walked recursively.
pub const MAX_DEPTH: usize = 48;

/// One link of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
pub enum Relation {
    /// A rich comparison.
    Compare(CompareOp),
    /// `in`, or `not in` if `invert`.
    Contains {
        /// `true` for `not in`.
        invert: bool,
    },
    /// `is`, or `is not` if `invert`.
    Is {
        /// `true` for `is not`.
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

    /// Returns `true` if a kernel can call it with this many arguments.
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
    /// The node whose value `format` converts to text: a field, or constant text between fields.
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
    /// `a and b and ...` if `all`, else `a or b or ...`: the value of the one that decides.
    Bool {
        /// `true` for `and`.
        all: bool,
        /// The operands; at least one.
        operands: Vec<u32>,
    },
    /// `body if test else orelse`
    If {
        /// The condition.
        test: u32,
        /// The value if it is true.
        body: u32,
        /// The value if it is false.
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
    /// `text.startswith(affix)`, or `text.endswith(affix)` if `end`.
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
    /// The value of an import of the kernel.
    Import {
        /// The import.
        index: u32,
    },
    /// The value of a variable; bails out if it has none.
    Local {
        /// The variable.
        slot: u32,
        /// The input of the same name, which is read if the block has not set the variable.
        outer: Option<u32>,
    },
    /// A container with these items.
    Build {
        /// Which.
        container: Container,
        /// The items.
        items: Vec<u32>,
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
        /// The iterable.
        iterable: u32,
        /// The variable that holds each item.
        slot: u32,
        /// The filter of the items; every item counts if there is none.
        condition: Option<u32>,
        /// The expression computed for each item.
        element: u32,
        /// The kind of result.
        gives: Gives,
    },
    /// A test that other kernels have as well: computed once as long as nothing changes.
    Shared {
        /// The key that distinguishes it from other tests: its text, in the program's strings.
        key: u32,
        /// The test.
        value: u32,
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
        /// The statements if it is true.
        then: Vec<u32>,
        /// The statements if it is false.
        orelse: Vec<u32>,
    },
    /// A statement or value that only the interpreter supports: leaves the kernel.
    Leave,
}

/// A container that a kernel makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
pub enum Container {
    /// `[a, b]`
    List,
    /// `(a, b)`
    Tuple,
}

/// The result of a comprehension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
pub enum Gives {
    /// `[element for ...]`
    List,
    /// `any(...)` of the elements; of a generator expression it ends with the first that is true.
    Any {
        /// `true` for a generator expression.
        lazy: bool,
    },
    /// `all(...)` of the elements; of a generator expression it ends with the first that is false.
    All {
        /// `true` for a generator expression.
        lazy: bool,
    },
}

impl Node {
    /// Returns `true` for a statement, which has no value.
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
            Self::Invoke { callee: first, arguments, .. } | Self::Method { object: first, arguments, .. } => {
                std::iter::once(*first).chain(arguments.iter().copied()).collect()
            }
            Self::Comprehension { iterable, condition, element, .. } => {
                [Some(*iterable), *condition, Some(*element)].into_iter().flatten().collect()
            }
            Self::Block { statements, value } => statements.iter().copied().chain([*value]).collect(),
            Self::Set { value, .. } | Self::Shared { value, .. } => vec![*value],
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
            Self::Local { slot, .. } | Self::Set { slot, .. } | Self::Comprehension { slot, .. } => Some(*slot),
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
    /// The imported names.
    pub imports: Vec<Import>,
    /// The names, in the code's names, that must mean the builtins of these names: `any` and `all` of comprehensions.
    pub builtins: Vec<u32>,
    /// The number of variables.
    pub locals: u32,
    /// The nodes: each after those that it names, the result last.
    pub nodes: Vec<Node>,
}

/// Returns `true` if kernels compute this operator; shifts are left to the interpreter.
pub fn covers(op: BinaryOp) -> bool {
    !matches!(op, BinaryOp::MatMultiply | BinaryOp::LeftShift | BinaryOp::RightShift)
}
