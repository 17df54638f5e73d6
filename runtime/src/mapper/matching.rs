//! Match: whether a destination can take an entity. TPV's `Destination.matches`.

use crate::artifact::tables::{Limit, Resource};
use crate::python::args::Args;
use crate::python::builtins::construct;
use crate::python::exception::PyResult;
use crate::python::value::Value;
use crate::python::vm::{CompareOp, Vm};

use super::entity::Entity;

/// The limits in the order TPV checks them: the limit, the resource, and the comparison that refuses.
pub(super) const CHECKS: [(Limit, Resource, CompareOp); 6] = [
    (Limit::MaxAcceptedCores, Resource::Cores, CompareOp::Lt),
    (Limit::MaxAcceptedMem, Resource::Mem, CompareOp::Lt),
    (Limit::MaxAcceptedGpus, Resource::Gpus, CompareOp::Lt),
    (Limit::MinAcceptedCores, Resource::Cores, CompareOp::Gt),
    (Limit::MinAcceptedMem, Resource::Mem, CompareOp::Gt),
    (Limit::MinAcceptedGpus, Resource::Gpus, CompareOp::Gt),
];

/// Whether the destination is not abstract, takes the entity's evaluated resources and fits its tags.
///
/// # Errors
/// What `float()` raises for a resource that is no number.
pub fn matches(vm: &mut Vm, destination: &Entity, entity: &Entity) -> PyResult<bool> {
    if vm.truthy(&destination.abstract_)? {
        return Ok(false);
    }
    for (limit, resource, refuses) in CHECKS {
        let (limit, wanted) = (destination.limit(limit), entity.resource(resource));
        if limit.is_none() || wanted.is_none() {
            continue;
        }
        let wanted = float(vm, wanted)?;
        let refused = vm.compare(refuses, limit, &wanted)?;
        if vm.truthy(&refused)? {
            return Ok(false);
        }
    }
    Ok(entity.tags.matches(&destination.dest_tags()))
}

/// `float(value)`
fn float(vm: &mut Vm, value: &Value) -> PyResult<Value> {
    match value {
        Value::Float(_) => Ok(value.clone()),
        other => construct::float(vm, Args::one(other.clone())),
    }
}
