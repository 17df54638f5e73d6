//! The fields of entities, rules, destinations and pools: one table, from which readers, dumps and schemas take their names,
//! orders and words.

use bincode::{Decode, Encode};

use crate::{Amount, EntityClass, Limit, Resource};

/// The kinds of values that a field of a config takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A text.
    Text,
    /// A text or null.
    OptionalText,
    /// A boolean as Galaxy's `asbool` reads it.
    Truth,
    /// A boolean as pydantic reads it.
    Flag,
    /// A number or an expression.
    NumberOrCode,
    /// A number.
    Number,
    /// Python code with a value, or null.
    Code,
    /// Python statements or null.
    Statements,
    /// A condition: code or a boolean.
    Condition,
    /// An f-string or null.
    FString,
    /// Environment variables, whose values are f-strings.
    Env,
    /// A mapping or null.
    Dict,
    /// Mappings by name, whose texts are f-strings.
    Resubmit,
    /// A list of texts.
    Texts,
    /// A list of f-strings.
    FStrings,
    /// Four lists of tags.
    Tags,
    /// Rules.
    Rules,
    /// The policy of a pool for jobs larger than its budget.
    Oversize,
}

/// A field of an entity or rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Encode, Decode)]
pub enum Field {
    /// The id; of a destination the key in its section, unless code changes it.
    Id,
    /// `true` for an entity that is only inherited from.
    Abstract,
    /// The id of the parent.
    Inherits,
    /// A resource or limit.
    Amount(Amount),
    /// Environment variables.
    Env,
    /// The params of a Galaxy destination.
    Params,
    /// The actions of Galaxy for a failed job.
    Resubmit,
    /// The code that orders destinations.
    Rank,
    /// Names for code.
    Context,
    /// The tags that an entity asks of destinations.
    Tags,
    /// The lint codes that are not reported.
    NoQaCodes,
    /// The rules of an entity.
    Rules,
    /// The condition of a rule.
    If,
    /// The statements that a rule runs.
    Execute,
    /// The message with which a rule fails a job.
    Fail,
    /// The runner of a destination.
    Runner,
    /// The id of a destination for Galaxy.
    DestName,
    /// The tags that a destination or pool offers.
    DestTags,
    /// The tags of the job handlers of a destination.
    HandlerTags,
    /// The policy of a pool for jobs larger than its budget.
    Oversize,
    /// `true` if jobs run while the store of a pool is away.
    FailOpen,
}

/// The parts of a field in which values replace others, as entities inherit one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parts {
    /// The field is replaced as a whole.
    Whole,
    /// Each entry is replaced by that of the same name.
    Entries,
    /// Each tag, in whichever of the four lists.
    Tags,
}

impl Kind {
    /// The parts of a field of this kind. `None` for ids, flags, rules and lists, which no report takes apart.
    pub const fn parts(self) -> Option<Parts> {
        match self {
            Self::NumberOrCode | Self::Number | Self::Code | Self::Statements | Self::Condition | Self::FString => {
                Some(Parts::Whole)
            }
            Self::Env | Self::Dict | Self::Resubmit => Some(Parts::Entries),
            Self::Tags => Some(Parts::Tags),
            Self::Text
            | Self::OptionalText
            | Self::Truth
            | Self::Flag
            | Self::Texts
            | Self::FStrings
            | Self::Rules
            | Self::Oversize => None,
        }
    }
}

/// The value of a field that no config sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unset {
    /// Null.
    Null,
    /// `false`.
    False,
    /// An empty text, list or mapping.
    Empty,
    /// None: the field has to be set.
    Required,
}

/// A row of the table: the name in TPV's class, the name in a config, the kind, the value if unset, the unit unless it is a
/// count, and the meaning.
type Row = (&'static str, &'static str, Kind, Unset, Option<&'static str>, &'static str);

const fn resource(resource: Resource) -> Field {
    Field::Amount(Amount::Resource(resource))
}

const fn limit(limit: Limit) -> Field {
    Field::Amount(Amount::Limit(limit))
}

/// The fields of all classes, in the order of TPV's class `Entity`.
const COMMON: &[Field] = &[
    Field::Id,
    Field::Abstract,
    Field::Inherits,
    resource(Resource::Cores),
    resource(Resource::Mem),
    resource(Resource::Gpus),
    resource(Resource::MinCores),
    resource(Resource::MinMem),
    resource(Resource::MinGpus),
    resource(Resource::MaxCores),
    resource(Resource::MaxMem),
    resource(Resource::MaxGpus),
    limit(Limit::MaxConcurrentCores),
    limit(Limit::MaxConcurrentMem),
    limit(Limit::MaxConcurrentGpus),
    Field::Env,
    Field::Params,
    Field::Resubmit,
    Field::Rank,
    Field::Context,
    Field::Tags,
    Field::NoQaCodes,
];

