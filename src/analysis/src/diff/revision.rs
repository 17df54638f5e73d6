//! Rule sets of git revisions, as `git diff` takes them: `A..B`, `A..`, `A...B` from where B left A, and `A` up to the files of the folder.

use std::path::Path;
use std::sync::Arc;

use crate::git::config::{Parts, check_paths, fetch, in_folder, parts, quoted, read};
use crate::git::{Error, Repository};

const HELP: &str =
    "check the paths: they are relative to the present folder, and symbolic links are followed within the repository";

/// The texts of a config.
pub struct Texts {
    /// The revision's name.
    pub name: String,
    /// The texts with the names of their files, in the order in which they are merged; templates as they are written.
    pub files: Vec<(String, Arc<str>)>,
}

/// The texts of both sides of a revision or range. `configs` are pathspecs, relative to `folder`, and URLs, which are fetched once.
///
/// # Errors
/// Git's; a side without files; a file or URL that cannot be read.
pub fn inputs(folder: &Path, revision: &str, configs: &[String]) -> Result<[Texts; 2], Error> {
    check_paths(configs)?;
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
    let urls = fetch(configs)?;
    let revisions: Vec<String> = std::iter::once(old).chain(new.clone()).collect();
    let mut trees = Vec::new();
    for revision in &revisions {
        trees.push(git.tree(revision)?);
    }
    let trees: Vec<&str> = trees.iter().map(String::as_str).collect();
    let Parts { sets, mut missing, .. } = parts(&git, &trees, configs)?;
    let sets: Vec<_> = sets.iter().collect();
    let mut sides = read(&sets, &urls, &mut git.blobs()?, &mut Default::default())?;
    let mut names: Vec<String> = revisions;
    if new.is_none() {
        names.push("the working tree".to_owned());
        let (texts, not_there) = in_folder(&git, folder, configs, &urls)?;
        sides.push(texts);
        missing.retain(|path| not_there.contains(path));
    }
    // A path that is in one of them was added or removed; one that is in neither would be compared with nothing.
    if !missing.is_empty() {
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        let message = format!("no config file is at {} in {}", quoted(&missing), names.join(" or "));
        return Err(Error::new(message, HELP));
    }
    let mut texts = names.into_iter().zip(sides).map(|(name, texts)| {
        let files =
            texts.map_err(|error| Error::new(format!("the config of `{name}` cannot be read: {error}"), HELP))?;
        Ok(Texts { name, files })
    });
    match (texts.next(), texts.next()) {
        (Some(old), Some(new)) => Ok([old?, new?]),
        _ => Err(Error::new(format!("git knows no `{revision}`"), "write `main..`, `v1..v2` or one revision")),
    }
}
