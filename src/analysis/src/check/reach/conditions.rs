//! The possible outcomes of rule conditions over all jobs that evaluate them.

use std::sync::Arc;

use tpv_config::entity::Rule;
use tpv_python::word_hash::WordMap;
use tpv_text::source::Span;

use super::rules::Layered;

/// The possible outcomes of a condition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Answer {
    /// It may be true.
    pub yes: bool,
    /// It may be false.
    pub no: bool,
    /// It may raise.
    pub raises: bool,
}

impl Answer {
    fn add(&mut self, other: Self) {
        *self = Self { yes: self.yes || other.yes, no: self.no || other.no, raises: self.raises || other.raises };
    }
}

/// The possible outcomes of the conditions that decide on one rule.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Deciding {
    /// Its own condition.
    pub own: Answer,
    /// Those of rules of the same id that take the place of its own, and keep its fields.
    pub over: Answer,
}

/// The possible outcomes of the conditions of all rules.
#[derive(Debug, Default)]
pub(crate) struct Conditions {
    by_place: WordMap<Span, Deciding>,
    /// The ids of rules that inherit from more rules than are kept.
    untraced: WordMap<Arc<str>, ()>,
}

impl Conditions {
    /// The outcomes for a rule. `None` if no job evaluates it, or they are unknown.
    pub(crate) fn of(&self, rule: &Rule) -> Option<Deciding> {
        self.by_place.get(&rule.span).copied().filter(|_| !self.untraced.contains_key(&rule.id))
    }

    /// Notes what the conditions of a rule's layers from `lowest` on do, one of which is asked.
    pub(super) fn note(&mut self, rule: &Layered, lowest: usize, answers: &[Answer]) {
        // The answers of the layers above.
        let mut over = Answer::default();
        for (index, layer) in rule.layers.iter().enumerate().rev() {
            let own = index.checked_sub(lowest).and_then(|index| answers.get(index)).copied().unwrap_or_default();
            let noted = self.by_place.entry(layer.rule.span).or_default();
            noted.own.add(own);
            noted.over.add(over);
            over.add(own);
            match &layer.rule.inherited {
                Some(inherited) => {
                    for place in inherited {
                        self.by_place.entry(*place).or_default().over.add(over);
                    }
                }
                None => {
                    self.untraced.entry(layer.rule.id.clone()).or_default();
                }
            }
        }
    }
}
