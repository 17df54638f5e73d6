//! Two series of numbers: covariance, correlation and linear regression.

use std::rc::Rc;

use super::super::math::exact_sum;
use super::error;
use crate::python::args::Args;
use crate::python::builtins::convert;
use crate::python::exception::{PyResult, Raised, type_error};
use crate::python::modules::collections::named_tuple;
use crate::python::types::Class;
use crate::python::value::Value;
use crate::python::vm::{BinaryOp, Vm};

/// Two series of the same length.
struct Pairs {
    x: Vec<f64>,
    y: Vec<f64>,
    count: f64,
}

/// The arguments of a function of two series, their lengths checked.
fn bind(vm: &mut Vm, args: Args, name: &str, what: &str) -> PyResult<[Vec<Value>; 2]> {
    args.no_keywords(name)?;
    let given = args.pos.len();
    let [x, y] = <[Value; 2]>::try_from(args.pos.into_vec()).map_err(|_| match given {
        0 | 1 => {
            let missing: &[&str] = if given == 0 { &["x", "y"] } else { &["y"] };
            super::super::signature::missing_arguments(name, missing)
        }
        _ => type_error(format!("{name}() takes 2 positional arguments but {given} were given")),
    })?;
    let count = vm.len(&x)?;
    if vm.len(&y)? != count {
        return Err(error(&format!("{what} requires that both inputs have same number of data points")));
    }
    if count < 2 {
        return Err(error(&format!("{what} requires at least two data points")));
    }
    Ok([vm.collect(&x)?, vm.collect(&y)?])
}

impl Pairs {
    fn of(vm: &mut Vm, [x, y]: &[Vec<Value>; 2]) -> PyResult<Self> {
        let x = x.iter().map(|number| convert::real(vm, number)).collect::<PyResult<Vec<_>>>()?;
        let y = y.iter().map(|number| convert::real(vm, number)).collect::<PyResult<Vec<_>>>()?;
        #[expect(clippy::cast_precision_loss, reason = "a count of items in memory")]
        let count = x.len() as f64;
        Ok(Self { x, y, count })
    }

    /// The series less their means, and the means.
    fn centred(&self) -> PyResult<(Self, f64, f64)> {
        let (x, y) = (exact_sum(&self.x)? / self.count, exact_sum(&self.y)? / self.count);
        let less = |series: &[f64], mean: f64| series.iter().map(|number| number - mean).collect();
        Ok((Self { x: less(&self.x, x), y: less(&self.y, y), count: self.count }, x, y))
    }
}

fn product(a: &[f64], b: &[f64]) -> PyResult<f64> {
    exact_sum(&a.iter().zip(b).map(|(a, b)| a * b).collect::<Vec<_>>())
}

/// The sum of the products of what was given, which of ints are exact.
fn exact_products(vm: &mut Vm, a: &[Value], b: &[Value]) -> PyResult<f64> {
    let mut products = Vec::with_capacity(a.len());
    for (a, b) in a.iter().zip(b) {
        vm.charge(1)?;
        let product = vm.binary(BinaryOp::Multiply, a, b)?;
        products.push(convert::real(vm, &product)?);
    }
    exact_sum(&products)
}

/// `covariance(x, y)`
pub(super) fn covariance(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let series = bind(vm, args, "covariance", "covariance")?;
    let (pairs, _, _) = Pairs::of(vm, &series)?.centred()?;
    Ok(Value::Float(product(&pairs.x, &pairs.y)? / (pairs.count - 1.0)))
}

fn constant(what: &str) -> Raised {
    error(&format!("{what} is constant"))
}

/// `correlation(x, y)`
pub(super) fn correlation(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let series = bind(vm, args, "correlation", "correlation")?;
    let (pairs, _, _) = Pairs::of(vm, &series)?.centred()?;
    let square = product(&pairs.x, &pairs.x)? * product(&pairs.y, &pairs.y)?;
    if square == 0.0 {
        return Err(constant("at least one of the inputs"));
    }
    Ok(Value::Float(product(&pairs.x, &pairs.y)? / square.sqrt()))
}

/// `linear_regression(x, y, *, proportional=False)`
pub(super) fn linear_regression(vm: &mut Vm, mut args: Args) -> PyResult<Value> {
    let proportional = match args.kw.iter().position(|(name, _)| name.as_str() == "proportional") {
        Some(index) => vm.truthy(&args.kw.remove(index).1)?,
        None => false,
    };
    let [x, y] = bind(vm, args, "linear_regression", "linear regression")?;
    let (products, square, means) = if proportional {
        (exact_products(vm, &x, &y)?, exact_products(vm, &x, &x)?, (0.0, 0.0))
    } else {
        let (pairs, mean_x, mean_y) = Pairs::of(vm, &[x, y])?.centred()?;
        (product(&pairs.x, &pairs.y)?, product(&pairs.x, &pairs.x)?, (mean_x, mean_y))
    };
    if square == 0.0 {
        return Err(constant("x"));
    }
    let slope = products / square;
    let intercept = if proportional { 0.0 } else { means.1 - slope * means.0 };
    let values = [slope, intercept].map(Value::Float);
    Ok(LINEAR_REGRESSION.with(|class| named_tuple::instance(class, values.into())))
}

thread_local! {
    static LINEAR_REGRESSION: Rc<Class> = named_tuple::class("statistics", "LinearRegression", &["slope", "intercept"], &[]);
}
