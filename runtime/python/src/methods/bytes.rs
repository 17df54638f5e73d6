//! Methods of `bytes`.

mod pad;
mod split;
mod translate;

use super::str::find::{bounds, search_arguments};
use crate::args::Args;
use crate::builtins::construct_scalars::codec_arguments;
use crate::builtins::convert;
use crate::exception::{PyResult, type_error, value_error};
use crate::value::{Builtin, Method, Value};
use crate::vm::Vm;

/// The methods, by name.
pub static METHODS: &[Method] = &[
    Method { name: "capitalize", call: capitalize },
    Method { name: "center", call: pad::center },
    Method { name: "count", call: count },
    Method { name: "decode", call: decode },
    Method { name: "endswith", call: endswith },
    Method { name: "expandtabs", call: pad::expandtabs },
    Method { name: "find", call: find_method },
    Method { name: "hex", call: hex },
    Method { name: "index", call: index },
    Method { name: "isalnum", call: isalnum },
    Method { name: "isalpha", call: isalpha },
    Method { name: "isascii", call: isascii },
    Method { name: "isdigit", call: isdigit },
    Method { name: "islower", call: islower },
    Method { name: "isspace", call: isspace },
    Method { name: "isupper", call: isupper },
    Method { name: "istitle", call: istitle },
    Method { name: "join", call: split::join },
    Method { name: "ljust", call: pad::ljust },
    Method { name: "lower", call: lower },
    Method { name: "lstrip", call: split::lstrip },
    Method { name: "partition", call: split::partition },
    Method { name: "removeprefix", call: split::removeprefix },
    Method { name: "removesuffix", call: split::removesuffix },
    Method { name: "replace", call: split::replace },
    Method { name: "rfind", call: rfind },
    Method { name: "rindex", call: rindex },
    Method { name: "rjust", call: pad::rjust },
    Method { name: "rpartition", call: split::rpartition },
    Method { name: "rsplit", call: split::rsplit },
    Method { name: "rstrip", call: split::rstrip },
    Method { name: "split", call: split::split },
    Method { name: "splitlines", call: split::splitlines },
    Method { name: "startswith", call: startswith },
    Method { name: "strip", call: split::strip },
    Method { name: "swapcase", call: swapcase },
    Method { name: "title", call: title },
    Method { name: "translate", call: translate::translate },
    Method { name: "upper", call: upper },
    Method { name: "zfill", call: pad::zfill },
];

/// The static and class methods, by name.
pub static STATICS: &[Builtin] =
    &[Builtin::new("bytes", "fromhex", fromhex), Builtin::new("bytes", "maketrans", translate::maketrans)];

/// The bytes of the receiver.
fn bytes_of<'a>(receiver: &'a Value, method: &str) -> PyResult<&'a [u8]> {
    match receiver {
        Value::Bytes(bytes) => Ok(bytes),
        other => Err(type_error(format!(
            "descriptor '{method}' for 'bytes' objects doesn't apply to a '{}' object",
            other.type_name().as_str()
        ))),
    }
}

/// A `bytes` argument.
///
/// # Errors
/// `TypeError: a bytes-like object is required, not 'str'`
pub(crate) fn bytes_argument(value: &Value) -> PyResult<&[u8]> {
    match value {
        Value::Bytes(bytes) => Ok(bytes),
        other => Err(type_error(format!("a bytes-like object is required, not '{}'", other.type_name().as_str()))),
    }
}

/// Where bytes are first found in bytes.
pub(crate) fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    if wanted.is_empty() {
        return Some(0);
    }
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

/// Pays for a search: at each place it may compare all that is wanted.
///
/// # Errors
/// As [`Vm::charge`].
pub(crate) fn charge_search(vm: &mut Vm, bytes: &[u8], wanted: &[u8]) -> PyResult<()> {
    vm.charge(bytes.len().saturating_mul(wanted.len().max(1)) / 16)
}

/// Where bytes are last found in bytes.
fn find_last(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    if wanted.is_empty() {
        return Some(bytes.len());
    }
    bytes.windows(wanted.len()).rposition(|window| window == wanted)
}

/// How often bytes are found in bytes without overlap.
fn occurrences(bytes: &[u8], wanted: &[u8]) -> usize {
    if wanted.is_empty() {
        return bytes.len() + 1;
    }
    let (mut rest, mut count) = (bytes, 0);
    while let Some(after) = find(rest, wanted).and_then(|at| rest.get(at + wanted.len()..)) {
        (rest, count) = (after, count + 1);
    }
    count
}

