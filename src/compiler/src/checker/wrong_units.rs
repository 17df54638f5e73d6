//! The findings about amounts of data (T113): a memory in another unit, two units that meet, bytes beside a small number.

use tpv_front::syntax::ast::{Expr, ExprBinOp, Operator, Ranged};
use tpv_front::syntax::text_size::TextRange;
use tpv_galaxy::helpers::GIB;
use tpv_text::code::Code;

use super::block::{Checker, Fault};
use super::data_sizes::Walk;
use super::quantity::{Quantity, Unit};

/// More GiB than this no job has for its inputs.
const MOST_GIB: f64 = 100_000.0;

/// A larger number is likely meant as bytes, not as MiB or KiB.
const LEAST_BYTES: f64 = 100_000_000.0;

/// Who divides by this or more converts bytes to MiB or GiB.
const LEAST_DIVISOR: f64 = 1_000_000.0;

/// Who compares bytes with less than this, and more than one, means another unit.
const MOST_BYTES: f64 = 1_000.0;

impl<'a> Walk<'a> {
    /// `input_size / 1024**3`
    pub(super) fn converts_again(&mut self, amount: (&'a Expr, Quantity), divisor: (&'a Expr, Quantity)) {
        if let (Some(Unit::GIB), Quantity::Number(number)) = (amount.1.unit(), divisor.1)
            && number >= LEAST_DIVISOR
        {
            let message = format!("`{}` is in GiB already", self.text(amount.0));
            let help = "leave the division out".to_owned();
            self.fault(divisor.0.range(), message, "this is what bytes are divided by", help, amount.1);
        }
    }

    /// Two amounts that are added or compared, and must be in one unit.
    pub(super) fn meet(&mut self, left: (&'a Expr, Quantity), right: (&'a Expr, Quantity), range: TextRange) {
        let (Some(one), Some(other)) = (left.1.unit(), right.1.unit()) else { return };
        if one == other {
            return;
        }
        let (small, large) = if one < other { (left, right) } else { (right, left) };
        let (unit, wanted) = (one.min(other), one.max(other));
        let message = format!(
            "`{}` is in {}, and `{}` is in {}",
            self.text(large.0),
            wanted.name(),
            self.text(small.0),
            unit.name()
        );
        let help = if wanted == Unit::GIB {
            format!("write `{}`", self.converted(small.0, unit))
        } else {
            "convert both to GiB".to_owned()
        };
        self.fault(range, message, "these are amounts in two units", help, small.1);
    }

    /// `input_size > 10**9`, `file_size > 50`
    pub(super) fn compares_number(&mut self, amount: (&'a Expr, Quantity), number: (&'a Expr, Quantity)) {
        let ((node, Quantity::Data(unit, from)), (written, Quantity::Number(number))) = (amount, number) else {
            return;
        };
        let (size, text) = (self.text(node), self.text(written));
        if unit == Unit::GIB && number >= MOST_GIB {
            let is_bytes = number >= LEAST_BYTES;
            let guess = if is_bytes { "bytes" } else { "another unit" };
            let help = if is_bytes {
                format!("write `{}` for {text} bytes", rounded(number / GIB))
            } else {
                "divide KiB by `1024**2`, and MiB by 1024".to_owned()
            };
            let message = format!("`{size}` is in GiB, and `{text}` looks like {guess}");
            self.fault(written.range(), message, "this many GiB", help, Quantity::Unknown);
        } else if unit == Unit::BYTES && !from.is_part && number > 1.0 && number < MOST_BYTES {
            let message = format!("`{size}` is in bytes, and `{text}` looks like another unit");
            let help = format!("write `{text} * 1024**3` for {text} GiB");
            self.fault(written.range(), message, "this many bytes", help, amount.1);
        }
    }

    /// A value that becomes a memory.
    pub(super) fn becomes_memory(&mut self, memory: &str, node: &'a Expr, quantity: Quantity) {
        let Quantity::Data(unit, from) = quantity else { return };
        if unit == Unit::GIB {
            return;
        }
        let node = self.amount(node, unit);
        let message = format!("`{memory}` is in GiB, and `{}` is in {}", self.text(node), unit.name());
        let help = match from.unit {
            Unit::GIB => "leave the conversion out: it is in GiB already".to_owned(),
            _ => format!("write `{}`", self.converted(node, unit)),
        };
        self.fault(node.range(), message, "this many GiB", help, quantity);
    }

    /// The part of an expression that has the amount, without what only rounds or bounds it.
    fn amount(&mut self, node: &'a Expr, unit: Unit) -> &'a Expr {
        let parts: Vec<&'a Expr> = match node {
            Expr::Call(call) => match Checker::path(&call.func).as_deref() {
                Some("min" | "max" | "int" | "float" | "round" | "math.ceil" | "math.floor" | "ceil" | "floor") => {
                    call.args.iter().collect()
                }
                _ => Vec::new(),
            },
            Expr::IfExp(node) => vec![&*node.body, &*node.orelse],
            Expr::BoolOp(node) => node.values.iter().collect(),
            _ => Vec::new(),
        };
        let faults = self.faults.len();
        let part = parts.into_iter().find(|part| self.expr(part).unit() == Some(unit));
        self.faults.truncate(faults);
        part.map_or(node, |part| self.amount(part, unit))
    }

    /// An expression in GiB, as it is written.
    fn converted(&self, node: &'a Expr, unit: Unit) -> String {
        let text = self.text(node);
        let is_product = |node: &ExprBinOp| matches!(node.op, Operator::Mult | Operator::Div);
        match node {
            Expr::BinOp(binary) if !is_product(binary) => format!("({text}) {}", unit.to_gib()),
            Expr::IfExp(_) | Expr::BoolOp(_) | Expr::UnaryOp(_) => format!("({text}) {}", unit.to_gib()),
            _ => format!("{text} {}", unit.to_gib()),
        }
    }

    fn text(&self, node: &Expr) -> &'a str {
        let range = node.range();
        self.source.get(range.start().to_usize()..range.end().to_usize()).unwrap_or("")
    }

    /// Returns `true` if an expression is on a line before another.
    fn is_elsewhere(&self, one: TextRange, other: TextRange) -> bool {
        let between = one.end().to_usize()..other.start().to_usize();
        self.source.get(between).is_some_and(|text| text.contains('\n'))
    }

    /// Adds a fault, once for each place.
    fn fault(&mut self, range: TextRange, message: String, label: &str, help: String, cause: Quantity) {
        if self.state.dead || self.faults.iter().any(|fault| fault.range == range) {
            return;
        }
        let also = match cause {
            Quantity::Data(_, from) if self.is_elsewhere(from.range, range) => {
                Some((from.range, format!("in {}", from.unit.name())))
            }
            _ => None,
        };
        let (label, help) = (label.to_owned(), Some(help));
        self.faults.push(Fault { code: Code::WrongUnit, range, message, label, help, note: None, also });
    }
}

/// A number with two significant digits behind the point, as far as there are any.
fn rounded(number: f64) -> String {
    let text = if number < 10.0 { format!("{number:.2}") } else { format!("{number:.0}") };
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}
