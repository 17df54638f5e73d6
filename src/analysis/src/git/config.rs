//! Configs of commits: the files that arguments name in a tree, in the order in which they are merged.

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use super::links::{self, Links, Trees};
use super::{Blobs, Error, File, Repository};
use tpv_text::source::{Limits, SourceMap, is_url};

/// A part of a config at a commit, in the order of merging.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum Part {
    /// A file of the commit.
    File(File),
    /// A URL or a file outside of the repository, by its index among those of the command.
    Given(usize),
}

/// Refuses arguments that name no file of the repository.
///
/// # Errors
/// Git's, or none of them is a pathspec that includes something.
pub fn check_paths(git: &Repository, configs: &[String]) -> Result<(), Error> {
    for config in configs.iter().filter(|config| !is_excluding(config)) {
        if !is_given(git, config)? || is_in_submodule(git, Path::new(config))? {
            return Ok(());
        }
    }
    Err(Error::new("no file of the repository is named", "name the config's files behind `--`: `-- tpv/*.yml`"))
}

/// The files and URLs of a config in several trees.
#[derive(Default)]
pub struct Parts {
    /// Of each tree.
    pub sets: Vec<Vec<Part>>,
    /// Of each tree the paths, patterns apart, that name no file in it.
    pub lacking: Vec<Vec<String>>,
    /// The pathspecs that name no file in any of the trees.
    pub missing: Vec<String>,
    /// The links that paths lead through, and what these lead to.
    pub trail: BTreeSet<String>,
}

/// Finds the files and URLs of a config in each of these trees. `configs` are pathspecs of git, URLs and paths outside of the repository, later over earlier; the files that one pathspec
/// names are merged in the order of their names, and of a folder those are taken that end in `.yml` or `.yaml`, and templates of such.
/// Symbolic links are followed within a tree.
///
/// # Errors
/// Git's.
pub fn parts(git: &Repository, trees: &[&str], configs: &[String]) -> Result<Parts, Error> {
    let mut places = Vec::new();
    for config in configs.iter().filter(|config| !is_excluding(config)) {
        places.push(Place { config, trees: None, matching: HashMap::new(), is_there: false });
    }
    for place in &mut places {
        if is_given(git, place.config)? {
            continue;
        }
        place.trees = Some(git.files(trees, &with_excluding(place.config, configs))?.into_iter());
    }
    let (mut reader, prefix) = (Trees::new(git)?, git.prefix()?);
    let mut parts = Parts { sets: Vec::with_capacity(trees.len()), ..Parts::default() };
    for tree in trees {
        let links = reader.links(tree)?;
        let (mut set, mut given, mut lacking) = (Vec::new(), 0.., Vec::new());
        for place in &mut places {
            let Some(trees) = &mut place.trees else {
                set.extend(given.next().map(Part::Given));
                continue;
            };
            let mut files = trees.next().unwrap_or_default();
            if let Some(links) = &links {
                let through = place.through(git, links, &prefix, configs, files.is_empty())?;
                parts.trail.extend(links.trail(&place.start(&prefix)));
                through.iter().for_each(|file| parts.trail.extend(links.trail(&file.path)));
                files.extend(through);
            }
            let files = chosen(place.config, files);
            if files.is_empty() && !is_pattern(place.config) {
                lacking.push(place.config.clone());
            }
            for file in files {
                place.is_there = true;
                // A file that two arguments name stands where the first of them does.
                if !set.iter().any(|part| matches!(part, Part::File(other) if other.real == file.real)) {
                    set.push(Part::File(file));
                }
            }
        }
        parts.sets.push(set);
        parts.lacking.push(lacking);
    }
    parts.missing = places.into_iter().filter_map(Place::missing).collect();
    Ok(parts)
}

/// An argument, and what it names.
struct Place<'a> {
    config: &'a String,
    /// The files of each tree, links apart; `None` for what is the same in all.
    trees: Option<std::vec::IntoIter<Vec<File>>>,
    /// The files below links that it names, by all that there are: mostly they are the same in all trees.
    matching: HashMap<Vec<String>, HashSet<String>>,
    /// It names a file somewhere.
    is_there: bool,
}

impl Place<'_> {
    /// The argument, if it names no file anywhere.
    fn missing(self) -> Option<String> {
        (self.trees.is_some() && !self.is_there).then(|| self.config.clone())
    }

    /// The files that it names through links, with paths from the top. `alone`: it names no others.
    fn through(
        &mut self,
        git: &Repository,
        links: &Links,
        prefix: &str,
        configs: &[String],
        alone: bool,
    ) -> Result<Vec<File>, Error> {
        let matching = match self.matching.entry(links.files.iter().map(|file| file.path.clone()).collect()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => {
                let matching = git.matching(new.key(), &with_excluding(self.config, configs))?;
                new.insert(matching)
            }
        };
        let mut files: Vec<File> = links.files.iter().filter(|file| matching.contains(&file.path)).cloned().collect();
        // A path may lead through a link that leads nowhere, or through one to a folder around it, which has no end of files.
        if alone && files.is_empty() && !is_pattern(self.config) {
            files.extend(links.unlisted(&self.start(prefix)));
        }
        Ok(files)
    }

    /// The path, or of a pattern the folder that it begins with, from the top.
    fn start(&self, prefix: &str) -> String {
        let end = self.config.find(['*', '?', '[', ':']);
        let start = end.map_or(self.config.as_str(), |end| {
            let plain = self.config.get(..end).unwrap_or_default();
            plain.rsplit_once('/').map_or("", |(folder, _)| folder)
        });
        Path::new(prefix).join(start).to_string_lossy().into_owned()
    }
}

