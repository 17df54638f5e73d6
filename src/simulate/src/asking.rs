//! The jobs that the rules were not ready for, by what their answers depended on: a job is asked for again once one of these has changed.

use std::collections::{BTreeSet, HashMap};
use std::ops::Bound;
use std::rc::Rc;
use std::sync::Arc;

use tpv_galaxy::job_table::JobTable;
use tpv_galaxy::reads::{Read, Tools, Users};
use tpv_galaxy::sql_text::{GroupKey, GroupTotals};

/// The tools whose counts are known at once.
const MOST_TOOLS: usize = 50_000;

/// A job's place among those that wait: the number of its arrival, and its index.
pub type Turn = (u64, usize);

/// The state of a part of the world when it was read.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Was {
    /// A number that is another one once the part has changed.
    Number(u64),
    /// Totals by group.
    Totals(Vec<(GroupKey, Vec<u64>)>),
}

/// The parts of the world that an answer depended on, and what each was then.
type Results = Rc<[(Read, Was)]>;

/// The jobs that wait to be mapped. Those whose answers depended on the same share a group, so that a change costs no look at each.
#[derive(Default)]
pub struct Asking {
    groups: HashMap<usize, Group>,
    by_results: HashMap<Results, usize>,
    /// The groups that depend on each part of the world.
    readers: HashMap<Read, BTreeSet<usize>>,
    /// The groups of which a part may have changed since.
    stale: BTreeSet<usize>,
    /// All totals.
    totals: Vec<Arc<GroupTotals>>,
    /// The tools of all counts.
    tools: Vec<Tools>,
    /// By tool, the numbers of the `tools` that it is one of, among so many of these.
    tools_with: HashMap<Box<str>, (usize, Vec<usize>)>,
    /// The number of jobs of each user that left their pools.
    left_pools: HashMap<i64, u64>,
    /// The number of changes of any kind.
    changes: u64,
    next: usize,
    jobs: usize,
}

struct Group {
    results: Results,
    jobs: BTreeSet<Turn>,
}

impl Asking {
    /// The number of jobs.
    pub fn len(&self) -> usize {
        self.jobs
    }

    /// Returns `true` if no job waits.
    pub fn is_empty(&self) -> bool {
        self.jobs == 0
    }

    /// Returns `true` if a job may have another answer than before.
    pub fn is_stale(&self) -> bool {
        !self.stale.is_empty()
    }

    /// Returns `true` if some answer depended on more than counts, totals and pools, such as the clock.
    pub fn depends_on_more(&self) -> bool {
        self.readers.contains_key(&Read::Other)
    }

    /// Adds a job that was asked for in this world, with what the answer depended on.
    pub fn insert(&mut self, turn: Turn, reads: Vec<Read>, table: &JobTable) {
        let results = reads.into_iter().map(|read| {
            let now = self.result(&read, table);
            (read, now)
        });
        let results: Results = results.collect();
        self.jobs += 1;
        if let Some(group) = self.by_results.get(&results).and_then(|id| self.groups.get_mut(id)) {
            group.jobs.insert(turn);
            return;
        }
        let id = self.next;
        self.next += 1;
        for (read, _) in results.iter() {
            match read {
                Read::Count(tools, _) if !self.tools.contains(tools) => self.tools.push(tools.clone()),
                Read::Totals(totals) if !self.totals.contains(totals) => self.totals.push(totals.clone()),
                _ => {}
            }
            self.readers.entry(read.clone()).or_default().insert(id);
        }
        self.by_results.insert(results.clone(), id);
        self.groups.insert(id, Group { results, jobs: BTreeSet::from([turn]) });
    }

    /// Takes out the first job after this place that may have another answer than before.
    pub fn pop(&mut self, after: Option<Turn>, table: &JobTable) -> Option<Turn> {
        let from = (after.map_or(Bound::Unbounded, Bound::Excluded), Bound::Unbounded);
        loop {
            let first = |id: &usize| Some((*self.groups.get(id)?.jobs.range(from).next()?, *id));
            let (turn, id) = self.stale.iter().filter_map(first).min()?;
            let is_as_before =
                |group: &Group| group.results.iter().all(|(read, then)| self.result(read, table) == *then);
            if self.groups.get(&id).is_some_and(is_as_before) {
                self.stale.remove(&id);
                continue;
            }
            self.remove(turn, id);
            return Some(turn);
        }
    }

