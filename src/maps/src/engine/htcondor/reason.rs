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
            let failing = failing(&analysis);
            match is_busy(&analysis, &failing, has_ever) {
                true => Why::new(
                    "all machines that match it are busy",
                    format!("wait; `condor_q -better-analyze {job}` says more"),
                ),
                false => unmatched(&failing, &job),
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
    match reason.contains("No space left") || reason.contains("quota") {
        true => remedy::of(State::Held, reason),
        false => "files could not be brought to the machine or back: mend what is named, then `tpvc maps release`",
    }
}

/// A condition of a job's requirements that no slot meets now.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Failing {
    condition: String,
    /// What the job asks for, if the condition is about that: the machine's attribute for all that it has, and the job's value.
    asked: Option<(&'static str, String)>,
}

/// The attributes that conditions ask for, and those for all that a machine has, which running jobs do not lessen.
const ASKED: [(&str, &str); 3] =
    [("RequestMemory", "TotalMemory"), ("RequestDisk", "TotalDisk"), ("RequestCpus", "TotalCpus")];

/// The conditions that no slot meets, by `condor_q -better-analyze`.
fn failing(analysis: &str) -> Vec<Failing> {
    let value = |name: &str| {
        let mut lines = analysis.lines().map(str::trim);
        lines
            .find_map(|line| line.strip_prefix(name)?.trim_start().strip_prefix('='))
            .map(|value| value.trim().to_owned())
    };
    let condition = |line: &str| {
        // `[5]           0  TARGET.Memory >= RequestMemory`
        let (_, rest) = line.strip_prefix('[')?.split_once(']')?;
        let condition = rest.trim_start().strip_prefix('0')?.strip_prefix(' ')?.trim().to_owned();
        let asked = ASKED.into_iter().find(|(name, _)| condition.contains(name));
        let asked = asked.and_then(|(name, all)| Some((all, value(name)?)));
        Some(Failing { condition, asked })
    };
    analysis.lines().filter_map(|line| condition(line.trim())).collect()
}

/// Returns `true` if the job only waits for others: machines match it, or have what it asks for when nothing else runs there.
fn is_busy(analysis: &str, failing: &[Failing], has_ever: impl Fn(&str, u64) -> bool) -> bool {
    if failing.is_empty() {
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
    failing.iter().all(|failing| {
        let asked = failing.asked.as_ref();
        let number = |value: &str| value.split(' ').next()?.parse().ok();
        asked.is_some_and(|(all, value)| number(value).is_some_and(|value| has_ever(all, value)))
    })
}

/// Returns `true` if some machine of the pool has so much in all.
fn has_ever(attribute: &str, value: u64) -> bool {
    let constraint = format!("{attribute} >= {value}");
    let machines = queue::call("condor_status", &["-limit", "1", "-constraint", &constraint, "-af", "Machine"]);
    machines.is_ok_and(|machines| machines.success() && !machines.stdout.trim().is_empty())
}

fn unmatched(failing: &[Failing], job: &str) -> Why {
    let has = |words: &[&str]| failing.iter().any(|failing| words.iter().any(|word| failing.condition.contains(word)));
    let help = match () {
        () if has(&["RequestMemory"]) => "ask for less: `tpvc maps edit --memory`".to_owned(),
        () if has(&["RequestDisk"]) => "ask for less: `tpvc maps edit --disk`".to_owned(),
        () if has(&["Arch", "OpSys"]) => {
            "ship a program for the machines that are there: `tpvc maps transplant --program`".to_owned()
        }
        () if failing.is_empty() => format!("`condor_q -better-analyze {job}` says more"),
        () => "make the map again with another `--option requirements=...`".to_owned(),
    };
    let words = |failing: &Failing| match &failing.asked {
        Some((_, value)) => format!("`{}`, which asks for {value}", failing.condition),
        None => format!("`{}`", failing.condition),
    };
    match failing {
        [] => Why::new("no machine of the pool matches it", help),
        failing => {
            let conditions: Vec<_> = failing.iter().map(words).collect();
            Why::new(format!("no machine of the pool meets {}", conditions.join(" and ")), help)
        }
    }
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
        let failing = failing(RECORDED);
        assert_eq!(
            failing,
            [Failing {
                condition: "TARGET.Memory >= RequestMemory".to_owned(),
                asked: Some(("TotalMemory", "999999 (mb)".to_owned()))
            }]
        );
        let why = unmatched(&failing, "1.0");
        let message = "no machine of the pool meets `TARGET.Memory >= RequestMemory`, which asks for 999999 (mb)";
        assert!(why.message == message && why.help.contains("edit --memory"), "{why:?}");
        assert!(unmatched(&[], "1.0").help.contains("condor_q -better-analyze 1.0"));
        let foo = Failing { condition: "HasFoo".to_owned(), asked: None };
        assert!(unmatched(std::slice::from_ref(&foo), "1.0").help.contains("requirements"));
        // Running jobs have taken the memory of a machine that has as much.
        assert!(is_busy(RECORDED, &failing, |all, value| (all, value) == ("TotalMemory", 999_999)));
        assert!(!is_busy(RECORDED, &failing, |_, _| false));
        assert!(!is_busy(RECORDED, &[failing[0].clone(), foo], |_, _| true));
        assert!(is_busy("      3 match but are serving other users\n", &[], |_, _| false));
        assert!(!is_busy("      0 are able to run your job\n", &[], |_, _| true));
    }
}
