//! The rules of an entity, by key and in order.

use std::rc::Rc;

use tpv_python::exception::{PyResult, recursion_error};
use tpv_python::lacking;
use tpv_python::release::release;
use tpv_python::string::Str;

use super::entity::Entity;

/// The rules of an entity.
pub type Rules = Rc<RuleMap>;

/// Rules by key, in order. Code can nest entities as deeply as it likes, so dropping them does not recurse.
#[derive(Default)]
pub struct RuleMap {
    rules: Vec<(Str, Rc<Entity>)>,
    is_endless: bool,
}

impl RuleMap {
    /// These rules.
    pub(super) fn new(rules: Vec<(Str, Rc<Entity>)>) -> Self {
        Self { rules, is_endless: false }
    }

    /// The rules of an entity that code made a rule of itself, where it is met within itself: an [`Entity`] cannot hold itself.
    pub(super) fn endless() -> Self {
        Self { rules: Vec::new(), is_endless: true }
    }

    /// The rules.
    ///
    /// # Errors
    /// `RecursionError` for those of an entity that holds itself.
    pub(super) fn all(&self) -> PyResult<&[(Str, Rc<Entity>)]> {
        if self.is_endless {
            lacking::note("an entity is a rule of itself");
            return Err(recursion_error("maximum recursion depth exceeded"));
        }
        Ok(&self.rules)
    }

    /// Returns `true` if there is no rule.
    pub(super) fn is_empty(&self) -> bool {
        self.rules.is_empty() && !self.is_endless
    }

    /// The number of rules.
    pub(super) fn len(&self) -> usize {
        self.rules.len()
    }
}

impl Drop for RuleMap {
    fn drop(&mut self) {
        if !self.rules.is_empty() {
            release(std::mem::take(&mut self.rules));
        }
    }
}
