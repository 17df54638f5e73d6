//! A world with answers to what rules ask: queries whose answers have a known shape, and jobs to count.

use tpv_galaxy::json::Json;
use tpv_galaxy::sql_text::normal_sql;
use tpv_runtime::artifact::Rules;

/// More queries or destinations than these get no answers or jobs.
const MOST: usize = 200;

/// A world, and the queries of the rules that it does not answer.
pub struct Asked {
    /// The world, as a world file has it.
    pub world: Json,
    /// The queries whose shape is not known, on one line each.
    pub left: Vec<String>,
}

/// Adds to a world what the rules ask of Galaxy's database and it lacks: a query in SQL that counts or sums jobs is answered by the totals of the world's jobs,
/// and a world without jobs gets two at each destination, so that these are not all 0.
pub fn answered(rules: &Rules, world: Json) -> Asked {
    let Json::Object(mut fields) = world else { return Asked { world, left: Vec::new() } };
    let position = |fields: &[(Box<str>, Json)], name: &str| fields.iter().position(|(own, _)| **own == *name);
    let mut queries = match position(&fields, "queries").map(|at| fields.remove(at)) {
        Some((_, Json::List(queries))) => queries,
        _ => Vec::new(),
    };
    let is_known = |queries: &[Json], sql: &str| {
        queries.iter().any(|query| matches!(query.get("sql"), Some(Json::Str(own)) if normal_sql(own) == sql))
    };
    let texts = rules.program().strings.iter().map(|text| normal_sql(text));
    let (mut left, mut answers) = (Vec::new(), 0);
    for sql in texts.filter(|text| is_query(text)).take(MOST) {
        if is_known(&queries, &sql) {
            continue;
        }
        match totals(&sql) {
            Some(rows) => {
                answers += 1;
                queries.push(object([("sql", Json::str(sql)), ("rows", rows)]));
            }
            None => left.push(sql),
        }
    }
    if answers > 0 && position(&fields, "jobs").is_none() {
        fields.push(("jobs".into(), Json::List(jobs(rules))));
    }
    if !queries.is_empty() {
        fields.push(("queries".into(), Json::List(queries)));
    }
    Asked { world: Json::Object(fields), left }
}

/// A running and a queued job at each destination.
fn jobs(rules: &Rules) -> Vec<Json> {
    let tables = rules.tables();
    let concrete = tables.destinations.iter().filter(|row| !row.abstract_).take(MOST);
    let ids = concrete.filter_map(|row| tables.strings.get(row.id as usize));
    let job = |id: &String, state| {
        object([
            ("state", Json::str(state)),
            ("destination_id", Json::str(id.as_str())),
            ("cores", Json::Int(4)),
            ("mem", Json::Int(16)),
        ])
    };
    ids.flat_map(|id| ["running", "queued"].map(|state| job(id, state))).collect()
}

fn is_query(text: &str) -> bool {
    let mut words = text.split(' ');
    words.next().is_some_and(|word| word.eq_ignore_ascii_case("select"))
        && words.any(|word| word.eq_ignore_ascii_case("from"))
}

/// The totals of jobs that a query asks for, as a world has them. `None` for other queries.
fn totals(sql: &str) -> Option<Json> {
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
fn columns(text: &str) -> Option<Vec<&str>> {
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

fn object<const N: usize>(fields: [(&str, Json); N]) -> Json {
    Json::Object(fields.into_iter().map(|(name, value)| (name.into(), value)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tpv_galaxy::json::text_of;

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
        assert!(is_query("SELECT a FROM b") && !is_query("select the tool") && !is_query("selected from"));
    }
}
