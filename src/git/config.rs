//! Configs of commits: the files that arguments name in a tree, in the order in which they are merged.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use super::{Blobs, Error, File, Repository};
use crate::source::{Limits, SourceMap, is_url};

/// What a config is made of at a commit, in the order in which it is merged.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) enum Part {
    File(File),
    Url(usize),
}

/// Refuses arguments that name no file of the repository.
///
/// # Errors
/// None of them is a pathspec that includes something.
pub(crate) fn check_paths(configs: &[String]) -> Result<(), Error> {
    if configs.iter().any(|config| !is_url(config) && !is_excluding(config)) {
        return Ok(());
    }
    Err(Error::new("no file of the repository is named", "name the config's files behind `--`: `-- tpv/*.yml`"))
}

/// What the config is made of in each of these trees. `configs` are pathspecs of git and URLs, later over earlier; the files that one pathspec
/// names are merged in the order of their names, and of a folder those are taken that end in `.yml` or `.yaml`, and templates of such.
///
/// # Errors
/// Git's.
pub(crate) fn parts(git: &Repository, trees: &[&str], configs: &[String]) -> Result<Vec<Vec<Part>>, Error> {
    let excluding: Vec<&str> = configs.iter().map(String::as_str).filter(|config| is_excluding(config)).collect();
    let mut sets: Vec<Vec<Part>> = vec![Vec::new(); trees.len()];
    let mut urls = 0..;
    for config in configs.iter().filter(|config| !is_excluding(config)) {
        if is_url(config) {
            let part = urls.next().map(Part::Url);
            sets.iter_mut().for_each(|set| set.extend(part.clone()));
            continue;
        }
        let with_excluding: Vec<&str> = std::iter::once(config.as_str()).chain(excluding.iter().copied()).collect();
        for (set, files) in sets.iter_mut().zip(git.files(trees, &with_excluding)?) {
            for file in files.into_iter().filter(|file| is_meant(config, &file.path)) {
                let part = Part::File(file);
                // A file that two arguments name stands where the first of them does.
                if !set.contains(&part) {
                    set.push(part);
                }
            }
        }
    }
    Ok(sets)
}

/// Whether a pathspec leaves files out: it says nothing on its own.
fn is_excluding(path: &str) -> bool {
    let magic = path.strip_prefix(":(").and_then(|rest| rest.split_once(')')).map_or("", |(magic, _)| magic);
    path.starts_with(":!") || path.starts_with(":^") || magic.split(',').any(|word| word == "exclude")
}

/// Whether a file that a pathspec names is a config: of a folder, not all files are.
fn is_meant(pathspec: &str, path: &str) -> bool {
    let is_pattern = pathspec.starts_with(':') || pathspec.contains(['*', '?', '[']);
    let is_named = Path::new(pathspec).file_name() == Path::new(path).file_name();
    // A template of a config is one, too.
    let name = path.strip_suffix(".j2").unwrap_or(path);
    is_pattern || is_named || name.ends_with(".yml") || name.ends_with(".yaml")
}

/// The texts behind the URLs, in order.
pub(crate) fn fetch(configs: &[String]) -> Result<Vec<(String, Arc<str>)>, Error> {
    let urls = configs.iter().filter(|config| is_url(config)).map(|url| {
        let mut sources = SourceMap::new();
        let id = sources.load(url, &Limits::default());
        let id = id.map_err(|error| {
            Error::new(format!("cannot fetch `{}`: {error}", crate::source::redacted(url)), error.help())
        })?;
        Ok((url.clone(), sources.get(id).map(|source| source.text.clone()).unwrap_or_default()))
    });
    urls.collect()
}

/// The names and texts of a config, or why it cannot be read.
pub(crate) type Texts = Result<Vec<(String, Arc<str>)>, String>;

/// The texts of some configs. `texts` are those of the configs before: from one commit to the next, most files stay the same.
pub(crate) fn read(
    sets: &[&Vec<Part>],
    urls: &[(String, Arc<str>)],
    blobs: &mut Blobs,
    texts: &mut HashMap<String, Result<Arc<str>, String>>,
) -> Result<Vec<Texts>, Error> {
    let mut used = HashMap::new();
    let mut inputs = Vec::with_capacity(sets.len());
    for set in sets {
        let mut input: Texts = Ok(Vec::new());
        for part in *set {
            let (name, text) = match part {
                Part::Url(number) => match urls.get(*number) {
                    Some((name, text)) => (name, Ok(text.clone())),
                    None => continue,
                },
                Part::File(file) => {
                    let known = used.get(&file.blob).or_else(|| texts.get(&file.blob)).cloned();
                    let text = match known {
                        Some(text) => text,
                        None => text_of(blobs, &file.blob)?,
                    };
                    used.insert(file.blob.clone(), text.clone());
                    (&file.path, if file.is_link { Err("is a symbolic link".to_owned()) } else { text })
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

/// The names and texts of the config as it is in the folder now.
pub(crate) fn in_folder(
    git: &Repository,
    folder: &Path,
    configs: &[String],
    urls: &[(String, Arc<str>)],
) -> Result<Texts, Error> {
    let excluding: Vec<&str> = configs.iter().map(String::as_str).filter(|config| is_excluding(config)).collect();
    let mut sources = SourceMap::new();
    let (mut texts, mut urls) = (Vec::<(String, Arc<str>)>::new(), urls.iter());
    for config in configs.iter().filter(|config| !is_excluding(config)) {
        if is_url(config) {
            texts.extend(urls.next().cloned());
            continue;
        }
        let with_excluding: Vec<&str> = std::iter::once(config.as_str()).chain(excluding.iter().copied()).collect();
        for path in git.present(&with_excluding)?.into_iter().filter(|path| is_meant(config, path)) {
            // Git lists what was removed since the last commit, too.
            let file = folder.join(&path);
            if !file.exists() || texts.iter().any(|(name, _)| *name == path) {
                continue;
            }
            let text = match sources.load(&file.to_string_lossy(), &Limits::default()) {
                Ok(id) => sources.get(id).map(|source| source.text.clone()).unwrap_or_default(),
                Err(error) => return Ok(Err(format!("`{path}`: {error}"))),
            };
            texts.push((path, text));
        }
    }
    Ok(if texts.is_empty() { Err(NOTHING.to_owned()) } else { Ok(texts) })
}

/// Why there is no config where no file is.
const NOTHING: &str = "none of the files is there";

fn text_of(blobs: &mut Blobs, id: &str) -> Result<Result<Arc<str>, String>, Error> {
    let most = Limits::default().bytes;
    Ok(match blobs.read(id, most)?.map(String::from_utf8) {
        Some(Ok(text)) => Ok(text.into()),
        Some(Err(_)) => Err("is not UTF-8 text".to_owned()),
        None => Err(format!("is larger than {} MiB", most >> 20)),
    })
}
