//! HTCondor: a submit description with itemdata, all files transferred, late materialization, the event log followed.
//!
//! A cluster of a map is a cluster of HTCondor, and the position of a component is its process id. Its jobs carry the token as an attribute:
//! every act names it, so that no id that the schedd gave away again is touched. The state of a component is what the event log tells, laid
//! under the queue, which is asked as long as the log has not told the end of all.

mod description;
mod events;
mod queue;
mod reason;

use std::collections::BTreeSet;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use super::super::Error;
use super::super::item::Item;
use super::super::resources::Resources;
use super::super::state::State;
use super::super::store::Lock;
use super::super::why::Why;
use super::{Action, Engine, EngineState, Kind, Options, Submission, program};
use events::EventLog;
use queue::{Job, Queue};

/// The attribute of a job that has the cluster's token.
const TOKEN: &str = "TpvcToken";
/// The attributes of a job that have its limits of memory and disk, in MiB. `component.sh` reads them where it runs.
const MEMORY_LIMIT: &str = "TpvcMemory";
const DISK_LIMIT: &str = "TpvcDisk";
/// The attribute of a job that has its limit of time, in seconds.
const TIME_LIMIT: &str = "TpvcTimeLimit";

/// The time limit of `condor_submit`, which sends the itemdata of the whole cluster.
const SUBMIT_LIMIT: Duration = Duration::from_secs(600);

/// The time limit for removed jobs to leave the queue.
const REMOVAL_LIMIT: Duration = Duration::from_secs(60);

/// The time after which removed jobs are forced out, and held ones released: a node that does not answer keeps them otherwise.
const PATIENCE: Duration = Duration::from_secs(10);

/// The most ranges of process ids in one constraint: a command line is not endless.
const RANGES: usize = 500;

/// The engine.
#[derive(Clone, Copy, Debug)]
pub struct HtCondor;

impl Engine for HtCondor {
    fn check_options(&self, options: &Options) -> Result<(), Error> {
        options.iter().try_for_each(|(name, value)| description::check_option(name, value))
    }

    fn submit(&self, submission: Submission<'_>, items: &[&Item], lock: &Lock) -> Result<String, Error> {
        let Submission { map, submit, cluster, .. } = submission;
        let folder = map.engine_folder(cluster.number)?;
        if let Some(access_point) = queue::access_point()? {
            map.write(&folder.join("schedd"), format!("{access_point}\n").as_bytes())?;
        }
        // `condor_submit` runs in the map's directory, and knows all files by their names there.
        let path = |name: &str| format!("clusters/{}.d/{name}", cluster.number);
        let size = |digest: &str| map.input(digest).metadata().map_or(0, |metadata| metadata.len());
        let disk_kib = description::disk_kib(submit, items, size);
        let description = description::description(submission, items, disk_kib, &path("items"));
        map.write(&folder.join("items"), description::itemdata(submission, items).as_bytes())?;
        map.write(&folder.join("submit"), description.as_bytes())?;

        let mut command = Command::new("condor_submit");
        command.args(["-terse", &path("submit")]).current_dir(map.path());
        let lock = lock.for_child().map_err(|error| Error::io("locked", map.path(), &error))?;
        let submitted = program::run(Kind::HtCondor, &mut command, lock, SUBMIT_LIMIT)?;
        let output =
            submitted.output("`condor_q` must answer here, and options of the engine must be submit commands")?;
        // `5.0 - 5.99`, or `5.0` where there is but one job.
        let id = output.split(['.', ' ', '\n']).next().filter(|id| id.parse::<u32>().is_ok());
        id.map(str::to_owned).ok_or_else(|| {
            Error::new(
                format!("`condor_submit` named no cluster: `{}`", output.trim()),
                "`tpvc maps status` finds it in the queue",
            )
        })
    }

