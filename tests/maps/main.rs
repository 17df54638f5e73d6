//! Maps: years of jobs on engines.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]

#[path = "../support/mod.rs"]
mod support;

mod complaints;
mod component_script;
mod git;
mod results;
mod simulate;

use std::path::{Path, PathBuf};

/// Writes a script that runs tpvc, for a map's program: the program itself has over 100 MB without optimization, and each map copies
/// its program and reads it whole for the digest. The tests of `git.rs` do that.
fn small_program(folder: &Path) -> PathBuf {
    let path = folder.join("program");
    std::fs::write(&path, format!("#!/bin/sh\nexec '{}' \"$@\"\n", env!("CARGO_BIN_EXE_tpvc"))).unwrap();
    path
}
