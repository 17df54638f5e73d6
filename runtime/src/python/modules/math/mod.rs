//! `math`

mod floats;
mod glibc;
mod integers;
mod sums;

use std::f64::consts;

use crate::python::value::Value;

pub use sums::exact_sum;

module! {
    /// `math`
    MODULE = "math";
    functions {
        "acos" => |vm, args| floats::checked(vm, args, "math.acos", f64::acos),
        "acosh" => |vm, args| floats::checked(vm, args, "math.acosh", glibc::acosh),
        "asin" => |vm, args| floats::checked(vm, args, "math.asin", f64::asin),
        "asinh" => |vm, args| floats::checked(vm, args, "math.asinh", glibc::asinh),
        "atan" => |vm, args| floats::checked(vm, args, "math.atan", f64::atan),
        "atan2" => |vm, args| floats::checked2(vm, args, "atan2", f64::atan2),
        "atanh" => |vm, args| floats::checked(vm, args, "math.atanh", glibc::atanh),
        "cbrt" => |vm, args| floats::checked(vm, args, "math.cbrt", glibc::cbrt),
        "ceil" => floats::ceil,
        "comb" => integers::comb,
        "copysign" => |vm, args| floats::checked2(vm, args, "copysign", f64::copysign),
        "cos" => |vm, args| floats::checked(vm, args, "math.cos", f64::cos),
        "cosh" => |vm, args| floats::checked(vm, args, "math.cosh", f64::cosh),
        "degrees" => |vm, args| floats::plain(vm, args, "math.degrees", |x| x * (180.0 / consts::PI)),
        "dist" => sums::dist,
        "erf" => |vm, args| floats::checked(vm, args, "math.erf", glibc::erf),
        "erfc" => |vm, args| floats::checked(vm, args, "math.erfc", glibc::erfc),
        "exp" => |vm, args| floats::checked(vm, args, "math.exp", f64::exp),
        "exp2" => |vm, args| floats::checked(vm, args, "math.exp2", f64::exp2),
        "expm1" => |vm, args| floats::checked(vm, args, "math.expm1", f64::exp_m1),
        "fabs" => |vm, args| floats::plain(vm, args, "math.fabs", f64::abs),
        "factorial" => integers::factorial,
        "floor" => floats::floor,
        "fmod" => |vm, args| floats::checked2(vm, args, "fmod", |x, y| x % y),
        "frexp" => floats::frexp,
        "fsum" => sums::fsum,
        "gamma" => |vm, args| floats::checked(vm, args, "math.gamma", floats::gamma),
        "gcd" => integers::gcd,
        "hypot" => sums::hypot,
        "isclose" => floats::isclose,
        "isfinite" => |vm, args| floats::test(vm, args, "math.isfinite", f64::is_finite),
        "isinf" => |vm, args| floats::test(vm, args, "math.isinf", f64::is_infinite),
        "isnan" => |vm, args| floats::test(vm, args, "math.isnan", f64::is_nan),
        "isqrt" => integers::isqrt,
        "lcm" => integers::lcm,
        "ldexp" => floats::ldexp,
        "lgamma" => |vm, args| floats::checked(vm, args, "math.lgamma", floats::lgamma),
        "log" => floats::log,
        "log10" => |vm, args| floats::logarithm(vm, args, "math.log10", f64::log10),
        "log1p" => |vm, args| floats::checked(vm, args, "math.log1p", floats::log1p),
        "log2" => |vm, args| floats::logarithm(vm, args, "math.log2", f64::log2),
        "modf" => floats::modf,
        "nextafter" => |vm, args| floats::plain2(vm, args, "nextafter", floats::next_after),
        "perm" => integers::perm,
        "pow" => floats::pow,
        "prod" => sums::prod,
        "radians" => |vm, args| floats::plain(vm, args, "math.radians", |x| x * (consts::PI / 180.0)),
        "remainder" => |vm, args| floats::checked2(vm, args, "remainder", floats::ieee_remainder),
        "sin" => |vm, args| floats::checked(vm, args, "math.sin", f64::sin),
        "sinh" => |vm, args| floats::checked(vm, args, "math.sinh", f64::sinh),
        "sqrt" => |vm, args| floats::checked(vm, args, "math.sqrt", f64::sqrt),
        "tan" => |vm, args| floats::checked(vm, args, "math.tan", f64::tan),
        "tanh" => |vm, args| floats::checked(vm, args, "math.tanh", f64::tanh),
        "trunc" => floats::trunc,
        "ulp" => |vm, args| floats::plain(vm, args, "math.ulp", floats::ulp),
    }
    values(_vm) {
        "pi" => Value::Float(consts::PI),
        "e" => Value::Float(consts::E),
        "tau" => Value::Float(consts::TAU),
        "inf" => Value::Float(f64::INFINITY),
        "nan" => Value::Float(f64::NAN),
    }
}
