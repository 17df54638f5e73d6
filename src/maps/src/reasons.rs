//! Reasons that last: what an engine says of a component is written down when it is first seen, since it may forget that soon.

use std::collections::BTreeMap;

use super::Error;
use super::clock::seconds;
use super::engine::{Engine, Kind, Submission};
use super::map::Map;
use super::state::State;
use super::status::{ComponentStatus, Status};
use super::store::{Reason, Reasons};
use super::why::Why;

/// The message for a component whose end nobody saw.
const UNSEEN: &str = "it ended and left neither answers nor a report";

/// Explains the reasons that an engine gave for the components of a cluster, and writes down the new ones. `asked` are these components, each
/// with its position. A component of which the engine has forgotten the end ended as it was written down.
///
/// # Errors
/// The map's directory cannot be read. A map that this user may not change stays as it is.
pub(super) fn keep(
    map: &Map,
    engine: &dyn Engine,
    status: &mut Status,
    place: usize,
    asked: &[(u32, u32)],
) -> Result<(), Error> {
    let Status { components, clusters, .. } = status;
    let Some((cluster, Some(id))) = clusters.get(place) else { return Ok(()) };
    // A reason with a remedy is that of a report, which the component left while the engine was asked.
    let has_reason = |component: &ComponentStatus| {
        let may = [State::Idle, State::Suspended, State::Held, State::Removed, State::Errored];
        may.contains(&component.state()) && component.why.help.is_empty()
    };
    let of = |index: u32| components.get(index as usize).filter(|component| has_reason(component));
    if asked.iter().all(|(index, _)| of(*index).is_none()) {
        return Ok(());
    }
    let submission = Submission { map: map.dir(), tag: map.tag(), submit: map.submit(), cluster };
    let lock = map.dir().lock_reasons(cluster.number);
    let before = map.dir().reasons(cluster.number)?;
    let mut after = Reasons::new();
    let mut explained: BTreeMap<(State, String), Reason> = BTreeMap::new();
    for &(index, position) in asked {
        let Some(component) = components.get_mut(index as usize).filter(|component| has_reason(component)) else {
            continue;
        };
        let (state, said) = (component.state(), component.why.message.clone());
        let known = before.get(&index);
        let reason = match known {
            Some(known) if known.state == state && known.said == said => known.clone(),
            Some(known) if said.is_empty() && matches!(state, State::Errored) && has_ended(known) => known.clone(),
            _ if said.is_empty() => {
                if state == State::Errored {
                    component.why = Why::new(UNSEEN, engine.explain(submission, id, position, state, "").help);
                }
                continue;
            }
            _ => {
                let explain = || {
                    let why = engine.explain(submission, id, position, state, &said);
                    Reason { state, said: said.clone(), why, since: seconds() }
                };
                explained.entry((state, said.clone())).or_insert_with(explain).clone()
            }
        };
        component.set(reason.state, reason.why.clone());
        component.since = Some(reason.since);
        // What waits on this machine changes from moment to moment, and is known again at any time.
        if (cluster.engine, reason.state) != (Kind::Local, State::Idle) {
            after.insert(index, reason);
        }
    }
    if lock.is_some() && after != before {
        // A disk that is full, or a map of another user: they are still known now.
        let _ = map.dir().write_reasons(cluster.number, after);
    }
    Ok(())
}

/// Returns `true` if a component with this reason has ended.
fn has_ended(reason: &Reason) -> bool {
    matches!(reason.state, State::Errored | State::Removed)
}
