//! T219: destinations with the same name in two files, with different runners.

use crate::check::files::Files;
use crate::lint::Linter;
use tpv_config::entity::Entity;
use tpv_model::EntityClass;
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::finding::Finding;
use tpv_yaml::value::Text;

/// Checks the destinations that several files define.
pub(super) fn check(linter: &mut Linter<'_>, files: &Files<'_>) {
    for destination in linter.config.destinations.values() {
        let definitions = files.definitions(EntityClass::Destination, &destination.id);
        for (earlier, later) in definitions.iter().zip(definitions.iter().skip(1)) {
            let (Some(one), Some(other)) = (runner(earlier), runner(later)) else { continue };
            if one.value == other.value || earlier.common.is_abstract || later.common.is_abstract {
                continue;
            }
            let diagnostic = Diagnostic::warning(format!("two destinations are called `{}`", destination.id))
                .at(other.span, "this file's runner replaces the other")
                .also(one.span, "this runner is never used")
                .also(later.span, "")
                .note("fields that only the earlier file sets are kept: parameters, limits and tags of one runner with another")
                .help("give one of them another name, or write `# noqa: T219` under it");
            linter.report(
                Finding::new(Code::SharedDestinationName, diagnostic)
                    .within([&**earlier.common.no_qa_codes, &**later.common.no_qa_codes]),
            );
        }
    }
}

fn runner(destination: &Entity) -> Option<&Text> {
    destination.runner()
}
