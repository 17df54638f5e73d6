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
    /// When the first of the queue can start at the latest, and what the nodes then have free without it; while nothing changes.
    reservation: Option<Reservation>,
}

#[derive(Clone, Debug)]
struct Reservation {
    at: Time,
    node: usize,
    /// The amount of the node that is free at that time beside the first job.
    beside: Amount,
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

    /// Frees what a job held that was to end at this time; returns the jobs that start.
    pub fn release(&mut self, job: usize, ends: Time, now: Time) -> Vec<Queued> {
        if let Some((node, amount)) = self.running.remove(&(ends, job)) {
            self.used = self.used.minus(&amount);
            if let Some(free) = self.free.get_mut(node) {
                *free = free.plus(&amount);
            }
            self.reservation = None;
        }
        self.start_from(0, now)
    }

    /// Starts what can start, such as when the cluster opens.
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
                let Some(node) = self.node_for(&job.amount) else { break };
                self.queue.pop_front();
                self.begin(&job, node, now);
                started.push(job);
            }
            at = 1;
        }
        if self.spec.discipline == Discipline::Fifo {
            return started;
        }
        let mut most = self.most_free();
        while at < self.queue.len().min(DEPTH) {
            let Some(job) = self.queue.get(at).copied() else { break };
            let node = if job.amount.fits(&most) { self.node_for(&job.amount) } else { None };
            match node.filter(|node| self.delays_none(&job, *node, now)) {
                Some(node) => {
                    self.queue.remove(at);
                    self.begin(&job, node, now);
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
        self.node_for(amount).is_some()
    }

    /// The node with the fewest free cores that holds the job.
    fn node_for(&self, amount: &Amount) -> Option<usize> {
        let fitting = self.free.iter().enumerate().filter(|(_, free)| amount.fits(free));
        fitting.min_by_key(|(index, free)| (free.cores, *index)).map(|(index, _)| index)
    }

    fn begin(&mut self, job: &Queued, node: usize, now: Time) {
        self.reservation = None;
        self.used = self.used.plus(&job.amount);
        if let Some(free) = self.free.get_mut(node) {
            *free = free.minus(&job.amount);
        }
        self.running.insert((now.saturating_add(job.holds), job.job), (node, job.amount));
    }

    /// Returns `true` if the first job of the queue starts no later because of this one.
    fn delays_none(&mut self, job: &Queued, node: usize, now: Time) -> bool {
        let Some(reservation) = self.reservation() else { return true };
        now.saturating_add(job.holds) <= reservation.at
            || node != reservation.node
            || job.amount.fits(&reservation.beside)
    }

    /// The reservation for the first job of the queue: the earliest time at which one node has room for it.
    fn reservation(&mut self) -> Option<&Reservation> {
        if self.reservation.is_none() {
            let first = self.queue.front()?.amount;
            let mut free = self.free.clone();
            for ((at, _), (node, amount)) in &self.running {
                let Some(room) = free.get_mut(*node) else { continue };
                *room = room.plus(amount);
                if first.fits(room) {
                    self.reservation = Some(Reservation { at: *at, node: *node, beside: room.minus(&first) });
                    break;
                }
            }
        }
        self.reservation.as_ref()
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
