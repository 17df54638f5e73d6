//! `tpvc fit`: the report, tables, the retry policy of destinations, and what is said of bad input.

use std::fmt::Write as _;
use std::io::{BufRead as _, Write as _};
use std::path::Path;

use crate::support::{project, stderr, stdout, tpvc_in};
use serde_json::Value;

const CONFIG: &str = "\
tools:
  default:
    mem: 4
  .*/assembler/.*:
    mem: 64
    rules:
      - id: big
        if: input_size > 40
        mem: 128
  small:
    cores: 2
destinations:
  slurm:
    runner: slurm
    max_accepted_mem: 90
    resubmit:
      more:
        condition: memory_limit_reached and attempt < 2
        destination: tpv_dispatcher
  huge:
    runner: slurm
    scheduling:
      require: [huge]
global:
  default_inherits: default
";
const ASSEMBLER: &str = "shed.org/repos/o/assembler/assembler/1.0";

/// Jobs that need 2 GiB and three times the size of their input; the noise repeats.
fn history(count: u64) -> String {
    let mut text = String::new();
    for index in 0..count {
        let size = 1 + index * 7 % 10;
        let noise = 1.0 + 0.02 * ((index * 5 % 7) as f64 - 3.0);
        let peak = (2.0 + 3.0 * size as f64) * noise;
        let _ = writeln!(
            text,
            "{{\"tool\": {{\"id\": \"{ASSEMBLER}\"}}, \"job\": {{\"input_datasets\": [{{\"id\": 1, \"size\": {}}}]}}, \"outcome\": \
             {{\"state\": \"ok\", \"end_time\": \"2026-01-{:02}T00:00:00\", \"memory_bytes\": {:.0}, \"runtime_seconds\": 3600, \
             \"slots\": 2, \"cpu_seconds\": 3600}}}}",
            size << 30,
            1 + index * 28 / count,
            peak * f64::from(1 << 30)
        );
    }
    text + "{\"tool\": {\"id\": \"small\"}, \"outcome\": {\"oom\": true, \"allocated_memory_bytes\": 4294967296, \"runtime_seconds\": 60}}\n"
}

fn folder(jobs: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("config.yml"), CONFIG).unwrap();
    std::fs::write(folder.path().join("jobs.jsonl"), jobs).unwrap();
    folder
}

fn fit(folder: &Path, args: &[&str]) -> String {
    let output = tpvc_in(folder, &[&["fit", "config.yml", "--jobs", "jobs.jsonl"], args].concat());
    assert_eq!(output.status.code(), Some(0), "{args:?}\n{}", stderr(&output));
    stdout(&output)
}

#[test]
fn the_truth_is_found() {
    let folder = folder(&history(400));
    let report: Value = serde_json::from_str(&fit(folder.path(), &["--format", "json"])).unwrap();
    assert_eq!(report["jobs"], 401);
    let tool = &report["tools"][0];
    assert_eq!(tool["tool"], "shed.org/repos/o/assembler/assembler");
    assert_eq!(tool["place"], "config.yml:5:10");
    assert_eq!((&tool["largest_destination"], &tool["attempts"]), (&Value::from(90.0), &serde_json::json!([1.0, 1.0])));
    assert_eq!(tool["verdict"], "change", "{tool:#}");
    let mem = tool["mem"].as_str().unwrap();
    let numbers: Vec<f64> =
        mem.split(|char: char| !char.is_ascii_digit() && char != '.').filter_map(|text| text.parse().ok()).collect();
    assert!(mem.ends_with(", 90)") && (numbers[0] - 2.0).abs() < 1.0 && (numbers[1] - 3.1).abs() < 0.3, "{mem}");
    assert_eq!(tool["usage"]["cores_busy"], 0.5);
    assert_eq!(tool["usage"]["period"], serde_json::json!(["2026-01-01", "2026-01-28"]));
    let used = tool["usage"]["used_median"].as_f64().unwrap();
    assert!((used / 18.5 - 1.0).abs() < 0.1, "{used}");
    // 64 GiB for an hour each.
    assert_eq!(tool["usage"]["reserved"], 64.0 * 400.0);
    let saving = tool["evidence"]["saving"].as_f64().unwrap();
    assert!((0.6..0.8).contains(&saving), "{saving}");
    let small = &report["tools"][1];
    assert_eq!(
        (&small["place"], &small["why"], &small["usage"]["lost"]),
        (&"config.yml:3:10".into(), &"few_jobs".into(), &1.into())
    );
}

