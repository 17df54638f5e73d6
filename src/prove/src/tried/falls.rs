//! T303: cores or memory that fall as inputs grow.

use indexmap::IndexMap;
use tpv_analysis::check::Linter;
use tpv_analysis::check::reach::JobEnd;
use tpv_model::Quantity;
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::finding::{Finding, silences};

use super::sizes::{near, shown};
use super::tool::Tool;
use super::trial::Trial;
use super::words::{whose, with_job, with_names};

/// The part that is left of an amount that falls, at most: less is rounding.
const FALLEN: f64 = 0.95;

/// A fall between two sizes, in bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Fall {
    quantity: Quantity,
    low: i64,
    high: i64,
    before: f64,
    after: f64,
}

/// Looks at all tools.
pub(super) fn check(linter: &mut Linter<'_>, trial: &Trial, tools: &[Tool<'_>]) {
    let mut groups: IndexMap<String, (Fall, Vec<&Tool<'_>>)> = IndexMap::new();
    for tool in tools.iter().filter(|tool| !silences(&tool.entity.common.no_qa_codes, Code::FallsAsInputsGrow)) {
        let Some(fall) = fall(tool).and_then(|fall| narrowed(trial, tool, fall)) else { continue };
        groups.entry(format!("{fall:?}")).or_insert_with(|| (fall, Vec::new())).1.push(tool);
    }
    for (fall, tools) in groups.values() {
        let finding = finding(fall, tools);
        linter.report(finding);
    }
}

/// The amounts of a job that got a destination: cores and memory.
pub(super) fn amounts(end: &JobEnd) -> Option<[(Quantity, f64); 2]> {
    let of = |quantity| Some((quantity, end.amount(quantity)?));
    Some([of(Quantity::Cores)?, of(Quantity::Mem)?])
}

/// The first fall of memory, or of cores, while the other does not rise.
fn between(low: (i64, &JobEnd), high: (i64, &JobEnd)) -> Option<Fall> {
    let (before, after) = (amounts(low.1)?, amounts(high.1)?);
    let pairs = before.into_iter().zip(after);
    if pairs.clone().any(|((_, before), (_, after))| after > before) {
        return None;
    }
    let mut falls = pairs.rev().filter(|((_, before), (_, after))| *after < before * FALLEN);
    let ((quantity, before), (_, after)) = falls.next()?;
    Some(Fall { quantity, low: low.0, high: high.0, before, after })
}

fn fall(tool: &Tool<'_>) -> Option<Fall> {
    let pairs = tool.points.iter().zip(tool.points.iter().skip(1));
    // Jobs without inputs may be of another kind.
    pairs
        .filter(|(low, _)| low.bytes > 0)
        .find_map(|(low, high)| between((low.bytes, &low.end), (high.bytes, &high.end)))
}

/// The fall to a byte, or to a thousandth of the size.
fn narrowed(trial: &Trial, tool: &Tool<'_>, mut fall: Fall) -> Option<Fall> {
    let end = |bytes| Some(JobEnd::from(&trial.map(&tool.job(bytes))?));
    let (mut low, mut high) = (end(fall.low)?, end(fall.high)?);
    while fall.high - fall.low > (fall.high / 10_000).max(1) {
        let middle = fall.low + (fall.high - fall.low) / 2;
        let at = end(middle)?;
        if let Some(lower) = between((fall.low, &low), (middle, &at)) {
            (fall, high) = (lower, at);
        } else if let Some(upper) = between((middle, &at), (fall.high, &high)) {
            (fall, low) = (upper, at);
        } else {
            break;
        }
    }
    // Short numbers on both sides, as long as they show the same.
    let same =
        |found: &Fall| (found.before - fall.before).abs() + (found.after - fall.after).abs() < 0.01 * fall.before;
    for (low, high) in near(fall.low, false).flat_map(|low| near(fall.high, true).map(move |high| (low, high))) {
        if low > 0
            && let Some(found) = between((low, &end(low)?), (high, &end(high)?)).filter(same)
        {
            return Some(found);
        }
    }
    Some(fall)
}

fn finding(fall: &Fall, tools: &[&Tool<'_>]) -> Finding {
    let (name, unit) = (fall.quantity.name(), fall.quantity.suffix());
    let message = format!(
        "`{name}` {} falls from {}{unit} to {}{unit} as inputs grow to {}",
        whose(tools),
        rounded(fall.before),
        rounded(fall.after),
        shown(fall.high)
    );
    let span = tools.first().map(|tool| tool.entity.span).unwrap_or_default();
    let mut diagnostic = with_names(Diagnostic::warning(message).at(span, "larger inputs get less"), tools);
    if let Some(tool) = tools.first() {
        let low = shown(fall.low);
        diagnostic = diagnostic.note(format!(
            "with {low} it gets {}{unit}, with {} {}{unit}",
            rounded(fall.before),
            shown(fall.high),
            rounded(fall.after)
        ));
        diagnostic = with_job(diagnostic, &tool.job(fall.high));
    }
    let help = format!(
        "if it is meant, `# noqa: {}` below the tool's name; else look at the last rule that sets `{name}`",
        Code::FallsAsInputsGrow.as_str()
    );
    Finding::new(Code::FallsAsInputsGrow, diagnostic.help(help))
}

/// An amount to four digits.
pub(super) fn rounded(amount: f64) -> f64 {
    format!("{amount:.3e}").parse().unwrap_or(amount)
}
