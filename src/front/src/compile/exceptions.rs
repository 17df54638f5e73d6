//! `try` and `with`.

use crate::syntax::ast::{self, Stmt};
use tpv_bytecode::Instr;

use super::unit::Open;
use super::{Compiler, Done};

impl<'a> Compiler<'a> {
    pub(super) fn try_statement(&mut self, node: &'a ast::StmtTry) -> Done {
        if node.finalbody.is_empty() {
            return self.try_except(node);
        }
        let (handler, end) = (self.label(), self.label());
        self.emit(Instr::SetupTry { handler: handler.target() })?;
        self.open(Open::Finally { body: &node.finalbody }, node.range.start())?;
        if node.handlers.is_empty() {
            self.statements(&node.body)?;
            self.statements(&node.orelse)?;
        } else {
            self.try_except(node)?;
        }
        self.close();
        self.emit(Instr::PopTry)?;
        self.statements(&node.finalbody)?;
        self.jump(end)?;

        self.place_label(handler);
        self.at(node.range.start());
        self.emit(Instr::EnterHandler)?;
        self.open(Open::FinallyHandler, node.range.start())?;
        self.statements(&node.finalbody)?;
        self.close();
        self.emit(Instr::LeaveHandler)?;
        self.emit(Instr::Reraise)?;
        self.place_label(end);
        Ok(())
    }

    fn try_except(&mut self, node: &'a ast::StmtTry) -> Done {
        let (handler, end) = (self.label(), self.label());
        self.emit(Instr::SetupTry { handler: handler.target() })?;
        self.open(Open::Try, node.range.start())?;
        self.statements(&node.body)?;
        self.close();
        self.emit(Instr::PopTry)?;
        self.statements(&node.orelse)?;
        self.jump(end)?;

        self.place_label(handler);
        self.at(node.range.start());
        self.emit(Instr::EnterHandler)?;
        let count = node.handlers.len();
        for (index, ast::ExceptHandler::ExceptHandler(handler)) in node.handlers.iter().enumerate() {
            let next = self.label();
            self.at(handler.range.start());
            if let Some(class) = &handler.type_ {
                self.expression(class)?;
                self.emit(Instr::MatchException)?;
                self.emit(Instr::PopJumpIfFalse { target: next.target() })?;
            } else if index + 1 < count {
                return self.refuse(handler.range.start(), "default 'except:' must be last");
            }
            self.handler(handler)?;
            self.jump(end)?;
            self.place_label(next);
        }
        // No handler wants it. (Not reached after a bare `except:`.)
        self.emit(Instr::Reraise)?;
        self.place_label(end);
        Ok(())
    }

    /// The body of a handler; the exception is on the stack.
    fn handler(&mut self, handler: &'a ast::ExceptHandlerExceptHandler) -> Done {
        let Some(name) = handler.name.as_ref().map(ast::Identifier::as_str) else {
            self.emit(Instr::Pop)?;
            self.open(Open::Handler { name: None }, handler.range.start())?;
            self.statements(&handler.body)?;
            self.close();
            return self.emit(Instr::LeaveHandler);
        };
        let (cleanup, done) = (self.label(), self.label());
        self.store_name(name)?;
        self.emit(Instr::SetupTry { handler: cleanup.target() })?;
        self.open(Open::Handler { name: Some(name) }, handler.range.start())?;
        self.statements(&handler.body)?;
        self.close();
        self.emit(Instr::PopTry)?;
        self.emit(Instr::LeaveHandler)?;
        self.unbind(name)?;
        self.jump(done)?;
        self.place_label(cleanup);
        self.unbind(name)?;
        self.emit(Instr::Reraise)?;
        self.place_label(done);
        Ok(())
    }

    pub(super) fn with(&mut self, items: &'a [ast::WithItem], body: &'a [Stmt]) -> Done {
        let Some((item, rest)) = items.split_first() else { return self.statements(body) };
        let (handler, swallowed, end) = (self.label(), self.label(), self.label());
        self.expression(&item.context_expr)?;
        let place = self.place;
        self.emit(Instr::WithEnter)?;
        let value = item.optional_vars.is_some();
        if !value {
            self.emit(Instr::Pop)?;
        }
        self.emit(Instr::SetupTry { handler: handler.target() })?;
        let at = crate::syntax::ast::Ranged::start(&item.context_expr);
        self.open(Open::With { value }, at)?;
        if let Some(target) = &item.optional_vars {
            // The value stays on the stack, so that the stack is as high as at `SetupTry` wherever the body raises.
            self.emit(Instr::Dup)?;
            self.assign(target)?;
        }
        self.with(rest, body)?;
        self.close();
        self.place = place;
        self.emit(Instr::PopTry)?;
        if value {
            self.emit(Instr::Pop)?;
        }
        self.emit(Instr::WithExit)?;
        self.jump(end)?;

        self.place_label(handler);
        self.emit(Instr::EnterHandler)?;
        if value {
            self.emit(Instr::Swap)?;
            self.emit(Instr::Pop)?;
        }
        self.emit(Instr::WithExitException)?;
        self.emit(Instr::PopJumpIfTrue { target: swallowed.target() })?;
        self.emit(Instr::Reraise)?;
        self.place_label(swallowed);
        self.emit(Instr::Pop)?;
        self.emit(Instr::LeaveHandler)?;
        self.place_label(end);
        Ok(())
    }
}
