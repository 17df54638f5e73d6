//! Files that tpvc writes: nothing is left of one that a signal ended, and a file that is replaced stays what it was.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod support;

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use support::{stderr, tpvc_in};

const UGLY: &str = "tools:\n    b: {mem: '2'}\n    a:\n        cores: 1\n";
const PRETTY: &str = "tools:\n  a:\n    cores: 1\n  b:\n    mem: '2'\n";

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Waits until something holds.
fn wait_until(what: &str, holds: impl Fn() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Maps jobs that never come, in a shell that does `before`; gives the process once its output is under construction.
fn mapping(folder: &Path, before: &str) -> Child {
    let script = format!("{before}; exec \"$0\" map rules.bin - -o answers.jsonl");
    let child = Command::new("sh")
        .args(["-c", &script, env!("CARGO_BIN_EXE_tpvc")])
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    wait_until("an output under construction", || names(folder).iter().any(|name| name.ends_with(".part")));
    child
}

fn signal(child: &Child, name: &str) {
    assert!(Command::new("kill").args([&format!("-{name}"), &child.id().to_string()]).status().unwrap().success());
}

/// The signals that this process ignores, one bit each.
fn ignored() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.map_or(0, |mask| u64::from_str_radix(mask.trim(), 16).unwrap())
}

#[test]
fn signals_leave_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::write(path.join("config.yml"), "destinations:\n  local:\n    runner: local\n").unwrap();
    assert!(tpvc_in(path, &["compile", "config.yml", "-o", "rules.bin"]).status.success());
    for (name, number) in [("TERM", 15), ("HUP", 1), ("INT", 2)] {
        // Where the tests were started to ignore it, as under `nohup`, what they start ignores it, too.
        if ignored() >> (number - 1) & 1 == 1 {
            continue;
        }
        let mut child = mapping(path, "true");
        // Waiting closes the input of the process, which would then end by itself, maybe before the signal ends it.
        let input = child.stdin.take();
        signal(&child, name);
        assert_eq!(child.wait().unwrap().signal(), Some(number), "{name}");
        drop(input);
        assert_eq!(names(path), ["config.yml", "rules.bin"], "{name}");
    }
    // As under `nohup`.
    let mut child = mapping(path, "trap '' HUP");
    signal(&child, "HUP");
    std::thread::sleep(Duration::from_millis(200));
    assert!(child.try_wait().unwrap().is_none());
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
    assert_eq!(names(path), ["answers.jsonl", "config.yml", "rules.bin"]);
}

#[test]
fn formatted_files_keep_mode_links_and_line_ends() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("a.yml"), UGLY).unwrap();
    fs::set_permissions(path("a.yml"), fs::Permissions::from_mode(0o666)).unwrap();
    fs::hard_link(path("a.yml"), path("b.yml")).unwrap();
    symlink("a.yml", path("c.yml")).unwrap();
    fs::write(path("windows.yml"), UGLY.replace('\n', "\r\n")).unwrap();
    fs::set_permissions(path("windows.yml"), fs::Permissions::from_mode(0o662)).unwrap();
    let inode = fs::metadata(path("a.yml")).unwrap().ino();
    let run = tpvc_in(folder.path(), &["format", "--write", "c.yml", "windows.yml"]);
    assert!(run.status.success() && stderr(&run).ends_with("formatted 2 files\n"), "{}", stderr(&run));
    for name in ["a.yml", "b.yml", "c.yml"] {
        assert_eq!(fs::read_to_string(path(name)).unwrap(), PRETTY, "{name}");
        assert_eq!(fs::metadata(path(name)).unwrap().ino(), inode, "{name}");
    }
    assert!(fs::symlink_metadata(path("c.yml")).unwrap().is_symlink());
    assert_eq!(fs::read_to_string(path("windows.yml")).unwrap(), PRETTY.replace('\n', "\r\n"));
    let mode = |name| fs::metadata(path(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("a.yml"), mode("windows.yml")), (0o666, 0o662));
    assert_eq!(names(folder.path()), ["a.yml", "b.yml", "c.yml", "windows.yml"]);
    assert!(tpvc_in(folder.path(), &["format", "--check", "a.yml", "windows.yml"]).status.success());
}

/// Only the administrator can give a file away, so that elsewhere there is nothing to see.
#[test]
fn formatted_files_keep_their_owner() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.yml");
    fs::write(&file, UGLY).unwrap();
    if std::os::unix::fs::chown(&file, Some(12_345), Some(12_346)).is_err() {
        return;
    }
    assert!(tpvc_in(folder.path(), &["format", "--write", "a.yml"]).status.success());
    let new = fs::metadata(&file).unwrap();
    assert_eq!((fs::read_to_string(&file).unwrap().as_str(), new.uid(), new.gid()), (PRETTY, 12_345, 12_346));
}

/// A file with two names is written over; where the room ends on the way, its old text is there again.
#[cfg(target_os = "linux")]
#[test]
fn a_file_that_cannot_be_written_over_is_as_it_was() {
    const ROOM: usize = 3072;
    let folder = tempfile::tempdir().unwrap();
    let tools: String = (0..113).map(|tool| format!("  t{tool:03}: {{a: 1, b: 2, c: 3}}\n")).collect();
    let text = format!("tools:\n{tools}");
    assert!(text.len() < ROOM && tpvc::format::format(&text).unwrap().text.len() > ROOM);
    fs::write(folder.path().join("a.yml"), &text).unwrap();
    fs::hard_link(folder.path().join("a.yml"), folder.path().join("b.yml")).unwrap();
    let script = format!("trap '' XFSZ; exec prlimit --fsize={ROOM} \"$0\" format --write a.yml");
    let run = Command::new("sh")
        .args(["-c", &script, env!("CARGO_BIN_EXE_tpvc")])
        .current_dir(folder.path())
        .env("NO_COLOR", "1")
        .output()
        .unwrap();
    let said = stderr(&run);
    assert_eq!(run.status.code(), Some(1), "{said}");
    assert!(said.contains("the formatted text cannot be written to `a.yml`: file too large"), "{said}");
    assert!(said.contains("the file is as it was"), "{said}");
    assert_eq!(fs::read_to_string(folder.path().join("b.yml")).unwrap(), text);
    assert_eq!(names(folder.path()), ["a.yml", "b.yml"]);
}
