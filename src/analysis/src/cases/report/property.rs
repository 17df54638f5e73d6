//! The verdicts on properties.

use serde_json::{Value, json};

use super::{json, text};
use crate::cases::TestFile;
use crate::cases::property::{Judged, Property, Verdict};
use crate::junit;
use tpv_text::figures::count;
use tpv_text::printable::put_line;
use tpv_text::source::SourceMap;

/// A property with its verdict.
#[derive(Clone, Copy)]
pub struct Promise<'a> {
    /// Its file.
    pub file: &'a TestFile,
    /// The property.
    pub property: &'a Property,
    /// The verdict.
    pub judged: &'a Judged,
}

impl Promise<'_> {
    /// The verdict in a word.
    pub fn word(&self) -> &'static str {
        match self.judged.verdict {
            Verdict::Proved => "proved",
            Verdict::Refuted { .. } => "refuted",
            Verdict::Unknown(_) => "unknown",
        }
    }

    fn line(&self, sources: &SourceMap) -> usize {
        sources.place(self.property.at).line
    }

    /// The verdict for people: its place and name, and the job or the doubt.
    pub fn text(&self, sources: &SourceMap) -> String {
        let mut out = String::new();
        let word = if self.word() == "refuted" { "FAILED" } else { self.word() };
        put_line!(out, "{word}  {}:{}  {}", self.file.name, self.line(sources), self.property.name);
        out + &self.details()
    }

    fn details(&self) -> String {
        let mut out = String::new();
        match &self.judged.verdict {
            Verdict::Proved => {}
            Verdict::Refuted { job, mismatches } => {
                mismatches.iter().for_each(|mismatch| out += &text::lines(mismatch));
                put_line!(out, "    the job, for `tpvc dry-run CONFIG... --job - --explain`:");
                put_line!(out, "        {job}");
            }
            Verdict::Unknown(doubt) => {
                put_line!(out, "    not proved: {doubt}");
                put_line!(out, "    {} tried, and none breaks it", count(self.judged.tried as u64, "job"));
            }
        }
        out
    }

    /// The verdict for programs.
    pub(super) fn json(&self, sources: &SourceMap) -> Value {
        let mut out = json!({
            "file": self.file.name,
            "line": self.line(sources),
            "name": self.property.name,
            "verdict": self.word(),
            "tried": self.judged.tried,
        });
        let further = match &self.judged.verdict {
            Verdict::Proved => return out,
            Verdict::Refuted { job, mismatches } => vec![
                ("job", serde_json::from_str(job).unwrap_or(Value::Null)),
                ("mismatches", mismatches.iter().map(|mismatch| json::mismatch(mismatch, sources)).collect()),
            ],
            Verdict::Unknown(doubt) => vec![("why", json!(doubt.why)), ("at", json!(doubt.at))],
        };
        if let Some(fields) = out.as_object_mut() {
            fields.extend(further.into_iter().map(|(name, value)| (name.to_owned(), value)));
        }
        out
    }

    /// The verdict for CI servers.
    pub(super) fn junit(&self, sources: &SourceMap) -> junit::Case {
        let outcome = match &self.judged.verdict {
            Verdict::Proved => junit::Outcome::Passed,
            Verdict::Refuted { mismatches, .. } => {
                let of_one = |mismatch: &crate::cases::expect::Mismatch| {
                    format!("{}: expected {}, got {}", mismatch.name(), mismatch.expected, mismatch.came)
                };
                let message = mismatches.first().map_or_else(String::new, of_one);
                junit::Outcome::Failed { kind: "refuted", message, text: self.details() }
            }
            Verdict::Unknown(_) => junit::Outcome::Noted(self.details()),
        };
        junit::Case { name: self.property.name.clone(), line: Some(self.line(sources)), outcome }
    }
}
