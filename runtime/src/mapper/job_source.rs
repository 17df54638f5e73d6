//! The mapper's own queries of a job, be it a line of a job file or objects of the host: the tool's name and
//! declarations, the user's roles and email.

use std::borrow::Cow;
use std::slice;
use std::sync::Arc;

use tpv_galaxy::helpers::resource_fields;
use tpv_galaxy::job::{Job, Role};
use tpv_galaxy::resource_requirements::extract;
use tpv_model::{Resource, Version};
use tpv_python::args::Args;
use tpv_python::exception::{PyResult, Raised, type_error};
use tpv_python::string::Str;
use tpv_python::types::STR;
use tpv_python::value::Value;
use tpv_python::vm::Vm;

use super::host_job::HostJob;

/// A job as it was given.
#[derive(Clone, Copy)]
pub(super) enum JobSource<'a> {
    /// A line of a job file.
    Record(&'a Arc<Job>),
    /// Objects of the host.
    Objects(&'a HostJob),
}

/// The name looked up in a section: a text, or any other value that the host's object had in its place.
pub(super) enum Name<'a> {
    /// A text.
    Text(Cow<'a, str>),
    /// No text.
    Other(Value),
}

impl Name<'_> {
    /// The text to look up; nothing of what is none.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Other(_) => None,
        }
    }

    /// The exception for matching a pattern against it if it is not text.
    pub(super) fn not_text(&self) -> Raised {
        match self {
            Self::Other(Value::Bytes(_)) => type_error("cannot use a string pattern on a bytes-like object"),
            Self::Other(value) => {
                let class = value.type_name();
                type_error(format!("expected string or bytes-like object, got '{}'", class.as_str()))
            }
            Self::Text(_) => type_error("expected string or bytes-like object, got 'str'"),
        }
    }
}

/// A value as a name.
fn name(vm: &mut Vm, value: Value) -> PyResult<Name<'static>> {
    Ok(match value {
        Value::Str(text) => Name::Text(Cow::Owned(text.to_string())),
        other if other.class().is_subclass(&STR) => Name::Text(Cow::Owned(vm.str(&other)?.to_string())),
        other => Name::Other(other),
    })
}

/// The facts about a tool that the mapper needs.
pub(super) struct ToolFacts<'a> {
    /// The name to look up.
    pub name: Name<'a>,
    /// The tool's own declarations; `None` if the object does not count as a tool.
    pub declared: Option<Declared<'a>>,
}

/// The declarations of a tool's wrapper.
pub(super) struct Declared<'a> {
    /// The tool's id, or its uuid where it has one.
    pub id: Cow<'a, str>,
    /// Its type; `None` is `default`.
    pub tool_type: Option<Cow<'a, str>>,
    /// The resources that it asks for.
    pub resources: Vec<(Resource, Value)>,
}

/// The name under which a tool without id is looked up.
pub(super) const UNKNOWN_TOOL: &str = "unknown_tool_id";

impl<'a> JobSource<'a> {
    /// The facts about the tool.
    ///
    /// # Errors
    /// Exceptions raised by the host's object.
    pub(super) fn tool(self, vm: &mut Vm, version: Version) -> PyResult<ToolFacts<'a>> {
        let job = match self {
            Self::Record(job) => job,
            Self::Objects(objects) => return tool_of_objects(vm, objects, version),
        };
        let tool = &job.tool;
        // A tool with a uuid of its own is looked up by that: it must not take another tool's rules by its id.
        let (id, uuid) = (job.text(tool.id), tool.dynamic_tool_uuid.map(|uuid| job.text(uuid)));
        if !version.reads_wrappers() {
            return Ok(ToolFacts { name: Name::Text(Cow::Borrowed(id)), declared: None });
        }
        let name = match uuid {
            Some(uuid) => Cow::Owned(format!("{}-{uuid}", tool.tool_type(job))),
            None if id.is_empty() => Cow::Borrowed(UNKNOWN_TOOL),
            None => Cow::Borrowed(id),
        };
        let resources = extract(&tool.resource_requirements, version)
            .filter_map(|(field, number)| Some((Resource::from_name(field)?, Value::Float(number))));
        let declared = Declared {
            id: Cow::Borrowed(uuid.unwrap_or(id)),
            tool_type: tool.tool_type.map(|tool_type| Cow::Borrowed(job.text(tool_type))),
            resources: resources.collect(),
        };
        Ok(ToolFacts { name: Name::Text(name), declared: Some(declared) })
    }

    /// The roles of the user; nothing of an anonymous job.
    ///
    /// # Errors
    /// Exceptions raised by the host's object.
    pub(super) fn roles(self, vm: &mut Vm) -> PyResult<Option<Roles<'a>>> {
        match self {
            Self::Record(job) => Ok(job.user.as_ref().map(|user| Roles::Record(job, user.roles.iter()))),
            Self::Objects(objects) => {
                if !vm.truthy(&objects.user)? {
                    return Ok(None);
                }
                let roles = vm.call_method(&objects.user, "all_roles", Args::none())?;
                vm.iter(&roles).map(|iterator| Some(Roles::Objects(iterator)))
            }
        }
    }

    /// The email of the user.
    ///
    /// # Errors
    /// Exceptions raised by the host's object.
    pub(super) fn email(self, vm: &mut Vm) -> PyResult<Name<'a>> {
        match self {
            Self::Record(job) => {
                let email = job.user.as_ref().and_then(|user| user.email);
                Ok(email.map_or(Name::Other(Value::None), |email| Name::Text(Cow::Borrowed(job.text(email)))))
            }
            Self::Objects(objects) => {
                let email = vm.get_attr(&objects.user, "email")?;
                name(vm, email)
            }
        }
    }
}

