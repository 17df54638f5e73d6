//! Files that tpvc writes: nothing is left of one that a signal ended, and a file that is replaced stays what it was.

#![cfg(unix)]

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use clap::CommandFactory;
use tpvc::cli::Cli;

use super::printing::verbs;
use crate::support::random::{a_fifth, at_least};
use crate::support::{stderr, stdout, tpvc_in};

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
    assert!(text.len() < ROOM && tpv_analysis::format::format(&text).unwrap().text.len() > ROOM);
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
    assert!(said.contains("the file is unchanged"), "{said}");
    assert_eq!(fs::read_to_string(folder.path().join("b.yml")).unwrap(), text);
    assert_eq!(names(folder.path()), ["a.yml", "b.yml"]);
}

/// The verbs that write a file: their arguments, in which `OUT` is its name.
const WRITERS: [(&str, &[&str]); 30] = [
    ("compile", &["compile", "config.yml", "-o", "OUT"]),
    ("map", &["map", "rules.bin", "jobs.jsonl", "-o", "OUT"]),
    ("map --format csv", &["map", "rules.bin", "jobs.jsonl", "--format", "csv", "-o", "OUT"]),
    ("map --decisions", &["map", "rules.bin", "jobs.jsonl", "-o", "/dev/null", "--decisions", "OUT"]),
    ("diff", &["diff", "config.yml", "changed.yml", "-o", "OUT"]),
    ("diff --format json", &["diff", "config.yml", "changed.yml", "--format", "json", "-o", "OUT"]),
    ("diff --format html", &["diff", "config.yml", "changed.yml", "--format", "html", "-o", "OUT"]),
    ("diff --differences", &["diff", "config.yml", "changed.yml", "--jobs", "jobs.jsonl", "--differences", "OUT"]),
    ("diff --made", &["diff", "config.yml", "changed.yml", "--made", "OUT"]),
    ("jobs", &["jobs", "config.yml", "-o", "OUT"]),
    ("jobs --world-out", &["jobs", "config.yml", "-o", "/dev/null", "--world-out", "OUT"]),
    ("log --metrics", &["log", "--log", "log.jsonl", "--metrics", "-o", "OUT"]),
    ("sweep", &["sweep", "config.yml", "--tool", "bwa", "--over", "input_size=0..1GB", "-o", "OUT"]),
    ("fit", &["fit", "config.yml", "--jobs", "finished.jsonl", "-o", "OUT"]),
    ("fit --format html", &["fit", "config.yml", "--jobs", "finished.jsonl", "--format", "html", "-o", "OUT"]),
    ("fit --privacy", &["fit", "config.yml", "--jobs", "finished.jsonl", "--privacy", "OUT", "-o", "/dev/null"]),
    ("fit --patch", &["fit", "config.yml", "--jobs", "finished.jsonl", "--patch", "OUT", "-o", "/dev/null"]),
    ("simulate", &["simulate", "config.yml", "--rate", "9", "--jobs", "finished.jsonl", "-o", "OUT"]),
    ("who", &["who", "reaches", "local", "config.yml", "-o", "OUT"]),
    ("who sets", &["who", "sets", "cores", "bwa", "config.yml", "-o", "OUT"]),
    ("who lacks", &["who", "lacks", "mem", "config.yml", "-o", "OUT"]),
    ("who fires", &["who", "fires", "config.yml", "--jobs", "jobs.jsonl", "--format", "csv", "-o", "OUT"]),
    ("who needs", &["who", "needs", "local", "config.yml", "-o", "OUT"]),
    ("test --junit", &["test", "tests.yml", "--junit", "OUT"]),
    ("test --suggest", &["test", "--config", "config.yml", "--suggest", "-o", "OUT"]),
    ("diff --format markdown", &["diff", "config.yml", "changed.yml", "--format", "markdown", "-o", "OUT"]),
    ("check --matrix", &["check", "config.yml", "--matrix", "OUT"]),
    ("lint --update-baseline", &["lint", "config.yml", "--update-baseline", "--baseline", "OUT"]),
    ("schema", &["schema", "config", "-o", "OUT"]),
    ("maps results", &["maps", "results", "q", "-o", "OUT"]),
];

const CONFIG: &str = "tools:\n  bwa:\n    cores: 2\ndestinations:\n  local:\n    runner: local\n";

