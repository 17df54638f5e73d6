//! Symbolic links of a commit or of the working folder, followed within the repository: sites link the folder of one server's rules to
//! that of another, and git itself stops at the link.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::ops::Bound;
use std::rc::Rc;

use super::{Blobs, Error, File, Repository};

/// The most links that one path may lead through, as on Linux.
const MOST_HOPS: usize = 40;
/// The most entries that links may lead to: folders of links to folders of links grow without end.
const MOST: usize = 100_000;
/// The deepest folder that is looked into.
const DEEPEST: usize = 500;

/// An entry of a listing.
#[derive(Clone, Debug)]
enum Entry {
    /// A file, with the id of its text.
    File(String),
    /// A link, with what it leads to.
    Link(String),
}

/// The end of a path whose links were followed.
#[derive(Debug, PartialEq, Eq)]
enum Place {
    /// With its path without links, and the id of its text.
    File(String, String),
    /// With its path without links; empty for the top.
    Folder(String),
    Missing,
}

/// All files and links, by their paths from the top.
#[derive(Debug, Default)]
pub(super) struct Listing(BTreeMap<String, Entry>);

/// The links of a tree or of the working folder, and the files that they lead to.
#[derive(Debug)]
pub(crate) struct Links {
    listing: Listing,
    /// The files below links, with the paths that lead through these; and links that lead nowhere.
    pub(super) files: Vec<File>,
}

impl Listing {
    /// The files, with their paths and the ids of their texts.
    pub(super) fn files(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().filter_map(|(path, entry)| match entry {
            Entry::File(blob) => Some((path.as_str(), blob.as_str())),
            Entry::Link(_) => None,
        })
    }

    /// The links that lead to a file or folder of the tree, with their paths and what they say.
    pub(super) fn links(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().filter_map(|(path, entry)| match entry {
            Entry::Link(target) => {
                let end = self.resolve(path, &mut BTreeSet::new());
                matches!(end, Ok(Place::File(..) | Place::Folder(_))).then_some((path.as_str(), target.as_str()))
            }
            Entry::File(_) => None,
        })
    }

    /// The entries below a folder, with their paths from it.
    fn below(&self, folder: &str) -> impl Iterator<Item = (&str, &str, &Entry)> {
        let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let all = self.0.range::<str, _>((Bound::Included(prefix.as_str()), Bound::Unbounded));
        all.map_while(move |(path, entry)| Some((path.as_str(), path.strip_prefix(&prefix)?, entry)))
    }

    /// Follows the links of a path, and notes them. The error says why one leads nowhere.
    fn resolve(&self, path: &str, passed: &mut BTreeSet<String>) -> Result<Place, String> {
        let mut rest: VecDeque<String> = path.split('/').map(str::to_owned).collect();
        let mut real: Vec<String> = Vec::new();
        let (mut hops, mut last) = (0, None);
        while let Some(part) = rest.pop_front() {
            match part.as_str() {
                "" | "." => continue,
                ".." => {
                    if real.pop().is_none() {
                        return Err(leads(last, "which is outside of it"));
                    }
                    continue;
                }
                _ => real.push(part),
            }
            let here = real.join("/");
            match self.0.get(&here) {
                Some(Entry::File(blob)) => {
                    return Ok(if rest.is_empty() { Place::File(here, blob.clone()) } else { Place::Missing });
                }
                Some(Entry::Link(target)) => {
                    hops += 1;
                    last = Some((here.clone(), target.as_str()));
                    passed.insert(here);
                    if hops > MOST_HOPS {
                        return Err(leads(last, "in a loop of links"));
                    }
                    if target.starts_with('/') {
                        return Err(leads(last, "which is outside of it"));
                    }
                    real.pop();
                    target.split('/').rev().for_each(|part| rest.push_front(part.to_owned()));
                }
                None => {}
            }
        }
        let real = real.join("/");
        let is_there = self.below(&real).next().is_some();
        Ok(if is_there { Place::Folder(real) } else { Place::Missing })
    }

    /// The reason that a link leads nowhere which leads to what is not there.
    fn dangling(&self, link: &str) -> String {
        let target = match self.0.get(link) {
            Some(Entry::Link(target)) => target.as_str(),
            _ => "",
        };
        leads(Some((link.to_owned(), target)), "which is not there")
    }
}

/// Lists what links lead to.
struct Follower<'a> {
    listing: &'a Listing,
    /// The folders that are being listed.
    within: Vec<String>,
    files: Vec<File>,
    /// The number of entries that may still be looked at.
    room: usize,
}

