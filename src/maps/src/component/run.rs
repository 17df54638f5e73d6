//! The component's own work: a slice of jobs to answers, a summary, or an error report.

use std::io::{self, BufReader, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use tpv_galaxy::world::World;
use tpv_runtime::Job;
use tpv_runtime::artifact::Rules;
use tpv_runtime::mapper::{Hooks, Mapper};
use tpv_runtime::stream::{self, Work};
use tpv_simulate::grid::GridRun;
use tpv_text::open;

use super::super::Error;
use super::super::store::{self, Digesting, WholeFile, write_whole};
use super::completion::{Completion, Head};
use super::error_report::ErrorReport;
use super::heartbeat::{Heartbeat, peak_kib};
use super::simulate::simulate;
use crate::clock::seconds;
use crate::remedy;
use crate::resources::Resources;
use tpv_analysis::diff::answers::compare;
use tpv_analysis::summary::Summary;
use tpv_text::diagnostic::REPORT_BUG;

/// A component's task, from its arguments.
#[derive(Clone, Debug)]
pub struct Task {
    /// The component.
    pub component: u32,
    /// The number of the cluster.
    pub cluster: u32,
    /// The artifact.
    pub rules: PathBuf,
    /// The artifact that answers are compared with.
    pub against: Option<PathBuf>,
    /// The slice of jobs, compressed.
    pub jobs: PathBuf,
    /// The world.
    pub world: Option<PathBuf>,
    /// The run of a grid, with the file of what its runs share, if the component simulates.
    pub simulation: Option<(PathBuf, GridRun)>,
    /// The time that code sees where the world does not tell it, in microseconds from 1970-01-01 UTC.
    pub now: i64,
    /// The job file that the slice was cut from.
    pub file: String,
    /// The number of the slice's first line.
    pub first_line: u64,
    /// The file for the answers.
    pub output: PathBuf,
    /// The file for the completion.
    pub summary: PathBuf,
    /// The file for the error report.
    pub error: PathBuf,
    /// The file for the heartbeat.
    pub heartbeat: Option<PathBuf>,
    /// `true` if answers have candidates.
    pub detail: bool,
    /// The memory and disk that it may use. Whatever started it looks after the time.
    pub limits: Resources,
}

/// The outcome of a component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Its answers and its completion are written.
    Done,
    /// Its error report is written.
    Reported,
    /// Neither could be written; the error.
    Silent(Error),
}

/// Runs a component. All that can go wrong is in its error report. A component that exceeds its memory ends this process.
pub fn run(task: &Task, hooks: &Hooks) -> Ended {
    let limit_kib = task.limits.memory_mib.map(|mib| mib.saturating_mul(1024));
    let watched = task.clone();
    let beat = Heartbeat::start(task.heartbeat.clone(), limit_kib, move |beat| {
        let limit = watched.limits.memory_mib.unwrap_or_default();
        let error = Error::new(format!("it used more memory than its limit of {limit} MiB"), remedy::MEMORY);
        let ended = report(&watched, error, beat.line());
        std::process::exit(i32::from(ended != Ended::Reported) + 1);
    });
    let outcome = catch_unwind(AssertUnwindSafe(|| work(task, hooks, &beat)));
    let error = match outcome {
        Ok(Ok(())) => return Ended::Done,
        Ok(Err(error)) => error,
        Err(panic) => Error::new(
            format!("tpvc itself failed: {}", panic_text(panic.as_ref())),
            format!("{REPORT_BUG}, with the job of that line"),
        ),
    };
    report(task, error, beat.line())
}

