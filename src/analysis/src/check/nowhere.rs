//! T201: tools whose jobs no destination accepts. T202: destinations that nothing reaches.
//!
//! Findings with the same cause are merged: tools excluded by the same tags and limits, destinations that refuse all tools for the
//! same reasons. Findings of `tpvc lint` about tags and limits are not repeated.

use std::collections::HashSet;

use indexmap::IndexMap;

use crate::lint::{Linter, about_limits};
use tpv_config::Config;
use tpv_config::entity::Entity;
use tpv_model::{EntityClass, TagType};
use tpv_text::diagnostic::Diagnostic;
use tpv_text::finding::{Finding, silences};
use tpv_text::listed::counted;
use tpv_text::source::{SourceMap, Span};

use super::Told;
use super::reach::{JobsOf, Reach, Reached, Reason, Verdict, Why};
use crate::parts::joined;
use tpv_text::code::Code;

/// More groups of destinations than these are not told apart in a finding.
const MOST_GROUPS: usize = 6;

/// More destinations than these are not named for one reason.
const MOST_NAMES: usize = 3;

/// Looks at all tools, then at all destinations unless the jobs of some tools are not known. Returns the tools that are told to have no
/// destination.
pub(super) fn check(linter: &mut Linter<'_>, reach: &Reach) -> Told {
    let config = linter.config;
    let has_destinations = config.destinations.values().any(|destination| !destination.common.is_abstract);
    // Files with tools or destinations alone are a part of a whole.
    if !has_destinations || config.tools.is_empty() {
        return Told::new();
    }
    let known = about_limits(linter);
    let unoffered = unoffered(config, &known);
    tools(linter, reach, &known, &unoffered);
    if reach.unproved.is_none() {
        destinations(linter, reach, &known, &unoffered);
    }
    reach.reached.iter().filter(|reached| reached.is_nowhere()).filter_map(|reached| reached.jobs_of.tool()).collect()
}

/// Tools that the same reasons keep out of each destination.
struct Lost<'r> {
    tools: Vec<&'r Entity>,
    /// The analysis of the first tool.
    reached: &'r Reached,
    /// The reasons of each destination, as they hold for all of the tools.
    whys: Vec<Vec<Why>>,
}

fn tools(linter: &mut Linter<'_>, reach: &Reach, known: &[Finding], unoffered: &HashSet<&str>) {
    let config = linter.config;
    let mut lost: IndexMap<(Vec<Vec<Why>>, bool), Lost<'_>> = IndexMap::new();
    for reached in reach.reached.iter().filter(|reached| reached.is_nowhere()) {
        let JobsOf::Tool(index) = reached.jobs_of else { continue };
        let Some((_, tool)) = config.tools.get_index(index) else { continue };
        let whys: Vec<Vec<Why>> = reached.verdicts.iter().map(whys).collect();
        if silences(&tool.common.no_qa_codes, Code::ToolWithoutDestination) || is_told(tool, &whys, unoffered, known) {
            continue;
        }
        let causes = whys.iter().map(|whys| whys.iter().map(Why::cause).collect()).collect();
        let group = lost.entry((causes, reached.unless_declared));
        let group = group.or_insert_with(|| Lost { tools: Vec::new(), reached, whys: whys.clone() });
        group.tools.push(tool);
        for (own, other) in group.whys.iter_mut().flatten().zip(whys.iter().flatten()) {
            own.widen(other);
        }
    }
    for group in lost.values() {
        let finding = nowhere(linter, group);
        linter.report(finding);
    }
}

pub(super) fn whys(verdict: &Verdict) -> Vec<Why> {
    match verdict {
        Verdict::Never(reasons) => reasons.iter().map(|reason| reason.why.clone()).collect(),
        Verdict::Possible => Vec::new(),
    }
}

/// The required tags that no destination has, by T114.
fn unoffered<'c>(config: &'c Config, known: &[Finding]) -> HashSet<&'c str> {
    let found: HashSet<Span> =
        known.iter().filter(|known| known.code == Code::UnofferedTag).filter_map(Finding::span).collect();
    let sections = EntityClass::MATCHED.map(|kind| config.section(kind));
    let entities = sections.into_iter().flat_map(|section| section.values());
    let tags = entities.flat_map(|entity| entity.commons()).flat_map(|common| common.tags.get(TagType::Require));
    tags.filter(|tag| found.contains(&tag.span)).map(|tag| tag.as_str()).collect()
}

