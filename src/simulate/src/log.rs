//! Each job of a run in a few bytes: its names as numbers, its end and its sums.

use std::collections::HashMap;
use std::sync::Arc;

use tpv_analysis::people::Naming;
use tpv_galaxy::job::Job;

use crate::measure::{End, JobTotals, Stats};
use crate::totals::{Names, Totals};

/// The name of jobs without a user.
const ANONYMOUS: &str = "(anonymous)";

/// The numbers of the names of a job's tool, user and roles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Who {
    tool: u32,
    user: u32,
    roles: u32,
}

/// Names by number.
#[derive(Clone, Debug, Default)]
pub struct Register {
    names: Numbers<str>,
    /// The numbers of a user's roles.
    roles: Numbers<[u32]>,
    naming: Naming,
}

/// Values with numbers.
#[derive(Debug)]
struct Numbers<T: ?Sized> {
    numbers: HashMap<Arc<T>, u32>,
    values: Vec<Arc<T>>,
}

impl<T: ?Sized> Clone for Numbers<T> {
    fn clone(&self) -> Self {
        Self { numbers: self.numbers.clone(), values: self.values.clone() }
    }
}

impl<T: ?Sized> Default for Numbers<T> {
    fn default() -> Self {
        Self { numbers: HashMap::new(), values: Vec::new() }
    }
}

impl<T: ?Sized + Eq + std::hash::Hash> Numbers<T> {
    fn number(&mut self, value: &T) -> u32
    where
        Arc<T>: for<'a> From<&'a T>,
    {
        if let Some(number) = self.numbers.get(value) {
            return *number;
        }
        let number = u32::try_from(self.values.len()).unwrap_or(u32::MAX);
        let value: Arc<T> = value.into();
        self.values.push(value.clone());
        self.numbers.insert(value, number);
        number
    }

    fn get(&self, number: u32) -> Option<&T> {
        self.values.get(number as usize).map(|value| &**value)
    }
}

impl Register {
    /// No names, and how users are named.
    pub fn new(naming: Naming) -> Self {
        Self { naming, ..Self::default() }
    }

    /// The names of a job.
    pub fn who(&mut self, job: &Job) -> Who {
        let (tool, _) = tpv_analysis::tool_id::split_version(job.tool_id());
        let tool = self.names.number(tool);
        let Some(user) = &job.user else {
            let roles = self.roles.number(&[]);
            return Who { tool, user: self.names.number(ANONYMOUS), roles };
        };
        let name = user.email.map_or_else(|| user.username(job), |email| job.text(email));
        let number = self.names.number(&self.naming.user(name));
        let roles = user.roles.iter().filter(|role| !role.deleted);
        let roles: Vec<u32> =
            roles.map(|role| self.names.number(&self.naming.role(job.text(role.name), user.username(job)))).collect();
        Who { tool, user: number, roles: self.roles.number(roles.as_slice()) }
    }

    fn name(&self, number: u32) -> &str {
        self.names.get(number).unwrap_or_default()
    }

    /// The names behind the numbers.
    pub fn names<'a>(&'a self, who: Who, destination: &'a str) -> Names<'a> {
        let roles = self.roles.get(who.roles).unwrap_or_default();
        Names {
            destination,
            tool: self.name(who.tool),
            user: self.name(who.user),
            roles: roles.iter().map(|role| self.name(*role)).collect(),
        }
    }
}

/// A job that ended.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    who: Who,
    destination: u32,
    end: End,
    totals: JobTotals,
}

/// All jobs of a run, in the order of their arrivals.
#[derive(Clone, Debug, Default)]
pub struct Log {
    entries: Vec<Entry>,
    register: Register,
}

impl Log {
    /// Adds the job that arrived as this one, counted from 1.
    pub fn add(
        &mut self,
        arrival: u64,
        who: Who,
        destination: &str,
        end: End,
        totals: JobTotals,
        register: &mut Register,
    ) {
        let index = usize::try_from(arrival.saturating_sub(1)).unwrap_or(usize::MAX);
        if self.entries.len() <= index {
            self.entries.resize(index.saturating_add(1), Entry::default());
        }
        if let Some(entry) = self.entries.get_mut(index) {
            *entry = Entry { who, destination: register.names.number(destination), end, totals };
        }
    }

    /// Takes the names of the jobs.
    pub fn close(&mut self, register: Register) {
        self.register = register;
    }
}

/// Jobs that end in one way by the old rules and in another by the new ones.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Apart {
    /// By the old rules.
    pub old: Stats,
    /// By the new rules.
    pub new: Stats,
}

/// Two runs over the same arrivals, job by job.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Paired {
    /// Jobs that both finish: their totals by the old and the new rules.
    pub both: [Totals; 2],
    /// Jobs that only the old rules finish.
    pub only_old: Apart,
    /// Jobs that only the new rules finish.
    pub only_new: Apart,
    /// Jobs that neither finishes.
    pub neither: Apart,
}

impl Paired {
    /// Compares two runs over the same arrivals.
    pub fn new(old: &Log, new: &Log) -> Self {
        let mut paired = Self::default();
        let Self { both: [old_totals, new_totals], only_old, only_new, neither } = &mut paired;
        for (before, after) in old.entries.iter().zip(&new.entries) {
            let apart = match (before.end, after.end) {
                (End::Done, End::Done) => {
                    for (log, entry, totals) in [(old, before, &mut *old_totals), (new, after, &mut *new_totals)] {
                        let names = log.register.names(entry.who, log.register.name(entry.destination));
                        totals.add(&names, &Stats::of(&entry.totals, entry.end));
                    }
                    continue;
                }
                (End::Done, _) => &mut *only_old,
                (_, End::Done) => &mut *only_new,
                _ => &mut *neither,
            };
            apart.old += &Stats::of(&before.totals, before.end);
            apart.new += &Stats::of(&after.totals, after.end);
        }
        paired
    }
}
