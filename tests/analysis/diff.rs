//! `tpvc diff`: what it says of two rule sets, of git revisions, and of jobs. `tests/diff/against_tpv.py` compares it with the real TPV.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::support::{expect_file, git, project, run, stderr, stdout, tpvc_in};
use serde_json::Value;

fn folder() -> PathBuf {
    project().join("tests/diff")
}

/// The output of a successful run.
fn printed(folder: &Path, args: &[&str]) -> String {
    let output = tpvc_in(folder, args);
    assert!(output.status.success(), "{args:?}\n{}", stderr(&output));
    stdout(&output)
}

fn write(folder: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        std::fs::write(folder.join(name), text).unwrap();
    }
}

#[test]
fn a_config_is_compared_entity_by_entity() {
    expect_file(&folder().join("entities.txt"), &printed(&folder(), &["diff", "old.yml", "new.yml", "--no-jobs"]));
}

#[test]
fn jobs_are_compared_by_cause() {
    let with = |more: &[&str]| {
        let args = [&["diff", "old.yml", "new.yml", "--jobs", "jobs.jsonl"], more].concat();
        printed(&folder(), &args)
    };
    expect_file(&folder().join("jobs.txt"), &with(&[]));
    expect_file(&folder().join("jobs.md"), &with(&["--format", "markdown"]));
    expect_file(&folder().join("jobs.json"), &with(&["--format", "json"]));
    let none = with(&["--format", "json", "--examples", "0"]);
    assert!(!none.contains("\"line\""), "{none}");
}

/// One tool, `bwa`, or what else stands there.
fn config(tools: &str, destinations: &str) -> String {
    format!("tools:\n{tools}destinations:\n  slurm: {{runner: slurm}}\n{destinations}")
}

/// The report on the change from one config to another, without the places.
fn said(old: &str, new: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &[("old.yml", old), ("new.yml", new)]);
    let text = printed(folder.path(), &["diff", "old.yml", "new.yml", "--no-jobs"]);
    let lines = text.lines().skip(1).map(|line| {
        let line = line.split("  new.yml").next().unwrap().split("  old.yml").next().unwrap();
        line.split(" (new.yml").next().unwrap().split(" (old.yml").next().unwrap().trim()
    });
    lines.collect::<Vec<_>>().join(" | ")
}

#[test]
fn each_change_is_told() {
    let tools = [
        ("cores: 2", "cores: 4", "~ `bwa` | cores 2 -> 4"),
        ("cores: 2", "mem: 4", "~ `bwa` | cores 2 -> not set | mem not set -> 4"),
        ("env: {A: 1, B: 2}", "env: {A: 1, B: 3, C: 4}", "~ `bwa` | env.B 2 -> 3 | env.C not set -> 4"),
        (
            "env: [{name: A, value: '1'}, {name: B, value: '2'}]",
            "env: {B: 2, A: 1}",
            "~ `bwa` | order of env | - A, B | + B, A",
        ),
        ("params: {a: {b: 1}}", "params: {a: {b: 2}}", "~ `bwa` | params.a {b: 1} -> {b: 2}"),
        ("params: {a: 1}", "params: {a: '1'}", "~ `bwa` | params.a 1 -> \"1\""),
        ("context: {a: 1}", "context: {a: 2}", "~ `bwa` | context.a 1 -> 2"),
        ("scheduling: {require: [a]}", "scheduling: {accept: [a]}", "~ `bwa` | scheduling.a require -> accept"),
        ("rank: a", "rank: b", "~ `bwa` | rank a -> b"),
        ("abstract: true", "abstract: false", "~ `bwa` | abstract true -> not set"),
        ("rules: [{if: a, cores: 1}]", "rules: [{if: b, cores: 1}]", "~ `bwa` | a rule: if a -> b"),
        ("rules: [{if: a, cores: 1}]", "rules: [{if: a, cores: 2}]", "~ `bwa` | rule `if a`: cores 1 -> 2"),
        (
            "rules: [{id: x, if: a, cores: 1}, {id: y, if: b, cores: 2}]",
            "rules: [{id: y, if: b, cores: 2}, {id: x, if: a, cores: 1}]",
            "~ `bwa` | order of rules | - x, y | + y, x",
        ),
        ("rules: [{if: a, cores: 1}]", "rules: []", "~ `bwa` | - rule `if a` | cores: 1 | if: a"),
        (
            "rules: [{if: b, cores: 1}]",
            "rules: [{if: a, fail: no}, {if: b, cores: 1}]",
            "~ `bwa` | + rule `if a` | fail: no | if: a",
        ),
    ];
    for (old, new, expected) in tools {
        let config = |tool: &str| config(&format!("  bwa:\n    {tool}\n"), "");
        let said = said(&config(old), &config(new));
        // What follows for reachability has a test of its own.
        assert_eq!(said.split(" | reachability").next(), Some(expected), "{old} | {new}");
    }
    let destinations = [
        ("  a: {runner: x}\n", "  a: {runner: y}\n", "~ `a` | runner x -> y"),
        ("  a: {runner: x}\n", "  b: {runner: x}\n", "~ `b` (renamed from `a`)"),
        ("  a: {runner: x}\n", "  b: {runner: y}\n", "+ `b` | - `a`"),
        ("  a: {max_accepted_mem: 4}\n", "  a: {max_accepted_mem: 8}\n", "~ `a` | max_accepted_mem 4 -> 8"),
        ("  a: {tags: [x]}\n", "  a: {tags: [y]}\n", "~ `a` | tags [x] -> [y]"),
        (
            "  a: {runner: x}\n  b: {runner: y}\n",
            "  b: {runner: y}\n  a: {runner: x}\n",
            "~ `a` | order of destinations | - slurm, a, b | + slurm, b, a",
        ),
    ];
    for (old, new, expected) in destinations {
        let config = |destinations: &str| config("  bwa: {}\n", destinations);
        assert_eq!(said(&config(old), &config(new)), expected, "{old} | {new}");
    }
}

