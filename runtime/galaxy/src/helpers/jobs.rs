//! Helpers on the job's parameters, on other jobs, and on what the tool asks for.

use crate::job::DatasetId;
use crate::job_table::{ToolFilter, UserFilter};
use crate::objects::world_of_session;
use crate::query::like::Like;
use crate::reads::Read;
use crate::resource_requirements::field;
use crate::signature;
use crate::standard;
use crate::tpv::version_of;
use crate::world::World;
use tpv_model::Version;
use tpv_python::args::Args;
use tpv_python::dict::Dict;
use tpv_python::exception::{KEY_ERROR, NOT_IMPLEMENTED_ERROR, PyResult, host_unavailable, type_error};
use tpv_python::lacking;
use tpv_python::value::Value;
use tpv_python::vm::{BinaryOp, CompareOp, Vm};

/// `job_args_match(job, app, args)`: whether the job's parameters have the values that the nested dict `args` gives.
pub(super) fn job_args_match(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [job, app, wanted] = signature::bind(args, "job_args_match", ["job", "app", "args"], 3)?;
    let Some(Value::Dict(wanted)) = wanted.filter(|wanted| !matches!(wanted, Value::Dict(dict) if dict.is_empty()))
    else {
        return Ok(Value::Bool(false));
    };
    let (job, app) = (job.unwrap_or(Value::None), app.unwrap_or(Value::None));
    let options = vm.call_method(&job, "get_param_values", Args::one(app))?;
    let mut matched = true;
    for (name, value) in wanted.items() {
        let mut keys = vec![name.clone()];
        collect_keys(vm, &value, &mut keys)?;
        let argument = Dict::new();
        argument.set(vm, name, value)?;
        matched &= match values_equal(vm, &options, &Value::dict(argument), &keys) {
            Err(raised) if raised.is(&KEY_ERROR) => false,
            equal => equal?,
        };
    }
    Ok(Value::Bool(matched))
}

/// The keys of nested dicts: those of a dict, then those of its values.
fn collect_keys(vm: &mut Vm, value: &Value, keys: &mut Vec<Value>) -> PyResult<()> {
    let inner = match value {
        Value::Dict(dict) => {
            keys.extend(dict.keys());
            dict.values()
        }
        Value::List(list) => list.items.borrow().clone(),
        _ => return Ok(()),
    };
    vm.charge(inner.len())?;
    vm.deeper(|vm| inner.iter().try_for_each(|value| collect_keys(vm, value, keys)))
}

/// Returns `true` if the values under the keys, one after the other, are equal in both.
fn values_equal(vm: &mut Vm, options: &Value, argument: &Value, keys: &[Value]) -> PyResult<bool> {
    let option = descend(vm, options, keys)?;
    let argument = descend(vm, argument, keys)?;
    let differs = vm.compare(CompareOp::Ne, &argument, &option)?;
    Ok(!vm.truthy(&differs)?)
}

/// `reduce(dict.__getitem__, keys, value)`
fn descend(vm: &mut Vm, value: &Value, keys: &[Value]) -> PyResult<Value> {
    let mut value = value.clone();
    for key in keys {
        if !matches!(value, Value::Dict(_)) {
            return Err(type_error(format!(
                "descriptor '__getitem__' for 'dict' objects doesn't apply to a '{}' object",
                value.type_name().as_str()
            )));
        }
        value = vm.get_item(&value, key)?;
    }
    Ok(value)
}

