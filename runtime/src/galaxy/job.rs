//! The job file: one job a line.
//!
//! A line is checked whole when it is read. What most rules never look at (parameter values, preferences, metadata)
//! stays text until code asks for it.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, LazyLock};

use memchr::memmem::Finder;
use num_bigint::BigInt;

use super::json::{Fault, Json, Kind, Reader, last_of_equal_keys};
use super::resource_requirements::Requirement;
use crate::python::modules::datetime::naive_utc;
use crate::python::value::Value;

/// Why a line is no job: the message of the `InvalidJob` error that answers it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidJob(pub String);

impl fmt::Display for InvalidJob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InvalidJob {}

/// The text of a JSON value that was checked when its line was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawJson(Box<str>);

impl RawJson {
    fn read(reader: &mut Reader<'_>) -> Result<Self, Fault> {
        Ok(Self(reader.raw()?.into()))
    }

    fn object(reader: &mut Reader<'_>) -> Result<Self, Fault> {
        expect(reader, Kind::Object, "must be an object")?;
        Self::read(reader)
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// A new Python value of this content.
    pub fn to_value(&self) -> Value {
        // The text was checked when it was read.
        Reader::new(&self.0).value().unwrap_or(Value::None)
    }
}

/// The keys that the format does not name, with their values: attributes of these names, in the order of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Further(Vec<(Box<str>, RawJson)>);

impl Further {
    /// Takes the value of a key, the last of equal ones.
    fn read(&mut self, reader: &mut Reader<'_>, key: &str) -> Result<(), Fault> {
        let value = RawJson::read(reader)?;
        match self.0.iter_mut().find(|(known, _)| **known == *key) {
            Some((_, known)) => *known = value,
            None => self.0.push((key.into(), value)),
        }
        Ok(())
    }

    /// The names and the texts of their values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (&**name, value.text()))
    }

    /// Whether there is such a key.
    pub fn contains(&self, name: &str) -> bool {
        self.0.iter().any(|(known, _)| **known == *name)
    }

    /// The value of an attribute, made anew. Text in ISO 8601 under a name that ends in `_time` is a date and time in UTC
    /// without zone, as Galaxy's columns are.
    pub fn value(&self, name: &str) -> Option<Value> {
        let (_, raw) = self.0.iter().find(|(known, _)| **known == *name)?;
        let value = raw.to_value();
        let time = value.as_str().filter(|_| name.ends_with("_time")).and_then(|text| naive_utc(text.as_str()));
        Some(time.unwrap_or(value))
    }
}

/// One job, as its line describes it. The fields are those of the job file.
#[derive(Clone, Debug)]
pub struct Job {
    /// `id`: the JSON text of a scalar, echoed in the answer, which shares it.
    pub id: Arc<str>,
    /// `seed`: the state of `random` before this job.
    pub seed: Option<BigInt>,
    /// `tool`
    pub tool: Tool,
    /// `user`; `None` for an anonymous job.
    pub user: Option<User>,
    /// `job.id`
    pub job_id: i64,
    /// `job.state`
    pub state: Box<str>,
    /// `job.param_values`; `None` is `{}`.
    pub param_values: Option<RawJson>,
    /// `job.parameters`: names and JSON texts.
    pub parameters: Vec<(Box<str>, Box<str>)>,
    /// `job.input_datasets`
    pub input_datasets: Vec<InputDataset>,
    /// `job.history`
    pub history: Option<History>,
    /// `job.destination_params`, an object: those of the destination that a resubmitted job had.
    pub destination_params: Option<RawJson>,
    /// What else the job has.
    pub further: Further,
    /// `job_wrapper`, an object.
    pub job_wrapper: Option<RawJson>,
    /// `resource_params`, an object.
    pub resource_params: Option<RawJson>,
    /// `workflow_invocation_uuid`
    pub workflow_invocation_uuid: Option<Box<str>>,
    /// Whether code sees the objects that `tpv dry-run` puts in the place of Galaxy's, which have fewer attributes.
    pub stand_in: bool,
}