/// The export of a real Galaxy (`python/tests/galaxy_server/history`): its jobs need 160 MiB and the size of their input, with noise of a
/// twentieth; those over 0.4 GiB were killed. What each needs is a parameter of the job.
#[test]
fn the_jobs_of_a_real_galaxy_are_understood() {
    let folder = project().join("tests/galaxy/history");
    let report: Value = serde_json::from_str(&stdout(&tpvc_in(
        &folder,
        &["fit", "tpv.yml", "--jobs", "jobs.jsonl.gz", "--format", "json"],
    )))
    .unwrap();
    let tool = |id: &str| report["tools"].as_array().unwrap().iter().find(|tool| tool["tool"] == id).unwrap();
    let lines = std::fs::File::open(folder.join("jobs.jsonl.gz")).map(flate2::read::GzDecoder::new).unwrap();
    let jobs: Vec<Value> =
        std::io::BufReader::new(lines).lines().map(|line| serde_json::from_str(&line.unwrap()).unwrap()).collect();
    let of = |id: &'static str| jobs.iter().filter(move |job| job["tool"]["id"] == id);
    let need = |job: &Value| job["job"]["param_values"]["mib"].as_str().unwrap().parse::<f64>().unwrap() / 1024.0;
    // Python itself takes 10 MiB, so that those near the limit may be of either kind.
    let is_near = |job: &&Value| (need(job) + 0.01 - 0.4).abs() < 0.015;
    for job in of("needs").filter(|job| !is_near(job)) {
        assert_eq!(job["outcome"]["oom"].as_bool(), Some(need(job) > 0.4), "{job}");
    }
    let killed = of("needs").filter(|job| job["outcome"]["oom"] == true).count();
    assert!((30..50).contains(&killed), "{killed}");
    let usage = |id: &str| ["jobs", "killed", "lost"].map(|field| tool(id)["usage"][field].as_u64().unwrap());
    assert_eq!(usage("needs"), [200, killed as u64, killed as u64]);
    // Killed once, then with enough; the tool's own word; another reason.
    assert_eq!((usage("grows"), usage("says"), usage("fails")), ([20, 20, 0], [10, 10, 10], [10, 0, 0]));
    // Resubmission by Galaxy's own rules, and the memory of the first attempt, not of the last.
    let grows = tool("grows");
    assert_eq!(
        (&grows["why"], grows["usage"]["asked_median"].as_f64().map(|asked| (asked - 0.2).abs() < 0.01)),
        (&"few_jobs".into(), Some(true))
    );
    let needs = tool("needs");
    let mem = needs["mem"].as_str().unwrap_or_else(|| panic!("{needs:#}"));
    let numbers: Vec<f64> =
        mem.split(|char: char| !char.is_ascii_digit() && char != '.').filter_map(|text| text.parse().ok()).collect();
    for size in [0.02, 0.1, 0.2, 0.35] {
        let (given, truth) = (numbers[0] + numbers[1] * size, 160.0 / 1024.0 + size);
        assert!(
            (0.95..1.35).contains(&(given / truth)),
            "{mem} gives {given} GiB for {size}, where {truth} are needed"
        );
    }
}

/// The report does not depend on the number of threads.
#[test]
fn threads_do_not_matter() {
    let folder = folder(&history(3_000));
    let one = fit(folder.path(), &["--format", "json", "--threads", "1"]);
    assert_eq!(one, fit(folder.path(), &["--format", "json", "--threads", "3"]));
}

#[test]
fn the_policy_can_be_given() {
    let folder = folder(&history(400));
    let text = fit(folder.path(), &["--explain", "--attempts", "1", "--lost-costs", "500", "--tool", "assembler"]);
    assert!(text.contains("attempts: 1, each with 2 times the memory, as `--attempts` assumes"), "{text}");
    assert!(!text.contains("small"), "{text}");
    let csv = fit(folder.path(), &["--format", "csv"]);
    assert!(csv.starts_with("tool,place,jobs,asked_median_gib") && csv.lines().count() == 3, "{csv}");
}

/// The patch, merged last, gives the tool its value, keeps the rule, and is accepted by the other verbs.
#[test]
fn patches_take_effect() {
    let folder = folder(&history(400));
    let output = tpvc_in(folder.path(), &["fit", "config.yml", "--jobs", "jobs.jsonl", "--patch", "fitted.yml"]);
    let said = stderr(&output);
    assert!(output.status.success() && said.contains("wrote 1 value to `fitted.yml`: merge it last"), "{said}");
    assert!(!said.contains("note:"), "{said}");
    let patch = std::fs::read_to_string(folder.path().join("fitted.yml")).unwrap();
    for text in [
        "  # 400 jobs from 2026-01-01 to 2026-01-28; today's value is set at config.yml:5:10.",
        "  shed.org/repos/o/assembler/assembler/.*:\n    mem: min(",
    ] {
        assert!(patch.contains(text), "{text}\n{patch}");
    }
    for args in [
        &["lint", "config.yml", "fitted.yml"][..],
        &["check", "config.yml", "fitted.yml"],
        &["format", "--check", "fitted.yml"],
    ] {
        let run = tpvc_in(folder.path(), args);
        assert!(run.status.success(), "{args:?}\n{}{}\n{patch}", stdout(&run), stderr(&run));
    }
    let mem = |size: &str| -> f64 {
        let args = [
            "dry-run",
            "config.yml",
            "fitted.yml",
            "--tool",
            ASSEMBLER,
            "--input-size",
            size,
            "--output-format",
            "json",
            "--explain",
        ];
        let run = tpvc_in(folder.path(), &args);
        let text = stdout(&run);
        let at = text.find("\"mem\":").unwrap_or_else(|| panic!("{text}{}", stderr(&run)));
        text[at + 6..].trim_start().split([',', '}']).next().unwrap().trim().parse().unwrap()
    };
    assert!((mem("5") - 17.5).abs() < 2.0, "{}", mem("5"));
    // What a rule sets is as it was.
    let again = tpvc_in(
        folder.path(),
        &["fit", "config.yml", "--jobs", "jobs.jsonl", "--patch", "fitted.yml", "--tool", "small", "-q"],
    );
    assert!(again.status.success());
    assert!(std::fs::read_to_string(folder.path().join("fitted.yml")).unwrap().ends_with("tools: {}\n"));
}

