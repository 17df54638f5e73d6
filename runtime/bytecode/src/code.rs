//! Code objects, the constants they hold, and programs of them: plain data.

use bincode::de::Decoder;
use bincode::error::DecodeError;
use bincode::{Decode, Encode};

use super::instruction::Instr;
use super::kernel::Kernel;
use super::nesting::nested;

/// A reference from a config string to the code it was compiled to, and to its place in the config.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Encode, Decode)]
pub struct CodeRef {
    /// Index of the root code in the main program.
    pub code: u32,
    /// Index of the place in the artifact's table of sites.
    pub site: u32,
}

impl CodeRef {
    /// The code of an f-string that has no fields and no escapes: it is its own value.
    pub const PLAIN: u32 = u32::MAX;

    /// Returns `true` if an f-string of this text evaluates to the text itself: no fields, no escapes, no quotes that
    /// could end it, no line endings that Python would change. The compiler and the mapper must agree on it.
    pub fn is_plain_fstring(text: &str) -> bool {
        !text.bytes().any(|byte| matches!(byte, b'{' | b'}' | b'\\' | b'\'' | b'\r' | 0))
    }
}

/// The kind of source that a root code was compiled from. The same text compiles differently as each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Encode, Decode)]
pub enum CodeKind {
    /// Statements and a last expression, whose value is the result.
    Block,
    /// An f-string.
    FString,
    /// Statements only; the result is `None`. (`execute`)
    Exec,
    /// A function, lambda, comprehension or generator inside another code.
    Function,
}

/// A constant in plain data.
#[derive(Clone, Debug, PartialEq, Encode)]
pub enum Const {
    /// `None`
    None,
    /// `...`
    Ellipsis,
    /// `True`, `False`
    Bool(bool),
    /// An int of 64 bits.
    Int(i64),
    /// A larger int, as signed little-endian bytes.
    BigInt(Vec<u8>),
    /// A float; compared by bits.
    Float(f64),
    /// A string, by its index in the program's strings.
    Str(u32),
    /// Bytes.
    Bytes(Vec<u8>),
    /// A tuple.
    Tuple(Vec<Const>),
    /// A frozenset.
    FrozenSet(Vec<Const>),
}

bincode::impl_borrow_decode!(Const);

impl<Context> Decode<Context> for Const {
    fn decode<D: Decoder<Context = Context>>(decoder: &mut D) -> Result<Self, DecodeError> {
        Ok(match u32::decode(decoder)? {
            0 => Self::None,
            1 => Self::Ellipsis,
            2 => Self::Bool(Decode::decode(decoder)?),
            3 => Self::Int(Decode::decode(decoder)?),
            4 => Self::BigInt(Decode::decode(decoder)?),
            5 => Self::Float(Decode::decode(decoder)?),
            6 => Self::Str(Decode::decode(decoder)?),
            7 => Self::Bytes(Decode::decode(decoder)?),
            8 => Self::Tuple(nested(|| Decode::decode(decoder))?),
            9 => Self::FrozenSet(nested(|| Decode::decode(decoder))?),
            other => return Err(DecodeError::OtherString(format!("{other} is not a kind of constant"))),
        })
    }
}

/// The number of parameters of each kind. Parameters are the first local variables, in this order: positional-only,
/// positional-or-keyword, keyword-only, `*args`, `**kwargs`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
pub struct Parameters {
    /// The number of positional-only parameters.
    pub positional_only: u32,
    /// The number of positional-or-keyword parameters.
    pub positional: u32,
    /// The number of keyword-only parameters.
    pub keyword_only: u32,
    /// `true` if there is an `*args` parameter.
    pub var_positional: bool,
    /// `true` if there is a `**kwargs` parameter.
    pub var_keyword: bool,
}

/// The source of a closure's cell for a free variable of its code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
pub enum Capture {
    /// Cell variable `index` of the enclosing code (an index as `LoadDeref` takes it, free variables included).
    Cell(u32),
}

/// The reason that CPython runs a block if the host has CPython. Other hosts run the block's own code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
pub struct NeedsCpython {
    /// The reason, after "because": an index in the program's strings.
    pub reason: u32,
    /// `true` if only live Galaxy objects require CPython.
    pub only_live: bool,
}

