//! Classes: the body is a function without parameters that fills a dict and returns it.

use rustpython_parser::ast::{self, Expr, Stmt};
use tpv_runtime::bytecode::{Const, Instr};

use super::expression::count;
use super::{Compiler, Done, docstring};
use crate::python::scope::ScopeKind;
use crate::python::unparse;

/// The local variable that holds the dict.
const DICT: &str = ".dict";
const ANNOTATIONS: &str = "__annotations__";

impl<'a> Compiler<'a> {
    pub(super) fn class(&mut self, node: &'a ast::StmtClassDef) -> Done {
        if !node.keywords.is_empty() || node.bases.iter().any(Expr::is_starred_expr) {
            return self.unsupported("class keywords and unpacked bases", node.range.start());
        }
        self.each(&node.decorator_list)?;
        self.each(&node.bases)?;
        let Some(scope) = self.scopes.of_node(node) else { return Ok(()) };
        let code = self.inner(scope, &node.name, None, |this| {
            let slot = this.unit.slot(DICT);
            this.emit(Instr::BuildDict { count: 0 })?;
            this.emit(Instr::StoreFast { slot })?;
            if let Some(text) = docstring(&node.body) {
                let text = Const::Str(this.program.string(text));
                this.constant(text)?;
                this.emit(Instr::LoadFast { slot })?;
                let key = Const::Str(this.program.string("__doc__"));
                this.constant(key)?;
                this.emit(Instr::StoreSubscr)?;
            }
            if annotates(&node.body) {
                this.emit(Instr::BuildDict { count: 0 })?;
                this.emit(Instr::LoadFast { slot })?;
                let key = this.string_constant(ANNOTATIONS);
                this.emit(Instr::Const { index: key })?;
                this.emit(Instr::StoreSubscr)?;
            }
            this.statements(&node.body)?;
            this.emit(Instr::LoadFast { slot })?;
            this.emit(Instr::Return)
        })?;
        self.at(node.range.start());
        self.constant(Const::None)?;
        self.constant(Const::None)?;
        self.emit(Instr::MakeFunction { code })?;
        self.emit(Instr::Call { argc: 0 })?;
        let name = self.string_constant(&node.name);
        self.emit(Instr::BuildClass { name, bases: count(&node.bases) })?;
        for decorator in node.decorator_list.iter().rev() {
            self.at(rustpython_parser::ast::Ranged::start(decorator));
            self.emit(Instr::Call { argc: 1 })?;
        }
        self.at(node.range.start());
        self.store_name(&node.name)
    }

    /// Keeps the text of the annotation of a name in the dict that the class has for them.
    ///
    /// DIFFERENCE: of forms that annotations seldom have the text is the author's; CPython's is made anew from the syntax
    /// tree.
    pub(super) fn note_annotation(&mut self, node: &'a ast::StmtAnnAssign) -> Done {
        let Expr::Name(target) = &*node.target else { return Ok(()) };
        if !node.simple || !self.scopes.get(self.unit.scope).is_some_and(|scope| scope.kind == ScopeKind::Class) {
            return Ok(());
        }
        let range = rustpython_parser::ast::Ranged::range(&*node.annotation);
        let written = self.text.source.get(range.start().to_usize()..range.end().to_usize()).unwrap_or_default();
        let text = unparse::annotation(&node.annotation);
        let text = self.string_constant(text.as_deref().unwrap_or(written));
        self.emit(Instr::Const { index: text })?;
        self.emit(Instr::LoadFast { slot: 0 })?;
        let key = self.string_constant(ANNOTATIONS);
        self.emit(Instr::Const { index: key })?;
        self.emit(Instr::LoadSubscr)?;
        let name = self.mangled(&target.id);
        let name = self.string_constant(&name);
        self.emit(Instr::Const { index: name })?;
        self.emit(Instr::StoreSubscr)
    }
}

/// Whether the body of a class, without the functions and classes in it, annotates anything.
fn annotates(body: &[Stmt]) -> bool {
    body.iter().any(|statement| match statement {
        Stmt::AnnAssign(_) => true,
        Stmt::If(node) => annotates(&node.body) || annotates(&node.orelse),
        Stmt::For(node) => annotates(&node.body) || annotates(&node.orelse),
        Stmt::While(node) => annotates(&node.body) || annotates(&node.orelse),
        Stmt::With(node) => annotates(&node.body),
        Stmt::Try(node) => {
            let handled = |handler: &ast::ExceptHandler| {
                let ast::ExceptHandler::ExceptHandler(handler) = handler;
                annotates(&handler.body)
            };
            annotates(&node.body)
                || node.handlers.iter().any(handled)
                || annotates(&node.orelse)
                || annotates(&node.finalbody)
        }
        Stmt::Match(node) => node.cases.iter().any(|case| annotates(&case.body)),
        _ => false,
    })
}