/// `tool`
#[derive(Clone, Debug, Default)]
pub struct Tool {
    /// `tool.id`
    pub id: Box<str>,
    /// `tool.version`
    pub version: Option<Box<str>>,
    /// `tool.old_id`; `None` is the id.
    pub old_id: Option<Box<str>>,
    /// `tool.tool_type`; `None` is `default`.
    pub tool_type: Option<Box<str>>,
    /// `tool.requires_galaxy_python_environment`
    pub requires_galaxy_python_environment: bool,
    /// `tool.resource_requirements`, in order.
    pub resource_requirements: Vec<Requirement>,
    /// `tool.dynamic_tool_uuid`
    pub dynamic_tool_uuid: Option<Box<str>>,
    /// What else the tool has.
    pub further: Further,
}

impl Tool {
    /// `tool.tool_type`
    pub fn tool_type(&self) -> &str {
        self.tool_type.as_deref().unwrap_or("default")
    }

    /// `tool.old_id`
    pub fn old_id(&self) -> &str {
        self.old_id.as_deref().unwrap_or(&self.id)
    }
}

/// `user`
#[derive(Clone, Debug)]
pub struct User {
    /// `user.id`
    pub id: i64,
    /// `user.username`; `None` is the part of the email before `@`.
    pub username: Option<Box<str>>,
    /// `user.email`
    pub email: Option<Box<str>>,
    /// `user.roles`
    pub roles: Vec<Role>,
    /// `user.extra_preferences`; `None` is `{}`.
    pub extra_preferences: Option<RawJson>,
    /// What else the user has.
    pub further: Further,
}

impl User {
    /// `user.username`
    pub fn username(&self) -> &str {
        self.username.as_deref().unwrap_or_else(|| {
            let email = self.email.as_deref().unwrap_or_default();
            email.split('@').next().unwrap_or_default()
        })
    }
}

/// A role of a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Role {
    /// Its name.
    pub name: Box<str>,
    /// Whether it was deleted.
    pub deleted: bool,
}

/// An input dataset of the job.
#[derive(Clone, Debug)]
pub struct InputDataset {
    /// The name of the tool's parameter.
    pub name: Box<str>,
    /// The id.
    pub id: DatasetId,
    /// The size in bytes.
    pub size: Option<Size>,
    /// The datatype; `None` is `data`.
    pub extension: Option<Box<str>>,
    /// The object store that holds it.
    pub object_store_id: Option<Box<str>>,
    /// The metadata, an object; `None` is `{}`.
    pub metadata: Option<RawJson>,
    /// What else the dataset's association with its history has.
    pub further: Further,
}

/// The id of a dataset: an int, or a string where Galaxy's encoded ids were exported.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum DatasetId {
    /// An int
    Int(i64),
    /// A string
    Str(Box<str>),
}

impl DatasetId {
    /// As a Python value.
    pub fn to_value(&self) -> Value {
        match self {
            Self::Int(id) => Value::Int(*id),
            Self::Str(id) => Value::str(id.clone()),
        }
    }
}

/// A size in bytes, with its kind of number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Size {
    /// An int
    Int(i64),
    /// A float
    Float(f64),
}

impl Size {
    /// As a Python value.
    pub fn to_value(self) -> Value {
        match self {
            Self::Int(size) => Value::Int(size),
            Self::Float(size) => Value::Float(size),
        }
    }

    /// `float(size)`
    #[expect(clippy::cast_precision_loss, reason = "Python's float(int) rounds the same way")]
    pub fn to_float(self) -> f64 {
        match self {
            Self::Int(size) => size as f64,
            Self::Float(size) => size,
        }
    }
}

