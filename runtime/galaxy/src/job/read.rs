//! From the JSON of a line to the job: one function an object of the file.

use num_bigint::BigInt;

use super::Job;
use super::fields::{int, missing, object_or_null, raw_object, raw_string};
use super::raw::{Further, RawJson};
use super::records::{DatasetId, History, InputDataset, Role, Size, Tool, User};
use crate::json::{Fault, Json, Kind, Place, Reader};
use crate::name_index::NameIndex;
use crate::resource_requirements::Requirement;
use tpv_python::value::Value;

/// The job of a line.
pub(super) fn read_job(reader: &mut Reader<'_>) -> Result<Job, Fault> {
    let mut job = Job {
        line: Box::default(),
        id: "null".into(),
        seed: None,
        tool: Tool::default(),
        user: None,
        job_id: 1,
        state: None,
        param_values: None,
        parameters: Vec::new(),
        input_datasets: Vec::new(),
        history: None,
        destination_params: None,
        further: Further::default(),
        job_wrapper: None,
        resource_params: None,
        workflow_invocation_uuid: None,
        dispatcher: None,
        outcome: None,
        stand_in: false,
    };
    let mut tool = None;
    if !reader.is_at(b'{') {
        return Err(reader.unexpected("a job must be an object"));
    }
    reader.fields(|reader, key| {
        match reader.bytes_at(key) {
            b"id" => match reader.kind()? {
                Kind::List | Kind::Object => return Err(Fault::new("must be a scalar", reader.offset())),
                _ => job.id = reader.raw()?.into(),
            },
            b"seed" => job.seed = read_seed(reader)?,
            b"tool" => tool = Some(read_tool(reader)?),
            b"user" => job.user = object_or_null(reader, read_user)?,
            b"job" => {
                object_or_null(reader, |reader| read_galaxy_job(reader, &mut job))?;
            }
            b"job_wrapper" => job.job_wrapper = object_or_null(reader, RawJson::read)?,
            b"resource_params" => job.resource_params = object_or_null(reader, RawJson::read)?,
            b"workflow_invocation_uuid" => job.workflow_invocation_uuid = reader.place_or_null()?,
            b"dispatcher" => job.dispatcher = Some(reader.place_or_null()?),
            b"outcome" => job.outcome = object_or_null(reader, RawJson::read)?,
            _ => {
                reader.raw()?;
            }
        }
        Ok(())
    })?;
    job.tool = tool.ok_or_else(|| missing("tool"))?;
    Ok(job)
}

fn read_seed(reader: &mut Reader<'_>) -> Result<Option<BigInt>, Fault> {
    if reader.null()? {
        return Ok(None);
    }
    Ok(match reader.integer()? {
        Value::BigInt(big) => Some((*big).clone()),
        Value::Int(small) => Some(small.into()),
        _ => None,
    })
}