/// Writes the error report of a component.
fn report(task: &Task, error: Error, line: u64) -> Ended {
    let report = ErrorReport {
        component: task.component,
        cluster: task.cluster,
        message: error.message,
        help: error.help,
        node: node(),
        time: seconds(),
        command: std::env::args().collect::<Vec<_>>().join(" "),
        line: (line > 0).then_some(line),
        memory_kib: peak_kib(),
        memory_limit_mib: task.limits.memory_mib,
        stderr: String::new(),
    };
    let written = serde_json::to_vec(&report).map_err(io::Error::from).and_then(|mut text| {
        text.push(b'\n');
        write_whole(&task.error, &text)
    });
    match written {
        Ok(()) => Ended::Reported,
        Err(error) => Ended::Silent(Error::io("written", &task.error, &error)),
    }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> &str {
    panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref().copied()).unwrap_or("a fault")
}

fn work(task: &Task, hooks: &Hooks, beat: &Heartbeat) -> Result<(), Error> {
    let started = Instant::now();
    let rules = rules(&task.rules)?;
    let world = world(task)?;
    let unreadable = |error: io::Error| Error::io("read", &task.jobs, &error);
    let room = room(task)?;
    let unwritable = |error: io::Error| match (error.kind(), task.limits.disk_mib) {
        (io::ErrorKind::FileTooLarge, Some(limit)) => over(limit),
        _ => Error::io("written", &task.output, &error),
    };
    let reader = open::regular(&task.jobs).and_then(zstd::Decoder::new).map_err(unreadable)?;
    let mut reader = Faulty { reader: BufReader::new(reader), fault: None };
    let mut file = Digesting::new(Bounded { output: WholeFile::create(&task.output).map_err(unwritable)?, room });
    let mut encoder = zstd::Encoder::new(&mut file, 1).map_err(unwritable)?;
    let summary = match &task.simulation {
        None => {
            let against = task.against.as_deref().map(|path| mapper(path, hooks)).transpose()?;
            let mapper = Mapper::with_hooks(rules, hooks.clone(), task.detail);
            let lines = Lines { mapper, against, world: Arc::new(world), first: task.first_line, beat };
            // One thread: an engine runs as many components at once as there are cores.
            let streamed = stream::run(&mut reader, Unflushed(&mut encoder), 1, &lines, |_| {});
            if let Some(fault) = reader.fault {
                return Err(unreadable(fault));
            }
            streamed.map_err(unwritable)?.pop().unwrap_or_default()
        }
        Some((scenario, run)) => {
            let line = simulate(scenario, run, BufReader::new(&mut reader), &rules, world, hooks, beat)?;
            if let Some(fault) = reader.fault {
                return Err(unreadable(fault));
            }
            encoder.write_all(line.as_bytes()).map_err(unwritable)?;
            Summary::default()
        }
    };
    encoder.finish().map_err(unwritable)?;
    let (file, size, digest) = file.into_parts();
    file.output.finish().map_err(unwritable)?;
    let completion = Completion {
        head: Head {
            output_bytes: size,
            milliseconds: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
            memory_kib: peak_kib(),
        },
        output_digest: digest.into(),
        component: task.component,
        cluster: task.cluster,
        node: node(),
        time: seconds(),
        summary_digest: Completion::digest(&summary),
        summary,
    };
    let mut text = serde_json::to_vec(&completion).map_err(|error| Error::bug("the summary", &error))?;
    text.push(b'\n');
    write_whole(&task.summary, &text).map_err(|error| Error::io("written", &task.summary, &error))
}

/// The bytes that its output may have: its limit of disk without its inputs and its program.
fn room(task: &Task) -> Result<u64, Error> {
    let Some(limit) = task.limits.disk_mib else { return Ok(u64::MAX) };
    let program = std::env::current_exe().ok();
    let scenario = task.simulation.as_ref().map(|(scenario, _)| scenario);
    let inputs = [Some(&task.rules), task.against.as_ref(), Some(&task.jobs), task.world.as_ref(), scenario];
    let inputs = inputs.into_iter().flatten().chain(&program);
    let used: u64 = inputs.filter_map(|path| path.metadata().ok()).map(|metadata| metadata.len()).sum();
    limit.saturating_mul(1 << 20).checked_sub(used).ok_or_else(|| over(limit))
}

