//! Answers to what rules ask of Galaxy and a world does not have: settings, tool data tables, files, environment variables and queries in SQL.
//!
//! Jobs are mapped, what they ask for in vain is noted ([`Lack`]), and answered if the question shows the shape of an answer.

mod rows;
mod setting;
mod totals;

use std::sync::Arc;

use indexmap::{IndexMap, IndexSet};
use tpv_galaxy::Error;
use tpv_galaxy::json::{Json, text_of};
use tpv_galaxy::lacks::Lack;
use tpv_runtime::World;
use tpv_runtime::artifact::Rules;

/// No more answers of one kind are made.
const MOST: usize = 200;

/// No more rows are made for one tool data table.
const MOST_ROWS: usize = 4;

/// The folder of all files that made answers name.
const FOLDER: &str = "/made/";

/// The text of an answer of which nothing else is known: a number, too, and a value that made jobs have.
const TEXT: &str = "1";

/// The bytes of a file.
const BYTES: i64 = 8 << 30;

/// Answers that were made for rules.
#[derive(Debug, Default)]
pub(crate) struct Answers {
    /// The ids of destinations.
    destinations: Vec<String>,
    config: IndexMap<Box<str>, Json>,
    tables: IndexMap<Box<str>, Vec<Json>>,
    files: IndexMap<Box<str>, Json>,
    environment: IndexMap<Box<str>, Json>,
    queries: IndexMap<Box<str>, Json>,
    /// The questions that have no answer.
    left: IndexSet<Lack>,
}

impl Answers {
    /// No answers, so far.
    pub(crate) fn new(rules: &Rules) -> Self {
        let tables = rules.tables();
        let concrete = tables.destinations.iter().filter(|row| !row.abstract_).take(MOST);
        let ids = concrete.filter_map(|row| tables.strings.get(row.id as usize).cloned());
        Self { destinations: ids.collect(), ..Self::default() }
    }

    /// Answers a question. Returns `true` if there is an answer now, and was none before.
    pub(crate) fn add(&mut self, lack: &Lack) -> bool {
        let is_new = match lack {
            Lack::Config(name) => setting::value(name).is_some_and(|value| add(&mut self.config, name, value)),
            Lack::Table(name) => add(&mut self.tables, name, Vec::new()),
            Lack::Entry { table, column, value, returned } => {
                let is_made = !value.is_empty();
                is_made
                    && self.tables.get_mut(table).is_some_and(|rows| add_cell(rows, table, [column, value, returned]))
            }
            Lack::File { path, needed } => {
                (*needed || path.starts_with(FOLDER)) && add(&mut self.files, path, Json::Int(BYTES))
            }
            Lack::Variable(name) => add(&mut self.environment, name, Json::str(TEXT)),
            Lack::Query(sql) => {
                let rows = totals::totals(sql).or_else(|| rows::rows(sql, &self.destinations));
                rows.is_some_and(|rows| add(&mut self.queries, sql, rows))
            }
        };
        // A world without the answers is asked again what they answer.
        let is_left = match lack {
            Lack::Config(name) => !self.config.contains_key(name),
            Lack::Query(sql) => !self.queries.contains_key(sql),
            _ => false,
        };
        if is_left {
            self.left.insert(lack.clone());
        }
        is_new
    }

    /// The answers as fields of a world. One without jobs gets two at each destination if queries count them, so that their totals are not all 0.
    fn json(&self, has_jobs: bool) -> Json {
        let entries = |entries: &IndexMap<Box<str>, Json>| {
            Json::Object(entries.iter().map(|(name, value)| (name.clone(), value.clone())).collect())
        };
        let tables = self.tables.iter().map(|(name, rows)| (name.clone(), Json::List(rows.clone())));
        let queries = self.queries.iter();
        let queries = queries.map(|(sql, rows)| object([("sql", Json::str(&**sql)), ("rows", rows.clone())]));
        let has_totals = self.queries.values().any(|rows| matches!(rows, Json::Object(_)));
        let jobs = if has_totals && !has_jobs { self.jobs() } else { Vec::new() };
        let sections = [
            ("config", entries(&self.config)),
            ("tool_data_tables", Json::Object(tables.collect())),
            ("files", entries(&self.files)),
            ("environment", entries(&self.environment)),
            ("queries", Json::List(queries.collect())),
            ("jobs", Json::List(jobs)),
        ];
        let is_filled = |section: &Json| match section {
            Json::Object(fields) => !fields.is_empty(),
            Json::List(items) => !items.is_empty(),
            _ => true,
        };
        let filled = sections.into_iter().filter(|(_, section)| is_filled(section));
        Json::Object(filled.map(|(name, section)| (name.into(), section)).collect())
    }

