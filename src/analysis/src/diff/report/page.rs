//! The report as a page. All of it stands in the HTML, up to [`MOST_ROWS`] rows a table; scripts add plots, and search in all rows.

use std::collections::HashMap;
use std::fmt::Write;

use super::{Cause, Jobs, Pair, Report, about_totals, arrow, caption, changed, left_out, names, one_line, whole};
use crate::page::{Page, escape, facts, prose, slot, table};
use crate::quantities;
use tpv_model::Quantity;
use tpv_text::figures::{amount, count};

/// The number of table rows without scripts.
const MOST_ROWS: usize = 300;

/// The number of entities of a group named without scripts.
const MOST_ENTITIES: usize = 20;

/// The report as a page.
///
/// # Errors
/// None that data of this kind has.
pub fn page(report: &Report) -> serde_json::Result<String> {
    let mut page = Page::new(format!("tpvc diff: {} → {}", report.old, report.new));
    page.plots();
    page.data(&serde_json::to_string(report)?);
    page.script(include_str!("page.js"));
    let out = page.body();
    let _ = writeln!(out, "<header>\n<h1>From {} to {}</h1>", escape(&report.old), escape(&report.new));
    if let Some(jobs) = &report.jobs {
        for line in jobs.failing() {
            let look = if line.contains("and did not before") { "bad" } else { "idle" };
            let _ = writeln!(out, "<p><span class=\"badge {look}\">{}</span></p>", escape(&line));
        }
        facts(out, totals(jobs));
        if let Some(about) = about_totals(jobs) {
            let _ = writeln!(out, "<p class=\"note\">Totals are the {}</p>", escape(&about));
        }
    }
    if let Some(jobs) = report.jobs.as_ref().filter(|jobs| jobs.invalid > 0) {
        let _ = writeln!(out, "<p class=\"note\">{}</p>", escape(&left_out(jobs.invalid)));
    }
    let _ = writeln!(out, "</header>");
    if let Some(jobs) = report.jobs.as_ref().filter(|jobs| !jobs.causes.is_empty()) {
        page.section("Jobs that get another answer", |out| causes(out, jobs));
        page.section("Where jobs go", |out| {
            slot(out, "destinations", "");
            destinations(out, jobs);
            slot(out, "flows", "");
            flows(out, jobs);
        });
        page.section("What they get", |out| {
            slot(out, "ratios", "The plots of the ratios of new to old cores and memory need scripts.")
        });
        page.section("Tools", |out| {
            slot(out, "tools", "");
            tools(out, jobs);
        });
    }
    page.section("What changed in the config", |out| config(out, report));
    Ok(page.render())
}

/// The totals of all jobs.
fn totals(jobs: &Jobs) -> Vec<(String, String)> {
    let Pair { old, new } = jobs.all;
    let differing = jobs.differing.new.jobs;
    #[expect(clippy::cast_precision_loss, reason = "counts for people")]
    let of = |number: u64| number as f64;
    let mut totals =
        vec![("get another answer".to_owned(), format!("{} of {}", amount(of(differing)), jobs.counted()))];
    if jobs.made {
        return totals;
    }
    let quantities = jobs.all.quantities().map(|(quantity, old, new)| (caption(quantity), old, new));
    let rows = std::iter::once(("errors".to_owned(), of(old.errors), of(new.errors))).chain(quantities);
    let rows = rows.filter(|(_, old, new)| *old > 0.0 || *new > 0.0);
    totals.extend(rows.map(|(name, old, new)| (name, arrows(&changed(old, new)))));
    totals
}

/// A text with arrows as a page has them.
fn arrows(text: &str) -> String {
    text.replace(" -> ", " → ")
}

/// Changes of sums as HTML: a number and its unit stay on one line.
fn sums(text: &str) -> String {
    escape(&arrows(text)).replace(" %)", "&nbsp;%)")
}

fn causes(out: &mut String, jobs: &Jobs) {
    let counts: HashMap<(&str, &str), u64> =
        jobs.causes.iter().filter_map(|cause| Some((flow(cause)?, cause.amounts.new.jobs))).collect();
    // About as many jobs go the other way, and nothing else of them changes.
    let is_swap = |cause: &&Cause| {
        let back = flow(cause).and_then(|(from, to)| counts.get(&(to, from)));
        let jobs = cause.amounts.new.jobs;
        back.is_some_and(|back| jobs <= back.saturating_mul(2) && *back <= jobs.saturating_mul(2))
    };
    let (swaps, others): (Vec<&Cause>, Vec<&Cause>) = jobs.causes.iter().partition(is_swap);
    listed(out, &others);
    if !swaps.is_empty() {
        let total = swaps.iter().map(|cause| cause.amounts.new.jobs).sum();
        let _ = writeln!(
            out,
            "<details><summary><span class=\"badge idle\">{}</span> swap places: between two destinations, about as many come as \
             go, which is what a rank that draws lots does</summary>",
            escape(&count(total, "job"))
        );
        listed(out, &swaps);
        let _ = writeln!(out, "</details>");
    }
}

/// The old and the new destination, if nothing else is the cause.
fn flow(cause: &Cause) -> Option<(&str, &str)> {
    cause.cause.strip_prefix("destination: ")?.split_once(" -> ")
}

