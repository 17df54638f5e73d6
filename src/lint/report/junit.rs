//! JUnit XML, which most CI servers show as test results.

use std::fmt::Write;

use super::{Finding, Linted, place, severity};
use crate::markup::reference;

/// The findings of one file.
struct Suite<'a> {
    file: &'a str,
    findings: Vec<(&'a Finding, &'a Linted)>,
}

/// The findings as test suites, one a file: each finding is a test case that fails where it makes the verb end with
/// status 1, so errors do, and with `strict` warnings too. A file without findings is one case that passes.
pub fn junit(runs: &[Linted], verb: &str, strict: bool) -> String {
    let suites: Vec<Suite<'_>> = runs.iter().flat_map(suites).collect();
    let fails = |finding: &Finding| strict || finding.is_error();
    let failing = |suite: &Suite<'_>| suite.findings.iter().filter(|(finding, _)| fails(finding)).count();
    let tests = |suite: &Suite<'_>| suite.findings.len().max(1);
    let mut out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned();
    let (all, failed) = (suites.iter().map(tests).sum::<usize>(), suites.iter().map(failing).sum::<usize>());
    let _ = writeln!(out, "<testsuites name=\"{verb}\" tests=\"{all}\" failures=\"{failed}\">");
    for suite in &suites {
        let (name, tests, failed) = (escape(suite.file), tests(suite), failing(suite));
        let _ = writeln!(out, "  <testsuite name=\"{name}\" tests=\"{tests}\" failures=\"{failed}\" errors=\"0\">");
        if suite.findings.is_empty() {
            let _ = writeln!(out, "    <testcase classname=\"{name}\" name=\"no findings\"/>");
        }
        for (finding, linted) in &suite.findings {
            case(&mut out, finding, linted, &name, fails(finding));
        }
        out.push_str("  </testsuite>\n");
    }
    out.push_str("</testsuites>\n");
    out
}

fn case(out: &mut String, finding: &Finding, linted: &Linted, file: &str, fails: bool) {
    let (message, code) = (escape(&finding.diagnostic.message), finding.code);
    let at = place(finding, &linted.sources);
    let line = at.map_or_else(String::new, |(_, start, _)| format!(" file=\"{file}\" line=\"{}\"", start.line));
    let name = match at {
        Some((_, start, _)) => format!("{code} at {}:{}: {message}", start.line, start.column),
        None => format!("{code}: {message}"),
    };
    let _ = writeln!(out, "    <testcase classname=\"{file}\"{line} name=\"{name}\">");
    let text = escape(finding.diagnostic.render(&linted.sources, false).trim_end());
    let kind = severity(finding);
    let _ = if fails {
        writeln!(out, "      <failure type=\"{kind}\" message=\"{message}\">{text}</failure>")
    } else {
        writeln!(out, "      <system-out>{text}</system-out>")
    };
    out.push_str("    </testcase>\n");
}

/// The suites of one run: what belongs to no file, such as one that cannot be read, comes first.
fn suites(linted: &Linted) -> Vec<Suite<'_>> {
    let file_of = |finding: &Finding| place(finding, &linted.sources).map(|(file, ..)| file);
    let of = |file: Option<&str>| {
        linted.findings.iter().filter(|finding| file_of(finding) == file).map(|finding| (finding, linted)).collect()
    };
    let nowhere: Vec<_> = of(None);
    let rest = (!nowhere.is_empty()).then_some(Suite { file: "config", findings: nowhere });
    let files = linted.sources.iter().map(|(_, source)| Suite { file: &source.name, findings: of(Some(&source.name)) });
    rest.into_iter().chain(files).collect()
}

/// Text for an element or an attribute; what XML 1.0 cannot hold becomes a replacement character.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match (reference(c), c) {
            (Some(reference), _) => out.push_str(reference),
            (None, '\n' | '\t') => out.push(c),
            (None, c) if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            (None, c) => out.push(c),
        }
    }
    out
}
