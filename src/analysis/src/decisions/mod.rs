//! Logs of decisions: reading them, a decision in one sentence, the job that is known of it, totals and metrics of a log.

mod job;
mod metrics;
mod read;
mod rules_used;
mod sentence;
mod totals;

pub use job::{Guess, job_of};
pub use metrics::Metrics;
pub use read::{Lines, Skipped};
pub use sentence::{amount, sentence, why_not};
pub use totals::Totals;
