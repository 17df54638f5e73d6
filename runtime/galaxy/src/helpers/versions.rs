//! Helpers that compare the version of a tool with another.

use crate::signature;
use crate::tpv::version_of;
use crate::version::VersionObject;
use tpv_python::args::Args;
use tpv_python::exception::PyResult;
use tpv_python::value::Value;
use tpv_python::vm::{CompareOp, Vm};

/// `comparator(parse_version(tool.version), parse_version(version))`, or `None` where either is `None` (since TPV 3.0).
pub(super) fn compare(vm: &mut Vm, args: Args, function: &'static str, op: CompareOp) -> PyResult<Value> {
    let [tool, wanted] = signature::bind(args, function, ["tool", "version"], 2)?;
    let found = vm.get_attr(&tool.unwrap_or(Value::None), "version")?;
    let wanted = wanted.unwrap_or(Value::None);
    if (found.is_none() || wanted.is_none()) && version_of(vm).compares_no_version() {
        return Ok(Value::None);
    }
    let (found, wanted) = (VersionObject::new(vm, &found)?, VersionObject::new(vm, &wanted)?);
    Ok(Value::Bool(op.holds(found.version().compare(&wanted.version()))))
}