/// Entities that others inherit from come first: of removed ones by the old rules, of added ones by the new.
#[test]
fn removed_entities_are_in_the_order_of_the_old_inheritance() {
    let short = config("  bwa: {}\n", "");
    let long = config("  bwa: {}\n  aaa: {inherits: base}\n  base: {abstract: true, cores: 2}\n", "");
    let first = |said: String| said.split(" | ").next().unwrap().to_owned();
    assert_eq!(first(said(&short, &long)), "+ `base`, `aaa`");
    assert_eq!(first(said(&long, &short)), "- `base`, `aaa`");
}

#[test]
fn what_overrides_what_is_told_where_patterns_change_places() {
    let old = config("  bwa.*: {cores: 1}\n  bwa_mem: {cores: 2}\n  other: {cores: 3}\n", "");
    let new = config("  other: {cores: 3}\n  bwa_mem: {cores: 2}\n  bwa.*: {cores: 1}\n", "");
    assert_eq!(said(&old, &new), "~ `bwa_mem` | order of lookup | - bwa.*, bwa_mem | + bwa_mem, bwa.*");
}

#[test]
fn what_tools_can_reach_is_compared() {
    let config = |accepted: &str, required: &str| {
        format!(
            "tools:\n  bwa: {{cores: 2}}\n  hisat2: {{scheduling: {{require: [{required}]}}}}\n  star: {{scheduling: {{require: [{required}]}}}}\n\
             destinations:\n  slurm: {{runner: slurm, scheduling: {{accept: [offline]}}}}\n  pulsar: {{runner: pulsar, scheduling: {{accept: [{accepted}]}}}}\n"
        )
    };
    let all = config("offline, gpu", "offline");
    let less = said(&all, &config("gpu", "offline"));
    assert!(less.ends_with(" | reachability | ~ `hisat2`, `star`  (2 in all) | can never go to pulsar now"), "{less}");
    let more = said(&config("gpu", "offline"), &all);
    assert!(more.ends_with(" | may go to pulsar now"), "{more}");
    let moved = said(&all, &config("offline, gpu", "gpu"));
    assert!(moved.ends_with(" | can never go to slurm now"), "{moved}");
    // Nothing is proved of artifacts.
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &[("old.yml", &all), ("new.yml", &config("gpu", "offline"))]);
    printed(folder.path(), &["compile", "old.yml", "-o", "old.bin"]);
    assert!(!printed(folder.path(), &["diff", "old.bin", "new.yml"]).contains("reachability"));
}

#[test]
fn how_a_config_is_written_makes_no_difference() {
    let old = config(
        "  base: {mem: 4, abstract: true}\n  bwa:\n    inherits: base\n    cores: '2'\n    rules:\n      - if: input_size > 1 and user\n        cores: input_size * 2\n",
        "",
    );
    let new = "# A comment\ndestinations:\n  slurm:\n    \"runner\": 'slurm'\ntools:\n  bwa:\n    cores: 2\n    mem: 4\n    rules:\n      - cores: |\n          # Twice\n          input_size*2\n        if: |\n          (input_size > 1\n           and user)\n  base:\n    abstract: yes\n    mem: \"4\"\n";
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &[("old.yml", &old), ("new.yml", new)]);
    for args in [
        vec!["compile", "old.yml", "-o", "old.bin"],
        vec!["diff", "old.yml", "new.yml", "--exit-code"],
        vec!["diff", "old.bin", "new.yml", "--exit-code"],
        vec!["diff", "new.yml", "old.bin", "--exit-code"],
    ] {
        let text = printed(folder.path(), &args);
        assert!(args[0] == "compile" || text == "the rules say the same\n", "{args:?}\n{text}");
    }
}

