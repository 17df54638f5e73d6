//! Filling up and cutting off.

use super::{between, str_argument, text_of};
use crate::args::Args;
use crate::builtins::convert;
use crate::exception::{PyResult, type_error};
use crate::value::Value;
use crate::vm::Vm;
use tpv_literal::unicode;

/// The text with so much fill on the left and right that it has the width.
fn justify(
    vm: &mut Vm,
    receiver: &Value,
    args: Args,
    method: &str,
    left: fn(missing: usize, width: usize) -> usize,
) -> PyResult<Value> {
    let text = text_of(receiver, method)?;
    let [width, fill] = between(args, method, 1)?;
    let width = convert::index_i64(vm, &width.unwrap_or(Value::None))?;
    let fill = match &fill {
        None => ' ',
        Some(Value::Str(fill)) => {
            let mut chars = fill.as_str().chars();
            match (chars.next(), chars.next()) {
                (Some(char), None) => char,
                _ => return Err(type_error("The fill character must be exactly one character long")),
            }
        }
        Some(other) => {
            return Err(type_error(format!(
                "The fill character must be a unicode character, not {}",
                other.type_name().as_str()
            )));
        }
    };
    let width = usize::try_from(width).unwrap_or(0);
    let missing = width.saturating_sub(text.char_len());
    if missing == 0 {
        return Ok(receiver.clone());
    }
    vm.charge_bytes(text.as_str().len().saturating_add(missing.saturating_mul(fill.len_utf8())))?;
    let left = left(missing, width);
    let mut out = String::with_capacity(text.as_str().len() + missing);
    out.extend(std::iter::repeat_n(fill, left));
    out.push_str(text.as_str());
    out.extend(std::iter::repeat_n(fill, missing - left));
    Ok(Value::str(out))
}

pub(super) fn center(vm: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    // CPython puts the odd one left where the width is odd.
    justify(vm, receiver, args, "center", |missing, width| missing / 2 + (missing & width & 1))
}

pub(super) fn ljust(vm: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    justify(vm, receiver, args, "ljust", |_, _| 0)
}

pub(super) fn rjust(vm: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    justify(vm, receiver, args, "rjust", |missing, _| missing)
}

pub(super) fn zfill(vm: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    let text = text_of(receiver, "zfill")?;
    let [width] = args.exactly("str.zfill")?;
    let width = usize::try_from(convert::index_i64(vm, &width)?).unwrap_or(0);
    let missing = width.saturating_sub(text.char_len());
    if missing == 0 {
        return Ok(receiver.clone());
    }
    vm.charge_bytes(text.as_str().len().saturating_add(missing))?;
    let (sign, rest) = match text.as_str().split_at_checked(1) {
        Some((sign @ ("+" | "-"), rest)) => (sign, rest),
        _ => ("", text.as_str()),
    };
    let zeros: String = std::iter::repeat_n('0', missing).collect();
    Ok(Value::str([sign, &zeros, rest].concat()))
}

/// Cuts white space, or the given characters, off one or both ends.
fn strip_ends(vm: &mut Vm, receiver: &Value, args: Args, method: &str, left: bool, right: bool) -> PyResult<Value> {
    let text = text_of(receiver, method)?;
    let [chars] = between(args, method, 0)?;
    let chars = match &chars {
        None | Some(Value::None) => None,
        Some(Value::Str(chars)) => Some(chars.as_str()),
        Some(_) => return Err(type_error(format!("{method} arg must be None or str"))),
    };
    if let Some(chars) = chars {
        vm.visit(chars.len().saturating_mul(8).saturating_add(text.as_str().len()), 8)?;
    }
    let sorted = chars.map(|chars| {
        let mut sorted: Vec<char> = chars.chars().collect();
        sorted.sort_unstable();
        sorted
    });
    let cut = |char: char| match &sorted {
        Some(chars) => chars.binary_search(&char).is_ok(),
        None => unicode::is_space(char),
    };
    let mut rest = text.as_str();
    if left {
        rest = rest.trim_start_matches(cut);
    }
    if right {
        rest = rest.trim_end_matches(cut);
    }
    Ok(if rest.len() == text.as_str().len() { receiver.clone() } else { Value::str(rest) })
}

pub(super) fn strip(vm: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    strip_ends(vm, receiver, args, "strip", true, true)
}

pub(super) fn lstrip(vm: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    strip_ends(vm, receiver, args, "lstrip", true, false)
}

pub(super) fn rstrip(vm: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    strip_ends(vm, receiver, args, "rstrip", false, true)
}

pub(super) fn removeprefix(_: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    let text = text_of(receiver, "removeprefix")?;
    let [prefix] = args.exactly("str.removeprefix")?;
    let prefix = str_argument(&prefix, "removeprefix() argument must be str")?;
    Ok(text.as_str().strip_prefix(prefix.as_str()).map_or_else(|| receiver.clone(), Value::str))
}

pub(super) fn removesuffix(_: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    let text = text_of(receiver, "removesuffix")?;
    let [suffix] = args.exactly("str.removesuffix")?;
    let suffix = str_argument(&suffix, "removesuffix() argument must be str")?;
    Ok(text.as_str().strip_suffix(suffix.as_str()).map_or_else(|| receiver.clone(), Value::str))
}

pub(super) fn expandtabs(vm: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    let text = text_of(receiver, "expandtabs")?;
    let [size] = args.bind("expandtabs", ["tabsize"], 0)?;
    let size = match size {
        Some(size) => usize::try_from(convert::index_i64(vm, &size)?).unwrap_or(0),
        None => 8,
    };
    let tabs = text.as_str().bytes().filter(|byte| *byte == b'\t').count();
    vm.charge_bytes(text.as_str().len().saturating_add(tabs.saturating_mul(size)))?;
    let mut out = String::with_capacity(text.as_str().len());
    let mut column = 0;
    for char in text.as_str().chars() {
        match char {
            '\t' if size == 0 => {}
            '\t' => {
                let fill = size - column % size;
                out.extend(std::iter::repeat_n(' ', fill));
                column += fill;
            }
            _ => {
                out.push(char);
                column = if matches!(char, '\n' | '\r') { 0 } else { column + 1 };
            }
        }
    }
    Ok(Value::str(out))
}
