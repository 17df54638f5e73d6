//! Values of `mem` as a TPV file that is merged last: one entity a tool.

use std::fmt::Write as _;

use tpv_analysis::format::format;
use tpv_galaxy::json::escape_into;

/// A tool's value for `mem`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Value {
    /// The tool's id without its version.
    pub tool: String,
    /// `true` if the tool's id has a version at its end, as those from tool sheds.
    pub has_version: bool,
    /// The value, a Python expression.
    pub mem: String,
    /// Versions with a value of their own.
    pub by_version: Vec<(String, String)>,
    /// Lines of a comment.
    pub comments: Vec<String>,
}

/// The file of some values.
pub fn patch<'v>(values: impl Iterator<Item = &'v Value>) -> String {
    let mut text = String::new();
    // In the order of `tpv format`, which leaves comments where they are when it moves entities.
    let mut values: Vec<(String, &Value)> = values.map(|value| (pattern(value), value)).collect();
    values.sort_by(|one, other| one.0.cmp(&other.0));
    for (pattern, value) in values {
        entity(&mut text, &pattern, value);
    }
    if text.is_empty() {
        return "tools: {}\n".to_owned();
    }
    text.insert_str(0, "tools:\n");
    // As `tpv format` writes it.
    format(&text).map(|formatted| formatted.text).unwrap_or(text)
}

fn entity(text: &mut String, pattern: &str, value: &Value) {
    for comment in &value.comments {
        let _ = writeln!(text, "  # {}", comment.replace(char::is_control, " "));
    }
    text.push_str("  ");
    escape_into(text, pattern);
    let _ = writeln!(text, ":\n    mem: {}", value.mem);
    if !value.by_version.is_empty() {
        text.push_str("    rules:\n");
    }
    for (version, mem) in &value.by_version {
        let mut literal = String::new();
        escape_into(&mut literal, version);
        let mut fields = [format!("fitted memory of {version}"), format!("tool.version == {literal}")].map(|value| {
            let mut quoted = String::new();
            escape_into(&mut quoted, &value);
            quoted
        });
        let [id, condition] = &mut fields;
        let _ = writeln!(text, "      - id: {id}\n        if: {condition}\n        mem: {mem}");
    }
}

/// The pattern that matches the tool in all its versions and no other.
fn pattern(value: &Value) -> String {
    let mut pattern = String::new();
    for char in value.tool.chars() {
        if "\\+*?()|[]{}^$".contains(char) {
            pattern.push('\\');
        }
        pattern.push(char);
    }
    pattern + if value.has_version { "/.*" } else { "$" }
}
