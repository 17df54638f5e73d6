//! Objects: attributes, calls, containers, loops.
//!
//! Callees only look at their arguments ([`tpv_python::value::Builtin::pure`],
//! [`tpv_python::types::BuiltinType::pure`]); an error leaves the kernel, and the interpreter reaches it again. Objects
//! of a live host are only asked for attributes.

// SAFETY of all functions here: machine code passes on the pointer that `run` gave it (see `super`), and, for arguments, the address
// of as many pairs of tag and payload in the kernel's own frame as it says.
#![allow(unsafe_code)]

use super::{Host, LEAVE, reference};
use tpv_bytecode::kernel::{Container, Node};
use tpv_python::args::Args;
use tpv_python::types::{BOOL, BuiltinType, LIST, TUPLE};
use tpv_python::value::Value;

/// An attribute of an object or module, read without side effects. `None` if it is absent or cannot be read so.
pub(super) fn attribute(host: &mut Host<'_>, value: &Value, name: u32) -> Option<Value> {
    let text = &host.name(name)?.text;
    match value {
        Value::Object(object) => match object.peek(text) {
            Some(value) => Some(value),
            None => object.get_attr(host.vm, value, text).ok().flatten(),
        },
        Value::Module(module) => (module.get)(host.vm, text).ok().flatten(),
        _ => None,
    }
}

/// Returns `true` if a pure function runs no code of the config or the host when it gets this value. Objects of a live host
/// run their own code.
fn is_quiet(value: &Value) -> bool {
    match value {
        Value::Object(object) => object.identity().is_none(),
        Value::Function(_) | Value::BoundMethod(_) | Value::Builtin(_) | Value::Iterator(_) | Value::Exception(_) => {
            false
        }
        Value::Tuple(_) | Value::List(_) | Value::Dict(_) | Value::Set(_) | Value::Slice(_) => {
            let mut left = MAX_ITEMS;
            holds_only_quiet(value, MAX_DEPTH, &mut left)
        }
        _ => true,
    }
}

/// The most items of a container, with those of containers in it, that are looked at. Larger ones are the interpreter's.
const MAX_ITEMS: usize = 1000;

/// The most containers one in another that are looked at.
const MAX_DEPTH: usize = 4;

/// Returns `true` if all items are quiet: `any` asks them for their truth, `max` compares them. `left` is the number of items that may still be
/// looked at.
fn holds_only_quiet(container: &Value, depth: usize, left: &mut usize) -> bool {
    let mut each = |item: &Value| match item {
        _ if *left == 0 => false,
        Value::Tuple(_) | Value::List(_) | Value::Dict(_) | Value::Set(_) | Value::Slice(_) => {
            *left -= 1;
            depth > 0 && holds_only_quiet(item, depth - 1, left)
        }
        _ => {
            *left -= 1;
            is_quiet(item)
        }
    };
    match container {
        Value::Tuple(tuple) => tuple.items.iter().all(each),
        Value::List(list) => list.items.borrow().iter().all(each),
        Value::Dict(dict) => dict.table.borrow().iter().all(|(key, value)| each(&key.value) && each(value)),
        Value::Set(set) => set.table.borrow().iter().all(|key| each(&key.value)),
        Value::Slice(slice) => [&slice.start, &slice.stop, &slice.step].into_iter().all(each),
        _ => true,
    }
}

/// Returns `true` if a call leaves the items of its arguments alone, so that they need not be quiet.
fn leaves_items_alone(callee: &Value) -> bool {
    match callee {
        Value::Builtin(function) => function.owner.is_empty() && function.name == "len",
        Value::Type(class) => [&LIST, &TUPLE, &BOOL].iter().any(|other| class.is(other)),
        _ => false,
    }
}

fn is_container(value: &Value) -> bool {
    matches!(value, Value::Tuple(_) | Value::List(_) | Value::Dict(_) | Value::Set(_))
}

