//! `random`'s real-valued distributions, computed step by step as `Lib/random.py` does, so that the floats agree.

use std::f64::consts::{E, PI, TAU};

use super::Source;
use crate::python::args::Args;
use crate::python::builtins::convert;
use crate::python::exception::{PyResult, ZERO_DIVISION_ERROR, overflow_error, value_error, zero_division_error};
use crate::python::modules::signature::Signature;
use crate::python::value::Value;
use crate::python::vm::{BinaryOp, CompareOp, Vm};

/// The arguments of a function that takes `N` numbers, which nobody looks at before they are computed with.
fn numbers<const N: usize>(args: Args, name: &'static str, parameters: [&'static str; N]) -> PyResult<[Value; N]> {
    Ok(Signature::method(name, parameters, N).bind(args)?.map(Option::unwrap_or_default))
}

/// `value <= bound`
fn at_most(vm: &mut Vm, value: &Value, bound: f64) -> PyResult<bool> {
    let result = vm.compare(CompareOp::Le, value, &Value::Float(bound))?;
    vm.truthy(&result)
}

/// `number / value` as a float.
fn divided(vm: &mut Vm, number: f64, value: &Value) -> PyResult<f64> {
    let quotient = vm.binary(BinaryOp::TrueDivide, &Value::Float(number), value)?;
    convert::real(vm, &quotient)
}

/// `math.log(x)`
fn log(x: f64) -> PyResult<f64> {
    if x > 0.0 || x.is_nan() { Ok(x.ln()) } else { Err(value_error("math domain error")) }
}

/// `math.exp(x)`
fn exp(x: f64) -> PyResult<f64> {
    let result = x.exp();
    if result.is_infinite() && x.is_finite() { Err(overflow_error("math range error")) } else { Ok(result) }
}

/// `a ** b` of a base that is not negative.
fn power(a: f64, b: f64) -> PyResult<f64> {
    if a == 0.0 && b < 0.0 {
        return Err(zero_division_error("0.0 cannot be raised to a negative power"));
    }
    let result = a.powf(b);
    if result.is_infinite() && a.is_finite() && b.is_finite() {
        // The error that C's pow leaves, with its errno.
        return Err(crate::python::exception::raise_with(
            &crate::python::exception::OVERFLOW_ERROR,
            vec![Value::Int(34), Value::str("Numerical result out of range")],
        ));
    }
    Ok(result)
}

/// `uniform(a, b)`
pub(super) fn uniform(vm: &mut Vm, source: Source<'_>, args: Args) -> PyResult<Value> {
    let [a, b] = Signature::method("Random.uniform", ["a", "b"], 2).bind(args)?.map(Option::unwrap_or_default);
    let width = vm.binary(BinaryOp::Subtract, &b, &a)?;
    let part = Value::Float(source.random(vm));
    let offset = vm.binary(BinaryOp::Multiply, &width, &part)?;
    vm.binary(BinaryOp::Add, &a, &offset)
}

/// `triangular(low=0.0, high=1.0, mode=None)`
pub(super) fn triangular(vm: &mut Vm, source: Source<'_>, args: Args) -> PyResult<Value> {
    let [low, high, mode] = Signature::method("Random.triangular", ["low", "high", "mode"], 0).bind(args)?;
    let (mut low, mut high) = (low.unwrap_or(Value::Float(0.0)), high.unwrap_or(Value::Float(1.0)));
    let mut u = source.random(vm);
    let mut c = 0.5;
    if let Some(mode) = mode.filter(|mode| !mode.is_none()) {
        let above = vm.binary(BinaryOp::Subtract, &mode, &low)?;
        let width = vm.binary(BinaryOp::Subtract, &high, &low)?;
        c = match vm.binary(BinaryOp::TrueDivide, &above, &width) {
            Ok(part) => convert::real(vm, &part)?,
            Err(raised) if raised.is(&ZERO_DIVISION_ERROR) => return Ok(low),
            Err(raised) => return Err(raised),
        };
    }
    if u > c {
        u = 1.0 - u;
        c = 1.0 - c;
        std::mem::swap(&mut low, &mut high);
    }
    let width = vm.binary(BinaryOp::Subtract, &high, &low)?;
    // A product below zero has no root.
    let product = u * c;
    if product < 0.0 {
        return Err(value_error("math domain error"));
    }
    let offset = vm.binary(BinaryOp::Multiply, &width, &Value::Float(product.sqrt()))?;
    vm.binary(BinaryOp::Add, &low, &offset)
}

