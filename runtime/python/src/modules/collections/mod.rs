//! `collections`
//!
//! `defaultdict`, `Counter` and `OrderedDict` are dicts with a [`DictClass`](crate::dict::DictClass) of their own.

pub mod counter;
pub mod dicts;

pub use counter::COUNTER;
pub use dicts::{DEFAULTDICT, ORDERED_DICT};

use super::class;

module! {
    /// `collections`
    MODULE = "collections";
    functions {}
    values(_vm) {
        "Counter" => class(&COUNTER),
        "OrderedDict" => class(&ORDERED_DICT),
        "defaultdict" => class(&DEFAULTDICT),
    }
}
