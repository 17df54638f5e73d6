//! Queries in SQL that count or sum jobs: a world answers them by the totals of its jobs.

use tpv_galaxy::json::Json;

use super::object;

/// The totals of jobs that a query asks for, as a world has them. `None` for other queries.
pub(super) fn totals(sql: &str) -> Option<Json> {
    let text = sql.to_ascii_lowercase();
    let columns = columns(text.strip_prefix("select ")?)?;
    let words: Option<Vec<(bool, &str)>> = columns.iter().map(|column| word(column, &text)).collect();
    let words = words.filter(|words| words.is_sorted_by_key(|(is_total, _)| *is_total))?;
    let of = |wanted: bool| {
        let words = words.iter().filter(|(is_total, _)| *is_total == wanted);
        Json::List(words.map(|(_, word)| Json::str(*word)).collect())
    };
    let is_of_jobs = text.contains("job") && words.iter().any(|(is_total, _)| *is_total);
    is_of_jobs.then(|| object([("group_by", of(false)), ("totals", of(true))]))
}

/// The columns before the first `from` that is outside of all brackets.
pub(super) fn columns(text: &str) -> Option<Vec<&str>> {
    let (mut depth, mut start, mut out) = (0_i32, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                out.push(text.get(start..at)?.trim());
                start = at + 1;
            }
            ' ' if depth == 0 && text.get(at..)?.starts_with(" from ") => {
                out.push(text.get(start..at)?.trim());
                return Some(out);
            }
            _ => {}
        }
    }
    None
}

/// The word of a world for a column, and `true` if it is a total.
fn word(column: &str, sql: &str) -> Option<(bool, &'static str)> {
    let column = column.split_once(" as ").map_or(column, |(column, _)| column).trim();
    let name = column.rsplit('.').next().unwrap_or(column);
    match name {
        "destination_id" => return Some((false, "destination_id")),
        "state" => return Some((false, "state")),
        _ => {}
    }
    if column.starts_with("count(") {
        return Some((true, "count"));
    }
    let summed = column.strip_prefix("sum(")?;
    match () {
        () if summed.contains("core") || summed.contains("cpu") => Some((true, "cores")),
        // What Galaxy keeps of memory is the text for the scheduler: `--mem=N` of Slurm is MiB.
        () if summed.contains("mem") && sql.contains("destination_params") => Some((true, "mem_mib")),
        () if summed.contains("mem") => Some((true, "mem")),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tpv_galaxy::json::text_of;
    use tpv_galaxy::sql_text::normal_sql;

    #[test]
    fn queries_that_count_jobs_have_a_shape() {
        let shape = |sql: &str| totals(&normal_sql(sql)).map(|rows| text_of(&rows));
        assert_eq!(
            shape("SELECT destination_id, state, count(id), sum(cores), sum(mem) FROM (select id, cast(destination_params as int) as mem from job) as foo group by 1, 2").as_deref(),
            Some("{\"group_by\": [\"destination_id\", \"state\"], \"totals\": [\"count\", \"cores\", \"mem_mib\"]}")
        );
        assert_eq!(
            shape("select count(*) from job j where j.state = 'queued'").as_deref(),
            Some("{\"group_by\": [], \"totals\": [\"count\"]}")
        );
        for other in
            ["select training_identifier from trainings where x < 1", "select count(*), state from job", "select 1"]
        {
            assert_eq!(shape(other), None, "{other}");
        }
    }
}
