//! The files of a commit in a folder of their own: templates and settings name files that only what reads them knows of.
//!
//! The repository may be a stranger's. Files are written before links, so that none is written through a link, and only links that lead to
//! something in the commit are made.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use tempfile::TempDir;

use super::links::{Listing, Trees};
use super::{Error, Repository, unwritable};

/// The largest file that is written, in bytes: configs, templates and what these include are texts.
const LARGEST: u64 = 4 << 20;
/// The most bytes that are written.
const MOST: u64 = 1 << 30;
/// The most files that are written.
const MOST_FILES: usize = 200_000;

/// The files of a commit in a temporary folder, which is removed with this.
pub struct Checkout {
    folder: TempDir,
    trees: Trees,
    /// The files in the folder by path, each with its text's id and length.
    files: BTreeMap<String, (String, u64)>,
    /// The paths of links in the folder.
    links: Vec<PathBuf>,
}

impl Checkout {
    /// Writes the files and links of a tree, without files of more than 4 MiB and those that a partial clone lacks.
    ///
    /// # Errors
    /// Git's, too many files, or the folder cannot be written.
    pub fn of(git: &Repository, tree: &str) -> Result<Self, Error> {
        let mut checkout = Self::empty(git)?;
        checkout.turn_to(tree)?;
        Ok(checkout)
    }

    /// A folder without files.
    ///
    /// # Errors
    /// Git cannot be run, or there is no room for temporary files.
    pub fn empty(git: &Repository) -> Result<Self, Error> {
        let folder = tempfile::Builder::new().prefix("tpvc-").tempdir().map_err(|error| unwritable(&error))?;
        Ok(Self { folder, trees: Trees::new(git)?, files: BTreeMap::new(), links: Vec::new() })
    }

    /// Replaces the files and links by those of another tree. Files that are the same in both are left alone.
    ///
    /// # Errors
    /// As for [`Self::of`].
    pub fn turn_to(&mut self, tree: &str) -> Result<(), Error> {
        let listing = self.trees.entries(tree)?;
        let too_much = || {
            Error::new(
                format!("the tree `{tree}` is too large to be read as a whole"),
                "compare artifacts, which `tpvc compile` writes",
            )
        };
        self.remove_others(&listing);
        let mut room = MOST.checked_sub(self.files.values().map(|(_, length)| *length).sum()).ok_or_else(too_much)?;
        for (number, (path, blob)) in listing.files().enumerate().filter(|(_, (path, _))| is_safe(path)) {
            if self.files.contains_key(path) {
                continue;
            }
            let text = match self.trees.blobs.read(blob, LARGEST) {
                Ok(Some(text)) => text,
                Err(error) if !error.is_missing => return Err(error),
                Ok(None) | Err(_) => continue,
            };
            let length = text.len() as u64;
            room = room.checked_sub(length).filter(|_| number < MOST_FILES).ok_or_else(too_much)?;
            written(&self.folder().join(path), |path| fs::write(path, text)).map_err(|error| unwritable(&error))?;
            self.files.insert(path.to_owned(), (blob.to_owned(), length));
        }
        #[cfg(unix)]
        for (path, target) in listing.links().filter(|(path, _)| is_safe(path)) {
            let path = self.folder().join(path);
            // Of an odd tree that has a link and a folder of one name, a link in that folder would be at another depth.
            let link = |path: &Path| match path.parent().is_some_and(|above| is_without_links(above, self.folder())) {
                true => std::os::unix::fs::symlink(target, path),
                false => Ok(()),
            };
            written(&path, link).map_err(|error| unwritable(&error))?;
            self.links.push(path);
        }
        Ok(())
    }

    /// Removes all links, and the files that another tree does not have or has with another text, with folders that are empty then.
    fn remove_others(&mut self, listing: &Listing) {
        // Without links, no path leads out of the folder.
        for link in self.links.drain(..).filter(|link| link.is_symlink()) {
            let _ = fs::remove_file(link);
        }
        let kept: BTreeMap<&str, &str> = listing.files().collect();
        let folder = self.folder.path();
        self.files.retain(|path, (blob, _)| {
            let is_kept = kept.get(path.as_str()) == Some(&blob.as_str());
            if !is_kept {
                let path = folder.join(path);
                let _ = fs::remove_file(&path);
                let above = path.ancestors().skip(1).take_while(|above| *above != folder);
                let _ = above.map(fs::remove_dir).take_while(Result::is_ok).count();
            }
            is_kept
        });
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

    #[test]
    #[cfg(unix)]
    fn another_tree_leaves_nothing_of_the_one_before() {
        let repository = tempfile::tempdir().unwrap();
        let folder = repository.path();
        git(folder, &["init", "-q"], b"");
        let blob = |text: &str| git(folder, &["hash-object", "-w", "--stdin"], text.as_bytes());
        let (one, two, link) = (blob("one"), blob("two"), blob("b"));
        let inner = tree(folder, &[("100644", "x", &one)]);
        // `a` is a folder, a link to one, and a file; `b` changes what is in it.
        let other = tree(folder, &[("100644", "x", &two)]);
        let trees = [
            tree(folder, &[("40000", "a", &inner), ("40000", "b", &inner), ("100644", "c", &one)]),
            tree(folder, &[("120000", "a", &link), ("40000", "b", &other), ("100644", "c", &one)]),
            tree(folder, &[("100644", "a", &two)]),
        ];
        let expected = ["a/x one, b/x one, c one", "a/x two, b/x two, c one", "a two"];
        let mut checkout = Checkout::empty(&Repository::new(folder)).unwrap();
        for at in [0, 1, 2, 1, 0, 2, 0] {
            checkout.turn_to(&trees[at]).unwrap();
            let read = |path: &&str| {
                let text = fs::read_to_string(checkout.folder().join(path));
                text.ok().map(|text| format!("{path} {text}"))
            };
            let found: Vec<String> = ["a", "a/x", "b", "b/x", "c"].iter().filter_map(read).collect();
            assert_eq!(found.join(", "), expected[at]);
            assert_eq!(checkout.folder().join("b").exists(), at != 2);
        }
    }
}
