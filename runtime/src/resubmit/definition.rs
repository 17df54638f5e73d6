//! The `resubmit` definitions of a destination, as Galaxy gets them.

use tpv_galaxy::answer::{Answer, Field};
use tpv_galaxy::json::Json;

/// The `resubmit` definitions of a destination, in the order in which Galaxy tries them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Definitions(Vec<Json>);

impl From<Vec<Json>> for Definitions {
    fn from(definitions: Vec<Json>) -> Self {
        Self(definitions)
    }
}

impl Definitions {
    /// The definitions of the destination that a job was mapped to; none if it was not mapped.
    pub fn of(answer: &Answer) -> Self {
        // Most destinations have none.
        if answer.text(Field::Resubmit).is_none_or(|text| text == "[]") {
            return Self::default();
        }
        match answer.get(Field::Resubmit) {
            Some(Json::List(definitions)) => Self(definitions),
            _ => Self::default(),
        }
    }

    /// Returns `true` if there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The definitions.
    pub fn iter(&self) -> impl Iterator<Item = &Json> {
        self.0.iter()
    }
}
