//! T308: memory that grows with the inputs and that nothing limits; cores or memory that jump a thousandfold.

use indexmap::IndexMap;
use tpv_analysis::check::Linter;
use tpv_analysis::check::reach::JobEnd;
use tpv_analysis::lint;
use tpv_model::Quantity;
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::figures::amount;
use tpv_text::finding::{Finding, silences};
use tpv_text::source::Span;

use super::falls::rounded;
use super::sizes::{GIB, near, shown};
use super::tool::Tool;
use super::trial::Trial;
use super::words::{whose, with_tools};

/// The largest inputs that are looked at, in bytes.
const LARGE: i64 = 300 * GIB;

/// More memory than this, in GiB, hardly any machine has.
const MOST_MEM: f64 = 4096.0;

/// A step between two sizes that multiplies an amount by so much or more is no step of a ladder.
const JUMP: f64 = 1000.0;

/// An amount below this is next to nothing, and so is what it is multiplied by.
const LEAST: f64 = 1.0;

/// The growth of an amount.
#[derive(Clone, Copy, Debug)]
enum Growth {
    /// Memory with the largest inputs, which grows beyond them.
    Endless(f64),
    /// Amounts with inputs of two sizes in bytes.
    Jump { quantity: Quantity, low: i64, high: i64, before: f64, after: f64 },
}

/// Looks at all tools.
pub(super) fn check(linter: &mut Linter<'_>, trial: &Trial, tools: &[Tool<'_>]) {
    let mut groups: IndexMap<String, (Growth, Vec<&Tool<'_>>)> = IndexMap::new();
    for tool in tools.iter().filter(|tool| !silences(&tool.entity.common.no_qa_codes, Code::GrowsWithoutEnd)) {
        let Some(growth) = jump(trial, tool).or_else(|| endless(trial, tool)) else { continue };
        groups.entry(format!("{growth:?}")).or_insert_with(|| (growth, Vec::new())).1.push(tool);
    }
    if groups.is_empty() {
        return;
    }
    // Amounts in another unit are told at their place.
    let known = lint::findings(linter);
    let units: Vec<Span> = known.iter().filter(|one| one.code == Code::WrongUnit).filter_map(Finding::span).collect();
    for (growth, mut tools) in groups.into_values() {
        tools.retain(|tool| !is_told(tool, &units));
        if !tools.is_empty() {
            linter.report(finding(growth, &tools));
        }
    }
}

/// Returns `true` if one of these places is in an amount of a tool.
fn is_told(tool: &Tool<'_>, places: &[Span]) -> bool {
    let values = tool.entity.commons().flat_map(|common| common.amounts.resources()).map(|(_, value)| value.span);
    let code = tool.entity.rules.values().filter_map(|rule| rule.execute()).map(|code| code.span);
    let holds = |value: Span, place: &Span| {
        value.source == place.source && value.start <= place.start && place.start <= value.end
    };
    values.chain(code).any(|value| places.iter().any(|place| holds(value, place)))
}

/// Cores and memory, as far as they are known.
fn amounts(end: &JobEnd) -> [(Quantity, Option<f64>); 2] {
    [Quantity::Cores, Quantity::Mem].map(|quantity| (quantity, end.amount(quantity)))
}

/// The step between two sizes that multiplies memory, or cores, by [`JUMP`].
fn between(low: (i64, &JobEnd), high: (i64, &JobEnd)) -> Option<Growth> {
    let pairs = amounts(low.1).into_iter().zip(amounts(high.1));
    pairs.rev().find_map(|((quantity, before), (_, after))| {
        let (before, after) = (before?, after?);
        let is_jump = after >= LEAST && before > 0.0 && after / before >= JUMP;
        is_jump.then_some(Growth::Jump { quantity, low: low.0, high: high.0, before, after })
    })
}

/// The first such step of a tool, with sizes that are short to read, if these show it, too.
fn jump(trial: &Trial, tool: &Tool<'_>) -> Option<Growth> {
    let pairs = tool.points.iter().zip(tool.points.iter().skip(1));
    // Jobs without inputs may be of another kind.
    let mut pairs = pairs.filter(|(low, _)| low.bytes > 0);
    let (low, high, jump) = pairs.find_map(|(low, high)| {
        Some((low.bytes, high.bytes, between((low.bytes, &low.end), (high.bytes, &high.end))?))
    })?;
    let end = |bytes| Some(JobEnd::from(&trial.map(&tool.job(bytes))?));
    let short = near(low, false).flat_map(|low| near(high, true).map(move |high| (low, high)));
    let short =
        short.filter(|(low, _)| *low > 0).find_map(|(low, high)| between((low, &end(low)?), (high, &end(high)?)));
    Some(short.unwrap_or(jump))
}

/// Memory that is more than a machine has with large inputs, and rises still.
fn endless(trial: &Trial, tool: &Tool<'_>) -> Option<Growth> {
    let mem = |end: &JobEnd| amounts(end).last().and_then(|(_, mem)| *mem);
    let large = tool.points.iter().find(|point| point.bytes == LARGE).and_then(|point| mem(&point.end))?;
    if large <= MOST_MEM {
        return None;
    }
    let larger = mem(&JobEnd::from(&trial.map(&tool.job(2 * LARGE))?))?;
    (larger > large).then_some(Growth::Endless(large))
}

fn finding(growth: Growth, tools: &[&Tool<'_>]) -> Finding {
    let (whose, span) = (whose(tools), tools.first().map(|tool| tool.entity.span).unwrap_or_default());
    let shown_amount = |number: f64| amount(rounded(number));
    let (diagnostic, bytes, help) = match growth {
        Growth::Endless(mem) => {
            let message =
                format!("`mem` {whose} grows without limit: {} GiB with inputs of {}", shown_amount(mem), shown(LARGE));
            let help = "set `max_mem` for the tool or for its destination, or `max_accepted_mem` for each destination";
            (Diagnostic::warning(message).at(span, "with larger inputs, jobs ask for still more"), LARGE, help)
        }
        Growth::Jump { quantity, low, high, before, after } => {
            let unit = quantity.suffix();
            let message = format!(
                "`{}` {whose} jumps from {}{unit} to {}{unit} as inputs grow to {}",
                quantity.name(),
                shown_amount(before),
                shown_amount(after),
                shown(high)
            );
            let label = format!("{}{unit} with inputs of {}", shown_amount(before), shown(low));
            let help = "check the unit on both sides of the step: `mem` and `input_size` are in GiB";
            (Diagnostic::warning(message).at(span, label), high, help)
        }
    };
    let meant = format!("if it is meant, `# noqa: {}` below the tool's name", Code::GrowsWithoutEnd.as_str());
    let diagnostic = with_tools(diagnostic, tools, bytes).help(format!("{help}; {meant}"));
    Finding::new(Code::GrowsWithoutEnd, diagnostic)
}
