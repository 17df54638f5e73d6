//! Results that a thread keeps of earlier jobs: the matches of ids, and the results of inheriting, combining and
//! merging.
//!
//! The steps of the mapper ask for all of it through [`Cache`]. What is found is what would be made: an [`Entity`] never changes
//! once jobs share it, and inheriting, combining and merging depend on nothing but the two things that are put together. So
//! these are found by identity alone: an entity by its number, a list or dict by its address, which is held as long as the
//! result. Of an entity that code changed, only results of the parts that it did not change are kept
//! ([`OwnParts`](super::entity::OwnParts)); the others are the job's.
//!
//! A result costs the job nothing, whether it is found or made ([`unpaid`]), so that no budget depends on the jobs
//! before. The size of everything is estimated ([`size`]); a worker whose cache is full is replaced between two jobs, so that no
//! number or address of something dropped can be found again.

mod size;
mod table;

use std::cell::Cell;
use std::num::NonZeroU32;
use std::rc::Rc;

use tpv_python::exception::PyResult;
use tpv_python::value::Value;
use tpv_python::vm::Vm;

use super::data::{one_dict, one_list};
use super::entity::{Entity, Identity};
use super::heap_size::HeapSize;
use super::properties::{Properties, Property, Sources};
use super::provided::Provided;
use super::rule_map::Rules;
use tpv_model::{EntityClass, Matched};

use table::Table;

/// The default size of a thread's cache: far more than the recurring values of a server's jobs.
pub(super) const MAX_BYTES: usize = 48 << 20;

/// The entities of a section whose patterns match an id, in the order of the config.
pub(super) type Matches = Rc<[Rc<Entity>]>;

/// The origin of an entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Derivation {
    /// The first inherits from the second.
    Inherit,
    /// The first is combined over the second.
    Combine,
    /// The first is a rule that matched, the second the entity that it is applied to.
    ApplyRule,
    /// The first is the second without its rules.
    WithoutRules,
}

/// Something made of some values, with the values, so that nothing else gets their addresses.
type OfValues<T, const N: usize = 2> = Table<[usize; N], ([Value; N], T)>;

/// One thread's results.
#[derive(Default)]
pub(super) struct Cache {
    /// The number of the entity that was shared last.
    last: Cell<u32>,
    /// The bytes of shared entities that are in no table.
    bytes: Cell<usize>,
    /// By class and id.
    matches: Matched<Table<Box<str>, Matches>>,
    /// The declarations of tool wrappers.
    provided: Table<Provided, Rc<Entity>>,
    /// Entities made of two others.
    derived: Table<(Derivation, NonZeroU32, NonZeroU32), Rc<Entity>>,
    /// `env`, the child's over the parent's.
    lists: OfValues<Value>,
    /// `params` and `resubmit`, the child's over the parent's.
    dicts: OfValues<Value>,
    /// `env`, `params` and the like as far as they can be written before a job is known.
    properties: OfValues<Rc<Properties>, { Property::COUNT }>,
    /// Rules over themselves, by the address of what they were, which is held.
    rules: Table<usize, [Rules; 2]>,
}

impl Cache {
    /// The bytes of everything that is kept.
    pub(super) fn bytes(&self) -> usize {
        self.bytes.get()
            + self.matches.values().map(Table::bytes).sum::<usize>()
            + self.provided.bytes()
            + self.derived.bytes()
            + self.lists.bytes()
            + self.dicts.bytes()
            + self.properties.bytes()
            + self.rules.bytes()
    }

    /// Makes an entity of the artifact one that jobs share. Numbers are never used twice: where they end, nothing more is shared.
    pub(super) fn share(&self, mut entity: Entity) -> Rc<Entity> {
        if let Some(number) = self.last.get().checked_add(1) {
            self.last.set(number);
            entity.identity = Identity::new(number);
        }
        Rc::new(entity)
    }

    /// [`Cache::share`] for an entity that is made of others and is in no table of its own.
    pub(super) fn share_counted(&self, entity: Entity) -> Rc<Entity> {
        self.bytes.set(self.bytes.get() + entity.heap_size());
        self.share(entity)
    }

    /// The entities of a section that match a name; `find` finds them.
    ///
    /// # Errors
    /// Exceptions of `find`; they are not cached.
    pub(super) fn matches(
        &self,
        class: EntityClass,
        name: &str,
        find: impl FnOnce() -> PyResult<Matches>,
    ) -> PyResult<Matches> {
        let Some(names) = self.matches.get(class) else { return find() };
        if let Some(known) = names.get(name) {
            return Ok(known);
        }
        let matches = find()?;
        names.insert(name.into(), matches.clone());
        Ok(matches)
    }

    /// The entity for what a tool's wrapper declares.
    pub(super) fn provided(&self, provided: Provided, make: impl FnOnce(&Provided) -> Entity) -> Rc<Entity> {
        self.provided.get(&provided).unwrap_or_else(|| {
            let entity = self.share(make(&provided));
            self.provided.insert(provided, entity.clone());
            entity
        })
    }

