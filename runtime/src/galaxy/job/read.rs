//! From the JSON of a line to the job: one function an object of the file.

use num_bigint::BigInt;

use super::Job;
use super::fields::{expect, expect_object_or_null, int, missing, object_or_null, or_null, text, text_or_null};
use super::raw::{Further, RawJson};
use super::records::{DatasetId, History, InputDataset, Role, Size, Tool, User};
use crate::galaxy::json::{Fault, Json, Kind, Reader};
use crate::galaxy::resource_requirements::Requirement;
use tpv_python::value::Value;

/// The job of a line.
pub(super) fn read_job(reader: &mut Reader<'_>) -> Result<Job, Fault> {
    let mut job = Job {
        id: "null".into(),
        seed: None,
        tool: Tool::default(),
        user: None,
        job_id: 1,
        state: "new".into(),
        param_values: None,
        parameters: Vec::new(),
        input_datasets: Vec::new(),
        history: None,
        destination_params: None,
        further: Further::default(),
        job_wrapper: None,
        resource_params: None,
        workflow_invocation_uuid: None,
        stand_in: false,
    };
    let mut tool = None;
    expect(reader, Kind::Object, "a job must be an object")?;
    reader.object(|reader, key| {
        match &*key {
            "id" => match reader.kind()? {
                Kind::List | Kind::Object => return Err(Fault::new("must be a scalar", reader.offset())),
                _ => job.id = reader.raw()?.into(),
            },
            "seed" => {
                job.seed = or_null(reader, |reader| {
                    Ok(match reader.integer()? {
                        Value::BigInt(big) => (*big).clone(),
                        Value::Int(small) => small.into(),
                        _ => BigInt::ZERO,
                    })
                })?;
            }
            "tool" => tool = Some(read_tool(reader)?),
            "user" => {
                expect_object_or_null(reader)?;
                job.user = or_null(reader, read_user)?;
            }
            "job" => {
                expect_object_or_null(reader)?;
                or_null(reader, |reader| read_galaxy_job(reader, &mut job))?;
            }
            "job_wrapper" => job.job_wrapper = object_or_null(reader)?,
            "resource_params" => job.resource_params = object_or_null(reader)?,
            "workflow_invocation_uuid" => job.workflow_invocation_uuid = text_or_null(reader)?,
            _ => {
                reader.raw()?;
            }
        }
        Ok(())
    })?;
    job.tool = tool.ok_or_else(|| missing("tool"))?;
    Ok(job)
}

fn read_tool(reader: &mut Reader<'_>) -> Result<Tool, Fault> {
    let mut tool = Tool::default();
    let mut id = None;
    reader.object(|reader, key| {
        match &*key {
            "id" => id = Some(text(reader)?),
            "version" => tool.version = text_or_null(reader)?,
            "old_id" => tool.old_id = Some(text(reader)?),
            "tool_type" => tool.tool_type = Some(text(reader)?),
            "requires_galaxy_python_environment" => tool.requires_galaxy_python_environment = reader.bool()?,
            "resource_requirements" => {
                expect_object_or_null(reader)?;
                tool.resource_requirements = or_null(reader, read_requirements)?.unwrap_or_default();
            }
            // An empty uuid is no dynamic tool, as in Python's truth of it.
            "dynamic_tool_uuid" => tool.dynamic_tool_uuid = text_or_null(reader)?.filter(|uuid| !uuid.is_empty()),
            _ => tool.further.read(reader, &key)?,
        }
        Ok(())
    })?;
    tool.id = id.ok_or_else(|| missing("id"))?;
    Ok(tool)
}

fn read_requirements(reader: &mut Reader<'_>) -> Result<Vec<Requirement>, Fault> {
    let mut requirements: Vec<Requirement> = Vec::new();
    reader.object(|reader, key| {
        let at = reader.offset();
        let value = match reader.kind()? {
            Kind::Number | Kind::String => Json::read(reader)?,
            _ => return Err(Fault::new("must be a number or a string", at)),
        };
        let requirement = Requirement::new(&key, value).map_err(|message| Fault::new(message, at))?;
        match requirements.iter_mut().find(|known| known.resource_type() == &*key) {
            Some(known) => *known = requirement,
            None => requirements.push(requirement),
        }
        Ok(())
    })?;
    Ok(requirements)
}

fn read_user(reader: &mut Reader<'_>) -> Result<User, Fault> {
    let mut user = User { id: 1, ..User::default() };
    reader.object(|reader, key| {
        match &*key {
            "id" => user.id = int(reader)?,
            "username" => user.username = Some(text(reader)?),
            "email" => user.email = text_or_null(reader)?,
            "roles" => user.roles = reader.items(read_role)?,
            "extra_preferences" => user.extra_preferences = Some(RawJson::object(reader)?),
            _ => user.further.read(reader, &key)?,
        }
        Ok(())
    })?;
    Ok(user)
}

