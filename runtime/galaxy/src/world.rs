//! The world file: what the Galaxy app knows at the moment of the mapping.

use std::collections::HashMap;
use std::sync::Arc;

use jiff::tz::TimeZone;

use crate::Error;
use crate::job_table::{JobRow, JobTable, parts};
use crate::json::{Fault, Json, Kind, Reader};
use crate::lacks::Lack;
use crate::notes::Notes;
use crate::reads::{Read, Reads};
use crate::sql_text::{SqlAnswer, normal_sql, read_query};

/// Galaxy's state at the moment of the mapping: its job table, its configuration, files and the time. The default is
/// empty.
///
/// ```
/// use tpv_galaxy::World;
///
/// let world = World::parse(r#"{"jobs": [{"tool_id": "bwa_mem", "user_id": 1, "state": "running"}]}"#)?;
/// # Ok::<(), tpv_galaxy::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct World {
    /// The job table.
    pub jobs: JobTable,
    /// The emails of users, by their ids: Galaxy's table of users.
    pub users: HashMap<i64, Box<str>>,
    /// The tool data tables: name, and rows, each an object.
    pub tool_data_tables: Vec<(Box<str>, Vec<Json>)>,
    /// The configuration: name and value.
    pub config: Vec<(Box<str>, Json)>,
    /// The files that exist, with their sizes in bytes.
    pub files: HashMap<Box<str>, u64>,
    /// The environment variables of Galaxy's processes.
    pub environment: HashMap<Box<str>, Box<str>>,
    /// The answers to queries in SQL, by [`normal_sql`].
    pub queries: HashMap<String, SqlAnswer>,
    /// Now, in microseconds since 1970 UTC.
    pub now: Option<i64>,
    /// The recorder of what mappings read of all this, if somebody lets time run.
    pub reads: Option<Arc<Reads>>,
    /// The recorder of what mappings ask for and this does not have, if somebody will answer.
    pub lacks: Option<Arc<Notes<Lack>>>,
}

impl World {
    /// Tells the recorder, if there is one, that a mapping read this.
    pub fn note(&self, read: impl FnOnce() -> Read) {
        if let Some(reads) = &self.reads {
            reads.note(read());
        }
    }

    /// Tells the recorder, if there is one, that a mapping asked for this in vain.
    pub fn lack(&self, lack: impl FnOnce() -> Lack) {
        if let Some(lacks) = &self.lacks {
            lacks.note(lack());
        }
    }

    /// Reads a world file.
    ///
    /// ```
    /// # use tpv_galaxy::World;
    /// assert!(World::parse(r#"{"now": "2026-11-22T12:00:00"}"#).is_ok());
    /// assert!(World::parse("{").unwrap_err().to_string().starts_with("line 1, column 2: not JSON"));
    /// ```
    ///
    /// # Errors
    /// [`Error::World`] names the field and the place.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let mut reader = Reader::new(text);
        let world = read_world(&mut reader).and_then(|world| reader.end().map(|()| world));
        world.map_err(|fault| {
            let before = text.get(..fault.at()).unwrap_or(text);
            let last_line = before.rsplit('\n').next().unwrap_or_default();
            Error::World {
                line: before.matches('\n').count() + 1,
                column: last_line.chars().count() + 1,
                message: if fault.is_syntax() {
                    format!("not JSON: {}", fault.message())
                } else {
                    fault.describe(text)
                },
            }
        })
    }
}

