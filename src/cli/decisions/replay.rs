//! Past jobs mapped again by the rules of their time.

use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;

use tpv_analysis::decisions::{job_of, sentence};
use tpv_analysis::job_file::JobFile;
use tpv_analysis::summary::table::Table;
use tpv_galaxy::job::{Job, MAX_LINE};
use tpv_galaxy::json::{Json, Reader, text_of};
use tpv_galaxy::world::World;
use tpv_runtime::decision::{Decision, Head, Recorder};
use tpv_runtime::mapper::Mapper;
use tpv_text::figures::{count, grouped};
use tpv_text::printable::put_line;

use super::compared::{other_amounts, same, same_end};
use super::past_rules::PastRules;
use crate::cli::common::Common;
use crate::cli::error::CliError;
use crate::cli::{map, world};

/// Maps a job and gives the decision.
pub(super) fn decided(mapper: &Mapper, job: &Arc<Job>, world: &Arc<World>) -> Decision {
    let mut recorder = Recorder::new(mapper.rules().clone());
    let answer = mapper.map_observed(job, world, &mut recorder);
    Decision { head: Head::of_job(job), ..recorder.of_answer(&answer) }
}

/// The world of decisions: that of a file, at the time of each line unless the file has one.
pub(super) struct Moments {
    world: Arc<World>,
    has_time: bool,
}

impl Moments {
    /// Reads the file. Without one, it is an empty Galaxy.
    ///
    /// # Errors
    /// The file is no world.
    pub(super) fn read(path: Option<&Path>) -> Result<Self, CliError> {
        let world = path.map_or_else(|| Ok(World::default()), world::read)?;
        let has_time = world.now.is_some();
        Ok(Self { world: Arc::new(world), has_time })
    }

    /// The world of a decision. The one before is given back by then, so that a large job table is not copied.
    pub(super) fn of(&mut self, decision: &Decision) -> &Arc<World> {
        if !self.has_time {
            let time: Option<jiff::Timestamp> = decision.head.time.parse().ok();
            let now = time.map_or_else(tpv_maps::clock::microseconds, |time| time.as_microsecond());
            Arc::make_mut(&mut self.world).now = Some(now);
        }
        &self.world
    }
}

/// Calls `each` with the lines of a job file that are JSON.
///
/// # Errors
/// The file cannot be read, or `each` fails.
fn lines(path: &Path, mut each: impl FnMut(Json) -> Result<bool, CliError>) -> Result<(), CliError> {
    let (file, _) = JobFile::open(path)?;
    let fault = file.fault();
    let mut reader = BufReader::new(file);
    let mut line = Vec::new();
    // A fault is told below.
    while reader.read_until(b'\n', &mut line).is_ok_and(|count| count > 0) {
        let text = if line.len() > MAX_LINE { None } else { std::str::from_utf8(&line).ok() };
        let json = text.and_then(|text| Json::read(&mut Reader::new(text.trim())).ok());
        line.clear();
        if let Some(json) = json
            && !each(json)?
        {
            return Ok(());
        }
    }
    fault.get().map_or(Ok(()), |fault| Err(fault.into()))
}

/// The job of this id in a job file, as its line has it. `None` if it is not there.
///
/// # Errors
/// The file cannot be read.
pub(super) fn find(path: &Path, id: &Json) -> Result<Option<Json>, CliError> {
    let mut found = None;
    lines(path, |job| {
        if key(&job).as_ref() == Some(id) {
            found = Some(job);
        }
        Ok(found.is_none())
    })?;
    Ok(found)
}

/// The id by which a line of a job file is known in a log.
fn key(job: &Json) -> Option<Json> {
    let id = |json: &Json| json.get("id").filter(|id| **id != Json::Null).cloned();
    id(job).or_else(|| job.get("job").and_then(id))
}

/// The result of a replay.
#[derive(Default)]
pub(super) struct Replayed {
    /// The jobs that were mapped again.
    jobs: u64,
    /// Those with the same answer.
    same: u64,
    /// Those that differ, and something live was read.
    live: u64,
    /// The live things that these read, with the numbers of jobs.
    reasons: Table<u64>,
    /// The jobs of the file that the log does not have, or whose rules are not kept.
    unknown: u64,
    without_rules: u64,
    /// The first differences, as text.
    shown: Vec<String>,
}