/// `--write` changes the value where it stands, and nothing else of the file.
#[test]
fn values_are_written_where_they_stand() {
    let folder = folder(&history(400));
    let commented = CONFIG.replace("    mem: 64\n", "    # by guess\n    mem: 64  # GiB\n").replace('\n', "\r\n");
    let write = |config: &str, args: &[&str]| {
        std::fs::write(folder.path().join("config.yml"), config).unwrap();
        let run = tpvc_in(folder.path(), &[&["fit", "config.yml", "--jobs", "jobs.jsonl", "--write"], args].concat());
        assert!(run.status.success(), "{}", stderr(&run));
        (std::fs::read_to_string(folder.path().join("config.yml")).unwrap(), stderr(&run))
    };
    let (new, said) = write(&commented, &[]);
    let (from, to) = (new.find("mem: min(").expect(&new), new.find("  # GiB").unwrap());
    assert_eq!(format!("{}mem: 64{}", &new[..from], &new[to..]), commented);
    let value = &new[from + 5..to];
    let change = format!("config.yml:6:10: mem of shed.org/repos/o/assembler/assembler: 64 -> {value}, GIB·H -");
    assert!(said.contains("wrote 1 value to 1 file") && said.contains(&change), "{said}");
    // A value that others have, too, stays.
    for (old, new, reason) in [
        ("    mem: 64\n", "", "the value at config.yml:3:10 is that of 1 other tool, too"),
        ("mem: 64", "mem: &anchor 64", "the value at config.yml:5:18 is in braces, has an anchor or several lines"),
        (
            "  small:\n",
            "  heir:\n    inherits: .*/assembler/.*\n  small:\n",
            "others inherit the value at config.yml:5:10",
        ),
        ("  .*/assembler/.*:\n", "  .*/assembler/.*:\n    abstract: false\n    inherits: small\n", ""),
    ] {
        let config = CONFIG.replace(old, new);
        let (text, said) = write(&config, &[]);
        assert_eq!(text == config, !reason.is_empty(), "{text}");
        assert!(said.contains(reason), "{reason}: {said}");
    }
    let args = ["fit", "config.yml", "--jobs", "jobs.jsonl", "--write", "--patch", "a.yml"];
    assert_eq!(tpvc_in(folder.path(), &args).status.code(), Some(2));
}

