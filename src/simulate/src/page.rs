//! The report as a page: key figures and tables in the HTML, plots and search by scripts.

use std::fmt::Write;

use tpv_analysis::page::{Page, escape, facts, slot, table};
use tpv_analysis::tool_id::short;
use tpv_text::figures::{amount, count, grouped};

use crate::report::{Change, Changes, FAILURES, Report, Row, SetReport, Unit, duration, wait};

/// The rows of a table without scripts.
const MOST_ROWS: usize = 100;
/// Those who gain, and those who lose, that are named.
const MOST_CHANGES: usize = 20;

/// The page.
///
/// # Errors
/// Never for these data: what cannot be written as JSON.
pub fn page(report: &Report) -> serde_json::Result<String> {
    let name = report.sets.last().map_or("", |set| set.name.as_str());
    let mut page = Page::new(format!("tpvc simulate: {name}"));
    page.plots();
    page.data(&serde_json::to_string(report)?);
    page.script(include_str!("page.js"));
    let Some(set) = report.sets.last() else { return Ok(page.render()) };
    let out = page.body();
    let _ = writeln!(out, "<header>\n<h1>How long jobs wait</h1>");
    let mut header = Vec::new();
    match report.sets.as_slice() {
        [old, new] => header.extend([("old rules", old.name.clone()), ("new rules", new.name.clone())]),
        _ => header.push(("rules", set.name.clone())),
    }
    header.push(("jobs", amount(set.all.jobs.round())));
    header.push(("days", format!("{:.1}", report.days())));
    header.push(("seeds", report.seeds.to_string()));
    if report.changes.is_none() {
        let all = &set.all;
        header.push(("jobs that fail", amount(all.failed)));
        header.push(("median wait", wait(all.wait_median)));
        header.push(("95 % wait at most", wait(all.wait_95)));
        header.push(("longest wait", wait(all.wait_most)));
        header.push(("core·h", format!("{}, wasted {}", hours(all.core_hours), hours(all.core_hours_wasted))));
        header.push(("GiB·h", format!("{}, wasted {}", hours(all.gib_hours), hours(all.gib_hours_wasted))));
    }
    facts(out, header);
    let _ = writeln!(out, "</header>");
    let without = "The plots need scripts; the tables say the same in numbers.";
    if let Some(changes) = &report.changes {
        page.section("Jobs that fail", |out| failures(out, changes));
        page.section("What changes for the jobs that both rules finish", |out| {
            changed(out, "Key figures", "Figure", &changes.figures, changes.fail_now() == 0.0);
            if let Some(runs) = report.interval_runs() {
                let _ = writeln!(
                    out,
                    "<p class=\"note\">Intervals are over the pairs of {runs}, or of as many as a row says.</p>"
                );
            }
        });
        page.section("Who gains, who loses", |out| gains(out, changes));
    } else if set.all.failed > 0.0 {
        page.section("Jobs that fail", |out| failed(out, set));
    }
    page.section("Waits", |out| {
        slot(out, "waits", without);
        rows(out, "Waits by destination", "Destination", &set.destinations);
    });
    page.section("Over time", |out| {
        slot(out, "levels", without);
        clusters(out, set);
    });
    page.section("Tools", |out| searched(out, "tools", "Waits by tool", "Tool", &set.tools));
    page.section("Users and roles", |out| {
        searched(out, "users", "Waits by user", "User", &set.users);
        rows(out, "Waits by role", "Role", &set.roles);
    });
    Ok(page.render())
}

/// An amount of hours, without a fraction from 100.
pub(crate) fn hours(value: f64) -> String {
    amount(if value.abs() >= 100.0 { value.round() } else { value })
}

/// Writes a cell with a number.
pub(crate) fn number(out: &mut String, text: &str) {
    let _ = write!(out, "<td class=\"number\">{}</td>", escape(text));
}

/// The name of a row; of a tool without its tool shed. A line ends behind a slash rather than within a word.
fn heading(out: &mut String, name: &str) {
    let shown = escape(short(name)).replace('/', "/<wbr>");
    let _ = write!(out, "<th scope=\"row\" title=\"{}\">{shown}</th>", escape(name));
}