/// The most reasons that are shown.
const MOST_REASONS: usize = 10;
/// The most differences that are shown.
const MOST_SHOWN: usize = 20;

/// Maps the jobs of a file that the log has by the rules of their time, and compares.
///
/// # Errors
/// A file cannot be read.
pub(super) fn replay(
    decisions: &HashMap<String, Decision>,
    jobs: &Path,
    world: Option<&Path>,
    past: &mut PastRules,
    common: &Common,
) -> Result<Replayed, CliError> {
    let mut result = Replayed::default();
    let mut mappers: HashMap<String, Mapper> = HashMap::new();
    let mut moments = Moments::read(world)?;
    lines(jobs, |exported| {
        let decision = key(&exported).and_then(|id| decisions.get(&text_of(&id)));
        let Some(decision) = decision else {
            result.unknown += 1;
            return Ok(true);
        };
        let Some((digest, rules)) = decision.head.rules.as_ref().and_then(|digest| Some((digest, past.of(digest)?)))
        else {
            result.without_rules += 1;
            return Ok(true);
        };
        let hooks = || Mapper::with_hooks(rules.rules.clone(), map::hooks(common), false);
        let mapper = mappers.entry(digest.clone()).or_insert_with(hooks);
        let (json, guesses) = job_of(decision, Some(exported));
        let Ok(job) = Job::parse(&text_of(&json)) else {
            result.unknown += 1;
            return Ok(true);
        };
        // The log says of which attempt it is; the export has the job as it ended.
        let job = if decision.head.attempt <= 1 { job.first_mapped() } else { job };
        let again = decided(mapper, &Arc::new(job), moments.of(decision));
        result.jobs += 1;
        if same(decision, &again) {
            result.same += 1;
            return Ok(true);
        }
        result.live += u64::from(!guesses.is_empty());
        guesses.iter().for_each(|guess| result.reasons.add(guess, &1));
        if result.shown.len() < MOST_SHOWN {
            let because = guesses.first().map_or_else(String::new, |guess| format!(" ({guess})"));
            let replayed = match same_end(decision, &again) {
                true => other_amounts(decision, &again, ["logged", "replayed"]).join(", "),
                false => sentence(&again),
            };
            result.shown.push(format!("{}; replayed: {replayed}{because}", sentence(decision)));
        }
        Ok(true)
    })?;
    Ok(result)
}

impl Replayed {
    /// Returns `true` if jobs were compared, and none differs for an unknown reason.
    pub(super) fn is_good(&self) -> bool {
        self.jobs > 0 && self.same + self.live == self.jobs
    }

    /// The result for people.
    pub(super) fn text(&self) -> String {
        let mut out = String::new();
        let differ = self.jobs - self.same;
        put_line!(
            out,
            "{} of {} replayed give the same answer{}",
            grouped(self.same),
            count(self.jobs, "job"),
            match differ {
                0 => String::new(),
                1 => ", 1 differs".to_owned(),
                _ => format!(", {} differ", grouped(differ)),
            }
        );
        if self.live > 0 {
            put_line!(out, "  of these {} read something that is not in the log:", grouped(self.live));
            let rows = self.reasons.rows();
            for (reason, number) in rows.most_first(|number| *number).into_iter().take(MOST_REASONS) {
                put_line!(out, "  {:>10}  {reason}", grouped(*number));
            }
        }
        if self.without_rules > 0 {
            put_line!(out, "left out: {} whose rules are not kept beside the log", count(self.without_rules, "job"));
        }
        if self.unknown > 0 {
            put_line!(out, "left out: {} that the log does not have", count(self.unknown, "job"));
        }
        for line in &self.shown {
            put_line!(out, "  {line}");
        }
        if differ > self.shown.len() as u64 {
            put_line!(out, "  and {} more", grouped(differ - self.shown.len() as u64));
        }
        out
    }
}
