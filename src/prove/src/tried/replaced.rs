//! T306: params and env of a tool that the destination of its jobs replaces.

use indexmap::IndexMap;
use tpv_analysis::check::Linter;
use tpv_config::Config;
use tpv_config::entity::{Common, Entity, env_value};
use tpv_model::{EntityClass, Field};
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::finding::{Finding, silences};
use tpv_text::source::Span;

use super::sizes::ORDINARY;
use super::tool::Tool;
use super::words::{whose, with_tools};

/// A value under its name, as text.
type Value = (String, String, Span);

/// Looks at all tools. What the tools' own entry and those that it inherits from say counts, not what all tools inherit.
pub(super) fn check(linter: &mut Linter<'_>, tools: &[Tool<'_>]) {
    let config = linter.config;
    let mut groups: IndexMap<(&str, String), (Span, Span, Vec<&Tool<'_>>)> = IndexMap::new();
    for tool in tools.iter().filter(|tool| tool.index.is_some()) {
        let Some(destination) = tool.destination().and_then(|id| config.destinations.get(id)) else { continue };
        if silences(&tool.entity.common.no_qa_codes, Code::ReplacedByDestination) {
            continue;
        }
        for (name, text, span) in values(&tool.entity.common) {
            let Some((_, _, at)) = replacing(config, destination, &name, &text) else { continue };
            groups.entry((&destination.id, name)).or_insert_with(|| (span, at, Vec::new())).2.push(tool);
        }
    }
    for ((destination, name), (span, at, tools)) in &groups {
        linter.report(finding(destination, name, *span, *at, tools));
    }
}

/// The params and env of an entity.
fn values(common: &Common) -> Vec<Value> {
    let params = common.params.iter().flat_map(|params| params.iter());
    let params =
        params.map(|(name, value)| (format!("{}.{name}", Field::Params.alias()), value.python_str(), value.span));
    let env = common.env.iter().flat_map(|env| env.iter()).filter_map(|entry| {
        let (name, value) = (env_value(entry, "name")?, env_value(entry, "value")?);
        Some((format!("{}.{}", Field::Env.alias(), name.as_str()), value.as_str().to_owned(), value.span))
    });
    params.chain(env).collect()
}

/// The value of a destination that takes the place of a tool's, if it is another.
fn replacing(config: &Config, destination: &Entity, name: &str, text: &str) -> Option<Value> {
    let default = config.default_entity(EntityClass::Destination);
    let all = std::iter::once(destination).chain(default.map(|default| &**default));
    let found = all.flat_map(|entity| values(&entity.common)).find(|(known, ..)| known == name)?;
    // A text that repeats the tool's, or that is made of it, replaces nothing.
    let own = name.split_once('.').map_or(name, |(_, own)| own);
    (found.1 != text && !found.1.contains(own)).then_some(found)
}

fn finding(destination: &str, name: &str, span: Span, at: Span, tools: &[&Tool<'_>]) -> Finding {
    let message = format!("`{name}` {} is replaced by that of the destination `{destination}`", whose(tools));
    let mut diagnostic = Diagnostic::warning(message)
        .at(span, "jobs there do not get this")
        .also(at, "but this")
        .note("TPV puts the params and env of a destination over those of the tool");
    diagnostic = with_tools(diagnostic, tools, ORDINARY);
    let help = "set it in a rule of the destination (`if: tool.id == ...`), or leave it out of the destination";
    Finding::new(Code::ReplacedByDestination, diagnostic.help(help))
}
