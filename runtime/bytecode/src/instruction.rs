//! The instructions, in one table.
//!
//! The machine has a stack. The comment at each instruction says what it takes from the stack and what it leaves: `a b -> c` takes
//! `b` from the top, then `a`, and leaves `c`. The row says the same to the compiler, the verifier and the listing:
//!
//! ```text
//! Name { operand: Kind, ... }: ends (takes => leaves) or target (takes => leaves);
//! ```
//!
//! `ends` stands where the next instruction does not follow; `or target` names the operand that the instruction may jump to, and what
//! it takes and leaves then. Operands count in these as numbers; a flag is 0 or 1. What kinds of operands there are says [`Operand`].

use bincode::{Decode, Encode};

use super::operator::{BinaryOp, CompareOp, Conversion, UnaryOp};

/// The meaning of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// A constant of the code.
    Constant(u32),
    /// A constant of the code that is a string.
    Text(u32),
    /// A constant of the code that is a tuple of strings: the names of the last of a call's arguments.
    KeywordNames(u32),
    /// A local variable.
    Local(u32),
    /// A cell: the code's own cell variables come first, then its free variables.
    Cell(u32),
    /// A name in the table of the code's root.
    Name(u32),
    /// An instruction of the code.
    Target(u32),
    /// A code of the program, of which a function is made.
    Function(u32),
    /// A number of values.
    Count(u32),
    /// The distance of a container or callee below the top of the stack after the values are popped; 1 is the top.
    Depth(u32),
    /// Selects the second of two behaviours.
    Flag(bool),
    /// A unary operator.
    UnaryOp(UnaryOp),
    /// A binary operator.
    BinaryOp(BinaryOp),
    /// A comparison.
    CompareOp(CompareOp),
    /// The conversion of an f-string field.
    Conversion(Conversion),
}

impl Operand {
    /// The operand as a number of values.
    fn count(self) -> u64 {
        match self {
            Self::Count(count) => count.into(),
            Self::Flag(flag) => flag.into(),
            _ => 0,
        }
    }
}

/// The Rust type of each kind of operand.
mod kind {
    pub type Constant = u32;
    pub type Text = u32;
    pub type KeywordNames = u32;
    pub type Local = u32;
    pub type Cell = u32;
    pub type Name = u32;
    pub type Target = u32;
    pub type Function = u32;
    pub type Count = u32;
    pub type Depth = u32;
    pub type Flag = bool;
    pub use crate::operator::{BinaryOp, CompareOp, Conversion, UnaryOp};
}

/// An instruction's effect on the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StackEffect {
    /// The number of values that it takes from the top.
    pub takes: u64,
    /// The number of values that it leaves in their place.
    pub leaves: u64,
}

/// The control flow after an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flow {
    /// The stack effect if it does not jump.
    pub effect: StackEffect,
    /// `true` if execution can continue with the next instruction.
    pub falls_through: bool,
    /// The instruction that it may go to, or the handler that it sets up, with what it does to the stack then.
    pub jump: Option<(u32, StackEffect)>,
}

