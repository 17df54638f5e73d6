//! The things a config defines, with the fields of TPV 3.3.0 under TPV's names.
//!
//! Values that inheriting shares are behind `Arc`: a hundred thousand tools that inherit one another must not copy them.

use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

use indexmap::IndexMap;
use tpv_model::{EntityClass, Field, Values};

use crate::rules::Rules;
use crate::scheduling::SchedulingTags;
use tpv_text::source::Span;
use tpv_yaml::value::{ConfigValue, Text};

/// A `dict` with string keys.
pub type Dict = IndexMap<Arc<str>, ConfigValue>;

/// One element of `env`: string keys and values in order. A mapping `A: b` has become `name: A`, `value: b`. Values are strings; of
/// TPV 1.4 a `value` may be anything.
pub type EnvEntry = Vec<(Arc<str>, ConfigValue)>;

/// The text under a key of an element of `env`.
pub fn env_value<'a>(entry: &'a [(Arc<str>, ConfigValue)], key: &str) -> Option<&'a Text> {
    entry.iter().find(|(name, _)| &**name == key).and_then(|(_, value)| value.as_text())
}

/// A tool, user, role, destination or pool.
#[derive(Clone, Debug)]
pub struct Entity {
    /// The class, which is not that of rules.
    pub class: EntityClass,
    /// The key in its section; an `id` field does not change it.
    pub id: Arc<str>,
    /// The key in the file that defined it last.
    pub span: Span,
    /// The fields that rules have too.
    pub common: Common,
    /// The rules, own and inherited.
    pub rules: Rules,
    /// The fields of a destination.
    pub destination: Option<Arc<DestinationFields>>,
    /// The fields of a pool.
    pub pool: Option<Arc<PoolFields>>,
}

impl Entity {
    /// The common fields of the entity, then those of its rules.
    pub fn commons(&self) -> impl Iterator<Item = &Common> {
        std::iter::once(&self.common).chain(self.rules.values().map(|rule| &rule.common))
    }
}

/// The field types of entities in a config. `None` is Python's `None`, which means unset.
#[derive(Clone, Copy, Debug)]
pub struct ConfigValues;

impl Values for ConfigValues {
    /// As Galaxy's `asbool` reads it.
    type Flag = bool;
    /// An id, or a code block. An empty `inherits` is none, but hides the parent's own.
    type Word = Option<Text>;
    type Amounts = Arc<Amounts>;
    /// The values, that of `name` too, are f-strings.
    type Env = Option<Arc<Vec<EnvEntry>>>;
    /// Strings at any depth are f-strings.
    type Params = Option<Arc<Dict>>;
    /// Mappings of strings, numbers and null; strings are f-strings.
    type Resubmit = Arc<Dict>;
    /// Names for code, as they are.
    type Context = Option<Arc<Dict>>;
    /// In destinations and pools they are not `scheduling`, but the rarely written `tpv_tags`.
    type Tags = SchedulingTags;
    type NoQaCodes = Arc<Vec<Text>>;
    type Extras = Arc<Dict>;

    /// Empty values are shared, because every entity and rule begins with this.
    fn unset() -> Common {
        static UNSET: LazyLock<Common> = LazyLock::new(|| Common {
            is_abstract: false,
            inherits: None,
            amounts: Arc::default(),
            env: None,
            params: None,
            resubmit: Arc::default(),
            rank: None,
            // A context that is not given is an empty one; only `context: null` is none.
            context: Some(Arc::default()),
            tags: SchedulingTags::default(),
            no_qa_codes: Arc::default(),
            extras: Arc::default(),
        });
        UNSET.clone()
    }
}

/// The fields of TPV's class `Entity` as a config sets them.
pub type Common = tpv_model::Common<ConfigValues>;

/// The value of a common field that inheriting replaces as a whole, as text, with its place. `None` if it is unset, or not such a
/// field.
pub fn whole(common: &Common, field: Field) -> Option<(Cow<'_, str>, Span)> {
    if let Field::Amount(amount) = field {
        return common.amounts.get(amount).map(|value| (value.python_str().into(), value.span));
    }
    let (_, code) = common.code().into_iter().find(|(known, _)| *known == field)?;
    code.as_ref().map(|code| (code.as_str().into(), code.span))
}

