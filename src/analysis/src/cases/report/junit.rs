//! Cases as JUnit XML, a suite a test file.

use super::{Ran, text::lines};
use crate::junit::{self, Outcome, Suite};
use tpv_text::source::SourceMap;

/// The cases as test suites.
pub fn junit(cases: &[Ran<'_>], sources: &SourceMap) -> String {
    let mut suites: Vec<Suite> = Vec::new();
    for ran in cases {
        let outcome = match ran.outcome.mismatches.split_first() {
            None => Outcome::Passed,
            Some((first, _)) => {
                let text: String = ran.outcome.mismatches.iter().map(lines).collect();
                let name = first.name();
                let message = match first.expected.as_str() {
                    "" => format!("{name}: {}", first.came),
                    expected => format!("{name}: expected {expected}, got {}", first.came),
                };
                Outcome::Failed { kind: "mismatch", message, text }
            }
        };
        let case = junit::Case { name: ran.case.name.clone(), line: Some(ran.line(sources)), outcome };
        match suites.last_mut().filter(|suite| suite.name == ran.file.name) {
            Some(suite) => suite.cases.push(case),
            None => suites.push(Suite { name: ran.file.name.clone(), cases: vec![case] }),
        }
    }
    junit::junit("tpvc test", &suites)
}
