//! One code under construction.

use std::collections::HashMap;

use crate::syntax::ast::Stmt;
use indexmap::IndexSet;
use tpv_bytecode::{Capture, Code, CodeKind, Const, Parameters};

use crate::assemble::{Assembler, Label};
use crate::program::ProgramBuilder;
use crate::scope::ScopeId;

/// A construct that is open around what is being compiled, and that `return`, `break` and `continue` must leave properly.
#[derive(Clone)]
pub(super) enum Open<'a> {
    /// A `while` loop.
    While {
        /// The target of `continue`.
        start: Label,
        /// The target of `break`.
        end: Label,
    },
    /// A `for` loop: the iterator is on the stack.
    For {
        /// The target of `continue`.
        start: Label,
        /// The target of `break`.
        end: Label,
    },
    /// The body of a `try` with handlers.
    Try,
    /// A handler; the name that it unbinds at the end.
    Handler {
        /// The name after `as`.
        name: Option<&'a str>,
    },
    /// The region that a `finally` protects.
    Finally {
        /// The statements of the `finally`.
        body: &'a [Stmt],
    },
    /// The statements of a `finally` while an exception passes: it is on the stack.
    FinallyHandler,
    /// The body of a `with`: the manager is on the stack, and above it what `__enter__` gave where `value`.
    With {
        /// `true` if the value is on the stack.
        value: bool,
    },
    /// A value on the stack that is about to be returned.
    Value,
}

/// One code under construction.
pub(super) struct Unit<'a> {
    pub(super) kind: CodeKind,
    pub(super) name: String,
    pub(super) scope: ScopeId,
    pub(super) assembler: Assembler,
    pub(super) consts: Vec<Const>,
    const_indices: HashMap<String, u32>,
    /// The local variables, parameters first.
    pub(super) locals: IndexSet<String>,
    pub(super) cells: IndexSet<String>,
    pub(super) free: IndexSet<String>,
    pub(super) parameters: Parameters,
    pub(super) generator: bool,
    pub(super) open: Vec<Open<'a>>,
}

impl Unit<'_> {
    /// An empty code.
    pub(super) fn new(kind: CodeKind, name: String, scope: ScopeId) -> Self {
        Self {
            kind,
            name,
            scope,
            assembler: Assembler::default(),
            consts: Vec::new(),
            const_indices: HashMap::new(),
            locals: IndexSet::new(),
            cells: IndexSet::new(),
            free: IndexSet::new(),
            parameters: Parameters::default(),
            generator: false,
            open: Vec::new(),
        }
    }

    /// The index of a constant. Equal constants of the same type share one.
    pub(super) fn constant(&mut self, constant: Const) -> u32 {
        // The text tells 0.0 from -0.0 and 1 from True.
        let key = format!("{constant:?}");
        *self.const_indices.entry(key).or_insert_with(|| {
            self.consts.push(constant);
            u32::try_from(self.consts.len() - 1).unwrap_or(u32::MAX)
        })
    }

    /// The slot of a local variable.
    pub(super) fn slot(&mut self, name: &str) -> u32 {
        let index = match self.locals.get_index_of(name) {
            Some(index) => index,
            None => self.locals.insert_full(name.to_owned()).0,
        };
        u32::try_from(index).unwrap_or(u32::MAX)
    }

    /// The index of a cell or free variable.
    pub(super) fn cell(&self, name: &str) -> Option<u32> {
        let index = match self.cells.get_index_of(name) {
            Some(index) => index,
            None => self.cells.len() + self.free.get_index_of(name)?,
        };
        u32::try_from(index).ok()
    }

    /// The finished code; its names are the root's.
    pub(super) fn finish(self, program: &mut ProgramBuilder, root: u32, closure: &[Capture]) -> Code {
        let assembled = self.assembler.finish();
        let mut strings = |names: &IndexSet<String>| names.iter().map(|name| program.string(name)).collect();
        let (locals, cells, free) = (strings(&self.locals), strings(&self.cells), strings(&self.free));
        Code {
            instrs: assembled.instrs,
            consts: self.consts,
            locals,
            cells,
            free,
            closure: closure.to_vec(),
            parameters: self.parameters,
            generator: self.generator,
            max_stack: assembled.max_stack,
            places: assembled.places,
            ..Code::empty(self.kind, program.string(&self.name), root)
        }
    }
}
