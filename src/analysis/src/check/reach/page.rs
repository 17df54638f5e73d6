//! The matrix as a page: tools by destinations, with the reasons.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::Serialize;

use super::matrix::{DECLARED, JobEnd, Matrix, Row, Tool};
use crate::page::{Page, code, escape, facts, prose, slot};
use crate::quantities;
use tpv_model::Quantity;
use tpv_text::figures::grouped;

/// The most rows and tools of a row that stand in the page for readers without scripts; with scripts the table has all.
const MOST_ROWS: usize = 100;
const MOST_TOOLS: usize = 10;

/// The data that the script shows.
#[derive(Serialize)]
struct Data<'m> {
    declared: &'static str,
    /// The unit of each quantity, or the words for one of it and for several.
    #[serde(serialize_with = "quantities::by_name")]
    units: [[&'static str; 2]; Quantity::COUNT],
    #[serde(flatten)]
    matrix: &'m Matrix,
}

/// The page; `rules` is what the rules were named as.
///
/// # Errors
/// None that data of this kind has.
pub fn page(matrix: &Matrix, rules: &str) -> Result<String, serde_json::Error> {
    let mut page = Page::new(format!("tpvc check: {rules}"));
    page.plots();
    page.style(include_str!("page.css"));
    let units = Quantity::ALL.map(|quantity| [quantity.noun(1.0), quantity.units()]);
    page.data(&serde_json::to_string(&Data { declared: DECLARED, units, matrix })?);
    page.script(include_str!("page.js"));
    header(page.body(), matrix, rules);
    let without = "The plot needs scripts.";
    page.section("Where ordinary jobs go", |out| slot(out, "ordinary", "The table needs scripts."));
    page.section("Where any job may go", |out| rows(out, matrix));
    page.section("What each destination can get", |out| slot(out, "destinations", without));
    Ok(page.render())
}

fn header(out: &mut String, matrix: &Matrix, rules: &str) {
    let nowhere = |row: &Row| row.ends.is_some() || row.never.iter().all(Option::is_some);
    let lost = matrix.tools.iter().filter(|tool| matrix.rows.get(tool.row).is_some_and(nowhere)).count();
    let ends =
        |tool: &Tool| tool.tried.iter().flatten().any(|end| matrix.tried.ends.get(*end) == Some(&JobEnd::Nowhere));
    let untaken = matrix.tools.iter().filter(|tool| ends(tool)).count();
    let reached = |index: usize| matrix.rows.iter().any(|row| row.reaches(index));
    let columns = matrix.destinations.iter().enumerate().filter(|(_, column)| !column.is_abstract);
    let unreached = columns.clone().filter(|(index, _)| !reached(*index)).count();
    let _ = writeln!(out, "<header>\n<h1>Where jobs can go</h1>");
    facts(
        out,
        [
            ("rules", rules.to_owned()),
            ("tools", grouped(matrix.tools.len() as u64)),
            ("tools whose ordinary jobs get no destination", grouped(untaken as u64)),
            ("tools whose jobs never get one", grouped(lost as u64)),
            ("destinations", columns.count().to_string()),
            ("destinations that no job gets", unreached.to_string()),
        ],
    );
    let _ = writeln!(
        out,
        "<p class=\"note\">Ordinary jobs were mapped by these rules. “Never” is proved for every job, user, role and world. “Maybe” means that nothing rules it out.</p>\n</header>"
    );
}

/// The rows as a list, which scripts replace by a table.
fn rows(out: &mut String, matrix: &Matrix) {
    let mut tools: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
    for tool in &matrix.tools {
        tools.entry(tool.row).or_default().push(&tool.id);
    }
    let _ = writeln!(out, "<div id=\"matrix\">\n<ul>");
    for (index, tools) in tools.iter().take(MOST_ROWS) {
        let Some(row) = matrix.rows.get(*index) else { continue };
        let named: Vec<String> = tools.iter().take(MOST_TOOLS).map(|tool| code(tool)).collect();
        let more = tools.len().saturating_sub(MOST_TOOLS);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let _ = writeln!(out, "<li>{}{more}: {}</li>", named.join(", "), verdict(matrix, row));
    }
    let _ = writeln!(out, "</ul>");
    if tools.len() > MOST_ROWS {
        let _ = writeln!(out, "<p class=\"note\">And more; the page with scripts has all.</p>");
    }
    let _ = writeln!(out, "</div>\n<dialog id=\"why\" aria-labelledby=\"why-title\"></dialog>");
}

fn verdict(matrix: &Matrix, row: &Row) -> String {
    if let Some(reason) = row.ends.and_then(|index| matrix.reasons.get(index)) {
        return prose(reason);
    }
    let columns = matrix.destinations.iter().zip(&row.never).filter(|(column, _)| !column.is_abstract);
    let maybe: Vec<String> =
        columns.filter(|(_, never)| never.is_none()).map(|(column, _)| escape(&column.id)).collect();
    if maybe.is_empty() { "no destination".to_owned() } else { format!("maybe {}", maybe.join(", ")) }
}
