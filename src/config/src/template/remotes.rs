//! Texts in the place of those that URLs give: copies, such as a clone of their repository, and those of a lock.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tpv_text::source::{Fill, Filled, Limits, SourceError, Unfilled, read_path};

use crate::lock::{Found, Lock};

/// A file or folder.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Copy {
    path: PathBuf,
    /// The path in messages.
    shown: PathBuf,
}

/// The text that was read for a URL.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Instead {
    /// A copy that the settings name.
    Copy(PathBuf),
    /// The one that this lock has had since a day.
    Locked(PathBuf, String),
    /// The one that this lock has, fetched again because its cache lacks it.
    Fetched(PathBuf),
    /// One that this lock does not have.
    Unlocked(PathBuf),
}

/// The texts that are read in place of URLs. A clone shares what was used.
#[derive(Clone, Debug, Default)]
pub struct Remotes {
    copies: BTreeMap<String, Copy>,
    lock: Option<Arc<Lock>>,
    used: Arc<Mutex<BTreeMap<String, Instead>>>,
}

impl Remotes {
    /// The copies: of a URL a file, or of a URL that ends in `/` a folder with all that is below it.
    pub fn new(copies: BTreeMap<String, PathBuf>) -> Self {
        let copies = copies.into_iter().map(|(url, path)| (url, Copy { shown: path.clone(), path })).collect();
        Self { copies, ..Self::default() }
    }

    /// The same copies, and this lock for the other URLs.
    #[must_use]
    pub fn locked(&self, lock: Option<Arc<Lock>>) -> Self {
        Self { copies: self.copies.clone(), lock, used: Arc::default() }
    }

    /// The lock.
    pub fn lock(&self) -> Option<&Arc<Lock>> {
        self.lock.as_ref()
    }

    /// The same URLs, with the paths that `place` gives for each, the second for messages.
    #[must_use]
    pub fn at(&self, place: impl Fn(&Path) -> (PathBuf, PathBuf)) -> Self {
        let at = |copy: &Copy| {
            let (path, shown) = place(&copy.path);
            Copy { path, shown }
        };
        let copies = self.copies.iter().map(|(url, copy)| (url.clone(), at(copy))).collect();
        Self { copies, lock: self.lock.clone(), used: Arc::default() }
    }

    /// The URLs of which something other than their present text was read so far, or which the lock lacks.
    pub fn used(&self) -> BTreeMap<String, Instead> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn note(&self, url: &str, instead: Instead) {
        self.used.lock().unwrap_or_else(PoisonError::into_inner).insert(url.to_owned(), instead);
    }

    /// The copy of the longest URL that fits.
    fn copy_of(&self, url: &str) -> Option<Copy> {
        let fits = |(known, copy): (&String, &Copy)| {
            let rest = url.strip_prefix(known.as_str())?;
            let is_below = known.ends_with('/') && !rest.split('/').any(|part| part == ".." || part.is_empty());
            // Of a folder in place of a file, the file of that name.
            let rest = match rest {
                "" if copy.path.is_dir() => url.rsplit('/').next().filter(|name| !name.is_empty())?,
                "" => return Some((known.len(), copy.clone())),
                _ if is_below => rest,
                _ => return None,
            };
            Some((known.len(), Copy { path: copy.path.join(rest), shown: copy.shown.join(rest) }))
        };
        let (_, copy) = self.copies.iter().filter_map(fits).max_by_key(|(length, _)| *length)?;
        Some(copy)
    }

    /// Returns `true` if the settings name a copy of what a URL gives.
    pub fn has_copy(&self, url: &str) -> bool {
        self.copy_of(url).is_some()
    }
}

impl PartialEq for Remotes {
    fn eq(&self, other: &Self) -> bool {
        self.copies == other.copies && self.lock == other.lock
    }
}

impl Eq for Remotes {}

/// Fills no template in.
impl Fill for Remotes {
    fn fill(&self, _: &str, _: &str) -> Option<Result<Filled, Box<Unfilled>>> {
        None
    }

    /// The copy, or else the text that is locked.
    fn in_place_of(&self, url: &str, limits: &Limits) -> Option<Result<Vec<u8>, SourceError>> {
        if let Some(Copy { path, shown }) = self.copy_of(url) {
            self.note(url, Instead::Copy(shown));
            let read = read_path(&path.to_string_lossy(), limits);
            return Some(read.map_err(|error| SourceError::Copy(path, Box::new(error))));
        }
        let lock = self.lock.as_ref()?;
        let shown = || lock.shown().to_owned();
        let Some(read) = lock.of_url(url, limits) else {
            self.note(url, Instead::Unlocked(shown()));
            return None;
        };
        Some(read.map(|(bytes, found)| {
            let day = || lock.entry(url).map(|entry| entry.day().to_owned()).unwrap_or_default();
            self.note(
                url,
                match found {
                    Found::Cached => Instead::Locked(shown(), day()),
                    Found::Fetched => Instead::Fetched(shown()),
                },
            );
            bytes
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_url_that_fits_counts() {
        let remotes = [("https://a/b/", "clone"), ("https://a/b/c/d.yml", "d.yml"), ("https://a/e.yml", ".")];
        let remotes = remotes.into_iter().map(|(url, path)| (url.to_owned(), PathBuf::from(path))).collect();
        let remotes = Remotes::new(remotes);
        for (url, expected) in [
            ("https://a/b/c/d.yml", Some("d.yml")),
            ("https://a/b/c/e.yml", Some("clone/c/e.yml")),
            ("https://a/b/../e.yml", None),
            ("https://a/e.yml", Some("./e.yml")),
            ("https://a/e.yml2", None),
            ("https://a/b", None),
        ] {
            assert_eq!(remotes.copy_of(url).map(|copy| copy.path), expected.map(PathBuf::from), "{url}");
        }
    }
}
