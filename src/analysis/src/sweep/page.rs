//! A sweep as a page: plots over the field, and the table of its spans.

use std::fmt::Write;

use serde::Serialize;

use super::Outcome;
use crate::page::{Page, escape, facts, slot, table};

/// A span as the page shows it.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The first value, as text.
    pub from: String,
    /// The last value, as text.
    pub to: String,
    /// The destination, or the error.
    pub place: String,
    /// Cores, a number or a range.
    pub cores: String,
    /// Memory in GiB, a number or a range.
    pub mem: String,
    /// GPUs, a number or a range.
    pub gpus: String,
}

/// A point of the plots.
#[derive(Clone, Debug, Serialize)]
pub struct Mark<'o> {
    /// The value: a number on a scale, else a text.
    pub at: serde_json::Value,
    /// The job's outcome.
    #[serde(flatten)]
    pub outcome: &'o Outcome,
}

/// The data of the page.
#[derive(Clone, Debug, Serialize)]
pub struct Data<'o> {
    /// The field, with its unit.
    pub field: String,
    /// `true` if the values are spaced by their logarithms.
    pub log: bool,
    /// The points of the plots.
    pub points: Vec<Mark<'o>>,
    /// The table.
    #[serde(skip)]
    pub rows: Vec<Row>,
}

/// The page; `job` says in words which job it is about.
///
/// # Errors
/// Never for these data: what cannot be written as JSON.
pub fn page(data: &Data<'_>, job: &[(&str, String)]) -> serde_json::Result<String> {
    let title = format!("By {}", data.field);
    let mut page = Page::new(format!("tpvc sweep: {}", data.field));
    page.plots();
    page.data(&serde_json::to_string(data)?);
    page.script(include_str!("page.js"));
    let out = page.body();
    let _ = writeln!(out, "<header>\n<h1>{}</h1>", escape(&title));
    facts(out, job.iter().map(|(name, value)| (*name, value.clone())));
    let _ = writeln!(out, "</header>");
    let without = "The plots need scripts; the table below says the same.";
    page.section("Where the job goes", |out| slot(out, "places", without));
    page.section("What it gets", |out| slot(out, "resources", without));
    // Most tools use no GPU, and narrow screens have room for few columns.
    let has_gpus = data.rows.iter().any(|row| !["", "0"].contains(&row.gpus.as_str()));
    let mut columns = vec!["From", "To", "Cores", "Memory (GiB)"];
    columns.extend(has_gpus.then_some("GPUs"));
    let numbers = columns.len();
    columns.push("Destination");
    page.section("In numbers", |out| table(out, &title, &columns, ..numbers, |out| rows(out, data, has_gpus)));
    Ok(page.render())
}

/// The rows of the table.
fn rows(out: &mut String, data: &Data<'_>, has_gpus: bool) {
    for row in &data.rows {
        let _ = write!(out, "<tr>");
        for text in [&row.from, &row.to, &row.cores, &row.mem].into_iter().chain(has_gpus.then_some(&row.gpus)) {
            let _ = write!(out, "<td class=\"number\">{}</td>", escape(text));
        }
        let _ = writeln!(out, "<td>{}</td></tr>", escape(&row.place));
    }
}
