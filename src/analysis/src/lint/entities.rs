//! TPV's own checks of entities: T003, T004, T101 and T102; and T117.

use std::sync::Arc;

use super::Linter;
use tpv_config::entity::Entity;
use tpv_model::{EntityClass, Quantity, Resource};
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::finding::Finding;
use tpv_text::source::Span;
use tpv_text::suggest::{closest, did_you_mean};
use tpv_yaml::load::quoted;
use tpv_yaml::value::ConfigValue;

/// Returns `true` if Python takes it for true.
fn is_set(value: Option<&Arc<ConfigValue>>) -> bool {
    value.is_some_and(|value| value.python_bool())
}

/// Looks at every tool and destination.
pub(super) fn check(linter: &mut Linter<'_>) {
    let config = linter.config;
    let default = config.global.default_inherits.as_ref().map(|id| id.as_str());
    default_exists(linter);
    for tool in config.tools.values() {
        if default == Some(&*tool.id) && !tool.common.is_abstract && !config.version.evaluates_early() {
            not_abstract(linter, tool);
        }
        let amounts = &tool.common.amounts;
        if is_set(amounts.get(Resource::Cores)) && !is_set(amounts.get(Resource::Mem)) {
            let at = amounts.get(Resource::Cores).map_or(tool.span, |cores| cores.span);
            let diagnostic = Diagnostic::warning(format!("the tool `{}` sets `cores`, but not `mem`", tool.id))
                .at(at, "`mem` is inherited")
                .also(tool.span, "")
                .note("`mem` is mostly computed from the cores, so the job may get more memory than intended")
                .help("add `mem`, such as `mem: cores * 4`, or `# noqa: T102` on a line under the tool's name");
            let diagnostic = on_the_line(linter, tool, diagnostic);
            linter.report(Finding::new(Code::CoresWithoutMem, diagnostic).once_a_file().of(&tool.common.no_qa_codes));
        }
    }
    // Destinations of TPV 1 name those of Galaxy's job_conf, and have amounts in place of limits.
    let destinations = config.destinations.values().filter(|_| !config.version.evaluates_early());
    for destination in destinations {
        if default == Some(&*destination.id) && !destination.common.is_abstract {
            not_abstract(linter, destination);
        }
        runner(linter, destination);
        resources(linter, destination);
    }
}

/// A default that does not exist: TPV ignores it.
fn default_exists(linter: &mut Linter<'_>) {
    let config = linter.config;
    let Some(default) = config.global.default_inherits.as_ref().filter(|id| !id.as_str().is_empty()) else { return };
    let ids = || EntityClass::SECTIONS.into_iter().flat_map(|kind| config.section(kind).keys()).map(|id| &**id);
    if ids().any(|id| id == default.as_str()) {
        return;
    }
    let near = closest(default.as_str(), ids());
    // A file of destinations alone may well get its default from another one.
    if near.is_none() && config.tools.is_empty() {
        return;
    }
    let diagnostic =
        Diagnostic::warning(format!("`default_inherits` names `{}`, and no entity has that id", default.as_str()))
            .at(default.span, "no entity inherits from this")
            .note("if another file defines it, lint both together: `tpvc lint one.yml other.yml`")
            .help(match near {
                Some(near) => did_you_mean(near),
                None => "define it, with `abstract: true`, or remove `default_inherits`".to_owned(),
            });
    let diagnostic = match near {
        Some(near) => diagnostic.fix(default.span, quoted_if_needed(near)),
        None => diagnostic,
    };
    linter.report(Finding::new(Code::MissingDefault, diagnostic));
}

