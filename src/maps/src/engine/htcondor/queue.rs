//! The state of a cluster in the schedd's queue, by `condor_q`.

use std::collections::HashMap;
use std::process::{Command, Stdio};
use std::time::Duration;

use super::super::super::Error;
use super::super::{EngineState, Kind, program};
use super::events::EventLog;
use super::{TOKEN, has_ended};

/// The time limit of programs that ask the schedd: a busy one lets its clients wait.
const LIMIT: Duration = Duration::from_secs(120);

/// The reason of a job that HTCondor has not tried to match.
pub(super) const NOT_TRIED: &str = "HTCondor has not looked for a machine yet";
/// The reason of a job that was removed.
const REMOVED: &str = "removed from the queue";

/// The remedy if the schedd does not answer.
pub(super) const HELP: &str =
    "`condor_q` must answer on this machine: it has to be an access point, and its schedd has to run";

/// The jobs of a cluster in the queue.
#[derive(Debug, Default)]
pub(super) struct Queue {
    jobs: HashMap<u32, Job>,
    /// The reasons of jobs that are held, by position.
    holds: HashMap<u32, String>,
    /// The reason for which jobs find no machine. HTCondor gives it to one of those that ask for the same.
    no_match: Option<String>,
    /// `true` if HTCondor can still create jobs for the cluster's other components.
    pub(super) has_factory: bool,
}

/// The state of a job in the queue: the attribute `JobStatus`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Job {
    Idle,
    Running,
    Removed,
    /// It has ended, and is about to leave the queue.
    Completed,
    Held,
    Suspended,
}

impl Job {
    fn from_status(status: &str) -> Option<Self> {
        Some(match status {
            "1" => Self::Idle,
            // 6: it has run, and its output is being transferred.
            "2" | "6" => Self::Running,
            "3" => Self::Removed,
            "4" => Self::Completed,
            "5" => Self::Held,
            "7" => Self::Suspended,
            _ => return None,
        })
    }
}

impl Queue {
    /// Asks for the jobs that meet a constraint, and for the factory that makes them if `factory`.
    ///
    /// # Errors
    /// The schedd cannot be asked.
    pub(super) fn ask(constraint: &str, factory: bool) -> Result<Self, Error> {
        // The factory is asked for first, so that a job that it creates between the two calls is in the queue's answer.
        let has_factory = factory && is_known(&["-factory"], constraint)?;
        let text =
            condor_q(&["-constraint", constraint, "-af:t", "ProcId", "JobStatus", "LastRejMatchReason", "HoldReason"])?;
        let mut queue = Self { has_factory, ..Self::default() };
        for line in text.lines() {
            let mut fields = line.splitn(4, '\t').map(str::trim);
            let (Some(Ok(process)), Some(job)) =
                (fields.next().map(str::parse), fields.next().and_then(Job::from_status))
            else {
                continue;
            };
            queue.jobs.insert(process, job);
            let mut text = || fields.next().filter(|text| !matches!(*text, "" | "undefined")).map(str::to_owned);
            let (no_match, hold) = (text(), text());
            if job == Job::Idle {
                queue.no_match = queue.no_match.or(no_match);
            }
            queue.holds.extend(hold.map(|reason| (process, reason)));
        }
        Ok(queue)
    }

    /// The job of a component. `None` if it is not in the queue.
    pub(super) fn job(&self, position: u32) -> Option<Job> {
        self.jobs.get(&position).copied()
    }

    /// The jobs.
    pub(super) fn jobs(&self) -> impl Iterator<Item = Job> {
        self.jobs.values().copied()
    }

    /// Returns `true` if the queue has neither a job of the cluster nor a factory that can still create one.
    pub(super) fn is_empty(&self) -> bool {
        self.jobs.is_empty() && !self.has_factory
    }

