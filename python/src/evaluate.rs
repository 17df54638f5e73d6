//! One block by itself, in the tier that a test asks for.

use std::rc::Rc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use tpv_bytecode::CodeKind;
use tpv_python::exception::{PyResult as NativeResult, not_implemented_error};
use tpv_python::lacking;
use tpv_python::value::Value;
use tpv_python::vm::Vm;
use tpv_runtime::mapper::Cpython;

use crate::block::Blocks;
use crate::outside::Outside;
use crate::session::Session;
use crate::{exception, to_native, to_python};

/// Evaluates a block of code in a context of names, natively or in CPython, and returns its value. For tests that compare
/// the two tiers.
///
/// `kind` is `block`, `fstring` or `exec`, `tier` is `native` or `cpython`.
#[pyfunction]
#[pyo3(signature = (source, context, *, tier = "native", kind = "block"))]
pub fn evaluate<'py>(
    py: Python<'py>,
    source: &str,
    context: &Bound<'py, PyDict>,
    tier: &str,
    kind: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let kind = match kind {
        "block" => CodeKind::Block,
        "fstring" => CodeKind::FString,
        "exec" => CodeKind::Exec,
        _ => return Err(PyValueError::new_err("`kind` is `block`, `fstring` or `exec`")),
    };
    if !matches!(tier, "native" | "cpython") {
        return Err(PyValueError::new_err("`tier` is `native` or `cpython`"));
    }
    let _session = Session::start();
    let mut vm = Vm::new(Rc::new(Outside));
    let result = run(&mut vm, source, context, kind, tier);
    let shown = match &result {
        // What the code changed without calling Python afterwards counts as well.
        Ok(value) => Session::current().to_python(py).and_then(|()| to_python::value(py, value)),
        Err(raised) => {
            Session::current().to_python(py)?;
            Err(exception::to_python(py, raised))
        }
    };
    // Functions of the block hold its names, which hold them.
    drop(result);
    vm.reset();
    shown
}

fn run(vm: &mut Vm, source: &str, context: &Bound<'_, PyDict>, kind: CodeKind, tier: &str) -> NativeResult<Value> {
    for (name, object) in context.iter() {
        let value = to_native::value(vm, &object)?;
        let slot =
            vm.slot(&name.cast::<PyString>().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default());
        vm.set_context(slot, value);
    }
    if tier == "cpython" {
        return Blocks::new(false).run(vm, source, kind, None);
    }
    lacking::take();
    let result = vm.compile(source, kind).and_then(|program| vm.run(&program, 0));
    match lacking::take() {
        // The mapper would have CPython run the block.
        Some(reason) => Err(not_implemented_error(format!("tpvc lacks something: {reason}"))),
        None => result,
    }
}