fn not_abstract(linter: &mut Linter<'_>, entity: &Entity) {
    let noun = entity.class.noun();
    let diagnostic =
        Diagnostic::warning(format!("the {noun} `{}` is inherited by all others, and is not abstract", entity.id))
            .at(entity.span, "named by `default_inherits`")
            .note(format!("a {noun} that is not abstract takes part in scheduling"))
            .help("add `abstract: true`, unless jobs use it directly");
    let diagnostic = match first_field(linter, entity) {
        // A destination with a runner may well be meant to be used itself.
        Some((at, indent)) if entity.runner().is_none() => diagnostic.fix(at, format!("{indent}abstract: true\n")),
        _ => diagnostic,
    };
    let diagnostic = on_the_line(linter, entity, diagnostic);
    linter.report(Finding::new(Code::ConcreteDefault, diagnostic).of(&entity.common.no_qa_codes));
}

/// The place for a further field of an entity, before its first one, and the indentation there; `None` if its fields
/// are not on lines of their own.
fn first_field(linter: &Linter<'_>, entity: &Entity) -> Option<(Span, String)> {
    let source = linter.sources.get(entity.span.source)?;
    let end = entity.span.range().end;
    let (line, below) = source.text.get(end..)?.split_once('\n')?;
    let line = line.trim_start_matches(['"', '\'']).trim_start().strip_prefix(':')?.trim_start();
    if !line.is_empty() && !line.starts_with('#') {
        return None;
    }
    let mut at = source.text.len() - below.len();
    for line in below.split_inclusive('\n') {
        let field = line.trim_start();
        if !field.is_empty() && !field.starts_with('#') {
            let indent = line.strip_suffix(field)?;
            let is_deeper = indent.chars().count() >= source.place(entity.span.start).column;
            return is_deeper.then(|| (Span::new(entity.span.source, at, at), indent.to_owned()));
        }
        at += line.len();
    }
    None
}

/// An id as a YAML scalar.
fn quoted_if_needed(id: &str) -> String {
    let is_plain = id.starts_with(|c: char| c.is_ascii_alphabetic())
        && id.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'));
    if is_plain { id.to_owned() } else { quoted(id) }
}

/// Says that a `# noqa` on the line of the entity's name does not count.
fn on_the_line(linter: &Linter<'_>, entity: &Entity, diagnostic: Diagnostic) -> Diagnostic {
    let text = linter.sources.get(entity.span.source).and_then(|source| source.text.get(entity.span.range().end..));
    let line = text.and_then(|text| text.lines().next()).unwrap_or("");
    if line.contains("# noqa") || line.contains("#noqa") {
        return diagnostic.note("TPV ignores the `# noqa` beside the name: put it on a line of its own below");
    }
    diagnostic
}

fn runner(linter: &mut Linter<'_>, destination: &Entity) {
    let has_runner = destination.runner().is_some_and(|runner| !runner.value.is_empty());
    if has_runner || destination.common.is_abstract {
        return;
    }
    let diagnostic = Diagnostic::error(format!("the destination `{}` has no `runner`", destination.id))
        .at(destination.span, "")
        .note("Galaxy needs the id of a job runner plugin; `default_inherits` does not count here, as in TPV")
        .help("add `runner: ...`, or `abstract: true` if it is only inherited from");
    linter.report(Finding::new(Code::MissingRunner, diagnostic));
}

fn resources(linter: &mut Linter<'_>, destination: &Entity) {
    let own = &destination.common.amounts;
    let is_wrong =
        |quantity: &Quantity| is_set(own.get(quantity.resource())) && !is_set(own.get(quantity.most_accepted()));
    // TPV has one error for all three.
    let Some(quantity) = Quantity::ALL.into_iter().find(is_wrong) else { return };
    let name = quantity.name();
    let at = own.get(quantity.resource()).map_or(destination.span, |value| value.span);
    let diagnostic =
        Diagnostic::error(format!("the destination `{}` sets `{name}`, but not `max_accepted_{name}`", destination.id))
            .at(at, "every job on this destination gets this value")
            .also(destination.span, "")
            .help(format!("rename it to `max_accepted_{name}` if it is a limit"));
    linter.report(Finding::new(Code::AmountsOnDestination, diagnostic));
}
