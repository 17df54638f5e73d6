//! Jobs that are made from rules: `tpvc jobs`, `tpvc diff` without a history, and whose findings are shown.

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use crate::support::{site, stderr, stdout, tpvc_in};

const RULES: &str = "\
tools:
  bwa:
    cores: 2
    mem: 8
    rules:
      - id: large
        if: input_size > 20
        mem: 64
      - id: of_training
        if: |
          'training' in [tag.user_tname for tag in job.history.tags]
        cores: 1
      - id: fast
        if: |
          helpers.job_args_match(job, app, {'speed': {'mode': 'fast'}})
        cores: 4
roles:
  training.*: {max_cores: 1}
destinations:
  slurm: {runner: slurm, max_accepted_mem: 128}
";

#[test]
fn jobs_reach_all_branches_and_are_the_same_each_time() {
    let folder = site(&[("config.yml", RULES)]);
    let [one, other] = [(); 2].map(|()| tpvc_in(folder.path(), &["jobs", "config.yml"]));
    assert_eq!(stdout(&one), stdout(&other));
    assert!(stderr(&one).contains(" with 6 of 6 outcomes of conditions"), "{}", stderr(&one));
    fs::write(folder.path().join("jobs.jsonl"), stdout(&one)).unwrap();
    let mapped = tpvc_in(folder.path(), &["map", "--config", "config.yml", "jobs.jsonl"]);
    let answers = stdout(&mapped);
    assert_eq!(answers.lines().count(), stdout(&one).lines().count());
    // Nothing fails but the job of a tool that declares more than the destination accepts.
    let lines = stdout(&one);
    let failing = lines.lines().zip(answers.lines()).filter(|(_, answer)| answer.contains("\"error\""));
    let failing: Vec<&str> = failing.map(|(job, _)| job).collect();
    assert!(failing.len() == 1 && failing[0].contains("{\"ram_min\": 131073}"), "{failing:?}");
    for part in ["\"cores\": 4", "\"mem\": 64", "\"cores\": 1"] {
        assert!(answers.contains(part), "{answers}");
    }
}

