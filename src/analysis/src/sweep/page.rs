//! A sweep as a page: plots over the field, and the table of its spans.

use std::fmt::Write;

use serde::Serialize;

use super::Outcome;
use crate::page::{Page, escape, facts, slot, table};
use crate::quantities;
use tpv_model::Quantity;

/// A span as the page shows it.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The first value, as text.
    pub from: String,
    /// The last value, as text.
    pub to: String,
    /// The destination, or the error.
    pub place: String,
    /// A number or a range of each quantity.
    pub amounts: [String; Quantity::COUNT],
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
    /// The titles of the plots.
    #[serde(serialize_with = "quantities::by_name")]
    titles: [String; Quantity::COUNT],
    /// The points of the plots.
    pub points: Vec<Mark<'o>>,
    /// The table.
    #[serde(skip)]
    pub rows: Vec<Row>,
}

impl<'o> Data<'o> {
    /// The data of a field's points and table.
    pub fn new(field: String, log: bool, points: Vec<Mark<'o>>, rows: Vec<Row>) -> Self {
        Self { field, log, titles: Quantity::ALL.map(quantities::title), points, rows }
    }
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
    let is_used =
        |quantity: &Quantity| data.rows.iter().any(|row| !["", "0"].contains(&quantity.of(&row.amounts).as_str()));
    let used: Vec<Quantity> = Quantity::ALL.into_iter().filter(is_used).collect();
    let mut columns = vec!["From", "To"];
    columns.extend(used.iter().map(|quantity| quantity.of(&data.titles).as_str()));
    let numbers = columns.len();
    columns.push("Destination");
    page.section("In numbers", |out| table(out, &title, &columns, ..numbers, |out| rows(out, data, &used)));
    Ok(page.render())
}

/// The rows of the table.
fn rows(out: &mut String, data: &Data<'_>, used: &[Quantity]) {
    for row in &data.rows {
        let _ = write!(out, "<tr>");
        for text in [&row.from, &row.to].into_iter().chain(used.iter().map(|quantity| quantity.of(&row.amounts))) {
            let _ = write!(out, "<td class=\"number\">{}</td>", escape(text));
        }
        let _ = writeln!(out, "<td>{}</td></tr>", escape(&row.place));
    }
}
