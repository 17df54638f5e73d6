//! Loops, and the ways out of them and of functions: what is open on the way is closed properly.

use crate::syntax::ast;
use crate::syntax::text_size::TextSize;
use tpv_bytecode::{Const, Instr};

use super::unit::Open;
use super::{Compiler, Done};
use crate::fold;

/// The maximum nesting of loops, `try` and `with`: CPython's `CO_MAXBLOCKS`.
const MAX_OPEN: usize = 20;

impl<'a> Compiler<'a> {
    /// Opens a construct.
    pub(super) fn open(&mut self, open: Open<'a>, at: TextSize) -> Done {
        if self.unit.open.len() >= MAX_OPEN {
            return self.refuse(at, "too many statically nested blocks");
        }
        self.unit.open.push(open);
        Ok(())
    }

    /// Closes the innermost construct.
    pub(super) fn close(&mut self) {
        self.unit.open.pop();
    }

    pub(super) fn for_loop(&mut self, node: &'a ast::StmtFor) -> Done {
        let (start, exhausted, end) = (self.label(), self.label(), self.label());
        self.expression(&node.iter)?;
        self.emit(Instr::GetIter)?;
        self.open(Open::For { start, end }, node.range.start())?;
        self.place_label(start);
        self.emit(Instr::ForIter { target: exhausted.target() })?;
        self.assign(&node.target)?;
        self.statements(&node.body)?;
        self.at(node.range.start());
        self.jump(start)?;
        self.close();
        self.place_label(exhausted);
        self.statements(&node.orelse)?;
        self.place_label(end);
        Ok(())
    }

    pub(super) fn while_loop(&mut self, node: &'a ast::StmtWhile) -> Done {
        let (start, orelse, end) = (self.label(), self.label(), self.label());
        self.open(Open::While { start, end }, node.range.start())?;
        self.place_label(start);
        self.jump_if(&node.test, false, orelse)?;
        self.statements(&node.body)?;
        self.jump(start)?;
        self.close();
        self.place_label(orelse);
        self.statements(&node.orelse)?;
        self.place_label(end);
        Ok(())
    }

    /// `break` or `continue`.
    pub(super) fn leave_loop(&mut self, at: TextSize, is_break: bool) -> Done {
        let found = self.unit.open.iter().rposition(|open| matches!(open, Open::For { .. } | Open::While { .. }));
        let Some(index) = found else {
            return self.refuse(at, if is_break { "'break' outside loop" } else { "'continue' not properly in loop" });
        };
        self.unwind(index + 1, false)?;
        match self.unit.open.get(index) {
            Some(Open::For { end, .. }) if is_break => {
                let end = *end;
                self.emit(Instr::Pop)?;
                self.jump(end)
            }
            Some(Open::While { end, .. }) if is_break => self.jump(*end),
            Some(Open::For { start, .. } | Open::While { start, .. }) => self.jump(*start),
            _ => Ok(()),
        }
    }

    pub(super) fn return_statement(&mut self, node: &'a ast::StmtReturn) -> Done {
        self.in_function(node.range.start(), "'return' outside function")?;
        let value = node.value.as_deref();
        // A constant is loaded after the way out is cleared, so that nothing has to be kept on top of the stack.
        let late = value.is_none_or(|value| fold::constant(value).is_some());
        if !late {
            self.optional(value)?;
        }
        self.unwind(0, !late)?;
        if late {
            self.optional(value)?;
        }
        self.at(node.range.start());
        self.emit(Instr::Return)
    }

    /// Closes what is open from the innermost out to index `down_to`, for a jump out of it. Where `keep`, the value on top of
    /// the stack stays there.
    fn unwind(&mut self, down_to: usize, keep: bool) -> Done {
        let saved = self.unit.open.clone();
        while self.unit.open.len() > down_to {
            let Some(open) = self.unit.open.pop() else { break };
            self.unwind_one(open, keep)?;
        }
        self.unit.open = saved;
        Ok(())
    }

    fn unwind_one(&mut self, open: Open<'a>, keep: bool) -> Done {
        match open {
            Open::While { .. } => Ok(()),
            Open::For { .. } | Open::Value => self.drop_below(keep),
            Open::Try => self.emit(Instr::PopTry),
            Open::Handler { name } => {
                if name.is_some() {
                    self.emit(Instr::PopTry)?;
                }
                self.emit(Instr::LeaveHandler)?;
                name.map_or(Ok(()), |name| self.unbind(name))
            }
            Open::Finally { body } => {
                self.emit(Instr::PopTry)?;
                let place = self.place;
                if keep {
                    // A `break` or `return` in the `finally` drops the value.
                    self.unit.open.push(Open::Value);
                }
                self.statements(body)?;
                if keep {
                    self.close();
                }
                self.place = place;
                Ok(())
            }
            Open::FinallyHandler => {
                self.emit(Instr::LeaveHandler)?;
                self.drop_below(keep)
            }
            Open::With { value } => {
                self.emit(Instr::PopTry)?;
                if value {
                    self.drop_below(keep)?;
                }
                if keep {
                    self.emit(Instr::Swap)?;
                }
                self.emit(Instr::WithExit)
            }
        }
    }

    /// Drops the value that is on top of the stack, or below the top where that is to be kept.
    fn drop_below(&mut self, keep: bool) -> Done {
        if keep {
            self.emit(Instr::Swap)?;
        }
        self.emit(Instr::Pop)
    }

    /// Leaves a function at its end.
    pub(super) fn return_none(&mut self) -> Done {
        self.constant(Const::None)?;
        self.emit(Instr::Return)
    }
}
