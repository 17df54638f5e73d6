//! Mapping: jobs of the job file's form, and Galaxy's.

use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use num_bigint::BigInt;
use pyo3::exceptions::{PyOSError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;
use tpv_analysis::job_file::JobFile;
use tpv_galaxy::world::World;
use tpv_jit::Mode;
use tpv_maps::clock::at_this_moment;
use tpv_runtime::mapper::{Hooks, Mapper};
use tpv_runtime::pools::AllocationStore;
use tpv_runtime::pools::memory::InMemoryAllocationStore;
use tpv_runtime::stream::{self, Work};
use tpv_runtime::{InputError, Job};
use tpvc::cli::temporary;

use crate::block::Blocks;
use crate::pools::{JobTable, PythonStore};
use crate::rules::{PyRules, cannot_read, cannot_write, read};
use crate::session::Session;
use crate::{galaxy, log, time_limit};

/// Maps jobs by compiled rules. May be used by several threads at once.
#[pyclass(name = "Mapper", module = "tpvc", frozen)]
pub struct PyMapper {
    rules: Py<PyRules>,
    hooks: Hooks,
    seed: Option<BigInt>,
    /// The store that admits Galaxy's jobs to resource pools, or `None` if the rules define no pools.
    pool_store: Option<Arc<dyn AllocationStore>>,
    /// Made when they are first used: for jobs of the job file's form, without and with the candidates, and for live objects.
    plain: OnceLock<Mapper>,
    detailed: OnceLock<Mapper>,
    live: OnceLock<Mapper>,
}

impl PyMapper {
    fn for_files(&self, detail: bool) -> &Mapper {
        let place = if detail { &self.detailed } else { &self.plain };
        place.get_or_init(|| self.made(detail, false))
    }

    fn for_galaxy(&self) -> &Mapper {
        self.live.get_or_init(|| self.made(false, true))
    }

    fn made(&self, detail: bool, is_live: bool) -> Mapper {
        let mut hooks = Hooks { cpython: Some(Arc::new(Blocks::new(is_live))), ..self.hooks.clone() };
        if is_live {
            hooks.pool_store = self.pool_store.clone();
        }
        Mapper::with_hooks(self.rules.get().rules.clone(), hooks, detail)
    }
}

/// The seed of the random half of all blocks that `TPVC_FORCE_CPYTHON` sends to CPython, for tests.
///
/// # Errors
/// `ValueError` if it isn't a number.
pub fn forced() -> PyResult<Option<u64>> {
    match std::env::var("TPVC_FORCE_CPYTHON") {
        Ok(text) if !text.is_empty() => match text.parse() {
            Ok(seed) => Ok(Some(seed)),
            Err(_) => Err(PyValueError::new_err(format!("`TPVC_FORCE_CPYTHON` is a whole number, not `{text}`"))),
        },
        _ => Ok(None),
    }
}

#[pymethods]
impl PyMapper {
    /// A mapper. `jit` tells when numeric code becomes machine code: `off`, `lazy` or `eager`. `seed` is the state of `random` before each
    /// job that brings none; without it jobs of Galaxy get entropy. `pool_store` admits jobs of Galaxy to resource pools, as the stores of
    /// `tpvc.core.resource_pool` do; without it, and for jobs of a file, the allocations are kept in the mapper.
    #[new]
    #[pyo3(signature = (rules, *, jit = "lazy", seed = None, pool_store = None))]
    fn new(
        rules: Bound<'_, PyRules>,
        jit: &str,
        seed: Option<BigInt>,
        pool_store: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let jit = match jit {
            "off" => Mode::Off,
            "lazy" => Mode::Lazy,
            "eager" => Mode::Eager,
            _ => return Err(PyValueError::new_err("`jit` is `off`, `lazy` or `eager`")),
        };
        let hooks = Hooks {
            compile: Some(Arc::new(tpv_compiler::python::run_time::compile)),
            jit,
            log: Some(log::log()),
            log_level: Some(log::level(rules.py())?),
            force_cpython: forced()?,
            // One store for all that the mapper does with files.
            pool_store: Some(Arc::new(InMemoryAllocationStore::default())),
            finished_jobs: Some(Arc::new(JobTable)),
            ..Hooks::default()
        };
        let (plain, detailed, live) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        let pool_store = pool_store.map(|store| Arc::new(PythonStore(store)) as Arc<dyn AllocationStore>);
        Ok(Self { rules: rules.unbind(), hooks, seed, pool_store, plain, detailed, live })
    }

    /// Maps a job of Galaxy by its live objects. The result is Galaxy's `JobDestination`.
    ///
    /// `explain` is called with the explanation as a JSON text, and `decide` with the [`PyDecision`](crate::decision::PyDecision), however the mapping
    /// ends. `seed` is the state of `random` before the
    /// job, for code that CPython runs, too. `time_limit` is the number of seconds that a block may run in CPython; without it, as long
    /// as it takes.
    ///
    /// Raises what TPV raises: `JobMappingException`, `JobNotReadyException`, and what rules raise; `TimeoutError` for a block that runs
    /// longer than the limit.
    #[pyo3(signature = (
        app, tool, user, job, job_wrapper = None, resource_params = None, workflow_invocation_uuid = None, *, explain = None,
        decide = None, seed = None, time_limit = None
    ))]
    #[expect(clippy::too_many_arguments, reason = "they are the parameters of TPV's `map_to_destination`")]
    fn map_galaxy<'py>(
        &self,
        py: Python<'py>,
        app: &Bound<'py, PyAny>,
        tool: &Bound<'py, PyAny>,
        user: &Bound<'py, PyAny>,
        job: &Bound<'py, PyAny>,
        job_wrapper: Option<&Bound<'py, PyAny>>,
        resource_params: Option<&Bound<'py, PyAny>>,
        workflow_invocation_uuid: Option<&Bound<'py, PyAny>>,
        explain: Option<&Bound<'py, PyAny>>,
        decide: Option<&Bound<'py, PyAny>>,
        seed: Option<BigInt>,
        time_limit: Option<f64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let _limit = time_limit::set(time_limit);
        let call = galaxy::Call { app, tool, user, job, job_wrapper, resource_params, workflow_invocation_uuid };
        // A state that is given is that of all code of the job, CPython's too.
        let _session = if seed.is_some() { Session::start_lending() } else { Session::start() };
        let seed = seed.or_else(|| self.seed.clone()).unwrap_or_else(entropy);
        galaxy::map(py, self.for_galaxy(), &call, seed, galaxy::Readers { explain, decide })
    }

    /// The rules.
    #[getter]
    fn rules(&self, py: Python<'_>) -> Py<PyRules> {
        self.rules.clone_ref(py)
    }

    /// Maps a job, given as the object of a line of a job file or as its text, in a world, given as the object of a world file.
    /// The result is the object of a line of an answer file, as a `tpvc.Answer`: a destination, or the error that TPV raises.
    ///
    /// Raises `ValueError` if it is not a job or not a world.
    #[pyo3(signature = (job, world = None, *, detail = false))]
    fn map<'py>(
        &self,
        py: Python<'py>,
        job: &Bound<'py, PyAny>,
        world: Option<&Bound<'py, PyAny>>,
        detail: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut job = Job::parse(&json_text(job)?).map_err(not_a("job"))?;
        let world = world.map(json_text).transpose()?;
        let world = world.as_deref().map_or_else(|| Ok(World::default()), World::parse).map_err(not_a("world"))?;
        job.seed = job.seed.or_else(|| self.seed.clone());
        let (job, world) = (Arc::new(job), Arc::new(at_this_moment(world)));
        let mapper = self.for_files(detail);
        let line = py.detach(|| {
            let _session = Session::start();
            mapper.map(&job, &world).line()
        });
        let answer = py.import("json")?.call_method1("loads", (line,))?;
        py.import("tpvc.answers")?.call_method1("Answer", (answer,))
    }

    /// Maps a job file to an answer file, on several threads, all cores if `threads` does not tell. Gives the number of jobs.
    ///
    /// The answer file appears whole or not at all. Raises `OSError` if a file cannot be read or written, and `ValueError` if the
    /// world is not one. A line that is no job gets an answer of the type `InvalidJob`.
    #[pyo3(signature = (jobs, output, world = None, threads = None, *, detail = false))]
    fn map_file(
        &self,
        py: Python<'_>,
        jobs: PathBuf,
        output: PathBuf,
        world: Option<PathBuf>,
        threads: Option<usize>,
        detail: bool,
    ) -> PyResult<u64> {
        if threads == Some(0) {
            return Err(PyValueError::new_err("`threads` is at least 1"));
        }
        let world = world.map(|path| {
            let text = String::from_utf8(read(&path)?)
                .map_err(|_| PyValueError::new_err(format!("`{}` is not UTF-8 text", path.display())))?;
            World::parse(&text)
                .map_err(|error| PyValueError::new_err(format!("`{}` is not a world: {error}", path.display())))
        });
        let world = Arc::new(at_this_moment(world.transpose()?.unwrap_or_default()));
        let mapper = self.for_files(detail);
        // Pools admit jobs in the order of the file.
        let threads = if mapper.depends_on_order() { Some(1) } else { threads };
        let threads = threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
        py.detach(|| map_file(mapper, &jobs, &output, world, threads))
    }
}

