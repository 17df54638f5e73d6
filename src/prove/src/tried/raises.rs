//! T302: code that fails for ordinary jobs.

use indexmap::IndexMap;
use tpv_analysis::check::{Linter, Unproved};
use tpv_analysis::explain::word_at;
use tpv_analysis::lint;
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::finding::{Finding, silences};
use tpv_text::source::Span;

use super::sizes::ORDINARY;
use super::tool::{End, Tool};
use super::{whose, with_job, with_names};

/// Looks at all tools. Returns what is only known with a database or a network.
pub(super) fn check(linter: &mut Linter<'_>, tools: &[Tool<'_>]) -> Vec<Unproved> {
    let mut groups: IndexMap<(Option<Span>, String), Vec<&Tool<'_>>> = IndexMap::new();
    let mut away: IndexMap<Option<Span>, (usize, String)> = IndexMap::new();
    for tool in tools {
        let is_away = match tool.end() {
            Some(End::Away) => true,
            Some(End::Raised) => false,
            _ => continue,
        };
        let error = tool.ordinary.error.clone().unwrap_or_default();
        let place = tool.ordinary.trace.as_ref().and_then(|trace| trace.place());
        let span = place.and_then(|place| word_at(linter.sources, place));
        if is_away {
            away.entry(span).or_insert((0, error)).0 += 1;
        } else if !silences(&tool.entity.common.no_qa_codes, Code::RaisesForOrdinary) {
            let class = error.split(':').next().unwrap_or_default().to_owned();
            groups.entry((span, class)).or_default().push(tool);
        }
    }
    if !groups.is_empty() {
        let known = lint::findings(linter);
        let line = |span: Span| (span.source, linter.sources.place(span).line);
        let lines: Vec<_> = known.iter().filter_map(Finding::span).map(line).collect();
        let told = |span: &Option<Span>| span.is_some_and(|span| lines.contains(&line(span)));
        let findings: Vec<Finding> = groups
            .iter()
            .filter(|((span, _), _)| !told(span))
            .map(|((span, _), tools)| finding(*span, tools))
            .collect();
        findings.into_iter().for_each(|finding| linter.report(finding));
    }
    let untried = away.into_iter().map(|(span, (count, error))| {
        let jobs = if count == 1 { "the jobs of one tool".to_owned() } else { format!("the jobs of {count} tools") };
        let message =
            format!("{jobs} end here in `{error}` while the database or the network is away, as it is for this check");
        Unproved { message, span }
    });
    untried.collect()
}

fn finding(span: Option<Span>, tools: &[&Tool<'_>]) -> Finding {
    let first = tools.first();
    let error = first.and_then(|tool| tool.ordinary.error.as_deref()).unwrap_or_default();
    let message = format!("ordinary jobs {} end in `{error}`", whose(tools));
    let at = span.or_else(|| first.map(|tool| tool.entity.span)).unwrap_or_default();
    let mut diagnostic = with_names(Diagnostic::warning(message).at(at, "raised here"), tools);
    if let Some(tool) = first {
        diagnostic = with_job(diagnostic, &tool.job(ORDINARY));
    }
    let help = "make the code work for such a job, which has no parameters and one input";
    Finding::new(Code::RaisesForOrdinary, diagnostic.help(help))
}
