//! The versions of TPV whose answers tpvc gives, and what each has. A patch release is its minor version.
//!
//! What differs between versions is told here and nowhere else; `docs/versions.md` has a config that shows each difference.

use std::fmt;
use std::str::FromStr;

use bincode::{Decode, Encode};

use crate::{Amount, EntityClass, Field, Limit, Quantity, TagType};

/// A version of TPV, the oldest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Encode, Decode)]
pub enum Version {
    /// TPV 1.4.
    V1_4,
    /// TPV 2.5.
    V2_5,
    /// TPV 3.0.
    V3_0,
    /// TPV 3.1.
    V3_1,
    /// TPV 3.2.
    V3_2,
    /// TPV 3.3.
    #[default]
    V3_3,
    /// TPV 3.3 with the scores of tags that its open pull request 186 proposes.
    Next,
}

/// The helpers that TPV 3.3 added.
const HELPERS_OF_3_3: [&str; 9] = [
    "COMPRESSED_EXTENSION_SUFFIXES",
    "DEFAULT_COMPRESSION_FACTOR",
    "HistoryDatasetAssociation",
    "_weighted_draw",
    "get_input_dataset",
    "get_input_datasets",
    "get_input_size",
    "re",
    "weighted_choice",
];

/// The helpers that TPV 2 added.
const HELPERS_OF_2: [&str; 8] = [
    "get_dataset_attributes",
    "parse_version",
    "tag_values_match",
    "tool_version_eq",
    "tool_version_gt",
    "tool_version_gte",
    "tool_version_lt",
    "tool_version_lte",
];

/// The helpers that TPV 3.0 added.
const HELPERS_OF_3_0: [&str; 3] = ["Dataset", "Job", "JobToInputDatasetAssociation"];

/// The helpers that TPV 3.1 added.
const HELPERS_OF_3_1: [&str; 2] = ["extract_resource_requirements_from_tool", "get_tool_resource_field"];

impl Version {
    /// All versions, the oldest first.
    pub const ALL: [Self; 7] = [Self::V1_4, Self::V2_5, Self::V3_0, Self::V3_1, Self::V3_2, Self::V3_3, Self::Next];