#[test]
fn a_change_of_a_parent_is_told_once() {
    let config = |cores: u32| {
        let mut text = format!("global: {{default_inherits: default}}\ntools:\n  default: {{cores: {cores}}}\n");
        (0..500).for_each(|tool| writeln!(text, "  tool{tool}: {{mem: {tool}}}").unwrap());
        text + "  own: {cores: 7}\ndestinations: {slurm: {runner: slurm}}\n"
    };
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &[("old.yml", &config(1)), ("new.yml", &config(2))]);
    let text = printed(folder.path(), &["diff", "old.yml", "new.yml", "--no-jobs"]);
    let expected = "tools: 502, 501 changed\n  ~ `default`, `tool0`, `tool1`, `tool10`, `tool100` and 496 more  (501 in all)\n      cores 1 -> 2 (new.yml:3)\n";
    assert_eq!(text, expected);
}

#[test]
fn the_same_is_told_however_many_threads_map() {
    let folder = tempfile::tempdir().unwrap();
    let config = |cores: &str| {
        format!(
            "tools:\n  .*:\n    cores: {cores}\n    mem: job.id / 10\ndestinations:\n  a: {{runner: a, max_accepted_cores: 5}}\n  b: {{runner: b}}\n"
        )
    };
    write(folder.path(), &[("old.yml", &config("job.id % 7")), ("new.yml", &config("job.id % 11"))]);
    let jobs: String = (0..8_000)
        .map(|id| format!("{{\"id\": {id}, \"tool\": {{\"id\": \"tool{}\"}}, \"job\": {{\"id\": {id}}}}}\n", id % 100))
        .collect();
    write(folder.path(), &[("jobs.jsonl", &jobs)]);
    let told = |threads: &str| {
        let args = ["diff", "old.yml", "new.yml", "--jobs", "jobs.jsonl", "--format", "json", "--threads", threads];
        printed(folder.path(), &[&args[..], &["--differences", "differences.jsonl"]].concat())
    };
    let one = told("1");
    let differences = std::fs::read_to_string(folder.path().join("differences.jsonl")).unwrap();
    assert!(one == told("3"));
    assert!(differences == std::fs::read_to_string(folder.path().join("differences.jsonl")).unwrap());
    // What changed is known: the job's number decides.
    let expected: Vec<u64> = (0..8_000).filter(|id| id % 7 != id % 11).map(|id| id + 1).collect();
    let lines: Vec<u64> = differences
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["line"].as_u64().unwrap())
        .collect();
    assert!(lines == expected);
    let report: Value = serde_json::from_str(&one).unwrap();
    let jobs = &report["jobs"];
    assert_eq!(jobs["differing"]["new"]["jobs"], expected.len());
    let sum = |list: &str, field: &str| -> u64 {
        jobs[list].as_array().unwrap().iter().map(|row| row.pointer(field).unwrap().as_u64().unwrap()).sum()
    };
    assert_eq!(sum("causes", "/new/jobs"), expected.len() as u64);
    assert_eq!(sum("tools", "/new/jobs"), expected.len() as u64);
    assert_eq!((sum("destinations", "/old/jobs"), sum("destinations", "/new/jobs")), (8_000, 8_000));
    let elsewhere = (0..8_000).filter(|id| (id % 7 > 5) != (id % 11 > 5)).count() as u64;
    assert_eq!(sum("flows", "/jobs"), elsewhere);
    let cores: u64 = (0..8_000_u64).map(|id| id % 11).sum();
    assert_eq!(jobs["all"]["new"]["cores"], cores as f64);
    // Those that had no cores have no ratio.
    let ratios = expected.iter().filter(|line| (*line - 1) % 7 > 0).count() as u64;
    assert_eq!(sum("cores_ratios", "/jobs"), ratios);
    let examples = jobs["causes"].as_array().unwrap().iter().flat_map(|cause| cause["examples"].as_array().unwrap());
    let examples: BTreeSet<u64> = examples.map(|example| example["line"].as_u64().unwrap()).collect();
    assert!(examples.iter().all(|line| expected.contains(line)));
}

#[test]
fn a_comment_has_room_in_a_pull_request() {
    let config = |cores: u32| {
        let mut text = "tools:\n".to_owned();
        (0..3000).for_each(|tool| writeln!(text, "  tool{tool}: {{cores: {}}}", tool + cores).unwrap());
        text + "destinations: {slurm: {runner: slurm}}\n"
    };
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &[("old.yml", &config(1)), ("new.yml", &config(2))]);
    let text = printed(folder.path(), &["diff", "old.yml", "new.yml", "--format", "markdown"]);
    assert!(text.len() > 60_000 && text.chars().count() <= 65_536, "{}", text.len());
    assert!(text.starts_with("<!-- tpvc diff -->\n"));
    assert_eq!(text.matches("<details>").count(), text.matches("</details>").count());
    assert!(
        text.ends_with("The rest has no room in a comment: `tpvc diff` shows all.\n"),
        "{}",
        &text[text.len() - 200..]
    );
}

