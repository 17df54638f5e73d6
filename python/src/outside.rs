//! The environment of native code that runs outside a mapping.

use tpv_bytecode::{CodeKind, ProgramData};
use tpv_python::exception::{EXCEPTIONS, PyResult, SYNTAX_ERROR, raise};
use tpv_python::module::ModuleDef;
use tpv_python::value::Value;
use tpv_python::vm::{Environment, Vm};

/// The surroundings of native code outside of a mapping: the modules and the compiler are there, and no job.
pub struct Outside;

impl Environment for Outside {
    fn modules(&self) -> &'static [&'static ModuleDef] {
        tpv_runtime::mapper::modules()
    }

    fn global(&self, _: &mut Vm, name: &str) -> PyResult<Option<Value>> {
        Ok((name == "__name__").then(|| Value::str("tpv.core.loader")))
    }

    fn compile(&self, source: &str, kind: CodeKind) -> Option<PyResult<ProgramData>> {
        Some(tpv_compiler::python::run_time::compile(source, kind).map_err(|(class, message)| {
            let class = EXCEPTIONS.iter().find(|known| known.name == class);
            raise(class.copied().unwrap_or(&SYNTAX_ERROR), message)
        }))
    }
}
