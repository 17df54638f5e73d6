//! The changes of TPV between its versions, each with what it means for a config.
//!
//! `docs/versions.md` has this table with a tool of `fixtures/tpv-upgrades` for each row.

use crate::Version;

/// A change of TPV.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Change {
    /// Entities are combined before anything is evaluated.
    CombineFirst,
    /// `inherits` names an entity of the files so far.
    ParentsAcrossFiles,
    /// Nobody inherits `abstract`.
    OwnAbstract,
    /// Nobody inherits the `tags` of a destination.
    OwnHandlerTags,
    /// Entities are models of pydantic.
    Models,
    /// Concurrent jobs are counted by the id of their tool.
    JobsById,
    /// A tool without a version compares as `None`.
    NoVersion,
    /// Only a bound that is set clamps.
    ClampByBounds,
    /// A tool's wrapper is asked for what it needs.
    Wrappers,
    /// GPUs may have fractions.
    FractionalGpus,
    /// Parents come before earlier definitions.
    ParentsFirst,
    /// Only `# noqa` comments are data.
    NoqaOnly,
    /// `get_tool_resource_field`.
    ResourceHelpers,
    /// The numbers of the types of tags.
    TagNumbers,
    /// Jobs have a tag for the type of their tool.
    ToolTypeTags,
    /// Resources are evaluated once to find destinations.
    ResourcesOnce,
    /// A sample without replacement where there are no weights.
    UnweightedSample,
    /// The entries of `resubmit` are mappings.
    ResubmitMappings,
    /// `entity.dict()` has the names of Python's attributes.
    DumpedNames,
    /// Resource pools.
    Pools,
    /// `destination` of `resubmit` becomes `environment`.
    ResubmitEnvironment,
    /// RAM of a wrapper in GiB.
    RamInGib,
    /// Weights are clamped.
    ClampedWeights,
    /// `get_input_size` and others.
    InputHelpers,
    /// Scores as pull request 186 proposes.
    Scores,
}

/// A row of the table.
struct Row {
    change: Change,
    since: Version,
    /// What it is about.
    about: &'static str,
    before: &'static str,
    after: &'static str,
    /// What to write so that nothing changes; empty if there is no such text.
    keep: &'static str,
}

const fn row(
    change: Change,
    since: Version,
    about: &'static str,
    before: &'static str,
    after: &'static str,
    keep: &'static str,
) -> Row {
    Row { change, since, about, before, after, keep }
}

