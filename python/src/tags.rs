//! `Tag`, `TagType` and `SchedulingTags`: in Python they are objects of the classes in `tpvc.core.entities` (TPV's own classes if
//! TPV is installed). `Tag` and `TagType` are immutable and converted by value; `SchedulingTags` are shared with Python through a
//! [twin](crate::twin).

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use tpv_model::TagType;
use tpv_python::exception::PyResult as NativeResult;
use tpv_python::types::BuiltinType;
use tpv_python::value::Value;
use tpv_python::vm::Vm;
use tpv_runtime::mapper::objects::{
    SCHEDULING_TAGS, SchedulingTagsObject, TAG, TAG_TYPE, TagObject, TagTypeClass, TagTypeMember,
};

use crate::live::LiveObject;
use crate::machine::on_machine;
use crate::{classes, exception, to_native, to_python};

/// Converts a native object to Python. `None` if it is of another class.
///
/// # Errors
/// Exceptions raised by importing the classes or creating the object.
pub fn to_python<'py>(py: Python<'py>, value: &Value) -> PyResult<Option<Bound<'py, PyAny>>> {
    if value.downcast::<TagTypeClass>().is_some() {
        return classes::type_of(py, &TAG_TYPE);
    }
    let class = value.class();
    if !classes::is_of_entities(class) {
        return Ok(None);
    }
    let Some(python_class) = classes::type_of(py, class)? else { return Ok(None) };
    if let Some(kind) = TagTypeMember::kind(value) {
        return python_class.getattr(kind.name()).map(Some);
    }
    if let Some(tag) = value.downcast::<TagObject>() {
        let (value, tag_type) = tag.fields();
        return python_class.call1((to_python::value(py, value)?, to_python::value(py, tag_type)?)).map(Some);
    }
    match value.downcast::<SchedulingTagsObject>() {
        Some(_) => to_python::container(py, value, || python_class.call0()).map(Some),
        None => Ok(None),
    }
}

/// A native class as a value.
pub fn class_value(class: &'static BuiltinType) -> Value {
    if class.is(&TAG_TYPE) { Value::object(TagTypeClass) } else { Value::Type(class) }
}

/// Converts an object of one of TPV's classes to a native value. Entities, which only the mapper creates, stay live objects.
///
/// # Errors
/// Exceptions raised by reading the object's attributes.
pub fn to_native(vm: &mut Vm, object: &Bound<'_, PyAny>, class: &'static BuiltinType) -> NativeResult<Value> {
    let mut field = |name: &str| match object.getattr(name) {
        Ok(field) => to_native::value(vm, &field),
        Err(error) => Err(exception::to_native(vm, object.py(), error)),
    };
    if class.is(&SCHEDULING_TAGS) {
        return to_native::container(vm, object);
    }
    if class.is(&TAG) {
        return Ok(TagObject::of_fields(field("value")?, field("tag_type")?));
    }
    if class.is(&TAG_TYPE)
        && let Value::Str(name) = field("name")?
        && let Some(kind) = TagType::ALL.into_iter().find(|kind| kind.name() == name.as_str())
    {
        return Ok(TagTypeMember::value(kind));
    }
    Ok(LiveObject::value(object, class))
}

/// Calls a method of scheduling tags natively. An iterator result is returned as a list.
#[pyfunction]
pub fn call_tags<'py>(
    tags: &Bound<'py, PyAny>,
    method: &str,
    args: &Bound<'py, PyTuple>,
    keywords: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = tags.py();
    let result = on_machine(py, |vm| {
        let tags = to_native::value(vm, tags)?;
        let args = to_native::args(vm, args, Some(keywords))?;
        match vm.call_method(&tags, method, args)? {
            found @ Value::Iterator(_) => Ok(Value::list(vm.collect(&found)?)),
            result => Ok(result),
        }
    })?;
    to_python::value(py, &result)
}

/// Raises `ValueError` if the lists are not valid scheduling tags.
#[pyfunction]
#[pyo3(signature = (**lists))]
pub fn check_tags(py: Python<'_>, lists: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
    on_machine(py, |vm| {
        let args = to_native::args(vm, &PyTuple::empty(py), lists)?;
        vm.call(&Value::Type(&SCHEDULING_TAGS), args).map(drop)
    })
}
