//! Tags: the files that lead to maps, and maps that have lost theirs.
//!
//! A tag is a regular file with the UUID of a map, which is a folder beside `tags` and no link. Anything else is damage, and no verb does anything
//! by such a tag: it may name a folder that is no map. A map notes its tag itself, so it is found without the file.

use std::collections::BTreeSet;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::super::Error;
use super::directory::{MapDir, names};
use super::root::Root;
use super::{random, whole};

/// The most bytes of a tag that are read; it has 37.
const MOST: u64 = 1024;

/// A tag with its map, or with what is wrong with it.
pub type Tagged = (String, Result<MapDir, Error>);

/// The target of a tag.
enum Target {
    /// There is no such tag.
    Missing,
    /// No map, or none any more: it is being made, or was removed. The UUID.
    Nowhere(String),
    /// A map.
    Map(MapDir),
    /// The file is not what tpvc writes.
    Damaged(Error),
}

impl Root {
    pub(super) fn tag_path(&self, tag: &str) -> PathBuf {
        self.path().join("tags").join(tag)
    }

    /// All tags, sorted, with their maps; `Err` for a tag that is damaged. A tag whose map is still being made, or was removed, is left out. A map
    /// without a tag has the one that it notes, or its UUID if that is another's.
    ///
    /// # Errors
    /// The system's.
    pub fn tags(&self) -> Result<Vec<Tagged>, Error> {
        let mut tags = Vec::new();
        let mut led: BTreeSet<String> = BTreeSet::new();
        for tag in self.tag_names()? {
            match self.target(&tag) {
                Target::Map(map) if is_of(&map, &tag) => {
                    led.insert(map.name());
                    tags.push((tag, Ok(map)));
                }
                Target::Damaged(error) => tags.push((tag, Err(error))),
                _ => {}
            }
        }
        let mut taken: BTreeSet<String> = tags.iter().map(|(tag, _)| tag.clone()).collect();
        for map in self.maps()?.into_iter().filter(|map| !led.contains(&map.name())) {
            let tag = noted(&map).filter(|tag| taken.insert(tag.clone())).unwrap_or_else(|| map.name());
            tags.push((tag, Ok(map)));
        }
        tags.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        Ok(tags)
    }

    /// The map of a tag. `None` if there is none.
    ///
    /// # Errors
    /// The system's, and a tag that is damaged.
    pub fn find(&self, tag: &str) -> Result<Option<MapDir>, Error> {
        if check_tag(tag).is_err() {
            return Ok(None);
        }
        match self.target(tag) {
            Target::Map(map) if is_of(&map, tag) => Ok(Some(map)),
            Target::Damaged(error) => Err(error),
            _ => {
                let lost = self.lost()?;
                let of_note = lost.iter().find(|map| noted(map).is_some_and(|noted| noted == tag));
                Ok(of_note.or_else(|| lost.iter().find(|map| map.name() == tag)).cloned())
            }
        }
    }

    /// Mends tags: one that leads nowhere goes, and each map has the tag that it notes and no other. A damaged one is replaced if a map notes it.
    ///
    /// # Errors
    /// The system's.
    pub(super) fn sweep_tags(&self) -> Result<(), Error> {
        for tag in self.tag_names()? {
            let path = self.tag_path(&tag);
            match self.target(&tag) {
                // A draft becomes a map by renaming: looked at in this order, one of both is there.
                Target::Nowhere(name) if !self.is_draft(&name) && matches!(self.target(&tag), Target::Nowhere(_)) => {
                    whole::remove(&path).map_err(|error| Error::io("removed", &path, &error))?;
                }
                Target::Map(map) if !is_of(&map, &tag) => {
                    // Left by a kill between two steps of `retag`, which holds the lock.
                    let Some(_lock) = map.try_lock()? else { continue };
                    if let Some(noted) = noted(&map) {
                        self.reserve(&noted, &map.name(), &map).ok();
                        if noted != tag && matches!(self.target(&noted), Target::Map(other) if other == map) {
                            map.remove(&path)?;
                        }
                    }
                }
                _ => {}
            }
        }
        for map in self.lost()? {
            let Some(_lock) = map.try_lock()? else { continue };
            let Some(tag) = noted(&map) else { continue };
            if matches!(self.target(&tag), Target::Damaged(_)) && whole::remove(&self.tag_path(&tag)).is_err() {
                continue;
            }
            // Another map may have it.
            self.reserve(&tag, &map.name(), &map).ok();
        }
        Ok(())
    }

