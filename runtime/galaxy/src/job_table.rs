//! Galaxy's job table, which changes in place: rows come, change and go, and what is counted of them is kept up to date.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::OnceLock;

use crate::job::DatasetId;
use crate::query::like::Like;

/// The states of Galaxy's jobs that hold nothing any more. A job in another state, or one that the table does not have, keeps
/// its allocation: only a job that is known to have ended releases it.
pub const TERMINAL_STATES: [&str; 9] =
    ["ok", "error", "failed", "deleted", "deleting", "stopped", "stopping", "paused", "skipped"];

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
    /// Thousandths of the cores that it was given; 0 if unknown.
    pub cores: u64,
    /// The memory that it was given, in MiB; 0 if unknown.
    pub mem: u64,
}

impl JobRow {
    /// Returns `true` if it is queued or running.
    pub fn is_counted(&self) -> bool {
        self.state.as_deref().is_some_and(|state| COUNTED_STATES.contains(&state))
    }
}

/// An amount in the nearest number of parts of its unit. What is no number from 0 is 0.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is bounded")]
pub fn parts(number: f64, of: f64) -> u64 {
    (number.clamp(0.0, 1e9) * of).round_ties_even() as u64
}

/// The totals of some jobs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// The number of jobs.
    pub jobs: usize,
    /// Thousandths of cores.
    pub cores: u64,
    /// Memory in MiB.
    pub mem: u64,
}

impl Totals {
    fn of(row: &JobRow) -> Self {
        Self { jobs: 1, cores: row.cores, mem: row.mem }
    }

    pub(super) fn add(&mut self, more: &Self) {
        self.jobs = self.jobs.saturating_add(more.jobs);
        self.cores = self.cores.saturating_add(more.cores);
        self.mem = self.mem.saturating_add(more.mem);
    }

    fn remove(&mut self, less: &Self) {
        self.jobs = self.jobs.saturating_sub(less.jobs);
        self.cores = self.cores.saturating_sub(less.cores);
        self.mem = self.mem.saturating_sub(less.mem);
    }
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

impl ToolFilter<'_> {
    /// Returns `true` if jobs of the tool are counted.
    pub fn has(&self, tool_id: Option<&str>) -> bool {
        match self {
            Self::Like(pattern) => tool_id.is_some_and(|id| pattern.matches(id)),
            Self::Equal(wanted) => tool_id == *wanted,
        }
    }
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

/// The rows in the order in which they came.
///
/// ```
/// use tpv_galaxy::job_table::{JobRow, JobTable};
///
/// let mut jobs = JobTable::default();
/// let place = jobs.push(JobRow { id: 1, state: Some("queued".into()), ..JobRow::default() });
/// jobs.change(place, |row| row.state = Some("running".into()));
/// assert_eq!(jobs.remove(place).and_then(|row| row.state).as_deref(), Some("running"));
/// assert!(jobs.is_empty());
/// ```
#[derive(Clone, Debug, Default)]
pub struct JobTable {
    rows: BTreeMap<usize, JobRow>,
    next: usize,
    /// Made when the first job asks for a count, and then changed with the rows.
    counts: OnceLock<Counts>,
}

impl JobTable {
    /// Adds a row at the end, and returns its place, which is its own as long as it is there.
    pub fn push(&mut self, row: JobRow) -> usize {
        let place = self.next;
        self.next += 1;
        if let Some(counts) = self.counts.get_mut() {
            counts.add(place, &row);
        }
        self.rows.insert(place, row);
        place
    }

    /// Changes the row at a place, if there is one.
    pub fn change(&mut self, place: usize, change: impl FnOnce(&mut JobRow)) {
        let Some(row) = self.rows.get_mut(&place) else { return };
        match self.counts.get_mut() {
            Some(counts) => {
                counts.remove(place, row);
                change(row);
                counts.add(place, row);
            }
            None => change(row),
        }
    }

    /// The row at a place.
    pub fn get(&self, place: usize) -> Option<&JobRow> {
        self.rows.get(&place)
    }

    /// Removes the row at a place.
    pub fn remove(&mut self, place: usize) -> Option<JobRow> {
        let row = self.rows.remove(&place)?;
        if let Some(counts) = self.counts.get_mut() {
            counts.remove(place, &row);
        }
        Some(row)
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns `true` if there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The rows in the order in which they came, with their places.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &JobRow)> {
        self.rows.iter().map(|(place, row)| (*place, row))
    }

    /// The rows of a user in the order in which they came, with their places.
    pub fn of_user(&self, user: i64) -> impl Iterator<Item = (usize, &JobRow)> {
        let places = self.counts().users.get(&user).into_iter().flatten();
        places.filter_map(|place| Some((*place, self.rows.get(place)?)))
    }