    /// The name: `3.2`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::V1_4 => "1.4",
            Self::V2_5 => "2.5",
            Self::V3_0 => "3.0",
            Self::V3_1 => "3.1",
            Self::V3_2 => "3.2",
            Self::V3_3 => "3.3",
            Self::Next => "next",
        }
    }

    /// The place in [`Version::ALL`].
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// The version at this place in [`Version::ALL`].
    pub fn from_number(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }

    /// Returns `true` if entities have the field. A field that a version lacks is kept as one that TPV does not know.
    pub fn has_field(self, field: Field) -> bool {
        match field {
            // Destinations of TPV 1 name what Galaxy's job_conf has, and `cores` is the most that they take.
            Field::Abstract | Field::Runner | Field::DestName | Field::HandlerTags => !self.evaluates_early(),
            Field::Amount(amount) if self.evaluates_early() => {
                Quantity::ALL.iter().any(|quantity| amount == Amount::Resource(quantity.resource()))
            }
            Field::Amount(Amount::Limit(limit)) => !Limit::CONCURRENT.contains(&limit) || self.has_pools(),
            _ => true,
        }
    }

    /// Returns `true` if the resources of each entity are evaluated first, then the entities are combined, of two amounts of which the
    /// lower counts, and all else is evaluated last. This is TPV 1. Since TPV 2 entities are combined first, and the amount of the
    /// higher entity counts.
    pub fn evaluates_early(self) -> bool {
        self < Self::V2_5
    }

    /// Returns `true` if entities have the attribute in code.
    pub fn has_attribute(self, name: &str) -> bool {
        const SINCE_2: [&str; 6] = ["abstract", "dest_name", "handler_tags", "runner", "tpv_dest_tags", "tpv_tags"];
        let is_bound = || Amount::from_name(name).is_some_and(|amount| !self.has_field(Field::Amount(amount)));
        !self.evaluates_early() || !SINCE_2.contains(&name) && !is_bound()
    }

    /// Returns `true` if configs have a section of this class.
    pub fn has_section(self, class: EntityClass) -> bool {
        class != EntityClass::PoolEntity || self.has_pools()
    }

    /// Returns `true` if there are resource pools: `pools`, `global.resource_pool_store`, `max_concurrent_*`.
    pub fn has_pools(self) -> bool {
        self >= Self::V3_3
    }

    /// Returns `true` if the target of a `resubmit` action, `destination`, is given to Galaxy as `environment`, which is the name
    /// that Galaxy reads. Before, Galaxy resubmits to the same destination.
    pub fn renames_resubmit(self) -> bool {
        self >= Self::V3_3
    }

    /// Returns `true` if `tpv.core.helpers` has a public name.
    pub fn has_helper(self, name: &str) -> bool {
        let added: [(Self, &[&str]); 4] = [
            (Self::V3_3, &HELPERS_OF_3_3),
            (Self::V3_1, &HELPERS_OF_3_1),
            (Self::V3_0, &HELPERS_OF_3_0),
            (Self::V2_5, &HELPERS_OF_2),
        ];
        added.into_iter().all(|(version, names)| self >= version || !names.contains(&name))
    }

    /// Returns `true` if the RAM that a tool's wrapper asks for, in MiB, becomes a `mem` in GiB. Before, the number is taken as it is.
    pub fn converts_ram(self) -> bool {
        self >= Self::V3_3
    }

    /// Returns `true` if `weighted_random_sampling` clamps negative weights to 0 and draws without weights where all are 1 or 0.
    /// Before, a destination with a `weight` makes it draw by weights, with replacement.
    pub fn clamps_weights(self) -> bool {
        self >= Self::V3_3
    }

    /// Returns `true` if `weighted_random_sampling` draws without replacement where no destination has a `weight`. Before, it always
    /// draws with replacement.
    pub fn samples_without_weights(self) -> bool {
        self >= Self::V3_2
    }

    /// The numbers of the types of tags: the values of TPV's enumeration `TagType`.
    pub const fn tag_numbers(self) -> TagNumbers {
        match self {
            Self::V1_4 | Self::V2_5 | Self::V3_0 | Self::V3_1 => TagNumbers { require: 2, prefer: 1, accept: 0, reject: -1 },
            Self::V3_2 | Self::V3_3 | Self::Next => TagNumbers { require: 3, prefer: 2, accept: 1, reject: -1 },
        }
    }

    /// The numbers that the types of tags count in a score.
    pub const fn tag_weights(self) -> TagNumbers {
        match self {
            Self::Next => TagNumbers { require: 1, prefer: 2, accept: 1, reject: -1 },
            _ => self.tag_numbers(),
        }
    }

    /// Returns `true` if a score is also lowered by the tags that only the job has. Before, it is by those that only the
    /// destination has.
    pub fn counts_missing_of_both(self) -> bool {
        self >= Self::Next
    }

    /// Returns `true` if a job has a tag for the type of its tool, `tool_type_...`, and destinations refuse tools that users define
    /// unless they say otherwise.
    pub fn tags_tool_types(self) -> bool {
        self >= Self::V3_2
    }

    /// Returns `true` if the resources of a job are evaluated once to find its destinations. Before, they are evaluated for each
    /// destination, which shows if they are random.
    pub fn evaluates_resources_once(self) -> bool {
        self >= Self::V3_2
    }

    /// Returns `true` if Galaxy gets empty `params` and `env` where code set them to `None`.
    pub fn fills_params(self) -> bool {
        self >= Self::V3_2
    }

    /// Returns `true` if the entries of `resubmit` are mappings. Before, they are strings, which Galaxy cannot use.
    pub fn has_resubmit_mappings(self) -> bool {
        self >= Self::V3_2
    }

    /// Returns `true` if `entity.dict()` has the names of Python's attributes. Before, it has those of the config, as `model_dump()` has.
    pub fn dumps_attribute_names(self) -> bool {
        self >= Self::V3_2
    }

    /// Returns `true` if a tool's own requests count: the cores, memory and GPUs of its wrapper, and the uuid of a tool that a user
    /// defined, by which it is then looked up.
    pub fn reads_wrappers(self) -> bool {
        self >= Self::V3_1
    }

    /// Returns `true` if only a bound that is set clamps a resource. Before, nothing is below 0, and what is `None` is 0.
    pub fn clamps_by_bounds_only(self) -> bool {
        self >= Self::V3_1
    }

    /// Returns `true` if a number of GPUs must be whole.
    pub fn has_whole_gpus(self) -> bool {
        self == Self::V3_0
    }

    /// Returns `true` if an entity that an earlier file defines too first inherits from its own parents, and then from its earlier
    /// definition. Before, it is the other way round.
    pub fn inherits_before_merging(self) -> bool {
        self >= Self::V3_1
    }

    /// Returns `true` if any comment between a key and its mapping adds `no_qa_codes` to the mapping, as a set; else only a `# noqa`
    /// does, as a list.
    pub fn heeds_all_comments(self) -> bool {
        self == Self::V3_0
    }

    /// Returns `true` if entities are models of pydantic: fields have types, unknown ones are kept, `# noqa` comments are data, and a
    /// tag has one type only. Before, entities are plain objects, with other methods.
    pub fn has_models(self) -> bool {
        self >= Self::V3_0
    }

    /// Returns `true` if `inherits` names an entity of the files so far. Before, it must be in the same file, and each file is
    /// resolved before it is merged, and once more after.
    pub fn inherits_across_files(self) -> bool {
        self >= Self::V3_0
    }

    /// Returns `true` if nobody inherits `abstract`. Before, an entity is abstract only if its parent is, too.
    pub fn keeps_abstract(self) -> bool {
        self >= Self::V3_0
    }

    /// Returns `true` if destinations have `tags` of their own only. Before, those without inherit them, and Galaxy gets `None` where
    /// there are none.
    pub fn keeps_handler_tags(self) -> bool {
        self >= Self::V3_0
    }

    /// Returns `true` if what a job asks for becomes a float before it is compared with the limits of a destination.
    pub fn compares_floats(self) -> bool {
        self >= Self::V3_0
    }

    /// Returns `true` if `concurrent_job_count_for_tool` counts the jobs of the tool. Before, it takes the id as a regular expression,
    /// and counts all jobs in whose tool ids it is found.
    pub fn counts_jobs_by_id(self) -> bool {
        self >= Self::V3_0
    }

    /// Returns `true` if `tool_version_eq` and the like give `None` for a tool without a version. Before, they raise `TypeError`.
    pub fn compares_no_version(self) -> bool {
        self >= Self::V3_0
    }
}

