//! Maps: years of jobs on engines.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]

#[path = "../support/mod.rs"]
mod support;

mod complaints;
mod component_script;
mod git;
mod results;
mod simulate;
mod stores;
