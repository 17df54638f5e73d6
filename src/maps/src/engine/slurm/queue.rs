//! The tasks of a cluster's job arrays in Slurm: the lines of `squeue`.
//!
//! `squeue --json` is not asked: before Slurm 23 it ignores every filter and tells some kilobytes of each job of the site, and it names
//! neither fields nor states the same from one release to the next.

use std::collections::BTreeMap;

use super::super::EngineState;

/// The fields of a line, for `squeue --format`: array job, task, state, reason, comment. Only a reason can be any text.
pub(super) const FORMAT: &str = "%F|%K|%T|%r|%k";

/// The reason of a task whose script ended with a status other than 0.
pub(super) const STATUS: &str = "NonZeroExitCode";

/// The fields of a line, for `squeue --Format`: array job, task, and status as `wait` gives it.
pub(super) const STATUSES: &str = "ArrayJobID:20,ArrayTaskID:20,exit_code:20";

/// The exit statuses by array and task. What was killed by a signal has none.
pub(super) fn statuses(squeue: &str) -> BTreeMap<(u32, u32), u32> {
    let read = |line: &str| {
        let mut fields = line.split_whitespace();
        let mut next = || fields.next()?.parse::<u32>().ok();
        let (array, task, status) = (next()?, next()?, next()?);
        (status & 0xff == 0).then_some(((array, task), status >> 8))
    };
    squeue.lines().filter_map(read).collect()
}

/// The comment of an array of a cluster: the cluster's token, and the position of the array's first task.
pub(super) fn comment(token: &str, first: u32) -> String {
    format!("tpvc:{token}:{first}")
}

/// A task of one of the cluster's arrays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Task {
    /// The id of the array.
    pub(super) array: u32,
    /// The number of the task in its array.
    pub(super) number: u32,
    /// The position in the cluster.
    pub(super) position: u32,
    /// Its stage.
    pub(super) stage: Stage,
    /// The engine's state of it.
    pub(super) state: EngineState,
}

/// The stage of a task, which decides the possible operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// It waits.
    Waiting,
    /// It waits, and is kept from running.
    Held,
    /// It runs, or is suspended.
    Running,
    /// It is coming to its end, or to the queue once more.
    Leaving,
    /// It has ended; Slurm forgets it soon.
    Ended,
}

/// The tasks of the cluster with this token. Jobs of others are passed over, whatever their ids: after a crash, Slurm gives ids again that
/// it had given before.
pub(super) fn tasks(squeue: &str, token: &str) -> Vec<Task> {
    squeue.lines().filter_map(|line| task(line, token)).collect()
}

fn task(line: &str, token: &str) -> Option<Task> {
    let (line, comment) = line.rsplit_once('|')?;
    let first: u32 = comment.trim().strip_prefix("tpvc:")?.strip_prefix(token)?.strip_prefix(':')?.parse().ok()?;
    let mut fields = line.splitn(4, '|');
    let array = fields.next()?.trim().parse().ok()?;
    let number: u32 = fields.next()?.trim().parse().ok()?;
    let (stage, state) = read(fields.next()?.trim(), fields.next()?.trim());
    Some(Task { array, number, position: first.checked_add(number)?, stage, state })
}

/// The state by Slurm's names of state and reason.
fn read(state: &str, reason: &str) -> (Stage, EngineState) {
    let ended = |why: &str| {
        let reason = if matches!(reason, "" | "None") { String::new() } else { format!(" ({reason})") };
        (Stage::Ended, EngineState::Gone(format!("{why}{reason}")))
    };
    match state {
        "RUNNING" | "SIGNALING" | "STAGE_OUT" | "RESIZING" => (Stage::Running, EngineState::Running),
        "SUSPENDED" | "STOPPED" => (Stage::Running, EngineState::Suspended),
        "COMPLETING" => match held(reason) {
            Some(why) => (Stage::Leaving, EngineState::Held(why)),
            None => (Stage::Leaving, EngineState::Running),
        },
        "CANCELLED" | "REVOKED" => (Stage::Ended, EngineState::Removed(CANCELLED.to_owned())),
        "COMPLETED" => (Stage::Ended, EngineState::Gone(String::new())),
        "FAILED" => ended("its job failed before it could report"),
        "TIMEOUT" => ended("it ran longer than its limit of time"),
        "DEADLINE" => ended("its deadline was over"),
        "OUT_OF_MEMORY" => ended("it used more memory than its limit"),
        "NODE_FAIL" => ended("its node failed"),
        "BOOT_FAIL" => ended("its node did not start"),
        "PREEMPTED" => ended("its place was given to another job"),
        "REQUEUE_HOLD" | "SPECIAL_EXIT" | "RESV_DEL_HOLD" => {
            (Stage::Held, EngineState::Held(held(reason).unwrap_or_else(|| reason.to_owned())))
        }
        // PENDING, CONFIGURING, REQUEUED, and what later releases call other ways to wait.
        _ => match held(reason) {
            Some(why) => (Stage::Held, EngineState::Held(why)),
            None => (Stage::Waiting, EngineState::Idle(reason.trim_matches(['(', ')']).to_owned())),
        },
    }
}

