//! Jobs mapped by two rule sets: which answers differ, how many for one cause, and what all come to.
//!
//! Memory does not grow with the job file: names are counted in tables of bounded size, and of each group the first jobs are kept.

use std::borrow::Cow;
use std::ops::AddAssign;
use std::sync::Arc;

use tpv_galaxy::answer::{Answer, Field};
use tpv_galaxy::world::World;
use tpv_runtime::Job;
use tpv_runtime::mapper::Mapper;
use tpv_runtime::stream::Work;

use super::answers::{Detail, Difference, compare};
use super::reasons::{Kept, Reasons};
use super::upgrade::Upgrade;
use crate::job_file;
use crate::people::Naming;
use crate::summary::table::Table;
use crate::summary::{Change, Usage};

/// A job as an example.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// The number of its line in the job file.
    pub line: u64,
    /// Its id, as JSON.
    pub id: String,
    /// Its tool.
    pub tool: String,
    /// The differences.
    pub details: Vec<Detail>,
}

/// Jobs whose answers differ for one cause.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    /// The resources they had and have.
    pub change: Change,
    /// The first of them.
    pub examples: Vec<Example>,
    /// The number of examples to keep.
    limit: usize,
}

impl AddAssign<&Self> for Sum {
    fn add_assign(&mut self, other: &Self) {
        self.change += &other.change;
        self.limit = self.limit.max(other.limit);
        // A later job than those that are kept changes nothing.
        let is_full = self.examples.len() >= self.limit;
        let last = self.examples.last().map_or(u64::MAX, |example| example.line);
        if other.examples.first().is_none_or(|example| is_full && example.line > last) {
            return;
        }
        self.examples.extend(other.examples.iter().cloned());
        self.examples.sort_by_key(|example| example.line);
        self.examples.truncate(self.limit);
    }
}

/// The number of jobs of a cause that a change concerns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Concerned {
    /// All of them.
    pub jobs: u64,
    /// Those of whose answers the change says the very thing that differs.
    pub direct: u64,
}

impl AddAssign<&Self> for Concerned {
    fn add_assign(&mut self, other: &Self) {
        self.jobs += other.jobs;
        self.direct += other.direct;
    }
}

/// The bounds between which ratios of the new amount to the old one are counted.
pub const RATIOS: [f64; 9] = [0.125, 0.25, 0.5, 0.8, 1.0, 1.25, 2.0, 4.0, 8.0];

/// The number of jobs by the ratio of the new amount to the old one: those below the first of [`RATIOS`], those from
/// each to the next, and so on. Jobs of equal amounts, and those that had none, are left out.
pub type Ratios = [u64; RATIOS.len() + 1];

/// The separator of a name's parts in a table. Names may contain any other character.
const SEPARATOR: char = '\u{1f}';

/// The result of mapping jobs by two rule sets.
#[derive(Default)]
pub struct Outcome {
    /// All lines. Resources are those of the jobs that both rule sets map, here and below but in `causes`, `only_old` and `only_new`.
    pub all: Change,
    /// The jobs that only the old rules map.
    pub only_old: Usage,
    /// The jobs that only the new rules map.
    pub only_new: Usage,
    /// The jobs whose answers differ.
    pub differing: Change,
    /// The number of lines that are not jobs.
    pub invalid: u64,
    /// By cause.
    pub causes: Table<Sum>,
    /// The number of jobs of each cause that each change concerns: see [`split_reason`].
    pub reasons: Table<Concerned>,
    /// The jobs of each destination by either rule set.
    pub destinations: Table<Change>,
    /// Jobs that change destination, by both destinations: see [`split_flow`].
    pub flows: Table<Change>,
    /// The jobs whose answers differ, by tool.
    pub tools: Table<Change>,
    /// Cores of the jobs whose answers differ.
    pub cores: Ratios,
    /// Memory of the jobs whose answers differ.
    pub mem: Ratios,
    kept: Kept,
}

impl Outcome {
    /// Adds what other lines come to.
    pub fn merge(&mut self, other: &Self) {
        self.all += &other.all;
        self.only_old += &other.only_old;
        self.only_new += &other.only_new;
        self.differing += &other.differing;
        self.invalid += other.invalid;
        self.causes.merge(&other.causes);
        self.reasons.merge(&other.reasons);
        self.destinations.merge(&other.destinations);
        self.flows.merge(&other.flows);
        self.tools.merge(&other.tools);
        for (own, others) in [(&mut self.cores, &other.cores), (&mut self.mem, &other.mem)] {
            own.iter_mut().zip(others).for_each(|(own, other)| *own += other);
        }
    }
}

/// The mark before a change of TPV in a reason's name.
const OF_TPV: &str = "tpv ";

/// What a reason names.
pub enum Named {
    /// The index of a group of changes of the config.
    Group(usize),
    /// A change of TPV.
    Tpv(tpv_model::Change),
}

/// What a reason's name stands for, and the cause.
pub fn split_reason(name: &str) -> Option<(Named, &str)> {
    let (index, cause) = name.split_once(SEPARATOR)?;
    let named = match index.strip_prefix(OF_TPV) {
        Some(index) => Named::Tpv(tpv_model::Change::all().nth(index.parse().ok()?)?),
        None => Named::Group(index.parse().ok()?),
    };
    Some((named, cause))
}

/// The old destination and the new one of a flow's name.
pub fn split_flow(name: &str) -> (&str, &str) {
    name.split_once(SEPARATOR).unwrap_or((name, ""))
}

