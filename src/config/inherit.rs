//! One entity over another: TPV's `Entity.inherit` and what its subclasses add.
//!
//! TPV's rule is that a field of the child counts unless it is `None`; fields with other defaults (`abstract`, the
//! handler tags and the name of a destination) are therefore never taken from the parent.

use std::sync::Arc;

use crate::config::entity::{Common, DestinationFields, Dict, Entity, EnvEntry, Oversize, PoolFields, Resources, Rule};
use crate::source::Span;

/// The most rules that one is known to have inherited from.
const MOST_INHERITED: usize = 64;

impl Entity {
    /// This entity over `parent`, which is of the same kind.
    pub fn inherit(&self, parent: &Self) -> Self {
        let destination = match (&self.destination, &parent.destination) {
            (Some(child), Some(parent)) => Some(Arc::new(child.inherit(parent))),
            (child, _) => child.clone(),
        };
        let pool = match (&self.pool, &parent.pool) {
            (Some(child), Some(parent)) => Some(Arc::new(child.inherit(parent))),
            (child, _) => child.clone(),
        };
        Self {
            kind: self.kind,
            id: self.id.clone(),
            span: self.span,
            common: self.common.inherit(&parent.common),
            rules: self.rules.inherit(&parent.rules),
            destination,
            pool,
        }
    }

    /// Returns `true` if an entity that has inherited from `parent` would not change by doing so again; `false` if that
    /// is not clear at once.
    pub(super) fn is_settled(&self, parent: &Self) -> bool {
        let destination = parent.destination.as_ref().is_none_or(|fields| fields.dest_tags.are_distinct());
        let pool = parent.pool.as_ref().is_none_or(|fields| fields.dest_tags.are_distinct());
        destination && pool && parent.common.tags.are_distinct() && parent.rules.are_settled(&self.rules)
    }
}

impl Rule {
    /// This rule over `parent`. `if` is always set, so that the child's counts.
    pub fn inherit(&self, parent: &Self) -> Self {
        Self {
            in_list: self.in_list,
            // TPV puts the rule under its id.
            key: self.id.clone(),
            id: self.id.clone(),
            span: self.span,
            inherited: self.lineage(parent),
            common: self.common.inherit(&parent.common),
            condition: self.condition.clone(),
            execute: self.execute.clone().or_else(|| parent.execute.clone()),
            fail: self.fail.clone().or_else(|| parent.fail.clone()),
        }
    }

    /// The places of the rules that this one over `parent` has inherited from.
    fn lineage(&self, parent: &Self) -> Option<Vec<Span>> {
        let mut places = self.inherited.clone()?;
        for place in std::iter::once(&parent.span).chain(parent.inherited.as_ref()?) {
            if *place != self.span && !places.contains(place) {
                places.push(*place);
            }
        }
        (places.len() <= MOST_INHERITED).then_some(places)
    }

    /// Returns `true` if inheriting from itself changes nothing: unset fields become empty then.
    pub(super) fn is_settled(&self) -> bool {
        let Common { env, params, context, tags, .. } = &self.common;
        env.is_some() && params.is_some() && context.is_some() && tags.are_distinct()
    }
}

impl Common {
    fn inherit(&self, parent: &Self) -> Self {
        Self {
            is_abstract: self.is_abstract,
            inherits: self.inherits.clone().or_else(|| parent.inherits.clone()),
            resources: Resources::inherit(&self.resources, &parent.resources),
            env: Some(merge_env(parent.env.as_ref(), self.env.as_ref())),
            params: Some(merge_dicts(parent.params.as_ref(), self.params.as_ref())),
            resubmit: merge_dicts(Some(&parent.resubmit), Some(&self.resubmit)),
            rank: self.rank.clone().or_else(|| parent.rank.clone()),
            context: Some(merge_dicts(parent.context.as_ref(), self.context.as_ref())),
            tags: self.tags.inherit(&parent.tags),
            no_qa_codes: self.no_qa_codes.clone(),
            extras: self.extras.clone(),
        }
    }
}

/// The child's value unless it is unset.
fn or<T: Clone>(child: &Option<T>, parent: &Option<T>) -> Option<T> {
    child.as_ref().or(parent.as_ref()).cloned()
}