/// `mu + z * sigma`
fn scaled(vm: &mut Vm, mu: &Value, z: f64, sigma: &Value) -> PyResult<Value> {
    let offset = vm.binary(BinaryOp::Multiply, &Value::Float(z), sigma)?;
    vm.binary(BinaryOp::Add, mu, &offset)
}

/// `gauss(mu=0.0, sigma=1.0)`
pub(super) fn gauss(vm: &mut Vm, source: Source<'_>, args: Args) -> PyResult<Value> {
    let [mu, sigma] = Signature::method("Random.gauss", ["mu", "sigma"], 0).bind(args)?;
    let (mu, sigma) = (mu.unwrap_or(Value::Float(0.0)), sigma.unwrap_or(Value::Float(1.0)));
    let z = source.with(vm, |generator| {
        generator.gauss_next.take().unwrap_or_else(|| {
            let angle = generator.random() * TAU;
            let radius = (-2.0 * (1.0 - generator.random()).ln()).sqrt();
            generator.gauss_next = Some(angle.sin() * radius);
            angle.cos() * radius
        })
    });
    scaled(vm, &mu, z, &sigma)
}

/// A number of the standard normal distribution, by the method of Kinderman and Monahan.
fn normal(vm: &mut Vm, source: Source<'_>) -> PyResult<f64> {
    let magic = 4.0 * (-0.5_f64).exp() / 2.0_f64.sqrt();
    loop {
        vm.charge(1)?;
        let u1 = source.random(vm);
        let u2 = 1.0 - source.random(vm);
        let z = magic * (u1 - 0.5) / u2;
        if z * z / 4.0 <= -u2.ln() {
            return Ok(z);
        }
    }
}

/// `normalvariate(mu=0.0, sigma=1.0)`
pub(super) fn normalvariate(vm: &mut Vm, source: Source<'_>, args: Args) -> PyResult<Value> {
    let [mu, sigma] = Signature::method("Random.normalvariate", ["mu", "sigma"], 0).bind(args)?;
    let z = normal(vm, source)?;
    scaled(vm, &mu.unwrap_or(Value::Float(0.0)), z, &sigma.unwrap_or(Value::Float(1.0)))
}

/// `lognormvariate(mu, sigma)`
pub(super) fn lognormvariate(vm: &mut Vm, source: Source<'_>, args: Args) -> PyResult<Value> {
    let [mu, sigma] =
        Signature::method("Random.lognormvariate", ["mu", "sigma"], 2).bind(args)?.map(Option::unwrap_or_default);
    let z = normal(vm, source)?;
    let normal = scaled(vm, &mu, z, &sigma)?;
    Ok(Value::Float(exp(convert::real(vm, &normal)?)?))
}

/// `expovariate(lambd)`
pub(super) fn expovariate(vm: &mut Vm, source: Source<'_>, args: Args) -> PyResult<Value> {
    let [lambda] = Signature::method("Random.expovariate", ["lambd"], 1).bind(args)?.map(Option::unwrap_or_default);
    let drawn = -log(1.0 - source.random(vm))?;
    vm.binary(BinaryOp::TrueDivide, &Value::Float(drawn), &lambda)
}

/// `vonmisesvariate(mu, kappa)`
pub(super) fn vonmisesvariate(vm: &mut Vm, source: Source<'_>, args: Args) -> PyResult<Value> {
    let [mu, kappa] = numbers(args, "Random.vonmisesvariate", ["mu", "kappa"])?;
    if at_most(vm, &kappa, 1e-6)? {
        return Ok(Value::Float(TAU * source.random(vm)));
    }
    let s = divided(vm, 0.5, &kappa)?;
    let r = s + (1.0 + s * s).sqrt();
    let z = loop {
        vm.charge(1)?;
        let z = (PI * source.random(vm)).cos();
        let d = z / (r + z);
        let u2 = source.random(vm);
        if u2 < 1.0 - d * d || u2 <= (1.0 - d) * d.exp() {
            break z;
        }
    };
    let q = 1.0 / r;
    let f = (q + z) / (1.0 + q * z);
    let op = if source.random(vm) > 0.5 { BinaryOp::Add } else { BinaryOp::Subtract };
    let theta = vm.binary(op, &mu, &Value::Float(f.acos()))?;
    vm.binary(BinaryOp::Remainder, &theta, &Value::Float(TAU))
}

