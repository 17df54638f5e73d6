//! Locks of files: held by a process, and by the children that inherit them, until the last of these has ended. No kill leaves one behind.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::process::Stdio;

use super::whole;

/// A lock that is held until it is dropped, and until every child that inherited it has ended.
#[derive(Debug)]
pub struct Lock(File);

impl Lock {
    fn open(path: &Path) -> io::Result<File> {
        if path.metadata().is_ok_and(|metadata| !metadata.is_file()) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file"));
        }
        File::options().create(true).truncate(false).read(true).write(true).open(path)
    }

    /// Waits until the lock is free, and takes it.
    ///
    /// # Errors
    /// The system's.
    pub fn wait(path: &Path) -> io::Result<Self> {
        let file = Self::open(path)?;
        file.lock()?;
        Ok(Self(file))
    }

    /// Takes the lock where it is free.
    ///
    /// # Errors
    /// The system's.
    pub fn take(path: &Path) -> io::Result<Option<Self>> {
        let file = Self::open(path)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self(file))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// Returns `true` if a process holds the lock. A lock that was never taken has no file, and none is created.
    ///
    /// # Errors
    /// The system's.
    pub fn is_held(path: &Path) -> io::Result<bool> {
        match whole::open(path)? {
            None => Ok(false),
            // Shared, so that two who look do not see each other.
            Some(file) => match file.try_lock_shared() {
                Ok(()) => Ok(false),
                Err(TryLockError::WouldBlock) => Ok(true),
                Err(TryLockError::Error(error)) => Err(error),
            },
        }
    }

    /// The lock as the standard input of a child that does not read it: the child then holds the lock, too.
    ///
    /// # Errors
    /// The system's.
    pub fn for_child(&self) -> io::Result<Stdio> {
        self.0.try_clone().map(Stdio::from)
    }
}
