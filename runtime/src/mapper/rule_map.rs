//! The rules of an entity, by key and in order.

use std::cell::OnceCell;
use std::rc::Rc;

use tpv_model::EntityClass;
use tpv_python::exception::{PyResult, recursion_error};
use tpv_python::lacking;
use tpv_python::release::release;
use tpv_python::string::Str;
use tpv_python::value::Value;

use super::data::is_of_texts;
use super::entity::Entity;

/// The rules of an entity.
pub type Rules = Rc<RuleMap>;

/// Rules by key, in order. Code can nest entities as deeply as it likes, so dropping them does not recurse.
#[derive(Default)]
pub struct RuleMap {
    rules: Vec<(Str, Rc<Entity>)>,
    is_endless: bool,
    merges_to_itself: OnceCell<bool>,
}

impl RuleMap {
    /// These rules.
    pub(super) fn new(rules: Vec<(Str, Rc<Entity>)>) -> Self {
        Self { rules, is_endless: false, merges_to_itself: OnceCell::new() }
    }

    /// The rules of an entity that code made a rule of itself, where it is met within itself: an [`Entity`] cannot hold itself.
    pub(super) fn endless() -> Self {
        Self { rules: Vec::new(), is_endless: true, merges_to_itself: OnceCell::new() }
    }

    /// The rules.
    ///
    /// # Errors
    /// `RecursionError` for those of an entity that holds itself.
    pub fn all(&self) -> PyResult<&[(Str, Rc<Entity>)]> {
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

    /// Returns `true` if the rules over themselves are these rules again: the key of each is its id, and it inherits nothing from
    /// itself. `false` if this takes merging them.
    pub(super) fn merges_to_itself(&self) -> bool {
        *self.merges_to_itself.get_or_init(|| {
            self.rules.iter().all(|(key, rule)| {
                let has_key_as_id = matches!(&rule.id, Value::Str(id) if id.as_str() == key.as_str());
                let has_dicts = [&rule.params, &rule.resubmit].iter().all(|value| matches!(value, Value::Dict(_)));
                let is_plain = has_dicts && rule.context.is_dict() && is_of_texts(&rule.env);
                has_key_as_id && is_plain && rule.class == EntityClass::Rule && !rule.tags.is_repeated()
            })
        })
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
