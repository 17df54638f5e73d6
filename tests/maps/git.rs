//! A map of a git repository: each commit's rules map all jobs, and those that do not compile are told.

#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::support::{project, stderr, stdout};

fn run(folder: &Path, program: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder).env("HOME", folder).env("TPVC_MAPS_DIR", folder.join("maps"));
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
    for (name, value) in [("NAME", "jo"), ("EMAIL", "jo@example.org"), ("DATE", "2025-01-01T12:00:00Z")] {
        command.env(format!("GIT_AUTHOR_{name}"), value).env(format!("GIT_COMMITTER_{name}"), value);
    }
    if program != "git" {
        // As git does for a hook: the repository that is named is the one that is asked.
        command.env("GIT_DIR", folder.join("another.git"));
    }
    command.output().unwrap()
}

fn done(folder: &Path, program: &str, arguments: &[&str]) -> Output {
    let output = run(folder, program, arguments);
    assert!(output.status.success(), "{program} {arguments:?}: {}", stderr(&output));
    output
}

#[test]
fn each_commit_maps_all_jobs() {
    let tpvc = env!("CARGO_BIN_EXE_tpvc");
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let site = project().join("examples/site");
    let config = fs::read_to_string(site.join("tpv.yml")).unwrap();
    fs::copy(site.join("jobs.jsonl"), folder.join("jobs.jsonl")).unwrap();
    let repository = folder.join("playbook");
    fs::create_dir_all(repository.join("files")).unwrap();
    done(&repository, "git", &["init", "-q", "-b", "main"]);
    let changed = config.replacen("cores: ", "cores: 1 + ", 1);
    assert_ne!(changed, config);
    let texts = [("first", config.as_str()), ("wrong", "tools: [1]\n"), ("changed", &changed), ("as before", &config)];
    for (subject, text) in texts {
        fs::write(repository.join("files/tpv.yml"), text).unwrap();
        done(&repository, "git", &["add", "-A"]);
        done(&repository, "git", &["commit", "-q", "-m", subject]);
    }
    let create = ["maps", "create", "--tag", "year", "--git", "playbook", "jobs.jsonl", "--", "files"];
    let created = done(folder, tpvc, &create);
    let told = stderr(&created);
    assert!(
        told.contains("compiling 3 versions\n") && told.contains("4 commits: 2 rule sets, 1 without rules\n"),
        "{told}"
    );
    assert!(told.contains(" 2025-01-01 wrong: files/tpv.yml:1:"), "{told}");
    done(folder, tpvc, &["maps", "wait", "-q", "year"]);

    let answers = |text: &str| {
        fs::write(folder.join("tpv.yml"), text).unwrap();
        stdout(&done(folder, tpvc, &["map", "-q", "--config", "tpv.yml", "jobs.jsonl"]))
    };
    let (first, second) = (answers(&config), answers(&changed));
    assert_ne!(first, second);
    assert!(stdout(&done(folder, tpvc, &["maps", "results", "-q", "year"])) == format!("{first}{second}"));
    assert!(stdout(&done(folder, tpvc, &["maps", "results", "-q", "year", "--rules", "* changed"])) == second);
    let rows = stdout(&done(folder, tpvc, &["maps", "results", "-q", "year", "--summary", "--format", "text"]));
    let names: Vec<&str> = rows.lines().map(|row| row.split('\t').next().unwrap()).collect();
    assert!(
        names.len() == 2 && names[0].ends_with(" 2025-01-01 first") && names[1].ends_with(" 2025-01-01 changed"),
        "{rows}"
    );

    fs::write(repository.join("files/tpv.yml"), "tools: [2]\n").unwrap();
    done(&repository, "git", &["commit", "-q", "-a", "-m", "wrong again"]);
    let create =
        ["maps", "create", "--tag", "none", "--git", "playbook", "--since", "HEAD~", "jobs.jsonl", "--", "files"];
    let refused = run(folder, tpvc, &create);
    assert_eq!(refused.status.code(), Some(1));
    assert!(stderr(&refused).contains("error: no commit compiles; the last, "), "{}", stderr(&refused));
    let maps: Vec<_> = fs::read_dir(folder.join("maps")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(maps.len(), 3, "one map, tags and slots: {maps:?}");
}
