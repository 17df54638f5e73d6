//! `itertools`

mod combinations;
mod streams;

use crate::args::Args;
use crate::builtins::convert;
use crate::exception::{PyResult, type_error, value_error};
use crate::iterator::IteratorObject;
use crate::types::{BuiltinType, OBJECT};
use crate::value::{Builtin, Value};
use crate::vm::Vm;

macro_rules! classes {
    ($($id:ident = $name:literal ($construct:expr);)*) => {
        $(pub(in crate::modules) static $id: BuiltinType =
            BuiltinType { construct: Some($construct), ..BuiltinType::new($name, "itertools", &OBJECT).static_in_c() };)*
    };
}

classes! {
    COMBINATIONS = "combinations" (combinations::combinations);
    GROUPBY = "groupby" (streams::groupby);
    ISLICE = "islice" (streams::islice);
    PRODUCT = "product" (combinations::product);
}

/// `itertools.chain`
pub static CHAIN: BuiltinType = BuiltinType {
    construct: Some(streams::chain),
    statics: &[Builtin::new("chain", "from_iterable", streams::chain_from_iterable)],
    ..BuiltinType::new("chain", "itertools", &OBJECT).static_in_c().generic()
};

pub(super) static GROUPER: BuiltinType = BuiltinType::new("_grouper", "itertools", &OBJECT).static_in_c();

module! {
    /// `itertools`
    MODULE = "itertools";
    functions {}
    values(_vm) {
        "chain" => Value::Type(&CHAIN),
        "combinations" => Value::Type(&COMBINATIONS),
        "groupby" => Value::Type(&GROUPBY),
        "islice" => Value::Type(&ISLICE),
        "product" => Value::Type(&PRODUCT),
    }
}

/// An index argument that must not be negative.
fn size(vm: &mut Vm, value: &Value, message: &str) -> PyResult<usize> {
    if !matches!(value, Value::Int(_) | Value::Bool(_) | Value::BigInt(_)) {
        return Err(type_error(format!("'{}' object cannot be interpreted as an integer", value.type_name().as_str())));
    }
    usize::try_from(convert::index_clamped(vm, value)?).map_err(|_| value_error(message))
}

/// An iterator of a class of this module.
fn made(class: &'static BuiltinType, state: impl crate::iterator::PyIterator + 'static) -> PyResult<Value> {
    Ok(IteratorObject::new(class, state))
}
