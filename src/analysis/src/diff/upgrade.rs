//! From a job that two versions of TPV answer differently to the changes of TPV that are the reason.
//!
//! Each change between the two versions is tried alone: the job is mapped by the old version with it and by the new version without it. A change is
//! a reason if the new version without it differs where the answers differ, and nowhere else, or if the old version with it has there what
//! the new version has. Where no change is such a reason, all that make a difference there are.

use std::sync::{Arc, OnceLock};

use tpv_galaxy::answer::Answer;
use tpv_galaxy::world::World;
use tpv_model::{Change, Version};
use tpv_runtime::Job;
use tpv_runtime::artifact::Rules;
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
    versions: [Option<Version>; 2],
    mappers: OnceLock<[Option<Mapper>; 2]>,
}

impl Upgrade {
    /// The changes between two versions, whose mappers `make` makes.
    pub fn new(old: Version, new: Version, make: Make) -> Self {
        let trial = |change| Trial {
            change,
            versions: [old, new].map(|version| toggled(version, change)),
            mappers: OnceLock::new(),
        };
        Self { trials: old.between(new).map(trial).collect(), make }
    }

    /// The changes that are the reason for a difference, each with `true`, or `false` if it makes a difference only together with others.
    pub fn reasons(
        &self,
        job: &Arc<Job>,
        world: &Arc<World>,
        answers: [&Answer; 2],
        difference: &Difference,
    ) -> Vec<(Change, bool)> {
        let run = |trial: &Trial| (trial.change, trial.run(&self.make, job, world, answers));
        let tried: Vec<(Change, Vec<Tried>)> = self.trials.iter().map(run).collect();
        let named = |is_reason: &dyn Fn(&Tried) -> bool| -> Vec<Change> {
            let reasons = tried.iter().filter(|(_, tried)| tried.iter().any(is_reason));
            reasons.map(|(change, _)| *change).collect()
        };
        let accounted = |tried: &Tried| tried.accounts_for(answers, difference);
        let alone = named(&|tried| !accounted(tried).is_empty());
        let known: Vec<Place<'_>> = tried.iter().flat_map(|(_, tried)| tried).flat_map(accounted).collect();
        let mut open: Vec<Place<'_>> = places(difference).filter(|place| !known.contains(place)).collect();
        // What a job gets of another destination comes with it; its amounts are its own.
        if !open.is_empty() && difference.parts.contains(&Part::Destination) {
            open.retain(|place| matches!(place.0, Part::Destination | Part::Amount(_)));
        }
        let moves_open = |tried: &Tried| {
            tried.moved.iter().flat_map(places).any(|place| place.0 == Part::Error || open.contains(&place))
        };
        let mut reasons: Vec<(Change, bool)> = alone.iter().map(|change| (*change, true)).collect();
        if !open.is_empty() {
            let together = named(&moves_open).into_iter().filter(|change| !alone.contains(change));
            reasons.extend(together.map(|change| (change, false)));
            reasons.sort_unstable_by_key(|(change, _)| *change);
        }
        if reasons.is_empty() {
            return named(&|tried| tried.moved.is_some()).into_iter().map(|change| (change, false)).collect();
        }
        reasons
    }
}

/// The version with a change the other way round. `None` if the version has nothing that the change could be about.
fn toggled(version: Version, change: Change) -> Option<Version> {
    // TPV 1 matches by the amounts as they are written: how often they are evaluated for that is a matter of later versions.
    match (change, version.has(change)) {
        (Change::CombineFirst, true) => Some(version.without(change).without(Change::ResourcesOnce)),
        (Change::ResourcesOnce, _) if version.evaluates_early() => None,
        (_, true) => Some(version.without(change)),
        (_, false) => Some(version.with(change)),
    }
}

/// A difference: a part of the answer, and of `params` and `env` a name.
type Place<'a> = (Part, &'a str);

/// The places at which two answers differ.
fn places(difference: &Difference) -> impl Iterator<Item = Place<'_>> {
    let has_names = |part: &Part| difference.names.iter().any(|(of, _)| of == part);
    let whole = difference.parts.iter().filter(move |part| !has_names(part)).map(|part| (*part, ""));
    whole.chain(difference.names.iter().map(|(part, name)| (*part, name.as_str())))
}

/// The answer of a version with one change the other way round.
struct Tried {
    answer: Answer,
    /// `true` if it is the new version without the change, `false` if it is the old one with it.
    is_new: bool,
    /// The difference from the version's own answer.
    moved: Option<Difference>,
    /// The difference from the other version's answer.
    left: Option<Difference>,
}

impl Trial {
    /// Maps a job, by what loads.
    fn run(&self, make: &Make, job: &Arc<Job>, world: &Arc<World>, [old, new]: [&Answer; 2]) -> Vec<Tried> {
        let mappers = self.mappers.get_or_init(|| self.versions.map(|version| make(version?, self.change)));
        let sides = mappers.iter().zip([(false, old, new), (true, new, old)]);
        sides
            .filter_map(|(mapper, (is_new, own, other))| {
                let answer = mapper.as_ref()?.map(job, world);
                let (moved, left) = (compare(own, &answer), compare(&answer, other));
                Some(Tried { answer, is_new, moved, left })
            })
            .collect()
    }
}

impl Tried {
    /// The places of a difference that the change accounts for.
    fn accounts_for<'a>(&self, [old, new]: [&Answer; 2], difference: &'a Difference) -> Vec<Place<'a>> {
        let has = |of: &Option<Difference>, place: &Place<'_>| of.iter().flat_map(places).any(|own| own == *place);
        let is_within = |of: &Option<Difference>| {
            of.iter().flat_map(places).all(|place| places(difference).any(|own| own == place))
        };
        let is_moved = |place: &Place<'a>| match (place.0, self.is_new) {
            // That there is another error, or none, is more than what it says.
            (Part::Error, is_new) if kind(old) != kind(new) => (kind(&self.answer) == kind(new)) != is_new,
            (Part::Error, true) => has(&self.moved, place),
            (Part::Error, false) => self.left.is_none(),
            (_, true) => is_within(&self.moved) && has(&self.moved, place),
            (_, false) => is_within(&self.left) && !has(&self.left, place),
        };
        places(difference).filter(is_moved).collect()
    }
}

/// The class of the error.
fn kind(answer: &Answer) -> Option<String> {
    answer.error().map(|(kind, _)| kind.to_string())
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
