//! The cores of this machine. A process of its own, the *runner*, runs the components of a map; it outlives the terminal, and what it does
//! stands in the event log of each cluster ([`journal`]), from which another runner goes on where it was killed.

pub mod journal;
mod launch;
pub mod runner;

use std::thread::sleep;
use std::time::{Duration, Instant};

use super::interface::lacking;
use super::{Action, Engine, EngineState, Kind, Options, Submission};
use crate::Error;
use crate::item::Item;
use crate::remedy;
use crate::state::State;
use crate::store::{Lock, MapDir};
use crate::why::Why;

use journal::{Event, Journal, Stage};

/// The time that a verb waits for components that it holds or removes to stop.
const STOPPING: Duration = Duration::from_secs(10);

/// The engine.
#[derive(Clone, Copy, Debug)]
pub struct Local;

/// The id of a cluster of this engine.
const ID: &str = "local";

/// The number of components of a map that run at once: the option `slots`, or as many as there are cores.
fn slots(options: &Options) -> Result<usize, Error> {
    options.get("slots").map_or_else(|| Ok(cores()), |slots| super::interface::slots(slots))
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

impl Engine for Local {
    fn check_options(&self, options: &Options) -> Result<(), Error> {
        if let Some(name) = options.keys().find(|name| *name != "slots") {
            return Err(Error::new(
                format!("engine `local` has no option `{name}`"),
                "it has `slots` alone: how many components run at once",
            ));
        }
        slots(options).map(drop)
    }

    fn submit(&self, submission: Submission<'_>, _items: &[&Item], _lock: &Lock) -> Result<String, Error> {
        let number = submission.cluster.number;
        let submitted = Journal::new(submission.map, number).append(&[(None, Event::Submitted)]);
        submitted.map_err(|error| {
            // With its event log the cluster would be taken for submitted, and this error be forgotten.
            submission.map.remove(&submission.map.event_log(number)).err().unwrap_or(error)
        })?;
        Ok(ID.to_owned())
    }

    fn find(&self, submission: Submission<'_>) -> Result<Option<String>, Error> {
        Ok(submission.map.event_log(submission.cluster.number).exists().then(|| ID.to_owned()))
    }

    fn states(&self, submission: Submission<'_>, _id: &str) -> Result<Vec<EngineState>, Error> {
        let runs = is_running(submission.map)?;
        let fault = if runs { None } else { submission.map.runner_note()?.fault };
        // One whose runner was killed waits for the next runner.
        let idle = match runs {
            true => {
                format!("as many components run as this machine has places: {}", slots(&submission.submit.options)?)
            }
            false => "the process that runs components was killed".to_owned(),
        };
        let waits = || fault.clone().map_or_else(|| EngineState::Idle(idle.clone()), EngineState::Failed);
        let mut journal = Journal::new(submission.map, submission.cluster.number);
        let stages = journal.stages()?;
        let components = submission.cluster.components.0.iter();
        let states = components.map(|component| match stages.get(component).copied().unwrap_or_default() {
            Stage::Running if runs => EngineState::Running,
            Stage::Waiting | Stage::Running => waits(),
            Stage::Held => EngineState::Held("held by its user".to_owned()),
            Stage::Removed => EngineState::Removed("removed by its user".to_owned()),
            Stage::Ended => EngineState::Gone(String::new()),
        });
        Ok(states.collect())
    }

    fn explain(&self, _: Submission<'_>, _id: &str, _position: u32, state: State, reason: &str) -> Why {
        let help = match state {
            State::Idle if reason.contains("was killed") => "`tpvc maps wait` starts another",
            State::Idle => "wait; a map that is created with `--option slots=N` runs N at once",
            _ => remedy::of(state, reason),
        };
        Why::new(reason, help)
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
            Action::Edit(_) => return Ok(()),
            Action::Pause | Action::Resume | Action::Vacate => {
                return lacking(Kind::Local, action).map_or(Ok(()), Err);
            }
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
            return if concerned.is_empty() { Ok(()) } else { self.start(submission) };
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

    fn start(&self, submission: Submission<'_>) -> Result<(), Error> {
        launch::start(submission, 1)
    }

    fn is_stalled(&self, submission: Submission<'_>) -> Result<bool, Error> {
        if is_running(submission.map)? || submission.map.runner_note()?.fault.is_some() {
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
        if !self.is_stalled(submission)? {
            return Ok(());
        }
        let starts = submission.map.runner_note()?.starts.saturating_add(1);
        match launch::start(submission, starts) {
            // It is noted: from now on the components are in a state that says so.
            Err(_) if submission.map.runner_note()?.fault.is_some() => Ok(()),
            started => started,
        }
    }

    fn version(&self) -> Result<String, Error> {
        Ok(format!("{} cores", cores()))
    }
}

/// Returns `true` if a runner is at work on a map.
fn is_running(map: &MapDir) -> Result<bool, Error> {
    let path = map.runner_lock();
    Lock::is_held(&path).map_err(|error| Error::io("read", &path, &error))
}
