//! Match: whether a destination can take an entity. TPV's `Destination.matches`.

use std::rc::Rc;

use tpv_galaxy::tpv::version_of;
use tpv_model::{Limit, Quantity, Resource};
use tpv_python::args::Args;
use tpv_python::builtins::scalars;
use tpv_python::exception::PyResult;
use tpv_python::value::Value;
use tpv_python::vm::{CompareOp, Vm};

use super::entity::Entity;
use super::tags::Tags;

/// The comparison of a limit with the wanted amount that refuses it.
fn refuses(limit: Limit) -> CompareOp {
    if limit.is_upper() { CompareOp::Lt } else { CompareOp::Gt }
}

/// The resources of an entity, evaluated or not, by [`Resource`].
pub(super) type Resources = [Value; Resource::COUNT];

/// Returns `true` if the destination is not abstract, takes the entity's evaluated resources and fits its tags.
///
/// # Errors
/// Exceptions of `float()` for a resource that is not a number.
pub fn matches(vm: &mut Vm, destination: &Entity, entity: &Entity) -> PyResult<bool> {
    matches_resources(vm, destination, &entity.amounts.resources, &entity.tags)
}

/// [`matches`] for resources that are not those of an entity.
pub(super) fn matches_resources(
    vm: &mut Vm,
    destination: &Entity,
    resources: &Resources,
    tags: &Tags,
) -> PyResult<bool> {
    if vm.truthy(&destination.is_abstract)? {
        return Ok(false);
    }
    for limit in Limit::ACCEPTED {
        let wanted = resources.get(limit.quantity().resource() as usize).unwrap_or(&Value::None);
        let (limit, refuses) = (destination.limit(limit), refuses(limit));
        if limit.is_none() || wanted.is_none() {
            continue;
        }
        let wanted = if version_of(vm).has_models() { float(vm, wanted)? } else { wanted.clone() };
        let refused = vm.compare(refuses, limit, &wanted)?;
        if vm.truthy(&refused)? {
            return Ok(false);
        }
    }
    Ok(destination.fits(tags))
}

/// `float(value)`
fn float(vm: &mut Vm, value: &Value) -> PyResult<Value> {
    match value {
        Value::Float(_) => Ok(value.clone()),
        other => scalars::float(vm, Args::one(other.clone())),
    }
}

/// The limits of a destination as numbers, in the order of [`Limit::ACCEPTED`]; without one, a bound that refuses nothing.
pub(super) struct Bounds([f64; 6]);

impl Bounds {
    /// The bounds. `None` if a limit is not exactly a double, so it must be compared as in Python.
    pub(super) fn new(destination: &Entity) -> Option<Self> {
        let mut bounds = [0.0; 6];
        for (bound, limit) in bounds.iter_mut().zip(Limit::ACCEPTED) {
            *bound = match destination.limit(limit) {
                Value::None if limit.is_upper() => f64::INFINITY,
                Value::None => f64::NEG_INFINITY,
                other => exact(other)?,
            };
        }
        Some(Self(bounds))
    }

    /// Returns `true` if the wanted cores, mem and gpus exceed none of the limits; NaN wants nothing.
    pub(super) fn take(&self, wanted: &[f64; 3]) -> bool {
        let [max_cores, max_mem, max_gpus, min_cores, min_mem, min_gpus] = self.0;
        let [cores, mem, gpus] = *wanted;
        // A comparison with NaN is false: it refuses nothing, as in Python.
        !(max_cores < cores
            || max_mem < mem
            || max_gpus < gpus
            || min_cores > cores
            || min_mem > mem
            || min_gpus > gpus)
    }
}

/// The number as a double, where that loses nothing.
fn exact(value: &Value) -> Option<f64> {
    const EXACT: i64 = 1 << 53;
    match value {
        Value::Float(number) => Some(*number),
        #[expect(clippy::cast_precision_loss, reason = "checked to be exact")]
        Value::Int(number) if (-EXACT..=EXACT).contains(number) => Some(*number as f64),
        Value::Bool(value) => Some(f64::from(u8::from(*value))),
        _ => None,
    }
}

/// The requested cores, mem and gpus as doubles, NaN if unset. `None` if one is not a plain number.
pub(super) fn wanted(resources: &Resources) -> Option<[f64; 3]> {
    let mut wanted = [f64::NAN; 3];
    for (number, quantity) in wanted.iter_mut().zip(Quantity::ALL) {
        match resources.get(quantity.resource() as usize) {
            None | Some(Value::None) => {}
            Some(value) => *number = exact(value)?,
        }
    }
    Some(wanted)
}

/// An entity with its resources evaluated, for observers.
pub(super) fn with_resources(entity: &Entity, resources: &Resources) -> Rc<Entity> {
    let mut evaluated = Entity::clone(entity);
    evaluated.amounts.resources = resources.clone();
    Rc::new(evaluated)
}