    /// The number of queued or running jobs of these tools and users.
    pub fn count(&self, tool: &ToolFilter<'_>, user: &UserFilter<'_>) -> usize {
        let (beginning, is_whole) = match tool {
            ToolFilter::Like(pattern) => (pattern.beginning(), false),
            ToolFilter::Equal(id) => (id.unwrap_or_default(), true),
        };
        let beginning = beginning.to_ascii_lowercase();
        let from = self.counts().tools.range((beginning.clone(), None)..);
        let near = from.take_while(|((id, _), _)| match is_whole {
            true => *id == beginning,
            false => id.starts_with(&beginning),
        });
        near.filter(|((_, id), _)| tool.has(id.as_deref())).map(|(_, users)| users.of(user)).sum()
    }

    /// The ids of the tools that have queued or running jobs of these users, with the number of these.
    pub fn counted_tools(&self, user: &UserFilter<'_>) -> impl Iterator<Item = (&str, usize)> {
        let tools = self.counts().tools.iter();
        tools.filter_map(move |((_, id), users)| Some((id.as_deref()?, users.of(user)))).filter(|(_, jobs)| *jobs > 0)
    }

    /// Rows that stand for all: one for each state and destination, with the totals of the jobs in them. Their other fields are not
    /// those of any job.
    pub fn classes(&self) -> impl Iterator<Item = (&JobRow, &Totals)> {
        self.counts().classes.values().map(|(row, totals)| (row, totals))
    }

    /// Those of the ids whose jobs the table has in a state of [`TERMINAL_STATES`].
    pub fn finished(&self, ids: &BTreeSet<i64>) -> BTreeSet<i64> {
        let ended = &self.counts().ended;
        ids.iter().copied().filter(|id| ended.contains_key(id)).collect()
    }

    fn counts(&self) -> &Counts {
        self.counts.get_or_init(|| {
            let mut counts = Counts::default();
            self.rows.iter().for_each(|(place, row)| counts.add(*place, row));
            counts
        })
    }
}

impl FromIterator<JobRow> for JobTable {
    fn from_iter<I: IntoIterator<Item = JobRow>>(rows: I) -> Self {
        let mut table = Self::default();
        rows.into_iter().for_each(|row| {
            table.push(row);
        });
        table
    }
}

/// The counted jobs of a tool.
#[derive(Clone, Debug, Default)]
struct ByUser {
    all: usize,
    users: HashMap<Option<i64>, usize>,
}

impl ByUser {
    fn of(&self, user: &UserFilter<'_>) -> usize {
        let of = |id: Option<i64>| self.users.get(&id).copied().unwrap_or_default();
        match user {
            UserFilter::Any => self.all,
            UserFilter::Anonymous => of(None),
            UserFilter::Id(DatasetId::Int(id)) => of(Some(*id)),
            // SQLite compares a text with an integer column as a number where it reads as one.
            UserFilter::Id(DatasetId::Str(id)) => id.trim().parse().ok().map_or(0, |id| of(Some(id))),
        }
    }
}

/// A tool's id in lower case, by which patterns find it, and as it is.
type ToolKey = (String, Option<Box<str>>);

/// The counts of the rows.
#[derive(Clone, Debug, Default)]
struct Counts {
    /// Jobs in the [`COUNTED_STATES`]: a server has thousands of jobs, few of them of one tool.
    tools: BTreeMap<ToolKey, ByUser>,
    /// Jobs by state and destination.
    classes: BTreeMap<[Option<Box<str>>; 2], (JobRow, Totals)>,
    /// The places of each user's rows.
    users: HashMap<i64, BTreeSet<usize>>,
    /// Ids of jobs in the [`TERMINAL_STATES`], with the number of rows.
    ended: HashMap<i64, usize>,
}

impl Counts {
    fn has_ended(row: &JobRow) -> bool {
        row.state.as_deref().is_some_and(|state| TERMINAL_STATES.contains(&state))
    }

    fn tool(row: &JobRow) -> ToolKey {
        (row.tool_id.as_deref().unwrap_or_default().to_ascii_lowercase(), row.tool_id.clone())
    }

    fn class(row: &JobRow) -> [Option<Box<str>>; 2] {
        [row.state.clone(), row.destination_id.clone()]
    }

    fn add(&mut self, place: usize, row: &JobRow) {
        if let Some(user) = row.user_id {
            self.users.entry(user).or_default().insert(place);
        }
        let key = Self::class(row);
        let [state, destination_id] = key.clone();
        let class = self.classes.entry(key);
        let new = || (JobRow { state, destination_id, ..JobRow::default() }, Totals::default());
        class.or_insert_with(new).1.add(&Totals::of(row));
        if row.is_counted() {
            let users = self.tools.entry(Self::tool(row)).or_default();
            users.all += 1;
            *users.users.entry(row.user_id).or_default() += 1;
        }
        if Self::has_ended(row) {
            *self.ended.entry(row.id).or_default() += 1;
        }
    }