#[test]
fn revisions_of_git_are_compared() {
    let repository = tempfile::tempdir().unwrap();
    let folder = repository.path();
    let tool = |cores: u32| format!("tools:\n  bwa: {{cores: {cores}}}\n");
    git(folder, &["init", "-q", "-b", "main"]);
    std::fs::create_dir(folder.join("tpv")).unwrap();
    let commit = |cores: u32| {
        write(folder, &[("tpv/b.yml", &tool(cores)), ("tpv/notes.txt", "no config")]);
        git(folder, &["add", "-A"]);
        git(folder, &["commit", "-qm", "a change"]);
    };
    write(folder, &[("tpv/a.yml", "tools:\n  bwa: {cores: 99, mem: 1}\ndestinations:\n  slurm: {runner: slurm}\n")]);
    commit(1);
    git(folder, &["checkout", "-qb", "topic"]);
    commit(2);
    git(folder, &["checkout", "-q", "main"]);
    commit(3);
    git(folder, &["checkout", "-q", "topic"]);
    write(folder, &[("tpv/b.yml", &tool(4))]);
    let cores = |args: &[&str], within: &str| {
        let text = printed(&folder.join(within), &[&["diff"], args].concat());
        text.lines().find_map(|line| line.trim().strip_prefix("cores ").map(str::to_owned)).unwrap_or(text)
    };
    for (args, within, expected) in [
        (&["main..", "--", "tpv"][..], "", "3 -> 2 (tpv/b.yml:2)"),
        (&["main..topic", "--", "tpv/*.yml"], "", "3 -> 2 (tpv/b.yml:2)"),
        (&["main...", "--", "tpv/a.yml", "tpv/b.yml"], "", "1 -> 2 (tpv/b.yml:2)"),
        (&["HEAD", "--", "tpv"], "", "2 -> 4 (tpv/b.yml:2)"),
        (&["main", "--", "."], "tpv", "3 -> 4 (b.yml:2)"),
        (&["main..topic", "--", "tpv/b.yml", "tpv/a.yml"], "", "the rules say the same\n"),
    ] {
        assert_eq!(cores(args, within), expected, "{args:?}");
    }
    // The files that tpvc.toml names need not be named.
    write(folder, &[("tpvc.toml", "files = [\"tpv/*.yml\"]\n")]);
    assert_eq!(cores(&["main.."], ""), "3 -> 2 (tpv/b.yml:2)");
    let fails = |args: &[&str]| -> Output {
        let output = tpvc_in(folder, &[&["diff"], args].concat());
        assert!(!output.status.success(), "{args:?}");
        output
    };
    let said = stderr(&fails(&["nowhere..", "--", "tpv"]));
    assert!(said.starts_with("error: git knows no revision `nowhere`\n"), "{said}");
    let said = stderr(&fails(&["main..", "--", "nothing.yml"]));
    assert!(said.starts_with("error: no config file is at `nothing.yml` in `main` or `HEAD`\n"), "{said}");
    // Beside a file that is there, one that is in neither revision was left out without a word.
    for (revision, sides) in [("main..", "`main` or `HEAD`"), ("HEAD", "`HEAD` or `the working tree`")] {
        let said = stderr(&fails(&[revision, "--", "tpv/a.yml", "tpv/typo.yml", "*.yaml"]));
        let expected = format!("error: no config file is at `tpv/typo.yml`, `*.yaml` in {sides}\n");
        assert!(said.starts_with(&expected), "{said}");
    }
    // One that is in the working tree alone was added.
    write(folder, &[("tpv/new.yml", "tools:\n  new: {cores: 1}\n")]);
    assert!(printed(folder, &["diff", "HEAD", "--", "tpv/a.yml", "tpv/new.yml"]).contains("+ `new`"));
    std::fs::remove_file(folder.join("tpv/new.yml")).unwrap();
    write(folder, &[("tpv/b.yml", "tools:\n  bwa: [\n")]);
    let said = stderr(&fails(&["HEAD", "--", "tpv"]));
    assert!(said.starts_with("the config of `the working tree` does not compile:\n"), "{said}");
}

