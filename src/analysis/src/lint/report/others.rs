//! Findings in files that the site cannot edit.

use std::collections::BTreeMap;

use tpv_text::code::Code;
use tpv_text::finding::Finding;

use super::super::Linted;

/// Kinds that are about what the site's destinations do to tools, whoever wrote these.
const OF_SITE: [Code; 9] = [
    Code::ToolWithoutDestination,
    Code::UnacceptedSizes,
    Code::NoDestination,
    Code::RaisesForOrdinary,
    Code::FallsAsInputsGrow,
    Code::RefusedText,
    Code::GpusWithoutGpus,
    Code::ReplacedByDestination,
    Code::AlwaysAtLimit,
];

/// Leaves out the warnings that point to files of others alone, as `is_own` says of their names. Returns the number of these by file, the names as
/// messages have them. If no file is the site's own, none is left out. Of those that stay, each kind is shown once for a file of others.
pub fn leave_to_others(linted: &mut Linted, is_own: impl Fn(&str) -> bool) -> BTreeMap<String, usize> {
    let mut left = BTreeMap::new();
    let sources = &linted.sources;
    if !sources.iter().any(|(_, source)| is_own(&source.name)) {
        return left;
    }
    let name = |source| sources.get(source).map(|source| &*source.name);
    linted.findings.retain_mut(|finding: &mut Finding| {
        let labels = finding.diagnostic.primary.iter().chain(&finding.diagnostic.secondary);
        let mut names = labels.filter_map(|label| name(label.span.source)).peekable();
        let Some(first) = names.peek().copied() else { return true };
        let is_of_others = !is_own(first);
        // A kind that is shown once a file is about one value, whoever adds to its entity.
        let concerns_site = |name: &str| is_own(name) && !(is_of_others && finding.once_a_file);
        if finding.is_error() || OF_SITE.contains(&finding.code) || names.any(concerns_site) {
            finding.once_a_file |= is_of_others && !finding.is_error();
            return true;
        }
        *left.entry(first.to_owned()).or_default() += 1;
        false
    });
    left
}