/// The expected result of an output.
#[derive(Clone, Copy, Debug, PartialEq)]
enum End {
    /// It is written to this file of the folder.
    Written(&'static [u8]),
    /// It is written to stdout.
    Printed,
    /// It goes to a device or to a process, which is no matter here.
    Gone,
    /// It is refused with these words, and everything is as it was.
    Refused(&'static str),
    /// The command line is wrong.
    Misuse,
}
use End::{Gone, Misuse, Printed, Refused, Written};

/// Odd outputs: what stands for `OUT`, and what becomes of it. `odd_folder` makes what they name.
const OUTPUTS: [(&[u8], End); 27] = [
    (b"new.out", Written(b"new.out")),
    (b"./folder/../new.out", Written(b"new.out")),
    (b"-dash", Written(b"-dash")),
    (b"a\nb\x1b[31m", Written(b"a\nb\x1b[31m")),
    (b"not-\xff-utf-8", Written(b"not-\xff-utf-8")),
    (b"old.out", Written(b"old.out")),
    (b"linked.out", Written(b"linked.out")),
    (b"to-old.out", Written(b"old.out")),
    (b"dangling", Written(b"folder/target")),
    (b"chain", Written(b"folder/target")),
    (b"locked.out", Written(b"locked.out")),
    (b"/dev/null", Gone),
    (b"/dev/stdout", Printed),
    (b"/dev/fd/1", Printed),
    (b"/dev/full", Refused("the disk is full")),
    (b"folder", Refused("it is a folder")),
    (b"folder/", Refused("it is a folder")),
    (b"new/", Refused("it is a folder")),
    (b".", Refused("it is a folder")),
    (b"to-folder", Refused("it is a folder")),
    (b"missing/new.out", Refused("no such folder: `missing`")),
    (b"old.out/new.out", Refused("cannot be written")),
    (b"loop", Refused("cannot be written")),
    (b"nowhere", Refused("cannot be written")),
    (b"socket", Refused("it is a socket")),
    (LONG, Refused("cannot be written")),
    (b"", Misuse),
];

/// A longer name than a file may have.
const LONG: &[u8] = &[b'x'; 300];

fn tpvc_os(folder: &Path, args: &[&str], output: &[u8]) -> Output {
    let args = args.iter().map(|arg| match arg.split_once("OUT") {
        Some((before, _)) => std::ffi::OsString::from_vec([before.as_bytes(), output].concat()),
        None => arg.into(),
    });
    // Names that begin with a dash are given with their option.
    let mut joined: Vec<std::ffi::OsString> = Vec::new();
    for arg in args {
        match joined.last_mut().filter(|_| arg.as_bytes().starts_with(b"-dash")) {
            Some(last) if last.as_bytes().starts_with(b"--") => {
                last.push("=");
                last.push(arg);
            }
            Some(last) => last.push(arg),
            None => joined.push(arg),
        }
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_tpvc"));
    command.args(joined).current_dir(folder).env("NO_COLOR", "1").env("TPVC_MAPS_DIR", folder.join("maps"));
    command.stdin(Stdio::null()).output().unwrap()
}

/// A folder with the inputs, and with what is odd.
fn odd_folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("config.yml"), CONFIG).unwrap();
    fs::write(path("changed.yml"), CONFIG.replace('2', "3")).unwrap();
    fs::write(path("jobs.jsonl"), "{\"id\": 1, \"tool\": {\"id\": \"bwa\"}}\n").unwrap();
    let finished = "{\"tool\": {\"id\": \"bwa\"}, \"outcome\": {\"memory_bytes\": 1e9, \"runtime_seconds\": 60}}\n";
    fs::write(path("finished.jsonl"), finished).unwrap();
    fs::write(path("tests.yml"), "config: config.yml\ntests:\n  - job: {tool: bwa}\n    expect: {cores: 2}\n").unwrap();
    fs::create_dir(path("folder")).unwrap();
    reset(folder.path());
    fs::hard_link(path("old.out"), path("twin")).unwrap();
    symlink("old.out", path("to-old.out")).unwrap();
    symlink("folder", path("to-folder")).unwrap();
    symlink("folder/target", path("dangling")).unwrap();
    symlink("dangling", path("chain")).unwrap();
    symlink("loop", path("loop")).unwrap();
    symlink("missing/target", path("nowhere")).unwrap();
    assert!(tpvc_in(folder.path(), &["compile", "config.yml", "-o", "rules.bin"]).status.success());
    let map = ["map", "rules.bin", "jobs.jsonl", "-o", "/dev/null", "--decisions", "log.jsonl"];
    assert!(tpvc_in(folder.path(), &map).status.success());
    folder
}

/// Makes a map of the jobs, whose tag is `q`.
fn map_jobs(path: &Path) {
    for args in [
        &["maps", "create", "-q", "--tag", "q", "--rules", "rules.bin", "jobs.jsonl"][..],
        &["maps", "wait", "-q", "q"],
    ] {
        let run = tpvc_os(path, args, b"");
        assert!(run.status.success(), "{}", stderr(&run));
    }
}

/// The text of outputs that are there before.
const OLD: &str = "old\n";

/// Puts the files that are replaced back.
fn reset(folder: &Path) {
    for name in ["old.out", "linked.out", "locked.out"] {
        let _ = fs::remove_file(folder.join(name));
        fs::write(folder.join(name), if name == "old.out" { "{\"format\": 1, \"findings\": []}" } else { OLD })
            .unwrap();
    }
    fs::set_permissions(folder.join("locked.out"), fs::Permissions::from_mode(0o400)).unwrap();
    for name in [&b"new.out"[..], b"-dash", b"a\nb\x1b[31m", b"not-\xff-utf-8", b"folder/target"] {
        let _ = fs::remove_file(folder.join(OsStr::from_bytes(name)));
    }
}

/// All files below a folder with their texts, but for those of maps.
fn texts(folder: &Path) -> Vec<(PathBuf, Option<Vec<u8>>)> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let kind = fs::symlink_metadata(&path).unwrap().file_type();
        match () {
            () if path.ends_with("maps") => {}
            () if kind.is_dir() => all.extend(texts(&path)),
            () if kind.is_file() => all.push((path.clone(), fs::read(&path).ok())),
            () => all.push((path, None)),
        }
    }
    all.sort();
    all
}