    /// The entity that was derived from the two of these numbers.
    pub(super) fn derived(&self, how: Derivation, [first, second]: [NonZeroU32; 2]) -> Option<Rc<Entity>> {
        self.derived.get(&(how, first, second))
    }

    /// Keeps the entity that is derived from the two of these numbers.
    pub(super) fn keep_derived(&self, how: Derivation, [first, second]: [NonZeroU32; 2], made: Entity) -> Rc<Entity> {
        let made = self.share(made);
        self.derived.insert((how, first, second), made.clone());
        made
    }

    /// An entity without its rules. `None` if jobs do not share it.
    pub(super) fn without_rules(&self, entity: &Rc<Entity>) -> Option<Rc<Entity>> {
        let number = entity.identity.number()?;
        if entity.rules.is_empty() {
            return Some(entity.clone());
        }
        Some(self.derived.get_or_insert((Derivation::WithoutRules, number, number), || {
            let mut without = Entity::clone(entity);
            without.rules = Rc::default();
            self.share(without)
        }))
    }

    /// The merged form of two lists of entities that jobs share.
    ///
    /// # Errors
    /// Exceptions of `merge`.
    pub(super) fn lists(
        &self,
        child: &Value,
        parent: &Value,
        merge: impl FnOnce() -> PyResult<Value>,
    ) -> PyResult<Value> {
        one_list(child, parent).map_or_else(|| of_values(&self.lists, [child, parent], merge), Ok)
    }

    /// The merged form of two dicts of entities that jobs share.
    ///
    /// # Errors
    /// Exceptions of `merge`.
    pub(super) fn dicts(
        &self,
        child: &Value,
        parent: &Value,
        merge: impl FnOnce() -> PyResult<Value>,
    ) -> PyResult<Value> {
        one_dict(child, parent).map_or_else(|| of_values(&self.dicts, [child, parent], merge), Ok)
    }

    /// The properties of an entity, made of those of its parts that jobs share.
    pub(super) fn properties(&self, sources: Sources<'_>, make: impl FnOnce() -> Properties) -> Option<Rc<Properties>> {
        of_parts(&self.properties, sources, || Ok(Rc::new(make()))).ok()
    }

    /// Rules that jobs share, over themselves.
    ///
    /// # Errors
    /// Exceptions of `merge`; they are not cached.
    pub(super) fn rules_over_themselves(
        &self,
        rules: &Rules,
        merge: impl FnOnce() -> PyResult<Rules>,
    ) -> PyResult<Rules> {
        let address = Rc::as_ptr(rules) as usize;
        if let Some(known) = self.rules.get_part(&address, |[_, merged]| merged.clone()) {
            return Ok(known);
        }
        let merged = merge()?;
        self.rules.insert(address, [rules.clone(), merged.clone()]);
        Ok(merged)
    }
}

/// Makes a result that is kept. Found or made, it costs the job the same, which is nothing.
pub(super) fn unpaid<T>(vm: &mut Vm, make: impl FnOnce(&mut Vm) -> T) -> T {
    let steps = vm.steps_left();
    vm.restore_steps(vm.limits.steps);
    let made = make(vm);
    vm.restore_steps(steps);
    made
}

/// The cached result for some values, or else that of `make`.
fn of_values<T: Clone + HeapSize, const N: usize>(
    table: &OfValues<T, N>,
    values: [&Value; N],
    make: impl FnOnce() -> PyResult<T>,
) -> PyResult<T>
where
    [usize; N]: HeapSize,
{
    of_parts(table, values.map(Some), make)
}

/// The same of the values that are given.
fn of_parts<T: Clone + HeapSize, const N: usize>(
    table: &OfValues<T, N>,
    values: [Option<&Value>; N],
    make: impl FnOnce() -> PyResult<T>,
) -> PyResult<T>
where
    [usize; N]: HeapSize,
{
    let addresses = values.map(|value| value.map_or(Some(NOT_GIVEN), address));
    if addresses.iter().any(Option::is_none) {
        return make();
    }
    let addresses = addresses.map(Option::unwrap_or_default);
    if let Some(known) = table.get_part(&addresses, |(_, known)| known.clone()) {
        return Ok(known);
    }
    let made = make()?;
    table.insert(addresses, (values.map(|value| value.cloned().unwrap_or(Value::None)), made.clone()));
    Ok(made)
}

/// Stands for a value that is not given. No list or dict has this address.
const NOT_GIVEN: usize = usize::MAX;

/// The address of a list or dict; 0 for `None`. Other values have no address of their own.
fn address(value: &Value) -> Option<usize> {
    match value {
        Value::List(list) => Some(Rc::as_ptr(list).cast::<u8>() as usize),
        Value::Dict(dict) => Some(Rc::as_ptr(dict).cast::<u8>() as usize),
        Value::None => Some(0),
        _ => None,
    }
}
