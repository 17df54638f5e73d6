//! Letting time run: events in the order of their moments, the job table as it changes, and the mapper asked as Galaxy's handler asks.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::sync::Arc;

use num_bigint::BigInt;
use tpv_analysis::people::Naming;
use tpv_galaxy::job::Job;
use tpv_galaxy::job_table::{JobRow, parts};
use tpv_galaxy::json::Json;
use tpv_galaxy::reads::{Read, Reads};
use tpv_galaxy::world::World;
use tpv_runtime::resubmit::{Attempt, Failure, MAX_ATTEMPTS, Resubmission, RunnerState, delay_seconds};
use tpv_text::interrupt::Interrupt;

use crate::amount::{Amount, SECOND, Time, seconds, time};
use crate::arrivals::{Arrival, Past};
use crate::asking::Asking;
use crate::capacity::Capacity;
use crate::cluster::{Cluster, Queued};
use crate::log::{Log, Register, Who};
use crate::measure::{ClusterSeries, Compared, End, JobTotals, Measure, Series, Stats};
use crate::route::{Routed, Router, Target};

/// The interval at which Galaxy's handler looks for jobs that wait to be mapped: `job_handler_monitor_sleep`.
pub const ASK_AGAIN: Time = SECOND;
/// The least interval at which a job is asked for again though nothing changed but the time.
const IDLE: Time = 60 * SECOND;
/// The greatest of these intervals.
const MOST_IDLE: Time = 3600 * SECOND;
/// The time after which jobs are given up that the rules are never ready for, while nothing else happens.
const GIVE_UP: Time = 30 * 24 * 3600 * SECOND;
/// The questions a job, on average over all that arrived, after which jobs are given up that the rules are never ready for.
pub const PATIENCE: u64 = 1_000;

/// The settings of a run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The clusters.
    pub capacity: Capacity,
    /// Galaxy's state besides its jobs; its time is that of the events.
    pub world: World,
    /// The interval at which jobs are asked for again that the rules were not ready for.
    pub ask_again: Time,
    /// The questions a job that may be in vain: [`PATIENCE`].
    pub patience: u64,
    /// The names that users get.
    pub naming: Naming,
    /// `true` if each job is logged, for a comparison with another run.
    pub logs: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            capacity: Capacity::default(),
            world: World::default(),
            ask_again: ASK_AGAIN,
            patience: PATIENCE,
            naming: Naming::default(),
            logs: false,
        }
    }
}

/// A step of the trace.
#[derive(Debug)]
pub enum Step<'a> {
    /// The mapper was asked for a job in this world.
    Asked {
        /// The number of its line.
        line: usize,
        /// The job.
        job: &'a Arc<Job>,
        /// The world.
        world: &'a World,
        /// The answer.
        routed: &'a Routed,
    },
    /// A row of the job table came, changed or went.
    Row {
        /// Its place in the table.
        place: usize,
        /// The id of its job.
        id: i64,
    },
    /// A job got its cores.
    Started {
        /// The number of its line.
        line: usize,
    },
    /// A job ended.
    Ended {
        /// The number of its line.
        line: usize,
        /// Its end.
        end: End,
        /// When it arrived.
        arrived: Time,
        /// The time that it waited.
        waited: Time,
    },
    /// All events of a moment were dealt with; the clusters are as these left them.
    Settled {
        /// The clusters.
        clusters: &'a [Cluster],
    },
}

/// Looks at each step of a run.
pub type Watch<'w> = &'w mut dyn FnMut(Time, Step<'_>);

/// An event. Of equal moments, events happen in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// A job's time is over.
    End(usize),
    /// All jobs of a cluster that end at this moment have ended: others start.
    Start(usize),
    /// A cluster opens.
    Open(usize),
    /// A job that has its cores begins to run.
    Run(usize),
    /// A job that failed is sent to another attempt.
    Again(usize),
    /// Galaxy's handler looks for jobs that wait to be mapped.
    Turn,
}

