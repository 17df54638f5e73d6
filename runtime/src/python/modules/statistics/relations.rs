//! Two series of numbers: covariance, correlation and linear regression.

use super::super::math::exact_sum;
use super::error;
use crate::python::args::Args;
use crate::python::builtins::convert;
use crate::python::exception::{PyResult, Raised, type_error};
use crate::python::iterator::{Items, IteratorObject};
use crate::python::object::Object;
use crate::python::types::{BuiltinType, TUPLE, TUPLE_ITERATOR};
use crate::python::value::Value;
use crate::python::vm::{CompareOp, Vm};

/// Two series of the same length.
struct Pairs {
    x: Vec<f64>,
    y: Vec<f64>,
    count: f64,
}

impl Pairs {
    fn bind(vm: &mut Vm, args: Args, name: &str, what: &str) -> PyResult<Self> {
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
        let (x, y) = (vm.collect(&x)?, vm.collect(&y)?);
        let x = x.iter().map(|number| convert::real(vm, number)).collect::<PyResult<Vec<_>>>()?;
        let y = y.iter().map(|number| convert::real(vm, number)).collect::<PyResult<Vec<_>>>()?;
        #[expect(clippy::cast_precision_loss, reason = "a count of items in memory")]
        let count = count as f64;
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

/// `covariance(x, y)`
pub(super) fn covariance(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let (pairs, _, _) = Pairs::bind(vm, args, "covariance", "covariance")?.centred()?;
    Ok(Value::Float(product(&pairs.x, &pairs.y)? / (pairs.count - 1.0)))
}

fn constant(what: &str) -> Raised {
    error(&format!("{what} is constant"))
}

/// `correlation(x, y)`
pub(super) fn correlation(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let (pairs, _, _) = Pairs::bind(vm, args, "correlation", "correlation")?.centred()?;
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
    let pairs = Pairs::bind(vm, args, "linear_regression", "linear regression")?;
    let (pairs, mean_x, mean_y) = if proportional { (pairs, 0.0, 0.0) } else { pairs.centred()? };
    let square = product(&pairs.x, &pairs.x)?;
    if square == 0.0 {
        return Err(constant("x"));
    }
    let slope = product(&pairs.x, &pairs.y)? / square;
    let intercept = if proportional { 0.0 } else { mean_y - slope * mean_x };
    Ok(Value::object(LinearRegression { slope, intercept }))
}

static LINEAR_REGRESSION: BuiltinType =
    BuiltinType { construct: None, methods: &[], ..BuiltinType::new("LinearRegression", "statistics", &TUPLE) };

/// A line, as a named tuple.
struct LinearRegression {
    slope: f64,
    intercept: f64,
}

impl LinearRegression {
    fn tuple(&self) -> Value {
        Value::tuple(vec![Value::Float(self.slope), Value::Float(self.intercept)])
    }
}

impl Object for LinearRegression {
    fn class(&self) -> &'static BuiltinType {
        &LINEAR_REGRESSION
    }

    fn get_attr(&self, _: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        Ok(match name {
            "slope" => Some(Value::Float(self.slope)),
            "intercept" => Some(Value::Float(self.intercept)),
            _ => None,
        })
    }

    fn get_item(&self, vm: &mut Vm, key: &Value) -> PyResult<Value> {
        vm.get_item(&self.tuple(), key)
    }

    fn iter(&self, _: &mut Vm, _: &Value) -> Option<PyResult<Value>> {
        let items = vec![Value::Float(self.slope), Value::Float(self.intercept)];
        Some(Ok(IteratorObject::new(&TUPLE_ITERATOR, Items(items.into_iter()))))
    }

    fn len(&self, _: &mut Vm) -> Option<PyResult<usize>> {
        Some(Ok(2))
    }

    fn compare(&self, vm: &mut Vm, op: CompareOp, other: &Value) -> Option<PyResult<Value>> {
        let other = other.downcast::<Self>().map_or_else(|| other.clone(), Self::tuple);
        Some(vm.compare(op, &self.tuple(), &other))
    }

    fn repr(&self, vm: &mut Vm, _: &Value) -> PyResult<String> {
        let (slope, intercept) = (vm.repr(&Value::Float(self.slope))?, vm.repr(&Value::Float(self.intercept))?);
        Ok(format!("LinearRegression(slope={slope}, intercept={intercept})"))
    }
}
