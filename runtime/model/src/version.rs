//! The versions of TPV whose answers tpvc gives, and what each has. `release.rs` has the version that answers for each release.
//!
//! What differs between versions is told here and in `change.rs`; `docs/versions.md` has a tool that shows each change.

use std::fmt;
use std::str::FromStr;

use bincode::{Decode, Encode};

use crate::{Amount, Asked, Change, EntityClass, Field, Limit, Quantity, TagType};

/// The names of the versions, the oldest first.
const NAMES: [&str; 7] = ["1.4", "2.5", "3.0", "3.1", "3.2", "3.3", "next"];

/// A version of TPV: the changes that it has.
///
/// ```
/// use tpv_model::{Change, Version};
///
/// let version: Version = "3.2.1".parse()?;
/// assert!(version.has(Change::TagNumbers) && !version.has(Change::Pools));
/// assert_eq!(version.with(Change::Pools).to_string(), "3.2");
/// # Ok::<(), tpv_model::UnknownVersion>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Encode, Decode)]
pub struct Version {
    /// The place in [`Version::ALL`].
    number: u8,
    /// The changes, a bit each.
    changes: u32,
}

impl Default for Version {
    fn default() -> Self {
        Self::V3_3
    }
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
    pub const ALL: [Self; 7] = [Self::V1_4, Self::V2_5, Self::V3_0, Self::V3_1, Self::V3_2, Self::V3_3, Self::NEXT];
    /// TPV 1.4.
    pub const V1_4: Self = Self::of(0, Change::CombineFirst);
    /// TPV 2.5.
    pub const V2_5: Self = Self::of(1, Change::ParentsAcrossFiles);
    /// TPV 3.0.
    pub const V3_0: Self = Self::of(2, Change::ClampByBounds);
    /// TPV 3.1.
    pub const V3_1: Self = Self::of(3, Change::TagNumbers);
    /// TPV 3.2.
    pub const V3_2: Self = Self::of(4, Change::Pools);
    /// TPV 3.3.
    pub const V3_3: Self = Self::of(5, Change::Scores);
    /// TPV 3.3 with the scores of tags that its open pull request 186 proposes.
    pub const NEXT: Self = Self { number: 6, changes: Self::V3_3.changes | 1 << Change::Scores as u32 };

    /// The version at a place, which has all changes before `first`.
    const fn of(number: u8, first: Change) -> Self {
        Self { number, changes: (1 << first as u32) - 1 }
    }

    /// Returns `true` if the version has the change.
    #[inline]
    pub const fn has(self, change: Change) -> bool {
        self.changes & (1 << change as u32) != 0
    }

    /// The version with a change that it lacks: to see what the change alone does.
    pub const fn with(self, change: Change) -> Self {
        Self { number: self.number, changes: self.changes | 1 << change as u32 }
    }

    /// The version without a change that it has.
    pub const fn without(self, change: Change) -> Self {
        Self { number: self.number, changes: self.changes & !(1 << change as u32) }
    }

    /// The changes that one of two versions has and the other lacks, without those of what the other does not have at all.
    pub fn between(self, other: Self) -> impl Iterator<Item = Change> {
        let both_have = move |change: Change| self.has(change) && other.has(change);
        Change::all()
            .filter(move |change| self.has(*change) != other.has(*change) && change.follows().is_none_or(both_have))
    }

