//! A map that exists: what its verbs do.

use tpv_simulate::grid::{GridRun, Scenario};

use super::Error;
use super::cluster::{Cluster, Indices};
use super::component::completion::Head;
use super::engine::{self, Action, Engine, Submission};
use super::item::Item;
use super::resources::Resources;
use super::shipped;
use super::state::State;
use super::status::{self, ComponentStatus, Status};
use super::store::{Lock, MapDir, Root, random};
use super::submit::Submit;
use crate::clock::seconds;
use crate::component::SCRIPT;
use crate::create::{check_number, platform};

/// The stand-in for the id of a cluster that the engine never got.
pub const NEVER: &str = "-";

/// A map, known by its tag.
pub struct Map {
    root: Root,
    tag: String,
    dir: MapDir,
    submit: Submit,
    engine: Box<dyn Engine>,
}

impl Map {
    /// The map of a tag.
    ///
    /// # Errors
    /// There is none, or its files are damaged.
    pub fn load(root: &Root, tag: &str) -> Result<Self, Error> {
        let dir = root.load(tag)?;
        let submit = dir.submit()?;
        Ok(Self::of(root, tag, dir, submit))
    }

    pub(super) fn of(root: &Root, tag: &str, dir: MapDir, submit: Submit) -> Self {
        let engine = engine::of(submit.engine);
        Self { root: root.clone(), tag: tag.to_owned(), dir, submit, engine }
    }

    /// The tag.
    pub fn tag(&self) -> &str {
        &self.tag
    }

    /// The directory.
    pub fn dir(&self) -> &MapDir {
        &self.dir
    }

    /// The submit object.
    pub fn submit(&self) -> &Submit {
        &self.submit
    }

    fn submission<'a>(&'a self, cluster: &'a Cluster) -> Submission<'a> {
        Submission { map: &self.dir, tag: &self.tag, submit: &self.submit, cluster }
    }

    /// The states of all components.
    ///
    /// # Errors
    /// The map's directory cannot be read.
    pub fn status(&self) -> Result<Status, Error> {
        status::status(self, self.engine.as_ref())
    }

    /// The most memory that a component had in use, in KiB, as far as that is known.
    ///
    /// # Errors
    /// The map's directory cannot be read.
    pub fn memory_kib(&self, index: u32, component: &ComponentStatus) -> Result<Option<u64>, Error> {
        match (component.state(), component.head) {
            (State::Completed, Some(Head { memory_kib: None, .. })) => {
                let completion = self.dir.completion(index)?.and_then(Result::ok);
                Ok(completion.and_then(|completion| completion.head.memory_kib))
            }
            (State::Completed, head) => Ok(head.and_then(|head| head.memory_kib)),
            (State::Errored, _) => Ok(self.dir.error_report(index)?.and_then(|report| report.memory_kib)),
            _ => Ok(None),
        }
    }

    /// Returns `true` if components wait that nothing will run, because the engine's own process on this machine was
    /// killed.
    ///
    /// # Errors
    /// The map's directory cannot be read.
    pub fn is_stalled(&self) -> Result<bool, Error> {
        let clusters = self.dir.clusters()?;
        let mut submitted = clusters.iter().filter(|(_, id)| id.as_ref().is_some_and(|id| id != NEVER));
        submitted.try_fold(false, |any, (cluster, _)| Ok(any || self.engine.is_stalled(self.submission(cluster))?))
    }

    /// Sees to it that components which wait have something to wait for: where the engine's own process on this machine was killed, it is
    /// started again.
    ///
    /// # Errors
    /// The process cannot be started.
    pub fn revive(&self) -> Result<(), Error> {
        for (cluster, id) in self.dir.clusters()? {
            if id.is_some_and(|id| id != NEVER) {
                self.engine.revive(self.submission(&cluster))?;
            }
        }
        Ok(())
    }

    /// Brings submissions to an end that a kill interrupted: notes the id of a cluster that the engine has, and that it never got the others.
    fn recover(&self, _lock: &Lock) -> Result<(), Error> {
        for (cluster, id) in self.dir.clusters()? {
            if id.is_none() {
                let found = self.engine.find(self.submission(&cluster))?;
                self.dir.write_id(cluster.number, found.as_deref().unwrap_or(NEVER))?;
            }
        }
        Ok(())
    }

    /// Submits components as a new cluster: first on disk, then to the engine, then the engine's id on disk. Killed in between, the next verb
    /// that changes the map finds the cluster by its token.
    pub(super) fn submit_components(&self, components: Vec<u32>, items: &[Item], lock: &Lock) -> Result<(), Error> {
        if components.is_empty() {
            return Ok(());
        }
        engine::check_options(self.submit.engine, &self.submit.options)?;
        let first = self.dir.clusters()?.last().map_or(0, |(cluster, _)| cluster.number + 1);
        let mut last = None;
        // An engine's job asks for the same for all its parts.
        for (number, components) in (first..).zip(self.submit.limits.groups(components)) {
            last = Some(self.submit_cluster(number, components, items, lock)?);
        }
        last.map_or(Ok(()), |cluster| self.engine.start(self.submission(&cluster)))
    }

