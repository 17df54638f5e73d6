//! Compares T206, the sizes of inputs that no destination accepts, with jobs: random ladders, mapped at each of their borders.
//!
//! `TPVC_SEED=7 TPVC_CONFIGS=1000` makes other configs, or more; a failure prints the seed.

use std::sync::Arc;

use crate::support::random::Random;
use serde_json::{Value, json};
use tpv_analysis::check::check;
use tpv_analysis::lint::{Options, lint};
use tpv_compiler::{CompileOptions, compile};
use tpv_runtime::{Job, Mapper, World};
use tpv_text::code::Code;

/// The borders that ladders have, in GiB.
const BORDERS: [f64; 5] = [0.5, 1.0, 2.0, 8.0, 20.0];

/// The messages of T206, about a config in a file.
fn findings(path: &str) -> Vec<String> {
    let linted = check(&[path.to_owned()], &Options::default()).linted;
    let of_sizes = linted.findings.iter().filter(|one| one.code == Code::UnacceptedSizes);
    of_sizes.map(|one| one.diagnostic.message.clone()).collect()
}

/// The ranges of a message, least and greatest size: `... with inputs of 5 to less than 20 GiB`.
fn range(message: &str) -> (f64, f64) {
    let (_, sizes) = message.rsplit_once("with inputs of ").unwrap();
    let (mut low, mut high) = (0.0, f64::MAX);
    let Some(sizes) = sizes.strip_suffix(" GiB").or_else(|| sizes.strip_suffix(" GiB and more")) else {
        assert_eq!(sizes, "any size");
        return (low, high);
    };
    if let Some(only) = sizes.strip_prefix("exactly ") {
        return (only.parse().unwrap(), only.parse().unwrap());
    }
    let is_last = message.ends_with(" GiB and more");
    for part in sizes.split(" and ").flat_map(|part| part.split(" to ")) {
        let number = |text: &str| text.parse::<f64>().unwrap();
        match (part.strip_prefix("more than "), part.strip_prefix("less than "), part.strip_prefix("at most ")) {
            (Some(beyond), ..) => low = number(beyond).next_up(),
            (_, Some(beyond), _) => high = number(beyond).next_down(),
            (.., Some(most)) => high = number(most),
            _ if is_last || sizes.starts_with(&format!("{part} to ")) => low = number(part),
            _ => high = number(part),
        }
    }
    (low, high)
}

fn amount(random: &mut Random) -> Value {
    match random.below(4) {
        0 => json!("min(max(input_size * 4, 8), 64)"),
        1 => json!("48 if input_size > 1 else 6"),
        _ => json!(*random.pick(&[2, 8, 24, 40, 96])),
    }
}

/// A tool with a ladder of rules, over destinations that are too small for some of it.
fn config(random: &mut Random) -> Value {
    let mut rules = Vec::new();
    let mut low = 0.0;
    for (index, high) in BORDERS.into_iter().enumerate() {
        if random.one_in(4) {
            low = high;
            continue;
        }
        let condition = match random.below(4) {
            0 => format!("{low} < input_size <= {high}"),
            1 => format!("{low} <= input_size < {high}"),
            2 => format!("input_size >= {low} and input_size < {high}"),
            _ => format!("input_size < {high} and not input_size < {low}"),
        };
        let mut rule = json!({"id": format!("r{index}"), "if": condition});
        rule[*random.pick(&["cores", "mem"])] = amount(random);
        if random.one_in(8) {
            rule["fail"] = json!("too much");
        }
        rules.push(rule);
        low = high;
    }
    let destination = |random: &mut Random| {
        let (cores, mem) = (*random.pick(&[4, 16, 100]), *random.pick(&[16, 50, 100]));
        json!({"runner": "slurm", "max_accepted_cores": cores, "max_accepted_mem": mem})
    };
    json!({
        "tools": {"bwa": {"cores": amount(random), "mem": amount(random), "rules": rules}},
        "destinations": {"one": destination(random), "two": destination(random)},
    })
}

/// Returns `true` if no destination takes a job of the tool with inputs of this size.
fn is_lost(mapper: &Mapper, size: f64) -> bool {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a size in bytes")]
    let bytes = (size * f64::from(1 << 30)) as u64;
    let job = json!({"tool": {"id": "bwa"}, "job": {"input_datasets": [{"name": "i", "id": 1, "size": bytes}]}});
    let answer = mapper.map(&Arc::new(Job::parse(&job.to_string()).unwrap()), &Arc::new(World::default()));
    answer.line().contains("No destinations are available")
}

#[test]
fn lost_sizes_are_those_of_jobs_without_destination() {
    let number = |name: &str, default: u64| std::env::var(name).map_or(default, |text| text.parse().unwrap());
    let (seed, configs) = (number("TPVC_SEED", 1), number("TPVC_CONFIGS", 50));
    println!("TPVC_SEED={seed} TPVC_CONFIGS={configs}");
    let (mut random, options) = (Random::new(seed), Options::default());
    let (mut lost, mut ranges) = (0, 0);
    for _ in 0..configs {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.yml").display().to_string();
        let text = config(&mut random).to_string();
        std::fs::write(&path, &text).unwrap();
        let found: Vec<(f64, f64)> = findings(&path).iter().map(|message| range(message)).collect();
        let mapper = Mapper::new(compile(std::slice::from_ref(&path), &CompileOptions::default()).rules.unwrap());
        ranges += found.len();
        let others = [
            lint(std::slice::from_ref(&path), &options).findings,
            check(std::slice::from_ref(&path), &options).linted.findings,
        ];
        let is_reported = others
            .iter()
            .flatten()
            .any(|one| matches!(one.code, Code::UnacceptedAmount | Code::ToolWithoutDestination));
        // Between the borders, and where they are; the amounts within a step don't fall.
        let sizes = BORDERS.iter().flat_map(|border| {
            let byte = 1.0 / f64::from(1 << 30);
            [border * 0.99, border - byte, *border, border + byte, border * 1.01, border * 1.4]
        });
        for size in sizes.chain([0.0, 1000.0]) {
            let is_lost = is_lost(&mapper, size);
            lost += usize::from(is_lost);
            // A message is true at its borders; those that no config writes are rounded to four digits.
            let is_told = |margin: f64| found.iter().any(|(low, high)| low * margin <= size && size <= *high);
            assert!(is_lost || !is_told(1.0), "{size} GiB finds a destination: {text}");
            assert!(is_told(0.998) || !is_lost || is_reported, "{size} GiB finds none: {text}");
        }
    }
    assert!(ranges > 20 && lost > 50, "{ranges} {lost}");
}

