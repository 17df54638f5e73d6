//! `context` of an entity, as the dicts that were merged to it.
//!
//! An entity that is derived from others has their contexts one over the other. As long as no code asks for the dict, nothing has to
//! merge them: to enter such a context is to enter each of its layers, but for those that are entered already.

use std::cell::OnceCell;
use std::rc::Rc;

use smallvec::SmallVec;
use tpv_python::dict::{Dict, Table};
use tpv_python::exception::PyResult;
use tpv_python::string::Str;
use tpv_python::value::Value;
use tpv_python::vm::Vm;

use super::data::{is_empty, merge_dicts, mutable};
use super::slots::Slots;

/// An entity's `context`: `None` or a dict, unless code put something else there. Cheap to clone.
#[derive(Clone)]
pub struct EntityContext(Rc<Layers>);

/// The lowest first. Where there are several, all are dicts with something in them.
type Layers = SmallVec<[Rc<Layer>; 2]>;

/// The contribution of one entity of the config, or of code, to a context.
struct Layer {
    value: Value,
    names: OnceCell<Names>,
}

/// The names of a layer by slot.
#[derive(Default)]
struct Names {
    /// Those whose values code cannot change.
    constant: Vec<(usize, Value)>,
    /// Those whose values it can: each job needs copies of these.
    mutable: Vec<Mutable>,
    /// `true` if the mapper itself sets one of them.
    hold_own: bool,
}

/// A name whose value code can change: its slot, the name, and the value.
pub(super) type Mutable = (usize, Str, Value);

/// More layers than these are merged to one: code can derive entities again and again.
const MAX_LAYERS: usize = 8;

impl EntityContext {
    /// The context that is this value.
    pub fn of(value: Value) -> Self {
        let layer = Layer { value, names: OnceCell::new() };
        Self(Rc::new(SmallVec::from_iter([Rc::new(layer)])))
    }

    /// The value, as it is. `None` if it is still to be merged.
    pub fn merged(&self) -> Option<&Value> {
        match self.0.as_slice() {
            [layer] => Some(&layer.value),
            _ => None,
        }
    }

    /// The value.
    pub fn value(&self) -> Value {
        if let Some(value) = self.merged() {
            return value.clone();
        }
        let mut table = Table::default();
        for dict in self.0.iter().filter_map(|layer| layer.dict()) {
            table.extend(dict.table.borrow().iter().map(|(key, value)| (key.clone(), value.clone())));
        }
        Value::dict(Dict::from_table(table))
    }

    /// The value of a name, where it is set.
    pub fn get(&self, name: &str) -> Option<Value> {
        self.0.iter().rev().find_map(|layer| layer.dict()?.get_str(name))
    }

    /// The bytes that it takes on the heap beside its layers.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Layers>() + if self.0.spilled() { size_of::<Rc<Layer>>() * self.0.capacity() } else { 0 }
    }

    /// TPV's `default_dict_copier`: the parent's items updated with the child's.
    ///
    /// # Errors
    /// As [`merge_dicts`].
    pub(super) fn merge(vm: &mut Vm, child: &Self, parent: &Self) -> PyResult<Self> {
        if !child.is_dict() || !parent.is_dict() {
            return merge_dicts(vm, &child.value(), &parent.value()).map(Self::of);
        }
        if child.is_empty() {
            return Ok(parent.clone());
        }
        if parent.is_empty() {
            return Ok(child.clone());
        }
        if Rc::ptr_eq(&child.0, &parent.0) {
            return Ok(parent.clone());
        }
        let layers: Layers = parent.0.iter().chain(child.0.iter()).cloned().collect();
        vm.charge(layers.iter().filter_map(|layer| layer.dict()).map(Dict::len).sum())?;
        let merged = Self(Rc::new(layers));
        Ok(if merged.0.len() > MAX_LAYERS { Self::of(merged.value()) } else { merged })
    }

    /// Returns `true` if the context is a dict, as it is unless code put something else there.
    pub(super) fn is_dict(&self) -> bool {
        self.merged().is_none_or(|value| matches!(value, Value::Dict(_)))
    }

    fn is_empty(&self) -> bool {
        self.merged().is_some_and(is_empty)
    }

    /// The number of layers that the two have in common, from the lowest up, if the other has all of this one's layers.
    fn is_below(&self, other: &Self) -> Option<usize> {
        let mut pairs = self.0.iter().zip(other.0.iter());
        let is_below = self.0.len() <= other.0.len() && pairs.all(|(mine, others)| Rc::ptr_eq(mine, others));
        is_below.then_some(self.0.len())
    }

    /// `context.update(self)` for the names whose values code cannot change, given what was entered last: what of it is still there
    /// need not be set again. Gives the others.
    pub(super) fn enter(&self, vm: &mut Vm, slots: &Slots, entered: &mut Option<Self>) -> Vec<Mutable> {
        let there = entered.as_ref().and_then(|entered| entered.is_below(self)).unwrap_or_default();
        let mut mutable: Vec<Mutable> = Vec::new();
        let mut hold_own = false;
        for (index, layer) in self.0.iter().enumerate() {
            let names = layer.names.get_or_init(|| Names::new(vm, slots, &layer.value));
            hold_own |= names.hold_own;
            for (slot, value) in names.constant.iter().filter(|_| index >= there) {
                vm.set_context(*slot, value.clone());
            }
            if !mutable.is_empty() {
                mutable.retain(|(slot, ..)| names.constant.iter().all(|(other, _)| other != slot));
            }
            for name in &names.mutable {
                mutable.retain(|(other, ..)| *other != name.0);
                mutable.push(name.clone());
            }
        }
        *entered = (!hold_own).then(|| self.clone());
        mutable
    }
}

