//! Decisions for the log: a [`decision`] of the mapper with the [`facts`] that it could read becomes a line of a [`log`], in an [`appended`] file,
//! unless it goes on with one of the [`waits`].

mod appended;
mod decision;
mod facts;
mod log;
mod waits;

pub use decision::PyDecision;
pub use log::{DecisionLines, LogEvents};
