//! T305: jobs with GPUs at a destination that seems to have none.

use indexmap::IndexMap;
use tpv_analysis::check::Linter;
use tpv_config::entity::Entity;
use tpv_model::{Amount, Limit, Quantity, TagType};
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::finding::{Finding, silences};
use tpv_yaml::value::ConfigValue;

use tpv_analysis::check::reach::JobEnd;

use super::sizes::ORDINARY;
use super::tool::Tool;
use super::words::{whose, with_tools};

/// Looks at all tools.
pub(super) fn check(linter: &mut Linter<'_>, tools: &[Tool<'_>]) {
    let config = linter.config;
    let destinations = &config.destinations;
    let concrete = || destinations.values().filter(|destination| !destination.common.is_abstract);
    let Some(with) = concrete().find(|destination| accepts_gpus(destination)) else { return };
    let mut groups: IndexMap<&str, (&Entity, Vec<&Tool<'_>>)> = IndexMap::new();
    for tool in tools.iter().filter(|tool| !silences(&tool.entity.common.no_qa_codes, Code::GpusWithoutGpus)) {
        let Some(end @ JobEnd::Mapped { destination, .. }) = tool.end() else { continue };
        let uses_gpus = end.amount(Quantity::Gpus).is_some_and(|gpus| gpus > 0.0);
        let Some(destination) = destinations.get(destination.as_str()).filter(|_| uses_gpus) else { continue };
        if !mentions_gpus(destination) {
            groups.entry(&destination.id).or_insert_with(|| (destination, Vec::new())).1.push(tool);
        }
    }
    for (destination, tools) in groups.values() {
        linter.report(finding(destination, tools, with));
    }
}

fn most_gpus(destination: &Entity) -> Option<&ConfigValue> {
    destination.common.amounts.get(Amount::Limit(Limit::MaxAcceptedGpus)).map(|value| &**value)
}

/// Returns `true` if a destination says how many GPUs it accepts, more than none.
fn accepts_gpus(destination: &Entity) -> bool {
    most_gpus(destination).is_some_and(|most| !most.is_null() && most.python_bool())
}

/// Returns `true` if anything of a destination speaks of GPUs.
fn mentions_gpus(destination: &Entity) -> bool {
    let speaks = |text: &str| {
        let text = text.to_lowercase();
        ["gpu", "gres", "cuda", "nvidia"].iter().any(|word| text.contains(word))
    };
    let tags = destination.dest_tags.iter().flat_map(|tags| TagType::APPLICATION.map(|kind| tags.get(kind)));
    most_gpus(destination).is_some_and(|most| !most.is_null())
        || speaks(&destination.id)
        || tags.flatten().any(|tag| speaks(tag.as_str()))
        || destination.commons().any(|common| {
            let params = common.params.iter().flat_map(|params| params.iter());
            let env = common.env.iter().flat_map(|env| env.iter()).flatten();
            params
                .chain(env.map(|(name, value)| (name, value)))
                .any(|(name, value)| speaks(name) || speaks(&value.python_str()))
        })
        || destination.rules.values().any(|rule| rule.execute().is_some_and(|code| speaks(code.as_str())))
}

fn finding(destination: &Entity, tools: &[&Tool<'_>], with: &Entity) -> Finding {
    let message =
        format!("ordinary jobs {} ask for GPUs and go to `{}`, which seems to have none", whose(tools), destination.id);
    let mut diagnostic = Diagnostic::warning(message).at(destination.span, "nothing here mentions GPUs");
    if let Some(tool) = tools.first() {
        diagnostic = diagnostic.also(tool.entity.span, "asks for GPUs");
    }
    if let Some(most) = most_gpus(with) {
        diagnostic = diagnostic.also(most.span, format!("`{}` says how many it accepts", with.id));
    }
    diagnostic = with_tools(diagnostic, tools, ORDINARY);
    let help =
        "write `max_accepted_gpus: 0` for a destination without GPUs; a limit that is not set accepts any number";
    Finding::new(Code::GpusWithoutGpus, diagnostic.help(help))
}