/// Declares the instructions from the rows of the table.
macro_rules! instructions {
    ($(#[$meta:meta])+ enum; $(
        $(#[doc = $doc:literal])+
        $name:ident $( { $($field:ident : $kind:ident),* } )? $( : $ends:ident )? ($takes:expr => $leaves:expr)
        $( or $target:ident ($jump_takes:expr => $jump_leaves:expr) )? ;
    )*) => {
        /// One instruction.
        $(#[$meta])+
        pub enum Instr {
            $($(#[doc = $doc])+ $name $( { $(#[allow(missing_docs)] $field: kind::$kind),* } )?),*
        }

        #[allow(unused_variables)]
        impl Instr {
            /// All opcodes with their documentation, for the docs.
            pub const TABLE: &'static [(&'static str, &'static str)] =
                &[$((stringify!($name), concat!($($doc),+))),*];

            /// The opcode's name.
            pub fn name(&self) -> &'static str {
                match self { $(Self::$name { .. } => stringify!($name)),* }
            }

            /// Gives the operands with their names to `each`, in order, until it fails.
            ///
            /// # Errors
            /// That of `each`.
            pub fn operands<E>(&self, mut each: impl FnMut(&'static str, Operand) -> Result<(), E>) -> Result<(), E> {
                match *self {
                    $(Self::$name $( { $($field),* } )? => { $( $(each(stringify!($field), Operand::$kind($field))?;)* )? })*
                }
                Ok(())
            }

            /// The control flow, with the stack effect of each path.
            pub fn flow(&self) -> Flow {
                match *self {
                    $(Self::$name $( { $($field),* } )? => {
                        let jump = None::<u32> $( .or(Some($target)) )?;
                        $( $(let $field = Operand::$kind($field).count();)* )?
                        let jump_effect = None $( .or(Some(StackEffect { takes: $jump_takes, leaves: $jump_leaves })) )?;
                        Flow {
                            effect: StackEffect { takes: $takes, leaves: $leaves },
                            falls_through: true $( && stringify!($ends).is_empty() )?,
                            jump: jump.zip(jump_effect),
                        }
                    })*
                }
            }

            /// The operand that names the instruction to go to, or the handler.
            pub fn target_mut(&mut self) -> Option<&mut u32> {
                match self {
                    $( $(Self::$name { $target, .. } => Some($target),)? )*
                    _ => None,
                }
            }
        }
    };
}

instructions! {
    // Written here and not in the macro: bincode's derive needs the fields' own hygiene.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
    enum;

    /// `-> value`: constant `index` of the code.
    Const { index: Constant } (0 => 1);
    /// `a ->` drops the top.
    Pop (1 => 0);
    /// `a -> a a`
    Dup (1 => 2);
    /// `a b -> a b a b`
    DupTwo (2 => 4);
    /// `a b -> b a`
    Swap (2 => 2);
    /// `a b c -> c a b`: lifts the second and third up by one.
    RotThree (3 => 3);

    /// `-> value`: local variable `slot`; `UnboundLocalError` if it has no value.
    LoadFast { slot: Local } (0 => 1);
    /// `value ->` sets a local variable.
    StoreFast { slot: Local } (1 => 0);
    /// Deletes a local variable; `UnboundLocalError` if it has no value.
    DeleteFast { slot: Local } (0 => 0);
    /// `-> value`: variable `index` of the cells (the code's own cell variables first, then its free variables); `NameError` or `UnboundLocalError` if it has no value.
    LoadDeref { index: Cell } (0 => 1);
    /// `value ->` sets a cell variable.
    StoreDeref { index: Cell } (1 => 0);
    /// Deletes a cell variable.
    DeleteDeref { index: Cell } (0 => 0);
    /// `-> value`: the name `name` of the block's namespace, then the context, the loader's globals and the builtins; `NameError` if none has it.
    LoadName { name: Name } (0 => 1);
    /// `value ->` sets a name in the block's namespace.
    StoreName { name: Name } (1 => 0);
    /// Deletes a name from the block's namespace.
    DeleteName { name: Name } (0 => 0);
    /// `-> bool`: whether the block's namespace has a name, as `'name' in locals()` asks in a block.
    HasName { name: Name } (0 => 1);

    /// `a -> op a`
    Unary { op: UnaryOp } (1 => 1);
    /// `a b -> a op b`
    Binary { op: BinaryOp } (2 => 1);
    /// `a b -> a op= b`: in place if `a` can.
    InPlace { op: BinaryOp } (2 => 1);
    /// `a b -> a op b` as a rich comparison.
    Compare { op: CompareOp } (2 => 1);
    /// `a b -> a in b`, negated if `invert`.
    Contains { invert: Flag } (2 => 1);
    /// `a b -> a is b`, negated if `invert`.
    Is { invert: Flag } (2 => 1);

    /// Goes to `target`.
    Jump { target: Target }: ends (0 => 0) or target (0 => 0);
    /// `a ->` goes to `target` if `a` is false.
    PopJumpIfFalse { target: Target } (1 => 0) or target (1 => 0);
    /// `a ->` goes to `target` if `a` is true.
    PopJumpIfTrue { target: Target } (1 => 0) or target (1 => 0);
    /// `a -> a` and goes to `target` if `a` is false, `a ->` if it is true.
    JumpIfFalseOrPop { target: Target } (1 => 0) or target (1 => 1);
    /// `a -> a` and goes to `target` if `a` is true, `a ->` if it is false.
    JumpIfTrueOrPop { target: Target } (1 => 0) or target (1 => 1);

    /// `count values -> list`
    BuildList { count: Count } (count => 1);
    /// `count values -> tuple`
    BuildTuple { count: Count } (count => 1);
    /// `count values -> set`
    BuildSet { count: Count } (count => 1);
    /// `count keys and values, in turn -> dict`
    BuildDict { count: Count } (2 * count => 1);
    /// `start stop step -> slice`
    BuildSlice (3 => 1);
    /// `count strings -> string`: the pieces of an f-string joined.
    BuildString { count: Count } (count => 1);
    /// `value -> string`, or `value spec -> string` if `spec`: one field of an f-string.
    FormatValue { conversion: Conversion, spec: Flag } (1 + spec => 1);
    /// `value -> string`: one field of the f-string that is the only argument of the callee `depth` below. If the callee logs what nobody reads, a plain value is not shown: the string is empty.
    FormatLogged { conversion: Conversion, depth: Depth } (1 => 1);
    /// `value ->` appends to the list that is `depth` below the top once the value is taken (1 is the top).
    ListAppend { depth: Depth } (1 => 0);
    /// `value ->` adds to the set `depth` below.
    SetAdd { depth: Depth } (1 => 0);
    /// `key value ->` sets in the dict `depth` below.
    DictInsert { depth: Depth } (2 => 0);
    /// `iterable ->` extends the list `depth` below (a starred item).
    ListExtend { depth: Depth } (1 => 0);
    /// `iterable ->` updates the set `depth` below.
    SetUpdate { depth: Depth } (1 => 0);
    /// `mapping ->` updates the dict `depth` below (`{**m}`).
    DictUpdate { depth: Depth } (1 => 0);
    /// `mapping ->` merges keyword arguments into the dict `depth` below: a key that is there already raises `TypeError`. Under the dict are the tuple and the callee of a `CallEx`, which the error names.
    DictMerge { depth: Depth } (1 => 0);
    /// `list -> tuple`
    ListToTuple (1 => 1);

    /// `object -> object.name`
    LoadAttr { name: Name } (1 => 1);
    /// `value object ->` sets `object.name`.
    StoreAttr { name: Name } (2 => 0);
    /// `object ->` deletes `object.name`.
    DeleteAttr { name: Name } (1 => 0);
    /// `object key -> object[key]`
    LoadSubscr (2 => 1);
    /// `value object key ->` sets `object[key]`.
    StoreSubscr (3 => 0);
    /// `object key ->` deletes `object[key]`.
    DeleteSubscr (2 => 0);

    /// `callee args -> result`: `argc` positional arguments.
    Call { argc: Count } (argc + 1 => 1);
    /// `callee args -> result`: `argc` arguments, of which the last are keyword arguments named by the tuple of strings that is constant `names`.
    CallKw { argc: Count, names: KeywordNames } (argc + 1 => 1);
    /// `callee tuple -> result` or `callee tuple dict -> result` if `keywords`. Any other iterable does for the tuple and any other mapping for the dict; if they are neither, the error names the callee (`f() argument after * must be an iterable, not int`).
    CallEx { keywords: Flag } (2 + keywords => 1);
    /// `object args -> result` of `object.name(args)`: `argc` positional arguments.
    CallMethod { name: Name, argc: Count } (argc + 1 => 1);
    /// `object args -> result`: as `CallMethod`, the last arguments named by the tuple of strings that is constant `names`.
    CallMethodKw { name: Name, argc: Count, names: KeywordNames } (argc + 1 => 1);
    /// `defaults keyword_defaults -> function`: code `code` of the program, with a tuple of defaults (or `None`) and a dict of keyword defaults (or `None`); closes over the cells that the code's `closure` names.
    MakeFunction { code: Function } (2 => 1);
    /// `iterator -> result`: runs code `code` of the program, a comprehension whose one parameter is the iterator of its first `for`; of a generator expression it makes the generator. It shares the cells that the code's `closure` names.
    Comprehend { code: Function } (1 => 1);
    /// `value ->` leaves the function with the value.
    Return: ends (1 => 0);
    /// `value -> none`: the generator expression gives the value and waits.
    Yield (1 => 1);

    /// `value -> iterator`
    GetIter (1 => 1);
    /// `iterator -> iterator item`, or `iterator ->` and goes to `target` at the end.
    ForIter { target: Target } (1 => 2) or target (1 => 0);
    /// `iterable -> items`, so that the first is on top; `ValueError` if there are not `count`.
    Unpack { count: Count } (1 => count);
    /// `iterable -> items`: `before` items, a list of the rest, `after` items, the first on top.
    UnpackEx { before: Count, after: Count } (1 => before + after + 1);

    /// Opens a block: an exception inside closes it, cuts the stack to its height here, ends the handling that began inside, leaves the exception on the stack and goes to `handler`.
    SetupTry { handler: Target } (0 => 0) or handler (0 => 1);
    /// Closes the innermost open block.
    PopTry (0 => 0);
    /// `exception -> exception` at the start of a handler: makes it the exception being handled (what a bare `raise` raises, and the context of new ones).
    EnterHandler (1 => 1);
    /// Ends handling: the exception handled before is handled again. Leaving the function, or an exception that leaves the handler, ends handling too.
    LeaveHandler (0 => 0);
    /// `exception class -> exception bool`: whether the class, or one of a tuple of them, matches.
    MatchException (2 => 2);
    /// `exception ->` raises it again, as it was: without a new context, and without a new place.
    Reraise: ends (1 => 0);
    /// Raises: bare for `argc` 0, `exception ->` for 1, `exception cause ->` for 2.
    Raise { argc: Count }: ends (argc => 0);
    /// `manager -> manager value`: calls `__enter__`.
    WithEnter (1 => 2);
    /// `manager exception -> exception swallow`: calls `__exit__` with the exception; `swallow` is its truth.
    WithExitException (2 => 2);
    /// `manager ->` calls `__exit__` with no exception.
    WithExit (1 => 0);
    /// `-> AssertionError`
    LoadAssertionError (0 => 1);

    /// `-> module`: imports the module whose dotted name is constant `name`; leaves the module itself if `leaf`, else its top package (`import os.path` binds `os`).
    ImportName { name: Text, leaf: Flag } (0 => 1);
    /// `module -> module value`: attribute `name`, or the submodule of that name; `ImportError` if there is neither.
    ImportFrom { name: Name } (1 => 2);

    /// Raises the builtin exception class named by constant `class` with the message that is constant `message`: code that TPV loads but that cannot run, or a construct that the native language leaves out.
    RaiseError { class: Text, message: Text }: ends (0 => 0);
}

impl Instr {
    /// The instruction that this one may go to, other than the next; for `SetupTry` the handler.
    pub fn target(&self) -> Option<u32> {
        let mut copy = *self;
        copy.target_mut().copied()
    }

    /// The code inside this one that it makes a function of, or runs.
    pub fn inner_code(&self) -> Option<u32> {
        match self {
            Self::MakeFunction { code } | Self::Comprehend { code } => Some(*code),
            _ => None,
        }
    }
}
