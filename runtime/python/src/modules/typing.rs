//! `typing`: names that annotations use.

use super::signature::Signature;
use crate::annotation::annotation;
use crate::args::Args;
use crate::exception::PyResult;
use crate::types::STR;
use crate::value::Value;
use crate::vm::Vm;

fn cast(_: &mut Vm, args: Args) -> PyResult<Value> {
    let [_, value] = Signature::function("cast", ["typ", "val"], 2).bind(args)?;
    Ok(value.unwrap_or_default())
}

macro_rules! annotations {
    ($($name:literal),* $(,)?) => {
        module! {
            /// `typing`
            MODULE = "typing";
            functions { "cast" => cast }
            values(_vm) {
                "TYPE_CHECKING" => Value::Bool(false),
                "Text" => Value::Type(&STR),
                $($name => annotation()),*
            }
        }
    };
}

annotations! {
    "Any", "Callable", "Collection", "Counter", "DefaultDict", "Dict", "Final", "FrozenSet", "Hashable", "Iterable", "Iterator",
    "List", "Literal", "Mapping", "MutableMapping", "NoReturn", "Optional", "OrderedDict", "Sequence", "Set", "Sized", "Tuple",
    "Type", "Union",
}
