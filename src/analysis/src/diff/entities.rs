//! Comparison of two rule sets, entity by entity: their merged values, not their text.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use indexmap::IndexMap;
use serde::Serialize;
use tpv_model as model;

use super::Side;
use super::facts::{DEFAULT_INHERITS, Entity, Facts, Field, Fields, Group as FieldGroup, Rule, SECTIONS, Value};
use super::{order, reachability};
use crate::explain::Provenance;
use tpv_text::listed::{joined, shortened};

/// The most destinations that a change of their order lists.
const MOST_MOVED: usize = 20;

/// The kind of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Entities that only the new rules have.
    Added,
    /// Entities that only the old rules have.
    Removed,
    /// An entity that has a new id and the same content, and that jobs do not name by it: `old` and `new` are the ids. A tool, role or user that
    /// is not abstract is removed and added.
    Renamed,
    /// A field has another value; without `old` it was not set before, without `new` it is not set any more.
    Field,
    /// A rule that only the new rules have.
    RuleAdded,
    /// A rule that only the old rules have.
    RuleRemoved,
    /// Rules are evaluated in another order: `old` and `new` are their names.
    RuleOrder,
    /// Variables of `env` are set in another order: `old` and `new` are their names.
    EnvOrder,
    /// Entities that match the same ids are looked up in another order, which decides the overrides: `old` and `new` are
    /// their ids.
    LookupOrder,
    /// Destinations stand in another order, which decides between equal ranks: `old` and `new` are those that moved.
    DestinationOrder,
    /// Destinations that jobs of a tool could reach and never can now: `old` are their ids.
    Unreachable,
    /// Destinations that jobs of a tool could never reach and may now: `new` are their ids.
    Reachable,
}

/// A change, as all entities of its [`Group`] have it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    /// The kind.
    pub kind: Kind,
    /// The rule concerned: its id, or its condition if the id was generated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The field, as a config would call it: `cores`, `params.native`, `scheduling.pulsar`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// The fields that the rule sets, if the change concerns a whole rule or its condition.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sets: Vec<String>,
    /// The old value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old: Option<String>,
    /// The new value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new: Option<String>,
    /// The locations of the old value, as `file:line`; each once.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub old_places: Vec<String>,
    /// The locations of the new value.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub new_places: Vec<String>,
}

/// Entities of a section that changed alike.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Group {
    /// The section: `global`, `tools`, `roles`, `users`, `destinations` or `pools`; `reachability` for what tools can reach.
    pub section: &'static str,
    /// The ids of the entities; those that others inherit from come first.
    pub entities: Vec<String>,
    /// The changes of each of them.
    pub changes: Vec<Change>,
}

/// The number of entities of a section.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Count {
    /// The section.
    pub section: &'static str,
    /// In the old rules.
    pub old: usize,
    /// In the new rules.
    pub new: usize,
    /// The number that are in both, if by another id, and changed.
    pub changed: usize,
}

/// The changes between two rule sets.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Changes {
    /// The numbers of entities.
    pub counts: Vec<Count>,
    /// The changes.
    pub groups: Vec<Group>,
}

/// The key that groups equal changes of several entities.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Key {
    section: usize,
    kind: Kind,
    rule: Option<String>,
    field: Option<Field>,
    old: Option<Arc<str>>,
    new: Option<Arc<str>>,
}

/// Entities with one change.
#[derive(Default)]
struct Found {
    entities: Vec<Arc<str>>,
    /// The old value and the new one, for people.
    values: [Option<String>; 2],
    /// The fields that the rule sets.
    sets: BTreeSet<String>,
    places: [Vec<String>; 2],
}

