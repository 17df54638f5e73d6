//! Reading, setting and deleting variables, wherever they live.

use tpv_bytecode::{Const, Instr};

use super::{Compiler, Done};
use crate::scope::Meaning;

/// The storage of a variable, in terms of instructions.
enum Storage {
    Fast(u32),
    Cell(u32),
    Name(u32),
}

impl Compiler<'_> {
    fn storage(&mut self, name: &str) -> Storage {
        let meaning = self.scopes.get(self.unit.scope).map_or(Meaning::Global, |scope| scope.meaning(name));
        let cell = self.unit.cell(name);
        match (meaning, cell) {
            (Meaning::Local, _) => Storage::Fast(self.unit.slot(name)),
            (Meaning::Cell | Meaning::Free, Some(index)) => Storage::Cell(index),
            (Meaning::Cell | Meaning::Free | Meaning::Global, _) => Storage::Name(self.name_index(name)),
        }
    }

    pub(super) fn load_name(&mut self, name: &str) -> Done {
        match self.storage(name) {
            Storage::Fast(slot) => self.emit(Instr::LoadFast { slot }),
            Storage::Cell(index) => self.emit(Instr::LoadDeref { index }),
            Storage::Name(name) => self.emit(Instr::LoadName { name }),
        }
    }

    /// Refuses to bind `__debug__`, which is a constant.
    pub(super) fn bindable(&self, name: &str) -> Done {
        match name {
            "__debug__" => self.refuse_here("cannot assign to __debug__"),
            _ => Ok(()),
        }
    }

    pub(super) fn store_name(&mut self, name: &str) -> Done {
        self.bindable(name)?;
        match self.storage(name) {
            Storage::Fast(slot) => self.emit(Instr::StoreFast { slot }),
            Storage::Cell(index) => self.emit(Instr::StoreDeref { index }),
            Storage::Name(name) => self.emit(Instr::StoreName { name }),
        }
    }

    pub(super) fn delete_name(&mut self, name: &str) -> Done {
        if name == "__debug__" {
            return self.refuse_here("cannot delete __debug__");
        }
        match self.storage(name) {
            Storage::Fast(slot) => self.emit(Instr::DeleteFast { slot }),
            Storage::Cell(index) => self.emit(Instr::DeleteDeref { index }),
            Storage::Name(name) => self.emit(Instr::DeleteName { name }),
        }
    }

    /// Deletes a name that may be unbound already, as after `except E as name`.
    pub(super) fn unbind(&mut self, name: &str) -> Done {
        self.constant(Const::None)?;
        self.store_name(name)?;
        self.delete_name(name)
    }
}
