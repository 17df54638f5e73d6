//! Decisions of a server: `tpvc why`, `tpvc log`, and the file that `tpvc map --decisions` writes.

mod compared;
mod files;
pub(super) mod log;
mod past_rules;
mod replay;
mod time;
pub(super) mod why;
mod write;

pub(super) use write::Decisions;
