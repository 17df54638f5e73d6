//! The things a config defines, with the fields of TPV 3.3.0 under TPV's names.
//!
//! Values that inheriting shares are behind `Arc`: a hundred thousand tools that inherit one another must not copy them.

use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

use indexmap::IndexMap;
use tpv_model::{EntityClass, Field, FieldMap, Values};

use crate::rules::Rules;
use crate::scheduling::SchedulingTags;
use tpv_text::source::Span;
use tpv_yaml::value::{ConfigValue, Text, ValueKind};

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
    /// `scheduling` of a destination, what it offers; of a pool, the jobs that it governs, without `prefer` and `accept`.
    pub dest_tags: Option<Arc<SchedulingTags>>,
    /// `oversize` of a pool.
    pub oversize: Option<Arc<Oversize>>,
}

impl Entity {
    /// The common fields of the entity, then those of its rules.
    pub fn commons(&self) -> impl Iterator<Item = &Common> {
        std::iter::once(&self.common).chain(self.rules.values().map(|rule| &rule.common))
    }

    /// `runner`
    pub fn runner(&self) -> Option<&Text> {
        text(&self.common, Field::Runner)
    }

    /// `tags` of a destination: f-strings.
    pub fn handler_tags(&self) -> impl Iterator<Item = &Text> {
        let tags = self.common.singles.get(Field::HandlerTags);
        let list = match tags.map(|tags| &tags.kind) {
            Some(ValueKind::List(list)) => list.as_slice(),
            _ => tags.map_or(Default::default(), std::slice::from_ref),
        };
        list.iter().filter_map(ConfigValue::as_text)
    }

    /// `destination_name_override`, else the field `id`, else the key: an f-string. `None` for other classes.
    pub fn dest_name(&self) -> Option<&Text> {
        text(&self.common, Field::DestName)
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
    /// Texts are `Str`; a list of them is `List`, or the one text that TPV before 3.0 takes and gives to Galaxy.
    type Singles = Arc<FieldMap<ConfigValue>>;
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
            singles: Arc::default(),
            env: None,
            params: None,
            resubmit: Arc::default(),
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

/// The value of an amount or of one of [`Field::singles`], as text, with its place. `None` if it is unset, or not such a field.
pub fn whole(common: &Common, field: Field) -> Option<(Cow<'_, str>, Span)> {
    if let Field::Amount(amount) = field {
        return common.amounts.get(amount).map(|value| (value.python_str().into(), value.span));
    }
    common.singles.get(field).map(|value| (value.python_str().into(), value.span))
}

/// The text of one of [`Field::singles`]. `None` if it is unset, or no text.
pub fn text(common: &Common, field: Field) -> Option<&Text> {
    common.singles.get(field)?.as_text()
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
    /// The fields that entities have too, and those of rules.
    pub common: Common,
}

impl Rule {
    /// `if`: `Str` with a code block, or `Bool`; before TPV 3.0 it may be null.
    pub fn condition(&self) -> &ConfigValue {
        static NULL: LazyLock<ConfigValue> = LazyLock::new(|| ConfigValue::new(ValueKind::Null, Span::default()));
        self.common.singles.get(Field::If).unwrap_or(&NULL)
    }

    /// `execute`: statements.
    pub fn execute(&self) -> Option<&Text> {
        text(&self.common, Field::Execute)
    }

    /// `fail`: an f-string.
    pub fn fail(&self) -> Option<&Text> {
        text(&self.common, Field::Fail)
    }
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