fn read_tool(reader: &mut Reader<'_>) -> Result<Tool, Fault> {
    let mut tool = Tool::default();
    let mut id = None;
    reader.fields(|reader, key| {
        match reader.bytes_at(key) {
            b"id" => id = Some(reader.place()?),
            b"version" => tool.version = reader.place_or_null()?,
            b"old_id" => tool.old_id = Some(reader.place()?),
            b"tool_type" => tool.tool_type = Some(reader.place()?),
            b"requires_galaxy_python_environment" => tool.requires_galaxy_python_environment = reader.bool()?,
            b"resource_requirements" => {
                tool.resource_requirements = object_or_null(reader, read_requirements)?.unwrap_or_default();
            }
            // An empty uuid is no dynamic tool, as in Python's truth of it.
            b"dynamic_tool_uuid" => tool.dynamic_tool_uuid = reader.place_or_null()?.filter(|uuid| !uuid.is_empty()),
            _ => tool.further.read(reader, key)?,
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
    reader.fields(|reader, key| {
        match reader.bytes_at(key) {
            b"id" => user.id = int(reader)?,
            b"username" => user.username = Some(reader.place()?),
            b"email" => user.email = reader.place_or_null()?,
            b"roles" => user.roles = reader.items(read_role)?,
            b"extra_preferences" => user.extra_preferences = Some(raw_object(reader)?),
            _ => user.further.read(reader, key)?,
        }
        Ok(())
    })?;
    Ok(user)
}

fn read_role(reader: &mut Reader<'_>) -> Result<Role, Fault> {
    match reader.kind()? {
        Kind::String => Ok(Role { name: reader.place()?, deleted: false }),
        Kind::Object => {
            let (mut name, mut deleted) = (None, false);
            reader.fields(|reader, key| {
                match reader.bytes_at(key) {
                    b"name" => name = Some(reader.place()?),
                    b"deleted" => deleted = reader.bool()?,
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
    reader.fields(|reader, key| {
        match reader.bytes_at(key) {
            b"id" => job.job_id = int(reader)?,
            b"state" => job.state = Some(reader.place()?),
            b"param_values" => job.param_values = Some(raw_object(reader)?),
            b"parameters" => {
                job.parameters = object_or_null(reader, read_parameters)?.unwrap_or_default();
            }
            b"input_datasets" => job.input_datasets = reader.items(read_input)?,
            b"history" => job.history = object_or_null(reader, read_history)?,
            b"destination_params" => job.destination_params = object_or_null(reader, RawJson::read)?,
            _ => job.further.read(reader, key)?,
        }
        Ok(())
    })
}

fn read_parameters(reader: &mut Reader<'_>) -> Result<Vec<(Place, RawJson)>, Fault> {
    let mut parameters: Vec<(Place, RawJson)> = Vec::new();
    let mut index = NameIndex::default();
    reader.fields(|reader, key| {
        let value = raw_string(reader)?;
        let known = index.find(reader.at_place(key), parameters.iter().map(|(known, _)| reader.at_place(*known)));
        match known.and_then(|position| parameters.get_mut(position)) {
            Some((_, known)) => *known = value,
            None => {
                parameters.push((key, value));
                index.update(parameters.len(), |at| parameters.get(at).map(|(name, _)| reader.at_place(*name)));
            }
        }
        Ok(())
    })?;
    Ok(parameters)
}

fn read_input(reader: &mut Reader<'_>) -> Result<InputDataset, Fault> {
    let mut input = InputDataset::default();
    let mut id = None;
    reader.fields(|reader, key| {
        match reader.bytes_at(key) {
            b"name" => input.name = reader.place()?,
            b"id" => {
                id = Some(match reader.kind()? {
                    Kind::Number => DatasetId::Int(int(reader)?),
                    Kind::String => DatasetId::Str(reader.string()?.into()),
                    _ => return Err(Fault::new("must be an integer or a string", reader.offset())),
                });
            }
            b"size" => {
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
            b"extension" => input.extension = Some(reader.place()?),
            b"object_store_id" => input.object_store_id = reader.place_or_null()?,
            b"metadata" => input.metadata = Some(raw_object(reader)?),
            _ => input.further.read(reader, key)?,
        }
        Ok(())
    })?;
    input.id = id.ok_or_else(|| missing("id"))?;
    Ok(input)
}

fn read_history(reader: &mut Reader<'_>) -> Result<History, Fault> {
    let mut history = History { id: 1, ..History::default() };
    reader.fields(|reader, key| {
        match reader.bytes_at(key) {
            b"id" => history.id = int(reader)?,
            b"name" => history.name = Some(reader.place()?),
            b"tags" => history.tags = reader.items(read_tag)?,
            _ => history.further.read(reader, key)?,
        }
        Ok(())
    })?;
    Ok(history)
}

fn read_tag(reader: &mut Reader<'_>) -> Result<(Place, Option<Place>), Fault> {
    match reader.kind()? {
        Kind::String => Ok((reader.place()?, None)),
        Kind::Object => {
            let (mut name, mut value) = (None, None);
            reader.fields(|reader, key| {
                match reader.bytes_at(key) {
                    b"name" => name = Some(reader.place()?),
                    b"value" => value = reader.place_or_null()?,
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