/// `concurrent_job_count_for_tool(app, tool, user=None)`: how many jobs of any version of the tool are queued or running.
pub(super) fn concurrent_job_count_for_tool(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [app, tool, user] = signature::bind(args, "concurrent_job_count_for_tool", ["app", "tool", "user"], 2)?;
    let (app, tool) = (app.unwrap_or(Value::None), tool.unwrap_or(Value::None));
    let tool_id = vm.get_attr(&tool, "id")?;
    let id = match &tool_id {
        Value::Str(id) if !id.is_empty() => Some(id.clone()),
        other if vm.truthy(other)? => {
            return Err(type_error(format!("argument of type '{}' is not iterable", other.type_name().as_str())));
        }
        _ => None,
    };
    let model = vm.get_attr(&app, "model")?;
    let context = vm.get_attr(&model, "context")?;
    let user_id = match user {
        Some(user) if vm.truthy(&user)? => Some(vm.get_attr(&user, "id")?),
        _ => None,
    };
    let Some(world) = world_of_session(&context) else {
        lacking::note("`helpers.concurrent_job_count_for_tool` asks the database");
        return Err(host_unavailable("jobs are counted in the session of the app only"));
    };
    let user_id = match user_id {
        None => None,
        Some(Value::None) => Some(None),
        Some(Value::Int(id)) => Some(Some(DatasetId::Int(id))),
        Some(Value::Bool(id)) => Some(Some(DatasetId::Int(i64::from(id)))),
        Some(other) => Some(Some(DatasetId::Str(vm.str(&other)?.as_str().into()))),
    };
    let user = match &user_id {
        None => UserFilter::Any,
        Some(None) => UserFilter::Anonymous,
        Some(Some(id)) => UserFilter::Id(id),
    };
    if !version_of(vm).counts_jobs_by_id() {
        world.note(|| Read::Other);
        return count_by_pattern(vm, world, id.as_ref().map_or("", |id| id.as_str()), &user);
    }
    // Tools of a tool shed count in all their versions, which is the last part of the id.
    let base = id.as_ref().and_then(|id| id.rfind('/').and_then(|end| id.get(..=end)));
    let any_version = base.map(|base| format!("{base}%"));
    let tool = match &any_version {
        Some(pattern) => ToolFilter::Like(Like::new(pattern)),
        None => ToolFilter::Equal(tool_id.as_str().map(|id| id.as_str())),
    };
    world.note(|| Read::of_count(&tool, &user));
    vm.charge(world.jobs.len())?;
    Ok(Value::from_usize(world.jobs.count(&tool, &user)))
}

/// The number of jobs before TPV 3.0: of the tools in whose ids the id is found, as a regular expression.
fn count_by_pattern(vm: &mut Vm, world: &World, id: &str, user: &UserFilter<'_>) -> PyResult<Value> {
    let base = id.rfind('/').and_then(|end| id.get(..=end));
    let pattern = Value::str(base.map_or_else(|| id.to_owned(), |base| format!("{base}.*")));
    let mut count = 0;
    for (tool, jobs) in world.jobs.counted_tools(user) {
        let found = standard::call(vm, "re", "search", Args::positional([pattern.clone(), Value::str(tool)]))?;
        count += if found.is_none() { 0 } else { jobs };
    }
    Ok(Value::from_usize(count))
}

/// `get_tool_resource_field(tool, field_name)`
pub(super) fn get_tool_resource_field(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [tool, field] = signature::bind(args, "get_tool_resource_field", ["tool", "field_name"], 2)?;
    let fields = resource_fields(vm, &tool.unwrap_or(Value::None), version_of(vm))?;
    Ok(fields.get(vm, &field.unwrap_or(Value::None))?.unwrap_or(Value::None))
}

/// `extract_resource_requirements_from_tool(galaxy_tool)`
pub(super) fn extract_resource_requirements(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let function = "extract_resource_requirements_from_tool";
    let [tool] = signature::bind(args, function, ["galaxy_tool"], 1)?;
    resource_fields(vm, &tool.unwrap_or(Value::None), version_of(vm)).map(Value::dict)
}

/// The fields of an entity that a tool's resource requirements set.
///
/// # Errors
/// Exceptions raised by the tool.
pub fn resource_fields(vm: &mut Vm, tool: &Value, version: Version) -> PyResult<Dict> {
    let fields = Dict::new();
    let Some(requirements) = vm.find_attr(tool, "resource_requirements")? else { return Ok(fields) };
    if !vm.truthy(&requirements)? {
        return Ok(fields);
    }
    for requirement in vm.collect(&requirements)? {
        let resource_type = vm.get_attr(&requirement, "resource_type")?;
        let Some((name, divisor)) = resource_type.as_str().and_then(|name| field(name, version)) else { continue };
        let value = match vm.call_method(&requirement, "get_value", Args::none()) {
            Err(raised) if raised.is(&NOT_IMPLEMENTED_ERROR) => continue,
            value => value?,
        };
        if value.is_none() {
            continue;
        }
        let value = match divisor {
            Some(divisor) => vm.binary(BinaryOp::TrueDivide, &value, &Value::Float(divisor))?,
            None => value,
        };
        fields.set_str(name.into(), value);
    }
    Ok(fields)
}