/// A number for each type of tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TagNumbers {
    require: i64,
    prefer: i64,
    accept: i64,
    reject: i64,
}

impl TagNumbers {
    /// The number of a type.
    #[inline]
    pub const fn of(self, kind: TagType) -> i64 {
        match kind {
            TagType::Require => self.require,
            TagType::Prefer => self.prefer,
            TagType::Accept => self.accept,
            TagType::Reject => self.reject,
        }
    }

    /// The first type with this number.
    pub fn kind(self, number: i64) -> Option<TagType> {
        TagType::ALL.into_iter().find(|kind| self.of(*kind) == number)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A text that names no version of TPV that tpvc knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownVersion;

impl fmt::Display for UnknownVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Version::ALL.map(Version::name);
        let [first @ .., last] = &names;
        write!(f, "expected a version of TPV: {} or {last}", first.join(", "))
    }
}

impl std::error::Error for UnknownVersion {}

/// `3.2`, or a patch release of it: `3.2.1`.
impl FromStr for Version {
    type Err = UnknownVersion;

    fn from_str(text: &str) -> Result<Self, UnknownVersion> {
        if text == Self::Next.name() {
            return Ok(Self::Next);
        }
        let is_patch = |rest: &str| {
            rest.is_empty()
                || rest.strip_prefix('.').is_some_and(|n| !n.is_empty() && n.bytes().all(|byte| byte.is_ascii_digit()))
        };
        let named = |version: &Self| text.strip_prefix(version.name()).is_some_and(is_patch);
        Self::ALL.into_iter().filter(|version| *version != Self::Next).find(named).ok_or(UnknownVersion)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patch_releases_are_their_minor_version() {
        for version in Version::ALL {
            assert_eq!(version.name().parse(), Ok(version));
            assert_eq!(Version::from_number(version.number()), Some(version));
            if version != Version::Next {
                assert_eq!(format!("{version}.17").parse(), Ok(version));
            }
        }
        for text in ["", "3", "3.", "3.2.", "3.20", "3.2.x", "3.2.1.1", "v3.2", "9.9", "next.1"] {
            assert_eq!(text.parse::<Version>(), Err(UnknownVersion), "{text}");
        }
    }
}