/// The changes, in the order of [`Change`].
const TABLE: [Row; 25] = [
    row(
        Change::CombineFirst,
        Version::V2_5,
        "combining tool, role, user and destination",
        "each evaluates its resources, the lower amount counts, a destination's `cores` is its limit and the job's params win",
        "the user's amounts win over the role's and the tool's, `max_accepted_cores` is the limit, and the destination's params win",
        "write the amounts of users and roles as `max_cores` and `max_mem`, those of destinations as `max_accepted_cores` and `max_accepted_mem`",
    ),
    row(
        Change::ParentsAcrossFiles,
        Version::V3_0,
        "`inherits` of entities in several files",
        "each file is resolved by itself, and once more after it is merged",
        "files are merged before they are resolved",
        "",
    ),
    row(
        Change::OwnAbstract,
        Version::V3_0,
        "`abstract`",
        "an entity is abstract only if its parent is, too",
        "an entity is abstract if it says so",
        "remove `abstract` from entities with a parent that is not abstract",
    ),
    row(
        Change::OwnHandlerTags,
        Version::V3_0,
        "`tags` of destinations",
        "inherited; `None` if there are none",
        "not inherited; an empty list if there are none",
        "write `tags` in each destination",
    ),
    row(
        Change::Models,
        Version::V3_0,
        "entities in code, and types of fields",
        "plain objects: `Tag(name, value, tag_type)`, `if: false` inherits a condition, rules may say `match`, `re` is imported",
        "models of pydantic with checked fields: `Tag(value, tag_type)`, `if: false` is false, code imports `re` itself",
        "write `import re`, `if` in place of `match`, and remove rules in place of `if: false`",
    ),
    row(
        Change::JobsById,
        Version::V3_0,
        "`concurrent_job_count_for_tool`",
        "the id is a pattern, found anywhere in the ids of other tools",
        "the id itself, or all versions of a tool of a tool shed",
        "",
    ),
    row(
        Change::NoVersion,
        Version::V3_0,
        "`tool_version_eq` and the like of a tool without a version",
        "compared as an older version",
        "`None`",
        "",
    ),
    row(
        Change::ClampByBounds,
        Version::V3_1,
        "amounts without a `min_...`",
        "never below 0, and 0 if the expression gives `None`; TPV 1: as the expression gives them",
        "as the expression gives them",
        "write `max(0, ...)` in the expression",
    ),
    row(
        Change::Wrappers,
        Version::V3_1,
        "what a tool's wrapper asks for, and tools that users define",
        "ignored; a user's own tool is looked up by its id",
        "the default for the tool's `cores`, `mem` and `gpus`; a user's own tool is looked up by its type and uuid",
        "set `cores`, `mem` and `gpus` for the tools whose wrappers ask for them",
    ),
    row(
        Change::FractionalGpus,
        Version::V3_1,
        "`gpus: 0.5`",
        "TPV 3.0 does not load the config; the versions before take the fraction",
        "a fraction of a GPU",
        "",
    ),
    row(
        Change::ParentsFirst,
        Version::V3_1,
        "an entity that an earlier file defines, too",
        "inherits from its earlier definition, then from its parents",
        "inherits from its parents, then from its earlier definition",
        "repeat in the later file the fields that must win",
    ),
    row(
        Change::NoqaOnly,
        Version::V3_1,
        "a comment between `env`, `params` or `context` and their entries",
        "adds a variable or parameter `no_qa_codes`",
        "nothing, unless it is a `# noqa`",
        "",
    ),
    row(
        Change::ResourceHelpers,
        Version::V3_1,
        "`helpers.get_tool_resource_field`",
        "not there: `AttributeError`",
        "there",
        "",
    ),
    row(
        Change::TagNumbers,
        Version::V3_2,
        "scores of tags",
        "require counts 2, prefer 1, accept 0, reject -1",
        "require counts 3, prefer 2, accept 1, reject -1",
        "write a `rank` that orders the destinations",
    ),
    row(
        Change::ToolTypeTags,
        Version::V3_2,
        "the type of a tool",
        "no tag",
        "each job accepts `tool_type_...`, and destinations reject `tool_type_user_defined`",
        "let destinations for users' own tools accept `tool_type_user_defined`",
    ),
    row(
        Change::ResourcesOnce,
        Version::V3_2,
        "resources while destinations are matched",
        "evaluated for each destination",
        "evaluated once",
        "",
    ),
    row(
        Change::UnweightedSample,
        Version::V3_2,
        "`weighted_random_sampling` of destinations without a `weight`",
        "draws with replacement: some destinations are tried twice, others never",
        "draws each destination once",
        "",
    ),
    row(
        Change::ResubmitMappings,
        Version::V3_2,
        "`resubmit`",
        "TPV 3.0 and 3.1 load only texts, which Galaxy cannot use; the versions before take mappings",
        "a mapping of mappings",
        "",
    ),
    row(
        Change::DumpedNames,
        Version::V3_2,
        "`entity.dict()`",
        "has the names of the config: `scheduling`, `if`",
        "has the names of attributes: `tpv_tags`, `if_condition`",
        "write `entity.model_dump()`",
    ),
    row(
        Change::Pools,
        Version::V3_3,
        "`max_concurrent_*`, `pools`, `resource_pool_store`",
        "unknown fields, kept without effect",
        "budgets of resource pools",
        "remove them",
    ),
    row(
        Change::ResubmitEnvironment,
        Version::V3_3,
        "`destination` of a `resubmit` action",
        "given to Galaxy as `destination`, which Galaxy does not read: the job goes where it was",
        "given as `environment`, the name that Galaxy reads",
        "remove `destination`",
    ),
    row(
        Change::RamInGib,
        Version::V3_3,
        "RAM that a tool's wrapper asks for, in MiB",
        "`mem` is the number as it is: 4096 MiB become 4096 GiB",
        "divided by 1024",
        "set `mem` for the tools that depend on it",
    ),
    row(
        Change::ClampedWeights,
        Version::V3_3,
        "`weighted_random_sampling` of destinations with a `weight`",
        "draws with replacement by the weights as they are; fails if all are 0",
        "negative weights are 0, and without weights other than 1 each destination is drawn once",
        "",
    ),
    row(
        Change::InputHelpers,
        Version::V3_3,
        "`get_input_size`, `get_input_dataset`, `get_input_datasets`, `weighted_choice` of `helpers`",
        "not there: `AttributeError`",
        "there",
        "",
    ),
    row(
        Change::Scores,
        Version::NEXT,
        "scores of tags",
        "require counts 3, prefer 2, accept 1, reject -1; tags that only the destination has count against it",
        "require counts 1, prefer 2, accept 1, reject nothing; tags that only one of both has count against it",
        "write a `rank` that orders the destinations",
    ),
];

impl Change {
    /// All changes, in the order of the versions.
    pub fn all() -> impl Iterator<Item = Self> {
        TABLE.iter().map(|row| row.change)
    }

    fn row(self) -> Option<&'static Row> {
        TABLE.get(self as usize)
    }

    /// The first version that has it.
    pub fn since(self) -> Version {
        self.row().map_or_else(Version::default, |row| row.since)
    }

    /// The change that brought what this one changed: to a version without that change this one means nothing.
    pub const fn follows(self) -> Option<Self> {
        match self {
            Self::ClampByBounds => Some(Self::CombineFirst),
            Self::FractionalGpus | Self::NoqaOnly | Self::ResubmitMappings => Some(Self::Models),
            Self::RamInGib => Some(Self::Wrappers),
            _ => None,
        }
    }

    /// What it is about.
    pub fn about(self) -> &'static str {
        self.row().map_or("", |row| row.about)
    }

    /// What TPV did before.
    pub fn before(self) -> &'static str {
        self.row().map_or("", |row| row.before)
    }

    /// What TPV does since.
    pub fn after(self) -> &'static str {
        self.row().map_or("", |row| row.after)
    }

    /// What to write so that nothing changes, if there is such a text.
    pub fn keep(self) -> Option<&'static str> {
        self.row().map(|row| row.keep).filter(|keep| !keep.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_at_their_numbers() {
        for (index, row) in TABLE.iter().enumerate() {
            assert_eq!(row.change as usize, index, "{:?}", row.change);
            assert!(!row.about.is_empty() && row.before != row.after);
        }
        assert!(TABLE.is_sorted_by_key(|row| row.since.number()));
    }
}
