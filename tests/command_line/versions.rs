//! `--tpv`: rules for an older TPV, and what upgrading changes.

use crate::support::{run, site};

const CONFIG: &str = "tools:\n  bwa: {cores: 1, mem: 2, max_concurrent_cores: 4}\n  star: {cores: 1, mem: \"helpers.get_input_size(job)\"}\n\
    destinations:\n  slurm: {runner: slurm, resubmit: {again: {condition: any_failure, destination: large}}}\n";
const JOB: &str = "{\"id\": 1, \"tool\": {\"id\": \"bwa\", \"resource_requirements\": {\"ram_max\": 1024}}}\n";

#[test]
fn the_artifact_says_which_version_it_is_for() {
    let site = site(&[("tpv.yml", CONFIG), ("jobs.jsonl", JOB)]);
    let map = |version: &str| {
        let (status, text) = run(site.path(), &["compile", "-q", "--tpv", version, "tpv.yml", "-o", "rules.bin"]);
        assert_eq!(status, 0, "{text}");
        let (status, text) = run(site.path(), &["inspect", "rules.bin"]);
        assert!(status == 0 && text.contains(&format!(" for TPV {version}, ")), "{text}");
        run(site.path(), &["map", "-q", "rules.bin", "jobs.jsonl"]).1
    };
    let (old, new) = (map("3.2"), map("3.3"));
    assert!(old.contains("\"mem\": 2") && old.contains("\"destination\": \"large\""), "{old}");
    assert!(new.contains("\"mem\": 1.0") && new.contains("\"environment\": \"large\""), "{new}");
    let (status, text) = run(site.path(), &["map", "--tpv", "3.2", "rules.bin", "jobs.jsonl"]);
    assert!(status == 2 && text.contains("the artifact has the rules of TPV 3.3, not 3.2"), "{text}");
}

#[test]
fn lint_knows_what_a_version_lacks() {
    let site = site(&[("tpv.yml", CONFIG)]);
    let (status, text) = run(site.path(), &["lint", "--tpv", "3.2.1", "tpv.yml"]);
    assert!(status == 0 && text.contains("`max_concurrent_cores` is not a field that TPV 3.2 knows"), "{text}");
    assert!(text.contains("`helpers` of TPV 3.2 has no attribute `get_input_size`"), "{text}");
    let (_, text) = run(site.path(), &["lint", "tpv.yml"]);
    assert!(!text.contains("3.2") && !text.contains("get_input_size"), "{text}");
}

#[test]
fn settings_name_a_version() {
    let site = site(&[("tpv.yml", CONFIG), ("tpvc.toml", "files = [\"tpv.yml\"]\ntpv = \"3.2\"\n")]);
    assert!(run(site.path(), &["lint"]).1.contains("TPV 3.2"));
    assert!(!run(site.path(), &["lint", "--tpv", "3.3"]).1.contains("TPV 3.2"));
    std::fs::write(site.path().join("tpvc.toml"), "files = [\"tpv.yml\"]\ntpv = \"3.9\"\n").unwrap();
    let (status, text) = run(site.path(), &["lint"]);
    assert!(status == 1 && text.contains("tpvc.toml:2:7") && text.contains("3.3 or next"), "{text}");
}

#[test]
fn the_job_configuration_names_a_version() {
    let conf = |version: &str| {
        format!(
            "execution:\n  environments:\n    tpv_dispatcher:\n      runner: dynamic_tpv\n      tpv_config_files: [tpv.yml]\n{version}"
        )
    };
    let settings = "files = [\"tpv.yml\"]\ntpv = \"3.3\"\n";
    let site = site(&[("tpv.yml", CONFIG), ("job.jsonl", JOB), ("tpvc.toml", settings)]);
    let dry_run = |version: &str, more: &[&str]| {
        std::fs::write(site.path().join("job_conf.yml"), conf(version)).unwrap();
        let command = ["dry-run", "--job-conf", "job_conf.yml", "--job", "job.jsonl"];
        run(site.path(), &[&command, more].concat())
    };
    for (version, more, target) in [
        ("", &[][..], "environment: large"),
        ("      tpvc_tpv: 3.2\n", &[], "destination: large"),
        ("      tpvc_tpv: '3.2.1'\n", &[], "destination: large"),
        ("      tpvc_tpv: '3.2'\n", &["--tpv", "3.3"], "environment: large"),
    ] {
        let (status, text) = dry_run(version, more);
        assert!(status == 0 && text.contains(target), "{version}{text}");
    }
    for (version, shown) in [("2", "2"), ("[3.2]", "no text"), ("'3.9'", "3.9")] {
        let (status, text) = dry_run(&format!("      tpvc_tpv: {version}\n"), &[]);
        let message = format!("error: `tpvc_tpv` of `job_conf.yml` is `{shown}`: expected a version of TPV: 1.4, ");
        assert!(status == 1 && text.contains(&message), "{text}");
    }
}

