//! The ordinary jobs of each tool, mapped.

use tpv_analysis::dry_job::DryJob;
use tpv_config::Config;
use tpv_config::entity::Entity;
use tpv_galaxy::answer::Field;

use super::sizes::{ORDINARY, sizes};
use super::trial::{Outcome, Trial, Watched, number};

/// A tool with what became of its jobs.
pub(super) struct Tool<'a> {
    /// Its place in the config.
    pub index: usize,
    /// The tool.
    pub entity: &'a Entity,
    /// An id that it matches.
    pub id: String,
    /// The mapping of an ordinary job.
    pub ordinary: Watched,
    /// What becomes of its jobs by the bytes of their inputs, which ascend.
    pub points: Vec<Point>,
}

/// A job of some size.
pub(super) struct Point {
    /// The bytes of its input.
    pub bytes: i64,
    /// Its end.
    pub end: End,
}

/// The end of a job, without its answer.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum End {
    /// The destination and the resources that it got: cores, memory in GiB, GPUs.
    Mapped { destination: String, cores: Option<f64>, mem: Option<f64>, gpus: Option<f64> },
    /// As [`Outcome`].
    Nowhere,
    /// As [`Outcome`].
    Refused,
    /// As [`Outcome`].
    Raised,
}

impl From<&Outcome> for End {
    fn from(outcome: &Outcome) -> Self {
        match outcome {
            Outcome::Mapped(answer) => {
                let [cores, mem, gpus] = [Field::Cores, Field::Mem, Field::Gpus].map(|field| number(answer, field));
                let destination = answer.destination_id().map(|id| id.into_owned()).unwrap_or_default();
                Self::Mapped { destination, cores, mem, gpus }
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
        DryJob::ordinary(&self.id, bytes)
    }

    /// The end of the ordinary job.
    pub(super) fn end(&self) -> Option<&End> {
        self.points.iter().find(|point| point.bytes == ORDINARY).map(|point| &point.end)
    }
}

/// All tools that are not abstract and for which an id is known.
pub(super) fn all<'a>(config: &'a Config, trial: &Trial) -> Vec<Tool<'a>> {
    let ids = trial.ids(config);
    let concrete = config.tools.values().enumerate().zip(ids).filter(|((_, tool), _)| !tool.common.is_abstract);
    concrete.filter_map(|((index, entity), id)| tool(config, trial, index, entity, id?)).collect()
}

fn tool<'a>(config: &Config, trial: &Trial, index: usize, entity: &'a Entity, id: String) -> Option<Tool<'a>> {
    let (outcome, ordinary) = trial.watch(&DryJob::ordinary(&id, ORDINARY))?;
    let mut tool = Tool { index, entity, id, ordinary, points: Vec::new() };
    let is_decided = matches!(outcome, Outcome::Raised | Outcome::Refused);
    // What raises for an ordinary job raises for most.
    let sizes = if is_decided { vec![ORDINARY] } else { sizes(config, entity) };
    for bytes in sizes {
        let end = match bytes {
            ORDINARY => End::from(&outcome),
            _ => End::from(&trial.map(&tool.job(bytes))?),
        };
        tool.points.push(Point { bytes, end });
    }
    Some(tool)
}