    /// The names of tags.
    fn tag_names(&self) -> Result<Vec<String>, Error> {
        let mut tags = names(&self.path().join("tags"))?;
        tags.retain(|tag| check_tag(tag).is_ok());
        tags.sort_unstable();
        Ok(tags)
    }

    /// Follows a tag.
    fn target(&self, tag: &str) -> Target {
        let path = self.tag_path(tag);
        let damaged = |why: &str| {
            let help = "delete the file; if a map notes this tag, `tpvc maps clean` makes it lead there again";
            Target::Damaged(Error::new(format!("the tag `{tag}` is damaged: `{}` {why}", path.display()), help))
        };
        match path.symlink_metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Target::Missing,
            Err(error) => return Target::Damaged(Error::io("read", &path, &error)),
            Ok(metadata) if !metadata.is_file() => return damaged("is no regular file"),
            Ok(_) => {}
        }
        let mut name = String::new();
        match whole::open(&path).and_then(|file| file.map(|file| file.take(MOST).read_to_string(&mut name)).transpose())
        {
            Ok(None) => return Target::Missing,
            Ok(Some(_)) => {}
            Err(error) if error.kind() == io::ErrorKind::InvalidData => return damaged("is not UTF-8"),
            Err(error) => return Target::Damaged(Error::io("read", &path, &error)),
        }
        let name = name.trim();
        if name.is_empty() {
            return damaged("is empty");
        }
        if !random::is_uuid(name) {
            return damaged(&format!(
                "holds `{}`, which is not the name of a map",
                name.chars().take(80).collect::<String>()
            ));
        }
        match self.path().join(name).symlink_metadata() {
            Ok(metadata) if metadata.is_dir() => Target::Map(MapDir::new(self.path().join(name))),
            Ok(_) => damaged(&format!("leads to `{name}`, which is no folder of its own")),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Target::Nowhere(name.to_owned()),
            Err(error) => Target::Damaged(Error::io("read", &self.path().join(name), &error)),
        }
    }

    /// The maps that no tag leads to, by UUID.
    fn lost(&self) -> Result<Vec<MapDir>, Error> {
        let mut led: BTreeSet<String> = BTreeSet::new();
        for tag in self.tag_names()? {
            if let Target::Map(map) = self.target(&tag)
                && is_of(&map, &tag)
            {
                led.insert(map.name());
            }
        }
        let mut maps = self.maps()?;
        maps.retain(|map| !led.contains(&map.name()));
        Ok(maps)
    }

    /// The folders of maps, by UUID, whatever is missing in them.
    fn maps(&self) -> Result<Vec<MapDir>, Error> {
        let mut names = names(self.path())?;
        names.retain(|name| random::is_uuid(name) && is_own_folder(&self.path().join(name)));
        names.sort_unstable();
        let maps = names.into_iter().map(|name| MapDir::new(self.path().join(name)));
        Ok(maps.filter(|map| map.exists() || noted(map).is_some()).collect())
    }
}

/// Returns `true` for a folder that is there itself, not by a link.
pub(super) fn is_own_folder(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir())
}

/// The tag that a map notes. `None` if it notes none that can be one.
fn noted(map: &MapDir) -> Option<String> {
    map.tag().ok().filter(|tag| check_tag(tag).is_ok())
}

/// Returns `true` unless the map notes another tag.
fn is_of(map: &MapDir, tag: &str) -> bool {
    noted(map).is_none_or(|noted| noted == tag)
}

/// Refuses what cannot be a tag: it is a file's name, and goes on command lines and into engines' displays.
pub(super) fn check_tag(tag: &str) -> Result<(), Error> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'+' | b'=' | b'@');
    let first = tag.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if first && tag.len() <= 200 && tag.bytes().all(plain) {
        return Ok(());
    }
    Err(Error::new(
        format!("`{tag}` cannot be a tag"),
        "a tag has letters, digits and `-_.+=@`, and begins with a letter, a digit or `_`",
    ))
}