#[test]
fn diff_compares_two_versions() {
    let site = site(&[("tpv.yml", CONFIG), ("jobs.jsonl", JOB)]);
    let (status, text) = run(site.path(), &["diff", "--tpv", "3.2..3.3", "tpv.yml", "--jobs", "jobs.jsonl"]);
    assert!(status == 0 && text.contains("1 of 1 job"), "{text}");
    assert!(text.contains("resubmit") && text.contains("mem: 2 -> 1"), "{text}");
    let (status, text) = run(site.path(), &["lint", "--tpv", "3.2..3.3", "tpv.yml"]);
    assert!(status == 2 && text.contains("only for `tpvc diff`"), "{text}");
}

/// The changes of TPV named for the one job of a config between two versions.
fn named(config: &str, job: &str, versions: &str) -> Vec<String> {
    let site = site(&[("tpv.yml", config), ("jobs.jsonl", job)]);
    let command = ["diff", "--tpv", versions, "tpv.yml", "--jobs", "jobs.jsonl", "--differences", "out.jsonl"];
    let (status, text) = run(site.path(), &command);
    assert_eq!(status, 0, "{text}");
    let lines = std::fs::read_to_string(site.path().join("out.jsonl")).unwrap();
    let line: serde_json::Value = serde_json::from_str(&lines).unwrap();
    let changes = line["tpv"].as_array().unwrap().iter();
    changes
        .map(|change| format!("{} {}", change["since"].as_str().unwrap(), change["about"].as_str().unwrap()))
        .collect()
}

#[test]
fn each_part_of_an_answer_has_its_change() {
    let combining = "2.5 combining tool, role, user and destination";
    let job = "{\"id\": 1, \"tool\": {\"id\": \"a\"}}\n";
    // The amount of the destination is its limit in TPV 1. Neither its tags nor how often amounts are evaluated ended the job.
    let limit = "tools:\n  a: {cores: 6}\ndestinations:\n  d: {cores: 4}\n";
    assert_eq!(named(limit, job, "1.4..3.3"), [combining]);
    // What `resubmit` says differs by the cores, and its key by the version, too.
    let resubmit = "tools:\n  a:\n    cores: 2\n    resubmit: {r: {condition: any_failure, destination: 'd{cores}'}}\n\
        destinations:\n  d: {cores: 4}\n";
    let found = named(resubmit, job, "1.4..3.3");
    let expected = [combining, "3.0 `tags` of destinations", "3.3 `destination` of a `resubmit` action"];
    assert_eq!(found, expected);
}

/// A file as admins wrote them for TPV 2.
const OLD: &str = "tools:\n  bwa:\n    cores: 2\n    scheduling:\n    rules:\n    - id: never\n      cores: 8\nusers:\n  someone@example.org:\n\
    destinations:\n  slurm: {runner: slurm, tags: high-mem}\n";

#[test]
fn a_release_that_differs_from_the_version_that_answers_is_named() {
    let site = site(&[("tpv.yml", CONFIG)]);
    let lint = |version: &str| run(site.path(), &["lint", "--tpv", version, "tpv.yml"]);
    for (asked, answering, difference) in [
        ("1.2", "1.4", "`TryNextDestinationOrFail`"),
        ("2.2.1", "2.5", "an amount that a rule leaves out"),
        ("3.3.9", "3.3", "tpvc knows TPV 3.3 up to 3.3.0"),
    ] {
        let (status, text) = lint(asked);
        assert!(status < 2 && text.contains(&format!("warning: TPV {asked} is answered as {answering}")), "{text}");
        assert!(text.contains(difference), "{text}");
    }
    for exact in ["1.4.1", "2.4.0", "3.0.0", "3.1.0", "3.2.0", "3.2.1"] {
        assert!(!lint(exact).1.contains("is answered as"), "{exact}");
    }
    for (wrong, nearest) in [("1.7", "1.4"), ("3.9", "3.3"), ("9.9", "3.3")] {
        let (status, text) = lint(wrong);
        assert!(status == 2 && text.contains(&format!("the nearest is {nearest}")), "{text}");
    }
    std::fs::write(site.path().join("tpvc.toml"), "files = [\"tpv.yml\"]\ntpv = \"2.3\"\n").unwrap();
    assert!(!run(site.path(), &["lint"]).1.contains("is answered as"));
    std::fs::write(site.path().join("tpvc.toml"), "files = [\"tpv.yml\"]\ntpv = \"2.3.0\"\n").unwrap();
    assert!(
        run(site.path(), &["lint"]).1.contains("TPV 2.3.0 is answered as 2.5, which differs: destinations inherit")
    );
}

#[test]
fn a_config_of_an_older_version_is_recognized() {
    let site = site(&[("tpv.yml", OLD)]);
    let run = |arguments: &[&str]| run(site.path(), arguments);
    let hint = "error[T001]: this looks like TPV 2: set `tpv = \"2.5\"`";
    for arguments in [&["lint", "tpv.yml"][..], &["compile", "tpv.yml", "-o", "rules.bin"]] {
        let (status, text) = run(arguments);
        assert!(status == 1 && text.contains(hint) && text.contains("because of 4 errors"), "{text}");
        assert_eq!(text.matches("\nerror").count() + usize::from(text.starts_with("error")), 2, "{text}");
    }
    let (status, text) = run(&["lint", "--tpv", "3.3", "tpv.yml"]);
    assert!(status == 1 && text.contains(hint) && text.contains("the rule has no `if`"), "{text}");
    assert!(run(&["lint", "--tpv", "2.5", "tpv.yml"]).0 == 0);
    assert!(run(&["compile", "--tpv", "1.4", "tpv.yml", "-o", "rules.bin"]).0 == 0);
}

