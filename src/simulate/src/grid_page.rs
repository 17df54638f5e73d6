//! The report of a grid as a page: the table in the HTML, plots by a script.

use std::fmt::Write;

use tpv_analysis::page::{Page, escape, facts, slot, table};
use tpv_text::figures::amount;

use crate::page::{hours, number};
use crate::report::wait;
use crate::vary::{ABOUT_FRONT, GridReport, point_name};

/// The page.
///
/// # Errors
/// Never for these data: what cannot be written as JSON.
pub fn grid_page(report: &GridReport) -> serde_json::Result<String> {
    let varied = report.axes.join(", ");
    let mut page = Page::new(format!("tpvc simulate: {varied}"));
    page.plots();
    page.data(&serde_json::to_string(report)?);
    page.script(include_str!("grid_page.js"));
    let out = page.body();
    let _ = writeln!(out, "<header>\n<h1>Waits against waste</h1>");
    let front = report.points.iter().filter(|point| point.on_front).count();
    let numbers = [("points", report.points.len().to_string()), ("on the Pareto front", front.to_string())];
    facts(out, [("varied", varied)].into_iter().chain(numbers));
    if let Some(missing) = report.incomplete(usize::MAX) {
        let _ = writeln!(out, "<p class=\"note\">Not complete: {}</p>", escape(&missing));
    }
    let _ = writeln!(out, "</header>");
    page.section("The front", |out| {
        let _ = writeln!(out, "<p>{}</p>", escape(ABOUT_FRONT));
        slot(out, "front", "The plots need scripts; the table says the same in numbers.");
    });
    page.section("Waits by what is varied", |out| slot(out, "axes", ""));
    page.section("Points", |out| {
        let mut columns =
            vec!["Point", "Front", "Failed", "Mean wait", "Median", "95 %", "core·h idle", "core·h wasted"];
        columns.extend(["GiB·h idle", "GiB·h wasted"]);
        if report.has_gpus() {
            columns.extend(["GPU·h idle", "GPU·h wasted"]);
        }
        table(out, "All points", &columns, 0, |out| {
            for point in &report.points {
                let figures = &point.figures;
                let _ = write!(out, "<tr><th scope=\"row\">{}</th>", escape(&point_name(&report.axes, &point.values)));
                let front = if point.on_front { "<span class=\"badge good\">front</span>" } else { "" };
                let _ = write!(out, "<td>{front}</td>");
                number(out, &amount(figures.failed));
                for seconds in [figures.wait_mean, figures.wait_median, figures.wait_95] {
                    number(out, &wait(seconds));
                }
                let gpus = [point.gpu_hours_idle, figures.gpu_hours_wasted];
                let gpus = gpus.into_iter().filter(|_| report.has_gpus());
                let others =
                    [point.core_hours_idle, figures.core_hours_wasted, point.gib_hours_idle, figures.gib_hours_wasted];
                for value in others.into_iter().chain(gpus) {
                    number(out, &hours(value));
                }
                let _ = writeln!(out, "</tr>");
            }
        });
    });
    Ok(page.render())
}
