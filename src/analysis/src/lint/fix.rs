//! Mends what has one answer: edits in the text of a config file, which keep all else in it, comments and layout included.
//!
//! Whatever is mended is linted anew before it is given: where an edit would bring a finding that was not there, or keep the config from
//! loading, it is left out.

use std::collections::{BTreeMap, HashSet};

use super::{Linted, Options, lint_inputs};
use tpv_config::{ConfigTexts, Input};
use tpv_text::code::Code;
use tpv_text::diagnostic::{Applicability, Diagnostic, Edit};
use tpv_text::finding::Finding;
use tpv_text::source::{SourceId, SourceMap, is_url};
use tpv_text::splice::splice;

/// The most runs of the linter that leave out the edits which new findings point to.
const MOST_ROUNDS: usize = 8;

/// The most further runs, which try halves of the edits.
const MOST_ATTEMPTS: usize = 64;

/// A file with its mended text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mended {
    /// The path.
    pub name: String,
    /// The text that it has.
    pub old: String,
    /// The mended one.
    pub new: String,
    /// The number of findings fixed.
    pub findings: usize,
    /// Those of them after whose fix jobs may get something else.
    pub to_look_at: usize,
}

/// The fixes of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fixed {
    /// The files that change.
    pub files: Vec<Mended>,
    /// The number of findings whose fix would cause others, and which were left unchanged.
    pub refused: usize,
}

/// Mends the findings of a run. Files that are fetched, read from stdin, filled in from templates or not loaded as a whole stay as they are.
pub fn fix(inputs: &[Input], linted: &Linted, options: &Options) -> Fixed {
    let mut attempt = Attempt::new(inputs, linted, options);
    let mut fixed = Fixed::default();
    for (id, source) in linted.sources.iter() {
        let is_lost = |finding: &Finding| {
            finding.code == Code::Unloadable && finding.span().is_some_and(|span| span.source == id)
        };
        let is_ours = !linted.findings.iter().any(is_lost)
            && !source.is_filled()
            && !is_url(&source.name)
            && &*source.name != "<stdin>"
            && attempt.texts.contains_key(&id);
        let findings = linted.findings.iter().enumerate();
        let mendable = findings.filter(|(_, finding)| {
            let fix = &finding.diagnostic.fix;
            !fix.is_empty() && fix.iter().all(|edit| edit.span.source == id)
        });
        let mendable: Vec<usize> = mendable.map(|(index, _)| index).collect();
        if mendable.is_empty() || !is_ours {
            continue;
        }
        let mended = attempt.kept(id, &mendable);
        fixed.refused += mendable.len() - mended.len();
        let (old, new) = (source.text.to_string(), attempt.text(id, &mended));
        if new != old {
            attempt.texts.insert(id, new.clone());
            attempt.mended.extend(&mended);
            let needs_look = |finding: &Finding| {
                finding.diagnostic.fix.iter().any(|edit| edit.applicability == Applicability::NeedsLook)
            };
            let to_look_at =
                mended.iter().filter_map(|index| linted.findings.get(*index)).filter(|one| needs_look(one));
            let (name, findings, to_look_at) = (source.name.to_string(), mended.len(), to_look_at.count());
            fixed.files.push(Mended { name, old, new, findings, to_look_at });
        }
    }
    fixed
}

/// The config with what is mended so far.
struct Attempt<'a> {
    linted: &'a Linted,
    options: &'a Options,
    /// The texts of the inputs, and which of the inputs they are.
    texts: BTreeMap<SourceId, String>,
    inputs: Vec<Input>,
    /// The findings that are mended, by their place in the run.
    mended: Vec<usize>,
}

impl<'a> Attempt<'a> {
    fn new(inputs: &[Input], linted: &'a Linted, options: &'a Options) -> Self {
        let named =
            |name: &str| linted.sources.iter().find(|(_, source)| *source.name == *tpv_text::source::redacted(name));
        let mut texts = BTreeMap::new();
        let inputs = inputs.iter().map(|input| match input {
            Input::Named(name) => match named(name) {
                Some((id, source)) => {
                    texts.insert(id, source.text.to_string());
                    Input::Text(id)
                }
                None => input.clone(),
            },
            other => other.clone(),
        });
        let inputs = inputs.collect();
        Self { linted, options, texts, inputs, mended: Vec::new() }
    }

