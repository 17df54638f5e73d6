//! Scheduling tags: four lists of names, each in one of them at most.

use std::collections::HashSet;
use std::sync::{Arc, LazyLock};

use tpv_model::TagType;
use tpv_model::merge::{TagLists, inherit_tags};

use crate::entity::Dict;
use tpv_yaml::value::Text;

/// The tags of an entity. A list may be `None` where the config says `null`.
#[derive(Clone, Debug)]
pub struct SchedulingTags {
    /// The lists, in the order of [`TagType::ALL`].
    lists: [Option<Arc<Vec<Text>>>; 4],
    /// Fields TPV does not know, which it keeps.
    pub extras: Arc<Dict>,
}

impl Default for SchedulingTags {
    fn default() -> Self {
        static NONE: LazyLock<SchedulingTags> = LazyLock::new(|| SchedulingTags {
            lists: TagType::ALL.map(|_| Some(Arc::default())),
            extras: Arc::default(),
        });
        NONE.clone()
    }
}

impl SchedulingTags {
    /// One list of tags.
    pub fn single(kind: TagType, tags: Vec<Text>) -> Self {
        let mut out = Self::default();
        out.set(kind, Some(Arc::new(tags)));
        out
    }

    /// The list of a kind as it is stored.
    pub fn list(&self, kind: TagType) -> Option<&Arc<Vec<Text>>> {
        self.lists.get(kind as usize)?.as_ref()
    }

    /// Replaces the list of a kind.
    pub fn set(&mut self, kind: TagType, list: Option<Arc<Vec<Text>>>) {
        if let Some(slot) = self.lists.get_mut(kind as usize) {
            *slot = list;
        }
    }

    /// The tags of a kind. Empty if the list is null.
    pub fn get(&self, kind: TagType) -> &[Text] {
        self.list(kind).map_or(&[], |list| list)
    }

    /// Returns `true` if there are no tags.
    pub fn is_empty(&self) -> bool {
        TagType::APPLICATION.into_iter().all(|kind| self.get(kind).is_empty())
    }

    /// Returns `true` if no tag occurs twice.
    pub(crate) fn are_distinct(&self) -> bool {
        let mut tags = TagType::APPLICATION.into_iter().flat_map(|kind| self.get(kind));
        let mut seen = HashSet::new();
        tags.all(|tag| seen.insert(&tag.value))
    }

    /// These tags over those of `parent`: a tag of both stays in this side's kind, and moves to the end of its list.
    pub fn inherit(&self, parent: &Self) -> Self {
        inherit_tags(self, parent.clone())
    }
}

impl TagLists for SchedulingTags {
    type Tag = Text;

    fn list(&self, kind: TagType) -> &[Text] {
        self.get(kind)
    }

    fn remove(&mut self, kind: TagType, tag: &Text) {
        if let Some(Some(list)) = self.lists.get_mut(kind as usize)
            && let Some(at) = list.iter().position(|found| found.value == tag.value)
        {
            Arc::make_mut(list).remove(at);
        }
    }

    fn push(&mut self, kind: TagType, tag: Text) {
        if let Some(list) = self.lists.get_mut(kind as usize) {
            Arc::make_mut(list.get_or_insert_default()).push(tag);
        }
    }
}
