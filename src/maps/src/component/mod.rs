//! A component: what runs on an execute node.
//!
//! An engine starts the script `component.sh`, which starts the program that is shipped with the map as `tpvc maps component` and leaves an
//! error report where the program could not. Its arguments carry all that it must know; no other file of the map is needed there.

pub mod completion;
pub mod error_report;
mod heartbeat;
pub mod run;
mod simulate;

use super::item::Item;
use super::store::MapDir;
use super::submit::{Output, Submit};

/// The text of `component.sh`.
pub const SCRIPT: &str = include_str!("component.sh");

/// The paths of a component's files, as the execute node names them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    /// The program.
    pub program: String,
    /// The artifact.
    pub rules: String,
    /// The artifact to compare with.
    pub against: Option<String>,
    /// The slice of jobs.
    pub jobs: String,
    /// The world.
    pub world: Option<String>,
    /// The part of a grid that all its runs share.
    pub scenario: Option<String>,
    /// The answers.
    pub output: String,
    /// The summary, written after the answers.
    pub summary: String,
    /// The error report.
    pub error: String,
    /// Standard error; `-` if the engine keeps it itself.
    pub stderr: String,
}

impl Places {
    /// In the map's directory, for engines whose execute nodes see it.
    pub fn in_directory(map: &MapDir, submit: &Submit, item: &Item) -> Self {
        let text = |path: std::path::PathBuf| path.to_string_lossy().into_owned();
        let input = |digest: &String| text(map.input(digest));
        Self {
            program: input(&submit.program),
            rules: input(&item.rules),
            against: item.against.as_ref().map(input),
            jobs: input(&item.jobs),
            world: submit.world.as_ref().map(input),
            scenario: submit.scenario.as_ref().map(input),
            output: text(map.output(item.component)),
            summary: text(map.summary(item.component)),
            error: text(map.error(item.component)),
            stderr: text(map.stderr(item.component)),
        }
    }
}

/// The arguments of `component.sh` for a component of the cluster with this number.
///
/// They are: the memory limit in MiB (0: none), the component, the cluster, the files for summary, error and standard error, the program, and then the program's own arguments.
pub fn arguments(item: &Item, submit: &Submit, cluster: u32, places: &Places) -> Vec<String> {
    let resources = submit.limits.of(item.component);
    let component = item.component.to_string();
    let mut out = vec![
        resources.memory_mib.unwrap_or(0).to_string(),
        component.clone(),
        cluster.to_string(),
        places.summary.clone(),
        places.error.clone(),
        places.stderr.clone(),
        places.program.clone(),
    ];
    let mut add = |name: &str, value: &str| out.extend([format!("--{name}"), value.to_owned()]);
    add("component", &component);
    add("cluster", &cluster.to_string());
    add("rules", &places.rules);
    if let Some(against) = &places.against {
        add("against", against);
    }
    add("jobs", &places.jobs);
    if let Some(world) = &places.world {
        add("world", world);
    }
    if let (Some(scenario), Some(run)) = (&places.scenario, &item.run) {
        let point: Vec<String> = run.point.iter().map(ToString::to_string).collect();
        add("scenario", scenario);
        add("point", &point.join(","));
        add("run", &run.run.to_string());
    }
    add("now", &submit.now.to_string());
    add("file", &item.file);
    add("first-line", &item.first_line.to_string());
    add("output", &places.output);
    add("summary", &places.summary);
    add("error", &places.error);
    add("jit", &submit.jit);
    add("max-steps", &submit.budget.steps.to_string());
    add("max-bytes", &submit.budget.bytes.to_string());
    add("max-depth", &submit.budget.depth.to_string());
    if let Some(disk) = resources.disk_mib {
        add("disk", &disk.to_string());
    }
    if submit.detail && submit.output == Output::Answers {
        out.push("--detail".to_owned());
    }
    out
}
