//! JUnit XML, which most CI servers show as test results.

use std::fmt::Write;

use tpv_text::printable::line;

use tpv_text::markup::escape;

/// The cases of one file.
pub(crate) struct Suite {
    /// The file.
    pub(crate) name: String,
    /// Its cases.
    pub(crate) cases: Vec<Case>,
}

/// A test case.
pub(crate) struct Case {
    /// Its name.
    pub(crate) name: String,
    /// Its line in the file of the suite, where it has one.
    pub(crate) line: Option<usize>,
    /// The outcome.
    pub(crate) outcome: Outcome,
}

/// The outcome of a case.
pub(crate) enum Outcome {
    /// It passes.
    Passed,
    /// It passes, with something to say.
    Noted(String),
    /// It fails.
    Failed {
        /// The kind of failure: `error`, `mismatch`.
        kind: &'static str,
        /// In a line.
        message: String,
        /// In full.
        text: String,
    },
}

/// The XML of all suites; `verb` is the command whose results they are.
pub(crate) fn junit(verb: &str, suites: &[Suite]) -> String {
    let failing =
        |suite: &Suite| suite.cases.iter().filter(|case| matches!(case.outcome, Outcome::Failed { .. })).count();
    let mut out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned();
    let all: usize = suites.iter().map(|suite| suite.cases.len()).sum();
    let failed: usize = suites.iter().map(failing).sum();
    let _ = writeln!(out, "<testsuites name=\"{verb}\" tests=\"{all}\" failures=\"{failed}\">");
    for suite in suites {
        let (name, tests, failed) = (attribute(&suite.name), suite.cases.len(), failing(suite));
        let _ = writeln!(out, "  <testsuite name=\"{name}\" tests=\"{tests}\" failures=\"{failed}\" errors=\"0\">");
        suite.cases.iter().for_each(|one| case(&mut out, one, &name));
        out.push_str("  </testsuite>\n");
    }
    out.push_str("</testsuites>\n");
    out
}

fn case(out: &mut String, case: &Case, file: &str) {
    let line = case.line.map_or_else(String::new, |line| format!(" file=\"{file}\" line=\"{line}\""));
    let _ = write!(out, "    <testcase classname=\"{file}\"{line} name=\"{}\"", attribute(&case.name));
    let _ = match &case.outcome {
        Outcome::Passed => {
            out.push_str("/>\n");
            return;
        }
        Outcome::Noted(text) => writeln!(out, ">\n      <system-out>{}</system-out>", escape(text)),
        Outcome::Failed { kind, message, text } => {
            let (message, text) = (attribute(message), escape(text));
            writeln!(out, ">\n      <failure type=\"{kind}\" message=\"{message}\">{text}</failure>")
        }
    };
    out.push_str("    </testcase>\n");
}

/// Text for an attribute, on one line.
fn attribute(text: &str) -> String {
    escape(&line(text))
}