/// The part of the receiver to search, its start, and what to search for: bytes, or one byte by its number.
fn search<T>(
    vm: &mut Vm,
    receiver: &Value,
    args: Args,
    method: &str,
    run: impl FnOnce(&[u8], &[u8], usize) -> T,
) -> PyResult<Option<T>> {
    let bytes = bytes_of(receiver, method)?;
    let (wanted, start, end) = search_arguments(args, method)?;
    // The bounds are looked at first.
    let range = bounds(vm, bytes.len(), start.as_ref(), end.as_ref())?;
    let single;
    let wanted: &[u8] = match &wanted {
        Value::Bytes(wanted) => wanted,
        other => match vm.index_of(other)? {
            Some(Value::Int(byte)) => {
                single = [u8::try_from(byte).map_err(|_| value_error("byte must be in range(0, 256)"))?];
                &single
            }
            Some(_) => return Err(value_error("byte must be in range(0, 256)")),
            None => {
                return Err(type_error(format!(
                    "argument should be integer or bytes-like object, not '{}'",
                    other.type_name().as_str()
                )));
            }
        },
    };
    // The search is plain: each place is compared.
    charge_search(vm, bytes, wanted)?;
    Ok(range.and_then(|(start, end)| bytes.get(start..end).map(|part| run(part, wanted, start))))
}

fn find_from(vm: &mut Vm, receiver: &Value, args: Args, method: &str, last: bool) -> PyResult<Option<usize>> {
    let find = if last { find_last } else { find };
    let found = search(vm, receiver, args, method, |part, wanted, start| find(part, wanted).map(|at| at + start))?;
    Ok(found.flatten())
}

fn find_method(vm: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    Ok(find_from(vm, receiver, args, "find", false)?.map_or(Value::Int(-1), Value::from_usize))
}

fn rfind(vm: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    Ok(find_from(vm, receiver, args, "rfind", true)?.map_or(Value::Int(-1), Value::from_usize))
}

fn index(vm: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    let found = find_from(vm, receiver, args, "index", false)?;
    found.map(Value::from_usize).ok_or_else(|| value_error("subsection not found"))
}

fn rindex(vm: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    let found = find_from(vm, receiver, args, "rindex", true)?;
    found.map(Value::from_usize).ok_or_else(|| value_error("subsection not found"))
}

fn count(vm: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    let count = search(vm, receiver, args, "count", |part, wanted, _| occurrences(part, wanted))?;
    Ok(Value::from_usize(count.unwrap_or(0)))
}

fn startswith(vm: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    affix(vm, receiver, args, "startswith", |bytes, affix| bytes.starts_with(affix))
}

fn endswith(vm: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    affix(vm, receiver, args, "endswith", |bytes, affix| bytes.ends_with(affix))
}

/// How many affixes are looked for in the time of a step.
const AFFIXES_A_STEP: usize = 8;

fn affix(vm: &mut Vm, receiver: &Value, args: Args, method: &str, test: fn(&[u8], &[u8]) -> bool) -> PyResult<Value> {
    let bytes = bytes_of(receiver, method)?;
    let (wanted, start, end) = search_arguments(args, method)?;
    let range = bounds(vm, bytes.len(), start.as_ref(), end.as_ref())?;
    let part = range.and_then(|(start, end)| bytes.get(start..end));
    let holds = |affix: &[u8]| part.is_some_and(|part| test(part, affix));
    match &wanted {
        Value::Bytes(wanted) => Ok(Value::Bool(holds(wanted))),
        Value::Tuple(tuple) => {
            vm.charge(tuple.items.len() / AFFIXES_A_STEP)?;
            for item in &tuple.items {
                if holds(bytes_argument(item)?) {
                    return Ok(Value::Bool(true));
                }
            }
            Ok(Value::Bool(false))
        }
        other => Err(type_error(format!(
            "{method} first arg must be bytes or a tuple of bytes, not {}",
            other.type_name().as_str()
        ))),
    }
}

fn decode(vm: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    let bytes = bytes_of(receiver, "decode")?;
    let [encoding, errors] = args.bind("decode", ["encoding", "errors"], 0)?;
    let named = |value: &Option<Value>| value.as_ref().is_none_or(|value| value.as_str().is_some());
    if bytes.is_empty() && named(&encoding) && named(&errors) {
        // CPython does not even look for the encoding.
        return Ok(Value::str(""));
    }
    let (encoding, errors) = codec_arguments("decode", encoding, errors)?;
    encoding.decode(vm, bytes, errors.as_str()).map(Value::str)
}

