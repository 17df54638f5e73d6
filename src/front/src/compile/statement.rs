//! Statements.

use crate::syntax::ast::{self, Ranged, Stmt};
use tpv_bytecode::{CodeKind, Instr};

use super::{Compiler, Done};
use crate::{fold, language};

impl<'a> Compiler<'a> {
    pub(super) fn statements(&mut self, body: &'a [Stmt]) -> Done {
        body.iter().try_for_each(|statement| self.statement(statement))
    }

    fn statement(&mut self, statement: &'a Stmt) -> Done {
        if let Some(construct) = language::statement(statement) {
            return self.left_out(&construct);
        }
        self.at(statement.start());
        match statement {
            Stmt::Expr(node) => {
                if fold::constant(&node.value).is_some() {
                    return Ok(());
                }
                self.expression(&node.value)?;
                self.emit(Instr::Pop)
            }
            Stmt::Assign(node) => {
                self.expression(&node.value)?;
                let Some((last, targets)) = node.targets.split_last() else { return Ok(()) };
                for target in targets {
                    self.emit(Instr::Dup)?;
                    self.assign(target)?;
                }
                self.assign(last)
            }
            Stmt::AugAssign(node) => self.augmented(node),
            Stmt::AnnAssign(node) => self.annotated(node),
            Stmt::Delete(node) => node.targets.iter().try_for_each(|target| self.delete(target)),
            Stmt::Pass(_) | Stmt::Global(_) | Stmt::Nonlocal(_) => Ok(()),
            // Left out, as told above.
            Stmt::ClassDef(_) | Stmt::AsyncFunctionDef(_) | Stmt::Match(_) | Stmt::TryStar(_) => Ok(()),
            Stmt::If(node) => self.if_statement(node),
            Stmt::For(node) => self.for_loop(node),
            Stmt::While(node) => self.while_loop(node),
            Stmt::Break(node) => self.leave_loop(node.range.start(), true),
            Stmt::Continue(node) => self.leave_loop(node.range.start(), false),
            Stmt::Return(node) => self.return_statement(node),
            Stmt::Raise(node) => self.raise(node),
            Stmt::Try(node) => self.try_statement(node),
            Stmt::With(node) => self.with(&node.items, &node.body),
            Stmt::Assert(node) => self.assert(node),
            Stmt::FunctionDef(node) => self.function(node),
            Stmt::Import(node) => self.import(node),
            Stmt::ImportFrom(node) => self.import_from(node),
            Stmt::AsyncFor(node) => self.refuse(node.range.start(), "'async for' outside async function"),
            Stmt::AsyncWith(node) => self.refuse(node.range.start(), "'async with' outside async function"),
            Stmt::TypeAlias(node) => self.refuse(node.range.start(), "invalid syntax"),
        }
    }

    /// Refuses what may stand in functions only.
    pub(super) fn in_function(&self, at: crate::syntax::text_size::TextSize, message: &str) -> Done {
        if self.unit.kind == CodeKind::Function { Ok(()) } else { self.refuse(at, message) }
    }

    fn if_statement(&mut self, node: &'a ast::StmtIf) -> Done {
        let end = self.label();
        if node.orelse.is_empty() {
            self.jump_if(&node.test, false, end)?;
            self.statements(&node.body)?;
        } else {
            let orelse = self.label();
            self.jump_if(&node.test, false, orelse)?;
            self.statements(&node.body)?;
            self.jump(end)?;
            self.place_label(orelse);
            self.statements(&node.orelse)?;
        }
        self.place_label(end);
        Ok(())
    }

    fn raise(&mut self, node: &'a ast::StmtRaise) -> Done {
        let mut argc = 0;
        for value in [&node.exc, &node.cause].into_iter().flatten() {
            self.expression(value)?;
            argc += 1;
        }
        self.at(node.range.start());
        self.emit(Instr::Raise { argc })
    }

    fn assert(&mut self, node: &'a ast::StmtAssert) -> Done {
        let end = self.label();
        self.jump_if(&node.test, true, end)?;
        self.at(node.range.start());
        self.emit(Instr::LoadAssertionError)?;
        if let Some(message) = &node.msg {
            self.expression(message)?;
            self.at(node.range.start());
            self.emit(Instr::Call { argc: 1 })?;
        }
        self.emit(Instr::Raise { argc: 1 })?;
        self.place_label(end);
        Ok(())
    }
}