/// Returns `true` if `tpvc lint` says why no destination takes the tool: for a tag (T114), or for an amount (T122, T113).
fn is_told(tool: &Entity, whys: &[Vec<Why>], unoffered: &HashSet<&str>, known: &[Finding]) -> bool {
    let is_lacking = |why: &Why| lacks(why, unoffered);
    let by_tag = whys.iter().filter(|whys| !whys.contains(&Why::Abstract)).all(|whys| whys.iter().any(is_lacking));
    let amounts = || {
        known
            .iter()
            .filter(|known| matches!(known.code, Code::UnacceptedAmount | Code::WrongUnit))
            .filter_map(Finding::span)
    };
    let mut fields = tool.common.amounts.common();
    by_tag || fields.any(|(_, value)| amounts().any(|at| at == value.span))
}

/// Returns `true` if jobs are kept out because they require a tag that no destination has.
fn lacks(why: &Why, unoffered: &HashSet<&str>) -> bool {
    matches!(why, Why::Lacks(tag) if unoffered.contains(tag.as_str()))
}

/// Destinations that keep jobs out for the same reasons, and the place of one of these.
pub(super) type Groups<'r> = IndexMap<&'r [Why], (Vec<&'r str>, Option<Span>)>;

/// The destinations that are not abstract, by their reasons; the most frequent first.
pub(super) fn groups<'r>(config: &'r Config, reached: &Reached, all: &'r [Vec<Why>]) -> Groups<'r> {
    // Destinations that are kept out for the same reasons are told together.
    let mut groups = Groups::new();
    for ((destination, verdict), whys) in config.destinations.values().zip(&*reached.verdicts).zip(all) {
        let Verdict::Never(reasons) = verdict else { continue };
        if matches!(whys.as_slice(), [Why::Abstract]) {
            continue;
        }
        let (names, _) =
            groups.entry(whys).or_insert_with(|| (Vec::new(), reasons.first().and_then(|reason| reason.at)));
        names.push(&destination.id);
    }
    groups.sort_by(|_, (one, _), _, (other, _)| other.len().cmp(&one.len()));
    groups
}

fn nowhere(linter: &Linter<'_>, lost: &Lost<'_>) -> Finding {
    let config = linter.config;
    let reached = lost.reached;
    let groups = groups(config, reached, &lost.whys);
    let span = lost.tools.first().map(|tool| tool.span).unwrap_or_default();
    let names: Vec<String> = lost.tools.iter().map(|tool| format!("`{}`", tool.id)).collect();
    let (nouns, label) = match names.len() {
        1 => ("tool", "every job of this tool ends in an error"),
        _ => ("tools", "every job of these tools ends in an error"),
    };
    let mut diagnostic =
        Diagnostic::warning(format!("no destination accepts the {nouns} {}", joined(&names))).at(span, label);
    for tool in lost.tools.iter().take(MOST_NAMES).skip(1) {
        diagnostic = diagnostic.also(tool.span, "");
    }
    if let Some(at) = groups.first().and_then(|(_, (_, at))| *at).filter(|at| *at != span) {
        diagnostic = diagnostic.also(at, "");
    }
    Finding::new(Code::ToolWithoutDestination, with_reasons(linter, diagnostic, reached, &groups))
}

/// Adds what keeps the jobs from each destination, and what may help.
pub(super) fn with_reasons(
    linter: &Linter<'_>,
    mut diagnostic: Diagnostic,
    reached: &Reached,
    groups: &Groups<'_>,
) -> Diagnostic {
    for (whys, (names, _)) in groups.iter().take(MOST_GROUPS) {
        let whys: Vec<String> = whys.iter().map(ToString::to_string).collect();
        diagnostic = diagnostic.note(format!("{}: {}", listed(names), whys.join("; ")));
    }
    let rest: usize = groups.values().skip(MOST_GROUPS).map(|(names, _)| names.len()).sum();
    if rest > 0 {
        diagnostic = diagnostic.note(format!("{rest} more for other reasons, which `--matrix FILE` lists"));
    }
    if reached.unless_declared {
        diagnostic = diagnostic
            .note("unless the tool's wrapper declares resources, which count where the tool's entry sets none");
    }
    for at in reached.doubts.iter().take(MOST_NAMES) {
        diagnostic = diagnostic
            .note(format!("what the code at {} may change was taken into account", place(linter.sources, *at)));
    }
    let by_tags = |why: &&Why| matches!(why, Why::Requires(_) | Why::Lacks(_) | Why::Rejects(_) | Why::Rejected(_));
    let first = groups.first().and_then(|(whys, _)| whys.first());
    let help = match first {
        Some(why) if by_tags(&why) => "change the tags of the tool, or those of a destination that is to take it",
        Some(Why::Fails) => "remove the rule that fails every job from a destination that is to take it",
        _ => "ask for less, or raise what a destination accepts",
    };
    diagnostic.help(help)
}

/// `a`, `b`, `c` and 4 others
pub fn listed(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    counted(&quoted, MOST_NAMES, "others")
}

/// File and line of a place.
pub(super) fn place(sources: &SourceMap, span: Span) -> String {
    match sources.get(span.source) {
        Some(source) => format!("{}:{}", source.name, source.place(span.start).line),
        None => String::new(),
    }
}

/// A reason with the tools that it keeps out.
type Refused<'r> = (&'r Reason, Vec<&'r str>);

/// A reason that excludes tools, and these tools.
type Keeping<'r> = (&'r Why, Vec<&'r str>);

fn destinations(linter: &mut Linter<'_>, reach: &Reach, known: &[Finding], unoffered: &HashSet<&str>) {
    let config = linter.config;
    let mut groups: IndexMap<Vec<Keeping<'_>>, (Vec<&Entity>, Option<Span>)> = IndexMap::new();
    for (index, destination) in config.destinations.values().enumerate() {
        // `tpvc lint` says that nobody has a tag (T115), or that its limits contradict each other (T121).
        let is_told = || {
            known.iter().any(|known| {
                matches!(known.code, Code::UnmatchedDestination | Code::MinimumAboveMaximum)
                    && known.points_to(destination.span)
            })
        };
        if destination.common.is_abstract
            || silences(&destination.common.no_qa_codes, Code::UnreachableDestination)
            || is_told()
        {
            continue;
        }
        let Some(mut refused) = refused(config, reach, index) else { continue };
        // Nor is it told again where the tools require a tag that no destination has (T114).
        let all = reach.reached.iter().filter(|reached| reached.end.is_none()).count();
        let lacking = refused.iter().filter(|(reason, _)| lacks(&reason.why, unoffered));
        if lacking.map(|(_, tools)| tools.len()).max() == Some(all) {
            continue;
        }
        refused.sort_by_key(|(_, tools)| std::cmp::Reverse(tools.len()));
        let at = refused.first().and_then(|(reason, _)| reason.at);
        let whys = refused.into_iter().map(|(reason, tools)| (&reason.why, tools)).collect();
        groups.entry(whys).or_insert_with(|| (Vec::new(), at)).0.push(destination);
    }
    for (whys, (destinations, at)) in &groups {
        linter.report(unreached(whys, destinations, *at));
    }
}

/// The reasons why a destination takes no jobs at all; `None` if it may take some, or is switched off.
fn refused<'r>(config: &'r Config, reach: &'r Reach, index: usize) -> Option<Vec<Refused<'r>>> {
    let going = || reach.reached.iter().filter(|reached| reached.end.is_none());
    let may_go =
        |reached: &Reached| reached.unless_declared || !matches!(reached.verdicts.get(index), Some(Verdict::Never(_)));
    if going().any(may_go) {
        return None;
    }
    let mut whys: IndexMap<&Why, Refused<'_>> = IndexMap::new();
    for reached in going() {
        let tool = match reached.jobs_of {
            JobsOf::Tool(index) => config.tools.get_index(index).map_or("", |(id, _)| id),
            JobsOf::Other => "any other tool",
            JobsOf::UserDefined => "user-defined tools",
        };
        let Some(Verdict::Never(reasons)) = reached.verdicts.get(index) else { continue };
        for reason in reasons {
            whys.entry(&reason.why).or_insert_with(|| (reason, Vec::new())).1.push(tool);
        }
    }
    let is_switched_off = whys.contains_key(&Why::Fails);
    (!is_switched_off && !whys.is_empty()).then(|| whys.into_values().collect())
}

fn unreached(whys: &[Keeping<'_>], destinations: &[&Entity], at: Option<Span>) -> Finding {
    let span = destinations.first().map(|destination| destination.span).unwrap_or_default();
    let names: Vec<String> = destinations.iter().map(|destination| format!("`{}`", destination.id)).collect();
    let (nouns, label) = match names.len() {
        1 => ("destination", "it takes no job of any tool, role or user"),
        _ => ("destinations", "they take no job of any tool, role or user"),
    };
    let mut diagnostic =
        Diagnostic::warning(format!("no job can reach the {nouns} {}", joined(&names))).at(span, label);
    for destination in destinations.iter().take(MOST_NAMES).skip(1) {
        diagnostic = diagnostic.also(destination.span, "");
    }
    if let Some(at) = at.filter(|at| *at != span) {
        diagnostic = diagnostic.also(at, "");
    }
    for (why, tools) in whys.iter().take(MOST_GROUPS) {
        diagnostic = diagnostic.note(format!("of {}: it {why}", listed(tools)));
    }
    Finding::new(
        Code::UnreachableDestination,
        diagnostic.help("change its tags or limits, or remove it; `# noqa: T202` below its name if it is switched off"),
    )
}