/// Each verb that writes, with each odd output: written whole, or refused with a help and nothing lost.
#[test]
fn every_verb_with_an_output_is_in_the_table() {
    let mut missing = Vec::new();
    for words in verbs() {
        let root = Cli::command();
        let verb = words.iter().fold(&root, |command, word| command.find_subcommand(word).unwrap());
        // An engine starts `maps component`, and the output of `man` is a folder.
        let is_file = !verb.is_hide_set() && words != ["man"];
        let writes = is_file && verb.get_arguments().any(|arg| arg.get_long() == Some("output"));
        if writes && !WRITERS.iter().any(|(_, args)| words.iter().zip(*args).all(|(word, arg)| word == arg)) {
            missing.push(words.join(" "));
        }
    }
    assert!(missing.is_empty(), "add a row to WRITERS for each: {missing:?}");
}

#[test]
fn odd_outputs_are_written_whole_or_refused() {
    let (tried, wrong) = std::thread::scope(|scope| {
        let all: Vec<_> = WRITERS
            .iter()
            .enumerate()
            .map(|(first, (name, args))| {
                let outputs: Vec<_> = a_fifth(OUTPUTS, first).collect();
                scope.spawn(move || writes(name, args, &outputs))
            })
            .collect();
        let (tried, wrong): (Vec<usize>, Vec<_>) = all.into_iter().map(|one| one.join().unwrap()).unzip();
        (tried.iter().sum::<usize>(), wrong.concat())
    });
    assert!(wrong.is_empty(), "{} of {tried}\n{}", wrong.len(), wrong.join("\n"));
    assert!(tried >= at_least(OUTPUTS.len() * WRITERS.len()), "{tried}");
}

