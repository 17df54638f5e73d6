//! The requests to an engine, and its answers.

use std::collections::BTreeMap;

use crate::Error;
use crate::cluster::Cluster;
use crate::item::Item;
use crate::resources::Resources;
use crate::state::State;
use crate::store::{Lock, MapDir};
use crate::submit::Submit;
use crate::why::Why;

use super::Kind;
use crate::remedy;

/// The engine's state of a component that it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EngineState {
    /// The engine has not made a job of it yet (late materialization).
    Unmaterialized,
    /// It waits for a place to run; why, if the engine says.
    Idle(String),
    /// It runs.
    Running,
    /// It was put on hold; why.
    Held(String),
    /// It was stopped for a while.
    Suspended,
    /// It was removed from the queue; by whom, if the engine says.
    Removed(String),
    /// The engine has no job of it any more; what it knows of the end, such as `killed by signal 9`, or nothing.
    Gone(String),
    /// It waits in vain: what runs components on this machine cannot; why, and what to do.
    Failed(Error),
}

/// An action on the components that an engine has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Keep from running; one that runs is stopped.
    Hold,
    /// End a hold.
    Release,
    /// Take from the queue; one that runs is stopped.
    Remove,
    /// Stop without taking the place from another, to go on later.
    Pause,
    /// Let go on what was paused.
    Resume,
    /// Take from its place, and start anew elsewhere.
    Vacate,
    /// Change what the components may use, as far as the engine still can. Limits that are not set stay.
    Edit(Resources),
}

/// Settings that only the engine knows, by name, as the user wrote them.
pub type Options = BTreeMap<String, String>;

/// The subject of a question to an engine: one cluster of a map.
#[derive(Clone, Copy)]
pub struct Submission<'a> {
    /// The map's directory.
    pub map: &'a MapDir,
    /// The tag, for the engine's own displays.
    pub tag: &'a str,
    /// The map's submit object.
    pub submit: &'a Submit,
    /// The cluster.
    pub cluster: &'a Cluster,
}

impl Submission<'_> {
    /// The limits of the components of a new cluster: all of them have the same.
    pub(super) fn resources(&self) -> Resources {
        self.cluster.components.0.first().map_or(self.submit.limits.all, |&first| self.submit.limits.of(first))
    }

    /// The items of the cluster, in the order of their positions.
    pub(super) fn items(&self) -> Result<Vec<Item>, Error> {
        let mut items = self.map.items()?;
        items.retain(|item| self.cluster.components.0.binary_search(&item.component).is_ok());
        Ok(items)
    }
}

/// An engine. The `id` of a cluster is the engine's own text for it, noted in the map's directory.
pub trait Engine {
    /// Refuses options that the engine does not have, or whose values it would read as something else. [`check_options`](super::check_options) has looked for
    /// control characters before.
    ///
    /// # Errors
    /// The first such option.
    fn check_options(&self, options: &Options) -> Result<(), Error>;

    /// Submits the components of a cluster, whose items are given in the order of their positions, and gives the cluster's id. Each child
    /// process that can still submit when this process has ended must inherit the lock ([`Lock::for_child`]).
    ///
    /// # Errors
    /// An error if the engine's programs are missing or refuse. Nothing is queued then, or it can be found by the
    /// token.
    fn submit(&self, submission: Submission<'_>, items: &[&Item], lock: &Lock) -> Result<String, Error>;

    /// The id of a cluster whose submitter was killed before it recorded the id, found by its token. `None` if the engine never got it.
    ///
    /// # Errors
    /// An error if the engine does not answer.
    fn find(&self, submission: Submission<'_>) -> Result<Option<String>, Error>;

    /// The engine's state of each component, by position.
    ///
    /// # Errors
    /// An error if the engine does not answer.
    fn states(&self, submission: Submission<'_>, id: &str) -> Result<Vec<EngineState>, Error>;

    /// Explains the engine's reason for a state, in words and with a remedy. `position` is that of a component with the reason. An engine that is
    /// asked for more and does not answer adds nothing.
    fn explain(&self, _submission: Submission<'_>, _id: &str, _position: u32, state: State, reason: &str) -> Why {
        Why::new(reason, remedy::of(state, reason))
    }

    /// Does something to the components at these positions, or to all. Components that the engine no longer has are left alone.
    ///
    /// # Errors
    /// An error if the engine does not answer, or refuses.
    fn act(&self, submission: Submission<'_>, id: &str, action: Action, positions: Option<&[u32]>)
    -> Result<(), Error>;

    /// Starts what runs components on this machine, once the cluster's id is noted.
    ///
    /// # Errors
    /// It cannot run: the components are [`EngineState::Failed`] with this error.
    fn start(&self, _submission: Submission<'_>) -> Result<(), Error> {
        Ok(())
    }

    /// Returns `true` if components wait that nothing will run, because the process that runs them on this machine was
    /// killed. Daemons come back by themselves.
    ///
    /// # Errors
    /// The map's directory cannot be read.
    fn is_stalled(&self, _submission: Submission<'_>) -> Result<bool, Error> {
        Ok(false)
    }

    /// Starts again what runs components on this machine, if it was killed. If it cannot run, or was killed too often, the components are
    /// [`EngineState::Failed`] from then on.
    ///
    /// # Errors
    /// The map's directory cannot be read or written.
    fn revive(&self, _submission: Submission<'_>) -> Result<(), Error> {
        Ok(())
    }

    /// The version of the engine's programs, for `tpvc maps version`.
    ///
    /// # Errors
    /// An error if the engine's programs are missing.
    fn version(&self) -> Result<String, Error>;
}

/// The refusal of an action that only HTCondor has.
pub(super) fn lacking(engine: Kind, action: Action) -> Option<Error> {
    let (verb, help) = match action {
        Action::Pause => ("pause", "`tpvc maps hold` stops components; they start anew after `tpvc maps release`"),
        Action::Resume => ("resume", "`tpvc maps release` lets components go on that `tpvc maps hold` stopped"),
        Action::Vacate => ("vacate", "`tpvc maps rerun components` starts components anew"),
        Action::Hold | Action::Release | Action::Remove | Action::Edit(_) => return None,
    };
    Some(Error::new(format!("the engine `{engine}` cannot {verb} components"), help))
}

/// The value of the option `slots`: the number of components that run at once.
pub(super) fn slots(value: &str) -> Result<usize, Error> {
    value.parse().ok().filter(|slots| *slots > 0).ok_or_else(|| {
        Error::new(
            format!("the option `slots` is not a number of components: `{value}`"),
            "write how many components may run at once: `slots=4`",
        )
    })
}
