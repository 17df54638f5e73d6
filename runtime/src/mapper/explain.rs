//! Watching a mapping: explanations observe the one path that every job takes.

use std::rc::Rc;

use crate::python::exception::Raised;

use super::entity::Entity;

/// Something that happened while a job was mapped.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum Step<'a> {
    /// The entities that the job's tool, role and user gave, before they are combined.
    Matched {
        /// In the order tool, role, user.
        entities: &'a [Rc<Entity>],
    },
    /// The entities combined into one.
    Combined {
        /// The combined entity.
        entity: &'a Rc<Entity>,
    },
    /// A rule's condition was evaluated.
    Rule {
        /// The rule.
        rule: &'a Rc<Entity>,
        /// Whether it matched.
        matched: bool,
    },
    /// The resources that destinations are matched against.
    Resources {
        /// The entity with its resources evaluated.
        entity: &'a Rc<Entity>,
    },
    /// A destination was compared.
    Destination {
        /// The destination.
        destination: &'a Rc<Entity>,
        /// Whether it can take the job.
        matched: bool,
    },
    /// The order of the candidates.
    Ranked {
        /// Their ids, best first.
        candidates: &'a [String],
    },
    /// A candidate gave the job on: `TryNextDestinationOrFail` or `TryNextDestinationOrWait`.
    Passed {
        /// The candidate's id.
        candidate: &'a str,
        /// Why.
        raised: &'a Raised,
    },
    /// A candidate was chosen.
    Chosen {
        /// The candidate's id.
        candidate: &'a str,
    },
}

/// Takes the steps of a mapping.
pub trait Observer {
    /// Whether it looks at the steps; where not, those are left out that are only made to be looked at.
    fn watches(&self) -> bool {
        true
    }

    /// One step.
    fn step(&mut self, step: Step<'_>);
}

/// Takes nothing.
pub struct Unobserved;

impl Observer for Unobserved {
    fn watches(&self) -> bool {
        false
    }

    fn step(&mut self, _: Step<'_>) {}
}
