//! The world file: what the Galaxy app knows at the moment of the mapping.

use std::collections::HashMap;
use std::sync::OnceLock;

use jiff::tz::TimeZone;

use super::job::DatasetId;
use super::json::{Fault, Json, Kind, Reader};
use super::query::like::Like;
use crate::error::Error;

/// A row of Galaxy's job table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobRow {
    /// The job's id: given, or one more than the greatest before it.
    pub id: i64,
    /// The tool's id.
    pub tool_id: Option<Box<str>>,
    /// The user's id; `None` for an anonymous job.
    pub user_id: Option<i64>,
    /// The state: `queued`, `running`, ...; `None` is Galaxy's own default.
    pub state: Option<Box<str>>,
    /// The destination it was sent to.
    pub destination_id: Option<Box<str>>,
}

/// Galaxy's state at the moment of the mapping: its job table, its configuration, files and the time. The default is
/// empty.
///
/// ```
/// use tpv_runtime::World;
///
/// let world = World::parse(r#"{"jobs": [{"tool_id": "bwa_mem", "user_id": 1, "state": "running"}]}"#)?;
/// # Ok::<(), tpv_runtime::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct World {
    /// The job table.
    pub jobs: Vec<JobRow>,
    /// The tool data tables: name, and rows, each an object.
    pub tool_data_tables: Vec<(Box<str>, Vec<Json>)>,
    /// The configuration: name and value.
    pub config: Vec<(Box<str>, Json)>,
    /// The files that exist, with their sizes in bytes.
    pub files: HashMap<Box<str>, u64>,
    /// The answers to queries in SQL, by [`normal_sql`].
    pub queries: HashMap<String, Vec<Vec<Json>>>,
    /// Now, in microseconds since 1970 UTC.
    pub now: Option<i64>,
    /// The jobs that are counted, made when the first job asks for a count.
    counted: OnceLock<Counted>,
}

