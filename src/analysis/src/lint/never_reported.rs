//! T159: `resubmit` on a state that no runner of its jobs ever reports.
//!
//! Conditions are compared with `runner_state` of the failed job (`galaxy/jobs/runners/state_handlers/resubmit.py`), which each runner sets or does
//! not: Galaxy 26.1.1, `galaxy/jobs/runners/*.py`. Of a site's own runners nothing is known.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Linter;
use super::runner_params::{destinations, galaxys_class};
use super::tags::default;
use tpv_compiler::python::resubmit::compile;
use tpv_config::entity::{Common, Dict, Entity};
use tpv_galaxy::json::Json;
use tpv_model::EntityClass;
use tpv_runtime::resubmit::{Definitions, Failure, Next, Resubmitter, RunnerState};
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::finding::Finding;
use tpv_text::source::Span;
use tpv_yaml::value::{ConfigValue, Text};

/// The attempts and times at which a condition is asked.
const ATTEMPTS: [u32; 6] = [1, 2, 3, 4, 5, 10];
const SECONDS: [f64; 4] = [0.0, 60.0, 3_600.0, 604_800.0];

/// The most definitions that are looked at.
const MOST: usize = 2_000;

/// The states that a runner of this class may report. Those whose jobs end in `_finish_or_resubmit_job` report what the tool itself says, which may be
/// that its memory was too little; Pulsar's do not.
fn reported(class: &str) -> Option<&'static [RunnerState]> {
    use RunnerState::{MemoryLimitReached, ToolDetectedFailure, ToolTimelimitReached, UnknownError, WalltimeReached};
    Some(match class {
        _ if class.starts_with("Pulsar") && class.ends_with("JobRunner") => &[UnknownError],
        "LocalJobRunner" | "CondorJobRunner" => &[UnknownError, ToolDetectedFailure, MemoryLimitReached],
        "DRMAAJobRunner" | "PBSJobRunner" => {
            &[UnknownError, ToolDetectedFailure, MemoryLimitReached, ToolTimelimitReached]
        }
        "HTCondorJobRunner" | "KubernetesJobRunner" | "ShellJobRunner" => {
            &[UnknownError, ToolDetectedFailure, MemoryLimitReached, WalltimeReached]
        }
        "SlurmJobRunner" | "UnivaJobRunner" => &RunnerState::ASKED,
        _ => return None,
    })
}

/// A definition, with the runners whose jobs have it.
struct Used<'a> {
    name: &'a str,
    value: &'a ConfigValue,
    owner: &'a Entity,
    /// The classes of the runners; `None` for one that is not known.
    classes: Vec<Option<&'a str>>,
}

/// Looks at the definitions of destinations, and at those of tools, roles and users, whose jobs may come to any.
pub(super) fn check(linter: &mut Linter<'_>) {
    let Some(job_conf) = &linter.server().job_conf else { return };
    let default = default(linter.config, EntityClass::Destination);
    let mut used: BTreeMap<Span, Used<'_>> = BTreeMap::new();
    let mut all: Vec<Option<&str>> = Vec::new();
    for destination in destinations(linter) {
        let class = galaxys_class(destination, job_conf);
        all.push(class);
        let own = destination.commons().chain(default.into_iter().flat_map(|default| default.commons()));
        for common in own {
            add(&mut used, destination, common, &[class]);
        }
    }
    for kind in EntityClass::MATCHED {
        for entity in linter.config.section(kind).values() {
            entity.commons().for_each(|common| add(&mut used, entity, common, &all));
        }
    }
    let mut resubmitter = Resubmitter::new(Arc::new(compile));
    let findings: Vec<Finding> = used.values().take(MOST).filter_map(|used| judge(used, &mut resubmitter)).collect();
    findings.into_iter().for_each(|finding| linter.report(finding));
}

fn add<'a>(used: &mut BTreeMap<Span, Used<'a>>, owner: &'a Entity, common: &'a Common, classes: &[Option<&'a str>]) {
    let definitions: &'a Dict = &common.resubmit;
    for (name, value) in definitions {
        let one = used.entry(value.span).or_insert_with(|| Used { name, value, owner, classes: Vec::new() });
        one.classes.extend(classes);
    }
}

/// The finding of a definition that holds for some failure, but for none that its runners report.
fn judge(used: &Used<'_>, resubmitter: &mut Resubmitter) -> Option<Finding> {
    let condition = used.value.as_map()?.get("condition")?.as_text()?;
    let classes: Vec<&str> = used.classes.iter().copied().collect::<Option<_>>()?;
    let mut reports = Vec::new();
    for class in &classes {
        reports.extend(reported(class)?);
    }
    if classes.is_empty() || condition.as_str().contains(['{', '}', '\\']) {
        return None;
    }
    let holds: Vec<RunnerState> =
        RunnerState::ASKED.into_iter().filter(|state| holds(condition, *state, resubmitter)).collect();
    if holds.is_empty() || holds.iter().any(|state| reports.contains(state)) {
        return None;
    }
    let states = holds.iter().map(|state| format!("`{}`", state.name())).collect::<Vec<_>>().join(" or ");
    let mut runners: Vec<&str> = classes;
    runners.sort_unstable();
    runners.dedup();
    let runners = runners.iter().map(|class| format!("`{class}`")).collect::<Vec<_>>().join(" and ");
    let mut can: Vec<&str> =
        RunnerState::ASKED.iter().filter(|state| reports.contains(state)).map(|state| state.name()).collect();
    can.dedup();
    let diagnostic =
        Diagnostic::warning(format!("no job is resubmitted by `{}`: its runner never reports {states}", used.name))
            .at(condition.span, format!("{runners} reports `{}` only", can.join("`, `")))
            .also(used.owner.span, format!("in the {} `{}`", used.owner.class.noun(), used.owner.id))
            .help(format!(
                "write a state that is reported, such as `{} and attempt <= 2`, or remove the definition",
                can.last().copied().unwrap_or("unknown_error")
            ));
    Some(Finding::new(Code::NeverReported, diagnostic).of(&used.owner.common.no_qa_codes))
}

/// Returns `true` if a condition may hold for jobs that fail for a reason.
fn holds(condition: &Text, state: RunnerState, resubmitter: &mut Resubmitter) -> bool {
    let definitions = Definitions::from(vec![Json::from(vec![("condition", condition.as_str())])]);
    ATTEMPTS.into_iter().any(|attempt| {
        SECONDS.into_iter().any(|seconds| {
            let failure =
                Failure { state, attempt, seconds_running: Some(seconds), seconds_since_queued: Some(seconds) };
            matches!(resubmitter.next(&definitions, &failure), Next::Resubmitted(_))
        })
    })
}
