//! Jobs that a program makes, rather than reads.

use super::Job;
use crate::Error;
use crate::json::{Json, write_text};

/// The items of an object of the job file.
type Items = Vec<(Box<str>, Json)>;

/// A job in the making: the fields that are set, and the job file's defaults for the others (`docs/formats.md`).
///
/// ```
/// use tpv_galaxy::{Input, Job};
///
/// let job = Job::builder("bwa_mem")
///     .version("0.7.17")
///     .email("jo@example.org")
///     .role("training")
///     .input(Input::new(1).name("reads").size(5 << 30).extension("fastq"))
///     .param("threads", 8)
///     .build()?;
/// assert_eq!(job.tool_id(), "bwa_mem");
/// # Ok::<(), tpv_galaxy::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct JobBuilder {
    fields: Items,
    tool: Items,
    user: Option<Items>,
    roles: Option<Vec<Json>>,
    job: Items,
    inputs: Option<Vec<Json>>,
    param_values: Option<Items>,
}

impl JobBuilder {
    /// A job of the tool with this id.
    pub fn new(tool_id: &str) -> Self {
        Self::default().tool("id", tool_id)
    }

    /// `id`: what the answer calls the job.
    #[must_use]
    pub fn id(self, id: impl Into<Json>) -> Self {
        self.field("id", id)
    }

    /// `seed`: the state of Python's `random` before this job.
    #[must_use]
    pub fn seed(self, seed: i64) -> Self {
        self.field("seed", seed)
    }

    /// A field of the job file's line, such as `resource_params`. The parts that have a method of their own (`tool`, `user`,
    /// `job`) are not set here.
    #[must_use]
    pub fn field(mut self, name: &str, value: impl Into<Json>) -> Self {
        set(&mut self.fields, name, value.into());
        self
    }

    /// `tool.version`
    #[must_use]
    pub fn version(self, version: &str) -> Self {
        self.tool("version", version)
    }

    /// A field of `tool`, or an attribute of the object that code sees.
    #[must_use]
    pub fn tool(mut self, name: &str, value: impl Into<Json>) -> Self {
        set(&mut self.tool, name, value.into());
        self
    }

    /// `user.email`. A job without any field of a user is anonymous.
    #[must_use]
    pub fn email(self, email: &str) -> Self {
        self.user("email", email)
    }

    /// Adds a role of the user, by its name.
    #[must_use]
    pub fn role(mut self, name: &str) -> Self {
        self.roles.get_or_insert_default().push(Json::from(name));
        self
    }

    /// A field of `user`, or an attribute of the object that code sees.
    #[must_use]
    pub fn user(mut self, name: &str, value: impl Into<Json>) -> Self {
        set(self.user.get_or_insert_default(), name, value.into());
        self
    }

    /// Adds an input dataset.
    #[must_use]
    pub fn input(mut self, input: Input) -> Self {
        self.inputs.get_or_insert_default().push(Json::Object(input.fields));
        self
    }

    /// The value of a parameter of the tool.
    #[must_use]
    pub fn param(mut self, name: &str, value: impl Into<Json>) -> Self {
        set(self.param_values.get_or_insert_default(), name, value.into());
        self
    }

    /// A field of `job`, or an attribute of the object that code sees.
    #[must_use]
    pub fn job(mut self, name: &str, value: impl Into<Json>) -> Self {
        set(&mut self.job, name, value.into());
        self
    }

    /// The job.
    ///
    /// # Errors
    /// [`Error::Job`] names a field of the wrong type, as [`Job::parse`] does: the values that this takes as they are may be any.
    pub fn build(self) -> Result<Job, Error> {
        let Self { mut fields, tool, mut user, roles, mut job, inputs, param_values } = self;
        set(&mut fields, "tool", Json::Object(tool));
        if let Some(roles) = roles {
            set(user.get_or_insert_default(), "roles", Json::List(roles));
        }
        if let Some(user) = user {
            set(&mut fields, "user", Json::Object(user));
        }
        if let Some(inputs) = inputs {
            set(&mut job, "input_datasets", Json::List(inputs));
        }
        if let Some(values) = param_values {
            set(&mut job, "param_values", Json::Object(values));
        }
        if !job.is_empty() {
            set(&mut fields, "job", Json::Object(job));
        }
        // A job's strings are places in its line, so that there is one way to make it.
        let mut line = String::new();
        write_text(&mut line, &Json::Object(fields));
        Job::parse(&line)
    }
}

/// An input dataset of a job in the making.
///
/// ```
/// use tpv_galaxy::Input;
///
/// let reads = Input::new(7).name("reads").size(2 << 30).field("metadata", vec![("data_lines", 100)]);
/// # let _ = reads;
/// ```
#[derive(Clone, Debug)]
pub struct Input {
    fields: Items,
}

impl Input {
    /// The dataset with this id, which parameters refer to: an integer or a text.
    pub fn new(id: impl Into<Json>) -> Self {
        Self { fields: Vec::new() }.field("id", id)
    }

    /// The name of the input, not of the dataset.
    #[must_use]
    pub fn name(self, name: &str) -> Self {
        self.field("name", name)
    }

    /// The size in bytes.
    #[must_use]
    pub fn size(self, bytes: i64) -> Self {
        self.field("size", bytes)
    }

    /// The datatype: `fastq`, `bam`.
    #[must_use]
    pub fn extension(self, extension: &str) -> Self {
        self.field("extension", extension)
    }

    /// A field of the dataset, or an attribute of the object that code sees.
    #[must_use]
    pub fn field(mut self, name: &str, value: impl Into<Json>) -> Self {
        set(&mut self.fields, name, value.into());
        self
    }
}

/// Sets the value under a key.
fn set(items: &mut Items, key: &str, value: Json) {
    match items.iter_mut().find(|(known, _)| &**known == key) {
        Some((_, known)) => *known = value,
        None => items.push((key.into(), value)),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn what_is_set_twice_is_the_last() {
        let job = Job::builder("a").tool("id", "b").email("a@b").email("c@d").build().unwrap();
        assert_eq!(job.tool_id(), "b");
        assert_eq!(job.user.as_ref().and_then(|user| user.email).map(|email| job.text(email)), Some("c@d"));
    }

    #[test]
    fn a_wrong_type_is_named() {
        let error = Job::builder("a").user("roles", 7).build().unwrap_err();
        assert_eq!(
            error.to_string(),
            Job::parse(r#"{"tool": {"id": "a"}, "user": {"roles": 7}}"#).unwrap_err().to_string()
        );
        assert!(Job::builder("a").build().unwrap().user.is_none());
    }
}
