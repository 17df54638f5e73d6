//! Logs of decisions: reading them, a decision in one sentence, and the job that is known of it.

mod job;
mod read;
mod sentence;

pub use job::{Guess, job_of};
pub use read::{Lines, Skipped};
pub use sentence::{amount, sentence, why_not};
