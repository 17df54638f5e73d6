//! Whether what a mapper keeps between jobs changes no answer: every fixture's jobs mapped by one mapper in their order, in
//! reverse, and each by a mapper of its own.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::path::Path;

use serde::Deserialize;
use tpvc::bench::Workload;

#[derive(Deserialize)]
struct Description {
    configs: Vec<String>,
    world: Option<String>,
}

/// Each job by a mapper of its own takes long where there are many.
const ALONE: usize = 60;

#[test]
fn answers_do_not_depend_on_the_jobs_before() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let mut seen = 0;
    for folder in std::fs::read_dir(fixtures).unwrap().map(|entry| entry.unwrap().path()) {
        let Ok(text) = std::fs::read_to_string(folder.join("case.json")) else { continue };
        let description: Description = serde_json::from_str(&text).unwrap();
        let configs = description.configs.iter().map(|name| folder.join(name).to_string_lossy().into_owned()).collect();
        let world = description.world.map(|name| folder.join(name));
        // Cases with lines that are no jobs are about those lines.
        let Ok(workload) = Workload::read(configs, &folder.join("jobs.jsonl"), world.as_deref()) else { continue };
        let shared = workload.mapper();
        let lines: Vec<String> = workload.jobs.iter().map(|job| shared.map(job, &workload.world).line()).collect();
        let backwards = workload.mapper();
        for (job, line) in workload.jobs.iter().zip(&lines).rev() {
            assert_eq!(backwards.map(job, &workload.world).line(), *line, "{}: in reverse", folder.display());
        }
        for (job, line) in workload.jobs.iter().zip(&lines).take(ALONE) {
            assert_eq!(workload.mapper().map(job, &workload.world).line(), *line, "{}: alone", folder.display());
        }
        seen += 1;
    }
    assert!(seen > 40, "{seen} cases");
}
