//! A cluster while time runs: what its nodes have free, what runs on them, and the queue.

use std::collections::{BTreeMap, VecDeque};

use crate::amount::{Amount, Time};
use crate::capacity::{ClusterSpec, Discipline};

/// The jobs of a queue that are looked at for backfill, as many as Slurm's `bf_max_job_test` has.
const DEPTH: usize = 500;

/// A job in a queue.
#[derive(Clone, Copy, Debug)]
pub struct Queued {
    /// The job's number.
    pub job: usize,
    /// The amount it takes.
    pub amount: Amount,
    /// The time that it holds it.
    pub holds: Time,
}

/// A cluster.
#[derive(Debug)]
pub struct Cluster {
    spec: ClusterSpec,
    free: Vec<Amount>,
    queue: VecDeque<Queued>,
    /// The running jobs by their ends: the node, and the amount taken of it.
    running: BTreeMap<(Time, usize), (usize, Amount)>,
    used: Amount,
    /// The reservation of the first of the queue; `None` until a job behind it asks for it. Ends of jobs, which it foresees, do not change it.
    reservation: Option<Reservation>,
}

/// The earliest time at which the first of the queue can start, if no other job starts before it.
#[derive(Clone, Debug)]
struct Reservation {
    at: Time,
    /// The amount of the first job.
    first: Amount,
    /// The nodes that have room for it at that time, and what each then has free.
    nodes: Vec<(usize, Amount)>,
}

impl Reservation {
    /// Returns `true` if the first job can still start at that time if a job takes an amount of a node until `ends`.
    fn allows(&self, node: usize, amount: &Amount, ends: Time) -> bool {
        let has_room = |(at, free): &(usize, Amount)| *at != node || self.first.fits(&free.minus(amount));
        ends <= self.at || self.nodes.iter().any(has_room)
    }

    /// The same reservation, if a job takes an amount of a node until `ends`.
    fn beside(mut self, node: usize, amount: &Amount, ends: Time) -> Self {
        if ends > self.at {
            self.nodes.iter_mut().filter(|(at, _)| *at == node).for_each(|(_, free)| *free = free.minus(amount));
            self.nodes.retain(|(_, free)| self.first.fits(free));
        }
        self
    }
}

impl Cluster {
    /// A cluster on which nothing runs.
    pub fn new(spec: &ClusterSpec) -> Self {
        Self {
            spec: spec.clone(),
            free: spec.nodes.clone(),
            queue: VecDeque::new(),
            running: BTreeMap::new(),
            used: Amount::default(),
            reservation: None,
        }
    }

    /// Its description in the capacity file.
    pub fn spec(&self) -> &ClusterSpec {
        &self.spec
    }

    /// The amount that its running jobs take.
    pub fn used(&self) -> &Amount {
        &self.used
    }

    /// The number of jobs in the queue.
    pub fn queued(&self) -> usize {
        self.queue.len()
    }

    /// Returns `true` if the job could start if nothing else ran.
    pub fn could_hold(&self, amount: &Amount) -> bool {
        self.spec.nodes.iter().any(|node| amount.fits(node))
    }

    /// Returns `true` if no job starts now.
    pub fn is_closed(&self, now: Time) -> bool {
        self.spec.closed.iter().any(|(from, to)| *from <= now && to.is_none_or(|to| now < to))
    }

    /// Puts a job at the end of the queue; returns those that start.
    pub fn enqueue(&mut self, job: Queued, now: Time) -> Vec<Queued> {
        self.queue.push_back(job);
        let last = self.queue.len() - 1;
        // Jobs before it that did not fit do not fit now either.
        self.start_from(last, now)
    }

    /// Frees what a job held that was to end at this time. Once all jobs that end at a moment are released, [`Self::start`] starts others.
    pub fn release(&mut self, job: usize, ends: Time) {
        if let Some((node, amount)) = self.running.remove(&(ends, job)) {
            self.used = self.used.minus(&amount);
            if let Some(free) = self.free.get_mut(node) {
                *free = free.plus(&amount);
            }
        }
    }

    /// Starts what can start after jobs were released, or when the cluster opens.
    pub fn start(&mut self, now: Time) -> Vec<Queued> {
        self.start_from(0, now)
    }

