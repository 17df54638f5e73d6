//! T137: sizes that no rule of a ladder covers: `input_size < 0.1`, then `1 <= input_size < 2`, then `2 <= input_size < 5`.
//!
//! A gap may be meant, for sizes that keep what the tool says. In a ladder whose other steps touch it is a slip.

use std::collections::HashSet;

use tpv_bytecode::CodeKind;
use tpv_compiler::python::syntax::ast::{CmpOp, Expr, Stmt};

use super::Linter;
use tpv_compiler::checker::constant;
use tpv_compiler::python::{parse, validate};
use tpv_config::entity::Rule;
use tpv_model::EntityClass;
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::finding::Finding;

/// Looks at the rules of all entities.
pub(super) fn check(linter: &mut Linter<'_>) {
    let mut seen = HashSet::new();
    for kind in EntityClass::MATCHED {
        for entity in linter.config.section(kind).values() {
            let mut steps: Vec<Step<'_>> = entity.rules.values().filter_map(|rule| Step::of(rule)).collect();
            // Rules with further conditions may cover the gap.
            if steps.len() < 3 || steps.len() != entity.rules.values().filter(|rule| mentions(rule)).count() {
                continue;
            }
            steps.sort_by(|a, b| a.low.total_cmp(&b.low));
            let pairs = || steps.iter().zip(steps.iter().skip(1));
            #[allow(clippy::float_cmp, reason = "both are written out")]
            let touching = pairs().filter(|(a, b)| a.high == b.low).count();
            let mut gaps = pairs().filter(|(a, b)| a.high < b.low);
            let (Some((below, above)), None) = (gaps.next(), gaps.next()) else { continue };
            // Rules that set different resources are no steps of one ladder.
            let mut sets = above.rule.common.amounts.resources().map(|(resource, _)| resource);
            if !sets.any(|resource| below.rule.common.amounts.resources().any(|(other, _)| other == resource)) {
                continue;
            }
            // All but the gap must touch, so that nothing overlaps. A rule that refuses large inputs is no step of the ladder.
            if touching + 2 != steps.len() || above.rule.fail.is_some() || !seen.insert(above.rule.condition.span) {
                continue;
            }
            let message = format!("no rule is for an input of {} to {} GiB", below.high, above.low);
            let diagnostic = Diagnostic::warning(message)
                .at(above.rule.condition.span, format!("this begins at {}", above.low))
                .also(below.rule.condition.span, format!("and the rule below ends at {}", below.high))
                .also(entity.span, format!("in the {} `{}`", kind.noun(), entity.id))
                .note("the other rules follow each other without a gap")
                .help(format!("begin the one where the other ends: {} or {}", below.high, above.low));
            linter.report(Finding::new(Code::SizeGap, diagnostic).of(&entity.common.no_qa_codes));
        }
    }
}

/// A rule for an interval of sizes.
struct Step<'a> {
    rule: &'a Rule,
    low: f64,
    high: f64,
}

impl<'a> Step<'a> {
    fn of(rule: &'a Rule) -> Option<Self> {
        let parsed = parse::parse(rule.condition.as_text()?.as_str(), CodeKind::Block).ok()?;
        validate::validate(&parsed.body, &parsed.text).ok()?;
        let [Stmt::Expr(node)] = parsed.body.as_slice() else { return None };
        let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
        bounds(&node.value, &mut low, &mut high)?;
        (low < high).then_some(Self { rule, low, high })
    }
}

fn mentions(rule: &Rule) -> bool {
    rule.condition.as_text().is_none_or(|text| text.as_str().contains("size"))
}

/// Narrows an interval to the sizes for which a condition holds. `None` if it is about anything else.
fn bounds(node: &Expr, low: &mut f64, high: &mut f64) -> Option<()> {
    match node {
        Expr::BoolOp(node) if node.op.is_and() => node.values.iter().try_for_each(|value| bounds(value, low, high)),
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
                match is_upper {
                    true => *high = high.min(number),
                    false => *low = low.max(number),
                }
                left = right;
            }
            Some(())
        }
        _ => None,
    }
}
