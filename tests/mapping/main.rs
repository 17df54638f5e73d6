//! Answers to jobs: equal to TPV's, and the same whatever is compiled, cached or left to CPython.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]

#[path = "../support/mod.rs"]
mod support;

mod artifact_shape;
mod built_jobs;
mod compressed_jobs;
mod conformance;
mod easy;
mod failures_first;
mod interpreters;
mod jit_modes;
mod kept_results;
mod log_messages;
mod resubmit;
mod simulate;
mod traces;
