//! The rules that jobs may have.
//!
//! If two entities of a job have a rule with the same id, TPV merges them: the condition of the later, and the fields of both. A rule
//! is therefore stored as layers, including those that only some jobs have, and layers are never multiplied: `n` entities add `n`
//! layers.

use std::sync::Arc;

use indexmap::IndexMap;

use tpv_config::entity::Rule;
use tpv_yaml::value::Text;

use super::fields::{Fields, fields_of, inherit};

/// A rule as one entity has it.
#[derive(Clone, Debug)]
pub(super) struct Layer {
    /// The rule.
    pub rule: Arc<Rule>,
    /// `true` if all jobs have it.
    pub always: bool,
}

/// The rule of one id.
#[derive(Clone, Debug)]
pub(super) struct Layered {
    /// The rules that it may be made of, each over those before it.
    pub layers: Vec<Layer>,
    /// `true` if all jobs have a rule with this id.
    always: bool,
    /// The first and the last place among the rules at which it may be asked.
    places: [usize; 2],
}

/// A field of a rule with several possible values.
pub(super) struct Choice<'r> {
    /// The possible values.
    pub texts: Vec<&'r Text>,
    /// `true` if it always has one of them.
    pub always: bool,
}

impl Layered {
    /// The index of the lowest layer whose condition may be the one that is asked.
    pub(super) fn lowest(&self) -> usize {
        self.layers.iter().rposition(|layer| layer.always).unwrap_or(0)
    }

    /// The texts that a field may have, if the layers up to `top` are all there are; an empty one hides those below it.
    pub(super) fn choice(&self, top: usize, field: impl Fn(&Rule) -> Option<&Text>) -> Choice<'_> {
        let mut out = Choice { texts: Vec::new(), always: false };
        let mut may_be_empty = false;
        for layer in self.layers.iter().take(top + 1).rev() {
            let Some(text) = field(&layer.rule) else { continue };
            if text.value.is_empty() {
                may_be_empty = true;
            } else {
                out.texts.push(text);
            }
            if layer.always {
                out.always = !may_be_empty;
                break;
            }
        }
        out
    }

    /// The fields of the layers up to `top`, and the steps that it took to merge them.
    pub(super) fn fields(&self, top: usize) -> (Fields, usize) {
        let mut layers = self.layers.iter().take(top + 1);
        let mut out = Fields::default();
        let steps = layers.by_ref().map(|layer| inherit(&fields_of(&layer.rule.common), &mut out, layer.always)).sum();
        (out, steps)
    }
}

/// The rules of jobs, by their ids.
#[derive(Clone, Debug, Default)]
pub(super) struct Rules {
    by_key: IndexMap<Arc<str>, Layered>,
    /// The number of places.
    places: usize,
}

impl Rules {
    /// Puts a rule over those of its id, for all jobs or for some. It is asked where these stand, or last where there are none.
    pub(super) fn inherit(&mut self, rule: &Arc<Rule>, always: bool) {
        let layer = || Layer { rule: rule.clone(), always };
        let Some(known) = self.by_key.get_mut(&rule.key) else {
            let places = [self.places; 2];
            self.places += 1;
            self.by_key.insert(rule.key.clone(), Layered { layers: vec![layer()], always, places });
            return;
        };
        let [_, last] = &mut known.places;
        if !known.always && *last + 1 != self.places {
            *last = self.places;
            self.places += 1;
        }
        known.always |= always;
        match known.layers.last_mut().filter(|top| Arc::ptr_eq(&top.rule, rule)) {
            Some(top) => top.always |= always,
            None => known.layers.push(layer()),
        }
    }

    /// The rules in the order in which they may be asked, and whether all jobs have each there. One that may be asked at several
    /// places is given at the first and at the last of them: what some jobs have by it, they have between these.
    pub(super) fn in_order(&self) -> Vec<(&Layered, bool)> {
        let mut out: Vec<(usize, &Layered, bool)> = Vec::with_capacity(self.by_key.len());
        for rule in self.by_key.values() {
            let [first, last] = rule.places;
            let is_one = first == last;
            out.push((first, rule, rule.always && is_one));
            if !is_one {
                out.push((last, rule, false));
            }
        }
        out.sort_by_key(|(place, ..)| *place);
        out.into_iter().map(|(_, rule, always)| (rule, always)).collect()
    }
}
