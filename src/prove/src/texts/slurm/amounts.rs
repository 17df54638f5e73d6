//! The memory that Slurm takes from a text, beside the one that the job has.

use super::options::Opt;
use super::values::{mbytes, whole};
use crate::texts::fault::{Amounts, Fault};
use crate::texts::memory::{shown, slip};

/// A part of the job's memory that is no slip of rounding: a text with as much is the job's total.
const TOTAL: std::ops::RangeInclusive<f64> = 0.9..=1.1;

/// The options of a text with their values, and the part of the text that each stands in.
pub(super) struct Given<'a> {
    pub option: Opt,
    pub value: &'a str,
    pub part: String,
}

/// The faults of the memory that options ask for, which Slurm takes.
pub(super) fn judge(given: &[Given<'_>], amounts: Amounts) -> Vec<Fault> {
    let Some(meant) = amounts.mem.map(|mem| mem * 1024.0).filter(|mem| *mem > 0.0) else { return Vec::new() };
    let memory = |name: &str| {
        given
            .iter()
            .rev()
            .find(|given| given.option.name == name)
            .and_then(|given| Some((given, mbytes(given.value.trim_ascii())?)))
    };
    let mut faults = Vec::new();
    if let Some((mem, mb)) = memory("mem") {
        faults.extend(slipped(mem, mb, &shown(mb), meant, "write `--mem={int(mem * 1024)}`: `mem` is in GiB"));
    }
    if let Some((mem, mb)) = memory("mem-per-cpu") {
        let cpus = cpus(given);
        let help = "write `--mem-per-cpu={int(mem * 1024 / cores)}`: `mem` is in GiB, and for all cores";
        let each = if cpus > 1.0 { format!("{} for each of {cpus} CPUs", shown(mb)) } else { shown(mb) };
        if cpus > 1.0 && TOTAL.contains(&(mb / meant)) {
            let why = format!(
                "each of {cpus} CPUs gets {}, {} in all, and the job has {}",
                shown(mb),
                shown(mb * cpus),
                shown(meant)
            );
            faults.push(Fault::misread("Slurm", &mem.part, why, help));
        } else {
            // GiB for a CPU, or all of them.
            let all = slipped(mem, mb * cpus, &each, meant, help);
            faults.extend(all.or_else(|| slipped(mem, mb, &each, meant, help).filter(|_| mb * cpus < meant)));
        }
    }
    faults
}

/// The fault of an amount that misses the job's by a slip of units.
fn slipped(given: &Given<'_>, mb: f64, taken: &str, meant: f64, help: &str) -> Option<Fault> {
    slip(mb, meant)?;
    let why = format!("Slurm takes this for {taken}, and the job has {}", shown(meant));
    Some(Fault::misread("Slurm", &given.part, why, help))
}

/// The CPUs that options ask for.
fn cpus(given: &[Given<'_>]) -> f64 {
    let number = |name: &str| {
        let value = given.iter().rev().find(|given| given.option.name == name)?.value;
        let least = value.split('-').next().unwrap_or(value);
        #[expect(clippy::cast_precision_loss, reason = "only the order of magnitude counts")]
        whole(least.trim_ascii_end()).map(|number| number.max(1) as f64)
    };
    let on_nodes = || Some(number("ntasks-per-node")? * number("nodes").unwrap_or(1.0));
    number("ntasks").or_else(on_nodes).unwrap_or(1.0) * number("cpus-per-task").unwrap_or(1.0)
}
