//! The time that a block may run in CPython: `tpvc_time_limit`.
//!
//! Galaxy maps jobs in a thread that is not Python's main one, where no signal arrives. A thread of this module waits for the
//! deadlines and then has CPython raise an exception in the thread that runs the block (`PyThreadState_SetAsyncExc`). Code can catch it
//! only by `except BaseException`, or `except:`. A block that still runs after a time to clean up gets [another one](insisting), which
//! comes again wherever it is caught: no loop can catch what is raised where it jumps back, so that every loop is left. CPython raises
//! these exceptions between two instructions of Python code, so that a call of C code ends first.

use std::cell::Cell;
use std::ffi::c_long;
use std::ptr;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use pyo3::exceptions::{PyBaseException, PyTimeoutError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyType};
use pyo3::{PyTypeInfo, ffi};

pyo3::create_exception!(
    tpvc,
    TimeLimitReached,
    PyBaseException,
    "Ends a block that has run for longer than `tpvc_time_limit`. Outside of the block it is a `TimeoutError`."
);

/// The time that a block has to clean up after the first exception.
const CLEANING: Duration = Duration::from_secs(1);
/// The time between two exceptions after that.
const AGAIN: Duration = Duration::from_millis(50);

thread_local! {
    /// The seconds that a block of the job that this thread maps may run.
    static SECONDS: Cell<Option<f64>> = const { Cell::new(None) };
    /// This thread, as Python numbers it; 0 before it ran a block with a limit.
    static THREAD: Cell<c_long> = const { Cell::new(0) };
}

/// Puts back the limit of before when it is dropped.
pub struct Set(Option<f64>);

impl Drop for Set {
    fn drop(&mut self) {
        SECONDS.set(self.0);
    }
}

/// Sets the limit in seconds for the blocks that this thread runs, as long as the result lives.
pub fn set(seconds: Option<f64>) -> Set {
    Set(SECONDS.replace(seconds))
}

/// A block that runs.
struct Running {
    id: u64,
    /// The thread, as Python numbers it.
    thread: c_long,
    /// The time of the next exception.
    due: Instant,
    was_raised: bool,
}

#[derive(Default)]
struct Watched {
    blocks: Vec<Running>,
    next_id: u64,
    has_thread: bool,
}

/// State shared by the threads of a process.
#[derive(Default)]
struct Watch {
    watched: Mutex<Watched>,
    changed: Condvar,
}

impl Watch {
    fn lock(&self) -> MutexGuard<'_, Watched> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The watch of a process, which has no threads of the process that it was forked from.
fn watch() -> Arc<Watch> {
    static WATCH: Mutex<Option<(u32, Arc<Watch>)>> = Mutex::new(None);
    let mut watch = WATCH.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    match &*watch {
        Some((of, known)) if *of == process => known.clone(),
        _ => watch.insert((process, Arc::default())).1.clone(),
    }
}

/// A block under the limit.
pub struct Limited {
    watch: Arc<Watch>,
    id: u64,
    seconds: f64,
}

impl Limited {
    /// Starts the time of a block, if there is a limit.
    ///
    /// # Errors
    /// `OSError` where the system has no further thread, and what Python raises when it is asked for this one.
    pub fn start(py: Python<'_>) -> PyResult<Option<Self>> {
        let Some(seconds) = SECONDS.get() else { return Ok(None) };
        let thread: u64 = py.import("threading")?.call_method0("get_ident")?.extract()?;
        let thread = thread.cast_signed() as c_long;
        THREAD.set(thread);
        let watch = watch();
        let mut watched = watch.lock();
        if !watched.has_thread {
            let waits = watch.clone();
            thread::Builder::new().name("tpvc time limit".to_owned()).spawn(move || wait(&waits))?;
            watched.has_thread = true;
        }
        watched.next_id += 1;
        let id = watched.next_id;
        let limit = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
        // A century is as good as no limit.
        let due = Instant::now();
        let due = due.checked_add(limit).unwrap_or_else(|| due + Duration::from_secs(100 * 365 * 86400));
        watched.blocks.push(Running { id, thread, due, was_raised: false });
        drop(watched);
        watch.changed.notify_one();
        Ok(Some(Self { watch, id, seconds }))
    }

