//! `env` and `params` of destinations as JSON, written as far as the config tells it before a job is known: pieces of text, with
//! f-strings between them.
//!
//! A property goes into the evaluation context when it is evaluated. Where no code of the artifact loads that name, it need
//! not be there, and no value of it need be made.

use crate::galaxy::json::{dump, end_string};
use tpv_bytecode::{CodeKind, CodeRef, Instr};
use tpv_python::exception::PyResult;
use tpv_python::native_code::Computed;
use tpv_python::program::Program;
use tpv_python::value::Value;
use tpv_python::vm::Vm;

use super::code::{evaluate_into, is_plain};
use super::context::Slots;
use super::entity::Entity;
use super::worker::Worker;

/// A property of a destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Property {
    /// `env`
    Env,
    /// `params`
    Params,
}

/// The properties of an entity in pieces; nothing of one that code sees or that takes more than running f-strings.
pub(super) struct Properties {
    env: Option<Vec<Piece>>,
    params: Option<Vec<Piece>>,
}

/// A piece of JSON text.
pub(super) enum Piece {
    /// This text.
    Text(Box<str>),
    /// The string that this f-string gives.
    FString(Value),
}

impl Properties {
    /// The properties of an entity.
    pub(super) fn new(vm: &mut Vm, entity: &Entity, unseen: UnreadProperties) -> Self {
        let mut of =
            |unseen: bool, property: &Value, empty: &str| unseen.then(|| pieces(vm, property, empty)).flatten();
        Self { env: of(unseen.env, &entity.env, "[]"), params: of(unseen.params, &entity.params, "{}") }
    }

    /// The bytes that it takes on the heap.
    pub(super) fn bytes(&self) -> usize {
        let piece = |piece: &Piece| {
            size_of::<Piece>()
                + match piece {
                    Piece::Text(text) => text.len(),
                    Piece::FString(_) => 0,
                }
        };
        [&self.env, &self.params].into_iter().flatten().flatten().map(piece).sum()
    }

    /// The pieces of a property; nothing where it must be evaluated as a whole.
    pub(super) fn pieces(&self, property: Property) -> Option<&[Piece]> {
        match property {
            Property::Env => self.env.as_deref(),
            Property::Params => self.params.as_deref(),
        }
    }
}

impl Worker {
    /// The JSON text of `env` or `params` of an entity, evaluated; nothing where it must be evaluated as a whole.
    ///
    /// # Errors
    /// What the f-strings raise.
    pub(super) fn property_text(&mut self, entity: &Entity, property: Property) -> PyResult<Option<String>> {
        // Code that was made at run time may load any name, and so may CPython's.
        let runs_all = self.tiers.as_ref().is_some_and(|tiers| tiers.runs_all());
        if self.wants_values || self.vm.has_compiled() || runs_all {
            return Ok(None);
        }
        let (vm, unseen) = (&mut self.vm, self.unseen);
        let Some(properties) = self.cache.properties(entity, || Properties::new(vm, entity, unseen)) else {
            return Ok(None);
        };
        let Some(pieces) = properties.pieces(property) else { return Ok(None) };
        let mut text = String::with_capacity(ROOM);
        for piece in pieces {
            match piece {
                Piece::Text(constant) => text.push_str(constant),
                Piece::FString(source) => {
                    let (vm, tiers) = (&mut self.vm, self.tiers.as_deref());
                    text.push('"');
                    let start = text.len();
                    match evaluate_into(vm, tiers, source, CodeKind::FString, &mut text)? {
                        Computed::Text => end_string(vm, &mut text, start)?,
                        Computed::Value(value) => {
                            text.pop();
                            dump(vm, &mut text, &value)?;
                        }
                    }
                }
            }
        }
        Ok(Some(text))
    }
}

/// The bytes that the text of most properties takes.
const ROOM: usize = 512;

/// The properties whose names no code loads.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct UnreadProperties {
    env: bool,
    params: bool,
}

impl UnreadProperties {
    /// Looks through all code of a program.
    pub(super) fn new(program: &Program, slots: &Slots) -> Self {
        let mut unseen = Self { env: true, params: true };
        for code in &program.data.codes {
            let root = program.code(code.root).unwrap_or(code);
            for instr in &code.instrs {
                let (Instr::LoadName { name } | Instr::DeleteName { name } | Instr::HasName { name }) = instr else {
                    continue;
                };
                let Some(name) = root.names.get(*name as usize).and_then(|name| program.names.get(*name as usize))
                else {
                    continue;
                };
                unseen.env &= name.slot != slots.env;
                unseen.params &= name.slot != slots.params;
            }
        }
        unseen
    }
}

/// The pieces of a property; nothing where evaluating it takes more than running f-strings of the config.
fn pieces(vm: &mut Vm, property: &Value, empty: &str) -> Option<Vec<Piece>> {
    let mut pieces = Pieces { done: Vec::new(), text: String::new() };
    if vm.truthy(property).ok()? {
        pieces.add(vm, property, 0)?;
    } else {
        pieces.text.push_str(empty);
    }
    pieces.end_text();
    Some(pieces.done)
}

struct Pieces {
    done: Vec<Piece>,
    text: String,
}

/// Deeper properties are evaluated in the general way.
const MAX_DEPTH: usize = 32;

impl Pieces {
    fn add(&mut self, vm: &mut Vm, value: &Value, depth: usize) -> Option<()> {
        if depth > MAX_DEPTH {
            return None;
        }
        match value {
            Value::Str(source) => match source.code() {
                Some(CodeRef { code: CodeRef::PLAIN, .. }) => self.constant(vm, value)?,
                Some(CodeRef { code, .. }) => {
                    let program = vm.program.clone()?;
                    program.code(code).filter(|code| code.kind == CodeKind::FString)?;
                    self.end_text();
                    self.done.push(Piece::FString(value.clone()));
                }
                None if is_plain(source) => self.constant(vm, value)?,
                None => return None,
            },
            Value::List(list) => {
                self.text.push('[');
                for (index, item) in list.items.borrow().iter().enumerate() {
                    self.separate(index);
                    self.add(vm, item, depth + 1)?;
                }
                self.text.push(']');
            }
            Value::Dict(dict) => {
                self.text.push('{');
                for (index, (key, item)) in dict.table.borrow().iter().enumerate() {
                    self.separate(index);
                    dump::key(vm, &mut self.text, &key.value).ok()?;
                    self.text.push_str(": ");
                    self.add(vm, item, depth + 1)?;
                }
                self.text.push('}');
            }
            Value::None | Value::Bool(_) | Value::Int(_) | Value::BigInt(_) | Value::Float(_) => {
                self.constant(vm, value)?
            }
            _ => return None,
        }
        Some(())
    }

    fn separate(&mut self, index: usize) {
        if index > 0 {
            self.text.push_str(", ");
        }
    }

    fn constant(&mut self, vm: &mut Vm, value: &Value) -> Option<()> {
        dump(vm, &mut self.text, value).ok()
    }

    fn end_text(&mut self) {
        if !self.text.is_empty() {
            self.done.push(Piece::Text(std::mem::take(&mut self.text).into()));
        }
    }
}