const ENTITY: &[Field] = &[Field::Rules];

const RULE: &[Field] = &[Field::If, Field::Execute, Field::Fail];

const DESTINATION: &[Field] = &[
    Field::Rules,
    Field::Runner,
    limit(Limit::MaxAcceptedCores),
    limit(Limit::MaxAcceptedMem),
    limit(Limit::MaxAcceptedGpus),
    limit(Limit::MinAcceptedCores),
    limit(Limit::MinAcceptedMem),
    limit(Limit::MinAcceptedGpus),
    Field::DestName,
    Field::DestTags,
    Field::HandlerTags,
];

const POOL: &[Field] = &[Field::Rules, Field::Oversize, Field::FailOpen, Field::DestTags];

/// The fields besides amounts that are one value each, which entities and rules hold in [`Common::singles`](crate::Common::singles).
const SINGLES: &[Field] = &[
    Field::Rank,
    Field::If,
    Field::Execute,
    Field::Fail,
    Field::Runner,
    Field::HandlerTags,
    Field::DestName,
    Field::FailOpen,
];

/// The fields that all classes hold as one value, besides amounts and [`SINGLES`].
const FLAGS: &[Field] = &[Field::Id, Field::Abstract, Field::Inherits];

/// [`FLAGS`] and [`SINGLES`] by name: code asks for them in every job.
const PLAIN: [(&str, Field); FLAGS.len() + SINGLES.len()] = {
    let mut fields = [("", Field::Id); FLAGS.len() + SINGLES.len()];
    let mut rest: &mut [(&str, Field)] = &mut fields;
    let (mut flags, mut singles) = (FLAGS, SINGLES);
    while let [slot, others @ ..] = rest {
        if let [field, further @ ..] = flags {
            *slot = (field.name(), *field);
            flags = further;
        } else if let [field, further @ ..] = singles {
            *slot = (field.name(), *field);
            singles = further;
        }
        rest = others;
    }
    fields
};

