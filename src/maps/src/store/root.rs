//! The folder of all maps: their tags, how a map comes to be and how it goes.

use std::io;
use std::path::{Path, PathBuf};

use super::super::Error;
use super::super::item::Item;
use super::directory::{self, FOLDERS, MapDir};
use super::lock::Lock;
use super::tags::{check_tag, is_own_folder};
use super::{random, whole};
use tpv_text::diagnostic::REPORT_BUG;

/// The format of the files; see docs/maps-format.md.
pub const FORMAT: &str = "1";

/// The beginning of the names of maps that are being made.
const NEW: &str = ".new-";
/// The beginning of the names of maps that are being removed.
const REMOVED: &str = ".removed-";

/// The folder of all maps.
#[derive(Clone, Debug)]
pub struct Root(PathBuf);

impl Root {
    /// The folder, which is made where it is missing.
    ///
    /// # Errors
    /// The system's, or the folder was written by a tpvc of another format.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let make = |folder: &Path| std::fs::create_dir_all(folder).map_err(|error| Error::io("made", folder, &error));
        for name in ["tags", "slots"] {
            let folder = path.join(name);
            make(&folder)?;
            if folder.is_symlink() {
                return Err(Error::new(
                    format!("`{}` is a link, and files of maps are removed there", folder.display()),
                    "remove the link, or name another folder with `--maps-dir`",
                ));
            }
        }
        // Engines start components elsewhere: what they are told must be true there, too.
        let path = path.canonicalize().map_err(|error| Error::io("read", path, &error))?;
        // And engines take the paths of files as text.
        if path.to_str().is_none() {
            return Err(Error::new(
                format!("maps cannot be kept in `{}`: the path is not UTF-8", path.display()),
                "name another folder with `--maps-dir`",
            ));
        }
        Ok(Self(path))
    }

    /// The path.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The map of a tag.
    ///
    /// # Errors
    /// There is none, or it has another format.
    pub fn load(&self, tag: &str) -> Result<MapDir, Error> {
        let Some(map) = self.find(tag)? else {
            return Err(Error::new(format!("no map `{tag}`"), "`tpvc maps list` shows those that are there"));
        };
        let format = map.optional_text(&map.path().join("format"))?.unwrap_or_default();
        if format.trim() == FORMAT {
            return Ok(map);
        }
        let format = format.trim();
        Err(Error::new(
            format!("the map `{tag}` has the format `{format}`, and this tpvc reads `{FORMAT}`"),
            "use the tpvc that made it, or `tpvc maps remove --force`",
        ))
    }

    /// Begins a map: a folder that no tag leads to yet.
    ///
    /// # Errors
    /// The tag is taken or cannot be one, or the system's.
    pub fn begin(&self, tag: &str, transient: bool) -> Result<Draft, Error> {
        check_tag(tag)?;
        self.sweep()?;
        let (name, path, lock) = self.make_locked()?;
        let draft = Draft { root: self.clone(), map: MapDir::new(path), name, tag: tag.to_owned(), lock: Some(lock) };
        for folder in FOLDERS.into_iter().chain(["logs"]) {
            let path = draft.map.path().join(folder);
            std::fs::create_dir(&path).map_err(|error| Error::io("made", &path, &error))?;
        }
        draft.map.write_tag(tag, transient)?;
        self.reserve(tag, &draft.name, &draft.map)?;
        Ok(draft)
    }

    /// Makes the folder of a draft, and takes its lock, which is held until the map is whole or given up: whoever finds the folder empty or
    /// with a free lock may remove it. Where somebody does so before the lock is taken, another folder is made.
    pub(super) fn make_locked(&self) -> Result<(String, PathBuf, Lock), Error> {
        loop {
            let name = random::uuid()?;
            let path = self.0.join(format!("{NEW}{name}"));
            std::fs::create_dir(&path).map_err(|error| Error::io("made", &path, &error))?;
            let lock_path = path.join("lock");
            match Lock::wait(&lock_path) {
                Ok(lock) if lock_path.exists() => return Ok((name, path, lock)),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(Error::io("locked", &lock_path, &error)),
            }
        }
    }

    /// Makes a tag lead to a map of this name. The file is written in the map's own folder, or in that of its draft: what a kill leaves
    /// goes with it.
    pub(super) fn reserve(&self, tag: &str, name: &str, map: &MapDir) -> Result<(), Error> {
        let path = self.tag_path(tag);
        let made = whole::write_new(&path, format!("{name}\n").as_bytes(), map.path());
        if made.map_err(|error| Error::io("written", &path, &error))? {
            return Ok(());
        }
        Err(Error::new(
            format!("there is a map `{tag}` already"),
            format!("choose another tag, or `tpvc maps remove {tag}` before"),
        ))
    }

    /// Gives a map another tag, which it keeps.
    ///
    /// # Errors
    /// The tag is taken or cannot be one, or the system's.
    pub fn retag(&self, map: &MapDir, old: &str, new: &str) -> Result<(), Error> {
        check_tag(new)?;
        if old != new {
            self.reserve(new, &map.name(), map)?;
        }
        map.write_tag(new, false)?;
        if old == new { Ok(()) } else { map.remove(&self.tag_path(old)) }
    }

    /// Removes a map from the disk. Killed on the way, [`Root::sweep`] goes on.
    ///
    /// # Errors
    /// The system's, or it is no folder of a map here.
    pub fn remove(&self, tag: &str, map: &MapDir) -> Result<(), Error> {
        if !random::is_uuid(&map.name()) || map.path() != self.0.join(map.name()) || map.path().is_symlink() {
            let message = format!("`{}` is not removed: it is no map of `{}`", map.path().display(), self.0.display());
            return Err(Error::new(message, REPORT_BUG));
        }
        let gone = self.set_aside(map.path(), &map.name())?;
        self.release(tag, &map.name())?;
        remove_folder(&gone)
    }

    /// Removes what interrupted verbs have left: maps half made or half removed, and tags that lead nowhere. What somebody is at
    /// work on is left alone.
    ///
    /// # Errors
    /// The system's.
    pub fn sweep(&self) -> Result<(), Error> {
        let all = directory::names(&self.0)?;
        for name in &all {
            let path = self.0.join(name);
            let is_left = |prefix: &str| name.strip_prefix(prefix).is_some_and(random::is_uuid) && is_own_folder(&path);
            if is_left(REMOVED) {
                remove_folder(&path)?;
            } else if is_left(NEW) {
                let lock_path = path.join("lock");
                // No lock yet: made this moment, or left by a kill in that moment. Its maker makes another.
                if !lock_path.exists() && std::fs::remove_dir(&path).is_ok() {
                    continue;
                }
                match Lock::take(&lock_path) {
                    Ok(Some(lock)) => self.discard(&path, lock)?,
                    Ok(None) => {}
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    Err(error) => return Err(Error::io("locked", &lock_path, &error)),
                }
            }
        }
        self.sweep_tags()
    }

    /// Removes a draft. It gets another name before its files go, so that nobody takes what is left for a draft that is being made.
    fn discard(&self, draft: &Path, lock: Lock) -> Result<(), Error> {
        let map = MapDir::new(draft.to_owned());
        let name = map.name();
        let name = name.strip_prefix(NEW).unwrap_or_default();
        if let Ok(tag) = map.tag() {
            self.release(&tag, name)?;
        }
        let gone = self.set_aside(draft, name)?;
        // NFS keeps a file that is open, and its folder.
        drop(lock);
        remove_folder(&gone)
    }

    /// Gives a folder the name under which it is removed, unless somebody else has done so.
    fn set_aside(&self, path: &Path, name: &str) -> Result<PathBuf, Error> {
        let gone = self.0.join(format!("{REMOVED}{name}"));
        match std::fs::rename(path, &gone) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Error::io("removed", path, &error)),
            _ => Ok(gone),
        }
    }

    /// Takes a tag from a map. It may lead to another by now: a tag that leads nowhere is free for the next map.
    fn release(&self, tag: &str, name: &str) -> Result<(), Error> {
        let path = self.tag_path(tag);
        let unusable = |what: &'static str| move |error: io::Error| (what, error);
        let released = whole::read(&path).map_err(unusable("read")).and_then(|to| match to {
            Some(to) if to.trim_ascii() == name.as_bytes() => whole::remove(&path).map_err(unusable("removed")),
            _ => Ok(()),
        });
        released.map_err(|(what, error)| Error::io(what, &path, &error))
    }

    /// Returns `true` if a map of this name is being made.
    pub(super) fn is_draft(&self, name: &str) -> bool {
        is_own_folder(&self.0.join(format!("{NEW}{name}")))
    }
}

