//! The things a config defines, with the fields of TPV 3.3.0 under TPV's names.
//!
//! Values that inheriting shares are behind `Arc`: a hundred thousand tools that inherit one another must not copy them.

use std::sync::{Arc, LazyLock};

use indexmap::IndexMap;

use crate::config::rules::Rules;
use crate::config::scheduling::SchedulingTags;
use crate::source::Span;
use crate::yaml::value::{ConfigValue, Text};

/// A `dict` with string keys.
pub type Dict = IndexMap<Arc<str>, ConfigValue>;

/// One element of `env`: string keys and values in order. A mapping `A: b` has become `name: A`, `value: b`.
pub type EnvEntry = Vec<(Arc<str>, Text)>;

/// Which section an entity stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EntityKind {
    /// `tools`
    Tool,
    /// `users`
    User,
    /// `roles`
    Role,
    /// `destinations`
    Destination,
    /// `pools`
    Pool,
}

impl EntityKind {
    /// All kinds in the order in which TPV validates their sections, which is the order rules are numbered in.
    pub const ALL: [Self; 5] = [Self::Tool, Self::User, Self::Role, Self::Destination, Self::Pool];

    /// The section's key.
    pub fn section(self) -> &'static str {
        match self {
            Self::Tool => "tools",
            Self::User => "users",
            Self::Role => "roles",
            Self::Destination => "destinations",
            Self::Pool => "pools",
        }
    }

    /// The word for one entity.
    pub fn noun(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::User => "user",
            Self::Role => "role",
            Self::Destination => "destination",
            Self::Pool => "pool",
        }
    }
}