    fn find(&self, submission: Submission<'_>) -> Result<Option<String>, Error> {
        let number = submission.cluster.number;
        let description = submission.map.engine_folder(number)?.join("submit");
        if submission.map.optional_text(&description)?.is_none() {
            // It was never given to `condor_submit`, which may not even be here.
            return Ok(None);
        }
        let path = submission.map.event_log(number);
        let logged = events::cluster_of(&path).map_err(|error| Error::io("read", &path, &error))?;
        if let Some(id) = logged {
            return Ok(Some(id.to_string()));
        }
        let is_ours = self.check_access_point(submission);
        let found = queue::cluster_of(&submission.cluster.token)?;
        // Found is found; not to find it on another access point says nothing.
        if found.is_none() {
            is_ours?;
        }
        Ok(found.map(|id| id.to_string()))
    }

    fn states(&self, submission: Submission<'_>, id: &str) -> Result<Vec<EngineState>, Error> {
        let mut log = read_log(submission, id)?;
        let before = log.states().to_vec();
        let queue = if before.iter().all(|state| has_ended(state.as_ref()) || state.is_none() && log.is_over()) {
            Queue::default()
        } else {
            let queue = Queue::ask(&constraint(submission, id), before.contains(&None))?;
            follow(&mut log, submission)?;
            queue
        };
        let states: Vec<_> =
            (0..).zip(&before).map(|(position, was)| queue.lay_over(position, was.as_ref(), &log)).collect();
        let lost = |(state, logged): (&EngineState, &Option<EngineState>)| {
            matches!(state, EngineState::Gone(_)) && !has_ended(logged.as_ref())
        };
        // A job that is missing from another access point's queue is not lost.
        if states.iter().zip(log.states()).any(lost) {
            self.check_access_point(submission)?;
        }
        Ok(states)
    }

    fn explain(&self, _: Submission<'_>, id: &str, position: u32, state: State, reason: &str) -> Why {
        reason::explain(id, position, state, reason)
    }

    fn act(
        &self,
        submission: Submission<'_>,
        id: &str,
        action: Action,
        positions: Option<&[u32]>,
    ) -> Result<(), Error> {
        self.check_access_point(submission)?;
        let constraint = constraint(submission, id);
        let queue = Queue::ask(&constraint, true)?;
        if queue.is_empty() {
            return Ok(());
        }
        let chosen = match positions {
            Some(positions) => self.chosen(submission, id, action, positions, &queue)?,
            None => None,
        };
        let Some(chosen) = chosen else { return perform(action, id, &constraint, true) };
        for ranges in ranges(&chosen).chunks(RANGES) {
            let within = ranges.iter().map(|(first, last)| format!("ProcId >= {first} && ProcId <= {last}"));
            let within: Vec<_> = within.collect();
            perform(action, id, &format!("{constraint} && ({})", within.join(" || ")), false)?;
        }
        Ok(())
    }

    fn version(&self) -> Result<String, Error> {
        let text = queue::call("condor_version", &[])?.output(queue::HELP)?;
        let version = text.split_once("$CondorVersion: ").and_then(|(_, rest)| rest.split(' ').next());
        Ok(format!("HTCondor {}", version.unwrap_or_else(|| text.trim())))
    }
}

impl HtCondor {
    /// Refuses where this machine's schedd is not the one that has the cluster: its queue says nothing of it.
    fn check_access_point(self, submission: Submission<'_>) -> Result<(), Error> {
        let path = submission.map.engine_folder(submission.cluster.number)?.join("schedd");
        let Some(noted) = submission.map.optional_text(&path)? else { return Ok(()) };
        let noted = noted.trim();
        match queue::access_point()? {
            Some(here) if here != noted => Err(Error::new(
                format!(
                    "the map `{}` was submitted to the schedd `{noted}`, and this machine's is `{here}`",
                    submission.tag
                ),
                format!("run tpvc on the access point of `{noted}`"),
            )),
            _ => Ok(()),
        }
    }

