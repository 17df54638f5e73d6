//! Reading, setting and deleting variables, wherever they live.

use tpv_runtime::bytecode::{Const, Instr};

use super::{Compiler, Done};
use crate::python::scope::{Meaning, mangle};

/// Where a variable lives, in terms of instructions.
enum Storage {
    Fast(u32),
    Cell(u32),
    Name(u32),
    /// A key of the dict of a class body; the constant.
    ClassDict(u32),
}

impl Compiler<'_> {
    fn storage(&mut self, name: &str) -> Storage {
        let name = self.mangled(name);
        let meaning = self.scopes.get(self.unit.scope).map_or(Meaning::Global, |scope| scope.meaning(&name));
        match meaning {
            Meaning::Local => Storage::Fast(self.unit.slot(&name)),
            Meaning::Cell | Meaning::Free => match self.unit.cell(&name) {
                Some(index) => Storage::Cell(index),
                None => Storage::Name(self.name_index(&name)),
            },
            Meaning::Global => Storage::Name(self.name_index(&name)),
            Meaning::ClassLocal => Storage::ClassDict(self.string_constant(&name)),
        }
    }

    /// A name as it is stored: private names of classes carry the class's name.
    pub(super) fn mangled(&self, name: &str) -> String {
        let class = self.scopes.get(self.unit.scope).and_then(|scope| scope.class.as_deref());
        mangle(class, name).into_owned()
    }

    pub(super) fn load_name(&mut self, name: &str) -> Done {
        match self.storage(name) {
            Storage::Fast(slot) => self.emit(Instr::LoadFast { slot }),
            Storage::Cell(index) => self.emit(Instr::LoadDeref { index }),
            Storage::Name(name) => self.emit(Instr::LoadName { name }),
            Storage::ClassDict(key) => {
                // What the class body has not set yet is looked for among the block's names.
                let (outer, end) = (self.label(), self.label());
                self.emit(Instr::Const { index: key })?;
                self.emit(Instr::LoadFast { slot: 0 })?;
                self.emit(Instr::Contains { invert: false })?;
                self.emit(Instr::PopJumpIfFalse { target: outer.target() })?;
                self.emit(Instr::LoadFast { slot: 0 })?;
                self.emit(Instr::Const { index: key })?;
                self.emit(Instr::LoadSubscr)?;
                self.jump(end)?;
                self.place_label(outer);
                let mangled = self.mangled(name);
                let name = self.name_index(&mangled);
                self.emit(Instr::LoadName { name })?;
                self.place_label(end);
                Ok(())
            }
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
            Storage::ClassDict(index) => {
                self.emit(Instr::LoadFast { slot: 0 })?;
                self.emit(Instr::Const { index })?;
                self.emit(Instr::StoreSubscr)
            }
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
            Storage::ClassDict(index) => {
                let (missing, end) = (self.label(), self.label());
                self.emit(Instr::Const { index })?;
                self.emit(Instr::LoadFast { slot: 0 })?;
                self.emit(Instr::Contains { invert: false })?;
                self.emit(Instr::PopJumpIfFalse { target: missing.target() })?;
                self.emit(Instr::LoadFast { slot: 0 })?;
                self.emit(Instr::Const { index })?;
                self.emit(Instr::DeleteSubscr)?;
                self.jump(end)?;
                self.place_label(missing);
                let class = self.string_constant("NameError");
                let message = self.string_constant(&format!("name '{name}' is not defined"));
                self.emit(Instr::RaiseError { class, message })?;
                self.place_label(end);
                Ok(())
            }
        }
    }

    /// Unbinds a name that is maybe bound no longer, as after `except E as name`.
    pub(super) fn unbind(&mut self, name: &str) -> Done {
        self.constant(Const::None)?;
        self.store_name(name)?;
        self.delete_name(name)
    }
}
