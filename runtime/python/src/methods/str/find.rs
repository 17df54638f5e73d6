//! Finding text in text.

use super::{str_argument, text_of};
use crate::args::Args;
use crate::exception::{PyResult, type_error, value_error};
use crate::string::Str;
use crate::value::Value;
use crate::vm::Vm;

/// The part of a text that `start` and `end` leave, and the count of characters before it.
struct Window<'a> {
    text: &'a str,
    /// Characters before the part.
    before: usize,
}

impl<'a> Window<'a> {
    /// `None` if `start` lies behind the end: nothing is found there, not even the empty text.
    fn new(vm: &mut Vm, text: &'a Str, start: Option<&Value>, end: Option<&Value>) -> PyResult<Option<Self>> {
        if start.is_none() && end.is_none() {
            return Ok(Some(Self { text: text.as_str(), before: 0 }));
        }
        let len = text.char_len();
        let Some((start, end)) = bounds(vm, len, start, end)? else { return Ok(None) };
        let whole = text.as_str();
        let part = if text.is_ascii() {
            whole.get(start..end)
        } else {
            let offset = |count: usize| whole.char_indices().nth(count).map_or(whole.len(), |(at, _)| at);
            whole.get(offset(start)..offset(end))
        };
        Ok(Some(Self { text: part.unwrap_or_default(), before: start }))
    }

    /// The index in the whole text of a byte of the part.
    fn index(&self, at: usize) -> usize {
        self.before + self.text.get(..at).unwrap_or_default().chars().count()
    }
}

/// `start` and `end` as positions in a sequence of `len` items; `None` if the start lies behind the end.
///
/// # Errors
/// `TypeError` if one is neither `None` nor an int.
pub(crate) fn bounds(
    vm: &mut Vm,
    len: usize,
    start: Option<&Value>,
    end: Option<&Value>,
) -> PyResult<Option<(usize, usize)>> {
    let size = i64::try_from(len).unwrap_or(i64::MAX);
    let fit = |index: i64| if index < 0 { index.saturating_add(size).max(0) } else { index };
    let start = start.map_or(Ok(None), |value| vm.slice_part(value))?.map_or(0, fit);
    let end = end.map_or(Ok(None), |value| vm.slice_part(value))?.map_or(size, fit).min(size);
    if start > end {
        return Ok(None);
    }
    Ok(Some((usize::try_from(start).unwrap_or(len), usize::try_from(end).unwrap_or(len))))
}

/// Takes one to three arguments, none of them by name: what to find, start and end.
pub(crate) fn search_arguments(args: Args, method: &str) -> PyResult<(Value, Option<Value>, Option<Value>)> {
    args.no_keywords(method)?;
    let given = args.pos.len();
    let mut values = args.pos.into_iter();
    match (values.next(), values.next(), values.next()) {
        (Some(wanted), start, end) if given <= 3 => Ok((wanted, start, end)),
        (None, ..) => Err(type_error(format!("{method}() takes at least 1 argument (0 given)"))),
        _ => Err(type_error(format!("{method}() takes at most 3 arguments ({given} given)"))),
    }
}

/// The index where the text is found, by a search from either end.
fn search(
    vm: &mut Vm,
    receiver: &Value,
    args: Args,
    method: &str,
    find: fn(&str, &str) -> Option<usize>,
) -> PyResult<Option<usize>> {
    let text = text_of(receiver, method)?;
    let (wanted, start, end) = search_arguments(args, method)?;
    // The bounds are looked at first.
    let window = Window::new(vm, text, start.as_ref(), end.as_ref())?;
    let wanted = str_argument(&wanted, "must be str")?;
    vm.visit(text.as_str().len(), 64)?;
    Ok(window.and_then(|window| find(window.text, wanted.as_str()).map(|at| window.index(at))))
}

fn first(text: &str, wanted: &str) -> Option<usize> {
    text.find(wanted)
}

fn last(text: &str, wanted: &str) -> Option<usize> {
    text.rfind(wanted)
}

pub(super) fn find(vm: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    Ok(search(vm, receiver, args, "find", first)?.map_or(Value::Int(-1), Value::from_usize))
}

pub(super) fn rfind(vm: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    Ok(search(vm, receiver, args, "rfind", last)?.map_or(Value::Int(-1), Value::from_usize))
}

pub(super) fn index(vm: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    let found = search(vm, receiver, args, "index", first)?;
    found.map(Value::from_usize).ok_or_else(|| value_error("substring not found"))
}

pub(super) fn rindex(vm: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    let found = search(vm, receiver, args, "rindex", last)?;
    found.map(Value::from_usize).ok_or_else(|| value_error("substring not found"))
}

pub(super) fn count(vm: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    let text = text_of(receiver, "count")?;
    let (wanted, start, end) = search_arguments(args, "count")?;
    // The bounds are looked at first.
    let window = Window::new(vm, text, start.as_ref(), end.as_ref())?;
    let wanted = str_argument(&wanted, "must be str")?;
    vm.visit(text.as_str().len(), 64)?;
    // The empty text is found before each character and at the end, as Rust counts too.
    let count = window.map_or(0, |window| window.text.matches(wanted.as_str()).count());
    vm.visit(count, 4)?;
    Ok(Value::from_usize(count))
}

pub(super) fn startswith(vm: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    affix(vm, receiver, args, "startswith", |text, affix| text.starts_with(affix))
}

pub(super) fn endswith(vm: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    affix(vm, receiver, args, "endswith", |text, affix| text.ends_with(affix))
}

/// The bytes of an affix that are compared in the time of a step.
const AFFIX_BYTES_A_STEP: usize = 1024;

/// Tests a text for an affix, or for one of a tuple of them.
fn affix(vm: &mut Vm, receiver: &Value, args: Args, method: &str, test: fn(&str, &str) -> bool) -> PyResult<Value> {
    let text = text_of(receiver, method)?;
    let (wanted, start, end) = search_arguments(args, method)?;
    let window = Window::new(vm, text, start.as_ref(), end.as_ref())?;
    let holds = |affix: &Str| window.as_ref().is_some_and(|window| test(window.text, affix.as_str()));
    match &wanted {
        Value::Str(wanted) => Ok(Value::Bool(holds(wanted))),
        Value::Tuple(tuple) => {
            for item in &tuple.items {
                let Value::Str(text) = item.clone() else {
                    return Err(type_error(format!(
                        "tuple for {method} must only contain str, not {}",
                        item.type_name().as_str()
                    )));
                };
                vm.visit(text.len(), AFFIX_BYTES_A_STEP)?;
                if holds(&text) {
                    return Ok(Value::Bool(true));
                }
            }
            Ok(Value::Bool(false))
        }
        other => Err(type_error(format!(
            "{method} first arg must be str or a tuple of str, not {}",
            other.type_name().as_str()
        ))),
    }
}
