//! T201: tools whose jobs no destination accepts. T202: destinations that nothing reaches.

use std::collections::HashMap;

use crate::config::entity::Entity;
use crate::config::scheduling::TagKind;
use crate::diagnostic::Diagnostic;
use crate::lint::tags::Tags;
use crate::lint::{Finding, Linter};
use crate::source::Span;

use super::reach::{Reach, Reached, Reason, Verdict, Whose, Why};

/// More groups of destinations than these are not told apart in a finding.
const MOST_GROUPS: usize = 6;

/// More destinations than these are not named for one reason.
const MOST_NAMES: usize = 3;

/// Looks at all tools, then at all destinations.
pub(super) fn check(linter: &mut Linter<'_>, reach: &Reach) {
    let config = linter.config;
    let has_destinations = config.destinations.values().any(|destination| !destination.common.is_abstract);
    // Files with tools or destinations alone are a part of a whole.
    if !has_destinations || config.tools.is_empty() {
        return;
    }
    for reached in &reach.reached {
        let Whose::Tool(index) = reached.whose else { continue };
        let Some((_, tool)) = config.tools.get_index(index) else { continue };
        if reached.is_nowhere() {
            let finding = tool_nowhere(linter, tool, reached);
            linter.report(finding.of(&tool.common));
        }
    }
    destinations(linter, reach);
}

fn tool_nowhere(linter: &Linter<'_>, tool: &Entity, reached: &Reached) -> Finding {
    let config = linter.config;
    // Destinations that are kept out for the same reasons are told together.
    let mut groups: Vec<(Vec<&Why>, Vec<&str>, Option<Span>)> = Vec::new();
    let mut places: HashMap<Vec<&Why>, usize> = HashMap::new();
    for (destination, verdict) in config.destinations.values().zip(&reached.verdicts) {
        let Verdict::Never(reasons) = verdict else { continue };
        let whys: Vec<&Why> = reasons.iter().map(|reason| &reason.why).collect();
        if matches!(whys.as_slice(), [Why::Abstract]) {
            continue;
        }
        let place = *places.entry(whys.clone()).or_insert_with(|| {
            groups.push((whys, Vec::new(), reasons.first().and_then(|reason| reason.at)));
            groups.len() - 1
        });
        if let Some((_, names, _)) = groups.get_mut(place) {
            names.push(&destination.id);
        }
    }
    groups.sort_by_key(|(_, names, _)| std::cmp::Reverse(names.len()));
    let message = format!("no destination accepts the tool `{}`", tool.id);
    let mut diagnostic = Diagnostic::warning(message).at(tool.span, "every job of this tool ends in an error");
    if let Some(span) = groups.first().and_then(|(_, _, at)| *at).filter(|at| *at != tool.span) {
        diagnostic = diagnostic.also(span, "");
    }
    for (whys, names, _) in groups.iter().take(MOST_GROUPS) {
        let whys: Vec<String> = whys.iter().map(ToString::to_string).collect();
        diagnostic = diagnostic.note(format!("{}: {}", listed(names), whys.join("; ")));
    }
    if let Some(rest) = groups.get(MOST_GROUPS..).filter(|rest| !rest.is_empty()) {
        let count: usize = rest.iter().map(|(_, names, _)| names.len()).sum();
        diagnostic = diagnostic.note(format!("{count} more for other reasons, which `--matrix FILE` lists"));
    }
    if reached.unless_declared {
        diagnostic = diagnostic
            .note("unless the tool's wrapper declares resources, which count where the tool's entry sets none");
    }
    for at in reached.doubts.iter().take(MOST_NAMES) {
        diagnostic =
            diagnostic.note(format!("what the code at {} may change was taken into account", place(linter, *at)));
    }
    let by_tags = |why: &&Why| matches!(why, Why::Requires(_) | Why::Lacks(_) | Why::Rejects(_) | Why::Rejected(_));
    let first = groups.first().and_then(|(whys, ..)| whys.first());
    let help = match first {
        Some(why) if by_tags(why) => "change the tags of the tool, or those of a destination that is to take it",
        Some(Why::Fails) => "remove the rule that fails every job from a destination that is to take it",
        _ => "ask for less, or raise what a destination accepts",
    };
    Finding::new("T201", diagnostic.help(help))
}

/// `a`, `b`, `c` and 4 others
fn listed(names: &[&str]) -> String {
    let mut shown: Vec<String> = names.iter().take(MOST_NAMES).map(|name| format!("`{name}`")).collect();
    match names.len().saturating_sub(MOST_NAMES) {
        0 => {}
        1 => shown.extend(names.last().map(|name| format!("`{name}`"))),
        more => return format!("{} and {more} others", shown.join(", ")),
    }
    match shown.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => shown.concat(),
    }
}

/// File and line of a place.
pub(super) fn place(linter: &Linter<'_>, span: Span) -> String {
    match linter.sources.get(span.source) {
        Some(source) => format!("{}:{}", source.name, source.place(span.start).line),
        None => String::new(),
    }
}

fn destinations(linter: &mut Linter<'_>, reach: &Reach) {
    let config = linter.config;
    let tags = Tags::new(config);
    for (index, destination) in config.destinations.values().enumerate() {
        let Some(fields) = destination.destination.as_ref().filter(|_| !destination.common.is_abstract) else {
            continue;
        };
        // `tpvc lint` says this (T115).
        if fields.dest_tags.get(TagKind::Require).iter().any(|tag| !tags.may_be_asked(tag.as_str())) {
            continue;
        }
        let mut whys: Vec<(&Reason, Vec<&str>)> = Vec::new();
        let mut is_reached = false;
        for reached in reach.reached.iter().filter(|reached| reached.end.is_none()) {
            let tool = match reached.whose {
                Whose::Tool(index) => config.tools.get_index(index).map_or("", |(id, _)| id),
                Whose::Other => "any other tool",
                Whose::UserDefined => "user-defined tools",
            };
            match reached.verdicts.get(index) {
                Some(Verdict::Never(reasons)) if !reached.unless_declared => {
                    for reason in reasons {
                        match whys.iter_mut().find(|(known, _)| known.why == reason.why) {
                            Some((_, tools)) => tools.push(tool),
                            None => whys.push((reason, vec![tool])),
                        }
                    }
                }
                _ => is_reached = true,
            }
        }
        let is_switched_off = whys.iter().any(|(reason, _)| reason.why == Why::Fails);
        if is_reached || is_switched_off || whys.is_empty() {
            continue;
        }
        whys.sort_by_key(|(_, tools)| std::cmp::Reverse(tools.len()));
        let mut diagnostic = Diagnostic::warning(format!("no job can reach the destination `{}`", destination.id))
            .at(destination.span, "it takes no job of any tool, role or user");
        let at = whys.first().and_then(|(reason, _)| reason.at);
        if let Some(at) = at.filter(|at| *at != destination.span) {
            diagnostic = diagnostic.also(at, "");
        }
        for (reason, tools) in whys.iter().take(MOST_GROUPS) {
            diagnostic = diagnostic.note(format!("of {}: it {}", listed(tools), reason.why));
        }
        let diagnostic = diagnostic
            .help("change its tags or limits, or remove it; `# noqa: T202` below its name if it is switched off");
        linter.report(Finding::new("T202", diagnostic).of(&destination.common));
    }
}
