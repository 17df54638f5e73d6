//! The parts of a config that no case uses, and other jobs do.

use serde::Serialize;

use super::counts::Cases;
use super::{Coverage, FileCoverage};

/// A part that no case uses, and a made job does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reachable {
    /// Its line.
    pub line: usize,
    /// The name of the part.
    pub part: String,
    /// The verb for its use by a job: `fires`.
    pub verb: &'static str,
}

/// A part that no case uses, with the jobs that do.
#[derive(Clone, Debug)]
pub struct Aim {
    /// The index of its file.
    pub file: usize,
    /// The part.
    pub reachable: Reachable,
    /// The jobs.
    pub jobs: Cases,
}

impl Aim {
    /// Returns `true` if it is the same part, and the same of it.
    pub fn is_of(&self, other: &Self) -> bool {
        (self.file, &self.reachable) == (other.file, &other.reachable)
    }
}

impl Coverage {
    /// The parts that are not used here, and are used by `jobs`, the coverage of the same config by other jobs; in the order of files and lines.
    pub fn aims(&self, jobs: &Self) -> Vec<Aim> {
        let mut out: Vec<Aim> = Vec::new();
        for (file, (own, other)) in self.files.iter().zip(&jobs.files).enumerate() {
            of_file(own, other, &mut |line, part, verb, jobs| {
                if !jobs.is_empty() {
                    out.push(Aim { file, reachable: Reachable { line, part: part.to_owned(), verb }, jobs });
                }
            });
        }
        out.sort_by_key(|aim| (aim.file, aim.reachable.line));
        out
    }

    /// Notes the parts that jobs can use.
    pub fn add_reachable(&mut self, aims: &[Aim]) {
        for aim in aims {
            if let Some(file) = self.files.get_mut(aim.file) {
                file.reachable.push(aim.reachable.clone());
            }
        }
    }
}

/// Calls `add` with each part that is not used, and the jobs that use it in the coverage of others. Both are of one config, and so in one order.
fn of_file(own: &FileCoverage, other: &FileCoverage, add: &mut dyn FnMut(usize, &str, &'static str, Cases)) {
    for (one, other) in own.entities.iter().zip(&other.entities).filter(|(one, _)| !one.is_used()) {
        add(one.line, &one.name, "is matched", other.matched.clone().and(&other.inherited));
    }
    for (one, other) in own.rules.iter().zip(&other.rules) {
        if one.fired.is_empty() {
            add(one.line, &one.name, "fires", other.fired.clone());
        }
        if one.both_ways && one.not_fired.is_empty() {
            add(one.line, &one.name, "does not fire", other.not_fired.clone());
        }
    }
    for (one, other) in own.code.iter().zip(&other.code).filter(|(one, _)| one.ran.is_empty()) {
        add(one.line, &one.name, "runs", other.ran.clone());
    }
    for (one, other) in own.destinations.iter().zip(&other.destinations).filter(|(one, _)| one.chosen.is_empty()) {
        add(one.line, &one.name, "is chosen", other.chosen.clone());
    }
}
