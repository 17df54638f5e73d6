//! Numbers: arithmetic, parsing and text of `int` and `float`, as CPython 3.11 defines them.

pub mod convert;
pub mod float_ops;
pub mod int_ops;
pub mod int_text;
pub mod parse;

use std::cmp::Ordering;

use num_bigint::{BigInt, Sign};
use num_traits::ToPrimitive;

use super::value::Value;

/// A number, seen without its `bool`.
#[derive(Clone, Copy)]
pub enum Num<'a> {
    /// An `int` that fits 64 bits, or a `bool`.
    Small(i64),
    /// A larger `int`.
    Big(&'a BigInt),
    /// A `float`.
    Float(f64),
}

impl<'a> Num<'a> {
    /// The number that a value is; `None` for other values.
    #[inline]
    pub fn of(value: &'a Value) -> Option<Self> {
        Some(match value {
            Value::Int(value) => Self::Small(*value),
            Value::Float(value) => Self::Float(*value),
            Value::Bool(value) => Self::Small(i64::from(*value)),
            Value::BigInt(value) => Self::Big(value),
            _ => return None,
        })
    }

    /// The number of 64-bit words that it takes.
    pub fn words(self) -> usize {
        match self {
            Self::Big(value) => usize::try_from(value.bits() / 64).unwrap_or(usize::MAX),
            Self::Small(_) | Self::Float(_) => 0,
        }
    }

    /// The `int` or `bool` that a value is; `None` for other values.
    pub fn int_of(value: &'a Value) -> Option<Self> {
        Self::of(value).filter(|num| !matches!(num, Self::Float(_)))
    }

    /// The number as an `int` of any size; a float gives its integer part, and 0 where it has none.
    pub fn to_big(self) -> BigInt {
        match self {
            Self::Small(value) => BigInt::from(value),
            Self::Big(value) => value.clone(),
            Self::Float(value) => convert::float_to_big(value).unwrap_or_default(),
        }
    }

    /// The number as a value; a `bool` has become an `int`.
    pub fn to_value(self) -> Value {
        match self {
            Self::Small(value) => Value::Int(value),
            Self::Big(value) => Value::from_bigint(value.clone()),
            Self::Float(value) => Value::Float(value),
        }
    }

    /// Returns `true` if the number is zero.
    pub fn is_zero(self) -> bool {
        match self {
            Self::Small(value) => value == 0,
            Self::Big(_) => false,
            Self::Float(value) => value == 0.0,
        }
    }

    /// Compares exactly; `None` where one is a NaN.
    pub fn compare(self, other: Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Small(a), Self::Small(b)) => Some(a.cmp(&b)),
            (Self::Float(a), Self::Float(b)) => a.partial_cmp(&b),
            (Self::Small(a), Self::Float(b)) => compare_small_float(a, b),
            (Self::Float(a), Self::Small(b)) => compare_small_float(b, a).map(Ordering::reverse),
            (Self::Big(a), Self::Float(b)) => compare_big_float(a, b),
            (Self::Float(a), Self::Big(b)) => compare_big_float(b, a).map(Ordering::reverse),
            (Self::Big(a), Self::Big(b)) => Some(a.cmp(b)),
            (Self::Big(a), Self::Small(b)) => Some(compare_big_small(a, b)),
            (Self::Small(a), Self::Big(b)) => Some(compare_big_small(b, a).reverse()),
        }
    }
}

/// A large int is compared with a small one without an allocation.
fn compare_big_small(a: &BigInt, b: i64) -> Ordering {
    match (a.to_i64(), a.sign()) {
        (Some(a), _) => a.cmp(&b),
        (None, Sign::Minus) => Ordering::Less,
        (None, _) => Ordering::Greater,
    }
}

fn compare_small_float(a: i64, b: f64) -> Option<Ordering> {
    // Ints below 2**53 are floats exactly.
    if a.unsigned_abs() <= 1 << 53 {
        return (a as f64).partial_cmp(&b);
    }
    compare_big_float(&BigInt::from(a), b)
}

fn compare_big_float(a: &BigInt, b: f64) -> Option<Ordering> {
    if b.is_nan() {
        return None;
    }
    match convert::float_to_big(b) {
        // The integer part decides unless it is equal; then what follows the point does.
        Some(whole) => Some(a.cmp(&whole).then_with(|| 0.0_f64.partial_cmp(&b.fract()).unwrap_or(Ordering::Equal))),
        None if b > 0.0 => Some(Ordering::Less),
        None => Some(Ordering::Greater),
    }
}
