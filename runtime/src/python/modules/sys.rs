//! `sys`: facts about the Python that the runtime is like.

use std::rc::Rc;

use crate::python::exception::PyResult;
use crate::python::object::Object;
use crate::python::types::{BuiltinType, Class, OBJECT, TUPLE, Type};
use crate::python::value::{Tuple, Value};
use crate::python::vm::Vm;

module! {
    /// `sys`
    MODULE = "sys";
    functions {
        "getrecursionlimit" => |vm, args| {
            let [] = args.exactly("sys.getrecursionlimit")?;
            Ok(Value::from_usize(vm.limits.depth))
        },
        "getdefaultencoding" => |_, args| {
            let [] = args.exactly("sys.getdefaultencoding")?;
            Ok(Value::str("utf-8"))
        },
        "intern" => |_, args| {
            let [text] = args.exactly("intern")?;
            Ok(text)
        },
    }
    values(_vm) {
        "byteorder" => Value::str("little"),
        "float_info" => float_info(),
        "hexversion" => Value::Int(0x030b_0000),
        "implementation" => Value::object(Record(&IMPLEMENTATION, &[("name", "tpvc")])),
        "maxsize" => Value::Int(i64::MAX),
        "maxunicode" => Value::Int(0x10_ffff),
        "platform" => Value::str("linux"),
        "version" => Value::str("3.11.0 (tpvc)"),
        "version_info" => version_info(),
    }
}

static IMPLEMENTATION: BuiltinType = BuiltinType::new("SimpleNamespace", "types", &OBJECT);

/// A fixed set of text attributes.
struct Record(&'static BuiltinType, &'static [(&'static str, &'static str)]);

impl Object for Record {
    fn class(&self) -> &'static BuiltinType {
        self.0
    }

    fn get_attr(&self, _: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        Ok(self.1.iter().find(|(known, _)| *known == name).map(|(_, value)| Value::str(*value)))
    }
}

/// A named tuple of a class with these fields.
fn record(name: &str, fields: Vec<(&str, Value)>) -> Value {
    let (names, items): (Vec<Value>, Vec<Value>) =
        fields.into_iter().map(|(name, value)| (Value::str(name), value)).unzip();
    let mut dict = indexmap::IndexMap::new();
    dict.insert("_fields".to_owned(), Value::tuple(names));
    let class = Class::new(name.into(), vec![Type::Builtin(&TUPLE)], dict);
    Value::Tuple(Rc::new(Tuple { items, class: Some(Type::Class(Rc::new(class))) }))
}

fn version_info() -> Value {
    record(
        "version_info",
        vec![
            ("major", Value::Int(3)),
            ("minor", Value::Int(11)),
            ("micro", Value::Int(0)),
            ("releaselevel", Value::str("final")),
            ("serial", Value::Int(0)),
        ],
    )
}

fn float_info() -> Value {
    record(
        "float_info",
        vec![
            ("max", Value::Float(f64::MAX)),
            ("max_exp", Value::Int(i64::from(f64::MAX_EXP))),
            ("max_10_exp", Value::Int(i64::from(f64::MAX_10_EXP))),
            ("min", Value::Float(f64::MIN_POSITIVE)),
            ("min_exp", Value::Int(i64::from(f64::MIN_EXP))),
            ("min_10_exp", Value::Int(i64::from(f64::MIN_10_EXP))),
            ("dig", Value::Int(i64::from(f64::DIGITS))),
            ("mant_dig", Value::Int(i64::from(f64::MANTISSA_DIGITS))),
            ("epsilon", Value::Float(f64::EPSILON)),
            ("radix", Value::Int(2)),
            ("rounds", Value::Int(1)),
        ],
    )
}
