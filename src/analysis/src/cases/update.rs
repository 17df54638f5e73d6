//! `--update`: writes the answers of failing cases into their file. Only the values that change are replaced in its text, so that
//! comments, order and writing stay.

use std::ops::Range;

use tpv_galaxy::answer::{Answer, Field};
use tpv_galaxy::json::Json;
use tpv_model::Quantity;
use tpv_runtime::resubmit::Chain;

use super::expect::{Mismatch, Subject, shown};
use super::flow::{flow, scalar};
use super::run::Outcome;
use super::{Case, TestFile};
use tpv_text::source::{SourceMap, Span};
use tpv_text::splice::splice;
use tpv_yaml::value::{ConfigValue, ValueKind};

/// The result of updating a file.
#[derive(Debug, Default)]
pub struct Updated {
    /// Its new text.
    pub text: String,
    /// The changes as lines, each with the case's index.
    pub changes: Vec<(usize, String)>,
    /// The values that could not be recorded and the reason, each with the case's index.
    pub left: Vec<(usize, String)>,
}

/// A piece of the text and what takes its place.
struct Edit {
    case: usize,
    range: Range<usize>,
    text: String,
    what: String,
}

/// The file with the answers of its cases in place of what was expected of those that fail; `outcomes` are those of its cases, nothing
/// for one that did not run.
pub fn update(file: &TestFile, outcomes: &[Option<&Outcome>], sources: &SourceMap) -> Updated {
    let text = sources.get(file.source).map(|source| source.text.clone()).unwrap_or_default();
    let mut edits = Vec::new();
    let mut updated = Updated::default();
    for (index, (case, outcome)) in file.cases.iter().zip(outcomes).enumerate() {
        let Some(outcome) = outcome.filter(|outcome| !outcome.mismatches.is_empty()) else { continue };
        let mut recording = Recording { text: &text, index, case, edits: Vec::new(), left: Vec::new() };
        recording.record(outcome);
        updated.left.extend(recording.left.into_iter().map(|why| (index, why)));
        edits.extend(recording.edits);
    }
    edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
    let mut kept: Vec<Edit> = Vec::new();
    for edit in edits {
        match kept.last() {
            // An anchor's value stands for several cases.
            Some(last) if last.range == edit.range && !edit.range.is_empty() && last.text == edit.text => {}
            Some(last) if edit.range.start < last.range.end => {
                updated
                    .left
                    .push((edit.case, format!("{}: another case has the same place, with another answer", edit.what)));
            }
            _ => kept.push(edit),
        }
    }
    updated.text = splice(&text, kept.iter().map(|edit| (edit.range.clone(), &*edit.text)));
    updated.changes = kept.into_iter().map(|edit| (edit.case, edit.what)).collect();
    updated
}

/// Records the answer of one case.
struct Recording<'a> {
    text: &'a str,
    index: usize,
    case: &'a Case,
    edits: Vec<Edit>,
    left: Vec<String>,
}

