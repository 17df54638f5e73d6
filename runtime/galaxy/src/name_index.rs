//! Names of a list by hash, so that long lists are not looked through.

use std::collections::HashMap;

/// The length up to which looking through a list is as quick as an index.
const FEW: usize = 16;

/// The positions of the names of a list. A short list has no index.
#[derive(Clone, Debug, Default)]
pub(super) struct NameIndex(HashMap<Box<str>, usize>);

impl NameIndex {
    /// The position of a name among the names of the list.
    pub(super) fn find<'a>(&self, name: &str, mut names: impl Iterator<Item = &'a str>) -> Option<usize> {
        if self.0.is_empty() { names.position(|known| known == name) } else { self.0.get(name).copied() }
    }

    /// Notes the names that were added to the list since the last call; `name` gives the one at a position.
    pub(super) fn update<'a>(&mut self, length: usize, name: impl Fn(usize) -> Option<&'a str>) {
        if length > FEW {
            let new = self.0.len()..length;
            self.0.extend(new.filter_map(|position| Some((Box::from(name(position)?), position))));
        }
    }
}