/// The query with every run of white space as one space: queries equal up to white space are the same query.
pub fn normal_sql(sql: &str) -> String {
    let is_space = |char: char| char.is_whitespace() || ('\x1c'..='\x1f').contains(&char);
    sql.split(is_space).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

impl World {
    /// Reads a world file.
    ///
    /// ```
    /// # use tpv_runtime::World;
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
                world.jobs = reader.items(|reader| {
                    let row = read_job_row(reader, greatest)?;
                    greatest = greatest.max(row.id);
                    Ok(row)
                })?;
            }
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
            "queries" => reader.list(|reader, _| {
                let (sql, rows) = read_query(reader)?;
                world.queries.insert(normal_sql(&sql), rows);
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

fn read_query(reader: &mut Reader<'_>) -> Result<(String, Vec<Vec<Json>>), Fault> {
    let at = reader.offset();
    let (mut sql, mut rows) = (None, None);
    reader.object(|reader, key| {
        match &*key {
            "sql" => sql = Some(reader.string()?.into_owned()),
            "rows" => rows = Some(reader.items(|reader| reader.items(Json::read))?),
            _ => {
                reader.raw()?;
            }
        }
        Ok(())
    })?;
    let missing = |field| Fault::new("missing", at).under(field);
    Ok((sql.ok_or_else(|| missing("sql"))?, rows.ok_or_else(|| missing("rows"))?))
}

/// The time that a text in ISO 8601 names. Without an offset it is UTC: a world has no other local time.
pub(in crate::galaxy) fn microseconds(text: &str) -> Option<i64> {
    if let Ok(timestamp) = text.parse::<jiff::Timestamp>() {
        return Some(timestamp.as_microsecond());
    }
    let civil: jiff::civil::DateTime = text.parse().ok()?;
    Some(civil.to_zoned(TimeZone::UTC).ok()?.timestamp().as_microsecond())
}

/// The states that `helpers.concurrent_job_count_for_tool` counts.
const COUNTED_STATES: [&str; 2] = ["queued", "running"];

/// Which tools' jobs are counted.
pub enum ToolFilter<'a> {
    /// `tool_id LIKE '...'`
    Like(Like<'a>),
    /// `tool_id = '...'`; `None` is `IS NULL`
    Equal(Option<&'a str>),
}

/// Whose jobs are counted.
pub enum UserFilter<'a> {
    /// Everybody's.
    Any,
    /// Those without a user (`user_id IS NULL`).
    Anonymous,
    /// This user's.
    Id(&'a DatasetId),
}

impl UserFilter<'_> {
    fn has(&self, job: &JobRow) -> bool {
        match self {
            Self::Any => true,
            Self::Anonymous => job.user_id.is_none(),
            Self::Id(DatasetId::Int(id)) => job.user_id == Some(*id),
            // SQLite compares a text with an integer column as a number where it reads as one.
            Self::Id(DatasetId::Str(id)) => job.user_id.is_some() && job.user_id == id.trim().parse().ok(),
        }
    }
}

/// The jobs in the [`COUNTED_STATES`]: their tools' ids in lower case, in order, and their indexes in the job table.
#[derive(Clone, Debug)]
struct Counted(Vec<(String, usize)>);

impl Counted {
    fn new(jobs: &[JobRow]) -> Self {
        let counts = |job: &JobRow| job.state.as_deref().is_some_and(|state| COUNTED_STATES.contains(&state));
        let jobs = jobs.iter().enumerate().filter(|(_, job)| counts(job));
        let id = |job: &JobRow| job.tool_id.as_deref().unwrap_or_default().to_ascii_lowercase();
        let mut counted: Vec<_> = jobs.map(|(index, job)| (id(job), index)).collect();
        counted.sort_unstable();
        Self(counted)
    }

    /// The indexes of the jobs whose tools' ids begin so, but for the case of letters.
    fn beginning(&self, beginning: &str) -> impl Iterator<Item = usize> {
        let beginning = beginning.to_ascii_lowercase();
        let first = self.0.partition_point(|(id, _)| *id < beginning);
        let from = self.0.get(first..).unwrap_or_default();
        from.iter().take_while(move |(id, _)| id.starts_with(&beginning)).map(|(_, index)| *index)
    }
}

impl World {
    /// The ids of the tools of the queued or running jobs of these users.
    pub fn counted_tools<'a>(&'a self, user: &'a UserFilter<'a>) -> impl Iterator<Item = &'a str> {
        let jobs =
            self.jobs.iter().filter(|job| job.state.as_deref().is_some_and(|state| COUNTED_STATES.contains(&state)));
        jobs.filter(|job| user.has(job)).filter_map(|job| job.tool_id.as_deref())
    }

    /// The number of queued or running jobs of these tools and users.
    pub fn count_jobs(&self, tool: &ToolFilter<'_>, user: &UserFilter<'_>) -> usize {
        let counts = |job: &&JobRow| {
            user.has(job)
                && match tool {
                    ToolFilter::Like(pattern) => job.tool_id.as_deref().is_some_and(|id| pattern.matches(id)),
                    ToolFilter::Equal(id) => job.tool_id.as_deref() == *id,
                }
        };
        let beginning = match tool {
            ToolFilter::Like(pattern) => pattern.beginning(),
            ToolFilter::Equal(id) => id.unwrap_or_default(),
        };
        // A server has thousands of jobs, few of them of one tool.
        let counted = self.counted.get_or_init(|| Counted::new(&self.jobs));
        counted.beginning(beginning).filter_map(|index| self.jobs.get(index)).filter(counts).count()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing)]
    use super::*;

    #[test]
    fn reads_every_field() {
        let world = World::parse(
            r#"{"jobs": [{"tool_id": "a", "user_id": null, "state": "queued"}], "other": 1,
                "tool_data_tables": {"t": [{"value": "x"}]}, "config": {"a": 1.5}, "files": {"/f": 12},
                "queries": [{"sql": " select  1\n", "rows": [[1, "a"]]}], "now": "2026-01-31T12:00:00"}"#,
        )
        .unwrap();
        assert_eq!(world.jobs.len(), 1);
        assert_eq!(world.tool_data_tables.len(), 1);
        assert_eq!(world.files.get("/f"), Some(&12));
        assert_eq!(world.queries.get("select 1").unwrap().len(), 1);
        assert_eq!(world.now, Some(1_769_860_800_000_000));
        assert_eq!(microseconds("2026-01-31T13:00:00+01:00"), world.now);
        assert_eq!(microseconds("2026-01-31 12:00:00.5"), Some(1_769_860_800_500_000));
    }

    #[test]
    fn counts_the_jobs_that_a_look_at_each_finds() {
        let ids = ["a", "A/b/1", "a/B/2", "a/b", "a_b/1", "aXb/2", "É/x", "", "b"];
        let id = |index: usize| ids.get(index % 10).map(|id| format!("\"{id}\"")).unwrap_or("null".into());
        let states = ["queued", "running", "ok"];
        let rows = (0..90).map(|n| {
            let user = if n % 4 == 0 { "null".to_owned() } else { (n % 4).to_string() };
            format!(r#"{{"tool_id": {}, "user_id": {user}, "state": "{}"}}"#, id(n * 7), states[n % 3])
        });
        let world = World::parse(&format!("{{\"jobs\": [{}]}}", rows.collect::<Vec<_>>().join(","))).unwrap();
        let mut found = 0;
        let (one, text) = (DatasetId::Int(1), DatasetId::Str(" 2 ".into()));
        for pattern in ["a/b/%", "a_b/%", "A%", "%", "_/%", "É/%", "b", "", "c%"] {
            let tools =
                [ToolFilter::Like(Like::new(pattern)), ToolFilter::Equal(Some(pattern)), ToolFilter::Equal(None)];
            for tool in tools {
                for user in [UserFilter::Any, UserFilter::Anonymous, UserFilter::Id(&one), UserFilter::Id(&text)] {
                    let counts = |job: &&JobRow| {
                        job.state.as_deref() != Some("ok")
                            && match &tool {
                                ToolFilter::Like(like) => job.tool_id.as_deref().is_some_and(|id| like.matches(id)),
                                ToolFilter::Equal(id) => job.tool_id.as_deref() == *id,
                            }
                            && match user {
                                UserFilter::Any => true,
                                UserFilter::Anonymous => job.user_id.is_none(),
                                UserFilter::Id(DatasetId::Int(_)) => job.user_id == Some(1),
                                UserFilter::Id(_) => job.user_id == Some(2),
                            }
                    };
                    let expected = world.jobs.iter().filter(counts).count();
                    assert_eq!(world.count_jobs(&tool, &user), expected, "{pattern}");
                    found += expected;
                }
            }
        }
        assert!(found > 300, "{found}");
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
