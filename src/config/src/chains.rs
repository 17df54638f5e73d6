//! `inherits`: entities with all that they inherit from, each resolved once unless something has changed since.
//!
//! TPV goes through the entities of a section in order, follows the chain of each to its end, and puts the result in the
//! entity's place at once; one that is resolved later so finds some of its parents resolved already, and inherits from
//! what these inherit from once more. Mostly that changes nothing, but a rule that has no `env` gets an empty one. So a
//! result is kept for those that come later until an entity of its chain changes.

use std::collections::HashSet;
use std::sync::Arc;

use crate::entity::Entity;
use tpv_model::{TagType, Version};
use tpv_yaml::value::{ConfigValue, Text, ValueKind};

/// The error of resolving the parents of an entity.
pub(crate) enum Broken<'a> {
    /// The parent does not exist.
    Missing {
        /// The entity that names it.
        child: &'a Entity,
        /// The name.
        parent: &'a Text,
    },
    /// The entities of the cycle, from the one that stands first.
    Cycle(Vec<&'a Entity>),
}

/// An entity's parent.
#[derive(Clone, Copy)]
enum Link {
    Nothing,
    Parent(usize),
    Missing,
}

/// The state of an entity with everything that it inherits.
#[derive(Clone)]
enum Known {
    Not,
    Resolved(Arc<Entity>),
    /// It was resolved, and the result is not needed any more; results of entities that inherit from it may be kept.
    Dropped,
    /// It cannot be resolved, which was reported.
    Broken,
}

/// Entities that inherit from one another.
pub(crate) struct Chains {
    version: Version,
    entities: Vec<Arc<Entity>>,
    links: Vec<Link>,
    known: Vec<Known>,
    /// The entities that inherit from each: `first_child` of the parent, then `next_child` from one to the next.
    first_child: Vec<Option<usize>>,
    next_child: Vec<Option<usize>>,
    /// The number of children of each that have not been replaced yet.
    waiting: Vec<usize>,
    is_replaced: Vec<bool>,
    /// The size of the entities in place, and the work done for them, in rules.
    held: usize,
    handled: usize,
}

/// The limit for all entities of a section: this many rules, or an eighth of as many variables, parameters and tags,
/// which take about a gigabyte. A chain of 6,000 entities that add a rule each reaches it.
const MOST_HELD: usize = 20_000_000;
/// The limit of rules handled for that: exceeded only by long chains in no order that add rules at each step.
const MOST_HANDLED: usize = 20 * MOST_HELD;

/// The number of values in a value.
fn values(value: &ConfigValue) -> usize {
    match &value.kind {
        ValueKind::List(items) | ValueKind::Set(items) => 1 + items.iter().map(values).sum::<usize>(),
        ValueKind::Map(map) | ValueKind::OrderedMap(map) => {
            1 + map.entries.iter().map(|entry| 1 + values(&entry.value)).sum::<usize>()
        }
        _ => 1,
    }
}

/// The size of an entity, in rules.
fn size(entity: &Entity) -> usize {
    let common = &entity.common;
    let dicts = [common.params.as_ref(), common.context.as_ref(), Some(&common.resubmit)];
    let values = dicts.into_iter().flatten().flat_map(|dict| dict.values()).map(values).sum::<usize>();
    let tags = TagType::APPLICATION.into_iter().map(|kind| common.tags.get(kind).len()).sum::<usize>();
    entity.rules.len() + 8 * (values + tags + common.env.as_ref().map_or(0, |env| env.len()))
}

/// The name of the entity that this one inherits from.
fn parent_of(entity: &Entity) -> Option<&Text> {
    entity.common.inherits.as_ref().filter(|parent| !parent.value.is_empty())
}

impl Chains {
    /// Entities of a config for this version of TPV, of which `find` knows the places by id.
    ///
    /// In TPV 1 those without `inherits` inherit from `default`.
    pub(crate) fn new(
        version: Version,
        entities: Vec<Arc<Entity>>,
        default: Option<&str>,
        find: impl Fn(&str) -> Option<usize>,
    ) -> Self {
        let default = default.filter(|_| version.evaluates_early());
        let count = entities.len();
        let link = |entity: &Arc<Entity>| match parent_of(entity) {
            None => match default.filter(|default| **default != *entity.id).and_then(&find) {
                Some(default) => Link::Parent(default),
                None => Link::Nothing,
            },
            Some(parent) => find(&parent.value).map_or(Link::Missing, Link::Parent),
        };
        let links: Vec<Link> = entities.iter().map(link).collect();
        let (mut first_child, mut next_child, mut waiting) = (vec![None; count], vec![None; count], vec![0; count]);
        for (child, link) in links.iter().enumerate() {
            let Link::Parent(parent) = *link else { continue };
            if let (Some(first), Some(next), Some(waiting)) =
                (first_child.get_mut(parent), next_child.get_mut(child), waiting.get_mut(parent))
            {
                *next = first.replace(child);
                *waiting += 1;
            }
        }
        let (known, is_replaced) = (vec![Known::Not; count], vec![false; count]);
        Self { version, entities, links, known, first_child, next_child, waiting, is_replaced, held: 0, handled: 0 }
    }

