//! The messages of tpvc about configs it refuses: each `tests/rejected/NAME.yml` gives exactly `NAME.stderr`.
//!
//! With `UPDATE_EXPECT=1` in the environment the expectations are rewritten; review the change before committing it.

use std::path::{Path, PathBuf};

/// The output of `tpvc compile` for one file. It must refuse it, with status 1, and write nothing.
fn judge(path: &Path) -> String {
    let name = path.file_name().unwrap().to_str().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let artifact = folder.path().join("rules.bin");
    let run = crate::support::tpvc_in(path.parent().unwrap(), &["compile", name, "-o", artifact.to_str().unwrap()]);
    assert_eq!(run.status.code(), Some(1), "{name}");
    assert!(!artifact.exists(), "{name}");
    assert_eq!(crate::support::stdout(&run), "", "{name}");
    crate::support::stderr(&run)
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
