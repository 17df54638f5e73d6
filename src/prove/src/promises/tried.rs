//! The jobs that are tried for all properties, with their answers.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use indexmap::IndexMap;
use tpv_analysis::cases::run::{Mappers, Watcher};
use tpv_analysis::cases::when::{When, looked_up};
use tpv_analysis::dry_job::{DryJob, bytes_of};
use tpv_galaxy::Job;
use tpv_galaxy::answer::Answer;
use tpv_galaxy::json::{Json, text_of};
use tpv_runtime::artifact::Rules;
use tpv_runtime::{Mapper, World};
use tpv_text::parallel;

use super::fitted::define;
use crate::jobs::{Options, make, set};

/// The most jobs that are made.
const MOST_JOBS: usize = 40_000;

/// The longest time that jobs are made.
const LONGEST: Duration = Duration::from_secs(30);

/// The number of jobs in a piece of work.
const GROUP: usize = 64;

/// A job that was tried.
pub(super) struct One {
    pub json: Json,
    pub job: Arc<Job>,
    /// The place of its outcome.
    pub outcome: usize,
}

/// The outcome of jobs.
pub(super) struct Outcome {
    pub answer: Answer,
    /// The ids of the rules that fired.
    pub fired: Vec<String>,
}

/// All jobs that were tried.
pub(super) struct Tried {
    pub jobs: Vec<One>,
    /// Their outcomes, each once.
    pub outcomes: Vec<Outcome>,
    /// The places of the jobs, by the name that TPV looks their tools up by.
    pub tools: IndexMap<String, Vec<usize>>,
}

impl Tried {
    /// Makes jobs for rules and maps them in this world.
    pub(super) fn of(rules: &Arc<Rules>, mappers: &Mappers<'_>, world: &Arc<World>) -> Self {
        let mut of_user = DryJob::ordinary("a_tool_of_a_user", bytes_of(1.0)).json();
        define(&mut of_user, None);
        let options = Options { tries: MOST_JOBS, time: LONGEST, tool: None, all: true };
        let made = make(rules, world, &[of_user], &options);
        let groups: Vec<&[Json]> = made.jobs.chunks(GROUP).collect();
        let mapped = parallel::map(&groups, |group| {
            let job = |json: &Json| {
                let mut json = json.clone();
                set(&mut json, &["seed"], &Json::Int(1));
                let job = Arc::new(Job::parse(&text_of(&json)).ok()?);
                let (answer, fired) = map(&mappers.mapper(), &job, world);
                Some((json, job, answer, fired))
            };
            group.iter().filter_map(job).collect::<Vec<_>>()
        });
        let mut out = Self { jobs: Vec::new(), outcomes: Vec::new(), tools: IndexMap::new() };
        let mut known: HashMap<(String, Vec<String>), usize> = HashMap::new();
        for (json, job, answer, fired) in mapped.into_iter().flatten() {
            let next = out.outcomes.len();
            let outcome = *known.entry((answer.line(), fired.clone())).or_insert(next);
            if outcome == next {
                out.outcomes.push(Outcome { answer, fired });
            }
            out.tools.entry(looked_up(&job).into_owned()).or_default().push(out.jobs.len());
            out.jobs.push(One { json, job, outcome });
        }
        out
    }

    /// The jobs of the tools that are described.
    pub(super) fn of_tools<'t>(&'t self, when: &When) -> impl Iterator<Item = &'t One> {
        let tools = self.tools.iter().filter(|(name, _)| when.is_of_tool(name));
        tools.flat_map(|(_, places)| places).filter_map(|place| self.jobs.get(*place))
    }
}

/// Maps a job: its answer, and the ids of the rules that fired.
pub(super) fn map(mapper: &Mapper, job: &Arc<Job>, world: &Arc<World>) -> (Answer, Vec<String>) {
    let mut watcher = Watcher::default();
    let answer = mapper.map_observed(job, world, &mut watcher);
    (answer, watcher.fired)
}
