//! Texts.

use crate::galaxy::signature;
use crate::python::args::Args;
use crate::python::builtins::convert;
use crate::python::exception::{PyResult, attribute_error, type_error, value_error};
use crate::python::string::Str;
use crate::python::unicode;
use crate::python::value::Value;
use crate::python::vm::{BinaryOp, Vm};

/// The text, or the error that a value without this method of texts gives.
fn text_with<'a>(value: &'a Value, method: &str) -> PyResult<&'a Str> {
    let found = || attribute_error(format!("'{}' object has no attribute '{method}'", value.type_name().as_str()));
    value.as_str().ok_or_else(found)
}

/// `unicodify(value, encoding="utf-8", error="replace", strip_null=False, log_exception=True)`
pub(super) fn unicodify(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let names = ["value", "encoding", "error", "strip_null", "log_exception"];
    let [value, encoding, error, strip, _] = signature::bind(args, "unicodify", names, 1)?;
    let value = value.unwrap_or_default();
    let text = match value {
        Value::None => return Ok(Value::None),
        Value::Str(text) => text,
        bytes @ Value::Bytes(_) => {
            let encoding = encoding.unwrap_or_else(|| Value::str("utf-8"));
            let error = error.unwrap_or_else(|| Value::str("replace"));
            let decoded = vm.call_method(&bytes, "decode", Args::positional([encoding, error]))?;
            decoded.as_str().cloned().unwrap_or_else(|| Str::from(""))
        }
        other => vm.str(&other)?,
    };
    if vm.truthy(&strip.unwrap_or_default())? {
        vm.charge_bytes(text.len())?;
        return Ok(Value::str(text.replace('\0', "")));
    }
    Ok(Value::Str(text))
}

/// `smart_str(s, encoding="utf-8", strings_only=False, errors="strict")`
pub(super) fn smart_str(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let names = ["s", "encoding", "strings_only", "errors"];
    let [value, encoding, strings_only, errors] = signature::bind(args, "smart_str", names, 1)?;
    let value = value.unwrap_or_default();
    if matches!(value, Value::None | Value::Int(_) | Value::BigInt(_) | Value::Bool(_))
        && vm.truthy(&strings_only.unwrap_or_default())?
    {
        return Ok(value);
    }
    let utf8 = encoding.as_ref().is_none_or(|encoding| encoding.as_str().is_some_and(|name| name.as_str() == "utf-8"));
    let encoding = encoding.unwrap_or_else(|| Value::str("utf-8"));
    let errors = errors.unwrap_or_else(|| Value::str("strict"));
    let text = match value {
        Value::Bytes(bytes) if bytes.is_empty() || utf8 => return Ok(Value::Bytes(bytes)),
        bytes @ Value::Bytes(_) => {
            vm.call_method(&bytes, "decode", Args::positional([Value::str("utf-8"), errors.clone()]))?
        }
        text @ Value::Str(_) => text,
        other => Value::Str(vm.str(&other)?),
    };
    vm.call_method(&text, "encode", Args::positional([encoding, errors]))
}

/// `is_binary(value)`: whether there is a null byte.
pub(super) fn is_binary(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [value] = signature::bind(args, "is_binary", ["value"], 1)?.map(Option::unwrap_or_default);
    let found = match &value {
        Value::Bytes(bytes) => bytes.contains(&0),
        other => vm.str(other)?.contains('\0'),
    };
    Ok(Value::Bool(found))
}

/// `safe_str_cmp(a, b)`
pub(super) fn safe_str_cmp(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [a, b] = signature::bind(args, "safe_str_cmp", ["a", "b"], 2)?.map(Option::unwrap_or_default);
    let (len, other) = (vm.len(&a)?, vm.len(&b)?);
    if len != other {
        return Ok(Value::Bool(false));
    }
    vm.charge(len)?;
    let (Value::Str(a), Value::Str(b)) = (&a, &b) else {
        if len == 0 {
            return Ok(Value::Bool(true));
        }
        let found = if matches!(a, Value::Str(_)) { b.type_name() } else { a.type_name() };
        let found = if matches!(found.as_str(), "bytes") { Str::from("int") } else { found };
        return Err(type_error(format!("ord() expected string of length 1, but {} found", found.as_str())));
    };
    Ok(Value::Bool(a == b))
}