impl Layer {
    fn dict(&self) -> Option<&Dict> {
        match &self.value {
            Value::Dict(dict) => Some(dict),
            _ => None,
        }
    }
}

impl Names {
    fn new(vm: &mut Vm, slots: &Slots, value: &Value) -> Self {
        let mut names = Self::default();
        let Value::Dict(dict) = value else { return names };
        for (key, value) in dict.table.borrow().iter() {
            let Value::Str(name) = &key.value else { continue };
            let slot = vm.slot(name.as_str());
            names.hold_own |= slots.is_own(slot);
            if mutable(value) {
                names.mutable.push((slot, name.clone(), value.clone()));
            } else {
                names.constant.push((slot, value.clone()));
            }
        }
        names
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing)]
    use std::collections::BTreeMap;

    use tpv_python::value::Value;
    use tpv_python::vm::Vm;

    use super::*;
    use crate::mapper::Hooks;
    use crate::mapper::environment::MapperEnvironment;

    /// Numbers by xorshift.
    struct Random(u64);

    impl Random {
        fn below(&mut self, bound: usize) -> usize {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 % bound as u64) as usize
        }
    }

    const NAMES: [&str; 7] = ["a", "b", "c", "d", "e", "f", "cores"];

    fn context(random: &mut Random, number: i64) -> Value {
        let dict = Dict::new();
        for offset in 0..i64::try_from(random.below(5)).unwrap() {
            let value = match random.below(4) {
                0 => Value::list(vec![Value::Int(number)]),
                _ => Value::Int(10 * number + offset),
            };
            // `cores` is a name that the mapper sets: few contexts have it.
            let names = if random.below(20) == 0 { NAMES.len() } else { NAMES.len() - 1 };
            dict.set_str(Str::from(NAMES[random.below(names)]), value);
        }
        if random.below(10) == 0 { Value::None } else { Value::dict(dict) }
    }

    fn items(value: &Value) -> Vec<(Value, Value)> {
        if let Value::Dict(dict) = value { dict.items() } else { Vec::new() }
    }

    /// Contexts are merged and entered at random; whatever is entered leaves what a dict that is updated would have.
    #[test]
    fn layers_are_what_merged_dicts_are() {
        let seed = std::env::var("TPVC_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(20_261_122);
        println!("seed {seed} (TPVC_SEED)");
        let mut random = Random(seed);
        let mut most = 0;
        for _ in 0..300 {
            let mut vm = Vm::new(Rc::new(MapperEnvironment::new(Hooks::default())));
            let slots = Slots::new(&mut vm);
            let mut contexts: Vec<_> = (0..6).map(|number| EntityContext::of(context(&mut random, number))).collect();
            let (mut entered, mut expected) = (None, BTreeMap::new());
            for step in 0..60 {
                let (one, other) = (random.below(contexts.len()), random.below(contexts.len()));
                let (one, other) = (contexts[one].clone(), contexts[other].clone());
                match random.below(4) {
                    0 => {
                        let merged = EntityContext::merge(&mut vm, &one, &other).unwrap();
                        let dict = merge_dicts(&mut vm, &one.value(), &other.value()).unwrap();
                        let (mine, dicts) = (items(&merged.value()), items(&dict));
                        assert_eq!(mine.len(), dicts.len());
                        for ((key, value), (expected_key, expected)) in mine.iter().zip(&dicts) {
                            assert!(vm.equal(key, expected_key).unwrap() && value.is(expected));
                            assert!(merged.get(key.as_str().unwrap()).unwrap().is(expected));
                        }
                        most = most.max(merged.0.len());
                        contexts.push(merged);
                    }
                    1 => {
                        let cores = Value::Int(1000 + step);
                        vm.set_context(slots.resource(tpv_model::Resource::Cores), cores.clone());
                        expected.insert("cores".to_owned(), cores);
                    }
                    _ => {
                        for (slot, _, value) in one.enter(&mut vm, &slots, &mut entered) {
                            vm.set_context(slot, value);
                        }
                        expected.extend(
                            items(&one.value())
                                .iter()
                                .map(|(key, value)| (key.as_str().unwrap().as_str().to_owned(), value.clone())),
                        );
                        for name in NAMES {
                            match (vm.context_value(name), expected.get(name)) {
                                (None, None) => {}
                                (Some(value), Some(expected)) => assert!(value.is(expected), "{name}"),
                                (value, expected) => assert_eq!(value.is_some(), expected.is_some(), "{name}"),
                            }
                        }
                    }
                }
            }
        }
        assert_eq!(most, MAX_LAYERS);
    }
}
