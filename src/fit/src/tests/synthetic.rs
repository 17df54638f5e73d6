//! Histories whose truth is known: proposals come near the best rule of their family, none is dearer than today's rule, and where nothing resubmits
//! they lose no more jobs.
//!
//! `TPVC_FIT_SEEDS=30 TPVC_FIT_MOST=100000 TPVC_FIT_FRESH=100000 cargo test -p tpv-fit --release synthetic -- --nocapture` runs them all, and
//! `TPVC_FIT_FIRST=31` others. `tests/fit/judge.py` judges whole runs, without any of this code.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::collections::BTreeMap;

use crate::line::{Family, Line};
use crate::need::{Ladder, Need, Observation};
use crate::policy::{Assumed, Cost, LostCosts};
use crate::propose::{Settings, Verdict, propose};
use crate::random::Random;
use crate::response::Response;
use crate::rule::Rule;
use crate::search::{Search, Terms};

/// A kind of tool.
#[derive(Clone, Copy, Debug, PartialEq)]
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
    /// As `Linear`, by a rule that cannot be much better.
    Good,
    /// Of all sizes the same heavy tail.
    Tail,
    /// Three tenths need seven times as much.
    Bimodal,
    /// Less than in proportion to the size.
    Power,
    /// As `Linear`, and ever more.
    Drifting,
    /// As `Linear`, where today's rule is short for a quarter of the jobs.
    Censored,
}

const KINDS: [Kind; 11] = [
    Kind::Linear,
    Kind::HeavyTail,
    Kind::Constant,
    Kind::Versions,
    Kind::Compressed,
    Kind::Good,
    Kind::Tail,
    Kind::Bimodal,
    Kind::Power,
    Kind::Drifting,
    Kind::Censored,
];

/// A number between 0 and 1.
fn uniform(random: &mut Random) -> f64 {
    (random.next() >> 11) as f64 / (1_u64 << 53) as f64
}

fn normal(random: &mut Random) -> f64 {
    (-2.0 * (1.0 - uniform(random)).ln()).sqrt() * (std::f64::consts::TAU * uniform(random)).cos()
}

/// A job with the memory that today's rule gives it at first.
#[derive(Clone, Copy)]
struct Job {
    need: Need,
    today: f64,
}

impl Kind {
    /// The true need of a job, at a time from 0 to 1; fresh jobs are later.
    fn job(self, random: &mut Random, index: u32, time: f64) -> Job {
        let size = (normal(random) * 0.9 + 0.5).exp();
        let is_compressed = self == Self::Compressed && uniform(random) < 0.5;
        let (plain, compressed) = if is_compressed { (0.0, size / 3.0) } else { (size, 0.0) };
        let version = u16::from(self == Self::Versions && uniform(random) < 0.5);
        let noise = normal(random);
        let line = 2.0 + 3.0 * plain + 12.0 * compressed;
        let (peak, today) = match self {
            Self::Linear | Self::Compressed => (line * (0.1 * noise).exp(), 128.0),
            Self::Good => (line * (0.1 * noise).exp(), 2.6 + 3.6 * size),
            Self::Censored => (line * (0.1 * noise).exp(), 10.0),
            Self::HeavyTail => (line * (0.8 * noise).exp(), 90.0),
            Self::Constant => (6.0 * (0.12 * noise).exp(), 32.0),
            Self::Versions => (line / if version == 1 { 3.0 } else { 1.0 } * (0.08 * noise).exp(), 128.0),
            Self::Tail => (3.0 * (1.0 * noise).exp(), 24.0),
            Self::Bimodal => (if uniform(random) < 0.3 { 20.0 } else { 3.0 } * (0.1 * noise).exp(), 64.0),
            Self::Power => ((1.0 + 3.0 * size.powf(0.6)) * (0.15 * noise).exp(), 96.0),
            Self::Drifting => (line * (0.4 * time).exp() * (0.1 * noise).exp(), 128.0),
        };
        let hours = 0.2 + size.sqrt() * (normal(random) * 0.5).exp();
        Job { need: Need { plain, compressed, peak, hours, weight: 1.0, version, job: index }, today }
    }

    fn jobs(self, random: &mut Random, count: u32, time: impl Fn(u32) -> f64) -> Vec<Job> {
        (0..count).map(|index| self.job(random, index, time(index))).collect()
    }
}

/// The response of rules without limits.
fn response(attempts: u32) -> Response {
    Response::assumed(Assumed { attempts, factor: 2.0 })
}

/// The jobs as the history has them: the last attempt that today's rule gives.
fn observed(jobs: &[Job], response: &Response) -> Vec<Observation> {
    let observation = |job: &Job| {
        let (need, reach) = (job.need, response.reach(job.today));
        let is_killed = need.peak > reach;
        Observation {
            time: i64::from(need.job),
            plain: need.plain as f32,
            compressed: need.compressed as f32,
            peak: need.peak.min(reach) as f32,
            hours: (need.hours * (reach / need.peak).min(1.0)) as f32,
            today: Ladder::once(job.today as f32),
            is_killed,
            version: need.version,
        }
    };
    jobs.iter().map(observation).collect()
}

