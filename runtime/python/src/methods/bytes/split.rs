//! Taking bytes apart and putting them together.

use super::{bytes_argument, bytes_of, charge_search, find, find_last, is_space, occurrences};
use crate::args::Args;
use crate::builtins::convert;
use crate::exception::{PyResult, type_error, value_error};
use crate::value::Value;
use crate::vm::Vm;

/// Cuts white space, or the given bytes, off one or both ends.
fn strip_ends(receiver: &Value, args: Args, method: &str, left: bool, right: bool) -> PyResult<Value> {
    let mut bytes = bytes_of(receiver, method)?;
    args.no_keywords(&format!("bytes.{method}"))?;
    let [gone] = args.between(method, 0)?;
    let gone = match &gone {
        None | Some(Value::None) => None,
        Some(gone) => Some(bytes_argument(gone)?),
    };
    let mut cut = [false; 256];
    for byte in 0..=u8::MAX {
        if let Some(flag) = cut.get_mut(usize::from(byte)) {
            *flag = gone.map_or_else(|| is_space(&byte), |gone| gone.contains(&byte));
        }
    }
    let cut = |byte: &u8| cut.get(usize::from(*byte)).copied().unwrap_or(false);
    while let Some((_, rest)) = bytes.split_first().filter(|(first, _)| left && cut(first)) {
        bytes = rest;
    }
    while let Some((_, rest)) = bytes.split_last().filter(|(last, _)| right && cut(last)) {
        bytes = rest;
    }
    Ok(Value::bytes(bytes.to_vec()))
}

pub(super) fn strip(_: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    strip_ends(receiver, args, "strip", true, true)
}

pub(super) fn lstrip(_: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    strip_ends(receiver, args, "lstrip", true, false)
}

pub(super) fn rstrip(_: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    strip_ends(receiver, args, "rstrip", false, true)
}

pub(super) fn removeprefix(_: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    let bytes = bytes_of(receiver, "removeprefix")?;
    let [prefix] = args.exactly("bytes.removeprefix")?;
    let rest = bytes.strip_prefix(bytes_argument(&prefix)?);
    Ok(rest.map_or_else(|| receiver.clone(), |rest| Value::bytes(rest.to_vec())))
}

pub(super) fn removesuffix(_: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    let bytes = bytes_of(receiver, "removesuffix")?;
    let [suffix] = args.exactly("bytes.removesuffix")?;
    let rest = bytes.strip_suffix(bytes_argument(&suffix)?);
    Ok(rest.map_or_else(|| receiver.clone(), |rest| Value::bytes(rest.to_vec())))
}

/// Bytes before and after a place where others of length `len` stand.
fn cut(bytes: &[u8], at: usize, len: usize) -> (&[u8], &[u8]) {
    let (before, rest) = bytes.split_at_checked(at).unwrap_or((bytes, &[]));
    (before, rest.get(len..).unwrap_or_default())
}

/// The separator (`None` for white space) and the greatest number of cuts.
fn split_arguments(vm: &mut Vm, args: Args, method: &str) -> PyResult<(Option<Value>, usize)> {
    let [separator, limit] = args.bind(method, ["sep", "maxsplit"], 0)?;
    let separator = separator.filter(|separator| !separator.is_none());
    if let Some(separator) = &separator
        && bytes_argument(separator)?.is_empty()
    {
        return Err(value_error("empty separator"));
    }
    let limit = match limit {
        Some(limit) => usize::try_from(vm.size_argument(&limit)?).unwrap_or(usize::MAX),
        None => usize::MAX,
    };
    Ok((separator, limit))
}

fn list_of(parts: Vec<&[u8]>) -> Value {
    Value::list(parts.into_iter().map(|part| Value::bytes(part.to_vec())).collect())
}

pub(super) fn split(vm: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    let mut rest = bytes_of(receiver, "split")?;
    let (separator, limit) = split_arguments(vm, args, "split")?;
    let mut parts = Vec::new();
    let Some(separator) = &separator else {
        loop {
            let start = rest.iter().position(|byte| !is_space(byte));
            let Some(word) = start.and_then(|start| rest.get(start..)) else { return Ok(list_of(parts)) };
            let end = if parts.len() >= limit { None } else { word.iter().position(is_space) };
            let (word, after) = word.split_at_checked(end.unwrap_or(word.len())).unwrap_or((word, &[]));
            vm.charge(1)?;
            parts.push(word);
            rest = after;
        }
    };
    let separator = bytes_argument(separator)?;
    charge_search(vm, rest, separator)?;
    while let Some(at) = find(rest, separator).filter(|_| parts.len() < limit) {
        vm.charge(1)?;
        let (before, after) = cut(rest, at, separator.len());
        parts.push(before);
        rest = after;
    }
    parts.push(rest);
    Ok(list_of(parts))
}

