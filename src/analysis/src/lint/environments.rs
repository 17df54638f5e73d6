//! T143: environments that `resubmit` or TPV 1 sends jobs to and that the server's `job_conf` does not have.

use std::collections::HashSet;

use super::Linter;
use tpv_model::EntityClass;
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::finding::Finding;
use tpv_text::source::Span;
use tpv_text::suggest::{closest, did_you_mean};

/// Checks `resubmit` of all entities, and the ids of destinations in TPV 1, because those are names of environments.
pub(super) fn check(linter: &mut Linter<'_>) {
    let config = linter.config;
    let Some(job_conf) = &linter.server().job_conf else { return };
    let mut seen = HashSet::new();
    let judge = |name: &str, span: Span| {
        if name.is_empty() || job_conf.has_environment(name) {
            return None;
        }
        let help = closest(name, job_conf.environments.iter().map(String::as_str)).map_or_else(
            || "name an environment that is there, such as the one that calls TPV".to_owned(),
            did_you_mean,
        );
        Some(Diagnostic::warning(format!("`job_conf` has no environment `{name}`")).at(span, "").help(help))
    };
    for kind in EntityClass::SECTIONS {
        for entity in config.section(kind).values() {
            for common in entity.commons() {
                let steps = common.resubmit.values().filter_map(|step| step.as_map());
                let environments = steps.flat_map(|step| ["environment", "destination"].map(|key| step.get(key)));
                for value in environments.flatten() {
                    let Some(name) = value.as_str() else { continue };
                    let Some(diagnostic) = judge(name, value.span).filter(|_| seen.insert(value.span)) else {
                        continue;
                    };
                    let diagnostic = diagnostic.also(entity.span, "a failed job of this cannot be sent there");
                    linter.report(Finding::new(Code::UnknownEnvironment, diagnostic).of(&entity.common.no_qa_codes));
                }
            }
        }
    }
    if !config.version.evaluates_early() {
        return;
    }
    for destination in config.destinations.values().filter(|destination| !destination.common.is_abstract) {
        if let Some(diagnostic) = judge(&destination.id, destination.span) {
            let diagnostic =
                diagnostic.note("TPV 1 sends jobs to environments of `job_conf`, by the ids of destinations");
            linter.report(Finding::new(Code::UnknownEnvironment, diagnostic).of(&destination.common.no_qa_codes));
        }
    }
}
