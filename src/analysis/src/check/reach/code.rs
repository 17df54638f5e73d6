//! The code of a config: what it gives, and what it changes.

use std::cell::RefCell;
use std::rc::Rc;

use tpv_bytecode::CodeKind;
use tpv_python::word_hash::WordMap;

use crate::check::domain::{self, Block, Names, Outcome, Value};
use crate::lint::Blocks;
use tpv_yaml::value::{ConfigValue, Text, ValueKind};

use super::effects::Effects;

/// The code of a config.
pub(super) struct Code<'a> {
    blocks: &'a Blocks,
    /// By where the text is in memory: entities share the texts that they inherit, and the config outlives this.
    effects: RefCell<WordMap<(CodeKind, usize), Rc<Effects>>>,
    roots: RefCell<WordMap<(CodeKind, usize), Option<u32>>>,
}

impl<'a> Code<'a> {
    pub(super) fn new(blocks: &'a Blocks) -> Self {
        Self { blocks, effects: RefCell::default(), roots: RefCell::default() }
    }

    /// A text as it was compiled. `None` if it does not compile.
    pub(super) fn block<'s>(&'s self, text: &'s Text, kind: CodeKind) -> Option<Block<'s>> {
        let find = || self.blocks.trees.root(text.as_str(), kind);
        let root = (*self.roots.borrow_mut().entry((kind, address(text))).or_insert_with(find))?;
        let program = &self.blocks.program;
        Some(Block { program, code: program.codes.get(root as usize)?, source: text.as_str() })
    }

    /// The possible results of a text as a block.
    pub(super) fn evaluate(&self, text: &Text, names: &dyn Names) -> Outcome {
        self.block(text, CodeKind::Block).map_or_else(Outcome::unknown, |block| domain::evaluate(block, names))
    }

    /// The possible values of a resource field.
    pub(super) fn value(&self, value: &ConfigValue, names: &dyn Names) -> Outcome {
        match &value.kind {
            ValueKind::Str(text) => self.evaluate(text, names),
            ValueKind::Float(number) if !number.is_finite() => Outcome::unknown(),
            _ => Outcome::of(constant(value)),
        }
    }

    /// The possible effects of a text.
    pub(super) fn effects(&self, text: &Text, kind: CodeKind) -> Rc<Effects> {
        let key = (kind, address(text));
        if let Some(known) = self.effects.borrow().get(&key) {
            return known.clone();
        }
        let is_pure = self.block(text, kind).is_some_and(|block| block.is_pure());
        let effects = Rc::new(if is_pure {
            Effects::default()
        } else {
            let tree = self.blocks.trees.get(text.as_str(), kind);
            Effects::of(text.as_str(), tree.map(|tree| tree.body.as_slice()))
        });
        self.effects.borrow_mut().insert(key, effects.clone());
        effects
    }
}

fn address(text: &Text) -> usize {
    text.value.as_ptr().addr()
}

/// A value of the config as it is.
pub(super) fn constant(value: &ConfigValue) -> Value {
    use domain::{Kinds, Truth};
    match &value.kind {
        ValueKind::Null => Value::none(),
        ValueKind::Bool(value) | ValueKind::AnchoredBool(value) => Value::bool(Truth { yes: *value, no: !*value }),
        ValueKind::Int(number) => Value::int(*number),
        ValueKind::BigInt(_) => Value::of_kinds(Kinds::INT),
        ValueKind::Float(number) => Value::float(*number),
        ValueKind::Str(text) => Value::text(text.as_str()),
        _ => Value::of_kinds(Kinds::OTHER),
    }
}