/// A summary tells nothing of users, datasets and parameters, and summaries of two halves give about what all jobs give.
#[test]
fn summaries_are_merged_and_keep_secrets() {
    let secret = |line: &str| {
        line.replace("\"job\": {\"input_datasets\": [{\"id\": 1,", "\"user\": {\"email\": \"SECRET@x\", \"username\": \"SECRET\"}, \"job\": {\"param_values\": {\"a\": \"SECRET\"}, \"input_datasets\": [{\"id\": 1, \"name\": \"SECRET\",")
    };
    let lines: Vec<String> = history(2_000).lines().map(|line| secret(line) + "\n").collect();
    let half = |odd: usize| lines.iter().skip(odd).step_by(2).cloned().collect::<String>();
    let folder = folder(&lines.concat());
    for (name, jobs) in [("a", half(0)), ("b", half(1))] {
        assert!(jobs.contains("SECRET"));
        std::fs::write(folder.path().join(name), jobs).unwrap();
        let summary = format!("{name}.json");
        let run = tpvc_in(folder.path(), &["fit", "config.yml", "--jobs", name, "--privacy", &summary]);
        assert!(run.status.success(), "{}", stderr(&run));
        assert!(stderr(&run).contains(&format!("wrote 1 tool to `{summary}`; left out: ")), "{}", stderr(&run));
    }
    let text = std::fs::read_to_string(folder.path().join("a.json")).unwrap();
    // Names of fields are all the words there are, with the tool; and no number is of fewer jobs than ten.
    let summary: Value = serde_json::from_str(&text).unwrap();
    let words: std::collections::BTreeSet<&str> = text
        .split(|char: char| !char.is_alphanumeric() && char != '_')
        .filter(|word| word.parse::<f64>().is_err())
        .collect();
    let known = "summary threshold left_out tools tool jobs killed reserved used failed attempts cells plain compressed peak hours asked \
                 false shed org repos o assembler";
    assert!(
        words.iter().all(|word| word.is_empty() || known.split_whitespace().any(|known| known == *word)),
        "{words:?}"
    );
    let cells = summary["tools"][0]["cells"].as_array().unwrap();
    assert!(cells.len() > 5 && cells.iter().all(|cell| cell["jobs"].as_u64().unwrap() >= 10), "{text}");
    assert_eq!((&summary["left_out"], &summary["threshold"]), (&1.into(), &10.into()));
    let json = |args: &[&str]| -> Value {
        let run = tpvc_in(folder.path(), args);
        assert!(run.status.success(), "{}", stderr(&run));
        serde_json::from_str(&stdout(&run)).unwrap()
    };
    let whole = &json(&["fit", "config.yml", "--jobs", "jobs.jsonl", "--format", "json"])["tools"][0];
    let merged = json(&["fit", "--merge", "a.json", "b.json", "--attempts", "2", "--format", "json"]);
    let merged = &merged["tools"][0];
    for field in ["jobs", "asked_median", "used_median", "used_95", "used_most", "reserved", "used"] {
        let [all, halves] = [whole, merged].map(|tool| tool["usage"][field].as_f64().unwrap());
        assert!((halves / all - 1.0).abs() < 0.05, "{field}: {all}, {halves} of the halves");
    }
    assert_eq!((&merged["verdict"], &merged["place"]), (&"change".into(), &Value::Null));
    let numbers = |tool: &Value| -> Vec<f64> {
        let mem = tool["mem"].as_str().unwrap().to_owned();
        mem.split(|char: char| !char.is_ascii_digit() && char != '.').filter_map(|text| text.parse().ok()).collect()
    };
    let memory = |tool: &Value, size: f64| numbers(tool)[0] + numbers(tool)[1] * size;
    for size in [1.0, 5.0, 10.0] {
        let (all, halves) = (memory(whole, size), memory(merged, size));
        assert!((halves / all - 1.0).abs() < 0.1, "{size}: {} and {}", whole["mem"], merged["mem"]);
    }
    for (text, fault) in [
        ("{", "EOF while parsing"),
        ("{\"summary\": 2, \"threshold\": 1, \"left_out\": 0, \"tools\": []}", "version 2 of the format"),
        ("{\"summary\": 1, \"threshold\": 1, \"left_out\": 0, \"tools\": [], \"users\": []}", "unknown field `users`"),
        (
            &text.replacen("\"peak\": ", "\"peak\": -", 1),
            "`shed.org/repos/o/assembler/assembler`: an amount is negative",
        ),
    ] {
        std::fs::write(folder.path().join("bad.json"), text).unwrap();
        let run = tpvc_in(folder.path(), &["fit", "--merge", "bad.json"]);
        let said = stderr(&run);
        assert!(run.status.code() == Some(1) && said.contains(fault) && said.contains("help: "), "{said}");
    }
}

#[test]
fn pages_have_the_jobs() {
    let folder = folder(&history(400));
    let page = fit(folder.path(), &["--format", "html"]);
    for text in
        ["<h1>What tools really need</h1>", "id=\"plot-1\"", "config.yml:5:10", "\"limit\":90.0", "too few jobs"]
    {
        assert!(page.contains(text), "{text}");
    }
}

#[test]
fn tables_are_read() {
    let mut table = String::from("JobID|JobName|MaxRSS|ElapsedRaw|State\n");
    for index in 0..200 {
        let _ = writeln!(table, "{index}|small|{}M|600|COMPLETED", 1000 + index * 13 % 50);
    }
    let folder = folder(&table);
    let text = fit(folder.path(), &["--csv"]);
    assert_eq!(small(&text), ["small", "200", "4", "1.0", "1.0", "1.0"], "{text}");
    let proposed = text.lines().nth(1).and_then(|row| row.split_whitespace().last());
    assert!(proposed.unwrap().starts_with("1.0"), "{text}");
}

/// The row of the tool `small`: its jobs and what they ask for, of the first table, and what they used, of the second.
fn small(text: &str) -> Vec<&str> {
    let rows: Vec<Vec<&str>> =
        text.lines().filter(|line| line.starts_with("small")).map(|line| line.split_whitespace().collect()).collect();
    [&rows[0][..3], &rows[1][1..4]].concat()
}

