//! The submit description of a cluster, and its itemdata.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::super::super::Error;
use super::super::super::component::{self, Places};
use super::super::super::item::Item;
use super::super::super::submit::Submit;
use super::super::Submission;
use super::{DISK_LIMIT, MEMORY_LIMIT, TIME_LIMIT, TOKEN};

/// So many jobs may wait in the queue; HTCondor makes the others when there is room. Pools are slow with very many.
const MAX_IDLE: usize = 1000;

/// For so many seconds a component counts as running when its node does not answer any more. HTCondor's own 40 minutes are for long jobs.
const LEASE: u32 = 600;

/// The names of the files that a component writes, where it runs.
const OUTPUT: &str = "output";
const SUMMARY: &str = "summary";
const ERROR: &str = "error";

/// Submit commands that options cannot set, since tpvc must.
const OWN: [&str; 22] = [
    "arguments",
    "batch_name",
    "environment",
    "error",
    "executable",
    "initialdir",
    "log",
    "output",
    "periodic_hold",
    "periodic_hold_reason",
    "queue",
    "request_disk",
    "request_memory",
    "should_transfer_files",
    "stream_error",
    "stream_output",
    "submit_event_notes",
    "transfer_executable",
    "transfer_input_files",
    "transfer_output_files",
    "transfer_output_remaps",
    "when_to_transfer_output",
];

/// The submit description. Its paths are those of the map's directory, where `condor_submit` runs. `disk_kib`: what a component needs on
/// the execute node; `items`: the path of the itemdata. [`check_option`] has looked at the options.
pub(super) fn description(submission: Submission<'_>, components: &[&Item], disk_kib: u64, items: &str) -> String {
    let Submission { tag, submit, cluster, .. } = submission;
    let resources = submission.resources();
    let disk_kib = resources.disk_mib.map_or(disk_kib, |mib| mib.saturating_mul(1024));
    let mut options = submit.options.clone();
    let requirements = requirements(submit, options.remove("requirements"));
    let against = components.iter().any(|item| item.against.is_some());
    let mut inputs = vec![submit.program.as_str(), "$(rules)", "$(jobs)"];
    inputs.extend(against.then_some("$(against)"));
    inputs.extend(submit.world.as_deref());
    inputs.extend(submit.scenario.as_deref());
    let inputs: Vec<_> = inputs.into_iter().map(|input| format!("inputs/{input}")).collect();

    let mut lines = vec![
        format!(
            "# The map {tag} of tpvc, cluster {}. The files are transferred: execute nodes share none.",
            cluster.number
        ),
        "universe = vanilla".to_owned(),
        format!("batch_name = {tag}"),
        "executable = component.sh".to_owned(),
        "arguments = \"$(words)\"".to_owned(),
        "should_transfer_files = YES".to_owned(),
        "when_to_transfer_output = ON_EXIT".to_owned(),
        format!("transfer_input_files = {}", inputs.join(",")),
        format!("transfer_output_files = {OUTPUT},{SUMMARY},{ERROR}"),
        format!(
            "transfer_output_remaps = \"{OUTPUT}=outputs/$(component).jsonl.zst;{SUMMARY}=summaries/$(component).json;\
             {ERROR}=errors/$(component).json\""
        ),
        // The script leaves each of these files, though it may be empty: HTCondor holds a job that lacks one.
        format!("environment = \"TPVC_LEAVE='{OUTPUT} {SUMMARY} {ERROR}'\""),
        "output = logs/$(component).out".to_owned(),
        "error = logs/$(component).err".to_owned(),
        format!("log = events/{}.log", cluster.number),
        "submit_event_notes = component $(component)".to_owned(),
        format!("+{TOKEN} = \"{}\"", cluster.token),
        "request_cpus = 1".to_owned(),
        format!("request_disk = {disk_kib}KB"),
        // Held, and not removed: the administrator sees why, gives it more time and releases it.
        format!("periodic_hold = JobStatus == 2 && time() - JobCurrentStartExecutingDate > {TIME_LIMIT}"),
        format!("periodic_hold_reason = strcat(\"it ran longer than its limit of \", string({TIME_LIMIT}), \" s\")"),
    ];
    if let Some(memory) = resources.memory_mib {
        lines.extend([format!("request_memory = {memory}MB"), format!("+{MEMORY_LIMIT} = {memory}")]);
    }
    lines.extend(resources.disk_mib.map(|disk| format!("+{DISK_LIMIT} = {disk}")));
    lines.extend(resources.time_s.map(|time| format!("+{TIME_LIMIT} = {time}")));
    lines.extend(requirements.map(|requirements| format!("requirements = {requirements}")));
    if components.len() > MAX_IDLE && !options.contains_key("max_idle") && !options.contains_key("max_materialize") {
        lines.push(format!("max_idle = {MAX_IDLE}"));
    }
    if !options.contains_key("job_lease_duration") {
        lines.push(format!("job_lease_duration = {LEASE}"));
    }
    lines.extend(options.iter().map(|(name, value)| format!("{name} = {value}")));
    let against = if against { "against," } else { "" };
    // No name of a submit command: a variable would take its place.
    lines.push(format!("queue component,rules,jobs,{against}words from {items}\n"));
    lines.join("\n")
}

