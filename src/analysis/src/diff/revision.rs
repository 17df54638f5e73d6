//! Rule sets of git revisions, as `git diff` takes them: `A..B`, `A..`, `A...B` from where B left A, and `A` up to the files of the folder.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::git::checkout::Checkout;
use crate::git::config::{self, Parts, check_paths, in_folder, parts, quoted, read};
use crate::git::{Error, Repository};
use tpv_config::template::Remotes;
use tpv_text::source::SourceMap;

const HELP: &str = "check the paths: relative paths start in the current folder, and symbolic links are followed within the repository";

/// The texts of a config.
pub struct Texts {
    /// The revision's name.
    pub name: String,
    /// The texts with the names of their files, in the order in which they are merged; templates as they are written.
    pub files: Vec<(String, Arc<str>)>,
    /// The paths that name no file in this revision.
    pub missing: Vec<String>,
}

/// A revision, or the files of the working tree.
pub struct Revision {
    /// The name in messages.
    pub name: String,
    /// The id of its tree. `None` for the working tree.
    tree: Option<String>,
    folder: PathBuf,
}

impl Revision {
    /// A revision of the repository in or above a folder.
    ///
    /// # Errors
    /// Git does not know it.
    pub fn of(folder: &Path, name: &str) -> Result<Self, Error> {
        let tree = Some(Repository::new(folder).tree(name)?);
        Ok(Self { name: name.to_owned(), tree, folder: folder.to_owned() })
    }

    /// Both sides of a revision or range.
    ///
    /// # Errors
    /// Git's.
    pub fn sides(folder: &Path, revision: &str) -> Result<[Self; 2], Error> {
        let git = Repository::new(folder);
        let or_head = |name: &str| if name.is_empty() { "HEAD".to_owned() } else { name.to_owned() };
        let (old, new) = if let Some((old, new)) = revision.split_once("...") {
            let (old, new) = (or_head(old), or_head(new));
            (git.merge_base(&old, &new)?, Some(new))
        } else if let Some((old, new)) = revision.split_once("..") {
            (or_head(old), Some(or_head(new)))
        } else {
            (or_head(revision), None)
        };
        let new = match new {
            Some(new) => Self::of(folder, &new)?,
            None => Self { name: "the working tree".to_owned(), tree: None, folder: folder.to_owned() },
        };
        Ok([Self::of(folder, &old)?, new])
    }

    /// All files of the revision in a folder of their own. `None` for the working tree.
    ///
    /// # Errors
    /// Git's, or the folder cannot be written.
    pub fn checkout(&self) -> Result<Option<Checkout>, Error> {
        self.tree.as_ref().map(|tree| Checkout::of(&Repository::new(&self.folder), tree)).transpose()
    }

    /// The texts of a config, with the pathspecs that name no file. `given` are the texts that are the same for all revisions.
    #[expect(clippy::type_complexity, reason = "as the functions for one side have it")]
    fn texts(
        &self,
        git: &Repository,
        configs: &[String],
        given: &[(String, Arc<str>)],
    ) -> Result<(Result<Vec<(String, Arc<str>)>, String>, Vec<String>), Error> {
        let Some(tree) = &self.tree else { return in_folder(git, &self.folder, configs, given) };
        let Parts { sets, missing, .. } = parts(git, &[tree], configs)?;
        let mut texts = read(&sets.iter().collect::<Vec<_>>(), given, &mut git.blobs()?, &mut Default::default())?;
        Ok((texts.pop().unwrap_or_else(|| Ok(Vec::new())), missing))
    }
}

/// The texts of two revisions. `configs` are the pathspecs of each, relative to the folder, URLs and paths outside of the repository; what both
/// have of the latter is read once. `remotes` are the copies of URLs of each.
///
/// # Errors
/// Git's; a side without files; a path that is in neither; a file or URL that cannot be read.
pub fn texts(revisions: &[Revision; 2], configs: [&[String]; 2], remotes: [&Remotes; 2]) -> Result<[Texts; 2], Error> {
    let ([old, new], [old_configs, new_configs]) = (revisions, configs);
    let git = Repository::new(&old.folder);
    check_paths(&git, old_configs)?;
    check_paths(&git, new_configs)?;
    let given = |configs: &[String], remotes: &Remotes| {
        config::given(&git, configs, SourceMap::filling(Arc::new(remotes.clone())))
    };
    let [old_remotes, new_remotes] = remotes;
    let of_old = given(old_configs, old_remotes)?;
    let is_same = old_configs == new_configs && old_remotes == new_remotes;
    let of_new = if is_same { of_old.clone() } else { given(new_configs, new_remotes)? };
    let (old_texts, missing) = old.texts(&git, old_configs, &of_old)?;
    let (new_texts, new_missing) = new.texts(&git, new_configs, &of_new)?;
    // A path that is in one of them was added or removed; one that is in neither would be compared with nothing.
    let gone = missing.iter().filter(|path| !new_configs.contains(path) || new_missing.contains(path));
    let nowhere: Vec<String> =
        gone.chain(new_missing.iter().filter(|path| !old_configs.contains(path))).cloned().collect();
    if !nowhere.is_empty() {
        let message = format!("no config file is at {} in `{}` or `{}`", quoted(&nowhere), old.name, new.name);
        return Err(Error::new(message, HELP));
    }
    let side = |revision: &Revision, texts: Result<Vec<_>, String>, missing| {
        let name = revision.name.clone();
        let files =
            texts.map_err(|error| Error::new(format!("the config of `{name}` cannot be read: {error}"), HELP))?;
        Ok(Texts { name, files, missing })
    };
    Ok([side(old, old_texts, missing)?, side(new, new_texts, new_missing)?])
}
