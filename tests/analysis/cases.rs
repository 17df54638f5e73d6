//! `tpvc test` beyond what the session in `tests/cli/test.txt` shows: every expectation, the forms of a job, what is recorded, results for
//! CI servers, and coverage, which is counted by hand.

use std::path::Path;

use crate::support::{project, site, stderr, stdout, tpvc_in};
use serde_json::Value;

/// The results of `tpvc test tests.yml` as data.
fn results(folder: &Path) -> Value {
    let run = tpvc_in(folder, &["test", "tests.yml", "--format", "json"]);
    serde_json::from_str(&stdout(&run)).unwrap_or_else(|error| panic!("{error}: {}", stderr(&run)))
}

const RULES: &str = r#"tools:
  .*:
    cores: 2
    mem: cores * 3.8
    env:
      - name: THREADS
        value: "{cores}"
      - execute: echo hello
    params:
      native: "-c {cores}"
      nested: {list: [1, "{tool.id}"], flag: true}
    rules:
      - id: by_params
        if: job.get_param_values(app)['size'] == 3
        cores: 3
      - id: by_parameters
        if: "tool.params_from_strings({p.name: p.value for p in job.parameters}, app)['size'] == 4"
        cores: 4
      - id: by_roles
        if: user and 'training' in [role.name for role in user.roles]
        gpus: 1
      - id: by_tags
        if: "'urgent' in [tag.user_tname for tag in job.history.tags]"
        cores: 6
      - id: by_files
        if: "helpers.concurrent_job_count_for_tool(app, tool) > 1"
        cores: 7
      - id: by_state
        if: job.state == 'resubmitted'
        fail: "{tool.id} {tool.version} {job.input_datasets[0].dataset.get_size()} {user.id}"
destinations:
  slurm:
    runner: slurm
    tags: [a, "{cores}"]
"#;

/// Each of these holds, so that the same with another value cannot.
const HOLD: &str = r#"config: rules.yml
defaults:
  params: {size: 1}
  job: {history: {tags: []}}
tests:
  - name: all of an answer
    job: {tool: t}
    expect:
      destination: slurm
      runner: ~ ^sl
      cores: 2.0
      mem: 7.6
      gpus: null
      env: {THREADS: 2, execute: echo hello, ABSENT: null}
      params: {native: -c 2, nested: {list: [1, t], flag: true}, absent: null}
      tags: [a, ~ \d]
      not_on: [other, ~ ^x]
  - name: params as values
    job: {tool: t, params: {size: 3}}
    expect: {cores: 3, rules: [by_params]}
  - name: params as texts
    job: {tool: t, params: {size: 4}}
    expect: {cores: 4, rules: by_parameters}
  - name: roles
    job: {tool: t, user: jo@example.org, roles: [training]}
    expect: {gpus: 1}
  - name: tags
    job: {tool: t, job: {}, history_tags: [urgent]}
    expect: {cores: 6}
  - name: a world of its own
    job: {tool: {id: t, version: "1.2"}}
    world: {jobs: [{tool_id: t, state: queued}, {tool_id: t, state: running}]}
    expect: {cores: 7}
  - name: the long form
    job:
      tool: t
      version: "1.2"
      user: {id: 7, email: jo@example.org}
      input_size: 0.5
      state: resubmitted
    expect: {error: "JobMappingException: t 1.2 536870912 7"}
  - name: an error by its parts
    job: {tool: t, version: x, user: a@b, input_datasets: [{size: 3}], state: resubmitted}
    expect: {error: {type: JobMappingException, message: ~ x 3 1$}}
"#;

