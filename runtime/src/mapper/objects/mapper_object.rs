//! `mapper`: TPV's mapper, as code sees it.

use std::rc::Rc;

use crate::galaxy::errors::host_unavailable;
use crate::mapper::tags::TagNames;
use crate::python::exception::PyResult;
use crate::python::object::Object;
use crate::python::types::{BuiltinType, OBJECT};
use crate::python::value::Value;
use crate::python::vm::Vm;

/// `EntityToDestinationMapper`
static MAPPER: BuiltinType = BuiltinType {
    name: "EntityToDestinationMapper",
    module: "tpv.core.mapper",
    base: Some(&OBJECT),
    construct: None,
    methods: &[],
    statics: &[],
};

/// The mapper in the hands of code.
pub struct MapperObject {
    _names: Rc<TagNames>,
}

impl MapperObject {
    /// The mapper as a value.
    pub fn value(names: &Rc<TagNames>) -> Value {
        Value::object(Self { _names: names.clone() })
    }
}

impl Object for MapperObject {
    fn class(&self) -> &'static BuiltinType {
        &MAPPER
    }

    fn get_attr(&self, _: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        if matches!(name, "config" | "loader" | "destinations" | "default_inherits" | "global_context" | "pools") {
            return Err(host_unavailable(format!("`mapper.{name}` is not available to compiled rules")));
        }
        Ok(None)
    }
}
