//! The report as text.

use super::super::entities::{Change, Group, Kind};
use super::{
    Jobs, MOST_NAMES, Pair, Report, about_totals, arrow, caption, changed, left_out, names, one_line, order, place,
    whole,
};
use crate::tool_id::short;
use tpv_text::figures::{count, grouped};
use tpv_text::printable::put_line;
use tpv_text::text_diff::unified;

/// The number of table rows shown before the rest is left out.
const MOST_ROWS: usize = 20;

/// The number of changes shown for a cause.
const MOST_REASONS: usize = 3;

/// The report as text.
pub fn text(report: &Report) -> String {
    let mut out = String::new();
    if let Some(jobs) = &report.jobs {
        self::jobs(&mut out, jobs);
    }
    if report.changes.groups.is_empty() {
        out.push_str("the rules say the same\n");
        return out;
    }
    let mut section = "";
    for group in &report.changes.groups {
        if group.section != section {
            section = group.section;
            let counts = report.changes.counts.iter().find(|count| count.section == section);
            let counts = counts.map(|count| match count.old == count.new {
                true => format!(": {}, {} changed", whole(count.new), whole(count.changed)),
                false => format!(": {} -> {}, {} changed", whole(count.old), whole(count.new), whole(count.changed)),
            });
            put_line!(out, "{section}{}", counts.unwrap_or_default());
        }
        self::group(&mut out, group);
    }
    out
}

/// A group of changes.
fn group(out: &mut String, group: &Group) {
    let whole = |change: &&Change| matches!(change.kind, Kind::Added | Kind::Removed | Kind::Renamed);
    if let Some(change) = group.changes.first().filter(whole) {
        let mark = match change.kind {
            Kind::Added => '+',
            Kind::Removed => '-',
            _ => '~',
        };
        let from = change.old.as_ref().map(|old| format!(" (renamed from `{old}`)")).unwrap_or_default();
        let at = place(change).map(|place| format!("  {place}")).unwrap_or_default();
        put_line!(out, "  {mark} {}{from}{at}", names(&group.entities, MOST_NAMES));
        return;
    }
    let all = if group.entities.len() > 1 { format!("  ({} in all)", group.entities.len()) } else { String::new() };
    put_line!(out, "  ~ {}{all}", names(&group.entities, MOST_NAMES));
    group.changes.iter().for_each(|change| self::change(out, change));
}

/// A change of a field, a rule or an order.
fn change(out: &mut String, change: &Change) {
    let is_long = |text: &Option<String>| text.as_deref().is_some_and(|text| text.trim().contains('\n'));
    let at = place(change).map(|place| format!("  {place}")).unwrap_or_default();
    let rule = change.rule.as_deref().unwrap_or_default();
    let lines = |out: &mut String, mark: &str, text: &Option<String>| {
        for line in text.as_deref().unwrap_or_default().trim_end().lines() {
            put_line!(out, "        {mark} {line}");
        }
    };
    match change.kind {
        Kind::RuleAdded | Kind::RuleRemoved => {
            let (mark, text) = if change.kind == Kind::RuleAdded { ('+', &change.new) } else { ('-', &change.old) };
            put_line!(out, "      {mark} rule `{rule}`{at}");
            lines(out, " ", text);
        }
        Kind::RuleOrder | Kind::EnvOrder | Kind::LookupOrder | Kind::DestinationOrder => {
            put_line!(out, "      {}", order(change.kind));
            lines(out, "-", &change.old);
            lines(out, "+", &change.new);
        }
        Kind::Field if is_long(&change.old) || is_long(&change.new) => {
            let rule = if rule.is_empty() { String::new() } else { format!("rule `{rule}`: ") };
            put_line!(out, "      {rule}{}{at}", change.field.as_deref().unwrap_or_default());
            let text = |text: &Option<String>| {
                text.as_deref().map(|text| text.trim_end().to_owned() + "\n").unwrap_or_default()
            };
            // Without the names of files and the line numbers, which are those of the values.
            let diff = unified("", "", &text(&change.old), &text(&change.new));
            for line in diff.lines().skip(2).filter(|line| !line.starts_with("@@")) {
                put_line!(out, "        {line}");
            }
        }
        _ => {
            put_line!(out, "      {}", one_line(change));
        }
    }
}