fn over(limit: u64) -> Error {
    Error::new(format!("its program, inputs and answers need more disk than its limit of {limit} MiB"), remedy::DISK)
}

/// A writer that refuses more bytes than it has room for.
struct Bounded<W> {
    output: W,
    room: u64,
}

impl<W: Write> Write for Bounded<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.len() as u64 > self.room {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let count = self.output.write(bytes)?;
        self.room = self.room.saturating_sub(count as u64);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

fn mapper(path: &Path, hooks: &Hooks) -> Result<Mapper, Error> {
    Ok(Mapper::with_hooks(rules(path)?, hooks.clone(), false))
}

/// The bytes of an input.
fn input(path: &Path) -> Result<Vec<u8>, Error> {
    let bytes = store::read(path).and_then(|bytes| bytes.ok_or_else(|| io::ErrorKind::NotFound.into()));
    bytes.map_err(|error| Error::io("read", path, &error))
}

/// The text of an input.
pub(super) fn input_text(path: &Path) -> Result<String, Error> {
    let text = String::from_utf8(input(path)?).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error));
    text.map_err(|error| Error::io("read", path, &error))
}

fn rules(path: &Path) -> Result<Arc<Rules>, Error> {
    let bytes = input(path)?;
    Rules::load(&bytes).map(Arc::new).map_err(|error| {
        Error::new(
            format!("the rules `{}` cannot be used: {error}", path.display()),
            "the program that is shipped with the map must be the tpvc that compiled the rules: `tpvc maps transplant`",
        )
    })
}

fn world(task: &Task) -> Result<World, Error> {
    let mut world = match &task.world {
        None => World::default(),
        Some(path) => {
            let text = input_text(path)?;
            World::parse(&text).map_err(|error| {
                Error::new(format!("`{}` is not a world: {error}", path.display()), "make the map again")
            })?
        }
    };
    world.now.get_or_insert(task.now);
    Ok(world)
}

/// Maps lines of jobs, by one rule set or two.
struct Lines<'a> {
    mapper: Mapper,
    against: Option<Mapper>,
    world: Arc<World>,
    /// The number of the slice's first line.
    first: u64,
    beat: &'a Heartbeat,
}

impl Work for Lines<'_> {
    type Tally = Summary;

    fn line(&self, number: usize, line: &[u8], output: &mut String, summary: &mut Summary) {
        let number = self.first + number as u64 - 1;
        self.beat.at(number);
        let shown = usize::try_from(number).unwrap_or(usize::MAX);
        let (job, answer) = self.mapper.map_line(shown, line, &self.world);
        let tool = job.as_deref().map_or("", Job::tool_id);
        let Some(against) = &self.against else {
            summary.add(tool, &answer);
            answer.write_line(output);
            return;
        };
        let old = match &job {
            Some(job) => against.map(job, &self.world),
            // What is no job is none for either rule set.
            None => answer.clone(),
        };
        let difference = compare(&old, &answer);
        summary.add_compared(tool, &old, &answer, difference.as_ref());
        if let Some(difference) = difference {
            difference.write_line(number, None, &old, &answer, output);
        }
    }
}

/// Keeps the error of reading apart from errors of writing.
struct Faulty<R> {
    reader: R,
    fault: Option<io::Error>,
}

impl<R: Read> Read for &mut Faulty<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.reader.read(buffer).map_err(|error| {
            let copy = io::Error::new(error.kind(), error.to_string());
            if error.kind() != io::ErrorKind::Interrupted {
                self.fault = Some(error);
            }
            copy
        })
    }
}

/// A writer whose batches are not flushed one by one: nobody reads a file that is not there yet.
struct Unflushed<W>(W);

impl<W: Write> Write for Unflushed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The name of this machine.
pub(crate) fn node() -> String {
    std::fs::read_to_string("/proc/sys/kernel/hostname")
        .map_or_else(|_| "unknown".to_owned(), |name| name.trim().to_owned())
}
