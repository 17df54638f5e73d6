//! Hashing and key equality, as CPython defines them for numbers and tuples.

use std::rc::Rc;

use num_bigint::BigInt;
use num_traits::Signed;

use super::collisions;
use super::dict::Key;
use super::exception::{PyResult, type_error};
use super::number::{Num, convert};
use super::set::{SetObject, SetTable};
use super::value::{Range, Value};
use super::vm::Vm;

/// The bytes of text that are compared in about the time of a step.
pub const COMPARED_A_STEP: usize = 2048;

/// Numbers hash modulo this prime, `2**61 - 1`.
const MODULUS: u64 = (1 << 61) - 1;

/// `hash(value)`. Numbers hash as in CPython (equal numbers of different types alike); strings and bytes as it hashes
/// them with `PYTHONHASHSEED=0`.
///
/// # Errors
/// `TypeError: unhashable type: 'list'`
pub fn hash(vm: &mut Vm, value: &Value) -> PyResult<i64> {
    match value {
        Value::Str(text) => {
            vm.visit(text.as_str().len(), 64)?;
            Ok(hash_str(text.as_str()))
        }
        Value::Int(value) => Ok(hash_int(*value)),
        Value::BigInt(value) => {
            vm.visit(usize::try_from(value.bits()).unwrap_or(usize::MAX), 512)?;
            Ok(hash_big(value))
        }
        Value::Bytes(bytes) => {
            vm.visit(bytes.len(), 64)?;
            hash_immutable(value).ok_or_else(|| unhashable(value))
        }
        Value::Set(set) => {
            vm.visit(set.table.borrow().len(), 4)?;
            hash_immutable(value).ok_or_else(|| unhashable(value))
        }
        Value::Tuple(tuple) => {
            vm.charge(2 + tuple.items.len())?;
            let hashes = tuple.items.iter().map(|item| vm.deeper(|vm| hash(vm, item))).collect::<PyResult<Vec<_>>>()?;
            Ok(hash_tuple(&hashes))
        }
        Value::Object(object) => match object.hash(vm) {
            Some(hash) => hash,
            None => Ok(hash_address(Rc::as_ptr(object).cast::<u8>() as usize)),
        },
        _ => hash_immutable(value).ok_or_else(|| unhashable(value)),
    }
}

fn unhashable(value: &Value) -> super::exception::Raised {
    type_error(format!("unhashable type: '{}'", value.type_name().as_str()))
}

/// The hash of a value that needs no call; `None` where it is not hashable or needs one.
pub fn hash_immutable(value: &Value) -> Option<i64> {
    let address = |pointer: *const u8| Some(hash_address(pointer as usize));
    match value {
        // CPython uses the address of the object; any fixed number as large serves.
        Value::None => Some(0x07f0_0fca_8642),
        Value::NotImplemented => Some(0x07f0_0fca_8643),
        Value::Ellipsis => Some(0x07f0_0fca_8644),
        Value::Bool(value) => Some(i64::from(*value)),
        Value::Int(value) => Some(hash_int(*value)),
        Value::BigInt(value) => Some(hash_big(value)),
        Value::Float(value) => Some(hash_float(*value)),
        Value::Str(text) => Some(hash_str(text.as_str())),
        Value::Bytes(bytes) => Some(hash_bytes(bytes)),
        Value::Tuple(tuple) => {
            let hashes = tuple.items.iter().map(hash_immutable).collect::<Option<Vec<_>>>()?;
            Some(hash_tuple(&hashes))
        }
        Value::Set(set) if set.frozen() => Some(hash_frozenset(set)),
        Value::Range(range) => Some(hash_range(range)),
        Value::Function(function) => address(Rc::as_ptr(function).cast()),
        Value::Builtin(builtin) => address(std::ptr::from_ref(*builtin).cast()),
        Value::BoundMethod(method) => address(Rc::as_ptr(method).cast()),
        Value::Type(class) => address(std::ptr::from_ref(*class).cast()),
        Value::Module(module) => address(std::ptr::from_ref(*module).cast()),
        Value::Iterator(iterator) => address(Rc::as_ptr(iterator).cast()),
        Value::Exception(exception) => address(Rc::as_ptr(exception).cast()),
        Value::Set(_) | Value::List(_) | Value::Dict(_) | Value::Slice(_) | Value::Object(_) => None,
    }
}

/// The hash by identity.
pub(crate) fn hash_address(address: usize) -> i64 {
    // As CPython, whose objects are so far apart that these bits are always zero.
    (address as u64 >> 4).cast_signed()
}

