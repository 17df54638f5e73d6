//! The mapper: from a job to its destination.
//!
//! One file an operation, under TPV's own names: [`lookup`], [`inherit`] (and combine), [`evaluate`], [`matching`],
//! [`rank`], [`map_to_destination`]. [`tags`] is the algebra of scheduling tags, [`objects`] what code sees of all this, [`explain`]
//! what watches it. [`cache`] is what a thread keeps of earlier jobs.
//!
//! A [`Mapper`] is shared by threads; each has its own [`worker`] with a Python machine and the values it made of the
//! artifact.

mod cache;
mod code;
mod context;
pub mod cpython;
mod current_entity;
mod data;
mod derive;
mod early;
pub mod entity;
mod environment;
mod evaluate;
pub mod explain;
mod heap_size;
mod helpers;
mod hooks;
mod host_job;
mod inherit;
mod interpreters;
pub mod inventory;
mod job_source;
mod layers;
pub mod live;
mod lookup;
mod map_to_destination;
mod mapped;
mod matching;
mod modules;
pub mod objects;
pub mod places;
mod pool;
pub mod pool_step;
mod pools;
mod properties;
mod property_text;
mod provided;
mod rank;
mod rows;
mod rule_map;
mod slots;
mod store;
pub mod tags;
pub mod trace;
mod worker;

use std::cell::RefCell;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use crate::artifact::Rules;
use crate::pools::memory::InMemoryAllocationStore;
use tpv_galaxy::answer::Answer;
use tpv_galaxy::job::Job;
use tpv_galaxy::reads::Read;
use tpv_galaxy::world::World;
use tpv_jit::Native;
use tpv_python::exception::PyResult;
use tpv_python::vm::Vm;

pub use cpython::Cpython;
pub use environment::may_be_pure;
use explain::{Observer, Unobserved};
pub(crate) use hooks::compile_by;
pub use hooks::{Compile, Hooks, Log};
pub use host_job::HostJob;
pub use mapped::Mapped;
pub use modules::{find_module, modules};
pub use slots::COMPUTED_NAMES;
use worker::Worker;

/// Maps jobs by the rules of one artifact. Cheap to clone; made to be shared by threads.
///
/// ```
/// use std::sync::Arc;
/// use tpv_runtime::{Job, Mapper, Rules, World};
///
/// let mapper = Mapper::new(Rules::load(&std::fs::read("tests/rules.bin")?)?);
/// let world = Arc::new(World::default());
/// let jobs = [r#"{"tool": {"id": "bwa_mem"}}"#, r#"{"tool": {"id": "fastqc"}}"#];
/// std::thread::scope(|scope| {
///     for line in jobs {
///         scope.spawn(|| mapper.map(&Arc::new(Job::parse(line).unwrap()), &world).line());
///     }
/// });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Mapper {
    inner: Arc<Inner>,
}

struct Inner {
    rules: Arc<Rules>,
    /// Machine code for the kernels of the rules, which all threads share.
    native: Option<Native>,
    hooks: Hooks,
    detail: bool,
}

/// `true` once [`Mapper::process_goes_on`] was called.
static GOES_ON: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// The workers of this thread, with the mappers they belong to. Boxed, since each job takes one out and puts it back.
    static WORKERS: RefCell<Vec<(Weak<Inner>, Box<Worker>)>> = const { RefCell::new(Vec::new()) };
}

impl fmt::Debug for Mapper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mapper").finish_non_exhaustive()
    }
}