    /// The name: `3.2`, or `3.2.0` for a patch release that differs from the latest.
    pub fn name(self) -> &'static str {
        crate::release::patch_name(self).or_else(|| NAMES.get(usize::from(self.number)).copied()).unwrap_or_default()
    }

    /// The place in [`Version::ALL`].
    pub const fn number(self) -> u8 {
        self.number
    }

    /// The version in one number, of which [`Version::from_bits`] makes it again.
    pub const fn bits(self) -> u64 {
        (self.number as u64) << 32 | self.changes as u64
    }

    /// The version of a number that [`Version::bits`] gave.
    #[expect(clippy::cast_possible_truncation, reason = "the halves of the number")]
    pub const fn from_bits(bits: u64) -> Self {
        Self { number: (bits >> 32) as u8, changes: bits as u32 }
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
        !self.has(Change::CombineFirst)
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
        self.has(Change::Pools)
    }

    /// Returns `true` if the target of a `resubmit` action, `destination`, is given to Galaxy as `environment`, which is the name
    /// that Galaxy reads. Before, Galaxy resubmits to the same destination.
    pub fn renames_resubmit(self) -> bool {
        self.has(Change::ResubmitEnvironment)
    }

    /// Returns `true` if `tpv.core.helpers` has a public name.
    pub fn has_helper(self, name: &str) -> bool {
        let added: [(Change, &[&str]); 4] = [
            (Change::InputHelpers, &HELPERS_OF_3_3),
            (Change::ResourceHelpers, &HELPERS_OF_3_1),
            (Change::Models, &HELPERS_OF_3_0),
            (Change::CombineFirst, &HELPERS_OF_2),
        ];
        added.into_iter().all(|(change, names)| self.has(change) || !names.contains(&name))
    }

    /// Returns `true` if the RAM that a tool's wrapper asks for, in MiB, becomes a `mem` in GiB. Before, the number is taken as it is.
    pub fn converts_ram(self) -> bool {
        self.has(Change::RamInGib)
    }

    /// Returns `true` if `weighted_random_sampling` clamps negative weights to 0 and draws without weights where all are 1 or 0.
    /// Before, a destination with a `weight` makes it draw by weights, with replacement.
    pub fn clamps_weights(self) -> bool {
        self.has(Change::ClampedWeights)
    }

    /// Returns `true` if `weighted_random_sampling` draws without replacement where no destination has a `weight`. Before, it always
    /// draws with replacement.
    pub fn samples_without_weights(self) -> bool {
        self.has(Change::UnweightedSample)
    }

    /// The numbers of the types of tags: the values of TPV's enumeration `TagType`.
    pub const fn tag_numbers(self) -> TagNumbers {
        match (self.has(Change::TagNumbers), self.has(Change::Scores)) {
            (false, false) => TagNumbers { require: 2, prefer: 1, accept: 0, reject: -1 },
            (true, false) => TagNumbers { require: 3, prefer: 2, accept: 1, reject: -1 },
            (_, true) => TagNumbers { require: 1, prefer: 2, accept: 3, reject: 4 },
        }
    }

    /// The numbers that the types of tags count in a score.
    pub const fn tag_weights(self) -> TagNumbers {
        match self.has(Change::Scores) {
            true => TagNumbers { require: 1, prefer: 2, accept: 1, reject: 0 },
            false => self.tag_numbers(),
        }
    }

    /// Returns `true` if the members of `TagType` are ints.
    pub const fn has_int_tag_types(self) -> bool {
        self.has(Change::Models) && !self.has(Change::Scores)
    }

    /// Returns `true` if a score is also lowered by the tags that only the job has. Before, it is by those that only the
    /// destination has.
    pub fn counts_missing_of_both(self) -> bool {
        self.has(Change::Scores)
    }

    /// Returns `true` if a job has a tag for the type of its tool, `tool_type_...`, and destinations refuse tools that users define
    /// unless they say otherwise.
    pub fn tags_tool_types(self) -> bool {
        self.has(Change::ToolTypeTags)
    }

    /// Returns `true` if the resources of a job are evaluated once to find its destinations. Before, they are evaluated for each
    /// destination, which shows if they are random.
    pub fn evaluates_resources_once(self) -> bool {
        self.has(Change::ResourcesOnce)
    }

    /// Returns `true` if the entries of `resubmit` are mappings. Before, they are strings, which Galaxy cannot use.
    pub fn has_resubmit_mappings(self) -> bool {
        self.has(Change::ResubmitMappings)
    }

    /// Returns `true` if `entity.dict()` has the names of Python's attributes. Before, it has those of the config, as `model_dump()` has.
    pub fn dumps_attribute_names(self) -> bool {
        self.has(Change::DumpedNames)
    }

    /// Returns `true` if a tool's own requests count: the cores, memory and GPUs of its wrapper, and the uuid of a tool that a user
    /// defined, by which it is then looked up.
    pub fn reads_wrappers(self) -> bool {
        self.has(Change::Wrappers)
    }

    /// Returns `true` if only a bound that is set clamps a resource. Before, nothing is below 0, and what is `None` is 0.
    pub fn clamps_by_bounds_only(self) -> bool {
        self.has(Change::ClampByBounds)
    }

    /// Returns `true` if a number of GPUs must be whole.
    pub fn has_whole_gpus(self) -> bool {
        self.has(Change::Models) && !self.has(Change::FractionalGpus)
    }

    /// Returns `true` if an entity that an earlier file defines too first inherits from its own parents, and then from its earlier
    /// definition. Before, it is the other way round.
    pub fn inherits_before_merging(self) -> bool {
        self.has(Change::ParentsFirst)
    }

    /// Returns `true` if any comment between a key and its mapping adds `no_qa_codes` to the mapping, as a set; else only a `# noqa`
    /// does, as a list.
    pub fn heeds_all_comments(self) -> bool {
        self.has(Change::Models) && !self.has(Change::NoqaOnly)
    }

    /// Returns `true` if entities are models of pydantic: fields have types, unknown ones are kept, `# noqa` comments are data, and a
    /// tag has one type only. Before, entities are plain objects, with other methods.
    pub fn has_models(self) -> bool {
        self.has(Change::Models)
    }

    /// Returns `true` if `inherits` names an entity of the files so far. Before, it must be in the same file, and each file is
    /// resolved before it is merged, and once more after.
    pub fn inherits_across_files(self) -> bool {
        self.has(Change::ParentsAcrossFiles)
    }

    /// Returns `true` if nobody inherits `abstract`. Before, an entity is abstract only if its parent is, too.
    pub fn keeps_abstract(self) -> bool {
        self.has(Change::OwnAbstract)
    }

    /// Returns `true` if destinations have `tags` of their own only. Before, those without inherit them, and Galaxy gets `None` where
    /// there are none.
    pub fn keeps_handler_tags(self) -> bool {
        self.has(Change::OwnHandlerTags)
    }

    /// Returns `true` if `concurrent_job_count_for_tool` counts the jobs of the tool. Before, it takes the id as a regular expression,
    /// and counts all jobs in whose tool ids it is found.
    pub fn counts_jobs_by_id(self) -> bool {
        self.has(Change::JobsById)
    }

    /// Returns `true` if `tool_version_eq` and the like give `None` for a tool without a version. Before, they compare it
    /// as an older version.
    pub fn compares_no_version(self) -> bool {
        self.has(Change::NoVersion)
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
pub struct UnknownVersion {
    /// The version that is nearest to a number.
    pub nearest: Option<Version>,
}

impl fmt::Display for UnknownVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Version::ALL.map(Version::name);
        let [first @ .., last] = &names;
        write!(f, "expected a version of TPV: {} or {last}", first.join(", "))?;
        self.nearest.map_or(Ok(()), |nearest| write!(f, "; the nearest is {nearest}"))
    }
}

