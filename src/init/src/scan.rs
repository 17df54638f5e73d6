//! The files of a repository that may say something of TPV.
//!
//! Each text is judged once and dropped; what is of interest later is read again. So memory depends on the largest file, not on their number.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use tpv_config::template::VAULT;
use tpv_text::open::open;
use tpv_text::source::read_limited;
use tpv_text::{figures, system_error};

use super::marks::{Mark, is_text};
use super::yaml::Yaml;

/// The most files that are looked at.
const MOST_FILES: usize = 50_000;

/// The most bytes of a file that is looked at.
pub(super) const LARGEST: u64 = 4 << 20;

/// The deepest folders that are looked at.
const DEEPEST: usize = 24;

/// The most bytes of all files that are looked at, their names included.
const MOST_BYTES: u64 = 256 << 20;

/// The most bytes that are read again.
const MOST_AGAIN: u64 = 2 << 30;

/// The bytes that reading a file again counts as at least.
const LEAST_AGAIN: u64 = 4 << 10;

/// The folders of packages that others wrote.
const FOREIGN: [&str; 3] = ["node_modules", "site-packages", "__pycache__"];

/// The files of a repository. Links to folders are not followed, so that each file has one path.
pub(super) struct Repository {
    /// The folder.
    pub(super) root: PathBuf,
    /// The files, by their paths in the repository with `/`, each with the marks of its text.
    files: BTreeMap<String, Vec<Mark>>,
    /// The links to files of the repository, each with the path of that file.
    links: BTreeMap<String, String>,
    /// The submodules that are not checked out.
    submodules: Vec<String>,
    /// The number of files that were looked at, those left out included.
    seen: usize,
    /// The bytes that were looked at.
    bytes: u64,
    /// The bytes that were read again.
    again: Cell<u64>,
    /// The files that were left out, each with the reason.
    left_out: RefCell<BTreeSet<String>>,
    /// `true` if a limit was reached: no further file is looked at.
    is_full: bool,
}

impl Repository {
    /// Looks at the files of a folder.
    pub(super) fn read(root: &Path) -> Self {
        let mut repository = Self {
            root: root.to_owned(),
            files: BTreeMap::new(),
            links: BTreeMap::new(),
            submodules: submodules(root),
            seen: 0,
            bytes: 0,
            again: Cell::new(0),
            left_out: RefCell::default(),
            is_full: false,
        };
        repository.collect(root, "", DEEPEST);
        repository.links = std::mem::take(&mut repository.links)
            .into_iter()
            .filter(|(_, target)| repository.files.contains_key(target))
            .collect();
        repository
    }