/// The entries of `params`, `resubmit` or `context`. `None` if the field is null, or another one.
pub fn entries(common: &Common, field: Field) -> Option<&Dict> {
    match field {
        Field::Params => common.params.as_deref(),
        Field::Resubmit => Some(&common.resubmit),
        Field::Context => common.context.as_deref(),
        _ => None,
    }
}

/// The amounts of an entity or rule: resources are `Int`, `BigInt`, `Float` or `Str` with a code block, limits are numbers.
pub type Amounts = tpv_model::Amounts<Arc<ConfigValue>>;

/// A rule of an entity.
#[derive(Clone, Debug)]
pub struct Rule {
    /// The key among the entity's rules: the id where the config gives a list.
    pub key: Arc<str>,
    /// The rule's own `id`, or `tpv_rule_N`.
    pub id: Arc<str>,
    /// The rule in its file.
    pub span: Span,
    /// The places of the rules that it has inherited from; `None` if they are too many to keep.
    pub inherited: Option<Vec<Span>>,
    /// `true` if it is an item of a list rather than under a key, which shows in TPV's dump.
    pub in_list: bool,
    /// The fields that entities have too.
    pub common: Common,
    /// `if`: `Str` with a code block, or `Bool`.
    pub condition: ConfigValue,
    /// `execute`: statements.
    pub execute: Option<Text>,
    /// `fail`: an f-string.
    pub fail: Option<Text>,
}

/// The fields of destinations.
#[derive(Clone, Debug, Default)]
pub struct DestinationFields {
    /// `runner`
    pub runner: Option<Text>,
    /// `destination_name_override`, else the field `id`, else the key: an f-string. Never unset, so that no parent's is inherited.
    pub dest_name: Text,
    /// `scheduling`: what the destination offers.
    pub dest_tags: SchedulingTags,
    /// `tags`: f-strings. Never unset, so that no parent's are inherited.
    pub handler_tags: Arc<Vec<Text>>,
    /// `true` if `tags` is not a list but its one f-string, as TPV before 3.0 takes it and gives it to Galaxy.
    pub has_plain_tags: bool,
}

/// The fields of pools.
#[derive(Clone, Debug, Default)]
pub struct PoolFields {
    /// `oversize`; a field that is `None` has its default.
    pub oversize: Oversize,
    /// `fail_open`; false unless set.
    pub fail_open: bool,
    /// `true` if `fail_open` counts as given, by the config or by inheriting.
    pub fail_open_is_set: bool,
    /// `scheduling`: the jobs the pool governs; `prefer` and `accept` are empty.
    pub dest_tags: SchedulingTags,
}

/// A pool's policy for a job that does not fit its budget. `None` is a field that was not given.
#[derive(Clone, Debug, Default)]
pub struct Oversize {
    /// An integer; 0 if not given.
    pub max_concurrent: Option<ConfigValue>,
    /// A float or null; null if not given.
    pub hard_max_cores: Option<ConfigValue>,
    /// A float or null; null if not given.
    pub hard_max_mem: Option<ConfigValue>,
    /// A float or null; null if not given.
    pub hard_max_gpus: Option<ConfigValue>,
    /// False if not given.
    pub reserve_pool: Option<bool>,
}

/// The section `global`.
#[derive(Clone, Debug, Default)]
pub struct GlobalConfig {
    /// `default_inherits`: what every tool, user and destination inherits from at last.
    pub default_inherits: Option<Text>,
    /// `context`: names for all code.
    pub context: Arc<Dict>,
    /// `resource_pool_store`
    pub resource_pool_store: Option<StoreConfig>,
    /// Fields TPV does not know, which it keeps.
    pub extras: Arc<Dict>,
}

/// The store of resource pools.
#[derive(Clone, Debug)]
pub struct StoreConfig {
    /// `class`: a dotted Python path.
    pub store_class: Text,
    /// Everything else, which goes to the class's constructor.
    pub options: Arc<Dict>,
}

impl StoreConfig {
    /// The class where the config names none.
    pub const DEFAULT_CLASS: &'static str = "tpv.core.resource_pool.ValkeyAllocationStore";
}
