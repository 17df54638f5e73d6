//! Classes: the body is a function without parameters that fills a dict and returns it.

use rustpython_parser::ast::{self, Expr};
use tpv_runtime::python::code::{Const, Instr};

use super::expression::count;
use super::{Compiler, Done, docstring};

/// The local variable that holds the dict.
const DICT: &str = ".dict";

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
}