#[test]
fn a_slip_is_no_older_version() {
    let site = site(&[("tpv.yml", "tools:\n  bwa: {cores: 2, env: 5}\ndestinations:\n  slurm: {runner: slurm}\n")]);
    let lint = || run(site.path(), &["lint", "tpv.yml"]);
    let (status, text) = lint();
    assert!(status == 1 && !text.contains("looks like"), "{text}");
    // One thing of an older version is told in its error, and hides no finding.
    let text = "tools:\n  bwa: {mem: 1, rules: [{id: a, cores: 2}]}\n  star: {mem: coers}\ndestinations:\n  slurm: {runner: slurm}\n";
    std::fs::write(site.path().join("tpv.yml"), text).unwrap();
    let (status, text) = lint();
    assert!(
        status == 1 && text.starts_with("error[T001]: the rule has no `if`") || text.starts_with("warning"),
        "{text}"
    );
    assert!(text.contains("= note: this looks like TPV 2: set `tpv = \"2.5\"`") && text.contains("`coers`"), "{text}");
}

/// `RuleHelper`, by which rules for TPV 1 count the jobs of a user. Galaxy joins its users, so that a world without users counts none, as the reference does.
#[test]
fn rule_helper_counts_jobs() {
    let config = "\
users:
  .*@example.org:
    rules:
    - if: |
        from galaxy.jobs.rule_helper import RuleHelper
        helper = RuleHelper(app)
        count = helper.job_count(for_user_email=user.email, for_destinations=[d.id for d in mapper.destinations.values()], for_job_states=['queued', 'running'])
        at_slurm = helper.job_count(for_user_email=user.email, for_destination='slurm')
        count > 1 and at_slurm > count
      fail: '{user.email} has too many jobs'
tools:
  bwa: {cores: 2}
destinations:
  slurm: {max_accepted_cores: 4}
  pulsar: {max_accepted_cores: 4}
";
    let job =
        |email: &str| format!("{{\"tool\": {{\"id\": \"bwa\"}}, \"user\": {{\"id\": 9, \"email\": \"{email}\"}}}}\n");
    let row = |user: &str, state: &str, destination: &str| {
        format!("{{\"user_id\": {user}, \"state\": \"{state}\", \"destination_id\": {destination}}}")
    };
    let rows = [
        row("1", "queued", "\"slurm\""),
        row("1", "running", "\"slurm\""),
        row("1", "ok", "\"slurm\""),
        row("1", "running", "null"),
        row("2", "queued", "\"slurm\""),
        row("2", "queued", "\"pulsar\""),
        row("null", "queued", "\"slurm\""),
    ]
    .join(", ");
    let users = "\"users\": {\"ada@example.org\": 1, \"bob@example.org\": 2}, ";
    let site = site(&[
        ("tpv.yml", config),
        ("jobs.jsonl", &[job("ada@example.org"), job("bob@example.org"), job("cy@example.org")].concat()),
        ("world.json", &format!("{{{users}\"jobs\": [{rows}]}}")),
        ("nobody.json", &format!("{{\"jobs\": [{rows}]}}")),
        ("other.yml", &config.replace("for_user_email=user.email, for_destination='slurm'", "created_in_last=1")),
    ]);
    let failures = |config: &str, world: &str| {
        let arguments = ["map", "-q", "--tpv", "1.4.1", "--config", config, "--world", world, "jobs.jsonl"];
        let (_, said) = run(site.path(), &arguments);
        let lines = said.lines().filter(|line| line.starts_with('{'));
        lines.filter(|line| line.contains("\"error\"")).map(str::to_owned).collect::<Vec<_>>()
    };
    let failed = failures("tpv.yml", "world.json");
    assert!(failed.len() == 1 && failed[0].contains("ada@example.org has too many jobs"), "{failed:?}");
    assert_eq!(failures("tpv.yml", "nobody.json"), [""; 0]);
    let failed = failures("other.yml", "world.json");
    assert!(failed.len() == 3 && failed[0].contains("HostUnavailable"), "{failed:?}");
    let (_, said) = run(site.path(), &["compile", "--tpv", "1.4.1", "tpv.yml", "-o", "rules.bin"]);
    assert!(!said.contains("T131") && !said.contains("T130"), "{said}");
    let asks = "tools:\n  bwa:\n    rules:\n    - if: |\n        from galaxy.jobs.rule_helper import RuleHelper\n        RuleHelper(app).supports_docker(tool)\n      cores: 2\n";
    std::fs::write(site.path().join("asks.yml"), asks).unwrap();
    let (_, said) = run(site.path(), &["compile", "asks.yml", "-o", "rules.bin"]);
    assert!(said.contains("T112") && said.contains("asks.yml:6:"), "{said}");
}
