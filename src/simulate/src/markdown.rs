//! The report as Markdown.

use tpv_text::figures::amount;
use tpv_text::markdown_text::escaped;
use tpv_text::rows::Rows;

use crate::report::Report;
use crate::tables::{clusters, compared, groups, number, totals, waits};

/// For the comment of a pull request.
pub fn markdown(report: &Report, most: usize) -> String {
    let Some(set) = report.sets.last() else { return String::new() };
    let jobs = amount(set.all.jobs.round());
    let mut text = format!("### Simulation of {jobs} jobs in {:.1} days\n\n", report.days());
    match &report.changes {
        Some(changes) => {
            for row in &changes.apart {
                let mark = if row.is_new() { ":x: " } else { "" };
                text += &format!("{mark}{}\n\n", escaped(&row.words()));
            }
            text += &compared("JOBS THAT FAIL", report, &changes.failures).markdown();
            let both = amount(changes.both_finish);
            text += &format!("\nWaits, hours and totals are of the {both} jobs that both rules finish:\n\n");
            text += &compared("FIGURE", report, &changes.figures).markdown();
            let runs = report.interval_runs();
            let about = runs.map(|runs| format!("\nIntervals are over the pairs of {runs}.\n"));
            text += &about.unwrap_or_default();
        }
        None => text += &totals(set).markdown(),
    }
    let parts = [("Clusters", clusters(&set.clusters))].into_iter();
    let waits = groups(set).into_iter().map(|(_, name, rows)| {
        let mut table = Rows::new(vec!["", "JOBS", "FAILED", "MEDIAN", "95%", "MOST", "CORE·H", "GIB·H"]);
        for row in rows.iter().take(most) {
            table.push(waits(row).into_iter().chain([number(row.core_hours), number(row.gib_hours)]).collect());
        }
        let title = match name {
            "destination" => "Waits by destination",
            "tool" => "Waits by tool",
            "user" => "Waits by user",
            _ => "Waits by role",
        };
        (title, table)
    });
    for (title, table) in parts.chain(waits) {
        let table = table.markdown();
        if !table.is_empty() {
            text += &format!("\n<details><summary>{title}</summary>\n\n{table}\n</details>\n");
        }
    }
    text
}
