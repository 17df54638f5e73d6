//! The summary of `tpvc fit --privacy`, which serde reads: `tests/analysis/schema/` compares what both know.

use tpv_galaxy::shape::Shape::{Bool, Count, List, Null, Number, Text, Union};
use tpv_galaxy::shape::{Object, Others, Shape, field, required};

const NUMBER_OR_NULL: Shape = Union(&[Number, Null]);
const COUNT_OR_NULL: Shape = Union(&[Count, Null]);

/// A summary.
pub static SUMMARY: Object = Object {
    name: "fit",
    doc: "What the tools of a site used, without users, datasets or parameters.",
    fields: &[&[
        required("summary", Shape::Numbers(&[1]), "The version of the format."),
        required(
            "threshold",
            Count,
            "The fewest jobs that a number is made of. What fewer jobs would say is left out.",
        ),
        required("left_out", Count, "Jobs of tools that have fewer."),
        required("tools", List(&Shape::Object(&TOOL)), "The tools."),
    ]],
    others: Others::Refused,
};

static TOOL: Object = Object {
    name: "fit_tool",
    doc: "The jobs of a tool whose memory is set by one line of the site's config.",
    fields: &[&[
        required("tool", Text, "The tool's id without its version."),
        required("jobs", Count, "All jobs."),
        field("killed", COUNT_OR_NULL, "Jobs that were killed for memory; null if they are some, but too few."),
        required("reserved", Number, "GiB·h that all attempts had."),
        required("used", Number, "GiB·h that was used."),
        field("failed", NUMBER_OR_NULL, "GiB·h of killed attempts; null if they are of too few jobs."),
        required(
            "attempts",
            Count,
            "Attempts with more memory than the one before, of a job that is killed each time.",
        ),
        required("cells", List(&Shape::Object(&CELL)), "The jobs whose memory and time are known, by size and memory."),
    ]],
    others: Others::Refused,
};

static CELL: Object = Object {
    name: "fit_cell",
    doc: "Jobs with inputs of about one size that needed about as much memory: numbers are means, of three digits.",
    fields: &[&[
        required("jobs", Count, "The number of jobs, estimated if the site's history learns from some of them."),
        required("killed", Bool, "True if they were killed for using more memory."),
        required("plain", Number, "The size of the inputs that are not compressed, in GiB."),
        required("compressed", Number, "The size of the compressed inputs, in GiB."),
        required("peak", Number, "The most memory used, in GiB."),
        required("hours", Number, "The time that they ran."),
        required("asked", Number, "The memory in GiB that the site's rules give them."),
    ]],
    others: Others::Refused,
};
