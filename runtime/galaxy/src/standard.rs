//! Functions of Python's own modules, as TPV's helpers use them.

use tpv_python::args::Args;
use tpv_python::exception::{PyResult, attribute_error, module_not_found_error};
use tpv_python::module::ModuleDef;
use tpv_python::modules::MODULES;
use tpv_python::value::Value;
use tpv_python::vm::Vm;

/// A module of Python's standard library.
pub(crate) fn module(name: &str) -> Option<&'static ModuleDef> {
    MODULES.iter().copied().find(|module| module.name == name)
}

/// The attribute `name` of a module of Python's standard library.
pub(crate) fn get(vm: &mut Vm, module_name: &str, name: &str) -> PyResult<Value> {
    let found =
        module(module_name).ok_or_else(|| module_not_found_error(format!("No module named '{module_name}'")))?;
    match (found.get)(vm, name)? {
        Some(value) => Ok(value),
        None => Err(attribute_error(format!("module '{module_name}' has no attribute '{name}'"))),
    }
}

/// `module.name(args)`
pub(crate) fn call(vm: &mut Vm, module_name: &str, name: &str, args: Args) -> PyResult<Value> {
    let function = get(vm, module_name, name)?;
    vm.call(&function, args)
}
