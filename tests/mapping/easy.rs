//! Random clusters with mixed nodes: jobs start when `tests/simulate/easy.py` says, which shares no code with the simulation.
//!
//! `TPVC_SEED` sets the first scenario, `TPVC_ROUNDS` their number.

use std::process::Command;
use std::sync::Arc;

use serde_json::Value;
use tpv_galaxy::world::World;
use tpv_runtime::Job;
use tpv_simulate::amount::Time;
use tpv_simulate::arrivals::{Arrival, Past};
use tpv_simulate::capacity::{self, Capacity};
use tpv_simulate::engine::{Settings, Step, run};
use tpv_simulate::route::{Routed, Router, Target};
use tpv_text::diagnostic::Diagnostics;
use tpv_text::source::SourceMap;

use crate::support::project;
use crate::support::random::setting;

/// The result of each job, by its id.
struct Given(Vec<Target>);

impl Router for Given {
    fn route(&mut self, job: &Arc<Job>, _: &Arc<World>) -> Routed {
        Routed::To(self.0[job.job_id as usize].clone())
    }

    fn ended(&mut self, _: Option<i64>, _: i64) {}
}

fn read_capacity(text: &str) -> Capacity {
    let mut sources = SourceMap::new();
    let id = sources.add("capacity.yml", text);
    let mut problems = Diagnostics::new();
    let capacity = capacity::read(&sources, id, Some(&["main".to_owned()]), &mut problems);
    capacity.unwrap_or_else(|| panic!("{text}: {problems:?}"))
}

/// The moments in microseconds at which the jobs of a scenario start, and those that the reference says.
fn starts(scenario: &Value) -> (Vec<Option<Time>>, Vec<Option<Time>>) {
    let micros = |value: &Value| value.as_i64().map(|millis| millis * 1000);
    let jobs = scenario["jobs"].as_array().unwrap();
    let (mut targets, mut arrivals) = (Vec::new(), Vec::new());
    for (index, job) in jobs.iter().enumerate() {
        let [cores, mem, gpus] = [0, 1, 2].map(|at| job["has"][at].as_f64().unwrap());
        targets.push(Target { destination: "main".into(), cores, mem: Some(mem), gpus, answer: None });
        let line = format!(r#"{{"tool": {{"id": "t"}}, "job": {{"id": {index}}}}}"#);
        let past = Past { runs: micros(&job["runs"]).unwrap(), ..Past::default() };
        let at = micros(&job["arrives"]).unwrap();
        arrivals.push(Arrival { at, line: index, job: Arc::new(Job::parse(&line).unwrap()), past });
    }
    let mut found = vec![None; jobs.len()];
    let mut watch = |now: Time, step: Step<'_>| {
        if let Step::Started { line } = step {
            found[line] = Some(now);
        }
    };
    let settings = Settings { capacity: read_capacity(scenario["capacity"].as_str().unwrap()), ..Settings::default() };
    run(&settings, Given(targets), &mut arrivals.into_iter(), Some(&mut watch));
    (found, jobs.iter().map(|job| micros(&job["starts"])).collect())
}

#[test]
fn jobs_start_when_the_definition_of_easy_backfill_says() {
    let (seed, rounds) = (setting("TPVC_SEED", 1), setting("TPVC_ROUNDS", 240));
    let mut python = Command::new("python3");
    python.arg(project().join("tests/simulate/easy.py")).args([seed.to_string(), rounds.to_string()]);
    let output = match python.output() {
        Ok(output) => output,
        Err(error) => {
            eprintln!(
                "SKIPPED: the simulation is not compared with the reference, because python3 does not start: {error}"
            );
            return;
        }
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let (mut scenarios, mut overtaking) = (0, 0);
    for line in String::from_utf8(output.stdout).unwrap().lines() {
        let scenario: Value = serde_json::from_str(line).unwrap();
        let (found, expected) = starts(&scenario);
        let mut last = Time::MIN;
        for (index, (found, expected)) in found.iter().zip(&expected).enumerate() {
            let is_equal = match (found, expected) {
                (Some(found), Some(expected)) => found.abs_diff(*expected) <= 1_000,
                _ => found == expected,
            };
            let seed = &scenario["seed"];
            assert!(
                is_equal,
                "seed {seed}, job {index}: starts at {found:?}, by the reference at {expected:?}\n{line}"
            );
            overtaking += usize::from(expected.is_some_and(|at| at < last));
            last = last.max(expected.unwrap_or(last));
        }
        scenarios += 1;
    }
    assert_eq!(scenarios, rounds);
    assert!(overtaking as u64 > 10 * rounds, "jobs start before earlier ones: {overtaking}");
}
