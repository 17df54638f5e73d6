//! Arithmetic. What overflows 64 bits, divides by zero or is not exact leaves the kernel: it returns [`host::LEAVE`], and the interpreter
//! runs the block from its start.

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::types::F64;
use cranelift_codegen::ir::{InstBuilder, Value};

use super::super::host;
use super::super::kinds::{Kind, Kinds, binary};
use super::{Emitter, Operand};
use tpv_bytecode::{BinaryOp, UnaryOp};

/// Ints up to this size are floats exactly.
const EXACT: i64 = 1 << 53;

impl Emitter<'_, '_> {
    pub(super) fn unary(&mut self, op: UnaryOp, kind: Kind, a: Value) -> Option<Operand> {
        Some(match (op, kind) {
            (UnaryOp::Negative, Kind::Float) => Operand::new(Kind::Float, self.builder.ins().fneg(a)),
            (UnaryOp::Positive, Kind::Float) => Operand::new(Kind::Float, a),
            (UnaryOp::Negative, _) => {
                let zero = self.builder.ins().iconst(cranelift_codegen::ir::types::I64, 0);
                let (negative, overflow) = self.builder.ins().ssub_overflow(zero, a);
                self.leave_if(overflow);
                Operand::new(Kind::Int, negative)
            }
            (UnaryOp::Invert, _) => Operand::new(Kind::Int, self.builder.ins().bnot(a)),
            _ => Operand::new(Kind::Int, a),
        })
    }

    pub(super) fn binary(&mut self, op: BinaryOp, left: Operand, right: Operand, out: Kinds) -> Option<Operand> {
        let any = |kinds: Kinds, takes: &dyn Fn(Kind) -> bool| kinds.iter().any(takes);
        let takes_left = |a| any(right.kinds, &|b| binary(op, a, b).is_some());
        self.each_kind(left, out, takes_left, &mut |this, a, x| {
            let takes_right = |b| binary(op, a, b).is_some();
            this.each_kind(right, out, takes_right, &mut |this, b, y| {
                if a.is_int() && b.is_int() {
                    return this.ints(op, (a, x), (b, y));
                }
                let (x, y) = (this.float(a, x), this.float(b, y));
                this.floats(op, x, y)
            })
        })
    }

    fn ints(&mut self, op: BinaryOp, (a, x): (Kind, Value), (b, y): (Kind, Value)) -> Option<Operand> {
        let value = match op {
            BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply => {
                let (value, overflow) = match op {
                    BinaryOp::Add => self.builder.ins().sadd_overflow(x, y),
                    BinaryOp::Subtract => self.builder.ins().ssub_overflow(x, y),
                    _ => self.builder.ins().smul_overflow(x, y),
                };
                self.leave_if(overflow);
                value
            }
            BinaryOp::TrueDivide => {
                self.leave_unless_exact(x);
                self.leave_unless_exact(y);
                let (x, y) = (self.float(Kind::Int, x), self.float(Kind::Int, y));
                return self.floats(op, x, y);
            }
            BinaryOp::FloorDivide | BinaryOp::Remainder => self.divide(op, x, y),
            BinaryOp::Power => {
                self.ask(host::int_power as *const () as usize, &[x, y]);
                self.out()
            }
            _ => {
                let value = match op {
                    BinaryOp::And => self.builder.ins().band(x, y),
                    BinaryOp::Or => self.builder.ins().bor(x, y),
                    BinaryOp::Xor => self.builder.ins().bxor(x, y),
                    _ => return self.leave(),
                };
                return Some(Operand::new(binary(op, a, b)?, value));
            }
        };
        Some(Operand::new(Kind::Int, value))
    }

    /// Division that rounds down: the machine's rounds towards zero.
    fn divide(&mut self, op: BinaryOp, x: Value, y: Value) -> Value {
        let zero = self.builder.ins().icmp_imm_s(IntCC::Equal, y, 0);
        self.leave_if(zero);
        // The least int divided by -1 is no int of 64 bits.
        let least = self.builder.ins().icmp_imm_s(IntCC::Equal, x, i64::MIN);
        self.leave_if(least);
        let quotient = self.builder.ins().sdiv(x, y);
        let product = self.builder.ins().imul(quotient, y);
        let rest = self.builder.ins().isub(x, product);
        let inexact = self.builder.ins().icmp_imm_s(IntCC::NotEqual, rest, 0);
        let signs = self.builder.ins().bxor(rest, y);
        let opposite = self.builder.ins().icmp_imm_s(IntCC::SignedLessThan, signs, 0);
        let down = self.builder.ins().band(inexact, opposite);
        let (corrected, plain) = match op {
            BinaryOp::FloorDivide => (self.builder.ins().iadd_imm_s(quotient, -1), quotient),
            _ => (self.builder.ins().iadd(rest, y), rest),
        };
        self.builder.ins().select(down, corrected, plain)
    }

    /// Leaves where an int is not a float exactly.
    pub(super) fn leave_unless_exact(&mut self, int: Value) {
        let shifted = self.builder.ins().iadd_imm_s(int, EXACT);
        let inexact = self.builder.ins().icmp_imm_s(IntCC::UnsignedGreaterThan, shifted, 2 * EXACT);
        self.leave_if(inexact);
    }

    fn floats(&mut self, op: BinaryOp, x: Value, y: Value) -> Option<Operand> {
        if matches!(op, BinaryOp::TrueDivide | BinaryOp::FloorDivide | BinaryOp::Remainder) {
            let nothing = self.builder.ins().f64const(0.0);
            let zero = self.builder.ins().fcmp(FloatCC::Equal, y, nothing);
            self.leave_if(zero);
        }
        let value = match op {
            BinaryOp::Add => self.builder.ins().fadd(x, y),
            BinaryOp::Subtract => self.builder.ins().fsub(x, y),
            BinaryOp::Multiply => self.builder.ins().fmul(x, y),
            BinaryOp::TrueDivide => self.builder.ins().fdiv(x, y),
            BinaryOp::FloorDivide => self.call(host::float_floor_divide as *const () as usize, &[x, y], F64),
            BinaryOp::Remainder => self.call(host::float_remainder as *const () as usize, &[x, y], F64),
            BinaryOp::Power => {
                self.ask(host::float_power as *const () as usize, &[x, y]);
                let bits = self.out();
                self.of_bits(Kind::Float, bits)
            }
            _ => return self.leave(),
        };
        Some(Operand::new(Kind::Float, value))
    }
}
