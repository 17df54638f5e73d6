//! The world file: what `world.rs` of Galaxy reads.

use super::Shape::{Any, Count, Integer, List, Map, Null, Number, Pattern, Text, Union, Words};
use super::{Field, Object, Others, Shape, field, required};
use crate::sql_text::{GROUP_WORDS, TOTAL_WORDS};

const TEXT_OR_NULL: Shape = Union(&[Text, Null]);

/// A world file.
pub static WORLD: Object = Object {
    name: "world",
    doc: "What Galaxy knows at the moment of the mapping.",
    fields: &[WORLD_FIELDS],
    others: Others::Ignored,
};

/// The fields of a world.
pub static WORLD_FIELDS: &[Field] = &[
    field(
        "jobs",
        List(&Shape::Object(&ROW)),
        "Galaxy's job table: what `helpers.concurrent_job_count_for_tool` and queries count.",
    ),
    field(
        "users",
        Map(&Integer),
        "Galaxy's users: their emails, and their ids. `RuleHelper.job_count` counts jobs of these only.",
    ),
    field("tool_data_tables", Map(&List(&Map(&Any))), "`app.tool_data_tables`: names of tables to lists of rows."),
    field("config", Map(&Any), "`app.config`: Galaxy's settings by name."),
    field("files", Map(&Count), "The files that exist: their paths, and their sizes in bytes."),
    field("environment", Map(&Text), "The environment variables of Galaxy's processes: `os.environ`."),
    field("queries", List(&Shape::Object(&QUERY)), "The answers to queries in SQL."),
    field(
        "now",
        Pattern("^[0-9]{4}-?[0-9]{2}-?[0-9]{2}"),
        "Date and time, in ISO 8601: `2026-01-31T12:00:00Z`; in UTC where it has no offset. Default: now.",
    ),
];

/// A row of the job table.
pub static ROW: Object = Object {
    name: "world_job",
    doc: "A job that Galaxy has.",
    fields: &[&[
        field("id", Integer, "The job's id. Default: one more than the greatest before it."),
        field("tool_id", TEXT_OR_NULL, "The tool's id."),
        field("user_id", Union(&[Integer, Null]), "The user's id; null for an anonymous job."),
        field("state", TEXT_OR_NULL, "`queued`, `running`, `ok`, ..."),
        field("destination_id", TEXT_OR_NULL, "The destination that the job was sent to."),
        field("cores", Number, "The cores that it was given. Default: 0."),
        field("mem", Number, "The memory that it was given, in GiB. Default: 0."),
    ]],
    others: Others::Ignored,
};

/// A query and its answer.
pub static QUERY: Object = Object {
    name: "world_query",
    doc: "A query and its answer.",
    fields: &[&[
        required("sql", Text, "The query; white space does not matter."),
        required(
            "rows",
            Union(&[List(&List(&Any)), Shape::Object(&TOTALS)]),
            "The rows of the answer, each a list of values, or the totals of jobs that they have.",
        ),
    ]],
    others: Others::Ignored,
};

/// Totals of jobs in the place of rows.
pub static TOTALS: Object = Object {
    name: "world_totals",
    doc: "A row for each group of queued or running jobs: the columns of `group_by`, then the totals.",
    fields: &[&[
        required("group_by", List(&Words(&GROUP_WORDS)), "The columns that group the jobs; `[]`: one row for all."),
        required("totals", List(&Words(&TOTAL_WORDS)), "Number of jobs, cores, memory in GiB, memory in MiB."),
    ]],
    others: Others::Refused,
};

#[cfg(test)]
mod tests {
    use super::*;

    /// The values of each name are compared in `tests/analysis/schema/` of the compiler.
    #[test]
    fn the_reader_knows_these_names_and_no_other() {
        super::super::assert_same_names(
            include_str!("../world.rs"),
            "\"",
            &[("read_world", &WORLD), ("read_job_row", &ROW)],
        );
        super::super::assert_same_names(
            include_str!("../sql_text.rs"),
            "\"",
            &[("read_query", &QUERY), ("read_totals", &TOTALS)],
        );
    }
}