    /// Ends the time of a block: its result, or `TimeoutError` if it ran for too long.
    ///
    /// # Errors
    /// Returns the block's exception, or `TimeoutError`.
    pub fn end<R>(self, py: Python<'_>, result: PyResult<R>, name: &str) -> PyResult<R> {
        if !self.leave() {
            return result;
        }
        let message = format!(
            "{name} has run in CPython for more than {} s, which `tpvc_time_limit` does not allow, and was ended",
            self.seconds
        );
        let error = PyTimeoutError::new_err(message);
        let interrupted = result.err().filter(|error| error.is_instance_of::<TimeLimitReached>(py));
        error.set_traceback(py, interrupted.and_then(|interrupted| interrupted.traceback(py)));
        Err(error)
    }

    /// Takes the block off the watch. Returns `true` if its time was over.
    fn leave(&self) -> bool {
        let mut watched = self.watch.lock();
        let Some(index) = watched.blocks.iter().position(|block| block.id == self.id) else { return false };
        let block = watched.blocks.swap_remove(index);
        if block.was_raised {
            // What CPython has not raised yet is no longer for this block.
            raise_in(block.thread, ptr::null_mut());
        }
        block.was_raised
    }
}

impl Drop for Limited {
    fn drop(&mut self) {
        self.leave();
    }
}

/// [`TimeLimitReached`]
fn reached(py: Python<'_>) -> *mut ffi::PyObject {
    TimeLimitReached::type_object_raw(py).cast()
}

/// A [`TimeLimitReached`] that has CPython raise the next one when it is made: that is when code catches it, or when it is raised.
fn insisting(py: Python<'_>) -> *mut ffi::PyObject {
    static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let class = CLASS.get_or_try_init(py, || {
        let attributes = PyDict::new(py);
        attributes.set_item("__module__", "tpvc")?;
        // Not Python code, which would be interrupted.
        attributes.set_item("__init__", wrap_pyfunction!(raise_again, py)?)?;
        let base = TimeLimitReached::type_object(py);
        Ok::<_, PyErr>(py.get_type::<PyType>().call1(("TimeLimitReached", (base,), attributes))?.unbind())
    });
    class.map_or_else(|_| reached(py), |class| class.as_ptr())
}

/// Has CPython raise the exception again in this thread, if its block still runs.
#[pyfunction]
fn raise_again(py: Python<'_>) {
    let watch = watch();
    let watched = watch.lock();
    let own = THREAD.get();
    if let Some(block) = watched.blocks.iter().find(|block| block.thread == own && block.was_raised) {
        raise_in(block.thread, insisting(py));
    }
}

/// Has CPython raise an exception in a thread, or forget the one that it has not raised yet. The caller is attached to Python.
fn raise_in(thread: c_long, class: *mut ffi::PyObject) {
    // SAFETY: the caller is attached to Python, and the class, where there is one, lives as long as the process.
    #[expect(unsafe_code, reason = "PyO3 has no safe function for it")]
    unsafe {
        ffi::PyThreadState_SetAsyncExc(thread, class);
    }
}

/// Waits for deadlines, as long as the process lives.
fn wait(watch: &Watch) {
    loop {
        let watched = watch.lock();
        let next = watched.blocks.iter().map(|block| block.due).min();
        let left = next.map(|due| due.saturating_duration_since(Instant::now()));
        match left {
            None => drop(watch.changed.wait(watched)),
            Some(left) if !left.is_zero() => drop(watch.changed.wait_timeout(watched, left)),
            Some(_) => {
                // Python first, then the lock, as the threads that run blocks do.
                drop(watched);
                let attached = Python::try_attach(|py| {
                    let mut watched = watch.lock();
                    let now = Instant::now();
                    for block in watched.blocks.iter_mut().filter(|block| block.due <= now) {
                        let insists = block.was_raised;
                        block.was_raised = true;
                        block.due = now + if insists { AGAIN } else { CLEANING };
                        raise_in(block.thread, if insists { insisting(py) } else { reached(py) });
                    }
                });
                if attached.is_none() {
                    // Python ends.
                    return;
                }
            }
        }
    }
}