#[test]
fn all_expectations_hold_and_none_holds_otherwise() {
    let files = [("rules.yml", RULES), ("tests.yml", HOLD)];
    let good = site(&files);
    let found = results(good.path());
    assert_eq!((&found["tests"], &found["failed"]), (&8.into(), &0.into()), "{found:#}");
    let changes = [
        ("destination: slurm", "destination: slur", "destination"),
        ("runner: ~ ^sl", "runner: ~ ^l", "runner"),
        ("cores: 2.0", "cores: 2.01", "cores"),
        ("mem: 7.6", "mem: 7.60001", "mem"),
        ("gpus: null", "gpus: 0", "gpus"),
        ("THREADS: 2,", "THREADS: 3,", "env THREADS"),
        ("execute: echo hello", "execute: echo", "env execute"),
        ("THREADS: 2,", "THREADS: null,", "env THREADS"),
        ("ABSENT: null", "ABSENT: x", "env ABSENT"),
        ("native: -c 2", "native: -c", "params native"),
        ("flag: true", "flag: false", "params nested"),
        ("list: [1, t]", "list: [1]", "params nested"),
        ("absent: null", "absent: 1", "params absent"),
        ("tags: [a, ~ \\d]", "tags: [~ \\d, a]", "tags"),
        ("not_on: [other, ~ ^x]", "not_on: [other, ~ ^s]", "not_on"),
        ("rules: [by_params]", "rules: [by_params, by_roles]", "rules"),
        ("536870912", "536870911", "error"),
        ("type: JobMappingException", "type: JobMapping", "error type"),
        ("message: ~ x 3 1$", "message: ~ ^x", "error message"),
        ("expect: {cores: 6}", "expect: {error: x}", "answer"),
        ("expect: {error: \"JobM", "expect: {destination: \"JobM", "answer"),
    ];
    for (old, new, of) in changes {
        assert!(HOLD.contains(old), "{old}");
        std::fs::write(good.path().join("tests.yml"), HOLD.replacen(old, new, 1)).unwrap();
        let found = results(good.path());
        assert_eq!(found["failed"], 1, "{new}: {found:#}");
        let failing = found["cases"].as_array().unwrap().iter().find(|case| case["passed"] == false).unwrap();
        assert_eq!(failing["mismatches"][0]["of"], of, "{new}");
    }
}

/// Galaxy's `params_from_strings` reads each parameter from JSON, and `helpers` count what the world has.
#[test]
fn a_world_file_and_worlds_of_cases_add_up() {
    let tests = "config: rules.yml\nworld: world.json\ndefaults: {params: {size: 1}, history_tags: []}\ntests:\n  \
        - {job: {tool: t}, expect: {cores: 7}}\n  - {job: {tool: t}, world: {jobs: []}, expect: {cores: 2}}\n";
    let world = r#"{"jobs": [{"tool_id": "t", "state": "queued"}, {"tool_id": "t", "state": "running"}]}"#;
    let folder = site(&[("rules.yml", RULES), ("tests.yml", tests), ("world.json", world)]);
    assert_eq!(results(folder.path())["failed"], 0);
}

/// Files that the command line does not name are named by `tpvc.toml`.
#[test]
fn settings_name_tests_and_configs() {
    let settings = "files = [\"rules.yml\"]\nworld = \"world.json\"\n[test]\nfiles = [\"tests/*.yml\"]\n";
    let tests = "defaults: {params: {size: 1}, history_tags: []}\ntests:\n  - {job: {tool: t}, expect: {cores: 7}}\n";
    let world = r#"{"jobs": [{"tool_id": "t", "state": "queued"}, {"tool_id": "t", "state": "running"}]}"#;
    let files =
        [("tpvc.toml", settings), ("rules.yml", RULES), ("tests/a.yml", tests), ("world.json", world), ("below/x", "")];
    let folder = site(&files);
    for place in [folder.path().to_owned(), folder.path().join("below")] {
        let run = tpvc_in(&place, &["test"]);
        assert!(run.status.success() && stderr(&run).contains("1 passed"), "{}{}", stdout(&run), stderr(&run));
    }
}

/// Each case has empty pools: a second one does not wait for what the first one took.
#[test]
fn cases_do_not_wait_for_one_another_in_pools() {
    let rules = "global:\n  resource_pool_store: {class: tpv.core.resource_pool.InMemoryAllocationStore}\ntools:\n  .*: {cores: 4}\ndestinations:\n  a: {runner: r}\npools:\n  p: {max_concurrent_cores: 4}\n";
    let tests = "config: rules.yml\ntests:\n  - job: {tool: t, user: jo@example.org}\n    expect: {destination: a}\n";
    let twice = format!("{tests}{}", tests.split_once("tests:\n").unwrap().1);
    let folder = site(&[("rules.yml", rules), ("tests.yml", &twice)]);
    let found = results(folder.path());
    assert_eq!((&found["tests"], &found["failed"]), (&2.into(), &0.into()), "{found:#}");
}