/// Those of the files at a pathspec that are configs, by name. A file that is also named through links is one, under its own name.
fn chosen(pathspec: &str, mut files: Vec<File>) -> Vec<File> {
    files.retain(|file| is_meant(pathspec, &file.path));
    files.sort_by(|one, other| (one.path != one.real, &one.path).cmp(&(other.path != other.real, &other.path)));
    let mut seen = HashSet::new();
    files.retain(|file| seen.insert(file.real.clone()));
    files.sort_by(|one, other| one.path.cmp(&other.path));
    files
}

/// A pathspec with those that leave files out.
fn with_excluding<'a>(config: &'a str, configs: &'a [String]) -> Vec<&'a str> {
    let excluding = configs.iter().map(String::as_str).filter(|config| is_excluding(config));
    std::iter::once(config).chain(excluding).collect()
}

/// Returns `true` if a pathspec excludes files: it means nothing on its own.
fn is_excluding(path: &str) -> bool {
    let magic = path.strip_prefix(":(").and_then(|rest| rest.split_once(')')).map_or("", |(magic, _)| magic);
    path.starts_with(":!") || path.starts_with(":^") || magic.split(',').any(|word| word == "exclude")
}

/// Returns `true` if a pathspec is more than a path.
fn is_pattern(pathspec: &str) -> bool {
    pathspec.starts_with(':') || pathspec.contains(['*', '?', '['])
}

/// Returns `true` if a file named by a pathspec is a config: not all files of a folder are.
fn is_meant(pathspec: &str, path: &str) -> bool {
    let is_named = Path::new(pathspec).file_name() == Path::new(path).file_name();
    // A template of a config is one, too.
    let name = path.strip_suffix(".j2").unwrap_or(path);
    is_pattern(pathspec) || is_named || name.ends_with(".yml") || name.ends_with(".yaml")
}

/// Returns `true` if a config is a URL or a path that leads out of the repository: it is the same for all commits.
///
/// # Errors
/// Git's.
pub fn is_given(git: &Repository, config: &str) -> Result<bool, Error> {
    if is_url(config) {
        return Ok(true);
    }
    let leads_away = |path: &str| path.starts_with('/') || path.split('/').any(|part| part == "..");
    if !config.starts_with(':') && leads_away(config) && git.from_top(Path::new(config))?.is_none() {
        return Ok(true);
    }
    Ok(!is_pattern(config) && is_in_submodule(git, Path::new(config))?)
}

/// Returns `true` for a path below the folder of a submodule that is checked out. Commits have only the id of its commit, so that its files are read as they are now.
fn is_in_submodule(git: &Repository, path: &Path) -> Result<bool, Error> {
    let Some(inside) = git.from_top(path)? else { return Ok(false) };
    let top = git.top()?;
    let mut above = inside.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty());
    Ok(above.any(|folder| top.join(folder).join(".git").exists()))
}

/// The texts of the configs that are the same for all commits, in order. `sources` reads them and fills no template in.
///
/// # Errors
/// One cannot be fetched or read.
pub fn given(git: &Repository, configs: &[String], mut sources: SourceMap) -> Result<Vec<(String, Arc<str>)>, Error> {
    let mut urls: Vec<&str> = Vec::new();
    for config in configs {
        if is_given(git, config)? {
            urls.push(config);
        }
    }
    let loaded = sources.load_all(&urls, &Limits::default());
    let (mut texts, mut errors, mut help) = (Vec::new(), Vec::new(), String::new());
    for (url, loaded) in urls.into_iter().zip(loaded) {
        match loaded {
            Ok(id) => {
                let text = sources.get(id).map(|source| source.text.clone()).unwrap_or_default();
                texts.push((url.to_owned(), text));
            }
            Err(error) => {
                error.help().clone_into(&mut help);
                let what = if is_url(url) { "fetch" } else { "read" };
                errors.push(format!("cannot {what} `{}`: {error}", tpv_text::source::redacted(url)));
            }
        }
    }
    if errors.is_empty() { Ok(texts) } else { Err(Error::new(errors.join("; "), help)) }
}

/// The names and texts of a config, or why it cannot be read.
pub(crate) type Texts = Result<Vec<(String, Arc<str>)>, String>;