    /// The positions that have a job to act on. `None` if the action applies to everything that the cluster still has.
    fn chosen(
        self,
        submission: Submission<'_>,
        id: &str,
        action: Action,
        positions: &[u32],
        queue: &Queue,
    ) -> Result<Option<Vec<u32>>, Error> {
        let components = &submission.cluster.components.0;
        let mut chosen: Vec<u32> = positions
            .iter()
            .copied()
            .filter(|&position| queue.job(position).is_some_and(|job| applies(action, job)))
            .collect();
        chosen.sort_unstable();
        if !queue.has_factory || !matches!(action, Action::Hold | Action::Remove) {
            return Ok(Some(chosen));
        }
        // HTCondor cannot take single components from what it will make jobs of later.
        let log = read_log(submission, id)?;
        let without_job = |position: &u32| queue.job(*position).is_none() && log.state(*position).is_none();
        let Some(first) = positions.iter().find(|position| without_job(position)) else { return Ok(Some(chosen)) };
        let asked: BTreeSet<u32> = positions.iter().copied().collect();
        let all = (0..).zip(components).map(|(position, _)| position);
        let mut left_out = all
            .filter(|position| !asked.contains(position) && (without_job(position) || queue.job(*position).is_some()));
        if left_out.next().is_none() {
            return Ok(None);
        }
        let component = usize::try_from(*first).ok().and_then(|first| components.get(first)).unwrap_or(first);
        Err(Error::new(
            format!("HTCondor has no job of component {component} yet, which it makes when others have ended"),
            "wait until the component is IDLE, or do this to the whole map",
        ))
    }
}

/// Returns `true` if the job has left the queue.
fn has_ended(state: Option<&EngineState>) -> bool {
    matches!(state, Some(EngineState::Gone(_) | EngineState::Removed(_)))
}

/// The jobs of a cluster, and no other's.
fn constraint(submission: Submission<'_>, id: &str) -> String {
    format!("{} && ClusterId == {id}", queue::with_token(&submission.cluster.token))
}

/// Returns `true` if an action changes a job.
fn applies(action: Action, job: Job) -> bool {
    match action {
        Action::Hold => !matches!(job, Job::Held | Job::Removed | Job::Completed),
        Action::Release => job == Job::Held,
        // Also what is on its way out: until then it writes into the map's directory.
        Action::Remove | Action::Edit(_) => true,
        Action::Pause => job == Job::Running,
        Action::Resume => job == Job::Suspended,
        Action::Vacate => matches!(job, Job::Running | Job::Suspended),
    }
}

/// Does something to the jobs that meet a constraint; `all`: to the whole cluster, and the jobs that are made later.
fn perform(action: Action, id: &str, constraint: &str, all: bool) -> Result<(), Error> {
    let (name, changes) = match action {
        Action::Hold => ("condor_hold", Vec::new()),
        Action::Release => ("condor_release", Vec::new()),
        Action::Remove => ("condor_rm", Vec::new()),
        Action::Pause => ("condor_suspend", Vec::new()),
        Action::Resume => ("condor_continue", Vec::new()),
        Action::Vacate => ("condor_vacate_job", Vec::new()),
        Action::Edit(Resources { memory_mib, time_s, disk_mib }) => {
            let changes = [
                ("RequestMemory", memory_mib),
                (MEMORY_LIMIT, memory_mib),
                ("RequestDisk", disk_mib.map(|mib| mib.saturating_mul(1024))),
                (DISK_LIMIT, disk_mib),
                (TIME_LIMIT, time_s),
            ];
            let changes = changes.into_iter().filter_map(|(name, value)| Some([name.to_owned(), value?.to_string()]));
            ("condor_qedit", changes.flatten().collect())
        }
    };
    if name == "condor_qedit" && changes.is_empty() {
        return Ok(());
    }
    if action == Action::Release {
        await_vacated(constraint)?;
    }
    // A constraint does not reach what `condor_qedit` changes for jobs that are made later; the cluster's id does.
    let mut arguments = if all && name == "condor_qedit" { vec![id] } else { vec!["-constraint", constraint] };
    arguments.extend(changes.iter().map(String::as_str));
    let finished = queue::call(name, &arguments)?;
    if action == Action::Remove {
        return await_removal(constraint, all, &finished);
    }
    // It fails, too, where no job is left to do this to.
    if finished.success() || !Queue::ask(constraint, false)?.jobs().any(|job| applies(action, job)) {
        return Ok(());
    }
    Err(finished.failure("HTCondor refuses: `condor_q -hold` and the schedd's log say more"))
}