/// Comments, order, quotes and line ends of the rest stay to the byte.
#[test]
fn updating_changes_values_alone() {
    let tests = r#"# the cases of t
config: rules.yml
defaults: {params: {size: 1}, history_tags: []}   # of all
tests:
  - name: 'block'
    job: {tool: t}
    expect:   # what must hold
      mem: 5     # GiB
      cores:   2
      env: {THREADS: "9", NEW: x}
      params:
        nested: {}
        native: |
          several
          lines
  - name: "row {input_size}"
    job: {tool: t}
    expect: {cores: 5}
    table:
      - {input_size: 1}   # shares what it expects
      - input_size: 2     # has its own
        mem: 3
  - name: error
    job: {tool: t, user: a@b, input_size: 1, state: resubmitted}
    expect:
      destination: slurm   # not any more
      cores: 2

  - name: no error
    job: {tool: t}
    expect: {error: {type: KeyError}}

  # the last one
  - job: {tool: t}   # expects nothing"#;
    let expected = tests
        .replace("mem: 5     # GiB", "mem: 7.6     # GiB")
        .replace("THREADS: \"9\", NEW: x", "THREADS: \"2\", NEW: null")
        .replace("|\n          several\n          lines", "\"-c 2\"")
        .replace("nested: {}", "nested: {list: [1, t], flag: true}")
        .replace("- {input_size: 1}", "- {input_size: 1, cores: 2}")
        .replace("        mem: 3", "        mem: 7.6\n        cores: 2")
        .replace(
            "destination: slurm   # not any more\n      cores: 2",
            "error: {type: JobMappingException, message: \"t None 1073741824 1\"}",
        )
        .replace("expect: {error: {type: KeyError}}", "expect: {destination: slurm, cores: 2, mem: 7.6}")
        .replace("# expects nothing", "# expects nothing\n    expect: {destination: slurm, cores: 2, mem: 7.6}");
    for line_end in ["\n", "\r\n"] {
        let folder = site(&[("rules.yml", RULES), ("tests.yml", &tests.replace('\n', line_end))]);
        let run = tpvc_in(folder.path(), &["test", "tests.yml", "--update"]);
        assert!(run.status.success(), "{}", stderr(&run));
        let updated = std::fs::read_to_string(folder.path().join("tests.yml")).unwrap();
        assert_eq!(updated, expected.replace('\n', line_end));
        let again = tpvc_in(folder.path(), &["test", "tests.yml"]);
        assert!(again.status.success(), "{}", stdout(&again));
    }
}

/// A value that serves several cases at once is not changed for one of them.
#[test]
fn updating_leaves_what_several_cases_share() {
    let tests = "config: rules.yml\ndefaults: {params: {size: 1}, history_tags: []}\ntests:\n  \
        - job: {tool: t}\n    expect: &all {cores: 5}\n  - job: {tool: t, params: {size: 3}}\n    expect: *all\n  \
        - job: {tool: t}\n    expect: {rules: by_params, not_on: slurm}\n";
    let folder = site(&[("rules.yml", RULES), ("tests.yml", tests)]);
    let run = tpvc_in(folder.path(), &["test", "tests.yml", "--update"]);
    let said = stderr(&run);
    assert_eq!(run.status.code(), Some(1), "{said}");
    assert!(said.contains("cores: it is in another place, which other cases share"), "{said}");
    assert!(said.contains("rules: decide by hand what must or must not happen"), "{said}");
    let updated = std::fs::read_to_string(folder.path().join("tests.yml")).unwrap();
    assert_eq!(updated, tests.replace("&all {cores: 5}", "&all {cores: 2}"));
}