pub(super) fn rsplit(vm: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    let mut rest = bytes_of(receiver, "rsplit")?;
    let (separator, limit) = split_arguments(vm, args, "rsplit")?;
    let mut parts = Vec::new();
    match &separator {
        None => loop {
            let end = rest.iter().rposition(|byte| !is_space(byte));
            let Some(text) = end.and_then(|end| rest.get(..=end)) else { break };
            let start = if parts.len() >= limit { None } else { text.iter().rposition(is_space) };
            let (before, word) = text.split_at_checked(start.map_or(0, |start| start + 1)).unwrap_or((&[], text));
            vm.charge(1)?;
            parts.push(word);
            rest = before;
        },
        Some(separator) => {
            let separator = bytes_argument(separator)?;
            while let Some(at) = find_last(rest, separator).filter(|_| parts.len() < limit) {
                vm.charge(1)?;
                let (before, after) = cut(rest, at, separator.len());
                parts.push(after);
                rest = before;
            }
            parts.push(rest);
        }
    }
    parts.reverse();
    Ok(list_of(parts))
}

pub(super) fn splitlines(vm: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    let mut rest = bytes_of(receiver, "splitlines")?;
    let [keep] = args.bind("splitlines", ["keepends"], 0)?;
    let keep = keep.map_or(Ok(0), |keep| convert::index_i32(vm, &keep))? != 0;
    let mut lines = Vec::new();
    while !rest.is_empty() {
        let at = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len());
        let (line, from_end) = rest.split_at_checked(at).unwrap_or((rest, &[]));
        let len = if from_end.starts_with(b"\r\n") { 2 } else { from_end.len().min(1) };
        let (with_end, after) = rest.split_at_checked(at + len).unwrap_or((rest, &[]));
        lines.push(if keep { with_end } else { line });
        rest = after;
    }
    Ok(list_of(lines))
}

fn partition_at(vm: &mut Vm, receiver: &Value, args: Args, method: &str, last: bool) -> PyResult<Value> {
    let bytes = bytes_of(receiver, method)?;
    let [separator] = args.exactly(&format!("bytes.{method}"))?;
    let wanted = bytes_argument(&separator)?;
    if wanted.is_empty() {
        return Err(value_error("empty separator"));
    }
    charge_search(vm, bytes, wanted)?;
    let empty = || Value::bytes(Vec::new());
    Ok(match if last { find_last(bytes, wanted) } else { find(bytes, wanted) } {
        Some(at) => {
            let (before, after) = cut(bytes, at, wanted.len());
            Value::tuple(vec![Value::bytes(before.to_vec()), separator.clone(), Value::bytes(after.to_vec())])
        }
        None if last => Value::tuple(vec![empty(), empty(), receiver.clone()]),
        None => Value::tuple(vec![receiver.clone(), empty(), empty()]),
    })
}

pub(super) fn partition(vm: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    partition_at(vm, receiver, args, "partition", false)
}

pub(super) fn rpartition(vm: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    partition_at(vm, receiver, args, "rpartition", true)
}

pub(super) fn replace(vm: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    let bytes = bytes_of(receiver, "replace")?;
    args.no_keywords("bytes.replace")?;
    let [old, new, limit] = args.between("replace", 2)?;
    let (old, new) = (old.unwrap_or(Value::None), new.unwrap_or(Value::None));
    let (old, new) = (bytes_argument(&old)?, bytes_argument(&new)?);
    let limit = match limit {
        Some(limit) => usize::try_from(vm.size_argument(&limit)?).unwrap_or(usize::MAX),
        None => usize::MAX,
    };
    charge_search(vm, bytes, old)?;
    let count = occurrences(bytes, old).min(limit);
    vm.charge_bytes(bytes.len().saturating_add(count.saturating_mul(new.len())))?;
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    for _ in 0..count {
        // Empty bytes are found before each byte and at the end.
        let Some(at) = find(rest, old) else { break };
        let (before, after) = cut(rest, at, old.len());
        out.extend_from_slice(before);
        out.extend_from_slice(new);
        rest = after;
        if old.is_empty()
            && let Some((first, after)) = rest.split_first()
        {
            out.push(*first);
            rest = after;
        }
    }
    out.extend_from_slice(rest);
    Ok(Value::bytes(out))
}

pub(super) fn join(vm: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    let separator = bytes_of(receiver, "join")?;
    let [parts] = args.exactly("bytes.join")?;
    let items = match &parts {
        Value::List(list) => list.items.borrow().clone(),
        Value::Tuple(tuple) => tuple.items.clone(),
        other => {
            let iterator = vm.iter_or(other, || type_error("can only join an iterable"))?;
            vm.collect(&iterator)?
        }
    };
    let mut total = separator.len().saturating_mul(items.len().saturating_sub(1));
    for item in &items {
        total = total.saturating_add(if let Value::Bytes(item) = item { item.len() } else { 0 });
    }
    vm.charge_bytes(total)?;
    let mut out = Vec::with_capacity(total);
    for (index, item) in items.iter().enumerate() {
        let Value::Bytes(item) = item else {
            return Err(type_error(format!(
                "sequence item {index}: expected a bytes-like object, {} found",
                item.type_name().as_str()
            )));
        };
        if index > 0 {
            out.extend_from_slice(separator);
        }
        out.extend_from_slice(item);
    }
    Ok(Value::bytes(out))
}
