//! Histories whose truth is known: proposals come near the best rule of their family, and none is dearer than today's rule.
//!
//! `TPVC_FIT_SEEDS=30 TPVC_FIT_MOST=100000 TPVC_FIT_FRESH=100000 cargo test -p tpv-fit --release synthetic -- --nocapture` runs them all, and
//! `TPVC_FIT_FIRST=31` others.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::collections::BTreeMap;

use crate::line::{Family, Line};
use crate::need::{Need, Observation};
use crate::policy::{Cost, Policy};
use crate::propose::{Rule, Settings, Verdict, propose};
use crate::random::Random;
use crate::search::Search;

/// A kind of tool.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// `a + b * size`, with noise of a tenth.
    Linear,
    /// The same, with the noise of a heavy tail.
    HeavyTail,
    /// Whatever the size, with some noise.
    Constant,
    /// Two versions, of which the second needs a third.
    Versions,
    /// Half of the inputs are compressed and count four times.
    Compressed,
    /// As `Linear`, where today's rule is short for a quarter of the jobs, which run once and are killed.
    Censored,
    /// As `Linear`, by a rule that cannot be much better.
    Good,
    /// Of all sizes the same heavy tail.
    Tail,
}

const KINDS: [Kind; 8] = [
    Kind::Linear,
    Kind::HeavyTail,
    Kind::Constant,
    Kind::Versions,
    Kind::Compressed,
    Kind::Censored,
    Kind::Good,
    Kind::Tail,
];

/// A number between 0 and 1.
fn uniform(random: &mut Random) -> f64 {
    (random.next() >> 11) as f64 / (1_u64 << 53) as f64
}

fn normal(random: &mut Random) -> f64 {
    (-2.0 * (1.0 - uniform(random)).ln()).sqrt() * (std::f64::consts::TAU * uniform(random)).cos()
}

impl Kind {
    fn policy(self) -> Policy {
        let attempts = if matches!(self, Self::Censored) { 1 } else { 4 };
        Policy { attempts, ..Policy::default() }
    }

    /// The true need of a job.
    fn job(self, random: &mut Random, index: u32) -> Need {
        let size = (normal(random) * 0.9 + 0.5).exp();
        let is_compressed = matches!(self, Self::Compressed) && uniform(random) < 0.5;
        let (plain, compressed) = if is_compressed { (0.0, size / 3.0) } else { (size, 0.0) };
        let version = u16::from(matches!(self, Self::Versions) && uniform(random) < 0.5);
        let noise = normal(random);
        let line = 2.0 + 3.0 * plain + 12.0 * compressed;
        let (peak, today) = match self {
            Self::Linear | Self::Compressed => (line * (0.1 * noise).exp(), 64.0),
            Self::Good => (line * (0.1 * noise).exp(), 2.6 + 3.6 * size),
            Self::Censored => (line * (0.1 * noise).exp(), 10.0),
            Self::HeavyTail => (line * (0.8 * noise).exp(), 90.0),
            Self::Constant => (6.0 * (0.1 * noise).exp(), 16.0),
            Self::Versions => (line / if version == 1 { 3.0 } else { 1.0 } * (0.1 * noise).exp(), 64.0),
            Self::Tail => (3.0 * (1.0 * noise).exp(), 24.0),
        };
        let hours = 0.2 + size.sqrt() * (normal(random) * 0.5).exp();
        Need { plain, compressed, peak, hours, today, weight: 1.0, version, job: index }
    }

    fn jobs(self, random: &mut Random, count: u32) -> Vec<Need> {
        (0..count).map(|index| self.job(random, index)).collect()
    }
}

/// The jobs as the history has them: the last attempt that today's rule gives.
fn observed(needs: &[Need], policy: &Policy) -> Vec<Observation> {
    let observation = |need: &Need| {
        let reach = need.today * policy.factor.powi(policy.attempts as i32 - 1);
        let is_killed = need.peak > reach;
        Observation {
            time: i64::from(need.job),
            plain: need.plain as f32,
            compressed: need.compressed as f32,
            peak: need.peak.min(reach) as f32,
            hours: (need.hours * (reach / need.peak).min(1.0)) as f32,
            today: need.today as f32,
            is_killed,
            version: need.version,
        }
    };
    needs.iter().map(observation).collect()
}

