//! The rules of an entity, in order and by key.
//!
//! An entity has the rules of all that it inherits from, and each in its place: what a chain of entities holds grows with the
//! square of its length. So a list is nothing but references to rules, and entities that add none share it.

use std::convert::Infallible;
use std::sync::Arc;

use indexmap::IndexMap;
use tpv_model::Version;
use tpv_model::merge::{RuleList, merge_rules};

use crate::entity::Rule;

/// The rules of an entity, in the order they are evaluated. Their keys are distinct.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    list: Arc<Vec<Arc<Rule>>>,
}

impl Rules {
    /// The rules under these keys.
    pub fn new(rules: IndexMap<Arc<str>, Rule>) -> Self {
        Self { list: Arc::new(rules.into_iter().map(|(key, rule)| Arc::new(Rule { key, ..rule })).collect()) }
    }

    /// Rules that other entities may have too, each under the key it knows.
    pub fn shared(list: Vec<Arc<Rule>>) -> Self {
        Self { list: Arc::new(list) }
    }

    /// The number of rules.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Returns `true` if there are no rules.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The rules.
    pub fn values(&self) -> impl Iterator<Item = &Arc<Rule>> {
        self.list.iter()
    }

    /// The rules with their keys.
    pub fn iter(&self) -> impl Iterator<Item = (&Arc<str>, &Arc<Rule>)> {
        self.list.iter().map(|rule| (&rule.key, rule))
    }

    /// Returns `true` if an entity that has `inherited` by now would not change by inheriting from these rules again.
    pub(crate) fn are_settled(&self, inherited: &Self) -> bool {
        self.is_empty()
            || inherited.is_empty()
            || (self.values().all(|rule| rule.is_settled()) && inherited.values().all(|rule| rule.key == rule.id))
    }

    /// The parent's rules, then the child's; a rule of the child inherits from the parent's rule whose key is its id.
    pub(crate) fn inherit(&self, parent: &Self, version: Version) -> Self {
        if self.is_empty() {
            return parent.clone();
        }
        if parent.is_empty() {
            return self.clone();
        }
        let Ok(mut list) = merge_rules(&mut Inherited { version }, &self.list, &parent.list);
        list.shrink_to_fit();
        Self { list: Arc::new(list) }
    }
}

/// Rules as a config has them.
struct Inherited {
    version: Version,
}

impl RuleList for Inherited {
    type Rule = Arc<Rule>;
    type Id = Arc<str>;
    type Error = Infallible;

    fn key<'r>(&self, rule: &'r Arc<Rule>) -> &'r str {
        &rule.key
    }

    fn id(&mut self, rule: &Arc<Rule>) -> Result<Arc<str>, Infallible> {
        Ok(rule.id.clone())
    }

    fn inherit(&mut self, child: &Arc<Rule>, parent: &Arc<Rule>, _: Arc<str>) -> Result<Arc<Rule>, Infallible> {
        // A rule that entities share inherits from itself where one of them inherits from another twice.
        let same = Arc::ptr_eq(child, parent) && child.is_settled();
        Ok(if same { child.clone() } else { Arc::new(child.inherit(parent, self.version)) })
    }
}