impl Follower<'_> {
    /// Lists the files that a link leads to, with paths below `shown`.
    fn follow(&mut self, shown: &str, link: &str) -> Result<(), Error> {
        match self.listing.resolve(link, &mut BTreeSet::new()) {
            Err(why) => self.files.push(broken(shown, why)),
            Ok(Place::Missing) => self.files.push(broken(shown, self.listing.dangling(link))),
            Ok(Place::File(real, blob)) => self.files.push(file(shown, &real, &blob)),
            // A link to a folder that it is in has what that has, and would go on for ever.
            Ok(Place::Folder(folder)) if self.within.contains(&folder) || is_in(link, &folder) => {}
            Ok(Place::Folder(folder)) => self.list(shown, link, folder)?,
        }
        Ok(())
    }

    /// Lists the files of a folder that a link leads to.
    fn list(&mut self, shown: &str, link: &str, folder: String) -> Result<(), Error> {
        let too_many = || {
            Error::new(
                format!("the symbolic link `{link}` and others lead to more than {MOST} files"),
                "name the files where they are, without links",
            )
        };
        if self.within.len() > MOST_HOPS {
            return Err(too_many());
        }
        self.within.push(folder.clone());
        for (path, rest, entry) in self.listing.below(&folder) {
            self.room = self.room.checked_sub(1).ok_or_else(too_many)?;
            let shown = format!("{shown}/{rest}");
            match entry {
                Entry::File(blob) => self.files.push(file(&shown, path, blob)),
                Entry::Link(_) => self.follow(&shown, path)?,
            }
        }
        self.within.pop();
        Ok(())
    }
}

fn file(path: &str, real: &str, blob: &str) -> File {
    File { path: path.to_owned(), real: real.to_owned(), blob: blob.to_owned(), broken: None }
}

fn broken(path: &str, why: String) -> File {
    File { path: path.to_owned(), real: path.to_owned(), blob: String::new(), broken: Some(why) }
}

