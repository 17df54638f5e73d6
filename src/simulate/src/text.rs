//! The report as text for people.

use tpv_analysis::tool_id::short;
use tpv_text::figures::{amount, count};
use tpv_text::fold::fold;
use tpv_text::printable::put_line;
use tpv_text::rows::{Cell, Rows};

use crate::report::{Changes, Report, SetReport, Unit, duration};
use crate::tables::{apart, clusters, compared, groups, interval, number, signed, totals, waits};

/// The report for people, with at most `most` rows a table, and lines of at most this width. With `calibrates` simulated waits stand beside recorded ones.
pub fn text(report: &Report, most: usize, calibrates: bool, width: Option<usize>) -> String {
    let Some(set) = report.sets.last() else { return String::new() };
    let jobs = amount(set.all.jobs.round());
    let seeds = if report.seeds > 1 { format!(", {}", count(report.seeds as u64, "seed")) } else { String::new() };
    let mut text = format!("{jobs} jobs in {:.1} days{seeds}\n\n", report.days());
    if let [old, new] = report.sets.as_slice() {
        put_line!(text, "old rules: {}", old.name);
        put_line!(text, "new rules: {}", new.name);
        text.push('\n');
    }
    match &report.changes {
        Some(changes) => {
            let failing = failing(changes);
            if !failing.is_empty() {
                text += &format!("{failing}\n");
            }
            text += &compared("JOBS THAT FAIL", report, &changes.failures).table(width);
            part(&mut text, &apart(&changes.apart).table(width), "");
            let both = amount(changes.both_finish);
            text += &format!("\nWaits, hours and totals are of the {both} jobs that both rules finish:\n\n");
            text += &compared("FIGURE", report, &changes.figures).table(width);
        }
        None => text += &totals(set).table(width),
    }
    let clusters = clusters(&set.clusters);
    part(&mut text, &clusters.table(width), "");
    for (title, _, rows) in groups(set) {
        let mut table = Rows::new(vec![
            title, "JOBS", "FAILED", "MEDIAN", "95%", "MOST", "CORE·H", "A DAY", "WASTED", "GIB·H", "WASTED",
        ]);
        for row in rows.iter().take(most) {
            let [day, idle] = [row.core_hours / report.days().max(1e-9), row.core_hours_wasted].map(number);
            let more = [number(row.core_hours), day, idle, number(row.gib_hours), number(row.gib_hours_wasted)];
            table.push(waits(row).into_iter().chain(more).collect());
        }
        part(&mut text, &table.table(width), &left(rows.len(), most));
    }
    if let Some(changes) = &report.changes {
        text += &gains(report, changes, most, width);
    }
    if calibrates {
        part(&mut text, &calibration(set).table(width), "");
    }
    let mut errors = Rows::new(vec!["JOBS", "NOT MAPPED BECAUSE OF"]);
    for error in set.errors.iter().take(most) {
        errors.push(vec![error.jobs.into(), error.name.as_str().into()]);
    }
    part(&mut text, &errors.table(width), &left(set.errors.len(), most));
    let runs = report.interval_runs();
    let about = runs.map(|runs| format!("\nIntervals are over the pairs of {runs}, unless one names fewer.\n"));
    text += &about.unwrap_or_default();
    text += "\nWaits are from the arrival of a job to the start of its last attempt, without the time that it ran.\n";
    fold(&text, width).into_owned()
}

fn part(text: &mut String, table: &str, after: &str) {
    if !table.is_empty() {
        *text += "\n";
        *text += table;
        *text += after;
    }
}

fn left(all: usize, most: usize) -> String {
    let left = all.saturating_sub(most);
    if left == 0 { String::new() } else { format!("and {left} more: `--rows`, `--format csv`\n") }
}

/// The jobs that fail, in sentences: first those that did not.
fn failing(changes: &Changes) -> String {
    changes.apart.iter().map(|row| row.words() + "\n").collect()
}

/// Who gains and who loses.
fn gains(report: &Report, changes: &Changes, most: usize, width: Option<usize>) -> String {
    let mut text = String::new();
    for (title, all) in [("USER", &changes.users), ("TOOL", &changes.tools), ("ROLE", &changes.roles)] {
        let half = most.div_ceil(2);
        let gain = all.iter().filter(|change| change.hours < 0.0).take(half);
        let lose = all.iter().rev().filter(|change| change.hours > 0.0).take(half);
        let mut header = vec![title, "", "OLD MEAN WAIT", "NEW", "CHANGE", "HOURS IN ALL"];
        header.extend((report.seeds > 2).then_some("95 % INTERVAL"));
        let mut rows = Rows::new(header);
        for (change, word) in gain.map(|change| (change, "gains")).chain(lose.map(|change| (change, "loses"))) {
            let mut row = vec![
                short(&change.name).into(),
                word.into(),
                Cell::Decimal(duration(change.old)),
                Cell::Decimal(duration(change.new)),
                Cell::Decimal(signed(Unit::Seconds, change.difference)),
                Cell::Decimal(signed(Unit::Hours, change.hours)),
            ];
            row.extend((report.seeds > 2).then(|| interval(report, change)));
            rows.push(row);
        }
        part(&mut text, &rows.table(width), "");
    }
    text
}

/// Simulated waits beside recorded ones.
fn calibration(set: &SetReport) -> Rows {
    let mut rows =
        Rows::new(vec!["CALIBRATION", "JOBS", "RECORDED MEAN", "MEDIAN", "SIMULATED MEAN", "MEDIAN", "MEAN ERROR"]);
    for row in &set.calibration {
        rows.push(vec![
            row.name.as_str().into(),
            number(row.jobs),
            Cell::Decimal(duration(row.recorded_mean)),
            Cell::Decimal(duration(row.recorded_median)),
            Cell::Decimal(duration(row.simulated_mean)),
            Cell::Decimal(duration(row.simulated_median)),
            Cell::Decimal(duration(row.mean_error)),
        ]);
    }
    rows
}
