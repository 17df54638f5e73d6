//! The report as a page: the tools by what they waste, and for those that waste most the jobs as points with today's and the proposed
//! memory as lines.

use std::fmt::Write;

use serde::Serialize;
use tpv_analysis::page::{Page, escape, facts, prose, slot, table};
use tpv_text::figures::{amount, count};

use crate::line::Line;
use crate::policy::Assumed;
use crate::report::{Proposal, Report, Tool, percent};
use crate::trial::Trial;

/// The tools that have a plot.
const MOST_PLOTS: usize = 50;
/// The rows of the table without scripts.
const MOST_ROWS: usize = 300;

/// The data of the scripts.
#[derive(Serialize)]
struct Data<'r> {
    rows: Vec<Row<'r>>,
    plots: Vec<Plot<'r>>,
}

/// A row of the table.
#[derive(Serialize)]
struct Row<'r> {
    tool: &'r str,
    place: Option<&'r str>,
    jobs: u64,
    asked: f64,
    median: Option<f64>,
    most: Option<f64>,
    reserved: f64,
    unused: f64,
    killed: u64,
    /// Lost and repeated jobs with the proposed value and today; `None` without a trial.
    lost: Option<[u64; 2]>,
    again: Option<[u64; 2]>,
    saves: Option<f64>,
    /// `true` if another value is proposed.
    is_change: bool,
    mem: String,
}

/// The plot of a tool.
#[derive(Serialize)]
struct Plot<'r> {
    name: String,
    /// Size of the inputs in GiB, peak in GiB, today's memory in GiB, and 1 if the job was killed at its peak.
    jobs: Vec<[f32; 4]>,
    lines: Vec<Rule<'r>>,
    /// The memory of each further attempt, divided by that of the first.
    further: &'r [f64],
    limit: Option<f64>,
}

/// A proposed line.
#[derive(Serialize)]
struct Rule<'r> {
    /// The version that it is for; empty for all others.
    version: &'r str,
    #[serde(flatten)]
    line: Line,
}

/// The page; `rules` is what the rules were named as.
///
/// # Errors
/// None that data of this kind has.
pub fn page(report: &Report, rules: &str) -> serde_json::Result<String> {
    let mut page = Page::new(format!("tpvc fit: {rules}"));
    page.plots();
    page.style(include_str!("page.css"));
    let tools = proposals_first(report);
    let plots = tools.iter().take(MOST_PLOTS).map(|tool| plot(tool)).collect();
    page.data(&serde_json::to_string(&Data { rows: tools.iter().map(|tool| row(tool)).collect(), plots })?);
    page.script(include_str!("page.js"));
    let out = page.body();
    header(out, report, rules);
    page.section("Tools, those with a better value first", |out| rows(out, &tools));
    page.section("The evidence", |out| {
        for (index, tool) in tools.iter().take(MOST_PLOTS).enumerate() {
            evidence(out, index, tool, report.assumed);
        }
        if tools.len() > MOST_PLOTS {
            let _ = writeln!(
                out,
                "<p class=\"note\">The other tools have no plot here: <code>--tool TEXT</code> makes a page of those that you name.</p>"
            );
        }
    });
    Ok(page.render())
}

/// The tools with a better value, then those that keep theirs, each by what they waste.
fn proposals_first(report: &Report) -> Vec<&Tool> {
    let (changes, kept): (Vec<&Tool>, Vec<&Tool>) = report.tools.iter().partition(is_change);
    changes.into_iter().chain(kept).collect()
}

fn header(out: &mut String, report: &Report, rules: &str) {
    let sum = |amount: fn(&Tool) -> f64| report.tools.iter().map(amount).sum::<f64>();
    let (reserved, waste) = (sum(|tool| tool.usage.reserved), sum(Tool::waste));
    let changes = report.tools.iter().filter(is_change).count();
    let _ = writeln!(out, "<header>\n<h1>What tools really need</h1>");
    let mut header = vec![
        ("rules", rules.to_owned()),
        ("jobs", amount_of(report.jobs)),
        ("tools", amount_of(report.tools.len() as u64)),
        ("reserved", format!("{} GiB·h", amount(reserved.round()))),
    ];
    if reserved > 0.0 {
        header.push(("unused", percent(waste / reserved)));
    }
    header.push(("better values", changes.to_string()));
    facts(out, header);
    if let Some(trial) = &report.trial {
        let _ = writeln!(out, "<p>All proposals together:</p>\n<ul>");
        for words in trial.in_words() {
            let _ = writeln!(out, "<li>{}</li>", escape(&words));
        }
        let _ = writeln!(out, "</ul>");
    }
    let _ = writeln!(out, "<p class=\"note\">{}</p>", prose(&report.attempts_in_words()));
    for note in report.left_out() {
        let _ = writeln!(out, "<p class=\"note\">Left out: {}.</p>", escape(&note));
    }
    let _ = writeln!(out, "</header>");
}

fn amount_of(number: u64) -> String {
    tpv_text::figures::grouped(number)
}

