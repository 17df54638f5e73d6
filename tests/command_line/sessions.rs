//! The output of the command line, wrong command lines above all: each `tests/cli/*.txt` is a session.
//!
//! A session begins with the files of its folder, each after a line `=== NAME`. The commands follow, each after `$ `, with
//! what they print: what goes to stdout, then what goes to stderr, then the exit status where it is not 0. With
//! `UPDATE_EXPECT=1` in the environment the sessions are rewritten; review the change before committing it.

use std::fmt::Write;
use std::path::Path;

use crate::support::{expect_file, project, site, stderr, stdout, tpvc_in};

/// The words of a command; single quotes keep blanks and `*`.
fn words(command: &str) -> Vec<String> {
    let (mut words, mut quoted) = (vec![String::new()], false);
    for c in command.chars() {
        match c {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            c => words.last_mut().unwrap().push(c),
        }
    }
    words
}

/// The session with what its commands really print.
fn replay(session: &str) -> String {
    let start = session.find("\n$ ").expect("a session has a command") + 1;
    let (files, commands) = session.split_at(start);
    let folder = site(&files.split("=== ").skip(1).map(|file| file.split_once('\n').unwrap()).collect::<Vec<_>>());
    let mut out = files.to_owned();
    for command in commands.lines().filter_map(|line| line.strip_prefix("$ tpvc ")) {
        let words = words(command);
        let run = tpvc_in(folder.path(), &words.iter().map(String::as_str).collect::<Vec<_>>());
        let _ = write!(out, "$ tpvc {command}\n{}{}", stdout(&run), without_times(&stderr(&run)));
        if !out.ends_with('\n') {
            out.push('\n');
        }
        match run.status.code() {
            Some(0) => {}
            Some(status) => {
                let _ = writeln!(out, "[exit status {status}]");
            }
            None => panic!("tpvc {command} died"),
        }
    }
    out
}

/// The output of a run without the times in it.
fn without_times(said: &str) -> String {
    let is_time = |line: &&str| !(line.starts_with("in ") && line.ends_with(" ms\n"));
    said.split_inclusive('\n').filter(is_time).collect()
}

#[test]
fn sessions_are_as_written() {
    let mut checked = 0;
    for entry in std::fs::read_dir(project().join("tests/cli")).unwrap() {
        let path = entry.unwrap().path();
        let session = std::fs::read_to_string(&path).unwrap();
        expect_file(Path::new(&path), &replay(&session));
        checked += session.matches("\n$ tpvc ").count();
    }
    assert!(checked > 60, "{checked}");
}
