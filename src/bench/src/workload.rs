//! The measured workload: rules, jobs and a world.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use tpv_galaxy::answer::Answer;
use tpv_galaxy::job::Job;
use tpv_galaxy::world::World;
use tpv_runtime::artifact::Rules;
use tpv_runtime::mapper::{Hooks, Mapper};

/// The message if there is nothing to measure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkloadError(pub String);

impl fmt::Display for WorkloadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for WorkloadError {}

/// Rules, the jobs to map by them, and the world to map them in.
pub struct Workload {
    /// The config files, as the compiler takes them.
    pub configs: Vec<String>,
    /// The rules.
    pub rules: Arc<Rules>,
    /// The jobs.
    pub jobs: Vec<Arc<Job>>,
    /// The text of the jobs, one a line.
    pub lines: String,
    /// The world.
    pub world: Arc<World>,
}

impl Workload {
    /// Compiles config files and reads jobs and world.
    ///
    /// # Errors
    /// The first thing that cannot be read or is wrong.
    pub fn read(configs: Vec<String>, jobs: &Path, world: Option<&Path>) -> Result<Self, WorkloadError> {
        let lines = text(jobs)?;
        let world = match world {
            Some(path) => World::parse(&text(path)?).map_err(|error| wrong(path, &error))?,
            None => World::default(),
        };
        Self::new(configs, lines, world)
    }

    /// Compiles config files and reads jobs.
    ///
    /// # Errors
    /// An error if the config does not compile or a line is not a job.
    pub fn new(configs: Vec<String>, lines: String, world: World) -> Result<Self, WorkloadError> {
        let rules = compile(&configs)?;
        let jobs = lines
            .lines()
            .filter(|line| !line.trim().is_empty())
            .map(|line| Job::parse(line).map(Arc::new))
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| WorkloadError(format!("a line is not a job: {error}")))?;
        Ok(Self { configs, rules: Arc::new(rules), jobs, lines, world: Arc::new(world) })
    }

    /// A mapper of the rules, with the compiler for code that is made at run time.
    pub fn mapper(&self) -> Mapper {
        self.mapper_that_keeps(0)
    }

    /// The same, where each thread keeps as many bytes of earlier jobs; 0 for the default.
    pub fn mapper_that_keeps(&self, kept_bytes: usize) -> Mapper {
        let compile = Some(Arc::new(tpv_compiler::python::run_time::compile) as _);
        Mapper::with_hooks(self.rules.clone(), Hooks { compile, kept_bytes, ..Hooks::default() }, false)
    }

    /// The answers to all jobs.
    pub fn map(&self, mapper: &Mapper) -> Vec<Answer> {
        self.jobs.iter().map(|job| mapper.map(job, &self.world)).collect()
    }

    /// The answers to all jobs, one a line.
    pub fn answers(&self, mapper: &Mapper) -> String {
        self.map(mapper).iter().map(Answer::line).collect()
    }
}

/// Compiles config files.
///
/// # Errors
/// The first error of the compiler.
pub fn compile(configs: &[String]) -> Result<Rules, WorkloadError> {
    let compiled = tpv_compiler::compile(configs, &tpv_compiler::CompileOptions::default());
    compiled.rules.ok_or_else(|| {
        let first =
            compiled.diagnostics.iter().find(|diagnostic| diagnostic.severity == tpv_text::diagnostic::Severity::Error);
        WorkloadError(first.map_or_else(|| "the config does not compile".to_owned(), |error| error.message.clone()))
    })
}

/// The most bytes of a job file or world to measure with: both are held in memory.
const MOST_BYTES: u64 = 1 << 30;

fn text(path: &Path) -> Result<String, WorkloadError> {
    let file = tpv_text::open::open(path).map_err(|error| wrong(path, &error))?;
    let bytes = tpv_text::source::read_limited(file, MOST_BYTES).map_err(|error| wrong(path, &error))?;
    let bytes = bytes.ok_or_else(|| wrong(path, &format_args!("is larger than {} MiB", MOST_BYTES >> 20)))?;
    String::from_utf8(bytes).map_err(|error| wrong(path, &error.utf8_error()))
}

fn wrong(path: &Path, error: &dyn fmt::Display) -> WorkloadError {
    WorkloadError(format!("{}: {error}", path.display()))
}
