//! The values of options: those that `sbatch` takes, and those that slurm-drmaa takes.

use super::options::{Kind, Opt};
use crate::texts::leftovers::{is_none, left};
use crate::texts::memory::megabytes;

/// A whole number as C's `strtol` and slurm-drmaa's `fsd_atoi` read it; `fsd_atoi` takes blanks after it as well.
pub(super) fn whole(value: &str) -> Option<i64> {
    let value = value.trim_ascii_start();
    let digits = value.strip_prefix(['+', '-']).unwrap_or(value);
    let is_whole = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if is_whole { value.parse().ok() } else { None }
}

/// MB as `sbatch` reads them: `str_to_mbytes`.
pub(super) fn mbytes(value: &str) -> Option<f64> {
    let end = value.find(|c: char| !(c.is_ascii_digit() || c == '+')).unwrap_or(value.len());
    let (number, unit) = value.split_at_checked(end)?;
    let factor = megabytes(unit)?;
    #[expect(clippy::cast_precision_loss, reason = "only the order of magnitude counts")]
    whole(number).map(|number| number as f64 * factor)
}

/// Returns `true` if `sbatch` takes a limit of time: `_is_valid_timespec`.
fn is_time_of_sbatch(value: &str) -> bool {
    if value == "-1" || value.eq_ignore_ascii_case("infinite") || value.eq_ignore_ascii_case("unlimited") {
        return true;
    }
    if value.is_empty() || !value.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b':')) {
        return false;
    }
    let numbers = value.split(['-', ':']).filter(|number| !number.is_empty()).count();
    let (dashes, colons) = (value.matches('-').count(), value.matches(':').count());
    let dash_after_colon = value.split_once(':').is_some_and(|(_, rest)| rest.contains('-'));
    let needed = if colons == 0 { 1 } else { colons + 1 + dashes };
    !dash_after_colon && dashes <= 1 && colons <= 2 && numbers >= needed
}

/// Returns `true` if slurm-drmaa takes a limit of time: `time` of `datetime_tab.y`, hours and minutes.
fn is_time_of_drmaa(value: &str) -> bool {
    let parts: Vec<&str> = value.trim_ascii().split(':').collect();
    (2..=3).contains(&parts.len())
        && parts.iter().all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
}

/// Returns `true` if a number of nodes is right: `verify_node_count`, which takes lists as well.
fn is_nodes_of_sbatch(value: &str) -> bool {
    value.split(['-', ',', ':']).all(|part| {
        let digits = part.strip_suffix(['k', 'K', 'm', 'M']).unwrap_or(part).trim_start_matches('+');
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    })
}

fn is_nodes_of_drmaa(value: &str) -> bool {
    let (least, most) = value.split_once('-').unwrap_or((value, "0"));
    whole(least.trim_ascii_end()).is_some_and(|nodes| nodes > 0)
        && (most.is_empty() || whole(most.trim_ascii_end()).is_some())
}

/// Returns `true` if each of some generic resources has a count that is one, or none.
fn is_gres(value: &str) -> bool {
    value.split(',').all(|one| {
        let count = one.rsplit(':').next().unwrap_or_default();
        !count.is_empty()
            && !is_none(count)
            && (whole(count).is_some() || !count.starts_with(|c: char| c.is_ascii_digit()) || !count.contains('.'))
    })
}

/// Returns `true` if `sbatch`, or the cluster behind it, takes a value.
pub(super) fn sbatch_takes(option: Opt, value: &str) -> bool {
    match option.kind {
        Kind::Flag | Kind::Account => true,
        Kind::Free => !(value.is_empty() && option.name == "mail-type"),
        Kind::Count => whole(value).is_some_and(|count| count > 0 && count < i64::from(i32::MAX)),
        Kind::Memory => mbytes(value).is_some(),
        Kind::Time => is_time_of_sbatch(value),
        Kind::Nodes => is_nodes_of_sbatch(value),
        Kind::Gres => is_gres(value),
        Kind::Name => left(value).is_none() && !(value.is_empty() && matches!(option.name, "partition" | "clusters")),
    }
}

/// Returns `true` if slurm-drmaa, or the cluster behind it, takes a value.
pub(super) fn drmaa_takes(option: Opt, value: &str) -> bool {
    if value.is_empty() {
        return option.kind == Kind::Flag;
    }
    let number = |value: &str| whole(value.trim_ascii_end()).filter(|number| number.abs() <= i64::from(i32::MAX));
    match option.kind {
        Kind::Count | Kind::Memory => number(value).is_some_and(|number| number >= 0),
        Kind::Time => is_time_of_drmaa(value),
        Kind::Nodes => is_nodes_of_drmaa(value),
        Kind::Name => !value.contains('\n') && sbatch_takes(option, value),
        Kind::Flag | Kind::Account | Kind::Free | Kind::Gres => sbatch_takes(option, value),
    }
}

/// The values that an option takes, for messages; of slurm-drmaa if it has rules of its own.
pub(super) fn taken(option: Opt, is_drmaa: bool) -> String {
    let name = option.name;
    match option.kind {
        Kind::Count => format!("`--{name}` takes a whole number"),
        Kind::Memory if is_drmaa => format!("`--{name}` takes whole MB, without a unit"),
        Kind::Memory => format!("`--{name}` takes a whole number, and a unit: K, M, G or T"),
        Kind::Time if is_drmaa => format!("`--{name}` takes hours and minutes, `24:00:00`, in whole numbers"),
        Kind::Time => format!("`--{name}` takes `D-HH:MM:SS` or minutes, in whole numbers"),
        Kind::Nodes => format!("`--{name}` takes a whole number, or a range of two"),
        Kind::Gres => format!("`--{name}` takes names with whole numbers, `gpu:1`"),
        Kind::Flag | Kind::Name | Kind::Account | Kind::Free => format!("no cluster has such a `--{name}`"),
    }
}

/// The text to write for an option.
pub(super) fn help(option: Opt) -> String {
    match option.name {
        "ntasks" | "cpus-per-task" | "ntasks-per-node" | "mincpus" => {
            format!("write `--{}={{int(cores)}}`", option.name)
        }
        "mem" => "write `--mem={int(mem * 1024)}`, in MB".to_owned(),
        "mem-per-cpu" => "write `--mem-per-cpu={int(mem * 1024 / cores)}`, in MB".to_owned(),
        name => match option.kind {
            Kind::Time => format!("write `--{name}=HH:MM:00` with whole numbers, such as `{{int(hours)}}:00:00`"),
            Kind::Count | Kind::Nodes | Kind::Memory => format!("write a whole number: `--{name}={{int(...)}}`"),
            Kind::Gres => "write a whole number: `--gres=gpu:{int(gpus)}`".to_owned(),
            Kind::Flag | Kind::Name | Kind::Account | Kind::Free => crate::texts::leftovers::HELP.to_owned(),
        },
    }
}
