//! Compiled Python: instructions, code objects and the programs that hold them.
//!
//! [`Code`] and what it is made of are plain data: the compiler writes them, the artifact stores them, every thread
//! reads them. A [`Program`] is one thread's view of a set of codes, with the constants as [`Value`]s.
//!
//! The machine has a stack. The comment at each [`Instr`] says what it takes from the stack and what it leaves:
//! `a b -> c` takes `b` from the top, then `a`, and leaves `c`. Jump targets are instruction indices in the same code.

use std::cell::OnceCell;
use std::cmp::Ordering;
use std::rc::Rc;
use std::sync::Arc;

use bincode::de::Decoder;
use bincode::error::DecodeError;
use bincode::{Decode, Encode};
use num_bigint::BigInt;

use crate::jit::{LoadedKernel, Native};
use crate::nesting::nested;

use super::kernel::Kernel;
use super::string::Str;
use super::value::Value;

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

    /// Whether an f-string of this text is the text: no fields, no escapes, no quotes that could end it, no line endings
    /// that Python would change. Compiler and mapper must agree on it.
    pub fn is_plain_fstring(text: &str) -> bool {
        !text.bytes().any(|byte| matches!(byte, b'{' | b'}' | b'\\' | b'\'' | b'\r' | 0))
    }
}

/// A place inside a code block: where an exception passed through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Index of the code in its program.
    pub code: u32,
    /// Line within the block's text, from 1.
    pub line: u32,
    /// Column within the line, from 1, in characters.
    pub column: u32,
    /// Where the text stands in the config: an index in the artifact's table of sites. `None` until the evaluation ends
    /// that the code belongs to: only that knows it, since equal texts share their code.
    pub site: Option<u32>,
}

/// What a root code was compiled from. The same text compiles differently as each.
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

/// A unary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Encode, Decode)]
pub enum UnaryOp {
    /// `-a`
    Negative,
    /// `+a`
    Positive,
    /// `~a`
    Invert,
    /// `not a`
    Not,
}

/// A binary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Encode, Decode)]
pub enum BinaryOp {
    /// `a + b`
    Add,
    /// `a - b`
    Subtract,
    /// `a * b`
    Multiply,
    /// `a @ b`
    MatMultiply,
    /// `a / b`
    TrueDivide,
    /// `a // b`
    FloorDivide,
    /// `a % b`
    Remainder,
    /// `a ** b`
    Power,
    /// `a << b`
    LeftShift,
    /// `a >> b`
    RightShift,
    /// `a & b`
    And,
    /// `a | b`
    Or,
    /// `a ^ b`
    Xor,
}

/// A rich comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Encode, Decode)]
pub enum CompareOp {
    /// `a < b`
    Lt,
    /// `a <= b`
    Le,
    /// `a == b`
    Eq,
    /// `a != b`
    Ne,
    /// `a > b`
    Gt,
    /// `a >= b`
    Ge,
}

impl CompareOp {
    /// Whether the comparison holds between two values in this order.
    pub fn holds(self, order: Ordering) -> bool {
        match self {
            Self::Lt => order.is_lt(),
            Self::Le => order.is_le(),
            Self::Eq => order.is_eq(),
            Self::Ne => order.is_ne(),
            Self::Gt => order.is_gt(),
            Self::Ge => order.is_ge(),
        }
    }
}

/// The conversion of an f-string field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Encode, Decode)]
pub enum Conversion {
    /// None
    None,
    /// `!s`
    Str,
    /// `!r`
    Repr,
    /// `!a`
    Ascii,
}

