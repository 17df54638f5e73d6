//! The directory of one map: its files, by name.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;
use tpv_simulate::grid::Scenario;

use super::super::Error;
use super::super::cluster::Cluster;
use super::super::history::History;
use super::super::item::Item;
use super::super::submit::Submit;
use super::digest::Digest;
use super::lock::Lock;
use super::random;
use super::whole::{self, WholeFile};

/// The folders of a map.
pub(super) const FOLDERS: [&str; 6] = ["inputs", "clusters", "events", "outputs", "summaries", "errors"];
/// The folder of what components print; apart from the others, since a map may have none.
const LOGS: &str = "logs";

/// The directory of a map. Making one reads nothing; each method reads or writes one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MapDir(PathBuf);

impl MapDir {
    pub(super) fn new(path: PathBuf) -> Self {
        Self(path)
    }

    /// The directory of a map that a component's runner is told of by its path.
    pub fn at(path: &Path) -> Self {
        Self(path.to_owned())
    }

    /// The path.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The name: a UUID.
    pub fn name(&self) -> String {
        self.0.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }

    pub(super) fn lock_path(&self) -> PathBuf {
        self.0.join("lock")
    }

    /// Waits for the right to change the map.
    ///
    /// # Errors
    /// The map was removed, or the system's.
    pub fn lock(&self) -> Result<Lock, Error> {
        let path = self.lock_path();
        let lock = Lock::wait(&path).map_err(|error| Error::io("locked", &path, &error))?;
        // It may have been removed while this waited.
        if self.exists() {
            return Ok(lock);
        }
        Err(Error::io("locked", &path, &io::Error::from(io::ErrorKind::NotFound)))
    }

    /// Takes the lock for changing the map, if it is free.
    ///
    /// # Errors
    /// The system's.
    pub fn try_lock(&self) -> Result<Option<Lock>, Error> {
        let path = self.lock_path();
        Lock::take(&path).map_err(|error| Error::io("locked", &path, &error))
    }

    /// Returns `true` if a process is changing the map.
    ///
    /// # Errors
    /// The system's.
    pub fn is_locked(&self) -> Result<bool, Error> {
        let path = self.lock_path();
        Lock::is_held(&path).map_err(|error| Error::io("read", &path, &error))
    }

    // What `create` writes.

    /// The number of components.
    ///
    /// # Errors
    /// The file is missing or damaged.
    pub fn components(&self) -> Result<u32, Error> {
        let path = self.0.join("components");
        let text = self.text(&path)?;
        text.trim().parse().map_err(|_| damaged(&path, "it isn't a number"))
    }

    /// The items, by component.
    ///
    /// # Errors
    /// The file is missing or damaged.
    pub fn items(&self) -> Result<Vec<Item>, Error> {
        self.json(&self.0.join("itemdata.json"))
    }

    pub(crate) fn write_items(&self, items: &[Item]) -> Result<(), Error> {
        let mut text = String::from("[");
        for (index, item) in items.iter().enumerate() {
            text.push_str(if index == 0 { "\n" } else { ",\n" });
            text.push_str(&json_text(item)?);
        }
        text.push_str("\n]\n");
        self.write(&self.0.join("itemdata.json"), text.as_bytes())?;
        self.write(&self.0.join("components"), format!("{}\n", items.len()).as_bytes())
    }

    /// The submit object.
    ///
    /// # Errors
    /// The file is missing or damaged.
    pub fn submit(&self) -> Result<Submit, Error> {
        self.json(&self.0.join("submit.json"))
    }

    /// Writes the submit object.
    ///
    /// # Errors
    /// The system's.
    pub fn write_submit(&self, submit: &Submit) -> Result<(), Error> {
        self.write(&self.0.join("submit.json"), (json_text(submit)? + "\n").as_bytes())
    }

    /// A scenario that is an input.
    ///
    /// # Errors
    /// The file is missing or damaged.
    pub fn scenario(&self, digest: &str) -> Result<Scenario, Error> {
        self.json(&self.input(digest))
    }

    /// The commits that the rule sets are of, if a history was compiled.
    ///
    /// # Errors
    /// The file is damaged.
    pub fn history(&self) -> Result<Option<History>, Error> {
        let path = self.0.join("history.json");
        if path.exists() { self.json(&path).map(Some) } else { Ok(None) }
    }