impl Resources {
    fn inherit(child: &Arc<Self>, parent: &Arc<Self>) -> Arc<Self> {
        if child.is_empty() {
            return parent.clone();
        }
        if parent.is_empty() {
            return child.clone();
        }
        Arc::new(Self {
            cores: or(&child.cores, &parent.cores),
            mem: or(&child.mem, &parent.mem),
            gpus: or(&child.gpus, &parent.gpus),
            min_cores: or(&child.min_cores, &parent.min_cores),
            min_mem: or(&child.min_mem, &parent.min_mem),
            min_gpus: or(&child.min_gpus, &parent.min_gpus),
            max_cores: or(&child.max_cores, &parent.max_cores),
            max_mem: or(&child.max_mem, &parent.max_mem),
            max_gpus: or(&child.max_gpus, &parent.max_gpus),
            max_concurrent_cores: or(&child.max_concurrent_cores, &parent.max_concurrent_cores),
            max_concurrent_mem: or(&child.max_concurrent_mem, &parent.max_concurrent_mem),
            max_concurrent_gpus: or(&child.max_concurrent_gpus, &parent.max_concurrent_gpus),
        })
    }
}

impl DestinationFields {
    fn inherit(&self, parent: &Self) -> Self {
        Self {
            runner: self.runner.clone().or_else(|| parent.runner.clone()),
            max_accepted_cores: or(&self.max_accepted_cores, &parent.max_accepted_cores),
            max_accepted_mem: or(&self.max_accepted_mem, &parent.max_accepted_mem),
            max_accepted_gpus: or(&self.max_accepted_gpus, &parent.max_accepted_gpus),
            min_accepted_cores: or(&self.min_accepted_cores, &parent.min_accepted_cores),
            min_accepted_mem: or(&self.min_accepted_mem, &parent.min_accepted_mem),
            min_accepted_gpus: or(&self.min_accepted_gpus, &parent.min_accepted_gpus),
            dest_name: self.dest_name.clone(),
            dest_tags: self.dest_tags.inherit(&parent.dest_tags),
            handler_tags: self.handler_tags.clone(),
        }
    }
}

impl PoolFields {
    fn inherit(&self, parent: &Self) -> Self {
        let (child, base) = (&self.oversize, &parent.oversize);
        Self {
            oversize: Oversize {
                max_concurrent: or(&child.max_concurrent, &base.max_concurrent),
                hard_max_cores: or(&child.hard_max_cores, &base.hard_max_cores),
                hard_max_mem: or(&child.hard_max_mem, &base.hard_max_mem),
                hard_max_gpus: or(&child.hard_max_gpus, &base.hard_max_gpus),
                reserve_pool: child.reserve_pool.or(base.reserve_pool),
            },
            fail_open: if self.fail_open_is_set { self.fail_open } else { parent.fail_open },
            // Pydantic notes an assigned field as set, so that what was inherited hides what comes later.
            fail_open_is_set: true,
            dest_tags: self.dest_tags.inherit(&parent.dest_tags),
        }
    }
}

/// The parent's entries in their places, with the child's values where both have the key, then the child's others.
pub(super) fn merge_dicts(parent: Option<&Arc<Dict>>, child: Option<&Arc<Dict>>) -> Arc<Dict> {
    match (parent.filter(|dict| !dict.is_empty()), child.filter(|dict| !dict.is_empty())) {
        (None, None) => Arc::default(),
        (Some(dict), None) | (None, Some(dict)) => dict.clone(),
        (Some(parent), Some(child)) => {
            let mut dict = (**parent).clone();
            dict.extend(child.iter().map(|(key, value)| (key.clone(), value.clone())));
            Arc::new(dict)
        }
    }
}

/// TPV's `merge_env_list`: an element of the child replaces the parent's of the same name, or an equal one, in place;
/// each replaces one element only, and the others follow at the end.
fn merge_env(parent: Option<&Arc<Vec<EnvEntry>>>, child: Option<&Arc<Vec<EnvEntry>>>) -> Arc<Vec<EnvEntry>> {
    let (parent, child) = match (parent.filter(|env| !env.is_empty()), child.filter(|env| !env.is_empty())) {
        (None, None) => return Arc::default(),
        (Some(env), None) | (None, Some(env)) => return env.clone(),
        (Some(parent), Some(child)) => (parent, child),
    };
    let mut env = (**parent).clone();
    let mut rest = (**child).clone();
    for element in &mut env {
        if let Some(at) = rest.iter().position(|candidate| replaces(candidate, element)) {
            *element = rest.remove(at);
        }
    }
    env.extend(rest);
    Arc::new(env)
}

fn get<'a>(element: &'a EnvEntry, key: &str) -> Option<&'a str> {
    element.iter().find(|(name, _)| &**name == key).map(|(_, value)| value.as_str())
}

fn replaces(child: &EnvEntry, parent: &EnvEntry) -> bool {
    if let Some(name) = get(child, "name")
        && get(parent, "name") == Some(name)
    {
        return true;
    }
    child.len() == parent.len() && child.iter().all(|(key, value)| get(parent, key) == Some(value.as_str()))
}
