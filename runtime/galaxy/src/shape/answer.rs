//! The answer file, an answer a line: what `answer.rs` of Galaxy writes. Code can put any value anywhere; these are the kinds that
//! TPV's own classes give.

use tpv_model::Resource;

use super::Shape::{Any, Bool, List, Map, Null, Number, Text, Union};
use super::{Field, Object, Others, Shape, field, required};

/// A line of an answer file.
pub const ANSWER: Shape = Union(&[Shape::Object(&MAPPED), Shape::Object(&FAILED)]);

const ID: Field = required("id", Union(&[Text, Number, Bool, Null]), "The job's id; null for a line that isn't a job.");

/// The answer to a job that is mapped.
pub static MAPPED: Object = Object {
    name: "answer_mapped",
    doc: "What a job is mapped to.",
    fields: &[&[
        ID,
        required("destination", Shape::Object(&DESTINATION), "Where the job goes."),
        required(Resource::Cores.name(), Any, "The cores: a number, or null if nothing sets them."),
        required(Resource::Mem.name(), Any, "The memory in GiB: a number, or null if nothing sets it."),
        required(Resource::Gpus.name(), Any, "The GPUs: a number, or null if nothing sets them."),
        field(
            "candidates",
            List(&Union(&[Text, Null])),
            "The ids of the destinations that match, best first; null for what a rank puts among them; only with `--detail`.",
        ),
    ]],
    others: Others::Refused,
};

/// The answer to a job that ends in an error.
pub static FAILED: Object = Object {
    name: "answer_failed",
    doc: "The error that a job ends in.",
    fields: &[&[ID, required("error", Shape::Object(&ERROR), "The error.")]],
    others: Others::Refused,
};

/// `destination`
pub static DESTINATION: Object = Object {
    name: "answer_destination",
    doc: "A destination as Galaxy gets it.",
    fields: &[&[
        required("id", Any, "The name of the destination, evaluated: a text."),
        required("runner", Any, "The runner: a text or null."),
        required("tags", Any, "The handler tags: a list of texts, or null."),
        required("params", Any, "The params: a mapping."),
        required(
            "env",
            List(&Map(&Any)),
            "The environment variables, each a mapping with `name` and `value`, `file` or `execute`.",
        ),
        required("resubmit", List(&Map(&Any)), "What to do with a job that fails, in Galaxy's form."),
    ]],
    others: Others::Refused,
};

/// `error`
pub static ERROR: Object = Object {
    name: "answer_error",
    doc: "An error.",
    fields: &[&[
        required(
            "type",
            Text,
            "The class of the exception: `JobMappingException`; `InvalidJob` for a line that isn't a job.",
        ),
        required("message", Any, "Its message: a text, unless the rules' code put something else there."),
    ]],
    others: Others::Refused,
};
