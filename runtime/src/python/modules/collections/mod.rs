//! `collections`
//!
//! `defaultdict`, `Counter` and `OrderedDict` are dicts of another [`DictKind`](crate::python::dict::DictKind).

pub mod counter;
pub mod dicts;
pub mod named_tuple;

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
        "Counter" => class(&COUNTER),
        "OrderedDict" => class(&ORDERED_DICT),
        "abc" => Value::Module(&abc::COLLECTIONS_ABC),
        "defaultdict" => class(&DEFAULTDICT),
    }
}
