//! Resources of PBS and Torque, and the slots of Grid Engine, in options for `qsub`.
//!
//! Sources: of both OpenPBS and Torque `to_size` (`attr_fn_size.c`), `decode_time` (`attr_fn_time.c`) and `proplist` (`node_manager.c`), of OpenPBS
//! `decode_l` (`attr_fn_l.c`) as well; only what both refuse is a fault. Grid Engine: `-pe` of its manual page `submit(1)`, a range of whole numbers, and
//! memory and time of `sge_types(1)`, as `sge_parse_num_par.c` reads them.

use super::fault::Fault;
use super::leftovers::{HELP, is_none, placeholder};
use super::readers::Runner;

const PBS: &str = "PBS";

/// Options that take a value, of all programs that are named `qsub`.
const VALUED: [&str; 4] = ["-q", "-l", "-pe", "-A"];

/// The kind of a resource's value.
enum Kind {
    Size,
    Time,
    Count,
    /// Nodes with what they are to have: `1:ppn=4`, `2:ncpus=8:mem=16gb`.
    Chunks,
}

/// The resources whose values are judged, by the manual page `pbs_resources(7)`.
fn kind(resource: &str) -> Option<Kind> {
    match resource {
        "mem" | "pmem" | "vmem" | "pvmem" | "file" => Some(Kind::Size),
        "walltime" | "cput" | "pcput" => Some(Kind::Time),
        "ncpus" | "ppn" | "mpiprocs" | "ompthreads" | "procs" | "gpus" | "ngpus" => Some(Kind::Count),
        "nodes" | "select" => Some(Kind::Chunks),
        _ => None,
    }
}

/// The faults of options in one text for another scheduler than Slurm.
pub(super) fn native(text: &str, runner: Runner) -> Vec<Fault> {
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    let mut faults = Vec::new();
    // In a text for no one known, too, these are no options.
    for word in &words {
        let is_of_none = |word: &&str| word.split([',', ':', '=', '+']).any(is_none);
        let left = Some(*word).filter(is_of_none).or_else(|| placeholder(word));
        if let Some(left) = left {
            faults.push(Fault::refused("the scheduler", left, "code left this in the options", HELP));
        }
    }
    let is_option = |word: &str| word.starts_with('-') && word.as_bytes().get(1).is_some_and(u8::is_ascii_alphabetic);
    for (at, option) in words.iter().enumerate().filter(|(_, word)| VALUED.contains(*word)) {
        if words.get(at + 1).is_none_or(|next| is_option(next)) {
            faults.push(Fault::refused("the scheduler", *option, format!("`{option}` needs a value"), HELP));
        }
    }
    let pairs = || words.iter().zip(words.iter().skip(1));
    for (_, value) in pairs().filter(|(option, _)| **option == "-l") {
        let is_of_pbs = ["nodes=", "select=", "walltime=", "ncpus=", "ppn="].iter().any(|name| value.contains(name))
            || value.split(',').any(|pair| pair.starts_with("mem=") && pair.ends_with(['b', 'B']));
        if runner.pbs || (is_of_pbs && !runner.grid_engine) {
            faults.extend(resources(value));
        } else if !runner.pbs {
            faults.extend(value.split(',').filter_map(|pair| grid_engine(pair.split_once('=')?)));
        }
    }
    for ((option, name), slots) in pairs().zip(words.iter().skip(2)) {
        let is_range = |text: &str| {
            !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b','))
        };
        let is_told = is_none(slots) || placeholder(slots).is_some();
        if *option == "-pe" && !slots.starts_with('-') && !is_range(slots) && !is_told {
            let why = "the slots of a parallel environment are whole numbers";
            faults.push(Fault::refused(
                "Grid Engine",
                format!("-pe {name} {slots}"),
                why,
                format!("write `-pe {name} {{int(cores)}}`"),
            ));
        }
    }
    faults
}

