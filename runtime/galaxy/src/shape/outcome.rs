//! The `outcome` of a job: what `outcome.rs` of Galaxy reads.

use super::Shape::{Bool, List, Null, Number, Pattern, Text, Union};
use super::{Field, Object, Others, Shape, field};

const TEXT_OR_NULL: Shape = Union(&[Text, Null]);
const NUMBER_OR_NULL: Shape = Union(&[Number, Null]);
const BOOL_OR_NULL: Shape = Union(&[Bool, Null]);
const TIME_OR_NULL: Shape = Union(&[Pattern("^[0-9]{4}-?[0-9]{2}-?[0-9]{2}"), Null]);

/// `outcome`
pub static OUTCOME: Object = Object {
    name: "job_outcome",
    doc: "The end of a job, and what it used.",
    fields: &[
        &[
            field("state", TEXT_OR_NULL, "Galaxy's state: `ok`, `error`, ..."),
            field("destination_id", TEXT_OR_NULL, "The destination of the last attempt."),
            field("running_time", TIME_OR_NULL, "The time at which the last attempt began to run."),
            field("queue_seconds", NUMBER_OR_NULL, "The time for which the last attempt was queued before it ran."),
            field("end_time", TIME_OR_NULL, "The end of the last attempt, in UTC where it has no offset."),
            field(
                "update_time",
                TIME_OR_NULL,
                "The last change of the job's row: the end, where `end_time` is not known.",
            ),
            field("slots", NUMBER_OR_NULL, "The cores that the last attempt was given."),
            field("cpu_seconds", NUMBER_OR_NULL, "The processor time of all processes of the last attempt."),
            field("resubmitted", BOOL_OR_NULL, "Whether an attempt came before the last one."),
            field(
                "attempts",
                Union(&[List(&Shape::Object(&ATTEMPT)), Null]),
                "The attempts before the last one, in order.",
            ),
        ],
        ATTEMPT_FIELDS,
    ],
    others: Others::Own,
};

/// An item of `outcome.attempts`.
pub static ATTEMPT: Object =
    Object { name: "job_attempt", doc: "One time that the job ran.", fields: &[ATTEMPT_FIELDS], others: Others::Own };

/// The fields of each attempt.
pub const ATTEMPT_FIELDS: &[Field] = &[
    field("memory_bytes", NUMBER_OR_NULL, "The most memory that it used, in bytes."),
    field("allocated_memory_bytes", NUMBER_OR_NULL, "The memory that it was given, in bytes."),
    field("runtime_seconds", NUMBER_OR_NULL, "The time that it ran."),
    field("oom", BOOL_OR_NULL, "Whether it was killed because its memory was short."),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reader_knows_these_names_and_no_other() {
        super::super::assert_same_names(
            include_str!("../outcome.rs"),
            "b\"",
            &[("read_outcome", &OUTCOME), ("read_attempt", &ATTEMPT)],
        );
    }
}