    /// Adds the answers to a world file.
    pub(crate) fn add_to(&self, world: &mut Json) {
        let has_jobs = matches!(world.get("jobs"), Some(Json::List(jobs)) if !jobs.is_empty());
        merge(world, self.json(has_jobs));
    }

    /// The world with the answers.
    ///
    /// # Errors
    /// An answer has a shape that no world has, which is a bug.
    pub(crate) fn over(&self, world: &World) -> Result<World, Error> {
        let made = World::parse(&text_of(&self.json(!world.jobs.is_empty())))?;
        let mut out = world.clone();
        out.config.extend(made.config);
        out.tool_data_tables.extend(made.tool_data_tables);
        out.files.extend(made.files);
        out.environment.extend(made.environment);
        out.queries.extend(made.queries);
        if out.jobs.is_empty() {
            out.jobs = made.jobs;
        }
        Ok(out)
    }

    /// Returns `true` if a question has no answer.
    pub(crate) fn leaves(&self, lack: &Lack) -> bool {
        self.left.contains(lack)
    }

    /// The questions that have no answer, in words.
    pub(crate) fn left(&self) -> Vec<String> {
        let words = |lack: &Lack| match lack {
            Lack::Config(name) => Some(format!("`app.config.{name}`")),
            Lack::Query(sql) => Some(format!("the query `{sql}`")),
            _ => None,
        };
        self.left.iter().filter_map(words).collect()
    }

    /// A running and a queued job at each destination.
    fn jobs(&self) -> Vec<Json> {
        let job = |id: &String, state| {
            object([
                ("state", Json::str(state)),
                ("destination_id", Json::str(id.as_str())),
                ("cores", Json::Int(4)),
                ("mem", Json::Int(16)),
            ])
        };
        self.destinations.iter().flat_map(|id| ["running", "queued"].map(|state| job(id, state))).collect()
    }
}

/// The recorder of what a world lacks.
pub(crate) type Lacks = Arc<tpv_galaxy::notes::Notes<Lack>>;

/// Adds an answer. False if there is one, or there are too many.
fn add<T>(answers: &mut IndexMap<Box<str>, T>, name: &str, value: T) -> bool {
    let is_new = answers.len() < MOST && !answers.contains_key(name);
    if is_new {
        answers.insert(name.into(), value);
    }
    is_new
}

/// Adds a cell to the row of a table that has a value in a column, and the row if there is none. False if that row has the cell, or there are too many rows.
fn add_cell(rows: &mut Vec<Json>, table: &str, [column, value, returned]: [&str; 3]) -> bool {
    let has_value = |row: &Json| matches!(row.get(column), Some(Json::Str(text)) if **text == *value);
    let at = rows.iter().position(has_value).unwrap_or(rows.len());
    if at == rows.len() {
        if at == MOST_ROWS {
            return false;
        }
        rows.push(object([(column, Json::str(value))]));
    }
    let Some(Json::Object(fields)) = rows.get_mut(at) else { return false };
    if returned != column {
        if fields.iter().any(|(name, _)| **name == *returned) {
            return false;
        }
        let is_path = ["path", "dir", "file", "location"].iter().any(|word| returned.contains(word));
        let cell = if is_path { format!("{FOLDER}{table}/{value}") } else { value.to_owned() };
        fields.push((returned.into(), Json::str(cell)));
    }
    true
}

/// Adds what another JSON value has besides: names to objects, items to lists.
fn merge(one: &mut Json, other: Json) {
    match (one, other) {
        (Json::Object(fields), Json::Object(others)) => {
            for (name, value) in others {
                match fields.iter_mut().find(|(known, _)| *known == name) {
                    Some((_, known)) => merge(known, value),
                    None => fields.push((name, value)),
                }
            }
        }
        (Json::List(items), Json::List(others)) => items.extend(others),
        _ => {}
    }
}

fn object<const N: usize>(fields: [(&str, Json); N]) -> Json {
    Json::Object(fields.into_iter().map(|(name, value)| (name.into(), value)).collect())
}