/// The column that is named counts, not one whose header would do, and it is said which columns count.
#[test]
fn a_named_column_counts_before_a_header() {
    for columns in ["memory,peak", "peak,memory"] {
        let mut table = format!("tool,{columns},runtime\n");
        for index in 0..200 {
            let peak = 1_000_000_000 + index * 13 % 50;
            let row = if columns.starts_with("memory") { format!("6 GB,{peak}") } else { format!("{peak},6 GB") };
            let _ = writeln!(table, "small,{row},600");
        }
        let folder = folder(&table);
        let args = ["fit", "config.yml", "--jobs", "jobs.jsonl", "--csv", "--columns", "memory_bytes=peak"];
        let output = tpvc_in(folder.path(), &args);
        let text = stdout(&output);
        assert_eq!(small(&text), ["small", "200", "4", "0.9", "0.9", "0.9"], "{text}");
        let said = stderr(&output);
        assert!(said.contains("memory_bytes from `peak`") && said.contains("not used: `memory`"), "{said}");
    }
}

/// The output of `sacct` has the peak on the rows of steps, the tool and the time on those of jobs.
#[test]
fn rows_of_sacct_are_joined() {
    let mut table = String::from("JobID|JobName|MaxRSS|ReqMem|ElapsedRaw|AllocCPUS|State|End\n");
    for job in 0..200 {
        let end = "2026-01-01T00:10:00";
        let _ = writeln!(table, "{job}|small||4G|600|2|COMPLETED|{end}");
        let _ = writeln!(table, "{job}.batch|batch|{}K||600|2|COMPLETED|{end}", 1_000_000 + job);
        let _ = writeln!(table, "{job}.extern|extern|0||600|2|COMPLETED|{end}");
    }
    let output = tpvc_in(folder(&table).path(), &["fit", "config.yml", "--jobs", "jobs.jsonl", "--csv"]);
    let text = stdout(&output);
    assert_eq!(small(&text), ["small", "200", "4", "1.0", "1.0", "1.0"], "{text}{}", stderr(&output));
    let sorted: String =
        table.lines().filter(|line| !line.contains("|small|")).map(|line| format!("{line}\n")).collect();
    let output = tpvc_in(folder(&sorted).path(), &["fit", "config.yml", "--jobs", "jobs.jsonl", "--csv"]);
    let said = stderr(&output);
    assert!(said.contains("line 2: the step `0.batch` does not follow its job `0`"), "{said}");
}

#[test]
fn bad_input_names_the_line() {
    let job = |outcome: &str| format!("{{\"tool\": {{\"id\": \"small\"}}, \"outcome\": {{{outcome}}}}}\n");
    let good = job("\"memory_bytes\": 1e9, \"runtime_seconds\": 60");
    for (jobs, args, fault) in [
        (
            good.clone() + &job("\"memory_bytes\": -1"),
            &[][..],
            "line 2: outcome.memory_bytes: must be a number of bytes: it is negative",
        ),
        (
            good.clone() + &job("\"memory_bytes\": 3.5"),
            &[],
            "line 2: outcome.memory_bytes: 3.5 bytes are less than any program takes",
        ),
        (
            good.clone() + &job("\"memory_bytes\": \"4G\""),
            &[],
            "line 2: outcome.memory_bytes: must be a number of bytes",
        ),
        (good.clone() + &good[..40], &[], "line 2: not JSON"),
        (String::from("{\"tool\": {\"id\": \"small\"}}\n"), &[], "has an `outcome`"),
        (String::new(), &[], "`jobs.jsonl` has no jobs"),
        (job("\"runtime_seconds\": 60"), &[], "no job of `jobs.jsonl` has its memory and its time: line 1"),
        (String::from("tool,memory,runtime\na,4G,1\n"), &[], "if this is a table, add `--csv`"),
        (String::from("tool,memory,runtime\na,4G,1\na,4,1\n"), &["--csv"], "line 3: memory: `4` has no unit"),
        (
            String::from("tool,memory,runtime\na,4G,1\na,4G"),
            &["--csv"],
            "line 3: 2 values, and the table has 3 columns",
        ),
        (String::from("tool,peak,runtime\na,4G,1\n"), &["--csv"], "no column of the table is known to be the memory"),
    ] {
        let folder = folder(&jobs);
        let output = tpvc_in(folder.path(), &[&["fit", "config.yml", "--jobs", "jobs.jsonl"], args].concat());
        assert_eq!((output.status.code(), stdout(&output)), (Some(1), String::new()), "{jobs}");
        assert!(stderr(&output).contains(fault) && stderr(&output).contains("help: "), "{fault}\n{}", stderr(&output));
    }
}

/// Memory of which a part is in KiB: no value follows from it, and the first such line is named.
#[test]
fn memory_in_two_units_gives_no_proposal() {
    let job = |bytes: u64| {
        format!(
            "{{\"tool\": {{\"id\": \"small\"}}, \"outcome\": {{\"memory_bytes\": {bytes}, \"runtime_seconds\": 60}}}}\n"
        )
    };
    let jobs: String = (0..400_u64).map(|at| job((1_000_000 + at * 977) << if at % 8 == 5 { 0 } else { 10 })).collect();
    let folder = folder(&jobs);
    let output = tpvc_in(folder.path(), &["fit", "config.yml", "--jobs", "jobs.jsonl"]);
    assert!(stdout(&output).contains("  1: the memory seems to be in two units"), "{}", stdout(&output));
    let note = "note: small: line 6: the memory of 50 jobs is about a thousandth of that of the rest";
    assert!(stderr(&output).contains(note), "{}", stderr(&output));
}