    fn start_from(&mut self, first: usize, now: Time) -> Vec<Queued> {
        let mut started = Vec::new();
        if self.is_closed(now) {
            return started;
        }
        let mut at = first;
        if at == 0 {
            while let Some(job) = self.queue.front().copied() {
                let Some(node) = self.node_for(&job.amount, |_| true) else { break };
                self.queue.pop_front();
                self.begin(&job, node, now);
                started.push(job);
            }
            at = 1;
        }
        if self.spec.discipline == Discipline::Fifo || at >= self.queue.len().min(DEPTH) {
            return started;
        }
        let mut most = self.most_free();
        while at < self.queue.len().min(DEPTH) {
            let Some(job) = self.queue.get(at).copied() else { break };
            let node = if job.amount.fits(&most) { self.node_without_delay(&job, now) } else { None };
            match node {
                Some(node) => {
                    self.queue.remove(at);
                    let reservation = self.reservation.take();
                    self.begin(&job, node, now);
                    self.reservation =
                        reservation.map(|first| first.beside(node, &job.amount, now.saturating_add(job.holds)));
                    most = self.most_free();
                    started.push(job);
                }
                None => at += 1,
            }
        }
        started
    }

    /// The most of each resource that some node has free: a job with more fits nowhere, which is known without a look at each node.
    fn most_free(&self) -> Amount {
        self.free.iter().fold(Amount::default(), |most, free| most.max(free))
    }

    /// Returns `true` if a job could start now.
    pub fn has_room(&self, amount: &Amount) -> bool {
        self.node_for(amount, |_| true).is_some()
    }

    /// The node on which a job starts: of those that have room for it and are `allowed` that with the fewest free cores, of equal ones the first of
    /// the file. A job without GPUs takes a node that has GPUs only if there is no other.
    fn node_for(&self, amount: &Amount, allowed: impl Fn(usize) -> bool) -> Option<usize> {
        let nodes = self.free.iter().zip(&self.spec.nodes).enumerate();
        let fitting = nodes.filter(|(index, (free, _))| amount.fits(free) && allowed(*index));
        let order = |(index, (free, node)): &(usize, (&Amount, &Amount))| {
            (amount.gpus == 0 && node.has_gpus(), free.cores, *index)
        };
        fitting.min_by_key(order).map(|(index, _)| index)
    }

    /// The node on which a job can start now without delaying the first of the queue.
    fn node_without_delay(&mut self, job: &Queued, now: Time) -> Option<usize> {
        if self.reservation.is_none() {
            self.reservation = self.reserve();
        }
        let ends = now.saturating_add(job.holds);
        let allows = |node| self.reservation.as_ref().is_none_or(|first| first.allows(node, &job.amount, ends));
        self.node_for(&job.amount, allows)
    }

    fn begin(&mut self, job: &Queued, node: usize, now: Time) {
        self.reservation = None;
        self.used = self.used.plus(&job.amount);
        if let Some(free) = self.free.get_mut(node) {
            *free = free.minus(&job.amount);
        }
        self.running.insert((now.saturating_add(job.holds), job.job), (node, job.amount));
    }

    /// The reservation for the first job of the queue: the earliest time at which one node has room for it.
    fn reserve(&self) -> Option<Reservation> {
        let first = self.queue.front()?.amount;
        let mut free = self.free.clone();
        let mut changed = Vec::new();
        let mut ends = self.running.iter().peekable();
        while let Some(((at, _), (node, amount))) = ends.next() {
            if let Some(room) = free.get_mut(*node) {
                *room = room.plus(amount);
            }
            changed.push(*node);
            // All that ends at a moment counts at that moment.
            if ends.peek().is_some_and(|((next, _), _)| next == at) {
                continue;
            }
            changed.sort_unstable();
            changed.dedup();
            // Before, no node had room for it.
            let room = |node: usize| free.get(node).copied().filter(|room| first.fits(room)).map(|room| (node, room));
            let nodes: Vec<(usize, Amount)> = changed.drain(..).filter_map(room).collect();
            if !nodes.is_empty() {
                return Some(Reservation { at: *at, first, nodes });
            }
        }
        None
    }

    /// The jobs in the queue, first to last.
    pub fn queue(&self) -> impl Iterator<Item = &Queued> {
        self.queue.iter()
    }

    /// Returns `true` if what is used and what is free add up to what each node has: a check for tests.
    pub fn adds_up(&self) -> bool {
        let mut free = self.free.clone();
        for (node, amount) in self.running.values() {
            if let Some(room) = free.get_mut(*node) {
                *room = room.plus(amount);
            }
        }
        let within = self.running.values().fold(vec![Amount::default(); free.len()], |mut used, (node, amount)| {
            if let Some(sum) = used.get_mut(*node) {
                *sum = sum.plus(amount);
            }
            used
        });
        free == self.spec.nodes && within.iter().zip(&self.spec.nodes).all(|(used, node)| used.fits(node))
    }
}
