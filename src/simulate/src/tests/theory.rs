//! Queues whose mean wait is known: what the simulation finds has it within the 99 % interval of twenty seeds.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

use std::sync::Arc;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use rand_distr::{Distribution, Exp, LogNormal};
use tpv_galaxy::job::Job;
use tpv_galaxy::world::World;

use crate::amount::{Amount, time};
use crate::arrivals::{Arrival, Past};
use crate::capacity::{Capacity, ClusterSpec, Discipline};
use crate::engine::{Settings, run};
use crate::measure::Measure;
use crate::route::{Routed, Router, Target};

const SEEDS: u64 = 20;
/// The quantile of Student's distribution with 19 degrees of freedom that leaves 0.5 % above it.
const T: f64 = 2.861;

/// All jobs go to `c`.
struct One;

impl Router for One {
    fn route(&mut self, _: &Arc<Job>, _: &Arc<World>) -> Routed {
        Routed::To(Target { destination: "c".into(), cores: 1.0, ..Target::default() })
    }

    fn ended(&mut self, _: Option<i64>, _: i64) {}
}

/// A queue before `servers`, with arrivals of this rate a second and service times in seconds.
fn queue(servers: u64, rate: f64, jobs: usize, seed: u64, service: impl Fn(&mut ChaCha8Rng) -> f64) -> Measure {
    let mut spec = ClusterSpec::whole("c", &["c"], Amount { jobs: servers, ..Amount::WITHOUT_LIMIT });
    spec.discipline = Discipline::Fifo;
    let settings = Settings { capacity: Capacity { clusters: vec![spec] }, ..Settings::default() };
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let gap = Exp::new(rate).unwrap();
    let job = Arc::new(Job::builder("t").build().unwrap());
    let mut at = 0.0;
    let mut arrivals = (1..=jobs).map(|line| {
        at += gap.sample(&mut random);
        let past = Past { runs: time(service(&mut random)), ..Past::default() };
        Arrival { at: time(at), line, job: job.clone(), past }
    });
    let measure = run(&settings, One, &mut arrivals, None);
    assert!(measure.obeys_little() && measure.is_conserved(), "seed {seed}");
    measure
}

fn check(name: &str, expected: f64, of: impl Fn(u64) -> Measure) {
    let means: Vec<f64> = (1..=SEEDS).map(|seed| of(seed).totals.all.mean_wait().unwrap()).collect();
    let count = SEEDS as f64;
    let mean = means.iter().sum::<f64>() / count;
    let variance = means.iter().map(|one| (one - mean).powi(2)).sum::<f64>() / (count - 1.0);
    let half = T * (variance / count).sqrt();
    eprintln!("{name}: {mean:.4} s ± {half:.4} s in {SEEDS} seeds (99 %), by theory {expected:.4} s");
    assert!((mean - expected).abs() <= half, "{name}: {mean} ± {half} is not {expected}");
    assert!(half < 0.15 * expected, "{name}: {half} tells too little");
}

fn queues(jobs: usize) {
    // M/M/1: ρ / (μ - λ).
    let exponential = |mean: f64| move |random: &mut ChaCha8Rng| Exp::new(1.0 / mean).unwrap().sample(random);
    check("M/M/1, ρ = 0.6", 0.6 / (1.0 - 0.6), |seed| queue(1, 0.6, jobs, seed, exponential(1.0)));
    // M/M/c: Erlang's C over cμ - λ.
    let (servers, load) = (4_u64, 3.0_f64);
    let term = |n: u64| load.powi(n as i32) / (1..=n).map(|k| k as f64).product::<f64>();
    let last = term(servers) * servers as f64 / (servers as f64 - load);
    let waits = last / ((0..servers).map(term).sum::<f64>() + last);
    check("M/M/4, ρ = 0.75", waits / (servers as f64 - load), |seed| {
        queue(servers, load, jobs, seed, exponential(1.0))
    });
    // M/G/1: λ E[S²] / 2 (1 - ρ), by Pollaczek.
    let sigma = 0.8_f64;
    let service = LogNormal::new(-sigma * sigma / 2.0, sigma).unwrap();
    let expected = 0.6 * (sigma * sigma).exp() / (2.0 * (1.0 - 0.6));
    check("M/G/1, log-normal", expected, |seed| queue(1, 0.6, jobs, seed, |random| service.sample(random)));
    check("M/D/1", 0.7 / (2.0 * (1.0 - 0.7)), |seed| queue(1, 0.7, jobs, seed, |_| 1.0));
}

#[test]
fn queues_wait_as_theory_says() {
    queues(8_000);
}

#[test]
#[ignore = "takes a minute"]
fn long_queues_wait_as_theory_says() {
    queues(100_000);
}