/// A tool, user, role, destination or pool.
#[derive(Clone, Debug)]
pub struct Entity {
    /// Which of them.
    pub kind: EntityKind,
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

/// The fields of TPV's class `Entity`. `None` is Python's `None`, which means unset.
#[derive(Clone, Debug)]
pub struct Common {
    /// `abstract`, as Galaxy's `asbool` reads it.
    pub is_abstract: bool,
    /// `inherits`: the id of the parent; an empty text is none, but hides the parent's own.
    pub inherits: Option<Text>,
    /// `cores` to `max_concurrent_gpus`.
    pub resources: Arc<Resources>,
    /// `env`; the values, that of `name` too, are f-strings.
    pub env: Option<Arc<Vec<EnvEntry>>>,
    /// `params`; strings at any depth are f-strings.
    pub params: Option<Arc<Dict>>,
    /// `resubmit`: mappings of strings, numbers and null; strings are f-strings.
    pub resubmit: Arc<Dict>,
    /// `rank`: a code block.
    pub rank: Option<Text>,
    /// `context`: names for code, as they are.
    pub context: Option<Arc<Dict>>,
    /// `tpv_tags`: what the entity asks of a destination; in destinations and pools it is not `scheduling`, but the
    /// rarely written `tpv_tags`.
    pub tags: SchedulingTags,
    /// `no_qa_codes`: the lint codes that a `# noqa` comment or the field itself turns off.
    pub no_qa_codes: Arc<Vec<Text>>,
    /// Fields TPV does not know, which it keeps.
    pub extras: Arc<Dict>,
}

impl Default for Common {
    /// All fields unset. Empty values are shared, because every entity and rule begins with this.
    fn default() -> Self {
        static UNSET: LazyLock<Common> = LazyLock::new(|| Common {
            is_abstract: false,
            inherits: None,
            resources: Arc::default(),
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

/// Resource fields: `Int`, `BigInt`, `Float` or, in the first nine, `Str` with a code block.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs, reason = "the fields are TPV's own, each named as in a config")]
pub struct Resources {
    pub cores: Option<Arc<ConfigValue>>,
    pub mem: Option<Arc<ConfigValue>>,
    pub gpus: Option<Arc<ConfigValue>>,
    pub min_cores: Option<Arc<ConfigValue>>,
    pub min_mem: Option<Arc<ConfigValue>>,
    pub min_gpus: Option<Arc<ConfigValue>>,
    pub max_cores: Option<Arc<ConfigValue>>,
    pub max_mem: Option<Arc<ConfigValue>>,
    pub max_gpus: Option<Arc<ConfigValue>>,
    /// A number.
    pub max_concurrent_cores: Option<Arc<ConfigValue>>,
    /// A number.
    pub max_concurrent_mem: Option<Arc<ConfigValue>>,
    /// A number.
    pub max_concurrent_gpus: Option<Arc<ConfigValue>>,
}

/// The number of fields of [`Resources`] that hold a number or code; the others hold a number.
const EVALUATED: usize = 9;

impl Resources {
    /// All fields with their names.
    pub fn fields(&self) -> [(&'static str, &Option<Arc<ConfigValue>>); 12] {
        [
            ("cores", &self.cores),
            ("mem", &self.mem),
            ("gpus", &self.gpus),
            ("min_cores", &self.min_cores),
            ("min_mem", &self.min_mem),
            ("min_gpus", &self.min_gpus),
            ("max_cores", &self.max_cores),
            ("max_mem", &self.max_mem),
            ("max_gpus", &self.max_gpus),
            ("max_concurrent_cores", &self.max_concurrent_cores),
            ("max_concurrent_mem", &self.max_concurrent_mem),
            ("max_concurrent_gpus", &self.max_concurrent_gpus),
        ]
    }

    /// The fields that are evaluated, with their names.
    pub fn evaluated(&self) -> impl Iterator<Item = (&'static str, &Option<Arc<ConfigValue>>)> {
        self.fields().into_iter().take(EVALUATED)
    }

    /// The field of a name, and whether it may hold code.
    pub(crate) fn field_mut(&mut self, name: &str) -> Option<(&mut Option<Arc<ConfigValue>>, bool)> {
        Some(match name {
            "cores" => (&mut self.cores, true),
            "mem" => (&mut self.mem, true),
            "gpus" => (&mut self.gpus, true),
            "min_cores" => (&mut self.min_cores, true),
            "min_mem" => (&mut self.min_mem, true),
            "min_gpus" => (&mut self.min_gpus, true),
            "max_cores" => (&mut self.max_cores, true),
            "max_mem" => (&mut self.max_mem, true),
            "max_gpus" => (&mut self.max_gpus, true),
            "max_concurrent_cores" => (&mut self.max_concurrent_cores, false),
            "max_concurrent_mem" => (&mut self.max_concurrent_mem, false),
            "max_concurrent_gpus" => (&mut self.max_concurrent_gpus, false),
            _ => return None,
        })
    }

    /// Returns `true` if no field is set.
    pub fn is_empty(&self) -> bool {
        self.fields().iter().all(|(_, value)| value.is_none())
    }
}

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
    /// `max_accepted_cores`: a number, as the next five.
    pub max_accepted_cores: Option<Arc<ConfigValue>>,
    /// `max_accepted_mem`
    pub max_accepted_mem: Option<Arc<ConfigValue>>,
    /// `max_accepted_gpus`
    pub max_accepted_gpus: Option<Arc<ConfigValue>>,
    /// `min_accepted_cores`
    pub min_accepted_cores: Option<Arc<ConfigValue>>,
    /// `min_accepted_mem`
    pub min_accepted_mem: Option<Arc<ConfigValue>>,
    /// `min_accepted_gpus`
    pub min_accepted_gpus: Option<Arc<ConfigValue>>,
    /// `destination_name_override`, else the field `id`, else the key: an f-string. Never unset, so that no parent's is inherited.
    pub dest_name: Text,
    /// `scheduling`: what the destination offers.
    pub dest_tags: SchedulingTags,
    /// `tags`: f-strings. Never unset, so that no parent's are inherited.
    pub handler_tags: Arc<Vec<Text>>,
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
