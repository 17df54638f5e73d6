//! HMAC, and `pbkdf2_hmac`, which makes keys of passwords by it.

use super::{Algorithm, named};
use crate::python::args::Args;
use crate::python::builtins::convert;
use crate::python::exception::{PyResult, VALUE_ERROR, overflow_error, raise, type_error, value_error};
use crate::python::methods::bytes::bytes_argument;
use crate::python::types::BuiltinType;
use crate::python::value::Value;
use crate::python::vm::Vm;

/// The inner and the outer hash of an HMAC (RFC 2104), each with the key hashed already.
fn keyed(empty: &Algorithm, key: &[u8]) -> (Algorithm, Algorithm) {
    let block = empty.block_size();
    let mut key = if key.len() > block {
        let mut hash = empty.clone();
        hash.update(key);
        hash.digest(0)
    } else {
        key.to_vec()
    };
    key.resize(block, 0);
    let with = |pad: u8| {
        let mut hash = empty.clone();
        hash.update(&key.iter().map(|byte| byte ^ pad).collect::<Vec<_>>());
        hash
    };
    (with(0x36), with(0x5c))
}

fn hmac((inner, outer): &(Algorithm, Algorithm), message: &[u8]) -> Vec<u8> {
    let (mut inner, mut outer) = (inner.clone(), outer.clone());
    inner.update(message);
    outer.update(&inner.digest(0));
    outer.digest(0)
}

static UNSUPPORTED_DIGEST_MODE: BuiltinType = BuiltinType::new("UnsupportedDigestmodError", "_hashlib", &VALUE_ERROR);

/// A C long.
fn long(vm: &mut Vm, value: &Value) -> PyResult<i64> {
    match convert::index(vm, value)? {
        Value::Int(value) => Ok(value),
        _ => Err(overflow_error("Python int too large to convert to C long")),
    }
}

/// `pbkdf2_hmac(hash_name, password, salt, iterations, dklen=None)`
pub(super) fn pbkdf2_hmac(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let names = ["hash_name", "password", "salt", "iterations", "dklen"];
    let [name, password, salt, iterations, length] = args.bind("pbkdf2_hmac", names, 4)?;
    let (name, password, salt) = (name.unwrap_or_default(), password.unwrap_or_default(), salt.unwrap_or_default());
    let Value::Str(name) = &name else {
        let found = name.type_name();
        return Err(type_error(format!("pbkdf2_hmac() argument 'hash_name' must be str, not {}", found.as_str())));
    };
    let (password, salt) = (bytes_argument(&password)?, bytes_argument(&salt)?);
    let empty = named(name).map_err(|_| raise(&UNSUPPORTED_DIGEST_MODE, "[digital envelope routines] unsupported"))?;
    let iterations = long(vm, &iterations.unwrap_or_default())?;
    if iterations < 1 {
        return Err(value_error("iteration value must be greater than 0."));
    }
    let length = match length.filter(|length| !length.is_none()) {
        Some(length) => long(vm, &length)?,
        None => i64::try_from(empty.digest_size()).unwrap_or_default(),
    };
    let Some(length) = usize::try_from(length).ok().filter(|length| *length > 0) else {
        return Err(value_error("key length must be greater than 0."));
    };
    vm.charge_bytes(length)?;
    let key = keyed(&empty, password);
    let mut out = Vec::with_capacity(length);
    let mut block = 0_u32;
    while out.len() < length {
        block += 1;
        let mut last = hmac(&key, &[salt, &block.to_be_bytes()].concat());
        let mut sum = last.clone();
        for _ in 1..iterations {
            // Two hashes of a block each, and their beginnings copied.
            vm.charge(32)?;
            last = hmac(&key, &last);
            sum.iter_mut().zip(&last).for_each(|(sum, byte)| *sum ^= byte);
        }
        out.extend(sum);
    }
    out.truncate(length);
    Ok(Value::bytes(out))
}