impl Recording<'_> {
    fn record(&mut self, outcome: &Outcome) {
        if let Some((chain, _)) = &outcome.chain {
            return self.record_attempts(outcome, chain);
        }
        if outcome.mismatches.iter().any(|mismatch| mismatch.subject.is_none()) {
            return self.record_whole(&outcome.answer);
        }
        for mismatch in &outcome.mismatches {
            self.record_one(mismatch);
        }
    }

    /// The values of attempts. Their number, and which of them end in an error, is for people to decide: it is what `ends` says.
    fn record_attempts(&mut self, outcome: &Outcome, chain: &Chain) {
        for mismatch in &outcome.mismatches {
            let number = mismatch.attempt.unwrap_or_default();
            if mismatch.subject.is_some() {
                self.record_one(mismatch);
                continue;
            }
            let expected = (number as usize).checked_sub(1).and_then(|index| self.case.attempts.get(index));
            let attempt = chain.attempts.iter().find(|attempt| attempt.number == number);
            match (expected, attempt) {
                (Some(expected), Some(attempt)) if expected.expect.is_empty() && expected.ends.is_none() => {
                    let what = format!("attempt {number} expects {}", outcome_of(&attempt.answer));
                    self.insert(&expected.holder, &whole(&attempt.answer), what);
                }
                _ => self.left.push(format!("attempt {number}: decide by hand how the attempts end")),
            }
        }
    }

    fn edit(&mut self, range: Range<usize>, text: String, what: String) {
        self.edits.push(Edit { case: self.index, range, text, what });
    }

    /// The whole answer, where another sort of answer or nothing is expected.
    fn record_whole(&mut self, answer: &Answer) {
        let holder = self.case.holder.clone();
        let Some(map) = holder.as_map() else { return };
        let fields = whole(answer);
        let what = format!("expects {}", outcome_of(answer));
        if self.case.expect.is_empty() {
            if self.case.is_row {
                return self.insert(&holder, &fields, what);
            }
            if let Some(entry) = map.entry("expect") {
                // `expect:` with nothing behind it, or `{}`.
                let start = entry.key.span.range().end + 1;
                let end = end_of(&entry.value, self.text).max(start);
                return self.edit(start..end, format!(" {}", flow(&fields)), what);
            }
            let expect = Json::Object(fields.into_iter().map(|(key, value)| (key.into(), value)).collect());
            return self.insert(&holder, &[("expect", expect)], what);
        }
        match map.get("expect").filter(|_| !self.case.is_row) {
            Some(value) if self.is_own(value.span) => {
                let range = value.span.range().start..end_of(value, self.text);
                let text = if self.is_flow(value) { flow(&fields) } else { self.block(&fields, range.start) };
                self.edit(range, text, what);
            }
            _ => self.left.push("other rows share these expectations: change them by hand".to_owned()),
        }
    }

    /// One value that is not as expected.
    fn record_one(&mut self, mismatch: &Mismatch) {
        let (Some(subject), Some(at)) = (&mismatch.subject, mismatch.at) else { return };
        let name = mismatch.name();
        let Some(value) = &mismatch.value else {
            self.left.push(format!("{name}: decide by hand what must or must not happen"));
            return;
        };
        let what = format!("{name}: {} -> {}", mismatch.expected, shown(value));
        if self.is_own(at) {
            return self.edit(self.start_of(at)..self.trimmed_end(at), scalar(value), what);
        }
        let key = match subject {
            Subject::Destination => "destination",
            Subject::Runner => "runner",
            Subject::Amount(quantity) => quantity.name(),
            _ => {
                self.left.push(format!("{name}: several cases share what they expect: change it by hand"));
                return;
            }
        };
        if self.case.is_row {
            self.insert(&self.case.holder.clone(), &[(key, value.clone())], what);
        } else {
            self.left.push(format!("{name}: it is in another place, which other cases share: change it by hand"));
        }
    }

    /// Returns `true` if a place is in the case's own mapping.
    fn is_own(&self, span: Span) -> bool {
        let holder = &self.case.holder;
        holder.span.start <= span.start && self.trimmed_end(span) <= end_of(holder, self.text)
    }

    /// The end of a span's text, without the line break after a block (`|`, `>-`).
    fn trimmed_end(&self, span: Span) -> usize {
        self.text.get(span.range()).map_or(span.range().end, |text| span.range().start + text.trim_end().len())
    }

    /// The start of a value: that of a block (`|`, `>-`) includes its header in the line before.
    fn start_of(&self, span: Span) -> usize {
        let before = self.text.get(..span.range().start).unwrap_or_default();
        let header = before.trim_end();
        let is_below = before.get(header.len()..).is_some_and(|blanks| blanks.contains('\n'));
        let mark = header.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-'));
        match mark.strip_suffix(['|', '>']) {
            Some(key) if is_below && key.ends_with(' ') => key.len(),
            _ => span.range().start,
        }
    }

    fn is_flow(&self, value: &ConfigValue) -> bool {
        self.text.get(value.span.range().start..).is_some_and(|text| text.starts_with(['{', '[']))
    }

    /// Adds keys to a mapping of the case's own.
    fn insert(&mut self, holder: &ConfigValue, fields: &[(&str, Json)], what: String) {
        let Some(map) = holder.as_map() else { return };
        if self.is_flow(holder) {
            let end = end_of(holder, self.text).saturating_sub(1);
            let before = self.text.get(..end).unwrap_or_default().trim_end();
            let separator = if before.ends_with([',', '{']) { " " } else { ", " };
            let body: Vec<String> = fields.iter().map(|(key, value)| format!("{key}: {}", scalar(value))).collect();
            return self.edit(before.len()..before.len(), format!("{separator}{}", body.join(", ")), what);
        }
        let (Some(first), Some(last)) = (map.entries.first(), map.entries.last()) else { return };
        let key = last.key.span.range().end;
        let end = if last.value.span.range().start < key { key } else { end_of(&last.value, self.text) };
        let rest = self.text.get(end..).unwrap_or_default();
        // A comment behind the last value stays there.
        let at = end + rest.find('\n').unwrap_or(rest.len());
        let start = first.key.span.range().start;
        self.edit(at..at, format!("{}{}", self.line_break(start), self.block(fields, start)), what);
    }

    /// A line break, and the blanks that stand before what is at `start`.
    fn line_break(&self, start: usize) -> String {
        let before = self.text.get(..start).unwrap_or_default();
        let column = before.rsplit('\n').next().map_or(0, |line| line.chars().count());
        format!("\n{}", " ".repeat(column))
    }

    /// Keys below one another, of which the first stands at `start`.
    fn block(&self, fields: &[(&str, Json)], start: usize) -> String {
        let lines: Vec<String> = fields.iter().map(|(key, value)| format!("{key}: {}", scalar(value))).collect();
        lines.join(&self.line_break(start))
    }
}

