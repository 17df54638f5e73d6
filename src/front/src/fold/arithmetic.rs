//! Arithmetic of constants.

use crate::syntax::ast::{Constant, Operator, UnaryOp};
use num_bigint::{BigInt, Sign};
use num_traits::{Signed, ToPrimitive};

use super::MAX_ITEMS;

/// The most bits of an int that is folded, as in CPython.
const MAX_BITS: u64 = 128;

/// The most characters of a string that is folded by repetition, as in CPython.
const MAX_TEXT: usize = 4096;

/// The ints that a float holds exactly.
const EXACT: i64 = 1 << 53;

/// `op operand`
pub(super) fn unary(op: UnaryOp, operand: &Constant) -> Option<Constant> {
    match (op, operand) {
        (UnaryOp::Not, Constant::Complex { .. }) => None,
        (UnaryOp::Not, operand) => Some(Constant::Bool(!super::truth(operand))),
        (UnaryOp::USub, Constant::Float(value)) => Some(Constant::Float(-value)),
        (UnaryOp::UAdd, Constant::Float(value)) => Some(Constant::Float(*value)),
        (op, operand) => {
            let value = int(operand)?;
            Some(Constant::Int(match op {
                UnaryOp::USub => -value,
                UnaryOp::UAdd => value,
                UnaryOp::Invert => -value - 1,
                UnaryOp::Not => return None,
            }))
        }
    }
}

/// `a op b`; `None` where it raises, is too large, or is better left to run time.
pub(super) fn binary(op: Operator, a: &Constant, b: &Constant) -> Option<Constant> {
    match (a, b) {
        (Constant::Str(a), Constant::Str(b)) if op == Operator::Add && a.len() + b.len() <= MAX_TEXT => {
            Some(Constant::Str(format!("{a}{b}")))
        }
        (Constant::Tuple(a), Constant::Tuple(b)) if op == Operator::Add && a.len() + b.len() <= MAX_ITEMS => {
            Some(Constant::Tuple(a.iter().chain(b).cloned().collect()))
        }
        (Constant::Str(text), Constant::Int(times)) | (Constant::Int(times), Constant::Str(text))
            if op == Operator::Mult =>
        {
            // Beyond 64 bits it raises, which is left to the run.
            let times = usize::try_from(times.to_i64()?).unwrap_or(0);
            (text.len().checked_mul(times)? <= MAX_TEXT).then(|| Constant::Str(text.repeat(times)))
        }
        (Constant::Bool(a), Constant::Bool(b)) if op == Operator::BitAnd => Some(Constant::Bool(a & b)),
        (Constant::Bool(a), Constant::Bool(b)) if op == Operator::BitOr => Some(Constant::Bool(a | b)),
        (Constant::Bool(a), Constant::Bool(b)) if op == Operator::BitXor => Some(Constant::Bool(a ^ b)),
        (Constant::Float(_), _) | (_, Constant::Float(_)) => floats(op, float(a)?, float(b)?),
        _ => ints(op, int(a)?, int(b)?),
    }
}

fn int(constant: &Constant) -> Option<BigInt> {
    match constant {
        Constant::Int(value) => Some(value.clone()),
        Constant::Bool(value) => Some(BigInt::from(u8::from(*value))),
        _ => None,
    }
}

/// The float that an operand becomes, where that is exact.
fn float(constant: &Constant) -> Option<f64> {
    match constant {
        Constant::Float(value) => Some(*value),
        other => {
            let value = int(other)?.to_i64()?;
            // Every int in these bounds has its float.
            #[allow(clippy::cast_precision_loss)]
            (-EXACT..=EXACT).contains(&value).then_some(value as f64)
        }
    }
}

fn floats(op: Operator, a: f64, b: f64) -> Option<Constant> {
    let value = match op {
        Operator::Add => a + b,
        Operator::Sub => a - b,
        Operator::Mult => a * b,
        Operator::Div if b != 0.0 => a / b,
        _ => return None,
    };
    Some(Constant::Float(value))
}

fn ints(op: Operator, a: BigInt, b: BigInt) -> Option<Constant> {
    let zero = b.sign() == Sign::NoSign;
    let value = match op {
        Operator::Add => a + b,
        Operator::Sub => a - b,
        Operator::Mult if a.bits() + b.bits() <= MAX_BITS => a * b,
        Operator::Div if !zero => {
            return floats(Operator::Div, float(&Constant::Int(a))?, float(&Constant::Int(b))?);
        }
        Operator::FloorDiv if !zero => floor_divide(&a, &b),
        Operator::Mod if !zero => {
            let quotient = floor_divide(&a, &b);
            a - quotient * b
        }
        Operator::Pow => {
            let exponent = u32::try_from(&b).ok()?;
            if a.bits().checked_mul(u64::from(exponent))? > MAX_BITS {
                return None;
            }
            a.pow(exponent)
        }
        Operator::LShift => {
            let shift = u64::try_from(&b).ok()?;
            if a.bits().checked_add(shift)? > MAX_BITS {
                return None;
            }
            a << shift
        }
        Operator::RShift => a >> u64::try_from(&b).ok()?,
        Operator::BitAnd => a & b,
        Operator::BitOr => a | b,
        Operator::BitXor => a ^ b,
        Operator::Mult | Operator::MatMult | Operator::Div | Operator::FloorDiv | Operator::Mod => return None,
    };
    Some(Constant::Int(value))
}

/// `a // b`, rounding down; `b` is not zero.
fn floor_divide(a: &BigInt, b: &BigInt) -> BigInt {
    let quotient = a / b;
    let exact = &quotient * b == *a;
    if exact || a.is_negative() == b.is_negative() { quotient } else { quotient - 1 }
}
