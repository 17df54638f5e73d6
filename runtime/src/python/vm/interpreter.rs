//! The loop over instructions.

use std::rc::Rc;

use super::Vm;
use crate::python::code::Program;
use crate::python::exception::{PyResult, not_implemented_error};
use crate::python::value::Value;

impl Vm {
    /// Runs a root code of a program in the present context, in a namespace of its own: TPV's `eval_code_block`.
    ///
    /// `input_size` is computed first where the block's text names it.
    ///
    /// # Errors
    /// What the code raises.
    pub fn run(&mut self, program: &Rc<Program>, code: u32) -> PyResult<Value> {
        let _ = (program, code);
        Err(not_implemented_error("run"))
    }
}
