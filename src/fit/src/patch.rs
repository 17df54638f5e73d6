//! The proposals as a TPV file that is merged last: one entity a tool, with its evidence as a comment.

use std::fmt::Write as _;

use tpv_analysis::figures::count;
use tpv_analysis::format::format;
use tpv_runtime::galaxy::json::escape_into;

use crate::propose::Evidence;
use crate::report::{Proposal, Report, Tool};
use crate::today::SetBy;

/// A TPV file with what is not in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Patch {
    /// The text.
    pub text: String,
    /// The tools that are in it: indexes of the report's.
    pub tools: Vec<usize>,
    /// The tools whose memory such a file cannot change, with the reason.
    pub left: Vec<String>,
}

/// The proposals of a report as a TPV file.
pub fn patch(report: &Report) -> Patch {
    let mut patch = Patch::default();
    for (index, tool) in report.tools.iter().enumerate() {
        let Proposal::Change { mem, by_version, evidence, .. } = &tool.proposal else { continue };
        let place = tool.place.as_deref().unwrap_or("nowhere");
        match tool.setter.by {
            // What rules, roles and users set is set after the tool's entity: it has to be changed where it is.
            SetBy::Rule => {
                patch.left.push(format!("{}: a rule sets its memory: write `mem: {mem}` at {place}", tool.tool))
            }
            SetBy::Other => {
                patch.left.push(format!("{}: its memory is not the tool's: it is set at {place}", tool.tool))
            }
            SetBy::Tool => {
                patch.tools.push(index);
                entity(&mut patch.text, tool, mem, by_version, evidence);
            }
        }
    }
    if patch.tools.is_empty() {
        patch.text.push_str("tools: {}\n");
    } else {
        patch.text.insert_str(0, "tools:\n");
    }
    // As `tpv format` writes it.
    if let Ok(formatted) = format(&patch.text) {
        patch.text = formatted.text;
    }
    patch
}

fn entity(text: &mut String, tool: &Tool, mem: &str, by_version: &[(String, String)], evidence: &Evidence) {
    let [low, high] = evidence.interval.map(|part| part * 100.0);
    let period = tool.usage.period.as_ref().map_or(String::new(), |[first, last]| format!(" from {first} to {last}"));
    let place = tool.place.as_deref().unwrap_or("nowhere").replace(char::is_control, " ");
    let (before, after) = (&evidence.before, &evidence.after);
    let comments = [
        format!("{}{period}; today's value is set at {place}.", count(tool.usage.jobs, "job")),
        format!(
            "Learnt on {}, judged on {} later ones: saves {:.0} % of their cost (95 % confidence: {low:.0} % to {high:.0} %).",
            evidence.learnt_on,
            evidence.judged_on,
            evidence.saving * 100.0
        ),
        format!(
            "Of these {} had to run again with today's value, {} with this one; {} and {} were lost.",
            before.again.round(),
            after.again.round(),
            before.lost.round(),
            after.lost.round()
        ),
    ];
    for comment in comments.iter().chain(&tool.unknown) {
        let _ = writeln!(text, "  # {comment}");
    }
    text.push_str("  ");
    escape_into(text, &pattern(tool));
    let _ = writeln!(text, ":\n    mem: {mem}");
    if !by_version.is_empty() {
        text.push_str("    rules:\n");
    }
    for (version, mem) in by_version {
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
fn pattern(tool: &Tool) -> String {
    let mut pattern = String::new();
    for char in tool.tool.chars() {
        if "\\+*?()|[]{}^$".contains(char) {
            pattern.push('\\');
        }
        pattern.push(char);
    }
    pattern + if tool.has_version { "/.*" } else { "$" }
}