impl Mapper {
    /// A mapper by these rules.
    ///
    /// ```
    /// # use tpv_runtime::{Mapper, Rules};
    /// let mapper = Mapper::new(Rules::load(&std::fs::read("tests/rules.bin")?)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(rules: impl Into<Arc<Rules>>) -> Self {
        Self::with_hooks(rules.into(), Hooks::default(), false)
    }

    /// A mapper with a compiler and a log; `detail` adds the candidates to every answer.
    pub fn with_hooks(rules: Arc<Rules>, mut hooks: Hooks, detail: bool) -> Self {
        if !rules.tables().pools.is_empty() {
            hooks.pool_store.get_or_insert_with(|| Arc::new(InMemoryAllocationStore::default()));
        }
        let native = Native::new(rules.program(), hooks.jit);
        Self { inner: Arc::new(Inner { rules, native, hooks, detail }) }
    }

    /// The rules.
    ///
    /// ```
    /// # use tpv_runtime::{Mapper, Rules};
    /// let bytes = std::fs::read("tests/rules.bin")?;
    /// let mapper = Mapper::new(Rules::load(&bytes)?);
    /// assert_eq!(mapper.rules().to_bytes()?, bytes);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn rules(&self) -> &Arc<Rules> {
        &self.inner.rules
    }

    /// Returns `true` if a job's answer depends on the jobs mapped before it, because resource pools admit them.
    pub fn depends_on_order(&self) -> bool {
        !self.inner.rules.tables().pools.is_empty()
    }

    /// The number of pieces of machine code that there are.
    pub fn compiled_kernels(&self) -> usize {
        self.inner.native.as_ref().map_or(0, |native| native.jit.compiled())
    }

    /// Maps a job in a world. Every outcome is an answer: a destination, or the error that TPV would raise.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use tpv_runtime::{Job, Mapper, Rules, World};
    /// let mapper = Mapper::new(Rules::load(&std::fs::read("tests/rules.bin")?)?);
    /// let job = Job::parse(r#"{"id": 7, "tool": {"id": "bwa_mem"}, "user": {"email": "jo@example.org"}}"#)?;
    /// let answer = mapper.map(&Arc::new(job), &Arc::new(World::default()));
    /// assert_eq!(answer.destination_id().as_deref(), Some("normal"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn map(&self, job: &Arc<Job>, world: &Arc<World>) -> Answer {
        self.map_observed(job, world, &mut Unobserved)
    }

    /// Maps a line of a job file with its number, from 1. A line that is not a job has an answer, too, which says why.
    pub fn map_line(&self, number: usize, line: &[u8], world: &Arc<World>) -> (Option<Arc<Job>>, Answer) {
        self.map_read(number, Job::from_line(line), world)
    }

    /// Maps a line as [`Mapper::map_line`] does. `None` if its job belongs to another dispatcher.
    pub fn map_line_of(
        &self,
        dispatcher: &str,
        number: usize,
        line: &[u8],
        world: &Arc<World>,
    ) -> Option<(Option<Arc<Job>>, Answer)> {
        let job = Job::from_line(line);
        let is_other = job.as_ref().is_ok_and(|job| job.is_of_another(dispatcher));
        (!is_other).then(|| self.map_read(number, job, world))
    }

    fn map_read(
        &self,
        number: usize,
        job: Result<Job, tpv_galaxy::Error>,
        world: &Arc<World>,
    ) -> (Option<Arc<Job>>, Answer) {
        match job {
            Ok(job) => {
                let job = Arc::new(job);
                let answer = self.map(&job, world);
                (Some(job), answer)
            }
            Err(error) => (None, Answer::invalid(number, &error)),
        }
    }

    /// Maps a job and tells an observer every step of it.
    pub fn map_observed(&self, job: &Arc<Job>, world: &Arc<World>, observer: &mut dyn Observer) -> Answer {
        let (owner, mut worker) = self.take_worker();
        worker.set_world(world);
        let answer = worker.map(job, self.inner.detail, observer);
        if let Some(cpython) = &self.inner.hooks.cpython {
            cpython.end_job();
        }
        self.put_back(owner, worker);
        answer
    }

    /// Maps a job as [`Mapper::map`] does and keeps nothing of the world, so that it can change in place before the next job:
    /// [`Arc::make_mut`] copies nothing if this was its only user.
    pub fn map_moment(&self, job: &Arc<Job>, world: &Arc<World>) -> Answer {
        let (owner, mut worker) = self.take_worker();
        worker.set_world(world);
        let answer = worker.map(job, self.inner.detail, &mut Unobserved);
        if let Some(cpython) = &self.inner.hooks.cpython {
            cpython.end_job();
        }
        // CPython may have asked anything.
        if self.inner.hooks.cpython.is_some() || worker.vm.random.is_drawn() {
            world.note(|| Read::Other);
        }
        worker.forget_world();
        self.put_back(owner, worker);
        answer
    }

    /// Maps a job whose objects the host gives: `start` makes them, `finish` takes where the job goes, or what was raised. Values
    /// live in between only. `start` is called again where the job is mapped once more.
    pub fn map_objects<R>(
        &self,
        mut start: impl FnMut(&mut Vm) -> PyResult<HostJob>,
        observer: &mut dyn Observer,
        finish: impl FnOnce(&mut Vm, PyResult<&Mapped>) -> R,
    ) -> R {
        let (owner, mut worker) = self.take_worker();
        let mapped = worker.map_objects(&mut start, observer);
        // What is done with the result has a budget of its own.
        worker.vm.renew();
        let result = finish(&mut worker.vm, mapped.as_ref().map_err(Clone::clone));
        drop(mapped);
        worker.forget_job();
        self.put_back(owner, worker);
        result
    }

    /// Keeps a worker for the next job of this thread.
    fn put_back(&self, owner: Weak<Inner>, mut worker: Box<Worker>) {
        if worker.is_full() {
            // Breaks cycles of references before the worker is dropped.
            worker.vm.reset();
            *worker = self.new_worker();
        }
        WORKERS.with_borrow_mut(|workers| workers.push((owner, worker)));
    }

    /// Leaves what this thread keeps to the system, which frees it faster: for a process that is about to end, unless [`Self::process_goes_on`].
    pub fn leave_to_system() {
        let workers = WORKERS.with_borrow_mut(std::mem::take);
        Self::leave(workers);
    }

    /// Leaves a value to the system in the same way.
    pub fn leave<T>(value: T) {
        if GOES_ON.load(Ordering::Relaxed) {
            drop(value);
        } else {
            std::mem::forget(value);
        }
    }

    /// Has everything freed from now on, because this process does not end with its run.
    pub fn process_goes_on() {
        GOES_ON.store(true, Ordering::Relaxed);
    }

    /// This thread's worker for this mapper, with the mapper. It is taken out while it works, so that an observer may map too.
    /// Threads contend for the weak count, so that the `Weak` is moved, not cloned.
    fn take_worker(&self) -> (Weak<Inner>, Box<Worker>) {
        let found = WORKERS.with_borrow_mut(|workers| {
            workers.retain(|(owner, _)| owner.strong_count() > 0);
            let index = workers.iter().position(|(owner, _)| std::ptr::eq(owner.as_ptr(), Arc::as_ptr(&self.inner)))?;
            Some(workers.swap_remove(index))
        });
        found.unwrap_or_else(|| (Arc::downgrade(&self.inner), Box::new(self.new_worker())))
    }

    fn new_worker(&self) -> Worker {
        Worker::new(self.inner.rules.clone(), self.inner.native.as_ref(), &self.inner.hooks)
    }
}
