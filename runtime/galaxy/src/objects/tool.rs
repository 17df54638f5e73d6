//! The tool and its resource requirements.

use std::sync::Arc;

use super::host_object::{Fields, HostObject, host_classes, record};
use super::{stand_in, text_or_none};
use crate::job::{Further, Job};
use crate::resource_requirements::Requirement;
use crate::{signature, standard};
use tpv_python::args::Args;
use tpv_python::dict::Dict;
use tpv_python::exception::{NOT_IMPLEMENTED_ERROR, PyResult, raise};
use tpv_python::types::{BuiltinType, OBJECT};
use tpv_python::value::{Method, Value};
use tpv_python::vm::Vm;

host_classes! {
    /// `Tool`
    TOOL = "Tool" ("params_from_strings" => params_from_strings);
    /// `DynamicTool`
    DYNAMIC_TOOL = "DynamicTool" ();
}

/// `galaxy.tool_util.deps.requirements.ResourceRequirement`
pub static RESOURCE_REQUIREMENT: BuiltinType = BuiltinType {
    methods: &[Method { name: "get_value", call: get_value }, Method { name: "to_dict", call: to_dict }],
    pure: &["get_value", "to_dict"],
    ..BuiltinType::new("ResourceRequirement", "galaxy.tool_util.deps.requirements", &OBJECT)
};

/// The fields of `tool`.
struct ToolFields(Arc<Job>);

/// The object `tool` of a job.
pub(super) fn tool(job: &Arc<Job>) -> Value {
    HostObject::value(ToolFields(job.clone()))
}

impl Fields for ToolFields {
    fn class(&self) -> &'static BuiltinType {
        if self.0.stand_in { &stand_in::TOOL } else { &TOOL }
    }

    fn names(&self) -> &'static [&'static str] {
        if self.0.stand_in {
            stand_in::TOOL_NAMES
        } else {
            &[
                "id",
                "old_id",
                "version",
                "tool_type",
                "requires_galaxy_python_environment",
                "installed_tool_dependencies",
                "resource_requirements",
                "dynamic_tool",
            ]
        }
    }

    fn further(&self) -> Option<(&Job, &Further)> {
        Some((&self.0, &self.0.tool.further))
    }

    fn get(&self, name: &str) -> Option<Value> {
        let tool = &self.0.tool;
        Some(match name {
            "id" => Value::str(self.0.text(tool.id)),
            "old_id" => Value::str(tool.old_id(&self.0)),
            "version" => text_or_none(&self.0, tool.version),
            "tool_type" => Value::str(tool.tool_type(&self.0)),
            "requires_galaxy_python_environment" => Value::Bool(tool.requires_galaxy_python_environment),
            "installed_tool_dependencies" => Value::list(Vec::new()),
            "resource_requirements" => {
                let requirements = tool.resource_requirements.iter().cloned();
                Value::list(requirements.map(|requirement| HostObject::value(RequirementFields(requirement))).collect())
            }
            "dynamic_tool" => match tool.dynamic_tool_uuid {
                Some(uuid) => record(&DYNAMIC_TOOL, &["uuid"], [Value::str(self.0.text(uuid))]),
                None => Value::None,
            },
            _ => return None,
        })
    }
}

/// A resource requirement.
struct RequirementFields(Requirement);

impl Fields for RequirementFields {
    fn class(&self) -> &'static BuiltinType {
        &RESOURCE_REQUIREMENT
    }

    fn names(&self) -> &'static [&'static str] {
        &["value_or_expression", "resource_type", "runtime_required"]
    }

    fn get(&self, name: &str) -> Option<Value> {
        Some(match name {
            "value_or_expression" => self.0.value().to_value(),
            "resource_type" => Value::str(self.0.resource_type()),
            "runtime_required" => Value::Bool(self.0.number().is_none()),
            _ => return None,
        })
    }
}

/// `tool.params_from_strings(params, app, ignore_errors=False)`
fn params_from_strings(vm: &mut Vm, _: &Value, args: Args) -> PyResult<Value> {
    let names = ["params", "app", "ignore_errors"];
    let [params, ..] = signature::bind_method(args, "Tool.params_from_strings", names, 2)?;
    let items = match params.unwrap_or(Value::None) {
        Value::Dict(params) => params.items(),
        other => {
            let items = vm.call_method(&other, "items", Args::none())?;
            let pairs = vm.collect(&items)?;
            let mut items = Vec::with_capacity(pairs.len());
            for pair in pairs {
                items.push((vm.get_item(&pair, &Value::Int(0))?, vm.get_item(&pair, &Value::Int(1))?));
            }
            items
        }
    };
    let parsed = Dict::new();
    for (name, value) in items {
        let value =
            if value.as_str().is_some() { standard::call(vm, "json", "loads", Args::one(value))? } else { value };
        parsed.set(vm, name, value)?;
    }
    Ok(Value::dict(parsed))
}

/// `requirement.get_value(runtime=None, js_evaluator=None)`
fn get_value(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    signature::bind_method(args, "ResourceRequirement.get_value", ["runtime", "js_evaluator"], 0)?;
    let number = this.downcast::<HostObject<RequirementFields>>().and_then(|object| object.fields().0.number());
    if let Some(number) = number {
        return Ok(Value::Float(number));
    }
    let value = vm.get_attr(this, "value_or_expression")?;
    let text = vm.str(&value)?;
    let message = "is not an integer or float value, expressions currently not implemented";
    Err(raise(&NOT_IMPLEMENTED_ERROR, format!("{} {message}", text.as_str())))
}

/// `requirement.to_dict()`
fn to_dict(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [] = signature::bind_method(args, "ResourceRequirement.to_dict", [], 0)?;
    let mut items = Vec::new();
    for name in ["resource_type", "value_or_expression"] {
        items.push((name, vm.get_attr(this, name)?));
    }
    Ok(Value::dict(Dict::from_strs(items)))
}