fn read_world(reader: &mut Reader<'_>) -> Result<World, Fault> {
    let mut world = World::default();
    if reader.kind()? != Kind::Object {
        return Err(Fault::new("the world must be an object", reader.offset()));
    }
    reader.object(|reader, key| {
        match &*key {
            "jobs" => {
                let mut greatest = 0;
                let rows = reader.items(|reader| {
                    let row = read_job_row(reader, greatest)?;
                    greatest = greatest.max(row.id);
                    Ok(row)
                })?;
                world.jobs = rows.into_iter().collect();
            }
            "users" => reader.object(|reader, email| {
                let at = reader.offset();
                let Json::Int(id) = Json::read(reader)? else {
                    return Err(Fault::new("must be the user's id, an integer", at));
                };
                world.users.insert(id, email.into());
                Ok(())
            })?,
            "tool_data_tables" => reader.object(|reader, name| {
                set(&mut world.tool_data_tables, name.into(), reader.items(read_object)?);
                Ok(())
            })?,
            "config" => reader.object(|reader, name| {
                let value = Json::read(reader)?;
                set(&mut world.config, name.into(), value);
                Ok(())
            })?,
            "files" => reader.object(|reader, path| {
                let at = reader.offset();
                let wrong = || Fault::new("must be a size in bytes, an integer of at least 0", at);
                let Ok(Json::Int(size)) = Json::read(reader) else { return Err(wrong()) };
                world.files.insert(path.into(), u64::try_from(size).map_err(|_| wrong())?);
                Ok(())
            })?,
            "environment" => reader.object(|reader, name| {
                let value = reader.string()?;
                world.environment.insert(name.into(), value.into());
                Ok(())
            })?,
            "queries" => reader.list(|reader, _| {
                let (sql, answer) = read_query(reader)?;
                world.queries.insert(normal_sql(&sql), answer);
                Ok(())
            })?,
            "now" => {
                let at = reader.offset();
                let text = reader.string()?;
                let wrong = || Fault::new("must be a date and time as ISO 8601 writes it: 2026-01-31T12:00:00Z", at);
                world.now = Some(microseconds(&text).ok_or_else(wrong)?);
            }
            _ => {
                reader.raw()?;
            }
        }
        Ok(())
    })?;
    Ok(world)
}

/// Sets the value under a name; of equal names the last counts.
fn set<T>(items: &mut Vec<(Box<str>, T)>, name: Box<str>, value: T) {
    match items.iter_mut().find(|(known, _)| *known == name) {
        Some((_, known)) => *known = value,
        None => items.push((name, value)),
    }
}

fn read_object(reader: &mut Reader<'_>) -> Result<Json, Fault> {
    if reader.kind()? != Kind::Object {
        return Err(Fault::new("must be an object", reader.offset()));
    }
    Json::read(reader)
}

fn text_or_null(reader: &mut Reader<'_>) -> Result<Option<Box<str>>, Fault> {
    let text = reader.place_or_null()?;
    Ok(text.map(|text| reader.at_place(text).into()))
}

/// An amount in parts of its unit.
#[expect(clippy::cast_precision_loss, reason = "an amount")]
fn read_parts(reader: &mut Reader<'_>, of: f64) -> Result<u64, Fault> {
    let at = reader.offset();
    match Json::read(reader)? {
        Json::Int(number) => Ok(parts(number as f64, of)),
        Json::Float(number) => Ok(parts(number, of)),
        _ => Err(Fault::new("must be a number", at)),
    }
}

/// A row of the job table. Without an id it gets the next one, as in Galaxy's database.
fn read_job_row(reader: &mut Reader<'_>, greatest: i64) -> Result<JobRow, Fault> {
    let mut row = JobRow { id: greatest.saturating_add(1), ..JobRow::default() };
    reader.object(|reader, key| {
        match &*key {
            "id" => {
                let at = reader.offset();
                let Json::Int(id) = Json::read(reader)? else { return Err(Fault::new("must be an integer", at)) };
                row.id = id;
            }
            "tool_id" => row.tool_id = text_or_null(reader)?,
            "state" => row.state = text_or_null(reader)?,
            "destination_id" => row.destination_id = text_or_null(reader)?,
            "cores" => row.cores = read_parts(reader, 1000.0)?,
            "mem" => row.mem = read_parts(reader, 1024.0)?,
            "user_id" => {
                let at = reader.offset();
                row.user_id = match Json::read(reader)? {
                    Json::Null => None,
                    Json::Int(id) => Some(id),
                    _ => return Err(Fault::new("must be an integer or null", at)),
                };
            }
            _ => {
                reader.raw()?;
            }
        }
        Ok(())
    })?;
    Ok(row)
}

