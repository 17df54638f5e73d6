//! The report as text for people.

use indexmap::IndexMap;
use tpv_text::figures::{self, count, grouped};
use tpv_text::fold::fold;
use tpv_text::printable::put_line;
use tpv_text::rows::{Cell, Rows};

use crate::line::number;
use crate::policy::Assumed;
use crate::report::{Proposal, Report, Tool, changed, percent, saved};
use crate::trial::{Both, Trial};

/// The parts that a report has beside its proposals.
#[derive(Clone, Copy, Debug, Default)]
pub struct Details {
    /// The tools without a better value.
    pub all: bool,
    /// The evidence of each tool.
    pub explain: bool,
}

/// The report for people, with lines of at most this width.
pub fn text(report: &Report, details: Details, width: Option<usize>) -> String {
    let mut text = String::new();
    let mut proposals = Rows::new(vec!["TOOL", "JOBS", "ASKED", "LOST", "AGAIN", "GIB·H", "MEM"]);
    let mut usages = Rows::new(vec!["TOOL", "MEDIAN", "95%", "MOST", "RESERVED", "UNUSED", "KILLED", "CORE·H"]);
    let is_change = |tool: &&Tool| matches!(tool.proposal, Proposal::Change { .. });
    let kept = report.tools.iter().filter(|tool| !is_change(tool));
    for tool in report.tools.iter().filter(is_change).chain(kept.clone().filter(|_| details.all)) {
        let usage = &tool.usage;
        let (trial, mem) = match &tool.proposal {
            Proposal::Change { mem, by_version, trial, .. } => {
                let versions = if by_version.is_empty() { "" } else { " (by version: --explain)" };
                (trial.as_ref(), format!("{mem}{versions}"))
            }
            Proposal::Keep { why, .. } => (None, format!("keep: {}", why.words())),
        };
        let both = |of: fn(&Trial) -> Both| {
            let both = trial.map(of);
            both.map_or(Cell::Empty, |both| Cell::Decimal(format!("{}/{}", both.proposed, both.today)))
        };
        let change = |saved: Option<f64>| saved.map_or(Cell::Empty, |saved| Cell::Decimal(changed(saved)));
        proposals.push(vec![
            tool.name().into(),
            Cell::Number(usage.jobs),
            Cell::Decimal(number((usage.asked_median * 100.0).round() / 100.0)),
            both(|trial| trial.lost),
            both(|trial| trial.again),
            change(tool.saving()),
            mem.into(),
        ]);
        let waste = if usage.reserved > 0.0 { percent(tool.waste() / usage.reserved) } else { String::new() };
        usages.push(vec![
            tool.name().into(),
            amount(usage.used_median),
            amount(usage.used_95),
            amount(usage.used_most),
            amount(Some(usage.reserved)),
            Cell::Decimal(waste),
            Cell::Number(usage.killed),
            change(trial.and_then(|trial| saved(trial.core_hours()))),
        ]);
    }
    text += &proposals.table(width);
    if !usages.is_empty() {
        text += "\nWhat these jobs used, and what was reserved for them:\n\n";
        text += &usages.table(width);
    }
    if !details.all {
        text += &kept_in_words(kept);
    }
    if !proposals.is_empty() {
        text += "\nMemory in GiB, RESERVED in GiB·h. LOST and AGAIN are jobs of this history that no attempt finishes, and that need more \
                 than one: with the proposed value/with today's rules.\nGIB·H and CORE·H are changes for the jobs that both finish.\n";
    }
    report
        .trial
        .iter()
        .flat_map(Trial::in_words)
        .for_each(|words| text += &format!("All proposals together: {words}.\n"));
    text += &report.attempts_in_words();
    text += "\n";
    report.left_out().iter().for_each(|what| text += &format!("Left out: {what}.\n"));
    if details.explain {
        report.tools.iter().for_each(|tool| text += &explained(tool, report.assumed));
    }
    fold(&text, width).into_owned()
}

/// The number of tools that keep today's value, by the reason.
fn kept_in_words<'t>(kept: impl Iterator<Item = &'t Tool>) -> String {
    let mut reasons: IndexMap<String, u64> = IndexMap::new();
    for tool in kept {
        if let Proposal::Keep { why, .. } = &tool.proposal {
            *reasons.entry(why.words().to_owned()).or_default() += 1;
        }
    }
    if reasons.is_empty() {
        return String::new();
    }
    reasons.sort_by(|_, one, _, other| other.cmp(one));
    let mut text =
        format!("\n{} without a better value (`--all` shows them):\n", count(reasons.values().sum(), "tool"));
    reasons.iter().for_each(|(reason, tools)| text += &format!("  {}: {reason}\n", grouped(*tools)));
    text
}

/// The evidence of a tool.
fn explained(tool: &Tool, assumed: Option<Assumed>) -> String {
    let mut text = "\n".to_owned();
    put_line!(text, "{}", tool.tool);
    for (name, value) in tool.facts(assumed) {
        put_line!(text, "  {name}: {value}");
    }
    text
}

fn amount(value: Option<f64>) -> Cell {
    value.map_or(Cell::Empty, |value| {
        Cell::Decimal(if value >= 100.0 { figures::amount(value.round()) } else { format!("{value:.1}") })
    })
}
