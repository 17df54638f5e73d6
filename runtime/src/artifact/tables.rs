//! The tables of an artifact: what the compiler folded a config into, as plain data.
//!
//! Strings are interned: a `u32` named `id`, `name` or `text` is an index in [`Tables::strings`] unless it says
//! otherwise. The order of entities is TPV's order of lookup.

use std::sync::Arc;

use bincode::de::Decoder;
use bincode::error::DecodeError;
use bincode::{Decode, Encode};

use crate::patterns::PatternSet;
use tpv_bytecode::CodeRef;
use tpv_bytecode::nesting::nested;
use tpv_model::{EntityClass, Field, FieldMap, Version};

use super::site::Site;

/// Index in [`Tables::strings`].
pub type StringId = u32;

/// All tables but the code.
#[derive(Clone, Debug, Default, PartialEq, Encode, Decode)]
pub struct Tables {
    /// Interned strings.
    pub strings: Vec<String>,
    /// The scheduling tags that the config names, each once: tag `n` is bit `n` of a tag set.
    pub tags: Vec<StringId>,
    /// The config files, as they were named on the command line.
    pub sources: Vec<StringId>,
    /// The locations of the config's expressions.
    pub sites: Vec<Site>,
    /// `global:`
    pub global: GlobalRow,
    /// `tools:` in the order of lookup.
    pub tools: EntityTable,
    /// `roles:`
    pub roles: EntityTable,
    /// `users:`
    pub users: EntityTable,
    /// `destinations:` with TPV's defaults for every destination folded in.
    pub destinations: Vec<EntityRow>,
    /// `destinations:` as the config has them, which code can see through `mapper`.
    pub configured_destinations: Vec<EntityRow>,
    /// `pools:`
    pub pools: Vec<EntityRow>,
    /// The rules of all entities.
    pub rules: Vec<EntityRow>,
}

impl Tables {
    /// The entities of a class. `None` if they are not found by pattern.
    pub fn table(&self, class: EntityClass) -> Option<&EntityTable> {
        match class {
            EntityClass::Tool => Some(&self.tools),
            EntityClass::Role => Some(&self.roles),
            EntityClass::User => Some(&self.users),
            EntityClass::Rule | EntityClass::PoolEntity | EntityClass::Destination => None,
        }
    }
}

/// `global:`
#[derive(Clone, Debug, Default, PartialEq, Encode, Decode)]
pub struct GlobalRow {
    /// The version of TPV whose answers the rules give.
    pub version: Version,
    /// `default_inherits`
    pub default_inherits: Option<StringId>,
    /// `context`
    pub context: Vec<(StringId, ValueRow)>,
    /// `resource_pool_store`
    pub resource_pool_store: Option<StoreRow>,
}

/// The store for allocations of resource pools.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
pub struct StoreRow {
    /// `class`: a dotted Python path.
    pub class: StringId,
    /// The arguments of the class's constructor.
    pub options: Vec<(StringId, ValueRow)>,
}

/// The entities of one section that are found by pattern.
#[derive(Clone, Debug, Default, PartialEq, Encode, Decode)]
pub struct EntityTable {
    /// The entities.
    pub rows: Vec<EntityRow>,
    /// Their ids as one automaton; pattern `n` belongs to row `n`.
    pub patterns: Arc<PatternSet>,
    /// The row whose id is `default_inherits`.
    pub default: Option<u32>,
}

/// A value of the config.
#[derive(Clone, Debug, PartialEq, Encode)]
pub enum ValueRow {
    /// `null`
    None,
    /// A boolean.
    Bool(bool),
    /// An int of 64 bits.
    Int(i64),
    /// A larger int, as signed little-endian bytes.
    BigInt(Vec<u8>),
    /// A float.
    Float(f64),
    /// A string that is never evaluated.
    Str(StringId),
    /// A string that is evaluated, with its code.
    Code(StringId, CodeRef),
    /// A date: year, month, day.
    Date(i16, u8, u8),
    /// A date and time: microseconds since 1970 of the local reading, and the offset from UTC in seconds if it has one.
    DateTime(i64, Option<i32>),
    /// A list.
    List(Vec<ValueRow>),
    /// A mapping, in order.
    Dict(Vec<(ValueRow, ValueRow)>),
}