/// The jobs that fail by the only rule set, by the way in which they do, and the errors that kept jobs from being mapped.
fn failed(out: &mut String, set: &SetReport) {
    let all = &set.all;
    let ways = [all.out_of_memory, all.unmapped, all.too_large, all.lost, all.undecided];
    table(out, "Jobs by the way in which they fail", &["Way", "Jobs"], 1.., |out| {
        for ((name, _), jobs) in FAILURES.iter().zip(ways).filter(|(_, jobs)| *jobs > 0.0) {
            let _ = write!(out, "<tr><th scope=\"row\">{name}</th>");
            number(out, &amount(jobs));
            let _ = writeln!(out, "</tr>");
        }
    });
    if set.errors.is_empty() {
        return;
    }
    let errors = count(set.errors.len() as u64, "error");
    let _ = writeln!(out, "<details>\n<summary>{errors} that kept jobs from being mapped</summary>\n<ul>");
    for error in set.errors.iter().take(MOST_ROWS) {
        let _ = writeln!(out, "<li>{}: {}</li>", count(error.jobs, "job"), escape(&error.name));
    }
    if let Some(more) = set.errors.len().checked_sub(MOST_ROWS).filter(|more| *more > 0) {
        let _ = writeln!(out, "<li>and {} more</li>", grouped(more as u64));
    }
    let _ = writeln!(out, "</ul>\n</details>");
}

/// Those whose jobs wait less, and those whose jobs wait longer.
fn gains(out: &mut String, changes: &Changes) {
    for (what, all) in [("User", &changes.users), ("Tool", &changes.tools), ("Role", &changes.roles)] {
        let gain = all.iter().filter(|change| change.hours < 0.0).take(MOST_CHANGES);
        let lose = all.iter().rev().filter(|change| change.hours > 0.0).take(MOST_CHANGES);
        let chosen: Vec<Change> = gain.chain(lose).cloned().collect();
        let caption = format!("Mean waits by {}, in order of the hours won or lost", what.to_lowercase());
        changed(out, &caption, what, &chosen, changes.fail_now() == 0.0);
    }
}

/// The jobs that fail by one rule set or both: nothing below counts them.
fn failures(out: &mut String, changes: &Changes) {
    for apart in &changes.apart {
        let look = match (apart.is_new(), apart.is_mended()) {
            (true, _) => "bad",
            (_, true) => "good",
            _ => "idle",
        };
        let _ = writeln!(out, "<p><span class=\"badge {look}\">{}</span></p>", escape(&apart.words()));
    }
    changed(out, "Jobs that fail", "Jobs", &changes.failures, true);
    if changes.apart.is_empty() {
        return;
    }
    let columns = ["Jobs that fail", "Jobs", "core·h, old", "New", "GiB·h, old", "New"];
    table(out, "What these jobs hold, which no total below counts", &columns, 1.., |out| {
        for apart in &changes.apart {
            let _ = write!(out, "<tr><th scope=\"row\">{}</th>", escape(apart.fail));
            number(out, &amount(apart.jobs));
            apart.core_hours.iter().chain(&apart.gib_hours).for_each(|value| number(out, &hours(*value)));
            let _ = writeln!(out, "</tr>");
        }
    });
}

