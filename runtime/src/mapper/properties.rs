//! Properties of destinations as JSON, written as far as the config tells it before a job is known: pieces of text, with f-strings
//! between them.
//!
//! A property goes into the evaluation context when it is evaluated. If no code of the artifact loads that name, it need
//! not be there, and no value of it need be made.

use tpv_bytecode::{CodeKind, CodeRef, Instr};
use tpv_galaxy::json::dump;
use tpv_model::Version;
use tpv_python::args::Args;
use tpv_python::dict::{Key, StrKey};
use tpv_python::exception::PyResult;
use tpv_python::program::Program;
use tpv_python::types::DICT;
use tpv_python::value::Value;
use tpv_python::vm::Vm;

use super::slots::Slots;

/// A property of a destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Property {
    /// `env`
    Env,
    /// `params`
    Params,
    /// `resubmit`
    Resubmit,
    /// `handler_tags`
    HandlerTags,
}

impl Property {
    /// The number of properties.
    pub(super) const COUNT: usize = Self::ALL.len();

    /// All of them.
    const ALL: [Self; 4] = [Self::Env, Self::Params, Self::Resubmit, Self::HandlerTags];

    /// The slot of its name in the context.
    pub(super) fn slot(self, slots: &Slots) -> usize {
        match self {
            Self::Env => slots.env,
            Self::Params => slots.params,
            Self::Resubmit => slots.resubmit,
            Self::HandlerTags => slots.handler_tags,
        }
    }
}

/// The values of properties, in the order of [`Property::ALL`]; `None` is one that belongs to a job.
pub(super) type Sources<'a> = [Option<&'a Value>; Property::COUNT];

/// The properties of a destination in pieces; nothing of one that code sees or that takes more than running f-strings.
pub(super) struct Properties([Option<Vec<Piece>>; Property::COUNT]);

/// A piece of JSON text.
pub(super) enum Piece {
    /// This text.
    Text(Box<str>),
    /// The string that this f-string gives.
    FString(Value),
}

impl Properties {
    /// The properties with these sources, in the order of [`Property::ALL`]; `None` is one that must be evaluated as a whole.
    pub(super) fn new(vm: &mut Vm, sources: Sources<'_>, unread: UnreadProperties, version: Version) -> Self {
        let mut sources = Property::ALL.into_iter().zip(sources);
        Self(unread.0.map(|unread| {
            let (property, source) = sources.next().filter(|_| unread)?;
            pieces(vm, property, source?, version)
        }))
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
        self.0.iter().flatten().flatten().map(piece).sum()
    }

    /// The pieces of a property. `None` if it must be evaluated as a whole.
    pub(super) fn pieces(&self, property: Property) -> Option<&[Piece]> {
        self.0.get(property as usize)?.as_deref()
    }
}

/// Of [`Property::ALL`], which have names that no code loads.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct UnreadProperties([bool; 4]);

impl UnreadProperties {
    /// Looks through all code of a program.
    pub(super) fn new(program: &Program, slots: &Slots) -> Self {
        let mut unread = [true; 4];
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
                for (unread, property) in unread.iter_mut().zip(Property::ALL) {
                    *unread &= name.slot != property.slot(slots);
                }
            }
        }
        Self(unread)
    }
}

/// The pieces of a property. `None` if evaluating it takes more than running f-strings of the config.
fn pieces(vm: &mut Vm, property: Property, source: &Value, version: Version) -> Option<Vec<Piece>> {
    let mut pieces = Pieces { done: Vec::new(), text: String::new() };
    match (property, vm.truthy(source).ok()?) {
        (Property::Env, false) => pieces.text.push_str("[]"),
        (Property::Params, false) => pieces.text.push_str("{}"),
        (Property::Resubmit, is_true) => {
            // What is no dict is evaluated all the same.
            if is_true && !matches!(source, Value::Dict(_)) {
                return None;
            }
            let definitions = galaxy_resubmit(vm, source, version).ok()?;
            pieces.add(vm, &definitions, 0)?;
        }
        (Property::Env | Property::Params | Property::HandlerTags, _) => pieces.add(vm, source, 0)?,
    }
    pieces.end_text();
    Some(pieces.done)
}

/// The definitions of `resubmit`, as a version of TPV gives them to Galaxy.
///
/// # Errors
/// Exceptions raised by `dict(definition)`, where code put something else there.
pub(super) fn galaxy_resubmit(vm: &mut Vm, definitions: &Value, version: Version) -> PyResult<Value> {
    let Value::Dict(definitions) = definitions else { return Ok(Value::list(Vec::new())) };
    let definitions = definitions.values();
    let renamed: PyResult<Vec<Value>> = if version.renames_resubmit() {
        definitions.iter().map(|definition| to_galaxy_resubmit(vm, definition)).collect()
    } else {
        Ok(definitions)
    };
    renamed.map(Value::list)
}

/// `_to_galaxy_resubmit`: Galaxy's resubmission reads the target from `environment`, where TPV's definitions say `destination`.
fn to_galaxy_resubmit(vm: &mut Vm, entry: &Value) -> PyResult<Value> {
    let copy = vm.call(&Value::Type(&DICT), Args::one(entry.clone()))?;
    if let Value::Dict(dict) = &copy {
        let mut table = dict.table.borrow_mut();
        if let Some(target) = table.shift_remove(&StrKey("destination")) {
            table.insert(Key::str("environment".into()), target);
        }
    }
    Ok(copy)
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
                None if CodeRef::is_plain_fstring(source) => self.constant(vm, value)?,
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
