//! T307: memory or cores that are the same limit for inputs of nearly any size.

use indexmap::IndexMap;
use tpv_analysis::check::Linter;
use tpv_model::Quantity;
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::finding::{Finding, silences};

use super::falls::{amounts, rounded};
use super::sizes::{ORDINARY, shown};
use super::tool::Tool;
use super::words::{whose, with_tools};

/// Inputs of this size and more are told about: a limit that is reached later has sizes below it.
const SMALL: i64 = 1 << 20;

/// The amount without inputs is at most this part of the limit.
const PART: f64 = 0.5;

/// Looks at all tools.
pub(super) fn check(linter: &mut Linter<'_>, tools: &[Tool<'_>]) {
    let mut groups: IndexMap<(Quantity, String), (f64, f64, Vec<&Tool<'_>>)> = IndexMap::new();
    for tool in tools.iter().filter(|tool| !silences(&tool.entity.common.no_qa_codes, Code::AlwaysAtLimit)) {
        for (quantity, none, limit) in limited(tool) {
            let key = (quantity, format!("{none} {limit}"));
            groups.entry(key).or_insert_with(|| (none, limit, Vec::new())).2.push(tool);
        }
    }
    for ((quantity, _), (none, limit, tools)) in &groups {
        linter.report(finding(*quantity, *none, *limit, tools));
    }
}

/// The quantities that are one and the same for all inputs, and much less without.
fn limited(tool: &Tool<'_>) -> Vec<(Quantity, f64, f64)> {
    let all: Option<Vec<_>> = tool.points.iter().map(|point| Some((point.bytes, amounts(&point.end)?))).collect();
    let Some(all) = all.filter(|all| all.len() > 2) else { return Vec::new() };
    let of = |index: usize| {
        let without = all.iter().find(|(bytes, _)| *bytes == 0)?.1.get(index).copied()?;
        let mut with = all.iter().filter(|(bytes, _)| *bytes >= SMALL).filter_map(|(_, amounts)| amounts.get(index));
        let (quantity, limit) = *with.next()?;
        let is_one = with.all(|(_, other)| other.to_bits() == limit.to_bits());
        (is_one && limit > 0.0 && without.1 <= limit * PART).then_some((quantity, without.1, limit))
    };
    // Memory is mostly made of the cores, so that cores alone are no finding.
    let [cores, mem] = [of(0), of(1)];
    if cores.is_some() { Vec::new() } else { mem.into_iter().collect() }
}

fn finding(quantity: Quantity, none: f64, limit: f64, tools: &[&Tool<'_>]) -> Finding {
    let (name, unit) = (quantity.name(), quantity.suffix());
    let message = format!("`{name}` {} is {}{unit} for inputs of any size", whose(tools), rounded(limit));
    let span = tools.first().map(|tool| tool.entity.span).unwrap_or_default();
    let mut diagnostic = Diagnostic::warning(message)
        .at(span, format!("{}{unit} without inputs, and this from {} on", rounded(none), shown(SMALL)));
    diagnostic = with_tools(diagnostic, tools, ORDINARY);
    let help = "`get_dataset_size`, `get_size` and `file_size` are bytes: divide by `1024**3` for GiB, the unit of `mem` and `input_size`";
    Finding::new(Code::AlwaysAtLimit, diagnostic.help(help))
}
