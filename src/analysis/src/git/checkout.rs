//! The files of a commit in a folder of their own: templates and settings name files that only what reads them knows of.
//!
//! The repository may be a stranger's. Files are written before links, so that none is written through a link, and only links that lead to
//! something in the commit are made.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use tempfile::TempDir;

use super::links::Trees;
use super::{Error, MISSING, Repository, unwritable};

/// The largest file that is written, in bytes: configs, templates and what these include are texts.
const LARGEST: u64 = 4 << 20;
/// The most bytes that are written.
const MOST: u64 = 1 << 30;
/// The most files that are written.
const MOST_FILES: usize = 200_000;

/// The files of a commit in a temporary folder, which is removed with this.
#[derive(Debug)]
pub struct Checkout {
    folder: TempDir,
}

impl Checkout {
    /// Writes the files and links of a tree, without files of more than 4 MiB and those that a partial clone lacks.
    ///
    /// # Errors
    /// Git's, too many files, or the folder cannot be written.
    pub fn of(git: &Repository, tree: &str) -> Result<Self, Error> {
        let mut trees = Trees::new(git)?;
        let listing = trees.entries(tree)?;
        let folder = tempfile::Builder::new().prefix("tpvc-").tempdir().map_err(|error| unwritable(&error))?;
        let too_much = || {
            Error::new(
                format!("the tree `{tree}` is too large to be read as a whole"),
                "compare artifacts, which `tpvc compile` writes",
            )
        };
        let mut room = MOST;
        for (number, (path, blob)) in listing.files().enumerate().filter(|(_, (path, _))| is_safe(path)) {
            let text = match trees.blobs.read(blob, LARGEST) {
                Ok(Some(text)) => text,
                Err(error) if !error.message.ends_with(MISSING) => return Err(error),
                Ok(None) | Err(_) => continue,
            };
            room = room.checked_sub(text.len() as u64).filter(|_| number < MOST_FILES).ok_or_else(too_much)?;
            written(&folder.path().join(path), |path| fs::write(path, text)).map_err(|error| unwritable(&error))?;
        }
        #[cfg(unix)]
        for (path, target) in listing.links().filter(|(path, _)| is_safe(path)) {
            // Of an odd tree that has a link and a folder of one name, a link in that folder would be at another depth.
            let link = |path: &Path| match path.parent().is_some_and(|above| is_without_links(above, folder.path())) {
                true => std::os::unix::fs::symlink(target, path),
                false => Ok(()),
            };
            written(&folder.path().join(path), link).map_err(|error| unwritable(&error))?;
        }
        Ok(Self { folder })
    }

    /// The folder, which stands for the top of the repository.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The file or folder that a path from the top names in the commit. `None` if it is not there.
    pub fn at(&self, from_top: &Path) -> Option<PathBuf> {
        let path = self.folder().join(from_top);
        path.exists().then_some(path)
    }
}

/// Writes to a path whose folders may be missing. A path that a name of the system's or of an odd tree takes already is left alone.
fn written(path: &Path, write: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let made = fs::create_dir_all(folder).and_then(|()| write(path));
    match made.as_ref().map_err(io::Error::kind) {
        Err(io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory | io::ErrorKind::IsADirectory) => Ok(()),
        _ => made,
    }
}

/// Returns `true` if no link is on the way from one folder down to another.
#[cfg(unix)]
fn is_without_links(folder: &Path, top: &Path) -> bool {
    folder.ancestors().take_while(|above| *above != top).all(|above| !above.is_symlink())
}

/// Returns `true` if a path stays below the folder that it is joined to, and is none of git's own files.
fn is_safe(path: &str) -> bool {
    let mut parts = Path::new(path).components();
    !path.contains('\0')
        && parts.all(|part| matches!(part, Component::Normal(name) if !name.eq_ignore_ascii_case(".git")))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]
    use std::io::Write;
    use std::process::{Command, Stdio};

    use super::*;

    /// Runs git in a folder with this input, and returns its output.
    fn git(folder: &Path, arguments: &[&str], input: &[u8]) -> String {
        let mut command = Command::new("git");
        command.args(arguments).current_dir(folder).env("GIT_CONFIG_GLOBAL", "/dev/null");
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{arguments:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// Writes a tree, which may be one that git itself would not make.
    fn tree(folder: &Path, entries: &[(&str, &str, &str)]) -> String {
        let mut bytes = Vec::new();
        for (mode, name, id) in entries {
            bytes.extend(format!("{mode} {name}\0").into_bytes());
            bytes.extend((0..id.len() / 2).map(|at| u8::from_str_radix(&id[2 * at..2 * at + 2], 16).unwrap()));
        }
        git(folder, &["hash-object", "-t", "tree", "-w", "--stdin", "--literally"], &bytes)
    }

    #[test]
    #[cfg(unix)]
    fn nothing_is_written_outside_of_the_folder() {
        let repository = tempfile::tempdir().unwrap();
        let folder = repository.path();
        git(folder, &["init", "-q"], b"");
        let blob = |text: &str| git(folder, &["hash-object", "-w", "--stdin"], text.as_bytes());
        let text = blob("text");
        let outside = tempfile::tempdir().unwrap();
        let away = blob(outside.path().to_str().unwrap());
        let inner = tree(folder, &[("100644", "a.yml", &text), ("100644", "..", &text)]);
        let top = tree(
            folder,
            &[
                ("40000", "..", &inner),
                ("40000", ".GIT", &inner),
                ("40000", "d", &inner),
                // A link and a folder of one name.
                ("40000", "x", &inner),
                ("120000", "x", &away),
                ("120000", "absolute", &away),
                ("120000", "above", &blob("../../etc")),
                ("120000", "dangling", &blob("nowhere")),
                ("120000", "loop", &blob("loop")),
                ("120000", "file", &blob("d/a.yml")),
                ("120000", "folder", &blob("./d/")),
            ],
        );
        let checkout = Checkout::of(&Repository::new(folder), &top).unwrap();
        let mut names: Vec<_> =
            fs::read_dir(checkout.folder()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["d", "file", "folder", "x"]);
        for path in ["d/a.yml", "file", "folder/a.yml", "x/a.yml"] {
            assert_eq!(fs::read(checkout.at(Path::new(path)).unwrap()).unwrap(), b"text", "{path}");
        }
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
        assert_eq!(checkout.at(Path::new("absolute")), None);
    }
}