/// `str_removeprefix(s, prefix)`
pub(super) fn str_removeprefix(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [text, prefix] = signature::bind(args, "str_removeprefix", ["s", "prefix"], 2)?.map(Option::unwrap_or_default);
    vm.call_method(&text, "removeprefix", Args::one(prefix))
}

/// `remove_protocol_from_url(url)`
pub(super) fn remove_protocol_from_url(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [url] = signature::bind(args, "remove_protocol_from_url", ["url"], 1)?.map(Option::unwrap_or_default);
    if url.is_none() {
        return Ok(url);
    }
    let url = text_with(&url, "find")?;
    vm.charge(url.len() / 16)?;
    let rest = match url.split_once("://") {
        Some((protocol, rest)) if !protocol.is_empty() => rest.split("://").next().unwrap_or(rest),
        _ => url.as_str(),
    };
    Ok(Value::str(rest.trim_end_matches('/')))
}

/// `is_url(uri, allow_list=None)`
pub(super) fn is_url(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [uri, allowed] = signature::bind(args, "is_url", ["uri", "allow_list"], 1)?.map(Option::unwrap_or_default);
    let allowed = match allowed {
        Value::None => ["http://", "https://", "ftp://"].map(Value::str).to_vec(),
        allowed => vm.collect(&allowed)?,
    };
    for scheme in allowed {
        let found = vm.call_method(&uri, "startswith", Args::one(scheme))?;
        if vm.truthy(&found)? {
            return Ok(Value::Bool(true));
        }
    }
    Ok(Value::Bool(false))
}

/// `ready_name_for_url(raw_name)`: a slug of ASCII letters, digits and dashes.
pub(super) fn ready_name_for_url(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [name] = signature::bind(args, "ready_name_for_url", ["raw_name"], 1)?.map(Option::unwrap_or_default);
    let Value::Str(name) = &name else {
        let found = name.type_name();
        return Err(type_error(format!("expected string or bytes-like object, got '{}'", found.as_str())));
    };
    vm.charge_bytes(name.len())?;
    let mut slug = String::with_capacity(name.len());
    let mut after_space = false;
    for char in name.chars() {
        let space = unicode::is_space(char);
        if space && !after_space {
            slug.push('-');
        } else if char.is_ascii_alphanumeric() || char == '-' {
            slug.push(char);
        }
        after_space = space;
    }
    if slug.ends_with('-') {
        slug.pop();
    }
    Ok(Value::str(slug))
}

/// `strip_control_characters(s)`
pub(super) fn strip_control_characters(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [text] = signature::bind(args, "strip_control_characters", ["s"], 1)?;
    let text = unicodify(vm, Args::one(text.unwrap_or_default()))?;
    let Value::Str(text) = &text else { return Err(type_error("'NoneType' object is not iterable")) };
    vm.charge_bytes(text.len())?;
    Ok(Value::str(text.chars().filter(|char| !char.is_control()).collect::<String>()))
}

/// `clean_multiline_string(multiline_string, sep="\n")`
pub(super) fn clean_multiline_string(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [text, separator] = signature::bind(args, "clean_multiline_string", ["multiline_string", "sep"], 1)?;
    let separator = separator.unwrap_or_else(|| Value::str("\n"));
    let dedent = vm.import("textwrap", true)?;
    let text = vm.call_method(&dedent, "dedent", Args::one(text.unwrap_or_default()))?;
    let parts = vm.call_method(&text, "split", Args::one(separator))?;
    let parts = vm.collect(&parts)?;
    let parts: Vec<&str> = parts.iter().filter_map(|part| part.as_str().map(|part| part.as_str())).collect();
    let mut lines = parts.as_slice();
    if let ["", rest @ ..] = lines {
        lines = rest;
    }
    match lines {
        [rest @ .., ""] => lines = rest,
        [] => return Err(crate::python::exception::index_error("list index out of range")),
        _ => {}
    }
    Ok(Value::str(format!("{}\n", lines.join("\n"))))
}

