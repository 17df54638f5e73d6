//! The report of a grid as a page: the table in the HTML, plots by a script.

use std::fmt::Write;

use tpv_analysis::page::{Page, escape, facts, slot};
use tpv_text::figures::amount;

use crate::page::{Column, count_of, hours_of, numbers};
use crate::report::wait;
use crate::vary::{ABOUT_FRONT, GridReport, Point};

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
    let counted = [("points", report.points.len().to_string()), ("on the Pareto front", front.to_string())];
    facts(out, [("varied", varied)].into_iter().chain(counted));
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
        let first: Vec<&str> = report.axes.iter().map(String::as_str).chain(["Front"]).collect();
        numbers(out, "All points", &first, &COLUMNS, &report.points, |out, point| {
            for value in &point.values {
                let _ = write!(out, "<th scope=\"row\">{}</th>", amount(*value));
            }
            let front = if point.on_front { "<span class=\"badge good\">front</span>" } else { "" };
            let _ = write!(out, "<td>{front}</td>");
        });
    });
    Ok(page.render())
}

const COLUMNS: [Column<Point>; 10] = [
    ("Failed", |point| Some(point.figures.failed), count_of),
    ("Mean wait", |point| point.figures.wait_mean, wait),
    ("Median", |point| point.figures.wait_median, wait),
    ("95 %", |point| point.figures.wait_95, wait),
    ("core·h idle", |point| Some(point.core_hours_idle), hours_of),
    ("core·h wasted", |point| Some(point.figures.core_hours_wasted), hours_of),
    ("GiB·h idle", |point| Some(point.gib_hours_idle), hours_of),
    ("GiB·h wasted", |point| Some(point.figures.gib_hours_wasted), hours_of),
    ("GPU·h idle", |point| Some(point.gpu_hours_idle), hours_of),
    ("GPU·h wasted", |point| Some(point.figures.gpu_hours_wasted), hours_of),
];
