//! Findings as JUnit XML.

use super::{Linted, place, severity};
use crate::junit::{self, Case, Outcome, Suite};
use tpv_text::finding::Finding;
use tpv_text::render::Render;

/// The findings as test suites, one a file: each finding is a test case that fails where it makes the verb end with
/// status 1, so errors do, and with `strict` warnings too. A file without findings is one case that passes.
pub fn junit(runs: &[Linted], verb: &str, strict: bool) -> String {
    let suites: Vec<Suite> = runs.iter().flat_map(|linted| suites(linted, strict)).collect();
    junit::junit(verb, &suites)
}

fn case(finding: &Finding, linted: &Linted, strict: bool) -> Case {
    let (message, code) = (&finding.diagnostic.message, finding.code);
    let at = place(finding, &linted.sources).map(|(_, start, _)| start);
    let name = match at {
        Some(start) => format!("{code} at {}:{}: {message}", start.line, start.column),
        None => format!("{code}: {message}"),
    };
    let text = finding.diagnostic.render(&linted.sources, false).trim_end().to_owned();
    let outcome = if strict || finding.is_error() {
        Outcome::Failed { kind: severity(finding), message: message.clone(), text }
    } else {
        Outcome::Noted(text)
    };
    Case { name, line: at.map(|start| start.line), outcome }
}

/// The suites of one run: what belongs to no file, such as one that cannot be read, comes first.
fn suites(linted: &Linted, strict: bool) -> Vec<Suite> {
    let file_of = |finding: &Finding| place(finding, &linted.sources).map(|(file, ..)| file);
    let of = |file: Option<&str>| -> Vec<Case> {
        let findings = linted.findings.iter().filter(|finding| file_of(finding) == file);
        findings.map(|finding| case(finding, linted, strict)).collect()
    };
    let nowhere = of(None);
    let rest = (!nowhere.is_empty()).then(|| Suite { name: "config".to_owned(), cases: nowhere });
    let files = linted.sources.iter().map(|(_, source)| {
        let mut cases = of(Some(&source.name));
        if cases.is_empty() {
            cases.push(Case { name: "no findings".to_owned(), line: None, outcome: Outcome::Passed });
        }
        Suite { name: source.name.to_string(), cases }
    });
    rest.into_iter().chain(files).collect()
}