/// The roles of a user that are left to be looked at.
pub(super) enum Roles<'a> {
    /// Those of the record.
    Record(&'a Job, slice::Iter<'a, Role>),
    /// An iterator of the host's objects.
    Objects(Value),
}

impl<'a> Roles<'a> {
    /// The name of the next role that is not deleted.
    ///
    /// # Errors
    /// Exceptions raised by the host's objects.
    pub(super) fn next(&mut self, vm: &mut Vm) -> PyResult<Option<Name<'a>>> {
        match self {
            Self::Record(job, roles) => {
                let role = roles.find(|role| !role.deleted);
                Ok(role.map(|role| Name::Text(Cow::Borrowed(job.text(role.name)))))
            }
            Self::Objects(iterator) => {
                while let Some(role) = vm.next(iterator)? {
                    let deleted = vm.get_attr(&role, "deleted")?;
                    if !vm.truthy(&deleted)? {
                        let role = vm.get_attr(&role, "name")?;
                        return name(vm, role).map(Some);
                    }
                }
                Ok(None)
            }
        }
    }
}

/// The facts about a tool that is an object of the host.
fn tool_of_objects(vm: &mut Vm, objects: &HostJob, version: Version) -> PyResult<ToolFacts<'static>> {
    let tool = &objects.tool;
    if !version.reads_wrappers() {
        let id = vm.get_attr(tool, "id")?;
        return Ok(ToolFacts { name: name(vm, id)?, declared: None });
    }
    let dynamic_tool = vm.get_attr(tool, "dynamic_tool")?;
    let mut tool_type = None;
    let name = if vm.truthy(&dynamic_tool)? {
        let shown = shown_type(vm, tool)?;
        let uuid = vm.get_attr(&dynamic_tool, "uuid")?;
        let uuid = vm.format(&uuid, "")?;
        let name = format!("{}-{}", shown.as_str(), uuid.as_str());
        tool_type = Some(shown);
        Name::Text(Cow::Owned(name))
    } else {
        let id = vm.get_attr(tool, "id")?;
        if vm.truthy(&id)? { name(vm, id)? } else { Name::Text(Cow::Borrowed(UNKNOWN_TOOL)) }
    };
    if !vm.truthy(tool)? {
        return Ok(ToolFacts { name, declared: None });
    }
    let mut resources = Vec::new();
    for (field, value) in resource_fields(vm, tool, version)?.items() {
        if let Some(resource) = field.as_str().and_then(|field| Resource::from_name(field)) {
            resources.push((resource, resource_value(vm, value)?));
        }
    }
    let id = vm.get_attr(tool, "id")?;
    let id = vm.find_attr(&dynamic_tool, "uuid")?.unwrap_or(id);
    let id = vm.format(&id, "")?;
    let tool_type = match tool_type {
        Some(shown) => shown,
        None => shown_type(vm, tool)?,
    };
    let declared =
        Declared { id: Cow::Owned(id.to_string()), tool_type: Some(Cow::Owned(tool_type.to_string())), resources };
    Ok(ToolFacts { name, declared: Some(declared) })
}

/// `f"{tool.tool_type}"`
fn shown_type(vm: &mut Vm, tool: &Value) -> PyResult<Str> {
    let tool_type = vm.get_attr(tool, "tool_type")?;
    vm.format(&tool_type, "")
}

/// A resource as TPV's entity takes it: an int, a float or a string.
fn resource_value(vm: &mut Vm, value: Value) -> PyResult<Value> {
    match value {
        Value::Int(_) | Value::BigInt(_) | Value::Float(_) | Value::Str(_) => Ok(value),
        Value::Bool(value) => Ok(Value::Int(i64::from(value))),
        other if other.class().is_subclass(&STR) => vm.str(&other).map(Value::Str),
        // DIFFERENCE: TPV raises a `ValidationError` of pydantic, with a text of several lines.
        other => {
            let class = other.type_name();
            Err(type_error(format!("a resource must be a number or a string, not '{}'", class.as_str())))
        }
    }
}
