//! The cores of this machine. A process of its own, the *runner*, runs the components of a map; it outlives the terminal, and what it does
//! stands in the event log of each cluster ([`journal`]), from which another runner goes on where it was killed.

pub mod journal;
pub mod runner;

use std::collections::BTreeMap;
use std::fs::File;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::{Action, Engine, EngineState, Submission};
use crate::maps::Error;
use crate::maps::item::Item;
use crate::maps::store::{Lock, MapDir};

use journal::{Event, Journal, Stage};

/// How long a verb waits until components have stopped that it holds or removes.
const STOPPING: Duration = Duration::from_secs(10);

/// The engine.
#[derive(Clone, Copy, Debug)]
pub struct Local;

/// What a cluster of this engine has for an id.
const ID: &str = "local";

/// How many components of a map run at once: what the option `slots` says, or as many as there are cores.
///
/// # Errors
/// The option is no number, or there is one that this engine does not have.
pub fn slots(options: &BTreeMap<String, String>) -> Result<usize, Error> {
    if let Some(name) = options.keys().find(|name| *name != "slots") {
        return Err(Error::new(
            format!("engine `local` has no option `{name}`"),
            "it has `slots` alone: how many components run at once",
        ));
    }
    let Some(slots) = options.get("slots") else { return Ok(cores()) };
    slots.parse().ok().filter(|slots| *slots > 0).ok_or_else(|| {
        Error::new(
            format!("the option `slots` of engine `local` is no number of components: `{slots}`"),
            "write how many components may run at once: `slots=4`",
        )
    })
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

impl Engine for Local {
    fn submit(&self, submission: Submission<'_>, _items: &[&Item], _lock: &Lock) -> Result<String, Error> {
        let mut journal = Journal::new(submission.map, submission.cluster.number);
        journal.append(&[(None, Event::Submitted)])?;
        start(submission).map_err(|error| {
            // With its event log the cluster would be taken for submitted, and this error be forgotten.
            submission.map.remove(&submission.map.event_log(submission.cluster.number)).err().unwrap_or(error)
        })?;
        Ok(ID.to_owned())
    }

    fn find(&self, submission: Submission<'_>) -> Result<Option<String>, Error> {
        Ok(submission.map.event_log(submission.cluster.number).exists().then(|| ID.to_owned()))
    }

    fn states(&self, submission: Submission<'_>, _id: &str) -> Result<Vec<EngineState>, Error> {
        let runs = is_running(submission.map)?;
        let mut journal = Journal::new(submission.map, submission.cluster.number);
        let stages = journal.stages()?;
        let components = submission.cluster.components.0.iter();
        let states = components.map(|component| match stages.get(component).copied().unwrap_or_default() {
            Stage::Waiting => EngineState::Idle,
            // One whose runner was killed waits for the next runner.
            Stage::Running => {
                if runs {
                    EngineState::Running
                } else {
                    EngineState::Idle
                }
            }
            Stage::Held => EngineState::Held("held by its user".to_owned()),
            Stage::Removed => EngineState::Removed,
            Stage::Ended => EngineState::Gone(String::new()),
        });
        Ok(states.collect())
    }

    fn act(
        &self,
        submission: Submission<'_>,
        _id: &str,
        action: Action,
        positions: Option<&[u32]>,
    ) -> Result<(), Error> {
        let event = match action {
            Action::Hold => Event::Held,
            Action::Release => Event::Released,
            Action::Remove => Event::Removed,
            // The runner reads the submit object for each component that it starts.
            Action::Edit { .. } => return Ok(()),
        };
        let all = &submission.cluster.components.0;
        let components: Vec<u32> = match positions {
            None => all.clone(),
            Some(positions) => positions.iter().filter_map(|&position| all.get(position as usize).copied()).collect(),
        };
        let mut journal = Journal::new(submission.map, submission.cluster.number);
        let stages = journal.stages()?;
        let stage = |component: &u32| stages.get(component).copied().unwrap_or_default();
        let concerned = components.into_iter().filter(|component| match event {
            Event::Released => stage(component) == Stage::Held,
            _ => !matches!(stage(component), Stage::Ended | Stage::Removed),
        });
        let concerned: Vec<u32> = concerned.collect();
        journal.append(&concerned.iter().map(|&component| (Some(component), event)).collect::<Vec<_>>())?;
        if event == Event::Released {
            return if concerned.is_empty() { Ok(()) } else { start(submission) };
        }
        let deadline = Instant::now() + STOPPING;
        // The runner notes when it has stopped one.
        while is_running(submission.map)? && Instant::now() < deadline {
            let running = journal.running()?;
            if !concerned.iter().any(|component| running.contains(component)) {
                break;
            }
            sleep(Duration::from_millis(20));
        }
        Ok(())
    }

    fn is_stalled(&self, submission: Submission<'_>) -> Result<bool, Error> {
        if is_running(submission.map)? {
            return Ok(false);
        }
        let mut journal = Journal::new(submission.map, submission.cluster.number);
        let stages = journal.stages()?;
        let components = &submission.cluster.components.0;
        Ok(components.iter().any(|component| {
            matches!(stages.get(component).copied().unwrap_or_default(), Stage::Waiting | Stage::Running)
        }))
    }

    fn revive(&self, submission: Submission<'_>) -> Result<(), Error> {
        if self.is_stalled(submission)? { start(submission) } else { Ok(()) }
    }

    fn version(&self) -> Result<String, Error> {
        Ok(format!("{} cores", cores()))
    }
}

/// Whether a runner is at work on a map.
fn is_running(map: &MapDir) -> Result<bool, Error> {
    let path = map.runner_lock();
    Lock::is_held(&path).map_err(|error| Error::io("read", &path, &error))
}

/// Starts a runner. One that finds another at work waits for it to end, and then looks for what is left.
fn start(submission: Submission<'_>) -> Result<(), Error> {
    let program = submission.map.input(&submission.submit.program);
    let log = submission.map.runner_log();
    let file =
        File::options().create(true).append(true).open(&log).map_err(|error| Error::io("written", &log, &error))?;
    let command = Command::new(&program)
        .args(["maps", "run", "--map"])
        .arg(submission.map.path())
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(file)
        .spawn();
    command.map(drop).map_err(|error| {
        Error::new(
            format!("the program of the map cannot be started: {}", error.to_string().to_lowercase()),
            "it is made for another machine, or cannot run where maps are kept: see `--program` of `tpvc maps create`",
        )
    })
}