fn cost(needs: &[Need], policy: &Policy, memory: impl Fn(&Need) -> f64) -> Cost {
    let mut cost = Cost::default();
    for need in needs {
        cost.add(&need.cost(memory(need), policy, f64::INFINITY));
    }
    cost
}

/// The cost of the best rule of a family: the one that is cheapest for these jobs, by version where the rule is. They have to be many: of few
/// jobs the cheapest rule follows their largest, and no rule that is learnt on others comes near it, not even the truth's.
fn best(fresh: &[Need], rule: &Rule, policy: &Policy) -> f64 {
    let of = |needs: &[Need], line: &Line| {
        let search = Search::new(needs, policy, f64::INFINITY);
        let found = match line.family() {
            Family::Constant => search.constant(),
            _ => search.line(line.compression, line.most.is_some()),
        };
        found.unwrap().cost
    };
    if rule.by_version.is_empty() {
        return of(fresh, &rule.line);
    }
    let of_version = |(version, line): &(u16, Line)| {
        let needs: Vec<Need> = fresh.iter().filter(|need| need.version == *version).copied().collect();
        of(&needs, line)
    };
    rule.by_version.iter().map(of_version).sum()
}

/// The form of a rule, without its numbers.
fn form(rule: &Rule) -> String {
    let of = |line: &Line| format!("{:?} {} {:?}", line.family(), line.most.is_some(), line.compression);
    let versions = rule.by_version.iter().map(|(version, line)| format!("{version} {}", of(line)));
    std::iter::once(of(&rule.line)).chain(versions).collect::<Vec<_>>().join(", ")
}

fn from_env(name: &str, default: u32) -> u32 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn synthetic_histories() {
    let (seeds, most) = (from_env("TPVC_FIT_SEEDS", 2), from_env("TPVC_FIT_MOST", 500));
    let (first, fresh_jobs) = (from_env("TPVC_FIT_FIRST", 1), from_env("TPVC_FIT_FRESH", 10_000));
    let mut wrong = Vec::new();
    for kind in KINDS {
        let policy = kind.policy();
        let fresh = kind.jobs(&mut Random::new(0), fresh_jobs);
        let today = cost(&fresh, &policy, |need| need.today).total();
        let mut bests = BTreeMap::<String, f64>::new();
        for count in [50, 100, 200, 500, 2_000, 20_000, 100_000].into_iter().filter(|count| *count <= most) {
            let (mut worst_of_family, mut worst_of_today, mut changed, mut saved) = (0.0_f64, 0.0_f64, 0, 0.0);
            for seed in first..first + seeds {
                let mut random = Random::new(u64::from(seed) << 32 | u64::from(count));
                let history = kind.jobs(&mut random, count);
                let settings = Settings { policy, ..Settings::default() };
                let verdict = propose(&observed(&history, &policy), f64::INFINITY, &settings);
                let Verdict::Change { rule, .. } = &verdict else { continue };
                changed += 1;
                let new = cost(&fresh, &policy, |need| rule.memory(need)).total();
                let least = *bests.entry(form(rule)).or_insert_with(|| best(&fresh, rule, &policy));
                let family = new / least - 1.0;
                saved += 1.0 - new / today;
                worst_of_family = worst_of_family.max(family);
                worst_of_today = worst_of_today.max(new / today - 1.0);
                if family > 0.10 && count >= 500 {
                    wrong.push(format!(
                        "{kind:?}, {count} jobs, seed {seed}: {family:.3} above the best of its family: {rule:?}"
                    ));
                }
                if new > today * 1.02 {
                    wrong.push(format!(
                        "{kind:?}, {count} jobs, seed {seed}: {:.3} of today's cost: {rule:?}",
                        new / today
                    ));
                }
            }
            if count >= 500 && changed * 2 < seeds && !matches!(kind, Kind::Good) {
                wrong.push(format!("{kind:?}, {count} jobs: {changed} of {seeds} get a proposal"));
            }
            eprintln!(
                "{kind:?} {count}: {changed} of {seeds} changed, {:.1} % saved, at most {:.1} % above the best of the family, {:.1} % above today's",
                100.0 * saved / f64::from(changed.max(1)),
                100.0 * worst_of_family,
                100.0 * worst_of_today
            );
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
