//! Runtime calls of machine code on values that it holds by reference: calls, items, containers, comprehensions.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{Block, BlockArg, InstBuilder, StackSlotData, StackSlotKind, Value};

use super::super::host;
use super::super::kinds::{Kind, Kinds};
use super::{Emitter, Operand};
use tpv_bytecode::kernel::Gives;

/// A comprehension in the kernel.
pub(super) struct Comprehension<'k> {
    pub(super) iterable: u32,
    pub(super) slot: u32,
    pub(super) condition: Option<u32>,
    pub(super) element: u32,
    pub(super) gives: &'k Gives,
}

impl Emitter<'_, '_> {
    /// A value that the host gives: its tag, and its payload in the host.
    fn given(&mut self, function: usize, arguments: &[Value]) -> Operand {
        let tag = self.ask(function, arguments);
        let payload = self.out();
        Operand { kinds: Kinds::ANY, tag: Some(tag), payload }
    }

    /// The tags and payloads of values in the kernel's own memory: the address and how many there are.
    fn values(&mut self, nodes: &[u32]) -> Option<(Value, Value)> {
        let operands = nodes.iter().map(|node| self.node(*node)).collect::<Option<Vec<_>>>()?;
        let bytes = u32::try_from(operands.len() * 16).ok()?;
        let slot = self.builder.create_sized_stack_slot(StackSlotData::new(StackSlotKind::ExplicitSlot, bytes, 3));
        for (index, operand) in operands.into_iter().enumerate() {
            let (tag, payload) = (self.tag(operand), self.bits(operand));
            let offset = i32::try_from(index * 16).ok()?;
            self.builder.ins().stack_store(I64, tag, slot, offset);
            self.builder.ins().stack_store(I64, payload, slot, offset + 8);
        }
        let address = self.builder.ins().stack_addr(I64, slot, 0);
        let count = self.builder.ins().iconst(I64, i64::try_from(nodes.len()).ok()?);
        Some((address, count))
    }

    /// Calls a method, or what a module has under a name. `node` is the node of the call.
    pub(super) fn method(&mut self, node: u32, object: u32, arguments: &[u32], out: Kinds) -> Option<Operand> {
        let object = self.node(object)?;
        let (address, count) = self.values(arguments)?;
        let node = self.builder.ins().iconst(I64, i64::from(node));
        self.each_kind(object, out, Kind::is_reference, &mut |this, _, object| {
            Some(this.given(host::method as *const () as usize, &[node, object, address, count]))
        })
    }

    /// Calls a function. `node` is the node of the call.
    pub(super) fn invoke(&mut self, node: u32, callee: u32, arguments: &[u32], out: Kinds) -> Option<Operand> {
        let callee = self.node(callee)?;
        let (address, count) = self.values(arguments)?;
        let node = self.builder.ins().iconst(I64, i64::from(node));
        self.each_kind(callee, out, |kind| kind == Kind::Other, &mut |this, _, callee| {
            Some(this.given(host::invoke as *const () as usize, &[node, callee, address, count]))
        })
    }

    /// Makes a container. `node` is its node.
    pub(super) fn build(&mut self, node: u32, items: &[u32]) -> Option<Operand> {
        let (address, count) = self.values(items)?;
        let node = self.builder.ins().iconst(I64, i64::from(node));
        self.ask(host::build as *const () as usize, &[node, address, count]);
        Some(Operand::new(Kind::Other, self.out()))
    }

