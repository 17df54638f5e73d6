//! The JSON text of an evaluated destination's properties.

use std::ops::Range;
use std::rc::Rc;

use tpv_bytecode::CodeKind;
use tpv_galaxy::json::{dump, end_string};
use tpv_model::Field;
use tpv_python::exception::PyResult;
use tpv_python::native_code::Computed;

use super::code::evaluate_into;
use super::entity::Entity;
use super::properties::{Piece, Properties, Property};
use super::worker::Worker;

impl Worker {
    /// The properties of an evaluated entity, which `destination` has become. `None` if their values are needed, or if the job has
    /// created code that may change them.
    pub(super) fn properties(&mut self, destination: &Entity, entity: &Entity) -> Option<Rc<Properties>> {
        // CPython's code may load any name.
        let runs_all = self.interpreters.as_ref().is_some_and(|interpreters| interpreters.runs_all());
        if self.wants_values || runs_all {
            return None;
        }
        let handler_tags = destination.single(Field::HandlerTags);
        let (version, unread, vm) = (self.version(), self.unread, &mut self.vm);
        let shared = |of: &Entity, property: Property, value| if of.own.has(property) { None } else { Some(value) };
        let sources = [
            shared(entity, Property::Env, &entity.env),
            shared(entity, Property::Params, &entity.params),
            shared(entity, Property::Resubmit, &entity.resubmit),
            shared(destination, Property::HandlerTags, handler_tags),
        ];
        self.cache.properties(sources, || {
            // Jobs share them: none pays.
            let steps = vm.steps_left();
            vm.restore_steps(vm.limits.steps);
            let made = Properties::new(vm, sources, unread, version);
            vm.restore_steps(steps);
            made
        })
    }

    /// Appends the JSON text of an evaluated property and returns its position, or `None` if it must be evaluated as a whole.
    ///
    /// # Errors
    /// Exceptions raised by the f-strings.
    pub(super) fn property_text(
        &mut self,
        properties: Option<&Properties>,
        property: Property,
        text: &mut String,
    ) -> PyResult<Option<Range<usize>>> {
        // Code that was made at run time may load any name.
        let properties = properties.filter(|_| !self.vm.has_compiled());
        let Some(pieces) = properties.and_then(|properties| properties.pieces(property)) else { return Ok(None) };
        let begin = text.len();
        for piece in pieces {
            match piece {
                Piece::Text(constant) => text.push_str(constant),
                Piece::FString(source) => {
                    let (vm, interpreters) = (&mut self.vm, self.interpreters.as_deref());
                    text.push('"');
                    let start = text.len();
                    match evaluate_into(vm, interpreters, source, CodeKind::FString, text)? {
                        Computed::Text => end_string(vm, text, start)?,
                        Computed::Value(value) => {
                            text.pop();
                            dump(vm, text, &value)?;
                        }
                    }
                }
            }
        }
        Ok(Some(begin..text.len()))
    }
}
