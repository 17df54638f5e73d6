//! The order in which TPV evaluates.
//!
//! The context of a job grows in a fixed order: global context and arguments; the contexts of the matched entities; for
//! each rule its condition; then `min_gpus` to `mem` with the contexts of the rules that fired; the rank; and for each
//! candidate destination its context, its rules, its resources, `env`, `params`, `resubmit`, its name and its tags.

use tpv_model::{EntityClass, Field, Resource};

/// The properties of a destination evaluated after its resources, in order.
pub(super) const LATE: [&str; 5] = [
    Field::Env.name(),
    Field::Params.name(),
    Field::Resubmit.name(),
    Field::DestName.name(),
    Field::HandlerTags.name(),
];

/// The phase in which a text is evaluated.
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
    /// The phase in which a property is evaluated.
    pub(super) fn of(property: &str) -> Self {
        if let Some(resource) = Resource::from_name(property) {
            return Self::Resource(resource);
        }
        let of = |class| Field::of(class).find(|field| field.alias() == property);
        match of(EntityClass::Rule).or_else(|| of(EntityClass::Destination)) {
            Some(Field::If | Field::Execute | Field::Fail) => Self::Rules,
            Some(Field::Rank) => Self::Rank,
            Some(field) => Self::Late(LATE.iter().position(|late| *late == field.name()).unwrap_or(0)),
            None => Self::Late(0),
        }
    }
}
