//! T301: ordinary jobs that no destination accepts, of any size or of some.

use indexmap::IndexMap;
use tpv_analysis::check::reach::JobEnd;
use tpv_analysis::check::{Linter, Told, Why, listed};
use tpv_config::Config;
use tpv_model::{EntityClass, TagType};
use tpv_runtime::mapper::explain::Reason;
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::figures::count;
use tpv_text::finding::{Finding, silences};
use tpv_text::source::Span;

use super::sizes::{GIB, ORDINARY, near, shown};
use super::tool::{Point, Tool};
use super::trial::{Outcome, Trial, Watched};
use super::words::{whose, with_tools};

/// More groups of destinations are not told apart in a finding.
const MOST_GROUPS: usize = 3;

/// The causes that keep jobs from each destination; equal for tools that share a finding.
type Cause = Vec<Vec<Why>>;

/// The destinations that are not abstract, with the reasons why they do not accept a job.
pub(super) type Reasons = Vec<(String, Vec<Why>)>;

/// The sizes that no destination takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Lost {
    /// All that were tried.
    All,
    /// These bytes and more.
    From(i64),
    /// Less than these bytes.
    Below(i64),
}

/// Looks at all tools but those in `told`.
pub(super) fn check(linter: &mut Linter<'_>, trial: &Trial, tools: &[Tool<'_>], told: &Told) {
    let mut groups: IndexMap<(Lost, Cause), (Vec<&Tool<'_>>, i64, Watched)> = IndexMap::new();
    for tool in tools.iter().filter(|tool| !told.contains(&tool.index)) {
        if silences(&tool.entity.common.no_qa_codes, Code::NoDestination) {
            continue;
        }
        let Some((lost, bytes)) = lost(trial, tool) else { continue };
        let Some((Outcome::Nowhere, watched)) = trial.watch(&tool.job(bytes)) else { continue };
        let group = groups.entry((lost, cause(&watched))).or_insert_with(|| (Vec::new(), bytes, watched));
        group.0.push(tool);
    }
    for ((lost, _), (tools, bytes, watched)) in &groups {
        let finding = finding(linter.config, *lost, tools, *bytes, watched);
        linter.report(finding);
    }
}

/// The sizes of a tool's jobs that get no destination, and one of them.
fn lost(trial: &Trial, tool: &Tool<'_>) -> Option<(Lost, i64)> {
    let is_nowhere = |point: &&Point| point.end == JobEnd::Nowhere;
    let is_mapped = |point: &&Point| point.end.is_accepted();
    let first = tool.points.iter().find(is_nowhere)?;
    if !tool.points.iter().any(|point| is_mapped(&point)) {
        let bytes = if tool.end() == Some(&JobEnd::Nowhere) { ORDINARY } else { first.bytes };
        return Some((Lost::All, bytes));
    }
    let last = tool.points.iter().rfind(is_nowhere)?;
    if let Some(below) = tool.points.iter().rfind(|point| point.bytes < first.bytes && is_mapped(point)) {
        let border = border(trial, tool, below.bytes, first.bytes)?;
        return Some((Lost::From(border), border));
    }
    let above = tool.points.iter().find(|point| point.bytes > last.bytes && is_mapped(point))?;
    let border = border(trial, tool, last.bytes, above.bytes)?;
    Some((Lost::Below(border), first.bytes))
}

/// The least size that ends otherwise than `low`; `high` does. To the nearest MiB, or to a byte where code compares with such a size.
fn border(trial: &Trial, tool: &Tool<'_>, mut low: i64, mut high: i64) -> Option<i64> {
    let is_nowhere = |bytes| Some(matches!(trial.map(&tool.job(bytes))?, Outcome::Nowhere));
    let at_high = is_nowhere(high)?;
    while high - low > (1 << 20).min(high / 1000).max(1) {
        let middle = low + (high - low) / 2;
        match is_nowhere(middle)? == at_high {
            true => high = middle,
            false => low = middle,
        }
    }
    // A short number beyond it, as long as it is on this side of a further border.
    let short = near(high, true).find(|bytes| *bytes <= high + high / 20 && is_nowhere(*bytes) == Some(at_high));
    Some(short.unwrap_or(high))
}

/// The reasons of each destination, without amounts.
fn cause(watched: &Watched) -> Cause {
    reasons(watched).into_iter().map(|(_, whys)| whys.iter().map(Why::cause).collect()).collect()
}

/// The destinations that are not abstract, with the reasons why they do not accept a job.
pub(super) fn reasons(watched: &Watched) -> Reasons {
    let whys = |(id, reasons): &(String, Vec<Reason>)| (id.clone(), reasons.iter().map(Why::from).collect::<Vec<_>>());
    watched.refused.iter().map(whys).filter(|(_, whys)| !whys.contains(&Why::Abstract)).collect()
}

/// Adds what keeps a job from each destination, those with the same reasons together.
pub(super) fn with_reasons(mut diagnostic: Diagnostic, watched: &Watched) -> Diagnostic {
    let all = reasons(watched);
    let mut groups: IndexMap<&[Why], Vec<&str>> = IndexMap::new();
    for (id, whys) in &all {
        groups.entry(whys).or_default().push(id);
    }
    // Those that come closest to accepting it stand first.
    groups.sort_by(|one, ids, other, others| (one.len(), others.len()).cmp(&(other.len(), ids.len())));
    for (whys, ids) in groups.iter().take(MOST_GROUPS) {
        let whys: Vec<String> = whys.iter().map(ToString::to_string).collect();
        diagnostic = diagnostic.note(format!("{}: {}", listed(ids), whys.join("; ")));
    }
    let rest: usize = groups.values().skip(MOST_GROUPS).map(Vec::len).sum();
    if rest > 0 {
        diagnostic = diagnostic
            .note(format!("{} for further reasons, which `--explain` shows", count(rest as u64, "more destination")));
    }
    diagnostic
}

/// The place where somebody requires a tag that keeps the job out of most destinations.
fn required_at(config: &Config, watched: &Watched) -> Option<(String, Span)> {
    let mut counts: IndexMap<String, usize> = IndexMap::new();
    for why in reasons(watched).into_iter().flat_map(|(_, whys)| whys) {
        if let Why::Lacks(tag) = why {
            *counts.entry(tag).or_default() += 1;
        }
    }
    let (tag, _) = counts.into_iter().max_by_key(|(_, count)| *count)?;
    let entities = EntityClass::MATCHED.into_iter().flat_map(|class| config.section(class).values());
    let mut tags = entities.flat_map(|entity| entity.commons()).flat_map(|common| common.tags.get(TagType::Require));
    tags.find(|own| own.as_str() == tag).map(|own| (tag.clone(), own.span))
}

/// The message about tools, without what else is known of the jobs.
fn message(lost: Lost, tools: &[&Tool<'_>]) -> String {
    let whose = whose(tools);
    match lost {
        Lost::All => format!("ordinary jobs {whose} get no destination"),
        Lost::From(bytes) => format!("jobs {whose} get no destination with inputs of {} and more", shown(bytes)),
        Lost::Below(bytes) if bytes < GIB / 1000 => format!("jobs {whose} get no destination without inputs"),
        Lost::Below(bytes) => format!("jobs {whose} get no destination with inputs of less than {}", shown(bytes)),
    }
}

fn finding(config: &Config, lost: Lost, tools: &[&Tool<'_>], bytes: i64, watched: &Watched) -> Finding {
    let span = tools.first().map(|tool| tool.entity.span).unwrap_or_default();
    let label = match lost {
        Lost::All => "`No destinations are available to fulfill request`",
        Lost::From(_) | Lost::Below(_) => "others of its jobs do get one",
    };
    let mut diagnostic = Diagnostic::warning(message(lost, tools)).at(span, label);
    if let Some((tag, at)) = required_at(config, watched).filter(|(_, at)| *at != span) {
        diagnostic = diagnostic.also(at, format!("`{tag}` is required here"));
    }
    diagnostic = with_tools(with_reasons(diagnostic, watched), tools, bytes);
    let is_amount = reasons(watched).iter().flat_map(|(_, whys)| whys).any(|why| why.quantity().is_some());
    let help = match (lost, is_amount) {
        (Lost::From(_), true) => "limit what the tool asks for, as `max_mem` does, or raise what a destination accepts",
        (_, true) => "ask for less, or raise what a destination accepts",
        (_, false) => "change the tags of the tool, or those of a destination that is to take it",
    };
    Finding::new(Code::NoDestination, diagnostic.help(help))
}
