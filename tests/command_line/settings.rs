//! The settings in `tpvc.toml` apply where the command line is silent.

use crate::support::run;
use tempfile::TempDir;

const RULES: &str = "tools:\n  bwa:\n    cores: 4\n";
const DESTINATIONS: &str = "destinations:\n  local:\n    runner: local\n";
const JOBS: &str = "{\"id\": 1, \"tool\": {\"id\": \"bwa\"}}\n";

/// A site: a settings file, two config files in a folder, jobs, and a folder below.
fn site(settings: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    std::fs::create_dir_all(folder.path().join("rules/below")).unwrap();
    write("tpvc.toml", settings);
    write("rules/a.yml", RULES);
    write("rules/b.yml", DESTINATIONS);
    write("jobs.jsonl", JOBS);
    folder
}

/// The settings of these tests.
const SETTINGS: &str = "files = [\"rules/*.yml\"]\njobs = \"jobs.jsonl\"\n";

#[test]
fn verbs_take_the_files_of_the_settings() {
    let site = site(SETTINGS);
    let (status, text) = run(site.path(), &["lint"]);
    assert!(status == 0 && text.contains("the config files are those of `tpvc.toml`"), "{text}");
    assert!(text.contains("rules/a.yml:3:12") && text.contains("1 warning in 2 files"), "{text}");
    for args in [
        &["check"][..],
        &["dump"],
        &["map"],
        &["map", "jobs.jsonl"],
        &["dry-run", "--tool", "bwa"],
        &["compile", "-o", "rules.bin"],
        &["format", "--check"],
    ] {
        let (status, text) = run(site.path(), args);
        assert!(status == 0 && text.contains("the config files are those of `tpvc.toml`"), "{args:?}: {text}");
    }
    let (_, answers) = run(site.path(), &["map", "-q"]);
    assert!(answers.contains("\"id\": \"local\"") && answers.contains("\"cores\": 4"), "{answers}");
}

#[test]
fn paths_of_the_settings_are_led_from_the_present_folder() {
    let site = site(SETTINGS);
    let (status, text) = run(&site.path().join("rules/below"), &["lint"]);
    assert!(
        status == 0 && text.contains("those of `../../tpvc.toml`") && text.contains("../../rules/a.yml:3:12"),
        "{text}"
    );
}

#[test]
fn the_command_line_comes_before_the_settings() {
    let site = site(SETTINGS);
    let (status, text) = run(site.path(), &["lint", "rules/b.yml"]);
    assert!(status == 0 && text.contains("no findings in 1 file") && !text.contains("tpvc.toml"), "{text}");
    let (status, text) = run(site.path(), &["map", "--config", "rules/b.yml", "jobs.jsonl"]);
    assert!(status == 0 && !text.contains("\"cores\": 4") && !text.contains("tpvc.toml"), "{text}");
}

#[test]
fn without_files_in_either_place_the_command_line_is_wrong() {
    let site = site("");
    for verb in ["lint", "check", "dump", "dry-run", "format"] {
        let (status, text) = run(site.path(), &[verb]);
        assert!(status == 2 && text.contains("no config files are given") && text.contains("`tpvc.toml`"), "{text}");
    }
    let (status, text) = run(site.path(), &["map"]);
    assert!(status == 2 && text.contains("needs the rules and the jobs"), "{text}");
}

#[test]
fn severities_turn_codes_off_and_into_errors() {
    let off = site(&format!("{SETTINGS}[severity]\nT102 = \"off\"\n"));
    let (status, text) = run(off.path(), &["lint"]);
    assert!(status == 0 && text.contains("no findings in 2 files"), "{text}");
    let error = site(&format!("{SETTINGS}[severity]\nT102 = \"error\"\n"));
    let (status, text) = run(error.path(), &["lint"]);
    assert!(status == 1 && text.contains("error[T102]") && text.contains("1 error in 2 files"), "{text}");
    let (status, text) = run(error.path(), &["lint", "--ignore", "T102"]);
    assert!(status == 0 && text.contains("no findings"), "{text}");
    let (_, text) = run(error.path(), &["lint", "--format", "github"]);
    assert!(text.contains("::error file=rules/a.yml,line=3"), "{text}");
}

#[test]
fn a_wrong_settings_file_is_shown_by_every_verb_that_reads_it() {
    let site = site("files = [\"rules/*.yml\"]\n[severty]\nT102 = \"off\"\n");
    for args in [&["lint"][..], &["lint", "rules/a.yml"], &["map", "jobs.jsonl"], &["maps", "list"]] {
        let (status, text) = run(site.path(), args);
        assert!(status == 1 && text.contains("tpvc.toml:2:2") && text.contains("did you mean `severity`?"), "{text}");
    }
    // It may name variables of templates and a version of TPV, unless the command line does.
    let map = ["map", "--config", "rules/", "jobs.jsonl"];
    assert_eq!(run(site.path(), &map).0, 1);
    std::fs::write(site.path().join("vars.yml"), "").unwrap();
    assert_eq!(run(site.path(), &[&map[..], &["--vars", "vars.yml", "--tpv", "3.3"]].concat()).0, 0);
}

/// Whatever has the name is meant: a site whose settings cannot be read is not one without settings.
#[cfg(unix)]
#[test]
fn settings_that_are_no_file_are_an_error() {
    let odd = [
        ("it is a folder", "mkdir tpvc.toml"),
        ("it isn't a file", "mkfifo tpvc.toml"),
        ("too many levels of symbolic links", "ln -s tpvc.toml tpvc.toml"),
        ("no such file or folder", "ln -s nowhere tpvc.toml"),
    ];
    for (words, command) in odd {
        let site = site(SETTINGS);
        let path = site.path().join("tpvc.toml");
        std::fs::remove_file(&path).unwrap();
        let made = std::process::Command::new("sh").args(["-c", command]).current_dir(site.path()).status();
        assert!(made.unwrap().success(), "{command}");
        for (folder, name) in [("", "tpvc.toml"), ("rules", "../tpvc.toml")] {
            for args in [&["lint"][..], &["map"], &["compile", "-o", "rules.bin"], &["lint", "a.yml"]] {
                let (status, text) = run(&site.path().join(folder), args);
                let is_shown =
                    text.contains(words) && text.contains(&format!("--> {name}:1:1")) && text.contains("help: ");
                assert!(status == 1 && is_shown, "{words}, {args:?}: {status}\n{text}");
            }
        }
    }
}