/// One code object.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct Code {
    /// The kind of source it was compiled from.
    pub kind: CodeKind,
    /// The function's name, or `<module>`, `<lambda>`, `<listcomp>`: an index in the program's strings.
    pub name: u32,
    /// The instructions. The last one never falls off the end.
    pub instrs: Vec<Instr>,
    /// The constants.
    pub consts: Vec<Const>,
    /// The attribute names and the names of the namespace that the block uses, by index in the program's names.
    /// `LoadName`, `LoadAttr` and similar instructions hold indices in this table. Only root codes have it: inner codes use that of
    /// their root, so that a block's namespace is one short vector.
    pub names: Vec<u32>,
    /// The names of the local variables (indices in the program's strings), parameters first.
    pub locals: Vec<u32>,
    /// The names of the variables that inner functions share (strings); those that are also parameters are copied into their
    /// cell when the function starts.
    pub cells: Vec<u32>,
    /// The names of the variables it takes from enclosing functions (strings).
    pub free: Vec<u32>,
    /// The sources of the cells for `free` when a function of this code is created.
    pub closure: Vec<Capture>,
    /// The parameters.
    pub parameters: Parameters,
    /// `true` if a call creates a generator.
    pub generator: bool,
    /// The greatest height of the stack.
    pub max_stack: u32,
    /// The names (strings) used by the block that the host computes before running it (root codes only).
    pub computed: Vec<u32>,
    /// The index of the root code of its block in the program; a root code names itself.
    pub root: u32,
    /// The source position of each run of instructions in the block's text: first instruction, line, column (both from 1).
    /// Ascending.
    pub places: Vec<(u32, u32, u32)>,
    /// The block as a kernel, if it can be one (root codes only).
    pub kernel: Option<Kernel>,
    /// The reason that CPython runs the block, if it does (root codes only).
    pub cpython: Option<NeedsCpython>,
}

/// The data of a program: what the artifact stores, or what was compiled for one string at run time.
#[derive(Clone, Debug, Default, PartialEq, Encode, Decode)]
pub struct ProgramData {
    /// Strings: constants, local names.
    pub strings: Vec<String>,
    /// Names of attributes and of the namespace.
    pub names: Vec<String>,
    /// The codes.
    pub codes: Vec<Code>,
}

impl Code {
    /// An empty code; set the remaining fields with struct update syntax. `name` is a string of the program.
    pub fn empty(kind: CodeKind, name: u32, root: u32) -> Self {
        Self {
            kind,
            name,
            instrs: Vec::new(),
            consts: Vec::new(),
            names: Vec::new(),
            locals: Vec::new(),
            cells: Vec::new(),
            free: Vec::new(),
            closure: Vec::new(),
            parameters: Parameters::default(),
            generator: false,
            max_stack: 0,
            computed: Vec::new(),
            root,
            places: Vec::new(),
            kernel: None,
            cpython: None,
        }
    }
}

impl ProgramData {
    /// Returns the reason that CPython runs a block (the text after "because"), and whether it applies only to live Galaxy
    /// objects. `None` if the block runs natively.
    pub fn cpython(&self, root: u32) -> Option<(&str, bool)> {
        let needs = self.codes.get(root as usize)?.cpython?;
        Some((self.strings.get(needs.reason as usize)?, needs.only_live))
    }

    /// The approximate size in bytes, including one thread's view.
    pub fn bytes(&self) -> usize {
        /// The bytes charged for a name or string besides its text, counted twice.
        const TEXT: usize = 128;
        let texts = self.strings.iter().chain(&self.names).map(|text| TEXT + 2 * text.len()).sum::<usize>();
        let code = |code: &Code| {
            let tables = [&code.names, &code.locals, &code.cells, &code.free, &code.computed];
            2 * size_of::<Code>()
                + size_of::<Instr>() * code.instrs.len()
                + 4 * size_of::<Const>() * code.consts.len()
                + size_of::<(u32, u32, u32)>() * code.places.len()
                + tables.iter().map(|table| size_of::<u32>() * table.len()).sum::<usize>()
        };
        texts + self.codes.iter().map(code).sum::<usize>()
    }
}
