//! From a job that two versions of TPV answer differently to the changes of TPV that are the reason.
//!
//! Each change between the two versions is tried alone: the job is mapped by the old version with it and by the new version without it. If that
//! gives a part of the answer as the other version has it, the change is a reason. If no change does so alone, all that make a difference are.

use std::sync::{Arc, OnceLock};

use tpv_model::{Change, Version};
use tpv_runtime::Job;
use tpv_runtime::artifact::Rules;
use tpv_runtime::galaxy::answer::Answer;
use tpv_runtime::galaxy::world::World;
use tpv_runtime::mapper::Mapper;

use super::answers::{Difference, Part, compare};

/// Makes the mapper of the rules for a version with one change more or less. `None` if the config does not load so.
pub type Make = Box<dyn Fn(Version, Change) -> Option<Mapper> + Send + Sync>;

/// The changes between two versions, each to be tried alone.
pub struct Upgrade {
    trials: Vec<Trial>,
    make: Make,
}

/// One change, and the mappers that try it, made when the first job asks for them.
struct Trial {
    change: Change,
    /// The old version and the new one, each with the change the other way round.
    versions: [Version; 2],
    mappers: OnceLock<[Option<Mapper>; 2]>,
}

impl Upgrade {
    /// The changes between two versions, whose mappers `make` makes.
    pub fn new(old: Version, new: Version, make: Make) -> Self {
        let toggled = |version: Version, change| match version.has(change) {
            true => version.without(change),
            false => version.with(change),
        };
        let trial =
            |change| Trial { change, versions: [toggled(old, change), toggled(new, change)], mappers: OnceLock::new() };
        Self { trials: old.between(new).map(trial).collect(), make }
    }

    /// The changes that are the reason for a difference, each with whether it explains a part of it alone.
    pub fn reasons(
        &self,
        job: &Arc<Job>,
        world: &Arc<World>,
        [old, new]: [&Answer; 2],
        difference: &Difference,
    ) -> Vec<(Change, bool)> {
        let mut reasons = Vec::new();
        for trial in &self.trials {
            let mappers =
                trial.mappers.get_or_init(|| trial.versions.map(|version| (self.make)(version, trial.change)));
            let (mut matters, mut explains) = (false, false);
            for (mapper, [own, other]) in mappers.iter().zip([[old, new], [new, old]]) {
                // What does not load with the change, or without it, tells nothing.
                let Some(mapper) = mapper else { continue };
                let tried = mapper.map(job, world);
                matters |= compare(&tried, own).is_some();
                let left = compare(&tried, other).map(|left| left.parts).unwrap_or_default();
                let is_error = difference.parts.contains(&Part::Error) || left.contains(&Part::Error);
                explains |= match is_error {
                    true => left.is_empty(),
                    false => difference.parts.iter().any(|part| !left.contains(part)),
                };
            }
            if matters {
                reasons.push((trial.change, explains));
            }
        }
        if reasons.iter().any(|(_, explains)| *explains) {
            reasons.retain(|(_, explains)| *explains);
        }
        reasons
    }
}

/// Returns `true` if a change is about what a config means when it is loaded; any other is about how jobs are mapped.
pub fn is_of_loading(change: Change) -> bool {
    matches!(
        change,
        Change::CombineFirst
            | Change::ParentsAcrossFiles
            | Change::OwnAbstract
            | Change::OwnHandlerTags
            | Change::Models
            | Change::FractionalGpus
            | Change::ParentsFirst
            | Change::NoqaOnly
            | Change::ToolTypeTags
            | Change::ResubmitMappings
            | Change::Pools
    )
}

/// The rules as another version maps jobs by them, of which nothing changes when they are loaded.
pub fn of_version(rules: &Rules, version: Version) -> Option<Arc<Rules>> {
    let mut tables = rules.tables().clone();
    tables.global.version = version;
    Rules::new(tables, (**rules.program()).clone()).ok().map(Arc::new)
}