/// Appends the changes for jobs.
fn jobs(out: &mut String, jobs: &Jobs) {
    let differing = jobs.differing.new.jobs;
    let failing = jobs.failing();
    failing.iter().for_each(|line| put_line!(out, "{line}"));
    put_line!(out, "{} of {} get another answer", grouped(differing), jobs.counted());
    if jobs.invalid > 0 {
        put_line!(out, "{}", left_out(jobs.invalid));
    }
    if let Some(about) = about_totals(jobs).filter(|_| !jobs.made) {
        put_line!(out, "{about}");
    }
    for (quantity, old, new) in jobs.all.quantities().into_iter().filter(|_| !jobs.made) {
        if old > 0.0 || new > 0.0 {
            put_line!(out, "  {:<9} {}", caption(quantity), changed(old, new));
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "counts for people")]
    let counts = |pair: &Pair| (pair.old.jobs as f64, pair.new.jobs as f64);
    out.push('\n');
    if differing == 0 {
        return;
    }
    for cause in &jobs.causes {
        put_line!(out, "{:>10}  {}", grouped(cause.amounts.new.jobs), cause.cause);
        let differ: Vec<String> = cause.amounts.changes().collect();
        if !differ.is_empty() && !jobs.made {
            put_line!(out, "            {}", differ.join("; "));
        }
        for reason in cause.reasons.iter().take(MOST_REASONS) {
            let all = reason.jobs == cause.amounts.new.jobs;
            let jobs = if all { String::new() } else { format!("{}: ", count(reason.jobs, "job")) };
            put_line!(out, "            {jobs}{}", reason.because);
        }
        if cause.reasons.len() > MOST_REASONS {
            let more = cause.reasons.len() - MOST_REASONS;
            let concern = if more == 1 { "concerns" } else { "concern" };
            put_line!(out, "            and {} {concern} some of them", count(more as u64, "more change"));
        }
        for example in &cause.examples {
            let details: Vec<String> = example
                .differ
                .iter()
                .map(|detail| format!("{}: {}", detail.field, arrow(&detail.old, &detail.new)))
                .collect();
            let id = if example.id.is_null() { String::new() } else { format!(", id {}", example.id) };
            let tool = short(&example.tool);
            put_line!(out, "              line {}{id} ({tool}): {}", example.line, details.join("; "));
        }
    }
    if let Some(others) = &jobs.other_causes {
        put_line!(out, "{:>10}  (other causes)", grouped(others.new.jobs));
    }
    let moved: Vec<_> = jobs.moved().collect();
    if !moved.is_empty() {
        out.push_str("\ndestinations\n");
        for row in moved.iter().take(MOST_ROWS) {
            let (old, new) = counts(&row.amounts);
            let changes: Vec<String> =
                std::iter::once(format!("jobs {}", changed(old, new))).chain(row.amounts.changes()).collect();
            put_line!(out, "  {:<30} {}", row.id, changes.join("; "));
        }
        more(out, moved.len());
    }
    if !jobs.flows.is_empty() {
        out.push_str("\nelsewhere\n");
        for flow in jobs.flows.iter().take(MOST_ROWS) {
            put_line!(out, "{:>10}  {} -> {}", grouped(flow.jobs), flow.from, flow.to);
        }
        more(out, jobs.flows.len());
    }
    out.push_str("\ntools\n");
    for tool in jobs.tools.iter().take(MOST_ROWS) {
        put_line!(out, "{:>10}  {}", grouped(tool.amounts.new.jobs), short(&tool.id));
    }
    more(out, jobs.tools.len());
    out.push_str("\nwhat changed in the config\n\n");
}

fn more(out: &mut String, rows: usize) {
    if rows > MOST_ROWS {
        put_line!(out, "  and {} more", rows - MOST_ROWS);
    }
}
