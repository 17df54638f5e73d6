//! Syntax tree to instructions: one file for each family of constructs.

mod assignment;
mod call;
mod comprehension;
mod control;
mod exceptions;
mod expression;
mod fstring;
mod function;
mod import;
mod names;
mod statement;
mod unit;

use crate::syntax::ast::{self, Ranged, Stmt};
use crate::syntax::text_size::{TextRange, TextSize};
use indexmap::IndexSet;
use std::collections::HashMap;
use tpv_bytecode::kernel::Kernel;
use tpv_bytecode::{BinaryOp, CodeKind, Const, Instr};
use tpv_runtime::mapper::COMPUTED_NAMES;

use super::assemble::Label;
use super::error::{ErrorKind, PythonError, Stage};
use super::language::LeftOut;
use super::parse::{self, Parsed, Text};
use super::program::ProgramBuilder;
use super::scope::{ScopeId, Scopes};
use super::{fold, kernel, validate};
use unit::Unit;

type Done = Result<(), PythonError>;

/// The most instructions of one code; `finally` bodies are copied for each way out of their `try`, so that code can be far
/// longer than its source.
const MAX_INSTRUCTIONS: usize = 1 << 18;

/// Compiles a block into the program. Gives the index of its root code, and the tree it was compiled from.
pub(super) fn block(program: &mut ProgramBuilder, source: &str, kind: CodeKind) -> Result<(u32, Parsed), PythonError> {
    let mut parsed = parse::parse(source, kind)?;
    let text = &parsed.text;
    validate::validate(&parsed.body, text)?;
    let last = match kind {
        CodeKind::Exec | CodeKind::Function => None,
        CodeKind::Block | CodeKind::FString => Some(last_expression(&parsed.body, text)?),
    };
    fold::fold(&mut parsed.body);
    let scopes = Scopes::of(&parsed.body, text)?;
    let root = program.reserve();
    let mut compiler = Compiler {
        program,
        text,
        scopes: &scopes,
        root,
        names: IndexSet::new(),
        inner: HashMap::new(),
        unit: Unit::new(kind, "<module>".to_owned(), Scopes::ROOT),
        place: (1, 1),
        future_end: future_end(&parsed.body),
    };
    compiler.block_body(&parsed.body, last.is_some())?;
    let kernel = match kind {
        CodeKind::Block | CodeKind::FString => kernel::lower(&parsed.body, &mut compiler),
        CodeKind::Exec | CodeKind::Function => None,
    };
    let computed = COMPUTED_NAMES.iter().copied().filter(|name| source.contains(name));
    compiler.finish_root(computed, kernel);
    Ok((root, parsed))
}

/// TPV takes the last statement off the parsed list and asserts that it is an expression.
fn last_expression(body: &[Stmt], text: &Text) -> Result<(), PythonError> {
    match body.last() {
        Some(Stmt::Expr(_)) => Ok(()),
        Some(last) => {
            let mut error = text.error(ErrorKind::AssertionError, Stage::Parse, last.start().to_usize(), "");
            match last {
                Stmt::Assign(_) | Stmt::AugAssign(_) | Stmt::AnnAssign(_) => {
                    "`=` sets a variable: write `==` to compare, or the variable's name as the last line"
                }
                Stmt::If(_) => {
                    "an `if` has no value: write `a if condition else b`, or set a variable and make it the last line"
                }
                Stmt::Return(_) => "leave out `return`: the value of the last line is the result",
                _ => "the last line of a code block must be an expression, whose value is the result",
            }
            .clone_into(&mut error.help);
            Err(error)
        }
        None => {
            let mut error = text.error(ErrorKind::IndexError, Stage::Parse, 0, "pop from empty list");
            "a code block must have an expression as its last line, whose value is the result"
                .clone_into(&mut error.help);
            Err(error)
        }
    }
}

/// The compiler of one block.
struct Compiler<'a> {
    program: &'a mut ProgramBuilder,
    text: &'a Text,
    scopes: &'a Scopes<'a>,
    /// The index of the block's root code.
    root: u32,
    /// The root's table of names.
    names: IndexSet<String>,
    /// The codes of inner functions that are compiled already: the body of a `finally` is compiled several times.
    inner: HashMap<ScopeId, u32>,
    /// The code that is being compiled.
    unit: Unit<'a>,
    /// Line and column of what is being compiled.
    place: (u32, u32),
    /// The end of the imports from `__future__` at the start of the block.
    future_end: TextSize,
}

impl<'a> Compiler<'a> {
    /// The statements of the block; the value of the last is the result where `result`.
    fn block_body(&mut self, body: &'a [Stmt], result: bool) -> Done {
        let (statements, last) = match (result, body.split_last()) {
            (true, Some((Stmt::Expr(last), statements))) => (statements, Some(&*last.value)),
            _ => (body, None),
        };
        if let Some(text) = docstring(statements) {
            self.at(TextSize::default());
            let text = Const::Str(self.program.string(text));
            self.constant(text)?;
            self.store_name("__doc__")?;
        }
        self.statements(statements)?;
        match last {
            Some(last) => self.expression(last)?,
            None => self.constant(Const::None)?,
        }
        self.emit(Instr::Return)
    }