/// The end of a value's text: for a collection, after its last item, because its span may end further on.
fn end_of(value: &ConfigValue, text: &str) -> usize {
    let range = value.span.range();
    // The value of an alias stands before it, with its anchor.
    let inside = |value: &ConfigValue, from: usize| (value.span.range().start >= from).then(|| end_of(value, text));
    let last = match &value.kind {
        ValueKind::Map(map) => map
            .entries
            .iter()
            .map(|entry| {
                let key = entry.key.span.range().end;
                inside(&entry.value, key).unwrap_or(key)
            })
            .max(),
        ValueKind::List(items) => items.iter().filter_map(|item| inside(item, range.start)).max(),
        _ => return text.get(range.clone()).map_or(range.end, |text| range.start + text.trim_end().len()),
    };
    let is_flow = text.get(range.start..).is_some_and(|text| text.starts_with(['{', '[']));
    match (is_flow, last) {
        (true, last) => closing_bracket(text, last.unwrap_or(range.start + 1)),
        (false, Some(last)) => last,
        (false, None) => range.end,
    }
}

/// Behind the bracket that closes a collection whose last value ends at `from`.
fn closing_bracket(text: &str, from: usize) -> usize {
    let mut is_comment = false;
    for (at, c) in text.get(from..).unwrap_or_default().char_indices() {
        match c {
            '\n' => is_comment = false,
            '#' => is_comment = true,
            '}' | ']' if !is_comment => return from + at + 1,
            _ => {}
        }
    }
    text.len()
}

/// An answer in a few words: its destination, or its error.
fn outcome_of(answer: &Answer) -> String {
    let destination = || format!("destination {}", shown(&answer.get(Field::Id).unwrap_or(Json::Null)));
    answer.error_text().unwrap_or_else(destination)
}

/// The recorded parts of an answer if the case does not select any.
pub(super) fn whole(answer: &Answer) -> Vec<(&'static str, Json)> {
    if let Some((kind, message)) = answer.error() {
        let error = [("type", Json::str(kind)), ("message", Json::str(shown(message)))];
        return vec![("error", Json::Object(error.into_iter().map(|(key, value)| (key.into(), value)).collect()))];
    }
    let field = |name, field| (name, answer.get(field).unwrap_or(Json::Null));
    let mut fields = vec![field("destination", Field::Id)];
    fields.extend(Quantity::ALL.map(|quantity| field(quantity.name(), quantity.into())));
    fields.retain(|(name, value)| *name == "destination" || *value != Json::Null);
    fields
}
