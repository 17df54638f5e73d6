//! The start of the process that runs components: it is watched until it is at work, so that one that cannot run is not started for ever.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::super::Submission;
use super::is_running;
use crate::Error;
use crate::store::{self, RunnerNote};

/// The most processes that are started in a row without a component that ended.
const MOST_STARTS: u32 = 5;
/// The longest time that a process may take until it holds the lock: a machine may be busy, and the program come from a slow disk.
const BEGINNING: Duration = Duration::from_secs(60);
/// The most bytes of the log that are read for the last words of a process.
const LAST_WORDS: u64 = 4096;

/// Starts a runner, `starts` being how many were in a row. One that finds another at work waits for it to end, and then looks for what is
/// left. The reason that none can run is noted in the map.
///
/// # Errors
/// That reason, or the system's.
pub(super) fn start(submission: Submission<'_>, starts: u32) -> Result<(), Error> {
    let map = submission.map;
    map.write_runner_note(&RunnerNote { starts, fault: None }, true)?;
    let Err(error) = begin(submission, starts) else { return Ok(()) };
    // What the process itself has noted says more.
    if let Some(fault) = map.runner_note()?.fault {
        return Err(fault);
    }
    map.write_runner_note(&RunnerNote { starts, fault: Some(error.clone()) }, true)?;
    Err(error)
}

fn begin(submission: Submission<'_>, starts: u32) -> Result<(), Error> {
    let (map, tag) = (submission.map, submission.tag);
    let other = format!(
        "ship a program that runs here, `tpvc maps transplant {tag} --program FILE`, then `tpvc maps rerun {tag}`; \
         `tpvc maps logs --events {tag}` has what it said"
    );
    if starts > MOST_STARTS {
        return Err(Error::new(
            format!("the process that runs components was killed {MOST_STARTS} times before a component ended"),
            format!("see why in `tpvc maps logs --events {tag}`, then `tpvc maps rerun {tag}`"),
        ));
    }
    let log = map.runner_log();
    let unwritable = |error: std::io::Error| Error::io("written", &log, &error);
    let file = File::options().create(true).append(true).open(&log).map_err(unwritable)?;
    let said_before = file.metadata().map_err(unwritable)?.len();
    let child = Command::new(map.input(&submission.submit.program))
        .args(["maps", "run", "--map"])
        .arg(map.path())
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(file)
        .spawn();
    let mut child = child.map_err(|error| {
        let error = error.to_string().to_lowercase();
        Error::new(format!("the program of the map cannot be started: {error}"), &*other)
    })?;
    match watch(&mut child, || is_running(map))? {
        Watched::AtWork => Ok(()),
        Watched::Ended(status) if status.success() => Ok(()),
        Watched::Ended(status) => {
            let end = match (status.signal(), status.code()) {
                (Some(signal), _) => format!("was killed by signal {signal}"),
                (None, code) => format!("ended with the status {}", code.unwrap_or_default()),
            };
            let said = last_words(&log, said_before).map(|said| format!(": {said}")).unwrap_or_default();
            Err(Error::new(format!("the program of the map {end} before it ran a component{said}"), other))
        }
        Watched::Idle => {
            let _ = child.kill().and_then(|()| child.wait());
            let seconds = BEGINNING.as_secs();
            Err(Error::new(format!("the program of the map did not begin to run components within {seconds} s"), other))
        }
    }
}

/// The state of a process that was started.
enum Watched {
    /// It is at work, or waits for another that is.
    AtWork,
    /// It has ended.
    Ended(ExitStatus),
    /// It does something else.
    Idle,
}

fn watch(child: &mut Child, is_at_work: impl Fn() -> Result<bool, Error>) -> Result<Watched, Error> {
    let started = Instant::now();
    while started.elapsed() < BEGINNING {
        // An error is that of a process that somebody else has waited for: it has ended.
        if let Some(status) = child.try_wait().unwrap_or_else(|_| Some(ExitStatus::default())) {
            return Ok(Watched::Ended(status));
        }
        if is_at_work()? {
            return Ok(Watched::AtWork);
        }
        sleep(Duration::from_millis(5));
    }
    Ok(Watched::Idle)
}

/// The words that were appended to a log of this size: an error, or the last line.
fn last_words(log: &Path, size: u64) -> Option<String> {
    let mut file = store::open(log).ok()??;
    let end = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(size.max(end.saturating_sub(LAST_WORDS)))).ok()?;
    let mut bytes = Vec::new();
    file.take(LAST_WORDS).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let line = lines.clone().find_map(|line| line.strip_prefix("error: ")).or_else(|| lines.next_back())?;
    Some(line.chars().map(|character| if character.is_control() { ' ' } else { character }).take(300).collect())
}