/// A compressed table that is cut off within its header, and elsewhere.
#[test]
fn tables_that_are_cut_off_say_so() {
    let folder = folder("");
    let table = String::from("tool,memory,runtime\n") + &"small,4G,600\n".repeat(5_000);
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
    packed.write_all(table.as_bytes()).unwrap();
    let packed = packed.finish().unwrap();
    for length in [25, packed.len() / 2] {
        std::fs::write(folder.path().join("jobs.csv.gz"), &packed[..length]).unwrap();
        let output = tpvc_in(folder.path(), &["fit", "config.yml", "--csv", "--jobs", "jobs.csv.gz"]);
        let said = stderr(&output);
        assert!(output.status.code() == Some(1) && said.contains("its gzip data are cut off at byte"), "{said}");
    }
}

/// Jobs of the tool `t` whose need is spread around 3 GiB whatever the size of the input: 2.1 at the least and 12 at the most.
fn spread(count: u32, more: &str) -> String {
    let job = |index: u32| {
        let place = (f64::from(index * 7 % count) + 0.5) / f64::from(count);
        // The quantiles of a logistic distribution of the logarithm.
        let peak = 3.0 * (place / (1.0 - place)).powf(0.2);
        format!(
            "{{\"id\": {index}, \"tool\": {{\"id\": \"t\"}}, \"user\": {{\"username\": \"u{}\"}}, \"outcome\": {{\"state\": \"ok\", \"memory_bytes\": {:.0}, \
             \"runtime_seconds\": 3600, \"end_time\": \"2026-02-{:02}T00:00:00\"{more}}}}}\n",
            index % 3,
            peak * f64::from(1 << 30),
            1 + index * 28 / count
        )
    };
    (0..count).map(job).collect()
}

/// Rules with one tool and one destination.
fn rules(mem: &str, destination: &str) -> String {
    format!(
        "tools:\n  default:\n    abstract: true\n    cores: 2\n    params:\n      F: \"{{2 * int(job.destination_params.get('F', 1)) if job.destination_params else 2}}\"\n  \
         t:\n    mem: {mem}\ndestinations:\n  d:\n    runner: slurm\n{destination}global: {{default_inherits: default}}\n"
    )
}

const RESUBMIT: &str = "    resubmit:\n      more:\n        condition: memory_limit_reached and attempt <= 3\n        destination: tpv_dispatcher\n";
const FACTOR: &str = "int(job.destination_params.get('F', 1)) if job.destination_params else";

/// The tool of a report, with the text of the patch.
fn fitted(config: &str, jobs: &str, args: &[&str]) -> (Value, String) {
    let folder = folder(jobs);
    std::fs::write(folder.path().join("config.yml"), config).unwrap();
    let args = [&["--format", "json", "--patch", "patch.yml"], args].concat();
    let report: Value = serde_json::from_str(&fit(folder.path(), &args)).unwrap();
    (report["tools"][0].clone(), std::fs::read_to_string(folder.path().join("patch.yml")).unwrap())
}

/// Without a `resubmit` there is one attempt, and a proposal loses no job; the text names other attempts that are assumed.
#[test]
fn attempts_are_those_of_the_rules() {
    let (one, patch) = fitted(&rules("40", ""), &spread(400, ""), &[]);
    assert_eq!((&one["verdict"], &one["attempts"]), (&"change".into(), &serde_json::json!([1.0])), "{one:#}");
    assert_eq!(
        (&one["trial"]["lost"], &one["trial"]["again"]),
        (&serde_json::json!([0, 0]), &serde_json::json!([0, 0]))
    );
    assert!(one["mem"].as_str().unwrap().parse::<f64>().unwrap() > 12.0, "{one:#}");
    assert!(patch.contains("# Attempts: 1: the rules resubmit no job that is killed for memory."), "{patch}");
    // A cluster that starts jobs again itself.
    let (four, patch) = fitted(&rules("40", ""), &spread(400, ""), &["--attempts", "4"]);
    assert!(four["mem"].as_str().unwrap().parse::<f64>().unwrap() < 6.0, "{four:#}");
    assert!(patch.contains("# Attempts: 4, each with 2 times the memory, as `--attempts` assumes."), "{patch}");
    // The figures of the comment are those of the trial.
    let trial =
        |field: &str| four["trial"][field].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect::<Vec<_>>();
    let words = format!(
        "# 400 jobs mapped with this value: 0 (0 today) lost, 0 (0 today) without a destination, {} (0 today) run again.",
        trial("again")[1]
    );
    assert!(trial("again")[1] > 20 && patch.contains(&words), "{words}\n{patch}");
    // A bound that allows it.
    let (bounded, _) = fitted(&rules("40", ""), &spread(400, ""), &["--max-lost", "5"]);
    let lost = bounded["trial"]["lost"][1].as_u64().unwrap();
    assert!((1..=20).contains(&lost), "{bounded:#}");
}

