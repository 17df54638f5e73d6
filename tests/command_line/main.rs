//! The program as a process: its options, documents, outputs, settings and limits.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]

#[path = "../support/mod.rs"]
mod support;

mod action;
mod architecture;
mod bounds;
mod decisions;
mod documents;
mod init;
mod init_layouts;
mod last_version;
mod options;
mod outputs;
mod printing;
mod robustness;
mod sessions;
mod settings;
mod tried;
mod update;
mod versions;
mod widths;
