//! `tpvc check` on ids that match other ids than they spell, and on what later files override unseen.
//!
//! The configs are cases of `fixtures/`, whose recorded answers show that TPV does what the findings say. With `UPDATE_EXPECT=1` in
//! the environment the expectations are rewritten; review the change before committing it.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod support;

use support::{expect_file, project, stderr, stdout, tpvc_in};

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