/// usegalaxy.org's layout: the rules of one server are a link to the folder of another. Git stops at the link, and nothing was compared.
#[test]
#[cfg(unix)]
fn links_are_followed_within_the_repository() {
    let repository = tempfile::tempdir().unwrap();
    let folder = repository.path();
    git(folder, &["init", "-q", "-b", "main"]);
    for name in ["files/shared/tpv", "env/main"] {
        std::fs::create_dir_all(folder.join(name)).unwrap();
    }
    for (target, link) in [
        ("../../files/shared/tpv", "env/main/tpv"),
        ("../../files/shared/tpv/b.yml", "env/main/local.yml"),
        ("main", "env/test"),
        (".", "files/shared/tpv/self"),
        ("/srv/tpv", "env/out"),
        ("../../elsewhere", "env/up"),
        ("nowhere", "env/gone"),
        ("loop2", "env/loop1"),
        ("loop1", "env/loop2"),
    ] {
        std::os::unix::fs::symlink(target, folder.join(link)).unwrap();
    }
    let change =
        |cores: u32| write(folder, &[("files/shared/tpv/b.yml", &format!("tools:\n  bwa: {{cores: {cores}}}\n"))]);
    write(folder, &[("files/shared/tpv/a.yml", "destinations:\n  slurm: {runner: slurm}\n")]);
    for cores in [1, 2] {
        change(cores);
        git(folder, &["add", "-A"]);
        git(folder, &["commit", "-qm", "a change"]);
    }
    change(4);
    let cores = |within: &str, revision: &str, files: &[&str]| {
        let text = printed(&folder.join(within), &[&["diff", revision, "--"], files].concat());
        text.lines().find_map(|line| line.trim().strip_prefix("cores ").map(str::to_owned)).unwrap_or(text)
    };
    for (file, shown) in [
        ("env/main/tpv", "env/main/tpv/b.yml"),
        ("env/main/tpv/", "env/main/tpv/b.yml"),
        // What several names lead to is read once, under its own name if that is among them.
        ("env/main", "env/main/local.yml"),
        (".", "files/shared/tpv/b.yml"),
        ("*.yml", "files/shared/tpv/b.yml"),
        ("env/main/tpv/*.yml", "env/main/tpv/b.yml"),
        ("env/m*/tpv/*.yml", "env/main/tpv/b.yml"),
        ("./env/main/tpv/b.yml", "env/main/tpv/b.yml"),
        ("env/main/local.yml", "env/main/local.yml"),
        ("env/test/tpv/b.yml", "env/test/tpv/b.yml"),
        ("files/shared/tpv", "files/shared/tpv/b.yml"),
        ("files/shared/tpv/self/self/b.yml", "files/shared/tpv/self/self/b.yml"),
    ] {
        assert_eq!(cores("", "HEAD~..", &[file]), format!("1 -> 2 ({shown}:2)"), "{file}");
        assert_eq!(cores("", "HEAD", &[file]), format!("2 -> 4 ({shown}:2)"), "{file}");
    }
    assert_eq!(cores("env", "HEAD~..", &["test/tpv"]), "1 -> 2 (env/test/tpv/b.yml:2)");
    assert_eq!(cores("env", "HEAD", &["test/tpv"]), "2 -> 4 (test/tpv/b.yml:2)");
    for left_out in [&["env/main/tpv", ":!*/b.yml"][..], &["env/main", ":!*/b.yml", ":!*l.yml"]] {
        assert_eq!(cores("", "HEAD", left_out), "the rules say the same\n", "{left_out:?}");
    }
    for (file, why) in [
        ("env/out/x.yml", "`env/out` is a symbolic link to `/srv/tpv`, which is outside of it"),
        ("env/up", "`env/up` is a symbolic link to `../../elsewhere`, which is outside of it"),
        ("env/gone", "`env/gone` is a symbolic link to `nowhere`, which is not there"),
        ("env/loop1/x.yml", "is a symbolic link to `loop2`, in a loop of links"),
    ] {
        for revision in ["HEAD~..", "HEAD"] {
            let output = tpvc_in(folder, &["diff", revision, "--", "files/shared/tpv", file]);
            let said = stderr(&output);
            assert_eq!(output.status.code(), Some(1), "{file}: {said}");
            assert!(said.contains(&format!(" cannot be read: `{file}` is not in the repository: ")), "{said}");
            assert!(said.contains(why), "{said}");
        }
    }
    let said = stderr(&tpvc_in(folder, &["diff", "HEAD~..", "--", "env/main/tpv", "env/main/tpv/typo.yml"]));
    assert!(said.starts_with("error: no config file is at `env/main/tpv/typo.yml` in `HEAD~` or `HEAD`\n"), "{said}");
}