/// A job's destination, for tables.
fn destination(answer: &Answer) -> String {
    match answer.error() {
        Some(_) => "(error)".to_owned(),
        None => answer.destination_id().map_or_else(|| "(not a string)".to_owned(), |id| id.replace(SEPARATOR, " ")),
    }
}

/// Maps lines of jobs by two rule sets.
pub struct Lines {
    /// Maps by the old rules.
    pub old: Mapper,
    /// Maps by the new rules.
    pub new: Mapper,
    /// Galaxy's state.
    pub world: Arc<World>,
    /// The reasons that relate jobs to changes.
    pub reasons: Reasons,
    /// The changes of TPV, if two versions of it are compared: then they are the reasons.
    pub upgrade: Option<Upgrade>,
    /// The number of examples to keep of a cause.
    pub examples: usize,
    /// The names of users in causes and examples.
    pub naming: Naming,
    /// `true` if each job whose answers differ is written, with both.
    pub writes: bool,
}

impl Work for Lines {
    type Tally = Outcome;

    fn line(&self, number: usize, line: &[u8], output: &mut String, outcome: &mut Outcome) {
        let Some(job) = job_file::seeded(number, line) else {
            outcome.invalid += 1;
            return;
        };
        let job = Arc::new(job);
        let (old, new) = (self.old.map(&job, &self.world), self.new.map(&job, &self.world));
        let whole = Change { old: Usage::of(&old), new: Usage::of(&new) };
        // A job that fails saves nothing.
        let change = if whole.is_mapped_by_both() { whole } else { whole.counts() };
        match (whole.old.errors, whole.new.errors) {
            (0, 1..) => outcome.only_old += &whole.old,
            (1.., 0) => outcome.only_new += &whole.new,
            _ => {}
        }
        outcome.all += &change;
        let shown = |answer: &Answer| self.naming.text(&destination(answer), &job).into_owned();
        let (before, after) = (shown(&old), shown(&new));
        outcome.destinations.add(&before, &Change { old: change.old, ..Change::default() });
        outcome.destinations.add(&after, &Change { new: change.new, ..Change::default() });
        let Some(mut difference) = compare(&old, &new) else { return };
        if let Cow::Owned(cause) = self.naming.text(&difference.cause, &job) {
            difference.cause = cause;
        }
        outcome.differing += &change;
        outcome.tools.add(job.tool_id(), &change);
        if before != after {
            outcome.flows.add(&format!("{before}{SEPARATOR}{after}"), &change);
        }
        count(&mut outcome.cores, &old, &new, Field::Cores);
        count(&mut outcome.mem, &old, &new, Field::Mem);
        let mut concern = |reason: String, is_direct: bool| {
            let concerned = Concerned { jobs: 1, direct: u64::from(is_direct) };
            outcome.reasons.add(&format!("{reason}{SEPARATOR}{}", difference.cause), &concerned);
        };
        let upgrade = self.upgrade.as_ref();
        let of_tpv = upgrade.map(|upgrade| upgrade.reasons(&job, &self.world, [&old, &new], &difference));
        match &of_tpv {
            Some(changes) => {
                for (change, is_direct) in changes {
                    concern(format!("{OF_TPV}{}", *change as usize), *is_direct);
                }
            }
            None => {
                for (group, is_direct) in self.reasons.of(&job, &old, &new, &difference, &mut outcome.kept) {
                    concern(group.to_string(), is_direct);
                }
            }
        }
        // Lines of a thread ascend: a group that is full stays as it is.
        let is_full = outcome.causes.get(&difference.cause).is_some_and(|sum| sum.examples.len() >= self.examples);
        let example = || self.example(number, &job, &old, &new, &difference);
        let examples = if is_full || self.examples == 0 { Vec::new() } else { vec![example()] };
        outcome.causes.add(&difference.cause, &Sum { change: whole, examples, limit: self.examples });
        if self.writes {
            let line = u64::try_from(number).unwrap_or(u64::MAX);
            let of_tpv: Option<Vec<_>> = of_tpv.map(|changes| changes.into_iter().map(|(change, _)| change).collect());
            difference.write_line(line, of_tpv.as_deref(), &old, &new, output);
        }
    }

    fn end_thread(&self) {
        Mapper::leave_to_system();
    }
}

impl Lines {
    fn example(&self, line: usize, job: &Job, old: &Answer, new: &Answer, difference: &Difference) -> Example {
        const MOST: usize = 200;
        let line = u64::try_from(line).unwrap_or(u64::MAX);
        let cut = |text: &str| text.chars().take(MOST).collect();
        let mut details = difference.details(old, new);
        for text in details.iter_mut().flat_map(|detail| [&mut detail.old, &mut detail.new]).flatten() {
            if let Cow::Owned(shown) = self.naming.text(text, job) {
                *text = shown;
            }
        }
        Example { line, id: cut(&job.id), tool: cut(job.tool_id()), details }
    }
}

/// Counts a ratio of amounts.
fn count(ratios: &mut Ratios, old: &Answer, new: &Answer, field: Field) {
    let amount = |answer: &Answer| -> Option<f64> { answer.text(field)?.parse().ok() };
    let (Some(old), Some(new)) = (amount(old), amount(new)) else { return };
    if old > 0.0 && new.is_finite() && old != new {
        let at = RATIOS.partition_point(|bound| *bound <= new / old);
        if let Some(count) = ratios.get_mut(at) {
            *count += 1;
        }
    }
}
