#![doc = include_str!("../README.md")]

pub mod cases;
pub mod check;
pub mod decisions;
pub mod diff;
pub mod dry_job;
pub mod dump;
pub mod explain;
pub mod format;
pub mod git;
pub mod job_file;
mod json_number;
pub mod json_path;
pub mod junit;
pub mod lint;
pub mod page;
mod parts;
pub mod people;
mod quantities;
pub mod rule_texts;
pub mod schema;
pub mod sketch;
pub mod summary;
pub mod sweep;
pub mod tool_id;
pub mod who;

#[cfg(test)]
#[allow(dead_code, clippy::indexing_slicing, reason = "integration tests use the rest")]
#[path = "../../../tests/support/random.rs"]
mod random;
