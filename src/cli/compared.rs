//! Jobs mapped by two rule sets, for `tpvc diff` and `tpvc update`.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tpv_analysis::diff::Side;
use tpv_analysis::diff::entities::Changes;
use tpv_analysis::diff::jobs::{self, Lines};
use tpv_analysis::diff::reasons::Reasons;
use tpv_analysis::diff::report::Jobs;
use tpv_analysis::diff::upgrade::Upgrade;
use tpv_analysis::people::Naming;
use tpv_galaxy::World;
use tpv_prove::jobs::{Options, job_file, make};
use tpv_runtime::mapper::Mapper;

use super::common::Common;
use super::error::CliError;
use super::map::hooks;
use super::output::Output;
use super::progress::Working;
use super::stream::{self, Threads};

/// The jobs that are mapped.
pub(super) enum Which<'a> {
    /// Those of a file.
    File(stream::Jobs<'a>),
    /// Those that were made, as a job file.
    Made(String),
}

/// The comparison of two rule sets by jobs.
pub(super) struct Comparison<'a> {
    /// Galaxy's state.
    pub(super) world: &'a Arc<World>,
    /// The changes of the config.
    pub(super) changes: &'a Changes,
    /// The versions of TPV that are compared, if they are.
    pub(super) upgrade: Option<Upgrade>,
    /// The number of examples of each cause.
    pub(super) examples: usize,
    /// The names of users in causes and examples.
    pub(super) naming: Naming,
    /// The file of the jobs whose answers differ.
    pub(super) differences: Option<&'a Path>,
    /// The threads that are asked for.
    pub(super) threads: Option<u16>,
}

/// The name of the jobs that are made, in messages.
const MADE: &str = "the jobs that were made";

/// The most jobs that are tried to make jobs from one rule set, and the longest time.
const MOST_TRIES: usize = 40_000;
const LONGEST: Duration = Duration::from_secs(60);

/// A job file with jobs that are made from both rule sets.
pub(super) fn made(sides: [&Side; 2], world: &Arc<World>, common: &Common) -> String {
    let _working = Working::on(common, "making jobs from both rule sets");
    let options = Options { tries: MOST_TRIES, time: LONGEST, tool: None, all: true };
    let [old, new] = sides.map(|side| make(&side.rules, world, &[], &options).jobs);
    // Jobs that draw a destination at random are to draw others, too.
    job_file(old.iter().chain(&new), |number| number)
}

impl Comparison<'_> {
    /// Maps the jobs by both rule sets.
    ///
    /// # Errors
    /// The jobs cannot be read, or the differences not written.
    pub(super) fn run(self, which: Which<'_>, [old, new]: [&Side; 2], common: &Common) -> Result<Jobs, CliError> {
        if let Which::File(jobs) = &which {
            stream::check_kind(jobs.path)?;
        }
        let mapper = |side: &Side| Mapper::with_hooks(side.rules.clone(), hooks(common), false);
        let lines = Lines {
            old: mapper(old),
            new: mapper(new),
            world: self.world.clone(),
            reasons: Reasons::new(&old.rules, &new.rules, self.changes),
            upgrade: self.upgrade,
            examples: self.examples,
            naming: self.naming,
            writes: self.differences.is_some(),
        };
        let in_order = lines.old.depends_on_order() || lines.new.depends_on_order();
        let threads = Threads { wanted: self.threads, in_order };
        let (jobs_path, is_made) = match &which {
            Which::File(jobs) => (jobs.path, false),
            Which::Made(_) => (Path::new(MADE), true),
        };
        let named = self.differences.unwrap_or(jobs_path);
        let unwritable = |error: &io::Error| CliError::unwritable("the differences", error, named);
        let mut output = self.differences.map(Output::create).transpose().map_err(|error| unwritable(&error))?;
        let writer: Box<dyn io::Write + Send> = match &mut output {
            Some(output) => Box::new(output),
            None => Box::new(io::sink()),
        };
        let streamed = match which {
            Which::Made(text) => stream::over_text(MADE, text, writer, threads, &lines, common)?,
            Which::File(jobs) => stream::over(jobs, writer, threads, &lines, common)?,
        };
        let tallies = streamed.map_err(|error| unwritable(&error))?;
        output.map(Output::finish).transpose().map_err(|error| unwritable(&error))?;
        let outcome = tallies.iter().fold(jobs::Outcome::default(), |mut all, one| {
            all.merge(one);
            all
        });
        Mapper::leave_to_system();
        Mapper::leave(lines);
        Ok(Jobs::new(&outcome, self.changes, is_made))
    }
}