fn cost(jobs: &[Job], response: &Response, memory: impl Fn(&Job) -> f64) -> Cost {
    let mut cost = Cost::default();
    for job in jobs {
        let attempts = response.attempts(memory(job));
        cost.add(&Cost::of(attempts, job.need.peak, job.need.hours, LostCosts::default()));
    }
    cost
}

/// The cost of the best rule of a family: the one that is cheapest for these jobs, by version where the rule is. They have to be many: of few
/// jobs the cheapest rule follows their largest, and no rule that is learnt on others comes near it, not even the truth's.
fn best(fresh: &[Job], rule: &Rule, response: &Response) -> f64 {
    let terms = Terms { lost_costs: LostCosts::default(), response, floor: 0.1 };
    let of = |needs: &[Need], line: &Line| {
        let search = Search::new(needs, &terms);
        let found = match line.family() {
            Family::Constant => search.constant(),
            _ => search.line(line.compression, line.most.is_some()),
        };
        found.unwrap().cost
    };
    let needs: Vec<Need> = fresh.iter().map(|job| job.need).collect();
    if rule.by_version.is_empty() {
        return of(&needs, &rule.line);
    }
    let of_version = |(version, line): &(u16, Line)| {
        let needs: Vec<Need> = needs.iter().filter(|need| need.version == *version).copied().collect();
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
    let (first, fresh_jobs) = (from_env("TPVC_FIT_FIRST", 1), from_env("TPVC_FIT_FRESH", 2_000));
    let mut wrong = Vec::new();
    for attempts in [1, 4].into_iter().filter(|attempts| *attempts <= from_env("TPVC_FIT_ATTEMPTS", 4)) {
        let response = response(attempts);
        let (mut pairs, mut lose_more) = (0, 0);
        for kind in KINDS {
            let fresh = kind
                .jobs(&mut Random::new(0), fresh_jobs, |index| 1.0 + 0.2 * f64::from(index) / f64::from(fresh_jobs));
            let today = cost(&fresh, &response, |job| job.today);
            let mut bests = BTreeMap::<String, f64>::new();
            for count in [100, 200, 500, 2_000, 20_000, 100_000].into_iter().filter(|count| *count <= most) {
                let (mut worst_of_family, mut worst_of_today, mut changed, mut saved, mut more) =
                    (0.0_f64, 0.0_f64, 0, 0.0, 0);
                for seed in first..first + seeds {
                    let mut random = Random::new(u64::from(seed) << 32 | u64::from(count));
                    let history = kind.jobs(&mut random, count, |index| f64::from(index) / f64::from(count));
                    let verdict = propose(&observed(&history, &response), &response, &Settings::default());
                    pairs += 1;
                    let Verdict::Change { rule, .. } = &verdict else { continue };
                    changed += 1;
                    let new = cost(&fresh, &response, |job| rule.memory(&job.need));
                    more += u32::from(new.lost > today.lost);
                    saved += 1.0 - new.total() / today.total();
                    worst_of_today = worst_of_today.max(new.total() / today.total() - 1.0);
                    if new.total() > today.total() * 1.02 {
                        wrong.push(format!(
                            "{kind:?}, {attempts} attempts, {count} jobs, seed {seed}: {rule:?}: dearer than today"
                        ));
                    }
                    if attempts == 1 {
                        continue;
                    }
                    let least = *bests.entry(form(rule)).or_insert_with(|| best(&fresh, rule, &response));
                    let family = new.total() / least - 1.0;
                    worst_of_family = worst_of_family.max(family);
                    // Those of a heavy tail lose more jobs than today's rule, and those of a drift are of another time.
                    let is_bounded = [Kind::Drifting, Kind::HeavyTail, Kind::Tail].contains(&kind);
                    if family > 0.10 && count >= 500 && !is_bounded {
                        wrong.push(format!(
                            "{kind:?}, {count} jobs, seed {seed}: {family:.3} above the best of its family: {rule:?}"
                        ));
                    }
                }
                lose_more += more;
                let may_keep = [Kind::Tail, Kind::HeavyTail, Kind::Good].contains(&kind);
                if count >= 500 && changed * 2 < seeds && !may_keep {
                    wrong.push(format!(
                        "{kind:?}, {attempts} attempts, {count} jobs: {changed} of {seeds} get a proposal"
                    ));
                }
                eprintln!(
                    "{attempts} {kind:?} {count}: {changed} of {seeds} changed, {:.1} % saved, {more} lose more, at most {:.1} % above the best of the family, {:.1} % above today's",
                    100.0 * saved / f64::from(changed.max(1)),
                    100.0 * worst_of_family,
                    100.0 * worst_of_today
                );
            }
        }
        eprintln!("{attempts} attempts: {lose_more} of {pairs} histories lose more than today");
        if lose_more * 20 > pairs {
            wrong.push(format!("{attempts} attempts: {lose_more} of {pairs} histories lose more than today"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
