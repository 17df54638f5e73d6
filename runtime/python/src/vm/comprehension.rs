//! Comprehensions: frames that run at once, or wait as generators, without a function made for them.

use std::rc::Rc;

use super::Vm;
use super::frame::Frame;
use super::generator::new_generator;
use super::interpreter::Running;
use crate::exception::{PyResult, system_error};
use tpv_bytecode::Capture;

impl Vm {
    /// Replaces the iterator on the stack by what the comprehension of code `index` makes of it.
    #[inline(never)]
    pub(super) fn comprehend(&mut self, outer: &mut Frame, running: &Running, index: u32) -> PyResult<()> {
        let code = running.program.code(index).ok_or_else(|| system_error("there is no such code"))?;
        let iterator = outer.pop();
        // Its instructions once, as for a function.
        self.charge(code.instrs.len())?;
        let mut frame = self.new_frame(running.program, index);
        frame.locals.push(Some(iterator));
        frame.locals.resize(code.locals.len(), None);
        frame.cells.extend(code.cells.iter().map(|_| Rc::default()));
        for Capture::Cell(index) in &code.closure {
            let cell = outer.cells.get(*index as usize).cloned();
            frame.cells.push(cell.ok_or_else(|| system_error("a closure over a cell that is not there"))?);
        }
        if code.generator {
            // A generator may outlive the block, and may be kept in a variable that it shares.
            frame.cells.iter().for_each(|cell| self.cycles.add_cell(cell));
            frame.globals = Some(self.namespace(outer).clone());
            outer.push(new_generator(frame, running.program.string(code.name)));
            return Ok(());
        }
        // The frame around it does nothing meanwhile, and lends its namespace.
        frame.globals = outer.globals.take();
        let result = self.execute_deeper(&mut frame);
        outer.globals = frame.globals.take();
        self.recycle(frame);
        outer.push(result?.into_value());
        Ok(())
    }
}
