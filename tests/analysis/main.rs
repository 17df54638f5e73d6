//! Commands about rules: `lint`, `check`, `diff`, `test`, `dry-run`, `dump`, `format`, `schema`, `sweep`, `fit` and `who`.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]

#[path = "../support/mod.rs"]
mod support;

mod baseline;
mod cases;
mod check_domain;
mod check_patterns;
mod check_reach;
mod diff;
mod dry_run;
mod fit;
mod fix;
mod format;
mod lint;
mod lint_goes_on;
mod lint_pages;
mod lost_sizes;
mod mistakes;
mod planted_faults;
mod properties;
mod schema;
mod server;
mod sweep;
mod who;
