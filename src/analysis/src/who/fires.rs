//! The rules that fired over a job file, and those that never did.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use tpv_galaxy::world::World;
use tpv_model::EntityClass;
use tpv_runtime::artifact::tables::EntityRow;
use tpv_runtime::mapper::Mapper;
use tpv_runtime::mapper::explain::{Observer, Step};
use tpv_runtime::mapper::places::ConfigPlace;
use tpv_runtime::stream::Work;

use crate::cases::coverage::{Seen, Use};
use crate::job_file;

/// The number of jobs that a rule concerned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Uses {
    /// Jobs for which its condition was evaluated.
    pub looked_at: u64,
    /// Jobs for which it was true.
    pub fired: u64,
}

/// The jobs of one thread or of all.
#[derive(Debug, Default)]
pub struct Tally {
    /// Jobs that were mapped.
    pub jobs: u64,
    /// Lines that are not jobs.
    pub invalid: u64,
    by_site: HashMap<u32, Uses>,
}

impl Tally {
    /// Adds the jobs of another tally.
    pub fn merge(&mut self, other: &Self) {
        self.jobs += other.jobs;
        self.invalid += other.invalid;
        for (site, uses) in &other.by_site {
            let own = self.by_site.entry(*site).or_default();
            own.looked_at += uses.looked_at;
            own.fired += uses.fired;
        }
    }
}

/// Maps lines of jobs and counts the uses of rules.
pub struct Lines {
    /// Maps the jobs.
    pub mapper: Mapper,
    /// Galaxy's state.
    pub world: Arc<World>,
    /// For each site the first one at the same place: the output of a template's loop is all in one.
    places: Vec<u32>,
}

impl Lines {
    /// For the rules of a mapper.
    pub fn new(mapper: Mapper, world: Arc<World>) -> Self {
        let mut first = HashMap::new();
        let places = (0u32..)
            .zip(&mapper.rules().tables().sites)
            .map(|(index, site)| *first.entry((site.source, site.line, site.column)).or_insert(index))
            .collect();
        Self { mapper, world, places }
    }

    /// The rules of all entities with their uses: those that fired most first, then in the order of the files.
    pub fn rules(&self, tally: &Tally) -> Vec<RuleUses> {
        let rules = self.mapper.rules();
        let tables = rules.tables();
        let string = |id: u32| tables.strings.get(id as usize).map_or("", String::as_str);
        let place = |site: u32| self.places.get(site as usize).copied().unwrap_or(site);
        let sections = [
            (EntityClass::Tool, &tables.tools.rows),
            (EntityClass::Role, &tables.roles.rows),
            (EntityClass::User, &tables.users.rows),
            (EntityClass::Destination, &tables.configured_destinations),
        ];
        let mut by_site: HashMap<u32, RuleUses> = HashMap::new();
        for (class, rows) in sections {
            let parents: HashMap<u32, &EntityRow> = rows.iter().map(|row| (row.id, row)).collect();
            for row in rows {
                // A rule that is inherited is the parent's.
                let parent = row.inherits.and_then(|id| parents.get(&id));
                let inherited: HashSet<u32> =
                    parent.into_iter().flat_map(|row| &row.rules).map(|(_, rule)| *rule).collect();
                for (_, index) in row.rules.iter().filter(|(_, index)| !inherited.contains(index)) {
                    let Some(rule) = tables.rules.get(*index as usize) else { continue };
                    let site = place(rule.site);
                    let Some(place) = ConfigPlace::of_site(rules, site) else { continue };
                    let uses = tally.by_site.get(&site).copied().unwrap_or_default();
                    let owner = || format!("{} {}", class.noun(), string(row.id));
                    let found = || RuleUses { id: string(rule.id).to_owned(), owner: owner(), place, uses };
                    by_site.entry(site).or_insert_with(found);
                }
            }
        }
        let mut out: Vec<RuleUses> = by_site.into_values().collect();
        let order = |rule: &RuleUses| (rule.place.source, rule.place.line, rule.place.column);
        out.sort_by_key(|rule| (std::cmp::Reverse(rule.uses.fired), order(rule)));
        out
    }
}

/// A rule with its uses.
#[derive(Clone, Debug)]
pub struct RuleUses {
    /// Its id.
    pub id: String,
    /// The entity that has it: `tool bwa.*`.
    pub owner: String,
    /// The location.
    pub place: ConfigPlace,
    /// The jobs that it concerned.
    pub uses: Uses,
}

/// Passes the steps of one job on.
#[derive(Default)]
struct Watching(Seen);

impl Observer for Watching {
    fn step(&mut self, step: Step<'_>) {
        self.0.step(&step);
    }
}

impl Work for Lines {
    type Tally = Tally;

    fn line(&self, number: usize, line: &[u8], _: &mut String, tally: &mut Tally) {
        let Some(job) = job_file::seeded(number, line) else {
            tally.invalid += 1;
            return;
        };
        let mut watching = Watching::default();
        self.mapper.map_observed(&Arc::new(job), &self.world, &mut watching);
        tally.jobs += 1;
        let of_rules = |(how, site): (Use, u32)| {
            let site = self.places.get(site as usize).copied().unwrap_or(site);
            matches!(how, Use::LookedAt | Use::Fired).then_some((how, site))
        };
        let mut uses: Vec<(Use, u32)> = watching.0.into_uses().into_iter().filter_map(of_rules).collect();
        uses.sort_unstable();
        uses.dedup();
        for (how, site) in uses {
            let own = tally.by_site.entry(site).or_default();
            match how {
                Use::Fired => own.fired += 1,
                _ => own.looked_at += 1,
            }
        }
    }

    fn end_thread(&self) {
        Mapper::leave_to_system();
    }
}

/// Returns the number of rules that fired for a job.
pub fn fired(rules: &[RuleUses]) -> usize {
    rules.iter().filter(|rule| rule.uses.fired > 0).count()
}
