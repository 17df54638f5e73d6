//! The forms in which findings are given: text for people, and what other programs read.

mod github;
mod group;
mod json;
mod junit;
mod others;
mod sarif;

pub use github::github;
pub use group::group;
pub use json::json;
pub use junit::junit;
pub use others::leave_to_others;
pub use sarif::sarif;

use super::Linted;
use tpv_text::finding::Finding;
use tpv_text::render::Render;
use tpv_text::source::{Place, SourceMap};

/// The findings as text: title, place, excerpt with carets, notes and help of each, with an empty line after it.
pub fn text(linted: &Linted, colour: bool) -> String {
    linted.findings.iter().map(|finding| finding.diagnostic.render(&linted.sources, colour) + "\n\n").collect()
}

/// File, start and end of a finding.
fn place<'a>(finding: &Finding, sources: &'a SourceMap) -> Option<(&'a str, Place, Place)> {
    let span = finding.span()?;
    let source = sources.get(span.source)?;
    let (source, range) = source.written(span.range());
    let place = |offset: usize| source.place(u32::try_from(offset).unwrap_or(u32::MAX));
    Some((&source.name, place(range.start), place(range.end)))
}

/// The word for the severity.
fn severity(finding: &Finding) -> &'static str {
    if finding.is_error() { "error" } else { "warning" }
}
