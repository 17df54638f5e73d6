//! Decisions as lines of a log: one line of JSON a mapping, of at most [`MAX_LINE`] bytes.
//!
//! A [`Recorder`] observes a mapping and gives its [`Decision`], which [`Decision::line`] writes and [`Decision::read`] reads. The caller
//! adds what the mapper does not know: the time, the dispatcher, the digest of the rules ([`Head`]).

mod line;
mod read;
mod record;
#[cfg(test)]
mod tests;

use tpv_galaxy::json::Json;
use tpv_model::Quantity;

use crate::mapper::explain::Reason;

pub use record::{End, Recorder};

/// The most bytes of a line with its line feed, so that one `write` appends it whole.
pub const MAX_LINE: usize = 4096;

/// The version of the form of a line.
pub const VERSION: i64 = 1;

/// A time as lines have it, in UTC to the millisecond, of microseconds since 1970.
pub fn time_text(microseconds: i64) -> String {
    let time = jiff::Timestamp::from_microsecond(microseconds).unwrap_or_default();
    time.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

/// A decision about a job: what the mapper answered, and why.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decision {
    /// The circumstances of the call.
    pub head: Head,
    /// The entities that apply, such as `tool bwa.*`, each over those before it.
    pub entities: Vec<String>,
    /// The rules that fired, in order.
    pub fired: Vec<Fired>,
    /// The amounts of each quantity.
    pub amounts: [Amount; Quantity::COUNT],
    /// The destinations that can take the job, best first.
    pub candidates: Vec<Candidate>,
    /// The destinations that cannot, those with the fewest reasons first; without abstract ones.
    pub rejected: Vec<Rejected>,
    /// The candidates that passed the job on.
    pub passed: Vec<Passed>,
    /// The steps in resource pools, in TPV's words.
    pub pools: Vec<String>,
    /// The end of the mapping.
    pub outcome: Outcome,
    /// The places of the blocks that CPython ran.
    pub cpython: Vec<String>,
    /// The reason that the job was mapped once more with all code in CPython, if it was.
    pub once_more: Option<String>,
    /// The number of entries that the line had no room for, by the name of their list.
    pub cut: Vec<(String, i64)>,
}

/// The circumstances of a mapping, which the mapper does not know or which the caller has cheaper.
#[derive(Clone, Debug, PartialEq)]
pub struct Head {
    /// The time, ISO 8601 in UTC.
    pub time: String,
    /// The job's id: a JSON scalar.
    pub job: Json,
    /// The dispatcher: the dynamic destination (environment) that the job went to.
    pub dispatcher: Option<String>,
    /// The attempt: 1, and one more for each resubmission.
    pub attempt: i64,
    /// The number of times that this attempt has been mapped before: Galaxy asks again after an error.
    pub again: i64,
    /// The digest of the rules.
    pub rules: Option<String>,
    /// The seed of `random`.
    pub seed: Option<String>,
    /// The id of the tool.
    pub tool: String,
    /// Its version.
    pub version: Option<String>,
    /// The size of the inputs in GiB, if it was asked for.
    pub input_size: Option<f64>,
    /// The id of the user. `None` for an anonymous job.
    pub user: Option<i64>,
    /// The values that the rules could read of the user, the history and the server, by name.
    pub read: Vec<(String, Json)>,
    /// The milliseconds that the mapping took.
    pub ms: Option<f64>,
    /// The wait of a job that was not ready.
    pub wait: Option<Wait>,
    /// The number of lines that were dropped before this one.
    pub dropped: i64,
}

impl Default for Head {
    fn default() -> Self {
        Self {
            time: String::new(),
            job: Json::Null,
            dispatcher: None,
            attempt: 1,
            again: 0,
            rules: None,
            seed: None,
            tool: String::new(),
            version: None,
            input_size: None,
            user: None,
            read: Vec::new(),
            ms: None,
            wait: None,
            dropped: 0,
        }
    }
}

/// The wait of a job that was not ready, which is asked about once a second.
#[derive(Clone, Debug, PartialEq)]
pub enum Wait {
    /// It begins with this mapping.
    Begins,
    /// It ended with this mapping or before: the number of mappings that were not ready, and the time of the first.
    Ended {
        /// The number of mappings that were not ready, the first included.
        mappings: i64,
        /// The time of the first.
        since: String,
    },
}

/// A rule that fired.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fired {
    /// The rule's id.
    pub rule: String,
    /// Its file and line.
    pub at: Option<String>,
    /// The destination that was tried, if the rule is one of it.
    pub destination: Option<String>,
    /// `true` if it ended the job: `fail`, or an exception.
    pub failed: bool,
}

/// An amount of a resource.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Amount {
    /// The value of the expression, before clamps. `None` if there is none, or if it is no number.
    pub asked: Option<f64>,
    /// The amount of the answer, or that of the last destination that was compared.
    pub got: Option<f64>,
    /// The entity or rule that set it: `rule large`.
    pub by: Option<String>,
    /// The file and line of the value.
    pub at: Option<String>,
}

/// A destination that can take the job.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Candidate {
    /// Its id.
    pub id: String,
    /// The score of its tags, unless an expression ranks the candidates.
    pub score: Option<i64>,
}

/// A destination that cannot take the job.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rejected {
    /// Its id.
    pub id: String,
    /// The reasons.
    pub reasons: Vec<Reason>,
}

/// A candidate that passed the job on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Passed {
    /// Its id.
    pub id: String,
    /// The exception.
    pub what: String,
    /// The file and line at which it was raised.
    pub at: Option<String>,
}

/// The end of a mapping.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Outcome {
    /// Not known: nobody asked again about a job that was not ready, or the line is damaged.
    #[default]
    Open,
    /// A destination: its evaluated name.
    Destination(String),
    /// An exception.
    Error {
        /// Its class.
        kind: String,
        /// Its message.
        message: String,
        /// The file and line at which it was raised.
        at: Option<String>,
    },
}

impl Outcome {
    /// The destination's name. `None` if there is none.
    pub fn destination(&self) -> Option<&str> {
        match self {
            Self::Destination(name) => Some(name),
            _ => None,
        }
    }

    /// The class of the exception. `None` if the job was mapped.
    pub fn error(&self) -> Option<&str> {
        match self {
            Self::Error { kind, .. } => Some(kind),
            _ => None,
        }
    }
}