/// Declares the instructions, and with them the table of opcodes that the documentation and the listings show.
macro_rules! instructions {
    ($(#[$meta:meta])+ enum; $($(#[doc = $doc:literal])+ $name:ident $( { $($field:ident : $ty:ty),* } )? ;)*) => {
        /// One instruction.
        $(#[$meta])+
        pub enum Instr {
            $($(#[doc = $doc])+ $name $( { $(#[allow(missing_docs)] $field: $ty),* } )?),*
        }

        impl Instr {
            /// All opcodes with their documentation, for `tpvc inspect` and the docs.
            pub const TABLE: &'static [(&'static str, &'static str)] =
                &[$((stringify!($name), concat!($($doc),+))),*];

            /// The opcode's name.
            pub fn name(&self) -> &'static str {
                match self { $(Self::$name { .. } => stringify!($name)),* }
            }

            /// The operands by name, for listings.
            pub fn operands(&self) -> Vec<(&'static str, String)> {
                match self {
                    $(Self::$name $( { $($field),* } )? => vec![$( $((stringify!($field), format!("{:?}", $field))),* )?]),*
                }
            }
        }
    };
}

instructions! {
    // Written here and not in the macro: bincode's derive needs the fields' own hygiene.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
    enum;

    /// `->` nothing.
    Nop;
    /// `-> value`: constant `index` of the code.
    Const { index: u32 };
    /// `a ->` drops the top.
    Pop;
    /// `a -> a a`
    Dup;
    /// `a b -> a b a b`
    DupTwo;
    /// `a b -> b a`
    Swap;
    /// `a b c -> c a b`: lifts the second and third up by one.
    RotThree;
    /// `a b c d -> d a b c`
    RotFour;

    /// `-> value`: local variable `slot`; `UnboundLocalError` where it has no value.
    LoadFast { slot: u32 };
    /// `value ->` sets a local variable.
    StoreFast { slot: u32 };
    /// Deletes a local variable; `UnboundLocalError` where it has no value.
    DeleteFast { slot: u32 };
    /// `-> value`: variable `index` of the cells (the code's own cell variables first, then its free variables); `NameError` or `UnboundLocalError` where it has no value.
    LoadDeref { index: u32 };
    /// `value ->` sets a cell variable.
    StoreDeref { index: u32 };
    /// Deletes a cell variable.
    DeleteDeref { index: u32 };
    /// `-> value`: the name `name` of the block's namespace, then the context, the loader's globals and the builtins; `NameError` where none has it.
    LoadName { name: u32 };
    /// `value ->` sets a name in the block's namespace.
    StoreName { name: u32 };
    /// Deletes a name from the block's namespace.
    DeleteName { name: u32 };

    /// `a -> op a`
    Unary { op: UnaryOp };
    /// `a b -> a op b`
    Binary { op: BinaryOp };
    /// `a b -> a op= b`: in place where `a` can.
    InPlace { op: BinaryOp };
    /// `a b -> a op b` as a rich comparison.
    Compare { op: CompareOp };
    /// `a b -> a in b`, negated where `invert`.
    Contains { invert: bool };
    /// `a b -> a is b`, negated where `invert`.
    Is { invert: bool };

    /// Goes to `target`.
    Jump { target: u32 };
    /// `a ->` goes to `target` where `a` is false.
    PopJumpIfFalse { target: u32 };
    /// `a ->` goes to `target` where `a` is true.
    PopJumpIfTrue { target: u32 };
    /// `a -> a` and goes to `target` where `a` is false, `a ->` where it is true.
    JumpIfFalseOrPop { target: u32 };
    /// `a -> a` and goes to `target` where `a` is true, `a ->` where it is false.
    JumpIfTrueOrPop { target: u32 };

    /// `count values -> list`
    BuildList { count: u32 };
    /// `count values -> tuple`
    BuildTuple { count: u32 };
    /// `count values -> set`
    BuildSet { count: u32 };
    /// `count keys and values, in turn -> dict`
    BuildDict { count: u32 };
    /// `start stop step -> slice`
    BuildSlice;
    /// `count strings -> string`: the pieces of an f-string joined.
    BuildString { count: u32 };
    /// `value -> string`, or `value spec -> string` where `spec`: one field of an f-string.
    FormatValue { conversion: Conversion, spec: bool };
    /// `value ->` appends to the list that is `depth` below the top once the value is taken (1 is the top).
    ListAppend { depth: u32 };
    /// `value ->` adds to the set `depth` below.
    SetAdd { depth: u32 };
    /// `key value ->` sets in the dict `depth` below.
    DictInsert { depth: u32 };
    /// `iterable ->` extends the list `depth` below (a starred item).
    ListExtend { depth: u32 };
    /// `iterable ->` updates the set `depth` below.
    SetUpdate { depth: u32 };
    /// `mapping ->` updates the dict `depth` below (`{**m}`).
    DictUpdate { depth: u32 };
    /// `mapping ->` merges keyword arguments into the dict `depth` below: a key that is there already raises `TypeError`. Under the dict are the tuple and the callee of a `CallEx`, which the error names.
    DictMerge { depth: u32 };
    /// `list -> tuple`
    ListToTuple;

    /// `object -> object.name`
    LoadAttr { name: u32 };
    /// `value object ->` sets `object.name`.
    StoreAttr { name: u32 };
    /// `object ->` deletes `object.name`.
    DeleteAttr { name: u32 };
    /// `object key -> object[key]`
    LoadSubscr;
    /// `value object key ->` sets `object[key]`.
    StoreSubscr;
    /// `object key ->` deletes `object[key]`.
    DeleteSubscr;

    /// `callee args -> result`: `argc` positional arguments.
    Call { argc: u32 };
    /// `callee args -> result`: `argc` arguments, of which the last are keyword arguments named by the tuple of strings that is constant `names`.
    CallKw { argc: u32, names: u32 };
    /// `callee tuple -> result` or `callee tuple dict -> result` where `keywords`. Any other iterable does for the tuple and any other mapping for the dict; where they are neither, the error names the callee (`f() argument after * must be an iterable, not int`).
    CallEx { keywords: bool };
    /// `object args -> result` of `object.name(args)`: `argc` positional arguments.
    CallMethod { name: u32, argc: u32 };
    /// `object args -> result`: as `CallMethod`, the last arguments named by the tuple of strings that is constant `names`.
    CallMethodKw { name: u32, argc: u32, names: u32 };
    /// `defaults keyword_defaults -> function`: code `code` of the program, with a tuple of defaults (or `None`) and a dict of keyword defaults (or `None`); closes over the cells that the code's `closure` names.
    MakeFunction { code: u32 };
    /// `value ->` leaves the function with the value.
    Return;
    /// `value -> sent`: the generator gives the value and waits.
    Yield;
    /// `iterator -> result`: gives all that the iterator gives, then leaves what it returned. What is sent or thrown meanwhile goes to the iterator.
    YieldFrom;

    /// `value -> iterator`
    GetIter;
    /// `iterator -> iterator item`, or `iterator ->` and goes to `target` at the end.
    ForIter { target: u32 };
    /// `iterable -> items`, so that the first is on top; `ValueError` where there are not `count`.
    Unpack { count: u32 };
    /// `iterable -> items`: `before` items, a list of the rest, `after` items, the first on top.
    UnpackEx { before: u32, after: u32 };

    /// Opens a block: an exception inside closes it, cuts the stack to its height here, ends the handling that began inside, leaves the exception on the stack and goes to `handler`.
    SetupTry { handler: u32 };
    /// Closes the innermost open block.
    PopTry;
    /// `exception -> exception` at the start of a handler: makes it the exception being handled (what a bare `raise` raises, and the context of new ones).
    EnterHandler;
    /// Ends handling: the exception handled before is handled again. Leaving the function, or an exception that leaves the handler, ends handling too.
    LeaveHandler;
    /// `exception class -> exception bool`: whether the class, or one of a tuple of them, matches.
    MatchException;
    /// `exception ->` raises it again, as it was: without a new context, and without a new place.
    Reraise;
    /// Raises: bare for `argc` 0, `exception ->` for 1, `exception cause ->` for 2.
    Raise { argc: u32 };
    /// `manager -> manager value`: calls `__enter__`.
    WithEnter;
    /// `manager exception -> exception swallow`: calls `__exit__` with the exception; `swallow` is its truth.
    WithExitException;
    /// `manager ->` calls `__exit__` with no exception.
    WithExit;
    /// `-> AssertionError`
    LoadAssertionError;

    /// `-> module`: imports the module whose dotted name is constant `name`; leaves the module itself where `leaf`, else its top package (`import os.path` binds `os`).
    ImportName { name: u32, leaf: bool };
    /// `module -> module value`: attribute `name`, or the submodule of that name; `ImportError` where there is neither.
    ImportFrom { name: u32 };
    /// `module ->` binds all public names of the module in the block's namespace.
    ImportStar;

    /// `bases dict -> class`: makes a class named by constant `name` from `bases` base classes and the dict of its attributes.
    BuildClass { name: u32, bases: u32 };
    /// Raises the builtin exception class named by constant `class` with the message that is constant `message`: code that TPV loads but that cannot run, or a construct that is not there yet.
    RaiseError { class: u32, message: u32 };
}

impl Instr {
    /// The instruction that this one may go to, other than the next; for `SetupTry` the handler.
    pub fn target(&self) -> Option<u32> {
        match *self {
            Self::Jump { target }
            | Self::PopJumpIfFalse { target }
            | Self::PopJumpIfTrue { target }
            | Self::JumpIfFalseOrPop { target }
            | Self::JumpIfTrueOrPop { target }
            | Self::ForIter { target }
            | Self::SetupTry { handler: target } => Some(target),
            _ => None,
        }
    }
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
            other => return Err(DecodeError::OtherString(format!("there is no kind {other} of constant"))),
        })
    }
}