#[test]
fn what_is_said_of_a_border_is_true_there() {
    let config = |cores: &str, rule: &str| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.yml").display().to_string();
        let text = format!(
            "tools:\n  bwa:\n    cores: \"{cores}\"\n    rules: [{rule}]\ndestinations:\n  big: {{runner: slurm, min_accepted_cores: 32}}\n  \
             small: {{runner: slurm, max_accepted_cores: 4}}\n"
        );
        std::fs::write(&path, text).unwrap();
        let compiled = compile(std::slice::from_ref(&path), &CompileOptions::default());
        (findings(&path), Mapper::new(compiled.rules.unwrap()))
    };
    for (condition, sizes, is_lost_at_5) in [
        ("input_size > 5", "more than 5 GiB", false),
        ("input_size >= 5", "5 GiB and more", true),
        ("input_size <= 5", "at most 5 GiB", true),
        ("input_size < 5", "less than 5 GiB", false),
        ("5 < input_size <= 20.25", "more than 5 and at most 20.25 GiB", false),
        ("5 <= input_size < 20", "5 to less than 20 GiB", true),
        ("5 <= input_size <= 20", "5 to 20 GiB", true),
        ("5 <= input_size <= 5", "exactly 5 GiB", true),
        ("5 < input_size < 20", "more than 5 and less than 20 GiB", false),
    ] {
        let (findings, mapper) = config("None", &format!("{{id: r, if: {condition}, cores: 8 * 2}}"));
        assert_eq!(findings, [format!("no destination accepts the tool `bwa` with inputs of {sizes}")], "{condition}");
        assert_eq!(is_lost(&mapper, 5.0), is_lost_at_5, "{condition}");
    }
    for (cores, sizes, is_lost_at_5) in [
        ("16 if input_size > 5 else None", "more than 5 GiB", false),
        ("16 if input_size >= 5 else None", "5 GiB and more", true),
        ("min(input_size * 2, 16)", "more than 2 GiB", true),
    ] {
        let (findings, mapper) = config(cores, "");
        assert_eq!(findings, [format!("no destination accepts the tool `bwa` with inputs of {sizes}")], "{cores}");
        assert_eq!(is_lost(&mapper, 5.0), is_lost_at_5, "{cores}");
    }
}

#[test]
fn conditions_about_users_and_growth_without_end_are_left_out() {
    let check = |rules: &str, mem: &str| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.yml").display().to_string();
        let text = format!(
            "tools:\n  bwa:\n    cores: 2\n    mem: {mem}\n    rules:\n{rules}\ndestinations:\n  d: {{runner: slurm, max_accepted_mem: 50}}\n"
        );
        std::fs::write(&path, text).unwrap();
        findings(&path)
    };
    let large = "    - {id: large, if: input_size > 10, mem: 60}";
    let small = "    - {id: small, if: input_size < 1, mem: 4}";
    let found = check(&format!("{small}\n{large}"), "8");
    assert_eq!(found, Vec::<String>::new(), "`tpvc lint` reports the amount of the rule");
    let large = "    - {id: large, if: input_size > 10, mem: 6 * 10}";
    let found = check(&format!("{small}\n{large}"), "8");
    assert_eq!(found, ["no destination accepts the tool `bwa` with inputs of more than 10 GiB"]);
    assert_eq!(check(&format!("{small}\n{large}\n    - {{id: all, if: user, mem: 9}}"), "8").len(), 1);
    assert!(check(&format!("{small}\n{large}\n    - {{id: all, if: input_size or user, mem: 9}}"), "8").is_empty());
    let any = "    - {id: one, if: user, mem: 9}\n    - {id: none, if: not user, mem: 9}";
    assert!(check(&format!("{small}\n{large}\n{any}"), "8").is_empty(), "two rules may be for all jobs");
    assert!(check(small, "input_size * 4").is_empty(), "some size is always too much");
    assert_eq!(check(small, "min(input_size * 4, 80)").len(), 1);
    assert!(check(small, "min(input_size * 4, 50)").is_empty());
    let fails = "    - {id: fails, if: input_size > 10, fail: too large}";
    assert!(check(fails, "min(input_size * 4, 44)").is_empty());
    assert!(check(&format!("{large}\n{fails}"), "8").is_empty(), "such jobs fail on purpose");
    let some = "    - {id: some, if: user is None, max_mem: 4}";
    assert_eq!(check(some, "60"), ["no destination accepts the tool `bwa` with inputs of any size"]);
    assert!(check("    - {id: all, if: true, max_mem: 4}", "60").is_empty());
}
