//! T126: items of `env` that Galaxy cannot make a variable of.

use std::collections::HashSet;

use super::Linter;
use tpv_config::entity::{EnvEntry, env_value};
use tpv_model::EntityClass;
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::finding::Finding;
use tpv_yaml::load::quoted;

/// Looks at all entities and rules.
pub(super) fn check(linter: &mut Linter<'_>) {
    let mut seen = HashSet::new();
    for kind in EntityClass::SECTIONS {
        for entity in linter.config.section(kind).values() {
            for common in entity.commons() {
                for entry in common.env.iter().flat_map(|env| env.iter()) {
                    let Some(diagnostic) = judge(entry) else { continue };
                    let span = diagnostic.primary.as_ref().map_or(entity.span, |label| label.span);
                    if seen.insert(span) {
                        let place = format!("in the {} `{}`", kind.noun(), entity.id);
                        linter.report(
                            Finding::new(Code::IncompleteEnv, diagnostic.also(entity.span, place))
                                .of(&entity.common.no_qa_codes),
                        );
                    }
                }
            }
        }
    }
}

/// Reports the part that an item lacks. One with `file` or `execute` needs no other.
fn judge(entry: &EnvEntry) -> Option<Diagnostic> {
    let has = |key: &str| env_value(entry, key).is_some();
    let (key, value) = entry.first()?;
    let lacking = match (has("name"), has("value")) {
        _ if has("file") || has("execute") => return None,
        (true, true) => return None,
        (true, false) => "value",
        _ => "name",
    };
    let help = match entry.as_slice() {
        [(key, value)] if !has("name") && !has("value") => {
            format!(
                "write `- {{name: {key}, value: {}}}`, or `{key}: ...` without the dash",
                quoted(&value.python_str())
            )
        }
        _ => format!("add `{lacking}: ...` to the item that has `{key}`"),
    };
    let diagnostic = Diagnostic::warning(format!("an item of `env` has no `{lacking}`"))
        .at(value.span, "Galaxy fails the job when it prepares it")
        .note("an item has `name` and `value`, or `file`, or `execute`");
    Some(diagnostic.help(help))
}