    /// Those of some findings of a file that can be mended together. What mending all of them brings says which to leave out; where it
    /// does not, halves of them are tried.
    fn kept(&self, id: SourceId, findings: &[usize]) -> Vec<usize> {
        let mut findings = findings.to_vec();
        for _ in 0..MOST_ROUNDS {
            let brought = self.brought(id, &findings);
            if brought.is_empty() {
                return findings;
            }
            let blamed = self.blamed(id, &findings, &brought);
            if blamed.is_empty() {
                break;
            }
            findings.retain(|index| !blamed.contains(index));
        }
        let (mut kept, mut open) = (Vec::new(), vec![findings]);
        for _ in 0..MOST_ATTEMPTS {
            let Some(mut part) = open.pop() else { break };
            let both = [kept.as_slice(), &part].concat();
            if self.brought(id, &both).is_empty() {
                kept = both;
            } else if part.len() > 1 {
                let rest = part.split_off(part.len() / 2);
                open.extend([rest, part]);
            }
        }
        kept.sort_unstable();
        kept
    }

    /// The edits of some findings with the findings that they are of, in order; of those that overlap the first.
    fn edits(&self, findings: &[usize]) -> Vec<(&'a Edit, usize)> {
        let mut edits: Vec<(&Edit, usize)> = Vec::new();
        for index in findings.iter().copied() {
            let finding = self.linted.findings.get(index);
            edits.extend(finding.into_iter().flat_map(|finding| &finding.diagnostic.fix).map(|edit| (edit, index)));
        }
        edits.sort_by_key(|(edit, _)| edit.span);
        edits.dedup_by(|(next, _), (edit, _)| next.span.start < edit.span.end || next == edit);
        edits
    }

    /// The text of a file with what some findings ask for.
    fn text(&self, id: SourceId, findings: &[usize]) -> String {
        let Some(old) = self.texts.get(&id) else { return String::new() };
        splice(old, self.edits(findings).into_iter().map(|(edit, _)| (edit.span.range(), &*edit.text)))
    }

    /// Lints the config with these findings of a file mended, and gives the findings that are new. None if the edits can be made.
    fn brought(&self, id: SourceId, findings: &[usize]) -> Vec<Diagnostic> {
        let mut sources = SourceMap::new();
        for (other, source) in self.linted.sources.iter() {
            match self.texts.get(&other) {
                _ if other == id => sources.add(&source.name, &self.text(id, findings)),
                Some(text) => sources.add(&source.name, text),
                None => sources.add(&source.name, &source.text),
            };
        }
        let mut after = lint_inputs(&self.inputs, &ConfigTexts { sources, version: self.linted.version }, self.options);
        let mended: HashSet<usize> = findings.iter().chain(&self.mended).copied().collect();
        let allowed = counts(self.linted, |index| !mended.contains(&index));
        let found = counts(&after, |_| true);
        let kinds: Vec<Kind> = after.findings.iter().map(|finding| kind(finding, &after.sources)).collect();
        let mut kinds = kinds.iter().map(|kind| found.get(kind) > allowed.get(kind));
        after.findings.retain(|_| kinds.next().unwrap_or_default());
        after.findings.into_iter().map(|finding| finding.diagnostic).collect()
    }

    /// The findings whose edits are at a place that a diagnostic of the mended text points to; of several the last.
    fn blamed(&self, id: SourceId, findings: &[usize], brought: &[Diagnostic]) -> HashSet<usize> {
        // Where the edits are in the mended text.
        let mut edits: Vec<(usize, usize, usize)> = Vec::new();
        let (mut old, mut new) = (0, 0);
        for (edit, index) in self.edits(findings) {
            let range = edit.span.range();
            new += range.start.saturating_sub(old);
            edits.push((new, new + edit.text.len(), index));
            (old, new) = (range.end, new + edit.text.len());
        }
        let labels = brought.iter().flat_map(|diagnostic| {
            let labels = diagnostic.primary.iter().chain(&diagnostic.secondary).filter(|label| label.span.source == id);
            labels
                .filter_map(|label| {
                    let range = label.span.range();
                    let before = edits.partition_point(|(start, ..)| *start < range.end);
                    let last = before.checked_sub(1).and_then(|last| edits.get(last));
                    last.filter(|(_, end, _)| *end > range.start)
                })
                .max()
        });
        labels.map(|(_, _, index)| *index).collect()
    }
}

/// File, code and message: equal for findings that count as the same.
type Kind = (String, Code, String);

fn kind(finding: &Finding, sources: &SourceMap) -> Kind {
    let source = finding.span().and_then(|span| sources.get(span.source));
    let file = source.map_or_else(String::new, |source| source.name.to_string());
    (file, finding.code, finding.diagnostic.message.clone())
}

/// The number of findings of each kind.
fn counts(linted: &Linted, wanted: impl Fn(usize) -> bool) -> BTreeMap<Kind, usize> {
    let mut counts = BTreeMap::new();
    for (_, finding) in linted.findings.iter().enumerate().filter(|(index, _)| wanted(*index)) {
        *counts.entry(kind(finding, &linted.sources)).or_default() += 1;
    }
    counts
}
