//! The classes of entities.

use bincode::{Decode, Encode};

/// The classes of entities, in TPV's names and in their `merge_order`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Encode, Decode)]
pub enum EntityClass {
    /// A rule of another entity.
    Rule,
    /// A resource pool.
    PoolEntity,
    /// A tool.
    Tool,
    /// A role.
    Role,
    /// A user.
    User,
    /// A destination.
    Destination,
}

impl EntityClass {
    /// The classes that have a section, in the order in which TPV validates the sections. Rules are numbered in this order.
    pub const SECTIONS: [Self; 5] = [Self::Tool, Self::User, Self::Role, Self::Destination, Self::PoolEntity];

    /// The classes whose entities are found by matching a name with their ids, in the order of the lookup.
    pub const MATCHED: [Self; 3] = [Self::Tool, Self::Role, Self::User];

    /// The classes whose entities are combined into a job's, in TPV's order: the later over the earlier.
    pub const COMBINED: [Self; 4] = [Self::Tool, Self::Role, Self::User, Self::Destination];

    /// TPV's `merge_order`: when two entities are combined, the class of the one with the higher order is kept.
    #[inline]
    pub fn merge_order(self) -> u8 {
        self as u8
    }

    /// The class's name in TPV, which shows in ids and messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rule => "Rule",
            Self::PoolEntity => "PoolEntity",
            Self::Tool => "Tool",
            Self::Role => "Role",
            Self::User => "User",
            Self::Destination => "Destination",
        }
    }

    /// The key that holds the entities of this class: a section of the file, or `rules` of another entity.
    pub fn section(self) -> &'static str {
        match self {
            Self::Rule => "rules",
            Self::PoolEntity => "pools",
            Self::Tool => "tools",
            Self::Role => "roles",
            Self::User => "users",
            Self::Destination => "destinations",
        }
    }

    /// The class of the entities in a section.
    pub fn of_section(section: &str) -> Option<Self> {
        Self::SECTIONS.into_iter().find(|class| class.section() == section)
    }

    /// The word for one entity in messages.
    pub fn noun(self) -> &'static str {
        match self {
            Self::Rule => "rule",
            Self::PoolEntity => "pool",
            Self::Tool => "tool",
            Self::Role => "role",
            Self::User => "user",
            Self::Destination => "destination",
        }
    }

    /// Returns `true` if `scheduling` is what the entity offers (`tpv_dest_tags`), not what it asks for (`tpv_tags`).
    #[inline]
    pub fn offers_tags(self) -> bool {
        matches!(self, Self::Destination | Self::PoolEntity)
    }
}

/// A value for each class in [`EntityClass::MATCHED`].
#[derive(Clone, Debug, Default)]
pub struct Matched<T>([T; 3]);

impl<T> Matched<T> {
    /// The values that `make` gives for the classes, in order.
    pub fn new(make: impl FnMut(EntityClass) -> T) -> Self {
        Self(EntityClass::MATCHED.map(make))
    }

    /// The value of a class. `None` if its entities are not found by matching.
    #[inline]
    pub fn get(&self, class: EntityClass) -> Option<&T> {
        self.0.get(EntityClass::MATCHED.into_iter().position(|matched| matched == class)?)
    }

    /// The values, in order.
    pub fn values(&self) -> impl Iterator<Item = &T> {
        self.0.iter()
    }
}