/// The reason of a task that was taken from the queue.
pub(super) const CANCELLED: &str = "cancelled";

/// The reason that a waiting task will not run by itself.
fn held(reason: &str) -> Option<String> {
    match reason {
        "JobHeldUser" => Some("held by its user".to_owned()),
        "JobHeldAdmin" => Some("held by an administrator".to_owned()),
        "DependencyNeverSatisfied" => Some("its dependency can never be met".to_owned()),
        // `job requeued in held state`, `launch failed requeued held`, `JobHoldMaxRequeue`.
        _ => {
            let lower = reason.to_ascii_lowercase();
            (lower.contains("held") || lower.contains("jobhold")).then(|| reason.to_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
    use super::*;

    /// As Slurm 22.05 printed it, with the comments of two clusters, jobs without a comment and jobs that are no arrays.
    const RECORDED: &str = "\
21|4|PENDING|Resources|tpvc:abc:0
21|5|PENDING|Priority|tpvc:abc:0
21|1|COMPLETING|job requeued in held state|tpvc:abc:0
21|3|PENDING|JobHeldAdmin|tpvc:abc:0
21|2|PENDING|job requeued in held state|tpvc:abc:0
21|0|RUNNING|JobHeldAdmin|tpvc:abc:0
22|0|SUSPENDED|None|tpvc:abc:6
22|1|COMPLETED|None|tpvc:abc:6
22|2|CANCELLED|None|tpvc:abc:6
22|3|FAILED|BadConstraints|tpvc:abc:6
23|0|RUNNING|None|tpvc:abcd:0
24|0|RUNNING|None|(null)
25|N/A|RUNNING|None|tpvc:abc:0
26|1|PENDING|a | b|tpvc:abc:12

no line of squeue
";

    #[test]
    fn only_the_cluster_s_tasks_are_read_each_at_its_position() {
        let tasks = tasks(RECORDED, "abc");
        let states: Vec<_> =
            tasks.iter().map(|task| (task.array, task.position, task.stage, task.state.clone())).collect();
        let held = |why: &str| EngineState::Held(why.to_owned());
        let idle = |why: &str| EngineState::Idle(why.to_owned());
        assert_eq!(
            states,
            [
                (21, 4, Stage::Waiting, idle("Resources")),
                (21, 5, Stage::Waiting, idle("Priority")),
                (21, 1, Stage::Leaving, held("job requeued in held state")),
                (21, 3, Stage::Held, held("held by an administrator")),
                (21, 2, Stage::Held, held("job requeued in held state")),
                (21, 0, Stage::Running, EngineState::Running),
                (22, 6, Stage::Running, EngineState::Suspended),
                (22, 7, Stage::Ended, EngineState::Gone(String::new())),
                (22, 8, Stage::Ended, EngineState::Removed(CANCELLED.to_owned())),
                (
                    22,
                    9,
                    Stage::Ended,
                    EngineState::Gone("its job failed before it could report (BadConstraints)".to_owned())
                ),
                (26, 13, Stage::Waiting, idle("a | b")),
            ]
        );
    }

    #[test]
    fn statuses_are_those_of_the_script() {
        let text = "21                  3                   7168                \n21                  4                   9\n22 N/A 256\n";
        assert_eq!(statuses(text).into_iter().collect::<Vec<_>>(), [((21, 3), 28)]);
    }

    #[test]
    fn the_comment_that_is_written_is_the_one_that_is_read() {
        let line = format!("7|3|RUNNING|None|{}", comment("00ff", 10_000));
        let tasks = tasks(&line, "00ff");
        assert_eq!((tasks[0].array, tasks[0].number, tasks[0].position), (7, 3, 10_003));
        assert!(super::tasks(&line, "00f").is_empty());
        assert!(super::tasks("7|4294967295|RUNNING|None|tpvc:00ff:1", "00ff").is_empty(), "a position that cannot be");
    }
}
