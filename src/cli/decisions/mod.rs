//! Decisions of a server: `tpvc why`, `tpvc log`, and the file that `tpvc map --decisions` writes.

mod files;
pub(super) mod log;
mod metrics;
mod past_rules;
mod replay;
mod rules_used;
mod time;
mod totals;
pub(super) mod why;
mod write;

pub(super) use write::Decisions;
