//! JSON: one array of findings.

use serde_json::{Value, json};

use super::{Linted, place, severity};

/// The findings as an array; lines and columns count from 1, columns count characters.
pub fn json(runs: &[Linted]) -> String {
    let findings: Vec<Value> = runs
        .iter()
        .flat_map(|linted| {
            linted.findings.iter().map(|finding| {
                let mut out = json!({
                    "code": finding.code.as_str(),
                    "severity": severity(finding),
                    "message": finding.diagnostic.message,
                    "notes": finding.diagnostic.notes,
                    "help": finding.diagnostic.help,
                });
                if let Some(fields) = out.as_object_mut().filter(|_| finding.more > 0) {
                    fields.insert("more".to_owned(), json!(finding.more));
                }
                let at = finding.diagnostic.primary.as_ref().map_or("", |label| label.text.as_str());
                if let (Some((file, start, end)), Some(fields)) = (place(finding, &linted.sources), out.as_object_mut())
                {
                    fields.insert("label".to_owned(), json!(at));
                    fields.insert("file".to_owned(), json!(file));
                    fields.insert("line".to_owned(), json!(start.line));
                    fields.insert("column".to_owned(), json!(start.column));
                    fields.insert("end_line".to_owned(), json!(end.line));
                    fields.insert("end_column".to_owned(), json!(end.column));
                }
                out
            })
        })
        .collect();
    format!("{:#}\n", Value::Array(findings))
}
