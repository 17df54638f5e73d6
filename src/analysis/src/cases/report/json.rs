//! Cases as JSON.

use serde_json::{Value, json};

use super::Ran;
use crate::cases::coverage::Coverage;
use tpv_text::source::SourceMap;

/// One object: the counts, all cases, and the coverage of each set of configs where that was asked for.
pub fn json(cases: &[Ran<'_>], sources: &SourceMap, coverage: Option<&[Coverage]>) -> String {
    let failed = cases.iter().filter(|ran| !ran.is_passed()).count();
    let all: Vec<Value> = cases.iter().map(|ran| case(*ran, sources)).collect();
    let mut out = json!({"tests": cases.len(), "passed": cases.len() - failed, "failed": failed, "cases": all});
    if let (Some(coverage), Some(fields)) = (coverage, out.as_object_mut()) {
        fields.insert("coverage".to_owned(), json!(coverage));
    }
    format!("{out:#}\n")
}

fn case(ran: Ran<'_>, sources: &SourceMap) -> Value {
    let mismatches: Vec<Value> = ran
        .outcome
        .mismatches
        .iter()
        .map(|mismatch| {
            json!({
                "of": mismatch.name(),
                "line": mismatch.at.map(|at| sources.place(at).line),
                "expected": mismatch.expected,
                "came": mismatch.came,
                "why": mismatch.why,
            })
        })
        .collect();
    json!({
        "file": ran.file.name,
        "line": ran.line(sources),
        "name": ran.case.name,
        "passed": ran.is_passed(),
        "mismatches": mismatches,
    })
}
