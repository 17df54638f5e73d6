//! Documents of the fixtures, and of folders with more of them.

use std::path::{Path, PathBuf};

use serde_json::Value;
use tpv_analysis::schema::File;

use super::Judge;
use super::readers::{as_json, config, verdict_on_text};
use crate::support::project;

/// All files below a folder whose names end like this.
pub fn files(folder: &Path, end: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path, end));
        } else if path.to_string_lossy().ends_with(end) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Compares what the schemas and the readers say to all documents of a folder; how many there are of each kind.
fn compare(folder: &Path) -> [usize; 4] {
    let mut different = Vec::new();
    let mut counts = [0; 4];
    let judge = Judge::new(File::Config, false);
    for path in files(folder, ".yml").into_iter().chain(files(folder, ".yaml")) {
        let text = std::fs::read_to_string(&path).unwrap();
        let (verdict, root) = config(&text);
        // What is no YAML has no schema; JSON has no infinity.
        let Some(document) = root.as_ref().and_then(as_json) else { continue };
        counts[0] += 1;
        let complaint = judge.complaint(&document);
        // A schema cannot compare two lists.
        let is_refused = verdict.errors.iter().any(|error| !error.contains("is in both"));
        if complaint.is_some() != is_refused {
            different.push(format!("{}: {verdict:?}, {complaint:?}", path.display()));
        }
    }
    let lines = |file: File, ends: &str, count: &mut usize, different: &mut Vec<String>| {
        let judge = Judge::new(file, false);
        for path in files(folder, ends) {
            let text = std::fs::read_to_string(&path).unwrap();
            let documents = if file == File::World { vec![&*text] } else { text.lines().collect() };
            for (number, line) in documents.into_iter().enumerate() {
                // NaN and infinity are no JSON to others.
                let Ok(document) = serde_json::from_str::<Value>(line) else { continue };
                *count += 1;
                let is_taken = file == File::Answer || verdict_on_text(file, line).errors.is_empty();
                let complaint = judge.complaint(&document);
                if complaint.is_none() != is_taken {
                    different.push(format!("{}:{}: {is_taken}, {complaint:?}", path.display(), number + 1));
                }
            }
        }
    };
    let [_, jobs, worlds, answers] = &mut counts;
    lines(File::Job, "jobs.jsonl", jobs, &mut different);
    lines(File::World, "world.json", worlds, &mut different);
    lines(File::Answer, "expected.jsonl", answers, &mut different);
    assert!(different.is_empty(), "{} documents:\n{}", different.len(), different.join("\n"));
    counts
}

#[test]
fn the_fixtures_are_judged_alike() {
    let counts = compare(&project().join("fixtures"));
    eprintln!("configs, jobs, worlds, answers: {counts:?}");
    assert!(counts[0] > 80 && counts[1] > 900 && counts[2] > 3 && counts[3] > 900, "{counts:?}");
}

/// `SCHEMA_DOCUMENTS=FOLDER` names a folder with more.
#[test]
fn further_documents_are_judged_alike() {
    if let Some(folder) = std::env::var_os("SCHEMA_DOCUMENTS") {
        let counts = compare(Path::new(&folder));
        eprintln!("configs, jobs, worlds, answers: {counts:?}");
        assert_ne!(counts, [0; 4]);
    }
}
