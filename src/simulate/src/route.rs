//! The routes of jobs: asking the mapper of `tpvc map` with the world of the moment.

use std::sync::Arc;

use tpv_galaxy::answer::{Answer, Field};
use tpv_galaxy::job::Job;
use tpv_galaxy::json::Json;
use tpv_galaxy::world::World;
use tpv_runtime::artifact::Rules;
use tpv_runtime::mapper::{Hooks, Mapper};
use tpv_runtime::pools::memory::InMemoryAllocationStore;
use tpv_runtime::resubmit::{Attempt, Failure, Next, Resubmission, Resubmitter};

/// The resources and the destination that the rules give a job.
#[derive(Clone, Debug, PartialEq)]
pub enum Routed {
    /// A destination.
    To(Target),
    /// `JobNotReadyException`: Galaxy asks again.
    NotReady,
    /// An error, with its class and message.
    Failed {
        /// `JobMappingException`
        kind: String,
        /// The message.
        message: String,
    },
}

/// The destination of a job.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Target {
    /// Its id.
    pub destination: String,
    /// Cores.
    pub cores: f64,
    /// Memory in GiB; `None` if the job gets no number.
    pub mem: Option<f64>,
    /// GPUs.
    pub gpus: f64,
    /// The answer that says so, for whoever needs more of it.
    pub answer: Option<Answer>,
}

/// Routes jobs.
pub trait Router {
    /// Asks for a job. It may keep nothing of the world.
    fn route(&mut self, job: &Arc<Job>, world: &Arc<World>) -> Routed;

    /// Returns `true` if the recorder of the world gets all that answers depend on: then jobs are asked for again only if that changed.
    fn records(&self) -> bool {
        false
    }

    /// A job of a user has ended, and holds no resource pool any more.
    fn ended(&mut self, user: Option<i64>, job: i64);

    /// The resubmission of a job whose attempt failed; `None` if the job fails.
    fn resubmission(&mut self, _attempt: &Attempt, _failure: &Failure) -> Option<Resubmission> {
        None
    }

    /// The answer for another attempt of a job.
    fn again(&mut self, _job: &Arc<Job>, _world: &Arc<World>) -> Option<Answer> {
        None
    }
}

/// The rules of an artifact with pools of their own.
pub struct RuleRouter {
    mapper: Mapper,
    pools: Option<Arc<InMemoryAllocationStore>>,
    resubmitter: Resubmitter,
}

impl RuleRouter {
    /// A router by these rules.
    pub fn new(rules: Arc<Rules>, hooks: Hooks) -> Self {
        let pools = (!rules.tables().pools.is_empty()).then(|| Arc::new(InMemoryAllocationStore::default()));
        let pool_store = pools.clone().map(|store| store as _);
        Self {
            mapper: Mapper::with_hooks(rules, Hooks { pool_store, ..hooks }, false),
            pools,
            resubmitter: Resubmitter::new(Arc::new(tpv_compiler::python::resubmit::compile)),
        }
    }
}

impl Router for RuleRouter {
    fn route(&mut self, job: &Arc<Job>, world: &Arc<World>) -> Routed {
        Routed::of(self.mapper.map_moment(job, world))
    }

    fn records(&self) -> bool {
        true
    }

    fn ended(&mut self, user: Option<i64>, job: i64) {
        if let (Some(pools), Some(user)) = (&self.pools, user) {
            pools.release(user, job);
        }
    }

    fn resubmission(&mut self, attempt: &Attempt, failure: &Failure) -> Option<Resubmission> {
        match self.resubmitter.next(attempt.definitions(), failure) {
            Next::Resubmitted(resubmission) => Some(resubmission),
            Next::Ends(_) => None,
        }
    }

    fn again(&mut self, job: &Arc<Job>, world: &Arc<World>) -> Option<Answer> {
        Some(self.mapper.map_moment(job, world))
    }
}

impl Routed {
    /// The route in an answer.
    pub fn of(answer: Answer) -> Self {
        if let Some((kind, message)) = answer.error() {
            if kind == "JobNotReadyException" {
                return Self::NotReady;
            }
            let message = match message {
                Json::Str(text) => text.to_string(),
                _ => answer.error_text().unwrap_or_default(),
            };
            return Self::Failed { kind: kind.to_owned(), message };
        }
        let number = |field| answer.text(field).and_then(|text| text.parse::<f64>().ok()).filter(|n| n.is_finite());
        // A name may be any value; a number stands for itself.
        let destination = match answer.destination_id() {
            Some(id) => id.into_owned(),
            None => answer.text(Field::Id).unwrap_or_default().to_owned(),
        };
        Self::To(Target {
            destination,
            cores: number(Field::Cores).unwrap_or_default(),
            mem: number(Field::Mem),
            gpus: number(Field::Gpus).unwrap_or_default(),
            answer: Some(answer),
        })
    }
}
