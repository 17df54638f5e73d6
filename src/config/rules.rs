//! The rules of an entity, in order and by key.
//!
//! An entity has the rules of all that it inherits from, and each in its place: what a chain of entities holds grows with the
//! square of its length. So a list is nothing but references to rules, and entities that add none share it.

use std::collections::HashMap;
use std::sync::Arc;

use indexmap::IndexMap;

use crate::config::entity::Rule;

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
    pub(super) fn are_settled(&self, inherited: &Self) -> bool {
        self.is_empty()
            || inherited.is_empty()
            || (self.values().all(|rule| rule.is_settled()) && inherited.values().all(|rule| rule.key == rule.id))
    }

    /// The parent's rules, then the child's; a rule of the child inherits from the parent's rule whose key is its id.
    pub(super) fn inherit(&self, parent: &Self) -> Self {
        if self.is_empty() {
            return parent.clone();
        }
        if parent.is_empty() {
            return self.clone();
        }
        let mut list = Vec::with_capacity(parent.len() + self.len());
        list.extend_from_slice(&parent.list);
        let mut places = Places { list: &parent.list, by_key: None, lookups: 0 };
        let mut merged = Vec::new();
        for (index, rule) in self.list.iter().enumerate() {
            let place = places.find(&rule.key, index);
            match place.and_then(|place| list.get_mut(place)) {
                Some(slot) => *slot = rule.clone(),
                None => list.push(rule.clone()),
            }
            let by_id = if rule.id == rule.key { place } else { places.find(&rule.id, index) };
            if let Some((place, inherited)) = by_id.and_then(|place| Some((place, parent.list.get(place)?))) {
                // A rule that entities share inherits from itself where one of them inherits from another twice.
                let same = Arc::ptr_eq(rule, inherited) && rule.is_settled();
                merged.push((place, if same { rule.clone() } else { Arc::new(rule.inherit(inherited)) }));
            }
        }
        for (place, rule) in merged {
            if let Some(slot) = list.get_mut(place) {
                *slot = rule;
            }
        }
        list.shrink_to_fit();
        Self { list: Arc::new(list) }
    }
}

/// The number of keys searched linearly before all are put in a table.
const FEW: usize = 4;

/// Finds rules by their keys.
struct Places<'a> {
    list: &'a [Arc<Rule>],
    by_key: Option<HashMap<&'a str, usize>>,
    lookups: usize,
}

impl Places<'_> {
    /// The place of a key, which may well be `likely`: the rules that were inherited before come first.
    fn find(&mut self, key: &str, likely: usize) -> Option<usize> {
        if self.list.get(likely).is_some_and(|rule| *rule.key == *key) {
            return Some(likely);
        }
        self.lookups += 1;
        if self.lookups <= FEW {
            return self.list.iter().position(|rule| *rule.key == *key);
        }
        let all = || self.list.iter().enumerate().map(|(place, rule)| (&*rule.key, place)).collect();
        self.by_key.get_or_insert_with(all).get(key).copied()
    }
}
