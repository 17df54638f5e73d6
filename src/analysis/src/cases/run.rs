//! Maps the jobs of test cases and compares the answers with what is expected.

use std::sync::Arc;

use tpv_galaxy::World;
use tpv_galaxy::answer::Answer;
use tpv_galaxy::job::Job;
use tpv_python::value::Value;
use tpv_runtime::artifact::Rules;
use tpv_runtime::mapper::explain::{Observer, Step};
use tpv_runtime::mapper::{Hooks, Mapper};
use tpv_runtime::resubmit::Chain;

use super::Case;
use super::coverage::{Counts, Seen};
use super::expect::{Expectation, Mismatch, compare};
use super::{attempts, why};
use crate::explain::{Collector, Explanation, Provenance};
use tpv_config::Config;
use tpv_text::parallel;
use tpv_text::source::SourceMap;

/// The outcome of a case.
pub struct Outcome {
    /// The answer to its job.
    pub answer: Answer,
    /// The ids of the rules that fired.
    pub fired: Vec<String>,
    /// The attempts of a case that has `attempts`, and the rules that fired in each mapping.
    pub chain: Option<(Chain, Vec<Vec<String>>)>,
    /// The failed expectations; empty for a case that passes.
    pub mismatches: Vec<Mismatch>,
}

impl Outcome {
    /// The expectations of a case that this outcome does not meet.
    pub fn compare(&self, case: &Case) -> Vec<Mismatch> {
        match &self.chain {
            Some((chain, fired)) => attempts::mismatches(case, chain, fired),
            None => compare(&case.expect, &self.answer, &self.fired),
        }
    }

    /// The job as it was mapped for an attempt. `None` if it was not mapped for it.
    fn job<'a>(&'a self, case: &'a Case, attempt: Option<u32>) -> Option<&'a Arc<Job>> {
        let (Some((chain, _)), Some(number)) = (&self.chain, attempt) else { return Some(&case.job) };
        let attempt = chain.attempts.get(number as usize - 1)?;
        attempt.by.as_ref().is_none_or(|by| by.environment.is_some()).then_some(&attempt.job)
    }
}

/// The rules that cases are mapped by, with the config that they were compiled from.
pub struct Tested {
    /// The rules.
    pub rules: Arc<Rules>,
    /// The merged config.
    pub config: Config,
    /// Its texts.
    pub sources: SourceMap,
}

/// Runs cases on all cores. The outcomes are in their order; the counts are of those things that the cases used, where they are asked for.
pub fn run(tested: &Tested, hooks: &Hooks, cases: &[&Case], counts: bool) -> (Vec<Outcome>, Counts) {
    let hooks = Hooks { note_blocks: counts, ..hooks.clone() };
    let mappers = Mappers::new(tested, &hooks);
    let numbered: Vec<(usize, &Case)> = cases.iter().copied().enumerate().collect();
    let groups: Vec<&[(usize, &Case)]> = numbered.chunks(GROUP).collect();
    let done = parallel::map(&groups, |group| {
        let mut total = Counts::default();
        let mut resubmitter = None;
        let outcomes: Vec<Outcome> = group
            .iter()
            .map(|(_, case)| {
                let mut fired = Vec::new();
                let mapper = mappers.mapper();
                let mut map = |job: &Arc<Job>| {
                    let mut watcher = Watcher { fired: Vec::new(), seen: counts.then(Seen::default) };
                    let answer = mapper.map_observed(job, &case.world, &mut watcher);
                    if let Some(seen) = watcher.seen {
                        total.add(seen);
                    }
                    fired.push(watcher.fired);
                    answer
                };
                let answer = map(&case.job);
                let chain = (!case.attempts.is_empty()).then(|| {
                    let resubmitter = resubmitter.get_or_insert_with(attempts::resubmitter);
                    attempts::run(case, resubmitter, answer.clone(), map)
                });
                let first = fired.first().cloned().unwrap_or_default();
                let chain = chain.map(|chain| (chain, fired));
                let outcome = Outcome { answer, fired: first, chain, mismatches: Vec::new() };
                let mismatches = outcome.compare(case);
                Outcome { mismatches, ..outcome }
            })
            .collect();
        (outcomes, total)
    });
    let mut outcomes = Vec::with_capacity(cases.len());
    let mut total = Counts::default();
    for (group, counts) in done {
        outcomes.extend(group);
        total.append(counts);
    }
    (outcomes, total)
}