/// One verb with these odd outputs; how many were tried, and what is wrong.
fn writes(name: &str, args: &[&str], outputs: &[(&[u8], End)]) -> (usize, Vec<String>) {
    let folder = odd_folder();
    let path = folder.path();
    if args.contains(&"maps") {
        map_jobs(path);
    }
    let _listener = UnixListener::bind(path.join("socket")).unwrap();
    let (mut tried, mut wrong) = (0, Vec::new());
    for &(output, end) in outputs {
        reset(path);
        // What is no baseline is not written over.
        let is_other = name == "lint --update-baseline" && [&b"linked.out"[..], b"locked.out"].contains(&output);
        let end = if is_other { Refused("is not a baseline") } else { end };
        tried += 1;
        let before = texts(path);
        let run = tpvc_os(path, args, output);
        let (said, shown) = (stderr(&run), String::from_utf8_lossy(output).into_owned());
        let mut expect = |what: &str, holds: bool| {
            if !holds {
                wrong.push(format!("{name} to {shown:?}: {what}: {:?}\n{said}", run.status));
            }
        };
        expect("control characters", !said.contains('\x1b'));
        match end {
            Written(file) => {
                let file = OsStr::from_bytes(file);
                let text = fs::read(path.join(file)).unwrap_or_default();
                expect("written", run.status.success() && text.len() > OLD.len() && text != OLD.as_bytes());
                expect("all else is as it was", without(texts(path), file) == without(before, file));
                let links = ["to-old.out", "dangling", "chain"];
                expect("links are links", links.iter().all(|name| path.join(name).is_symlink()));
            }
            Printed => {
                expect("printed", run.status.success() && !run.stdout.is_empty());
                expect("all is as it was", texts(path) == before);
            }
            Gone => expect("all is as it was", run.status.success() && texts(path) == before),
            Refused(words) => {
                expect("refused", run.status.code() == Some(1) && said.contains(words) && said.contains("help: "));
                expect("all is as it was", texts(path) == before);
            }
            Misuse => {
                expect("misuse", run.status.code() == Some(2));
                expect("all is as it was", texts(path) == before);
            }
        }
    }
    (tried, wrong)
}

fn without(mut texts: Vec<(PathBuf, Option<Vec<u8>>)>, file: &OsStr) -> Vec<(PathBuf, Option<Vec<u8>>)> {
    texts.retain(|(path, _)| !path.ends_with(file));
    texts
}

/// An artifact in the place of its config, or answers in that of their jobs, would be a loss.
#[test]
fn no_output_takes_the_place_of_an_input() {
    let folder = odd_folder();
    let path = folder.path();
    fs::hard_link(path.join("jobs.jsonl"), path.join("same")).unwrap();
    symlink("config.yml", path.join("link")).unwrap();
    fs::write(path.join("world.json"), "{}").unwrap();
    let before = texts(path);
    for args in [
        &["compile", "config.yml", "-o", "config.yml"][..],
        &["compile", "config.yml", "-o", "link"],
        &["map", "rules.bin", "jobs.jsonl", "-o", "jobs.jsonl"],
        &["map", "rules.bin", "jobs.jsonl", "-o", "same"],
        &["map", "rules.bin", "jobs.jsonl", "-o", "rules.bin"],
        &["map", "rules.bin", "jobs.jsonl", "--world", "world.json", "-o", "world.json"],
        &["diff", "config.yml", "changed.yml", "-o", "changed.yml"],
        &["sweep", "config.yml", "--tool", "bwa", "--over", "input_size=0..1GB", "-o", "config.yml"],
        &["fit", "config.yml", "--jobs", "finished.jsonl", "-o", "finished.jsonl"],
        &["who", "fires", "config.yml", "--jobs", "jobs.jsonl", "-o", "jobs.jsonl"],
        &["test", "tests.yml", "--junit", "tests.yml"],
        &["check", "config.yml", "--matrix", "config.yml"],
    ] {
        let run = tpvc_in(path, args);
        assert_eq!(run.status.code(), Some(1), "{args:?}: {}", stderr(&run));
        assert!(stderr(&run).contains("it is an input of the same command"), "{args:?}: {}", stderr(&run));
        assert!(texts(path) == before, "{args:?}");
    }
    let mut from_stdin = Command::new(env!("CARGO_BIN_EXE_tpvc"));
    from_stdin.args(["map", "rules.bin", "-", "-o", "jobs.jsonl"]).current_dir(path);
    let run = from_stdin.stdin(fs::File::open(path.join("jobs.jsonl")).unwrap()).output().unwrap();
    assert!(run.status.code() == Some(1) && texts(path) == before, "{}", stderr(&run));
    assert!(tpvc_in(path, &["format", "--write", "config.yml"]).status.success());
}

/// If stdout is a file, its other content is kept: `/dev/stdout` is the stream and not the file.
#[test]
fn dev_stdout_is_a_stream() {
    let folder = odd_folder();
    let script = "(echo before; \"$0\" map -q rules.bin jobs.jsonl -o /dev/stdout; echo after) > log";
    let status =
        Command::new("sh").args(["-c", script, env!("CARGO_BIN_EXE_tpvc")]).current_dir(folder.path()).status();
    assert!(status.unwrap().success());
    let log = fs::read_to_string(folder.path().join("log")).unwrap();
    assert!(log.starts_with("before\n{\"id\": 1") && log.ends_with("}\nafter\n"), "{log}");
}

