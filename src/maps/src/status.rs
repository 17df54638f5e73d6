//! The states of a map's components: the disk is the truth, and the engine's word is laid over what the disk does not tell.

use super::Error;
use super::cluster::Cluster;
use super::component::completion::Head;
use super::component::error_report::ErrorReport;
use super::engine::{Engine, EngineState, Submission};
use super::map::{Map, NEVER};
use super::state::State;
use tpv_text::parallel;

/// The status of a component.
#[derive(Clone, Debug, Default)]
pub struct ComponentStatus {
    /// The state.
    pub state: Option<State>,
    /// Details besides the state: the reason for a hold, the way it ended.
    pub note: String,
    /// The remedy, if the note has one of its own.
    pub help: String,
    /// The place of its latest cluster in [`Status::clusters`].
    pub cluster: Option<usize>,
    /// The cost of the component, if it is done.
    pub head: Option<Head>,
}

impl ComponentStatus {
    /// The state.
    pub fn state(&self) -> State {
        self.state.unwrap_or(State::Unknown)
    }

    fn set(&mut self, state: State, note: impl Into<String>) {
        (self.state, self.note) = (Some(state), note.into());
    }
}

/// The states of all components of a map.
#[derive(Clone, Debug)]
pub struct Status {
    /// By component.
    pub components: Vec<ComponentStatus>,
    /// The clusters, with the engines' ids where they were noted.
    pub clusters: Vec<(Cluster, Option<String>)>,
    /// The error of an engine that could not be asked, or cannot be asked yet.
    pub unreachable: Option<Error>,
    /// The reason that components wait in vain on this machine.
    pub failed: Option<Error>,
}

impl Status {
    /// The number of components in each state, in the order of [`State::ALL`].
    pub fn counts(&self) -> [usize; State::ALL.len()] {
        let mut counts = [0; State::ALL.len()];
        for component in &self.components {
            if let Some(count) = counts.get_mut(component.state() as usize) {
                *count += 1;
            }
        }
        counts
    }

    /// The components in one of these states.
    pub fn in_states(&self, states: &[State]) -> Vec<u32> {
        let with_index = self.components.iter().zip(0..);
        with_index.filter(|(component, _)| states.contains(&component.state())).map(|(_, index)| index).collect()
    }

    /// Returns `true` if every component is completed.
    pub fn is_complete(&self) -> bool {
        self.components.iter().all(|component| component.state() == State::Completed)
    }
}

/// Reads the states of a map's components.
///
/// # Errors
/// The map's directory cannot be read. An engine that cannot be asked is no error: its components are UNKNOWN.
pub fn status(map: &Map, engine: &dyn Engine) -> Result<Status, Error> {
    let dir = map.dir();
    let clusters = dir.clusters()?;
    let total = dir.components()? as usize;
    let mut status =
        Status { components: vec![ComponentStatus::default(); total], clusters, unreachable: None, failed: None };
    for (place, (cluster, _)) in status.clusters.iter().enumerate() {
        for &index in &cluster.components.0 {
            if let Some(component) = status.components.get_mut(index as usize) {
                component.cluster = Some(place);
            }
        }
    }
    completed(map, &mut status, None)?;
    errored(map, &mut status)?;
    let mut gone = Vec::new();
    for place in 0..status.clusters.len() {
        ask(map, engine, &mut status, place, &mut gone)?;
    }
    for component in status.components.iter_mut().filter(|component| component.state.is_none()) {
        component.set(State::Unknown, "not submitted");
    }
    // What ended while the engine was asked has left something since the disk was read.
    if !gone.is_empty() {
        completed(map, &mut status, Some(&gone))?;
        errored(map, &mut status)?;
    }
    Ok(status)
}

/// Finds the components that are done.
fn completed(map: &Map, status: &mut Status, only: Option<&[u32]>) -> Result<(), Error> {
    let dir = map.dir();
    let candidates: Vec<u32> = match only {
        Some(only) => only.to_vec(),
        None => dir.indices("summaries")?.into_iter().collect(),
    };
    // Each is a few calls of the system, which two threads make in half the time.
    let heads = parallel::map(&candidates, |&index| dir.done(index));
    for (index, head) in candidates.into_iter().zip(heads) {
        if let (Some(head), Some(component)) = (head?, status.components.get_mut(index as usize)) {
            component.head = Some(head);
            component.set(State::Completed, "");
        }
    }
    Ok(())
}

