//! The ordinary jobs of each tool, mapped.

use tpv_analysis::check::reach::JobEnd;
use tpv_analysis::check::sample_ids;
use tpv_analysis::dry_job::{DryJob, UNNAMED_TOOL};
use tpv_config::Config;
use tpv_config::entity::Entity;
use tpv_model::{EntityClass, Quantity};

use super::sizes::ORDINARY;
use super::trial::{Outcome, Trial, Watched};

/// The most parameters that a made job is given because code asks for them.
const MOST_PARAMS: usize = 6;

/// A tool with what became of its jobs.
pub(super) struct Tool<'a> {
    /// Its place in the config. `None` of tools that the config does not name.
    pub index: Option<usize>,
    /// The tool; of those that the config does not name the entity that they inherit from.
    pub entity: &'a Entity,
    /// An ordinary job.
    job: DryJob,
    /// The mapping of the ordinary job.
    pub ordinary: Watched,
    /// The mapping of a user's job that ended because the database or the network was away, if the ordinary job is nobody's for that reason.
    pub away: Option<Watched>,
    /// The ends of its jobs by the bytes of their inputs, which ascend.
    pub points: Vec<Point>,
}

/// A job of some size.
pub(super) struct Point {
    /// The bytes of its input.
    pub bytes: i64,
    /// Its end.
    pub end: JobEnd,
}

impl From<&Outcome> for JobEnd {
    fn from(outcome: &Outcome) -> Self {
        match outcome {
            Outcome::Mapped(answer) => {
                let amounts = Quantity::ALL.map(|quantity| answer.number(quantity.into()));
                let destination = answer.destination_id().map(|id| id.into_owned()).unwrap_or_default();
                Self::Mapped { destination, amounts }
            }
            Outcome::Nowhere => Self::Nowhere,
            Outcome::Refused => Self::Refused,
            Outcome::Raised => Self::Raised,
        }
    }
}

impl Tool<'_> {
    /// A job of this size.
    pub(super) fn job(&self, bytes: i64) -> DryJob {
        DryJob { input_size: Some(bytes), ..self.job.clone() }
    }

    /// The destination that the ordinary job gets.
    pub(super) fn destination(&self) -> Option<&str> {
        match self.end()? {
            JobEnd::Mapped { destination, .. } => Some(destination),
            _ => None,
        }
    }

    /// The end of the ordinary job.
    pub(super) fn end(&self) -> Option<&JobEnd> {
        self.points.iter().find(|point| point.bytes == ORDINARY).map(|point| &point.end)
    }

    /// The name used in messages.
    pub(super) fn name(&self) -> String {
        match self.index {
            Some(_) => format!("`{}`", self.entity.id),
            None => "others without an entry".to_owned(),
        }
    }
}

/// All tools that are not abstract and for which an id is known, and one that the config does not name; with jobs of the sizes of each whose code
/// looks at inputs.
pub(super) fn all<'a>(config: &'a Config, trial: &Trial, sizes: &dyn Fn(&Entity) -> Vec<i64>) -> Vec<Tool<'a>> {
    let ids = sample_ids(&trial.rules, EntityClass::Tool);
    let concrete = config.tools.values().enumerate().filter(|(_, tool)| !tool.common.is_abstract);
    let named = concrete.filter_map(|(index, entity)| Some((Some(index), &**entity, ids.get(&*entity.id)?.clone())));
    let default = config.default_entity(EntityClass::Tool);
    let unnamed = default.map(|default| (None, &**default, UNNAMED_TOOL.to_owned()));
    named.chain(unnamed).filter_map(|(index, entity, id)| tool(trial, index, entity, &id, sizes)).collect()
}

fn tool<'a>(
    trial: &Trial,
    index: Option<usize>,
    entity: &'a Entity,
    id: &str,
    sizes: &dyn Fn(&Entity) -> Vec<i64>,
) -> Option<Tool<'a>> {
    let (mut job, mut outcome, mut ordinary) = whole(trial, DryJob::ordinary(id, ORDINARY))?;
    let mut away = None;
    if matches!(outcome, Outcome::Raised) && ordinary.is_unavailable() {
        // What is asked of a database is mostly about the user.
        let nobody = whole(trial, DryJob { user: None, ..DryJob::ordinary(id, ORDINARY) })?;
        if matches!(nobody.1, Outcome::Mapped(_) | Outcome::Nowhere) {
            away = Some(ordinary);
            (job, outcome, ordinary) = nobody;
        }
    }
    let is_unknown = matches!(outcome, Outcome::Raised) && !job.params.is_empty();
    let mut end = if is_unknown { JobEnd::Unknown } else { JobEnd::from(&outcome) };
    if end == JobEnd::Raised && ordinary.is_unavailable() {
        end = JobEnd::Away;
    }
    let (is_accepted, reads_inputs) = (end.is_accepted(), ordinary.reads_inputs);
    let mut tool = Tool { index, entity, job, ordinary, away, points: Vec::new() };
    // What raises for an ordinary job raises for most.
    let sizes = match (end == JobEnd::Nowhere || is_accepted, reads_inputs) {
        (true, true) => sizes(entity),
        (true, false) => vec![0, ORDINARY],
        (false, _) => vec![ORDINARY],
    };
    for bytes in sizes {
        let end = match bytes {
            ORDINARY => end.clone(),
            // What is away for an ordinary job is away for others.
            _ => match JobEnd::from(&trial.map(&tool.job(bytes))?) {
                JobEnd::Raised if end == JobEnd::Away => JobEnd::Away,
                other => other,
            },
        };
        tool.points.push(Point { bytes, end });
    }
    Some(tool)
}

/// Maps a job, with the parameters that its code asks for by name: real jobs have those of their tool. A job that fails nevertheless for want of one
/// is left as it was.
pub(super) fn whole(trial: &Trial, mut job: DryJob) -> Option<(DryJob, Outcome, Watched)> {
    let (mut outcome, mut watched) = trial.watch(&job)?;
    while let Some(name) = lacking(&watched).filter(|_| job.params.len() < MOST_PARAMS) {
        let mut next = job.clone();
        next.params.push((name, "1".to_owned()));
        let (ended, seen) = trial.watch(&next)?;
        if seen.error == watched.error {
            break;
        }
        (job, outcome, watched) = (next, ended, seen);
    }
    Some((job, outcome, watched))
}

/// The key that code did not find, where it may be the name of a parameter.
fn lacking(watched: &Watched) -> Option<String> {
    let key = watched.error.as_deref()?.strip_prefix("KeyError: '")?.strip_suffix('\'')?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '|';
    (!key.is_empty() && key.chars().all(is_name)).then(|| key.to_owned())
}
