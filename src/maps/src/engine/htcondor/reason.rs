//! HTCondor's reasons in words, each with its remedy.

use super::super::program::Finished;
use super::queue;
use crate::remedy;
use crate::state::State;
use crate::why::Why;

/// Explains a reason. Of a job that no machine matches, HTCondor is asked for the requirement that fails.
pub(super) fn explain(id: &str, position: u32, state: State, reason: &str) -> Why {
    match state {
        State::Idle if reason == queue::NOT_TRIED => Why::new(
            reason,
            "wait; if it lasts, the pool's negotiator may be down: `condor_status -negotiator` shows it",
        ),
        State::Idle if reason.starts_with("no match found") => {
            let job = format!("{id}.{position}");
            let analysis = queue::call("condor_q", &["-better-analyze", &job]).ok().filter(Finished::success);
            let analysis = analysis.map(|analysis| analysis.stdout).unwrap_or_default();
            match is_busy(&analysis, has_ever) {
                true => Why::new(
                    "all machines that match it are busy",
                    format!("wait; `condor_q -better-analyze {job}` says more"),
                ),
                false => unmatched(&analysis, &job),
            }
        }
        State::Idle if reason.starts_with("insufficient priority") => {
            Why::new("jobs of higher priority are before it", "wait; `condor_userprio` shows the priorities")
        }
        State::Idle => Why::new(reason, format!("`condor_q -better-analyze {id}.{position}` says more")),
        State::Held if reason.starts_with("Transfer ") || reason.contains("transfer files") => {
            Why::new(reason, transfer(reason))
        }
        _ => Why::new(reason, remedy::of(state, reason)),
    }
}

fn transfer(reason: &str) -> &'static str {
    let has = |words: &[&str]| words.iter().any(|word| reason.contains(word));
    match () {
        () if has(&["No space left", "quota"]) => remedy::of(State::Held, reason),
        () if has(&["input files"]) && has(&["No such file or directory"]) => remedy::MOVED,
        () => "files could not be brought to the machine or back: mend what is named, then `tpvc maps release`",
    }
}

/// The attributes that a job asks for, and those for all that a machine has, which running jobs do not lessen.
const ASKED: [(&str, &str); 3] =
    [("RequestMemory", "TotalMemory"), ("RequestDisk", "TotalDisk"), ("RequestCpus", "TotalCpus")];

/// The attribute that a condition asks for, and that for all that a machine has.
fn asks(condition: &str) -> Option<(&'static str, &'static str)> {
    ASKED.into_iter().find(|(name, _)| condition.contains(name))
}

/// The job's value of an attribute, by `condor_q -better-analyze`: `999999 (mb)`.
fn value<'a>(analysis: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = analysis.lines().map(str::trim);
    lines.find_map(|line| line.strip_prefix(name)?.trim_start().strip_prefix('=')).map(str::trim)
}

/// The conditions of a job's requirements by `condor_q -better-analyze`, each with the number of slots that meet it. `[3] && [5]` is one of two
/// that stand above it.
fn conditions(analysis: &str) -> impl Iterator<Item = (u64, &str)> {
    analysis.lines().filter_map(|line| {
        // `[5]           0  TARGET.Memory >= RequestMemory`
        let (_, rest) = line.trim().strip_prefix('[')?.split_once(']')?;
        let (count, condition) = rest.trim_start().split_once(' ')?;
        Some((count.parse().ok()?, condition.trim()))
    })
}

/// Returns `true` if the job only waits for others: machines match it, or have what it asks for when nothing else runs there.
fn is_busy(analysis: &str, has_ever: impl Fn(&[(&str, u64)]) -> bool) -> bool {
    let mut failing = conditions(analysis).filter(|(count, _)| *count == 0).peekable();
    if failing.peek().is_none() {
        let matches = [
            "match and are already running your jobs",
            "match but are serving other users",
            "are able to run your job",
        ];
        let counted = |line: &str| {
            let (count, what) = line.trim().split_once(' ')?;
            matches.contains(&what.trim()).then(|| count.parse::<u64>().ok())?
        };
        return analysis.lines().filter_map(counted).any(|count| count > 0);
    }
    let asked = conditions(analysis).filter_map(|(_, condition)| {
        let (name, all) = asks(condition)?;
        Some((all, value(analysis, name)?.split(' ').next()?.parse().ok()?))
    });
    let asked: Vec<(&str, u64)> = asked.collect();
    failing.all(|(_, condition)| condition.starts_with('[') || asks(condition).is_some())
        && !asked.is_empty()
        && has_ever(&asked)
}