/// A job that has arrived and not ended. Many may wait, so that each keeps little.
struct Live {
    line: usize,
    /// The number of its arrival, from 1.
    number: u64,
    arrived: Time,
    /// The job, until its destination is known; then its `attempt` has it if it dies.
    job: Option<Arc<Job>>,
    who: Who,
    user: Option<i64>,
    past: Past,
    /// Its place in the job table.
    place: usize,
    id: i64,
    /// `true` if the mapper was asked.
    was_asked: bool,
    /// The destination that it was sent to last.
    destination: Option<Arc<str>>,
    cluster: Option<usize>,
    amount: Amount,
    /// The length of the attempt, and whether it then dies.
    runs: Time,
    dies: bool,
    /// Since when it waits; `None` while it runs.
    waits: Option<Time>,
    /// When it got its cores.
    holds: Time,
    /// When the attempt was queued, and when it began to run.
    queued: Time,
    ran: Time,
    /// The attempt, of a job that dies and whose destination has a `resubmit`.
    attempt: Option<Box<Attempt>>,
    /// The resubmission that is due.
    due: Option<Box<Resubmission>>,
    totals: JobTotals,
}

struct Engine<'a, R> {
    settings: &'a Settings,
    router: R,
    watch: Option<Watch<'a>>,
    now: Time,
    sequence: u64,
    events: BinaryHeap<Reverse<(Time, Event, u64)>>,
    world: Arc<World>,
    /// The recorder of what the mapper reads of the world.
    reads: Arc<Reads>,
    live: Vec<Option<Live>>,
    free: Vec<usize>,
    /// The ids of the jobs in the table.
    ids: std::collections::HashSet<i64>,
    greatest: i64,
    clusters: Vec<Cluster>,
    /// The clusters in which jobs have ended at this moment.
    ended_in: Vec<bool>,
    known: HashMap<Arc<str>, Option<usize>>,
    register: Register,
    /// Questions that were answered as before, for reasons that are not known.
    in_vain: u64,
    /// Jobs that the rules were not ready for.
    asking: Asking,
    turn: Option<Time>,
    idle: Time,
    /// When something other than asking happened last.
    active: Time,
    waiting: u64,
    running: u64,
    measure: Measure,
}

/// Lets time run until all jobs have ended.
pub fn run<'a, R: Router>(
    settings: &'a Settings,
    router: R,
    arrivals: &mut dyn Iterator<Item = Arrival>,
    watch: Option<Watch<'a>>,
) -> Measure {
    let mut arrivals = arrivals.peekable();
    let from = arrivals.peek().map_or(0, |arrival| arrival.at);
    let mut measure = Measure::new(from);
    measure.log = settings.logs.then(Log::default);
    measure.clusters = settings
        .capacity
        .clusters
        .iter()
        .map(|spec| ClusterSeries {
            name: spec.name.clone(),
            total: spec.total(),
            queue: Series::new(from),
            cores: Series::new(from),
            mem: Series::new(from),
            gpus: Series::new(from),
        })
        .collect();
    let greatest = settings.world.jobs.iter().map(|(_, row)| row.id).max().unwrap_or_default();
    let reads = Arc::<Reads>::default();
    let world = World { reads: router.records().then(|| reads.clone()), ..settings.world.clone() };
    let mut engine = Engine {
        settings,
        router,
        watch,
        now: from,
        sequence: 0,
        events: BinaryHeap::new(),
        world: Arc::new(world),
        reads,
        live: Vec::new(),
        free: Vec::new(),
        ids: settings.world.jobs.iter().map(|(_, row)| row.id).collect(),
        greatest,
        clusters: settings.capacity.clusters.iter().map(Cluster::new).collect(),
        ended_in: vec![false; settings.capacity.clusters.len()],
        register: Register::new(settings.naming),
        in_vain: 0,
        known: HashMap::new(),
        asking: Asking::default(),
        turn: None,
        idle: IDLE,
        active: from,
        waiting: 0,
        running: 0,
        measure,
    };
    for (index, spec) in settings.capacity.clusters.iter().enumerate() {
        for to in spec.closed.iter().filter_map(|(_, to)| *to).filter(|to| *to > from) {
            engine.event(to, Event::Open(index));
        }
    }
    let interrupt = Interrupt::present();
    while !interrupt.is_set() {
        let next_event = engine.events.peek().map(|Reverse((at, ..))| *at);
        let next_arrival = arrivals.peek().map(|arrival| arrival.at);
        match (next_event, next_arrival) {
            // What ends at the moment of an arrival ends before it.
            (Some(event), arrival) if arrival.is_none_or(|arrival| event <= arrival) => {
                let Some(Reverse((at, event, _))) = engine.events.pop() else { break };
                engine.happen(at, event, arrival.is_some());
            }
            (_, Some(_)) => {
                let Some(arrival) = arrivals.next() else { break };
                engine.arrive(arrival);
            }
            _ => break,
        }
        engine.settled();
    }
    engine.finish()
}

