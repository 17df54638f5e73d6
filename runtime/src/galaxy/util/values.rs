//! Ids, numbers and containers.

use crate::galaxy::signature;
use crate::python::args::Args;
use crate::python::exception::{PyResult, VALUE_ERROR, attribute_error, type_error, value_error};
use crate::python::iterator::{IteratorObject, PyIterator};
use crate::python::types::{FLOAT, GENERATOR, INT};
use crate::python::value::Value;
use crate::python::vm::Vm;

/// Whether a text begins with a UUID of lower-case digits.
fn begins_with_uuid(text: &str) -> bool {
    let bytes = text.as_bytes().get(..36).unwrap_or_default();
    bytes.len() == 36
        && bytes.iter().enumerate().all(|(index, byte)| match index {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
        })
}

/// `is_uuid(value)`
pub(super) fn is_uuid(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [value] = signature::bind(args, "is_uuid", ["value"], 1)?.map(Option::unwrap_or_default);
    Ok(Value::Bool(begins_with_uuid(&vm.str(&value)?)))
}

/// `is_valid_uuid_v4(uuid_str)`
pub(super) fn is_valid_uuid_v4(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [text] = signature::bind(args, "is_valid_uuid_v4", ["uuid_str"], 1)?.map(Option::unwrap_or_default);
    let module = vm.import("uuid", true)?;
    match vm.call_method(&module, "UUID", Args::one(text)) {
        Ok(uuid) => {
            let version = vm.get_attr(&uuid, "version")?;
            Ok(Value::Bool(matches!(version, Value::Int(4))))
        }
        Err(raised) if raised.is(&VALUE_ERROR) => Ok(Value::Bool(false)),
        Err(raised) => Err(raised),
    }
}

/// `directory_hash_id(id)`: the folders of a dataset's id.
pub(super) fn directory_hash_id(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [id] = signature::bind(args, "directory_hash_id", ["id"], 1)?.map(Option::unwrap_or_default);
    let text = vm.str(&id)?;
    vm.charge(text.len())?;
    let count = text.char_len();
    let parts: Vec<Value> = if count < 4 {
        vec![Value::str("000")]
    } else if begins_with_uuid(&text) {
        text.chars().take(3).map(|char| Value::str(char.to_string())).collect()
    } else {
        let padded: Vec<char> = std::iter::repeat_n('0', 3 - count % 3).chain(text.chars()).collect();
        let kept = padded.get(..padded.len() - 3).unwrap_or_default();
        let (chunks, _) = kept.as_chunks::<3>();
        chunks.iter().map(|chunk| Value::str(chunk.iter().collect::<String>())).collect()
    };
    Ok(Value::list(parts))
}

/// `parse_int(value, min_val=None, max_val=None, default=None, allow_none=False)`
pub(super) fn parse_int(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let names = ["value", "min_val", "max_val", "default", "allow_none"];
    let [given, least, most, default, allow_none] =
        signature::bind(args, "parse_int", names, 1)?.map(Option::unwrap_or_default);
    let raised = match vm.call(&Value::Type((&INT).into()), Args::one(given.clone())) {
        Ok(number) => {
            if !least.is_none() && vm.less(&number, &least)? {
                return Ok(least);
            }
            if !most.is_none() && vm.less(&most, &number)? {
                return Ok(most);
            }
            return Ok(number);
        }
        Err(raised) if raised.is(&VALUE_ERROR) => raised,
        Err(raised) => return Err(raised),
    };
    let is_none = default.is_none() || given.as_str().is_some_and(|text| text.as_str() == "None");
    if vm.truthy(&allow_none)? && is_none {
        return Ok(Value::None);
    }
    if vm.truthy(&default)? { Ok(default) } else { Err(raised) }
}

/// `parse_non_hex_float(s)`
pub(super) fn parse_non_hex_float(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [text] = signature::bind(args, "parse_non_hex_float", ["s"], 1)?.map(Option::unwrap_or_default);
    let number = vm.call(&Value::Type((&FLOAT).into()), Args::one(text.clone()))?;
    let Value::Str(text) = &text else {
        return Err(type_error(format!("argument of type '{}' is not iterable", text.type_name().as_str())));
    };
    if text.contains('e') && !text.contains(['+', '-']) {
        return Err(value_error(format!("could not convert string to float: {}", text.as_str())));
    }
    Ok(number)
}

/// `stringify_dictionary_keys(in_dict)`
pub(super) fn stringify_dictionary_keys(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [given] = signature::bind(args, "stringify_dictionary_keys", ["in_dict"], 1)?.map(Option::unwrap_or_default);
    let Value::Dict(dict) = &given else {
        return Err(attribute_error(format!("'{}' object has no attribute 'items'", given.type_name().as_str())));
    };
    vm.charge(dict.len())?;
    let out = crate::python::dict::Dict::new();
    for (key, value) in dict.items() {
        out.set_str(vm.str(&key)?, value);
    }
    Ok(Value::dict(out))
}

/// The items of an iterator in tuples.
struct Chunks {
    iterator: Option<Value>,
    size: usize,
}

impl PyIterator for Chunks {
    fn next(&mut self, vm: &mut Vm) -> PyResult<Option<Value>> {
        let Some(iterator) = &self.iterator else { return Ok(None) };
        let mut chunk = Vec::new();
        while chunk.len() < self.size {
            vm.charge(1)?;
            match vm.next(iterator)? {
                Some(item) => chunk.push(item),
                None => break,
            }
        }
        if chunk.is_empty() {
            self.iterator = None;
            return Ok(None);
        }
        Ok(Some(Value::tuple(chunk)))
    }
}

/// `chunk_iterable(it, size=1000)`
pub(super) fn chunk_iterable(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [iterable, size] = signature::bind(args, "chunk_iterable", ["it", "size"], 1)?;
    let iterator = vm.iter(&iterable.unwrap_or_default())?;
    let size = match size {
        Some(size) => usize::try_from(crate::python::builtins::convert::index_i64(vm, &size)?).map_err(|_| {
            value_error("Stop argument for islice() must be None or an integer: 0 <= x <= sys.maxsize.")
        })?,
        None => 1000,
    };
    Ok(IteratorObject::new(&GENERATOR, Chunks { iterator: Some(iterator), size }))
}
