//! The words that findings of tried jobs share.

use tpv_analysis::dry_job::DryJob;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::finding::Finding;
use tpv_text::listed::counted;
use tpv_text::shell;

use super::tool::Tool;

/// The beginning of a note with a command that maps a job.
const TRY: &str = "try it: `tpvc dry-run ";
/// The config files in it, which only the command line knows.
const CONFIGS: &str = "CONFIG... ";

/// Adds the command that maps a job, with its explanation.
pub(super) fn with_job(diagnostic: Diagnostic, job: &DryJob) -> Diagnostic {
    diagnostic.note(format!("{TRY}{CONFIGS}{job} --explain`"))
}

/// Writes the configs and the options with which the jobs were tried into the commands of findings, each a word of the shell. Without `configs`, the
/// commands have `CONFIG...` in their place.
pub fn with_rules(findings: &mut [Finding], configs: Option<&[String]>, options: &[String]) {
    let words = |words: &[String]| words.iter().map(|word| shell::word(word) + " ").collect::<String>();
    let rules = configs.map_or_else(|| CONFIGS.to_owned(), words) + &words(options);
    for note in findings.iter_mut().flat_map(|finding| &mut finding.diagnostic.notes) {
        if let Some(rest) = note.strip_prefix(TRY).and_then(|command| command.strip_prefix(CONFIGS)) {
            *note = format!("{TRY}{rules}{rest}");
        }
    }
}

/// The names of tools for a message.
pub(super) fn names(tools: &[&Tool<'_>]) -> String {
    let names: Vec<String> = tools.iter().map(|tool| tool.name()).collect();
    counted(&names, 2, "more")
}

/// The tools of jobs, for a message about these.
pub(super) fn whose(tools: &[&Tool<'_>]) -> String {
    match tools {
        [tool] if tool.index.is_none() => "of tools without an entry of their own".to_owned(),
        [tool] => format!("of the tool {}", tool.name()),
        _ => format!("of the tools {}", names(tools)),
    }
}

/// A note with the ids of tools that [`names`] leaves out.
pub(super) fn with_names(diagnostic: Diagnostic, tools: &[&Tool<'_>]) -> Diagnostic {
    if tools.len() <= 3 {
        return diagnostic;
    }
    let names: Vec<String> = tools.iter().map(|tool| tool.name()).collect();
    diagnostic.note(format!("these are {}", counted(&names, MOST_NAMES, "more")))
}

/// A note with the ids of tools, and the command that maps a job of the first, with inputs of so many bytes.
pub(super) fn with_tools(diagnostic: Diagnostic, tools: &[&Tool<'_>], bytes: i64) -> Diagnostic {
    let named = with_names(diagnostic, tools);
    match tools.first() {
        Some(tool) => with_job(named, &tool.job(bytes)),
        None => named,
    }
}

/// More tools than these are not named in a finding.
const MOST_NAMES: usize = 60;
