//! `wraps` and `update_wrapper`: functions that go by the names of those they wrap.

use super::Partial;
use crate::args::Args;
use crate::exception::{PyResult, attribute_error, type_error};
use crate::function::Guise;
use crate::modules::signature::Signature;
use crate::string::Str;
use crate::value::{Builtin, Value};
use crate::vm::{Vm, qualified_name};

static UPDATE_WRAPPER: Builtin = Builtin::new("functools", "update_wrapper", update_wrapper);

/// `wraps(wrapped)`: `update_wrapper` with all but the function that it decorates.
///
/// DIFFERENCE: the names of the attributes that are to be taken over cannot be given.
pub(super) fn wraps(_: &mut Vm, args: Args) -> PyResult<Value> {
    let [wrapped] = Signature::function("wraps", ["wrapped"], 1).bind(args)?.map(Option::unwrap_or_default);
    let keywords = vec![(Str::from("wrapped"), wrapped)];
    Ok(Value::object(Partial { function: Value::Builtin(&UPDATE_WRAPPER), args: Vec::new(), keywords }))
}

/// `update_wrapper(wrapper, wrapped)`, for functions of the config's code and what decorators of the runtime give.
///
/// # Errors
/// `AttributeError` where the wrapper is anything else.
pub(super) fn update_wrapper(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [wrapper, wrapped] = Signature::function("update_wrapper", ["wrapper", "wrapped"], 2).bind(args)?;
    let (wrapper, wrapped) = (wrapper.unwrap_or_default(), wrapped.unwrap_or_default());
    match &wrapper {
        Value::Function(function) => {
            // What has no name leaves the wrapper its own.
            let Some(name) = name_of(vm, &wrapped)? else { return Ok(wrapper) };
            let qualified = match &wrapped {
                Value::Function(wrapped) => Str::from(qualified_name(wrapped).as_str()),
                Value::BoundMethod(method) => {
                    Str::from(format!("{}.{}", method.receiver.class().name, name.as_str()).as_str())
                }
                _ => name.clone(),
            };
            let old = function.guise.replace(Some(Guise { name, qualified }));
            drop(old);
            Ok(wrapper)
        }
        // These show what they wrap by themselves.
        Value::Object(object) if object.callable() => Ok(wrapper),
        _ => {
            let class = wrapper.type_name();
            Err(attribute_error(format!("'{}' object attribute '__doc__' is read-only", class.as_str())))
        }
    }
}

/// `__name__` of what is wrapped, where it has one.
fn name_of(vm: &mut Vm, wrapped: &Value) -> PyResult<Option<Str>> {
    let Some(name) = vm.find_attr(wrapped, "__name__")? else { return Ok(None) };
    name.as_str().cloned().map(Some).ok_or_else(|| type_error("__name__ must be set to a string object"))
}
