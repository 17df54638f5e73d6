//! T206: sizes of inputs with which no destination accepts the ordinary jobs of a tool.

use indexmap::IndexMap;

use crate::lint::tags::default;
use crate::lint::{Linter, about_limits};
use tpv_config::Config;
use tpv_config::entity::Entity;
use tpv_model::EntityClass;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::finding::{Finding, silences};
use tpv_text::source::Span;
use tpv_yaml::value::ConfigValue;

use super::nowhere::{groups, whys, with_reasons};
use super::reach::{JobsOf, LostSizes, Reach, Why};
use crate::parts::joined;
use tpv_text::code::Code;

/// The reasons of each destination, and the bits of both sizes: equal for tools that lose the same jobs.
type Cause = (Vec<Vec<Why>>, u64, u64);

/// Looks at the sizes of inputs with which no destination takes the jobs of a tool. Tools with the same cause share a finding.
pub(super) fn check(linter: &mut Linter<'_>, reach: &Reach, lost: &[LostSizes]) {
    let config = linter.config;
    let known = about_limits(linter);
    let mut groups: IndexMap<Cause, (Vec<&Entity>, &LostSizes)> = IndexMap::new();
    for sizes in lost {
        let JobsOf::Tool(index) = sizes.reached.jobs_of else { continue };
        let Some((_, tool)) = config.tools.get_index(index) else { continue };
        // T201 says so of all jobs.
        if reach.reached.iter().any(|reached| reached.jobs_of == sizes.reached.jobs_of && reached.is_nowhere()) {
            continue;
        }
        let is_told = |at: &Span| known.iter().any(|known| known.span() == Some(*at));
        if silences(&tool.common.no_qa_codes, Code::UnacceptedSizes)
            || sizes.reached.amounts.iter().flatten().any(|value| is_told(&value.span))
        {
            continue;
        }
        let whys = sizes.reached.verdicts.iter().map(whys).collect();
        let key = (whys, sizes.low.to_bits(), sizes.high.to_bits());
        groups.entry(key).or_insert_with(|| (Vec::new(), sizes)).0.push(tool);
    }
    for ((whys, ..), (tools, sizes)) in &groups {
        let finding = lost_sizes(linter, whys, tools, sizes);
        linter.report(finding);
    }
}

/// `inputs of 5 GiB and more`, `inputs of more than 5 and less than 20 GiB`: true at the borders, too.
fn inputs(sizes: &LostSizes) -> String {
    let low = (sizes.low > 0.0).then(|| border(sizes.low, sizes.low.next_down()));
    let high = (sizes.high < f64::MAX).then(|| border(sizes.high, sizes.high.next_up()));
    match (low, high) {
        (Some((low, true)), None) => format!("inputs of {low} GiB and more"),
        (Some((low, false)), None) => format!("inputs of more than {low} GiB"),
        (None, Some((high, true))) => format!("inputs of at most {high} GiB"),
        (None, Some((high, false))) => format!("inputs of less than {high} GiB"),
        (Some((low, true)), Some((high, true))) if low == high => format!("inputs of exactly {low} GiB"),
        (Some((low, true)), Some((high, true))) => format!("inputs of {low} to {high} GiB"),
        (Some((low, true)), Some((high, false))) => format!("inputs of {low} to less than {high} GiB"),
        (Some((low, false)), Some((high, true))) => format!("inputs of more than {low} and at most {high} GiB"),
        (Some((low, false)), Some((high, false))) => format!("inputs of more than {low} and less than {high} GiB"),
        (None, None) => "inputs of any size".to_owned(),
    }
}

/// The size at one end of a range, given with the number beyond it: as the config writes it, and `true` if it belongs to the range.
fn border(size: f64, beyond: f64) -> (String, bool) {
    let (size, beyond) = (size.to_string(), beyond.to_string());
    // The number after or before one that somebody wrote has many more digits.
    if beyond.len() < size.len() { (beyond, false) } else { (size, true) }
}

fn lost_sizes(linter: &Linter<'_>, whys: &[Vec<Why>], tools: &[&Entity], sizes: &LostSizes) -> Finding {
    let groups = groups(linter.config, &sizes.reached, whys);
    // The amount that alone keeps these jobs from destinations, or from most of them.
    let mut by_amount: Vec<_> =
        groups.iter().filter(|(whys, _)| whys.iter().any(|why| why.quantity().is_some())).collect();
    by_amount.sort_by_key(|(whys, _)| whys.iter().any(|why| why.quantity().is_none()));
    let amount = by_amount.into_iter().find_map(|(whys, (_, limit))| {
        let quantity = whys.iter().find_map(Why::quantity)?;
        Some((sizes.reached.amounts.get(quantity as usize)?.as_deref()?, *limit))
    });
    let span = tools.first().map(|tool| tool.span).unwrap_or_default();
    let names: Vec<String> = tools.iter().map(|tool| format!("`{}`", tool.id)).collect();
    let noun = if names.len() == 1 { "tool" } else { "tools" };
    let message = format!("no destination accepts the {noun} {} with {}", joined(&names), inputs(sizes));
    let mut diagnostic = match amount {
        Some((value, _)) => {
            Diagnostic::warning(message).at(value.span, "this is what such jobs ask for").also(span, "")
        }
        None => Diagnostic::warning(message).at(span, "such jobs end in an error"),
    };
    if let (Some((value, _)), Some(tool)) = (amount, tools.first()) {
        for (name, read) in read_from_context(linter.config, tool, value) {
            diagnostic = diagnostic.also(read.span, format!("`{name}` is {} here", read.python_str()));
        }
    }
    if let Some(limit) = amount.and_then(|(_, limit)| limit) {
        diagnostic = diagnostic.also(limit, "");
    }
    diagnostic = diagnostic.note("unless a role, a user or a rule for some of the jobs changes what they ask for");
    Finding::new(Code::UnacceptedSizes, with_reasons(linter, diagnostic, &sizes.reached, &groups))
}

/// The values that code reads from the context of a tool, with their names.
fn read_from_context<'a>(
    config: &'a Config,
    tool: &'a Entity,
    value: &'a ConfigValue,
) -> Vec<(&'a str, &'a ConfigValue)> {
    let code = value.as_text().map_or("", |text| text.as_str());
    let words = code.split(|c: char| !c.is_alphanumeric() && c != '_');
    let own = std::iter::once(tool).chain(default(config, EntityClass::Tool));
    let contexts: Vec<_> =
        own.filter_map(|entity| entity.common.context.as_deref()).chain([&*config.global.context]).collect();
    let find = |name| contexts.iter().find_map(|context| context.get(name));
    words.filter_map(|name| Some((name, find(name)?))).collect()
}
