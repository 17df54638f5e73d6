//! `collections`
//!
//! `defaultdict`, `Counter` and `OrderedDict` are dicts of another [`DictKind`](crate::python::dict::DictKind).

pub(crate) mod chain_map;
pub(super) mod chain_map_views;
pub mod counter;
pub mod deque;
pub mod dicts;
pub mod named_tuple;

pub use chain_map::CHAIN_MAP;
pub use counter::COUNTER;
pub use dicts::{DEFAULTDICT, ORDERED_DICT};
pub(super) use named_tuple::{is_identifier, is_keyword};

use super::{abc, class};
use crate::python::value::Value;

module! {
    /// `collections`
    MODULE = "collections";
    functions { "namedtuple" => named_tuple::namedtuple }
    values(_vm) {
        "ChainMap" => class(&CHAIN_MAP),
        "Counter" => class(&COUNTER),
        "OrderedDict" => class(&ORDERED_DICT),
        "abc" => Value::Module(&abc::COLLECTIONS_ABC),
        "defaultdict" => class(&DEFAULTDICT),
        "deque" => class(&deque::DEQUE),
    }
}
