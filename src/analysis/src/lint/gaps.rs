//! T137: sizes that no rule of a ladder covers: `input_size < 0.1`, then `1 <= input_size < 2`, then `2 <= input_size < 5`.
//!
//! A gap may be meant, for sizes that keep what the tool says. In a ladder whose other steps touch it is a slip.

use std::collections::HashSet;

use super::Linter;
use super::size_steps;
use tpv_model::EntityClass;
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::finding::Finding;

/// Looks at the rules of all entities.
pub(super) fn check(linter: &mut Linter<'_>) {
    let mut seen = HashSet::new();
    for kind in EntityClass::MATCHED {
        for entity in linter.config.section(kind).values() {
            // Rules with further conditions may cover the gap.
            let Some(mut steps) = size_steps::steps(entity).filter(|steps| steps.len() >= 3) else { continue };
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
            if touching + 2 != steps.len() || above.rule.fail().is_some() || !seen.insert(above.rule.condition().span) {
                continue;
            }
            let message = format!("no rule is for an input of {} to {} GiB", below.high, above.low);
            let diagnostic = Diagnostic::warning(message)
                .at(above.rule.condition().span, format!("this begins at {}", above.low))
                .also(below.rule.condition().span, format!("and the rule below ends at {}", below.high))
                .also(entity.span, format!("in the {} `{}`", kind.noun(), entity.id))
                .note("the other rules follow each other without a gap")
                .help(format!("begin the one where the other ends: {} or {}", below.high, above.low));
            linter.report(Finding::new(Code::SizeGap, diagnostic).of(&entity.common.no_qa_codes));
        }
    }
}