/// `docstring_trim(docstring)`, as PEP 257 says.
pub(super) fn docstring_trim(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [text] = signature::bind(args, "docstring_trim", ["docstring"], 1)?.map(Option::unwrap_or_default);
    if !vm.truthy(&text)? {
        return Ok(Value::str(""));
    }
    let text = vm.call_method(&text, "expandtabs", Args::none())?;
    let lines = vm.call_method(&text, "splitlines", Args::none())?;
    let lines = vm.collect(&lines)?;
    let lines: Vec<&str> = lines.iter().filter_map(|line| line.as_str().map(|line| line.as_str())).collect();
    let [first, rest @ ..] = lines.as_slice() else { return Ok(Value::str("")) };
    let margin = |line: &&&str| {
        let stripped = line.trim_start_matches(unicode::is_space);
        (!stripped.is_empty()).then(|| line.chars().count() - stripped.chars().count())
    };
    let indent = rest.iter().filter_map(|line| margin(&line)).min();
    let mut trimmed = vec![first.trim_matches(unicode::is_space).to_owned()];
    if let Some(indent) = indent {
        for line in rest {
            let line: String = line.chars().skip(indent).collect();
            trimmed.push(line.trim_end_matches(unicode::is_space).to_owned());
        }
    }
    while trimmed.last().is_some_and(String::is_empty) {
        trimmed.pop();
    }
    let start = trimmed.iter().take_while(|line| line.is_empty()).count();
    Ok(Value::str(trimmed.get(start..).unwrap_or_default().join("\n")))
}

/// `shrink_string_by_size(value, size, join_by="..", left_larger=True, ...)`
pub(super) fn shrink_string_by_size(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let names = ["value", "size", "join_by", "left_larger", "beginning_on_size_error", "end_on_size_error"];
    let [value, size, join, larger, beginning, end] = signature::bind(args, "shrink_string_by_size", names, 2)?;
    let value = value.unwrap_or_default();
    let size = convert::index_i64(vm, &size.unwrap_or_default())?;
    let join = join.unwrap_or_else(|| Value::str(".."));
    let length = i64::try_from(vm.len(&value)?).unwrap_or(i64::MAX);
    if length <= size {
        return Ok(value);
    }
    let text = text_with(&value, "replace")?;
    let join = text_with(&join, "replace")?;
    vm.charge(text.len() / 16)?;
    let part = |from: i64, to: i64| -> String {
        let (from, to) = (from.clamp(0, length), to.clamp(0, length));
        let count = usize::try_from(to - from).unwrap_or(0);
        text.chars().skip(usize::try_from(from).unwrap_or(0)).take(count).collect()
    };
    // An end of -0 is the start.
    let last = |count: i64| if count <= 0 { part(-count, length) } else { part(length - count, length) };
    let first = |count: i64| if count < 0 { part(0, length + count) } else { part(0, count) };
    let join_length = i64::try_from(join.char_len()).unwrap_or(i64::MAX);
    let least = join_length + 2;
    if size < least {
        if vm.truthy(&beginning.unwrap_or_default())? {
            return Ok(Value::str(first(size)));
        }
        if vm.truthy(&end.unwrap_or_default())? {
            return Ok(Value::str(last(size)));
        }
        let join = join.as_str();
        let message = format!("With the provided join_by value ({join}), the minimum size value is {least}.");
        return Err(value_error(message));
    }
    let half = (size - join_length) / 2;
    let (mut left, mut right) = (half, half);
    if left + right + join_length < size {
        if vm.truthy(&larger.unwrap_or(Value::Bool(true)))? {
            left += 1;
        } else {
            right += 1;
        }
    }
    let joined = Value::str(format!("{}{}", first(left), join.as_str()));
    vm.binary(BinaryOp::Add, &joined, &Value::str(last(right)))
}