fn map_file(mapper: &Mapper, jobs: &Path, output: &Path, world: Arc<World>, threads: usize) -> PyResult<u64> {
    let reader = JobFile::new(jobs, File::open(jobs).map_err(|error| cannot_read(jobs, &error))?);
    let lines = Lines { mapper, world };
    let map = |writer: &mut File| {
        let mut writer = BufWriter::new(writer);
        stream::run(reader, &mut writer, threads, &lines, |_| {})
            .and_then(|tallies| writer.flush().map(|()| tallies.into_iter().sum()))
            .map_err(|error| {
                PyOSError::new_err(format!("mapping `{}` to `{}`: {error}", jobs.display(), output.display()))
            })
    };
    // A device or a pipe cannot be replaced by renaming.
    if output.metadata().is_ok_and(|metadata| !metadata.is_file()) {
        return map(&mut File::options().write(true).open(output).map_err(|error| cannot_write(output, &error))?);
    }
    // The file appears whole or not at all: a failure leaves the old one as it was.
    let output = output.canonicalize().unwrap_or_else(|_| output.to_owned());
    let mut file = temporary(&output, 0o666).map_err(|error| cannot_write(&output, &error))?;
    let mapped = map(file.as_file_mut())?;
    file.persist(&output).map_err(|error| cannot_write(&output, &error.error))?;
    Ok(mapped)
}

struct Lines<'a> {
    mapper: &'a Mapper,
    world: Arc<World>,
}

impl Work for Lines<'_> {
    type Tally = u64;

    fn line(&self, number: usize, line: &[u8], output: &mut String, tally: &mut u64) {
        *tally += 1;
        self.mapper.map_line(number, line, &self.world).1.write_line(output);
    }
}

/// A seed that nobody can tell.
fn entropy() -> BigInt {
    // The keys of the hashes are random for the process, and differ from one to the next.
    BigInt::from(RandomState::new().hash_one(0_u8))
}

/// The JSON text of an object, or the text that it is already.
fn json_text(object: &Bound<'_, PyAny>) -> PyResult<String> {
    if let Ok(text) = object.cast::<PyString>() {
        return text.extract();
    }
    let text = object.py().import("json")?.call_method1("dumps", (object,))?;
    text.extract().map_err(|_| PyTypeError::new_err("`json.dumps` gave no text"))
}

fn not_a(what: &'static str) -> impl Fn(InputError) -> PyErr {
    move |error| PyValueError::new_err(format!("this is not a {what}: {error}"))
}
