//! What blocks gave, kept by what they read.
//!
//! Three things are kept ([`Memo`]): what a block gave, what the rules of an entity made of it, and the text of a
//! destination's properties. Each is kept only where all code that ran for it can be seen to change nothing
//! ([`super::reads`]), in a tree of what was read ([`super::tree`]). It costs a job what it would cost to compute it
//! ([`crate::python::vm::Cost`]), so that a job's budget, too, does not depend on which jobs came before it. Errors are never
//! kept.

use std::cell::Cell;
use std::rc::Rc;

use crate::python::code::{CodeKind, CodeRef, Program};
use crate::python::exception::PyResult;
use crate::python::value::Value;
use crate::python::vm::{Cost, LogLevel, Read, Vm};

use super::code::evaluate;
use super::entity::Entity;
use super::reads::{only_computes, source};
use super::tree::{Found, Leaf, Trail, Tree};
use super::worker::{Slots, Worker};

/// How many runs are watched before it is decided whether keeping the results pays.
const WATCHED: u32 = 512;

/// How many runs are then left alone where it did not pay.
const LEFT_ALONE: u32 = 1 << 14;

/// Whether keeping the results of a block pays.
#[derive(Default)]
struct Pays {
    tries: Cell<u32>,
    hits: Cell<u32>,
    left_alone: Cell<u32>,
}

impl Pays {
    /// Whether a result is worth looking for.
    fn tries(&self) -> bool {
        let left_alone = self.left_alone.get();
        if left_alone > 0 {
            self.left_alone.set(left_alone - 1);
            return false;
        }
        if self.tries.get() >= WATCHED {
            if self.hits.get() < WATCHED / 3 {
                self.left_alone.set(LEFT_ALONE);
            }
            self.tries.set(0);
            self.hits.set(0);
        }
        self.tries.set(self.tries.get() + 1);
        true
    }

    fn hits(&self) {
        self.hits.set(self.hits.get() + 1);
    }
}

/// The text of an entity's properties.
#[derive(Clone)]
pub(super) struct PropertyText {
    /// `env`, then `params`, as JSON.
    pub text: Rc<str>,
    /// Where `env` ends.
    pub env_end: usize,
}

/// One thread's results.
#[derive(Default)]
pub(super) struct Memo {
    /// By root code: nothing for one that was not asked for yet, `None` for one that may change something.
    pays: Vec<Option<Option<Rc<Pays>>>>,
    /// What blocks gave, by their code.
    blocks: Tree<Value>,
    /// What rules made of an entity, by its number.
    rules: Tree<Rc<Entity>>,
    /// The properties of an entity, by its number.
    texts: Tree<PropertyText>,
    /// What was read for something larger than a block that is being computed.
    outer: Option<Trail>,
}

impl Memo {
    /// Whether results of a block are kept, and whether that pays.
    fn pays(&mut self, vm: &Vm, program: &Program, code: u32) -> Option<Rc<Pays>> {
        let index = code as usize;
        if self.pays.len() <= index {
            self.pays.resize(program.data.codes.len().max(index + 1), None);
        }
        let only_computes = || only_computes(program, code, vm.environment.log_enabled(LogLevel::Critical));
        self.pays.get_mut(index)?.get_or_insert_with(|| only_computes().then(Rc::default)).clone()
    }

    /// Says that something ran whose reads are not known.
    pub(super) fn lose_trail(&mut self) {
        if let Some(trail) = &mut self.outer {
            trail.lost = true;
        }
    }
}

/// What the machine noted as a trail.
fn trail(vm: &Vm, slots: &Slots, reads: &[Read]) -> Trail {
    let mut trail = Trail::default();
    let Some(program) = &vm.program else { return trail };
    for read in reads {
        match *read {
            Read::Name { code, at } => trail.read(source(program, code, at, slots)),
            Read::Absent { slot } => trail.absent(slot),
        }
    }
    trail
}