    fn remove(&mut self, place: usize, row: &JobRow) {
        if let Some(user) = row.user_id
            && let Some(places) = self.users.get_mut(&user)
        {
            places.remove(&place);
            if places.is_empty() {
                self.users.remove(&user);
            }
        }
        let key = Self::class(row);
        if let Some((_, totals)) = self.classes.get_mut(&key) {
            totals.remove(&Totals::of(row));
            if totals.jobs == 0 {
                self.classes.remove(&key);
            }
        }
        if row.is_counted() {
            let key = Self::tool(row);
            if let Some(users) = self.tools.get_mut(&key) {
                users.all = users.all.saturating_sub(1);
                if let Some(jobs) = users.users.get_mut(&row.user_id) {
                    *jobs = jobs.saturating_sub(1);
                    if *jobs == 0 {
                        users.users.remove(&row.user_id);
                    }
                }
                if users.all == 0 {
                    self.tools.remove(&key);
                }
            }
        }
        if Self::has_ended(row)
            && let Some(rows) = self.ended.get_mut(&row.id)
        {
            *rows = rows.saturating_sub(1);
            if *rows == 0 {
                self.ended.remove(&row.id);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::indexing_slicing)]
    use super::*;

    fn number(state: &mut u64, below: u64) -> u64 {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*state >> 33) % below
    }

    /// A row of few values, so that rows meet.
    fn row(state: &mut u64) -> JobRow {
        let mut pick = |of: &[&str]| -> Option<Box<str>> {
            let found = of[number(state, of.len() as u64) as usize];
            (found != "-").then(|| Box::from(found))
        };
        let tool_id = pick(&["a", "A/b/1", "a/B/2", "a/b", "a_b/1", "aXb/2", "É/x", "", "b", "-"]);
        let state_of = pick(&["queued", "running", "ok", "new", "-"]);
        let destination_id = pick(&["slurm", "pulsar", "-"]);
        let user_id = pick(&["1", "2", "-"]).and_then(|id| id.parse().ok());
        let (cores, mem) = (number(state, 3) * 500, number(state, 5000));
        JobRow { id: number(state, 50) as i64, tool_id, user_id, state: state_of, destination_id, cores, mem }
    }

    /// The answers of a table whose counts have followed its changes are those of one that is made new, and of a look at each row.
    #[test]
    fn counts_follow_the_rows() {
        let seed = &mut 30_u64;
        let mut table = JobTable::default();
        let mut places = Vec::new();
        let mut found = 0;
        for step in 0..3_000 {
            match number(seed, 4) {
                0 if !places.is_empty() => {
                    let at = number(seed, places.len() as u64) as usize;
                    assert!(table.remove(places.swap_remove(at)).is_some());
                }
                1 if !places.is_empty() => {
                    let at = number(seed, places.len() as u64) as usize;
                    let new = row(seed);
                    table.change(places[at], |row| *row = new);
                }
                _ if table.len() < 200 => places.push(table.push(row(seed))),
                _ => {}
            }
            if step % 25 != 0 {
                continue;
            }
            let fresh: JobTable = table.iter().map(|(_, row)| row.clone()).collect();
            assert!(table.classes().eq(fresh.classes()));
            for (class, totals) in table.classes() {
                let of_class =
                    |row: &&JobRow| (&row.state, &row.destination_id) == (&class.state, &class.destination_id);
                let of_class = table.iter().map(|(_, row)| row).filter(of_class);
                let summed = of_class.fold((0, 0, 0), |sum, row| (sum.0 + 1, sum.1 + row.cores, sum.2 + row.mem));
                assert_eq!(summed, (totals.jobs, totals.cores, totals.mem));
            }
            let of_user = |user: i64| table.iter().filter(move |(_, row)| row.user_id == Some(user));
            assert!((0..4).all(|user| table.of_user(user).eq(of_user(user))));
            let ids = (0..50).collect();
            assert_eq!(table.finished(&ids), fresh.finished(&ids));
            let (one, text) = (DatasetId::Int(1), DatasetId::Str(" 2 ".into()));
            for pattern in ["a/b/%", "a_b/%", "A%", "%", "_/%", "É/%", "b", "", "c%"] {
                let tools =
                    [ToolFilter::Like(Like::new(pattern)), ToolFilter::Equal(Some(pattern)), ToolFilter::Equal(None)];
                for tool in tools {
                    for user in [UserFilter::Any, UserFilter::Anonymous, UserFilter::Id(&one), UserFilter::Id(&text)] {
                        let counts = |job: &&JobRow| {
                            matches!(job.state.as_deref(), Some("queued" | "running"))
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
                        let expected = table.iter().map(|(_, row)| row).filter(counts).count();
                        assert_eq!(table.count(&tool, &user), expected, "{pattern}");
                        found += expected;
                    }
                }
            }
        }
        assert!(found > 10_000, "{found}");
    }
}