/// Maps jobs on all cores, and counts what each uses of the config. A job whose answer `counts` does not take uses nothing.
pub fn uses(
    tested: &Tested,
    hooks: &Hooks,
    world: &Arc<World>,
    jobs: &[Arc<Job>],
    counts: impl Fn(&Answer) -> bool + Sync,
) -> Counts {
    let hooks = Hooks { note_blocks: true, ..hooks.clone() };
    let mappers = Mappers::new(tested, &hooks);
    let groups: Vec<&[Arc<Job>]> = jobs.chunks(GROUP).collect();
    let done = parallel::map(&groups, |group| {
        let mut total = Counts::default();
        for job in *group {
            let mut watcher = Watcher { fired: Vec::new(), seen: Some(Seen::default()) };
            let answer = mappers.mapper().map_observed(job, world, &mut watcher);
            total.add(watcher.seen.filter(|_| counts(&answer)).unwrap_or_default());
        }
        total
    });
    let mut total = Counts::default();
    done.into_iter().for_each(|counts| total.append(counts));
    total
}

/// The number of cases in one piece of work: more than one, so that counts are merged less often.
const GROUP: usize = 16;

/// Says of the mismatches of failing cases how the values came about: their jobs are mapped once more, and explained.
pub fn explain(tested: &Tested, hooks: &Hooks, cases: &[&Case], outcomes: &mut [Outcome]) {
    let failing: Vec<usize> =
        outcomes.iter().enumerate().filter(|(_, one)| !one.mismatches.is_empty()).map(|(index, _)| index).collect();
    if failing.is_empty() {
        return;
    }
    let mappers = Mappers::new(tested, hooks);
    let provenance = Provenance::new(&tested.rules, Some((&tested.config, &tested.sources)));
    let read: &[Outcome] = outcomes;
    let reasons = parallel::map(&failing, |index| {
        let (Some(case), Some(outcome)) = (cases.get(*index), read.get(*index)) else { return Vec::new() };
        let explain = |job: &Arc<Job>| {
            let mut collector = Collector::new(&provenance, job, Vec::new());
            let answer = mappers.mapper().map_observed(job, &case.world, &mut collector);
            collector.finish(&answer)
        };
        let mut explained: Option<(Option<u32>, Explanation)> = None;
        let of_one = |mismatch: &Mismatch| {
            let Some(job) = outcome.job(case, mismatch.attempt) else { return Vec::new() };
            let known = explained.take().filter(|(attempt, _)| *attempt == mismatch.attempt);
            let (_, explanation) = explained.insert(known.unwrap_or_else(|| (mismatch.attempt, explain(job))));
            why::reasons(mismatch, case.expected(mismatch.attempt), explanation)
        };
        outcome.mismatches.iter().map(of_one).collect::<Vec<_>>()
    });
    for (index, reasons) in failing.into_iter().zip(reasons) {
        let Some(outcome) = outcomes.get_mut(index) else { continue };
        for (mismatch, why) in outcome.mismatches.iter_mut().zip(reasons) {
            mismatch.why.extend(why);
        }
    }
}

/// Says of the mismatches of a job with expectations how the values came about.
pub fn explain_job(
    mapper: &Mapper,
    provenance: &Provenance<'_>,
    job: &Arc<Job>,
    world: &Arc<World>,
    expect: &[Expectation],
    mismatches: &mut [Mismatch],
) {
    let mut collector = Collector::new(provenance, job, Vec::new());
    let answer = mapper.map_observed(job, world, &mut collector);
    let explanation = collector.finish(&answer);
    for mismatch in mismatches {
        let why = why::reasons(mismatch, expect, &explanation);
        mismatch.why.extend(why);
    }
}

/// The mapper of all cases; where resource pools admit jobs, a new one for each case, so that no case takes what another waits for.
pub struct Mappers<'a> {
    shared: Mapper,
    rules: &'a Arc<Rules>,
    hooks: &'a Hooks,
}

impl<'a> Mappers<'a> {
    /// Mappers of these rules.
    pub fn new(tested: &'a Tested, hooks: &'a Hooks) -> Self {
        let shared = Mapper::with_hooks(tested.rules.clone(), hooks.clone(), false);
        Self { shared, rules: &tested.rules, hooks }
    }

    /// A mapper for a job.
    pub fn mapper(&self) -> Mapper {
        if self.shared.depends_on_order() {
            return Mapper::with_hooks(self.rules.clone(), self.hooks.clone(), false);
        }
        self.shared.clone()
    }
}

/// Notes the rules that fire, and what of the config is used.
#[derive(Default)]
pub struct Watcher {
    /// The ids of the rules that fired.
    pub fired: Vec<String>,
    seen: Option<Seen>,
}

impl Observer for Watcher {
    fn watches(&self) -> bool {
        self.seen.is_some()
    }

    fn step(&mut self, step: Step<'_>) {
        match step {
            Step::OnceMore { .. } => self.fired.clear(),
            Step::Rule { rule, matched: true, .. } => {
                if let Value::Str(id) = &rule.id
                    && self.fired.iter().all(|known| known != id.as_str())
                {
                    self.fired.push(id.as_str().to_owned());
                }
            }
            _ => {}
        }
        if let Some(seen) = &mut self.seen {
            seen.step(&step);
        }
    }
}