/// A resubmission with the same memory loses as many jobs as none.
#[test]
fn attempts_with_the_same_memory_do_not_count() {
    let (tool, _) = fitted(&rules("40", RESUBMIT), &spread(400, ""), &[]);
    assert_eq!(
        (&tool["attempts"], &tool["trial"]["lost"]),
        (&serde_json::json!([1.0, 1.0, 1.0, 1.0]), &serde_json::json!([0, 0]))
    );
}

#[test]
fn a_factor_of_the_attempt_is_kept() {
    for mem in [format!("16 * {FACTOR} 16"), format!("min(16 * ({FACTOR} 1), 100)")] {
        let (tool, patch) = fitted(&rules(&mem, RESUBMIT), &spread(400, ""), &[]);
        let attempts = tool["attempts"].as_array().unwrap();
        assert_eq!(attempts[..3], [1.0, 2.0, 4.0].map(Value::from), "{tool:#}");
        assert_eq!(attempts.len(), 4);
        assert_eq!(
            (&tool["verdict"], &tool["trial"]["lost"]),
            (&"change".into(), &serde_json::json!([0, 0])),
            "{tool:#}"
        );
        assert!(tool["mem"].as_str().unwrap().contains("int(job.destination_params.get('F', 1))"), "{tool:#}");
        assert!(patch.contains("# Attempts: 4 by the rules, with 2, 4, "), "{patch}");
    }
    // A rule sets the memory of further attempts, whatever the first had.
    let rule = "16\n    rules:\n      - id: grows\n        if: job.state == 'resubmitted'\n        mem: 32";
    let (tool, _) = fitted(&rules(rule, RESUBMIT), &spread(400, ""), &[]);
    assert_eq!(
        (&tool["verdict"], &tool["attempts"]),
        (&"change".into(), &serde_json::json!([1.0, 2.0, 2.0, 2.0])),
        "{tool:#}"
    );
    // A sum is no product.
    let (tool, patch) =
        fitted(&rules("12 + 4 * int((job.destination_params or {}).get('F', 1))", RESUBMIT), &spread(400, ""), &[]);
    assert_eq!((&tool["why"], patch.as_str()), (&"of_attempts".into(), "tools: {}\n"), "{tool:#}");
}

/// Limits of destinations and bounds of the rules are part of the search.
#[test]
fn values_stay_within_what_the_rules_accept() {
    for (destination, least, most) in [
        ("    min_accepted_mem: 20\n    max_accepted_mem: 256\n", 20.0, 256.0),
        ("    max_accepted_mem: 30\n", 0.0, 30.0),
        ("    min_mem: 24\n", 24.0, 40.0),
    ] {
        let today = if most < 40.0 { "30" } else { "40" };
        let (tool, _) = fitted(&rules(today, destination), &spread(400, ""), &["--attempts", "4"]);
        assert_eq!(tool["verdict"], "change", "{destination}{tool:#}");
        let mem: f64 = tool["mem"].as_str().unwrap().parse().unwrap();
        assert!((least..=most).contains(&mem), "{destination}{mem}");
        assert_eq!(tool["trial"]["unmapped"], serde_json::json!([0, 0]));
        if destination.contains("min_mem") {
            let [today, new] = [0, 1].map(|at| tool["trial"]["memory_time"][at].as_f64().unwrap());
            assert!((new / today - 24.0 / 40.0).abs() < 0.02, "{tool:#}");
        }
    }
    // A value between two destinations fits neither.
    let gap = "    max_accepted_mem: 10\n  e:\n    runner: slurm\n    min_accepted_mem: 30\n";
    let (tool, _) = fitted(&rules("40", gap), &spread(400, ""), &["--attempts", "4"]);
    assert_eq!(tool["trial"]["unmapped"].as_array().map_or(0, |both| both[1].as_u64().unwrap()), 0, "{tool:#}");
}

/// In a patch of several tools each has its own evidence above it, whatever they waste.
#[test]
fn comments_stand_above_their_tool() {
    let tools =
        ["b", "a", "c"].map(|tool| (tool, format!("  {tool}:\n    mem: {}\n", if tool == "b" { 64 } else { 40 })));
    let config = rules("40", "").replace("  t:\n    mem: 40\n", &tools.clone().map(|(_, text)| text).concat());
    let jobs = |(at, (tool, _)): (usize, &(&str, String))| {
        let jobs = spread(200 + 20 * at as u32, "").replace("{\"id\": \"t\"}", &format!("{{\"id\": \"{tool}\"}}"));
        jobs.lines()
            .enumerate()
            .map(|(line, text)| format!("{{\"id\": {}{}\n", at * 1000 + line, &text[text.find(',').unwrap()..]))
            .collect::<String>()
    };
    let (_, patch) = fitted(&config, &tools.iter().enumerate().map(jobs).collect::<String>(), &[]);
    let order: Vec<&str> =
        ["# 220 jobs mapped", "  a$:", "# 200 jobs mapped", "  b$:", "# 240 jobs mapped", "  c$:"].to_vec();
    let places: Vec<usize> =
        order.iter().map(|text| patch.find(text).unwrap_or_else(|| panic!("{text}\n{patch}"))).collect();
    assert!(places.is_sorted(), "{patch}");
}