impl Field {
    /// The fields of all classes, in the order of their definition in TPV.
    pub const fn common() -> &'static [Self] {
        COMMON
    }

    /// The fields that a class has besides [`Self::common`], in the order of their definition in TPV.
    pub const fn own(class: EntityClass) -> &'static [Self] {
        match class {
            EntityClass::Rule => RULE,
            EntityClass::Tool | EntityClass::Role | EntityClass::User => ENTITY,
            EntityClass::Destination => DESTINATION,
            EntityClass::PoolEntity => POOL,
        }
    }

    /// The fields of a class, in the order of their definition in TPV.
    pub fn of(class: EntityClass) -> impl Iterator<Item = Self> {
        COMMON.iter().chain(Self::own(class)).copied()
    }

    /// The fields of all classes besides amounts that are one value each: [`Common::singles`](crate::Common::singles).
    pub const fn singles() -> &'static [Self] {
        SINGLES
    }

    /// The field of this name in TPV's class that is one value besides amounts: the id, its flags, and [`Self::singles`].
    pub fn plain(name: &str) -> Option<Self> {
        PLAIN.iter().find(|(known, _)| *known == name).map(|(_, field)| *field)
    }

    /// Returns `true` if all classes have the field.
    pub fn is_common(self) -> bool {
        COMMON.contains(&self)
    }

    /// The fields of all classes that are inherited in these parts, in the order of their definition in TPV.
    pub fn common_in(parts: Parts) -> impl Iterator<Item = Self> {
        COMMON.iter().copied().filter(move |field| field.kind().parts() == Some(parts))
    }

    /// The name in TPV's class.
    pub const fn name(self) -> &'static str {
        self.row().0
    }

    /// The name in a config.
    pub const fn alias(self) -> &'static str {
        self.row().1
    }

    /// The name in reports of parts, such as `env.TMPDIR` and `tags.highmem`.
    pub const fn group(self) -> &'static str {
        match self {
            Self::Tags | Self::DestTags => "tags",
            _ => self.alias(),
        }
    }

    /// The kind of its values.
    pub const fn kind(self) -> Kind {
        self.row().2
    }

    /// The value if no config sets it.
    pub const fn unset(self) -> Unset {
        self.row().3
    }

    /// The unit of its numbers. `None` for counts and for what is no number.
    pub const fn unit(self) -> Option<&'static str> {
        self.row().4
    }

    /// The unit after a blank, or the empty text if there is none.
    pub fn unit_suffix(self) -> String {
        self.unit().map_or_else(String::new, |unit| format!(" {unit}"))
    }

    /// The meaning, without unit and default.
    pub const fn words(self) -> &'static str {
        self.row().5
    }

    const fn row(self) -> Row {
        match self {
            Self::Id => (
                "id",
                "id",
                Kind::Text,
                Unset::Empty,
                None,
                "Another name for the entity. Its key is what counts; a destination is called by it.",
            ),
            Self::Abstract => {
                ("abstract", "abstract", Kind::Truth, Unset::False, None, "If true, the entity is only inherited from.")
            }
            Self::Inherits => (
                "inherits",
                "inherits",
                Kind::OptionalText,
                Unset::Null,
                None,
                "The id of the entity of the same section to inherit from.",
            ),
            Self::Amount(amount) => {
                let kind = match amount {
                    Amount::Resource(_) => Kind::NumberOrCode,
                    Amount::Limit(_) => Kind::Number,
                };
                (amount.name(), amount.name(), kind, Unset::Null, amount.unit(), amount.words())
            }
            Self::Env => (
                "env",
                "env",
                Kind::Env,
                Unset::Null,
                None,
                "Environment variables: a mapping of names to values, which are f-strings; or a list of `{name: ..., value: ...}`, `{file: ...}` or `{execute: ...}`.",
            ),
            Self::Params => (
                "params",
                "params",
                Kind::Dict,
                Unset::Null,
                None,
                "Params of the Galaxy destination. Texts at any depth are f-strings: `\"--mem {mem}\"`.",
            ),
            Self::Resubmit => (
                "resubmit",
                "resubmit",
                Kind::Resubmit,
                Unset::Empty,
                None,
                "What Galaxy does with a job that fails: names to `{condition: ..., destination: ..., delay: ...}`.",
            ),
            Self::Rank => (
                "rank",
                "rank",
                Kind::Code,
                Unset::Null,
                None,
                "Python code that puts the destinations that match in order, the best first.",
            ),
            Self::Context => (
                "context",
                "context",
                Kind::Dict,
                Unset::Empty,
                None,
                "Names for the code of the entity and of what inherits from it: `name: value`.",
            ),
            Self::Tags => (
                "tpv_tags",
                "scheduling",
                Kind::Tags,
                Unset::Empty,
                None,
                "Tags that decide which destinations take a job. On a destination: the tags it offers.",
            ),
            Self::NoQaCodes => (
                "no_qa_codes",
                "no_qa_codes",
                Kind::Texts,
                Unset::Empty,
                None,
                "Codes of lint findings that are not reported for the entity, as `# noqa: T101` behind its key does.",
            ),
            Self::Rules => (
                "rules",
                "rules",
                Kind::Rules,
                Unset::Empty,
                None,
                "Rules, which are evaluated in order: a list, or a mapping of ids to rules.",
            ),
            Self::If => (
                "if_condition",
                "if",
                Kind::Condition,
                Unset::Required,
                None,
                "The condition: a Python expression, or `true`.",
            ),
            Self::Execute => (
                "execute",
                "execute",
                Kind::Statements,
                Unset::Null,
                None,
                "Python statements that run where the condition holds: `entity.cores = 4`.",
            ),
            Self::Fail => {
                ("fail", "fail", Kind::FString, Unset::Null, None, "Ends the job with this message, an f-string.")
            }
            Self::Runner => (
                "runner",
                "runner",
                Kind::OptionalText,
                Unset::Null,
                None,
                "The id of a runner of Galaxy's job configuration.",
            ),
            Self::DestName => (
                "dest_name",
                "destination_name_override",
                Kind::FString,
                Unset::Null,
                None,
                "The id that Galaxy sees instead of the destination's own, an f-string.",
            ),
            Self::DestTags => (
                "tpv_dest_tags",
                "scheduling",
                Kind::Tags,
                Unset::Empty,
                None,
                "Tags that decide which destinations take a job. On a destination: the tags it offers.",
            ),
            Self::HandlerTags => (
                "handler_tags",
                "tags",
                Kind::FStrings,
                Unset::Empty,
                None,
                "The tags of the job handlers that Galaxy sees, f-strings; not those of `scheduling`.",
            ),
            Self::Oversize => (
                "oversize",
                "oversize",
                Kind::Oversize,
                Unset::Empty,
                None,
                "What becomes of a job that is larger than the budget.",
            ),
            Self::FailOpen => (
                "fail_open",
                "fail_open",
                Kind::Flag,
                Unset::False,
                None,
                "If true, jobs run while the store cannot be reached.",
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn the_orders_are_those_of_the_amounts() {
        let amounts = |fields: &[Field]| -> Vec<Amount> {
            fields
                .iter()
                .filter_map(|field| if let Field::Amount(amount) = field { Some(*amount) } else { None })
                .collect()
        };
        assert_eq!(amounts(COMMON), Amount::common().collect::<Vec<_>>());
        assert_eq!(amounts(DESTINATION), Amount::accepted().collect::<Vec<_>>());
    }

    #[test]
    fn no_class_has_two_fields_of_one_name() {
        for class in EntityClass::SECTIONS.into_iter().chain([EntityClass::Rule]) {
            let mut names = HashSet::new();
            assert!(Field::of(class).all(|field| names.insert(field.name())), "{class:?}");
        }
    }
}