/// A column of numbers: its title, its value in a row, and that as text.
pub(crate) type Column<R> = (&'static str, fn(&R) -> Option<f64>, fn(Option<f64>) -> String);

const COLUMNS: [Column<Row>; 9] = [
    ("Jobs", |row| Some(row.jobs.round()), count_of),
    ("Failed", |row| Some(row.failed), count_of),
    ("Median wait", |row| row.wait_median, wait),
    ("95 %", |row| row.wait_95, wait),
    ("Longest", |row| row.wait_most, wait),
    ("core·h", |row| Some(row.core_hours), hours_of),
    ("Wasted core·h", |row| Some(row.core_hours_wasted), hours_of),
    ("GiB·h", |row| Some(row.gib_hours), hours_of),
    ("Wasted GiB·h", |row| Some(row.gib_hours_wasted), hours_of),
];

pub(crate) fn count_of(value: Option<f64>) -> String {
    value.map_or_else(String::new, amount)
}

pub(crate) fn hours_of(value: Option<f64>) -> String {
    value.map_or_else(String::new, hours)
}

/// The table of rows, in the place where scripts put one with all of them and a search.
fn searched(out: &mut String, id: &str, caption: &str, name: &str, all: &[Row]) {
    let _ = writeln!(out, "<div id=\"{id}\">");
    rows(out, caption, name, all);
    let _ = writeln!(out, "</div>");
}

/// A table of numbers behind these first columns, which `heads` writes, without columns in which nothing stands.
pub(crate) fn numbers<R>(
    out: &mut String,
    caption: &str,
    first: &[&str],
    columns: &[Column<R>],
    rows: &[R],
    heads: impl Fn(&mut String, &R),
) {
    let is_used = |(_, value, _): &&Column<R>| rows.iter().any(|row| value(row).is_some_and(|value| value != 0.0));
    let used: Vec<&Column<R>> = columns.iter().filter(is_used).collect();
    let titles: Vec<&str> = first.iter().copied().chain(used.iter().map(|(title, ..)| *title)).collect();
    table(out, caption, &titles, first.len().., |out| {
        for row in rows {
            out.push_str("<tr>");
            heads(out, row);
            used.iter().for_each(|(_, value, shown)| number(out, &shown(value(row))));
            out.push_str("</tr>\n");
        }
    });
}

/// A table of the first rows.
fn rows(out: &mut String, caption: &str, name: &str, rows: &[Row]) {
    if rows.is_empty() {
        return;
    }
    let first = rows.get(..MOST_ROWS).unwrap_or(rows);
    numbers(out, caption, &[name], &COLUMNS, first, |out, row| {
        heading(out, &row.name);
    });
    let left = rows.len().saturating_sub(MOST_ROWS);
    if left > 0 {
        let more = count(left as u64, "row");
        let _ = writeln!(
            out,
            "<p class=\"note\">{more} more with shorter waits in all: <code>--format csv</code> has them</p>"
        );
    }
}

/// Changes as a table. Savings are marked as good unless jobs fail for them.
fn changed(out: &mut String, caption: &str, name: &str, changes: &[Change], praises: bool) {
    if changes.is_empty() {
        return;
    }
    let shown = |unit: Unit, value: f64| match unit {
        Unit::Seconds => duration(value),
        Unit::Count | Unit::Hours => hours(value),
    };
    let has_intervals = changes.iter().any(|change| change.interval.is_some());
    let has_hours = changes.iter().any(|change| change.hours != 0.0);
    let mut columns = vec![name, "Old", "New", "Change"];
    columns.extend(has_intervals.then_some(["95 % interval", "Runs"]).into_iter().flatten());
    columns.extend(has_hours.then_some("Hours in all"));
    table(out, caption, &columns, 1.., |out| {
        for change in changes {
            let look = match (change.is_sure(), change.difference > 0.0) {
                (true, true) => "bad",
                (true, false) if praises => "good",
                _ => "idle",
            };
            out.push_str("<tr>");
            heading(out, &change.name);
            number(out, &shown(change.unit, change.old));
            number(out, &shown(change.unit, change.new));
            let difference = escape(&shown(change.unit, change.difference));
            let _ = write!(out, "<td class=\"number\"><span class=\"badge {look}\">{difference}</span></td>");
            if has_intervals {
                let interval = change.interval.map(|ends| ends.map(|end| shown(change.unit, end)).join(" to "));
                number(out, &interval.unwrap_or_default());
                number(out, &change.runs.to_string());
            }
            if has_hours {
                number(out, &hours(change.hours));
            }
            let _ = writeln!(out, "</tr>");
        }
    });
}

/// The clusters, and the place for the plots of one.
fn clusters(out: &mut String, set: &SetReport) {
    if set.clusters.is_empty() {
        return;
    }
    let part = |level: f64, of: Option<f64>| match of {
        Some(of) if of > 0.0 => format!("{:.0} %", 100.0 * level / of),
        _ => hours(level),
    };
    let columns = ["Cluster", "Cores", "Cores used, mean", "Most", "Memory used, mean", "Jobs queued, mean", "Most"];
    table(out, "Clusters", &columns, 1.., |out| {
        for cluster in &set.clusters {
            let _ = write!(out, "<tr><th scope=\"row\">{}</th>", escape(&cluster.name));
            number(out, &cluster.cores.map_or_else(|| "no limit".to_owned(), hours));
            number(out, &part(cluster.cores_used.mean, cluster.cores));
            number(out, &part(cluster.cores_used.most, cluster.cores));
            number(out, &part(cluster.mem_used.mean, cluster.mem));
            number(out, &hours(cluster.queue.mean));
            number(out, &hours(cluster.queue.most));
            let _ = writeln!(out, "</tr>");
        }
    });
    slot(out, "clusters", "The plots need scripts.");
}