/// Returns `true` if some machine of the pool has so much of these in all.
fn has_ever(asked: &[(&str, u64)]) -> bool {
    let constraint: Vec<_> = asked.iter().map(|(attribute, value)| format!("{attribute} >= {value}")).collect();
    let constraint = constraint.join(" && ");
    let machines = queue::call("condor_status", &["-limit", "1", "-constraint", &constraint, "-af", "Machine"]);
    machines.is_ok_and(|machines| machines.success() && !machines.stdout.trim().is_empty())
}

/// The reason of a job that no machine matches.
fn unmatched(analysis: &str, job: &str) -> Why {
    let failing: Vec<&str> =
        conditions(analysis).filter(|(count, _)| *count == 0).map(|(_, condition)| condition).collect();
    let single: Vec<&str> = failing.iter().copied().filter(|condition| !condition.starts_with('[')).collect();
    let has = |words: &[&str]| single.iter().any(|condition| words.iter().any(|word| condition.contains(word)));
    let help = match () {
        () if has(&["RequestMemory"]) => "ask for less: `tpvc maps edit --memory`".to_owned(),
        () if has(&["RequestDisk"]) => "ask for less: `tpvc maps edit --disk`".to_owned(),
        () if has(&["Arch", "OpSys"]) => {
            "ship a program for the machines that are there: `tpvc maps transplant --program`".to_owned()
        }
        () if single.is_empty() => format!("`condor_q -better-analyze {job}` says more"),
        () => "make the map again with another `--option requirements=...`".to_owned(),
    };
    let words = |condition: &&str| match asks(condition).and_then(|(name, _)| value(analysis, name)) {
        Some(value) => format!("`{condition}`, which asks for {value}"),
        None => format!("`{condition}`"),
    };
    let message = match (single.as_slice(), failing.is_empty()) {
        ([], true) => "no machine of the pool matches it".to_owned(),
        ([], false) => "no machine of the pool meets all its requirements at once".to_owned(),
        (single, _) => {
            format!("no machine of the pool meets {}", single.iter().map(words).collect::<Vec<_>>().join(" and "))
        }
    };
    Why::new(message, help)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
    use super::*;

    /// As HTCondor 23.9.6 printed it.
    const RECORDED: &str = "\
Job 1.000 defines the following attributes:

    DiskUsage = 45
    RequestDisk = DiskUsage (kb)
    RequestMemory = 999999 (mb)

The Requirements expression for job 1.000 reduces to these conditions:

         Slots
Step    Matched  Condition
-----  --------  ---------
[0]           1  TARGET.Arch == \"X86_64\"
[3]          10  TARGET.Disk >= RequestDisk
[5]           0  TARGET.Memory >= RequestMemory
[7]           1  TARGET.FileSystemDomain == MY.FileSystemDomain
";

    #[test]
    fn the_requirement_that_fails_is_named() {
        let why = unmatched(RECORDED, "1.0");
        let message = "no machine of the pool meets `TARGET.Memory >= RequestMemory`, which asks for 999999 (mb)";
        assert!(why.message == message && why.help.contains("edit --memory"), "{why:?}");
        assert!(unmatched("", "1.0").help.contains("condor_q -better-analyze 1.0"));
        assert!(unmatched("[1]   0  HasFoo\n", "1.0").help.contains("requirements"));
        assert!(unmatched("[1]   0  [3] && [5]\n", "1.0").message.contains("at once"));
    }

    #[test]
    fn a_failed_transfer_has_the_remedy_of_its_cause() {
        let remedy = |cause: &str| transfer(&format!("Transfer input files failure at access point ap: {cause}"));
        assert_eq!(remedy("reading from file /maps-0/1/inputs/a: (errno 2) No such file or directory"), remedy::MOVED);
        assert!(remedy("(errno 28) No space left on device").contains("make room"));
        assert!(remedy("connection reset").contains("mend what is named"));
        // The component wrote none.
        let output = "Transfer output files failure at execution point: (errno 2) No such file or directory";
        assert!(transfer(output).contains("mend what is named"));
    }

    /// Running jobs take memory of a machine, which counts less then.
    #[test]
    fn a_machine_that_others_use_is_busy() {
        let total = |asked: &[(&str, u64)]| asked == [("TotalMemory", 999_999)];
        assert!(is_busy(RECORDED, total));
        assert!(!is_busy(RECORDED, |_| false));
        let together =
            RECORDED.replace("           0  TARGET.Memory", "           1  TARGET.Memory") + "[6]    0  [3] && [5]\n";
        assert!(is_busy(&together, total));
        assert!(!is_busy(&format!("{RECORDED}[9]  0  HasFoo\n"), |_| true));
        assert!(is_busy("      3 match but are serving other users\n", |_| false));
        assert!(!is_busy("      0 are able to run your job\n", |_| true));
    }
}