/// Waits until no held job is on a machine any more, [`PATIENCE`] at the longest. A schedd that releases one earlier forgets, for five
/// minutes, that it could run again.
fn await_vacated(constraint: &str) -> Result<(), Error> {
    let started = Instant::now();
    while queue::holds_machines(constraint)? && started.elapsed() < PATIENCE {
        thread::sleep(Duration::from_millis(200));
    }
    Ok(())
}

/// Waits until jobs have left the queue. Up to then a job that was about to end transfers its output, and HTCondor makes the folders anew
/// that it misses.
fn await_removal(constraint: &str, all: bool, condor_rm: &program::Finished) -> Result<(), Error> {
    let started = Instant::now();
    let (mut pause, mut is_forced) = (Duration::from_millis(100), false);
    loop {
        let queue = Queue::ask(constraint, all)?;
        if queue.is_empty() {
            return Ok(());
        }
        if started.elapsed() >= REMOVAL_LIMIT {
            break;
        }
        if !is_forced && started.elapsed() >= PATIENCE && queue.jobs().all(|job| job == Job::Removed) {
            // It does to removed jobs alone what `condor_rm` waits for the node with.
            queue::call("condor_rm", &["-forcex", "-constraint", constraint])?;
            is_forced = true;
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_secs(2));
    }
    if !condor_rm.success() {
        return Err(condor_rm.failure("HTCondor refuses: the schedd's log says more"));
    }
    Err(Error::new(
        format!(
            "HTCondor has not removed all jobs within {} s: it may wait for a node that does not answer",
            REMOVAL_LIMIT.as_secs()
        ),
        format!("try again later, or `condor_rm -forcex -constraint '{constraint}'`"),
    ))
}

/// The number of HTCondor's cluster.
fn number(id: &str) -> Result<u32, Error> {
    id.parse().map_err(|_| {
        Error::new(
            format!("`{id}` isn't an HTCondor cluster"),
            "the map's directory is damaged: `tpvc maps remove --force` removes it",
        )
    })
}

/// The event log of a cluster, as far as it is written.
fn read_log(submission: Submission<'_>, id: &str) -> Result<EventLog, Error> {
    let mut log = EventLog::new(number(id)?, submission.cluster.components.0.len());
    follow(&mut log, submission)?;
    Ok(log)
}

fn follow(log: &mut EventLog, submission: Submission<'_>) -> Result<(), Error> {
    let path = submission.map.event_log(submission.cluster.number);
    log.follow(&path).map_err(|error| Error::io("read", &path, &error))
}

/// Ascending numbers as ranges, both ends included.
fn ranges(numbers: &[u32]) -> Vec<(u32, u32)> {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for &number in numbers {
        match ranges.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(number) => *last = number,
            _ => ranges.push((number, number)),
        }
    }
    ranges
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
    use super::super::super::cluster::{Cluster, Indices};
    use super::super::super::store::MapDir;
    use super::*;

    /// Else a map could not be removed on a machine without HTCondor.
    #[test]
    fn what_was_never_submitted_is_not_looked_for() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("clusters")).unwrap();
        let map = MapDir::at(folder.path());
        let cluster = Cluster {
            number: 0,
            token: "00ff".to_owned(),
            engine: Kind::HtCondor,
            components: Indices(vec![0]),
            created: 0,
        };
        let submit = description::tests::submit();
        let submission = Submission { map: &map, tag: "q3", submit: &submit, cluster: &cluster };
        assert_eq!(HtCondor.find(submission), Ok(None));
        // The schedd may have it once there is a description; the event log names the cluster.
        std::fs::write(folder.path().join("clusters/0.d/submit"), "").unwrap();
        std::fs::create_dir(folder.path().join("events")).unwrap();
        std::fs::write(folder.path().join("events/0.log"), "000 (012.000.000) 2026-11-22 22:17:41 Job\n...\n").unwrap();
        assert_eq!(HtCondor.find(submission), Ok(Some("12".to_owned())));
    }

    #[test]
    fn numbers_are_joined_to_ranges() {
        assert_eq!(ranges(&[]), []);
        assert_eq!(ranges(&[3]), [(3, 3)]);
        assert_eq!(ranges(&[0, 1, 2, 7, 9, 10]), [(0, 2), (7, 7), (9, 10)]);
    }
}
