//! Taking text apart and putting it together.

use super::{between, str_argument, text_of};
use crate::args::Args;
use crate::builtins::convert;
use crate::exception::{PyResult, type_error, value_error};
use crate::string::Str;
use crate::value::Value;
use crate::vm::Vm;
use tpv_literal::unicode;

/// The separator (`None` for white space) and the greatest number of cuts.
fn split_arguments(vm: &mut Vm, args: Args, method: &str) -> PyResult<(Option<Str>, usize)> {
    let [separator, limit] = args.bind(method, ["sep", "maxsplit"], 0)?;
    let separator = match separator {
        None | Some(Value::None) => None,
        Some(Value::Str(separator)) => Some(separator),
        Some(other) => {
            return Err(type_error(format!("must be str or None, not {}", other.type_name().as_str())));
        }
    };
    let limit = match limit {
        Some(limit) => usize::try_from(convert::index_i64(vm, &limit)?).unwrap_or(usize::MAX),
        None => usize::MAX,
    };
    if separator.as_ref().is_some_and(|separator| separator.as_str().is_empty()) {
        return Err(value_error("empty separator"));
    }
    Ok((separator, limit))
}

fn list_of<'a>(vm: &mut Vm, parts: impl Iterator<Item = &'a str>) -> PyResult<Value> {
    let mut items = Vec::new();
    for part in parts {
        // A new text each.
        vm.charge(2)?;
        items.push(Value::str(part));
    }
    Ok(Value::list(items))
}

pub(super) fn split(vm: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    let text = text_of(receiver, "split")?.as_str();
    let (separator, limit) = split_arguments(vm, args, "split")?;
    match separator {
        Some(separator) => list_of(vm, text.splitn(limit.saturating_add(1), separator.as_str())),
        None => list_of(vm, Words { rest: text, limit }),
    }
}

/// The words between white space, from the left; past the limit, the rest as it is but for white space before it.
struct Words<'a> {
    rest: &'a str,
    limit: usize,
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let text = self.rest.trim_start_matches(unicode::is_space);
        if text.is_empty() {
            return None;
        }
        let end = if self.limit == 0 { text.len() } else { text.find(unicode::is_space).unwrap_or(text.len()) };
        self.limit = self.limit.saturating_sub(1);
        let (word, rest) = text.split_at_checked(end)?;
        self.rest = rest;
        Some(word)
    }
}

pub(super) fn rsplit(vm: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    let text = text_of(receiver, "rsplit")?.as_str();
    let (separator, limit) = split_arguments(vm, args, "rsplit")?;
    let mut parts: Vec<&str> = match &separator {
        Some(separator) => text.rsplitn(limit.saturating_add(1), separator.as_str()).collect(),
        None => LastWords { rest: text, limit }.collect(),
    };
    parts.reverse();
    list_of(vm, parts.into_iter())
}

/// As [`Words`], from the right.
struct LastWords<'a> {
    rest: &'a str,
    limit: usize,
}

impl<'a> Iterator for LastWords<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let text = self.rest.trim_end_matches(unicode::is_space);
        if text.is_empty() {
            return None;
        }
        let space = text.char_indices().rev().find(|(_, char)| unicode::is_space(*char));
        let start = match space {
            Some((at, char)) if self.limit > 0 => at + char.len_utf8(),
            _ => 0,
        };
        self.limit = self.limit.saturating_sub(1);
        let (rest, word) = text.split_at_checked(start)?;
        self.rest = rest;
        Some(word)
    }
}

