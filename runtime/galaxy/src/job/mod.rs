//! The job file: one job a line.
//!
//! A line is checked whole when it is read, and kept: a string of the job is a [`Place`] in it, and what most rules never look
//! at (parameter values, preferences, metadata) stays text until code asks for it. So reading copies the line once, and nothing
//! has to tell beforehand which fields the rules can reach.

mod builder;
mod collections;
mod fields;
mod raw;
mod read;
mod records;

use std::sync::Arc;

use num_bigint::BigInt;

use super::json::{Fault, Json, Place, Reader, write_text};
use crate::Error;
pub use builder::{Input, JobBuilder};
pub(super) use collections::InputsById;
use collections::{are_plainly_inputs, check_collections};
pub use raw::{Further, RawJson};
use read::read_job;
pub use records::{DatasetId, History, InputDataset, Role, Size, Tool, User};

/// The most bytes of a job's line: 64 MiB.
pub const MAX_LINE: usize = 64 << 20;

/// One job, as its line describes it. The fields are those of the job file.
///
/// ```
/// use tpv_galaxy::Job;
///
/// let job = Job::parse(r#"{"id": 7, "tool": {"id": "bwa_mem", "version": "0.7.17"}}"#)?;
/// # Ok::<(), tpv_galaxy::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Job {
    /// The line that places refer to, followed by the unescaped forms of its strings that have escapes.
    line: Box<str>,
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
    /// `job.state`; `None` is `new`.
    pub state: Option<Place>,
    /// `job.param_values`; `None` is `{}`.
    pub param_values: Option<RawJson>,
    /// `job.parameters`: names, and values, which are strings.
    pub parameters: Vec<(Place, RawJson)>,
    /// `job.input_datasets`
    pub input_datasets: Vec<InputDataset>,
    /// `job.history`
    pub history: Option<History>,
    /// `job.destination_params`, an object: those of the destination that a resubmitted job had.
    pub destination_params: Option<RawJson>,
    /// Further attributes of the job.
    pub further: Further,
    /// `job_wrapper`, an object.
    pub job_wrapper: Option<RawJson>,
    /// `resource_params`, an object.
    pub resource_params: Option<RawJson>,
    /// `workflow_invocation_uuid`
    pub workflow_invocation_uuid: Option<Place>,
    /// `dispatcher`: the dynamic destination of Galaxy's job configuration that the job was given to; `Some(None)` if the
    /// configuration names a static destination, `None` if the line does not say.
    pub dispatcher: Option<Option<Place>>,
    /// `outcome`, an object that no rule sees: [`Outcome`](super::outcome::Outcome) reads it.
    pub outcome: Option<RawJson>,
    /// `true` if code sees the objects that `tpv dry-run` substitutes for Galaxy's, which have fewer attributes.
    pub stand_in: bool,
}

impl Job {
    /// Reads one line of a job file.
    ///
    /// ```
    /// # use tpv_galaxy::Job;
    /// assert!(Job::parse(r#"{"tool": {"id": "bwa_mem"}, "job": {"input_datasets": []}}"#).is_ok());
    /// assert_eq!(Job::parse(r#"{"tool": {"id": 7}}"#).unwrap_err().to_string(), "tool.id: must be a string");
    /// ```
    ///
    /// # Errors
    /// [`Error::Job`] names the first field that is missing or of the wrong type: `tool.id: missing`.
    pub fn parse(line: &str) -> Result<Self, Error> {
        let mut reader = Reader::new(line);
        let job = read_job(&mut reader).and_then(|job| reader.end().map(|()| job));
        let mut job = job.map_err(|fault| Error::Job(fault.describe(line)))?;
        job.line = reader.into_text();
        job.check_collections()?;
        Ok(job)
    }

    /// A job of this tool that a program makes, field by field.
    pub fn builder(tool_id: &str) -> JobBuilder {
        JobBuilder::new(tool_id)
    }

    /// The job of a line of a job file, without its line end.
    ///
    /// # Errors
    /// [`Error::Job`] for a line of more than [`MAX_LINE`] bytes or that is not UTF-8, and as [`Job::parse`].
    pub fn from_line(line: &[u8]) -> Result<Self, Error> {
        if line.len() > MAX_LINE {
            return Err(Error::Job(format!("the line has more than {} MiB", MAX_LINE >> 20)));
        }
        let line = std::str::from_utf8(line)
            .map_err(|error| Error::Job(format!("byte {} is not UTF-8", error.valid_up_to() + 1)))?;
        Self::parse(line)
    }

