//! `tpvc format`, compared with what the real `tpv format` printed.
//!
//! Each `tests/format/*.yml` has a `*.formatted` beside it, which `tests/record/record_format.py` recorded; where that is no YAML, tpvc prints
//! the `*.tpvc`. Those in `tests/format/refused` TPV refuses. `FORMAT_CASES="folder ..."` adds folders of further cases.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{project, stderr, stdout, tpvc_in};

/// The YAML files of a folder and of those in it.
fn yaml_files(folder: &Path, files: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            yaml_files(&path, files);
        } else if path.extension().is_some_and(|name| name == "yml" || name == "yaml") {
            files.push(path);
        }
    }
}

/// The recorded cases.
fn cases() -> Vec<(PathBuf, String)> {
    let mut folders = vec![project().join("tests/format")];
    if let Ok(more) = std::env::var("FORMAT_CASES") {
        folders.extend(more.split_whitespace().map(PathBuf::from));
    }
    let mut files = Vec::new();
    for folder in folders {
        yaml_files(&folder, &mut files);
    }
    let formatted = |path: PathBuf| {
        let recorded = fs::read_to_string(path.with_extension("formatted")).ok()?;
        let expected = match fs::read_to_string(path.with_extension("tpvc")) {
            Ok(expected) => {
                assert!(tpv_analysis::format::format(&recorded).is_err(), "{}: TPV's text is YAML", path.display());
                expected
            }
            Err(_) => recorded,
        };
        Some((path, expected))
    };
    files.into_iter().filter_map(formatted).collect()
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

#[test]
fn texts_are_those_of_tpv() {
    let cases = cases();
    assert!(cases.len() > 15, "{} cases", cases.len());
    let mut wrong = Vec::new();
    for (path, expected) in cases {
        match tpv_analysis::format::format(&read(&path)) {
            Ok(formatted) if formatted.text == expected => {}
            Ok(formatted) => wrong.push(format!("{}\n{}", path.display(), formatted.text)),
            Err(error) => wrong.push(format!("{}: {error}", path.display())),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_tpv_refuses_is_refused_with_a_place() {
    let mut files = Vec::new();
    yaml_files(&project().join("tests/format/refused"), &mut files);
    assert!(files.len() > 15);
    for path in files {
        let text = read(&path);
        let error = tpv_analysis::format::format(&text).expect_err(&path.display().to_string());
        assert!(error.offset.is_none_or(|offset| offset <= text.len()), "{}", path.display());
        assert!(!error.message.is_empty() && !error.help.is_empty());
    }
}

#[test]
fn formatting_twice_changes_nothing() {
    let mut files = Vec::new();
    yaml_files(&project().join("tests/format"), &mut files);
    yaml_files(&project().join("fixtures"), &mut files);
    // These the real `tpv format` changes again, or makes what is no YAML any more: it escapes the tags of an escaped
    // tag, writes `\r` as it is, and drops an empty first line the second time.
    let restless = ["format/tags.yml", "code-blocks/tpv.yml", "further-attributes/tpv.yml"];
    let mut checked = 0;
    for path in files {
        let Ok(once) = tpv_analysis::format::format(&read(&path)) else { continue };
        let twice = tpv_analysis::format::format(&once.text).map(|twice| twice.text);
        let is_restless = restless.iter().any(|name| path.ends_with(name));
        assert_eq!(twice.as_ref() != Ok(&once.text), is_restless, "{}\n{}\n{twice:?}", path.display(), once.text);
        checked += 1;
    }
    assert!(checked > 50, "{checked} files");
}

#[test]
fn any_text_gives_an_answer() {
    // Cut and changed texts: errors are fine, but nothing may panic or run on for ever.
    let mut files = Vec::new();
    yaml_files(&project().join("tests/format"), &mut files);
    for path in files {
        let text = read(&path);
        let places: Vec<usize> = text.char_indices().map(|(place, _)| place).collect();
        for place in places.iter().step_by(53) {
            let (head, tail) = text.split_at(*place);
            let _ = tpv_analysis::format::format(head);
            for mark in ["[", "{", "\"", "'", "|", "#", "\n", "? ", ": ", "- ", "&a ", "*a", "!", "\t"] {
                let _ = tpv_analysis::format::format(&format!("{head}{mark}{tail}"));
            }
        }
    }
    for deep in ["[".repeat(100_000), "{a: ".repeat(100_000), "- ".repeat(100_000), "? ".repeat(100_000)] {
        assert!(tpv_analysis::format::format(&deep).is_err());
    }
}

/// Mappings that merge one another hold more and more: what stands for them stays `<<` where TPV keeps it, and what would
/// be written out millions of times is refused.
#[test]
fn merges_take_no_more_than_their_text() {
    let chain = |section: &str, length: usize| -> String {
        let merge = |at: usize| if at == 0 { String::new() } else { format!("    <<: *m{}\n", at - 1) };
        let mappings = (0..length).map(|at| format!("  m{at:04}: &m{at}\n    k{at}: 1\n{}", merge(at)));
        format!("{section}:\n{}", mappings.collect::<String>())
    };
    let started = std::time::Instant::now();
    let kept = chain("_anchors", 10_000);
    // An anchor that nothing refers to is not written.
    let expected = kept.replace(" &m9999", "");
    assert!(tpv_analysis::format::format(&kept).unwrap().text == expected);
    let written = tpv_analysis::format::format(&chain("tools", 200)).unwrap().text;
    assert_eq!(written.matches("k0: 1").count(), 200);
    let aliases: String = (0..2000).map(|at| format!("  t{at}: *m0\n")).collect();
    let wide: String = (0..1000).map(|at| format!("    k{at}: 1\n")).collect();
    for text in [chain("tools", 2000), format!("tools:\n  m: &m0\n{wide}{aliases}")] {
        let error = tpv_analysis::format::format(&text).unwrap_err();
        assert_eq!(error.message, "aliases and `<<` expand to more than 250000 keys and items");
    }
    // Putting all pairs together takes minutes and gigabytes in this build.
    assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
}

#[test]
fn lost_comments_are_named() {
    let text = "\n# first\n\n# second\ntools:\n  a: # kept\n    cores: 1\n";
    let formatted = tpv_analysis::format::format(text).unwrap();
    assert_eq!(formatted.text, "tools:\n  a: # kept\n    cores: 1\n");
    let lost: Vec<&str> = formatted.lost.iter().map(|&place| &text[place..place + 4]).collect();
    assert_eq!(lost, ["# fi", "# se"]);
}

const UGLY: &str = "# lost\ntools:\n    b: {mem: '2'}\n    a:\n        cores: 1   # one\n";
const PRETTY: &str = "tools:\n  a:\n    cores: 1       # one\n  b:\n    mem: '2'\n";

/// A folder with a file that is not formatted and one that is.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("ugly.yml"), UGLY).unwrap();
    fs::write(folder.path().join("pretty.yml"), PRETTY).unwrap();
    fs::write(folder.path().join("bad.yml"), "tools:\n  a: \"x\n").unwrap();
    folder
}

#[test]
fn the_text_goes_to_stdout() {
    let folder = folder();
    let run = tpvc_in(folder.path(), &["format", "ugly.yml"]);
    assert_eq!((run.status.code(), stdout(&run).as_str()), (Some(0), PRETTY));
    let said = stderr(&run);
    assert!(said.contains("a comment is not in the formatted text") && said.contains("ugly.yml:1:1"), "{said}");
    let run = tpvc_in(folder.path(), &["format", "--quiet", "ugly.yml"]);
    assert_eq!((stdout(&run).as_str(), stderr(&run).as_str()), (PRETTY, ""));
    assert_eq!(read(&folder.path().join("ugly.yml")), UGLY);
    let run = tpvc_in(folder.path(), &["format", "ugly.yml", "pretty.yml"]);
    assert_eq!((run.status.code(), stdout(&run).as_str()), (Some(2), ""));
}

#[test]
fn check_shows_a_diff_and_fails() {
    let folder = folder();
    let run = tpvc_in(folder.path(), &["format", "--check", "pretty.yml"]);
    assert_eq!((run.status.code(), stdout(&run).as_str(), stderr(&run).as_str()), (Some(0), "", ""));
    let run = tpvc_in(folder.path(), &["format", "--check", "pretty.yml", "ugly.yml"]);
    let diff = "--- ugly.yml\n+++ ugly.yml (formatted)\n@@ -1,5 +1,5 @@\n-# lost\n tools:\n-    b: {mem: '2'}\n\
                -    a:\n-        cores: 1   # one\n+  a:\n+    cores: 1       # one\n+  b:\n+    mem: '2'\n";
    assert_eq!((run.status.code(), stdout(&run).as_str(), stderr(&run).as_str()), (Some(1), diff, ""));
    assert_eq!(read(&folder.path().join("ugly.yml")), UGLY);
}

#[test]
fn write_replaces_the_files() {
    let folder = folder();
    let run = tpvc_in(folder.path(), &["format", "--write", "ugly.yml", "pretty.yml"]);
    assert_eq!((run.status.code(), stdout(&run).as_str()), (Some(0), ""));
    assert!(stderr(&run).ends_with("formatted 1 file\n"), "{}", stderr(&run));
    assert_eq!(read(&folder.path().join("ugly.yml")), PRETTY);
    assert_eq!(read(&folder.path().join("pretty.yml")), PRETTY);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
    let run = tpvc_in(folder.path(), &["format", "--check", "ugly.yml", "pretty.yml"]);
    assert_eq!(run.status.code(), Some(0));
}

#[test]
fn what_would_be_no_yaml_is_not_written() {
    let folder = folder();
    let levels: String = (0..34).map(|level| format!("{}k:\n", "  ".repeat(level))).collect();
    let text = format!("{levels}{}2001-12-14 21:59:43: 1\n", "  ".repeat(34));
    fs::write(folder.path().join("key.yml"), &text).unwrap();
    let run = tpvc_in(folder.path(), &["format", "--write", "key.yml"]);
    assert_eq!(run.status.code(), Some(1));
    assert!(stderr(&run).contains("`key.yml` would be no YAML after formatting"), "{}", stderr(&run));
    assert_eq!(read(&folder.path().join("key.yml")), text);
}

#[test]
fn a_bad_file_is_reported_and_left_alone() {
    let folder = folder();
    let run = tpvc_in(folder.path(), &["format", "--write", "bad.yml", "missing.yml", "ugly.yml"]);
    assert_eq!((run.status.code(), stdout(&run).as_str()), (Some(1), ""));
    let said = stderr(&run);
    assert!(said.contains("bad.yml:2:6") && said.contains("the quotes that open here are never closed"), "{said}");
    assert!(said.contains("`missing.yml` cannot be read: no such file"), "{said}");
    assert_eq!(read(&folder.path().join("bad.yml")), "tools:\n  a: \"x\n");
    assert_eq!(read(&folder.path().join("ugly.yml")), PRETTY);
    let run = tpvc_in(folder.path(), &["format", "--write", "--check", "ugly.yml"]);
    assert_eq!(run.status.code(), Some(2));
}
