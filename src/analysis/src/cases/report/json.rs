//! Cases as JSON.

use serde_json::{Value, json};

use super::{Promise, Ran};
use crate::cases::coverage::Coverage;
use crate::cases::expect::Mismatch;
use tpv_text::source::SourceMap;

/// One object: the counts, all cases, the properties if there are any, and the coverage of each set of configs where that was asked for.
pub fn json(cases: &[Ran<'_>], promises: &[Promise<'_>], sources: &SourceMap, coverage: Option<&[Coverage]>) -> String {
    let failed = cases.iter().filter(|ran| !ran.is_passed()).count();
    let all: Vec<Value> = cases.iter().map(|ran| case(*ran, sources)).collect();
    let mut out = json!({"tests": cases.len(), "passed": cases.len() - failed, "failed": failed, "cases": all});
    let properties: Vec<Value> = promises.iter().map(|promise| promise.json(sources)).collect();
    if let (false, Some(fields)) = (properties.is_empty(), out.as_object_mut()) {
        fields.insert("properties".to_owned(), properties.into());
    }
    if let (Some(coverage), Some(fields)) = (coverage, out.as_object_mut()) {
        fields.insert("coverage".to_owned(), json!(coverage));
    }
    format!("{out:#}\n")
}

fn case(ran: Ran<'_>, sources: &SourceMap) -> Value {
    let mismatches: Vec<Value> = ran.outcome.mismatches.iter().map(|one| mismatch(one, sources)).collect();
    json!({
        "file": ran.file.name,
        "line": ran.line(sources),
        "name": ran.case.name,
        "passed": ran.is_passed(),
        "mismatches": mismatches,
    })
}

pub(super) fn mismatch(mismatch: &Mismatch, sources: &SourceMap) -> Value {
    json!({
        "of": mismatch.name(),
        "line": mismatch.at.map(|at| sources.place(at).line),
        "expected": mismatch.expected,
        "came": mismatch.came,
        "why": mismatch.why,
    })
}
