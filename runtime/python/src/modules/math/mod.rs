//! `math`

mod floats;
mod integers;

use std::f64::consts;

use crate::value::Value;

module! {
    /// `math`
    MODULE = "math";
    functions {
        "acos" => |vm, args| floats::checked(vm, args, "math.acos", f64::acos),
        "asin" => |vm, args| floats::checked(vm, args, "math.asin", f64::asin),
        "atan" => |vm, args| floats::checked(vm, args, "math.atan", f64::atan),
        "atan2" => |vm, args| floats::checked2(vm, args, "atan2", f64::atan2),
        "ceil" => floats::ceil,
        "copysign" => |vm, args| floats::checked2(vm, args, "copysign", f64::copysign),
        "cos" => |vm, args| floats::checked(vm, args, "math.cos", f64::cos),
        "degrees" => |vm, args| floats::plain(vm, args, "math.degrees", |x| x * (180.0 / consts::PI)),
        "exp" => |vm, args| floats::checked(vm, args, "math.exp", f64::exp),
        "expm1" => |vm, args| floats::checked(vm, args, "math.expm1", f64::exp_m1),
        "fabs" => |vm, args| floats::plain(vm, args, "math.fabs", f64::abs),
        "factorial" => integers::factorial,
        "floor" => floats::floor,
        "fmod" => |vm, args| floats::checked2(vm, args, "fmod", |x, y| x % y),
        "gcd" => integers::gcd,
        "isclose" => floats::isclose,
        "isfinite" => |vm, args| floats::test(vm, args, "math.isfinite", f64::is_finite),
        "isinf" => |vm, args| floats::test(vm, args, "math.isinf", f64::is_infinite),
        "isnan" => |vm, args| floats::test(vm, args, "math.isnan", f64::is_nan),
        "isqrt" => integers::isqrt,
        "log" => floats::log,
        "log10" => |vm, args| floats::logarithm(vm, args, "math.log10", f64::log10),
        "log1p" => |vm, args| floats::checked(vm, args, "math.log1p", floats::log1p),
        "log2" => |vm, args| floats::logarithm(vm, args, "math.log2", f64::log2),
        "pow" => floats::pow,
        "prod" => integers::prod,
        "radians" => |vm, args| floats::plain(vm, args, "math.radians", |x| x * (consts::PI / 180.0)),
        "sin" => |vm, args| floats::checked(vm, args, "math.sin", f64::sin),
        "sqrt" => |vm, args| floats::checked(vm, args, "math.sqrt", f64::sqrt),
        "tan" => |vm, args| floats::checked(vm, args, "math.tan", f64::tan),
        "trunc" => floats::trunc,
    }
    values(_vm) {
        "pi" => Value::Float(consts::PI),
        "e" => Value::Float(consts::E),
        "tau" => Value::Float(consts::TAU),
        "inf" => Value::Float(f64::INFINITY),
        "nan" => Value::Float(f64::NAN),
    }
}