/// The hash of a string: of its characters as CPython stores them, one, two or four bytes each as the largest needs.
pub fn hash_str(text: &str) -> i64 {
    if text.is_ascii() {
        return hash_bytes(text.as_bytes());
    }
    let largest = text.chars().map(u32::from).max().unwrap_or_default();
    let width = if largest < 0x100 {
        1
    } else if largest < 0x1_0000 {
        2
    } else {
        4
    };
    let stored: Vec<u8> = text.chars().flat_map(|c| u32::from(c).to_le_bytes().into_iter().take(width)).collect();
    hash_bytes(&stored)
}

/// The hash of bytes: SipHash-1-3 with the key of `PYTHONHASHSEED=0`, where CPython takes a random one in each process.
pub(crate) fn hash_bytes(bytes: &[u8]) -> i64 {
    if bytes.is_empty() {
        return 0;
    }
    let hash = siphash(bytes).cast_signed();
    if hash == -1 { -2 } else { hash }
}

/// SipHash-1-3 with a key of zeros.
fn siphash(bytes: &[u8]) -> u64 {
    fn round(v: &mut [u64; 4]) {
        let [v0, v1, v2, v3] = v;
        *v0 = v0.wrapping_add(*v1);
        *v2 = v2.wrapping_add(*v3);
        *v1 = v1.rotate_left(13) ^ *v0;
        *v3 = v3.rotate_left(16) ^ *v2;
        *v0 = v0.rotate_left(32);
        *v2 = v2.wrapping_add(*v1);
        *v0 = v0.wrapping_add(*v3);
        *v1 = v1.rotate_left(17) ^ *v2;
        *v3 = v3.rotate_left(21) ^ *v0;
        *v2 = v2.rotate_left(32);
    }
    let mut v = [0x736f_6d65_7073_6575, 0x646f_7261_6e64_6f6d, 0x6c79_6765_6e65_7261, 0x7465_6462_7974_6573_u64];
    let mut take = |block: u64| {
        v[3] ^= block;
        round(&mut v);
        v[0] ^= block;
    };
    let (blocks, rest) = bytes.as_chunks::<8>();
    blocks.iter().for_each(|block| take(u64::from_le_bytes(*block)));
    let rest = rest.iter().rev().fold(0_u64, |rest, byte| rest << 8 | u64::from(*byte));
    take((bytes.len() as u64) << 56 | rest);
    v[2] ^= 0xff;
    (0..3).for_each(|_| round(&mut v));
    v[0] ^ v[1] ^ v[2] ^ v[3]
}

fn hash_int(value: i64) -> i64 {
    let magnitude = value.unsigned_abs() % MODULUS;
    signed(magnitude, value < 0)
}

fn hash_big(value: &BigInt) -> i64 {
    // 2**64 is 8 modulo the prime, and so is a shift by 61 bits one by none.
    let rest = value.magnitude().iter_u64_digits().rev().fold(0_u64, |rest, digit| {
        let sum = (u128::from(rest) << 3) + u128::from(digit);
        let folded = (sum & u128::from(MODULUS)) + (sum >> 61);
        u64::try_from(folded).unwrap_or(0) % MODULUS
    });
    signed(rest, value.is_negative())
}

/// The hash with its sign; -1 is CPython's mark of an error, so that -2 stands for it.
fn signed(magnitude: u64, negative: bool) -> i64 {
    let hash = magnitude.cast_signed();
    match if negative { -hash } else { hash } {
        -1 => -2,
        hash => hash,
    }
}

fn hash_float(value: f64) -> i64 {
    if value.is_nan() {
        // DIFFERENCE: CPython hashes the object's address; floats have none here, and any number as large serves.
        return 0x07f0_0fca_8641;
    }
    if value.is_infinite() {
        return if value > 0.0 { 314_159 } else { -314_159 };
    }
    let (mantissa, exponent) = convert::decompose(value.abs());
    // Multiplying by a power of two modulo 2**61 - 1 rotates 61 bits.
    let shift = exponent.rem_euclid(61);
    let wide = u128::from(mantissa % MODULUS) << shift;
    let rotated = u64::try_from(wide % u128::from(MODULUS)).unwrap_or(0);
    signed(rotated, value < 0.0)
}

