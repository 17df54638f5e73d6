//! T127: names of `context` that TPV gives to code itself.

use std::collections::HashSet;

use super::Linter;
use super::fields::key_span;
use tpv_config::entity::Dict;
use tpv_model::EntityClass;
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::finding::Finding;
use tpv_text::source::Span;

/// Names that TPV gives to a job's code, and that a context of an entity hides.
const GIVEN: [&str; 9] =
    ["app", "tool", "user", "job", "job_wrapper", "resource_params", "workflow_invocation_uuid", "mapper", "entity"];

/// Names that TPV sets anew before each block of code.
const SET_LAST: [&str; 2] = ["helpers", "input_size"];

/// Looks at all contexts.
pub(super) fn check(linter: &mut Linter<'_>) {
    let config = linter.config;
    for (span, name) in names(linter, &config.global.context) {
        let diagnostic = Diagnostic::warning(format!("`{name}` in the global context is never read"))
            .at(span, "TPV gives its own value to this name for each job");
        linter.report(Finding::new(Code::ReservedContextName, diagnostic.help(rename(&name))));
    }
    let mut seen = HashSet::new();
    for kind in EntityClass::SECTIONS {
        for entity in config.section(kind).values() {
            for context in entity.commons().filter_map(|common| common.context.as_ref()) {
                for (span, name) in names(linter, context) {
                    if !seen.insert(span) {
                        continue;
                    }
                    let (message, label) = if SET_LAST.contains(&name.as_str()) {
                        (
                            format!("`{name}` of this context is never read"),
                            "TPV sets the name anew before each block of code",
                        )
                    } else {
                        (
                            format!("`{name}` of this context hides the job's own"),
                            "all code from here on sees this value",
                        )
                    };
                    let diagnostic = Diagnostic::warning(message)
                        .at(span, label)
                        .also(entity.span, format!("in the {} `{}`", kind.noun(), entity.id))
                        .help(rename(&name));
                    linter.report(Finding::new(Code::ReservedContextName, diagnostic).of(&entity.common.no_qa_codes));
                }
            }
        }
    }
}

fn names(linter: &Linter<'_>, context: &Dict) -> Vec<(Span, String)> {
    let taken = |name: &str| GIVEN.contains(&name) || SET_LAST.contains(&name);
    let taken = context.iter().filter(|(name, _)| taken(name));
    taken.map(|(name, value)| (key_span(linter, name, value), name.to_string())).collect()
}

fn rename(name: &str) -> String {
    format!("choose another name, such as `my_{name}`")
}
