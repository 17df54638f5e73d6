//! `tpvc check` on ids that match other ids than they spell, and on what later files override unseen.
//!
//! The configs are cases of `fixtures/`, whose recorded answers show that TPV does what the findings say. With `UPDATE_EXPECT=1` in
//! the environment the expectations are rewritten; review the change before committing it.

use std::fmt::Write;

use crate::support::{expect_file, project, run, site, stderr, stdout, tpvc_in};

#[test]
fn findings_are_as_expected() {
    for (case, configs) in
        [("keys-that-overlap", &["config.yml"][..]), ("overridden-unseen", &["base.yml", "local.yml"])]
    {
        let output = tpvc_in(&project().join("fixtures").join(case), &[&["check"], configs].concat());
        assert_eq!(output.status.code(), Some(0), "{case}");
        let expected = project().join("tests/check").join(case).with_extension("txt");
        expect_file(&expected, &format!("{}{}", stdout(&output), stderr(&output)));
    }
}

/// A parent in a file that loads later keeps all from loading; the message names the file.
#[test]
fn a_parent_that_loads_later_is_named() {
    let folder = project().join("fixtures/overridden-unseen");
    for verb in ["check", "lint", "compile"] {
        let more: &[&str] = if verb == "compile" { &["-o", "/dev/null"] } else { &[] };
        let output = tpvc_in(&folder, &[&[verb, "local.yml", "base.yml"], more].concat());
        assert_eq!(output.status.code(), Some(1), "{verb}");
        let said = stdout(&output) + &stderr(&output);
        assert!(said.contains("the parent `default` of the tool `wtdbg` does not exist"), "{said}");
        assert!(
            said.contains("this file loads later") && said.contains("help: give the file that has the parent first"),
            "{said}"
        );
    }
}

#[test]
fn comments_and_options_turn_findings_off() {
    let folder = tempfile::tempdir().unwrap();
    let config = "tools:\n  hisat*:\n    # noqa: T214\n    mem: 8\n  mafft*:\n    mem: 8\n";
    std::fs::write(folder.path().join("config.yml"), config).unwrap();
    let said = stdout(&tpvc_in(folder.path(), &["check", "config.yml"]));
    assert!(said.contains("`mafft*`") && !said.contains("`hisat*`"), "{said}");
    let said = stdout(&tpvc_in(folder.path(), &["check", "config.yml", "--ignore", "T214"]));
    assert_eq!(said, "");
    let strict = tpvc_in(folder.path(), &["check", "config.yml", "--strict"]);
    assert_eq!(strict.status.code(), Some(1));
}

/// Entries that multiplied what each job may be: with a gigabyte of address space the check ends.
#[test]
#[cfg(unix)]
fn what_entities_add_is_not_multiplied() {
    let mut siblings = "  it:\n    rules:\n    - {id: r, if: input_size > 1, cores: 2}\n".to_owned();
    let (mut chain, mut one_rule, mut wild, mut rules) = (String::new(), String::new(), String::new(), String::new());
    rules.push_str("  t:\n    rules:\n");
    for index in 0..200 {
        let parent = |name: &str| if index > 0 { format!("inherits: {name}, ") } else { String::new() };
        let _ = writeln!(siblings, "  it_{index}: {{inherits: it}}");
        let own = parent(&format!("t{}", index.max(1) - 1));
        let _ =
            writeln!(chain, "  t{index}: {{{own}rules: [{{id: r{index}, if: input_size > {index}, cores: {index}}}]}}");
        let own = parent(&"t".repeat(index));
        let _ = writeln!(
            one_rule,
            "  {}: {{{own}rules: [{{id: r, if: input_size > {index}, mem: 2}}]}}",
            "t".repeat(index + 1)
        );
        let _ = writeln!(wild, "  .*x{index}.*y{index}.*z{index}.*: {{cores: {}}}", index % 7 + 1);
        for rule in 0..15 {
            let _ = writeln!(rules, "    - {{id: r{index}_{rule}, if: input_size > {index}, cores: {rule}}}");
        }
    }
    for tools in [siblings, chain, one_rule, wild, rules] {
        let config = format!("tools:\n{tools}destinations:\n  d: {{runner: slurm}}\n");
        let folder = site(&[("config.yml", &config)]);
        let limited = format!("ulimit -v 1000000; exec {} check config.yml", env!("CARGO_BIN_EXE_tpvc"));
        let mut shell = std::process::Command::new("sh");
        let output = shell.args(["-c", &limited]).current_dir(folder.path()).output().unwrap();
        let first: String = tools.chars().take(200).collect();
        assert!(output.status.success(), "{first}\n{}", stderr(&output));
    }
}