    /// A loop over the items of a tuple or list.
    pub(super) fn comprehension(&mut self, comprehension: &Comprehension<'_>) -> Option<Operand> {
        let Comprehension { iterable, slot, condition, element, gives } = *comprehension;
        let iterable = self.node(iterable)?;
        let iterable =
            self.each_kind(iterable, Kind::Other.into(), |kind| kind == Kind::Other, &mut |_, _, iterable| {
                Some(Operand::new(Kind::Other, iterable))
            })?;
        let length = self.given(host::length as *const () as usize, &[iterable.payload]).payload;
        let list = match gives {
            Gives::List => Some(self.given(host::new_list as *const () as usize, &[]).payload),
            Gives::Any { .. } | Gives::All { .. } => None,
        };
        let mark = self.given(host::mark as *const () as usize, &[]).payload;
        // The index, and what `any` or `all` is so far.
        let (header, body, after) =
            (self.builder.create_block(), self.builder.create_block(), self.builder.create_block());
        self.builder.append_block_param(header, I64);
        self.builder.append_block_param(header, I64);
        self.builder.append_block_param(after, I64);
        let zero = self.builder.ins().iconst(I64, 0);
        let start = self.builder.ins().iconst(I64, i64::from(matches!(gives, Gives::All { .. })));
        self.builder.ins().jump(header, &[zero.into(), start.into()]);

        self.builder.switch_to_block(header);
        let &[index, so_far] = self.builder.block_params(header) else { return self.leave() };
        let more = self.builder.ins().icmp(IntCC::UnsignedLessThan, index, length);
        self.builder.ins().brif(more, body, &[], after, &[so_far.into()]);

        self.builder.switch_to_block(body);
        let item = self.given(host::nth as *const () as usize, &[iterable.payload, index, mark]);
        self.set_local(slot, item)?;
        let one = self.builder.ins().iconst(I64, 1);
        let next = self.builder.ins().iadd(index, one);
        let again = [BlockArg::from(next), BlockArg::from(so_far)];
        let is_element = match condition {
            None => true,
            Some(condition) => match self.condition(condition) {
                Some(truth) => {
                    let block = self.builder.create_block();
                    self.builder.ins().brif(truth, block, &[], header, &again);
                    self.builder.switch_to_block(block);
                    true
                }
                None => false,
            },
        };
        if is_element {
            self.element(element, gives, list, [header, after], next, so_far);
        }
        self.builder.switch_to_block(after);
        let &[result] = self.builder.block_params(after) else { return self.leave() };
        Some(match list {
            Some(list) => Operand::new(Kind::Other, list),
            None => Operand::new(Kind::Bool, result),
        })
    }

    /// Computes an element, and goes on with the next or ends the loop.
    fn element(
        &mut self,
        element: u32,
        gives: &Gives,
        list: Option<Value>,
        [header, after]: [Block; 2],
        next: Value,
        so_far: Value,
    ) {
        let Some(element) = self.node(element) else { return };
        if let Some(list) = list {
            let (tag, payload) = (self.tag(element), self.bits(element));
            self.ask(host::append as *const () as usize, &[list, tag, payload]);
            self.builder.ins().jump(header, &[next.into(), so_far.into()]);
            return;
        }
        let Some(truth) = self.truth(element) else { return };
        let truth = self.builder.ins().icmp_imm_s(IntCC::NotEqual, truth, 0);
        let truth = self.bool(truth).payload;
        match gives {
            Gives::Any { lazy: true } => {
                self.builder.ins().brif(truth, after, &[truth.into()], header, &[next.into(), so_far.into()]);
            }
            Gives::All { lazy: true } => {
                self.builder.ins().brif(truth, header, &[next.into(), so_far.into()], after, &[truth.into()]);
            }
            Gives::Any { .. } => {
                let any = self.builder.ins().bor(so_far, truth);
                self.builder.ins().jump(header, &[next.into(), any.into()]);
            }
            Gives::All { .. } | Gives::List => {
                let all = self.builder.ins().band(so_far, truth);
                self.builder.ins().jump(header, &[next.into(), all.into()]);
            }
        }
    }

    /// A test that other kernels may have computed, and that this one computes for them otherwise.
    pub(super) fn shared(&mut self, key: u32, value: u32) -> Option<Operand> {
        let is_test = self.kinds_of(value).single() == Some(Kind::Bool);
        if !is_test {
            return self.node(value);
        }
        let key = self.builder.ins().iconst(I64, i64::from(key));
        let known = self.call(host::known as *const () as usize, &[self.host, key], I64);
        let is_known = self.builder.ins().icmp_imm_s(IntCC::UnsignedLessThanOrEqual, known, 1);
        let mut join = self.join(Kind::Bool.into());
        let compute = self.builder.create_block();
        let arguments = self.arguments_of(&mut join, Operand::new(Kind::Bool, known));
        self.builder.ins().brif(is_known, join.block, &arguments, compute, &[]);
        self.builder.switch_to_block(compute);
        if let Some(value) = self.node(value) {
            self.call(host::share as *const () as usize, &[self.host, key, value.payload], I64);
            self.jump(&mut join, value);
        }
        self.enter(&join)
    }

    /// The value of an import.
    pub(super) fn import(&mut self, index: u32) -> Operand {
        let reference = host::FIXED | u64::from(index);
        Operand::new(Kind::Other, self.builder.ins().iconst(I64, reference.cast_signed()))
    }

    /// An attribute of an object. `name` is the index of its name in the code's names.
    pub(super) fn attribute(&mut self, object: Value, name: u32) -> Operand {
        let name = self.builder.ins().iconst(I64, i64::from(name));
        self.given(host::attribute as *const () as usize, &[object, name])
    }
}
