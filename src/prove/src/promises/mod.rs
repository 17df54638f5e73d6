//! Verdicts on the properties of a site: each is refuted by a job, proved, or unknown.
//!
//! Jobs are made from the rules once and mapped once. A property is looked for among them, and among more jobs that its `when` describes ([`fitted`]).
//! If none breaks it, the proofs of `tpv-analysis` are asked.

mod fitted;
mod tried;

use std::sync::Arc;

use indexmap::IndexMap;
use tpv_analysis::cases::expect::Mismatch;
use tpv_analysis::cases::property::{Judged, Property, Verdict};
use tpv_analysis::cases::run::{Mappers, Tested, explain_job};
use tpv_analysis::check::promises::prove;
use tpv_analysis::explain::Provenance;
use tpv_galaxy::Job;
use tpv_galaxy::json::text_of;
use tpv_runtime::mapper::Hooks;
use tpv_text::parallel;

use tried::Tried;

/// The most jobs that are mapped for single properties, of all properties together.
const MOST_FITTED: usize = 200_000;

/// The fewest and the most of one property.
const FITTED: (usize, usize) = (200, 5000);

/// Judges properties of a config.
pub fn judge(tested: &Tested, hooks: &Hooks, properties: &[&Property]) -> Vec<Judged> {
    let mappers = Mappers::new(tested, hooks);
    let most = (MOST_FITTED / properties.len().max(1)).clamp(FITTED.0, FITTED.1);
    let proofs = prove(&tested.config, &tested.sources, properties);
    let mut worlds: IndexMap<usize, Vec<usize>> = IndexMap::new();
    for (index, property) in properties.iter().enumerate() {
        worlds.entry(Arc::as_ptr(&property.world).addr()).or_default().push(index);
    }
    let mut broken: Vec<(Option<Broken>, usize)> = Vec::new();
    broken.resize_with(properties.len(), || (None, 0));
    for members in worlds.values() {
        let Some(first) = members.first().and_then(|index| properties.get(*index)) else { continue };
        let tried = Tried::of(&tested.rules, &mappers, &first.world);
        let found =
            parallel::map(members, |index| properties.get(*index).map(|one| attack(one, &tried, &mappers, most)));
        for (index, found) in members.iter().zip(found) {
            if let (Some(place), Some(found)) = (broken.get_mut(*index), found) {
                *place = found;
            }
        }
    }
    let provenance = Provenance::new(&tested.rules, Some((&tested.config, &tested.sources)));
    let judged = properties.iter().zip(broken).zip(proofs).map(|((property, (broken, tried)), proof)| {
        let verdict = match (broken, proof) {
            (Some(Broken { line, job, mut mismatches }), _) => {
                let mapper = mappers.mapper();
                explain_job(&mapper, &provenance, &job, &property.world, &property.expect, &mut mismatches);
                Verdict::Refuted { job: line, mismatches }
            }
            (None, Ok(())) => Verdict::Proved,
            (None, Err(doubt)) => Verdict::Unknown(doubt),
        };
        Judged { verdict, tried }
    });
    judged.collect()
}

/// A job that breaks a property.
struct Broken {
    line: String,
    job: Arc<Job>,
    mismatches: Vec<Mismatch>,
}

/// Looks for a job that breaks a property, among those tried and up to `most` others. The number of the jobs comes with it.
fn attack(property: &Property, tried: &Tried, mappers: &Mappers<'_>, most: usize) -> (Option<Broken>, usize) {
    let mut holds = vec![None; tried.outcomes.len()];
    let mut count = 0;
    for one in tried.of_tools(&property.when) {
        if !property.when.describes_but_tool(&one.job) {
            continue;
        }
        count += 1;
        let (Some(outcome), Some(known)) = (tried.outcomes.get(one.outcome), holds.get_mut(one.outcome)) else {
            continue;
        };
        if *known == Some(true) {
            continue;
        }
        let mismatches = property.broken_by(&outcome.answer, &outcome.fired);
        if !mismatches.is_empty() {
            let line = text_of(&one.json);
            return (Some(Broken { line, job: one.job.clone(), mismatches }), count);
        }
        *known = Some(true);
    }
    for json in fitted::jobs(&property.when, tried, most) {
        let line = text_of(&json);
        let Some(job) = Job::parse(&line).ok().filter(|job| property.when.describes(job)) else { continue };
        let job = Arc::new(job);
        count += 1;
        let (answer, fired) = tried::map(&mappers.mapper(), &job, &property.world);
        let mismatches = property.broken_by(&answer, &fired);
        if !mismatches.is_empty() {
            return (Some(Broken { line, job, mismatches }), count);
        }
    }
    (None, count)
}
