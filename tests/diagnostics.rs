//! What tpvc says about configs it refuses: each `tests/rejected/NAME.yml` gives exactly `NAME.stderr`.
//!
//! With `UPDATE_EXPECT=1` in the environment the expectations are rewritten; review the change before committing it.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

use std::path::{Path, PathBuf};

use tpvc::diagnostic::Diagnostics;
use tpvc::source::SourceMap;

/// Everything there is to say about one file.
fn judge(path: &Path) -> String {
    let mut sources = SourceMap::new();
    let name = path.file_name().unwrap().to_str().unwrap();
    let id = sources.add(name, &std::fs::read_to_string(path).unwrap());
    let mut problems = Diagnostics::new();
    tpvc::config::load_sources(&sources, &[id], &mut problems);
    assert!(problems.has_errors(), "{name} is accepted");
    problems.render(&sources, false)
}

#[test]
fn rejected_configs_are_explained() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rejected");
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|name| name == "yml")).collect();
    files.sort();
    assert!(!files.is_empty());
    let mut failures = String::new();
    for file in files {
        let said = judge(&file);
        let expectation = file.with_extension("stderr");
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(&expectation, said).unwrap();
            continue;
        }
        let expected = std::fs::read_to_string(&expectation).unwrap_or_default();
        if said != expected {
            failures += &format!("--- {} expected\n{expected}--- but got\n{said}", file.display());
        }
    }
    assert!(failures.is_empty(), "{failures}");
}
