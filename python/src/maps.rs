//! Maps of job files in parts: what `tpvc.maps` is made of.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use serde::Serialize;
use tpv_galaxy::world::World;
use tpv_maps::create::{Execution, Plan, RuleSet, Versions, create};
use tpv_maps::engine::{Action, Kind};
use tpv_maps::history::Plain;
use tpv_maps::resources::{Resources, mib};
use tpv_maps::settings::Settings;
use tpv_maps::slice_size::SliceSize;
use tpv_maps::status::{ComponentStatus, reports};
use tpv_maps::store::{self, Root};
use tpv_maps::submit::Budget;
use tpv_maps::{Error, Map, results};
use tpv_python::vm::Limits;
use tpv_runtime::mapper::Hooks;
use tpv_settings::Problem;
use tpv_text::diagnostic::Diagnostics;
use tpv_text::render::Render;

use crate::command;

create_exception!(
    tpvc,
    MapError,
    PyException,
    "A map cannot do what was asked of it. `help` says what to do about that."
);

fn raised(error: &Error) -> PyErr {
    Python::attach(|py| {
        let raised = MapError::new_err(error.message.clone());
        match raised.value(py).setattr("help", &error.help) {
            Ok(()) => raised,
            Err(other) => other,
        }
    })
}

fn json(value: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// An amount of memory or disk: MiB, or a text with a unit.
#[derive(FromPyObject)]
enum Amount {
    #[pyo3(transparent)]
    Mib(u64),
    #[pyo3(transparent)]
    Text(String),
}

fn resources(memory: Option<Amount>, time_s: Option<u64>, disk: Option<Amount>) -> PyResult<Resources> {
    let amount = |amount: Option<Amount>| match amount {
        None => Ok(None),
        Some(Amount::Mib(mib)) => Ok(Some(mib)),
        Some(Amount::Text(text)) => {
            mib(&text).map(Some).map_err(|help| PyValueError::new_err(format!("`{text}` is no amount: {help}")))
        }
    };
    Ok(Resources { memory_mib: amount(memory)?, time_s, disk_mib: amount(disk)? })
}

/// The states of all components, the reasons that are known with their remedies by component, and why the engine could not be asked.
type Statuses = (Vec<&'static str>, BTreeMap<u32, (String, String)>, Option<String>);

/// The milliseconds and the memory in KiB of a component, as far as they are known, and the bytes that its files take.
type Usage = (Option<u64>, Option<u64>, u64);

/// The maps of a folder. Nothing of a map is kept in memory: each call reads the disk, and asks the engine.
#[pyclass(name = "Maps", module = "tpvc._native", frozen)]
pub struct PyMaps {
    root: Root,
    settings: Settings,
}

impl PyMaps {
    /// Does something with a map, while other threads of Python go on.
    fn with<R: Send>(
        &self,
        py: Python<'_>,
        tag: &str,
        act: impl FnOnce(Map) -> Result<R, Error> + Send,
    ) -> PyResult<R> {
        py.detach(|| Map::load(&self.root, tag).and_then(act)).map_err(|error| raised(&error))
    }
}

#[pymethods]
impl PyMaps {
    /// The maps of a folder; without one, of that which the settings name.
    #[new]
    #[pyo3(signature = (folder = None))]
    fn new(folder: Option<PathBuf>) -> PyResult<Self> {
        let read = tpv_settings::Settings::read(None).and_then(|settings| settings.maps());
        let mut settings = read.map_err(|Problem { diagnostic, sources }| {
            let help = diagnostic.help.clone().unwrap_or_default();
            let mut diagnostics = Diagnostics::new();
            diagnostics.push(*diagnostic);
            raised(&Error::new(diagnostics.render(&sources, false).trim_end(), help))
        })?;
        settings.dir = folder.or(settings.dir);
        let root = settings.folder().and_then(|folder| Root::open(&folder)).map_err(|error| raised(&error))?;
        Ok(Self { root, settings })
    }

    /// The folder.
    #[getter]
    fn folder(&self) -> PathBuf {
        self.root.path().to_owned()
    }

    /// The tags, sorted.
    fn tags(&self) -> PyResult<Vec<String>> {
        let tags = self.root.tags().map_err(|error| raised(&error))?;
        Ok(tags.into_iter().filter_map(|(tag, map)| map.ok().map(|_| tag)).collect())
    }

    /// Makes a map, submits it, and gives its tag. Rule sets are names and artifacts; `git` is a repository, a date or commit, and what the config is there.
    #[pyo3(signature = (
        jobs, rules, *, program = None, tag = None, against = None, git = None, world = None, detail = false, engine = None, memory = None,
        time = None, disk = None, options = BTreeMap::new(), slice_seconds = None, slice_bytes = None, jit = "lazy"
    ))]
    #[expect(clippy::too_many_arguments, reason = "they are the flags of `tpvc maps create`")]
    fn create(
        &self,
        py: Python<'_>,
        jobs: Vec<PathBuf>,
        rules: Vec<(String, PyBackedBytes)>,
        program: Option<PathBuf>,
        tag: Option<String>,
        against: Option<(String, PyBackedBytes)>,
        git: Option<(PathBuf, Option<String>, Vec<String>)>,
        world: Option<String>,
        detail: bool,
        engine: Option<&str>,
        memory: Option<Amount>,
        time: Option<u64>,
        disk: Option<Amount>,
        options: BTreeMap<String, String>,
        slice_seconds: Option<f64>,
        slice_bytes: Option<u64>,
        jit: &str,
    ) -> PyResult<String> {
        if !["off", "lazy", "eager"].contains(&jit) {
            return Err(PyValueError::new_err("`jit` is `off`, `lazy` or `eager`"));
        }
        if against.is_some() && detail {
            return Err(PyValueError::new_err(
                "differences have no candidates: `against` and `detail` exclude each other",
            ));
        }
        if let Some(world) = &world {
            World::parse(world).map_err(|error| PyValueError::new_err(format!("this is not a world: {error}")))?;
        }
        let seconds = slice_seconds.map(|seconds| {
            Duration::try_from_secs_f64(seconds)
                .map_err(|_| PyValueError::new_err("`slice_seconds` is a time from 0 up"))
        });
        let slices = match (slice_bytes, seconds.transpose()?) {
            (Some(bytes), _) => SliceSize::Bytes(bytes),
            (None, Some(time)) => SliceSize::Time(time),
            (None, None) => SliceSize::Fitting,
        };
        let engine = engine.map(str::parse).transpose().map_err(|error| raised(&error))?;
        let engine = engine.or(self.settings.engine).unwrap_or(Kind::Local);
        let rule_set = |(name, bytes): (String, PyBackedBytes)| RuleSet { name, bytes: bytes.to_vec() };
        let program = match program.as_ref().or(self.settings.program.as_ref()) {
            Some(path) => crate::rules::read(path)?,
            None => command::program(py)?.into_bytes(),
        };
        let mut all_options = self.settings.options(engine);
        all_options.extend(options);
        let limits = Limits::default();
        let plan = Plan {
            tag,
            rules: rules.into_iter().map(rule_set).collect(),
            versions: git.map(|(repository, since, configs)| Versions { repository, since, configs }),
            against: against.map(rule_set),
            jobs,
            world: world.map(String::into_bytes),
            simulation: None,
            detail,
            jit: jit.to_owned(),
            budget: Budget { steps: limits.steps, bytes: limits.bytes, depth: limits.depth },
            execution: Execution {
                engine,
                resources: resources(memory, time, disk)?.or(self.settings.resources()),
                options: all_options,
                program,
            },
            slices,
        };
        let hooks = Hooks { compile: Some(Arc::new(tpv_compiler::python::run_time::compile)), ..Hooks::default() };
        let made =
            py.detach(|| create(&self.root, &plan, &mut Plain, &hooks, &mut |_| {}).map(|map| map.tag().to_owned()));
        made.map_err(|error| raised(&error))
    }

    /// The directory with the files of a map.
    fn path(&self, py: Python<'_>, tag: &str) -> PyResult<PathBuf> {
        self.with(py, tag, |map| Ok(map.dir().path().to_owned()))
    }

    /// The number of components.
    fn components(&self, py: Python<'_>, tag: &str) -> PyResult<u32> {
        self.with(py, tag, |map| map.dir().components())
    }

    /// The items of each component, as JSON.
    fn itemdata(&self, py: Python<'_>, tag: &str) -> PyResult<String> {
        json(&self.with(py, tag, |map| map.dir().items())?)
    }

    /// Returns `true` if there is a map with this tag.
    fn exists(&self, tag: &str) -> PyResult<bool> {
        self.root.find(tag).map(|found| found.is_some()).map_err(|error| raised(&error))
    }

    /// The settings that count: name, value and source.
    fn settings(&self) -> PyResult<Vec<(String, Option<String>, String)>> {
        let all = self.settings.effective().map_err(|error| raised(&error))?;
        Ok(all.into_iter().map(|setting| (setting.name, setting.value, setting.source)).collect())
    }

    /// The time, memory and disk that each component has used.
    fn usage(&self, py: Python<'_>, tag: &str) -> PyResult<Vec<Usage>> {
        self.with(py, tag, |map| {
            let status = map.status()?;
            let of = |(component, index): (&ComponentStatus, u32)| {
                let milliseconds = component.head.map(|head| head.milliseconds);
                Ok((milliseconds, map.memory_kib(index, component)?, map.dir().disk_bytes(index)?))
            };
            status.components.iter().zip(0..).map(of).collect()
        })
    }

    /// The text that a component wrote to stdout, or to stderr. `None` if it wrote nothing.
    #[pyo3(signature = (tag, component, error = false))]
    fn printed(&self, py: Python<'_>, tag: &str, component: u32, error: bool) -> PyResult<Option<String>> {
        self.with(py, tag, |map| {
            let path = if error { map.dir().stderr(component) } else { map.dir().stdout(component) };
            let bytes = store::read(&path).map_err(|error| Error::io("read", &path, &error))?;
            Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
        })
    }

    /// The state of each component, the reasons that are known with their remedies, and why the engine could not be asked.
    fn status(&self, py: Python<'_>, tag: &str) -> PyResult<Statuses> {
        let status = self.with(py, tag, |map| map.status())?;
        let states = status.components.iter().map(|component| component.state().name()).collect();
        let notes = status.components.into_iter().zip(0..).filter(|(component, _)| component.why.is_known());
        let notes = notes.map(|(component, index)| (index, (component.why.message, component.why.help))).collect();
        Ok((states, notes, status.unreachable.map(|error| error.message)))
    }

    /// Sees to it that something runs what waits: the process of engine `local` may have been killed.
    fn revive(&self, py: Python<'_>, tag: &str) -> PyResult<()> {
        self.with(py, tag, |map| map.revive())
    }

    /// The reports of the components that are ERRORED, as JSON.
    fn errors(&self, py: Python<'_>, tag: &str) -> PyResult<String> {
        json(&self.with(py, tag, |map| {
            let status = map.status()?;
            reports(&map, &status)
        })?)
    }

    /// Of these components, those without answers.
    fn missing(&self, py: Python<'_>, tag: &str, components: Vec<u32>) -> PyResult<Vec<u32>> {
        self.with(py, tag, |map| results::missing(map.dir(), &components))
    }

    /// The lines of a component's answers; `None` where there are none.
    fn answers(&self, py: Python<'_>, tag: &str, component: u32) -> PyResult<Option<AnswerLines>> {
        let answers = self.with(py, tag, |map| results::answers(map.dir(), component))?;
        Ok(answers.map(|answers| AnswerLines(Mutex::new(BufReader::new(Box::new(answers))))))
    }

    /// The summary of these components' answers, as JSON.
    fn summary(&self, py: Python<'_>, tag: &str, components: Vec<u32>) -> PyResult<String> {
        json(&self.with(py, tag, |map| results::summary(map.dir(), &components))?)
    }

    /// Holds components, or all.
    #[pyo3(signature = (tag, components = None))]
    fn hold(&self, py: Python<'_>, tag: &str, components: Option<Vec<u32>>) -> PyResult<()> {
        self.with(py, tag, |map| map.act(Action::Hold, sorted(components).as_deref()))
    }

    /// Lets components go on, or all.
    #[pyo3(signature = (tag, components = None))]
    fn release(&self, py: Python<'_>, tag: &str, components: Option<Vec<u32>>) -> PyResult<()> {
        self.with(py, tag, |map| map.act(Action::Release, sorted(components).as_deref()))
    }

    /// Pauses components, or all.
    #[pyo3(signature = (tag, components = None))]
    fn pause(&self, py: Python<'_>, tag: &str, components: Option<Vec<u32>>) -> PyResult<()> {
        self.with(py, tag, |map| map.act(Action::Pause, sorted(components).as_deref()))
    }

    /// Lets components go on that were paused, or all.
    #[pyo3(signature = (tag, components = None))]
    fn resume(&self, py: Python<'_>, tag: &str, components: Option<Vec<u32>>) -> PyResult<()> {
        self.with(py, tag, |map| map.act(Action::Resume, sorted(components).as_deref()))
    }

    /// Takes components from their machines, or all.
    #[pyo3(signature = (tag, components = None))]
    fn vacate(&self, py: Python<'_>, tag: &str, components: Option<Vec<u32>>) -> PyResult<()> {
        self.with(py, tag, |map| map.act(Action::Vacate, sorted(components).as_deref()))
    }

    /// Runs components again, or those that have ended without answers, and gives their number.
    #[pyo3(signature = (tag, components = None))]
    fn rerun(&self, py: Python<'_>, tag: &str, components: Option<Vec<u32>>) -> PyResult<usize> {
        self.with(py, tag, |mut map| map.rerun(sorted(components).as_deref()))
    }

    /// Changes what components may use, or all.
    #[pyo3(signature = (tag, memory = None, time = None, disk = None, components = None))]
    fn edit(
        &self,
        py: Python<'_>,
        tag: &str,
        memory: Option<Amount>,
        time: Option<u64>,
        disk: Option<Amount>,
        components: Option<Vec<u32>>,
    ) -> PyResult<()> {
        let changes = resources(memory, time, disk)?;
        self.with(py, tag, |mut map| map.edit(changes, sorted(components).as_deref()))
    }

    /// Gives a map another tag.
    fn retag(&self, py: Python<'_>, tag: &str, new: &str) -> PyResult<()> {
        self.with(py, tag, |mut map| map.retag(new))
    }

    /// Removes a map, and gives what the engine may still have of it.
    #[pyo3(signature = (tag, force = false))]
    fn remove(&self, py: Python<'_>, tag: &str, force: bool) -> PyResult<Vec<String>> {
        if force {
            return py.detach(|| Map::remove_by_force(&self.root, tag)).map_err(|error| raised(&error));
        }
        self.with(py, tag, Map::remove).map(|()| Vec::new())
    }
}

/// In ascending order, each once.
fn sorted(components: Option<Vec<u32>>) -> Option<Vec<u32>> {
    components.map(|mut components| {
        components.sort_unstable();
        components.dedup();
        components
    })
}

/// The lines of a component's answers.
#[pyclass(module = "tpvc._native", frozen)]
pub struct AnswerLines(Mutex<BufReader<Box<dyn Read + Send>>>);

#[pymethods]
impl AnswerLines {
    fn __iter__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __next__(&self) -> PyResult<Option<String>> {
        let mut line = String::new();
        let read = self.0.lock().unwrap_or_else(PoisonError::into_inner).read_line(&mut line)?;
        Ok((read > 0).then_some(line))
    }
}
