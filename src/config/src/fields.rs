//! The fields of a config: what reads them, what suggests them where one is misspelt, and what completes them in editors is this
//! one list. Names, kinds and defaults are those of TPV 3.3.0.

use tpv_galaxy::shape::Shape::{
    Any, Bool, Distinct, EmptyList, Integer, List, Map, Never, Null, Number, Numbers, Pattern, Text, Union,
};
use tpv_galaxy::shape::{Field, Object, Others, Shape, field};

use tpv_model::EntityClass;
use tpv_model::field::{Kind, Unset};

const OPTIONAL_TEXT: Shape = Union(&[Text, Null]);
const TEXTS: Shape = List(&Text);
const DICT: Shape = Map(&Any);
const OPTIONAL_DICT: Shape = Union(&[DICT, Null]);
/// Pydantic takes a boolean for a number.
const NUMBER_OR_CODE: Shape = Union(&[Number, Text, Bool, Null]);
const DIGITS: &str = r"^\s*[+-]?([0-9]+(_[0-9]+)*\.?([0-9]+(_[0-9]+)*)?|\.[0-9]+)([eE][+-]?[0-9]+)?\s*$|^\s*[+-]?([iI][nN][fF]|[nN][aA][nN])\s*$";
const NUMBER: Shape = Union(&[Number, Pattern(DIGITS), Bool, Null]);
const INTEGER: Shape = Union(&[Integer, Pattern(r"^\s*[+-]?[0-9]+(_[0-9]+)*(\.0+)?\s*$"), Bool]);
const CONDITION: Shape = Union(&[Text, Bool, Numbers(&[0, 1])]);
const ENV: Shape = Union(&[DICT, List(&Map(&Text)), Null]);
const RESUBMIT: Shape = Map(&Map(&Union(&[Text, Number, Bool, Null])));
/// The values that Galaxy's `asbool` accepts: words, else Python's truth of anything.
const TRUTH: Shape = Union(&[
    Bool,
    Pattern(
        r"^\s*([tT][rR][uU][eE]|[yY][eE][sS]|[oO][nN]|[yYtT1]|[fF][aA][lL][sS][eE]|[nN][oO]|[oO][fF][fF]|[nNfF0])\s*$",
    ),
    Number,
    Null,
    List(&Any),
    DICT,
]);
/// The values that pydantic accepts for a boolean.
const FLAG: Shape = Union(&[
    Bool,
    Numbers(&[0, 1]),
    Pattern(r"^([tT][rR][uU][eE]|[yY][eE][sS]|[oO][nN]|[yYtT1]|[fF][aA][lL][sS][eE]|[nN][oO]|[oO][fF][fF]|[nNfF0])$"),
]);
const TAGS: Shape = Union(&[Distinct(&Text), Null]);
const NO_TAGS: Shape = Union(&[EmptyList, Null]);

/// A config file.
pub static CONFIG: Object = Object {
    name: "config",
    doc: "A config of TPV (Total Perspective Vortex): which jobs of a Galaxy server get which resources, and where they run.",
    fields: &[&[
        field("global", Shape::Object(&GLOBAL), "What counts for all entities."),
        field(
            "tools",
            Map(&Shape::Object(&ENTITY)),
            "Tools, by id, or by a regular expression that matches from the beginning of the id.",
        ),
        field(
            "users",
            Map(&Shape::Object(&ENTITY)),
            "Users, by email address, or by a regular expression that matches from its beginning.",
        ),
        field(
            "roles",
            Map(&Shape::Object(&ENTITY)),
            "Roles, by name, or by a regular expression that matches from its beginning.",
        ),
        field("destinations", Map(&Shape::Object(&DESTINATION)), "Where jobs can run, by id."),
        field("pools", Map(&Shape::Object(&POOL)), "Resource pools: budgets that users' jobs share, by id."),
    ]],
    // Anchors often stand under names of the first three forms; TPV overwrites `evaluator`.
    others: Others::IgnoredBut(r"^(_|\.|x-|evaluator$)"),
};

/// `global`
pub static GLOBAL: Object = Object {
    name: "global",
    doc: "What counts for all entities.",
    fields: &[&[
        field(
            "default_inherits",
            OPTIONAL_TEXT,
            "The entity that all tools, users, roles and destinations inherit from in the end; without it, none.",
        ),
        field("context", DICT, "Names for all code: `name: value`."),
        field("resource_pool_store", Union(&[Shape::Object(&STORE), Null]), "Where resource pools keep their books."),
    ]],
    others: Others::Ignored,
};

/// `resource_pool_store`
pub static STORE: Object = Object {
    name: "resource_pool_store",
    doc: "The store of resource pools. Further names are options of the store, such as `url`.",
    fields: &[&[
        field(
            "class",
            Text,
            "The store's class, a dotted Python path. Default: `tpv.core.resource_pool.ValkeyAllocationStore`.",
        ),
        field("store_class", Text, "The same as `class`, which wins."),
    ]],
    others: Others::Own,
};

const RULES: Shape = Union(&[List(&Shape::Object(&RULE)), Map(&Shape::Object(&RULE))]);

/// The values that a field of the model may have. Rules have no rules, and so their fields must not name the shape of rules.
const fn shape(kind: Kind, rules: Shape) -> Shape {
    match kind {
        Kind::Text => Text,
        Kind::OptionalText | Kind::Code | Kind::Statements | Kind::FString => OPTIONAL_TEXT,
        Kind::Truth => TRUTH,
        Kind::Flag => FLAG,
        Kind::NumberOrCode => NUMBER_OR_CODE,
        Kind::Number => NUMBER,
        Kind::Condition => CONDITION,
        Kind::Env => ENV,
        Kind::Dict => OPTIONAL_DICT,
        Kind::Resubmit => RESUBMIT,
        Kind::Texts | Kind::FStrings => TEXTS,
        Kind::Tags => Shape::Object(&SCHEDULING),
        Kind::Rules => rules,
        Kind::Oversize => Shape::Object(&OVERSIZE),
    }
}

