//! The files of a repository that may say something of TPV.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use tpv_compiler::open::open;
use tpv_compiler::source::read_limited;
use tpv_compiler::template::VAULT;

/// The most files that are looked at.
const MOST_FILES: usize = 50_000;

/// The most bytes of a file that is looked at.
const LARGEST: u64 = 4 << 20;

/// The deepest folders that are looked at.
const DEEPEST: usize = 24;

/// The texts of a repository, by their paths in it with `/`. Links to folders are not followed, so that each file has one path.
pub(super) struct Repository {
    /// The folder.
    pub(super) root: PathBuf,
    /// The texts.
    pub(super) texts: BTreeMap<String, String>,
}

impl Repository {
    /// Reads the files of a folder.
    pub(super) fn read(root: &Path) -> Self {
        let mut repository = Self { root: root.to_owned(), texts: BTreeMap::new() };
        repository.collect(root, "", DEEPEST);
        repository
    }

    fn collect(&mut self, folder: &Path, name: &str, depth: usize) {
        let Some(depth) = depth.checked_sub(1) else { return };
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let mut entries: Vec<_> = std::fs::read_dir(folder).into_iter().flatten().flatten().collect();
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            let Ok(file) = entry.file_name().into_string() else { continue };
            let Ok(kind) = entry.file_type() else { continue };
            if file.starts_with('.') || file == "node_modules" || kind.is_symlink() || self.texts.len() >= MOST_FILES {
                continue;
            }
            let name = if name.is_empty() { file } else { format!("{name}/{file}") };
            if kind.is_dir() {
                self.collect(&entry.path(), &name, depth);
            } else if is_text(&name)
                && let Ok(Some(bytes)) = open(&entry.path()).and_then(|file| read_limited(file, LARGEST))
                && let Ok(text) = String::from_utf8(bytes)
            {
                self.texts.insert(name, text);
            }
        }
    }

    /// The path of a file of the repository from the present folder.
    pub(super) fn path(&self, name: &str) -> String {
        self.root.join(name).to_string_lossy().into_owned()
    }

    /// The path in the repository of one from the present folder.
    pub(super) fn relative(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).to_string_lossy().into_owned()
    }

    /// The text of a file. `None` if it is not there or encrypted.
    pub(super) fn plain(&self, name: &str) -> Option<&str> {
        self.texts.get(name).map(String::as_str).filter(|text| !text.starts_with(VAULT))
    }
}

/// Returns `true` for a file that may be YAML, XML or a template of such by its name; variables need no ending.
fn is_text(name: &str) -> bool {
    let file = name.rsplit('/').next().unwrap_or(name);
    let file = file.strip_suffix(".j2").unwrap_or(file);
    match file.rsplit_once('.') {
        Some((_, end)) => ["yml", "yaml", "xml", "json"].contains(&end),
        None => name.contains("vars/") || name.contains("tpv"),
    }
}
