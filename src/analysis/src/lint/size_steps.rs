//! Rules for ranges of `input_size`, as the steps of a ladder.

use tpv_bytecode::CodeKind;
use tpv_compiler::python::syntax::ast::{CmpOp, Expr, Stmt};

use tpv_compiler::checker::constant;
use tpv_compiler::python::{parse, validate};
use tpv_config::entity::{Entity, Rule};

/// A rule for a range of sizes.
pub(super) struct Step<'a> {
    /// The rule.
    pub rule: &'a Rule,
    /// The lower end of the range, in GiB.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// `true` if inputs of exactly the lower end are in the range.
    pub has_low: bool,
    /// `true` if inputs of exactly the upper end are.
    pub has_high: bool,
}

impl<'a> Step<'a> {
    /// A rule as a step, if its condition is about nothing but the size.
    pub(super) fn of(rule: &'a Rule) -> Option<Self> {
        let text = rule.condition().as_text()?.as_str();
        // Few conditions are about sizes, and the others need not be parsed.
        let parsed = text.contains("input_size").then(|| parse::parse(text, CodeKind::Block))?.ok()?;
        validate::validate(&parsed.body, &parsed.text).ok()?;
        let [Stmt::Expr(node)] = parsed.body.as_slice() else { return None };
        let mut step = Self { rule, low: f64::NEG_INFINITY, high: f64::INFINITY, has_low: false, has_high: false };
        step.narrow(&node.value)?;
        (step.low < step.high).then_some(step)
    }

    /// Returns `true` if the rule is for inputs of this size.
    pub(super) fn has(&self, size: f64) -> bool {
        #[allow(clippy::float_cmp, reason = "both are written out")]
        let is_at = |end: f64, is_in: bool| size == end && is_in;
        size > self.low && size < self.high || is_at(self.low, self.has_low) || is_at(self.high, self.has_high)
    }

    /// Narrows the range to the sizes for which a condition holds. `None` if it is about anything else.
    fn narrow(&mut self, node: &Expr) -> Option<()> {
        match node {
            Expr::BoolOp(node) if node.op.is_and() => node.values.iter().try_for_each(|value| self.narrow(value)),
            Expr::Compare(node) => {
                let mut left = &*node.left;
                for (op, right) in node.ops.iter().zip(&node.comparators) {
                    let is_size = |side: &Expr| matches!(side, Expr::Name(name) if name.id.as_str() == "input_size");
                    let (is_upper, number) = match op {
                        CmpOp::Lt | CmpOp::LtE if is_size(left) => (true, constant(right)?),
                        CmpOp::Lt | CmpOp::LtE if is_size(right) => (false, constant(left)?),
                        CmpOp::Gt | CmpOp::GtE if is_size(left) => (false, constant(right)?),
                        CmpOp::Gt | CmpOp::GtE if is_size(right) => (true, constant(left)?),
                        _ => return None,
                    };
                    let is_in = matches!(op, CmpOp::LtE | CmpOp::GtE);
                    match is_upper {
                        true if number < self.high => (self.high, self.has_high) = (number, is_in),
                        false if number > self.low => (self.low, self.has_low) = (number, is_in),
                        _ => {}
                    }
                    left = right;
                }
                Some(())
            }
            _ => None,
        }
    }
}

/// The rules of an entity for ranges of sizes. `None` if other rules look at the size as well: they may be for the same inputs.
pub(super) fn steps(entity: &Entity) -> Option<Vec<Step<'_>>> {
    let steps: Vec<Step<'_>> = entity.rules.values().filter_map(|rule| Step::of(rule)).collect();
    let mentions =
        |rule: &&std::sync::Arc<Rule>| rule.condition().as_text().is_none_or(|text| text.as_str().contains("size"));
    (steps.len() == entity.rules.values().filter(mentions).count()).then_some(steps)
}
