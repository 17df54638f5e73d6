//! `dataclasses`

mod field;
mod methods;
mod process;
mod values;

use std::rc::Rc;

pub use field::Field;

use super::class;
use crate::python::args::Args;
use crate::python::exception::{ATTRIBUTE_ERROR, PyResult};
use crate::python::object::Object;
use crate::python::types::{BuiltinType, Class, DICT, OBJECT};
use crate::python::value::Value;
use crate::python::vm::Vm;

module! {
    /// `dataclasses`
    MODULE = "dataclasses";
    functions {
        "asdict" => values::asdict,
        "astuple" => values::astuple,
        "dataclass" => process::dataclass,
        "field" => field::field,
        "fields" => values::fields,
        "is_dataclass" => values::is_dataclass,
        "make_dataclass" => process::make_dataclass,
        "replace" => values::replace,
    }
    values(_vm) {
        "Field" => class(&field::FIELD),
        "FrozenInstanceError" => class(&FROZEN_INSTANCE_ERROR),
        "InitVar" => class(&field::INIT_VAR),
        "KW_ONLY" => MARKS.with(|[_, keyword_only]| keyword_only.clone()),
        "MISSING" => missing(),
    }
}

/// `dataclasses.FrozenInstanceError`
static FROZEN_INSTANCE_ERROR: BuiltinType = BuiltinType {
    construct: Some(|vm, args| crate::python::builtins::construct::exception(vm, &FROZEN_INSTANCE_ERROR, args)),
    ..BuiltinType::new("FrozenInstanceError", "dataclasses", &ATTRIBUTE_ERROR)
};

/// The attribute of a class that holds its fields.
const FIELDS: &str = "__dataclass_fields__";
/// The attribute that says whether a class is frozen.
const FROZEN: &str = "__dataclass_params__";

static MISSING_TYPE: BuiltinType = BuiltinType::new("_MISSING_TYPE", "dataclasses", &OBJECT);
static KW_ONLY_TYPE: BuiltinType = BuiltinType::new("_KW_ONLY_TYPE", "dataclasses", &OBJECT);

/// `MISSING` and `KW_ONLY`.
enum Mark {
    Missing,
    KeywordOnly,
}

impl Object for Mark {
    fn class(&self) -> &'static BuiltinType {
        match self {
            Self::Missing => &MISSING_TYPE,
            Self::KeywordOnly => &KW_ONLY_TYPE,
        }
    }
}

thread_local! {
    // Code compares them by identity.
    static MARKS: [Value; 2] = [Value::object(Mark::Missing), Value::object(Mark::KeywordOnly)];
}

/// `MISSING`
fn missing() -> Value {
    MARKS.with(|[missing, _]| missing.clone())
}

fn is_missing(value: &Value) -> bool {
    matches!(value.downcast::<Mark>(), Some(Mark::Missing))
}

/// The fields of a class, its own and those of its bases, each a [`Field`].
struct Fields(Vec<Rc<Field>>);

static FIELDS_TYPE: BuiltinType = BuiltinType::new("dict", "", &OBJECT);

impl Object for Fields {
    fn class(&self) -> &'static BuiltinType {
        &FIELDS_TYPE
    }

    fn call_method(&self, vm: &mut Vm, _: &Value, name: &str, args: &mut Args) -> Option<PyResult<Value>> {
        Some(vm.call_method(&values::dict_of(&self.0), name, std::mem::take(args)))
    }

    fn has_method(&self, name: &str) -> bool {
        DICT.method(name).is_some()
    }

    fn get_item(&self, vm: &mut Vm, key: &Value) -> PyResult<Value> {
        vm.get_item(&values::dict_of(&self.0), key)
    }

    fn iter(&self, vm: &mut Vm, _: &Value) -> Option<PyResult<Value>> {
        Some(vm.iter(&values::dict_of(&self.0)))
    }

    fn len(&self, _: &mut Vm) -> Option<PyResult<usize>> {
        Some(Ok(self.0.len()))
    }

    fn repr(&self, vm: &mut Vm, _: &Value) -> PyResult<String> {
        vm.repr(&values::dict_of(&self.0))
    }
}

/// The fields of a data class; `None` where the class is none.
fn fields_of(class: &Rc<Class>) -> Option<Vec<Rc<Field>>> {
    match crate::python::vm::lookup::class_member(class, FIELDS)? {
        crate::python::vm::lookup::Member::Value(value) => Some(value.downcast::<Fields>()?.0.clone()),
        _ => None,
    }
}
