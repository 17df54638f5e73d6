//! `typing`: names that annotations use.

use super::collections;
use super::signature::Signature;
use crate::annotation::{Form, StandsFor};
use crate::args::Args;
use crate::exception::PyResult;
use crate::types::{DICT, FROZENSET, LIST, SET, STR, TUPLE, TYPE};
use crate::value::Value;
use crate::vm::Vm;

fn cast(_: &mut Vm, args: Args) -> PyResult<Value> {
    let [_, value] = Signature::function("cast", ["typ", "val"], 2).bind(args)?;
    Ok(value.unwrap_or_default())
}

macro_rules! forms {
    ($($name:literal => $stands_for:expr),* $(,)?) => {
        module! {
            /// `typing`
            MODULE = "typing";
            functions { "cast" => cast }
            values(_vm) {
                "TYPE_CHECKING" => Value::Bool(false),
                $($name => Form::named($name, $stands_for)),*
            }
        }
    };
}

forms! {
    "Any" => StandsFor::Nothing,
    "Callable" => StandsFor::Abstract,
    "Collection" => StandsFor::Abstract,
    "Counter" => StandsFor::Class(&collections::COUNTER),
    "DefaultDict" => StandsFor::Class(&collections::DEFAULTDICT),
    "Dict" => StandsFor::Class(&DICT),
    "Final" => StandsFor::Nothing,
    "FrozenSet" => StandsFor::Class(&FROZENSET),
    "Hashable" => StandsFor::Abstract,
    "Iterable" => StandsFor::Abstract,
    "Iterator" => StandsFor::Abstract,
    "List" => StandsFor::Class(&LIST),
    "Literal" => StandsFor::Nothing,
    "Mapping" => StandsFor::Abstract,
    "MutableMapping" => StandsFor::Abstract,
    "NoReturn" => StandsFor::Nothing,
    "Optional" => StandsFor::Nothing,
    "OrderedDict" => StandsFor::Class(&collections::ORDERED_DICT),
    "Sequence" => StandsFor::Abstract,
    "Set" => StandsFor::Class(&SET),
    "Sized" => StandsFor::Abstract,
    "Text" => StandsFor::Class(&STR),
    "Tuple" => StandsFor::Class(&TUPLE),
    "Type" => StandsFor::Class(&TYPE),
    "Union" => StandsFor::Nothing,
}