    /// Sets the place that the next instructions come from.
    fn at(&mut self, offset: TextSize) {
        self.place = self.text.place(offset.to_usize());
    }

    /// Adds an instruction.
    fn emit(&mut self, instr: Instr) -> Done {
        if self.unit.assembler.len() >= MAX_INSTRUCTIONS {
            return Err(PythonError {
                kind: ErrorKind::MemoryError,
                message: "the code is too large".to_owned(),
                line: self.place.0,
                column: self.place.1,
                help: "nest fewer `finally` blocks".to_owned(),
                stage: Stage::Compile,
                named_line: None,
            });
        }
        self.unit.assembler.emit(instr, self.place);
        Ok(())
    }

    /// Pushes a constant.
    fn constant(&mut self, constant: Const) -> Done {
        let index = self.unit.constant(constant);
        self.emit(Instr::Const { index })
    }

    /// A string among the unit's constants.
    fn string_constant(&mut self, text: &str) -> u32 {
        let string = self.program.string(text);
        self.unit.constant(Const::Str(string))
    }

    fn label(&mut self) -> Label {
        self.unit.assembler.label()
    }

    fn place_label(&mut self, label: Label) {
        self.unit.assembler.place(label);
    }

    fn jump(&mut self, label: Label) -> Done {
        self.emit(Instr::Jump { target: label.target() })
    }

    /// The index of a name in the root's table.
    fn name_index(&mut self, name: &str) -> u32 {
        let index = match self.names.get_index_of(name) {
            Some(index) => index,
            None => self.names.insert_full(name.to_owned()).0,
        };
        u32::try_from(index).unwrap_or(u32::MAX)
    }

    /// A `SyntaxError` of `compile()` here.
    fn refuse<T>(&self, at: TextSize, message: impl Into<String>) -> Result<T, PythonError> {
        Err(self.text.error(ErrorKind::SyntaxError, Stage::Compile, at.to_usize(), message))
    }

    /// A `SyntaxError` of `compile()` at what is being compiled.
    fn refuse_here<T>(&self, message: &str) -> Result<T, PythonError> {
        Err(PythonError {
            kind: ErrorKind::SyntaxError,
            message: message.to_owned(),
            line: self.place.0,
            column: self.place.1,
            help: String::new(),
            stage: Stage::Compile,
            named_line: None,
        })
    }

    /// Raises where a construct is reached that the native language leaves out.
    fn left_out(&mut self, construct: &LeftOut) -> Done {
        self.at(construct.range.start());
        let class = self.string_constant("NotImplementedError");
        let message = self.string_constant(&construct.message());
        self.emit(Instr::RaiseError { class, message })
    }

    /// Finishes the root code.
    fn finish_root<'n>(mut self, computed: impl Iterator<Item = &'n str>, kernel: Option<Kernel>) {
        let names = self.names.iter().map(|name| self.program.name(name)).collect();
        let unit = std::mem::replace(&mut self.unit, Unit::new(CodeKind::Exec, String::new(), Scopes::ROOT));
        let mut code = unit.finish(self.program, self.root, &[]);
        code.names = names;
        code.computed = computed.map(|name| self.program.string(name)).collect();
        code.kernel = kernel;
        self.program.fill(self.root, code);
    }
}

impl kernel::Tables for Compiler<'_> {
    fn constant(&mut self, value: &ast::Constant) -> Option<u32> {
        let constant = expression::constant(self.program, value)?;
        Some(self.unit.constant(constant))
    }

    fn name(&mut self, name: &str) -> u32 {
        self.name_index(name)
    }

    fn string(&mut self, text: &str) -> u32 {
        self.program.string(text)
    }

    fn text(&mut self, range: TextRange) -> Option<u32> {
        let text = self.text.source.get(range.start().to_usize()..range.end().to_usize())?;
        Some(self.program.string(text))
    }

    fn binds(&self, name: &str) -> bool {
        self.scopes.is_bound_in_block(name)
    }

    fn operator(&self, op: ast::Operator) -> BinaryOp {
        expression::binary_op(op)
    }
}

/// The text of a string that stands first in a body.
fn docstring(body: &[Stmt]) -> Option<&str> {
    match body.first() {
        Some(Stmt::Expr(first)) => match fold::constant(&first.value) {
            Some(crate::syntax::ast::Constant::Str(text)) => Some(text),
            _ => None,
        },
        _ => None,
    }
}

/// The end of the statements among which an import from `__future__` is allowed.
fn future_end(body: &[Stmt]) -> TextSize {
    let skip = usize::from(docstring(body).is_some());
    let is_future =
        |statement: &&Stmt| matches!(statement, Stmt::ImportFrom(node) if node.module.as_deref() == Some("__future__"));
    body.iter().skip(skip).take_while(is_future).last().map_or(TextSize::default(), Ranged::end)
}
