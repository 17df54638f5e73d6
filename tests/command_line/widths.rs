//! The output of verbs at 80 columns: no terminal breaks a line of it within a number, a word or an id, and `widths.txt` has it as it is.

use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::{expect_file, project, site, stderr, stdout};

const COLUMNS: usize = 80;

/// A site's own tools, with ids of tool sheds, and slips.
const MORE: &str = "
tools:
  toolshed.g2.bx.psu.edu/repos/bgruening/deeptools_bam_coverage/deeptools_bam_coverage/3.5.4+galaxy0:
    cores: 12
    mem: cores * 4
    rules:
      - if: input_size > 12345.678
        mem: 1234.5
      - if: input_size > 20 and user.email.endswith('example.org') and tool.version == '3.5.4+galaxy0' and not user.roles
        coers: 20
  toolshed.g2.bx.psu.edu/repos/iuc/assembler_with_a_long_name/assembler_with_a_long_name/1.0:
    mem: 5000
    scheduling: {require: [a_tag_that_no_destination_has]}
";

/// The clusters behind the destinations of the fixture.
const CAPACITY: &str = "
clusters:
  the_cluster_of_the_institute: {destinations: [main, quick, second, highmem], nodes: [{cores: 32, mem: 256}, {cores: 64, mem: 4000}]}
";

const TESTS: &str = "
config: [1-shared.yml, 2-site.yml, 3-people.yml, 4-more.yml]
tests:
  - name: the coverage of deeptools
    job: {tool: {id: toolshed.g2.bx.psu.edu/repos/bgruening/deeptools_bam_coverage/deeptools_bam_coverage/3.5.4+galaxy0}}
    expect: {cores: 16, mem: 123456.789}
";

/// A history: 240 jobs of two tools, each of which used a part of its memory.
fn history() -> String {
    let tools = [
        "toolshed.g2.bx.psu.edu/repos/bgruening/deeptools_bam_coverage/deeptools_bam_coverage/3.5.4+galaxy0",
        "toolshed.g2.bx.psu.edu/repos/iuc/hisat2/hisat2/2.2.1",
    ];
    let mut out = String::new();
    for number in 0..240_usize {
        let (day, hour, tool) = (1 + number / 24, number % 24, tools[number % 2]);
        let bytes = (2 + number % 5) << 30;
        let _ = writeln!(
            out,
            "{{\"id\": {number}, \"tool\": {{\"id\": \"{tool}\"}}, \"user\": {{\"email\": \"user{}@example.org\"}}, \
             \"job\": {{\"create_time\": \"2024-03-{day:02}T{hour:02}:00:00\", \"input_datasets\": [{{\"name\": \"i\", \"id\": 1, \"size\": {bytes}}}]}}, \
             \"outcome\": {{\"state\": \"ok\", \"destination_id\": \"main\", \"running_time\": \"2024-03-{day:02}T{hour:02}:05:00\", \
             \"end_time\": \"2024-03-{day:02}T{hour:02}:59:00\", \"runtime_seconds\": 3240, \"memory_bytes\": {bytes}, \"slots\": 12}}}}",
            number % 9
        );
    }
    out
}

/// The verbs, each in a folder with the fixture's files and those above. `ALL` are all configs.
const VERBS: [&str; 35] = [
    "lint ALL",
    "check ALL --world world.json",
    "dry-run ALL --tool hisat --explain --input-size 5 --user ada@example.org --world world.json --seed 1",
    "dry-run ALL --tool TOOL --explain --input-size 20 --world world.json --seed 1",
    "diff --old 1-shared.yml --old 2-site.yml --new 1-shared.yml --new new.yml --no-jobs",
    "diff --old 1-shared.yml --old 2-site.yml --new 1-shared.yml --new new.yml --jobs history.jsonl --world world.json",
    "diff --old 1-shared.yml --old 2-site.yml --new 1-shared.yml --new new.yml --world world.json",
    "who reaches main ALL",
    "who sets mem TOOL ALL --world world.json",
    "who lacks cores ALL",
    "who fires ALL --jobs history.jsonl --world world.json",
    "who needs main ALL --jobs history.jsonl --world world.json",
    "sweep ALL --tool TOOL --over input_size=0..20000 --seed 1 --world world.json",
    "fit ALL --jobs history.jsonl --all --world world.json",
    "fit ALL --jobs history.jsonl --explain --world world.json",
    "simulate ALL --jobs history.jsonl --capacity capacity.yml --world world.json",
    "simulate ALL --old 1-shared.yml --old new.yml --jobs history.jsonl --capacity capacity.yml --world world.json",
    "simulate ALL --jobs history.jsonl --capacity capacity.yml --world world.json --vary the_cluster_of_the_institute.jobs=1..9",
    "simulate --guess-capacity --jobs history.jsonl -o guessed.yml",
    "jobs ALL --world world.json -o made.jsonl",
    "test tests.yml",
    "test tests.yml --coverage",
    "explain-code T148",
    "inspect rules.bin",
    "diff --old 1-shared.yml --old 2-site.yml --new 1-shared.yml --new new.yml --world world.json --prove",
    "why 7 --log decisions.jsonl --world world.json",
    "why 77 --log few.jsonl",
    "log --log few.jsonl",
    "log --log few.jsonl --destination nowhere",
    "log --log decisions.jsonl --totals",
    "log --log decisions.jsonl --replay --jobs history.jsonl --world world.json",
    "maps --maps-dir maps create --tag q3 --engine local --rules rules.bin history.jsonl",
    "maps --maps-dir maps wait q3",
    "maps --maps-dir maps status q3",
    "maps --maps-dir maps results q3 --summary",
];

