//! The chain of settings of one field for one job: each entity and rule that sets it, and what takes its place.

use std::collections::HashSet;

use tpv_config::Config;
use tpv_config::entity::Entity;
use tpv_model::EntityClass;
use tpv_runtime::mapper::places::ConfigPlace;
use tpv_text::source::SourceMap;

use super::field::Field;
use crate::check::files::Files;
use crate::explain::{Change, Explanation, Property, Rule, RuleState, Verdict, config_place};

/// The part that a setting plays in the job's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The job has it.
    Counts,
    /// A later setting takes its place.
    Overridden,
    /// Its rule did not fire for this job.
    NotFired,
}

impl Role {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Counts => "counts",
            Self::Overridden => "overridden",
            Self::NotFired => "did not fire",
        }
    }
}

/// One setting.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The value or expression.
    pub value: String,
    /// The entity or rule: `tool bwa.*`, `rule big`.
    pub by: String,
    /// Its part.
    pub role: Role,
    /// The condition of a rule.
    pub condition: Option<String>,
    /// The location.
    pub place: Option<ConfigPlace>,
}

/// The answer.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The settings, each over those before it.
    pub list: Vec<Setting>,
    /// The value that the job gets. `None` if it has none.
    pub value: Option<String>,
    /// The effect of bounds on the value.
    pub note: Option<String>,
    /// Roles and users that set the field for other jobs.
    pub others: Vec<String>,
}

/// The settings of a field for an explained job. `origin` is the config with its texts, where these are known: they have
/// the values that files and children replaced.
pub fn settings(explanation: &Explanation, origin: Option<(&Config, &SourceMap)>, field: &Field) -> Settings {
    let same = |property: &&Property| property.field == field.field && property.name == field.name;
    let property = explanation.values.iter().find(same);
    let history = property.map_or(&[] as &[Change], |property| &property.history);
    let mut out = Settings::default();
    let mut seen = HashSet::new();
    if let Some((config, sources)) = origin {
        let files = Files::of(config);
        for lookup in &explanation.lookups {
            let Some(class) = EntityClass::of_section(lookup.section) else { continue };
            for found in &lookup.found {
                let mut written = Written { config, sources, files: &files, field, list: Vec::new() };
                written.add(class, &found.id, &mut HashSet::new());
                out.list.extend(written.list.into_iter().filter(|own| seen.insert(own.place.clone())));
            }
        }
        out.others = others(config, explanation, field);
    }
    let entities = history.iter().filter(|change| !is_late(change) && !seen.contains(&change.place));
    out.list.extend(entities.map(|change| setting(change, None)).collect::<Vec<_>>());
    let late = |change: &&Change| is_late(change);
    // The rules of destinations that were tried in vain have no part in it.
    let last = explanation.tried.last().map(|tried| tried.id.as_str());
    let counts = |rule: &&Rule| rule.destination.is_none() || rule.destination.as_deref() == last;
    for rule in explanation.rules.iter().filter(counts) {
        let by = format!("rule {}", rule.id);
        match rule.state {
            RuleState::NotFired => out.list.extend(unset(rule, field)),
            _ => {
                let own = history.iter().filter(late).filter(|change| change.by == by);
                let condition = Some(rule.condition.clone());
                out.list.extend(own.map(|change| of_rule(rule, setting(change, condition.clone()))));
            }
        }
    }
    let of_destination = history.iter().filter(|change| change.by.starts_with(DESTINATION));
    out.list.extend(of_destination.map(|change| setting(change, None)));
    // The last of the history is what the job has.
    if let Some(last) = history.last()
        && let Some(own) = out.list.iter_mut().rev().find(|own| own.role != Role::NotFired && own.place == last.place)
    {
        own.role = Role::Counts;
    }
    out.value = match &explanation.outcome {
        Verdict::Failed { .. } => None,
        _ => property.map(|property| property.value.clone()),
    };
    out.note = property.and_then(|property| property.note.clone());
    out
}

/// The beginning of [`Change::by`] of a destination, and of a rule.
const DESTINATION: &str = "destination ";
const RULE: &str = "rule ";

/// Returns `true` for a setting that is applied after those of tools, roles and users.
fn is_late(change: &Change) -> bool {
    change.by.starts_with(RULE) || change.by.starts_with(DESTINATION)
}

fn setting(change: &Change, condition: Option<String>) -> Setting {
    let (value, by, place) = (change.value.clone(), change.by.clone(), change.place.clone());
    Setting { value, by, role: Role::Overridden, condition, place }
}

/// The setting of a rule, with the destination whose rule it is.
fn of_rule(rule: &Rule, setting: Setting) -> Setting {
    match &rule.destination {
        Some(destination) => Setting { by: format!("{} of {DESTINATION}{destination}", setting.by), ..setting },
        None => setting,
    }
}

/// The settings of a rule that did not fire; of code that names the field, the code.
fn unset<'r>(rule: &'r Rule, field: &'r Field) -> impl Iterator<Item = Setting> + 'r {
    let is_this = |unset: &&crate::explain::Unset| {
        (unset.field == field.field && unset.name == field.name)
            || (unset.field == tpv_model::Field::Execute && field.is_named_in(&unset.change.value))
    };
    let setting = |unset: &crate::explain::Unset| {
        let setting = setting(&unset.change, Some(rule.condition.clone()));
        of_rule(rule, Setting { role: Role::NotFired, ..setting })
    };
    rule.unset.iter().filter(is_this).map(setting)
}

/// The values of an entity as the files have them.
struct Written<'a> {
    config: &'a Config,
    sources: &'a SourceMap,
    files: &'a Files<'a>,
    field: &'a Field,
    list: Vec<Setting>,
}

impl Written<'_> {
    /// Adds those of an entity's parents, then its own, file by file.
    fn add(&mut self, class: EntityClass, id: &str, seen: &mut HashSet<String>) {
        if !seen.insert(id.to_owned()) {
            return;
        }
        let parent = self.config.section(class).get(id).and_then(|entity| entity.common.inherits.clone());
        if let Some(parent) = parent.filter(|parent| !parent.as_str().is_empty()) {
            self.add(class, parent.as_str(), seen);
        }
        for entity in self.files.definitions(class, id) {
            self.list.extend(self.own(entity));
        }
    }

    fn own(&self, entity: &Entity) -> Option<Setting> {
        let part = self.field.part(&entity.common)?;
        Some(Setting {
            value: part.value.to_string(),
            by: format!("{} {}", entity.class.noun(), entity.id),
            role: Role::Overridden,
            condition: None,
            place: Some(config_place(self.sources, part.span)),
        })
    }
}

/// The roles and users that set the field, themselves or by a rule, and that the job has not.
fn others(config: &Config, explanation: &Explanation, field: &Field) -> Vec<String> {
    let mut out = Vec::new();
    for class in [EntityClass::Role, EntityClass::User] {
        let is_found = |id: &str| {
            let own = explanation.lookups.iter().filter(|lookup| lookup.section == class.section());
            own.flat_map(|lookup| &lookup.found).any(|found| found.id == id)
        };
        let sets = |entity: &Entity| entity.commons().any(|common| field.part(common).is_some());
        let entities = config.section(class).values().filter(|entity| !entity.common.is_abstract);
        let others = entities.filter(|entity| sets(entity) && !is_found(&entity.id));
        out.extend(others.map(|entity| format!("{} {}", class.noun(), entity.id)));
    }
    out
}
