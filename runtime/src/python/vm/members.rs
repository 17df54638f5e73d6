//! Members of `IntEnum` and `StrEnum` as arguments of functions of the runtime, which take ints and strs.

use super::Vm;
use crate::python::args::Args;
use crate::python::exception::{ATTRIBUTE_ERROR, KEY_ERROR, PyResult, Raised, TYPE_ERROR, VALUE_ERROR};
use crate::python::modules::enums;
use crate::python::value::Value;

/// The int or str that a value stands for where it is such a member; else the value.
pub(crate) fn plain(value: &Value) -> Value {
    match value {
        Value::Instance(instance) => enums::mixed_value(instance).unwrap_or_else(|| value.clone()),
        Value::Tuple(tuple) if tuple.class.is_none() && tuple.items.iter().any(is_instance) => {
            Value::tuple(tuple.items.iter().map(plain).collect())
        }
        _ => value.clone(),
    }
}

fn is_instance(value: &Value) -> bool {
    matches!(value, Value::Instance(_))
}

/// Calls a function of the runtime. One that refuses a member of an enumeration, before any code ran, is called again with
/// the int or str that the member is: most functions keep or compare what they are given, and shall see the member.
///
/// # Errors
/// What the function raises.
#[inline]
pub(super) fn call(vm: &mut Vm, args: Args, function: impl Fn(&mut Vm, Args) -> PyResult<Value>) -> PyResult<Value> {
    if !args.pos.iter().any(is_instance) && !args.kw.iter().any(|(_, value)| is_instance(value)) {
        return function(vm, args);
    }
    call_with_instances(vm, args, function)
}

#[inline(never)]
fn call_with_instances(
    vm: &mut Vm,
    args: Args,
    function: impl Fn(&mut Vm, Args) -> PyResult<Value>,
) -> PyResult<Value> {
    let again = plain_arguments(&args);
    match (function(vm, args), again) {
        (Err(raised), Some(again)) if is_refusal(&raised) => function(vm, again),
        (result, _) => result,
    }
}

/// The arguments with the ints and strs that members are; `None` where there are no members.
pub(super) fn plain_arguments(args: &Args) -> Option<Args> {
    let is_member = |value: &Value| is_instance(value) && !plain(value).is(value);
    if !args.pos.iter().any(is_member) && !args.kw.iter().any(|(_, value)| is_member(value)) {
        return None;
    }
    Some(Args {
        pos: args.pos.iter().map(plain).collect(),
        kw: args.kw.iter().map(|(name, value)| (name.clone(), plain(value))).collect(),
    })
}

/// Whether a function of the runtime refused its arguments: no code ran meanwhile.
pub(super) fn is_refusal(raised: &Raised) -> bool {
    let classes = [&TYPE_ERROR, &VALUE_ERROR, &ATTRIBUTE_ERROR, &KEY_ERROR];
    raised.0.places.borrow().is_empty() && classes.iter().any(|class| raised.is(class))
}
