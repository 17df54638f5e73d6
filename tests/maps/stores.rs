//! A store of maps that somebody else has changed: nothing beside it is touched, and what is whole is still there.

#![cfg(unix)]

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use crate::support::{small_program, stderr, stdout};

/// A folder with a store, `maps`, that has the map `a`.
struct Site {
    folder: tempfile::TempDir,
    map: PathBuf,
}

impl Site {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_owned();
        let rules = "tools:\n  x: {cores: 1}\ndestinations:\n  d: {runner: local}\n";
        fs::write(path.join("rules.yml"), rules).unwrap();
        fs::write(path.join("jobs.jsonl"), "{\"tool\":{\"id\":\"x\"}}\n").unwrap();
        fs::create_dir(path.join("victim")).unwrap();
        fs::write(path.join("victim/file"), "precious").unwrap();
        small_program(&path);
        let mut site = Self { folder, map: PathBuf::new() };
        for args in [
            &["compile", "-q", "rules.yml", "-o", "rules.bin"][..],
            &["maps", "create", "-q", "--tag", "a", "--rules", "rules.bin", "jobs.jsonl"],
            &["maps", "wait", "-q", "a"],
        ] {
            let run = site.run(args);
            assert!(run.status.success(), "{args:?}: {}", stderr(&run));
        }
        site.map = stdout(&site.run(&["maps", "path", "a"])).trim().into();
        site
    }

    /// Runs a verb, which must come to its end by itself.
    fn run(&self, args: &[&str]) -> Output {
        let mut command = Command::new("timeout");
        command.args(["20", env!("CARGO_BIN_EXE_tpvc")]).args(args).current_dir(self.folder.path());
        command.env("NO_COLOR", "1").env("TPVC_MAPS_DIR", self.folder.path().join("maps"));
        let output = command.env("TPVC_MAPS_PROGRAM", self.folder.path().join("program")).output().unwrap();
        assert_ne!(output.status.code(), Some(124), "{args:?} does not end");
        output
    }

    /// Runs a verb that fails, and gives its complaint.
    fn complaint(&self, args: &[&str]) -> String {
        let run = self.run(args);
        assert_eq!(run.status.code(), Some(1), "{args:?}: {}{}", stdout(&run), stderr(&run));
        stderr(&run)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn assert_whole(&self) {
        assert_eq!(fs::read_to_string(self.path("victim/file")).unwrap(), "precious");
        assert!(self.map.join("format").is_file());
    }
}

#[test]
fn a_tag_that_names_another_folder_removes_nothing() {
    let site = Site::new();
    for text in ["../victim", "", ".", &site.path("victim").display().to_string()] {
        fs::write(site.path("maps/tags/a"), text).unwrap();
        for args in [&["maps", "remove", "--force", "a"][..], &["maps", "remove", "a"], &["maps", "status", "a"]] {
            let said = site.complaint(args);
            assert!(said.contains("the tag `a` is damaged") && !said.contains("--force"), "{said}");
            site.assert_whole();
            assert_eq!(fs::read_to_string(site.path("maps/tags/a")).unwrap(), text);
        }
    }
    // The map is one of all.
    assert!(site.complaint(&["maps", "remove", "--force", "--all"]).contains("the tag `a` is damaged"));
    assert!(!site.map.exists() && site.path("victim/file").exists());
}

#[test]
fn a_damaged_tag_does_not_stop_the_others() {
    let site = Site::new();
    fs::write(site.path("maps/tags/b"), "../victim").unwrap();
    assert!(Command::new("mkfifo").arg(site.path("maps/tags/t")).status().unwrap().success());
    let run = site.run(&["maps", "list"]);
    let (out, err) = (stdout(&run), stderr(&run));
    assert!(run.status.code() == Some(1) && out.lines().any(|line| line.starts_with("a ")), "{out}");
    assert!(err.contains("the tag `b` is damaged") && err.contains("the tag `t` is damaged"), "{err}");
    for args in
        [&["maps", "status", "t"][..], &["maps", "results", "t"], &["maps", "wait", "t"], &["maps", "logs", "t"]]
    {
        assert!(site.complaint(args).contains("is no regular file"), "{args:?}");
    }
    let run = site.run(&["maps", "status", "a"]);
    assert!(run.status.success(), "{}", stderr(&run));
    site.assert_whole();
}

#[test]
fn a_map_without_its_tag_is_listed_and_cleaned() {
    let site = Site::new();
    fs::write(site.path("maps/tags/a"), "../victim").unwrap();
    let run = site.run(&["maps", "list", "--format", "text"]);
    let name = site.map.file_name().unwrap().to_str().unwrap();
    assert!(stdout(&run).starts_with(name), "{}", stdout(&run));
    fs::remove_file(site.path("maps/tags/a")).unwrap();
    let run = site.run(&["maps", "list", "--format", "text"]);
    assert!(run.status.success() && stdout(&run).starts_with("a\t"), "{}", stdout(&run));
    fs::write(site.path("maps/tags/a"), "../victim").unwrap();
    let run = site.run(&["maps", "clean", "--all"]);
    assert!(run.status.success() && stderr(&run).contains("removed 1 map"), "{}", stderr(&run));
    assert!(!site.map.exists() && !site.path("maps/tags/a").exists());
    assert!(site.path("victim/file").exists());
}

/// Any file of a store may be a pipe; no verb waits for it.
#[test]
fn no_verb_waits_for_a_pipe() {
    let files = [
        "format",
        "tag",
        "components",
        "itemdata.json",
        "submit.json",
        "clusters/0.json",
        "clusters/0.id",
        "events/0.log",
        "outputs/0.jsonl.zst",
        "summaries/0.json",
        "runner.json",
        "runner.log",
        "lock",
        "runner.lock",
        "logs/0.err",
        "errors/0.json",
    ];
    let site = Site::new();
    for file in files {
        let path = site.map.join(file);
        let aside = site.path("aside");
        let was_there = fs::rename(&path, &aside).is_ok();
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        for args in [
            &["maps", "list"][..],
            &["maps", "status", "a"],
            &["maps", "status", "--verify", "a"],
            &["maps", "results", "a"],
            &["maps", "results", "--summary", "a"],
            &["maps", "errors", "a"],
            &["maps", "logs", "a"],
            &["maps", "logs", "--events", "a"],
        ] {
            site.run(args);
        }
        fs::remove_file(&path).unwrap();
        if was_there {
            fs::rename(&aside, &path).unwrap();
        }
    }
    let run = site.run(&["maps", "status", "a"]);
    assert!(run.status.success(), "{}", stderr(&run));
}