#[test]
fn templates_of_revisions_are_filled_in() {
    let repository = tempfile::tempdir().unwrap();
    let folder = repository.path();
    let rules = |cores: &str| format!("tools:\n{{% if true %}}\n  bwa: {{cores: {cores}}}\n{{% endif %}}\n");
    let destinations = ("tpv/b.yml", "destinations:\n  slurm: {runner: slurm}\n");
    git(folder, &["init", "-q", "-b", "main"]);
    std::fs::create_dir(folder.join("tpv")).unwrap();
    write(folder, &[("tpv/a.yml.j2", &rules("{{ few }}")), destinations, ("vars.yml", "few: 2\nmany: 8\n")]);
    git(folder, &["add", "-A"]);
    git(folder, &["commit", "-qm", "rules"]);
    write(folder, &[("tpv/a.yml.j2", &rules("{{ many }}"))]);
    for files in ["tpv", "tpv/*"] {
        let text = printed(folder, &["diff", "HEAD", "--vars", "vars.yml", "--", files]);
        assert!(text.contains("cores 2 -> 8 (tpv/a.yml.j2:3)"), "{text}");
    }
    let output = tpvc_in(folder, &["diff", "HEAD", "--", "tpv"]);
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.starts_with("the config of `HEAD` does not compile:\nerror: `few` is not among the variables\n")
            && said.contains("tpv/a.yml.j2:3:19"),
        "{said}"
    );
}

#[test]
fn what_cannot_be_compared_is_said() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &[("a.yml", "tools: {}\n"), ("jobs.jsonl", "{\"tool\": {\"id\": \"a\"}}\n")]);
    for (args, status, expected) in [
        (&["a.yml"][..], 2, "error: `tpvc diff` compares two rule sets, and one is given\n"),
        (&[], 2, "error: `tpvc diff` compares two rule sets\n"),
        (&["a.yml", "a.yml", "--", "a.yml"], 2, "error: files behind `--` are those of one revision or range of git\n"),
        (&["main.."], 2, "error: no config files are given\n"),
        (&["a.yml", "none.yml"], 1, "error: cannot read `none.yml`"),
        (&["a.yml", "a.yml", "--jobs", "a.yml"], 1, "error: `a.yml` is a TPV config, not a job file\n"),
        (&["a.yml", "a.yml", "--jobs", "none.jsonl"], 1, "error: the jobs cannot be read from `none.jsonl`"),
        (&["a.yml", "jobs.jsonl"], 1, "error: `jobs.jsonl` is a job file, not a config\n"),
        (&["a.yml", "a.yml", "-o", "none/out.txt"], 1, "error: the report cannot be written to `none/out.txt`"),
    ] {
        let output = tpvc_in(folder.path(), &[&["diff"], args].concat());
        assert_eq!(output.status.code(), Some(status), "{args:?}");
        assert!(stderr(&output).starts_with(expected), "{args:?}\n{}", stderr(&output));
    }
}

