//! What a job is made of: its tool, user, inputs and history.

use super::raw::{Further, RawJson};
use crate::galaxy::resource_requirements::Requirement;
use tpv_python::value::Value;

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
#[derive(Clone, Debug, Default)]
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
#[derive(Clone, Debug, Default)]
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
    pub name: Option<Box<str>>,
    /// Its tags: names, with values where they have one.
    pub tags: Vec<(Box<str>, Option<Box<str>>)>,
    /// What else the history has.
    pub further: Further,
}