impl std::error::Error for UnknownVersion {}

/// The version that answers for a release: [`Asked`] says what differs.
impl FromStr for Version {
    type Err = UnknownVersion;

    fn from_str(text: &str) -> Result<Self, UnknownVersion> {
        text.parse().map(|asked: Asked| asked.version)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patch_releases_are_their_minor_version() {
        for version in Version::ALL {
            assert_eq!(version.name().parse(), Ok(version));
            assert_eq!(Version::from_bits(version.bits()), version);
            assert_eq!(Version::ALL.get(usize::from(version.number())), Some(&version));
            assert!(Change::all().all(|change| version.has(change) == (change.since().number() <= version.number())));
            if version != Version::NEXT {
                assert_eq!(format!("{version}.17").parse(), Ok(version));
            }
        }
        for text in ["", "3", "3.", "3.2.", "3.2.x", "3.2.1.1", "v3.2", "next.1", "3.02"] {
            assert_eq!(text.parse::<Version>(), Err(UnknownVersion { nearest: None }), "{text}");
        }
        for (text, nearest) in
            [("0.9", Version::V1_4), ("1.7", Version::V1_4), ("3.20", Version::V3_3), ("9.9", Version::V3_3)]
        {
            assert_eq!(text.parse::<Version>(), Err(UnknownVersion { nearest: Some(nearest) }), "{text}");
        }
    }

    #[test]
    fn versions_do_not_differ_in_what_one_of_them_lacks() {
        let between = |from: &str| -> Vec<Change> {
            from.parse::<Version>().map(|from| from.between(Version::V3_3).collect()).unwrap_or_default()
        };
        // TPV 1 clamps nothing, as 3.3; before TPV 3.1 nobody reads the RAM of a wrapper.
        assert!(!between("1.4").contains(&Change::ClampByBounds) && between("2.5").contains(&Change::ClampByBounds));
        assert!(!between("3.0").contains(&Change::RamInGib) && between("3.1").contains(&Change::RamInGib));
        assert!(!between("2.5").contains(&Change::FractionalGpus) && between("3.0").contains(&Change::FractionalGpus));
    }
}
