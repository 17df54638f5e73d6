//! The keys of a test file: what reads the file, what completes in editors, and what the documentation says are this one list.

use tpv_galaxy::shape::job::{DATASET_FIELDS, GALAXY_JOB, ROLE, TAG, TOOL, USER};
use tpv_galaxy::shape::world::WORLD_FIELDS;
use tpv_galaxy::shape::{Field, Object, Others, Shape, field, required};

use tpv_model::Resource;
use tpv_runtime::resubmit::RunnerState;
use tpv_yaml::value::{ConfigValue, ValueKind};

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
    /// The kinds of values that a shape takes.
    pub fn all_of(shape: &Shape) -> Vec<Self> {
        let kinds = shape.alternatives().iter().filter_map(|shape| match shape {
            Shape::Null => Some(Self::Null),
            Shape::Bool => Some(Self::Bool),
            Shape::Integer | Shape::Count => Some(Self::Int),
            Shape::Number | Shape::Numbers(_) => Some(Self::Number),
            Shape::Text | Shape::Pattern(_) | Shape::Words(_) => Some(Self::Text),
            Shape::List(_) | Shape::Filled(_) | Shape::Distinct(_) | Shape::EmptyList => Some(Self::List),
            Shape::Map(_) | Shape::Keys(..) | Shape::Object(_) => Some(Self::Mapping),
            Shape::Any | Shape::Never | Shape::Union(_) => None,
        });
        kinds.collect()
    }

    /// Returns `true` if a value is of this kind.
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

use Shape::{Any, Bool, Filled, Integer, List, Map, Never, Null, Number, Text, Union};

const TEXT_OR_TEXTS: Shape = Union(&[Text, List(&Text)]);
const OWN_OBJECT: Shape = Union(&[Null, Map(&Any)]);
const WORLD: Shape = Shape::Object(&WORLD_OF_TEST);

/// A test file.
pub static FILE: Object = Object {
    name: "test_file",
    doc: "Test cases for rules.",
    fields: &[&[
        field(
            "config",
            Union(&[Text, Filled(&Text)]),
            "The config files, in the order in which TPV merges them: paths beside this file, patterns, URLs.",
        ),
        field(
            "world",
            Union(&[Text, WORLD]),
            "What Galaxy knows: the path of a world file beside this file, or a world itself.",
        ),
        field("defaults", Shape::Object(&JOB), "Fields of every job that does not have them itself."),
        field("tests", List(&Shape::Object(&TEST)), "The test cases."),
        field("properties", List(&Shape::Object(&PROPERTY)), "What holds for every job."),
    ]],
    others: Others::Refused,
};

/// A world in a test file: of names that are not known none is a world's.
static WORLD_OF_TEST: Object = Object {
    name: "test_world",
    doc: "What Galaxy knows at the moment of the mapping.",
    fields: &[WORLD_FIELDS],
    others: Others::Refused,
};

/// A test case.
pub static TEST: Object = Object {
    name: "test",
    doc: "A test case, or a table of them.",
    fields: &[&[
        field(
            "name",
            Text,
            "The name of the case; `{field}` is replaced by a field of its table's row, or of its job.",
        ),
        field("job", Shape::Object(&JOB), "The job."),
        field("world", WORLD, "Fields of the world that differ in this case."),
        field("expect", Shape::Object(&EXPECT), "The expected answer; fields that aren't named may have any value."),
        field(
            "attempts",
            Filled(&Shape::Object(&ATTEMPT)),
            "In place of `expect`: the expected answer of each attempt of a job that fails, and how it ends.",
        ),
        field(
            "table",
            Filled(&Shape::Object(&ROW)),
            "One case per row: each row has fields of the job and of the expected answer.",
        ),
    ]],
    others: Others::Refused,
};

/// A property.
pub static PROPERTY: Object = Object {
    name: "test_property",
    doc: "What holds for every job that `when` describes.",
    fields: &[&[
        required("name", Text, "The name of the property."),
        field("when", Shape::Object(&WHEN), "The jobs that it is about. Default: all."),
        field("never", Shape::Object(&EXPECT), "No job has an answer with all of this."),
        field("always", Shape::Object(&EXPECT), "Each job that gets a destination has an answer with all of this."),
    ]],
    others: Others::Refused,
};

/// The jobs of a property.
pub static WHEN: Object = Object {
    name: "test_when",
    doc: "Jobs: those for which all of this holds.",
    fields: &[&[
        field(
            "tool",
            TEXT_OR_TEXTS,
            "Ids of tools, as in TPV: expressions of Python that match the beginning of the id.",
        ),
        field("user_defined", Bool, "True for tools that users define, false for all others."),
        field("user", Union(&[Null, Text]), "Email addresses, as the ids of users in TPV; null for anonymous jobs."),
        field("roles", TEXT_OR_TEXTS, "The roles that the user has."),
        field("without_roles", TEXT_OR_TEXTS, "The roles that the user does not have."),
        field("input_size", Union(&[Number, Text]), "The size of the inputs in GiB: `20`, `> 20`, `>= 1, < 20`."),
        field("history_tags", TEXT_OR_TEXTS, "The tags that the job's history has."),
    ]],
    others: Others::Refused,
};

