//! Commands of HTCondor's submit files.
//!
//! Sources: `src/condor_utils/submit_utils.cpp` of HTCondor (`SetRequestMem`, `SetRequestCpus`, `SetRequestGpus`, `SetRequestDisk`,
//! `SetAccountingGroup`), `metric_units.cpp` (`parse_int64_bytes`), the manual of `condor_submit`, and Galaxy's and Pulsar's `build_submit_description`,
//! which writes each param as the line `NAME = VALUE`.

use super::classad;
use super::fault::{Amounts, Fault};
use super::leftovers::{HELP, left};
use super::memory::{megabytes, shown, slip, split_number};
use super::readers::Runner;

const CONDOR: &str = "HTCondor";

/// Commands whose value is an expression.
const EXPRESSIONS: [&str; 8] = [
    "requirements",
    "rank",
    "periodic_hold",
    "periodic_release",
    "periodic_remove",
    "on_exit_hold",
    "on_exit_remove",
    "request_disk",
];

/// Commands with the name of a group or of a user of it, which has no blanks.
const GROUPS: [&str; 2] = ["accounting_group", "accounting_group_user"];

/// Returns `true` for a param, without Pulsar's prefix, that tables here know. Names have no case.
pub(super) fn is_judged(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    matches!(name.as_str(), "request_memory" | "request_cpus" | "request_gpus")
        || EXPRESSIONS.contains(&name.as_str())
        || GROUPS.contains(&name.as_str())
        || name.starts_with('+')
}

/// The faults of a command's value.
pub(super) fn command(name: &str, value: &str, amounts: Amounts) -> Vec<Fault> {
    let name = name.to_ascii_lowercase();
    let value = value.trim();
    let fault = match name.as_str() {
        "request_memory" => memory(value, amounts),
        "request_cpus" | "request_gpus" => request(&name, value),
        _ if GROUPS.contains(&name.as_str()) => value.contains(char::is_whitespace).then(|| {
            Fault::refused(CONDOR, value, format!("`{name}` is one name, without blanks"), "leave the blank out")
        }),
        _ => expression(&name, value),
    };
    fault.into_iter().collect()
}

/// The cores that Galaxy's newer runner divides the memory by: `int` in `queue_job` of `htcondor.py`.
pub(super) fn slots<'a>(params: &'a [(&'a str, String)], runner: Runner) -> Option<(&'a str, &'a str, Fault)> {
    let find = |name: &str| params.iter().find(|(known, _)| *known == name).map(|(name, text)| (*name, text.as_str()));
    let (name, text) = find("request_cpus").filter(|_| runner.is_htcondor_class)?;
    mbytes(find("request_memory")?.1.trim())?;
    let is_whole = text.trim().bytes().all(|byte| byte.is_ascii_digit());
    let why = "the runner for HTCondor computes with it, in whole numbers";
    (!is_whole).then(|| (name, text, Fault::refused("Galaxy", text, why, "write `{int(cores)}`")))
}

/// A value with more than one line: HTCondor reads each as a command of its own.
pub(super) fn line(value: &str) -> Option<Fault> {
    let line = value
        .lines()
        .skip(1)
        .map(str::trim)
        .find(|line| !line.is_empty() && !line.contains('=') && !line.starts_with('#'))?;
    let why = "the line break ends the value in HTCondor's submit file, which gets all params; this is no command";
    Some(Fault::refused(CONDOR, line, why, "write it in one line (`>-` in YAML)"))
}

/// MB as `parse_int64_bytes` reads them, and `true` if there is a unit. `None` for an expression.
fn mbytes(value: &str) -> Option<(f64, bool)> {
    let (number, rest) = split_number(value.strip_prefix('+').unwrap_or(value));
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() || fraction.contains('.') {
        return None;
    }
    let unit = rest.trim();
    Some((number.parse::<f64>().ok()? * megabytes(unit)?, !unit.is_empty()))
}

fn memory(value: &str, amounts: Amounts) -> Option<Fault> {
    // A second amount is for jobs that were short of memory.
    let first = value.split(',').next().unwrap_or(value).trim();
    let Some((mb, has_unit)) = mbytes(first) else { return request("request_memory", value) };
    let meant = amounts.mem? * 1024.0;
    slip(mb, meant)?;
    let taken = if has_unit { "takes this for" } else { "counts in MB without a unit, and takes this for" };
    let why = format!("HTCondor {taken} {}, and the job has {}", shown(mb), shown(meant));
    Some(Fault::misread(CONDOR, value, why, "write `{mem}G`: `mem` is in GiB"))
}

/// A number that is asked for, or an expression that gives one.
fn request(name: &str, value: &str) -> Option<Fault> {
    let help = match name {
        "request_memory" => "write `{mem}G`",
        "request_cpus" => "write `{cores}`",
        _ => "write `{gpus or 0}`",
    };
    if value.is_empty() {
        let why = format!("`{name}` is empty, and HTCondor takes its default");
        return Some(Fault::misread(CONDOR, format!("{name} ="), why, help));
    }
    // Before the grammar: `{mem}` is a list in it.
    if let Some(left) = left(value).filter(|left| *left == value) {
        let why = format!("`{left}` is no number for HTCondor, and no machine matches the job");
        return Some(Fault::stuck(CONDOR, left, why, HELP));
    }
    if is_word(value) {
        let why = format!("HTCondor takes `{value}` for an attribute, and no machine matches the job");
        return Some(Fault::stuck(CONDOR, value, why, help));
    }
    if value.len() > 1 && value.starts_with('"') && value.ends_with('"') {
        return Some(Fault::stuck(
            CONDOR,
            value,
            "this is a text, not a number, and no machine matches the job",
            "leave the quotes out",
        ));
    }
    broken(name, value, help)
}

fn expression(name: &str, value: &str) -> Option<Fault> {
    if name == "request_disk" && mbytes(value).is_some() {
        return None;
    }
    if name == "requirements" && value == "None" {
        return Some(Fault::stuck(CONDOR, value, "HTCondor takes `None` for an attribute that no machine has", HELP));
    }
    if name.starts_with('+') && is_word(value) {
        let why = format!("without quotes HTCondor takes `{value}` for the name of an attribute, not for a text");
        return Some(Fault::misread(
            CONDOR,
            value,
            why,
            format!("write `'\"{value}\"'`: the double quotes are a part of the value"),
        ));
    }
    broken(name, value, "write a ClassAd expression, texts in double quotes")
}

/// Returns `true` for a plain word that is most likely no attribute: names of attributes are written with a capital letter, though HTCondor ignores case.
fn is_word(value: &str) -> bool {
    value.starts_with(|c: char| c.is_ascii_lowercase())
        && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && !matches!(value, "true" | "false" | "undefined" | "error")
}

fn broken(name: &str, value: &str, help: &str) -> Option<Fault> {
    let (part, reason) = classad::broken(value)?;
    let why = format!("HTCondor cannot read this as an expression: {reason} (`{part}`)");
    Some(Fault::refused(CONDOR, format!("{name} = {value}"), why, help))
}