/// A pipe without its other end is not waited for without end, and with it works.
#[test]
fn pipes_work_or_end() {
    let folder = odd_folder();
    let path = folder.path();
    assert!(Command::new("mkfifo").arg(path.join("pipe")).status().unwrap().success());
    let alone = |args: &[&str], words: &str| {
        let started = Instant::now();
        let run = tpvc_in(path, args);
        assert_eq!(run.status.code(), Some(1), "{args:?}: {}", stderr(&run));
        let said = stderr(&run) + &stdout(&run);
        assert!(said.contains(words) && said.contains("help: "), "{args:?}: {said}");
        assert!(started.elapsed() < Duration::from_secs(30), "{args:?}");
    };
    std::thread::scope(|scope| {
        for args in [
            &["map", "rules.bin", "pipe"][..],
            &["map", "pipe", "jobs.jsonl"],
            &["map", "rules.bin", "jobs.jsonl", "--world", "pipe"],
            &["lint", "pipe"],
            &["lint", "config.yml", "--vars", "pipe"],
            &["lint", "config.yml", "--baseline", "pipe"],
            &["dump", "--job-conf", "pipe"],
            &["dry-run", "config.yml", "--job", "pipe"],
            &["test", "pipe"],
            &["format", "pipe"],
            &["inspect", "pipe"],
        ] {
            scope.spawn(|| alone(args, "it is a pipe that no program writes to"));
        }
    });
    alone(&["map", "rules.bin", "jobs.jsonl", "-o", "pipe"], "it is a pipe that no program reads");
    // A pattern and a folder leave it out.
    let folder_of_pipes = path.join("rules");
    fs::create_dir(&folder_of_pipes).unwrap();
    fs::write(folder_of_pipes.join("a.yml"), CONFIG).unwrap();
    assert!(Command::new("mkfifo").arg(folder_of_pipes.join("b.yml")).status().unwrap().success());
    let _listener = UnixListener::bind(folder_of_pipes.join("c.yml")).unwrap();
    for pattern in ["rules/*.yml", "rules"] {
        let run = tpvc_in(path, &["dump", pattern]);
        assert!(run.status.success(), "{}", stderr(&run));
    }
    // With both ends.
    let script = "\"$0\" map -q rules.bin <(cat jobs.jsonl) -o answers && cat jobs.jsonl | \"$0\" map -q rules.bin /dev/stdin -o again \
                  && { \"$0\" map -q rules.bin jobs.jsonl -o pipe & cat pipe > third; wait; } && cmp answers again && cmp answers third";
    let run = Command::new("bash").args(["-c", script, env!("CARGO_BIN_EXE_tpvc")]).current_dir(path).output().unwrap();
    assert!(run.status.success(), "{}", stderr(&run));
}

/// The next run removes files that a killed run left beside an output, but not those that a live process still writes.
#[test]
fn leftovers_of_killed_processes_are_removed() {
    let folder = odd_folder();
    let path = folder.path();
    let parts = || names(path).into_iter().filter(|name| name.ends_with(".part")).count();
    let mut living = mapping(path, "true");
    let mut killed = mapping(path, "true");
    wait_until("two outputs under construction", || parts() == 2);
    signal(&killed, "KILL");
    killed.wait().unwrap();
    fs::write(path.join(".tpvc-mine.old"), "a user's text").unwrap();
    symlink("jobs.jsonl", path.join(".tpvc-link.part")).unwrap();
    assert_eq!(parts(), 3);
    assert!(tpvc_in(path, &["compile", "config.yml", "-o", "other.bin"]).status.success());
    assert_eq!(parts(), 2, "{:?}", names(path));
    drop(living.stdin.take());
    assert!(living.wait().unwrap().success());
    assert!(
        path.join("answers.jsonl").exists() && path.join(".tpvc-mine.old").exists() && path.join("jobs.jsonl").exists()
    );
    assert!(path.join(".tpvc-link.part").is_symlink());
}

/// Past a limit on the sizes of files, writing fails with words, where the system would end the process with a signal.
#[cfg(target_os = "linux")]
#[test]
fn a_limit_on_sizes_is_an_error() {
    let folder = odd_folder();
    let script = "exec prlimit --fsize=64 \"$0\" compile config.yml -o other.bin";
    let run = Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_tpvc")])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert_eq!(run.status.code(), Some(1), "{:?}", run.status);
    assert!(stderr(&run).contains("`other.bin`: file too large"), "{}", stderr(&run));
    assert!(!names(folder.path()).iter().any(|name| name.contains("other") || name.ends_with(".part")));
}