/// The fault of a resource that has this name only at Grid Engine.
fn grid_engine((name, value): (&str, &str)) -> Option<Fault> {
    if is_none(value) || placeholder(value).is_some() {
        return None;
    }
    let (why, help) = match name {
        "h_vmem" | "s_vmem" | "h_rss" | "s_rss" | "mem_free" | "virtual_free" => {
            let (_, unit) = super::memory::split_number(value);
            let is_wrong =
                matches!(unit.to_ascii_lowercase().as_str(), "kb" | "mb" | "gb" | "ki" | "mi" | "gi" | "gib");
            is_wrong.then(|| {
                (format!("`{name}` takes a number with one letter: K, M or G"), format!("write `{name}={{mem}}G`"))
            })?
        }
        "h_rt" | "s_rt" | "h_cpu" | "s_cpu" => {
            let is_time = value.split(':').all(|part| part.bytes().all(|byte| byte.is_ascii_digit()));
            let is_right = is_time || value.eq_ignore_ascii_case("infinity");
            (!is_right).then(|| {
                (
                    format!("`{name}` takes seconds or `HH:MM:SS`, in whole numbers"),
                    format!("write `{name}={{int(hours)}}:00:00`"),
                )
            })?
        }
        _ => return None,
    };
    Some(Fault::refused("Grid Engine", format!("{name}={value}"), why, help))
}

/// The faults of the resources of an option `-l`.
pub(super) fn resources(text: &str) -> Vec<Fault> {
    text.split(',')
        .filter_map(|pair| pair.trim().split_once('='))
        .filter_map(|(name, value)| judge(name, value))
        .collect()
}

fn judge(name: &str, value: &str) -> Option<Fault> {
    let part = || format!("{name}={value}");
    // A text that is open for another reason than its number is told as such.
    if is_none(value) || placeholder(value).is_some() {
        return kind(name).map(|_| Fault::refused(PBS, part(), "code left this in the options", HELP));
    }
    match kind(name)? {
        Kind::Size if !is_size(value) => {
            let why = format!("`{name}` takes a whole number, and a unit: kb, mb, gb or tb");
            Some(Fault::refused(PBS, part(), why, format!("write `{name}={{int(mem * 1024)}}mb`")))
        }
        Kind::Time if !is_time(value) => {
            let why = format!("`{name}` takes `HH:MM:SS`, in whole numbers");
            Some(Fault::refused(PBS, part(), why, format!("write `{name}={{int(hours)}}:00:00`")))
        }
        Kind::Count if !is_count(value) => Some(Fault::refused(
            PBS,
            part(),
            format!("`{name}` takes a whole number"),
            format!("write `{name}={{int(cores)}}`"),
        )),
        Kind::Chunks => chunks(name, value),
        _ => None,
    }
}

/// Nodes of several kinds, with `+` between.
fn chunks(name: &str, value: &str) -> Option<Fault> {
    value.split('+').find_map(|chunk| {
        let mut parts = chunk.split(':');
        let first = parts.next().unwrap_or_default();
        if first.starts_with(|c: char| c.is_ascii_digit()) && plain_decimal(first) {
            let why = format!("`{name}` begins with a whole number");
            return Some(Fault::refused(PBS, format!("{name}={first}"), why, format!("write `{name}={{int(...)}}`")));
        }
        std::iter::once(first)
            .chain(parts)
            .filter_map(|part| part.split_once('='))
            .find_map(|(name, value)| judge(name, value))
    })
}

/// A number with a point; other texts may be the name of a node.
fn plain_decimal(text: &str) -> bool {
    text.contains('.') && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

fn is_count(value: &str) -> bool {
    !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_size(value: &str) -> bool {
    let end = value.find(|c: char| !c.is_ascii_digit()).unwrap_or(value.len());
    let (number, unit) = value.split_at(end);
    let unit = unit.to_ascii_lowercase();
    let unit = unit.strip_suffix(['b', 'w']).unwrap_or(&unit);
    !number.is_empty() && matches!(unit, "" | "k" | "m" | "g" | "t" | "p")
}

/// Seconds, or hours, minutes and seconds; days are Torque's alone.
fn is_time(value: &str) -> bool {
    let (whole, fraction) = value.split_once('.').unwrap_or((value, "0"));
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    is_digits(fraction)
        && whole.split(':').count() <= 4
        && whole.split(':').all(|part| !part.is_empty() && is_digits(part))
}
