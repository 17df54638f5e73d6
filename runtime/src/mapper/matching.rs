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

/// The least and the most of each quantity that a destination accepts; without a limit, a bound that refuses nothing.
pub(super) struct Bounds([(f64, f64); Quantity::COUNT]);

impl Bounds {
    /// The bounds. `None` if a limit is not exactly a double, so it must be compared as in Python.
    pub(super) fn new(destination: &Entity) -> Option<Self> {
        let bound = |limit, unset| match destination.limit(limit) {
            Value::None => Some(unset),
            other => exact(other),
        };
        let mut bounds = [(0.0, 0.0); Quantity::COUNT];
        for (bounds, quantity) in bounds.iter_mut().zip(Quantity::ALL) {
            let least = bound(quantity.least_accepted(), f64::NEG_INFINITY)?;
            *bounds = (least, bound(quantity.most_accepted(), f64::INFINITY)?);
        }
        Some(Self(bounds))
    }

    /// Returns `true` if the wanted amounts exceed none of the limits; NaN wants nothing.
    pub(super) fn take(&self, wanted: &[f64; Quantity::COUNT]) -> bool {
        // A comparison with NaN is false: it refuses nothing, as in Python.
        !self.0.iter().zip(wanted).any(|((least, most), wanted)| most < wanted || least > wanted)
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

/// The requested amounts as doubles, NaN if unset. `None` if one is not a plain number.
pub(super) fn wanted(resources: &Resources) -> Option<[f64; Quantity::COUNT]> {
    let mut wanted = [f64::NAN; Quantity::COUNT];
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
