//! T142: runners that the server's `job_conf` does not have.

use std::collections::HashSet;

use super::Linter;
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::finding::Finding;
use tpv_text::suggest::{closest, did_you_mean};

/// Looks at the runners of all destinations that jobs can come to.
pub(super) fn check(linter: &mut Linter<'_>) {
    let Some(job_conf) = &linter.server().job_conf else { return };
    let mut seen = HashSet::new();
    for destination in linter.config.destinations.values().filter(|destination| !destination.common.is_abstract) {
        let Some(runner) = destination.runner() else { continue };
        let name = runner.as_str();
        if name.is_empty() || job_conf.has_runner(name) || !seen.insert(runner.span) {
            continue;
        }
        let near = closest(name, job_conf.runners.keys().map(String::as_str));
        let diagnostic = Diagnostic::warning(format!("`job_conf` has no runner `{name}`"))
            .at(runner.span, "Galaxy fails each job that is sent to this destination")
            .also(destination.span, "")
            .help(
                near.map_or_else(|| "add the runner to `job_conf`, or name one that is there".to_owned(), did_you_mean),
            );
        linter.report(Finding::new(Code::UnknownRunner, diagnostic).of(&destination.common.no_qa_codes));
    }
}