impl Worker {
    /// [`evaluate`], or what the block gave when it last read the same.
    ///
    /// # Errors
    /// As [`evaluate`].
    pub(super) fn evaluate_kept(&mut self, source: &Value, kind: CodeKind) -> PyResult<Value> {
        let Value::Str(text) = source else { return evaluate(&mut self.vm, source, kind) };
        let Some(CodeRef { code, .. }) = text.code() else { return self.evaluate_untold(source, kind) };
        if code == CodeRef::PLAIN {
            return evaluate(&mut self.vm, source, kind);
        }
        let Some(program) = self.vm.program.clone() else { return self.evaluate_untold(source, kind) };
        // Code may have put a string of the config where it means something else.
        if program.code(code).is_none_or(|code| code.kind != kind) {
            return self.evaluate_untold(source, kind);
        }
        let Some(pays) = self.memo.pays(&self.vm, &program, code) else { return self.evaluate_untold(source, kind) };
        let memo = &mut self.memo;
        let worth = pays.tries();
        if worth {
            match memo.blocks.find(&mut self.vm, &self.slots, u64::from(code), memo.outer.as_mut()) {
                Found::Given(value) => {
                    pays.hits();
                    return Ok(value);
                }
                Found::Run => return self.evaluate_untold(source, kind),
                Found::New => {}
            }
        } else if memo.outer.is_none() {
            return evaluate(&mut self.vm, source, kind);
        }
        let start = self.vm.measure();
        self.vm.start_reads();
        let value = evaluate(&mut self.vm, source, kind);
        let reads = self.vm.end_reads();
        let value = value?;
        let trail = trail(&self.vm, &self.slots, &reads);
        self.vm.reuse_reads(reads);
        if let Some(outer) = &mut self.memo.outer {
            outer.extend(&trail);
        }
        if worth && matches!(value, Value::None | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Str(_)) {
            let cost = self.vm.cost_since(&start);
            let leaf = Leaf::new(value.clone(), cost, 0, &trail);
            self.memo.blocks.keep(&mut self.vm, &self.slots, u64::from(code), &trail, leaf);
        }
        Ok(value)
    }

    /// [`evaluate`] of what may read or change anything.
    fn evaluate_untold(&mut self, source: &Value, kind: CodeKind) -> PyResult<Value> {
        self.memo.lose_trail();
        evaluate(&mut self.vm, source, kind)
    }
}

/// The words that an entity takes: what is told of it, not what it shares with others.
const ENTITY_WORDS: usize = 64;

impl Worker {
    /// What the rules made of this entity when they last read the same. `rules` evaluates them.
    ///
    /// # Errors
    /// What `rules` raises.
    pub(super) fn rules_kept(
        &mut self,
        entity: &Rc<Entity>,
        rules: impl FnOnce(&mut Self) -> PyResult<Rc<Entity>>,
    ) -> PyResult<Rc<Entity>> {
        let Some(number) = entity.kept.number() else { return rules(self) };
        let root = u64::from(number);
        match self.memo.rules.find(&mut self.vm, &self.slots, root, None) {
            Found::Given(after) => return Ok(after),
            Found::Run => return rules(self),
            Found::New => {}
        }
        // A rule that matches puts another entity into the context; what is kept is found by the one that was there.
        let before = self.vm.context.get(self.slots.entity).cloned().flatten();
        let (after, trail, cost) = self.follow(entity, rules)?;
        if after.kept.is_shared() {
            let leaf = Leaf::new(after.clone(), cost, ENTITY_WORDS, &trail);
            let seen = self.vm.swap_context(self.slots.entity, before);
            self.memo.rules.keep(&mut self.vm, &self.slots, root, &trail, leaf);
            self.vm.swap_context(self.slots.entity, seen);
        }
        Ok(after)
    }

    /// Appends the text of an entity's properties to the worker's, as `write` wrote it when it last read the same; gives
    /// where `env` ends.
    ///
    /// # Errors
    /// What `write` raises.
    pub(super) fn text_kept(
        &mut self,
        entity: &Rc<Entity>,
        write: impl FnOnce(&mut Self) -> PyResult<usize>,
    ) -> PyResult<usize> {
        let Some(number) = entity.kept.number() else { return write(self) };
        let root = u64::from(number);
        match self.memo.texts.find(&mut self.vm, &self.slots, root, None) {
            Found::Given(PropertyText { text, env_end }) => {
                self.text.push_str(&text);
                return Ok(env_end);
            }
            Found::Run => return write(self),
            Found::New => {}
        }
        let (env_end, trail, cost) = self.follow(entity, write)?;
        let text: Rc<str> = self.text.as_str().into();
        let words = text.len() / size_of::<u64>();
        let leaf = Leaf::new(PropertyText { text, env_end }, cost, words, &trail);
        self.memo.texts.keep(&mut self.vm, &self.slots, root, &trail, leaf);
        Ok(env_end)
    }

    /// Runs something larger than a block, after the context of the entity was entered: its result, what it read that the
    /// entity does not tell, its cost.
    fn follow<T>(&mut self, entity: &Entity, run: impl FnOnce(&mut Self) -> PyResult<T>) -> PyResult<(T, Trail, Cost)> {
        let start = self.vm.measure();
        self.memo.outer = Some(Trail::default());
        let result = run(self);
        let mut trail = self.memo.outer.take().unwrap_or_default();
        let cost = self.vm.cost_since(&start);
        // Names of the context that nothing sets after the entity's context.
        let (slots, context) = (&self.slots, entity.kept.context.get());
        trail.forget(|slot| {
            let told = context.is_some_and(|context| context.iter().any(|entry| entry.slot == slot && !entry.mutable));
            told && !slots.is_set_by_mapper(slot)
        });
        Ok((result?, trail, cost))
    }
}
