//! GitHub's workflow commands, which show as annotations on a change.

use std::fmt::Write;

use super::{Linted, place, severity};
use tpv_text::printable;

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
        let mut message = printable::line(&diagnostic.message).into_owned();
        for line in diagnostic.notes.iter().map(String::as_str) {
            let _ = write!(message, "\n{}", printable::line(line));
        }
        if let Some(help) = &diagnostic.help {
            let _ = write!(message, "\nhelp: {}", printable::line(help));
        }
        let _ = writeln!(out, "::{} {properties}title={}::{}", severity(finding), finding.code, data(&message));
    }
    out
}

/// A message as GitHub reads it. Control characters appear as escapes, since the log shows the message, too.
fn data(text: &str) -> String {
    printable::excerpt(text).replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A value among the properties, which colons and commas would end.
fn property(text: &str) -> String {
    data(&printable::line(text)).replace(':', "%3A").replace(',', "%2C")
}
