//! SARIF 2.1.0, which code hosts read.

use serde_json::{Value, json};

use super::{Linted, place, severity};

use tpv_text::code::Code;
use tpv_text::diagnostic::Severity;

/// The findings as one SARIF log with one run.
pub fn sarif(runs: &[Linted]) -> String {
    let rules: Vec<Value> = Code::ALL
        .iter()
        .map(|code| {
            let level = if code.severity() == Severity::Error { "error" } else { "warning" };
            json!({
                "id": code.as_str(),
                "shortDescription": {"text": code.title()},
                "help": {"text": code.page(), "markdown": code.page()},
                "defaultConfiguration": {"level": level},
            })
        })
        .collect();
    let results: Vec<Value> = runs
        .iter()
        .flat_map(|linted| {
            linted.findings.iter().map(|finding| {
                let diagnostic = &finding.diagnostic;
                let help = diagnostic.help.as_ref().map(|help| format!("help: {help}"));
                let text: Vec<&str> = std::iter::once(diagnostic.message.as_str())
                    .chain(diagnostic.notes.iter().map(String::as_str))
                    .chain(help.as_deref())
                    .collect();
                let locations: Vec<Value> = place(finding, &linted.sources)
                    .map(|(file, start, end)| {
                        json!({"physicalLocation": {
                            "artifactLocation": {"uri": uri(file)},
                            "region": {
                                "startLine": start.line,
                                "startColumn": start.column,
                                "endLine": end.line,
                                "endColumn": end.column,
                            },
                        }})
                    })
                    .into_iter()
                    .collect();
                json!({
                    "ruleId": finding.code.as_str(),
                    "ruleIndex": Code::ALL.iter().position(|code| *code == finding.code),
                    "level": severity(finding),
                    "message": {"text": text.join("\n")},
                    "locations": locations,
                })
            })
        })
        .collect();
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "tpvc",
                "version": env!("CARGO_PKG_VERSION"),
                "informationUri": env!("CARGO_PKG_REPOSITORY"),
                "rules": rules,
            }},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    format!("{log:#}\n")
}

/// A path as a relative reference: characters that it cannot hold are percent-encoded.
fn uri(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.trim_start_matches("./").bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' | b':' | b'@' => {
                out.push(char::from(byte));
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}
