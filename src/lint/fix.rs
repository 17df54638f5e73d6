//! Mends what has one answer: edits in the text of a config file, which keep all else in it, comments and layout included.
//!
//! Whatever is mended is linted anew before it is given: where an edit would bring a finding that was not there, or keep the config from
//! loading, it is left out.

use std::collections::BTreeMap;

use super::{Linted, Options, lint_inputs};
use crate::config::Input;
use crate::diagnostic::Edit;
use crate::source::{SourceId, SourceMap, is_url};

/// A file with its mended text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mended {
    /// The path.
    pub name: String,
    /// The text that it has.
    pub old: String,
    /// The mended one.
    pub new: String,
    /// How many findings are mended.
    pub findings: usize,
}

/// What could be mended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fixed {
    /// The files that change.
    pub files: Vec<Mended>,
    /// How many findings have an answer that would bring others, and so were left as they are.
    pub refused: usize,
}

/// Mends the findings of a run. Files that are fetched, read from stdin or filled in from templates stay as they are.
pub fn fix(inputs: &[Input], linted: &Linted, options: &Options) -> Fixed {
    let mut attempt = Attempt::new(inputs, linted, options);
    let mut fixed = Fixed::default();
    for (id, source) in linted.sources.iter() {
        let is_ours = !source.is_filled()
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
        // All at once; where that does not do, one after the other.
        let mut mended = mendable.clone();
        if !attempt.succeeds(id, &mended) {
            mended.clear();
            for index in &mendable {
                mended.push(*index);
                if !attempt.succeeds(id, &mended) {
                    mended.pop();
                }
            }
        }
        fixed.refused += mendable.len() - mended.len();
        let (old, new) = (source.text.to_string(), attempt.text(id, &mended));
        if new != old {
            attempt.texts.insert(id, new.clone());
            attempt.mended.extend(&mended);
            fixed.files.push(Mended { name: source.name.to_string(), old, new, findings: mended.len() });
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
            |name: &str| linted.sources.iter().find(|(_, source)| *source.name == *crate::source::redacted(name));
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

    /// The edits of some findings, in order; of those that overlap the first.
    fn edits(&self, findings: &[usize]) -> Vec<&'a Edit> {
        let findings = findings.iter().filter_map(|index| self.linted.findings.get(*index));
        let mut edits: Vec<&Edit> = findings.flat_map(|finding| &finding.diagnostic.fix).collect();
        edits.sort_by_key(|edit| edit.span);
        edits.dedup_by(|next, edit| next.span.start < edit.span.end || next == edit);
        edits
    }

    /// The text of a file with what some findings ask for.
    fn text(&self, id: SourceId, findings: &[usize]) -> String {
        let Some(old) = self.texts.get(&id) else { return String::new() };
        let (mut out, mut at) = (String::with_capacity(old.len()), 0);
        for edit in self.edits(findings) {
            let range = edit.span.range();
            out.push_str(old.get(at..range.start).unwrap_or(""));
            out.push_str(&edit.text);
            at = range.end;
        }
        out + old.get(at..).unwrap_or("")
    }

    /// Whether the config loads with these findings of a file mended, and they are gone, and nothing is found that was not.
    fn succeeds(&self, id: SourceId, findings: &[usize]) -> bool {
        let mut sources = SourceMap::new();
        for (other, source) in self.linted.sources.iter() {
            match self.texts.get(&other) {
                _ if other == id => sources.add(&source.name, &self.text(id, findings)),
                Some(text) => sources.add(&source.name, text),
                None => sources.add(&source.name, &source.text),
            };
        }
        let after = lint_inputs(&self.inputs, &sources, self.options);
        let mut allowed = counts(self.linted, |index| !findings.contains(&index) && !self.mended.contains(&index));
        counts(&after, |_| true).into_iter().all(|(finding, count)| {
            let allowed = allowed.entry(finding).or_default();
            count <= *allowed
        })
    }
}

/// How many findings there are of each file, code and message.
fn counts(linted: &Linted, wanted: impl Fn(usize) -> bool) -> BTreeMap<(String, &'static str, String), usize> {
    let mut counts = BTreeMap::new();
    for (_, finding) in linted.findings.iter().enumerate().filter(|(index, _)| wanted(*index)) {
        let source = finding.span().and_then(|span| linted.sources.get(span.source));
        let file = source.map_or_else(String::new, |source| source.name.to_string());
        *counts.entry((file, finding.code, finding.diagnostic.message.clone())).or_default() += 1;
    }
    counts
}
