//! `tpvc who`: each question on configs and on their artifact, compared with the verbs whose data it is.

use std::collections::BTreeMap;
use std::path::Path;

use crate::support::cases::Case;
use crate::support::random::a_fifth;
use crate::support::{run, site, stderr, stdout, tpvc_in};
use serde_json::Value;

/// The rows of an answer.
fn rows(folder: &Path, args: &[&str]) -> Vec<Value> {
    answer(folder, args, 0)
}

/// The rows of an answer, which is there whatever the exit status.
fn answer(folder: &Path, args: &[&str], status: i32) -> Vec<Value> {
    let output = tpvc_in(folder, &[&["who"], args, &["--format", "json"]].concat());
    assert_eq!(output.status.code(), Some(status), "{args:?}\n{}", stderr(&output));
    serde_json::from_str(&stdout(&output)).unwrap()
}

fn columns<'r>(rows: &'r [Value], names: &[&str]) -> Vec<Vec<&'r Value>> {
    rows.iter().map(|row| names.iter().map(|name| &row[*name]).collect()).collect()
}

const SHARED: &str = "\
global: {default_inherits: default}
tools:
  default: {cores: 1, mem: cores * 4}
  parent: {abstract: true, cores: 3, params: {a: 1}}
  bwa.*:
    inherits: parent
    cores: 8
    rules:
    - {id: small, if: input_size < 1, cores: 2}
    - {id: large, if: input_size > 9, cores: 32, params: {a: 2}}
    - id: coded
      if: input_size > 99
      execute: |
        entity.cores = 64
  star: {mem: 30}
";
const LOCAL: &str = "\
tools:
  bwa.*: {cores: 12}
  gpu_.*: {gpus: 1, scheduling: {prefer: [gpu]}}
roles:
  training.*: {cores: 1}
destinations:
  slurm: {runner: slurm, max_cores: 16}
  gpunode: {runner: slurm, scheduling: {require: [gpu]}}
  base: {abstract: true}
";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("shared.yml"), SHARED).unwrap();
    std::fs::write(folder.path().join("local.yml"), LOCAL).unwrap();
    let jobs: String = [("bwa_mem", 0_u64), ("bwa_mem", 20), ("gpu_a", 0), ("gpu_a", 0), ("star", 0)]
        .map(|(tool, size)| {
            let inputs = format!("[{{\"id\": 1, \"size\": {}}}]", size << 30);
            format!("{{\"tool\": {{\"id\": \"{tool}\"}}, \"job\": {{\"input_datasets\": {inputs}}}}}\n")
        })
        .concat();
    std::fs::write(folder.path().join("jobs.jsonl"), jobs + "no job\n").unwrap();
    let compiled = tpvc_in(folder.path(), &["compile", "shared.yml", "local.yml", "-o", "rules.bin"]);
    assert!(compiled.status.success(), "{}", stderr(&compiled));
    folder
}

