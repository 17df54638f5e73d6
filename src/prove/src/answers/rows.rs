//! Queries in SQL of other tables: one row, if the names of all columns show the kinds of their values.

use tpv_analysis::dry_job::SOMEONE;
use tpv_galaxy::json::Json;

use super::{FOLDER, TEXT, totals};

/// The words in the names of columns with numbers, with texts and with `true` or `false`.
const NUMBERS: [&str; 21] = [
    "count", "sum", "avg", "max", "min", "cores", "cpu", "cpus", "mem", "memory", "gpus", "size", "bytes", "quota",
    "limit", "number", "amount", "total", "usage", "priority", "load",
];
const TEXTS: [&str; 11] =
    ["name", "label", "tag", "identifier", "title", "group", "role", "type", "key", "value", "version"];
const SWITCHES: [&str; 5] = ["is", "has", "active", "enabled", "allowed"];

/// The row that a query is answered with. `None` if the kind of a column is unknown.
pub(super) fn rows(sql: &str, destinations: &[String]) -> Option<Json> {
    let text = sql.to_ascii_lowercase();
    let columns = totals::columns(text.strip_prefix("select ")?)?;
    let cells: Option<Vec<Json>> = columns.iter().map(|column| cell(column, destinations)).collect();
    Some(Json::List(vec![Json::List(cells?)]))
}

fn cell(column: &str, destinations: &[String]) -> Option<Json> {
    let column = column.strip_prefix("distinct ").unwrap_or(column);
    if let Ok(number) = column.parse() {
        return Some(Json::Int(number));
    }
    let named = column.rsplit_once(" as ").map_or(column, |(_, name)| name);
    let name = named.rsplit('.').next().unwrap_or(named);
    let is_word = |c: char| c.is_ascii_alphanumeric();
    let words: Vec<&str> = name.split(|c: char| !is_word(c)).filter(|word| !word.is_empty()).collect();
    let has = |kinds: &[&str]| words.iter().any(|word| kinds.contains(word));
    let is_sum = ["count(", "sum(", "avg("].iter().any(|function| column.starts_with(function));
    match () {
        () if is_sum => Some(Json::Int(1)),
        () if name == "destination_id" => destinations.first().map(|id| Json::str(id.as_str())),
        () if has(&["email"]) => Some(Json::str(SOMEONE)),
        () if has(&["state"]) => Some(Json::str("running")),
        () if has(&["deleted", "disabled"]) => Some(Json::Bool(false)),
        () if has(&SWITCHES) => Some(Json::Bool(true)),
        () if has(&["path", "file", "dir"]) => Some(Json::str(format!("{FOLDER}{}", words.join("_")))),
        () if has(&NUMBERS) || words.last() == Some(&"id") => Some(Json::Int(1)),
        () if has(&TEXTS) => Some(Json::str(TEXT)),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tpv_galaxy::json::text_of;

    #[test]
    fn the_names_of_columns_show_the_kinds_of_values() {
        let answer = |sql: &str| rows(sql, &["slurm".to_owned()]).map(|rows| text_of(&rows));
        let rows = [
            ("SELECT training_identifier FROM trainings WHERE \"start\" <= :day", Some(r#"[["1"]]"#)),
            (
                "select u.id, u.email, max(l.cores) from users u join limits l",
                Some(r#"[[1, "someone@example.org", 1]]"#),
            ),
            ("select destination_id, is_active, 1 from state", Some(r#"[["slurm", true, 1]]"#)),
            ("select count(*) from galaxy_user", Some("[[1]]")),
            ("select * from limits", None),
            ("select create_time, id from limits", None),
            ("update limits set x = 1", None),
        ];
        for (sql, expected) in rows {
            assert_eq!(answer(sql).as_deref(), expected, "{sql}");
        }
    }
}