    fn collect(&mut self, folder: &Path, name: &str, depth: usize) {
        let Some(depth) = depth.checked_sub(1) else {
            self.leave_out(&format!("{name}/"), &format!("it is deeper than {DEEPEST} folders"));
            return;
        };
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let mut entries: Vec<_> = match std::fs::read_dir(folder) {
            Ok(entries) => entries.flatten().collect(),
            Err(error) => return self.leave_out(&format!("{name}/"), &system_error::reason(&error).0),
        };
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            let Ok(file) = entry.file_name().into_string() else { continue };
            let Ok(kind) = entry.file_type() else { continue };
            if file.starts_with('.') || FOREIGN.contains(&file.as_str()) || self.is_full {
                continue;
            }
            let name = if name.is_empty() { file } else { format!("{name}/{file}") };
            if kind.is_symlink() && is_text(&name) {
                self.links.extend(self.target(&name).map(|target| (name, target)));
            } else if kind.is_dir() {
                self.collect(&entry.path(), &name, depth);
            } else if kind.is_file() && is_text(&name) {
                self.look_at(name);
            }
        }
    }

    /// Judges a file, unless there were too many before.
    fn look_at(&mut self, name: String) {
        let full = if self.seen >= MOST_FILES {
            Some(format!("more than {} files", figures::grouped(MOST_FILES as u64)))
        } else {
            (self.bytes >= MOST_BYTES).then(|| format!("more than {} MiB in all", MOST_BYTES >> 20))
        };
        if let Some(full) = full {
            self.is_full = true;
            return self.leave_out(&name, &format!("this file and all after it: {full}"));
        }
        self.seen += 1;
        let Some(bytes) = self.bytes_of(&name) else { return };
        self.bytes += (bytes.len() + name.len()) as u64;
        if let Ok(text) = String::from_utf8(bytes) {
            let marks = Mark::ALL.into_iter().filter(|mark| mark.is_in(&text)).collect();
            self.files.insert(name, marks);
        }
    }

    /// The path in the repository of the file that a link leads to. `None` if it is outside.
    fn target(&self, name: &str) -> Option<String> {
        let root = self.root.join(".").canonicalize().ok()?;
        let target = self.root.join(name).canonicalize().ok()?;
        Some(target.strip_prefix(root).ok()?.to_string_lossy().into_owned())
    }

    /// The bytes of a file. `None` if it cannot be read or has too many, which is noted.
    fn bytes_of(&self, name: &str) -> Option<Vec<u8>> {
        match open(&self.root.join(name)).and_then(|file| read_limited(file, LARGEST)) {
            Ok(Some(bytes)) => return Some(bytes),
            Ok(None) => self.leave_out_large(name),
            Err(error) => self.leave_out(name, &system_error::reason(&error).0),
        }
        None
    }

    /// Notes that a file has more bytes than are looked at.
    pub(super) fn leave_out_large(&self, name: &str) {
        self.leave_out(name, &format!("it has more than {} MiB", LARGEST >> 20));
    }

    /// Notes that a file, or a part of it, was left out.
    pub(super) fn leave_out(&self, name: &str, why: &str) {
        let mut left_out = self.left_out.borrow_mut();
        if left_out.len() < MOST_FILES {
            left_out.insert(format!("{name}: {why}"));
        }
    }

    /// The files and folders that were left out, each with the reason.
    pub(super) fn left_out(&self) -> Vec<String> {
        self.left_out.borrow().iter().cloned().collect()
    }

    /// The paths of all files.
    pub(super) fn names(&self) -> impl Iterator<Item = &String> {
        self.files.keys()
    }

    /// The paths of all files and of the links to them.
    pub(super) fn all_names(&self) -> impl Iterator<Item = &String> {
        self.files.keys().chain(self.links.keys())
    }

    /// Returns `true` for the path of a file or of a link to one.
    pub(super) fn contains(&self, name: &str) -> bool {
        self.files.contains_key(name) || self.links.contains_key(name)
    }

    /// The submodule that a path is in, if it is not checked out.
    pub(super) fn submodule(&self, path: &str) -> Option<&str> {
        let holds = |module: &&String| path.strip_prefix(module.as_str()).is_some_and(|rest| rest.starts_with('/'));
        self.submodules.iter().find(holds).map(String::as_str)
    }

    /// The submodules that are not checked out.
    pub(super) fn submodules(&self) -> &[String] {
        &self.submodules
    }

    /// A file as YAML. `None` if it is none, or a template that is no YAML as it is written.
    pub(super) fn yaml(&self, name: &str) -> Option<Yaml> {
        Yaml::of(name, &self.text(name)?)
    }

    /// The files with a mark, each with its text.
    pub(super) fn marked(&self, mark: Mark) -> impl Iterator<Item = (&String, String)> {
        self.files_with(mark).filter_map(|name| Some((name, self.text(name)?)))
    }

    /// The paths of the files with a mark.
    pub(super) fn files_with(&self, mark: Mark) -> impl Iterator<Item = &String> {
        self.files.iter().filter(move |(_, marks)| marks.contains(&mark)).map(|(name, _)| name)
    }

    /// Returns `true` for a file with a mark.
    pub(super) fn has(&self, name: &str, mark: Mark) -> bool {
        let name = self.links.get(name).map_or(name, String::as_str);
        self.files.get(name).is_some_and(|marks| marks.contains(&mark))
    }

    /// The path of a file of the repository from the present folder.
    pub(super) fn path(&self, name: &str) -> String {
        self.root.join(name).to_string_lossy().into_owned()
    }

    /// The path in the repository of one from the present folder.
    pub(super) fn relative(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).to_string_lossy().into_owned()
    }

    /// The text of a file, whose path may lead through links. `None` if it is none of those that were looked at.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        let is_link = !self.files.contains_key(name);
        let target = if is_link { Some(self.target(name)?) } else { None };
        let name = target.as_deref().unwrap_or(name);
        self.files.get(name)?;
        if self.again.get() >= MOST_AGAIN {
            self.leave_out(name, &format!("more than {} MiB were read again", MOST_AGAIN >> 20));
            return None;
        }
        let bytes = self.bytes_of(name)?;
        self.again.set(self.again.get() + LEAST_AGAIN.max(bytes.len() as u64));
        String::from_utf8(bytes).ok()
    }

    /// The text of a file. `None` if it is not there or encrypted.
    pub(super) fn plain(&self, name: &str) -> Option<String> {
        self.text(name).filter(|text| !text.starts_with(VAULT))
    }
}

/// The submodules of a repository whose folders are empty, or not there.
fn submodules(root: &Path) -> Vec<String> {
    let text = open(&root.join(".gitmodules")).and_then(|file| read_limited(file, LARGEST)).ok().flatten();
    let text = text.and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default();
    let paths = text.lines().filter_map(|line| line.trim().strip_prefix("path")?.trim_start().strip_prefix('='));
    let is_empty =
        |path: &&str| std::fs::read_dir(root.join(path)).map_or(true, |mut entries| entries.next().is_none());
    paths.map(str::trim).filter(is_empty).map(str::to_owned).collect()
}
