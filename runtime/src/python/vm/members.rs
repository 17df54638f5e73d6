//! Members of `IntEnum` and `StrEnum` as arguments of functions of the runtime, which take ints and strs.

use super::Vm;
use super::replay::Recording;
use crate::python::args::Args;
use crate::python::exception::{ATTRIBUTE_ERROR, KEY_ERROR, PyResult, Raised, TYPE_ERROR, VALUE_ERROR, raise};
use crate::python::modules::enums;
use crate::python::string::Str;
use crate::python::types::Type;
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
    mut args: Args,
    function: impl Fn(&mut Vm, Args) -> PyResult<Value>,
) -> PyResult<Value> {
    let Some(mut again) = plain_arguments(&args) else {
        return function(vm, args);
    };
    let members = members_of(&args, &again);
    let before = vm.frames_run;
    let recording = Recording::start(&mut args);
    match function(vm, args) {
        Err(raised) if is_refusal(&raised) && vm.frames_run == before => {
            recording.replay(&mut again);
            let result = function(vm, again);
            settled(vm, raised, result, &members)
        }
        result => {
            recording.stop();
            result
        }
    }
}

/// What a function gives that refused members, and was called again with the ints and strs that they are.
///
/// # Errors
/// What it raises, its message being about the members.
pub(super) fn settled(
    vm: &mut Vm,
    raised: Raised,
    result: PyResult<Value>,
    members: &[(Value, Value)],
) -> PyResult<Value> {
    match result {
        // What misses an attribute takes it for any object.
        Err(plain) if raised.is(&ATTRIBUTE_ERROR) && plain.is(&ATTRIBUTE_ERROR) => Err(raised),
        // The function knows members, and says what it says.
        Err(plain) if same_refusal(vm, &raised, &plain)? || shows_member(vm, &raised, &plain, members)? => Err(raised),
        Err(plain) if names_the_plain(vm, &raised, &plain, members)? => Err(raised),
        Err(plain) if plain.is(&VALUE_ERROR) => Err(with_member(vm, plain, members)?),
        result => result,
    }
}

/// The arguments that are members, each with the int or str that it is.
pub(super) fn members_of(args: &Args, plain: &Args) -> Vec<(Value, Value)> {
    let pairs = args.pos.iter().zip(plain.pos.iter());
    let keywords = args.kw.iter().zip(plain.kw.iter()).map(|((_, member), (_, plain))| (member, plain));
    let members = pairs.chain(keywords).filter(|(member, plain)| !member.is(plain));
    members.map(|(member, plain)| (member.clone(), plain.clone())).collect()
}

/// A refusal that ends with the text of an argument, as that of `int('x')`, with the text of the member.
fn with_member(vm: &mut Vm, raised: Raised, members: &[(Value, Value)]) -> PyResult<Raised> {
    let message = vm.str(&raised.value())?;
    for (member, plain) in members {
        let shown = vm.repr(plain)?;
        if let Some(before) = message.strip_suffix(shown.as_str()).filter(|before| before.ends_with(": ")) {
            let shown = vm.repr(member)?;
            let text = format!("{before}{shown}");
            return Ok(match &raised.0.class {
                Type::Builtin(class) => raise(class, text),
                Type::Class(_) => raised,
            });
        }
    }
    Ok(raised)
}

/// Whether both refusals are of one class, the first one showing a member.
fn shows_member(vm: &mut Vm, raised: &Raised, plain: &Raised, members: &[(Value, Value)]) -> PyResult<bool> {
    if raised.class_name() != plain.class_name() || !plain.is(&VALUE_ERROR) {
        return Ok(false);
    }
    let message = vm.str(&raised.value())?;
    for (member, _) in members {
        if message.contains(vm.repr(member)?.as_str()) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn same_refusal(vm: &mut Vm, raised: &Raised, plain: &Raised) -> PyResult<bool> {
    Ok(raised.class_name() == plain.class_name() && vm.str(&raised.value())? == vm.str(&plain.value())?)
}

/// Whether both refusals are of one class, the one naming the class of a member where the other names `int` or `str`: CPython
/// names the member's.
fn names_the_plain(vm: &mut Vm, raised: &Raised, plain: &Raised, members: &[(Value, Value)]) -> PyResult<bool> {
    if raised.class_name() != plain.class_name() {
        return Ok(false);
    }
    let (left, right) = (vm.str(&raised.value())?, vm.str(&plain.value())?);
    let names = |text: &Str, class: &Str| {
        let class = class.as_str();
        let quoted = ['\'', '"'].iter().any(|quote| text.contains(&format!("{quote}{class}{quote}")));
        quoted || text.contains(&format!(" {class} ")) || text.ends_with(&format!(" {class}"))
    };
    let differs =
        |(member, plain): &(Value, Value)| names(&left, &member.type_name()) && names(&right, &plain.type_name());
    Ok(members.iter().any(differs))
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
    // An int or a str cannot be called either.
    let uncallable = |value: &Value| value.as_str().is_some_and(|text| text.ends_with("object is not callable"));
    raised.0.places.borrow().is_empty()
        && classes.iter().any(|class| raised.is(class))
        && !raised.0.args.borrow().first().is_some_and(uncallable)
}
