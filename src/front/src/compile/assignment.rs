//! Targets: assignment, augmented assignment, deletion.

use crate::syntax::ast::{self, Expr, Ranged};
use tpv_bytecode::Instr;

use super::expression::{binary_op, count};
use super::{Compiler, Done};
use crate::language;

impl<'a> Compiler<'a> {
    /// Assigns the top of the stack.
    pub(super) fn assign(&mut self, target: &'a Expr) -> Done {
        if let Some(construct) = language::expression(target) {
            return self.left_out(&construct);
        }
        self.at(target.start());
        match target {
            Expr::Name(node) => self.store_name(&node.id),
            Expr::Attribute(node) => {
                self.bindable(&node.attr)?;
                self.expression(&node.value)?;
                self.at(node.range.start());
                let name = self.name_index(&node.attr);
                self.emit(Instr::StoreAttr { name })
            }
            Expr::Subscript(node) => {
                self.expression(&node.value)?;
                self.index(&node.slice)?;
                self.at(node.range.start());
                self.emit(Instr::StoreSubscr)
            }
            Expr::Tuple(node) => self.unpack(&node.elts, target),
            Expr::List(node) => self.unpack(&node.elts, target),
            Expr::Starred(node) => {
                self.refuse(node.range.start(), "starred assignment target must be in a list or tuple")
            }
            other => self.refuse(other.start(), "cannot assign to expression"),
        }
    }

    fn unpack(&mut self, targets: &'a [Expr], whole: &'a Expr) -> Done {
        let starred = targets.iter().position(Expr::is_starred_expr);
        match starred {
            None => self.emit(Instr::Unpack { count: count(targets) })?,
            Some(at) => {
                let (before, after) = (at, targets.len() - at - 1);
                if targets.iter().skip(at + 1).any(Expr::is_starred_expr) {
                    return self.refuse(whole.start(), "multiple starred expressions in assignment");
                }
                let before = u32::try_from(before).unwrap_or(u32::MAX);
                let after = u32::try_from(after).unwrap_or(u32::MAX);
                self.emit(Instr::UnpackEx { before, after })?;
            }
        }
        for target in targets {
            match target {
                Expr::Starred(node) => self.assign(&node.value)?,
                _ => self.assign(target)?,
            }
        }
        Ok(())
    }

    pub(super) fn augmented(&mut self, node: &'a ast::StmtAugAssign) -> Done {
        let op = Instr::InPlace { op: binary_op(node.op) };
        if let Some(construct) = language::expression(&node.target) {
            return self.left_out(&construct);
        }
        let at = node.target.start();
        self.at(at);
        match &*node.target {
            Expr::Name(name) => {
                self.load_name(&name.id)?;
                self.expression(&node.value)?;
                self.at(at);
                self.emit(op)?;
                self.store_name(&name.id)
            }
            Expr::Attribute(target) => {
                let name = self.name_index(&target.attr);
                self.expression(&target.value)?;
                self.at(at);
                self.emit(Instr::Dup)?;
                self.emit(Instr::LoadAttr { name })?;
                self.expression(&node.value)?;
                self.at(at);
                self.emit(op)?;
                self.emit(Instr::Swap)?;
                self.emit(Instr::StoreAttr { name })
            }
            Expr::Subscript(target) => {
                self.expression(&target.value)?;
                self.index(&target.slice)?;
                self.at(at);
                self.emit(Instr::DupTwo)?;
                self.emit(Instr::LoadSubscr)?;
                self.expression(&node.value)?;
                self.at(at);
                self.emit(op)?;
                self.emit(Instr::RotThree)?;
                self.emit(Instr::StoreSubscr)
            }
            _ => self.refuse(at, "illegal expression for augmented assignment"),
        }
    }

    /// `target: annotation = value`. The annotation is never evaluated: the loader's `from __future__ import annotations`
    /// holds for what it compiles.
    pub(super) fn annotated(&mut self, node: &'a ast::StmtAnnAssign) -> Done {
        if let Some(value) = &node.value {
            self.expression(value)?;
            return self.assign(&node.target);
        }
        // Without a value, what the target is an attribute or item of is still evaluated.
        match &*node.target {
            Expr::Attribute(target) => {
                self.expression(&target.value)?;
                self.emit(Instr::Pop)
            }
            Expr::Subscript(target) => {
                self.expression(&target.value)?;
                self.emit(Instr::Pop)?;
                self.index(&target.slice)?;
                self.emit(Instr::Pop)
            }
            _ => Ok(()),
        }
    }

    pub(super) fn delete(&mut self, target: &'a Expr) -> Done {
        if let Some(construct) = language::expression(target) {
            return self.left_out(&construct);
        }
        self.at(target.start());
        match target {
            Expr::Name(node) => self.delete_name(&node.id),
            Expr::Attribute(node) => {
                self.expression(&node.value)?;
                self.at(node.range.start());
                let name = self.name_index(&node.attr);
                self.emit(Instr::DeleteAttr { name })
            }
            Expr::Subscript(node) => {
                self.expression(&node.value)?;
                self.index(&node.slice)?;
                self.at(node.range.start());
                self.emit(Instr::DeleteSubscr)
            }
            Expr::Tuple(node) => node.elts.iter().try_for_each(|target| self.delete(target)),
            Expr::List(node) => node.elts.iter().try_for_each(|target| self.delete(target)),
            other => self.refuse(other.start(), "cannot delete expression"),
        }
    }
}