/// What the parameters of a function are. They are the first local variables, in the order: positional-only,
/// positional, keyword-only, `*args`, `**kwargs`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
pub struct Parameters {
    /// Positional-only parameters.
    pub positional_only: u32,
    /// Parameters that may be given by position or name.
    pub positional: u32,
    /// Keyword-only parameters.
    pub keyword_only: u32,
    /// Whether there is `*args`.
    pub var_positional: bool,
    /// Whether there is `**kwargs`.
    pub var_keyword: bool,
}

/// Where a new closure finds the cell for a free variable of its code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
pub enum Capture {
    /// Cell variable `index` of the enclosing code (an index as `LoadDeref` takes it, free variables included).
    Cell(u32),
}

/// One code object.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct Code {
    /// What it was compiled from.
    pub kind: CodeKind,
    /// The function's name, or `<module>`, `<lambda>`, `<listcomp>`: an index in the program's strings.
    pub name: u32,
    /// The instructions. The last one never falls off the end.
    pub instrs: Vec<Instr>,
    /// The constants.
    pub consts: Vec<Const>,
    /// The attribute names and the names of the namespace that the block uses, by index in the program's names.
    /// `LoadName`, `LoadAttr` and their kin hold indices in this table. Only root codes have it: inner codes use that of
    /// their root, so that a block's namespace is one short vector.
    pub names: Vec<u32>,
    /// The names of the local variables (indices in the program's strings), parameters first.
    pub locals: Vec<u32>,
    /// The names of the variables that inner functions share (strings); those that are also parameters are copied into their
    /// cell when the function starts.
    pub cells: Vec<u32>,
    /// The names of the variables it takes from enclosing functions (strings).
    pub free: Vec<u32>,
    /// Where the cells for `free` come from when a function of this code is made.
    pub closure: Vec<Capture>,
    /// The parameters.
    pub parameters: Parameters,
    /// Whether calling it makes a generator.
    pub generator: bool,
    /// The greatest height of the stack.
    pub max_stack: u32,
    /// Whether the text of the block names `input_size` anywhere (root codes only).
    pub uses_input_size: bool,
    /// The index of the root code of its block in the program; a root code names itself.
    pub root: u32,
    /// For stretches of instructions, where in the block's text they come from: first instruction, line, column (both from
    /// 1). Ascending.
    pub places: Vec<(u32, u32, u32)>,
    /// The same computation for machine code, where the block is one that a kernel can do (root codes only).
    pub kernel: Option<Kernel>,
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

