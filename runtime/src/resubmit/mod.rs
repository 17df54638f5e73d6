//! Resubmission: what Galaxy does with a job that failed, by the `resubmit` definitions of its destination.
//!
//! This follows Galaxy 26.1.1, whose code for it is in four places:
//!
//! - `galaxy/jobs/runners/state_handlers/resubmit.py`: `failure` takes the first definition whose condition holds. Its target is an
//!   environment of Galaxy's job configuration; without one it is the destination where the job failed. The job keeps the params that
//!   it had, below those of the target, and `__resubmit_delay_seconds` if the definition has a delay. An exception on this way is
//!   logged, and the job fails as if there was no definition.
//! - `galaxy/jobs/runners/state_handlers/_safe_eval.py`: the Python that conditions and delays may be, in [`expression`].
//! - `galaxy/jobs/handler.py`, `__recover_job_wrapper(resubmit=True)`: the job is mapped again if its target is a dynamic environment
//!   such as the dispatcher of TPV. `resubmit`, `env` and `tags` of a target that is not are those of the job configuration: a
//!   destination of TPV is not in there, so a job that was resubmitted to where it was has no definitions left.
//! - `galaxy/jobs/__init__.py`, `is_ready_for_resubmission`: a delay counts from the moment that the job failed.
//!
//! TPV (`tpv/core/mapper.py`, `_to_galaxy_resubmit`) gives Galaxy the definitions of the destination in their order, with the target
//! under `environment`; up to TPV 3.2, the target stays under `destination`, which Galaxy does not read. Rules see of earlier attempts
//! what Galaxy keeps: `job.state` is `resubmitted`, and `job.destination_params` are the carried params. There is no `attempt` in rules.
//!
//! [`Resubmitter`] answers for one failure; [`follow`] maps a job and all attempts after it.

mod attempt;
mod definition;
pub mod expression;
mod resubmitter;
mod state;

pub use attempt::{Attempt, Chain, ChainEnd, MAX_ATTEMPTS, follow};
pub use definition::Definitions;
pub use resubmitter::{Ending, Failure, Next, Resubmission, Resubmitter, delay_seconds};
pub use state::RunnerState;