/// The texts of some configs. `texts` are those of the configs before: from one commit to the next, most files stay the same.
pub fn read(
    sets: &[&Vec<Part>],
    given: &[(String, Arc<str>)],
    blobs: &mut Blobs,
    texts: &mut HashMap<String, Result<Arc<str>, String>>,
) -> Result<Vec<Texts>, Error> {
    let mut used = HashMap::new();
    let mut inputs = Vec::with_capacity(sets.len());
    for set in sets {
        let mut input: Texts = Ok(Vec::new());
        for part in *set {
            let (name, text) = match part {
                Part::Given(number) => match given.get(*number) {
                    Some((name, text)) => (name, Ok(text.clone())),
                    None => continue,
                },
                Part::File(file) => {
                    if let Some(why) = &file.broken {
                        input = input.and_then(|_| Err(not_in_repository(&file.path, why)));
                        continue;
                    }
                    let known = used.get(&file.blob).or_else(|| texts.get(&file.blob)).cloned();
                    let text = match known {
                        Some(text) => text,
                        None => text_of(blobs, &file.blob)?,
                    };
                    used.insert(file.blob.clone(), text.clone());
                    (&file.path, text)
                }
            };
            match (&mut input, text) {
                (Ok(input), Ok(text)) => input.push((name.clone(), text)),
                (Ok(_), Err(error)) => input = Err(format!("`{name}` {error}")),
                (Err(_), _) => {}
            }
        }
        if set.is_empty() {
            input = Err(NOTHING.to_owned());
        }
        inputs.push(input);
    }
    *texts = used;
    Ok(inputs)
}

/// The names and texts of the config as it is in the folder now, and the pathspecs that name no file.
pub(crate) fn in_folder(
    git: &Repository,
    folder: &Path,
    configs: &[String],
    given: &[(String, Arc<str>)],
) -> Result<(Texts, Vec<String>), Error> {
    let mut sources = SourceMap::new();
    let (links, prefix) = (links::of_folder(git)?, git.prefix()?);
    let (mut texts, mut given, mut missing) = (Vec::<(String, Arc<str>)>::new(), given.iter(), Vec::new());
    let mut seen = HashSet::new();
    for config in configs.iter().filter(|config| !is_excluding(config)) {
        if is_given(git, config)? {
            texts.extend(given.next().cloned());
            continue;
        }
        let file = |path: String| File { real: path.clone(), path, blob: String::new(), broken: None };
        let mut files: Vec<File> = git.present(&with_excluding(config, configs))?.into_iter().map(file).collect();
        // Git lists what was removed since the last commit, too.
        files.retain(|file| folder.join(&file.path).symlink_metadata().is_ok_and(|data| !data.is_symlink()));
        if let Some(links) = &links {
            let mut place = Place { config, trees: None, matching: HashMap::new(), is_there: false };
            let through = place.through(git, links, &prefix, configs, files.is_empty())?;
            let here = |file: File| (below(&prefix, &file.path), below(&prefix, &file.real), file);
            files.extend(through.into_iter().map(here).map(|(path, real, file)| File { path, real, ..file }));
        }
        let files = chosen(config, files);
        if files.is_empty() {
            missing.push(config.clone());
        }
        for File { path, real, broken, .. } in files {
            if !seen.insert(real) {
                continue;
            }
            if let Some(why) = broken {
                return Ok((Err(not_in_repository(&path, &why)), missing));
            }
            let text = match sources.load(&folder.join(&path).to_string_lossy(), &Limits::default()) {
                Ok(id) => sources.get(id).map(|source| source.text.clone()).unwrap_or_default(),
                Err(error) => return Ok((Err(format!("`{path}`: {error}")), missing)),
            };
            texts.push((path, text));
        }
    }
    Ok((if texts.is_empty() { Err(NOTHING.to_owned()) } else { Ok(texts) }, missing))
}

/// A path from the top as one from a folder, whose own is `prefix`.
fn below(prefix: &str, path: &str) -> String {
    match path.strip_prefix(prefix) {
        Some(rest) => rest.to_owned(),
        None => "../".repeat(prefix.matches('/').count()) + path,
    }
}

fn not_in_repository(path: &str, why: &str) -> String {
    format!("`{path}` is not in the repository: {why}")
}

/// Paths as a message lists them.
pub fn quoted(paths: &[String]) -> String {
    paths.iter().map(|path| format!("`{path}`")).collect::<Vec<_>>().join(", ")
}

/// The message if none of a config's files exists.
const NOTHING: &str = "none of the files is there";

fn text_of(blobs: &mut Blobs, id: &str) -> Result<Result<Arc<str>, String>, Error> {
    let most = Limits::default().bytes;
    Ok(match blobs.read(id, most)?.map(String::from_utf8) {
        Some(Ok(text)) => Ok(text.into()),
        Some(Err(_)) => Err("is not UTF-8 text".to_owned()),
        None => Err(format!("is larger than {} MiB", most >> 20)),
    })
}