#[test]
fn junit_is_xml_with_a_case_each() {
    let tests = "config: rules.yml\ndefaults: {params: {size: 1}, history_tags: []}\ntests:\n  \
        - {name: \"<good> & 'well'\", job: {tool: t}, expect: {cores: 2}}\n  - {name: bad, job: {tool: t}, expect: {cores: 3}}\n";
    let folder = site(&[("rules.yml", RULES), ("tests.yml", tests)]);
    tpvc_in(folder.path(), &["test", "tests.yml", "--junit", "results.xml"]);
    let text = std::fs::read_to_string(folder.path().join("results.xml")).unwrap();
    let document = roxmltree::Document::parse(&text).unwrap();
    let cases: Vec<_> = document.descendants().filter(|node| node.has_tag_name("testcase")).collect();
    let of = |index: usize| (cases[index].attribute("name").unwrap(), cases[index].attribute("line").unwrap());
    assert_eq!((of(0), of(1)), (("<good> & 'well'", "4"), ("bad", "5")));
    let failures: Vec<_> = document.descendants().filter(|node| node.has_tag_name("failure")).collect();
    assert_eq!(failures.len(), 1);
    assert_eq!(failures[0].attribute("message"), Some("cores: expected 3, got 2"));
    assert!(failures[0].text().unwrap().contains("rules.yml:3"), "{text}");
}

/// The config of the coverage test, with the number of cases in which each line is used, counted by hand; `-` is a line in which nothing
/// stands that could be used. The three cases are:
///
/// 1. `small`: `bwa_mem` of 1 GiB matches `bwa.*` and `.*`, which is the default. `large` does not fire. Both destinations can take it;
///    `near` is preferred, so that `near` gets it, whose own rule does not fire either.
/// 2. `large`: `bwa` of 20 GiB; `large` fires and requires `highmem`, which `far` alone has.
/// 3. `other`: `fastqc` matches the default alone, and goes to `near`, whose rule fires, since it has one core.
const COUNTED: &[(&str, &str)] = &[
    ("-", "global:"),
    ("-", "  default_inherits: default"),
    ("-", "tools:"),
    // The default of all three.
    ("3", "  default:"),
    ("-", "    abstract: true"),
    ("3", "    cores: 1"),
    // 1 and 2 have a `mem` of their own.
    ("1", "    mem: cores * 2"),
    // `bwa.*` inherits from it, in 1 and 2.
    ("2", "  aligner:"),
    ("-", "    abstract: true"),
    ("-", "    context:"),
    ("2", "      factor: 4"),
    ("2", "  bwa.*:"),
    ("2", "    inherits: aligner"),
    ("2", "    cores: 8"),
    ("2", "    mem: input_size * factor"),
    ("-", "    scheduling:"),
    ("2", "      prefer: [close]"),
    ("-", "    rules:"),
    // Looked at in 1 and 2, fired in 2.
    ("2", "      - id: large"),
    ("-", "        if: |"),
    ("2", "          size = input_size"),
    ("-", ""),
    ("2", "          size > 10"),
    ("-", "        scheduling:"),
    ("1", "          require: [highmem]"),
    // Looked at in 1 and 2, and never fired.
    ("2", "      - {id: huge, if: input_size > 100, fail: '{tool.id} is too large'}"),
    ("0", "  hisat2:"),
    ("0", "    mem: 2 * 3"),
    ("-", "users:"),
    // Case 2 is hers.
    ("1", "  ada@example.org:"),
    ("1", "    max_cores: 4"),
    ("-", "destinations:"),
    // It can take 1 and 3, and gets both.
    ("2", "  near:"),
    ("2", "    runner: slurm"),
    ("2", "    max_accepted_mem: 64"),
    ("-", "    scheduling:"),
    ("2", "      accept: [close]"),
    ("-", "    params:"),
    ("2", "      native: '-c {cores}'"),
    ("2", "      queue: main"),
    ("-", "    rules:"),
    // Looked at in 1 and 3, where it is tried; fires in 3.
    ("2", "      - if: entity.cores == 1"),
    ("-", "        env:"),
    ("1", "          SINGLE: 'yes'"),
    // Only 2 has the tag that it requires.
    ("1", "  far:"),
    ("1", "    runner: slurm"),
    ("-", "    scheduling:"),
    ("1", "      require: [highmem]"),
    ("-", "    env:"),
    ("1", "      MEM: '{mem}'"),
    ("0", "  nowhere:"),
    ("0", "    runner: slurm"),
    ("0", "    max_accepted_cores: 0"),
];

const COUNTED_TESTS: &str = "config: rules.yml\ntests:\n  \
    - {name: small, job: {tool: bwa_mem, input_size: 1}, expect: {destination: near, mem: 4}}\n  \
    - {name: large, job: {tool: bwa, input_size: 20, user: ada@example.org}, expect: {destination: far, cores: 4}}\n  \
    - {name: other, job: {tool: fastqc}, expect: {destination: near, env: {SINGLE: yes}}}\n";

