//! Jobs that are made from rules, and the parts of the config that they use.

use std::sync::Arc;
use std::time::Duration;

use tpv_analysis::cases::coverage::{Aim, Coverage, coverage};
use tpv_analysis::cases::run::{Tested, uses};
use tpv_galaxy::Error;
use tpv_galaxy::answer::Answer;
use tpv_galaxy::json::{Json, text_of};
use tpv_runtime::mapper::Hooks;
use tpv_runtime::{Job, World};

use crate::jobs::{Asked, Made, Options, make, make_answered};

/// The bounds of making jobs.
const OPTIONS: Options = Options { tries: 20_000, time: Duration::from_secs(20), tool: None, all: true };

/// Jobs that are made from rules, and the parts of the config that they use.
pub struct Reach {
    jobs: Vec<Json>,
    /// The coverage by the jobs.
    pub coverage: Coverage,
}

impl Reach {
    /// Makes jobs in this world, and looks at what they use. Those that end in an exception use nothing: their answer is a fault rather than a decision.
    pub fn of(tested: &Tested, hooks: &Hooks, world: &Arc<World>) -> Self {
        Self::by(tested, hooks, make(&tested.rules, world, &[], &OPTIONS), world)
    }

    /// The same in an empty Galaxy that gets what the rules ask for, as far as the question shows the shape of an answer. Returns what it gets, as a world
    /// file has it.
    ///
    /// # Errors
    /// A bug: the answers are none of a world.
    pub fn asking(tested: &Tested, hooks: &Hooks, now: i64) -> Result<(Self, Json), Error> {
        let Asked { world, file, made, .. } =
            make_answered(&tested.rules, &Json::Object(Vec::new()), Some(now), &[], &OPTIONS)?;
        Ok((Self::by(tested, hooks, made, &Arc::new(world)), file))
    }

    fn by(tested: &Tested, hooks: &Hooks, made: Made, world: &Arc<World>) -> Self {
        let job = |json: Json| {
            let mut job = Job::parse(&text_of(&json)).ok()?;
            job.seed = Some(1.into());
            Some((json, Arc::new(job)))
        };
        let (made, jobs): (Vec<Json>, Vec<Arc<Job>>) = made.jobs.into_iter().filter_map(job).unzip();
        // The log of jobs that nobody wrote says nothing.
        let hooks = Hooks { log: None, log_level: None, ..hooks.clone() };
        let counts = uses(tested, &hooks, world, &jobs, is_decision);
        let coverage = coverage(tested, &counts, jobs.len());
        Self { jobs: made, coverage }
    }
}

/// Returns `true` if an answer is a destination, or what rules say in its place.
pub(super) fn is_decision(answer: &Answer) -> bool {
    answer.error().is_none_or(|(kind, _)| matches!(kind, "JobMappingException" | "JobNotReadyException"))
}

/// A job, and the parts that it is to use.
pub(super) struct Chosen<'a> {
    pub job: &'a Json,
    pub aims: Vec<&'a Aim>,
}

/// Few jobs that together use all of what one of them uses, in the order of the parts.
pub(super) fn chosen<'a>(reach: &'a Reach, aims: &'a [Aim]) -> Vec<Chosen<'a>> {
    // What few jobs do comes first: these do much else besides.
    let mut rarest: Vec<(usize, &Aim)> = aims.iter().enumerate().collect();
    rarest.sort_by_key(|(_, aim)| aim.jobs.count());
    let mut chosen: Vec<(usize, Vec<(usize, &Aim)>)> = Vec::new();
    for (place, aim) in rarest {
        let known = chosen.iter_mut().find(|(job, _)| aim.jobs.contains(*job));
        match (known, aim.jobs.first()) {
            (Some((_, aims)), _) => aims.push((place, aim)),
            (None, Some(job)) => chosen.push((job, vec![(place, aim)])),
            (None, None) => {}
        }
    }
    for (_, aims) in &mut chosen {
        aims.sort_by_key(|(place, _)| *place);
    }
    chosen.sort_by_key(|(_, aims)| aims.first().map(|(place, _)| *place));
    let with_job = |(job, aims): (usize, Vec<(usize, &'a Aim)>)| {
        let aims = aims.into_iter().map(|(_, aim)| aim).collect();
        Some(Chosen { job: reach.jobs.get(job)?, aims })
    };
    chosen.into_iter().filter_map(with_job).collect()
}