impl ProgramData {
    /// About the bytes that the program takes, with one thread's view of it.
    pub fn bytes(&self) -> usize {
        /// What a name or string takes beside its text, twice.
        const TEXT: usize = 128;
        let texts = self.strings.iter().chain(&self.names).map(|text| TEXT + 2 * text.len()).sum::<usize>();
        let code = |code: &Code| {
            let tables = [&code.names, &code.locals, &code.cells, &code.free];
            2 * size_of::<Code>()
                + size_of::<Instr>() * code.instrs.len()
                + 4 * size_of::<Const>() * code.consts.len()
                + size_of::<(u32, u32, u32)>() * code.places.len()
                + tables.iter().map(|table| size_of::<u32>() * table.len()).sum::<usize>()
        };
        texts + self.codes.iter().map(code).sum::<usize>()
    }
}

/// A name, as one thread sees it.
pub struct Name {
    /// The text.
    pub text: Str,
    /// The slot in the evaluation context of the [`super::vm::Vm`] that the program was made for.
    pub slot: usize,
}

/// A code, as one thread sees it.
pub struct LoadedCode {
    /// The constants as values.
    pub consts: Vec<Value>,
    /// The kernel, prepared for the machine when it first runs; nothing where it cannot be used there.
    #[cfg_attr(not(feature = "jit"), allow(dead_code))]
    pub(crate) kernel: OnceCell<Option<Box<LoadedKernel>>>,
}