/// CPython's tuple hash: a simplified xxHash.
pub(crate) fn hash_tuple(hashes: &[i64]) -> i64 {
    const PRIME_1: u64 = 11_400_714_785_074_694_791;
    const PRIME_2: u64 = 14_029_467_366_897_019_727;
    const PRIME_5: u64 = 2_870_177_450_012_600_261;
    let mut sum = PRIME_5;
    for hash in hashes {
        sum = sum.wrapping_add(hash.cast_unsigned().wrapping_mul(PRIME_2)).rotate_left(31).wrapping_mul(PRIME_1);
    }
    sum = sum.wrapping_add(hashes.len() as u64 ^ (PRIME_5 ^ 3_527_539));
    if sum == u64::MAX { 1_546_275_796 } else { sum.cast_signed() }
}

/// CPython's frozenset hash, which does not depend on the order.
fn hash_frozenset(set: &SetObject) -> i64 {
    let table = set.table.borrow();
    let shuffle = |bits: u64| ((bits ^ 89_869_747) ^ (bits << 16)).wrapping_mul(3_644_798_167);
    let mut hash = table.iter().fold(0_u64, |hash, key| hash ^ shuffle(key.hash_value().cast_unsigned()));
    hash ^= (table.len() as u64 + 1).wrapping_mul(1_927_868_237);
    hash ^= (hash >> 11) ^ (hash >> 25);
    hash = hash.wrapping_mul(69_069).wrapping_add(907_133_923);
    if hash == u64::MAX { 590_923_713 } else { hash.cast_signed() }
}

/// The hash of `(len, start, step)`, with `None` for what does not matter.
fn hash_range(range: &Range) -> i64 {
    let none = hash_immutable(&Value::None).unwrap_or(0);
    let len = range.len();
    let count = hash_int(i64::try_from(len).unwrap_or(i64::MAX));
    let start = if len == 0 { none } else { hash_int(range.start) };
    let step = if len <= 1 { none } else { hash_int(range.step) };
    hash_tuple(&[count, start, step])
}

/// Returns `true` if two hashable values are equal as keys: by identity or by an equality that never fails for hashable
/// values.
pub fn keys_equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Str(a), Value::Str(b)) => compared(a.len().min(b.len()), COMPARED_A_STEP) && a == b,
        (Value::Int(a), Value::Int(b)) => a == b,
        (Value::Tuple(a), Value::Tuple(b)) => {
            Rc::ptr_eq(a, b)
                || (a.items.len() == b.items.len()
                    // Tuples in tuples are compared again for each that holds them.
                    && collisions::visit(a.items.len(), 4)
                    && a.items.iter().zip(&b.items).all(|(a, b)| keys_equal(a, b)))
        }
        (Value::Bytes(a), Value::Bytes(b)) => compared(a.len().min(b.len()), COMPARED_A_STEP) && a == b,
        (Value::Set(a), Value::Set(b)) => {
            if Rc::ptr_eq(a, b) {
                return true;
            }
            let (a, b) = (a.table.borrow(), b.table.borrow());
            // Sets in sets are compared again for each that holds them.
            a.len() == b.len() && collisions::visit(a.len(), 1) && a.iter().all(|key| b.contains(key))
        }
        (Value::Range(a), Value::Range(b)) => ranges_equal(a, b),
        (Value::Object(object), other) => a.is(b) || object.equals_key(other),
        (other, Value::Object(object)) => object.equals_key(other),
        _ => match (Num::of(a), Num::of(b)) {
            (Some(x), Some(y)) => {
                let words = x.words().min(y.words());
                a.is(b) || (compared(words, COMPARED_A_STEP / 32) && x.compare(y) == Some(std::cmp::Ordering::Equal))
            }
            _ => a.is(b),
        },
    }
}

/// Counts a comparison of so many bytes or words, if it takes longer than the lookup that made it. False if the job's budget does not reach:
/// the comparison then ends with any answer, and the next charge raises.
pub fn compared(amount: usize, a_step: usize) -> bool {
    amount < a_step || collisions::visit(amount, a_step)
}

/// Returns `true` if two ranges have the same items.
pub(crate) fn ranges_equal(a: &Range, b: &Range) -> bool {
    let len = a.len();
    len == b.len() && (len == 0 || (a.start == b.start && (len == 1 || a.step == b.step)))
}

/// A frozenset of constants. CPython's compiler makes it twice, the second time in the order of the first.
pub fn frozenset_of_constants(items: impl Iterator<Item = Value>) -> Value {
    let first: SetTable = items.filter_map(Key::constant).collect();
    let table = first.iter().cloned().collect();
    Value::Set(Rc::new(SetObject::new(table, true)))
}
