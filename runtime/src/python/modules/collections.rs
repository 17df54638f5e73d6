//! `collections`

use crate::python::types::{BuiltinType, DICT};

/// `collections.defaultdict`
pub static DEFAULTDICT: BuiltinType = BuiltinType {
    name: "defaultdict",
    module: "collections",
    base: Some(&DICT),
    construct: None,
    methods: &[],
    statics: &[],
};
/// `collections.Counter`
pub static COUNTER: BuiltinType = BuiltinType {
    name: "Counter",
    module: "collections",
    base: Some(&DICT),
    construct: None,
    methods: &[],
    statics: &[],
};
/// `collections.OrderedDict`
pub static ORDERED_DICT: BuiltinType = BuiltinType {
    name: "OrderedDict",
    module: "collections",
    base: Some(&DICT),
    construct: None,
    methods: &[],
    statics: &[],
};
