//! What blocks gave, kept by what they read.
//!
//! Seven things are kept ([`Memo`]): what a block gave, which rules match an entity, what destinations are matched with, the
//! order in which they are tried, the text of a destination's properties, all that became of an entity on a destination, and
//! all that became of a job. Each is kept only where all code that ran for it can be seen to change nothing
//! ([`super::reads`]), in a tree of what was read ([`super::tree`]), and for all entities that differ in their ids alone
//! ([`super::shape`]). It costs a job what it would cost to compute it ([`crate::python::vm::Cost`]), so that a job's budget,
//! too, does not depend on which jobs came before it. Errors are never kept, only that a run must be made.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use crate::bytecode::{CodeKind, CodeRef};
use crate::galaxy::answer::Mapped;
use crate::python::exception::PyResult;
use crate::python::program::Program;
use crate::python::value::Value;
use crate::python::vm::{Cost, Effects, LogLevel, Read, Vm};

use super::code::{evaluate, evaluate_complex, has_code};
use super::entity::Entity;
use super::evaluate::MatchedRules;
use super::memory::{ALLOCATION, Held};
use super::reads::{Source, effects, reads_job, source};
use super::requirements::{Requirements, Wanted};
use super::tree::{Found, Leaf, Trail, Tree};
use super::worker::{Slots, Worker};

/// How many runs are watched before it is decided whether keeping the results pays.
const WATCHED: u32 = 512;

/// How many runs are then left alone where it did not pay.
const LEFT_ALONE: u32 = 1 << 14;

/// A block whose results are kept, and whether that pays.
struct Block {
    effects: Rc<Effects>,
    /// Whether it is a condition that only computes and reads what is different for each job: then only what follows from it
    /// is kept.
    is_condition: bool,
    tries: Cell<u32>,
    hits: Cell<u32>,
    left_alone: Cell<u32>,
}

impl Block {
    /// Nothing for a block whose results are not worth keeping.
    fn new(program: &Program, code: u32, slots: &Slots, logs: bool) -> Option<Self> {
        let effects = Rc::new(effects(program, code, logs)?);
        let root = program.code(code)?;
        let is_condition = !root.computed.is_empty() || reads_job(program, code, slots);
        // Machine code runs sooner than it is found out that it came to an effect.
        if !effects.codes.is_empty() && (is_condition || root.kernel.is_some()) {
            return None;
        }
        Some(Self { effects, is_condition, tries: Cell::new(0), hits: Cell::new(0), left_alone: Cell::new(0) })
    }

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
    /// By root code: nothing for one that was not asked for yet, `None` for one whose results are not kept.
    known: Vec<Option<Option<Rc<Block>>>>,
    /// What blocks gave, by their code.
    blocks: Tree<Value>,
    /// Which rules match an entity, by its shape.
    rules: Tree<MatchedRules>,
    /// What destinations are matched with, by the shape of the combined entity.
    requirements: Tree<Rc<Requirements>>,
    /// The order of candidates, as indexes, by the rank code.
    orders: Tree<Rc<[usize]>>,
    /// The properties of an entity, by its shape.
    texts: Tree<PropertyText>,
    /// What became of an entity on a destination, by the destination's number and the entity's shape.
    mapped: Tree<Arc<Mapped>>,
    /// What became of a job, by the shape of the combined entity.
    jobs: Tree<Arc<Mapped>>,
    /// What was read for something larger than a block that is being computed.
    outer: Option<Trail>,
}

impl Memo {
    /// What is known of a block whose results are kept.
    fn block(&mut self, vm: &Vm, program: &Program, code: u32, slots: &Slots) -> Option<Rc<Block>> {
        let index = code as usize;
        if self.known.len() <= index {
            self.known.resize(program.data.codes.len().max(index + 1), None);
        }
        let make = || Block::new(program, code, slots, vm.environment.log_enabled(LogLevel::Critical)).map(Rc::new);
        self.known.get_mut(index)?.get_or_insert_with(make).clone()
    }

    /// The bytes of what is kept.
    pub(super) fn bytes(&self) -> usize {
        self.blocks.bytes()
            + self.rules.bytes()
            + self.requirements.bytes()
            + self.orders.bytes()
            + self.texts.bytes()
            + self.mapped.bytes()
            + self.jobs.bytes()
    }

    /// Whether something larger is being kept, as far as its reads are known.
    fn is_followed(&self) -> bool {
        self.outer.as_ref().is_some_and(|trail| !trail.lost)
    }

    /// Says that something ran whose reads are not known.
    pub(super) fn lose_trail(&mut self) {
        if let Some(trail) = &mut self.outer {
            trail.lost = true;
        }
    }
}

/// Whether a value is one that code cannot change, and may be given to many jobs.
fn is_constant(value: &Value) -> bool {
    matches!(value, Value::None | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Str(_))
}