#[test]
fn the_chain_of_a_value_has_what_files_parents_and_rules_set() {
    let folder = folder();
    let names = ["value", "set_by", "state", "if", "place"];
    let rows = rows(folder.path(), &["sets", "cores", "bwa_mem", "shared.yml", "local.yml", "--input-size", "20"]);
    let found: Vec<String> = columns(&rows, &names)
        .into_iter()
        .map(|row| row.into_iter().map(|cell| cell.as_str().unwrap_or("-").to_owned()).collect::<Vec<_>>().join(" | "))
        .collect();
    let expected = [
        "1 | tool default | overridden | - | shared.yml:3",
        "3 | tool parent | overridden | - | shared.yml:4",
        "8 | tool bwa.* | overridden | - | shared.yml:7",
        "12 | tool bwa.* | overridden | - | local.yml:2",
        "2 | rule small | did not fire | input_size < 1 | shared.yml:9",
        "32 | rule large | counts | input_size > 9 | shared.yml:10",
        "entity.cores = 64 | rule coded | did not fire | input_size > 99 | shared.yml:14",
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_note_has_the_value_and_what_other_jobs_have() {
    let folder = folder();
    let said =
        |args: &[&str]| stderr(&tpvc_in(folder.path(), &[&["who"], args, &["shared.yml", "local.yml"]].concat()));
    let large = said(&["sets", "cores", "bwa_mem", "--input-size", "20"]);
    assert!(large.contains("the job gets `cores` 16: 32 became 16 by max_cores"), "{large}");
    assert!(large.contains("set for other jobs (`--roles`, `--user`) by role training.*"), "{large}");
    let trainee = said(&["sets", "cores", "bwa_mem", "--roles", "training-1", "--input-size", "5"]);
    assert!(trainee.contains("the job gets `cores` 1\n"), "{trainee}");
    let unknown = said(&["sets", "mem", "bw"]);
    assert!(
        unknown.contains("no tool of the config matches `bw`") && unknown.contains("did you mean `bwa.*`?"),
        "{unknown}"
    );
    assert!(said(&["sets", "coers", "bwa"]).contains("did you mean `cores`?"));
    assert!(said(&["reaches", "slrum"]).contains("did you mean `slurm`?"));
    assert!(said(&["reaches", "base"]).contains("is abstract"));
    assert!(said(&["fires"]).contains("name a job file with `--jobs JOBS`"));
    assert!(said(&["fires", "--jobs", "local.yml"]).contains("is a TPV config, not a job file"));
}

#[test]
fn rules_and_flows_of_a_job_file_are_counted() {
    let folder = folder();
    let fired = answer(folder.path(), &["fires", "--jobs", "jobs.jsonl", "shared.yml", "local.yml"], 1);
    let names = ["rule", "entity", "fired", "checked"];
    let expected = serde_json::json!([
        ["small", "tool bwa.*", 1, 2],
        ["large", "tool bwa.*", 1, 2],
        ["coded", "tool bwa.*", 0, 2]
    ]);
    assert_eq!(serde_json::json!(columns(&fired, &names)), expected);
    let never = answer(folder.path(), &["fires", "--never", "--jobs", "jobs.jsonl", "rules.bin"], 1);
    assert_eq!(serde_json::json!(columns(&never, &["rule"])), serde_json::json!([["coded"]]));
    let flows = answer(folder.path(), &["needs", "gpunode", "--jobs", "jobs.jsonl", "rules.bin"], 1);
    let names = ["jobs", "go_to", "tool", "error"];
    let expected = serde_json::json!([[2, "slurm", "gpu_a", null]]);
    assert_eq!(serde_json::json!(columns(&flows, &names)), expected);
    let flows = answer(folder.path(), &["drain", "slurm", "--jobs", "jobs.jsonl", "rules.bin"], 1);
    let expected = serde_json::json!([
        [2, "nowhere", "bwa_mem", "JobMappingException"],
        [1, "nowhere", "star", "JobMappingException"]
    ]);
    assert_eq!(serde_json::json!(columns(&flows, &names)), expected);
    let said = stderr(&tpvc_in(folder.path(), &["who", "needs", "slurm", "--jobs", "jobs.jsonl", "rules.bin"]));
    assert!(said.contains("`slurm` gets 3 of 5 jobs; without it 3 fail and 0 go elsewhere"), "{said}");
    assert!(said.contains("1 line of `jobs.jsonl` is not a job"), "{said}");
}

#[test]
fn tools_without_a_value_get_that_of_the_default() {
    let folder = folder();
    let lacking = rows(folder.path(), &["lacks", "mem", "shared.yml", "local.yml"]);
    let names = ["tool", "gets"];
    let expected = serde_json::json!([["bwa.*", "cores * 4"], ["gpu_.*", "cores * 4"]]);
    assert_eq!(serde_json::json!(columns(&lacking, &names)), expected);
    let lacking = rows(folder.path(), &["lacks", "params.a", "shared.yml", "local.yml"]);
    assert_eq!(
        serde_json::json!(columns(&lacking, &["tool", "set_by_rules"])),
        serde_json::json!([["star", ""], ["gpu_.*", ""]])
    );
}

/// Fixtures with destinations that differ.
const FIXTURES: [&str; 8] = [
    "destinations-share-rule-ids",
    "keys-that-overlap",
    "min-accepted",
    "multi-file-merge-order",
    "production",
    "random-rules-1",
    "tags-combine-require-reject",
    "user-and-role-rules",
];

/// An artifact answers as its config does, and both as the matrix of `tpvc check`.
#[test]
fn artifacts_and_the_matrix_say_the_same() {
    let mut compared = 0;
    for name in FIXTURES {
        let Case { folder, description, .. } = Case::fixture(name);
        let configs: Vec<&str> = description.configs.iter().map(String::as_str).collect();
        let scratch = tempfile::tempdir().unwrap();
        let (artifact, matrix) = (scratch.path().join("rules.bin"), scratch.path().join("matrix.json"));
        let (artifact, matrix) = (artifact.to_str().unwrap(), matrix.to_str().unwrap());
        let compiled = tpvc_in(&folder, &[&["compile", "-o", artifact][..], &configs].concat());
        assert!(compiled.status.success(), "{}", stderr(&compiled));
        tpvc_in(&folder, &[&["check", "--matrix", matrix][..], &configs].concat());
        let Ok(text) = std::fs::read_to_string(matrix) else { continue };
        let matrix: Value = serde_json::from_str(&text).unwrap();
        for (index, column) in a_fifth(matrix["destinations"].as_array().unwrap().iter().enumerate(), 0) {
            if column["is_abstract"] == true {
                continue;
            }
            let id = column["id"].as_str().unwrap();
            let of_config = rows(&folder, &[&["reaches", id][..], &configs].concat());
            assert_eq!(of_config, rows(&folder, &["reaches", id, artifact]), "{name} {id}");
            let expected: Vec<&Value> = matrix["tools"]
                .as_array()
                .unwrap()
                .iter()
                .filter(|tool| {
                    let row = &matrix["rows"][tool["row"].as_u64().unwrap() as usize];
                    row["ends"].is_null() && row["never"][index].is_null()
                })
                .map(|tool| &tool["id"])
                .collect();
            assert_eq!(columns(&of_config, &["tool"]).concat(), expected, "{name} {id}");
            compared += 1;
        }
        let lacking = rows(&folder, &[&["lacks", "mem"][..], &configs].concat());
        let without_places = |rows: Vec<Value>| -> Vec<BTreeMap<String, Value>> {
            let strip = |row: Value| {
                row.as_object()
                    .unwrap()
                    .iter()
                    .filter(|(name, _)| *name != "place")
                    .map(|(name, value)| (name.clone(), value.clone()))
                    .collect()
            };
            rows.into_iter().map(strip).collect()
        };
        assert_eq!(without_places(lacking), without_places(rows(&folder, &["lacks", "mem", artifact])), "{name}");
    }
    assert!(compared > 4, "{compared}");
}

/// TPV takes any destination that a rank function gives, those that refuse the job too.
#[test]
fn a_rank_that_gives_other_destinations_proves_nothing() {
    let config = "tools:\n  bwa:\n    cores: 8\n    mem: 4\n    rank: |\n      [mapper.destinations['small']] + candidate_destinations\n\
                  destinations:\n  small: {runner: slurm, max_accepted_cores: 2}\n  big: {runner: slurm}\n";
    let folder = site(&[("config.yml", config), ("jobs.jsonl", "{\"tool\": {\"id\": \"bwa\"}}\n")]);
    let (_, mapped) = run(folder.path(), &["map", "--config", "config.yml", "jobs.jsonl"]);
    assert!(mapped.contains("\"id\": \"small\""), "{mapped}");
    let (_, said) = run(folder.path(), &["check", "config.yml"]);
    assert!(
        said.contains("config.yml:6:7: not proved") && said.contains("may rank destinations that refuse"),
        "{said}"
    );
}

/// If code may change destinations, both verbs that ask where jobs can go name the code.
#[test]
fn what_is_not_known_has_its_reason() {
    let folder = tempfile::tempdir().unwrap();
    let config = "tools:\n  bwa:\n    rules:\n    - if: user\n      execute: |\n        mapper.destinations.clear()\n\
                  destinations:\n  slurm: {runner: slurm}\n";
    std::fs::write(folder.path().join("a.yml"), config).unwrap();
    let reason = "a.yml:6:9: not proved: where jobs can go is not known, and T201 to T206 were not looked for: \
                  this code may change destinations\n";
    let checked = tpvc_in(folder.path(), &["check", "a.yml"]);
    assert!(checked.status.success() && stderr(&checked).contains(reason), "{}", stderr(&checked));
    let asked = tpvc_in(folder.path(), &["who", "reaches", "slurm", "a.yml"]);
    assert_eq!(asked.status.code(), Some(1));
    assert!(stderr(&asked).contains(reason) && stderr(&asked).contains("who needs"), "{}", stderr(&asked));
}