/// Findings with one cause are merged, with a count.
#[test]
fn findings_of_one_cause_are_one() {
    let entries = |id: &dyn Fn(usize) -> String, fields: &str| -> String {
        (0..9).map(|index| format!("  {}: {{{fields}}}\n", id(index))).collect()
    };
    let plain = "destinations:\n  d: {runner: slurm}\n";
    let tools = entries(&|index| format!("t{index}"), "cores: 2");
    let overridden = entries(&|index| format!("x_{index}.*_y"), "cores: 2");
    let cases = [
        (
            format!(
                "tools:\n{}destinations:\n  d: {{scheduling: {{accept: [a]}}}}\n  e: {{scheduling: {{accept: [b]}}}}\n",
                entries(&|index| format!("t{index}"), "scheduling: {require: [a, b]}")
            ),
            "T201",
            "no destination accepts the tools `t0`, `t1` and 7 more",
        ),
        (
            format!(
                "tools:\n{}destinations:\n{}",
                entries(&|index| format!("t{index}"), "scheduling: {require: [a, b]}"),
                (0..9)
                    .map(|index| format!("  d{index}: {{runner: slurm, scheduling: {{require: [b], reject: [a]}}}}\n"))
                    .collect::<String>()
                    + "  e: {runner: slurm, scheduling: {accept: [a, b]}}\n"
            ),
            "T202",
            "no job can reach the destinations `d0`, `d1` and 7 more",
        ),
        (
            format!("tools:\n{overridden}  x_.*: {{cores: 4}}\n{plain}"),
            "T212",
            "`cores` of the tools `x_0.*_y`, `x_1.*_y` and 7 more is never used",
        ),
        (
            format!("tools:\n{tools}  .*: {{abstract: true}}\n{plain}"),
            "T213",
            "every job of the tools `t0`, `t1` and 7 more fails",
        ),
        (
            format!(
                "tools:\n{tools}destinations:\n  d: {{runner: slurm, scheduling: {{accept: [tool_type_user_defined]}}}}\n{}",
                entries(&|index| format!("d{index}"), "inherits: d")
            ),
            "T205",
            "user-defined tools can reach the destinations `d0`, `d1` and 7 more",
        ),
    ];
    for (config, code, message) in cases {
        let folder = site(&[("config.yml", &config)]);
        let (_, said) = run(folder.path(), &["check", "config.yml"]);
        let found: Vec<&str> = said.lines().filter(|line| line.starts_with("warning[")).collect();
        assert_eq!(found, [format!("warning[{code}]: {message}")], "{config}");
    }
    // A comment takes one of them out.
    let config = "tools:\n  t1:\n    # noqa: T213\n    cores: 2\n  t2: {}\n  t3: {}\n  .*: {abstract: true}\n";
    let folder = site(&[("config.yml", config)]);
    let (_, said) = run(folder.path(), &["check", "config.yml"]);
    assert!(said.contains("every job of the tools `t2` and `t3` fails"), "{said}");
}

/// Each is said by one verb: a tag that no destination has, an amount that none accepts, limits that contradict each other, a tag
/// that no job has.
#[test]
fn what_lint_finds_is_not_repeated() {
    let tools = "tools:\n  t: {cores: 2, mem: 8}\n";
    let destinations = "destinations:\n  d: {runner: slurm, max_accepted_cores: 4}\n";
    for (config, code) in [
        (format!("tools:\n  t: {{scheduling: {{require: [a]}}}}\n  u: {{mem: 1}}\n{destinations}"), "T114"),
        (
            format!(
                "tools:\n  default: {{abstract: true, scheduling: {{require: [a]}}}}\n  t: {{mem: 1}}\n{destinations}global: {{default_inherits: default}}\n"
            ),
            "T114",
        ),
        (format!("tools:\n  t: {{cores: 8, mem: 8}}\n{destinations}"), "T122"),
        (format!("{tools}{destinations}  e: {{runner: slurm, scheduling: {{require: [a]}}}}\n"), "T115"),
        (
            format!(
                "tools:\n  default: {{abstract: true, cores: 2, mem: 2}}\n{destinations}  e: {{runner: slurm, min_accepted_cores: 9, max_accepted_cores: 1}}\nglobal: {{default_inherits: default}}\n"
            ),
            "T121",
        ),
    ] {
        let folder = site(&[("config.yml", &config)]);
        let (_, linted) = run(folder.path(), &["lint", "config.yml"]);
        assert!(linted.contains(&format!("[{code}]")), "{config}\n{linted}");
        assert_eq!(run(folder.path(), &["check", "config.yml"]).1, "no findings in 1 file\n", "{config}");
    }
}