    fn submit_cluster(&self, number: u32, components: Vec<u32>, items: &[Item], lock: &Lock) -> Result<Cluster, Error> {
        let chosen: Vec<&Item> = components.iter().filter_map(|&index| items.get(index as usize)).collect();
        let cluster = Cluster {
            number,
            token: random::token()?,
            engine: self.submit.engine,
            components: Indices(components),
            created: seconds(),
        };
        self.dir.write_cluster(&cluster)?;
        let id = match self.engine.submit(self.submission(&cluster), &chosen, lock) {
            Ok(id) => id,
            // The engine may have it all the same: its answer may have been lost.
            Err(error) => match self.engine.find(self.submission(&cluster)) {
                Ok(Some(id)) => id,
                Ok(None) => return self.dir.write_id(number, NEVER).and(Err(error)),
                // Nobody knows now: the next verb that changes the map asks again.
                Err(_) => return Err(error),
            },
        };
        self.dir.write_id(number, &id)?;
        Ok(cluster)
    }

    /// Does something to the components of a list that the engine still has, or to all of them.
    ///
    /// # Errors
    /// The engine cannot be asked, or refuses.
    pub fn act(&self, action: Action, only: Option<&[u32]>) -> Result<(), Error> {
        let lock = self.dir.lock()?;
        self.recover(&lock)?;
        self.act_locked(action, only)
    }

    fn act_locked(&self, action: Action, only: Option<&[u32]>) -> Result<(), Error> {
        for (cluster, id) in self.dir.clusters()? {
            let Some(id) = id.filter(|id| id != NEVER) else { continue };
            let positions = only.map(|only| {
                let with_position = cluster.components.0.iter().zip(0..);
                with_position
                    .filter(|(index, _)| only.binary_search(index).is_ok())
                    .map(|(_, position)| position)
                    .collect::<Vec<u32>>()
            });
            if positions.as_ref().is_some_and(Vec::is_empty) {
                continue;
            }
            self.engine.act(self.submission(&cluster), &id, action, positions.as_deref())?;
            if !matches!(action, Action::Remove) {
                // What it waited for may be there now.
                self.dir.forget_waits(cluster.number, only)?;
            }
        }
        Ok(())
    }

    /// Runs components again: `only` these, or those that have ended without answers, were removed or never submitted. What they left is
    /// forgotten first. The number of components is given.
    ///
    /// # Errors
    /// The engine cannot be asked or refuses, or the system's.
    pub fn rerun(&mut self, only: Option<&[u32]>) -> Result<usize, Error> {
        let lock = self.dir.lock()?;
        // `edit` may have changed it while this waited.
        self.submit = self.dir.submit()?;
        self.recover(&lock)?;
        let status = self.status()?;
        if let Some(error) = status.unreachable {
            return Err(error);
        }
        let items = self.dir.items()?;
        let chosen = match only {
            Some(only) => only.iter().copied().filter(|&index| (index as usize) < items.len()).collect(),
            None => status.in_states(&[State::Errored, State::Removed, State::Unknown]),
        };
        let queued: Vec<u32> = chosen
            .iter()
            .copied()
            .filter(|&index| {
                let state = status.components.get(index as usize).map(status::ComponentStatus::state);
                state.is_some_and(|state| state.goes_on() || state == State::Held)
            })
            .collect();
        if !queued.is_empty() {
            self.act_locked(Action::Remove, Some(&queued))?;
        }
        self.dir.forget(&chosen)?;
        let count = chosen.len();
        self.submit_components(chosen, &items, &lock)?;
        if count == 0 {
            // Those that are queued already may have nobody who runs them.
            self.revive()?;
        }
        Ok(count)
    }

    /// The part of a simulation that its runs share. `None` if the map is of something else.
    ///
    /// # Errors
    /// The file is missing or damaged.
    pub fn scenario(&self) -> Result<Option<Scenario>, Error> {
        self.submit.scenario.as_deref().map(|digest| self.dir.scenario(digest)).transpose()
    }

    /// Adds runs of a simulation to those that the map has, and submits them. Runs that it has are left as they are. The number of new ones is given.
    ///
    /// # Errors
    /// The engine cannot be asked or refuses, or the system's.
    pub fn add_runs(&mut self, runs: Vec<GridRun>) -> Result<usize, Error> {
        let lock = self.dir.lock()?;
        self.submit = self.dir.submit()?;
        self.recover(&lock)?;
        let mut items = self.dir.items()?;
        // Beyond the number of components are items of an addition that was killed.
        items.truncate(self.dir.components()? as usize);
        let Some(like) = items.first().cloned() else { return Ok(0) };
        let before = items.len();
        for run in runs.into_iter().map(Some) {
            if !items.iter().any(|item| item.run == run) {
                let component = u32::try_from(items.len()).unwrap_or(u32::MAX);
                items.push(Item { component, run, ..like.clone() });
            }
        }
        check_number(items.len() as u64)?;
        self.dir.write_items(&items)?;
        let new: Vec<u32> = (0..).take(items.len()).skip(before).collect();
        let count = new.len();
        self.submit_components(new, &items, &lock)?;
        Ok(count)
    }

