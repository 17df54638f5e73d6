//! T219: destinations of one name in two files, with different runners.

use crate::check::files::Files;
use crate::config::entity::Entity;
use crate::diagnostic::Diagnostic;
use crate::lint::{Finding, Linter};
use crate::yaml::value::Text;
use tpv_model::EntityClass;

/// Looks at the destinations that several files have.
pub(super) fn check(linter: &mut Linter<'_>, files: &Files) {
    for destination in linter.config.destinations.values() {
        let definitions = files.definitions(EntityClass::Destination, &destination.id);
        for (earlier, later) in definitions.iter().zip(definitions.iter().skip(1)) {
            let (Some(one), Some(other)) = (runner(earlier), runner(later)) else { continue };
            if one.value == other.value || earlier.common.is_abstract || later.common.is_abstract {
                continue;
            }
            let diagnostic = Diagnostic::warning(format!("two destinations are called `{}`", destination.id))
                .at(other.span, "this file's runner takes the place of the other")
                .also(one.span, "this runner is never used")
                .also(later.span, "")
                .note("what the earlier file sets and the later does not stays: parameters, limits and tags of one runner with another")
                .help("give one of them another name, or write `# noqa: T219` under it");
            linter.report(
                Finding::new("T219", diagnostic).within([&**earlier.common.no_qa_codes, &**later.common.no_qa_codes]),
            );
        }
    }
}

fn runner(destination: &Entity) -> Option<&Text> {
    destination.destination.as_ref()?.runner.as_ref()
}