/// The tags and payloads at an address in the kernel's frame.
unsafe fn pairs<'a>(pairs: *const [u64; 2], count: u64) -> Option<&'a [[u64; 2]]> {
    let count = usize::try_from(count).ok()?;
    // SAFETY: see the head of this file; the kernel waits for the function that asks, and so does its frame.
    Some(unsafe { std::slice::from_raw_parts(pairs, count) })
}

/// The arguments of a call. `None` if one of them is not [quiet](is_quiet); those that [`leaves_items_alone`] gets may hold anything.
fn arguments(host: &Host<'_>, keywords: &[u32], pairs: &[[u64; 2]], callee: Option<&Value>) -> Option<Args> {
    let may_hold = |value: &Value| is_container(value) && callee.is_some_and(leaves_items_alone);
    let may_be = |value: &Value| may_hold(value) || is_quiet(value);
    let argument = |[tag, payload]: &[u64; 2]| host.tagged(*tag, *payload).filter(may_be);
    let (unnamed, named) = pairs.split_at_checked(pairs.len().checked_sub(keywords.len())?)?;
    let mut args = Args::none();
    for pair in unnamed {
        args.pos.push(argument(pair)?);
    }
    for (name, pair) in keywords.iter().zip(named) {
        args.kw.push((host.name(*name)?.text.clone(), argument(pair)?));
    }
    Some(args)
}

/// The node of a call or container.
fn node<'a>(host: &Host<'a>, index: u64) -> Option<&'a Node> {
    host.code.kernel.as_ref()?.nodes.get(usize::try_from(index).ok()?)
}

fn kept(host: &mut Host<'_>, value: Option<Value>) -> u64 {
    match value {
        Some(value) => host.keep(value),
        None => LEAVE,
    }
}

/// Calls a pure function or constructor. `None` for any other callee, or if the call raises.
fn call(host: &mut Host<'_>, callee: &Value, args: Args) -> Option<Value> {
    match callee {
        Value::Builtin(function) if function.pure => {
            host.vm.charge(1).ok()?;
            (function.call)(host.vm, args).ok()
        }
        Value::Type(class) if class.is_made_purely() => host.vm.call(callee, args).ok(),
        _ => None,
    }
}

/// `callee(...)`
pub(in super::super) unsafe extern "C" fn invoke(
    host: *mut Host<'_>,
    index: u64,
    callee: u64,
    values: *const [u64; 2],
    count: u64,
) -> u64 {
    // SAFETY: see the head of this file.
    let host = unsafe { &mut *host };
    let (Some(Node::Invoke { keywords, .. }), Some(callee)) = (node(host, index), host.value(reference(callee))) else {
        return LEAVE;
    };
    // SAFETY: see the head of this file.
    let args = unsafe { pairs(values, count) }.and_then(|pairs| arguments(host, keywords, pairs, Some(&callee)));
    let value = args.and_then(|args| call(host, &callee, args));
    kept(host, value)
}

/// `object.name(...)`
pub(in super::super) unsafe extern "C" fn method(
    host: *mut Host<'_>,
    index: u64,
    object: u64,
    values: *const [u64; 2],
    count: u64,
) -> u64 {
    // SAFETY: see the head of this file.
    let host = unsafe { &mut *host };
    let (Some(Node::Method { name, keywords, .. }), Some(object)) = (node(host, index), host.value(reference(object)))
    else {
        return LEAVE;
    };
    // SAFETY: see the head of this file.
    let args = unsafe { pairs(values, count) }.and_then(|pairs| arguments(host, keywords, pairs, None));
    let value = args.and_then(|args| call_method(host, &object, *name, args));
    kept(host, value)
}