bincode::impl_borrow_decode!(ValueRow);

impl<Context> Decode<Context> for ValueRow {
    fn decode<D: Decoder<Context = Context>>(decoder: &mut D) -> Result<Self, DecodeError> {
        Ok(match u32::decode(decoder)? {
            0 => Self::None,
            1 => Self::Bool(Decode::decode(decoder)?),
            2 => Self::Int(Decode::decode(decoder)?),
            3 => Self::BigInt(Decode::decode(decoder)?),
            4 => Self::Float(Decode::decode(decoder)?),
            5 => Self::Str(Decode::decode(decoder)?),
            6 => Self::Code(Decode::decode(decoder)?, Decode::decode(decoder)?),
            7 => Self::Date(Decode::decode(decoder)?, Decode::decode(decoder)?, Decode::decode(decoder)?),
            8 => Self::DateTime(Decode::decode(decoder)?, Decode::decode(decoder)?),
            9 => Self::List(nested(|| Decode::decode(decoder))?),
            10 => Self::Dict(nested(|| Decode::decode(decoder))?),
            other => return Err(DecodeError::OtherString(format!("there is no kind {other} of value"))),
        })
    }
}

/// The tags of an entity by kind (require, prefer, accept, reject), each an index in [`Tables::tags`], in the order that
/// TPV's lists have. `None` is a list that the config set to `null`, which code and messages show as `None`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TagsRow {
    /// The four lists.
    pub lists: [Option<Box<[u32]>>; 4],
}

impl Default for TagsRow {
    fn default() -> Self {
        Self { lists: std::array::from_fn(|_| Some(Box::default())) }
    }
}

/// An entity or rule, with the chains of `inherits` and the merging of files resolved.
#[derive(Clone, Debug, PartialEq)]
pub struct EntityRow {
    /// The class.
    pub class: EntityClass,
    /// The id; of a rule its id, given or made.
    pub id: StringId,
    /// `abstract`
    pub abstract_: bool,
    /// `inherits`
    pub inherits: Option<StringId>,
    /// The amounts, `env`, `params`, `resubmit`, `context` and [`Field::singles`]; of the others, those that are not as TPV has them if
    /// no config sets them.
    pub values: FieldMap<ValueRow>,
    /// `scheduling` of everything but destinations.
    pub tags: TagsRow,
    /// `rules`: key and index in [`Tables::rules`], in order.
    pub rules: Vec<(StringId, u32)>,
    /// Fields that TPV does not know, which it keeps as attributes.
    pub extras: Vec<(StringId, ValueRow)>,
    /// `scheduling` of destinations and pools.
    pub dest_tags: Option<Box<TagsRow>>,
    /// `oversize` of pools.
    pub oversize: Option<Box<OversizeRow>>,
    /// The place of the entity, an index in [`Tables::sites`].
    pub site: u32,
}

impl EntityRow {
    /// All values: those that code may be in, and plain ones.
    pub fn values(&self) -> impl Iterator<Item = &ValueRow> {
        self.fields().map(|(_, value)| value)
    }

    /// All values with the names of their fields; fields that TPV does not know have the name `a further field`.
    pub fn fields(&self) -> impl Iterator<Item = (&'static str, &ValueRow)> {
        let extras = self.extras.iter().map(|(_, value)| ("a further field", value));
        self.values.iter().map(|(field, value)| (field.alias(), value)).chain(extras)
    }

    /// The value of a field. `None` if it is unset, or not held as one value.
    pub fn value(&self, field: Field) -> Option<&ValueRow> {
        self.values.get(field)
    }
}

/// `oversize` of a pool: its policy for requests that are larger than its budget.
#[derive(Clone, Debug, Default, PartialEq, Encode, Decode)]
pub struct OversizeRow {
    /// `max_concurrent`: how many jobs of a user that are larger than the budget run at once.
    pub max_concurrent: i64,
    /// `hard_max_cores`, `hard_max_mem` (in GiB) and `hard_max_gpus`: the most that such a job asks for.
    pub hard_max: [Option<f64>; 3],
    /// `reserve_pool`: whether such a job runs alone.
    pub reserve_pool: bool,
}