/// An attempt of a job that fails and is resubmitted.
pub static ATTEMPT: Object = Object {
    name: "test_attempt",
    doc: "An attempt of a job: the expected answer, and how the attempt ends.",
    fields: &[ATTEMPT_FIELDS, EXPECT_FIELDS],
    others: Others::Refused,
};

static ATTEMPT_FIELDS: &[Field] = &[
    field(
        "ends",
        Shape::Words(&RunnerState::NAMES),
        "How the attempt fails, by the names that conditions of `resubmit` have. Without it, the attempt does not fail.",
    ),
    field(
        "seconds_running",
        Number,
        "The seconds after which it fails, for conditions that ask for `seconds_running` or `seconds_since_queued`. Default: 0.",
    ),
    field("delay", Number, "The expected delay before the attempt, in seconds."),
];

/// A row of a table, which has fields of jobs and expectations, too.
pub static ROW: Object = Object {
    name: "test_row",
    doc: "A row of a table: fields of the job and of the expected answer.",
    fields: &[
        &[
            field("name", Text, "What the row is called."),
            field("job", Shape::Object(&JOB), "Fields of the job."),
            field("expect", Shape::Object(&EXPECT), "What must hold."),
            field("params", Never, "Write `params` in `job` or in `expect`: both have them."),
        ],
        JOB_FIELDS,
        EXPECT_FIELDS,
    ],
    others: Others::Refused,
};

/// The job of a test case. `tool`, `user`, `job` and those after it may be written as in a job file.
pub static JOB: Object = Object { name: "test_job", doc: "A job.", fields: &[JOB_FIELDS], others: Others::Refused };

static JOB_FIELDS: &[Field] = &[
    field("tool", Union(&[Text, Shape::Object(&TOOL)]), "The id of the tool, or the tool of a job file."),
    field("version", Text, "The version of the tool."),
    field(
        "user",
        Union(&[Null, Text, Shape::Object(&USER)]),
        "The email of the user, the user of a job file, or null for an anonymous job.",
    ),
    field("roles", List(&Union(&[Text, Shape::Object(&ROLE)])), "The names of the user's roles."),
    field(
        "input_size",
        Number,
        "The size of the inputs in GiB, as `input_size` in rules: the job gets one dataset of it.",
    ),
    field(
        "input_datasets",
        List(&Shape::Object(&DATASET)),
        "The inputs as in a job file; `id` and `name` may be left out.",
    ),
    field("params", Map(&Any), "The parameters of the tool."),
    field("history_tags", List(&Union(&[Text, Shape::Object(&TAG)])), "The tags of the job's history."),
    field("state", Text, "The state of the job: `new`, `resubmitted`."),
    field("job", Shape::Object(&GALAXY_JOB), "The job of a job file: what has no key of its own here."),
    field("seed", Integer, "The seed of Python's `random` before the job."),
    field("job_wrapper", OWN_OBJECT, "`job_wrapper` of a job file."),
    field("resource_params", OWN_OBJECT, "`resource_params` of a job file."),
    field("workflow_invocation_uuid", Union(&[Null, Text]), "`workflow_invocation_uuid` of a job file."),
];

static DATASET: Object = Object {
    name: "test_dataset",
    doc: "An input dataset. Further names are attributes of the dataset.",
    fields: &[&[field("id", Union(&[Integer, Text]), "The dataset's id. Default: its number.")], DATASET_FIELDS],
    others: Others::Own,
};

/// A resource is a number, or whatever else the code of a rule makes of it.
const RESOURCE: Shape = Union(&[Number, Null, Text, Bool]);

/// The expectations of a case.
pub static EXPECT: Object =
    Object { name: "test_expect", doc: "What must hold.", fields: &[EXPECT_FIELDS], others: Others::Refused };

static EXPECT_FIELDS: &[Field] = &[
    field("destination", Text, "The id of the destination."),
    field("runner", Union(&[Text, Null]), "The destination's runner."),
    field(Resource::Cores.name(), RESOURCE, "The cores."),
    field(Resource::Mem.name(), RESOURCE, "The memory in GiB."),
    field(Resource::Gpus.name(), RESOURCE, "The GPUs."),
    field("env", Map(&Any), "Variables of the environment; null for one that must not be set."),
    field("params", Map(&Any), "Parameters of the destination; null for one that must not be set."),
    field("tags", List(&Any), "The handler tags of the destination, in order."),
    field("not_on", TEXT_OR_TEXTS, "Destinations that the job must not go to."),
    field("rules", TEXT_OR_TEXTS, "The ids of rules that must fire."),
    field(
        "error",
        Union(&[Text, Shape::Object(&ERROR)]),
        "The error that the job must end in: a part of its text, or its `type` and `message`.",
    ),
];

/// The error that is expected.
pub static ERROR: Object = Object {
    name: "test_error",
    doc: "The error that the job must end in.",
    fields: &[&[
        field("type", Text, "The exception's class: `JobMappingException`."),
        field("message", Text, "A part of its message."),
    ]],
    others: Others::Refused,
};