fn unused(tool: &Tool) -> f64 {
    if tool.usage.reserved > 0.0 { tool.waste() / tool.usage.reserved } else { 0.0 }
}

/// Returns `true` if another value is proposed.
fn is_change(tool: &&Tool) -> bool {
    matches!(tool.proposal, Proposal::Change { .. })
}

/// The proposed value in words.
fn proposed(tool: &Tool) -> String {
    match &tool.proposal {
        Proposal::Change { mem, by_version, .. } if by_version.is_empty() => mem.clone(),
        Proposal::Change { mem, .. } => format!("{mem} (and by version)"),
        Proposal::Keep { why, .. } => format!("keep: {}", why.words()),
    }
}

fn row(tool: &Tool) -> Row<'_> {
    let usage = &tool.usage;
    let trial = match &tool.proposal {
        Proposal::Change { trial, .. } => trial.as_ref(),
        Proposal::Keep { .. } => None,
    };
    let both = |of: fn(&Trial) -> crate::trial::Both| trial.map(|trial| [of(trial).proposed, of(trial).today]);
    Row {
        lost: both(|trial| trial.lost),
        again: both(|trial| trial.again),
        tool: &tool.tool,
        place: tool.place.as_deref(),
        jobs: usage.jobs,
        asked: usage.asked_median,
        median: usage.used_median,
        most: usage.used_most,
        reserved: usage.reserved,
        unused: unused(tool),
        killed: usage.killed,
        saves: tool.saving(),
        is_change: is_change(&tool),
        mem: proposed(tool),
    }
}

/// The table, which scripts replace by one that can be searched.
fn rows(out: &mut String, tools: &[&Tool]) {
    let _ = writeln!(out, "<div id=\"tools\">");
    table(
        out,
        "Memory in GiB, reserved in GiB·h",
        &["Reserved", "Unused", "Jobs", "Tool", "Set at", "Proposed mem"],
        ..3,
        |out| {
            for tool in tools.iter().take(MOST_ROWS) {
                let _ = writeln!(
                    out,
                    "<tr><td class=\"number\">{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
                    amount(tool.usage.reserved.round()),
                    percent(unused(tool)),
                    amount_of(tool.usage.jobs),
                    escape(&tool.tool),
                    escape(tool.place.as_deref().unwrap_or_default()),
                    escape(&proposed(tool))
                );
            }
        },
    );
    let _ = writeln!(out, "</div>");
}

/// The evidence of a tool, which opens to its plot.
fn evidence(out: &mut String, index: usize, tool: &Tool, assumed: Option<Assumed>) {
    let (look, badge) = match &tool.proposal {
        Proposal::Change { .. } => {
            ("good", tool.saving().map_or("more memory".to_owned(), |saved| format!("saves {}", percent(saved))))
        }
        Proposal::Keep { .. } => ("idle", "keep".to_owned()),
    };
    let mut notes = vec![count(tool.usage.jobs, "job"), format!("{} unused", percent(unused(tool)))];
    if tool.usage.killed > 0 {
        notes.push(format!("{} killed for memory", count(tool.usage.killed, "job")));
    }
    let _ = writeln!(
        out,
        "<details id=\"tool-{index}\"{}><summary><span class=\"badge {look}\">{badge}</span> {} <small>{}</small></summary>",
        if index == 0 { " open" } else { "" },
        escape(&tool.name()),
        escape(&notes.join(", "))
    );
    let _ = writeln!(out, "<p class=\"at\">{}</p>", escape(&tool.tool));
    slot(out, &format!("plot-{index}"), "The plot of the jobs needs scripts.");
    let evidence = tool.facts(assumed);
    facts(out, evidence.iter().map(|(name, value)| (name.as_str(), value.clone())));
    let _ = writeln!(out, "</details>");
}

fn plot(tool: &Tool) -> Plot<'_> {
    let (mut lines, mut compression) = (Vec::new(), 1.0);
    if let Proposal::Change { rule, by_version, .. } = &tool.proposal {
        lines.push(Rule { version: "", line: rule.line });
        let versions = by_version.iter().zip(&rule.by_version);
        lines.extend(versions.map(|((version, _), (_, line))| Rule { version, line: *line }));
        compression = rule.line.compression.unwrap_or(1.0);
    }
    #[expect(clippy::cast_possible_truncation, reason = "an amount in a plot")]
    let size = |plain: f32, compressed: f32| (f64::from(plain) + compression * f64::from(compressed)) as f32;
    let jobs = tool.points.iter().map(|job| {
        [size(job.plain, job.compressed), job.peak, job.today.first, if job.is_killed { 1.0 } else { 0.0 }]
            .map(three_digits)
    });
    Plot {
        name: tool.name(),
        jobs: jobs.collect(),
        lines,
        further: tool.attempts.get(1..).unwrap_or_default(),
        limit: tool.largest_destination,
    }
}

/// A number with as many digits as a plot shows, to keep pages small.
fn three_digits(number: f32) -> f32 {
    format!("{number:.2e}").parse().unwrap_or(number)
}