/// The time that a text in ISO 8601 names. Without an offset it is UTC: a world has no other local time.
pub fn microseconds(text: &str) -> Option<i64> {
    if let Ok(timestamp) = text.parse::<jiff::Timestamp>() {
        return Some(timestamp.as_microsecond());
    }
    let civil: jiff::civil::DateTime = text.parse().ok()?;
    Some(civil.to_zoned(TimeZone::UTC).ok()?.timestamp().as_microsecond())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn reads_every_field() {
        let world = World::parse(
            r#"{"jobs": [{"tool_id": "a", "user_id": null, "state": "queued", "cores": 0.5, "mem": 7.6}], "other": 1,
                "tool_data_tables": {"t": [{"value": "x"}]}, "config": {"a": 1.5}, "users": {"ada@example.org": 3}, "files": {"/f": 12}, "environment": {"SITE": "a"},
                "queries": [{"sql": " select  1\n", "rows": [[1, "a"]]}], "now": "2026-01-31T12:00:00"}"#,
        )
        .unwrap();
        assert_eq!(world.jobs.iter().map(|(_, row)| (row.cores, row.mem)).collect::<Vec<_>>(), [(500, 7782)]);
        assert_eq!(world.tool_data_tables.len(), 1);
        assert_eq!(world.files.get("/f"), Some(&12));
        assert_eq!(world.environment.get("SITE").map(|value| &**value), Some("a"));
        assert_eq!(world.users.get(&3).map(|email| &**email), Some("ada@example.org"));
        assert!(world.queries.contains_key("select 1"));
        assert_eq!(world.now, Some(1_769_860_800_000_000));
        assert_eq!(microseconds("2026-01-31T13:00:00+01:00"), world.now);
        assert_eq!(microseconds("2026-01-31 12:00:00.5"), Some(1_769_860_800_500_000));
    }

    #[test]
    fn faults_have_path_and_place() {
        let fault = |text: &str| World::parse(text).map(|_| String::new()).unwrap_or_else(|error| error.to_string());
        let cases = [
            (fault("[]"), "line 1, column 1: the world must be an object"),
            (
                fault("{\n \"files\": {\"/a\": -1}}"),
                "line 2, column 18: files./a: must be a size in bytes, an integer of at least 0",
            ),
            (
                fault("{\"jobs\": [{\"user_id\": \"1\"}]}"),
                "line 1, column 23: jobs[0].user_id: must be an integer or null",
            ),
            (fault("{\"queries\": [{\"sql\": \"a\"}]}"), "line 1, column 14: queries[0].rows: missing"),
            (fault("{\"jobs\": [{\"mem\": \"4\"}]}"), "line 1, column 19: jobs[0].mem: must be a number"),
            (
                fault("{\"users\": {\"a@b.c\": \"4\"}}"),
                "line 1, column 21: users.a@b.c: must be the user's id, an integer",
            ),
            (
                fault("{\"queries\": [{\"sql\": \"a\", \"rows\": {\"group_by\": []}}]}"),
                "line 1, column 35: queries[0].rows.totals: missing",
            ),
            (
                fault("{\"queries\": [{\"sql\": \"a\", \"rows\": {\"group_by\": [\"state\", \"user_id\"]}}]}"),
                "line 1, column 58: queries[0].rows.group_by[1]: must be one of `destination_id`, `state`",
            ),
            (
                fault("{\"queries\": [{\"sql\": \"a\", \"rows\": {\"totals\": [\"gpus\"]}}]}"),
                "line 1, column 47: queries[0].rows.totals[0]: must be one of `count`, `cores`, `mem`, `mem_mib`",
            ),
            (
                fault("{\"queries\": [{\"sql\": \"a\", \"rows\": {\"where\": 1}}]}"),
                "line 1, column 45: queries[0].rows.where: unknown field; totals of jobs have `group_by` and `totals`",
            ),
            (
                fault("{\"now\": \"soon\"}"),
                "line 1, column 9: now: must be a date and time as ISO 8601 writes it: 2026-01-31T12:00:00Z",
            ),
            (fault("{"), "line 1, column 2: not JSON: the text ends where a value is expected"),
        ];
        for (found, expected) in cases {
            assert_eq!(found, expected);
        }
    }
}
