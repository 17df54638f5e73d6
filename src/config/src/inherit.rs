//! One entity over another: TPV's `Entity.inherit` and what its subclasses add.
//!
//! TPV's rule is that a field of the child counts unless it is `None`; fields with other defaults (`abstract`, the
//! handler tags and the name of a destination) are therefore never taken from the parent.

use std::convert::Infallible;
use std::sync::Arc;

use tpv_model::field::Kind;
use tpv_model::merge::{self, Env};
use tpv_model::{Field, FieldMap, Merge, Version};

use crate::entity::{Amounts, Common, ConfigValues, Dict, Entity, EnvEntry, Oversize, Rule, env_value};
use crate::scheduling::SchedulingTags;
use tpv_text::source::Span;
use tpv_yaml::value::{ConfigValue, Text, ValueKind};

/// The most rules that one is known to have inherited from.
const MOST_INHERITED: usize = 64;

impl Entity {
    /// This entity over `parent`, which is of the same kind, as a version of TPV merges them.
    pub fn inherit(&self, parent: &Self, version: Version) -> Self {
        let mut common = inherit(&self.common, &parent.common, version);
        // Pydantic notes an assigned field as set, so that what was inherited hides what comes later.
        for flag in Field::own(self.class).iter().filter(|field| field.kind() == Kind::Flag) {
            if common.singles.get(*flag).is_none() {
                Arc::make_mut(&mut common.singles).set(*flag, ConfigValue::new(ValueKind::Bool(false), self.span));
            }
        }
        Self {
            class: self.class,
            id: self.id.clone(),
            span: self.span,
            common,
            rules: self.rules.inherit(&parent.rules, version),
            dest_tags: both(&self.dest_tags, &parent.dest_tags, SchedulingTags::inherit),
            oversize: both(&self.oversize, &parent.oversize, Oversize::inherit),
        }
    }

    /// Returns `true` if an entity that has inherited from `parent` would not change by doing so again; `false` if that
    /// is not clear at once.
    pub(crate) fn is_settled(&self, parent: &Self) -> bool {
        let offered = parent.dest_tags.as_ref().is_none_or(|tags| tags.are_distinct());
        offered && parent.common.tags.are_distinct() && parent.rules.are_settled(&self.rules)
    }
}

