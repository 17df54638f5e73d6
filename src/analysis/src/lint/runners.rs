//! T142: runners that the server's `job_conf` does not have. T144: params that the runner of a destination does not read.

use std::collections::{HashMap, HashSet};

use super::Linter;
use super::fields::key_span;
use super::server::JobConf;
use tpv_compiler::config::entity::Entity;
use tpv_compiler::config::suggest::{closest, did_you_mean};
use tpv_compiler::diagnostic::Diagnostic;
use tpv_compiler::finding::Finding;
use tpv_compiler::source::Span;

/// Looks at the runners of all destinations that jobs can come to.
pub(super) fn check(linter: &mut Linter<'_>) {
    let Some(job_conf) = &linter.server().job_conf else { return };
    let mut seen = HashSet::new();
    for destination in linter.config.destinations.values().filter(|destination| !destination.common.is_abstract) {
        let Some(runner) = destination.destination.as_ref().and_then(|fields| fields.runner.as_ref()) else { continue };
        let name = runner.as_str();
        if name.is_empty() || name.contains('{') || job_conf.has_runner(name) || !seen.insert(runner.span) {
            continue;
        }
        let near = closest(name, job_conf.runners.keys().map(String::as_str));
        let diagnostic = Diagnostic::warning(format!("`job_conf` has no runner `{name}`"))
            .at(runner.span, "Galaxy fails each job that comes to this destination")
            .also(destination.span, "")
            .help(
                near.map_or_else(|| "add the runner to `job_conf`, or name one that is there".to_owned(), did_you_mean),
            );
        linter.report(Finding::new("T142", diagnostic).of(&destination.common));
    }
    unread_params(linter, job_conf);
}

/// Params for the scheduler, by the names that Galaxy's own runners read: `galaxy/jobs/runners/{drmaa,slurm,univa,condor}.py` of 26.1.1. Pulsar
/// passes on those with `submit_` before the name, without it (`pulsar/client/client.py`, `_build_setup_command` and `SUBMIT_PARAM_PREFIX`).
const SUBMITTED: [&[&str]; 3] =
    [&["native_specification", "nativeSpecification"], &["request_cpus"], &["request_memory"]];

/// Who reads the params for the scheduler.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reader {
    Galaxy,
    Pulsar,
}

impl Reader {
    /// The reader, by the class that a runner plugin loads. Of others nothing is known.
    fn of(class: &str) -> Option<Self> {
        let name = class.rsplit([':', '.']).next()?;
        match name {
            _ if name.starts_with("Pulsar") && name.ends_with("JobRunner") => Some(Self::Pulsar),
            "SlurmJobRunner" | "DRMAAJobRunner" | "UnivaJobRunner" | "CondorJobRunner" => Some(Self::Galaxy),
            _ => None,
        }
    }
}

/// Params of destinations that are named for another runner, and not also for their own.
fn unread_params(linter: &mut Linter<'_>, job_conf: &JobConf) {
    // A param may be inherited by destinations of several runners: it is wrong if no one reads it.
    let mut wrong: HashMap<Span, (Diagnostic, &Entity)> = HashMap::new();
    let mut right = HashSet::new();
    for destination in linter.config.destinations.values().filter(|destination| !destination.common.is_abstract) {
        let runner = destination.destination.as_ref().and_then(|fields| fields.runner.as_ref());
        let reader = runner.and_then(|runner| Reader::of(job_conf.runners.get(runner.as_str())?));
        let Some(params) = destination.common.params.as_deref() else { continue };
        for names in SUBMITTED {
            let submitted: Vec<String> = names.iter().map(|name| format!("submit_{name}")).collect();
            let own = names.iter().find_map(|name| Some((*name, params.get(*name)?)));
            let remote = submitted.iter().find_map(|name| Some((name.as_str(), params.get(name.as_str())?)));
            let (name, value, meant) = match (reader, own, remote) {
                (Some(Reader::Pulsar), Some((name, value)), None) => (name, value, format!("submit_{name}")),
                (Some(Reader::Galaxy), None, Some((name, value))) => (name, value, name.replacen("submit_", "", 1)),
                (_, own, remote) => {
                    right.extend(own.into_iter().chain(remote).map(|(_, value)| value.span));
                    continue;
                }
            };
            let who = if reader == Some(Reader::Pulsar) { "Pulsar" } else { "this runner" };
            let span = key_span(linter, name, value);
            let diagnostic = Diagnostic::warning(format!("{who} does not read `{name}`"))
                .at(span, "jobs are submitted without this")
                .also(destination.span, format!("the destination `{}`", destination.id))
                .help(format!("did you mean `{meant}`?"))
                .fix(span, meant);
            wrong.entry(value.span).or_insert((diagnostic, destination));
        }
    }
    wrong.retain(|span, _| !right.contains(span));
    let mut wrong: Vec<_> = wrong.into_iter().collect();
    wrong.sort_by_key(|(span, _)| *span);
    for (_, (diagnostic, destination)) in wrong {
        linter.report(Finding::new("T144", diagnostic).of(&destination.common));
    }
}