/// Fields of the model as a config has them.
const fn of_model<const N: usize>(fields: &[tpv_model::Field], rules: Shape) -> [Field; N] {
    let mut out = [field("", Any, ""); N];
    let (mut from, mut to) = (fields, out.as_mut_slice());
    while let ([first, others @ ..], [slot, rest @ ..]) = (from, to) {
        let default = if matches!(first.unset(), Unset::False) { Some(false) } else { None };
        *slot = Field {
            name: first.alias(),
            shape: shape(first.kind(), rules),
            doc: first.words(),
            unit: first.unit(),
            default,
            is_required: matches!(first.unset(), Unset::Required),
        };
        (from, to) = (others, rest);
    }
    out
}

/// The fields that a class has besides the common ones, as a config has them.
macro_rules! own {
    ($class:ident, $rules:expr) => {{
        const MODEL: &[tpv_model::Field] = tpv_model::Field::own(EntityClass::$class);
        const FIELDS: [Field; MODEL.len()] = of_model(MODEL, $rules);
        &FIELDS
    }};
}

/// The fields of entities and rules.
const COMMON: &[Field] = {
    const MODEL: &[tpv_model::Field] = tpv_model::Field::common();
    const FIELDS: [Field; MODEL.len()] = of_model(MODEL, Never);
    &FIELDS
};

/// A name that a validator of TPV keeps for itself.
const RESERVED: &[Field] = &[field("evaluator", Never, "A name that TPV keeps for itself.")];

/// A tool, user or role.
pub static ENTITY: Object = Object {
    name: "entity",
    doc: "A tool, user or role.",
    fields: &[COMMON, own!(Tool, RULES), RESERVED],
    others: Others::Ignored,
};

/// A rule of an entity.
pub static RULE: Object = Object {
    name: "rule",
    doc: "A rule: its fields apply to jobs for which its condition is true.",
    fields: &[
        &[field("id", Text, "The rule's id: a rule of the same id replaces or inherits from it.")],
        own!(Rule, Never),
        COMMON,
        RESERVED,
    ],
    others: Others::Ignored,
};

/// `scheduling`
pub static SCHEDULING: Object = Object {
    name: "scheduling",
    doc: "Tags. A tag is in at most one of the lists.",
    fields: &[&[
        field("require", TAGS, "Tags that the destination must have. Of a destination: that the job must ask for."),
        field("prefer", TAGS, "Tags that destinations had better have, which ranks them higher."),
        field("accept", TAGS, "Tags that the destination may have."),
        field("reject", TAGS, "Tags that the destination must not have."),
    ]],
    others: Others::IgnoredBut("^no_qa_codes$"),
};

/// A destination.
pub static DESTINATION: Object = Object {
    name: "destination",
    doc: "A destination: where jobs can run.",
    fields: &[COMMON, own!(Destination, RULES), &[TPV_TAGS], RESERVED],
    others: Others::Ignored,
};

const TPV_TAGS: Field = field(
    "tpv_tags",
    Shape::Object(&SCHEDULING),
    "What a job would ask for; rarely written. What the destination or pool itself offers is `scheduling`.",
);

/// A resource pool.
pub static POOL: Object = Object {
    name: "pool",
    doc: "A resource pool: the `max_concurrent_*` fields are its budget for each user.",
    fields: &[
        &[field(
            "scheduling",
            Shape::Object(&POOL_SCHEDULING),
            "The jobs that the pool governs: those with all tags of `require` and none of `reject`.",
        )],
        COMMON,
        own!(PoolEntity, RULES),
        &[TPV_TAGS],
        RESERVED,
    ],
    others: Others::Ignored,
};

/// `scheduling` of a pool.
pub static POOL_SCHEDULING: Object = Object {
    name: "pool_scheduling",
    doc: "The jobs that a pool governs.",
    fields: &[&[
        field("require", TAGS, "Tags that a job must have."),
        field("prefer", NO_TAGS, "No meaning in a pool."),
        field("accept", NO_TAGS, "No meaning in a pool."),
        field("reject", TAGS, "Tags that a job must not have."),
    ]],
    others: Others::IgnoredBut("^no_qa_codes$"),
};

/// `oversize`
pub static OVERSIZE: Object = Object {
    name: "oversize",
    doc: "What becomes of a job that is larger than the budget of its pool.",
    fields: &[&[
        field("max_concurrent", INTEGER, "The number of these jobs that a user may run at a time. Default: 0."),
        field("hard_max_cores", NUMBER, "No job of more cores runs."),
        field("hard_max_mem", NUMBER, "No job of more memory, in GiB, runs."),
        field("hard_max_gpus", NUMBER, "No job of more GPUs runs."),
        field("reserve_pool", FLAG, "If true, the job runs alone in the pool, and others wait for it.")
            .otherwise(false),
    ]],
    others: Others::Refused,
};

/// The fields of the entities of a kind.
pub fn of(kind: EntityClass) -> &'static Object {
    match kind {
        EntityClass::Tool | EntityClass::User | EntityClass::Role => &ENTITY,
        EntityClass::Destination => &DESTINATION,
        EntityClass::PoolEntity => &POOL,
        EntityClass::Rule => &RULE,
    }
}