/// A repository may be a stranger's, whose configuration names programs for whatever git does.
#[cfg(unix)]
#[test]
fn a_repository_runs_no_program() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let (folder, ran) = (&folder.path().join("repository"), folder.path().join("ran"));
    std::fs::create_dir(folder).unwrap();
    git(folder, &["init", "-q", "-b", "main"]);
    let rules = |cores: u8| config(&format!("  bwa:\n    cores: {cores}\n"), "");
    for cores in 1..=2 {
        write(folder, &[("a.yml", &rules(cores)), (".gitattributes", "*.yml diff=evil filter=evil\n")]);
        git(folder, &["add", "-A"]);
        git(folder, &["commit", "-qm", "rules"]);
    }
    // Signed, so that `log.showSignature` has something to ask `gpg.program` about.
    let head = |revision: &str| {
        stdout(&Command::new("git").args(["rev-parse", revision]).current_dir(folder).output().unwrap())
    };
    let (tree, parent) = (head("HEAD^{tree}"), head("HEAD"));
    let signed = format!(
        "tree {tree}parent {parent}author jo <jo@example.org> 1735732800 +0000\ncommitter jo <jo@example.org> 1735732800 +0000\n\
         gpgsig -----BEGIN PGP SIGNATURE-----\n \n iQ==\n -----END PGP SIGNATURE-----\n\nsigned\n"
    );
    std::fs::write(folder.join(".git/signed"), signed).unwrap();
    let made =
        Command::new("git").args(["hash-object", "-t", "commit", "-w", ".git/signed"]).current_dir(folder).output();
    git(folder, &["update-ref", "refs/heads/main", stdout(&made.unwrap()).trim()]);
    let (evil, hooks) = (folder.join("evil.sh"), folder.join("hooks"));
    std::fs::write(&evil, format!("#!/bin/sh\necho \"$0 $*\" >> '{}'\nexit 1\n", ran.display())).unwrap();
    std::fs::set_permissions(&evil, std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::create_dir(&hooks).unwrap();
    for hook in ["post-index-change", "reference-transaction", "fsmonitor-watchman", "post-checkout", "pre-auto-gc"] {
        for place in [&hooks, &folder.join(".git/hooks")] {
            std::fs::copy(&evil, place.join(hook)).unwrap();
        }
    }
    let program = evil.to_str().unwrap();
    for name in [
        "core.fsmonitor",
        "core.pager",
        "pager.log",
        "core.editor",
        "core.askPass",
        "core.sshCommand",
        "core.gitProxy",
        "core.alternateRefsCommand",
        "diff.external",
        "diff.evil.textconv",
        "diff.evil.command",
        "filter.evil.clean",
        "filter.evil.smudge",
        "filter.evil.process",
        "gpg.program",
        "credential.helper",
        "uploadpack.packObjectsHook",
        "remote.origin.uploadpack",
        "alias.log",
        "alias.ls-files",
    ] {
        git(folder, &["config", name, program]);
    }
    for (name, value) in [
        ("core.hooksPath", hooks.to_str().unwrap()),
        ("log.showSignature", "true"),
        ("protocol.ext.allow", "always"),
        ("protocol.allow", "always"),
        ("remote.origin.url", &format!("ext::{program} %S")),
        ("remote.origin.promisor", "true"),
        ("remote.origin.partialclonefilter", "blob:none"),
        ("extensions.partialClone", "origin"),
        ("core.repositoryFormatVersion", "1"),
    ] {
        git(folder, &["config", name, value]);
    }
    let _ = std::fs::remove_file(&ran);
    // What this test is worth: git by itself runs the program.
    let _ = Command::new("git").args(["ls-files", "--others", "--cached"]).current_dir(folder).output();
    assert!(ran.exists(), "git runs nothing");
    std::fs::remove_file(&ran).unwrap();
    let maps = folder.join("maps");
    let run = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tpvc"));
        command.args(args).current_dir(folder).env("NO_COLOR", "1").env("TPVC_MAPS_DIR", &maps);
        command.output().unwrap()
    };
    std::fs::write(folder.join("jobs.jsonl"), "{\"tool\": {\"id\": \"bwa\"}}\n").unwrap();
    for args in [
        &["diff", "HEAD~2..", "--", "a.yml"][..],
        &["diff", "HEAD~2", "--", "*.yml"],
        &["diff", "main...", "--", "."],
        &["maps", "create", "-q", "--tag", "year", "--git", ".", "jobs.jsonl", "--", "a.yml"],
    ] {
        let output = run(args);
        assert!(output.status.success(), "{args:?}: {}", stderr(&output));
        assert!(!ran.exists(), "{args:?}: {}", std::fs::read_to_string(&ran).unwrap());
    }
    // A partial clone, which git would complete from its remote.
    let blob = head("HEAD~2:a.yml");
    let (start, rest) = blob.trim().split_at(2);
    std::fs::remove_file(folder.join(".git/objects").join(start).join(rest)).unwrap();
    let output = run(&["diff", "HEAD~2..", "--", "a.yml"]);
    let said = stderr(&output);
    assert!(output.status.code() == Some(1) && said.contains("help: clone it without `--filter`"), "{said}");
    assert!(!ran.exists(), "{}", std::fs::read_to_string(&ran).unwrap());
}