impl<R: Router> Engine<'_, R> {
    fn event(&mut self, at: Time, event: Event) {
        self.sequence += 1;
        self.events.push(Reverse((at, event, self.sequence)));
    }

    fn settled(&mut self) {
        if self.events.peek().is_some_and(|Reverse((at, ..))| *at == self.now) {
            return;
        }
        if let Some(watch) = &mut self.watch {
            watch(self.now, Step::Settled { clusters: &self.clusters });
        }
    }

    /// Tells the watch of a row that came, changed or went.
    fn row(&mut self, place: usize, id: i64) {
        if let Some(watch) = &mut self.watch {
            watch(self.now, Step::Row { place, id });
        }
    }

    fn happen(&mut self, at: Time, event: Event, more_arrive: bool) {
        match event {
            // A cluster that opens when all is over changes nothing.
            Event::Open(_) if !more_arrive && self.measure.arrived == self.measure.totals.all.jobs => {}
            Event::Open(cluster) | Event::Start(cluster) => {
                self.now = at;
                self.active = at;
                if let Some(has_ended) = self.ended_in.get_mut(cluster) {
                    *has_ended = false;
                }
                let started = self.clusters.get_mut(cluster).map(|cluster| cluster.start(at)).unwrap_or_default();
                self.begin(&started);
                self.note(cluster);
            }
            Event::End(job) => {
                self.now = at;
                self.active = at;
                self.end(job);
            }
            Event::Run(job) => {
                self.now = at;
                self.active = at;
                self.go(job);
            }
            Event::Again(job) => {
                self.now = at;
                self.active = at;
                self.again(job);
            }
            Event::Turn if self.turn == Some(at) => {
                self.now = at;
                self.turn = None;
                self.take_turn(more_arrive);
            }
            // An earlier turn came in its place.
            Event::Turn => {}
        }
    }

    fn world(&mut self) -> &mut World {
        Arc::make_mut(&mut self.world)
    }

    fn arrive(&mut self, arrival: Arrival) {
        self.now = arrival.at;
        self.active = arrival.at;
        self.measure.arrived += 1;
        let Arrival { at, line, mut job, past } = arrival;
        // Pools know jobs by their ids, so that no two may have the same.
        let mut id = job.job_id;
        if !self.ids.insert(id) {
            id = self.greatest.saturating_add(1);
            self.ids.insert(id);
            Arc::make_mut(&mut job).job_id = id;
        }
        self.greatest = self.greatest.max(id);
        if let Some(user) = &job.user
            && let Some(email) = user.email
            && !self.world.users.contains_key(&user.id)
        {
            let email = job.text(email).into();
            self.world().users.insert(user.id, email);
        }
        let row = JobRow {
            id,
            tool_id: Some(job.tool_id().into()),
            user_id: job.user.as_ref().map(|user| user.id),
            state: Some("new".into()),
            ..JobRow::default()
        };
        let place = self.world().jobs.push(row);
        self.row(place, id);
        let (who, user) = (self.register.who(&job), job.user.as_ref().map(|user| user.id));
        let number = self.measure.arrived;
        let live = Live {
            line,
            number,
            arrived: at,
            job: Some(job),
            who,
            user,
            past,
            place,
            id,
            was_asked: false,
            destination: None,
            cluster: None,
            amount: Amount::default(),
            runs: 0,
            dies: false,
            waits: Some(at),
            holds: at,
            queued: at,
            ran: at,
            attempt: None,
            due: None,
            totals: JobTotals::default(),
        };
        let index = match self.free.pop() {
            Some(index) => {
                if let Some(slot) = self.live.get_mut(index) {
                    *slot = Some(live);
                }
                index
            }
            None => {
                self.live.push(Some(live));
                self.live.len() - 1
            }
        };
        self.waiting += 1;
        self.measure.waiting.set(at, self.waiting);
        self.ask(number, index);
        self.changed();
    }

    fn job(&mut self, index: usize) -> Option<&mut Live> {
        self.live.get_mut(index).and_then(Option::as_mut)
    }

    /// Asks the mapper for a job.
    fn ask(&mut self, number: u64, index: usize) {
        let now = self.now;
        self.world().now = Some(now);
        self.measure.asked += 1;
        let Some(live) = self.live.get_mut(index).and_then(Option::as_mut) else { return };
        let line = live.line;
        let Some(job) = &mut live.job else { return };
        if live.was_asked {
            // Galaxy's chance is another one each time.
            let job = Arc::make_mut(job);
            job.seed = job.seed.take().map(|seed| seed + BigInt::from(1_u64 << 32));
        }
        live.was_asked = true;
        let job = job.clone();
        self.reads.take();
        let routed = self.router.route(&job, &self.world);
        let reads = self.reads.take();
        if let Some(watch) = &mut self.watch {
            watch(now, Step::Asked { line, job: &job, world: &self.world, routed: &routed });
        }
        drop(job);
        self.routed(number, index, routed, reads);
    }

    /// Does what an answer says that depended on these reads.
    fn routed(&mut self, number: u64, index: usize, routed: Routed, reads: Vec<Read>) {
        match routed {
            Routed::To(target) => self.send(index, target),
            Routed::NotReady => {
                let Some(live) = self.job(index) else { return };
                let is_again = std::mem::replace(&mut live.totals.not_ready, true);
                let reads = if self.router.records() { reads } else { vec![Read::Other] };
                if self.router.records() && reads.contains(&Read::Other) {
                    self.in_vain += u64::from(is_again);
                    if self.is_impatient() {
                        self.finish_job(index, End::Undecided);
                        return;
                    }
                }
                self.asking.insert((number, index), reads, &self.world.jobs);
            }
            Routed::Failed { kind, message } => {
                let text = if message.is_empty() { kind } else { format!("{kind}: {message}") };
                let job = self.live.get(index).and_then(Option::as_ref).and_then(|live| live.job.as_deref());
                let text = match job {
                    Some(job) => self.settings.naming.text(&text, job).into_owned(),
                    None => text,
                };
                self.measure.errors.add(&text, &Stats { jobs: 1, ..Stats::default() });
                self.finish_job(index, End::Unmapped);
            }
        }
    }

    /// Returns `true` once so many questions were in vain that no more are asked for their like.
    fn is_impatient(&self) -> bool {
        self.in_vain > self.settings.patience.saturating_mul(self.measure.arrived)
    }

    /// Gives up the jobs that wait for what is not known to change.
    fn stop_asking(&mut self) {
        for (_, index) in self.asking.take_that_depend_on_more() {
            self.finish_job(index, End::Undecided);
        }
    }

    /// Galaxy's handler takes a turn: it asks for the jobs that wait to be mapped. Those that would get the same answer as before are left out.
    fn take_turn(&mut self, more_arrive: bool) {
        self.asking.something_changed();
        let before = self.asking.len();
        let mut last = None;
        while let Some(turn) = self.asking.pop(last, &self.world.jobs) {
            last = Some(turn);
            self.ask(turn.0, turn.1);
        }
        if self.is_impatient() {
            self.stop_asking();
        }
        if self.asking.len() < before {
            self.active = self.now;
            self.changed();
        }
        // Time alone changes nothing for the others.
        if !self.asking.depends_on_more() {
            return;
        }
        let is_alone = !more_arrive && self.running == 0 && self.clusters.iter().all(|cluster| cluster.queued() == 0);
        if is_alone && self.now - self.active >= GIVE_UP {
            self.stop_asking();
            return;
        }
        self.idle = self.idle.saturating_mul(2).min(MOST_IDLE);
        self.want_turn(self.idle);
    }

    /// Something changed: jobs that may now have another answer are asked for at the handler's next turn.
    fn changed(&mut self) {
        self.asking.something_changed();
        if self.asking.is_stale() {
            self.idle = IDLE / 2;
            self.want_turn(self.settings.ask_again);
        }
    }

    /// Changes a job's row so that it may begin or cease to count as queued or running.
    fn change_row(&mut self, place: usize, change: impl FnOnce(&mut JobRow)) {
        self.world().jobs.change(place, change);
        if let Some(row) = self.world.jobs.get(place) {
            if let Some(watch) = &mut self.watch {
                watch(self.now, Step::Row { place, id: row.id });
            }
            self.asking.count_changed(row.tool_id.as_deref().unwrap_or_default(), row.user_id);
        }
    }

    /// Has the handler take a turn after at least this time, or at its next one after a shorter.
    fn want_turn(&mut self, after: Time) {
        let interval = self.settings.ask_again.max(1);
        let at = (self.now / interval + (after / interval).max(1)).saturating_mul(interval);
        if self.turn.is_none_or(|turn| at < turn) {
            self.turn = Some(at);
            self.event(at, Event::Turn);
        }
    }

    /// The shared text of a destination's id, and its cluster.
    fn destination(&mut self, id: &str) -> (Arc<str>, Option<usize>) {
        if let Some((id, cluster)) = self.known.get_key_value(id) {
            return (id.clone(), *cluster);
        }
        let (shared, cluster) = (Arc::<str>::from(id), self.settings.capacity.cluster_of(id));
        // A config can name a destination for each job.
        if self.known.len() < 10_000 {
            self.known.insert(shared.clone(), cluster);
        }
        (shared, cluster)
    }

    /// Sends a job to a destination.
    fn send(&mut self, index: usize, target: Target) {
        let (destination, cluster) = self.destination(&target.destination);
        let amount = Amount::of_job(target.cores, target.mem.unwrap_or_default(), target.gpus);
        let Some(live) = self.live.get_mut(index).and_then(Option::as_mut) else { return };
        (live.runs, live.dies) = attempt(&live.past, target.mem);
        live.cluster = cluster;
        live.amount = amount;
        live.queued = self.now;
        let shown = live.job.as_deref().map(|job| self.settings.naming.text(&destination, job));
        let shown = match shown {
            Some(Cow::Owned(shown)) => shown.into(),
            _ => destination.clone(),
        };
        live.destination = Some(shown.clone());
        let (place, holds) = (live.place, live.runs);
        let (cores, mem) = (parts(target.cores, 1000.0), parts(target.mem.unwrap_or_default(), 1024.0));
        // Only for a job that dies it matters what it is from now on.
        let job = live.job.take();
        if let (Some(answer), Some(job), true) = (target.answer, job, live.dies && live.attempt.is_none()) {
            let first = Attempt::first(job, answer);
            live.attempt = (!first.definitions().is_empty()).then(|| Box::new(first));
        }
        self.change_row(place, |row| {
            row.state = Some("queued".into());
            row.destination_id = Some(destination.as_ref().into());
            (row.cores, row.mem) = (cores, mem);
        });
        let Some((at, cluster)) = cluster.and_then(|at| Some((at, self.clusters.get_mut(at)?))) else {
            self.measure.without_cluster.add(&shown, &Stats { jobs: 1, ..Stats::default() });
            self.begin(&[Queued { job: index, amount, holds }]);
            return;
        };
        if !cluster.could_hold(&amount) {
            self.finish_job(index, End::TooLarge);
            return;
        }
        let holds = holds.saturating_add(cluster.spec().start_delay);
        let started = cluster.enqueue(Queued { job: index, amount, holds }, self.now);
        self.begin(&started);
        self.note(at);
    }

    /// Notes queue and use of a cluster.
    fn note(&mut self, cluster: usize) {
        let now = self.now;
        if let (Some(state), Some(series)) = (self.clusters.get(cluster), self.measure.clusters.get_mut(cluster)) {
            let used = state.used();
            series.queue.set(now, state.queued() as u64);
            series.cores.set(now, used.cores);
            series.mem.set(now, used.mem);
            series.gpus.set(now, used.gpus);
        }
    }

    /// Jobs that got their cores.
    fn begin(&mut self, started: &[Queued]) {
        for queued in started {
            let now = self.now;
            let Some(live) = self.live.get_mut(queued.job).and_then(Option::as_mut) else { continue };
            live.holds = now;
            let line = live.line;
            let delay = live.cluster.and_then(|at| self.clusters.get(at)).map_or(0, |at| at.spec().start_delay);
            if let Some(watch) = &mut self.watch {
                watch(now, Step::Started { line });
            }
            self.event(now.saturating_add(queued.holds), Event::End(queued.job));
            if delay > 0 {
                self.event(now.saturating_add(delay), Event::Run(queued.job));
            } else {
                self.go(queued.job);
            }
        }
    }

    /// A job begins to run.
    fn go(&mut self, index: usize) {
        let now = self.now;
        let Some(live) = self.live.get_mut(index).and_then(Option::as_mut) else { return };
        live.stop_waiting(now);
        live.ran = now;
        let (place, id) = (live.place, live.id);
        self.world().jobs.change(place, |row| row.state = Some("running".into()));
        self.row(place, id);
        self.asking.totals_changed();
        self.waiting = self.waiting.saturating_sub(1);
        self.running += 1;
        self.measure.waiting.set(now, self.waiting);
        self.measure.running.set(now, self.running);
        self.changed();
    }

    /// An attempt's time is over.
    fn end(&mut self, index: usize) {
        let now = self.now;
        let Some(live) = self.live.get_mut(index).and_then(Option::as_mut) else { return };
        live.add_held(now);
        let (cluster, dies) = (live.cluster, live.dies);
        self.running = self.running.saturating_sub(1);
        self.measure.running.set(now, self.running);
        // The job is gone from the table before others start.
        if !dies {
            self.finish_job(index, End::Done);
        } else if !self.resubmit(index) {
            self.finish_job(index, End::OutOfMemory);
        }
        if let Some(at) = cluster
            && let Some(cluster) = self.clusters.get_mut(at)
        {
            cluster.release(index, now);
            if self.ended_in.get_mut(at).is_some_and(|has_ended| !std::mem::replace(has_ended, true)) {
                self.event(now, Event::Start(at));
            }
        }
    }

    /// Has a job whose attempt died run again if its destination's `resubmit` says so; false if the job fails.
    fn resubmit(&mut self, index: usize) -> bool {
        let now = self.now;
        let Some(live) = self.live.get_mut(index).and_then(Option::as_mut) else { return false };
        let Some(attempt) = live.attempt.as_deref().filter(|attempt| attempt.number < MAX_ATTEMPTS) else {
            return false;
        };
        let failure = Failure {
            state: RunnerState::MemoryLimitReached,
            attempt: attempt.number,
            seconds_running: Some(seconds(now - live.ran)),
            seconds_since_queued: Some(seconds(now - live.queued)),
        };
        let Some(resubmission) = self.router.resubmission(attempt, &failure) else { return false };
        let delay = delay_seconds(&resubmission.carried(&Json::Null, &Json::Null));
        if !delay.is_finite() {
            return false;
        }
        live.due = Some(Box::new(resubmission));
        live.waits = Some(now);
        live.totals.resubmitted += 1;
        let place = live.place;
        self.change_row(place, |row| row.state = Some("resubmitted".into()));
        self.waiting += 1;
        self.measure.waiting.set(now, self.waiting);
        self.event(now.saturating_add(time(delay)), Event::Again(index));
        self.changed();
        true
    }

    /// Maps a job for its next attempt, as the dispatcher does, or sends it where it was.
    fn again(&mut self, index: usize) {
        let now = self.now;
        self.world().now = Some(now);
        let Some(live) = self.live.get_mut(index).and_then(Option::as_mut) else { return };
        let (Some(attempt), Some(due)) = (live.attempt.take(), live.due.take()) else { return };
        let (router, world) = (&mut self.router, &self.world);
        self.reads.take();
        let next = attempt.after(*due, |job| router.again(job, world).unwrap_or_else(|| attempt.answer.clone()));
        let reads = self.reads.take();
        self.measure.asked += 1;
        live.job = Some(next.job.clone());
        let routed = Routed::of(next.answer.clone());
        if let Some(watch) = &mut self.watch {
            watch(now, Step::Asked { line: live.line, job: &next.job, world: &self.world, routed: &routed });
        }
        live.attempt = Some(Box::new(next));
        let user = live.user;
        let number = u64::MAX / 2 + index as u64;
        // Its pools let go of what the last attempt had, whatever they say now.
        if let Some(user) = user {
            self.asking.pools_changed(user);
        }
        self.routed(number, index, routed, reads);
        self.changed();
    }

    /// Takes a job that has ended out of the table and of its pools, and counts it.
    fn finish_job(&mut self, index: usize, end: End) {
        let now = self.now;
        let Some(mut live) = self.live.get_mut(index).and_then(Option::take) else { return };
        self.free.push(index);
        if live.waits.is_some() {
            live.stop_waiting(now);
            self.waiting = self.waiting.saturating_sub(1);
            self.measure.waiting.set(now, self.waiting);
        }
        let row = self.world().jobs.remove(live.place).unwrap_or_default();
        self.row(live.place, live.id);
        self.ids.remove(&live.id);
        self.router.ended(row.user_id, live.id);
        self.asking.count_changed(row.tool_id.as_deref().unwrap_or_default(), row.user_id);
        if let Some(user) = row.user_id {
            self.asking.pools_changed(user);
        }
        let waited = live.totals.waited;
        let destination = live.destination.as_deref().unwrap_or("(none)");
        if let Some(recorded) = live.past.waited.filter(|_| end == End::Done) {
            self.measure.compared.add(destination, &Compared::of(recorded, waited));
        }
        let names = self.register.names(live.who, destination);
        self.measure.totals.add(&names, &Stats::of(&live.totals, end));
        if let Some(log) = &mut self.measure.log {
            log.add(live.number, live.who, destination, end, live.totals, &mut self.register);
        }
        if let Some(watch) = &mut self.watch {
            watch(now, Step::Ended { line: live.line, end, arrived: live.arrived, waited });
        }
        self.changed();
    }

    /// The jobs that can no more start are lost; what was measured.
    fn finish(mut self) -> Measure {
        for index in 0..self.live.len() {
            self.finish_job(index, End::Lost);
        }
        let now = self.now;
        let measure = &mut self.measure;
        if let Some(log) = &mut measure.log {
            log.close(std::mem::take(&mut self.register));
        }
        measure.to = now;
        measure.waiting.pass(now);
        measure.running.pass(now);
        for cluster in &mut measure.clusters {
            for series in [&mut cluster.queue, &mut cluster.cores, &mut cluster.mem, &mut cluster.gpus] {
                series.pass(now);
            }
        }
        self.measure
    }
}