    /// Notes the commits that the rule sets are of.
    ///
    /// # Errors
    /// The system's.
    pub fn write_history(&self, history: &History) -> Result<(), Error> {
        self.write(&self.0.join("history.json"), (json_text(history)? + "\n").as_bytes())
    }

    /// The script that every engine starts.
    pub fn script(&self) -> PathBuf {
        self.0.join("component.sh")
    }

    /// Writes the script that every engine starts.
    ///
    /// # Errors
    /// The system's.
    pub fn write_script(&self, text: &str) -> Result<(), Error> {
        self.write(&self.script(), text.as_bytes())?;
        self.executable(&self.script())
    }

    fn executable(&self, path: &Path) -> Result<(), Error> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let set = path.metadata().and_then(|metadata| {
                let mode = metadata.permissions().mode() & 0o777;
                // Who may read it may run it.
                let new = mode & 0o666 | (mode & 0o444) >> 2;
                if mode == new { Ok(()) } else { std::fs::set_permissions(path, PermissionsExt::from_mode(new)) }
            });
            set.map_err(|error| Error::io("made executable", path, &error))?;
        }
        Ok(())
    }

    /// Returns `true` if the map has not been removed.
    pub fn exists(&self) -> bool {
        self.0.join("format").exists()
    }

    /// The lock of the process that runs components on this machine.
    pub fn runner_lock(&self) -> PathBuf {
        self.0.join("runner.lock")
    }

    /// The log of the process that runs components on this machine.
    pub fn runner_log(&self) -> PathBuf {
        self.0.join("runner.log")
    }

    /// The folder of locks that the components of all maps of this folder take to run on this machine.
    pub fn slots(&self) -> PathBuf {
        self.0.with_file_name("slots")
    }

    /// The path of an input.
    pub fn input(&self, digest: &str) -> PathBuf {
        self.0.join("inputs").join(digest)
    }

    /// Keeps an input, and gives its digest. Equal bytes are kept once.
    ///
    /// # Errors
    /// The system's.
    pub fn put_input(&self, bytes: &[u8]) -> Result<Digest, Error> {
        let digest = Digest::of(bytes);
        let path = self.input(digest.as_str());
        if !path.exists() {
            self.write(&path, bytes)?;
        }
        Ok(digest)
    }

    /// Begins an input whose digest is known once it is written.
    ///
    /// # Errors
    /// The system's.
    pub fn new_input(&self) -> Result<WholeFile, Error> {
        let path = self.input("new");
        WholeFile::create(&path).map_err(|error| Error::io("written", &path, &error))
    }

    /// Keeps an input that was begun. Equal bytes are kept once.
    ///
    /// # Errors
    /// The system's.
    pub fn keep_input(&self, file: WholeFile, digest: &str) -> Result<(), Error> {
        let path = self.input(digest);
        if path.exists() {
            return Ok(());
        }
        file.finish_as(&path).map_err(|error| Error::io("written", &path, &error))
    }

    /// Keeps a program, which components run. Maps of one folder share it, where its file system has hard links.
    ///
    /// # Errors
    /// The system's.
    pub fn put_program(&self, bytes: &[u8]) -> Result<Digest, Error> {
        let digest = Digest::of(bytes);
        let path = self.input(digest.as_str());
        if !path.exists() && !self.link_program(digest.as_str(), bytes) {
            self.write(&path, bytes)?;
        }
        self.executable(&path)?;
        Ok(digest)
    }

    /// Links a program that another map has. Returns `false` if none has it, or its file system refuses.
    fn link_program(&self, digest: &str, bytes: &[u8]) -> bool {
        let Some(Ok(entries)) = self.0.parent().map(std::fs::read_dir) else { return false };
        let maps = entries.flatten().filter(|entry| entry.file_name().to_str().is_some_and(random::is_uuid));
        let links = |entry: std::fs::DirEntry| {
            let path = Self(entry.path()).input(digest);
            let is_same = whole::read(&path).is_ok_and(|found| found.as_deref() == Some(bytes));
            is_same && std::fs::hard_link(path, self.input(digest)).is_ok()
        };
        maps.into_iter().any(links)
    }

    // Tags.

    /// The tag that the map has, as the map knows it.
    ///
    /// # Errors
    /// The file is missing.
    pub fn tag(&self) -> Result<String, Error> {
        Ok(self.text(&self.0.join("tag"))?.trim().to_owned())
    }

    /// Notes the tag. Whether the map is transient: its tag was not chosen by the user.
    ///
    /// # Errors
    /// The system's.
    pub fn write_tag(&self, tag: &str, transient: bool) -> Result<(), Error> {
        let mark = self.0.join("transient");
        self.write(&self.0.join("tag"), format!("{tag}\n").as_bytes())?;
        if transient { self.write(&mark, b"") } else { self.remove(&mark) }
    }

    /// Returns `true` if the tag was not chosen by the user.
    pub fn is_transient(&self) -> bool {
        self.0.join("transient").exists()
    }

    // Clusters.

    /// All clusters, in the order of their numbers, each with the engine's id if that was noted.
    ///
    /// # Errors
    /// A file is damaged.
    pub fn clusters(&self) -> Result<Vec<(Cluster, Option<String>)>, Error> {
        let mut numbers: Vec<u32> = Vec::new();
        for name in self.names("clusters")? {
            numbers.extend(name.strip_suffix(".json").and_then(|number| number.parse::<u32>().ok()));
        }
        numbers.sort_unstable();
        let clusters = numbers.into_iter().map(|number| {
            let cluster = self.json(&self.cluster_path(number, "json"))?;
            let id = self.optional_text(&self.cluster_path(number, "id"))?;
            Ok((cluster, id.map(|id| id.trim().to_owned())))
        });
        clusters.collect()
    }

    pub(super) fn cluster_path(&self, number: u32, suffix: &str) -> PathBuf {
        self.0.join("clusters").join(format!("{number}.{suffix}"))
    }

    /// Notes a cluster, before the engine hears of it.
    ///
    /// # Errors
    /// The system's.
    pub fn write_cluster(&self, cluster: &Cluster) -> Result<(), Error> {
        let path = self.cluster_path(cluster.number, "json");
        self.write(&path, (json_text(cluster)? + "\n").as_bytes())
    }

    /// Notes the engine's id of a cluster.
    ///
    /// # Errors
    /// The system's.
    pub fn write_id(&self, number: u32, id: &str) -> Result<(), Error> {
        self.write(&self.cluster_path(number, "id"), format!("{id}\n").as_bytes())
    }

    /// The folder of the engine's own files for a cluster, which is made.
    ///
    /// # Errors
    /// The system's.
    pub fn engine_folder(&self, number: u32) -> Result<PathBuf, Error> {
        let path = self.cluster_path(number, "d");
        std::fs::create_dir_all(&path).map_err(|error| Error::io("made", &path, &error))?;
        Ok(path)
    }

    /// The engine's log of a cluster's events.
    pub fn event_log(&self, number: u32) -> PathBuf {
        self.0.join("events").join(format!("{number}.log"))
    }

    // What components leave.

    /// The answers, or differences, of a component, compressed.
    pub fn output(&self, component: u32) -> PathBuf {
        self.0.join("outputs").join(format!("{component}.jsonl.zst"))
    }

    /// The summary of a component, written after its output.
    pub fn summary(&self, component: u32) -> PathBuf {
        self.0.join("summaries").join(format!("{component}.json"))
    }

    /// The error report of a component.
    pub fn error(&self, component: u32) -> PathBuf {
        self.0.join("errors").join(format!("{component}.json"))
    }

    /// The standard output of a component.
    pub fn stdout(&self, component: u32) -> PathBuf {
        self.0.join(LOGS).join(format!("{component}.out"))
    }

    /// The standard error of a component.
    pub fn stderr(&self, component: u32) -> PathBuf {
        self.0.join(LOGS).join(format!("{component}.err"))
    }

    /// The bytes that the files of a component take on disk, without its inputs.
    ///
    /// # Errors
    /// The system's.
    pub fn disk_bytes(&self, component: u32) -> Result<u64, Error> {
        let mut bytes = 0;
        for path in self.left(component) {
            match path.metadata() {
                Ok(metadata) => bytes += metadata.len(),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(Error::io("read", &path, &error)),
            }
        }
        Ok(bytes)
    }

    /// The files that a component leaves: the summary first, without which the output does not count.
    fn left(&self, component: u32) -> [PathBuf; 5] {
        [
            self.summary(component),
            self.output(component),
            self.error(component),
            self.stdout(component),
            self.stderr(component),
        ]
    }

    /// The components that have a file in one of the folders `summaries` and `errors`.
    pub(crate) fn indices(&self, folder: &str) -> Result<BTreeSet<u32>, Error> {
        let names = self.names(folder)?;
        Ok(names.iter().filter_map(|name| name.strip_suffix(".json")?.parse().ok()).collect())
    }

    /// Forgets what a component left, so that it can run again.
    ///
    /// # Errors
    /// The system's.
    pub fn forget(&self, components: &[u32]) -> Result<(), Error> {
        for &component in components {
            for path in self.left(component) {
                self.remove(&path)?;
            }
        }
        for folder in ["summaries", "outputs", "errors"] {
            let path = self.0.join(folder);
            whole::sync_folder(&path).map_err(|error| Error::io("written", &path, &error))?;
        }
        Ok(())
    }

    /// Removes files that were being written when their writers were killed. Nobody may be writing.
    ///
    /// # Errors
    /// The system's.
    pub(crate) fn tidy(&self) -> Result<(), Error> {
        for folder in FOLDERS.into_iter().chain([LOGS]) {
            let path = self.0.join(folder);
            let Ok(entries) = std::fs::read_dir(&path) else { continue };
            for entry in entries.flatten() {
                if entry.file_name().to_string_lossy().starts_with(whole::PART) {
                    self.remove(&entry.path())?;
                }
            }
        }
        Ok(())
    }

    /// The names in a folder of the map, without files that are being written.
    ///
    /// # Errors
    /// The system's.
    pub fn names(&self, folder: &str) -> Result<Vec<String>, Error> {
        names(&self.0.join(folder))
    }

    /// Writes a file.
    ///
    /// # Errors
    /// The system's.
    pub fn write(&self, path: &Path, bytes: &[u8]) -> Result<(), Error> {
        whole::write(path, bytes).map_err(|error| Error::io("written", path, &error))
    }

    /// Removes a file, if it is there.
    ///
    /// # Errors
    /// The system's.
    pub fn remove(&self, path: &Path) -> Result<(), Error> {
        whole::remove(path).map_err(|error| Error::io("removed", path, &error))
    }

    /// The text of a file. `None` if it is not there.
    ///
    /// # Errors
    /// The system's, or the text is not UTF-8.
    pub fn optional_text(&self, path: &Path) -> Result<Option<String>, Error> {
        let bytes = whole::read(path).map_err(|error| Error::io("read", path, &error))?;
        bytes.map(|bytes| String::from_utf8(bytes).map_err(|_| damaged(path, "it is not UTF-8"))).transpose()
    }

    fn text(&self, path: &Path) -> Result<String, Error> {
        let missing = || Error::io("read", path, &io::Error::from(io::ErrorKind::NotFound));
        self.optional_text(path)?.ok_or_else(missing)
    }

    fn json<T: DeserializeOwned>(&self, path: &Path) -> Result<T, Error> {
        serde_json::from_str(&self.text(path)?).map_err(|error| damaged(path, &error.to_string()))
    }
}

/// The names in a folder, without files that are being written. Empty if the folder is missing.
pub(super) fn names(folder: &Path) -> Result<Vec<String>, Error> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(Error::io("read", folder, &error)),
    };
    let mut names = Vec::new();
    for entry in entries {
        let name = entry.map_err(|error| Error::io("read", folder, &error))?.file_name();
        names.extend(name.to_str().filter(|name| !name.starts_with(whole::PART)).map(str::to_owned));
    }
    Ok(names)
}

fn json_text(value: &impl Serialize) -> Result<String, Error> {
    serde_json::to_string(value).map_err(|error| Error::bug("a file of the map", &error))
}

pub(super) fn damaged(path: &Path, why: &str) -> Error {
    Error::new(
        format!("`{}` is damaged: {why}", path.display()),
        "if the map cannot be saved, `tpvc maps remove --force` removes it",
    )
}
