//! What of the config each case used, and in how many cases.

use std::collections::HashMap;

use tpv_runtime::artifact::Rules;
use tpv_runtime::mapper::explain::{Because, Step};

/// What a case did with something of the config.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Use {
    /// A lookup found the entity.
    Matched,
    /// The entity is `default_inherits`, and a lookup took it.
    Default,
    /// The destination could take the job.
    Accepted,
    /// The destination was tried.
    Tried,
    /// The destination got the job.
    Chosen,
    /// The rule's condition was looked at.
    LookedAt,
    /// The rule's condition was true.
    Fired,
    /// The rule's condition was not true.
    NotFired,
    /// The block of code ran.
    Ran,
}

/// What one case used: each place once, however often it was used.
#[derive(Default)]
pub struct Seen {
    /// Uses, with the sites of what was used.
    uses: Vec<(Use, u32)>,
    tried: Option<u32>,
}

impl Seen {
    /// One step of the mapping.
    pub(crate) fn step(&mut self, step: &Step<'_>) {
        match step {
            Step::OnceMore { .. } => *self = Self::default(),
            Step::Lookup { found, .. } => {
                for found in *found {
                    let how = match found.because {
                        Because::Pattern => Use::Matched,
                        Because::Default => Use::Default,
                        Because::Wrapper => continue,
                    };
                    self.uses.push((how, found.entity.site));
                }
            }
            Step::Condition { rule, .. } => self.uses.push((Use::LookedAt, rule.site)),
            Step::Rule { rule, matched, .. } => {
                self.uses.push((if *matched { Use::Fired } else { Use::NotFired }, rule.site));
            }
            Step::Destination { destination, matched: true, .. } => self.uses.push((Use::Accepted, destination.site)),
            Step::Trying { candidate } => {
                self.tried = Some(candidate.site);
                self.uses.push((Use::Tried, candidate.site));
            }
            Step::Chosen { .. } => self.uses.extend(self.tried.map(|site| (Use::Chosen, site))),
            Step::Evaluated { sites } => self.uses.extend(sites.iter().map(|site| (Use::Ran, *site))),
            _ => {}
        }
    }
}

/// In how many cases each place was used.
#[derive(Default)]
pub struct Counts {
    uses: HashMap<(Use, u32), u64>,
}

impl Counts {
    /// Adds a case.
    pub(crate) fn add(&mut self, mut seen: Seen) {
        seen.uses.sort_unstable();
        seen.uses.dedup();
        for used in seen.uses {
            *self.uses.entry(used).or_default() += 1;
        }
    }

    /// Adds the cases of other counts.
    pub(crate) fn merge(&mut self, other: Self) {
        for (used, count) in other.uses {
            *self.uses.entry(used).or_default() += count;
        }
    }

    /// The counts by place in the config.
    pub(super) fn by_place(&self, rules: &Rules) -> ByPlace {
        let sites = &rules.tables().sites;
        let mut places = HashMap::new();
        for ((how, site), count) in &self.uses {
            let Some(site) = sites.get(*site as usize) else { continue };
            *places.entry((*how, (site.source, site.line, site.column))).or_default() += count;
        }
        ByPlace { places }
    }
}

/// A source, a line and a column, as sites have them.
pub(super) type SitePlace = (u32, u32, u32);

/// In how many cases what stands at a place was used.
pub(super) struct ByPlace {
    places: HashMap<(Use, SitePlace), u64>,
}

impl ByPlace {
    pub(super) fn get(&self, how: Use, place: SitePlace) -> u64 {
        self.places.get(&(how, place)).copied().unwrap_or(0)
    }
}