#[test]
fn equal_answers_are_proved_refuted_or_unknown() {
    let same = RULES.replace("mem: 64", "mem: 64.0").replace("cores: 2", "cores: \"2\"");
    let changed = RULES.replace("input_size > 20", "input_size >= 20");
    // No job has such a tool's id, and TPV looks at its entry for none.
    let unseen = format!("{RULES}users:\n  nobody.*: {{abstract: true, cores: 3}}\n");
    // A refactoring: what bwa asks for moves to a parent.
    let parent = RULES.replace(
        "  bwa:\n    cores: 2\n    mem: 8\n",
        "  _small:\n    abstract: true\n    cores: 2\n    mem: 8\n  bwa:\n    inherits: _small\n",
    );
    let folder = site(&[
        ("old.yml", RULES),
        ("same.yml", RULES),
        ("parent.yml", &parent),
        ("lost.yml", &parent.replace("_small", "bw")),
        ("written.yml", &same),
        ("changed.yml", &changed),
        ("unseen.yml", &unseen),
    ]);
    let judged = |new: &str| {
        let output = tpvc_in(folder.path(), &["diff", "--prove", "old.yml", new]);
        (output.status.code(), stdout(&output))
    };
    assert_eq!(judged("same.yml").0, Some(0));
    assert!(judged("same.yml").1.starts_with("proved: "));
    let (status, text) = judged("parent.yml");
    assert!(status == Some(0) && text.starts_with("proved: ") && text.contains("begins with `_small`"), "{text}");
    // The id of this parent is the beginning of the tool's.
    assert!(judged("lost.yml").1.starts_with("refuted: "), "{}", judged("lost.yml").1);
    assert!(judged("unseen.yml").1.starts_with("unknown: "), "{}", judged("unseen.yml").1);
    let (status, text) = judged("changed.yml");
    assert!(status == Some(1) && text.starts_with("refuted: ") && text.contains("mem: 8 -> 64"), "{text}");
    // The job that refutes it is one that runs.
    let job = text.lines().find(|line| line.starts_with('{')).unwrap();
    let mem = |config: &str| {
        let mut run = Command::new(env!("CARGO_BIN_EXE_tpvc"))
            .args(["dry-run", config, "--job", "-", "--output-format", "json"])
            .current_dir(folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        run.stdin.take().unwrap().write_all(job.as_bytes()).unwrap();
        let text = stdout(&run.wait_with_output().unwrap());
        text.split("\"mem\": ").nth(1).unwrap().split([',', '}']).next().unwrap().to_owned()
    };
    assert_eq!((mem("old.yml"), mem("changed.yml")), ("8".to_owned(), "64".to_owned()));
}

#[test]
fn findings_in_files_of_others_are_a_line() {
    let shared = "tools:\n  bwa: {cores: 2}\n  star: {cors: 4, mem: 8}\n";
    let own = "tools:\n  fastqc: {corse: 1, mem: 2}\ndestinations:\n  slurm: {runner: slurm}\n";
    let folder = site(&[("shared.yml", shared), ("site/own.yml", own), ("site/.git/HEAD", "")]);
    let here = folder.path().join("site");
    let lint = |args: &[&str]| tpvc_in(&here, &[&["lint", "../shared.yml", "own.yml"], args].concat());
    let output = lint(&[]);
    assert!(stdout(&output).contains("`corse`") && !stdout(&output).contains("`cors`"), "{}", stdout(&output));
    let said = stderr(&output);
    assert!(said.contains("which this repository does not hold: `--all` shows them"), "{said}");
    assert!(stdout(&lint(&["--all"])).contains("`cors`"));
    // Of files of others alone nothing is left out, and outside a repository all files are the user's.
    assert!(stdout(&tpvc_in(&here, &["lint", "../shared.yml"])).contains("`cors`"));
    assert!(stdout(&tpvc_in(folder.path(), &["lint", "shared.yml", "site/own.yml"])).contains("`cors`"));
}

const ASKING: &str = "\
tools:
  table:
    mem: |
      import os
      path = app.tool_data_tables.get('indexes').get_entry('value', 'hg38', 'path')
      os.path.getsize(path + '/all.idx') / 1024**3 + 1
  setting:
    mem: 4
    rules:
      - id: others
        if: user and user.email not in app.config.admin_users
        cores: 2
  query:
    mem: |
      from sqlalchemy import text
      app.model.context.execute(text('select max_mem from limits'))[0][0]
  variable:
    mem: |
      import os
      os.environ.get('SITE', 'here') + 1
  unknown:
    mem: |
      from sqlalchemy import text
      app.model.context.execute(text('select * from limits'))[0][0]
destinations:
  slurm: {runner: slurm, max_accepted_mem: 128}
";

#[test]
fn a_world_gets_what_rules_ask_for() {
    let folder = site(&[("config.yml", ASKING)]);
    let made = tpvc_in(folder.path(), &["jobs", "config.yml", "-o", "jobs.jsonl", "--world-out", "world.json"]);
    let note = "the rules ask for the query `select * from limits`: no answer is made";
    assert!(stderr(&made).contains(note), "{}", stderr(&made));
    let world = fs::read_to_string(folder.path().join("world.json")).unwrap();
    for part in ["\"indexes\"", "\"admin_users\"", "\"/made/indexes/hg38/all.idx\"", "[[1]]", "\"SITE\""] {
        assert!(world.contains(part), "{part}: {world}");
    }
    let mapped = tpvc_in(folder.path(), &["map", "--config", "config.yml", "jobs.jsonl", "--world", "world.json"]);
    // Jobs that no destination accepts are made on purpose.
    let is_raised = |answer: &&str| answer.contains("\"error\"") && !answer.contains("JobMappingException");
    let errors: Vec<_> = stdout(&mapped).lines().filter(is_raised).map(str::to_owned).collect();
    // That of `variable`, and that of `unknown`.
    assert_eq!(errors.len(), 2, "{errors:?}");
    let suggested = tpvc_in(folder.path(), &["test", "--config", "config.yml", "--suggest"]);
    assert!(stdout(&suggested).contains("world: {config: {admin_users:"), "{}", stdout(&suggested));
}

#[test]
fn no_finding_is_for_want_of_a_world() {
    let folder = site(&[("config.yml", ASKING)]);
    let checked = tpvc_in(folder.path(), &["check", "config.yml"]);
    // The sum of a text and a number fails with every value of the variable.
    assert_eq!(stdout(&checked).matches("T302").count(), 1, "{}", stdout(&checked));
    assert!(stdout(&checked).contains("of the tool `variable` end in `TypeError"), "{}", stdout(&checked));
    let notes = stderr(&checked).matches("because the world of this check lacks what they ask for").count();
    assert_eq!(notes, 4, "{}", stderr(&checked));
}
