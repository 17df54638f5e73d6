//! Work on the jobs of a job file, on several threads.

use std::io::{self, Read, Write};
use std::path::Path;

use tpv_analysis::job_file::{JobFile, dispatchers};
use tpv_runtime::stream::{self, Work};
use tpv_text::listed::counted;

use super::common::Common;
use super::error::CliError;
use super::kind::Kind;
use super::map;
use super::progress::Progress;

/// The threads of a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Threads {
    /// As many as were asked for; one a core if none were.
    pub(super) wanted: Option<u16>,
    /// `true` if jobs depend on those before them: then there is one.
    pub(super) in_order: bool,
}

/// The jobs of a verb.
#[derive(Clone, Copy, Debug)]
pub(super) struct Jobs<'a> {
    /// The job file; `-` is stdin.
    pub(super) path: &'a Path,
    /// The dispatcher whose jobs count; all jobs if `None`.
    pub(super) dispatcher: Option<&'a str>,
}

impl Jobs<'_> {
    /// Opens the file, with the size of its text in bytes where that is known.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(super) fn open(self) -> Result<(JobFile, Option<u64>), CliError> {
        let (file, size) = JobFile::open(self.path)?;
        Ok((file.of_dispatcher(self.dispatcher), size))
    }

    /// Says that jobs of several dispatchers are mapped by the same rules, if they are.
    pub(super) fn note_dispatchers(self, common: &Common) {
        let names = if self.dispatcher.is_some() { Vec::new() } else { dispatchers(self.path) };
        if names.len() > 1 {
            let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            let names = counted(&names, 4, "more");
            common.note(&format!(
                "the jobs are of several dispatchers ({names}), and these rules map all of them; `--dispatcher` takes those of one"
            ));
        }
    }
}

/// Works on the lines of a job file, and writes what comes of them. The inner error is one of writing.
///
/// # Errors
/// The file is of another kind, or cannot be read.
pub(super) fn over<K: Work>(
    jobs: Jobs<'_>,
    writer: impl Write + Send,
    threads: Threads,
    work: &K,
    common: &Common,
) -> Result<io::Result<Vec<K::Tally>>, CliError> {
    jobs.note_dispatchers(common);
    let (file, size) = jobs.open()?;
    let (progress, fault) = (Progress::of(common, &file), file.fault());
    let streamed = run(file, size, writer, threads, work, progress, common);
    fault.get().map_or(Ok(streamed), |fault| Err(fault.into()))
}

/// The same for the text of a job file.
///
/// # Errors
/// The text cannot be read, which does not happen.
pub(super) fn over_text<K: Work>(
    name: &str,
    text: String,
    writer: impl Write + Send,
    threads: Threads,
    work: &K,
    common: &Common,
) -> Result<io::Result<Vec<K::Tally>>, CliError> {
    let size = Some(text.len() as u64);
    let file = JobFile::new(Path::new(name), io::Cursor::new(text));
    let (progress, fault) = (Progress::bytes(common, size), file.fault());
    let streamed = run(file, size, writer, threads, work, progress, common);
    fault.get().map_or(Ok(streamed), |fault| Err(fault.into()))
}

/// The same for a file of another form, from which `read` makes the lines of jobs.
///
/// # Errors
/// The file cannot be read, or is not of that form.
pub(super) fn through<R: Read + Send, K: Work>(
    path: &Path,
    read: impl FnOnce(JobFile) -> Result<R, CliError>,
    threads: Threads,
    work: &K,
    common: &Common,
) -> Result<io::Result<Vec<K::Tally>>, CliError> {
    let (file, size) = JobFile::open(path)?;
    let (progress, fault) = (Progress::of(common, &file), file.fault());
    let streamed = read(file).map(|reader| run(reader, size, io::sink(), threads, work, progress, common));
    // What is wrong with the file says more than what its reader makes of it.
    fault.get().map_or(streamed, |fault| Err(fault.into()))
}

fn run<K: Work>(
    reader: impl Read + Send,
    size: Option<u64>,
    writer: impl Write + Send,
    threads: Threads,
    work: &K,
    mut progress: Progress,
    common: &Common,
) -> io::Result<Vec<K::Tally>> {
    // One batch takes less time than starting a second thread.
    let one = threads.in_order || size.is_some_and(|size| size <= stream::BATCH as u64);
    let threads = if one { 1 } else { map::threads_or_all(threads.wanted, common) };
    let streamed = stream::run(reader, writer, threads, work, |amount| progress.advance_jobs(amount));
    progress.finish();
    streamed
}

/// Refuses a file that is of another kind than a job file, by the option that names it.
///
/// # Errors
/// It is.
pub(super) fn check_kind(path: &Path) -> Result<(), CliError> {
    match Kind::of(path) {
        kind @ (Kind::Artifact | Kind::World | Kind::JobConf | Kind::Config) => {
            let message = format!("`{}` is {}, not a job file", path.display(), kind.noun());
            Err(CliError::new(message, "name the job file with `--jobs JOBS`"))
        }
        Kind::Jobs | Kind::Unknown => Ok(()),
    }
}