fn listed(out: &mut String, causes: &[&Cause]) {
    for cause in causes.iter().take(MOST_ROWS) {
        let Pair { old, new } = cause.amounts;
        let look = if new.errors > old.errors {
            "bad"
        } else if old.errors > new.errors {
            "good"
        } else {
            "idle"
        };
        let _ = write!(
            out,
            "<details><summary><span class=\"badge {look}\">{}</span> {}",
            escape(&count(new.jobs, "job")),
            escape(&arrows(&cause.cause))
        );
        let changes: Vec<String> = cause.amounts.changes().collect();
        if !changes.is_empty() {
            let _ = write!(out, " <small>{}</small>", sums(&changes.join("; ")));
        }
        let _ = writeln!(out, "</summary>");
        reasons(out, cause);
        examples(out, cause);
        let _ = writeln!(out, "</details>");
    }
    let left = causes.len().saturating_sub(MOST_ROWS);
    if left > 0 {
        let _ = writeln!(
            out,
            "<p class=\"note\">{} of fewer jobs: <code>--format json</code> has all</p>",
            count(left as u64, "more cause")
        );
    }
}

fn reasons(out: &mut String, cause: &Cause) {
    const MOST: usize = 10;
    if cause.reasons.is_empty() {
        return;
    }
    let _ = writeln!(out, "<p class=\"note\">Changes that concern these jobs</p>\n<ul>");
    for reason in cause.reasons.iter().take(MOST) {
        let jobs = if reason.jobs == cause.amounts.new.jobs { String::new() } else { count(reason.jobs, "job") + ": " };
        let _ = writeln!(out, "<li>{jobs}{}</li>", prose(&arrows(&reason.because)));
    }
    if cause.reasons.len() > MOST {
        let _ = writeln!(out, "<li>and {} more</li>", cause.reasons.len() - MOST);
    }
    let _ = writeln!(out, "</ul>");
}

fn examples(out: &mut String, cause: &Cause) {
    if cause.examples.is_empty() {
        return;
    }
    table(out, "Examples", &["Line", "Tool", "What differs"], ..1, |out| {
        for example in &cause.examples {
            let details = example.differ.iter().map(|detail| {
                format!("{}: {}", escape(&detail.field), escape(&arrows(&arrow(&detail.old, &detail.new))))
            });
            let details = details.collect::<Vec<_>>().join("<br>");
            let _ = writeln!(
                out,
                "<tr><td class=\"number\">{}</td><td><code>{}</code></td><td>{details}</td></tr>",
                example.line,
                escape(&example.tool)
            );
        }
    });
}

fn destinations(out: &mut String, jobs: &Jobs) {
    let titles = Quantity::ALL.map(quantities::title);
    let columns: Vec<&str> = ["Destination", "Jobs"].into_iter().chain(titles.iter().map(String::as_str)).collect();
    table(out, "By destination", &columns, ..0, |out| {
        let moved = jobs.destinations.iter().filter(|row| row.amounts.old != row.amounts.new);
        for row in moved.take(MOST_ROWS) {
            let Pair { old, new } = row.amounts;
            #[expect(clippy::cast_precision_loss, reason = "counts for people")]
            let counts = (old.jobs as f64, new.jobs as f64);
            let given = row.amounts.quantities().map(|(_, old, new)| (old, new));
            let _ = write!(out, "<tr><th scope=\"row\">{}</th>", escape(&row.id));
            for (old, new) in std::iter::once(counts).chain(given) {
                let _ = write!(out, "<td>{}</td>", sums(&changed(old, new)));
            }
            let _ = writeln!(out, "</tr>");
        }
    });
}

fn flows(out: &mut String, jobs: &Jobs) {
    if jobs.flows.is_empty() {
        return;
    }
    table(out, "Jobs that change destination", &["Jobs", "From", "To"], ..1, |out| {
        for flow in jobs.flows.iter().take(MOST_ROWS) {
            let _ = writeln!(
                out,
                "<tr><td class=\"number\">{}</td><td>{}</td><td>{}</td></tr>",
                flow.jobs,
                escape(&flow.from),
                escape(&flow.to)
            );
        }
    });
}

fn tools(out: &mut String, jobs: &Jobs) {
    let _ = writeln!(out, "<div id=\"all-tools\">");
    table(out, "Jobs that get another answer, by tool", &["Jobs", "Tool"], ..1, |out| {
        for tool in jobs.tools.iter().take(MOST_ROWS) {
            let _ = writeln!(
                out,
                "<tr><td class=\"number\">{}</td><td>{}</td></tr>",
                tool.amounts.new.jobs,
                escape(&tool.id)
            );
        }
    });
    let _ = writeln!(out, "</div>");
}

fn config(out: &mut String, report: &Report) {
    if report.changes.groups.is_empty() {
        let _ = writeln!(out, "<p>The rules say the same.</p>");
        return;
    }
    let counts = report.changes.counts.iter().filter(|count| count.changed > 0 || count.old != count.new);
    facts(
        out,
        counts.map(|count| {
            (
                count.section,
                match count.old == count.new {
                    true => format!("{}, {} changed", whole(count.new), whole(count.changed)),
                    false => format!("{} → {}, {} changed", whole(count.old), whole(count.new), whole(count.changed)),
                },
            )
        }),
    );
    let _ = writeln!(out, "<div id=\"changes\">");
    table(out, "Entity by entity", &["Section", "Entities", "Changes"], ..0, |out| {
        for group in report.changes.groups.iter().take(MOST_ROWS) {
            let changes: Vec<String> = group.changes.iter().map(|change| prose(&arrows(&one_line(change)))).collect();
            let _ = writeln!(
                out,
                "<tr><td>{}</td><td>{}</td><td>{}</td></tr>",
                group.section,
                prose(&names(&group.entities, MOST_ENTITIES)),
                changes.join("<br>")
            );
        }
    });
    let _ = writeln!(out, "</div>");
}
