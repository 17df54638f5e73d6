//! Random small scenarios, in which every job ends once, no cluster holds more than it has, and nothing happens before its time.
//!
//! `TPVC_SEED` sets the first scenario; each prints its seed if it fails.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::collections::HashMap;
use std::sync::Arc;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use rand_distr::{Distribution, Uniform};
use tpv_galaxy::job::Job;
use tpv_galaxy::world::World;

use crate::amount::{Amount, SECOND, Time};
use crate::arrivals::{Arrival, Past};
use crate::capacity::{Capacity, ClusterSpec, Discipline};
use crate::engine::{Settings, Step, run};
use crate::measure::Measure;
use crate::route::{Routed, Router, Target};

struct Random(ChaCha8Rng);

impl Random {
    fn below(&mut self, below: u64) -> u64 {
        Uniform::new(0, below.max(1)).sample(&mut self.0)
    }
}

/// Sends jobs anywhere, with anything.
struct Anywhere(Random);

impl Router for Anywhere {
    fn route(&mut self, _: &Arc<Job>, world: &Arc<World>) -> Routed {
        let random = &mut self.0;
        // In the table the job waits, and is not yet anywhere.
        assert!(!world.jobs.is_empty());
        match random.below(12) {
            0 => Routed::Failed { kind: "JobMappingException".into(), message: String::new() },
            1..=3 => Routed::NotReady,
            _ => Routed::To(Target {
                destination: format!("d{}", random.below(4)),
                cores: random.below(9) as f64 / 2.0,
                mem: (random.below(4) > 0).then(|| random.below(16) as f64),
                gpus: random.below(20).saturating_sub(18) as f64,
                answer: None,
            }),
        }
    }

    fn ended(&mut self, _: Option<i64>, _: i64) {}
}

fn cluster(random: &mut Random, name: &str, destinations: &[&str]) -> ClusterSpec {
    let mut node = || Amount {
        cores: (1 + random.below(8)) * 1000,
        mem: (1 + random.below(32)) << 10,
        gpus: random.below(2) * 1000,
        jobs: if random.below(2) == 0 { 1 + random.below(3) } else { Amount::WITHOUT_LIMIT.jobs },
    };
    let mut spec = ClusterSpec::whole(name, destinations, node());
    for _ in 0..random.below(3) {
        let again = spec.nodes[0];
        spec.nodes.push(Amount { cores: (1 + random.below(8)) * 1000, ..again });
    }
    spec.discipline = if random.below(2) == 0 { Discipline::Fifo } else { Discipline::Backfill };
    spec.start_delay = random.below(3) as Time * 5 * SECOND;
    if random.below(3) == 0 {
        let from = random.below(100) as Time * SECOND;
        let to = (random.below(4) > 0).then(|| from + (1 + random.below(300) as Time) * SECOND);
        spec.closed.push((from, to));
    }
    spec
}

fn scenario(seed: u64) -> Measure {
    let mut random = Random(ChaCha8Rng::seed_from_u64(seed));
    let clusters = vec![cluster(&mut random, "a", &["d0", "d1"]), cluster(&mut random, "b", &["d2"])];
    let settings = Settings { capacity: Capacity { clusters }, ..Settings::default() };
    let job = Arc::new(Job::builder("t").build().unwrap());
    let mut at = 0;
    let count = 1 + random.below(40);
    let mut all = Vec::new();
    for line in 1..=count as usize {
        at += random.below(20) as Time * SECOND;
        let needs = (random.below(3) == 0).then(|| random.below(16) as f64 + 0.5);
        let past = Past {
            runs: random.below(120) as Time * SECOND,
            needs,
            needs_more: random.below(2) == 0,
            ..Past::default()
        };
        all.push(Arrival { at, line, job: job.clone(), past });
    }
    let arrival_of: HashMap<usize, Time> = all.iter().map(|arrival| (arrival.line, arrival.at)).collect();
    let (mut started, mut ended, mut last) = (HashMap::new(), HashMap::new(), 0);
    let mut watch = |now: Time, step: Step<'_>| {
        assert!(now >= last, "time goes back, seed {seed}");
        last = now;
        match step {
            Step::Row { .. } => {}
            Step::Asked { world, .. } => assert_eq!(world.now, Some(now), "seed {seed}"),
            Step::Started { line } => {
                assert!(now >= arrival_of[&line], "a job starts before its arrival, seed {seed}");
                assert!(started.insert(line, now).is_none(), "a job starts twice, seed {seed}");
            }
            Step::Ended { line, arrived, waited, .. } => {
                assert!(ended.insert(line, now).is_none(), "a job ends twice, seed {seed}");
                assert!(now >= started.get(&line).copied().unwrap_or(arrived), "seed {seed}");
                assert!(arrived == arrival_of[&line] && waited <= now - arrived, "seed {seed}");
            }
            Step::Settled { clusters } => {
                assert!(clusters.iter().all(|cluster| cluster.adds_up()), "a node holds too much, seed {seed}");
                // One that opens now may not have done so yet.
                for cluster in clusters.iter().filter(|cluster| !cluster.is_closed(now) && !cluster.is_closed(now - 1))
                {
                    let first = cluster.queue().next();
                    assert!(first.is_none_or(|first| !cluster.has_room(&first.amount)), "room is left, seed {seed}");
                }
            }
        }
    };
    let router = Anywhere(Random(ChaCha8Rng::seed_from_u64(seed ^ 1)));
    let measure = run(&settings, router, &mut all.into_iter(), Some(&mut watch));
    assert_eq!(ended.len(), count as usize, "every job ends, seed {seed}");
    assert!(measure.is_conserved() && measure.obeys_little(), "seed {seed}: {measure:?}");
    measure
}

fn scenarios(count: u64) {
    let first = std::env::var("TPVC_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let mut ends = [0; 5];
    for seed in first..first + count {
        let all = scenario(seed).totals.all;
        let of = [all.done, all.out_of_memory, all.unmapped, all.too_large, all.lost];
        ends.iter_mut().zip(of).for_each(|(sum, jobs)| *sum += jobs);
    }
    assert!(ends.iter().all(|jobs| *jobs > count / 10), "each way to end is tried: {ends:?}");
}

#[test]
fn jobs_end_once_and_clusters_hold_what_they_have() {
    scenarios(500);
}

#[test]
#[ignore = "takes a minute"]
fn jobs_end_once_in_ten_thousand_scenarios() {
    scenarios(10_000);
}

#[test]
fn the_same_seed_gives_the_same() {
    for seed in 1..50 {
        let (one, other) = (scenario(seed), scenario(seed));
        assert_eq!(
            (one.totals, one.waiting, one.clusters),
            (other.totals, other.waiting, other.clusters),
            "seed {seed}"
        );
    }
}
