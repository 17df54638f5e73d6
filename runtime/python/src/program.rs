//! One thread's view of a program: names with their slots, strings and constants as values.

use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::Arc;

use num_bigint::BigInt;

use tpv_bytecode::{Code, Const, ProgramData};

use super::native_code::NativeCode;
use super::string::Str;
use super::value::Value;

/// A place inside a code block: where an exception passed through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Index of the code in its program.
    pub code: u32,
    /// Line within the block's text, from 1.
    pub line: u32,
    /// Column within the line, from 1, in characters.
    pub column: u32,
    /// The text's location in the config: an index in the artifact's table of sites. `None` until the evaluation that
    /// the code belongs to ends: only that knows it, because equal texts share their code.
    pub site: Option<u32>,
}

/// A name, as one thread sees it.
pub struct Name {
    /// The text.
    pub text: Str,
    /// The slot in the evaluation context of the [`super::vm::Vm`] that the program was made for.
    pub slot: usize,
}

/// One thread's view of a program.
pub struct Program {
    /// The shared data.
    pub data: Arc<ProgramData>,
    /// The names.
    pub names: Vec<Name>,
    /// Machine code for the kernels, where there is any.
    pub native: Option<Box<dyn NativeCode>>,
    strings: Vec<OnceCell<Str>>,
    consts: Vec<OnceCell<Vec<Value>>>,
}

impl Program {
    /// A view of the data; `slot` gives the context slot of a name, `native` is machine code for its kernels.
    pub(crate) fn new(
        data: Arc<ProgramData>,
        native: Option<Box<dyn NativeCode>>,
        mut slot: impl FnMut(&Str) -> usize,
    ) -> Rc<Self> {
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
        let consts = data.codes.iter().map(|_| OnceCell::new()).collect();
        Rc::new(Self { data, names, native, strings, consts })
    }

    /// A code's data.
    #[inline]
    pub fn code(&self, index: u32) -> Option<&Code> {
        self.data.codes.get(index as usize)
    }

    /// A code's constants.
    #[inline]
    pub fn consts(&self, index: u32) -> Option<&[Value]> {
        let cell = self.consts.get(index as usize)?;
        Some(cell.get_or_init(|| {
            let consts = self.code(index).map(|code| code.consts.iter().map(|c| self.value(c)).collect());
            consts.unwrap_or_default()
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
