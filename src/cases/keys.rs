//! The keys of a test file: what reads the file, what completes in editors, and what the documentation says are this one list.

use crate::yaml::value::{ConfigValue, ValueKind};

/// A key that a mapping of a test file may have.
#[derive(Debug)]
pub struct Key {
    /// The key.
    pub name: &'static str,
    /// The kinds of values that it takes.
    pub takes: &'static [Kind],
    /// What it means, in a sentence.
    pub doc: &'static str,
}

/// A kind of value in a test file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `null`
    Null,
    /// `true` or `false`.
    Bool,
    /// A whole number.
    Int,
    /// Any number.
    Number,
    /// A text.
    Text,
    /// A list.
    List,
    /// A mapping.
    Mapping,
}

impl Kind {
    /// Whether a value is of this kind.
    pub fn is_of(self, value: &ConfigValue) -> bool {
        matches!(
            (self, &value.kind),
            (Self::Null, ValueKind::Null)
                | (Self::Bool, ValueKind::Bool(_))
                | (Self::Int | Self::Number, ValueKind::Int(_) | ValueKind::BigInt(_))
                | (Self::Number, ValueKind::Float(_))
                | (Self::Text, ValueKind::Str(_))
                | (Self::List, ValueKind::List(_))
                | (Self::Mapping, ValueKind::Map(_))
        )
    }

    /// The kind with its article.
    pub fn noun(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool => "a boolean",
            Self::Int => "a whole number",
            Self::Number => "a number",
            Self::Text => "a text",
            Self::List => "a list",
            Self::Mapping => "a mapping",
        }
    }
}

const fn key(name: &'static str, takes: &'static [Kind], doc: &'static str) -> Key {
    Key { name, takes, doc }
}

use Kind::{Bool, Int, List, Mapping, Null, Number, Text};

/// The keys of a test file.
pub const FILE: &[Key] = &[
    key(
        "config",
        &[Text, List],
        "The config files, in the order in which TPV merges them: paths beside this file, patterns, URLs.",
    ),
    key("world", &[Text, Mapping], "What Galaxy knows: the path of a world file beside this file, or a world itself."),
    key("defaults", &[Mapping], "Fields of every job that does not have them itself."),
    key("tests", &[List], "The test cases."),
];

/// The keys of a test case.
pub const TEST: &[Key] = &[
    key(
        "name",
        &[Text],
        "What the case is called; `{field}` stands for a field of the row of its table, or of its job.",
    ),
    key("job", &[Mapping], "The job."),
    key("world", &[Mapping], "Fields of the world that are otherwise in this case."),
    key("expect", &[Mapping], "What must hold; what is not named may be anything."),
    key("table", &[List], "A case a row: each row has fields of the job and what is expected of it."),
];

/// The keys of a row of a table besides those of jobs and expectations.
pub const ROW: &[Key] = &[
    key("name", &[Text], "What the row is called."),
    key("job", &[Mapping], "Fields of the job."),
    key("expect", &[Mapping], "What must hold."),
];

/// The fields of a job in a test file. `tool`, `user`, `job` and those after it may be written as in a job file.
pub const JOB: &[Key] = &[
    key("tool", &[Text, Mapping], "The id of the tool, or the tool of a job file."),
    key("version", &[Text], "The version of the tool."),
    key("user", &[Null, Text, Mapping], "The email of the user, the user of a job file, or null for an anonymous job."),
    key("roles", &[List], "The names of the user's roles."),
    key(
        "input_size",
        &[Number],
        "The size of the inputs in GiB, as `input_size` in rules: the job gets one dataset of it.",
    ),
    key("input_datasets", &[List], "The inputs as in a job file; `id` and `name` may be left out."),
    key("params", &[Mapping], "The parameters of the tool."),
    key("history_tags", &[List], "The tags of the job's history."),
    key("state", &[Text], "The state of the job: `new`, `resubmitted`."),
    key("job", &[Mapping], "The job of a job file: what has no key of its own here."),
    key("seed", &[Int], "The seed of Python's `random` before the job."),
    key("job_wrapper", &[Null, Mapping], "`job_wrapper` of a job file."),
    key("resource_params", &[Null, Mapping], "`resource_params` of a job file."),
    key("workflow_invocation_uuid", &[Null, Text], "`workflow_invocation_uuid` of a job file."),
];

/// A resource is a number, or whatever else the code of a rule makes of it.
const RESOURCE: &[Kind] = &[Number, Null, Text, Bool];

/// What can be expected.
pub const EXPECT: &[Key] = &[
    key("destination", &[Text], "The id of the destination."),
    key("runner", &[Text, Null], "The destination's runner."),
    key("cores", RESOURCE, "The cores."),
    key("mem", RESOURCE, "The memory in GiB."),
    key("gpus", RESOURCE, "The GPUs."),
    key("env", &[Mapping], "Variables of the environment; null for one that must not be set."),
    key("params", &[Mapping], "Parameters of the destination; null for one that must not be set."),
    key("tags", &[List], "The handler tags of the destination, in order."),
    key("not_on", &[Text, List], "Destinations that the job must not go to."),
    key("rules", &[Text, List], "The ids of rules that must fire."),
    key(
        "error",
        &[Text, Mapping],
        "The error that the job must end in: a part of its text, or its `type` and `message`.",
    ),
];

/// The keys of an error that is expected.
pub const ERROR: &[Key] = &[
    key("type", &[Text], "The exception's class: `JobMappingException`."),
    key("message", &[Text], "A part of its message."),
];
