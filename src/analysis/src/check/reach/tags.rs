//! The tags that jobs may have.

use std::collections::BTreeMap;
use std::sync::Arc;

use tpv_config::scheduling::SchedulingTags;
use tpv_model::TagType;

/// The types that a tag may have, and absence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct TagTypes(u8);

impl TagTypes {
    const ABSENT: Self = Self(1);
    const ANY: Self = Self(31);

    /// In the order in which the stronger follows the weaker.
    fn of(kind: TagType) -> Self {
        Self(match kind {
            TagType::Accept => 2,
            TagType::Prefer => 4,
            TagType::Require => 8,
            TagType::Reject => 16,
        })
    }

    fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    fn without_absent(self) -> Self {
        Self(self.0 & !Self::ABSENT.0)
    }

    /// Returns `true` if the tag may be present.
    pub(super) fn may_be(self) -> bool {
        self.without_absent().0 != 0
    }

    /// Returns `true` if the tag is present.
    pub(super) fn must_be(self) -> bool {
        self.0 & Self::ABSENT.0 == 0
    }

    /// Returns `true` if the tag is present in this kind.
    pub(super) fn is(self, kind: TagType) -> bool {
        self == Self::of(kind)
    }

    /// The kinds of a tag that is put together of two. Empty if one side requires what the other rejects.
    fn combined(self, other: TagType) -> Self {
        let other = Self::of(other);
        let clashes = |a: Self, b: Self| a == Self::of(TagType::Require) && b == Self::of(TagType::Reject);
        let each = (0..5).map(|bit| Self(1 << bit)).filter(|kind| self.0 & kind.0 != 0);
        each.filter(|kind| !clashes(*kind, other) && !clashes(other, *kind))
            .map(|kind| Self(kind.0.max(other.0)))
            .fold(Self(0), Self::or)
    }
}

/// The tags that jobs may have, each with its kinds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Tags {
    known: BTreeMap<Arc<str>, TagTypes>,
    /// The kinds of those that are not known.
    others: TagTypes,
    /// The kinds of tags of Galaxy's own that are not known: `tool_type_...`.
    tool_types: TagTypes,
}

/// The prefix of Galaxy's own tags.
const TOOL_TYPE: &str = "tool_type_";

impl Default for Tags {
    fn default() -> Self {
        Self { known: BTreeMap::new(), others: TagTypes::ABSENT, tool_types: TagTypes::ABSENT }
    }
}

impl Tags {
    /// The tags of an entity or rule.
    pub(super) fn of(tags: &SchedulingTags) -> Self {
        let mut out = Self::default();
        for kind in TagType::APPLICATION {
            for tag in tags.get(kind) {
                out.set(&tag.value, TagTypes::of(kind));
            }
        }
        out
    }

    /// The kinds of a tag.
    pub(super) fn get(&self, tag: &str) -> TagTypes {
        match self.known.get(tag) {
            Some(kinds) => *kinds,
            None if tag.starts_with(TOOL_TYPE) => self.tool_types,
            None => self.others,
        }
    }

    /// The known tags that are there in a kind.
    pub(super) fn surely(&self, kind: TagType) -> impl Iterator<Item = &str> {
        self.known.iter().filter(move |(_, kinds)| kinds.is(kind)).map(|(tag, _)| &**tag)
    }

    fn set(&mut self, tag: &Arc<str>, kinds: TagTypes) {
        self.known.insert(tag.clone(), kinds);
    }

    /// Puts a child's tags over these, for all jobs or for some. Returns the steps that it took.
    pub(super) fn inherit(&mut self, child: &Self, always: bool) -> usize {
        for (tag, kinds) in &child.known {
            let is_sure = always && kinds.must_be();
            let kinds = kinds.without_absent();
            let kinds = if is_sure { kinds } else { kinds.or(self.get(tag)) };
            self.set(tag, kinds);
        }
        child.known.len()
    }

    /// Gives the job the type of its tool: any if none is known.
    pub(super) fn add_tool_type(&mut self, known: Option<&str>) {
        match known {
            Some(tool_type) => self.set(&format!("{TOOL_TYPE}{tool_type}").into(), TagTypes::of(TagType::Accept)),
            None => {
                let accepted = TagTypes::of(TagType::Accept);
                self.tool_types = self.tool_types.or(accepted);
                for (_, kinds) in self.known.iter_mut().filter(|(tag, _)| tag.starts_with(TOOL_TYPE)) {
                    *kinds = kinds.or(accepted);
                }
            }
        }
    }

    /// Lets tags of these kinds be put together with these, each or not, any number of times, as combining does. If one side requires what
    /// the other rejects, there is no such job, unless another entity of its role or user overrides the tag.
    pub(super) fn or_combined(&mut self, others: &[(Arc<str>, TagType)]) {
        // Each time the kinds grow stronger or stay, of which there are four.
        for _ in TagType::APPLICATION {
            for (tag, kind) in others {
                let kinds = self.get(tag);
                self.set(tag, kinds.or(kinds.combined(*kind)));
            }
        }
    }

    /// Applies the possible effects of code that combines these tag names with the job's, or names of its own, in these kinds.
    pub(super) fn or_combined_in_code<'n>(
        &mut self,
        names: impl IntoIterator<Item = &'n String>,
        is_open: bool,
        kinds: &[TagType],
    ) {
        let or_all = |own: TagTypes| kinds.iter().fold(own, |own, kind| own.or(own.combined(*kind)));
        for name in names {
            let name = name.as_str().into();
            self.set(&name, or_all(self.get(&name)));
        }
        if is_open {
            self.known.values_mut().for_each(|own| *own = or_all(*own));
            (self.others, self.tool_types) = (or_all(self.others), or_all(self.tool_types));
        }
    }

    /// Applies the possible effects of code that mentions these tag names, or builds names of its own.
    pub(super) fn change<'n>(&mut self, names: impl IntoIterator<Item = &'n String>, is_open: bool) {
        for kinds in self.known.values_mut() {
            *kinds = TagTypes::ANY;
        }
        self.tool_types = TagTypes::ANY;
        for name in names {
            self.set(&name.as_str().into(), TagTypes::ANY);
        }
        if is_open {
            self.others = TagTypes::ANY;
        }
    }
}