/// The items of a list.
fn items(list: &Value) -> Vec<Value> {
    match list {
        Value::List(list) => list.items.borrow().clone(),
        _ => Vec::new(),
    }
}

/// Adds what the machine noted to a trail.
fn note(trail: &mut Trail, vm: &mut Vm, slots: &Slots, reads: &[Read]) {
    let Some(program) = vm.program.clone() else { return };
    for read in reads {
        match *read {
            Read::Name { code, at } => trail.read(vm, slots, source(&program, code, at, slots)),
            Read::Absent { slot } => trail.absent(slot),
        }
    }
}

impl Worker {
    /// The code of a property as it is meant to be evaluated, where its results are kept.
    fn kept_code(&mut self, source: &Value, kind: CodeKind) -> Option<(u32, Rc<Block>)> {
        let Value::Str(text) = source else { return None };
        let CodeRef { code, .. } = text.code()?;
        let program = self.vm.program.clone()?;
        // Code may have put a string of the config where it means something else.
        program.code(code).filter(|code| code.kind == kind)?;
        Some((code, self.memo.block(&self.vm, &program, code, &self.slots)?))
    }

    /// [`evaluate`], or what the block gave when it last read the same.
    ///
    /// # Errors
    /// As [`evaluate`].
    pub(super) fn evaluate_kept(&mut self, source: &Value, kind: CodeKind) -> PyResult<Value> {
        match source {
            Value::Str(text) if text.code().is_none_or(|origin| origin.code != CodeRef::PLAIN) => {}
            _ => return evaluate(&mut self.vm, source, kind),
        }
        let Some((code, block)) = self.kept_code(source, kind) else { return self.evaluate_untold(source, kind) };
        if block.is_condition {
            let before = self.vm.steps_left();
            let value = evaluate(&mut self.vm, source, kind);
            if let Some(outer) = self.memo.outer.as_mut().filter(|outer| !outer.lost) {
                let paid = before.saturating_sub(self.vm.steps_left());
                outer.condition(&self.vm, &self.slots, code, value.as_ref().ok(), paid);
            }
            return value;
        }
        let memo = &mut self.memo;
        let worth = block.tries();
        if worth {
            match memo.blocks.find(&mut self.vm, &self.slots, u64::from(code), memo.outer.as_mut()) {
                Found::Given(value) => {
                    block.hits();
                    return Ok(value);
                }
                Found::Run => return self.evaluate_untold(source, kind),
                Found::New => {}
            }
        } else if !memo.is_followed() || !block.effects.codes.is_empty() {
            return self.evaluate_untold(source, kind);
        }
        let mut trail = Trail::default();
        let (value, cost) = self.watch(&block, &mut trail, |vm| evaluate(vm, source, kind));
        if worth {
            let constant = value.as_ref().ok().filter(|value| is_constant(value));
            let leaf = constant.map(|value| Leaf::new(value.clone(), cost, value.held(), &trail));
            self.memo.blocks.keep(u64::from(code), &trail, leaf);
        }
        value
    }

    /// Runs a block: its result, its cost; what it read is added to the trail, and told to what is being kept.
    fn watch(
        &mut self,
        block: &Block,
        trail: &mut Trail,
        run: impl FnOnce(&mut Vm) -> PyResult<Value>,
    ) -> (PyResult<Value>, Cost) {
        let start = self.vm.measure();
        self.vm.watch(block.effects.clone());
        let value = run(&mut self.vm);
        let (reads, effected) = self.vm.end_watch();
        let cost = self.vm.cost_since(&start);
        note(trail, &mut self.vm, &self.slots, &reads);
        // What an effect changed has been noted as it is now: that leads nowhere but to another run.
        trail.lost |= effected;
        self.vm.reuse_reads(reads);
        self.tell(trail);
        (value, cost)
    }

    /// Tells what a run read to the larger one that it is part of.
    fn tell(&mut self, trail: &Trail) {
        if let Some(outer) = &mut self.memo.outer {
            outer.extend(&self.vm, &self.slots, trail);
        }
    }

