//! A baseline leaves out the findings that it knows, wherever they move, and tells those that are gone.

use crate::support::run;
use serde_json::Value;
use tempfile::TempDir;

const RULES: &str =
    "tools:\n  bwa:\n    cores: 4\n  bowtie:\n    cores: 4\n  hisat:\n    cores: 8\n    memory: 3\n    mem: 3\n";

fn site(settings: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("rules")).unwrap();
    std::fs::write(folder.path().join("tpvc.toml"), settings).unwrap();
    std::fs::write(folder.path().join("rules/a.yml"), RULES).unwrap();
    folder
}

const SETTINGS: &str = "files = [\"rules\"]\n[lint]\nbaseline = \"known.json\"\n";

fn known(site: &TempDir) -> Value {
    serde_json::from_str(&std::fs::read_to_string(site.path().join("known.json")).unwrap()).unwrap()
}

#[test]
fn what_is_known_is_left_out_wherever_it_moves() {
    let site = site(SETTINGS);
    let (status, said) = run(site.path(), &["lint"]);
    assert!(status == 1 && said.contains("write it with `tpvc lint --update-baseline`"), "{said}");
    let (status, said) = run(site.path(), &["lint", "--update-baseline"]);
    assert!(status == 0 && said.contains("wrote 3 findings to the baseline `known.json`"), "{said}");
    assert_eq!(
        known(&site)["findings"][0],
        serde_json::json!({
            "file": "rules/a.yml", "code": "T102", "path": "tools.bowtie.cores",
            "message": "the tool `bowtie` sets `cores`, but not `mem`", "line": "cores: 4",
        })
    );
    let (status, said) = run(site.path(), &["lint", "--strict"]);
    assert!(status == 0 && said.contains("3 findings of the baseline `known.json` left out"), "{said}");
    assert!(said.contains("no findings in 1 file") && !said.contains("gone"), "{said}");
    // Other lines, another indentation, another folder to run in; and one finding that is new.
    let moved = format!("# a line\n{}", RULES.replace("  bwa:\n", "  star:\n    cores: 2\n  bwa:\n    # here\n"));
    std::fs::write(site.path().join("rules/a.yml"), moved).unwrap();
    let (status, said) = run(&site.path().join("rules"), &["lint", "--strict"]);
    assert!(status == 1 && said.contains("../rules/a.yml:4:12") && said.contains("1 warning in 1 file"), "{said}");
    assert!(said.contains("3 findings of the baseline `../known.json` left out"), "{said}");
}

#[test]
fn more_of_the_same_is_new() {
    let site = site(SETTINGS);
    let twice = |number: &str| {
        format!("tools:\n  bwa:\n    mem: 4\n    rules:\n    - if: input_size > 1\n      cores: 0\n{number}")
    };
    std::fs::write(site.path().join("rules/a.yml"), twice("")).unwrap();
    run(site.path(), &["lint", "--update-baseline"]);
    std::fs::write(site.path().join("rules/a.yml"), twice("    - if: input_size > 2\n      cores: 0\n")).unwrap();
    let (_, said) = run(site.path(), &["lint"]);
    assert!(said.contains("1 finding of the baseline") && said.contains("warning[T110]"), "{said}");
}

#[test]
fn what_is_gone_is_told_and_taken_out() {
    let site = site(SETTINGS);
    run(site.path(), &["lint", "--update-baseline"]);
    std::fs::write(
        site.path().join("rules/a.yml"),
        RULES.replace("    cores: 8\n", "").replace("  bwa:\n    cores: 4\n", ""),
    )
    .unwrap();
    let (status, said) = run(site.path(), &["lint"]);
    assert!(status == 0 && said.contains("1 finding of the baseline is gone: `tpvc lint --update-baseline`"), "{said}");
    assert!(said.contains("T102 rules/a.yml: the tool `bwa` sets `cores`"), "{said}");
    // What is turned off, of another verb, or of a file that is not looked at, is not gone.
    let (_, said) = run(site.path(), &["lint", "--ignore", "T102"]);
    assert!(!said.contains("gone"), "{said}");
    let (_, said) = run(site.path(), &["check"]);
    assert!(!said.contains("gone"), "{said}");
    std::fs::write(site.path().join("other.yml"), "tools: {}\n").unwrap();
    let (_, said) = run(site.path(), &["lint", "other.yml"]);
    assert!(!said.contains("gone"), "{said}");
    run(site.path(), &["check", "--update-baseline"]);
    assert_eq!(known(&site)["findings"].as_array().unwrap().len(), 3);
    run(site.path(), &["lint", "--update-baseline"]);
    assert_eq!(known(&site)["findings"].as_array().unwrap().len(), 2);
}

#[test]
fn what_keeps_a_config_from_loading_is_never_left_out() {
    let site = site(SETTINGS);
    std::fs::write(site.path().join("rules/a.yml"), "destinations:\n  local: {}\n").unwrap();
    let (status, said) = run(site.path(), &["lint", "--update-baseline"]);
    assert!(status == 1 && said.contains("was not written: the config does not load"), "{said}");
    assert!(!site.path().join("known.json").exists());
}

#[test]
fn a_baseline_must_be_one() {
    let site = site(SETTINGS);
    std::fs::write(site.path().join("known.json"), "[]").unwrap();
    let (status, said) = run(site.path(), &["lint"]);
    assert!(status == 1 && said.contains("`known.json` is not a baseline"), "{said}");
    std::fs::write(site.path().join("tpvc.toml"), "").unwrap();
    let (status, said) = run(site.path(), &["lint", "rules", "--update-baseline"]);
    assert!(status == 2 && said.contains("`--baseline FILE`"), "{said}");
}
