//! Mapping: jobs of the job file's form.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use pyo3::exceptions::{PyOSError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;
use tpv_jit::Mode;
use tpv_runtime::galaxy::answer::Answer;
use tpv_runtime::galaxy::world::World;
use tpv_runtime::mapper::{Hooks, Mapper};
use tpv_runtime::stream::{self, Work};
use tpv_runtime::{Error, Job};

use crate::rules::{PyRules, cannot_read, read};

/// Maps jobs by compiled rules. May be used by several threads at once.
#[pyclass(name = "Mapper", module = "tpvc", frozen)]
pub struct PyMapper {
    mapper: Mapper,
    detailed: Mapper,
    rules: Py<PyRules>,
}

#[pymethods]
impl PyMapper {
    /// A mapper. `jit` tells when numeric code becomes machine code: `off`, `lazy` or `eager`.
    #[new]
    #[pyo3(signature = (rules, *, jit = "lazy"))]
    fn new(rules: Bound<'_, PyRules>, jit: &str) -> PyResult<Self> {
        let jit = match jit {
            "off" => Mode::Off,
            "lazy" => Mode::Lazy,
            "eager" => Mode::Eager,
            _ => return Err(PyValueError::new_err("`jit` is `off`, `lazy` or `eager`")),
        };
        let hooks = Hooks { compile: Some(Arc::new(tpvc::python::run_time::compile)), jit, ..Hooks::default() };
        let compiled = &rules.get().rules;
        let mapper = Mapper::with_hooks(compiled.clone(), hooks.clone(), false);
        let detailed = Mapper::with_hooks(compiled.clone(), hooks, true);
        Ok(Self { mapper, detailed, rules: rules.unbind() })
    }

    /// The rules.
    #[getter]
    fn rules(&self, py: Python<'_>) -> Py<PyRules> {
        self.rules.clone_ref(py)
    }

    /// Maps a job, given as the object of a line of a job file or as its text, in a world, given as the object of a world file.
    /// The result is the object of a line of an answer file: a destination, or the error that TPV raises.
    ///
    /// Raises `ValueError` where it is not a job or not a world.
    #[pyo3(signature = (job, world = None, *, detail = false))]
    fn map<'py>(
        &self,
        py: Python<'py>,
        job: &Bound<'py, PyAny>,
        world: Option<&Bound<'py, PyAny>>,
        detail: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let job = Job::parse(&json_text(job)?).map_err(not_a("job"))?;
        let world = world.map(json_text).transpose()?;
        let world = world.as_deref().map_or_else(|| Ok(World::default()), World::parse).map_err(not_a("world"))?;
        let (job, world) = (Arc::new(job), Arc::new(at_this_moment(world)));
        let mapper = if detail { &self.detailed } else { &self.mapper };
        let line = py.detach(|| mapper.map(&job, &world).line());
        py.import("json")?.call_method1("loads", (line,))
    }

    /// Maps a job file to an answer file, on several threads, all cores where `threads` does not tell. Gives the number of jobs.
    ///
    /// Raises `OSError` where a file cannot be read or written, and `ValueError` where the world is not one. A line that is no job
    /// gets an answer of the type `InvalidJob`.
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
        let mapper = if detail { &self.detailed } else { &self.mapper };
        let threads = threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
        py.detach(|| map_file(mapper, &jobs, &output, world, threads))
    }
}

fn map_file(mapper: &Mapper, jobs: &Path, output: &Path, world: Arc<World>, threads: usize) -> PyResult<u64> {
    let reader = File::open(jobs).map_err(|error| cannot_read(jobs, &error))?;
    let mut writer = BufWriter::new(File::create(output).map_err(|error| cannot_read(output, &error))?);
    let lines = Lines { mapper, world };
    let tallies = stream::run(reader, &mut writer, threads, &lines, |_| {})
        .and_then(|tallies| writer.flush().map(|()| tallies))
        .map_err(|error| {
            PyOSError::new_err(format!("mapping `{}` to `{}`: {error}", jobs.display(), output.display()))
        })?;
    Ok(tallies.into_iter().sum())
}

struct Lines<'a> {
    mapper: &'a Mapper,
    world: Arc<World>,
}

impl Work for Lines<'_> {
    type Tally = u64;

    fn line(&self, number: usize, line: &[u8], output: &mut String, tally: &mut u64) {
        *tally += 1;
        let job = std::str::from_utf8(line)
            .map_err(|error| Error::Job(format!("byte {} is not UTF-8", error.valid_up_to() + 1)))
            .and_then(Job::parse);
        let answer = match job {
            Ok(job) => self.mapper.map(&Arc::new(job), &self.world),
            Err(error) => Answer::invalid(number, &error),
        };
        answer.write_line(output);
    }
}

/// The JSON text of an object, or the text that it is already.
fn json_text(object: &Bound<'_, PyAny>) -> PyResult<String> {
    if let Ok(text) = object.cast::<PyString>() {
        return text.extract();
    }
    let text = object.py().import("json")?.call_method1("dumps", (object,))?;
    text.extract().map_err(|_| PyTypeError::new_err("`json.dumps` gave no text"))
}

fn not_a(what: &'static str) -> impl Fn(Error) -> PyErr {
    move |error| PyValueError::new_err(format!("this is not a {what}: {error}"))
}

/// A world that does not tell the time is now.
fn at_this_moment(mut world: World) -> World {
    world.now.get_or_insert_with(|| {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
    });
    world
}
