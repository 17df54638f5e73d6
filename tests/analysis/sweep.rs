//! `tpvc sweep`: borders, forms of output, and what is said of a wrong `--over`.

use std::path::Path;

use crate::support::{stderr, stdout, tpvc_in};
use serde_json::Value;

const CONFIG: &str = "\
tools:
  bwa:
    cores: 4 if input_size < 5 else 16
    mem: 2 + input_size
    rules:
      - if: user and 'vip' in [role.name for role in user.roles]
        gpus: 1
      - if: input_size > 200
        fail: too much
destinations:
  slurm:
    runner: slurm
    max_accepted_cores: 8
  bigmem:
    runner: slurm
";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("config.yml"), CONFIG).unwrap();
    folder
}

fn sweep(folder: &Path, args: &[&str]) -> String {
    let output = tpvc_in(folder, &[&["sweep", "config.yml", "--tool", "bwa"], args].concat());
    assert_eq!(output.status.code(), Some(0), "{args:?}\n{}", stderr(&output));
    stdout(&output)
}

#[test]
fn borders_are_exact() {
    let folder = folder();
    let text = sweep(folder.path(), &["--over", "input_size=0..300"]);
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[1], ["0", "<5", "4", "2.0", "to", "6.999999999068677", "slurm"], "{text}");
    // The first byte above 200 GiB.
    assert_eq!(rows[2][..3], ["5", "200", "16"], "{text}");
    assert_eq!(rows[3][..2], [">200", "300"], "{text}");
    assert!(rows[3].contains(&"error:"), "{text}");
}

#[test]
fn lists_are_tried_as_they_are() {
    let folder = folder();
    let text = sweep(folder.path(), &["--user", "a@b.c", "--over", "user.roles=student,vip", "--format", "json"]);
    let rows: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(rows[0]["value"], "student");
    assert_eq!((&rows[0]["gpus"], &rows[1]["gpus"]), (&Value::Null, &Value::from(1)));
    let sizes = sweep(folder.path(), &["--over", "input_size=1,5G,500M", "--format", "csv"]);
    let cores: Vec<&str> = sizes.lines().skip(1).map(|line| line.split(',').nth(2).unwrap()).collect();
    assert_eq!(cores, ["4", "16", "4"], "{sizes}");
}

/// Rules look users up by their email: a job with roles has a user with one.
#[test]
fn a_user_is_made_for_its_fields() {
    let folder = folder();
    std::fs::write(folder.path().join("config.yml"), format!("{CONFIG}users:\n  .*@vortex.org:\n    gpus: 2\n"))
        .unwrap();
    let text = sweep(folder.path(), &["--over", "user.roles=student,vip", "--format", "json"]);
    let rows: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&rows[0]["gpus"], &rows[0]["error"]), (&Value::from(2), &Value::Null), "{text}");
}

/// A job file says whose its job is: nobody is made up for an anonymous one.
#[test]
fn nobody_is_made_up_for_an_anonymous_job_of_a_file() {
    let folder = folder();
    std::fs::write(folder.path().join("job.json"), r#"{"tool": {"id": "bwa"}, "user": null}"#).unwrap();
    let ended = |arguments: &[&str]| {
        let output = tpvc_in(folder.path(), arguments);
        (output.status.code(), stderr(&output))
    };
    for arguments in [
        &["sweep", "config.yml", "--job", "job.json", "--over", "user.roles=student,vip"][..],
        &["dry-run", "config.yml", "--job", "job.json", "--set", "user.roles=vip"],
    ] {
        let (status, text) = ended(arguments);
        assert_eq!(status, Some(2), "{text}");
        assert!(text.contains("user.roles` changes a user, and the job is anonymous"), "{text}");
        let (status, text) = ended(&[arguments, &["--set", "user.email=a@b.c"]].concat());
        assert_eq!(status, Some(0), "{text}");
    }
}

#[test]
fn a_page_has_the_table_too() {
    let folder = folder();
    sweep(folder.path(), &["--over", "input_size=0..300", "--format", "html", "-o", "sweep.html"]);
    let page = std::fs::read_to_string(folder.path().join("sweep.html")).unwrap();
    assert!(page.contains("<td>bigmem</td>") && page.contains("\"destination\":\"slurm\""));
    assert!(page.contains("<td>error: JobMappingException: too much</td>"));
}

#[test]
fn a_wrong_range_says_what_to_write() {
    let folder = folder();
    for (over, words) in [
        ("input_size", "has no `=`"),
        ("input_size=", "has no values"),
        ("input_size=0..much", "`much` is no size"),
        ("job.param_values.n=1..x", "`x` is no whole number"),
        ("input_size=5..1", "ends before it begins"),
        ("tool.id.x=1,2", "--over tool.id.x=1` goes through `x`"),
        ("input_sise=1..2", "unknown field `input_sise`"),
    ] {
        let output = tpvc_in(folder.path(), &["sweep", "config.yml", "--over", over]);
        assert_eq!(output.status.code(), Some(2), "{over}");
        assert!(stderr(&output).contains(words), "{over}: {}", stderr(&output));
    }
}
