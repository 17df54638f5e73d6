//! f-strings. Machine code computes the fields; the host makes text of them.

use cranelift_codegen::ir::InstBuilder;
use cranelift_codegen::ir::types::I64;
use tpv_bytecode::kernel::TextPart;

use super::super::host::{CONSTANT, TEXT, text};
use super::super::kinds::{Kind, has_text};
use super::{Emitter, Operand};

impl Emitter<'_, '_> {
    /// The text of an f-string, which is node `index`. All fields are computed before any text is made, so that an f-string inside a
    /// field has made its own by then.
    pub(super) fn text(&mut self, index: u32, parts: &[TextPart]) -> Option<Operand> {
        let mut values = Vec::with_capacity(parts.len());
        for part in parts {
            values.push((self.node(part.node)?, part.spec));
        }
        for (value, spec) in values {
            let takes = |kind| has_text(kind, spec.is_some());
            self.each_kind(value, Kind::Bool.into(), takes, &mut |this, kind, payload| {
                let done = match (kind, spec) {
                    (Kind::Int, None) => this.ask(text::int as *const () as usize, &[payload]),
                    (Kind::Float, None) => this.ask(text::float as *const () as usize, &[payload]),
                    (Kind::Str, None) => this.ask(text::string as *const () as usize, &[payload]),
                    _ => {
                        let bits = this.bits(Operand::new(kind, payload));
                        let tag = this.builder.ins().iconst(I64, kind as i64);
                        // No reference but one to a constant is a specification.
                        let spec = spec.map_or(0, |spec| (CONSTANT | u64::from(spec)).cast_signed());
                        let spec = this.builder.ins().iconst(I64, spec);
                        this.ask(text::formatted as *const () as usize, &[tag, bits, spec])
                    }
                };
                Some(Operand::new(Kind::Bool, done))
            })?;
        }
        let is_result = index as usize + 1 == self.kernel.nodes.len();
        let payload = if is_result {
            self.ask(text::end as *const () as usize, &[]);
            self.builder.ins().iconst(I64, TEXT.cast_signed())
        } else {
            self.ask(text::keep as *const () as usize, &[]);
            self.out()
        };
        Some(Operand::new(Kind::Str, payload))
    }
}