/// `bytes.fromhex`
fn fromhex(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [text] = args.exactly("bytes.fromhex")?;
    let Value::Str(text) = &text else {
        let given = text.argument_class();
        return Err(type_error(format!("fromhex() argument must be str, not {}", given.as_str())));
    };
    let bad = |at: usize| value_error(format!("non-hexadecimal number found in fromhex() arg at position {at}"));
    vm.charge(text.as_str().len() / 4)?;
    if let Some(at) = text.as_str().chars().position(|char| !char.is_ascii()) {
        return Err(bad(at));
    }
    let mut out = Vec::new();
    let mut chars = text.as_str().chars().enumerate();
    while let Some((at, char)) = chars.next() {
        if char.is_ascii_whitespace() || char == '\x0b' {
            continue;
        }
        let high = char.to_digit(16).ok_or_else(|| bad(at))?;
        let low = chars.next().and_then(|(_, char)| char.to_digit(16)).ok_or_else(|| bad(at + 1))?;
        out.push(u8::try_from(high << 4 | low).unwrap_or(0));
    }
    Ok(Value::bytes(out))
}

fn hex(vm: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    let bytes = bytes_of(receiver, "hex")?;
    let [separator, group] = args.bind("hex", ["sep", "bytes_per_sep"], 0)?;
    vm.charge_bytes(bytes.len().saturating_mul(2))?;
    vm.charge(bytes.len())?;
    let group = match &group {
        None => 1,
        Some(group) => i64::from(convert::index_i32(vm, group)?),
    };
    let separator = match &separator {
        None => None,
        Some(separator) if vm.len(separator)? != 1 => return Err(value_error("sep must be length 1.")),
        Some(Value::Str(text)) if text.is_ascii() => Some(text.to_string()),
        Some(Value::Bytes(bytes)) if bytes.is_ascii() => Some(bytes.iter().map(|byte| char::from(*byte)).collect()),
        Some(Value::Str(_) | Value::Bytes(_)) => return Err(value_error("sep must be ASCII.")),
        Some(_) => return Err(type_error("sep must be str or bytes.")),
    };
    let size = usize::try_from(group.unsigned_abs()).unwrap_or(usize::MAX);
    let mut out = String::with_capacity(bytes.len() * 2);
    for (index, byte) in bytes.iter().enumerate() {
        // Positive sizes count groups from the right.
        let distance = if group > 0 { bytes.len() - index } else { index };
        if let Some(separator) = &separator
            && index > 0
            && size > 0
            && distance % size == 0
        {
            out.push_str(separator);
        }
        out.push_str(&format!("{byte:02x}"));
    }
    Ok(Value::str(out))
}

/// Declares methods without arguments.
macro_rules! plain {
    ($($name:ident: $make:expr;)*) => {
        $(fn $name(_: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
            let bytes = bytes_of(receiver, stringify!($name))?;
            let [] = args.exactly(concat!("bytes.", stringify!($name)))?;
            let make: fn(&[u8]) -> Value = $make;
            Ok(make(bytes))
        })*
    };
}

fn all(bytes: &[u8], test: fn(&u8) -> bool) -> Value {
    Value::Bool(!bytes.is_empty() && bytes.iter().all(test))
}

/// Whether the byte is white space of ASCII.
fn is_space(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

plain! {
    lower: |bytes| Value::bytes(bytes.to_ascii_lowercase());
    upper: |bytes| Value::bytes(bytes.to_ascii_uppercase());
    capitalize: |bytes| {
        let mut out = bytes.to_ascii_lowercase();
        if let Some(first) = out.first_mut() {
            first.make_ascii_uppercase();
        }
        Value::bytes(out)
    };
    swapcase: |bytes| {
        let swap = |byte: &u8| if byte.is_ascii_lowercase() { byte.to_ascii_uppercase() } else { byte.to_ascii_lowercase() };
        Value::bytes(bytes.iter().map(swap).collect())
    };
    title: |bytes| {
        let mut within = false;
        let turn = |byte: &u8| {
            let turned = if within { byte.to_ascii_lowercase() } else { byte.to_ascii_uppercase() };
            within = byte.is_ascii_alphabetic();
            turned
        };
        Value::bytes(bytes.iter().map(turn).collect())
    };
    istitle: |bytes| {
        let (mut within, mut cased) = (false, false);
        for byte in bytes {
            if byte.is_ascii_alphabetic() && byte.is_ascii_uppercase() == within {
                return Value::Bool(false);
            }
            within = byte.is_ascii_alphabetic();
            cased |= within;
        }
        Value::Bool(cased)
    };
    isalnum: |bytes| all(bytes, u8::is_ascii_alphanumeric);
    isalpha: |bytes| all(bytes, u8::is_ascii_alphabetic);
    isdigit: |bytes| all(bytes, u8::is_ascii_digit);
    isspace: |bytes| all(bytes, is_space);
    isascii: |bytes| Value::Bool(bytes.is_ascii());
    islower: |bytes| {
        Value::Bool(bytes.iter().any(u8::is_ascii_lowercase) && !bytes.iter().any(u8::is_ascii_uppercase))
    };
    isupper: |bytes| {
        Value::Bool(bytes.iter().any(u8::is_ascii_uppercase) && !bytes.iter().any(u8::is_ascii_lowercase))
    };
}