fn covered() -> (tempfile::TempDir, Value) {
    let rules: String = COUNTED.iter().map(|(_, line)| format!("{line}\n")).collect();
    let folder = site(&[("rules.yml", &rules), ("tests.yml", COUNTED_TESTS)]);
    let run = tpvc_in(folder.path(), &["test", "tests.yml", "--coverage=coverage.json"]);
    assert!(run.status.success(), "{}{}", stdout(&run), stderr(&run));
    let text = std::fs::read_to_string(folder.path().join("coverage.json")).unwrap();
    (folder, serde_json::from_str(&text).unwrap())
}

#[test]
fn lines_are_counted_as_by_hand() {
    let (_folder, coverage) = covered();
    let lines = coverage[0]["files"][0]["lines"].as_array().unwrap();
    for (number, (count, text)) in (1_u64..).zip(COUNTED) {
        let found =
            lines.iter().find(|line| line["line"] == number).map_or("-".to_owned(), |line| line["hits"].to_string());
        assert_eq!(found, *count, "line {number}: {text}");
    }
    // `huge` was looked at, and its `fail` never ran.
    let partly: Vec<&Value> = lines.iter().filter(|line| line["partly"] == true).map(|line| &line["line"]).collect();
    assert_eq!(partly, [26]);
}

#[test]
fn what_was_used_is_counted_as_by_hand() {
    let (_folder, coverage) = covered();
    let (all, file) = (&coverage[0], &coverage[0]["files"][0]);
    let rows = |section: &str, fields: &[&str]| -> Vec<String> {
        let row = |one: &Value| {
            let numbers: Vec<String> = fields.iter().map(|field| one[field].to_string()).collect();
            format!("{}: {}", one["name"].as_str().unwrap(), numbers.join(" "))
        };
        file[section].as_array().unwrap().iter().map(row).collect()
    };
    assert_eq!(
        rows("entities", &["matched", "inherited"]),
        [
            "tool `default`: 0 3",
            "tool `aligner`: 0 2",
            "tool `bwa.*`: 2 0",
            "tool `hisat2`: 0 0",
            "user `ada@example.org`: 1 0"
        ]
    );
    assert_eq!(
        rows("rules", &["looked_at", "fired", "not_fired"]),
        [
            "rule `large` of tool `bwa.*`: 2 1 1",
            "rule `huge` of tool `bwa.*`: 2 0 2",
            "rule `tpv_rule_1` of destination `near`: 2 1 1"
        ]
    );
    assert_eq!(
        rows("code", &["line", "ran"]),
        [
            "`mem` of tool `default`: 7 1",
            "`mem` of tool `bwa.*`: 15 2",
            "`if` of rule `large` of tool `bwa.*`: 21 2",
            "`if` of rule `huge` of tool `bwa.*`: 26 2",
            "`fail` of rule `huge` of tool `bwa.*`: 26 0",
            "`mem` of tool `hisat2`: 28 0",
            "`params` of destination `near`: 39 2",
            "`if` of rule `tpv_rule_1` of destination `near`: 42 2",
            "`env` of destination `far`: 50 1"
        ]
    );
    assert_eq!(
        rows("destinations", &["matched", "chosen"]),
        ["destination `near`: 2 2", "destination `far`: 1 1", "destination `nowhere`: 0 0"]
    );
    let share =
        |name: &str| (all["totals"][name]["used"].as_u64().unwrap(), all["totals"][name]["all"].as_u64().unwrap());
    assert_eq!((share("entities"), share("rules_fired"), share("rules_not_fired")), ((4, 5), (2, 3), (3, 3)));
    assert_eq!((share("code"), share("destinations")), ((7, 9), (2, 3)));
    // 34 lines are counted above, 5 of them with 0.
    let counted = COUNTED.iter().filter(|(count, _)| *count != "-").count() as u64;
    let missed = COUNTED.iter().filter(|(count, _)| *count == "0").count() as u64;
    assert_eq!(share("lines"), (counted - missed, counted));
    assert_eq!((counted, missed), (34, 5));
}