fn gamma(vm: &mut Vm, source: Source<'_>, alpha: &Value, beta: &Value) -> PyResult<f64> {
    if at_most(vm, alpha, 0.0)? || at_most(vm, beta, 0.0)? {
        return Err(value_error("gammavariate: alpha and beta must be > 0.0"));
    }
    let (alpha, beta) = (convert::real(vm, alpha)?, convert::real(vm, beta)?);
    if alpha > 1.0 {
        let magic = 1.0 + 4.5_f64.ln();
        let ainv = (2.0 * alpha - 1.0).sqrt();
        let bbb = alpha - 4.0_f64.ln();
        let ccc = alpha + ainv;
        loop {
            vm.charge(1)?;
            let u1 = source.random(vm);
            if !(1e-7 < u1 && u1 < 0.999_999_9) {
                continue;
            }
            let u2 = 1.0 - source.random(vm);
            let v = (u1 / (1.0 - u1)).ln() / ainv;
            let x = alpha * v.exp();
            let z = u1 * u1 * u2;
            let r = bbb + ccc * v - x;
            if r + magic - 4.5 * z >= 0.0 || r >= z.ln() {
                return Ok(x * beta);
            }
        }
    }
    #[expect(clippy::float_cmp, reason = "as CPython decides")]
    if alpha == 1.0 {
        return Ok(-(1.0 - source.random(vm)).ln() * beta);
    }
    loop {
        vm.charge(1)?;
        let u = source.random(vm);
        let b = (E + alpha) / E;
        let p = b * u;
        let x = if p <= 1.0 { power(p, 1.0 / alpha)? } else { -log((b - p) / alpha)? };
        let u1 = source.random(vm);
        let accepted = if p > 1.0 { u1 <= power(x, alpha - 1.0)? } else { u1 <= (-x).exp() };
        if accepted {
            return Ok(x * beta);
        }
    }
}

/// `gammavariate(alpha, beta)`
pub(super) fn gammavariate(vm: &mut Vm, source: Source<'_>, args: Args) -> PyResult<Value> {
    let [alpha, beta] = numbers(args, "Random.gammavariate", ["alpha", "beta"])?;
    Ok(Value::Float(gamma(vm, source, &alpha, &beta)?))
}

/// `betavariate(alpha, beta)`
pub(super) fn betavariate(vm: &mut Vm, source: Source<'_>, args: Args) -> PyResult<Value> {
    let [alpha, beta] = numbers(args, "Random.betavariate", ["alpha", "beta"])?;
    let y = gamma(vm, source, &alpha, &Value::Float(1.0))?;
    if y == 0.0 {
        return Ok(Value::Float(0.0));
    }
    let other = gamma(vm, source, &beta, &Value::Float(1.0))?;
    Ok(Value::Float(y / (y + other)))
}

/// `paretovariate(alpha)`
pub(super) fn paretovariate(vm: &mut Vm, source: Source<'_>, args: Args) -> PyResult<Value> {
    let [alpha] = numbers(args, "Random.paretovariate", ["alpha"])?;
    let u = 1.0 - source.random(vm);
    Ok(Value::Float(power(u, divided(vm, -1.0, &alpha)?)?))
}

/// `weibullvariate(alpha, beta)`
pub(super) fn weibullvariate(vm: &mut Vm, source: Source<'_>, args: Args) -> PyResult<Value> {
    let [alpha, beta] = numbers(args, "Random.weibullvariate", ["alpha", "beta"])?;
    let u = 1.0 - source.random(vm);
    let power = power(-log(u)?, divided(vm, 1.0, &beta)?)?;
    vm.binary(BinaryOp::Multiply, &alpha, &Value::Float(power))
}
