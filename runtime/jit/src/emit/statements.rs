//! Variables and statements.

use cranelift_codegen::ir::InstBuilder;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_frontend::Variable;

use super::super::host::LEAVE;
use super::super::kinds::Kinds;
use super::{Emitter, Operand};
use tpv_bytecode::kernel::Node;

/// A variable of the kernel: the tag of its value, [`LEAVE`] where it has none, and the 64 bits.
#[derive(Clone, Copy)]
pub(super) struct Local {
    tag: Variable,
    payload: Variable,
}

impl Emitter<'_, '_> {
    /// Declares the variables, without values.
    pub(super) fn declare_locals(&mut self) {
        for _ in 0..self.kernel.locals {
            let local = Local { tag: self.builder.declare_var(I64), payload: self.builder.declare_var(I64) };
            let (none, zero) = (self.builder.ins().iconst(I64, LEAVE.cast_signed()), self.builder.ins().iconst(I64, 0));
            self.builder.def_var(local.tag, none);
            self.builder.def_var(local.payload, zero);
            self.locals.push(local);
        }
    }

    /// The value of a variable, or where it has none, of the input of the same name. It is of one of these kinds.
    pub(super) fn local(&mut self, slot: u32, outer: Option<u32>, kinds: Kinds) -> Option<Operand> {
        let Some(local) = self.locals.get(slot as usize).copied() else { return self.leave() };
        let (mut tag, mut payload) = (self.builder.use_var(local.tag), self.builder.use_var(local.payload));
        let is_unset = self.builder.ins().icmp_imm_s(IntCC::Equal, tag, LEAVE.cast_signed());
        let has_outer = outer.is_some_and(|outer| self.inputs.get(outer as usize).copied().flatten().is_some());
        match outer.filter(|_| has_outer) {
            Some(outer) => {
                let outer = self.input(outer)?;
                let (outer_tag, outer_bits) = (self.tag(outer), self.bits(outer));
                tag = self.builder.ins().select(is_unset, outer_tag, tag);
                payload = self.builder.ins().select(is_unset, outer_bits, payload);
            }
            None => self.leave_if(is_unset),
        }
        Some(match kinds.single() {
            Some(kind) => Operand::new(kind, self.of_bits(kind, payload)),
            None => Operand { kinds, tag: Some(tag), payload },
        })
    }

    pub(super) fn set_local(&mut self, slot: u32, value: Operand) -> Option<()> {
        let local = self.locals.get(slot as usize).copied()?;
        let (tag, payload) = (self.tag(value), self.bits(value));
        self.builder.def_var(local.tag, tag);
        self.builder.def_var(local.payload, payload);
        Some(())
    }

    /// Runs statements. `None` where they always leave: nothing can be added after them.
    pub(super) fn statements(&mut self, nodes: &[u32]) -> Option<()> {
        nodes.iter().try_for_each(|node| self.statement(*node))
    }

    fn statement(&mut self, index: u32) -> Option<()> {
        let kernel = self.kernel;
        match kernel.nodes.get(index as usize) {
            Some(Node::Set { slot, value }) => {
                let value = self.node(*value)?;
                self.set_local(*slot, value)
            }
            Some(Node::When { test, then, orelse }) => {
                let test = self.condition(*test)?;
                let (yes, no) = (self.builder.create_block(), self.builder.create_block());
                let after = self.builder.create_block();
                self.builder.ins().brif(test, yes, &[], no, &[]);
                let mut reached = false;
                for (block, statements) in [(yes, then), (no, orelse)] {
                    self.builder.switch_to_block(block);
                    if self.statements(statements).is_some() {
                        self.builder.ins().jump(after, &[]);
                        reached = true;
                    }
                }
                if !reached {
                    return None;
                }
                self.builder.switch_to_block(after);
                Some(())
            }
            _ => self.node(index).map(|_| ()),
        }
    }
}