fn is_in(path: &str, folder: &str) -> bool {
    folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

/// The reason that a path leads nowhere.
fn leads(link: Option<(String, &str)>, end: &str) -> String {
    match link {
        Some((link, target)) => format!("`{link}` is a symbolic link to `{target}`, {end}"),
        None => format!("it names a folder {end}"),
    }
}

impl Links {
    fn of(listing: Listing) -> Result<Self, Error> {
        let mut follower = Follower { listing: &listing, within: Vec::new(), files: Vec::new(), room: MOST };
        for (path, entry) in &listing.0 {
            if matches!(entry, Entry::Link(_)) {
                follower.follow(path, path)?;
            }
        }
        let files = follower.files;
        Ok(Self { listing, files })
    }

    /// The file that a path from the top leads to through links, if that is not among the files that are listed, or the reason that it
    /// leads nowhere. `None` if it leads through no link.
    pub(crate) fn unlisted(&self, path: &str) -> Option<File> {
        let mut passed = BTreeSet::new();
        match self.listing.resolve(path, &mut passed) {
            Err(why) => Some(broken(path, why)),
            Ok(Place::File(real, blob)) if !passed.is_empty() && self.files.iter().all(|file| file.path != path) => {
                Some(file(path, &real, &blob))
            }
            Ok(_) => None,
        }
    }

    /// The links that the path of a file leads through, and what these lead to.
    pub(crate) fn trail(&self, path: &str) -> BTreeSet<String> {
        let mut trail = BTreeSet::new();
        let _ = self.listing.resolve(path, &mut trail);
        for link in trail.clone() {
            if let Ok(Place::Folder(real) | Place::File(real, _)) = self.listing.resolve(&link, &mut BTreeSet::new()) {
                trail.insert(real);
            }
        }
        trail
    }
}

/// Reads trees, most of whose folders are those of the tree before.
pub(crate) struct Trees {
    pub(super) blobs: Blobs,
    folders: HashMap<String, Rc<Folder>>,
}

/// A folder of a tree.
struct Folder {
    /// Mode, name and id.
    entries: Vec<(String, String, String)>,
    has_link: bool,
}

impl Trees {
    pub(crate) fn new(git: &Repository) -> Result<Self, Error> {
        Ok(Self { blobs: git.blobs()?, folders: HashMap::new() })
    }

    /// The links of a tree; `None` if it has none.
    pub(crate) fn links(&mut self, tree: &str) -> Result<Option<Links>, Error> {
        if !self.folder(tree, 0)?.has_link {
            return Ok(None);
        }
        let mut listing = Listing::default();
        self.list(tree, "", &mut listing)?;
        Links::of(listing).map(Some)
    }

    /// All files and links of a tree.
    pub(super) fn entries(&mut self, tree: &str) -> Result<Listing, Error> {
        let mut listing = Listing::default();
        self.list(tree, "", &mut listing)?;
        Ok(listing)
    }

    fn folder(&mut self, id: &str, depth: usize) -> Result<Rc<Folder>, Error> {
        if let Some(folder) = self.folders.get(id) {
            return Ok(folder.clone());
        }
        let bytes = self.blobs.tree(id)?;
        let mut folder = Folder { entries: Vec::new(), has_link: false };
        let mut rest = bytes.as_slice();
        // `MODE NAME`, NUL, and the id in as many bytes as it has pairs of digits.
        while let Some(end) = memchr::memchr(0, rest) {
            let (head, after) = rest.split_at_checked(end + 1).unwrap_or((rest, &[]));
            let Some((number, after)) = after.split_at_checked(id.len() / 2) else { break };
            rest = after;
            let head = String::from_utf8_lossy(head.strip_suffix(b"\0").unwrap_or(head)).into_owned();
            let Some((mode, name)) = head.split_once(' ') else { continue };
            let number: String = number.iter().map(|byte| format!("{byte:02x}")).collect();
            let below = mode == TREE && depth < DEEPEST && self.folder(&number, depth + 1)?.has_link;
            folder.has_link |= below || mode == LINK;
            folder.entries.push((mode.to_owned(), name.to_owned(), number));
        }
        let folder = Rc::new(folder);
        self.folders.insert(id.to_owned(), folder.clone());
        Ok(folder)
    }

    fn list(&mut self, id: &str, path: &str, listing: &mut Listing) -> Result<(), Error> {
        let depth = path.bytes().filter(|byte| *byte == b'/').count();
        if depth >= DEEPEST {
            return Ok(());
        }
        for (mode, name, id) in &self.folder(id, depth)?.entries {
            let path = if path.is_empty() { name.clone() } else { format!("{path}/{name}") };
            match mode.as_str() {
                TREE => self.list(id, &path, listing)?,
                LINK => {
                    // A longer one leads nowhere on any system.
                    let target = self.blobs.read(id, LONGEST_TARGET)?.unwrap_or_else(|| b"/".to_vec());
                    let target = String::from_utf8_lossy(&target).into_owned();
                    listing.0.insert(path, Entry::Link(target));
                }
                // The commit of another repository is no file.
                COMMIT => {}
                _ => {
                    listing.0.insert(path, Entry::File(id.clone()));
                }
            }
        }
        Ok(())
    }
}

/// The modes of entries that are no files.
const TREE: &str = "40000";
pub(super) const LINK: &str = "120000";
pub(super) const COMMIT: &str = "160000";
/// The longest path that a link may lead to, in bytes.
const LONGEST_TARGET: u64 = 4096;

/// The links of the working folder; `None` if it has none. Of files, no text is known.
pub(crate) fn of_folder(git: &Repository) -> Result<Option<Links>, Error> {
    let top = git.top()?;
    let mut listing = Listing::default();
    let mut has_link = false;
    for path in git.all_present()? {
        let file = top.join(&path);
        let target = std::fs::read_link(&file).ok().map(|target| target.to_string_lossy().into_owned());
        has_link |= target.is_some();
        // Git lists what was removed since the last commit, too.
        if target.is_some() || file.exists() {
            listing.0.insert(path, target.map_or_else(|| Entry::File(String::new()), Entry::Link));
        }
    }
    if has_link { Links::of(listing).map(Some) } else { Ok(None) }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
    use super::*;

    /// The links of files, and of `link -> target`.
    fn links(entries: &[&str]) -> Result<Links, Error> {
        let entry = |entry: &&str| match entry.split_once(" -> ") {
            Some((link, target)) => (link.to_owned(), Entry::Link(target.to_owned())),
            None => ((*entry).to_owned(), Entry::File(format!("text of {entry}"))),
        };
        Links::of(Listing(entries.iter().map(entry).collect()))
    }

    #[test]
    fn paths_lead_where_the_system_leads_them() {
        let links =
            links(&["a/b/x.yml", "a/bc.yml", "l -> a//b/./", "a/b/up -> ../../l", "f -> l/../bc.yml", "m -> l"])
                .unwrap();
        let shown: Vec<_> = links.files.iter().map(|file| format!("{} {}", file.path, file.blob)).collect();
        assert_eq!(shown, ["f text of a/bc.yml", "l/x.yml text of a/b/x.yml", "m/x.yml text of a/b/x.yml"]);
        let blob = |path| links.unlisted(path).map(|file| file.broken.unwrap_or(file.blob));
        assert_eq!(blob("./m/up/up/x.yml").unwrap(), "text of a/b/x.yml");
        for missing in ["m", "m/x.yml", "m/y.yml", "f/x.yml", "a/b/x.yml", "a/b/x.yml/z"] {
            assert_eq!(blob(missing), None, "{missing}");
        }
        assert_eq!(blob("m/../../../x.yml").unwrap(), "`l` is a symbolic link to `a//b/./`, which is outside of it");
        assert_eq!(links.trail("m/x.yml"), ["a/b", "l", "m"].map(str::to_owned).into());
    }

    /// Each folder has two links to the next: 2^60 paths.
    #[test]
    fn links_that_multiply_come_to_an_end() {
        let text: Vec<String> =
            (0..60).flat_map(|n| [format!("d{n}/a -> ../d{}", n + 1), format!("d{n}/b -> ../d{}", n + 1)]).collect();
        let text: Vec<&str> = text.iter().map(String::as_str).chain(["d60/x.yml"]).collect();
        assert!(links(&text).unwrap_err().message.contains("lead to more than 100000 files"));
    }
}
