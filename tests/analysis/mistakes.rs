//! The output of `tpvc lint` for common mistakes: each `tests/mistakes/NAME.yml` has one, `NAME.txt` the output.
//!
//! With `UPDATE_EXPECT=1` in the environment the expectations are rewritten; review the change before committing it.

use std::path::PathBuf;

use crate::support::{expect_file, project, stdout, tpvc_in};

fn folder() -> PathBuf {
    project().join("tests/mistakes")
}

/// Every finding has a place, and what to write.
fn is_complete(said: &str) -> bool {
    let findings = said.split("\n\n").filter(|finding| !finding.trim().is_empty());
    !said.is_empty() && findings.into_iter().all(|finding| finding.contains("--> ") && finding.contains("= help: "))
}

#[test]
fn mistakes_are_found_with_place_and_help() {
    let mut names: Vec<String> = std::fs::read_dir(folder())
        .unwrap()
        .filter_map(|entry| Some(entry.unwrap().file_name().to_str()?.strip_suffix(".yml")?.to_owned()))
        .collect();
    names.sort();
    assert!(names.len() >= 24);
    for name in names {
        let said = stdout(&tpvc_in(&folder(), &["lint", "--quiet", &format!("{name}.yml")]));
        assert!(is_complete(&said), "{name}: {said}");
        expect_file(&folder().join(format!("{name}.txt")), &said);
    }
}

/// Slips of those who write YAML: the text, and what is said of it, in one file.
#[test]
fn slips_in_yaml_are_found_where_they_are() {
    let slips = std::fs::read_to_string(folder().join("yaml/slips.txt")).unwrap();
    let mut actual = String::new();
    for slip in slips.split("\n=====\n").filter(|slip| !slip.is_empty()) {
        let folder = tempfile::tempdir().unwrap();
        // Tabs and no-break spaces are written out, so that editors leave them.
        let text = slip.replace("<TAB>", "\t").replace("<NBSP>", "\u{a0}").replace("<BOM>", "\u{feff}") + "\n";
        std::fs::write(folder.path().join("tpv.yml"), &text).unwrap();
        let said = stdout(&tpvc_in(folder.path(), &["lint", "--quiet", "tpv.yml"]));
        assert!(is_complete(&said), "{slip}\n\n{said}");
        actual += &format!("{slip}\n\n{said}=====\n");
    }
    expect_file(&folder().join("yaml/said.txt"), &actual);
}

/// A file in another encoding has a line and a column for its first wrong byte, too.
#[test]
fn other_encodings_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let lint = |bytes: &[u8]| {
        std::fs::write(folder.path().join("tpv.yml"), bytes).unwrap();
        stdout(&tpvc_in(folder.path(), &["lint", "--quiet", "tpv.yml"]))
    };
    let latin = lint(b"tools:\n  bwa:\n    env: {A: caf\xe9}\n");
    assert!(latin.contains("`tpv.yml` is not UTF-8 text") && latin.contains("--> tpv.yml:3:17"), "{latin}");
    assert!(latin.contains("the byte 0xE9 isn't part of a character"), "{latin}");
    let utf_16: Vec<u8> = "\u{feff}tools: {}\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let said = lint(&utf_16);
    assert!(said.contains("is UTF-16 text, not UTF-8") && said.contains("save it as UTF-8"), "{said}");
}
