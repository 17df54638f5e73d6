//! The arguments of the module's functions, in the order and with the errors of CPython's `PyArg_ParseTupleAndKeywords`:
//! each is converted as it is met, before a later one is missed.

use crate::args::Args;
use crate::builtins::convert;
use crate::exception::{PyResult, overflow_error, type_error};
use crate::value::Value;
use crate::vm::Vm;

/// The parameters of one function: C ints, but for `tzinfo`.
pub(super) struct Parameters<const N: usize> {
    /// The name for messages; none for constructors.
    pub(super) function: Option<&'static str>,
    /// The names.
    pub(super) names: [&'static str; N],
    /// The number of required arguments.
    pub(super) required: usize,
    /// The number of arguments that may be positional.
    pub(super) positional: usize,
}

impl<const N: usize> Parameters<N> {
    /// The arguments; `None` for those that were not given.
    ///
    /// # Errors
    /// `TypeError` and `OverflowError`, as CPython words them.
    pub(super) fn bind(&self, vm: &mut Vm, mut args: Args) -> PyResult<[Option<Value>; N]> {
        let shown = self.function.map_or_else(|| "function".to_owned(), |name| format!("{name}()"));
        let given = args.pos.len() + args.kw.len();
        // CPython has a `fold` besides, where it has a `tzinfo`.
        let most = N + usize::from(self.names.contains(&"tzinfo"));
        if given > most {
            let keyword = if args.pos.is_empty() { "keyword " } else { "" };
            return Err(type_error(format!("{shown} takes at most {most} {keyword}arguments ({given} given)")));
        }
        if args.pos.len() > self.positional {
            let (most, given) = (self.positional, args.pos.len());
            return Err(type_error(format!("{shown} takes at most {most} positional arguments ({given} given)")));
        }
        let by_position = args.pos.len();
        let mut bound: [Option<Value>; N] = std::array::from_fn(|_| None);
        let mut positional = args.pos.into_iter();
        for (index, (slot, name)) in bound.iter_mut().zip(self.names).enumerate() {
            let value = match positional.next() {
                Some(value) => Some(value),
                None => args.kw.iter().position(|(keyword, _)| keyword.as_str() == name).map(|at| args.kw.remove(at).1),
            };
            match value {
                Some(value) if name == "tzinfo" => *slot = Some(value),
                Some(value) => *slot = Some(Value::Int(c_int(vm, &value)?)),
                None if index < self.required => {
                    return Err(type_error(format!("{shown} missing required argument '{name}' (pos {})", index + 1)));
                }
                None => {}
            }
        }
        let Some((keyword, _)) = args.kw.first() else { return Ok(bound) };
        Err(type_error(match self.names.iter().position(|name| *name == keyword.as_str()) {
            Some(index) if index < by_position => {
                format!("argument for {shown} given by name ('{}') and position ({})", keyword.as_str(), index + 1)
            }
            _ => {
                let shown = if self.function.is_none() { "this function" } else { &shown };
                format!("'{}' is an invalid keyword argument for {shown}", keyword.as_str())
            }
        }))
    }
}

/// A C `int`.
///
/// # Errors
/// `TypeError` where it is no int, `OverflowError` where it does not fit.
fn c_int(vm: &mut Vm, value: &Value) -> PyResult<i64> {
    match convert::index(vm, value)? {
        Value::Int(number) if i32::try_from(number).is_ok() => Ok(number),
        Value::Int(number) if number > 0 => Err(overflow_error("signed integer is greater than maximum")),
        Value::Int(_) => Err(overflow_error("signed integer is less than minimum")),
        _ => Err(overflow_error("Python int too large to convert to C long")),
    }
}

/// The int of an argument that [`Parameters::bind`] converted, or what stands for it.
pub(super) fn number(value: Option<Value>, default: i64) -> i64 {
    match value {
        Some(Value::Int(number)) => number,
        _ => default,
    }
}

/// Refuses all arguments of a method.
///
/// # Errors
/// `TypeError: date.weekday() takes no arguments (1 given)`
pub(super) fn none(args: Args, function: &str) -> PyResult<()> {
    let [] = args.exactly(function)?;
    Ok(())
}
