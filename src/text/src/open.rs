//! Opening files and pipes: a folder is an error like any other, and a pipe whose other end nobody opens is not waited for without end.
//! Files that were read are remembered, so that no output overwrites them.

use std::collections::HashSet;
use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
#[cfg(unix)]
use std::{sync::mpsc, thread, time::Duration};

/// The files that were opened for reading, by device and number.
static INPUTS: Mutex<Option<HashSet<(u64, u64)>>> = Mutex::new(None);

fn inputs() -> MutexGuard<'static, Option<HashSet<(u64, u64)>>> {
    INPUTS.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(unix)]
fn key(metadata: &Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    metadata.is_file().then(|| (metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn key(_: &Metadata) -> Option<(u64, u64)> {
    None
}

/// Returns `true` if the file was opened for reading, under whatever name.
pub fn is_input(metadata: &Metadata) -> bool {
    key(metadata).is_some_and(|key| inputs().as_ref().is_some_and(|inputs| inputs.contains(&key)))
}

/// Forgets what was read, for a process that runs several commands.
pub fn forget_inputs() {
    *inputs() = None;
}

/// Opens a file, device or pipe for reading.
///
/// # Errors
/// The system's; a folder; a socket; a named pipe that no process has opened for writing after five seconds.
pub fn open(path: &Path) -> io::Result<File> {
    let file = with(path, OpenOptions::new().read(true), "it is a pipe that no program writes to")?;
    remember(&file)?;
    Ok(file)
}

/// Opens a file that tpvc itself wrote: a regular one, so that there is nothing to wait for. It is no input of the user's, and not remembered.
///
/// # Errors
/// The system's; a folder, device, socket or pipe.
pub fn regular(path: &Path) -> io::Result<File> {
    let metadata = path.metadata()?;
    if metadata.is_dir() {
        return Err(io::Error::from(io::ErrorKind::IsADirectory));
    }
    if !metadata.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file"));
    }
    File::open(path)
}

/// Stdin, which may be a file.
pub fn stdin() -> io::Stdin {
    #[cfg(unix)]
    {
        use std::os::fd::AsFd;
        // Where this fails, so does reading.
        let _ = io::stdin().as_fd().try_clone_to_owned().and_then(|file| remember(&File::from(file)));
    }
    io::stdin()
}

fn remember(file: &File) -> io::Result<()> {
    if let Some(key) = key(&file.metadata()?) {
        inputs().get_or_insert_default().insert(key);
    }
    Ok(())
}

/// Opens a device or pipe for writing.
///
/// # Errors
/// As those of [`open`].
pub fn for_writing(path: &Path) -> io::Result<File> {
    with(path, OpenOptions::new().write(true), "it is a pipe that no program reads")
}

#[cfg_attr(not(unix), expect(unused_variables, reason = "pipes have no names there"))]
fn with(path: &Path, options: &OpenOptions, alone: &'static str) -> io::Result<File> {
    let metadata = path.metadata()?;
    if metadata.is_dir() {
        return Err(io::Error::from(io::ErrorKind::IsADirectory));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if metadata.file_type().is_socket() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is a socket"));
        }
        if metadata.file_type().is_fifo() {
            return open_pipe(path, options.clone(), alone);
        }
    }
    options.open(path)
}

/// The time that a named pipe may wait for its other end.
#[cfg(unix)]
const PATIENCE: Duration = Duration::from_secs(5);

/// Opens a pipe as soon as it has its other end. What a shell makes for `<(...)` has one, and so has stdin.
#[cfg(unix)]
fn open_pipe(path: &Path, options: OpenOptions, alone: &'static str) -> io::Result<File> {
    let (sender, receiver) = mpsc::channel();
    let to_open = path.to_owned();
    // Opening waits for the other end, and cannot be told to stop: where there is none, the thread stays behind.
    thread::Builder::new().spawn(move || sender.send(options.open(to_open)))?;
    let opened = receiver.recv_timeout(PATIENCE);
    opened.unwrap_or_else(|_| Err(io::Error::new(io::ErrorKind::TimedOut, alone)))
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::io::{Read, Write};
    use std::os::unix::net::UnixListener;
    use std::process::Command;

    use super::*;

    #[test]
    fn only_what_can_be_read_is_opened() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        assert_eq!(open(folder.path()).unwrap_err().kind(), io::ErrorKind::IsADirectory);
        let _listener = UnixListener::bind(path("socket")).unwrap();
        assert_eq!(open(&path("socket")).unwrap_err().to_string(), "it is a socket");
        assert!(Command::new("mkfifo").arg(path("pipe")).status().unwrap().success());
        assert_eq!(open(&path("pipe")).unwrap_err().to_string(), "it is a pipe that no program writes to");
        for name in ["socket", "pipe", "/dev/null"] {
            assert_eq!(regular(&path(name)).unwrap_err().to_string(), "it is no regular file", "{name}");
        }
    }

    #[test]
    fn a_pipe_is_read_once_it_has_a_writer() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let target = pipe.clone();
        let writer = thread::spawn(move || {
            thread::sleep(Duration::from_millis(200));
            File::options().write(true).open(target).unwrap().write_all(b"text").unwrap();
        });
        let mut text = String::new();
        open(&pipe).unwrap().read_to_string(&mut text).unwrap();
        writer.join().unwrap();
        assert_eq!(text, "text");
    }
}