pub(super) fn splitlines(vm: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    let text = text_of(receiver, "splitlines")?;
    let [keep] = args.bind("splitlines", ["keepends"], 0)?;
    let keep = keep.map_or(Ok(0), |keep| convert::index_i32(vm, &keep))? != 0;
    let mut lines = Vec::new();
    let mut rest = text.as_str();
    while !rest.is_empty() {
        vm.charge(2)?;
        let Some((at, char)) = rest.char_indices().find(|(_, char)| unicode::is_line_break(*char)) else {
            lines.push(Value::str(rest));
            break;
        };
        let (line, from_end) = rest.split_at_checked(at).unwrap_or((rest, ""));
        let len = if from_end.starts_with("\r\n") { 2 } else { char.len_utf8() };
        let (with_end, after) = rest.split_at_checked(at + len).unwrap_or((rest, ""));
        lines.push(Value::str(if keep { with_end } else { line }));
        rest = after;
    }
    Ok(Value::list(lines))
}

pub(super) fn partition(_: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    let text = text_of(receiver, "partition")?;
    let [separator] = args.exactly("str.partition")?;
    let separator = nonempty(&separator)?;
    Ok(match text.as_str().split_once(separator.as_str()) {
        Some((before, after)) => {
            Value::tuple(vec![Value::str(before), Value::Str(separator.clone()), Value::str(after)])
        }
        None => Value::tuple(vec![receiver.clone(), Value::str(""), Value::str("")]),
    })
}

pub(super) fn rpartition(_: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    let text = text_of(receiver, "rpartition")?;
    let [separator] = args.exactly("str.rpartition")?;
    let separator = nonempty(&separator)?;
    Ok(match text.as_str().rsplit_once(separator.as_str()) {
        Some((before, after)) => {
            Value::tuple(vec![Value::str(before), Value::Str(separator.clone()), Value::str(after)])
        }
        None => Value::tuple(vec![Value::str(""), Value::str(""), receiver.clone()]),
    })
}

fn nonempty(separator: &Value) -> PyResult<&Str> {
    let separator = str_argument(separator, "must be str")?;
    if separator.as_str().is_empty() { Err(value_error("empty separator")) } else { Ok(separator) }
}

pub(super) fn replace(vm: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    let text = text_of(receiver, "replace")?;
    let [old, new, limit] = between(args, "replace", 2)?;
    let (old, new) = (old.unwrap_or(Value::None), new.unwrap_or(Value::None));
    let old = str_argument(&old, "replace() argument 1 must be str")?.as_str();
    let new = str_argument(&new, "replace() argument 2 must be str")?.as_str();
    let limit = match limit {
        Some(limit) => usize::try_from(convert::index_i64(vm, &limit)?).unwrap_or(usize::MAX),
        None => usize::MAX,
    };
    let text = text.as_str();
    // Even an empty text is found once in an empty one, but not when `count` is given and it is empty.
    let count = text.matches(old).count().min(limit);
    if count == 0 {
        return Ok(receiver.clone());
    }
    vm.charge_bytes(text.len().saturating_add(count.saturating_mul(new.len())))?;
    vm.charge(count)?;
    Ok(Value::str(text.replacen(old, new, count)))
}

pub(super) fn join(vm: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    let separator = text_of(receiver, "join")?.as_str();
    let [parts] = args.exactly("str.join")?;
    let items = match &parts {
        Value::List(list) => list.items.borrow().clone(),
        Value::Tuple(tuple) => tuple.items.clone(),
        other => {
            let iterator = vm.iter_or(other, || type_error("can only join an iterable"))?;
            vm.collect(&iterator)?
        }
    };
    vm.visit(items.len(), 2)?;
    let mut total = separator.len().saturating_mul(items.len().saturating_sub(1));
    for (index, item) in items.iter().enumerate() {
        let Value::Str(item) = item else {
            return Err(type_error(format!(
                "sequence item {index}: expected str instance, {} found",
                item.type_name().as_str()
            )));
        };
        total = total.saturating_add(item.as_str().len());
    }
    vm.charge_bytes(total)?;
    let mut out = String::with_capacity(total);
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push_str(separator);
        }
        if let Value::Str(item) = item {
            out.push_str(item.as_str());
        }
    }
    Ok(Value::str(out))
}
