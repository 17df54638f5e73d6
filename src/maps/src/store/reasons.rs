//! The reasons of the components of a cluster, as an engine gave them: an engine forgets, and the map does not.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::super::Error;
use super::super::cluster::Indices;
use super::super::state::State;
use super::super::why::Why;
use super::directory::MapDir;
use super::lock::Lock;
use super::whole;

/// A reason, and the components that share it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Reason {
    /// The state that it explains.
    pub state: State,
    /// The engine's own words.
    pub said: String,
    /// The explanation.
    #[serde(flatten)]
    pub why: Why,
    /// The time when it was first seen, in seconds from 1970-01-01 UTC.
    pub since: u64,
}

/// The reasons by component.
pub type Reasons = BTreeMap<u32, Reason>;

/// The form in the file: a reason is written once.
#[derive(Serialize, Deserialize)]
struct Shared {
    components: Indices,
    #[serde(flatten)]
    reason: Reason,
}

impl MapDir {
    /// Waits for the right to change the reasons of a cluster. `None` if this user may not.
    pub(crate) fn lock_reasons(&self, number: u32) -> Option<Lock> {
        Lock::wait(&self.cluster_path(number, "why.lock")).ok()
    }

    /// The reasons of a cluster. What a crash has left of them does not count.
    ///
    /// # Errors
    /// The system's.
    pub fn reasons(&self, number: u32) -> Result<Reasons, Error> {
        let path = self.cluster_path(number, "why.json");
        let bytes = whole::read(&path).map_err(|error| Error::io("read", &path, &error))?;
        let all: Vec<Shared> = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
        let with_component = |Shared { components, reason }| {
            let components: Indices = components;
            components.0.into_iter().map(move |component| (component, Reason::clone(&reason)))
        };
        Ok(all.into_iter().flat_map(with_component).collect())
    }

    /// Forgets why these components of a cluster wait, or all of them: something was done about it.
    ///
    /// # Errors
    /// The system's.
    pub(crate) fn forget_waits(&self, number: u32, only: Option<&[u32]>) -> Result<(), Error> {
        let _lock = self.lock_reasons(number);
        let mut reasons = self.reasons(number)?;
        let before = reasons.len();
        let concerned = |component: &u32| only.is_none_or(|only| only.binary_search(component).is_ok());
        let waits = |reason: &Reason| !matches!(reason.state, State::Removed | State::Errored);
        reasons.retain(|component, reason| !(concerned(component) && waits(reason)));
        if reasons.len() == before { Ok(()) } else { self.write_reasons(number, reasons) }
    }

    /// Writes the reasons of a cluster.
    ///
    /// # Errors
    /// The system's.
    pub(crate) fn write_reasons(&self, number: u32, reasons: Reasons) -> Result<(), Error> {
        let mut shared: BTreeMap<Reason, Vec<u32>> = BTreeMap::new();
        for (component, reason) in reasons {
            shared.entry(reason).or_default().push(component);
        }
        let all = shared.into_iter().map(|(reason, components)| Shared { components: Indices(components), reason });
        let text = serde_json::to_vec(&all.collect::<Vec<_>>()).map_err(|error| Error::bug("the reasons", &error))?;
        self.write(&self.cluster_path(number, "why.json"), &[text.as_slice(), b"\n"].concat())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
    use super::*;

    #[test]
    fn a_reason_is_written_once_for_all_its_components() {
        let folder = tempfile::tempdir().unwrap();
        let map = MapDir::at(folder.path());
        std::fs::create_dir(folder.path().join("clusters")).unwrap();
        assert_eq!(map.reasons(0).unwrap(), Reasons::new());
        let reason = |state, said: &str| Reason { state, said: said.to_owned(), why: Why::new(said, "wait"), since: 7 };
        let idle = reason(State::Idle, "Resources");
        let mut reasons: Reasons = (0..1000).map(|component| (component, idle.clone())).collect();
        reasons.insert(500, reason(State::Removed, "via condor_rm"));
        map.write_reasons(0, reasons.clone()).unwrap();
        assert_eq!(map.reasons(0).unwrap(), reasons);
        let path = folder.path().join("clusters/0.why.json");
        assert!(path.metadata().unwrap().len() < 400);
        // They are no clusters, and a part of them is none of them.
        assert_eq!(map.clusters().unwrap(), []);
        std::fs::write(path, "[{\"comp").unwrap();
        assert_eq!(map.reasons(0).unwrap(), Reasons::new());
    }
}
