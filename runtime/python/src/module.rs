//! A module as the runtime sees it: one row in a table.

use super::exception::PyResult;
use super::value::Value;
use super::vm::Vm;

/// A module that code can import.
///
/// Python's own are in [`super::modules::MODULES`]; the host adds its own tables (TPV's and Galaxy's)
/// when it makes a [`Vm`].
pub struct ModuleDef {
    /// The dotted name: `os.path`.
    pub name: &'static str,
    /// The attribute `name` of the module; `None` where it has none. Must be cheap and give equal values each time.
    pub get: fn(vm: &mut Vm, name: &str) -> PyResult<Option<Value>>,
    /// The public names, for `from m import *`, for messages and for the checker of names at compile time.
    pub names: &'static [&'static str],
}