    /// The state of a component. `was` is its state in the event log as read before the queue was asked; `log` is the event
    /// log as read afterwards.
    pub(super) fn lay_over(&self, position: u32, was: Option<&EngineState>, log: &EventLog) -> EngineState {
        use EngineState::{Gone, Held, Idle, Removed, Running, Suspended, Unmaterialized};
        let logged = log.state(position);
        match (self.job(position), logged) {
            // It ended after the queue was asked.
            (Some(_), Some(state)) if has_ended(logged) && !has_ended(was) => state.clone(),
            (Some(Job::Completed), Some(state)) if has_ended(logged) => state.clone(),
            (Some(Job::Completed), _) => Running,
            // The log of a map that was moved has only what came before.
            (Some(Job::Held), logged) => Held(match (self.holds.get(&position), logged) {
                (Some(reason), _) | (None, Some(Held(reason))) => reason.clone(),
                _ => "HTCondor gives no reason".to_owned(),
            }),
            (Some(Job::Idle), _) => Idle(self.no_match.clone().unwrap_or_else(|| NOT_TRIED.to_owned())),
            (Some(Job::Running), _) => Running,
            (Some(Job::Removed), Some(Removed(reason))) => Removed(reason.clone()),
            (Some(Job::Removed), _) => Removed(REMOVED.to_owned()),
            (Some(Job::Suspended), _) => Suspended,
            (None, Some(state)) if has_ended(logged) => state.clone(),
            // It was logged before the queue was asked and has not ended since, so an event is missing from the log.
            (None, Some(_)) if was.is_some() => Gone("it left HTCondor's queue without an event".to_owned()),
            (None, Some(state)) => state.clone(),
            (None, None) if self.has_factory => match log.paused() {
                Some(reason) => Held(reason.to_owned()),
                None => Unmaterialized,
            },
            (None, None) if log.is_over() => Removed(REMOVED.to_owned()),
            (None, None) => Gone("HTCondor does not know it".to_owned()),
        }
    }
}

/// The cluster whose jobs carry a token. `None` if none is in the queue.
///
/// # Errors
/// The schedd cannot be asked.
pub(super) fn cluster_of(token: &str) -> Result<Option<u32>, Error> {
    let constraint = with_token(token);
    // `condor_q` shows a factory without jobs only with `-factory`.
    for flags in [&["-factory"][..], &[]] {
        if let Some(id) = first_cluster(flags, &constraint)?.lines().find_map(|line| line.trim().parse().ok()) {
            return Ok(Some(id));
        }
    }
    Ok(None)
}

/// Returns `true` if one of the jobs that meet a constraint is held, and still on a machine.
///
/// # Errors
/// The schedd cannot be asked.
pub(super) fn holds_machines(constraint: &str) -> Result<bool, Error> {
    is_known(&[], &format!("{constraint} && JobStatus == 5 && CurrentHosts > 0"))
}

/// Returns `true` if the queue has jobs (factories, if `flags` has `-factory`) that meet a constraint.
fn is_known(flags: &[&str], constraint: &str) -> Result<bool, Error> {
    Ok(!first_cluster(flags, constraint)?.trim().is_empty())
}

/// The answer of `condor_q` with these flags for one job that meets a constraint: its cluster, or an empty text.
fn first_cluster(flags: &[&str], constraint: &str) -> Result<String, Error> {
    condor_q(&[flags, &["-limit", "1", "-constraint", constraint, "-af", "ClusterId"]].concat())
}

/// The constraint that only jobs with this token meet.
pub(super) fn with_token(token: &str) -> String {
    format!("{TOKEN} == \"{token}\"")
}

/// The name of this machine's schedd. `None` if `condor_q` shows none.
///
/// # Errors
/// The schedd cannot be asked.
pub(super) fn access_point() -> Result<Option<String>, Error> {
    Ok(schedd_name(&condor_q(&["-totals", "-constraint", "FALSE"])?))
}

/// The name in `-- Schedd: ap.example.org : <192.0.2.7:9618?... @ 11/22/26 22:23:59`.
fn schedd_name(text: &str) -> Option<String> {
    let name = text.lines().find_map(|line| line.strip_prefix("-- Schedd: ")?.split_once(" : "))?.0.trim();
    (!name.is_empty()).then(|| name.to_owned())
}

