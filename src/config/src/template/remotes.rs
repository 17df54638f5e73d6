//! Copies of what URLs give: a clone of their repository, or a file that was saved.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tpv_text::source::{Fill, Filled, Unfilled};

/// A file or folder.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Copy {
    path: PathBuf,
    /// The path in messages.
    shown: PathBuf,
}

/// The files that are read in place of URLs. A clone shares what was used.
#[derive(Clone, Debug, Default)]
pub struct Remotes {
    copies: BTreeMap<String, Copy>,
    used: Arc<Mutex<BTreeMap<String, PathBuf>>>,
}

impl Remotes {
    /// The copies: of a URL a file, or of a URL that ends in `/` a folder with all that is below it.
    pub fn new(copies: BTreeMap<String, PathBuf>) -> Self {
        let copies = copies.into_iter().map(|(url, path)| (url, Copy { shown: path.clone(), path })).collect();
        Self { copies, used: Arc::default() }
    }

    /// The same URLs, with the paths that `place` gives for each, the second for messages.
    #[must_use]
    pub fn at(&self, place: impl Fn(&Path) -> (PathBuf, PathBuf)) -> Self {
        let at = |copy: &Copy| {
            let (path, shown) = place(&copy.path);
            Copy { path, shown }
        };
        Self { copies: self.copies.iter().map(|(url, copy)| (url.clone(), at(copy))).collect(), used: Arc::default() }
    }

    /// The URLs for which a copy was read so far, each with its path.
    pub fn used(&self) -> BTreeMap<String, PathBuf> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl PartialEq for Remotes {
    fn eq(&self, other: &Self) -> bool {
        self.copies == other.copies
    }
}

impl Eq for Remotes {}

/// Fills no template in.
impl Fill for Remotes {
    fn fill(&self, _: &str, _: &str) -> Option<Result<Filled, Box<Unfilled>>> {
        None
    }

    /// The copy of the longest URL that fits.
    fn copy_of(&self, url: &str) -> Option<PathBuf> {
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
        self.used.lock().unwrap_or_else(PoisonError::into_inner).insert(url.to_owned(), copy.shown);
        Some(copy.path)
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
            assert_eq!(remotes.copy_of(url), expected.map(PathBuf::from), "{url}");
        }
    }
}