impl Live {
    fn stop_waiting(&mut self, now: Time) {
        let Some(since) = self.waits.take() else { return };
        self.totals.waited = self.totals.waited.saturating_add(now.saturating_sub(since).max(0));
    }

    /// Adds what the attempt that ends now held and wasted.
    fn add_held(&mut self, now: Time) {
        let held = now.saturating_sub(self.holds).max(0);
        let over = |amount: u64| {
            let product = u128::from(amount) * u128::from(held.unsigned_abs()) / u128::from(SECOND.unsigned_abs());
            u64::try_from(product).unwrap_or(u64::MAX)
        };
        let add = |sum: &mut u64, more: u64| *sum = sum.saturating_add(more);
        let (cores, mem, gpus) = (over(self.amount.cores), over(self.amount.mem), over(self.amount.gpus));
        let totals = &mut self.totals;
        add(&mut totals.cores, cores);
        add(&mut totals.mem, mem);
        add(&mut totals.gpus, gpus);
        if self.dies {
            totals.deaths += 1;
            add(&mut totals.cores_wasted, cores);
            add(&mut totals.mem_wasted, mem);
            add(&mut totals.gpus_wasted, gpus);
            return;
        }
        if let Some(busy) = self.past.cpu_seconds {
            add(&mut totals.cores_wasted, cores.saturating_sub(crate::amount::whole(busy, 1000.0)));
        }
        if let Some(needs) = self.past.needs.filter(|_| !self.past.needs_more) {
            let unused = over(self.amount.mem.saturating_sub(crate::amount::whole(needs, 1024.0)));
            add(&mut totals.mem_wasted, unused);
        }
    }
}

/// The time that an attempt with this memory in GiB runs, and `true` if it then dies. Memory is taken to grow evenly: an attempt with half of what
/// the job needs dies after half of its time.
fn attempt(past: &Past, mem: Option<f64>) -> (Time, bool) {
    match (mem.filter(|mem| *mem > 0.0), past.needs) {
        (Some(mem), Some(needs)) if mem < needs => (time(seconds(past.runs) * mem / needs), true),
        // Its memory was short in the history, too, so that its whole time is not known.
        (Some(mem), Some(needs)) if past.needs_more && mem <= needs => (past.runs, true),
        _ => (past.runs, false),
    }
}
