//! An ordinary job of some tools at each destination.
//!
//! Most destinations get ordinary jobs of some tool. Where none goes, because others come first, all others are switched off.

use tpv_analysis::check::reach::JobEnd;
use tpv_analysis::check::{Linter, sample_ids};
use tpv_analysis::dry_job::DryJob;
use tpv_config::entity::Entity;
use tpv_model::EntityClass;

use super::people::kinds;
use super::sizes::ORDINARY;
use super::tool::{Tool, whole};
use super::trial::{Outcome, Trial, Watched};

/// More jobs than these are not looked at for one destination.
const MOST_ACCEPTED: usize = 6;

/// More jobs than these are not tried at a destination that no ordinary job goes to.
const MOST_TRIED: usize = 300;

/// More destinations than these are not tried alone: for each the rules are made anew.
const MOST_ALONE: usize = 64;

/// A job that a destination accepts.
pub(super) struct Accepted<'t, 'a> {
    /// The destination.
    pub destination: &'a Entity,
    /// The tool.
    pub tool: &'t Tool<'a>,
    /// The job.
    pub job: DryJob,
    /// Its end.
    pub outcome: Outcome,
    /// The mapping.
    pub watched: Watched,
    /// `true` if the job goes to another destination first, which was switched off.
    pub is_alternative: bool,
}

/// Some jobs of each destination, and the number of destinations that were left out.
pub(super) fn all<'t, 'a>(linter: &Linter<'a>, trial: &Trial, tools: &'t [Tool<'a>]) -> (Vec<Accepted<'t, 'a>>, usize) {
    let config = linter.config;
    // A tool whose jobs fail at one destination may have others.
    let is_placed = |tool: &Tool<'_>| tool.end().is_some_and(|end| end.is_accepted() || *end == JobEnd::Raised);
    let kinds: Vec<&Tool<'_>> = kinds(tools, is_placed).into_iter().filter_map(|kind| kind.first().copied()).collect();
    let mut roles: Vec<String> = sample_ids(&trial.rules, EntityClass::Role).into_values().collect();
    roles.sort();
    let (mut out, mut alone) = (Vec::new(), 0_usize);
    for destination in config.destinations.values().filter(|destination| !destination.common.is_abstract) {
        let mut accepted = 0;
        let mut add = |trial: &Trial, tool: &'t Tool<'a>, job: DryJob, is_alternative: bool| {
            let Some((job, outcome, watched)) = whole(trial, job) else { return false };
            if matches!(outcome, Outcome::Mapped(_) | Outcome::Raised) {
                out.push(Accepted { destination, tool, job, outcome, watched, is_alternative });
                accepted += 1;
            }
            accepted < MOST_ACCEPTED
        };
        let goes_here = |tool: &&&Tool<'_>| tool.destination() == Some(&*destination.id);
        let mut here = kinds.iter().filter(goes_here).peekable();
        if here.peek().is_some() {
            here.all(|tool| add(trial, tool, tool.job(ORDINARY), false));
            continue;
        }
        alone += 1;
        let Some(only) = (alone <= MOST_ALONE).then(|| trial.only(&destination.id)).flatten() else { continue };
        let ordinary = kinds.iter().map(|tool| (*tool, tool.job(ORDINARY)));
        let with_roles = roles.iter().flat_map(|role| {
            let with = move |tool: &&'t Tool<'a>| (*tool, DryJob { roles: vec![role.clone()], ..tool.job(ORDINARY) });
            kinds.iter().map(with)
        });
        ordinary.chain(with_roles).take(MOST_TRIED).all(|(tool, job)| add(&only, tool, job, true));
    }
    (out, alone.saturating_sub(MOST_ALONE))
}
