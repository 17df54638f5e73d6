//! Python code in configs, compiled and run: values, errors and limits are those that CPython and Galaxy's classes recorded.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]

#[path = "../support/mod.rs"]
mod support;

mod closed;
mod cpython;
mod galaxy;
mod kernels;
mod python;
mod python_limits;
mod queries;