/// `job.history`
#[derive(Clone, Debug)]
pub struct History {
    /// Its id.
    pub id: i64,
    /// Its name; `None` is Galaxy's `Unnamed history`.
    pub name: Option<Box<str>>,
    /// Its tags: names, with values where they have one.
    pub tags: Vec<(Box<str>, Option<Box<str>>)>,
    /// What else the history has.
    pub further: Further,
}

impl Job {
    /// Reads one line of a job file.
    ///
    /// # Errors
    /// [`InvalidJob`] names the first field that is missing or of the wrong type: `tool.id: missing`.
    pub fn parse(line: &str) -> Result<Self, InvalidJob> {
        let mut reader = Reader::new(line);
        let job = read_job(&mut reader).and_then(|job| reader.end().map(|()| job));
        let job = job.map_err(|fault| InvalidJob(fault.describe(line)))?;
        job.check_collections()?;
        Ok(job)
    }

    /// The indexes of the inputs by dataset id, where the first of equal ids counts.
    pub fn datasets_by_id(&self) -> HashMap<&DatasetId, usize> {
        let mut index = HashMap::with_capacity(self.input_datasets.len());
        for (position, input) in self.input_datasets.iter().enumerate() {
            index.entry(&input.id).or_insert(position);
        }
        index
    }

    /// Refuses collections in the parameter values that name a dataset which is no input.
    fn check_collections(&self) -> Result<(), InvalidJob> {
        let Some(params) = &self.param_values else { return Ok(()) };
        if !may_hold_collection(params.text()) {
            return Ok(());
        }
        let describe = |fault: Fault| InvalidJob(fault.under("param_values").under("job").describe(""));
        check_collections(params.text(), &self.datasets_by_id()).map_err(describe)
    }
}

