//! The builtins that kernels know.

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::types::{F64, I64};
use cranelift_codegen::ir::{InstBuilder, Value};

use super::super::host;
use super::super::kinds::{Kind, Kinds, call, extreme};
use super::{Emitter, Operand};
use tpv_bytecode::kernel::{Function, Relation};
use tpv_python::vm::CompareOp;

/// Floats below this are ints of 64 bits, once they are whole.
const FITS: f64 = 9.0e18;

impl Emitter<'_, '_> {
    /// `min` and `max`: an argument takes the place of the best before it only where it is less or greater.
    pub(super) fn extreme(&mut self, function: Function, arguments: &[u32]) -> Option<Operand> {
        let op = if function == Function::Min { CompareOp::Lt } else { CompareOp::Gt };
        let (first, rest) = arguments.split_first()?;
        let mut best = self.node(*first)?;
        for argument in rest {
            let item = self.node(*argument)?;
            let better = self.relation(Relation::Compare(op), item, best)?.payload;
            let kinds = extreme(best.kinds, item.kinds);
            best = match (kinds.single(), best.tag.or(item.tag)) {
                (Some(kind), None) => {
                    let payload = self.builder.ins().select(better, item.payload, best.payload);
                    Operand::new(kind, payload)
                }
                (kind, _) => {
                    let (bits, other) = (self.bits(item), self.bits(best));
                    let bits = self.builder.ins().select(better, bits, other);
                    match kind {
                        Some(kind) => Operand::new(kind, self.of_bits(kind, bits)),
                        None => {
                            let (tag, other) = (self.tag(item), self.tag(best));
                            let tag = self.builder.ins().select(better, tag, other);
                            Operand { kinds, tag: Some(tag), payload: bits }
                        }
                    }
                }
            };
        }
        Some(best)
    }

    /// The functions of one number, and `round` with digits.
    pub(super) fn call_function(&mut self, function: Function, arguments: &[u32], out: Kinds) -> Option<Operand> {
        let (first, rest) = arguments.split_first()?;
        let number = self.node(*first)?;
        let Some(digits) = rest.first() else {
            let takes = |kind| call(function, kind, None).is_some();
            return self.each_kind(number, out, takes, &mut |this, kind, a| Some(this.function(function, kind, a)));
        };
        let digits = self.node(*digits)?;
        self.each_kind(number, out, Kind::is_number, &mut |this, kind, a| {
            this.each_kind(digits, out, Kind::is_int, &mut |this, _, digits| Some(this.round(kind, a, digits)))
        })
    }

    fn function(&mut self, function: Function, kind: Kind, a: Value) -> Operand {
        match (function, kind) {
            (Function::Float, _) => Operand::new(Kind::Float, self.float(kind, a)),
            (Function::Abs, Kind::Float) => Operand::new(Kind::Float, self.builder.ins().fabs(a)),
            (Function::Abs, _) => {
                let is_negative = self.builder.ins().icmp_imm_s(IntCC::SignedLessThan, a, 0);
                let least = self.builder.ins().icmp_imm_s(IntCC::Equal, a, i64::MIN);
                self.leave_if(least);
                let negative = self.builder.ins().ineg(a);
                Operand::new(Kind::Int, self.builder.ins().select(is_negative, negative, a))
            }
            (Function::Round, Kind::Float) => {
                let whole = self.call(host::round_even as *const () as usize, &[a], F64);
                self.int_of(whole)
            }
            (Function::Int, Kind::Float) => self.int_of(a),
            // An int is what it is; a bool becomes one.
            _ => Operand::new(Kind::Int, a),
        }
    }

    /// `int(a)` of a float that is one; leaves for what does not fit, infinities and NaN.
    fn int_of(&mut self, a: Value) -> Operand {
        let size = self.builder.ins().fabs(a);
        let limit = self.builder.ins().f64const(FITS);
        let fits = self.builder.ins().fcmp(FloatCC::LessThan, size, limit);
        let too_large = self.builder.ins().icmp_imm_s(IntCC::Equal, fits, 0);
        self.leave_if(too_large);
        Operand::new(Kind::Int, self.builder.ins().fcvt_to_sint_sat(I64, a))
    }

    fn round(&mut self, kind: Kind, a: Value, digits: Value) -> Operand {
        if kind == Kind::Float {
            self.ask(host::round_digits as *const () as usize, &[a, digits]);
            let bits = self.out();
            return Operand::new(Kind::Float, self.of_bits(Kind::Float, bits));
        }
        let negative = self.builder.ins().icmp_imm_s(IntCC::SignedLessThan, digits, 0);
        self.leave_if(negative);
        Operand::new(Kind::Int, a)
    }
}