/// Compares two rule sets.
pub fn compare(old: &Side, new: &Side) -> Changes {
    let facts = [Facts::of(&old.rules), Facts::of(&new.rules)];
    let places = [old, new].map(|side| {
        let origin = side.origin.as_ref().map(|(config, sources)| (config, sources));
        Provenance::new(&side.rules, origin)
    });
    let mut comparison = Comparison { places, found: IndexMap::new() };
    let mut counts = Vec::new();
    let [old_facts, new_facts] = &facts;
    for (index, (old_section, new_section)) in old_facts.sections.iter().zip(&new_facts.sections).enumerate() {
        let changed = comparison.section(index, old_section, new_section);
        let section = SECTIONS.get(index).copied().unwrap_or_default();
        if section != "global" {
            counts.push(Count { section, old: old_section.len(), new: new_section.len(), changed });
        }
    }
    comparison.lookups([old, new], &facts);
    let mut groups = comparison.groups(&facts);
    // Equal rules have equal proofs.
    if !groups.is_empty() {
        groups.extend(reachability::compare(old, new));
    }
    Changes { counts, groups }
}

struct Comparison<'a> {
    /// Of the old rules and of the new ones.
    places: [Provenance<'a>; 2],
    found: IndexMap<Key, Found>,
}

impl Comparison<'_> {
    /// Compares a section. Returns the number of entities that are in both, if by another id, and changed.
    fn section(&mut self, section: usize, old: &IndexMap<Arc<str>, Entity>, new: &IndexMap<Arc<str>, Entity>) -> usize {
        let key = |kind| Key { section, kind, rule: None, field: None, old: None, new: None };
        let mut added: Vec<(&Arc<str>, &Entity)> = new.iter().filter(|(id, _)| !old.contains_key(*id)).collect();
        let mut changed = 0;
        for (id, entity) in old.iter().filter(|(id, _)| !new.contains_key(*id)) {
            // An empty entity is equal to every other empty one, so it is never taken for renamed.
            let has_content = !entity.fields.is_empty() || !entity.rules.is_empty();
            let may_be_renamed = has_content && !is_carried_by_jobs(section, entity);
            let renamed = added.iter().position(|(_, other)| may_be_renamed && entity.own == other.own);
            let old_place = self.site(0, entity.site);
            let Some((other, entity)) = renamed.map(|at| added.remove(at)) else {
                self.add(key(Kind::Removed), id, [None, None], [old_place, None]);
                continue;
            };
            changed += 1;
            let (values, place) = ([id, other].map(|id| Some(id.to_string())), self.site(1, entity.site));
            let key = Key { old: Some(id.clone()), new: Some(other.clone()), ..key(Kind::Renamed) };
            self.add(key, other, values, [old_place, place]);
        }
        for (id, entity) in added {
            self.add(key(Kind::Added), id, [None, None], [None, self.site(1, entity.site)]);
        }
        for (id, old) in old {
            let Some(new) = new.get(id) else { continue };
            if !old.same(new) {
                changed += 1;
                self.entity(section, id, old, new);
            }
        }
        if SECTIONS.get(section) == Some(&"destinations") {
            let common: Vec<&Arc<str>> = old.keys().filter(|id| new.contains_key(*id)).collect();
            let places: Vec<usize> = common.iter().filter_map(|id| new.get_index_of(*id)).collect();
            let moved: BTreeSet<&str> =
                order::moved(&places).into_iter().filter_map(|at| common.get(at)).map(|id| &***id).collect();
            if !moved.is_empty() {
                let list = |ids: Vec<&str>| Some(shortened(&ids, MOST_MOVED));
                let before = list(common.iter().map(|id| &***id).collect());
                let after = list(new.keys().filter(|id| old.contains_key(*id)).map(|id| &**id).collect());
                for id in moved {
                    self.add(key(Kind::DestinationOrder), &id.into(), [before.clone(), after.clone()], [None, None]);
                }
            }
        }
        changed
    }

    fn entity(&mut self, section: usize, id: &Arc<str>, old: &Entity, new: &Entity) {
        self.fields(section, id, None, &old.fields, &new.fields);
        self.rules(section, id, &old.rules, &new.rules);
        let names: [BTreeSet<_>; 2] = [&old.env, &new.env].map(|env| env.iter().collect());
        if old.env != new.env && names.first() == names.last() {
            let [old, new] = [&old.env, &new.env].map(|env| joined(env.iter().map(|name| &**name)));
            self.order(section, Kind::EnvOrder, id, old, new);
        }
    }

    fn order(&mut self, section: usize, kind: Kind, id: &Arc<str>, old: String, new: String) {
        let key = Key {
            section,
            kind,
            rule: None,
            field: None,
            old: Some(old.as_str().into()),
            new: Some(new.as_str().into()),
        };
        self.add(key, id, [Some(old), Some(new)], [None, None]);
    }

    fn fields(&mut self, section: usize, id: &Arc<str>, rule: Option<&Rule>, old: &Fields, new: &Fields) {
        let names: BTreeSet<&Field> = old.keys().chain(new.keys()).collect();
        for name in names {
            let (before, after) = (old.get(name), new.get(name));
            if before.map(|value| &value.key) == after.map(|value| &value.key) {
                continue;
            }
            let key = Key {
                section,
                kind: Kind::Field,
                rule: rule.map(Rule::shown),
                field: Some(name.clone()),
                old: before.map(|value| value.key.clone()),
                new: after.map(|value| value.key.clone()),
            };
            let place = |side: usize, value: Option<&Value>| self.value(side, name, value?);
            let places = [place(0, before), place(1, after)];
            // A number and the same digits as text look alike, so their keys are shown, which differ.
            let look_alike = before.map(|value| &value.shown) == after.map(|value| &value.shown);
            let shown = |value: &Value| match look_alike && !value.key.starts_with("code ") {
                true => value.key.to_string(),
                false => value.shown.to_string(),
            };
            let values = [before, after].map(|value| value.map(shown));
            let found = self.add(key, id, values, places);
            if rule.is_some() && name.is(model::Field::If) {
                found.sets.extend(sets(old).chain(sets(new)));
            }
        }
    }

    fn rules(&mut self, section: usize, id: &Arc<str>, old: &[Arc<Rule>], new: &[Arc<Rule>]) {
        let pairs = pairs(old, new);
        let key =
            |kind, rule: &Rule| Key { section, kind, rule: Some(rule.shown()), field: None, old: None, new: None };
        for (before, after) in &pairs {
            match (before.and_then(|at| old.get(at)), after.and_then(|at| new.get(at))) {
                (Some(before), Some(after)) => self.fields(section, id, Some(after), &before.fields, &after.fields),
                (Some(rule), None) => {
                    let key = Key { old: Some(content(rule)), ..key(Kind::RuleRemoved, rule) };
                    let place = self.site(0, rule.site);
                    self.add(key, id, [Some(summary(rule)), None], [place, None]).sets.extend(sets(&rule.fields));
                }
                (None, Some(rule)) => {
                    let key = Key { new: Some(content(rule)), ..key(Kind::RuleAdded, rule) };
                    let place = self.site(1, rule.site);
                    self.add(key, id, [None, Some(summary(rule))], [None, place]).sets.extend(sets(&rule.fields));
                }
                (None, None) => {}
            }
        }
        let kept: Vec<(usize, usize)> = pairs.iter().filter_map(|(before, after)| before.zip(*after)).collect();
        let places: Vec<usize> = kept.iter().map(|(_, after)| *after).collect();
        if places.windows(2).any(|pair| matches!(pair, [one, other] if one > other)) {
            let name = |rules: &[Arc<Rule>], at: usize| rules.get(at).map(|rule| rule.shown()).unwrap_or_default();
            let before = joined(kept.iter().map(|(before, _)| name(old, *before)));
            let mut sorted = places;
            sorted.sort_unstable();
            let after = joined(sorted.iter().map(|after| name(new, *after)));
            self.order(section, Kind::RuleOrder, id, before, after);
        }
    }

    /// Adds the ids that are looked up in another order.
    fn lookups(&mut self, sides: [&Side; 2], facts: &[Facts; 2]) {
        let [old, new] = sides.map(|side| side.rules.tables());
        let tables = [(1, &old.tools, &new.tools), (2, &old.roles, &new.roles), (3, &old.users, &new.users)];
        for (section, old, new) in tables {
            let ids = facts.each_ref().map(|facts| -> Vec<&str> {
                facts
                    .sections
                    .get(section)
                    .map(|entities| entities.keys().map(|id| &**id).collect())
                    .unwrap_or_default()
            });
            let [old_ids, new_ids] = &ids;
            for ((before, after), names) in order::lookups(old, new, [old_ids, new_ids]) {
                let [before, after] = [before, after].map(|ids| joined(ids.iter().map(String::as_str)));
                for name in names {
                    self.order(section, Kind::LookupOrder, &name.into(), before.clone(), after.clone());
                }
            }
        }
    }

    fn value(&self, side: usize, field: &Field, value: &Value) -> Option<String> {
        let places = self.places.get(side)?;
        let place = match (value.site, field.group) {
            (Some(site), _) => places.site(site),
            (None, FieldGroup::Of(group)) => places.field(value.owner, group, &field.name),
            (None, _) => places.site(value.owner),
        }?;
        (!place.file.is_empty()).then(|| format!("{}:{}", place.file, place.line))
    }

    fn site(&self, side: usize, site: u32) -> Option<String> {
        let place = self.places.get(side)?.site(site)?;
        (!place.file.is_empty()).then(|| format!("{}:{}", place.file, place.line))
    }

    fn add(
        &mut self,
        key: Key,
        entity: &Arc<str>,
        values: [Option<String>; 2],
        places: [Option<String>; 2],
    ) -> &mut Found {
        let found = self.found.entry(key).or_default();
        if found.entities.is_empty() {
            found.values = values;
        }
        // An entity with two rules of the same condition may have the same change twice.
        if found.entities.last() != Some(entity) {
            found.entities.push(entity.clone());
        }
        for (all, place) in found.places.iter_mut().zip(places) {
            all.extend(place.filter(|place| !all.contains(place)));
        }
        found
    }

    /// The changes, grouped by the entities that they concern.
    fn groups(self, facts: &[Facts; 2]) -> Vec<Group> {
        let mut groups: IndexMap<(usize, Vec<Arc<str>>), Vec<Change>> = IndexMap::new();
        for (key, found) in self.found {
            let [old, new] = found.values;
            let [old_places, new_places] = found.places;
            let field = key.field.as_ref().map(Field::shown);
            let change = Change {
                kind: key.kind,
                rule: key.rule,
                field,
                sets: found.sets.into_iter().collect(),
                old,
                new,
                old_places,
                new_places,
            };
            groups.entry((key.section, found.entities)).or_default().push(change);
        }
        let [old_children, new_children] = facts.each_ref().map(children);
        let groups = groups.into_iter().map(|((section, mut entities), mut changes)| {
            // Only the old rules have removed entities.
            let is_removed = changes.iter().any(|change| change.kind == Kind::Removed);
            let children = if is_removed { &old_children } else { &new_children };
            let inherited = |id: &Arc<str>| children.get(&(section, id.clone())).copied().unwrap_or(0);
            entities.sort_by_cached_key(|id| (std::cmp::Reverse(inherited(id)), id.clone()));
            changes
                .sort_by(|one, other| (one.kind, &one.rule, &one.field).cmp(&(other.kind, &other.rule, &other.field)));
            let entities = entities.iter().map(|id| id.to_string()).collect();
            (section, Group { section: SECTIONS.get(section).copied().unwrap_or_default(), entities, changes })
        });
        let mut groups: Vec<(usize, Group)> = groups.collect();
        groups.sort_by_cached_key(|(section, group)| {
            let kind = group.changes.first().map(|change| change.kind);
            let first = group.entities.first().cloned();
            (*section, kind, std::cmp::Reverse(group.entities.len()), first)
        });
        groups.into_iter().map(|(_, group)| group).collect()
    }
}

