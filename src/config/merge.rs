//! File over file: TPV's order of operations, mirrored step by step.
//!
//! For each file TPV merges it with all before, then resolves `inherits` in every entity again, those of earlier files
//! included. Resolving walks the entities in order and replaces each at once, so that a later one may inherit from a
//! parent that is resolved already and is then resolved once more. Lists such as `env` can show the difference, which
//! is why this is not done in one pass at the end.

use std::collections::HashSet;
use std::sync::Arc;

use crate::config::entity::{Entity, EntityKind, GlobalConfig};
use crate::config::inherit::merge_dicts;
use crate::config::suggest::closest;
use crate::config::validate::{FileConfig, Section};
use crate::config::value::Text;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::source::Span;

/// Merges the files of one run, in load order.
#[derive(Debug)]
pub(super) struct Merger<'a> {
    problems: &'a mut Diagnostics,
    /// The config after the files so far.
    pub(super) config: FileConfig,
    /// Places of `inherits` that were reported: every file resolves them all again.
    reported: HashSet<Span>,
}

/// What keeps an entity's parents from being found.
enum Broken<'a> {
    Missing {
        child: &'a Entity,
        parent: &'a Text,
    },
    /// The entities of the cycle, from the one that stands first.
    Cycle(Vec<&'a Entity>),
}

impl<'a> Merger<'a> {
    /// A merger that adds to `problems`.
    pub(super) fn new(problems: &'a mut Diagnostics) -> Self {
        Self { problems, config: FileConfig::default(), reported: HashSet::new() }
    }

    /// Takes the next file. `is_first` is TPV's "no parent loader".
    pub(super) fn add(&mut self, mut file: FileConfig, is_first: bool) {
        if !is_first {
            let earlier = std::mem::take(&mut self.config);
            inherit_globals(&mut file.global, &earlier.global);
            for ((kind, new), old) in EntityKind::ALL.into_iter().zip(&mut file.sections).zip(earlier.sections) {
                let section = std::mem::take(new);
                *new = self.merge_section(kind, old, section);
            }
        }
        for (kind, section) in EntityKind::ALL.into_iter().zip(&mut file.sections) {
            self.resolve_section(kind, section);
        }
        self.config = file;
    }

    /// An entity that an earlier file defines too inherits from that definition after its own parents, and moves to
    /// the end of the order.
    fn merge_section(&mut self, kind: EntityKind, old: Section, new: Section) -> Section {
        if old.is_empty() {
            return new;
        }
        let mut moved = Vec::new();
        for (id, entity) in &new {
            let Some(earlier) = old.get(id) else {
                moved.push((id.clone(), entity.clone()));
                continue;
            };
            let resolved = match resolve(entity, |id| new.get(id).or_else(|| old.get(id))) {
                Ok(resolved) => resolved,
                Err(broken) => {
                    let names = new.keys().chain(old.keys());
                    report(&broken, kind, names, &mut self.reported, self.problems);
                    entity.clone()
                }
            };
            moved.push((id.clone(), Arc::new(resolved.inherit(earlier))));
        }
        let mut merged = old;
        merged.retain(|id, _| !new.contains_key(id));
        merged.extend(moved);
        merged
    }

    /// Resolves `inherits` in all entities, each seeing those before it resolved.
    fn resolve_section(&mut self, kind: EntityKind, section: &mut Section) {
        for index in 0..section.len() {
            let Some((_, entity)) = section.get_index(index) else { continue };
            let resolved = match resolve(entity, |id| section.get(id)) {
                Ok(resolved) => resolved,
                Err(broken) => {
                    report(&broken, kind, section.keys(), &mut self.reported, self.problems);
                    continue;
                }
            };
            if let Some((_, slot)) = section.get_index_mut(index) {
                *slot = resolved;
            }
        }
    }
}

/// The entity with its chain of parents resolved.
fn resolve<'a>(
    entity: &'a Arc<Entity>,
    find: impl Fn(&str) -> Option<&'a Arc<Entity>>,
) -> Result<Arc<Entity>, Broken<'a>> {
    let mut chain = vec![entity];
    let mut visited: HashSet<&str> = HashSet::new();
    let mut current = entity;
    while let Some(parent) = current.common.inherits.as_ref().filter(|parent| !parent.value.is_empty()) {
        if !visited.insert(&parent.value) {
            let mut members: Vec<&Entity> = Vec::new();
            for member in chain.iter().skip_while(|member| member.id != parent.value) {
                if members.iter().all(|known| known.id != member.id) {
                    members.push(member);
                }
            }
            let first = members.iter().enumerate().min_by_key(|(_, member)| member.span).map_or(0, |(at, _)| at);
            members.rotate_left(first);
            return Err(Broken::Cycle(members));
        }
        current = find(&parent.value).ok_or(Broken::Missing { child: current, parent })?;
        chain.push(current);
    }
    let mut members = chain.into_iter().rev();
    let mut resolved = members.next().unwrap_or(entity).clone();
    for child in members {
        resolved = Arc::new(child.inherit(&resolved));
    }
    Ok(resolved)
}

fn report<'a>(
    broken: &Broken<'_>,
    kind: EntityKind,
    names: impl Iterator<Item = &'a Arc<str>>,
    reported: &mut HashSet<Span>,
    problems: &mut Diagnostics,
) {
    let noun = kind.noun();
    match broken {
        Broken::Missing { child, parent } => {
            if !reported.insert(parent.span) {
                return;
            }
            let problem =
                Diagnostic::error(format!("the parent `{}` of the {noun} `{}` does not exist", parent.value, child.id))
                    .at(parent.span, format!("no {noun} of this id in this file or those before it"))
                    .also(child.span, "");
            let others = names.map(|name| &**name).filter(|name| *name != &*child.id);
            problems.push(match closest(&parent.value, others) {
                Some(near) => problem.help(format!("did you mean `{near}`?")),
                None => problem.help(format!("define it under `{}`, or remove `inherits`", kind.section())),
            });
        }
        Broken::Cycle(members) => {
            let links: Vec<&Text> = members.iter().filter_map(|member| member.common.inherits.as_ref()).collect();
            if links.iter().any(|link| reported.contains(&link.span)) {
                return;
            }
            reported.extend(links.iter().map(|link| link.span));
            let Some((first, rest)) = links.split_first() else { return };
            let id = members.first().map_or("", |member| &member.id);
            let message = if rest.is_empty() {
                format!("the {noun} `{id}` inherits from itself")
            } else {
                format!("the {noun} `{id}` inherits from itself through others")
            };
            let mut problem =
                Diagnostic::error(message).at(first.span, format!("`{id}` inherits from `{}`", first.value));
            for (member, link) in members.iter().skip(1).zip(rest) {
                problem = problem.also(link.span, format!("`{}` inherits from `{}`", member.id, link.value));
            }
            problems.push(problem.help("remove one of these `inherits`"));
        }
    }
}

fn inherit_globals(new: &mut GlobalConfig, old: &GlobalConfig) {
    let is_set = new.default_inherits.as_ref().is_some_and(|text| !text.value.is_empty());
    if !is_set {
        new.default_inherits.clone_from(&old.default_inherits);
    }
    new.context = merge_dicts(Some(&old.context), Some(&new.context));
    if new.resource_pool_store.is_none() {
        new.resource_pool_store.clone_from(&old.resource_pool_store);
    }
}
