//! The job file, a job a line: what `job/read.rs` reads.

use super::Shape::{Any, Bool, Integer, Keys, List, Map, Null, Number, Text, Union};
use super::{Field, Object, Others, Shape, field, required};
use crate::resource_requirements::RESOURCE_TYPES;

const TEXT_OR_NULL: Shape = Union(&[Text, Null]);
const OWN_OBJECT: Shape = Union(&[Map(&Any), Null]);

/// A line of a job file.
pub static JOB: Object = Object {
    name: "job",
    doc: "A job as tpvc maps it: one line of a job file.",
    fields: &[&[
        field("id", Union(&[Text, Number, Bool, Null]), "What the answer calls the job."),
        field(
            "seed",
            Union(&[Integer, Null]),
            "The state of Python's `random` before this job: `random.seed(seed)`. None if not given.",
        ),
        required("tool", Shape::Object(&TOOL), "The tool."),
        field("user", Union(&[Shape::Object(&USER), Null]), "The user; null, the default, for an anonymous job."),
        field("job", Union(&[Shape::Object(&GALAXY_JOB), Null]), "What Galaxy keeps of the job."),
        field("job_wrapper", OWN_OBJECT, "Attributes of `job_wrapper`."),
        field("resource_params", OWN_OBJECT, "`resource_params`, as a dict."),
        field("workflow_invocation_uuid", TEXT_OR_NULL, "The workflow invocation that the job is part of."),
        field(
            "dispatcher",
            TEXT_OR_NULL,
            "The dynamic destination of Galaxy's job configuration that the job was given to; null for a static destination.",
        ),
        field(
            "outcome",
            OWN_OBJECT,
            "The end of the job, which no rule sees: its state, and the time and memory that it used. `tpvc fit` reads it.",
        ),
    ]],
    others: Others::Ignored,
};

/// `tool`
pub static TOOL: Object = Object {
    name: "job_tool",
    doc: "A tool. Further names are attributes of `tool`.",
    fields: &[&[
        required("id", Text, "The tool's id, which the patterns under `tools` are compared with."),
        field("version", TEXT_OR_NULL, "The tool's version."),
        field("old_id", Text, "The id without the tool shed. Default: `id`."),
        field("tool_type", Text, "`default`, `interactive`, `user_defined`, ... Default: `default`."),
        field("requires_galaxy_python_environment", Bool, "Default: false."),
        field(
            "resource_requirements",
            Union(&[Keys(&RESOURCE_TYPES, &Union(&[Number, Text])), Null]),
            "The tool's own resource requirements, by Galaxy's resource types; RAM in MiB. Text that isn't a number is an expression, which is skipped.",
        ),
        field("dynamic_tool_uuid", TEXT_OR_NULL, "The uuid of a user-defined tool."),
    ]],
    others: Others::Own,
};

/// `user`
pub static USER: Object = Object {
    name: "job_user",
    doc: "A user. Further names are attributes of `user`.",
    fields: &[&[
        field("id", Integer, "The user's id. Default: 1."),
        field("username", Text, "Default: the part of `email` before the @."),
        field("email", TEXT_OR_NULL, "The email address, which the patterns under `users` are compared with."),
        field(
            "roles",
            List(&Union(&[Text, Shape::Object(&ROLE)])),
            "The user's roles, by name, which the patterns under `roles` are compared with.",
        ),
        field("extra_preferences", Map(&Any), "`user.extra_preferences`, as a dict."),
    ]],
    others: Others::Own,
};

/// An item of `user.roles`.
pub static ROLE: Object = Object {
    name: "job_role",
    doc: "A role.",
    fields: &[&[
        required("name", Text, "The role's name."),
        field("deleted", Bool, "Whether it is deleted. Default: false."),
    ]],
    others: Others::Ignored,
};

/// `job`
pub static GALAXY_JOB: Object = Object {
    name: "galaxy_job",
    doc: "What Galaxy keeps of the job. Further names are attributes of `job`.",
    fields: &[&[
        field("id", Integer, "The job's id in Galaxy's database. Default: 1."),
        field("state", Text, "`new`, `resubmitted`, ... Default: `new`."),
        field("param_values", Map(&Any), "The values of the tool's parameters, by name."),
        field(
            "parameters",
            Union(&[Map(&Text), Null]),
            "The tool's parameters as Galaxy stores them: each value as JSON text.",
        ),
        field("input_datasets", List(&Shape::Object(&DATASET)), "The inputs."),
        field("history", Union(&[Shape::Object(&HISTORY), Null]), "The history of the job."),
        field("destination_params", OWN_OBJECT, "The params of the destination that a resubmitted job had."),
    ]],
    others: Others::Own,
};

/// An item of `job.input_datasets`.
pub static DATASET: Object = Object {
    name: "job_dataset",
    doc: "An input dataset. Further names are attributes of the dataset.",
    fields: &[
        &[required("id", Union(&[Integer, Text]), "The dataset's id, which `param_values` refer to.")],
        DATASET_FIELDS,
    ],
    others: Others::Own,
};

/// The fields of an input dataset but for its id.
pub const DATASET_FIELDS: &[Field] = &[
    field("name", Text, "The name of the input, not of the dataset."),
    field("size", Union(&[Number, Null]), "The size in bytes."),
    field("extension", Text, "The datatype: `fastq`, `bam`."),
    field("object_store_id", TEXT_OR_NULL, "The object store that the dataset is in."),
    field("metadata", Map(&Any), "The dataset's metadata."),
];

/// `job.history`
pub static HISTORY: Object = Object {
    name: "job_history",
    doc: "A history. Further names are attributes of the history.",
    fields: &[&[
        field("id", Integer, "The history's id. Default: 1."),
        field("name", Text, "The history's name."),
        field("tags", List(&Union(&[Text, Shape::Object(&TAG)])), "The history's tags."),
    ]],
    others: Others::Own,
};

/// An item of `job.history.tags`.
pub static TAG: Object = Object {
    name: "job_tag",
    doc: "A tag of a history.",
    fields: &[&[
        required("name", Text, "The tag's name, `user_tname`."),
        field("value", TEXT_OR_NULL, "The part after the colon, `user_value`."),
    ]],
    others: Others::Ignored,
};

#[cfg(test)]
mod tests {
    use super::*;

    /// The values of each name are compared in `tests/analysis/schema/` of the compiler.
    #[test]
    fn the_reader_knows_these_names_and_no_other() {
        super::super::assert_same_names(
            include_str!("../job/read.rs"),
            "b\"",
            &[
                ("read_job", &JOB),
                ("read_tool", &TOOL),
                ("read_user", &USER),
                ("read_role", &ROLE),
                ("read_galaxy_job", &GALAXY_JOB),
                ("read_input", &DATASET),
                ("read_history", &HISTORY),
                ("read_tag", &TAG),
            ],
        );
    }
}