/// Finds the components that left an error report in their latest cluster.
fn errored(map: &Map, status: &mut Status) -> Result<(), Error> {
    for index in map.dir().indices("errors")? {
        let Some(component) = status.components.get_mut(index as usize) else { continue };
        if component.state == Some(State::Completed) {
            continue;
        }
        let number = component.cluster.and_then(|place| status.clusters.get(place)).map(|(cluster, _)| cluster.number);
        let report = map.dir().error_report(index)?;
        if let Some(report) = report.filter(|report| number.is_none_or(|number| report.cluster == number)) {
            component.set(State::Errored, report.message);
        }
    }
    Ok(())
}

/// Asks the engine about the components of a cluster of which the disk tells nothing.
fn ask(map: &Map, engine: &dyn Engine, status: &mut Status, place: usize, gone: &mut Vec<u32>) -> Result<(), Error> {
    let Some((cluster, id)) = status.clusters.get(place) else { return Ok(()) };
    let open = |component: &ComponentStatus| component.cluster == Some(place) && component.state.is_none();
    let components = cluster.components.0.iter().zip(0..);
    let open: Vec<(u32, usize)> = components
        .filter(|(index, _)| status.components.get(**index as usize).is_some_and(open))
        .map(|(&index, position)| (index, position))
        .collect();
    if open.is_empty() {
        return Ok(());
    }
    let is_being_submitted = id.is_none() && map.dir().is_locked()?;
    let states = match id.as_deref() {
        Some(NEVER) => return Ok(()),
        None if is_being_submitted => {
            Err(Error::new("it is being submitted", "wait until the verb has ended that is at work on the map"))
        }
        None => Err(Error::new("its submission was interrupted", "`tpvc maps rerun` continues it")),
        Some(id) => {
            let submission = Submission { map: map.dir(), tag: map.tag(), submit: map.submit(), cluster };
            engine.states(submission, id)
        }
    };
    for (index, position) in open {
        let Some(component) = status.components.get_mut(index as usize) else { continue };
        match &states {
            Err(error) => component.set(State::Unknown, error.message.clone()),
            Ok(states) => match states.get(position) {
                Some(EngineState::Unmaterialized) => component.set(State::Unmaterialized, ""),
                Some(EngineState::Idle) => component.set(State::Idle, ""),
                Some(EngineState::Running) => component.set(State::Running, ""),
                Some(EngineState::Held(why)) => component.set(State::Held, why.as_str()),
                Some(EngineState::Suspended) => component.set(State::Suspended, ""),
                Some(EngineState::Removed) => component.set(State::Removed, ""),
                Some(EngineState::Failed(error)) => {
                    component.set(State::Errored, error.message.as_str());
                    component.help.clone_from(&error.help);
                    status.failed.get_or_insert_with(|| error.clone());
                    gone.push(index);
                }
                Some(EngineState::Gone(why)) if !why.is_empty() => {
                    component.set(State::Errored, why.as_str());
                    gone.push(index);
                }
                Some(EngineState::Gone(_)) | None => {
                    component.set(State::Errored, "it ended and left neither answers nor a report");
                    gone.push(index);
                }
            },
        }
    }
    let is_interrupted = !is_being_submitted && matches!(status.clusters.get(place), Some((_, None)));
    if let (Err(error), false) = (states, is_interrupted) {
        status.unreachable.get_or_insert(error);
    }
    Ok(())
}

/// The reports of the components that are ERRORED: what they left, or what is known of their end.
///
/// # Errors
/// The map's directory cannot be read.
pub fn reports(map: &Map, status: &Status) -> Result<Vec<ErrorReport>, Error> {
    let mut reports = Vec::new();
    for index in status.in_states(&[State::Errored]) {
        let Some(component) = status.components.get(index as usize) else { continue };
        let cluster = component.cluster.and_then(|place| status.clusters.get(place)).map(|(cluster, _)| cluster);
        let again = "its node may have failed, or its files were deleted: `tpvc maps rerun` runs it again";
        let number = cluster.map_or(0, |cluster| cluster.number);
        let left = map.dir().error_report(index)?.filter(|report| report.cluster == number);
        reports.push(left.unwrap_or_else(|| ErrorReport {
            component: index,
            cluster: number,
            message: component.note.clone(),
            help: if component.help.is_empty() { again.to_owned() } else { component.help.clone() },
            node: String::new(),
            time: cluster.map_or(0, |cluster| cluster.created),
            command: String::new(),
            line: None,
            memory_kib: None,
            memory_limit_mib: None,
            stderr: String::new(),
        }));
    }
    Ok(reports)
}
