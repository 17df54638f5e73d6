//! The parts of a job: its tool, user, inputs and history. Strings are places in the line, which [`Job::text`] looks
//! up.

use super::Job;
use super::raw::{Further, RawJson};
use crate::json::Place;
use crate::resource_requirements::Requirement;
use tpv_python::value::Value;

/// `tool`
#[derive(Clone, Debug, Default)]
pub struct Tool {
    /// `tool.id`
    pub id: Place,
    /// `tool.version`
    pub version: Option<Place>,
    /// `tool.old_id`; `None` is the id.
    pub old_id: Option<Place>,
    /// `tool.tool_type`; `None` is `default`.
    pub tool_type: Option<Place>,
    /// `tool.requires_galaxy_python_environment`
    pub requires_galaxy_python_environment: bool,
    /// `tool.resource_requirements`, in order.
    pub resource_requirements: Vec<Requirement>,
    /// `tool.dynamic_tool_uuid`
    pub dynamic_tool_uuid: Option<Place>,
    /// Further attributes of the tool.
    pub further: Further,
}

impl Tool {
    /// `tool.tool_type`
    pub fn tool_type<'a>(&self, job: &'a Job) -> &'a str {
        self.tool_type.map_or("default", |tool_type| job.text(tool_type))
    }

    /// `tool.old_id`
    pub fn old_id<'a>(&self, job: &'a Job) -> &'a str {
        job.text(self.old_id.unwrap_or(self.id))
    }
}

/// `user`
#[derive(Clone, Debug, Default)]
pub struct User {
    /// `user.id`
    pub id: i64,
    /// `user.username`; `None` is the part of the email before `@`.
    pub username: Option<Place>,
    /// `user.email`
    pub email: Option<Place>,
    /// `user.roles`
    pub roles: Vec<Role>,
    /// `user.extra_preferences`; `None` is `{}`.
    pub extra_preferences: Option<RawJson>,
    /// Further attributes of the user.
    pub further: Further,
}

impl User {
    /// `user.username`
    pub fn username<'a>(&self, job: &'a Job) -> &'a str {
        if let Some(username) = self.username {
            return job.text(username);
        }
        let email = self.email.map_or("", |email| job.text(email));
        email.split('@').next().unwrap_or_default()
    }
}

/// A role of a user.
#[derive(Clone, Copy, Debug)]
pub struct Role {
    /// Its name.
    pub name: Place,
    /// `true` if it was deleted.
    pub deleted: bool,
}

/// An input dataset of the job.
#[derive(Clone, Debug, Default)]
pub struct InputDataset {
    /// The name of the tool's parameter.
    pub name: Place,
    /// The id.
    pub id: DatasetId,
    /// The size in bytes.
    pub size: Option<Size>,
    /// The datatype; `None` is `data`.
    pub extension: Option<Place>,
    /// The object store that holds it.
    pub object_store_id: Option<Place>,
    /// The metadata, an object; `None` is `{}`.
    pub metadata: Option<RawJson>,
    /// Further attributes of the dataset's association with its history.
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

impl Default for DatasetId {
    fn default() -> Self {
        Self::Int(0)
    }
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
#[derive(Clone, Debug, Default)]
pub struct History {
    /// Its id.
    pub id: i64,
    /// Its name; `None` is Galaxy's `Unnamed history`.
    pub name: Option<Place>,
    /// Its tags: names, with values where they have one.
    pub tags: Vec<(Place, Option<Place>)>,
    /// Further attributes of the history.
    pub further: Further,
}