    /// The candidates in the order that rank code gives, as when it last read the same. What the code returns is iterated as
    /// TPV does, whatever it is.
    ///
    /// # Errors
    /// As [`evaluate`], and of iterating the result.
    pub(super) fn rank_kept(&mut self, rank: &Value, candidates: &[Value]) -> PyResult<Vec<Value>> {
        let run = |vm: &mut Vm| {
            let ranked = evaluate(vm, rank, CodeKind::Block)?;
            Ok(Value::list(if vm.truthy(&ranked)? { vm.collect(&ranked)? } else { Vec::new() }))
        };
        let kept = self.kept_code(rank, CodeKind::Block).filter(|(_, block)| !block.is_condition && block.tries());
        let found = match &kept {
            Some((code, _)) => {
                let memo = &mut self.memo;
                memo.orders.find(&mut self.vm, &self.slots, u64::from(*code), memo.outer.as_mut())
            }
            None => Found::Run,
        };
        let ranked = match (found, kept) {
            (Found::Given(order), Some((_, block))) => {
                block.hits();
                return Ok(order.iter().filter_map(|index| candidates.get(*index).cloned()).collect());
            }
            (Found::New, Some((code, block))) => {
                let mut trail = Trail::default();
                // The code may change the list.
                trail.read(&mut self.vm, &self.slots, Source::Candidates);
                let (ranked, cost) = self.watch(&block, &mut trail, run);
                let ranked = ranked.map(|ranked| items(&ranked));
                let position = |value: &Value| candidates.iter().position(|candidate| candidate.is(value));
                let order: Option<Rc<[usize]>> =
                    ranked.as_ref().ok().and_then(|ranked| ranked.iter().map(position).collect());
                let leaf = order.map(|order| Leaf::new(order.clone(), cost, size_of_val(&*order), &trail));
                self.memo.orders.keep(u64::from(code), &trail, leaf);
                ranked?
            }
            _ => {
                self.memo.lose_trail();
                items(&run(&mut self.vm)?)
            }
        };
        Ok(ranked)
    }

    /// [`evaluate`]; [`Worker::evaluate_kept`] where something larger is being kept.
    ///
    /// # Errors
    /// As [`evaluate`].
    pub(super) fn evaluate_told(&mut self, source: &Value, kind: CodeKind) -> PyResult<Value> {
        if self.memo.is_followed() {
            return self.evaluate_kept(source, kind);
        }
        evaluate(&mut self.vm, source, kind)
    }

    /// [`evaluate_complex`], whose reads are told where there is no code in the property.
    ///
    /// # Errors
    /// As [`evaluate_complex`].
    pub(super) fn evaluate_complex_told(&mut self, property: &Value) -> PyResult<Value> {
        if self.memo.outer.is_some() && has_code(property) {
            self.memo.lose_trail();
        }
        evaluate_complex(&mut self.vm, property)
    }

    /// [`evaluate`] of what may read or change anything.
    fn evaluate_untold(&mut self, source: &Value, kind: CodeKind) -> PyResult<Value> {
        self.memo.lose_trail();
        evaluate(&mut self.vm, source, kind)
    }

    /// The rules that matched an entity of this shape when they last read the same.
    pub(super) fn find_rules(&mut self, entity: &Rc<Entity>) -> Found<MatchedRules> {
        let Some(shape) = self.store.shared.shape(entity) else { return Found::Run };
        let memo = &mut self.memo;
        memo.rules.find(&mut self.vm, &self.slots, shape.number.into(), memo.outer.as_mut())
    }

    /// Keeps which rules match an entity; `evaluate` tells, with the entity that they make.
    ///
    /// # Errors
    /// What `evaluate` raises.
    pub(super) fn keep_rules<T>(
        &mut self,
        entity: &Rc<Entity>,
        evaluate: impl FnOnce(&mut Self) -> PyResult<(T, MatchedRules)>,
    ) -> PyResult<(T, MatchedRules)> {
        let (result, trail, cost) = self.follow(Some(entity), evaluate);
        if let Some(shape) = self.store.shared.shape(entity) {
            let leaf = result.as_ref().ok().map(|(_, matched)| {
                let bytes = ALLOCATION + size_of_val(&*matched.applied);
                Leaf::new(matched.clone(), cost, bytes, &trail)
            });
            self.memo.rules.keep(shape.number.into(), &trail, leaf);
        }
        result
    }

    /// What destinations are matched with, for an entity of this shape that read the same.
    pub(super) fn find_requirements(&mut self, entity: &Rc<Entity>) -> Found<Rc<Requirements>> {
        let Some(shape) = self.store.shared.shape(entity) else { return Found::Run };
        let memo = &mut self.memo;
        memo.requirements.find(&mut self.vm, &self.slots, shape.number.into(), memo.outer.as_mut())
    }