/// Returns `true` if jobs name the entity by its id: with another id it is one for other jobs, whatever it says.
fn is_carried_by_jobs(section: usize, entity: &Entity) -> bool {
    let is_of_jobs = matches!(SECTIONS.get(section), Some(&("tools" | "roles" | "users")));
    is_of_jobs && !entity.fields.keys().any(|field| field.is(model::Field::Abstract))
}

/// The number of entities that inherit from each; entities without a parent inherit from the default one.
fn children(facts: &Facts) -> HashMap<(usize, Arc<str>), usize> {
    let mut counts = HashMap::new();
    let global = facts.sections.first().and_then(|section| section.values().next());
    let default = global.and_then(|global| {
        global.fields.iter().find(|(field, _)| field.group == DEFAULT_INHERITS).map(|(_, value)| value.shown.clone())
    });
    for (section, entities) in facts.sections.iter().enumerate() {
        for entity in entities.values() {
            if let Some(parent) = entity.inherits.as_ref().or(default.as_ref()) {
                *counts.entry((section, parent.clone())).or_default() += 1;
            }
        }
    }
    counts
}

/// A test for whether a rule became another one.
type Way<'a> = &'a dyn Fn(&Rule, &Rule) -> bool;

/// Pairs of an old rule and the new rule that it became, by index. Named rules are paired by name, others by equal content,
/// else by equal condition, else by equal fields.
fn pairs(old: &[Arc<Rule>], new: &[Arc<Rule>]) -> Vec<(Option<usize>, Option<usize>)> {
    let condition = |rule: &Rule| {
        rule.fields.iter().find(|(field, _)| field.is(model::Field::If)).map(|(_, value)| value.key.clone())
    };
    let effect = |rule: &Rule| -> Vec<(Field, Arc<str>)> {
        let rest = rule.fields.iter().filter(|(field, _)| !field.is(model::Field::If));
        rest.map(|(field, value)| (field.clone(), value.key.clone())).collect()
    };
    let named = |one: &Rule, other: &Rule| !one.is_nameless() && one.id == other.id;
    let nameless = |one: &Rule, other: &Rule| one.is_nameless() && other.is_nameless();
    let ways: [Way<'_>; 4] = [
        &named,
        &|one, other| nameless(one, other) && one.same(other),
        &|one, other| nameless(one, other) && condition(one) == condition(other),
        &|one, other| nameless(one, other) && effect(one) == effect(other),
    ];
    let mut partners: Vec<Option<usize>> = vec![None; old.len()];
    let mut free: Vec<bool> = vec![true; new.len()];
    for way in ways {
        for (rule, partner) in old.iter().zip(&mut partners).filter(|(_, partner)| partner.is_none()) {
            let found = new.iter().zip(&mut free).enumerate().find(|(_, (other, free))| **free && way(rule, other));
            if let Some((at, (_, free))) = found {
                *free = false;
                *partner = Some(at);
            }
        }
    }
    let olds = partners.into_iter().enumerate().map(|(at, partner)| (Some(at), partner));
    olds.chain(free.iter().enumerate().filter(|(_, free)| **free).map(|(at, _)| (None, Some(at)))).collect()
}

/// The fields that a rule sets, as a config would call them.
fn sets(fields: &Fields) -> impl Iterator<Item = String> {
    fields.keys().filter(|field| !field.is(model::Field::If)).map(Field::shown)
}

/// A rule's content, for comparisons.
fn content(rule: &Rule) -> Arc<str> {
    let fields = rule.fields.iter().map(|(field, value)| format!("{}={}", field.shown(), value.key));
    fields.collect::<Vec<_>>().join("\n").into()
}

/// A rule's content, for people: its condition, and the fields that it sets.
fn summary(rule: &Rule) -> String {
    let field = |(field, value): (&Field, &Value)| {
        let value = value.shown.trim_end();
        // As in a config, a value of several lines is below its name.
        let value =
            if value.contains('\n') { format!("\n  {}", value.replace('\n', "\n  ")) } else { format!(" {value}") };
        format!("{}:{value}", field.shown())
    };
    rule.fields.iter().map(field).collect::<Vec<_>>().join("\n")
}