fn read_role(reader: &mut Reader<'_>) -> Result<Role, Fault> {
    match reader.kind()? {
        Kind::String => Ok(Role { name: text(reader)?, deleted: false }),
        Kind::Object => {
            let (mut name, mut deleted) = (None, false);
            reader.object(|reader, key| {
                match &*key {
                    "name" => name = Some(text(reader)?),
                    "deleted" => deleted = reader.bool()?,
                    _ => {
                        reader.raw()?;
                    }
                }
                Ok(())
            })?;
            Ok(Role { name: name.ok_or_else(|| missing("name"))?, deleted })
        }
        _ => Err(Fault::new("must be a name or an object", reader.offset())),
    }
}

fn read_galaxy_job(reader: &mut Reader<'_>, job: &mut Job) -> Result<(), Fault> {
    reader.object(|reader, key| {
        match &*key {
            "id" => job.job_id = int(reader)?,
            "state" => job.state = text(reader)?,
            "param_values" => job.param_values = Some(RawJson::object(reader)?),
            "parameters" => {
                expect_object_or_null(reader)?;
                let mut parameters: Vec<(Box<str>, Box<str>)> = Vec::new();
                or_null(reader, |reader| {
                    reader.object(|reader, key| {
                        let value = text(reader)?;
                        match parameters.iter_mut().find(|(name, _)| **name == *key) {
                            Some((_, known)) => *known = value,
                            None => parameters.push((key.into(), value)),
                        }
                        Ok(())
                    })
                })?;
                job.parameters = parameters;
            }
            "input_datasets" => job.input_datasets = reader.items(read_input)?,
            "history" => {
                expect_object_or_null(reader)?;
                job.history = or_null(reader, read_history)?;
            }
            "destination_params" => job.destination_params = object_or_null(reader)?,
            _ => job.further.read(reader, &key)?,
        }
        Ok(())
    })
}

fn read_input(reader: &mut Reader<'_>) -> Result<InputDataset, Fault> {
    let mut input = InputDataset::default();
    let mut id = None;
    reader.object(|reader, key| {
        match &*key {
            "name" => input.name = text(reader)?,
            "id" => {
                id = Some(match reader.kind()? {
                    Kind::Number => DatasetId::Int(int(reader)?),
                    Kind::String => DatasetId::Str(text(reader)?),
                    _ => return Err(Fault::new("must be an integer or a string", reader.offset())),
                });
            }
            "size" => {
                let at = reader.offset();
                let wrong = |message| Err(Fault::new(message, at));
                input.size = match reader.kind()? {
                    Kind::Null => reader.null().map(|_| None)?,
                    Kind::Number => match reader.number()? {
                        Value::Int(size) => Some(Size::Int(size)),
                        Value::Float(size) => Some(Size::Float(size)),
                        _ => return wrong("must fit 64 bits"),
                    },
                    _ => return wrong("must be a number of bytes or null"),
                };
            }
            "extension" => input.extension = Some(text(reader)?),
            "object_store_id" => input.object_store_id = text_or_null(reader)?,
            "metadata" => input.metadata = Some(RawJson::object(reader)?),
            _ => input.further.read(reader, &key)?,
        }
        Ok(())
    })?;
    input.id = id.ok_or_else(|| missing("id"))?;
    Ok(input)
}

fn read_history(reader: &mut Reader<'_>) -> Result<History, Fault> {
    let mut history = History { id: 1, ..History::default() };
    reader.object(|reader, key| {
        match &*key {
            "id" => history.id = int(reader)?,
            "name" => history.name = Some(text(reader)?),
            "tags" => history.tags = reader.items(read_tag)?,
            _ => history.further.read(reader, &key)?,
        }
        Ok(())
    })?;
    Ok(history)
}

fn read_tag(reader: &mut Reader<'_>) -> Result<(Box<str>, Option<Box<str>>), Fault> {
    match reader.kind()? {
        Kind::String => Ok((text(reader)?, None)),
        Kind::Object => {
            let (mut name, mut value) = (None, None);
            reader.object(|reader, key| {
                match &*key {
                    "name" => name = Some(text(reader)?),
                    "value" => value = text_or_null(reader)?,
                    _ => {
                        reader.raw()?;
                    }
                }
                Ok(())
            })?;
            Ok((name.ok_or_else(|| missing("name"))?, value))
        }
        _ => Err(Fault::new("must be a name or an object", reader.offset())),
    }
}
