//! The parts of the config that each case used, and the number of cases that used them.

use std::collections::HashMap;

use serde::{Serialize, Serializer};
use tpv_runtime::artifact::Rules;
use tpv_runtime::mapper::explain::{Because, Step};

/// A case's use of a part of the config.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Use {
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

/// The places that one case used, each once, however often it was used.
#[derive(Default)]
pub struct Seen {
    /// Uses, with the sites of what was used.
    uses: Vec<(Use, u32)>,
    tried: Option<u32>,
}

impl Seen {
    /// The uses with the sites of what was used, as often as it was.
    pub(crate) fn into_uses(self) -> Vec<(Use, u32)> {
        self.uses
    }

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

/// A set of cases, by their numbers. As data, it is their number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cases(Vec<u64>);

impl Serialize for Cases {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(self.count())
    }
}

impl Cases {
    fn insert(&mut self, case: usize) {
        let (word, bit) = (case / 64, case % 64);
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        if let Some(word) = self.0.get_mut(word) {
            *word |= 1 << bit;
        }
    }

    /// Adds the cases of another set.
    pub(super) fn add(&mut self, other: &Self) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        self.0.iter_mut().zip(&other.0).for_each(|(word, other)| *word |= other);
    }

    /// The cases of both sets.
    pub(super) fn and(mut self, other: &Self) -> Self {
        self.add(other);
        self
    }

    /// The number of cases.
    pub fn count(&self) -> u64 {
        self.0.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// Returns `true` if there are none.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    /// Returns `true` if a case is among them.
    pub fn contains(&self, case: usize) -> bool {
        self.0.get(case / 64).is_some_and(|word| word >> (case % 64) & 1 == 1)
    }

    /// The first case.
    pub fn first(&self) -> Option<usize> {
        let (index, word) = self.0.iter().enumerate().find(|(_, word)| **word != 0)?;
        Some(index * 64 + word.trailing_zeros() as usize)
    }
}

/// The uses, case by case.
#[derive(Default)]
pub struct Counts {
    cases: Vec<Vec<(Use, u32)>>,
}

impl Counts {
    /// Adds a case.
    pub(crate) fn add(&mut self, mut seen: Seen) {
        seen.uses.sort_unstable();
        seen.uses.dedup();
        self.cases.push(seen.uses);
    }

    /// Adds the cases of other counts, behind those that are there.
    pub(crate) fn append(&mut self, mut other: Self) {
        self.cases.append(&mut other.cases);
    }

    /// The cases by place in the config.
    pub(super) fn by_place(&self, rules: &Rules) -> ByPlace {
        let mut by_site: HashMap<(Use, u32), Cases> = HashMap::new();
        for (case, uses) in self.cases.iter().enumerate() {
            for used in uses {
                by_site.entry(*used).or_default().insert(case);
            }
        }
        let sites = &rules.tables().sites;
        let mut places: HashMap<(Use, SitePlace), Cases> = HashMap::new();
        for ((how, site), cases) in by_site {
            let Some(site) = sites.get(site as usize) else { continue };
            places.entry((how, (site.source, site.line, site.column))).or_default().add(&cases);
        }
        ByPlace { places, none: Cases::default() }
    }
}

/// A source, a line and a column, as sites have them.
pub(super) type SitePlace = (u32, u32, u32);

/// The cases that used what stands at a place.
pub(super) struct ByPlace {
    places: HashMap<(Use, SitePlace), Cases>,
    none: Cases,
}

impl ByPlace {
    pub(super) fn get(&self, how: Use, place: SitePlace) -> &Cases {
        self.places.get(&(how, place)).unwrap_or(&self.none)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_counts_once() {
        let set = |cases: &[usize]| {
            let mut set = Cases::default();
            cases.iter().for_each(|case| set.insert(*case));
            set
        };
        let both = set(&[0, 200]).and(&set(&[0, 63, 64]));
        assert_eq!((both.count(), both), (4, set(&[200, 64, 63, 0])));
        assert_eq!((Cases::default().count(), Cases::default().first()), (0, None));
        assert!(set(&[70]).contains(70) && !set(&[70]).contains(6) && !set(&[70]).contains(700));
        assert_eq!((set(&[130, 70]).first(), set(&[0]).is_empty()), (Some(70), false));
    }
}