    /// Changes what these components may use, or all: those that are queued, as far as the engine can, and those that run later.
    ///
    /// # Errors
    /// The engine cannot be asked, or refuses, or the system's.
    pub fn edit(&mut self, changes: Resources, only: Option<&[u32]>) -> Result<(), Error> {
        let lock = self.dir.lock()?;
        self.recover(&lock)?;
        let mut submit = self.dir.submit()?;
        submit.limits.change(changes, only);
        self.dir.write_submit(&submit)?;
        self.submit = submit;
        self.act_locked(Action::Edit(changes), only)
    }

    /// Ships another program with the map, for components that start from now on, and the script that goes with it. `version` is what a program
    /// says of itself that takes the arguments of this one, such as `tpvc 1.2.3`. Returns `false` if the program cannot be asked here.
    ///
    /// # Errors
    /// It is another program, or the system's.
    pub fn transplant(&mut self, program: &[u8], version: &str) -> Result<bool, Error> {
        let _lock = self.dir.lock()?;
        let mut submit = self.dir.submit()?;
        let digest = self.dir.put_program(program)?;
        let path = self.dir.input(digest.as_str());
        let checked = shipped::check(&path, program, version);
        if checked.is_err() && submit.program != digest.as_str() {
            self.dir.remove(&path)?;
        }
        let checked = checked?;
        submit.program = digest.into();
        submit.platform = platform(program);
        self.dir.write_script(SCRIPT)?;
        self.dir.write_submit(&submit)?;
        self.submit = submit;
        Ok(checked)
    }

    /// Removes a map that its engine refused as a whole, so that its tag is free.
    pub(super) fn remove_refused(root: &Root, tag: &str) -> Result<(), Error> {
        let Some(dir) = root.find(tag)?.filter(MapDir::exists) else { return Ok(()) };
        let Some(_lock) = dir.try_lock()? else { return Ok(()) };
        let clusters = dir.clusters()?;
        let is_refused = |(_, id): &(Cluster, Option<String>)| id.as_ref().is_some_and(|id| id == NEVER);
        if clusters.is_empty() || !clusters.iter().all(is_refused) || !dir.names("summaries")?.is_empty() {
            return Ok(());
        }
        root.remove(tag, &dir)
    }

    /// Gives the map another tag; a transient map is kept from then on.
    ///
    /// # Errors
    /// The tag is taken or cannot be one, or the system's.
    pub fn retag(&mut self, tag: &str) -> Result<(), Error> {
        let _lock = self.dir.lock()?;
        self.root.retag(&self.dir, &self.tag, tag)?;
        tag.clone_into(&mut self.tag);
        Ok(())
    }

    /// Removes the map: its components from the engine's queue, then its files.
    ///
    /// # Errors
    /// The engine cannot be asked, or the system's: the map is still there then.
    pub fn remove(self) -> Result<(), Error> {
        let lock = self.dir.lock()?;
        self.recover(&lock)?;
        self.act_locked(Action::Remove, None)?;
        self.root.remove(&self.tag, &self.dir)
    }

    /// Removes the files of a map of which something is damaged, or whose engine cannot be asked. What the engine may still have is told:
    /// ids of clusters.
    ///
    /// # Errors
    /// The system's.
    pub fn remove_by_force(root: &Root, tag: &str) -> Result<Vec<String>, Error> {
        let Some(dir) = root.find(tag)? else {
            root.sweep()?;
            return Err(Error::new(format!("no map `{tag}`"), "`tpvc maps list` shows those that are there"));
        };
        let mut left = Vec::new();
        let clusters = dir.clusters();
        let removed = Self::load(root, tag).and_then(|map| {
            let lock = map.dir.lock()?;
            map.recover(&lock)?;
            map.act_locked(Action::Remove, None)
        });
        if removed.is_err() {
            left = clusters.map_or_else(
                |_| vec!["its clusters are not known".to_owned()],
                |clusters| {
                    clusters
                        .into_iter()
                        .filter_map(|(cluster, id)| match id {
                            Some(id) if id == NEVER => None,
                            Some(id) => Some(format!("{} {id}", cluster.engine)),
                            // A submission that was interrupted: the engine may have it all the same.
                            None => Some(format!("{} with the token {}", cluster.engine, cluster.token)),
                        })
                        .collect()
                },
            );
        }
        root.remove(tag, &dir)?;
        Ok(left)
    }

    /// Removes what killed components have left half written, once none runs any more.
    ///
    /// # Errors
    /// The system's.
    pub fn tidy(&self, status: &Status) -> Result<(), Error> {
        // One that is UNKNOWN may run where the engine cannot be asked.
        let may_run = |status: &Status| {
            status.components.iter().any(|component| component.state().goes_on() || component.state() == State::Unknown)
        };
        if may_run(status) {
            return Ok(());
        }
        let Some(_lock) = self.dir.try_lock()? else { return Ok(()) };
        // Another verb may have submitted some since.
        if may_run(&self.status()?) { Ok(()) } else { self.dir.tidy() }
    }
}