    /// This job as rules see it when it is mapped again: its state is `resubmitted`, and these are its `destination_params`.
    #[must_use]
    pub fn resubmitted(&self, destination_params: &Json) -> Self {
        let mut job = self.clone();
        let mut line = std::mem::take(&mut job.line).into_string();
        let start = line.len();
        line.push_str("resubmitted");
        job.state = Some(Place::of_range(start..line.len()));
        let start = line.len();
        write_text(&mut line, destination_params);
        job.destination_params = Some(RawJson::written(Place::of_range(start..line.len())));
        job.line = line.into();
        job
    }

    /// This job as rules see it when it is mapped for the first time. The line of a job that was resubmitted has what it was at its last mapping:
    /// its state, and the `destination_params` that it had then.
    #[must_use]
    pub fn first_mapped(self) -> Self {
        if self.state() == "resubmitted" { Self { state: None, destination_params: None, ..self } } else { self }
    }

    /// A string of this job.
    #[inline]
    pub fn text(&self, place: Place) -> &str {
        place.of(&self.line)
    }

    /// `tool.id`
    pub fn tool_id(&self) -> &str {
        self.text(self.tool.id)
    }

    /// Returns `true` if another dispatcher than this one got the job, or if it went to a static destination. `false` if the line
    /// does not name the dispatcher.
    pub fn is_of_another(&self, dispatcher: &str) -> bool {
        self.dispatcher.is_some_and(|named| named.is_none_or(|place| self.text(place) != dispatcher))
    }

    /// `job.state`
    pub fn state(&self) -> &str {
        self.state.map_or("new", |state| self.text(state))
    }

    /// Refuses collections in the parameter values that name a dataset which is no input.
    fn check_collections(&self) -> Result<(), Error> {
        let Some(params) = &self.param_values else { return Ok(()) };
        let params = params.text(self);
        if are_plainly_inputs(params, &self.input_datasets) {
            return Ok(());
        }
        let describe = |fault: Fault| Error::Job(fault.under("param_values").under("job").describe(""));
        check_collections(params, &InputsById::new(&self.input_datasets)).map_err(describe)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn fault(line: &str) -> String {
        Job::parse(line).map(|_| String::new()).unwrap_or_else(|error| error.to_string())
    }

    #[test]
    fn defaults_are_the_contracts() {
        let job = Job::parse(r#"{"tool": {"id": "bwa"}, "extra": [1]}"#).unwrap();
        assert_eq!((&*job.id, job.job_id, job.state(), job.text(job.tool.id)), ("null", 1, "new", "bwa"));
        assert_eq!((job.tool.old_id(&job), job.tool.tool_type(&job)), ("bwa", "default"));
        assert!(job.user.is_none() && job.seed.is_none() && job.tool.version.is_none() && job.history.is_none());
        let job = Job::parse(r#"{"id": 1e2, "tool": {"id": "t"}, "user": {"email": "a.b@c@d"}}"#).unwrap();
        assert_eq!((&*job.id, job.user.as_ref().unwrap().username(&job)), ("1e2", "a.b"));
        let job = Job::parse(r#"{"tool": {"id": "t"}, "user": {}, "seed": 123456789012345678901234567890}"#).unwrap();
        assert_eq!((job.user.as_ref().unwrap().username(&job), job.seed.as_ref().unwrap().bits()), ("", 97));
    }

    #[test]
    fn strings_with_escapes_are_read_without_them() {
        let line =
            r#"{"tool": {"\u0069d": "a\"b", "version": "é\u00e9", "\u0078": "\ud83d\ude00"}, "job": {"state": "c"}}"#;
        let job = Job::parse(line).unwrap();
        let strings = [job.tool.id, job.tool.version.unwrap(), job.state.unwrap()].map(|place| job.text(place));
        assert_eq!(strings, ["a\"b", "éé", "c"]);
        assert_eq!(job.tool.further.iter(&job).collect::<Vec<_>>(), [("x", r#""\ud83d\ude00""#)]);
    }

    #[test]
    fn of_equal_keys_the_last_counts() {
        let job = Job::parse(r#"{"tool": 1, "tool": {"id": "a", "id": "b"}}"#);
        assert!(job.is_err());
        let job = Job::parse(r#"{"tool": {"id": "x"}, "tool": {"id": "a", "id": "b"}}"#).unwrap();
        assert_eq!(job.text(job.tool.id), "b");
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
                "tool.resource_requirements.cores: Galaxy has no such resource type",
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