    /// Takes out, in their order, the jobs whose answers depended on more than counts, totals and pools.
    pub fn take_that_depend_on_more(&mut self) -> Vec<Turn> {
        let groups: Vec<usize> = self.readers.get(&Read::Other).into_iter().flatten().copied().collect();
        let jobs = |id: &usize| Some(self.groups.get(id)?.jobs.iter().map(|turn| (*turn, *id)).collect::<Vec<_>>());
        let mut all: Vec<(Turn, usize)> = groups.iter().filter_map(jobs).flatten().collect();
        all.sort_unstable();
        all.iter().for_each(|(turn, id)| self.remove(*turn, *id));
        all.into_iter().map(|(turn, _)| turn).collect()
    }

    /// A job that is queued or running changed, became one, or no longer is.
    pub fn totals_changed(&mut self) {
        for totals in &self.totals {
            if let Some(groups) = self.readers.get(&Read::Totals(totals.clone())) {
                self.stale.extend(groups);
            }
        }
    }

    /// A job of this tool and user may have become queued or running, or no longer be.
    pub fn count_changed(&mut self, tool: &str, user: Option<i64>) {
        self.totals_changed();
        if self.tools.is_empty() {
            return;
        }
        if !self.tools_with.contains_key(tool) {
            if self.tools_with.len() >= MOST_TOOLS {
                self.tools_with.clear();
            }
            self.tools_with.insert(tool.into(), (0, Vec::new()));
        }
        let Some((seen, with)) = self.tools_with.get_mut(tool) else { return };
        let new = self.tools.iter().enumerate().skip(*seen);
        with.extend(new.filter(|(_, tools)| tools.filter().has(Some(tool))).map(|(index, _)| index));
        *seen = self.tools.len();
        for tools in with.iter().filter_map(|index| self.tools.get(*index)) {
            for users in [Users::Any, Users::One(user)] {
                if let Some(groups) = self.readers.get(&Read::Count(tools.clone(), users)) {
                    self.stale.extend(groups);
                }
            }
        }
    }

    /// A job of this user left its pools.
    pub fn pools_changed(&mut self, user: i64) {
        if let Some(groups) = self.readers.get(&Read::Pools(user)) {
            *self.left_pools.entry(user).or_default() += 1;
            self.stale.extend(groups);
        }
    }

    /// Something changed in the world, if only the time.
    pub fn something_changed(&mut self) {
        self.changes += 1;
        if let Some(groups) = self.readers.get(&Read::Other) {
            self.stale.extend(groups);
        }
    }

    /// The present state of this part of the world.
    fn result(&self, read: &Read, table: &JobTable) -> Was {
        Was::Number(match read {
            Read::Totals(totals) => return Was::Totals(totals.amounts(table)),
            Read::Count(tools, users) => users.count(tools, table) as u64,
            Read::Pools(user) => self.left_pools.get(user).copied().unwrap_or_default(),
            Read::Other => self.changes,
        })
    }

    fn remove(&mut self, turn: Turn, id: usize) {
        let Some(group) = self.groups.get_mut(&id) else { return };
        self.jobs -= usize::from(group.jobs.remove(&turn));
        if !group.jobs.is_empty() {
            return;
        }
        let Some(group) = self.groups.remove(&id) else { return };
        if self.groups.is_empty() {
            self.totals.clear();
            self.tools.clear();
            self.tools_with.clear();
        }
        self.by_results.remove(&group.results);
        self.stale.remove(&id);
        for (read, _) in group.results.iter() {
            if let Some(groups) = self.readers.get_mut(read) {
                groups.remove(&id);
                if groups.is_empty() {
                    self.readers.remove(read);
                }
            }
        }
    }
}
