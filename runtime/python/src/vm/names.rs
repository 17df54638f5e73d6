//! Names of a block: its own, the context's, the loader's, the builtins'.

use super::frame::Frame;
use super::{Binding, Vm};
use crate::exception::{NAME_ERROR, PyResult, Raised, name_error};
use crate::lacking;
use crate::program::{Name, Program};
use crate::value::Value;
use tpv_bytecode::Code;

/// The meaning of a name outside blocks and context. It stays the same for the machine's whole life.
#[derive(Clone, Default)]
pub(super) enum Outer {
    /// Not asked yet.
    #[default]
    Unknown,
    /// It hides the context.
    Overriding(Value),
    /// The context hides it.
    Below(Value),
    /// A name that exists only in the context, if at all.
    Absent,
}

/// The meaning of a name outside blocks, whatever the context contains. It stays the same for the machine's whole life.
pub enum OutsideContext {
    /// This hides the context.
    Overriding(Value),
    /// The context hides this.
    Below(Value),
    /// Only the context may have it.
    Absent,
}

/// The name at `index` of a root code's table of names.
fn name_at<'a>(program: &'a Program, root: &Code, index: u32) -> PyResult<&'a Name> {
    let name = root.names.get(index as usize).and_then(|name| program.names.get(*name as usize));
    name.ok_or_else(|| crate::exception::system_error("the code names nothing"))
}

fn not_defined(name: &Name) -> Raised {
    let message = format!("name '{}' is not defined", name.text.as_str());
    if lacking::LEFT_OUT_BUILTINS.contains(&name.text.as_str()) {
        lacking::note_refusal(&NAME_ERROR, &message);
    } else if name.text.starts_with("__") {
        lacking::note(format!("tpvc has no `{}`", name.text.as_str()));
    }
    name_error(message)
}

impl Vm {
    /// The value of a name, as TPV's `eval_code_block` resolves it: the block's own, what hides the context
    /// (`helpers`), the context, the loader's globals, the builtins.
    pub(super) fn load_name(&mut self, frame: &Frame, program: &Program, root: &Code, index: u32) -> PyResult<Value> {
        if let Some(namespace) = &frame.globals {
            match namespace.slots.borrow().get(index as usize) {
                Some(Binding::Value(value)) => return Ok(value.clone()),
                // A deleted name no longer hides the builtin of that name. Context and globals were in the same dict, so that
                // they have lost the name as well.
                Some(Binding::Deleted) => {
                    let name = name_at(program, root, index)?;
                    return (self.library.builtin)(&name.text).ok_or_else(|| not_defined(name));
                }
                Some(Binding::Outer) | None => {}
            }
        }
        let name = name_at(program, root, index)?;
        self.load_outer(name)?.ok_or_else(|| not_defined(name))
    }

    /// The value that a name has outside of all blocks, for explanations.
    ///
    /// # Errors
    /// Exceptions raised while the value is created.
    pub fn outer_name(&mut self, name: &str) -> PyResult<Option<Value>> {
        let slot = self.slot(name);
        self.load_outer(&Name { text: name.into(), slot })
    }

    fn load_outer(&mut self, name: &Name) -> PyResult<Option<Value>> {
        if matches!(self.outer.get(name.slot), None | Some(Outer::Unknown)) {
            self.resolve_outer(name)?;
        }
        let value = match (self.outer.get(name.slot), self.context.get(name.slot)) {
            (Some(Outer::Overriding(value)), _) | (_, Some(Some(value))) | (Some(Outer::Below(value)), _) => {
                Some(value)
            }
            _ => None,
        };
        Ok(value.cloned())
    }

    /// The meaning of a name outside blocks: the value that hides the context, if there is one, or the value that the
    /// context hides.
    ///
    /// # Errors
    /// Exceptions raised while it is resolved.
    pub fn outside_context(&mut self, name: &Name) -> PyResult<OutsideContext> {
        self.resolve_outer(name)?;
        Ok(match self.outer.get(name.slot) {
            Some(Outer::Overriding(value)) => OutsideContext::Overriding(value.clone()),
            Some(Outer::Below(value)) => OutsideContext::Below(value.clone()),
            _ => OutsideContext::Absent,
        })
    }

    #[inline(never)]
    fn resolve_outer(&mut self, name: &Name) -> PyResult<()> {
        let environment = self.environment.clone();
        let outer = if let Some(value) = environment.overriding(self, &name.text)? {
            Outer::Overriding(value)
        } else if let Some(value) = environment.global(self, &name.text)? {
            Outer::Below(value)
        } else if let Some(value) = (self.library.builtin)(&name.text) {
            Outer::Below(value)
        } else {
            Outer::Absent
        };
        if self.outer.len() <= name.slot {
            self.outer.resize(name.slot + 1, Outer::Unknown);
        }
        if let Some(entry) = self.outer.get_mut(name.slot) {
            *entry = outer;
        }
        Ok(())
    }

    /// Sets a name of the block.
    pub(super) fn store_name(&mut self, frame: &mut Frame, index: u32, value: Value) {
        let mut slots = self.namespace(frame).slots.borrow_mut();
        if slots.len() <= index as usize {
            slots.resize_with(index as usize + 1, Binding::default);
        }
        let old = slots.get_mut(index as usize).map(|slot| std::mem::replace(slot, Binding::Value(value)));
        // The old value is dropped after the borrow ends: dropping may be long.
        drop(slots);
        drop(old);
    }

    /// Returns `true` if the block's single dict contains a name: the block's own, the context's or the loader's, but
    /// no builtin.
    pub(super) fn has_name(&mut self, frame: &Frame, program: &Program, root: &Code, index: u32) -> PyResult<bool> {
        let bound = match &frame.globals {
            Some(namespace) => namespace.slots.borrow().get(index as usize).cloned().unwrap_or_default(),
            None => Binding::Outer,
        };
        Ok(match bound {
            Binding::Value(_) => true,
            Binding::Deleted => false,
            Binding::Outer => {
                let name = name_at(program, root, index)?;
                let environment = self.environment.clone();
                self.context.get(name.slot).is_some_and(Option::is_some)
                    || environment.overriding(self, &name.text)?.is_some()
                    || environment.global(self, &name.text)?.is_some()
            }
        })
    }

    /// Deletes a name of the block: what is in the one dict of the block, which is all but the builtins.
    pub(super) fn delete_name(
        &mut self,
        frame: &mut Frame,
        program: &Program,
        root: &Code,
        index: u32,
    ) -> PyResult<()> {
        let name = name_at(program, root, index)?;
        if !self.has_name(frame, program, root, index)? {
            return Err(not_defined(name));
        }
        self.store_name(frame, index, Value::None);
        if let Some(namespace) = &frame.globals
            && let Some(slot) = namespace.slots.borrow_mut().get_mut(index as usize)
        {
            *slot = Binding::Deleted;
        }
        Ok(())
    }
}
