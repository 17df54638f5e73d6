//! The types of scheduling tags.

/// The types of tags, in the order of TPV's enumeration and of the lists in `SchedulingTags`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TagType {
    /// The other side must have the tag.
    Require,
    /// Ranks higher if the other side has the tag.
    Prefer,
    /// The other side may have the tag.
    Accept,
    /// The other side must not have the tag.
    Reject,
}

impl TagType {
    /// All types, in the order of TPV's enumeration.
    pub const ALL: [Self; 4] = [Self::Require, Self::Prefer, Self::Accept, Self::Reject];

    /// All types in the order in which inherit and combine apply them: the last one wins.
    pub const APPLICATION: [Self; 4] = [Self::Accept, Self::Prefer, Self::Require, Self::Reject];

    /// The name in TPV's enumeration.
    pub fn name(self) -> &'static str {
        match self {
            Self::Require => "REQUIRE",
            Self::Prefer => "PREFER",
            Self::Accept => "ACCEPT",
            Self::Reject => "REJECT",
        }
    }

    /// The name of the list in `scheduling`.
    pub fn field(self) -> &'static str {
        match self {
            Self::Require => "require",
            Self::Prefer => "prefer",
            Self::Accept => "accept",
            Self::Reject => "reject",
        }
    }

    /// The type whose list has this name.
    pub fn from_field(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.field() == name)
    }
}
