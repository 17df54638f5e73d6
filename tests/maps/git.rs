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

/// Each commit has its own settings, variables, included files and links; a commit that touches only these counts.
#[test]
#[cfg(unix)]
fn each_commit_has_its_own_site() {
    let tpvc = env!("CARGO_BIN_EXE_tpvc");
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("jobs.jsonl"), "{\"tool\": {\"id\": \"bwa\"}}\n").unwrap();
    let repository = folder.join("playbook");
    fs::create_dir_all(repository.join("templates/parts")).unwrap();
    fs::create_dir_all(repository.join("group_vars")).unwrap();
    done(&repository, "git", &["init", "-q", "-b", "main"]);
    let commit = |subject: &str, files: &[(&str, &str)]| {
        for (name, text) in files {
            let path = repository.join(name);
            if let Some(target) = text.strip_prefix("-> ") {
                let _ = fs::remove_file(&path);
                std::os::unix::fs::symlink(target, path).unwrap();
            } else {
                fs::write(path, text).unwrap();
            }
        }
        done(&repository, "git", &["add", "-A"]);
        done(&repository, "git", &["commit", "-q", "-m", subject]);
    };
    let template = "tools:\n  bwa:\n    cores: {{ cores }}\n    mem: {{ lookup('file', 'mem.txt') }}\n\
                    {% include 'parts/slurm.yml' %}\n";
    let destination = |id: &str| format!("destinations:\n  {id}:\n    runner: slurm\n");
    let settings = "files = [\"templates/tpv.yml.j2\"]\nvars = [\"group_vars/main.yml\"]\n";
    commit("elsewhere", &[("README.md", "x")]);
    let first: &[(&str, &str)] = &[
        ("templates/tpv.yml.j2", template),
        ("templates/parts/slurm.yml", &destination("slurm")),
        ("group_vars/main.yml", "cores: 2\n"),
        ("templates/two.txt", "2"),
        ("templates/three.txt", "3"),
        ("templates/mem.txt", "-> two.txt"),
        ("tpvc.toml", settings),
    ];
    commit("first", first);
    commit("a variable", &[("group_vars/main.yml", "cores: 4\n")]);
    commit("elsewhere", &[("README.md", "y")]);
    commit("an included file", &[("templates/parts/slurm.yml", &destination("cluster"))]);
    commit("a link", &[("templates/mem.txt", "-> three.txt")]);
    commit("no variable", &[("group_vars/main.yml", "other: 4\n")]);
    commit("still none", &[("templates/tpv.yml.j2", &format!("# a line more\n{template}"))]);
    let renamed = settings.replace("main.yml", "all.yml");
    commit("other settings", &[("group_vars/all.yml", "cores: 8\n"), ("tpvc.toml", &renamed)]);
    // The text in the folder now is no commit's.
    fs::write(repository.join("templates/parts/slurm.yml"), "destinations: [1]\n").unwrap();
    let created = done(folder, tpvc, &["maps", "create", "--tag", "year", "--git", "playbook", "jobs.jsonl"]);
    let told = stderr(&created);
    assert!(told.contains("7 commits: 5 rule sets, 2 without rules\n"), "{told}");
    // One error, whose line moves.
    let broken = ": templates/tpv.yml.j2:3:15: `cores` is not among the variables\n";
    assert!(told.contains(broken) && told.contains("\n  2 commits from "), "{told}");
    done(folder, tpvc, &["maps", "wait", "-q", "year"]);
    let answers = stdout(&done(folder, tpvc, &["maps", "results", "-q", "year"]));
    let brief = |line: &str| {
        let answer: serde_json::Value = serde_json::from_str(line).unwrap();
        format!("{} {} {}", answer["destination"]["id"], answer["cores"], answer["mem"])
    };
    let found: Vec<String> = answers.lines().map(brief).collect();
    let expected = ["slurm 2 2", "slurm 4 2", "cluster 4 2", "cluster 4 3", "cluster 8 3"];
    assert_eq!(found.join(", ").replace('"', ""), expected.join(", "));
}
