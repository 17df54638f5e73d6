//! HTCondor's reasons in words, each with its remedy.

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
            let analysis = queue::call("condor_q", &["-better-analyze", &job]);
            analysis
                .ok()
                .filter(|analysis| analysis.success())
                .map_or_else(|| unmatched(&[], &job), |analysis| unmatched(&failing(&analysis.stdout), &job))
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

/// The conditions of a job's requirements that no slot meets, by `condor_q -better-analyze`, each with the job's value of what it asks for.
fn failing(analysis: &str) -> Vec<String> {
    let value = |name: &str| {
        let mut lines = analysis.lines().map(str::trim);
        lines.find_map(|line| line.strip_prefix(name)?.trim_start().strip_prefix('=')).map(str::trim)
    };
    let condition = |line: &str| {
        // `[5]           0  TARGET.Memory >= RequestMemory`
        let (_, rest) = line.strip_prefix('[')?.split_once(']')?;
        let condition = rest.trim_start().strip_prefix('0')?.strip_prefix(' ')?.trim();
        let asked = ["RequestMemory", "RequestDisk", "RequestCpus"].into_iter().find(|name| condition.contains(name));
        let asked = asked.and_then(|name| Some(format!(", with {name} = {}", value(name)?)));
        Some(format!("`{condition}`{}", asked.unwrap_or_default()))
    };
    analysis.lines().filter_map(|line| condition(line.trim())).collect()
}

fn unmatched(conditions: &[String], job: &str) -> Why {
    let has = |words: &[&str]| conditions.iter().any(|condition| words.iter().any(|word| condition.contains(word)));
    let help = match () {
        () if has(&["RequestMemory"]) => "ask for less: `tpvc maps edit --memory`".to_owned(),
        () if has(&["RequestDisk"]) => "ask for less: `tpvc maps edit --disk`".to_owned(),
        () if has(&["Arch", "OpSys"]) => {
            "ship a program for the machines that are there: `tpvc maps transplant --program`".to_owned()
        }
        () if conditions.is_empty() => format!("`condor_q -better-analyze {job}` says more"),
        () => "make the map again with another `--option requirements=...`".to_owned(),
    };
    match conditions {
        [] => Why::new("no machine of the pool matches it", help),
        conditions => Why::new(format!("no machine of the pool meets {}", conditions.join(" and ")), help),
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
        assert_eq!(failing, ["`TARGET.Memory >= RequestMemory`, with RequestMemory = 999999 (mb)"]);
        let why = unmatched(&failing, "1.0");
        assert!(why.message.contains("RequestMemory = 999999 (mb)") && why.help.contains("edit --memory"), "{why:?}");
        assert!(unmatched(&[], "1.0").help.contains("condor_q -better-analyze 1.0"));
        assert!(unmatched(&["`HasFoo`".to_owned()], "1.0").help.contains("requirements"));
    }
}
