//! Statements: assignments, `if`, `try`, imports.

use crate::syntax::ast::{self, Expr, Stmt};
use tpv_bytecode::kernel::{Import, Node};

use super::{Lowerer, Tables};

impl<T: Tables> Lowerer<'_, T> {
    /// Adds the nodes of statements; `None` where the kernel becomes too large.
    pub(super) fn statements(&mut self, body: &[Stmt]) -> Option<Vec<u32>> {
        let mut nodes = Vec::with_capacity(body.len());
        self.depth += 1;
        for statement in body {
            self.statement(statement, &mut nodes)?;
        }
        self.depth -= 1;
        Some(nodes)
    }

    fn statement(&mut self, statement: &Stmt, nodes: &mut Vec<u32>) -> Option<()> {
        match statement {
            Stmt::Pass(_) => {}
            Stmt::Expr(node) => {
                if !node.value.is_constant_expr() {
                    nodes.push(self.expression(&node.value)?);
                }
            }
            Stmt::Assign(node) => match node.targets.as_slice() {
                [Expr::Name(target)] => {
                    let value = self.expression(&node.value)?;
                    nodes.push(self.set(&target.id, value)?);
                }
                _ => nodes.push(self.add(Node::Leave)?),
            },
            Stmt::AugAssign(node) => nodes.push(self.augmented(node)?),
            Stmt::If(node) => {
                let test = self.expression(&node.test)?;
                let before = self.assigned.clone();
                let then = self.statements(&node.body)?;
                let after_then = std::mem::replace(&mut self.assigned, before);
                let orelse = self.statements(&node.orelse)?;
                self.assigned.retain(|slot| after_then.contains(slot));
                nodes.push(self.add(Node::When { test, then, orelse })?);
            }
            // What raises leaves, so that no handler is ever entered.
            Stmt::Try(node) => {
                for body in [&node.body, &node.orelse, &node.finalbody] {
                    nodes.extend(self.statements(body)?);
                }
            }
            Stmt::Import(node) => {
                for alias in &node.names {
                    nodes.push(self.import(alias)?);
                }
            }
            Stmt::ImportFrom(node) => {
                for alias in &node.names {
                    nodes.push(self.import_from(node, alias)?);
                }
            }
            _ => nodes.push(self.add(Node::Leave)?),
        }
        Some(())
    }

    fn set(&mut self, name: &str, value: u32) -> Option<u32> {
        let slot = self.variable(name)?;
        if !self.assigned.contains(&slot) {
            self.assigned.push(slot);
        }
        self.add(Node::Set { slot, value })
    }

    /// `name op= value`: of numbers and texts, which is all that kernels compute with, the same as `name = name op value`.
    fn augmented(&mut self, node: &ast::StmtAugAssign) -> Option<u32> {
        let op = self.tables.operator(node.op);
        let Expr::Name(target) = &*node.target else { return self.add(Node::Leave) };
        if !tpv_bytecode::kernel::covers(op) {
            return self.add(Node::Leave);
        }
        let left = self.name(&target.id)?;
        let left = self.add(left)?;
        let right = self.expression(&node.value)?;
        let value = self.add(Node::Binary { op, left, right })?;
        self.set(&target.id, value)
    }

    fn import(&mut self, alias: &ast::Alias) -> Option<u32> {
        let name = alias.asname.as_ref().unwrap_or(&alias.name);
        if name.contains('.') {
            return self.add(Node::Leave);
        }
        let module = self.tables.string(&alias.name);
        self.imported(Import { module, name: None }, name)
    }

    fn import_from(&mut self, node: &ast::StmtImportFrom, alias: &ast::Alias) -> Option<u32> {
        let module = node.module.as_ref().map_or("", |module| module.as_str());
        let is_relative = node.level.is_some_and(|level| level.to_u32() > 0);
        if is_relative || module == "__future__" || alias.name.as_str() == "*" {
            return self.add(Node::Leave);
        }
        let import = Import { module: self.tables.string(module), name: Some(self.tables.name(&alias.name)) };
        self.imported(import, alias.asname.as_ref().unwrap_or(&alias.name))
    }

    fn imported(&mut self, import: Import, name: &str) -> Option<u32> {
        let index = u32::try_from(self.kernel.imports.len()).ok()?;
        self.kernel.imports.push(import);
        let value = self.add(Node::Import { index })?;
        self.set(name, value)
    }
}
