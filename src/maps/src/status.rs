//! The states of a map's components: the disk is the truth, and the engine's word is laid over what the disk does not tell.

use std::collections::BTreeMap;

use super::Error;
use super::cluster::{Cluster, Indices};
use super::component::completion::Head;
use super::component::error_report::ErrorReport;
use super::engine::{Engine, EngineState, Submission};
use super::map::{Map, NEVER};
use super::state::State;
use super::why::Why;
use super::{reasons, remedy};
use tpv_text::parallel;

/// The status of a component.
#[derive(Clone, Debug, Default)]
pub struct ComponentStatus {
    /// The state.
    pub state: Option<State>,
    /// The reason for the state: the cause of a wait or a hold, the way it ended.
    pub why: Why,
    /// The time when the reason was first seen, in seconds from 1970-01-01 UTC, if the engine gave it.
    pub since: Option<u64>,
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

    /// Sets the state, and its reason.
    pub(super) fn set(&mut self, state: State, why: Why) {
        (self.state, self.why) = (Some(state), why);
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

    /// The reasons for which components are in one of these states, each with its components; those of most components first.
    pub fn reasons(&self, states: &[State]) -> Vec<(State, Why, Indices)> {
        let mut groups: BTreeMap<(State, &Why), Vec<u32>> = BTreeMap::new();
        for index in self.in_states(states) {
            if let Some(component) = self.components.get(index as usize).filter(|component| component.why.is_known()) {
                groups.entry((component.state(), &component.why)).or_default().push(index);
            }
        }
        let mut all: Vec<_> =
            groups.into_iter().map(|((state, why), indices)| (state, why.clone(), Indices(indices))).collect();
        all.sort_by_key(|(_, _, indices)| std::cmp::Reverse(indices.0.len()));
        all
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
    let (mut gone, mut asked) = (Vec::new(), Vec::new());
    for place in 0..status.clusters.len() {
        asked.push(ask(map, engine, &mut status, place, &mut gone)?);
    }
    for component in status.components.iter_mut().filter(|component| component.state.is_none()) {
        component.set(State::Unknown, Why::new("not submitted", remedy::RERUN));
    }
    // What ended while the engine was asked has left something since the disk was read.
    if !gone.is_empty() {
        completed(map, &mut status, Some(&gone))?;
        errored(map, &mut status)?;
    }
    for (place, asked) in asked.iter().enumerate() {
        reasons::keep(map, engine, &mut status, place, asked)?;
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
            component.set(State::Completed, Why::default());
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
            component.set(State::Errored, Why::new(report.message, report.help));
        }
    }
    Ok(())
}

/// Asks the engine about the components of a cluster of which the disk tells nothing. Those for which it gives a reason are returned, each
/// with its position; the messages of their reasons are the engine's words.
fn ask(
    map: &Map,
    engine: &dyn Engine,
    status: &mut Status,
    place: usize,
    gone: &mut Vec<u32>,
) -> Result<Vec<(u32, u32)>, Error> {
    let mut asked = Vec::new();
    let Some((cluster, id)) = status.clusters.get(place) else { return Ok(asked) };
    let open = |component: &ComponentStatus| component.cluster == Some(place) && component.state.is_none();
    let components = cluster.components.0.iter().zip(0..);
    let open: Vec<(u32, usize)> = components
        .filter(|(index, _)| status.components.get(**index as usize).is_some_and(open))
        .map(|(&index, position)| (index, position))
        .collect();
    if open.is_empty() {
        return Ok(asked);
    }
    let is_being_submitted = id.is_none() && map.dir().is_locked()?;
    let states = match id.as_deref() {
        Some(NEVER) => return Ok(asked),
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
        let said = |reason: &str| Why::new(reason, "");
        let state = match &states {
            Err(error) => {
                component.set(State::Unknown, error.clone().into());
                continue;
            }
            Ok(states) => states.get(position),
        };
        match state {
            Some(EngineState::Unmaterialized) => component.set(State::Unmaterialized, Why::default()),
            Some(EngineState::Idle(reason)) => component.set(State::Idle, said(reason)),
            Some(EngineState::Running) => component.set(State::Running, Why::default()),
            Some(EngineState::Held(reason)) => component.set(State::Held, said(reason)),
            Some(EngineState::Suspended) => component.set(State::Suspended, said("suspended")),
            Some(EngineState::Removed(reason)) => component.set(State::Removed, said(reason)),
            Some(EngineState::Failed(error)) => {
                component.set(State::Errored, error.clone().into());
                status.failed.get_or_insert_with(|| error.clone());
                gone.push(index);
                continue;
            }
            Some(EngineState::Gone(reason)) => {
                component.set(State::Errored, said(reason));
                gone.push(index);
            }
            None => {
                component.set(State::Errored, Why::default());
                gone.push(index);
            }
        }
        asked.push((index, u32::try_from(position).unwrap_or(u32::MAX)));
    }
    let is_interrupted = !is_being_submitted && matches!(status.clusters.get(place), Some((_, None)));
    if let (Err(error), false) = (states, is_interrupted) {
        status.unreachable.get_or_insert(error);
    }
    Ok(asked)
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
        let number = cluster.map_or(0, |cluster| cluster.number);
        let left = map.dir().error_report(index)?.filter(|report| report.cluster == number);
        reports.push(left.unwrap_or_else(|| ErrorReport {
            component: index,
            cluster: number,
            message: component.why.message.clone(),
            help: component.why.help.clone(),
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