/// If all jobs were killed, more memory is all that is known to help.
#[test]
fn more_memory_if_all_jobs_were_killed() {
    let killed: String =
        spread(120, ", \"oom\": true, \"allocated_memory_bytes\": 4294967296").replace("\"ok\"", "\"error\"");
    let (tool, patch) = fitted(&rules("4", ""), &killed, &[]);
    let mem: f64 = tool["mem"].as_str().unwrap_or_else(|| panic!("{tool:#}")).parse().unwrap();
    assert!(mem > 8.0 && tool["evidence"].is_null(), "{tool:#}");
    assert!(patch.contains("of the jobs that were killed "), "{patch}");
    // No destination has more.
    let (tool, _) = fitted(&rules("4", "    max_accepted_mem: 4\n"), &killed, &[]);
    assert_eq!((&tool["verdict"], &tool["why"]), (&"keep".into(), &"none_ended".into()));
}

/// The facts that limit a proposal: deleted jobs, repeated lines, one user, a history of other rules; and the places of a tool's memory.
#[test]
fn what_limits_a_proposal_is_said() {
    let jobs = spread(200, ", \"allocated_memory_bytes\": 8589934592").replace("u1\"", "u0\"").replace("u2\"", "u0\"");
    let deleted = jobs.lines().next().unwrap().replace("\"ok\"", "\"deleted\"").replace("\"id\": 0", "\"id\": 1000");
    let repeated = jobs.lines().nth(1).unwrap();
    let folder = folder(&format!("{jobs}{deleted}\n{repeated}\n"));
    std::fs::write(folder.path().join("config.yml"), rules("40", "")).unwrap();
    let text = fit(folder.path(), &["--explain"]);
    for words in [
        "Left out: 1 job whose id an earlier line has.",
        "not known: 1 job deleted by their users and left out",
        "not known: all jobs are of one user",
        "not known: 201 of 201 jobs had other memory than today's rules give, half of them 8.",
    ] {
        assert!(text.contains(words), "{words}\n{text}");
    }
    let rule = "8\n    rules:\n      - id: large\n        if: job.id % 2 == 1\n        mem: 36";
    let jobs = spread(400, "");
    let with_id = |(at, line): (usize, &str)| {
        line.replacen("\"outcome\"", &format!("\"job\": {{\"id\": {at}}}, \"outcome\""), 1) + "\n"
    };
    let both: String = jobs.lines().enumerate().map(with_id).collect();
    std::fs::write(folder.path().join("config.yml"), rules(rule, "")).unwrap();
    std::fs::write(folder.path().join("jobs.jsonl"), both).unwrap();
    let text = fit(folder.path(), &[]);
    let kept = "1 tool without a better value (`--all` shows them):\n  1: nothing is cheaper\n";
    assert!(text.contains(kept) && !text.contains("t (config.yml:8:10)"), "{text}");
    let text = fit(folder.path(), &["--all"]);
    assert!(text.contains("t (config.yml:8:10)") && text.contains("t (config.yml:12:14)"), "{text}");
    assert!(text.lines().any(|line| line.starts_with("t (config.yml:12:14)") && line.contains("   36  ")), "{text}");
}

/// An untried value is no proposal.
#[test]
fn an_artifact_gives_no_proposal() {
    let folder = folder(&spread(200, ""));
    std::fs::write(folder.path().join("config.yml"), rules("40", "")).unwrap();
    assert!(tpvc_in(folder.path(), &["compile", "config.yml", "-o", "rules.bin"]).status.success());
    let output = tpvc_in(folder.path(), &["fit", "rules.bin", "--jobs", "jobs.jsonl"]);
    assert!(
        stdout(&output).contains("  1: not tried: rules are an artifact"),
        "{}{}",
        stdout(&output),
        stderr(&output)
    );
    // Jobs from a pipe are read more than once, too.
    let mut run = std::process::Command::new(env!("CARGO_BIN_EXE_tpvc"));
    let run = run.args(["fit", "config.yml", "--jobs", "-", "--format", "json"]).current_dir(folder.path());
    let run = run.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped()).spawn();
    let mut run = run.unwrap();
    run.stdin.take().unwrap().write_all(spread(200, "").as_bytes()).unwrap();
    let piped = run.wait_with_output().unwrap().stdout;
    assert_eq!(String::from_utf8(piped).unwrap(), fit(folder.path(), &["--format", "json"]));
}
