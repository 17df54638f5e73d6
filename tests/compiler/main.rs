//! Configs as the compiler reads them: what they load to, where a text comes from, and what is refused.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]

#[path = "../support/mod.rs"]
mod support;

mod config;
mod diagnostics;
mod places;
mod templates;