/// A map that is being made. Dropped unfinished, it is removed.
#[derive(Debug)]
pub struct Draft {
    root: Root,
    map: MapDir,
    name: String,
    tag: String,
    lock: Option<Lock>,
}

impl Draft {
    /// The tag.
    pub fn tag(&self) -> &str {
        &self.tag
    }

    /// The map's directory, as long as it is a draft.
    pub fn map(&self) -> &MapDir {
        &self.map
    }

    /// Writes the items, and makes the draft a map. The lock that is given is the map's.
    ///
    /// # Errors
    /// The system's.
    pub fn finish(mut self, items: &[Item]) -> Result<(MapDir, Lock), Error> {
        self.map.write_items(items)?;
        self.map.write(&self.map.path().join("format"), format!("{FORMAT}\n").as_bytes())?;
        let path = self.root.0.join(&self.name);
        std::fs::rename(self.map.path(), &path).map_err(|error| Error::io("written", &path, &error))?;
        whole::sync_folder(&self.root.0).map_err(|error| Error::io("written", &path, &error))?;
        match self.lock.take() {
            Some(lock) => Ok((MapDir::new(path), lock)),
            None => Err(Error::new("the map was finished twice", REPORT_BUG)),
        }
    }
}

#[cfg(test)]
impl Draft {
    /// Lets go of the lock and leaves the rest.
    pub(super) fn abandon_as_a_kill_does(mut self) {
        self.lock = None;
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if let Some(lock) = self.lock.take() {
            // What cannot be removed now, a later sweep will.
            let _ = self.root.discard(self.map.path(), lock);
        }
    }
}

fn remove_folder(path: &Path) -> Result<(), Error> {
    match std::fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Error::io("removed", path, &error)),
        _ => Ok(()),
    }
}