/// Each side has the variables, settings and links of its own commit, and what is outside of the repository is the same for both.
#[test]
#[cfg(unix)]
fn each_revision_has_its_own_settings_and_variables() {
    let site = tempfile::tempdir().unwrap();
    let folder = &site.path().join("repository");
    std::fs::create_dir(folder).unwrap();
    git(folder, &["init", "-q", "-b", "main"]);
    std::fs::create_dir_all(folder.join("env/common")).unwrap();
    std::os::unix::fs::symlink("common", folder.join("env/main")).unwrap();
    let shared = site.path().join("shared.yml");
    std::fs::write(&shared, "tools:\n  default: {abstract: true, mem: 1}\ndestinations: {local: {runner: local}}\n")
        .unwrap();
    let settings = |vars: &str| {
        format!("files = [{:?}, \"env/main/tools.yml.j2\"]\nvars = [\"{vars}\"]\n", shared.to_str().unwrap())
    };
    let tools = "tools:\n  bwa:\n    cores: {{ few }}\n";
    let commit = |subject: &str, files: &[(&str, &str)]| {
        write(folder, files);
        git(folder, &["add", "-A"]);
        git(folder, &["commit", "-qm", subject]);
    };
    commit("without settings", &[("env/common/tools.yml.j2", tools), ("vars.yml", "few: 1\n")]);
    commit("with settings", &[("tpvc.toml", &settings("vars.yml")), ("vars.yml", "few: 2\n")]);
    commit(
        "other variables",
        &[("tpvc.toml", &settings("other.yml")), ("other.yml", "few: 3\n"), ("vars.yml", "few: 4\n")],
    );
    let cores = |within: &str, args: &[&str]| {
        let output = tpvc_in(&folder.join(within), &[&["diff"], args].concat());
        let text = stdout(&output);
        let cores = text.lines().find_map(|line| line.trim().strip_prefix("cores ").map(str::to_owned));
        (cores.unwrap_or(text), stderr(&output))
    };
    let (cores_of, said) = cores("", &["HEAD~1.."]);
    assert_eq!(
        (cores_of.as_str(), said.as_str()),
        ("2 -> 3 (env/main/tools.yml.j2:3)", "the config files are those of `tpvc.toml`\n")
    );
    assert_eq!(cores("env", &["HEAD~1.."]).0, "2 -> 3 (env/main/tools.yml.j2:3)");
    // Before there were settings, the present ones name the files; a file of variables that was not there is the present one.
    let (cores_of, said) = cores("", &["HEAD~2..HEAD~1"]);
    assert_eq!(cores_of, "3 -> 2 (env/main/tools.yml.j2:3)", "{said}");
    assert!(said.contains("`HEAD~2` lacks `other.yml`, `tpvc.toml`: the present files are used\n"), "{said}");
    // Named on the command line, too.
    let named = ["--vars", "vars.yml", "--", "env/main/tools.yml.j2"];
    assert_eq!(cores("", &[&["HEAD~2.."], &named[..]].concat()).0, "1 -> 4 (env/main/tools.yml.j2:3)");
    std::fs::write(folder.join("vars.yml"), "few: 5\n").unwrap();
    assert_eq!(cores("", &[&["HEAD"], &named[..]].concat()).0, "4 -> 5 (env/main/tools.yml.j2:3)");
    let outside = cores("", &["HEAD~1..", "--", shared.to_str().unwrap(), "env"]);
    assert_eq!(outside.0, "2 -> 3 (env/common/tools.yml.j2:3)", "{}", outside.1);
    // A path that is on one side alone is named.
    let one_side = cores("", &["HEAD~1..", "--", "env", "other.yml"]);
    assert!(one_side.1.starts_with("`other.yml` is not in `HEAD~1`"), "{one_side:?}");
    let error = cores("", &["HEAD~1..", "--", shared.to_str().unwrap()]).1;
    assert!(error.starts_with("error: no file of the repository is named\n"), "{error}");
    // The present tests of a former config, whose files and variables are those of its commit.
    let case = "tests:\n  - {job: {tool: bwa, input_size: 1}, expect: {cores: 2}}\n";
    std::fs::write(folder.join("test.yml"), case).unwrap();
    let test = |args: &[&str]| run(folder, &[&["test", "test.yml", "--at"], args].concat());
    let (status, said) = test(&["HEAD~1"]);
    assert!(status == 0 && said.contains("1 passed, of 1 test in 1 file"), "{said}");
    let (status, said) = test(&["HEAD"]);
    assert!(
        status == 1 && said.contains("cores: expected 2, got 3") && said.contains("at env/main/tools.yml.j2:3"),
        "{said}"
    );
    let (status, said) = test(&["HEAD~1", "--config", "none.yml"]);
    assert!(status == 1 && said.contains("error: `none.yml` is not in `HEAD~1`"), "{said}");
    // What is wrong in a revision's variables is told by its name in the repository.
    commit("broken", &[("other.yml", "few: [\n")]);
    std::fs::remove_file(folder.join("test.yml")).unwrap();
    let error = cores("", &["HEAD~1.."]).1;
    assert!(error.contains("--> other.yml:1:6") && !error.contains("tpvc-"), "{error}");
}

/// Settings above the repository are the same for all revisions; the files that templates include are those of each.
#[cfg(unix)]
#[test]
fn settings_above_the_repository_read_the_files_of_each_revision() {
    let site = tempfile::tempdir().unwrap();
    let folder = &site.path().join("repository");
    std::fs::create_dir(folder).unwrap();
    git(folder, &["init", "-q", "-b", "main"]);
    let settings =
        "files = [\"repository/tools.yml\"]\nvars = [\"repository/vars.yml\"]\ntemplates = [\"repository/*.yml\"]\n";
    std::fs::write(site.path().join("tpvc.toml"), settings).unwrap();
    let commit = |cores: &str, vars: &str| {
        let tools = "tools:\n{% include 'part.txt' %}\n    mem: {{ mem }}\n";
        let part = format!("  bwa:\n    cores: {cores}\n");
        write(folder, &[("tools.yml", tools), ("part.txt", &part), ("vars.yml", vars)]);
        git(folder, &["add", "-A"]);
        git(folder, &["commit", "-qm", cores]);
    };
    commit("1", "mem: 4\n");
    commit("2", "mem: 8\n");
    let (tools, part) = ("tools: [1]\n", "  bwa:\n    cores: 3\n");
    write(folder, &[("tools.yml", tools), ("part.txt", part), ("vars.yml", "mem: 9\n")]);
    let output = tpvc_in(folder, &["diff", "HEAD~1.."]);
    let said = format!("{}{}", stdout(&output), stderr(&output));
    assert!(said.contains("cores 1 -> 2 (") && said.contains("mem 4 -> 8 ("), "{said}");
    assert!(!said.contains("tpvc-"), "{said}");
}