    /// Keeps what destinations are matched with; `evaluate` tells.
    ///
    /// # Errors
    /// What `evaluate` raises.
    pub(super) fn keep_requirements(
        &mut self,
        entity: &Rc<Entity>,
        evaluate: impl FnOnce(&mut Self) -> PyResult<Wanted>,
    ) -> PyResult<Wanted> {
        let (result, trail, cost) = self.follow(Some(entity), evaluate);
        let shared = &self.store.shared;
        if let Some(shape) = shared.shape(entity) {
            let constant = result.as_ref().ok().filter(|wanted| wanted.resources.iter().all(is_constant));
            let leaf = constant.zip(shared.number()).map(|(wanted, number)| {
                let requirements = Rc::new(Requirements::new(number, wanted));
                let held = wanted.resources.iter().map(Held::held).sum::<usize>();
                Leaf::new(requirements, cost, ALLOCATION + size_of::<Requirements>() + held, &trail)
            });
            self.memo.requirements.keep(shape.number.into(), &trail, leaf);
        }
        result
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
        let Some(shape) = self.store.shared.shape(entity) else { return self.untold(write) };
        let (root, memo) = (shape.number.into(), &mut self.memo);
        match memo.texts.find(&mut self.vm, &self.slots, root, memo.outer.as_mut()) {
            Found::Given(PropertyText { text, env_end }) => {
                self.text.push_str(&text);
                return Ok(env_end);
            }
            Found::Run => return self.untold(write),
            Found::New => {}
        }
        let (result, trail, cost) = self.follow(Some(entity), write);
        let leaf = result.as_ref().ok().map(|env_end| {
            let (text, env_end): (Rc<str>, usize) = (self.text.as_str().into(), *env_end);
            let bytes = text.len();
            Leaf::new(PropertyText { text, env_end }, cost, bytes, &trail)
        });
        self.memo.texts.keep(root, &trail, leaf);
        result
    }

    /// What a destination made of an entity when it last read the same. `evaluate` combines and evaluates them.
    ///
    /// # Errors
    /// What `evaluate` raises.
    pub(super) fn mapped_kept(
        &mut self,
        destination: &Entity,
        entity: &Rc<Entity>,
        evaluate: impl FnOnce(&mut Self) -> PyResult<Arc<Mapped>>,
    ) -> PyResult<Arc<Mapped>> {
        let told = (destination.kept.number(), self.store.shared.shape(entity));
        let (Some(destination), Some(shape)) = told else { return self.untold(evaluate) };
        let root = u64::from(destination) << 32 | u64::from(shape.number);
        let memo = &mut self.memo;
        match memo.mapped.find(&mut self.vm, &self.slots, root, memo.outer.as_mut()) {
            Found::Given(mapped) => return Ok(mapped),
            Found::Run => return self.untold(evaluate),
            Found::New => {}
        }
        let (result, trail, cost) = self.follow(None, evaluate);
        let leaf = result.as_ref().ok().map(|mapped| Leaf::new(mapped.clone(), cost, mapped.bytes(), &trail));
        self.memo.mapped.keep(root, &trail, leaf);
        result
    }

    /// What became of a job with this combined entity when it last read the same. `map` finds it out.
    ///
    /// # Errors
    /// What `map` raises.
    pub(super) fn job_kept(
        &mut self,
        combined: &Rc<Entity>,
        map: impl FnOnce(&mut Self) -> PyResult<Arc<Mapped>>,
    ) -> PyResult<Arc<Mapped>> {
        let Some(shape) = self.store.shared.shape(combined) else { return map(self) };
        let root = shape.number.into();
        match self.memo.jobs.find(&mut self.vm, &self.slots, root, None) {
            Found::Given(mapped) => return Ok(mapped),
            Found::Run => return map(self),
            Found::New => {}
        }
        let (result, trail, cost) = self.follow(Some(combined), map);
        let leaf = result.as_ref().ok().map(|mapped| {
            // Mostly the tree of what became of entities has it, too.
            let bytes = if Arc::strong_count(mapped) > 1 { 0 } else { mapped.bytes() };
            Leaf::new(mapped.clone(), cost, bytes, &trail)
        });
        self.memo.jobs.keep(root, &trail, leaf);
        result
    }

    /// Runs something whose reads are not told.
    fn untold<T>(&mut self, run: impl FnOnce(&mut Self) -> PyResult<T>) -> PyResult<T> {
        self.memo.lose_trail();
        run(self)
    }

    /// Runs something larger than a block: its result, what it read, its cost. What the context of `entity` tells, which was
    /// entered before, is no read.
    fn follow<T>(
        &mut self,
        entity: Option<&Rc<Entity>>,
        run: impl FnOnce(&mut Self) -> PyResult<T>,
    ) -> (PyResult<T>, Trail, Cost) {
        let start = self.vm.measure();
        let stage = self.vm.begin_stage();
        let outer = self.memo.outer.replace(Trail::from(stage));
        let result = run(self);
        let mut trail = std::mem::replace(&mut self.memo.outer, outer).unwrap_or_default();
        let cost = self.vm.cost_since(&start);
        self.tell(&trail);
        // Names of the context that nothing sets after the entity's context.
        let shape = entity.and_then(|entity| self.store.shared.shape(entity));
        if let Some(context) = shape.and_then(|shape| shape.context.get()) {
            let told = |slot| context.constant.iter().any(|entry| entry.slot == slot);
            trail = trail.without(|slot| told(slot) && !self.slots.is_set_by_mapper(slot));
        }
        (result, trail, cost)
    }
}
