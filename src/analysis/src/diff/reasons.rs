//! From a job whose answers differ to the changes of the config that concern it: those of the entities that its tool, roles and user match, of
//! its destinations, and of the section `global`.
//!
//! It is a guess in this: what concerns a job need not be what changed its answer. What says the very thing that differs comes first, then what
//! code may make anything of; the rest is told where there is nothing else.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use tpv_galaxy::answer::Answer;
use tpv_model::{Amount, EntityClass, Limit, Matched};
use tpv_runtime::Job;
use tpv_runtime::artifact::Rules;
use tpv_runtime::artifact::tables::Tables;
use tpv_runtime::patterns::{Matcher, PatternSet};

use super::answers::{Difference, Part};
use super::entities::{Change, Changes, Kind};

/// The most groups of changes that a job is led back to.
const MOST: usize = 8;
/// The most ids whose groups a thread keeps.
const MOST_KEPT: usize = 50_000;

/// Relates jobs to changes.
pub struct Reasons {
    /// The groups of changes by section and id.
    by_entity: HashMap<(&'static str, Box<str>), Vec<u32>>,
    /// The effects of each group on answers.
    effects: Vec<Vec<Effect>>,
    sections: Matched<[Lookup; 2]>,
    global: Vec<u32>,
    destinations: Vec<u32>,
}

/// The lookup of ids by one rule set.
struct Lookup {
    matcher: Matcher<Arc<PatternSet>>,
    /// The keys of the entities.
    keys: Vec<Box<str>>,
    /// The entity named by `default_inherits`.
    default: Option<Box<str>>,
}

impl Lookup {
    /// The lookup of the entities of a class.
    fn new(tables: &Tables, class: EntityClass) -> Self {
        let string = |id: u32| -> Box<str> { tables.strings.get(id as usize).map_or("", String::as_str).into() };
        let table = tables.table(class);
        let rows = table.map_or(&[][..], |table| &table.rows);
        let default = table.and_then(|table| rows.get(table.default? as usize));
        Self {
            matcher: Matcher::new(table.map(|table| table.patterns.clone()).unwrap_or_default()),
            keys: rows.iter().map(|row| string(row.id)).collect(),
            default: default.map(|row| string(row.id)),
        }
    }
}

/// A thread's cache of ids that it has met.
pub type Kept = HashMap<(&'static str, Box<str>), Arc<[u32]>>;

impl Reasons {
    /// Creates the relation of jobs to these changes.
    pub fn new(old: &Rules, new: &Rules, changes: &Changes) -> Self {
        let mut by_entity: HashMap<_, Vec<u32>> = HashMap::new();
        let (mut global, mut destinations) = (Vec::new(), Vec::new());
        for (index, group) in (0..).zip(&changes.groups) {
            match group.section {
                "global" => global.push(index),
                "destinations" => destinations.push(index),
                _ => {}
            }
            for id in &group.entities {
                by_entity.entry((group.section, Box::from(id.as_str()))).or_default().push(index);
            }
            // A renamed entity is known by its old id, too.
            let renamed = group.changes.iter().filter(|change| change.kind == Kind::Renamed);
            for id in renamed.filter_map(|change| change.old.as_deref()) {
                by_entity.entry((group.section, Box::from(id))).or_default().push(index);
            }
        }
        let effects = changes.groups.iter().map(|group| {
            let effects = group.changes.iter().map(|change| effects(group.section, change));
            effects.flatten().collect()
        });
        let (old, new) = (old.tables(), new.tables());
        let sections = Matched::new(|class| [Lookup::new(old, class), Lookup::new(new, class)]);
        Self { by_entity, effects: effects.collect(), sections, global, destinations }
    }

    /// The groups of changes that concern a job whose answers differ, by their indexes, each with whether it says the very thing that differs.
    pub fn of(
        &self,
        job: &Job,
        old: &Answer,
        new: &Answer,
        difference: &Difference,
        kept: &mut Kept,
    ) -> Vec<(u32, bool)> {
        let mut found: BTreeSet<u32> = self.matching(EntityClass::Tool, job.tool_id(), kept).iter().copied().collect();
        if let Some(user) = &job.user {
            for role in &user.roles {
                found.extend(self.matching(EntityClass::Role, job.text(role.name), kept).iter());
            }
            if let Some(email) = user.email {
                found.extend(self.matching(EntityClass::User, job.text(email), kept).iter());
            }
        }
        for answer in [old, new] {
            if let Some(id) = answer.destination_id()
                && let Some(groups) = self.by_entity.get(&("destinations", Box::from(&*id)))
            {
                found.extend(groups);
            }
        }
        if found.is_empty() {
            found.extend(&self.global);
            // What another destination takes may draw jobs away from both.
            let others = difference.parts.contains(&Part::Destination).then_some(&self.destinations);
            found.extend(others.into_iter().flatten());
        }
        let bearing = |group: u32| {
            let effects = self.effects.get(group as usize).into_iter().flatten();
            (group, effects.map(|effect| effect.bears_on(difference)).max().unwrap_or(Bearing::Near))
        };
        let mut found: Vec<(u32, Bearing)> = found.into_iter().map(bearing).collect();
        // What is only near is told where there is nothing else.
        if found.iter().any(|(_, bearing)| *bearing > Bearing::Near) {
            found.retain(|(_, bearing)| *bearing > Bearing::Near);
        }
        found.sort_by_key(|(group, bearing)| (std::cmp::Reverse(*bearing), *group));
        found.truncate(MOST);
        found.into_iter().map(|(group, bearing)| (group, bearing == Bearing::Direct)).collect()
    }

    /// The groups of the entities of a section that match an id by either rule set.
    fn matching(&self, class: EntityClass, id: &str, kept: &mut Kept) -> Arc<[u32]> {
        let section = class.section();
        let key = (section, Box::from(id));
        if let Some(groups) = kept.get(&key) {
            return groups.clone();
        }
        let mut groups = BTreeSet::new();
        for Lookup { matcher, keys, default } in self.sections.get(class).into_iter().flatten() {
            let mut matches = Vec::new();
            // A key that is no pattern ends the lookup, as it does for the job.
            let _ = matcher.matches(id, &mut matches);
            let matched = matches.iter().filter_map(|index| keys.get(*index as usize));
            // Each entity has what it inherits from the default one.
            let all: Vec<&Box<str>> = if matches.is_empty() { default.iter().collect() } else { matched.collect() };
            for id in all {
                groups.extend(self.by_entity.get(&(section, id.clone())).into_iter().flatten());
            }
        }
        // A change of the order of lookup is told of the id.
        groups.extend(self.by_entity.get(&key).into_iter().flatten());
        let groups: Arc<[u32]> = groups.into_iter().collect();
        if kept.len() >= MOST_KEPT {
            kept.clear();
        }
        kept.insert(key, groups.clone());
        groups
    }
}

/// A change's effect on the answers of jobs that it concerns.
enum Effect {
    /// It sets a resource, which decides where a job can go, too.
    Resource(Part),
    /// It sets a parameter or a variable.
    Named(Part, String),
    /// It sets a part of its own.
    Part(Part),
    /// It decides which destinations take a job.
    Placement,
    /// It may do anything: code reads it, or it is a whole entity.
    Any,
}

/// The bearing of a change on a difference.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Bearing {
    Near,
    Code,
    Direct,
}

impl Effect {
    fn bears_on(&self, difference: &Difference) -> Bearing {
        let has = |part: Part| difference.parts.contains(&part);
        let goes_elsewhere = has(Part::Destination) || has(Part::Error);
        let is_direct = match self {
            Self::Resource(part) => goes_elsewhere || has(*part),
            Self::Named(part, name) => difference.names.iter().any(|(of, differs)| of == part && differs == name),
            Self::Part(part) => has(*part),
            Self::Placement => goes_elsewhere,
            Self::Any => return Bearing::Code,
        };
        if is_direct { Bearing::Direct } else { Bearing::Near }
    }
}

/// The effects of a change.
fn effects(section: &str, change: &Change) -> Vec<Effect> {
    match (change.kind, change.field.as_deref()) {
        (Kind::Added | Kind::Removed, _) if section == "destinations" => vec![Effect::Placement],
        (Kind::LookupOrder | Kind::DestinationOrder, _) => vec![Effect::Placement],
        (Kind::EnvOrder, _) => vec![Effect::Part(Part::Env)],
        // A rule that applies to other jobs sets its fields for them, or not any more.
        (Kind::RuleAdded | Kind::RuleRemoved | Kind::Field, _) if !change.sets.is_empty() => {
            change.sets.iter().map(|field| effect(field)).collect()
        }
        (Kind::Field, Some(field)) => vec![effect(field)],
        _ => vec![Effect::Any],
    }
}

/// The effect of setting a field.
fn effect(field: &str) -> Effect {
    if let Some(amount) = Amount::from_name(field) {
        return match amount {
            Amount::Resource(resource) => Effect::Resource(Part::Amount(resource.quantity())),
            Amount::Limit(limit) if Limit::ACCEPTED.contains(&limit) => Effect::Placement,
            Amount::Limit(_) => Effect::Any,
        };
    }
    match field.split_once('.').unwrap_or((field, "")) {
        ("params", name) => Effect::Named(Part::Params, name.to_owned()),
        ("env", name) => Effect::Named(Part::Env, name.to_owned()),
        ("tags", _) => Effect::Part(Part::Tags),
        ("fail", _) => Effect::Part(Part::Error),
        ("runner", _) => Effect::Part(Part::Runner),
        ("resubmit", _) => Effect::Part(Part::Resubmit),
        ("scheduling" | "rank" | "abstract" | "destination_name_override", _) => Effect::Placement,
        _ => Effect::Any,
    }
}