const TOOL: &str = "toolshed.g2.bx.psu.edu/repos/bgruening/deeptools_bam_coverage/deeptools_bam_coverage/3.5.4+galaxy0";
const ALL: &str = "1-shared.yml 2-site.yml 3-people.yml 4-more.yml";

fn tpvc(folder: &Path, args: &[&str]) -> (String, String) {
    let run = Command::new(env!("CARGO_BIN_EXE_tpvc"))
        .args(args)
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .env("COLUMNS", COLUMNS.to_string())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    (stdout(&run), stderr(&run))
}

/// A line of a log of decisions with the same time on each run.
fn steady(line: &str) -> String {
    [("\"time\": ", "\"2026-03-01T08:30:00.000Z\""), ("\"ms\": ", "0.25")].iter().fold(
        line.to_owned(),
        |line, (key, value)| {
            let Some((before, rest)) = line.split_once(key) else { return line };
            let end = rest.find([',', '}']).unwrap();
            format!("{before}{key}{value}{}", &rest[end..])
        },
    )
}

/// Returns `true` if a terminal breaks the line within a word that could stand on a line of its own. Lines of configs, and commands to copy, are as they
/// are.
fn is_broken(line: &str) -> bool {
    let is_copied = line.trim_start().starts_with(['|', '$', '{', '`']) || line.contains(" | ");
    let mut at = 0;
    let mut words = line.split(' ').map(|word| {
        let (from, length) = (at, word.chars().count());
        at += length + 1;
        (from, length)
    });
    // With the indentation of the line.
    let fits = |length: usize| length <= COLUMNS - 20;
    !is_copied
        && words.any(|(from, length)| length > 0 && from / COLUMNS != (from + length - 1) / COLUMNS && fits(length))
}

#[test]
fn no_line_breaks_within_a_word() {
    let fixture = project().join("fixtures/production");
    let read = |name: &str| std::fs::read_to_string(fixture.join(name)).unwrap();
    let (shared, sited, people, world) =
        (read("1-shared.yml"), read("2-site.yml"), read("3-people.yml"), read("world.json"));
    let new = sited
        .replace("max_accepted_cores: 16", "max_accepted_cores: 8")
        .replace("min_accepted_cores: 2", "min_accepted_cores: 1");
    assert!(new != sited);
    let history = history();
    let folder = site(&[
        ("1-shared.yml", &shared),
        ("2-site.yml", &sited),
        ("3-people.yml", &people),
        ("4-more.yml", MORE),
        ("world.json", &world),
        ("new.yml", &new),
        ("history.jsonl", &history),
        ("capacity.yml", CAPACITY),
        ("tests.yml", TESTS),
    ]);
    tpvc(folder.path(), &["compile", "1-shared.yml", "2-site.yml", "-o", "rules.bin"]);
    let map = "map --quiet --config 1-shared.yml --config 2-site.yml history.jsonl --world world.json -o answers.jsonl --decisions decisions.jsonl";
    tpvc(folder.path(), &map.split(' ').collect::<Vec<_>>());
    let log = std::fs::read_to_string(folder.path().join("decisions.jsonl")).unwrap();
    let log: Vec<String> = log.lines().map(|line| steady(line) + "\n").collect();
    std::fs::write(folder.path().join("decisions.jsonl"), log.concat()).unwrap();
    std::fs::write(folder.path().join("few.jsonl"), log[6..9].concat()).unwrap();
    let (mut all, mut faults) = (String::new(), String::new());
    for verb in VERBS {
        let line = verb.replace("ALL", ALL).replace("TOOL", TOOL);
        let (out, told) = tpvc(folder.path(), &line.split(' ').collect::<Vec<_>>());
        assert!(!out.is_empty() || !told.is_empty(), "tpvc {verb}");
        let _ = writeln!(all, "$ tpvc {verb}\n{out}{told}");
        for line in out.lines().chain(told.lines()).filter(|line| is_broken(line)) {
            let _ = writeln!(faults, "tpvc {verb}: {line}");
        }
    }
    expect_file(&project().join("tests/command_line/widths.txt"), &all);
    assert!(faults.is_empty(), "lines that a terminal breaks within a word:\n{faults}");
}
