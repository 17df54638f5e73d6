//! `capacity.yml`, the clusters behind destinations, which `tpv-simulate` reads by this list.

use tpv_galaxy::shape::Shape::{Count, Filled, List, Map, Number, Pattern, Text, Union, Words};
use tpv_galaxy::shape::{Field, Object, Others, Shape, field, required};

/// The file.
pub static CAPACITY: Object = Object {
    name: "capacity",
    doc: "The clusters that the destinations of a config send their jobs to.",
    fields: &[&[required("clusters", Map(&Shape::Object(&CLUSTER)), "The clusters, by name.")]],
    others: Others::Refused,
};

/// A cluster.
pub static CLUSTER: Object = Object {
    name: "capacity_cluster",
    doc: "A cluster: either a whole, with its amounts, or nodes. Without any amount it takes all jobs at once.",
    fields: &[
        &[required(
            "destinations",
            Filled(&Text),
            "The ids of the destinations that share it; `*` stands for any part of an id.",
        )],
        AMOUNTS,
        &[
            field("nodes", Filled(&Shape::Object(&NODES)), "Its nodes. A job runs on one node."),
            field(
                "discipline",
                Words(&["fifo", "backfill"]),
                "The order of the queue: `fifo`, or `backfill`, where later jobs may start that do not delay the first. Default: backfill.",
            ),
            field("start_delay", Number, "The time from when a job gets its cores until it runs. Unit: seconds."),
            field("closed", List(&Shape::Object(&CLOSED)), "Times in which no job starts; those that run go on."),
        ],
    ],
    others: Others::Refused,
};

/// Some equal nodes.
pub static NODES: Object = Object {
    name: "capacity_nodes",
    doc: "Some equal nodes.",
    fields: &[&[field("count", Count, "The number of such nodes. Default: 1.")], AMOUNTS],
    others: Others::Refused,
};

/// The amounts of a cluster or a node.
const AMOUNTS: &[Field] = &[
    field("cores", Number, "Cores. Without it there is no limit."),
    field("mem", Number, "Memory. Without it there is no limit. Unit: GiB."),
    field(
        "gpus",
        Number,
        "GPUs. Without it there is no limit; of nodes there are none if others of the list name theirs.",
    ),
    field("jobs", Count, "Jobs that run at once. Without it there is no limit."),
];

const TIME: Shape = Union(&[Pattern("^[0-9]{4}-?[0-9]{2}-?[0-9]{2}")]);

/// A time in which no job starts.
pub static CLOSED: Object = Object {
    name: "capacity_closed",
    doc: "A time in which no job starts.",
    fields: &[&[
        required("from", TIME, "Its beginning, in UTC where it has no offset."),
        field("to", TIME, "Its end; without it the cluster is not opened again."),
    ]],
    others: Others::Refused,
};
