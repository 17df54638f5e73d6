//! Scheduling tags: four lists of names, each in one of them at most.

use std::collections::HashSet;
use std::sync::{Arc, LazyLock};

use crate::config::entity::Dict;
use crate::yaml::value::Text;

/// The kinds of tags, in the order in which inheriting applies them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TagKind {
    /// `accept`
    Accept,
    /// `prefer`
    Prefer,
    /// `require`
    Require,
    /// `reject`
    Reject,
}

impl TagKind {
    /// All kinds, in the order in which TPV's `SchedulingTags.inherit` goes through them.
    pub const ALL: [Self; 4] = [Self::Accept, Self::Prefer, Self::Require, Self::Reject];

    /// The field's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Accept => "accept",
            Self::Prefer => "prefer",
            Self::Require => "require",
            Self::Reject => "reject",
        }
    }
}

/// The tags of an entity. A list may be `None` where the config says `null`.
#[derive(Clone, Debug)]
pub struct SchedulingTags {
    /// Tags that the other side must have.
    pub require: Option<Arc<Vec<Text>>>,
    /// Tags that the other side had better have.
    pub prefer: Option<Arc<Vec<Text>>>,
    /// Tags that the other side may have.
    pub accept: Option<Arc<Vec<Text>>>,
    /// Tags that the other side must not have.
    pub reject: Option<Arc<Vec<Text>>>,
    /// Fields TPV does not know, which it keeps.
    pub extras: Arc<Dict>,
}

impl Default for SchedulingTags {
    fn default() -> Self {
        static NONE: LazyLock<(Arc<Vec<Text>>, Arc<Dict>)> = LazyLock::new(Default::default);
        let (tags, extras) = &*NONE;
        let empty = || Some(tags.clone());
        Self { require: empty(), prefer: empty(), accept: empty(), reject: empty(), extras: extras.clone() }
    }
}

impl SchedulingTags {
    /// The list of a kind as it is stored.
    pub fn list(&self, kind: TagKind) -> Option<&Arc<Vec<Text>>> {
        match kind {
            TagKind::Require => self.require.as_ref(),
            TagKind::Prefer => self.prefer.as_ref(),
            TagKind::Accept => self.accept.as_ref(),
            TagKind::Reject => self.reject.as_ref(),
        }
    }

    /// The list of a kind, to be changed.
    pub fn list_mut(&mut self, kind: TagKind) -> &mut Option<Arc<Vec<Text>>> {
        match kind {
            TagKind::Require => &mut self.require,
            TagKind::Prefer => &mut self.prefer,
            TagKind::Accept => &mut self.accept,
            TagKind::Reject => &mut self.reject,
        }
    }

    /// The tags of a kind; none where the list is null.
    pub fn get(&self, kind: TagKind) -> &[Text] {
        self.list(kind).map_or(&[], |list| list)
    }

    /// Returns `true` if there are no tags.
    pub fn is_empty(&self) -> bool {
        TagKind::ALL.into_iter().all(|kind| self.get(kind).is_empty())
    }

    /// Returns `true` if no tag occurs twice.
    pub(super) fn are_distinct(&self) -> bool {
        let mut tags = TagKind::ALL.into_iter().flat_map(|kind| self.get(kind));
        let mut seen = HashSet::new();
        tags.all(|tag| seen.insert(&tag.value))
    }

    /// These tags over those of `parent`: a tag of both stays in this side's kind, and moves to the end of its list.
    pub fn inherit(&self, parent: &Self) -> Self {
        let mut out = parent.clone();
        for kind in TagKind::ALL {
            for tag in self.get(kind) {
                out.add_override(kind, tag);
            }
        }
        out
    }

    fn add_override(&mut self, kind: TagKind, tag: &Text) {
        for other in TagKind::ALL {
            let Some(list) = self.list_mut(other) else { continue };
            if let Some(at) = list.iter().position(|found| found.value == tag.value) {
                Arc::make_mut(list).remove(at);
            }
        }
        let list = self.list_mut(kind).get_or_insert_default();
        Arc::make_mut(list).push(tag.clone());
    }
}