/// The counts of a file: `line:cases`, and its text as the page shows it.
fn counted(folder: &Path, args: &[&str]) -> (Vec<String>, Value, String) {
    let with = |coverage: &str| {
        let run = tpvc_in(folder, &[&["test", "tests.yml", coverage], args].concat());
        assert!(run.status.success(), "{}{}", stdout(&run), stderr(&run));
    };
    with("--coverage=coverage.json");
    with("--coverage=coverage.html");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let coverage: Value = serde_json::from_str(&read("coverage.json")).unwrap();
    let file = coverage[0]["files"][0].clone();
    let lines = file["lines"].as_array().unwrap();
    let lines = lines.iter().map(|line| format!("{}:{}", line["line"], line["hits"])).collect();
    (lines, file, read("coverage.html"))
}

#[test]
fn a_case_that_uses_something_twice_counts_once() {
    // One case tries both destinations, which inherit from `base`, and whose `params` are one text.
    let rules = "tools:\n  bwa:\n    cores: 4\ndestinations:\n  base:\n    abstract: true\n    runner: slurm\n  \
        one:\n    inherits: base\n    params: &params\n      native: '-c {cores}'\n    rules:\n    - if: true\n      \
        execute: |\n        from tpv.core.entities import TryNextDestinationOrFail\n        \
        raise TryNextDestinationOrFail('full')\n  two:\n    inherits: base\n    params: *params\n";
    let tests = "config: rules.yml\ntests:\n- {job: {tool: bwa}, expect: {destination: two}}\n";
    let folder = site(&[("rules.yml", rules), ("tests.yml", tests)]);
    let (lines, file, _) = counted(folder.path(), &[]);
    assert!(lines.iter().all(|line| line.ends_with(":1")), "{lines:?}");
    assert_eq!(file["entities"][1]["inherited"], 1, "{file:#}");
}

#[test]
fn templates_are_covered_by_their_own_lines() {
    let rules = "\
{# What the loop gives
   twice #}
tools:
{% for tool in heavy %}
  {{ tool }}:
    cores: 8
    rules:
    - id: large_{{ tool }}
      if: input_size > {{ limit }}
      execute: |
        {{ block | indent(8) }}
        entity.mem = mem
{% endfor %}
destinations:
  slurm:
    runner: slurm
";
    let vars = "heavy: [bwa, star]\nlimit: 10\nblock: |-\n  mem = 3\n  mem = mem * 2\n";
    let tests = "config: rules.yml.j2\ntests:\n\
        - {job: {tool: bwa, input_size: 20}, expect: {mem: 6}}\n\
        - {job: {tool: star, input_size: 1}, expect: {destination: slurm}}\n";
    let folder = site(&[("rules.yml.j2", rules), ("vars.yml", vars), ("tests.yml", tests)]);
    let (lines, file, page) = counted(folder.path(), &["--vars", "vars.yml"]);
    assert_eq!(lines, ["5:2", "6:2", "8:2", "9:2", "11:1", "12:1", "15:2", "16:2"]);
    // One rule stands there, which fires for one of the tools.
    let rule = &file["rules"][0];
    assert_eq!((&rule["line"], &rule["fired"], &rule["not_fired"]), (&8.into(), &1.into(), &1.into()));
    assert_eq!(file["rules"].as_array().unwrap().len(), 1, "{file:#}");
    assert!(page.contains("{% for tool in heavy %}") && page.contains("{{ block | indent(8) }}"));
}

