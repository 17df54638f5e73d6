//! T302: code that fails for ordinary jobs.

use indexmap::IndexMap;
use tpv_analysis::check::reach::JobEnd;
use tpv_analysis::check::{Linter, Unproved};
use tpv_analysis::dry_job::DryJob;
use tpv_analysis::explain::word_at;
use tpv_analysis::lint;
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::finding::{Finding, silences};
use tpv_text::source::Span;

use super::each::Accepted;
use super::sizes::{ORDINARY, shown};
use super::tool::{Tool, whole};
use super::trial::{Outcome, Trial, Watched};
use super::words::{whose, with_job, with_names};

/// The tools of jobs that end at a place, with the error and one of the jobs, and the destination that it goes to only if others do not take it.
struct Group<'t, 'a> {
    tools: Vec<&'t Tool<'a>>,
    error: String,
    job: DryJob,
    /// The bytes of its input, if jobs of other sizes do not end so.
    size: Option<i64>,
    alternative: Option<&'a str>,
}

/// Looks at all tools, and at jobs of each destination. Returns the findings, and what is only known with a database or a network.
pub(super) fn check<'a>(
    linter: &Linter<'a>,
    trial: &Trial,
    tools: &[Tool<'a>],
    each: &[Accepted<'_, 'a>],
) -> (Vec<Finding>, Vec<Unproved>) {
    let mut groups: IndexMap<(Option<Span>, String), Group<'_, 'a>> = IndexMap::new();
    let mut away: IndexMap<Option<Span>, (usize, String)> = IndexMap::new();
    let mut add_away = |linter: &Linter<'_>, watched: &Watched| {
        let (error, span) = raised(linter, watched);
        away.entry(span).or_insert((0, error)).0 += 1;
    };
    for tool in tools {
        tool.away.iter().for_each(|watched| add_away(linter, watched));
        let is_away = match tool.end() {
            Some(JobEnd::Away) => true,
            Some(JobEnd::Raised) => false,
            _ => {
                of_sizes(linter, trial, tool, &mut groups);
                continue;
            }
        };
        let (error, span) = raised(linter, &tool.ordinary);
        if is_away {
            add_away(linter, &tool.ordinary);
        } else if !silences(&tool.entity.common.no_qa_codes, Code::RaisesForOrdinary) {
            let class = error.split(':').next().unwrap_or_default().to_owned();
            let group = || Group { tools: Vec::new(), error, job: tool.job(ORDINARY), size: None, alternative: None };
            groups.entry((span, class)).or_insert_with(group).tools.push(tool);
        }
    }
    for one in each.iter().filter(|one| one.is_alternative && matches!(one.outcome, Outcome::Raised)) {
        let (error, span) = raised(linter, &one.watched);
        let class = error.split(':').next().unwrap_or_default().to_owned();
        let is_silenced = silences(&one.destination.common.no_qa_codes, Code::RaisesForOrdinary);
        if one.watched.is_unavailable() || !one.job.params.is_empty() || is_silenced {
            continue;
        }
        let alternative = Some(&*one.destination.id);
        let group = || Group { tools: Vec::new(), error, job: one.job.clone(), size: None, alternative };
        let group = groups.entry((span, class)).or_insert_with(group);
        if group.alternative.is_some() && !group.tools.iter().any(|tool| tool.index == one.tool.index) {
            group.tools.push(one.tool);
        }
    }
    let findings = groups.iter().map(|((span, _), tools)| finding(*span, tools)).collect();
    let untried = away.into_iter().map(|(span, (count, error))| {
        let jobs = if count == 1 { "the jobs of one tool".to_owned() } else { format!("the jobs of {count} tools") };
        let message = format!("{jobs} end here in `{error}`, because the world of this check lacks what they ask for");
        Unproved { message, span }
    });
    (findings, untried.collect())
}

/// Reports findings, but for those in lines that lint has a finding for.
pub(super) fn report_new(linter: &mut Linter<'_>, mut findings: Vec<Finding>) {
    if findings.is_empty() {
        return;
    }
    let known = lint::findings(linter);
    let line = |span: Span| (span.source, linter.sources.place(span).line);
    let lines: Vec<_> = known.iter().filter_map(Finding::span).map(line).collect();
    findings.retain(|finding| finding.span().is_none_or(|span| !lines.contains(&line(span))));
    findings.into_iter().for_each(|finding| linter.report(finding));
}

/// Adds a job of another size than the ordinary one that ends in an exception, where that one does not.
fn of_sizes<'t, 'a>(
    linter: &Linter<'_>,
    trial: &Trial,
    tool: &'t Tool<'a>,
    groups: &mut IndexMap<(Option<Span>, String), Group<'t, 'a>>,
) {
    if silences(&tool.entity.common.no_qa_codes, Code::RaisesForOrdinary) {
        return;
    }
    let Some(point) = tool.points.iter().find(|point| point.end == JobEnd::Raised) else { return };
    let Some((job, Outcome::Raised, watched)) = whole(trial, tool.job(point.bytes)) else { return };
    if watched.is_unavailable() || !job.params.is_empty() {
        return;
    }
    let (error, span) = raised(linter, &watched);
    let class = error.split(':').next().unwrap_or_default().to_owned();
    let group = || Group { tools: Vec::new(), error, job, size: Some(point.bytes), alternative: None };
    groups.entry((span, class)).or_insert_with(group).tools.push(tool);
}

/// The error that ended a job, and the word that raised it.
pub(super) fn raised(linter: &Linter<'_>, watched: &Watched) -> (String, Option<Span>) {
    let place = watched.trace.as_ref().and_then(|trace| trace.place());
    (watched.error.clone().unwrap_or_default(), place.and_then(|place| word_at(linter.sources, place)))
}

fn finding(span: Option<Span>, group: &Group<'_, '_>) -> Finding {
    let Group { tools, error, job, size, alternative } = group;
    let message = match alternative {
        Some(destination) => format!("jobs {} end in `{error}` at the destination `{destination}`", whose(tools)),
        None => match size {
            Some(0) => format!("jobs {} without inputs end in `{error}`", whose(tools)),
            Some(bytes) => format!("jobs {} with inputs of {} end in `{error}`", whose(tools), shown(*bytes)),
            None => format!("ordinary jobs {} end in `{error}`", whose(tools)),
        },
    };
    let at = span.or_else(|| tools.first().map(|tool| tool.entity.span)).unwrap_or_default();
    let mut diagnostic = with_names(Diagnostic::warning(message).at(at, "raised here"), tools);
    diagnostic = match alternative {
        Some(destination) => diagnostic
            .note(format!("`{destination}` accepts them, but other destinations come first: these were switched off"))
            .note(format!("such a job: `{job}`")),
        None => with_job(diagnostic, job),
    };
    let help = "make the code work for such a job: what only some jobs have needs a default";
    Finding::new(Code::RaisesForOrdinary, diagnostic.help(help))
}
