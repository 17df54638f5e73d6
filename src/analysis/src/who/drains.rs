//! Draining a destination: where the jobs of a job file go that it would have got.

use std::ops::AddAssign;
use std::sync::Arc;

use tpv_galaxy::answer::Answer;
use tpv_galaxy::world::World;
use tpv_runtime::artifact::Rules;
use tpv_runtime::mapper::Mapper;
use tpv_runtime::stream::Work;

use crate::job_file;
use crate::summary::table::Table;

/// The separator of a name's parts in a table. Names may contain any other character.
const SEPARATOR: char = '\u{1f}';

/// A number of jobs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Jobs(pub u64);

impl AddAssign<&Self> for Jobs {
    fn add_assign(&mut self, other: &Self) {
        self.0 += other.0;
    }
}

/// The jobs of one thread or of all.
#[derive(Debug, Default)]
pub struct Tally {
    /// All jobs.
    pub jobs: u64,
    /// Lines that are not jobs.
    pub invalid: u64,
    /// The jobs that the destination gets.
    pub moved: u64,
    /// Those of them that end in an error without it.
    pub failed: u64,
    flows: Table<Jobs>,
}

impl Tally {
    /// Adds the jobs of another tally.
    pub fn merge(&mut self, other: &Self) {
        self.jobs += other.jobs;
        self.invalid += other.invalid;
        self.moved += other.moved;
        self.failed += other.failed;
        self.flows.merge(&other.flows);
    }

    /// The jobs that move, by where they go and by tool: errors first, then most jobs first.
    pub fn flows(&self) -> Vec<Flow> {
        let rows = self.flows.rows();
        let mut out: Vec<Flow> = Vec::new();
        for (name, jobs) in rows.most_first(|jobs| jobs.0) {
            let mut parts = name.splitn(3, SEPARATOR);
            let (first, to, tool) = (parts.next(), parts.next(), parts.next());
            let to = to.map_or_else(
                || To::Elsewhere,
                |to| if first == Some(ERROR) { To::Error(to.to_owned()) } else { To::Destination(to.to_owned()) },
            );
            out.push(Flow { to, tool: tool.unwrap_or_default().to_owned(), jobs: jobs.0 });
        }
        out.sort_by_key(|flow| !matches!(flow.to, To::Error(_)));
        out
    }
}

/// The first part of the name of a flow into an error, and of any other.
const ERROR: &str = "e";
const MAPPED: &str = "m";

/// The end of a job without the destination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum To {
    /// Another destination.
    Destination(String),
    /// An error of this class.
    Error(String),
    /// Any of those for which there is no room.
    Elsewhere,
}

/// Jobs of a tool that go to one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flow {
    /// The place.
    pub to: To,
    /// The tool's id.
    pub tool: String,
    /// The number of jobs.
    pub jobs: u64,
}

/// Maps lines of jobs with a destination and without it.
pub struct Lines {
    /// Maps with it.
    pub whole: Mapper,
    /// Maps without it.
    pub drained: Mapper,
    /// Its id.
    pub destination: String,
    /// Galaxy's state.
    pub world: Arc<World>,
}

impl Work for Lines {
    type Tally = Tally;

    fn line(&self, number: usize, line: &[u8], _: &mut String, tally: &mut Tally) {
        let Some(job) = job_file::seeded(number, line) else {
            tally.invalid += 1;
            return;
        };
        let job = Arc::new(job);
        tally.jobs += 1;
        let is_here = |answer: &Answer| {
            answer.error().is_none() && answer.destination_id().is_some_and(|id| id == self.destination)
        };
        if !is_here(&self.whole.map(&job, &self.world)) {
            return;
        }
        tally.moved += 1;
        let answer = self.drained.map(&job, &self.world);
        let (kind, to) = match answer.error() {
            Some((class, _)) => {
                tally.failed += 1;
                (ERROR, class.to_owned())
            }
            None => (MAPPED, answer.destination_id().map_or_else(String::new, |id| id.to_string())),
        };
        let to = to.replace(SEPARATOR, " ");
        tally.flows.add(&format!("{kind}{SEPARATOR}{to}{SEPARATOR}{}", job.tool_id()), &Jobs(1));
    }

    fn end_thread(&self) {
        Mapper::leave_to_system();
    }
}

/// Rules without a destination, to see where its jobs go then: one that is abstract takes none.
///
/// # Errors
/// The tables are not sound.
pub fn drained(rules: &Rules, destination: &str) -> Result<Rules, tpv_runtime::Error> {
    let mut tables = rules.tables().clone();
    let name = tables.strings.iter().position(|text| text == destination).and_then(|at| u32::try_from(at).ok());
    let rows = tables.destinations.iter_mut().chain(&mut tables.configured_destinations);
    rows.filter(|row| Some(row.id) == name).for_each(|row| row.abstract_ = true);
    Rules::new(tables, (**rules.program()).clone())
}
