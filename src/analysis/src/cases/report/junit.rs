//! Cases as JUnit XML, a suite a test file.

use super::{Promise, Ran, text::lines};
use crate::junit::{self, Outcome, Suite};
use tpv_text::source::SourceMap;

/// The cases and properties as test suites.
pub fn junit(cases: &[Ran<'_>], promises: &[Promise<'_>], sources: &SourceMap) -> String {
    let mut suites: Vec<Suite> = Vec::new();
    let mut add = |file: &str, case| match suites.iter_mut().find(|suite| suite.name == file) {
        Some(suite) => suite.cases.push(case),
        None => suites.push(Suite { name: file.to_owned(), cases: vec![case] }),
    };
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
        add(&ran.file.name, case);
    }
    promises.iter().for_each(|promise| add(&promise.file.name, promise.junit(sources)));
    junit::junit("tpvc test", &suites)
}
