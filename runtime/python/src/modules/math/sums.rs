//! `math`'s functions of many numbers: `fsum`, `prod`, `hypot`, `dist`.

use crate::args::Args;
use crate::builtins::convert;
use crate::exception::{PyResult, overflow_error, value_error};
use crate::value::Value;
use crate::vm::{BinaryOp, Vm};

/// `math.fsum(seq)`
pub(super) fn fsum(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [sequence] = args.exactly("math.fsum")?;
    let iterator = vm.iter(&sequence)?;
    let mut numbers = Vec::new();
    while let Some(item) = vm.next(&iterator)? {
        vm.charge(1)?;
        numbers.push(convert::real(vm, &item)?);
    }
    exact_sum(&numbers).map(Value::Float)
}

/// The correctly rounded sum: Shewchuk's partial sums, as `math_fsum` keeps them.
fn exact_sum(numbers: &[f64]) -> PyResult<f64> {
    let mut partials: Vec<f64> = Vec::new();
    let (mut special_sum, mut infinity_sum) = (0.0, 0.0);
    for &number in numbers {
        let mut x = number;
        let mut kept = Vec::with_capacity(partials.len() + 1);
        for &partial in &partials {
            let mut y = partial;
            if x.abs() < y.abs() {
                std::mem::swap(&mut x, &mut y);
            }
            let high = x + y;
            let low = y - (high - x);
            if low != 0.0 {
                kept.push(low);
            }
            x = high;
        }
        if x == 0.0 {
            partials = kept;
            continue;
        }
        if x.is_finite() {
            kept.push(x);
            partials = kept;
        } else {
            if number.is_finite() {
                return Err(overflow_error("intermediate overflow in fsum"));
            }
            if number.is_infinite() {
                infinity_sum += number;
            }
            special_sum += number;
            partials.clear();
        }
    }
    if special_sum != 0.0 {
        if f64::is_nan(infinity_sum) {
            return Err(value_error("-inf + inf in fsum"));
        }
        return Ok(special_sum);
    }
    let Some(mut high) = partials.pop() else { return Ok(0.0) };
    let mut low = 0.0;
    while let Some(y) = partials.pop() {
        let x = high;
        high = x + y;
        low = y - (high - x);
        if low != 0.0 {
            break;
        }
    }
    // Half-even rounding needs the sign of what is below the last partial taken.
    if let Some(next) = partials.last()
        && ((low < 0.0 && *next < 0.0) || (low > 0.0 && *next > 0.0))
    {
        let y = low * 2.0;
        let x = high + y;
        #[expect(clippy::float_cmp, reason = "exact: tells a tie")]
        if y == x - high {
            high = x;
        }
    }
    Ok(high)
}

/// `math.prod(iterable, *, start=1)`
pub(super) fn prod(vm: &mut Vm, mut args: Args) -> PyResult<Value> {
    let mut product = Value::Int(1);
    if let Some(position) = args.kw.iter().position(|(name, _)| name.as_str() == "start") {
        product = args.kw.remove(position).1;
    }
    let [iterable] = args.exactly("math.prod")?;
    let iterator = vm.iter(&iterable)?;
    while let Some(item) = vm.next(&iterator)? {
        vm.charge(1)?;
        product = vm.binary(BinaryOp::Multiply, &product, &item)?;
    }
    Ok(product)
}

/// The Euclidean norm as CPython 3.11's `vector_norm` computes it: scaled by a power of two, with the rounding errors of
/// the squares carried along and one correction at the end.
fn norm(numbers: &[f64]) -> f64 {
    if numbers.iter().any(|x| x.is_infinite()) {
        return f64::INFINITY;
    }
    if numbers.iter().any(|x| x.is_nan()) {
        return f64::NAN;
    }
    let max = numbers.iter().fold(0.0_f64, |max, x| max.max(x.abs()));
    if max == 0.0 || numbers.len() <= 1 {
        return max;
    }
    let (_, exponent) = libm::frexp(max);
    if exponent < -1023 {
        let scaled: Vec<f64> = numbers.iter().map(|x| x / f64::MIN_POSITIVE).collect();
        return f64::MIN_POSITIVE * norm(&scaled);
    }
    let scale = libm::ldexp(1.0, -exponent);
    let mut sum = 1.0;
    let (mut carried_a, mut carried_b) = (0.0, 0.0);
    // An exact product and an exact sum, by Dekker and Knuth.
    const SPLIT: f64 = 134_217_729.0;
    let square = |x: f64| {
        let t = x * SPLIT;
        let high = t - (t - x);
        let low = x - high;
        (high * high, 2.0 * high * low, low * low)
    };
    let add = |value: f64, sum: &mut f64, carried: &mut f64| {
        let old = *sum;
        *sum += value;
        *carried += (old - *sum) + value;
    };
    for x in numbers {
        let (high, middle, low) = square((x * scale).abs());
        add(high, &mut sum, &mut carried_a);
        add(middle, &mut sum, &mut carried_b);
        carried_b += low;
    }
    let h = (sum - 1.0 + (carried_a + carried_b)).sqrt();
    let (high, middle, low) = square(h);
    add(-high, &mut sum, &mut carried_a);
    add(-middle, &mut sum, &mut carried_b);
    add(-low, &mut sum, &mut carried_a);
    let x = sum - 1.0 + (carried_a + carried_b);
    (h + x / (2.0 * h)) / scale
}

/// `math.hypot(*coordinates)`
pub(super) fn hypot(vm: &mut Vm, args: Args) -> PyResult<Value> {
    args.no_keywords("math.hypot")?;
    let numbers = args.pos.iter().map(|x| convert::real(vm, x)).collect::<PyResult<Vec<_>>>()?;
    Ok(Value::Float(norm(&numbers)))
}

/// `math.dist(p, q)`
pub(super) fn dist(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [p, q] = args.between("dist", 2)?.map(Option::unwrap_or_default);
    let (p, q) = (vm.collect(&p)?, vm.collect(&q)?);
    if p.len() != q.len() {
        return Err(value_error("both points must have the same number of dimensions"));
    }
    let mut differences = Vec::with_capacity(p.len());
    for (a, b) in p.iter().zip(&q) {
        differences.push(convert::real(vm, a)? - convert::real(vm, b)?);
    }
    Ok(Value::Float(norm(&differences)))
}
