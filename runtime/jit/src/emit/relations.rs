//! Comparisons, membership and identity.

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{InstBuilder, Value};

use super::super::host;
use super::super::kinds::{Kind, relates};
use super::{Emitter, Operand};
use tpv_bytecode::kernel::Relation;
use tpv_python::vm::CompareOp;

impl Emitter<'_, '_> {
    /// A chain of comparisons.
    pub(super) fn comparison(&mut self, first: u32, links: &[(Relation, u32)]) -> Option<Operand> {
        let mut left = self.node(first)?;
        if let [(relation, right)] = links {
            let right = self.node(*right)?;
            return self.relation(*relation, left, right);
        }
        let mut join = self.join(Kind::Bool.into());
        for (index, (relation, right)) in links.iter().enumerate() {
            let Some(right) = self.node(*right) else { break };
            let Some(holds) = self.relation(*relation, left, right) else { break };
            if index + 1 == links.len() {
                self.jump(&mut join, holds);
                break;
            }
            let no = self.known(false);
            let arguments = self.arguments_of(&mut join, no);
            self.decide(true, holds.payload, &join, &arguments);
            left = right;
        }
        self.enter(&join)
    }

    /// `left relation right`
    pub(super) fn relation(&mut self, relation: Relation, left: Operand, right: Operand) -> Option<Operand> {
        let takes_left = |a| right.kinds.iter().any(|b| relates(relation, a, b));
        self.each_kind(left, Kind::Bool.into(), takes_left, &mut |this, a, x| {
            let takes_right = |b| relates(relation, a, b);
            this.each_kind(right, Kind::Bool.into(), takes_right, &mut |this, b, y| match relation {
                Relation::Compare(op) => Some(this.compare(op, (a, x), (b, y))),
                Relation::Is { invert } => {
                    let same = this.identical((a, x), (b, y));
                    Some(this.inverted(same, invert))
                }
                Relation::Contains { invert } => {
                    let item = Operand::new(a, x);
                    let (tag, bits) = (this.tag(item), this.bits(item));
                    let found = this.ask(host::contains as *const () as usize, &[y, tag, bits]);
                    Some(this.inverted(Operand::new(Kind::Bool, found), invert))
                }
            })
        })
    }

    fn inverted(&mut self, truth: Operand, invert: bool) -> Operand {
        if !invert {
            return truth;
        }
        let not = self.builder.ins().icmp_imm_s(IntCC::Equal, truth.payload, 0);
        self.bool(not)
    }

    fn identical(&mut self, (a, x): (Kind, Value), (b, y): (Kind, Value)) -> Operand {
        if a != b || a == Kind::None {
            return self.known(a == b);
        }
        let (x, y) = (self.bits(Operand::new(a, x)), self.bits(Operand::new(b, y)));
        let same = self.builder.ins().icmp(IntCC::Equal, x, y);
        self.bool(same)
    }

    fn compare(&mut self, op: CompareOp, (a, x): (Kind, Value), (b, y): (Kind, Value)) -> Operand {
        if a == Kind::Str && b == Kind::Str {
            let op = self.builder.ins().iconst(I64, host::operator_number(op).cast_signed());
            let holds = self.ask(host::compare as *const () as usize, &[op, x, y]);
            return Operand::new(Kind::Bool, holds);
        }
        if !a.is_number() || !b.is_number() {
            // Only equality is asked of these, and only `None` equals itself.
            return self.known((a == b) == (op == CompareOp::Eq));
        }
        let holds = if a.is_int() && b.is_int() {
            self.builder.ins().icmp(int_condition(op), x, y)
        } else {
            // Python compares an int and a float exactly.
            for (kind, value) in [(a, x), (b, y)] {
                if kind == Kind::Int {
                    self.leave_unless_exact(value);
                }
            }
            let (x, y) = (self.float(a, x), self.float(b, y));
            self.builder.ins().fcmp(float_condition(op), x, y)
        };
        self.bool(holds)
    }
}

fn int_condition(op: CompareOp) -> IntCC {
    match op {
        CompareOp::Lt => IntCC::SignedLessThan,
        CompareOp::Le => IntCC::SignedLessThanOrEqual,
        CompareOp::Eq => IntCC::Equal,
        CompareOp::Ne => IntCC::NotEqual,
        CompareOp::Gt => IntCC::SignedGreaterThan,
        CompareOp::Ge => IntCC::SignedGreaterThanOrEqual,
    }
}

/// The conditions that are false for NaN, but for `!=`.
fn float_condition(op: CompareOp) -> FloatCC {
    match op {
        CompareOp::Lt => FloatCC::LessThan,
        CompareOp::Le => FloatCC::LessThanOrEqual,
        CompareOp::Eq => FloatCC::Equal,
        CompareOp::Ne => FloatCC::NotEqual,
        CompareOp::Gt => FloatCC::GreaterThan,
        CompareOp::Ge => FloatCC::GreaterThanOrEqual,
    }
}