/// One thread's view of a program.
pub struct Program {
    /// The shared data.
    pub data: Arc<ProgramData>,
    /// The names.
    pub names: Vec<Name>,
    /// Machine code for the kernels, where there is any.
    pub(crate) native: Option<Native>,
    strings: Vec<OnceCell<Str>>,
    loaded: Vec<OnceCell<LoadedCode>>,
}

impl Program {
    /// A view of the data; `slot` gives the context slot of a name, `native` is machine code for its kernels.
    pub(crate) fn new(data: Arc<ProgramData>, native: Option<Native>, mut slot: impl FnMut(&Str) -> usize) -> Rc<Self> {
        let names = data
            .names
            .iter()
            .map(|text| {
                let text = Str::from(text.as_str());
                let slot = slot(&text);
                Name { text, slot }
            })
            .collect();
        let strings = data.strings.iter().map(|_| OnceCell::new()).collect();
        let loaded = data.codes.iter().map(|_| OnceCell::new()).collect();
        Rc::new(Self { data, names, native, strings, loaded })
    }

    /// A code's data.
    #[inline]
    pub fn code(&self, index: u32) -> Option<&Code> {
        self.data.codes.get(index as usize)
    }

    /// A code's constants.
    #[inline]
    pub fn loaded(&self, index: u32) -> Option<&LoadedCode> {
        let cell = self.loaded.get(index as usize)?;
        Some(cell.get_or_init(|| {
            let consts = self.code(index).map(|code| code.consts.iter().map(|c| self.value(c)).collect());
            LoadedCode { consts: consts.unwrap_or_default(), kernel: OnceCell::new() }
        }))
    }

    /// A string of the program; empty where the index is out of range (a verified program has none such).
    pub fn string(&self, index: u32) -> Str {
        match (self.strings.get(index as usize), self.data.strings.get(index as usize)) {
            (Some(cell), Some(text)) => cell.get_or_init(|| Str::from(text.as_str())).clone(),
            _ => Str::from(""),
        }
    }

    /// A constant as a value.
    pub fn value(&self, constant: &Const) -> Value {
        match constant {
            Const::None => Value::None,
            Const::Ellipsis => Value::Ellipsis,
            Const::Bool(value) => Value::Bool(*value),
            Const::Int(value) => Value::Int(*value),
            Const::BigInt(bytes) => Value::from_bigint(BigInt::from_signed_bytes_le(bytes)),
            Const::Float(value) => Value::Float(*value),
            Const::Str(index) => Value::Str(self.string(*index)),
            Const::Bytes(bytes) => Value::bytes(bytes.clone()),
            Const::Tuple(items) => Value::tuple(items.iter().map(|item| self.value(item)).collect()),
            Const::FrozenSet(items) => super::hash::frozenset_of_constants(items.iter().map(|item| self.value(item))),
        }
    }
}
