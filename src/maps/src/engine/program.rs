//! The engines' own programs, run with a limit of time.

use std::io::{self, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use super::super::Error;
use super::Kind;

/// A program's exit status and output.
#[derive(Debug)]
pub(crate) struct Finished {
    name: String,
    status: ExitStatus,
    /// Its standard output.
    pub(super) stdout: String,
    /// Its standard error.
    pub(super) stderr: String,
}

impl Finished {
    /// Returns `true` if it reports success.
    pub(crate) fn success(&self) -> bool {
        self.status.success()
    }

    /// The standard output.
    ///
    /// # Errors
    /// The program failed; the message has the first lines of what it says.
    pub(crate) fn output(self, help: &str) -> Result<String, Error> {
        if self.success() { Ok(self.stdout) } else { Err(self.failure(help)) }
    }

    /// The error that the program reports: the first paragraph that it wrote to standard error, or to standard output.
    pub(super) fn failure(&self, help: &str) -> Error {
        let said = if self.stderr.trim().is_empty() { &self.stdout } else { &self.stderr };
        let said: Vec<_> = said
            .lines()
            .map(str::trim)
            .skip_while(|line| line.is_empty())
            .take_while(|line| !line.is_empty())
            .collect();
        let said = if said.is_empty() { self.status.to_string() } else { said.join(" ") };
        Error::new(format!("`{}` failed: {said}", self.name), help)
    }
}

/// Runs a program of an engine to its end. Its standard input is empty, or a lock that it must hold.
///
/// # Errors
/// The program is missing, or did not end within the limit and was killed.
pub(crate) fn run(engine: Kind, command: &mut Command, stdin: Stdio, limit: Duration) -> Result<Finished, Error> {
    let name = command.get_program().to_string_lossy().into_owned();
    let failed = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => Error::new(
            format!("the program `{name}` is not on this machine"),
            format!("run tpvc where jobs are submitted to {engine}, or create the map with another `--engine`"),
        ),
        _ => Error::new(
            format!("`{name}` cannot be run: {}", error.to_string().to_lowercase()),
            format!("`{name}` must work in this shell for the engine `{engine}`"),
        ),
    };
    // What the programs say is read by this one: not in the user's language.
    command.env("LC_ALL", "C").stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(failed)?;
    let stdout = read(child.stdout.take()).map_err(failed)?;
    let stderr = read(child.stderr.take()).map_err(failed)?;
    let end = Instant::now() + limit;
    let text = |from: Receiver<Vec<u8>>| {
        let bytes = from.recv_timeout(end.saturating_duration_since(Instant::now())).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    };
    let finished = text(stdout).zip(text(stderr)).and_then(|texts| Some((texts, wait(&mut child, end)?)));
    let Some(((stdout, stderr), status)) = finished else {
        let _ = child.kill().and_then(|()| child.wait());
        return Err(Error::new(
            format!("`{name}` did not end within {} s and was stopped", limit.as_secs()),
            format!("{engine} may be overloaded or unreachable: try again later"),
        ));
    };
    Ok(Finished { name, status, stdout, stderr })
}

/// Reads a pipe to its end on a thread of its own: two that fill up at once stop the program.
fn read(pipe: Option<impl Read + Send + 'static>) -> io::Result<Receiver<Vec<u8>>> {
    let (sender, receiver) = channel();
    thread::Builder::new().spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // What was read before an error is what there is.
            let _ = pipe.read_to_end(&mut bytes);
        }
        let _ = sender.send(bytes);
    })?;
    Ok(receiver)
}

/// The status of a program that has closed its output. `None` if it goes on past the limit.
fn wait(child: &mut Child, end: Instant) -> Option<ExitStatus> {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if Instant::now() < end => thread::sleep(Duration::from_millis(5)),
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
    use super::*;

    fn shell(script: &str, limit: Duration) -> Result<Finished, Error> {
        run(Kind::Slurm, Command::new("sh").args(["-c", script]), Stdio::null(), limit)
    }

    #[test]
    fn both_outputs_are_read_to_their_end() {
        let script = "i=0; while [ $i -lt 20000 ]; do echo out $i; echo err $i >&2; i=$((i+1)); done";
        let finished = shell(script, Duration::from_secs(60)).unwrap();
        assert!(finished.stderr.ends_with("err 19999\n"));
        assert!(finished.output("").unwrap().ends_with("out 19999\n"));
    }

    #[test]
    fn a_failure_is_told_in_the_program_s_words() {
        let finished =
            shell("echo; echo no such; echo job >&2; echo >&2; echo more >&2; exit 3", Duration::from_secs(60));
        let error = finished.unwrap().output("mend it").unwrap_err();
        assert_eq!((error.message.as_str(), error.help.as_str()), ("`sh` failed: job", "mend it"));
        let error = shell("exit 3", Duration::from_secs(60)).unwrap().output("").unwrap_err();
        assert_eq!(error.message, "`sh` failed: exit status: 3");
    }

    #[test]
    fn a_program_that_hangs_is_stopped() {
        let begin = Instant::now();
        let error = shell("exec sleep 100", Duration::from_millis(50)).unwrap_err();
        assert!(begin.elapsed() < Duration::from_secs(50));
        assert_eq!(error.message, "`sh` did not end within 0 s and was stopped");
        // One that closes its output and goes on, too.
        assert!(shell("exec sleep 100 > /dev/null 2>&1", Duration::from_millis(50)).is_err());
    }

    #[test]
    fn a_missing_program_is_named() {
        let error = run(Kind::HtCondor, &mut Command::new("condor_no"), Stdio::null(), Duration::MAX).unwrap_err();
        assert_eq!(error.message, "the program `condor_no` is not on this machine");
    }
}