/// Whether a collection can be somewhere in a text; its `hdca` may be written with escapes.
fn may_hold_collection(text: &str) -> bool {
    static PARTS: LazyLock<[Finder<'static>; 2]> = LazyLock::new(|| ["hdca", "\\u"].map(Finder::new));
    PARTS.iter().any(|part| part.find(text.as_bytes()).is_some())
}

/// Looks for collections in the text of a value, and only where there can be one.
fn check_collections(text: &str, datasets: &HashMap<&DatasetId, usize>) -> Result<(), Fault> {
    let mut reader = Reader::new(text);
    match reader.kind()? {
        Kind::List => reader.list(|reader, _| {
            let item = reader.raw()?;
            if may_hold_collection(item) { check_collections(item, datasets) } else { Ok(()) }
        }),
        Kind::Object => {
            let mut items = Vec::new();
            reader.object(|reader, key| {
                items.push((key, reader.raw()?));
                Ok(())
            })?;
            let items = last_of_equal_keys(items);
            let get = |key| -> Result<Option<Json>, Fault> {
                let text = items.iter().find(|(name, _)| name == key).map(|(_, text)| *text);
                text.map(|text| Json::read(&mut Reader::new(text))).transpose()
            };
            let source = get("src")?;
            if source == Some(Json::str("hda")) && get("id")?.is_some_and(|id| find_dataset(&id, datasets)) {
                return Ok(());
            }
            if source == Some(Json::str("hdca"))
                && let Some(ids) = get("ids")?
            {
                let Json::List(ids) = ids else { return Err(Fault::new("must be a list", 0).under("ids")) };
                return match ids.iter().position(|id| !find_dataset(id, datasets)) {
                    None => Ok(()),
                    Some(at) => Err(Fault::new("names no input dataset", 0).under(&format!("ids[{at}]"))),
                };
            }
            let mut inside = items.iter().filter(|(_, text)| may_hold_collection(text));
            inside.try_for_each(|(key, text)| check_collections(text, datasets).map_err(|fault| fault.under(key)))
        }
        _ => Ok(()),
    }
}

fn find_dataset(id: &Json, datasets: &HashMap<&DatasetId, usize>) -> bool {
    match id {
        Json::Int(id) => datasets.contains_key(&DatasetId::Int(*id)),
        Json::Str(id) => datasets.contains_key(&DatasetId::Str(id.clone())),
        _ => false,
    }
}

fn expect(reader: &mut Reader<'_>, kind: Kind, message: &str) -> Result<(), Fault> {
    if reader.kind()? == kind { Ok(()) } else { Err(Fault::new(message, reader.offset())) }
}

fn text(reader: &mut Reader<'_>) -> Result<Box<str>, Fault> {
    Ok(reader.string()?.into())
}

fn text_or_null(reader: &mut Reader<'_>) -> Result<Option<Box<str>>, Fault> {
    match reader.kind()? {
        Kind::Null => reader.null().map(|_| None),
        Kind::String => text(reader).map(Some),
        _ => Err(Fault::new("must be a string or null", reader.offset())),
    }
}

fn int(reader: &mut Reader<'_>) -> Result<i64, Fault> {
    let at = reader.offset();
    match reader.integer()? {
        Value::Int(value) => Ok(value),
        _ => Err(Fault::new("must be an integer of at most 64 bits", at)),
    }
}

/// Reads `null` as nothing, and anything else with `read`.
fn or_null<T>(
    reader: &mut Reader<'_>,
    read: impl FnOnce(&mut Reader<'_>) -> Result<T, Fault>,
) -> Result<Option<T>, Fault> {
    if reader.null()? { Ok(None) } else { read(reader).map(Some) }
}

fn object_or_null(reader: &mut Reader<'_>) -> Result<Option<RawJson>, Fault> {
    match reader.kind()? {
        Kind::Null => reader.null().map(|_| None),
        Kind::Object => RawJson::read(reader).map(Some),
        _ => Err(Fault::new("must be an object or null", reader.offset())),
    }
}

fn missing(field: &str) -> Fault {
    Fault::new("missing", 0).under(field)
}

fn read_job(reader: &mut Reader<'_>) -> Result<Job, Fault> {
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

fn expect_object_or_null(reader: &mut Reader<'_>) -> Result<(), Fault> {
    match reader.kind()? {
        Kind::Null | Kind::Object => Ok(()),
        _ => Err(Fault::new("must be an object or null", reader.offset())),
    }
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
    let mut user = User {
        id: 1,
        username: None,
        email: None,
        roles: Vec::new(),
        extra_preferences: None,
        further: Further::default(),
    };
    reader.object(|reader, key| {
        match &*key {
            "id" => user.id = int(reader)?,
            "username" => user.username = Some(text(reader)?),
            "email" => user.email = text_or_null(reader)?,
            "roles" => {
                let mut roles = Vec::new();
                reader.list(|reader, _| {
                    roles.push(read_role(reader)?);
                    Ok(())
                })?;
                user.roles = roles;
            }
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
            "input_datasets" => {
                let mut inputs = Vec::new();
                reader.list(|reader, _| {
                    inputs.push(read_input(reader)?);
                    Ok(())
                })?;
                job.input_datasets = inputs;
            }
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
    let mut input = InputDataset {
        name: Box::default(),
        id: DatasetId::Int(0),
        size: None,
        extension: None,
        object_store_id: None,
        metadata: None,
        further: Further::default(),
    };
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
    let mut history = History { id: 1, name: None, tags: Vec::new(), further: Further::default() };
    reader.object(|reader, key| {
        match &*key {
            "id" => history.id = int(reader)?,
            "name" => history.name = Some(text(reader)?),
            "tags" => {
                let mut tags = Vec::new();
                reader.list(|reader, _| {
                    tags.push(read_tag(reader)?);
                    Ok(())
                })?;
                history.tags = tags;
            }
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn fault(line: &str) -> String {
        Job::parse(line).map(|_| String::new()).unwrap_or_else(|error| error.0)
    }

    #[test]
    fn defaults_are_the_contracts() {
        let job = Job::parse(r#"{"tool": {"id": "bwa"}, "extra": [1]}"#).unwrap();
        assert_eq!((&*job.id, job.job_id, &*job.state, &*job.tool.id), ("null", 1, "new", "bwa"));
        assert_eq!((job.tool.old_id(), job.tool.tool_type()), ("bwa", "default"));
        assert!(job.user.is_none() && job.seed.is_none() && job.tool.version.is_none() && job.history.is_none());
        let job = Job::parse(r#"{"id": 1e2, "tool": {"id": "t"}, "user": {"email": "a.b@c@d"}}"#).unwrap();
        assert_eq!((&*job.id, job.user.as_ref().unwrap().username()), ("1e2", "a.b"));
        let job = Job::parse(r#"{"tool": {"id": "t"}, "user": {}, "seed": 123456789012345678901234567890}"#).unwrap();
        assert_eq!((job.user.unwrap().username(), job.seed.unwrap().bits()), ("", 97));
    }

    #[test]
    fn of_equal_keys_the_last_counts() {
        let job = Job::parse(r#"{"tool": 1, "tool": {"id": "a", "id": "b"}}"#);
        assert!(job.is_err());
        let job = Job::parse(r#"{"tool": {"id": "x"}, "tool": {"id": "a", "id": "b"}}"#).unwrap();
        assert_eq!(&*job.tool.id, "b");
    }

    #[test]
    fn faults_are_named_by_path() {
        let with_job = |fields: &str| fault(&format!(r#"{{"tool": {{"id": "t"}}, {fields}}}"#));
        let cases = [
            (fault("[]"), "a job must be an object"),
            (fault("{}"), "tool: missing"),
            (fault(r#"{"tool": {}}"#), "tool.id: missing"),
            (fault(r#"{"tool": "bwa"}"#), "tool: must be an object"),
            (fault(r#"{"tool": {"id": 5}}"#), "tool.id: must be a string"),
            (fault(r#"{"tool": {"id": "t", "version": 1.5}}"#), "tool.version: must be a string or null"),
            (
                fault(r#"{"tool": {"id": "t", "resource_requirements": {"cores": 1}}}"#),
                "tool.resource_requirements.cores: Galaxy knows no such resource type",
            ),
            (
                fault(r#"{"tool": {"id": "t", "resource_requirements": {"cores_min": null}}}"#),
                "tool.resource_requirements.cores_min: must be a number or a string",
            ),
            (with_job(r#""id": {}"#), "id: must be a scalar"),
            (with_job(r#""seed": 1.0"#), "seed: must be an integer"),
            (with_job(r#""user": []"#), "user: must be an object or null"),
            (with_job(r#""user": {"roles": ["a", {"name": "b"}, 3]}"#), "user.roles[2]: must be a name or an object"),
            (with_job(r#""user": {"roles": [{}]}"#), "user.roles[0].name: missing"),
            (with_job(r#""user": {"id": "1"}"#), "user.id: must be an integer"),
            (with_job(r#""job": {"parameters": {"a": 1}}"#), "job.parameters.a: must be a string"),
            (with_job(r#""job": {"input_datasets": [{}]}"#), "job.input_datasets[0].id: missing"),
            (
                with_job(r#""job": {"input_datasets": [{"id": 1, "size": "1"}]}"#),
                "job.input_datasets[0].size: must be a number of bytes or null",
            ),
            (with_job(r#""job": {"history": {"tags": [null]}}"#), "job.history.tags[0]: must be a name or an object"),
            (
                with_job(r#""job": {"param_values": {"a": [{"src": "hdca", "ids": [4]}]}}"#),
                "job.param_values.a[0].ids[0]: names no input dataset",
            ),
            (with_job(r#""job_wrapper": 1"#), "job_wrapper: must be an object or null"),
            (fault(r#"{"tool": {"id" "t"}}"#), "not JSON: a colon is expected (column 16)"),
            (fault(""), "not JSON: the text ends where a value is expected (column 1)"),
        ];
        for (found, expected) in cases {
            assert_eq!(found, expected);
        }
    }
}