    /// The entity at a place with everything that it inherits. The error of its chain otherwise, or `None` if that has been reported
    /// for another entity.
    pub(crate) fn resolve(&mut self, index: usize) -> Result<Arc<Entity>, Option<Broken<'_>>> {
        let (mut chain, mut on_chain) = (Vec::new(), HashSet::new());
        let mut current = index;
        let (base, is_news) = loop {
            match self.known.get(current) {
                Some(Known::Resolved(entity)) => break (Some(entity.clone()), false),
                Some(Known::Broken) | None => break (None, false),
                Some(Known::Not | Known::Dropped) => {}
            }
            if !on_chain.insert(current) {
                break (None, true);
            }
            chain.push(current);
            match self.links.get(current) {
                Some(Link::Parent(parent)) => current = *parent,
                Some(Link::Nothing) => break (self.root(chain.pop()), false),
                Some(Link::Missing) | None => break (None, true),
            }
        };
        let Some(mut resolved) = base else {
            for index in chain {
                self.set(index, Known::Broken);
            }
            return Err(if is_news { self.broken(index) } else { None });
        };
        for index in chain.into_iter().rev() {
            if let Some(entity) = self.entities.get(index) {
                resolved = Arc::new(entity.inherit(&resolved, self.version));
            }
            self.handled = self.handled.saturating_add(resolved.rules.len());
            self.set(index, Known::Resolved(resolved.clone()));
        }
        Ok(resolved)
    }

    /// An entity that inherits from none.
    fn root(&mut self, index: Option<usize>) -> Option<Arc<Entity>> {
        let root = self.entities.get(index?)?.clone();
        self.set(index?, Known::Resolved(root.clone()));
        Some(root)
    }

    fn set(&mut self, index: usize, known: Known) {
        if let Some(slot) = self.known.get_mut(index) {
            *slot = known;
        }
    }

    /// Replaces an entity by its resolved form. Returns `false` if all of them together are too large.
    pub(crate) fn replace(&mut self, index: usize, resolved: Arc<Entity>) -> bool {
        self.held = self.held.saturating_add(size(&resolved));
        if let Some(is_replaced) = self.is_replaced.get_mut(index) {
            *is_replaced = true;
        }
        if let Some(Link::Parent(parent)) = self.links.get(index).copied() {
            if let Some(Known::Resolved(inherited)) = self.known.get(parent).cloned()
                && !resolved.is_settled(&inherited)
            {
                self.forget(index);
                if self.waiting.get(index) > Some(&0) {
                    self.set(index, Known::Resolved(Arc::new(resolved.inherit(&inherited, self.version))));
                }
            }
            if let Some(slot) = self.entities.get_mut(index) {
                *slot = resolved;
            }
            if let Some(waiting) = self.waiting.get_mut(parent) {
                *waiting = waiting.saturating_sub(1);
            }
            self.drop_unneeded(parent);
        }
        self.drop_unneeded(index);
        self.held <= MOST_HELD && self.handled <= MOST_HANDLED
    }

    /// Drops the cached results of an entity and of those that inherit from it. If it has none, neither have those.
    fn forget(&mut self, index: usize) {
        let mut open = vec![index];
        while let Some(index) = open.pop() {
            if !matches!(self.known.get(index), Some(Known::Resolved(_) | Known::Dropped)) {
                continue;
            }
            self.set(index, Known::Not);
            let mut child = self.first_child.get(index).copied().flatten();
            while let Some(index) = child {
                open.push(index);
                child = self.next_child.get(index).copied().flatten();
            }
        }
    }

    /// Drops a result that no other entity will ask for: it may hold many rules.
    fn drop_unneeded(&mut self, index: usize) {
        let is_needed = self.waiting.get(index) > Some(&0) || self.is_replaced.get(index) == Some(&false);
        if !is_needed && matches!(self.known.get(index), Some(Known::Resolved(_))) {
            self.set(index, Known::Dropped);
        }
    }

    /// The entities, as they are now.
    pub(crate) fn into_entities(self) -> Vec<Arc<Entity>> {
        self.entities
    }

    /// The fault in an entity's chain.
    fn broken(&self, index: usize) -> Option<Broken<'_>> {
        let (mut chain, mut visited) = (Vec::new(), HashSet::new());
        let mut current = index;
        while visited.insert(current) {
            let entity = self.entities.get(current)?;
            chain.push((current, &**entity));
            current = match self.links.get(current)? {
                Link::Parent(parent) => *parent,
                Link::Missing => return Some(Broken::Missing { child: entity, parent: parent_of(entity)? }),
                Link::Nothing => return None,
            };
        }
        let members = chain.into_iter().skip_while(|(index, _)| *index != current).map(|(_, entity)| entity);
        let mut members: Vec<&Entity> = members.collect();
        let first = members.iter().enumerate().min_by_key(|(_, member)| member.span).map_or(0, |(at, _)| at);
        members.rotate_left(first);
        Some(Broken::Cycle(members))
    }
}