fn call_method(host: &mut Host<'_>, object: &Value, name: u32, mut args: Args) -> Option<Value> {
    let name = host.name(name)?;
    if let Value::Module(module) = object {
        let callee = (module.get)(host.vm, &name.text).ok().flatten()?;
        return call(host, &callee, args);
    }
    let class: &'static BuiltinType = object.class();
    let is_pure = class.pure.contains(&name.text.as_str()) || host.vm.environment.is_unread(class, &name.text);
    // A dict's pure methods only compare keys, which calls no code.
    if !is_pure || !(matches!(object, Value::Dict(_)) || is_quiet(object)) {
        return None;
    }
    host.vm.charge_receiver(object).ok()?;
    if let Value::Object(handle) = object {
        return handle.call_method(host.vm, object, &name.text, &mut args)?.ok();
    }
    let method = host.vm.cached_method(class, name)?;
    (method.call)(host.vm, object, args).ok()
}

/// A container of values.
pub(in super::super) unsafe extern "C" fn build(
    host: *mut Host<'_>,
    index: u64,
    values: *const [u64; 2],
    count: u64,
) -> u64 {
    // SAFETY: see the head of this file.
    let host = unsafe { &mut *host };
    let Some(Node::Build { container, .. }) = node(host, index) else { return LEAVE };
    // SAFETY: see the head of this file.
    let value = unsafe { pairs(values, count) }.and_then(|pairs| {
        host.vm.charge(pairs.len()).ok()?;
        let items: Option<Vec<Value>> = pairs.iter().map(|[tag, payload]| host.tagged(*tag, *payload)).collect();
        Some(match container {
            Container::List => Value::list(items?),
            Container::Tuple => Value::tuple(items?),
        })
    });
    kept(host, value)
}

/// The number of items of a tuple or list; each is charged.
pub(in super::super) unsafe extern "C" fn length(host: *mut Host<'_>, iterable: u64) -> u64 {
    // SAFETY: see the head of this file.
    let host = unsafe { &mut *host };
    let length = match host.value(reference(iterable)) {
        Some(Value::List(list)) => list.items.borrow().len(),
        Some(Value::Tuple(tuple)) => tuple.items.len(),
        _ => return LEAVE,
    };
    let paid = host.vm.charge(length.saturating_mul(ITEM)).ok();
    kept(host, paid.and(i64::try_from(length).ok()).map(Value::Int))
}

/// The cost of a comprehension's item in steps: about that of its instructions.
const ITEM: usize = 8;

/// The number of values that the run holds, to which [`nth`] later truncates them.
pub(in super::super) unsafe extern "C" fn mark(host: *mut Host<'_>) -> u64 {
    // SAFETY: see the head of this file.
    let host = unsafe { &mut *host };
    let count = i64::try_from(host.references.len()).ok();
    kept(host, count.map(Value::Int))
}

/// Item `index` of a tuple or list. Drops the values held since `mark`, because only the previous item needed them.
pub(in super::super) unsafe extern "C" fn nth(host: *mut Host<'_>, iterable: u64, index: u64, mark: u64) -> u64 {
    // SAFETY: see the head of this file.
    let host = unsafe { &mut *host };
    let (Ok(index), Ok(mark)) = (usize::try_from(index), usize::try_from(mark)) else { return LEAVE };
    host.references.truncate(mark);
    let item = match host.value(reference(iterable)) {
        Some(Value::List(list)) => list.items.borrow().get(index).cloned(),
        Some(Value::Tuple(tuple)) => tuple.items.get(index).cloned(),
        _ => None,
    };
    kept(host, item)
}

/// An empty list.
pub(in super::super) unsafe extern "C" fn new_list(host: *mut Host<'_>) -> u64 {
    // SAFETY: see the head of this file.
    let host = unsafe { &mut *host };
    kept(host, Some(Value::list(Vec::new())))
}

/// Adds an item to a list that the kernel made.
pub(in super::super) unsafe extern "C" fn append(host: *mut Host<'_>, list: u64, tag: u64, payload: u64) -> u64 {
    // SAFETY: see the head of this file.
    let host = unsafe { &mut *host };
    match (host.value(reference(list)), host.tagged(tag, payload)) {
        (Some(Value::List(list)), Some(item)) => {
            list.items.borrow_mut().push(item);
            0
        }
        _ => LEAVE,
    }
}