/// Refuses an option that cannot be a line of the submit description, or not the user's. Control characters were looked for before.
///
/// # Errors
/// The reason.
pub(super) fn check_option(name: &str, value: &str) -> Result<(), Error> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'+');
    let lower = name.to_ascii_lowercase();
    if name.is_empty() || !name.bytes().all(plain) {
        return Err(Error::new(
            format!("the option `{name}` cannot be a submit command of HTCondor"),
            "an option of the engine `htcondor` is a command of its submit description, such as `accounting_group`",
        ));
    }
    if value.trim_end().ends_with('\\') {
        return Err(Error::new(
            format!("the option `{name}` ends with `\\`, with which HTCondor takes the next line for a part of it"),
            "leave out the `\\` at the end",
        ));
    }
    if OWN.contains(&lower.as_str()) || lower.ends_with(&TOKEN.to_ascii_lowercase()) {
        return Err(Error::new(
            format!("tpvc sets the submit command `{name}` itself"),
            "leave the option out; memory and time have flags of their own",
        ));
    }
    Ok(())
}

/// Execute nodes that can run the program. Left to HTCondor, they are those of the access point's kind.
fn requirements(submit: &Submit, also: Option<String>) -> Option<String> {
    let platform = match submit.platform.trim_end_matches("-dynamic") {
        "x86_64-linux" => Some("Arch == \"X86_64\" && OpSys == \"LINUX\""),
        "aarch64-linux" => Some("Arch == \"aarch64\" && OpSys == \"LINUX\""),
        _ => None,
    };
    match (platform, also) {
        (Some(platform), Some(also)) => Some(format!("{platform} && ({also})")),
        (platform, also) => platform.map(str::to_owned).or(also),
    }
}

/// The itemdata: a line for each component, in the order of the positions. The last value of a line may have commas and blanks.
pub(super) fn itemdata(submission: Submission<'_>, items: &[&Item]) -> String {
    let Submission { submit, cluster, .. } = submission;
    let against = items.iter().any(|item| item.against.is_some());
    let mut text = String::new();
    for item in items {
        let places = Places {
            // The execute node's shell looks for names without a slash elsewhere.
            program: format!("./{}", submit.program),
            rules: item.rules.clone(),
            against: item.against.clone(),
            jobs: item.jobs.clone(),
            world: submit.world.clone(),
            scenario: submit.scenario.clone(),
            output: OUTPUT.to_owned(),
            summary: SUMMARY.to_owned(),
            error: ERROR.to_owned(),
            stderr: "-".to_owned(),
        };
        let arguments = component::arguments(item, submit, cluster.number, &places);
        let quoted: Vec<_> = arguments.iter().map(|argument| quoted(argument)).collect();
        let _ = write!(text, "{},{},{},", item.component, item.rules, item.jobs);
        if against {
            // Each line has as many values: a component that compares nothing transfers its rules once more.
            let _ = write!(text, "{},", item.against.as_ref().unwrap_or(&item.rules));
        }
        text.push_str(&quoted.join(" "));
        text.push('\n');
    }
    text
}

/// An argument in HTCondor's quotes, within the double quotes that stand around all arguments.
fn quoted(argument: &str) -> String {
    let mut out = String::from("'");
    let mut before = ' ';
    for character in argument.chars() {
        match character {
            '\'' => out.push_str("''"),
            '"' => out.push_str("\"\""),
            // HTCondor has no way to write these: a line ends the item, and `$$(` asks for the machine's attributes.
            character if character.is_control() => out.push('?'),
            '$' if before == '$' => out.push('?'),
            '$' => out.push_str("$(DOLLAR)"),
            character => out.push(character),
        }
        before = character;
    }
    out.push('\'');
    out
}

/// The disk that a component of these needs, in KiB: its inputs, what it writes, and some more. `size` gives an input's size in bytes.
pub(super) fn disk_kib(submit: &Submit, items: &[&Item], size: impl Fn(&str) -> u64) -> u64 {
    const MORE: u64 = 64 << 20;
    let rules: BTreeSet<&str> = items
        .iter()
        .flat_map(|item| [Some(&item.rules), item.against.as_ref()])
        .flatten()
        .map(String::as_str)
        .collect();
    let largest = rules.into_iter().map(&size).max().unwrap_or(0);
    // Jobs and answers are compressed: both together take less than the text of the jobs twice.
    let jobs = items.iter().map(|item| item.length).max().unwrap_or(0);
    let optional = [&submit.world, &submit.scenario].into_iter().flatten().map(|input| size(input));
    let constant = size(&submit.program) + optional.sum::<u64>();
    (constant + 2 * largest + 2 * jobs + MORE).div_ceil(1024)
}

#[cfg(test)]
pub(super) mod tests;