fn condor_q(arguments: &[&str]) -> Result<String, Error> {
    call("condor_q", arguments)?.output(HELP)
}

/// Runs a program that asks the schedd.
///
/// # Errors
/// It is missing, or the schedd keeps it waiting.
pub(super) fn call(name: &str, arguments: &[&str]) -> Result<program::Finished, Error> {
    program::run(Kind::HtCondor, Command::new(name).args(arguments), Stdio::null(), LIMIT)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
    use EngineState::{Gone, Held, Idle, Removed, Running, Unmaterialized};

    use super::*;

    #[test]
    fn the_schedd_is_named_above_the_totals() {
        let text =
            "\n\n-- Schedd: a@ap.example.org : <192.0.2.7:9618?... @ 11/22/26 22:23:59\nTotal for query: 2 jobs\n";
        assert_eq!(schedd_name(text).unwrap(), "a@ap.example.org");
        assert_eq!(schedd_name("Total for query: 2 jobs\n"), None);
    }

    /// A log of one component in which these events stand.
    fn log(events: &[&str]) -> EventLog {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("0.log");
        let texts = events.iter().map(|event| {
            let (code, detail) = event.split_once(' ').unwrap_or((event, ""));
            let process = if code >= "035" { "-01" } else { "000" };
            format!("{code} (012.{process}.000) 2026-11-22 22:17:42 Title\n\t{detail}\n...\n")
        });
        std::fs::write(&path, texts.collect::<String>()).unwrap();
        let mut log = EventLog::new(12, 1);
        log.follow(&path).unwrap();
        log
    }

    #[test]
    fn the_queue_is_laid_over_the_log() {
        let state = |job: Option<Job>, has_factory, before: &[&str], since: &[&str]| {
            let queue = Queue { jobs: job.map(|job| (0, job)).into_iter().collect(), has_factory, ..Queue::default() };
            queue.lay_over(0, log(before).state(0), &log(&[before, since].concat()))
        };
        let (held, killed) = (Held("disk full".to_owned()), Gone("killed by signal 9".to_owned()));
        let ended = "005 (0) Abnormal termination (signal 9)";
        // In the queue: its state there, unless it has ended since.
        assert_eq!(state(Some(Job::Running), false, &["000"], &[]), Running);
        assert_eq!(state(Some(Job::Held), false, &["000", "012 disk full"], &[]), held);
        assert_eq!(state(Some(Job::Running), false, &["000", "001"], &[ended]), killed);
        assert_eq!(state(Some(Job::Completed), false, &["000", "001", ended], &[]), killed);
        // It runs again after a crash of the schedd.
        assert_eq!(state(Some(Job::Idle), false, &["000", "001", ended], &[]), Idle(NOT_TRIED.to_owned()));
        // The reason is the queue's, where the log has none or an older one.
        let jobs = [(0, Job::Held)].into_iter().collect();
        let holds = [(0, "disk full".to_owned())].into_iter().collect();
        let queue = Queue { jobs, holds, ..Queue::default() };
        for events in [&["000"][..], &["000", "012 via condor_hold"]] {
            assert_eq!(queue.lay_over(0, log(events).state(0), &log(events)), held);
        }
        // Not in the queue: it ended, or came after the queue was asked, or was lost.
        assert_eq!(state(None, false, &["000", "001"], &[ended]), killed);
        assert_eq!(state(None, true, &[], &["000"]), Idle(String::new()));
        assert!(matches!(state(None, false, &["000"], &[]), Gone(_)));
        assert!(matches!(state(None, false, &[], &[]), Gone(_)));
        // HTCondor has made no job of it.
        assert_eq!(state(None, true, &[], &[]), Unmaterialized);
        assert_eq!(state(None, true, &["037 disk full"], &[]), held);
        assert_eq!(state(None, true, &["037 disk full", "038"], &[]), Unmaterialized);
        assert_eq!(state(None, false, &["036"], &[]), Removed(REMOVED.to_owned()));
    }
}
