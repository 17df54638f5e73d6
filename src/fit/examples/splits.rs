//! The cost of proposals on jobs that they were not learnt from: a table is split in five at random, many times.
//!
//! `cargo run -p tpv-fit --example splits -- TABLE SPLITS TODAY`; the table has a header, and `input_bytes,peak_memory_gb,wall_seconds` are
//! its last columns. Today's rule gives TODAY GiB, and does so on where nothing better is confirmed.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use tpv_fit::need::{Ladder, Observation};
use tpv_fit::policy::{Assumed, Cost, LostCosts};
use tpv_fit::propose::{Settings, Verdict, propose};
use tpv_fit::response::Response;

/// The parts of a split.
const PARTS: usize = 5;
/// The attempts of a job.
const ATTEMPTS: Assumed = Assumed { attempts: 4, factor: 2.0 };

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let table = args.next().ok_or("name a table")?;
    let splits: u64 = args.next().ok_or("name the number of splits")?.parse()?;
    let today: f32 = args.next().ok_or("name today's memory in GiB")?.parse()?;
    let mut jobs = Vec::new();
    for line in std::fs::read_to_string(table)?.lines().skip(1) {
        let fields: Vec<&str> = line.rsplitn(4, ',').collect();
        let [seconds, peak, bytes, ..] = fields.as_slice() else { return Err(line.into()) };
        jobs.push((bytes.parse::<f32>()? / 1_073_741_824.0, peak.parse::<f32>()?, seconds.parse::<f32>()? / 3600.0));
    }
    let mut totals = Vec::new();
    let mut lost = 0.0;
    for split in 0..splits {
        let place = |job: usize| {
            let mut hasher = DefaultHasher::new();
            (split, job).hash(&mut hasher);
            hasher.finish()
        };
        let mut order: Vec<usize> = (0..jobs.len()).collect();
        order.sort_by_key(|job| place(*job));
        let cost = split_cost(&jobs, &order, today);
        lost += cost.lost / f64::from(u32::try_from(splits)?);
        totals.push(cost.reserved / cost.jobs * 1000.0);
    }
    totals.sort_by(f64::total_cmp);
    let mean = totals.iter().sum::<f64>() / f64::from(u32::try_from(totals.len())?);
    let at = |part: usize| totals.get((totals.len() - 1) * part / 20).copied().unwrap_or_default() / 1e6;
    println!(
        "GiB·h for 1,000 jobs, in millions: mean {:.1}, median {:.1}, 95 % {:.1}, most {:.1}; {lost:.1} of {} jobs lost",
        mean / 1e6,
        at(10),
        at(19),
        at(20),
        jobs.len()
    );
    Ok(())
}

/// The cost of all jobs, each by a rule that is learnt from the other parts.
fn split_cost(jobs: &[(f32, f32, f32)], order: &[usize], today: f32) -> Cost {
    let mut cost = Cost::default();
    for part in 0..PARTS {
        let is_held_out = |place: usize| place % PARTS == part;
        let observation = |(place, job): (usize, &usize)| {
            let (plain, peak, hours) = *jobs.get(*job).filter(|_| !is_held_out(place))?;
            let time = i64::try_from(*job).ok()?;
            let today = Ladder::once(today);
            Some(Observation { time, plain, compressed: 0.0, peak, hours, today, is_killed: false, version: 0 })
        };
        let learnt: Vec<Observation> = order.iter().enumerate().filter_map(observation).collect();
        let response = Response::assumed(ATTEMPTS);
        let verdict = propose(&learnt, &response, &Settings::default());
        for (_, job) in order.iter().enumerate().filter(|(place, _)| is_held_out(*place)) {
            let Some((size, peak, hours)) = jobs.get(*job) else { continue };
            let memory = match &verdict {
                Verdict::Change { rule, .. } => rule.line.memory(f64::from(*size), 0.0),
                Verdict::Keep { .. } => f64::from(today),
            };
            let given = response.attempts(memory);
            cost.add(&Cost::of(given, f64::from(*peak), f64::from(*hours), LostCosts::default()));
        }
    }
    cost
}
