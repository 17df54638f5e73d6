//! Binding the arguments of TPV's helpers and Galaxy's methods, which are functions written in Python.

use tpv_python::args::Args;
use tpv_python::exception::PyResult;
use tpv_python::modules::signature::Signature;
use tpv_python::value::Value;

/// Takes the arguments of `def function(names...)`, of which the first `required` have no default. Missing optional ones
/// are `None`.
///
/// # Errors
/// `TypeError` where an argument is missing, unknown, given twice, or one too many.
pub fn bind<const N: usize>(
    args: Args,
    function: &'static str,
    names: [&'static str; N],
    required: usize,
) -> PyResult<[Option<Value>; N]> {
    Signature::function(function, names, required).bind(args)
}

/// As [`bind`], for a method: `self` counts as an argument in messages, and is not among `names`.
///
/// # Errors
/// As [`bind`].
pub fn bind_method<const N: usize>(
    args: Args,
    method: &'static str,
    names: [&'static str; N],
    required: usize,
) -> PyResult<[Option<Value>; N]> {
    Signature::method(method, names, required).bind(args)
}