impl Rule {
    /// This rule over `parent`. `if` is always set, so that the child's counts; before TPV 3.0 it may be null.
    pub fn inherit(&self, parent: &Self, version: Version) -> Self {
        Self {
            in_list: self.in_list,
            // TPV puts the rule under its id.
            key: self.id.clone(),
            id: self.id.clone(),
            span: self.span,
            inherited: self.lineage(parent),
            common: inherit(&self.common, &parent.common, version),
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
    pub(crate) fn is_settled(&self) -> bool {
        let Common { env, params, context, tags, .. } = &self.common;
        env.is_some() && params.is_some() && context.is_some() && tags.are_distinct()
    }
}

/// These fields over those of `parent`.
fn inherit(child: &Common, parent: &Common, version: Version) -> Common {
    let mut common = parent.clone();
    let Ok(()) = child.inherit(&mut common, &mut Merging { version });
    common
}

/// Merging of what a config sets. `env`, `params` and `context` are set from the first merging on, as in TPV.
struct Merging {
    version: Version,
}

impl Merge<ConfigValues> for Merging {
    type Error = Infallible;

    /// `false` is set, too: nobody inherits `abstract`.
    fn flag(&mut self, child: &bool, parent: &mut bool) -> Result<(), Infallible> {
        *parent = *child && (*parent || self.version.keeps_abstract());
        Ok(())
    }

    fn word(&mut self, child: &Option<Text>, parent: &mut Option<Text>) -> Result<(), Infallible> {
        if child.is_some() {
            parent.clone_from(child);
        }
        Ok(())
    }

    /// Entities without amounts of their own share their parent's.
    fn amounts(&mut self, child: &Arc<Amounts>, parent: &mut Arc<Amounts>) -> Result<(), Infallible> {
        if self.version.evaluates_early() {
            // `child or parent`
            let set = child.resources().filter(|(_, value)| value.python_bool());
            for (resource, value) in set {
                Arc::make_mut(parent).set(resource, Some(value.clone()));
            }
        } else if parent.is_empty() {
            parent.clone_from(child);
        } else if !child.is_empty() {
            *parent = Arc::new(child.inherit(parent));
        }
        Ok(())
    }

    /// A name or handler tags of a destination are never unset, so that no parent's are inherited.
    fn singles(
        &mut self,
        child: &Arc<FieldMap<ConfigValue>>,
        parent: &mut Arc<FieldMap<ConfigValue>>,
    ) -> Result<(), Infallible> {
        if parent.is_empty() {
            parent.clone_from(child);
            return Ok(());
        }
        for (field, value) in child.iter() {
            let is_empty =
                matches!(&value.kind, ValueKind::List(tags) if field == Field::HandlerTags && tags.is_empty());
            let is_unset = value.is_null() || is_empty && !self.version.keeps_handler_tags();
            if !is_unset {
                Arc::make_mut(parent).set(field, value.clone());
            }
        }
        Ok(())
    }

    fn params(&mut self, child: &Option<Arc<Dict>>, parent: &mut Option<Arc<Dict>>) -> Result<(), Infallible> {
        *parent = Some(merge_dicts(parent.as_ref(), child.as_ref()));
        Ok(())
    }

    fn resubmit(&mut self, child: &Arc<Dict>, parent: &mut Arc<Dict>) -> Result<(), Infallible> {
        *parent = merge_dicts(Some(parent), Some(child));
        Ok(())
    }

    fn context(&mut self, child: &Option<Arc<Dict>>, parent: &mut Option<Arc<Dict>>) -> Result<(), Infallible> {
        *parent = Some(merge_dicts(parent.as_ref(), child.as_ref()));
        Ok(())
    }

    fn env(
        &mut self,
        child: &Option<Arc<Vec<EnvEntry>>>,
        parent: &mut Option<Arc<Vec<EnvEntry>>>,
    ) -> Result<(), Infallible> {
        *parent = Some(inherit_env(parent.as_ref(), child.as_ref()));
        Ok(())
    }

    fn tags(&mut self, child: &SchedulingTags, parent: &mut SchedulingTags) -> Result<(), Infallible> {
        *parent = child.inherit(parent);
        Ok(())
    }
}

/// The child's value unless it is unset.
fn or<T: Clone>(child: &Option<T>, parent: &Option<T>) -> Option<T> {
    child.as_ref().or(parent.as_ref()).cloned()
}

/// The child's value over the parent's if both have one, else the child's.
fn both<T>(child: &Option<Arc<T>>, parent: &Option<Arc<T>>, inherit: fn(&T, &T) -> T) -> Option<Arc<T>> {
    match (child, parent) {
        (Some(child), Some(parent)) => Some(Arc::new(inherit(child, parent))),
        (child, _) => child.clone(),
    }
}

impl Oversize {
    fn inherit(&self, parent: &Self) -> Self {
        Self {
            max_concurrent: or(&self.max_concurrent, &parent.max_concurrent),
            hard_max_cores: or(&self.hard_max_cores, &parent.hard_max_cores),
            hard_max_mem: or(&self.hard_max_mem, &parent.hard_max_mem),
            hard_max_gpus: or(&self.hard_max_gpus, &parent.hard_max_gpus),
            reserve_pool: self.reserve_pool.or(parent.reserve_pool),
        }
    }
}

/// The parent's entries in their places, with the child's values where both have the key, then the child's others.
pub(crate) fn merge_dicts(parent: Option<&Arc<Dict>>, child: Option<&Arc<Dict>>) -> Arc<Dict> {
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

/// The child's variables over the parent's.
fn inherit_env(parent: Option<&Arc<Vec<EnvEntry>>>, child: Option<&Arc<Vec<EnvEntry>>>) -> Arc<Vec<EnvEntry>> {
    match (parent.filter(|env| !env.is_empty()), child.filter(|env| !env.is_empty())) {
        (None, None) => Arc::default(),
        (Some(env), None) | (None, Some(env)) => env.clone(),
        (Some(parent), Some(child)) => {
            let Ok(merged) = merge::merge_env(&mut Texts, (**child).clone(), (**parent).clone());
            Arc::new(merged)
        }
    }
}

/// The elements of `env` as a config has them.
struct Texts;

impl Env for Texts {
    type Entry = EnvEntry;
    type Name = Arc<str>;
    type Error = Infallible;

    fn name(&mut self, entry: &EnvEntry) -> Result<Option<Arc<str>>, Infallible> {
        Ok(env_value(entry, "name").map(|name| name.value.clone()))
    }

    fn equal(&mut self, entry: &EnvEntry, other: &EnvEntry) -> Result<bool, Infallible> {
        let text = |key: &str| env_value(other, key).map(Text::as_str);
        let is_equal =
            |(key, value): &(Arc<str>, ConfigValue)| value.as_str().is_some_and(|value| text(key) == Some(value));
        Ok(entry.len() == other.len() && entry.iter().all(is_equal))
    }
}
