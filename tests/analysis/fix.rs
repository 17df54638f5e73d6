//! `tpvc lint --fix` mends what has one answer and nothing else.

use crate::support::{run, site};
use tempfile::TempDir;

fn text(folder: &TempDir, name: &str) -> String {
    std::fs::read_to_string(folder.path().join(name)).unwrap()
}

const SLIPS: &str = "\
global:
  default_inherits: defualt   # see below
tools:
  bwa:  # aligns
    coers: 4
    mem: 8
    params:
      # a comment
      native: {mem}
  default:
    mem: 4
destinations:
  local:
    runner: local
    max_accpeted_mem: 16
";

#[test]
fn what_has_one_answer_is_mended_and_all_else_stays() {
    let site = site(&[("a.yml", SLIPS)]);
    // `default` is found to be no abstract entity only once `default_inherits` names it.
    let (status, said) = run(site.path(), &["lint", "a.yml", "--fix"]);
    assert!(status == 0 && said.contains("fixed 3 findings in `a.yml`") && said.contains("warning[T117]"), "{said}");
    assert!(said.contains("1 finding would cause others if fixed, and must be fixed by hand"), "{said}");
    let mended = SLIPS
        .replace("coers", "cores")
        .replace("max_accpeted_mem", "max_accepted_mem")
        .replace("native: {mem}", "native: \"{mem}\"");
    assert_eq!(text(&site, "a.yml"), mended);
}

/// The mended text is read by the version of TPV that the text was read by.
#[test]
fn a_config_for_an_older_version_is_mended() {
    let rules = "tools:\n  bwa:\n    coers: 2\n    mem: 8\n    rules:\n";
    let site = site(&[("a.yml", rules)]);
    assert_eq!(run(site.path(), &["lint", "a.yml"]).0, 1);
    let (status, said) = run(site.path(), &["lint", "--tpv", "2.5", "a.yml", "--fix"]);
    assert!(status == 0 && said.contains("fixed 1 finding in `a.yml`"), "{said}");
    assert_eq!(text(&site, "a.yml"), rules.replace("coers", "cores"));
}

/// Of edits that bring errors together as many as can be are made, however many there are.
#[test]
fn edits_that_conflict_keep_no_others_from_being_made() {
    let tools = |number: usize| match number % 3 {
        0 => format!("  t{number}: {{core: 1, coers: 2, mem: 2}}\n"),
        1 => format!("  t{number}: {{core: 1, cores: 2, mem: 2}}\n"),
        _ => format!("  t{number}: {{core: 1, mem: 2}}\n"),
    };
    let rules = format!("tools:\n{}", (0..300).map(tools).collect::<String>());
    let site = site(&[("a.yml", &rules)]);
    let (_, said) = run(site.path(), &["lint", "a.yml", "--fix"]);
    assert!(said.contains("fixed 200 findings in `a.yml`"), "{said}");
    assert!(said.contains("200 findings would cause others if fixed, and must be fixed by hand"), "{said}");
    let mended = rules.replace("core: 1, coers", "cores: 1, coers").replace("core: 1, mem", "cores: 1, mem");
    assert_eq!(text(&site, "a.yml"), mended);
}

#[test]
fn an_entity_that_others_inherit_from_becomes_abstract() {
    let rules = "global:\r\n  default_inherits: default\r\ntools:\r\n  default:  # for all\r\n    # more\r\n    cores: 2\r\n    mem: 4\r\n";
    let site = site(&[("a.yml", rules)]);
    let (status, said) = run(site.path(), &["lint", "a.yml", "--fix"]);
    assert!(status == 0 && said.contains("fixed 1 finding in `a.yml`") && said.contains("no findings"), "{said}");
    assert_eq!(text(&site, "a.yml"), rules.replace("    cores", "    abstract: true\r\n    cores"));
    // A destination with a runner may be meant to be used, and what stands on one line is left alone.
    for rules in [
        "global: {default_inherits: local}\ndestinations:\n  local:\n    runner: local\n",
        "global: {default_inherits: default}\ntools:\n  default: {cores: 2, mem: 4}\n",
    ] {
        let site = self::site(&[("a.yml", rules)]);
        assert!(run(site.path(), &["lint", "a.yml", "--fix"]).1.contains("warning[T101]"));
        assert_eq!(text(&site, "a.yml"), rules);
    }
}

#[test]
fn a_diff_shows_what_would_change_and_writes_nothing() {
    let site = site(&[("a.yml", SLIPS), ("b.yml", "tools:\n  bowtie:\n    mem: 4\n    scheduleing: {}\n")]);
    let (status, said) = run(site.path(), &["lint", "a.yml", "b.yml", "--fix", "--diff"]);
    assert_eq!(status, 1);
    for line in
        ["--- a.yml\n+++ a.yml (fixed)\n", "-    coers: 4\n+    cores: 4\n", "--- b.yml\n", "4 findings would be fixed"]
    {
        assert!(said.contains(line), "{said}");
    }
    assert_eq!(text(&site, "a.yml"), SLIPS);
    let (status, said) = run(site.path(), &["lint", "b.yml", "--fix", "--diff"]);
    assert!(status == 1 && said.contains("+    scheduling: {}"), "{said}");
}

#[test]
fn what_would_bring_other_findings_is_left() {
    // The field is there already; the memory would be in MiB.
    let rules = "tools:\n  bwa:\n    cores: 2\n    coers: 4\n    mem: 8\n  bowtie:\n    cores: 2\n    mme: 16384\n    mem_: 3\n";
    let site = site(&[("a.yml", rules)]);
    let (_, said) = run(site.path(), &["lint", "a.yml", "--fix"]);
    assert!(said.contains("would cause others"), "{said}");
    assert!(text(&site, "a.yml").contains("coers: 4"));
}

#[test]
fn a_config_that_does_not_load_is_not_touched() {
    let rules = "tools:\n  bwa:\n    coers: 4\n    mem: [1\n";
    let site = site(&[("a.yml", rules)]);
    let (status, _) = run(site.path(), &["lint", "a.yml", "--fix"]);
    assert_eq!((status, text(&site, "a.yml")), (1, rules.to_owned()));
}
