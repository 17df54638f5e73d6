//! GitHub's workflow commands, which show as annotations on a change.

use std::fmt::Write;

use super::{Linted, place, severity};

/// One line a finding.
pub fn github(linted: &Linted) -> String {
    let mut out = String::new();
    for finding in &linted.findings {
        let diagnostic = &finding.diagnostic;
        let mut properties = String::new();
        if let Some((file, start, end)) = place(finding, &linted.sources) {
            let _ = write!(properties, "file={},line={},endLine={},", property(file), start.line, end.line);
            // GitHub takes columns only within one line.
            if start.line == end.line {
                let _ = write!(properties, "col={},endColumn={},", start.column, end.column);
            }
        }
        let mut message = diagnostic.message.clone();
        for line in diagnostic.notes.iter().map(String::as_str) {
            let _ = write!(message, "\n{line}");
        }
        if let Some(help) = &diagnostic.help {
            let _ = write!(message, "\nhelp: {help}");
        }
        let _ = writeln!(out, "::{} {properties}title={}::{}", severity(finding), finding.code, data(&message));
    }
    out
}

fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
