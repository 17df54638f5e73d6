//! T113: sizes of inputs, which are in GiB, beside a number of bytes.

use crate::python::syntax::ast::{Expr, Ranged};

use super::block::Checker;
use super::values::constant;
use tpv_text::code::Code;

/// More GiB than this no job has for its inputs.
const MOST_GIB: f64 = 100_000.0;

/// A larger number is likely meant as bytes, not as MiB or KiB.
const LEAST_BYTES: f64 = 100_000_000.0;

/// Who divides by this or more converts bytes to MiB or GiB.
const LEAST_DIVISOR: f64 = 1_000_000.0;

const GIB: f64 = 1_073_741_824.0;

impl<'a> Checker<'a> {
    /// `input_size > 10**9`
    pub(super) fn compares_size(&mut self, left: &'a Expr, right: &'a Expr) {
        for (size, number) in [(left, right), (right, left)] {
            let Some(amount) = constant(number).filter(|amount| *amount >= MOST_GIB) else { continue };
            if !self.is_size(size) {
                continue;
            }
            let (size, written) = (self.text(size), self.text(number));
            let unit = if amount >= LEAST_BYTES { "bytes" } else { "another unit" };
            self.fault(
                Code::WrongUnit,
                number.range(),
                format!("`{size}` is in GiB, and `{written}` looks like {unit}"),
                "this many GiB",
            );
            self.help(if amount >= LEAST_BYTES {
                format!("write `{}` for {written} bytes", rounded(amount / GIB))
            } else {
                "divide KiB by `1024**2`, and MiB by 1024".to_owned()
            });
        }
    }

    /// `input_size / 1024**3`
    pub(super) fn divides_size(&mut self, size: &'a Expr, divisor: &'a Expr) {
        if constant(divisor).is_some_and(|divisor| divisor >= LEAST_DIVISOR) && self.is_size(size) {
            let message = format!("`{}` is in GiB already", self.text(size));
            self.fault(Code::WrongUnit, divisor.range(), message, "this is what bytes are divided by");
            self.help("leave the division out");
        }
    }

    /// Returns `true` for an expression that gives the size of a job's inputs, in GiB.
    pub(super) fn is_size(&self, node: &Expr) -> bool {
        match node {
            Expr::Name(name) => name.id.as_str() == "input_size" && !self.bindings.names.contains("input_size"),
            Expr::Call(call) => {
                let function = Self::path(&call.func);
                matches!(function.as_deref(), Some("helpers.input_size" | "helpers.get_input_size"))
            }
            _ => false,
        }
    }
}

/// A number with two significant digits behind the point, as far as there are any.
fn rounded(number: f64) -> String {
    let text = if number < 10.0 { format!("{number:.2}") } else { format!("{number:.0}") };
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}
