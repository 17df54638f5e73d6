//! Shared code of the test programs.

// Each program uses its part.
#![allow(dead_code)]

pub mod blocks;
pub mod cases;
pub mod dump;
pub mod python;
pub mod random;
pub mod server;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The folder of the project.
pub fn project() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Runs tpvc in a folder.
pub fn tpvc_in(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tpvc"))
        .args(args)
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .stdin(Stdio::null())
        .output()
        .expect("tpvc runs")
}

/// Writes a script that runs tpvc into a folder, for a map's program: each map copies its program and reads it whole for the digest, and
/// the program itself has some 100 MB without optimization. `tests/maps/git.rs` ships the program itself.
pub fn small_program(folder: &Path) -> PathBuf {
    let path = folder.join("program");
    std::fs::write(&path, format!("#!/bin/sh\nexec '{}' \"$@\"\n", env!("CARGO_BIN_EXE_tpvc"))).unwrap();
    path
}

/// A new folder with these files, whose names may have folders.
pub fn site(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    folder
}

/// Runs tpvc in a folder, and gives its status and both streams.
pub fn run(folder: &Path, args: &[&str]) -> (i32, String) {
    let output = tpvc_in(folder, args);
    (output.status.code().unwrap(), format!("{}{}", stdout(&output), stderr(&output)))
}

/// The standard error of a run.
pub fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("stderr is text")
}

/// The standard output of a run.
pub fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("stdout is text")
}

/// Compares a text with a file beside the tests; with `UPDATE_EXPECT=1` writes the file instead.
pub fn expect_file(path: &Path, actual: &str) {
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, actual).unwrap();
        return;
    }
    let expected = std::fs::read_to_string(path)
        .unwrap_or_else(|error| panic!("{}: {error}; run with UPDATE_EXPECT=1 to write it", path.display()));
    assert!(
        expected == actual,
        "{} differs\n--- expected\n{expected}\n--- actual\n{actual}\n(UPDATE_EXPECT=1 accepts it)",
        path.display()
    );
}

/// Runs git in a folder, as a user with a name and without settings of the machine.
pub fn git(folder: &Path, arguments: &[&str]) {
    let output = Command::new("git")
        .args(["-c", "user.name=jo", "-c", "user.email=jo@example.org", "-c", "commit.gpgsign=false"])
        .args(arguments)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
}