/// Counting changes no answer: the fixtures' jobs as cases, each expecting the answer that TPV gave.
#[test]
fn answers_are_the_same_with_and_without_coverage() {
    for fixture in ["production", "code-blocks", "execute-mutates-entity", "try-next-destination", "rank-functions"] {
        let source = project().join("fixtures").join(fixture);
        let mut configs: Vec<String> = std::fs::read_dir(&source)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "yml"))
            .map(|path| path.display().to_string())
            .collect();
        configs.sort();
        let read = |name: &str| std::fs::read_to_string(source.join(name)).unwrap();
        let (jobs, answers) = (read("jobs.jsonl"), read("expected.jsonl"));
        let mut tests = format!("config: {}\n", serde_json::json!(configs));
        if source.join("world.json").exists() {
            tests += &format!("world: {}\n", source.join("world.json").display());
        }
        tests += "tests:\n";
        let mut count = 0;
        for (job, answer) in jobs.lines().zip(answers.lines()) {
            let (mut job, answer): (Value, Value) =
                (serde_json::from_str(job).unwrap(), serde_json::from_str(answer).unwrap());
            let Some(fields) = job.as_object_mut() else { continue };
            fields.remove("id");
            let expect = match answer.get("error") {
                Some(error) => serde_json::json!({"error": {"type": error["type"]}}),
                None => {
                    serde_json::json!({"destination": answer["destination"]["id"], "cores": answer["cores"], "mem": answer["mem"]})
                }
            };
            tests += &format!("  - {{\"job\": {job}, \"expect\": {expect}}}\n");
            count += 1;
        }
        let folder = site(&[("tests.yml", &tests)]);
        for args in [&["test", "tests.yml"][..], &["test", "tests.yml", "--coverage"]] {
            let run = tpvc_in(folder.path(), args);
            assert!(run.status.success(), "{fixture}: {}{}", stdout(&run), stderr(&run));
            assert!(stderr(&run).contains(&format!("{count} passed")), "{fixture}: {}", stderr(&run));
        }
    }
}

/// Rules of which some depend on the time, on chance, on tags, and on an id in braces.
const TO_BE_SUGGESTED: &str = r#"global: {default_inherits: default}
tools:
  default:
    cores: 1
    mem: cores * 4
  'x{2}':
    rules:
      - {id: large, if: input_size > 20, cores: 8}
      - {id: tagged, if: "'slow' in [tag.user_tname for tag in job.history.tags]", scheduling: {require: [slow]}}
  dated:
    rules:
      - if: true
        execute: |
          from datetime import datetime
          entity.mem = datetime.now().day + 100
  chance:
    rules:
      - if: true
        execute: |
          import random
          entity.mem = random.randint(1, 1000)
  wrong:
    cores: undefined_name
roles:
  training.*: {max_cores: 1}
destinations:
  slurm: {runner: slurm, params: {native: "--mem={int(mem)}G"}}
  slow: {runner: slurm, scheduling: {require: [slow]}}
"#;

#[test]
fn suggested_cases_pass_and_cover_what_they_are_for() {
    let folder = site(&[
        ("tpv/rules.yml", TO_BE_SUGGESTED),
        (
            "tests/own.yml",
            "config: ../tpv/rules.yml\ntests:\n- {job: {tool: xx, history_tags: []}, expect: {destination: slurm}}\n",
        ),
    ]);
    let test = |args: &[&str]| tpvc_in(folder.path(), &[&["test"], args].concat());
    let run = test(&["tests/own.yml", "--suggest", "-o", "tests/more.yml"]);
    assert!(run.status.success(), "{}", stderr(&run));
    let text = std::fs::read_to_string(folder.path().join("tests/more.yml")).unwrap();
    let head = "config: [\"../tpv/rules.yml\"]\ndefaults: {seed: 1}\ntests:\n";
    assert!(text.starts_with(head), "{text}");
    for part in [
        "rule `large` of tool `x(2)` fires",
        "history_tags: [], job_wrapper: {}",
        "history_tags: [slow]",
        "roles: [training]",
        "world: {now: \"20",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    // What raises an exception is no decision.
    assert!(!text.contains("undefined_name") && !text.contains("tool: wrong"), "{text}");
    let run = test(&["tests/more.yml"]);
    assert!(run.status.success(), "{}{text}", stdout(&run));
    let run = test(&["tests", "--coverage"]);
    assert!(run.status.success() && !stdout(&run).contains("made job"), "{}{text}", stdout(&run));
    // Again, there is nothing left, and what is there stays.
    let run = test(&["tests", "--suggest"]);
    assert!(stderr(&run).contains("no case to suggest") && stdout(&run).is_empty(), "{}", stdout(&run));
    let run = test(&["tests", "--suggest", "-o", "tests/../tests/more.yml"]);
    assert!(stderr(&run).contains("would replace its cases"), "{}", stderr(&run));
    assert_eq!(std::fs::read_to_string(folder.path().join("tests/more.yml")).unwrap(), text);
}
