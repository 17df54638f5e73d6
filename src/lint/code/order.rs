//! The order in which TPV evaluates.
//!
//! The context of a job grows in a fixed order: global context and arguments; the contexts of the matched entities; for
//! each rule its condition; then `min_gpus` to `mem` with the contexts of the rules that fired; the rank; and for each
//! candidate destination its context, its rules, its resources, `env`, `params`, `resubmit`, its name and its tags.

use tpv_model::Resource;

/// The properties of a destination evaluated after its resources, in order.
pub(super) const LATE: [&str; 5] = ["env", "params", "resubmit", "dest_name", "handler_tags"];

/// When a text is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Phase {
    /// Conditions and effects of rules.
    Rules,
    /// A resource.
    Resource(Resource),
    /// The rank.
    Rank,
    /// A property of the destination, by its index in [`LATE`].
    Late(usize),
}

impl Phase {
    /// When a property is evaluated.
    pub(super) fn of(property: &str) -> Self {
        match property {
            "if" | "execute" | "fail" => Self::Rules,
            "rank" => Self::Rank,
            "destination_name_override" => Self::Late(3),
            "tags" => Self::Late(4),
            name => match Resource::from_name(name) {
                Some(resource) => Self::Resource(resource),
                None => Self::Late(LATE.iter().position(|late| *late == name).unwrap_or(0)),
            },
        }
    }
}
