//! Resubmission: what Galaxy does with jobs that fail.

use std::sync::Arc;

use serde_json::{Value, json};
use tpv_compiler::python::resubmit;
use tpv_compiler::{CompileOptions, compile};
use tpv_galaxy::answer::Field;
use tpv_runtime::resubmit::{Attempt, ChainEnd, Ending, Failure, Resubmitter, RunnerState, follow};
use tpv_runtime::{Hooks, Job, Json, Mapper, World};

use crate::support::{project, site};

/// A failure of an attempt that was queued for ten seconds and ran for an hour.
fn failure(state: RunnerState, attempt: u32) -> Failure {
    Failure { state, attempt, seconds_running: Some(3600.0), seconds_since_queued: Some(3610.0) }
}

fn mapper(config: &str) -> Mapper {
    let folder = site(&[("tpv.yml", config)]);
    let names = [folder.path().join("tpv.yml").display().to_string()];
    let compiled = compile(&names, &CompileOptions::default());
    Mapper::with_hooks(Arc::new(compiled.rules.unwrap()), Hooks::default(), false)
}

/// The memory and the delay of each attempt of a job whose attempts all end so.
fn chain(config: &str, state: RunnerState) -> (Vec<(String, f64)>, ChainEnd) {
    let job = Arc::new(Job::parse(r#"{"tool": {"id": "bwa"}}"#).unwrap());
    let mut resubmitter = Resubmitter::new(Arc::new(resubmit::compile));
    let failure = |attempt: &Attempt| Some(failure(state, attempt.number));
    let (mapper, world) = (mapper(config), Arc::new(World::default()));
    let first = Attempt::first(job.clone(), mapper.map(&job, &world));
    let chain = follow(&mut resubmitter, first, 10, |job| mapper.map(job, &world), failure);
    let shown = |attempt: &Attempt| {
        let mem = attempt.answer.text(Field::Mem).map(str::to_owned);
        (mem.or(attempt.answer.error_text()).unwrap(), attempt.delay)
    };
    (chain.attempts.iter().map(shown).collect(), chain.end)
}

const SCALING: &str = "
tools:
  bwa:
    cores: 1
    mem: 4 * int(job.destination_params.get('SCALING_FACTOR', 1)) if job.destination_params else 4
    params:
      SCALING_FACTOR: \"{2 * int(job.destination_params.get('SCALING_FACTOR', 2)) if job.destination_params else 2}\"
    resubmit:
      more_memory:
        condition: memory_limit_reached and attempt <= 3
        destination: tpv_dispatcher
        delay: attempt * 60
      in_place:
        condition: unknown_error
destinations:
  slurm:
    runner: slurm
    max_accepted_mem: MOST
";

#[test]
fn each_attempt_is_mapped_with_the_params_of_the_one_before() {
    let (attempts, end) = chain(&SCALING.replace("MOST", "100"), RunnerState::MemoryLimitReached);
    let expected = [("4", 0.0), ("8", 60.0), ("16", 120.0), ("32", 180.0)];
    assert_eq!(attempts, expected.map(|(mem, delay)| (mem.to_owned(), delay)));
    assert_eq!(end, ChainEnd::Failed(Ending::NoConditionHolds));
}

#[test]
fn a_later_attempt_may_find_no_destination() {
    let (attempts, end) = chain(&SCALING.replace("MOST", "20"), RunnerState::MemoryLimitReached);
    assert_eq!(attempts.len(), 4);
    assert!(attempts[3].0.contains("No destinations are available"), "{attempts:?}");
    assert_eq!(end, ChainEnd::NotMapped);
}

#[test]
fn without_a_target_the_job_stays_where_it_was_and_has_no_definitions_left() {
    let (attempts, end) = chain(&SCALING.replace("MOST", "100"), RunnerState::UnknownError);
    assert_eq!(attempts, [("4".to_owned(), 0.0), ("4".to_owned(), 0.0)]);
    assert_eq!(end, ChainEnd::Failed(Ending::NoDefinition));
}

#[test]
fn a_chain_without_end_is_cut() {
    let config = SCALING.replace("MOST", "1e300").replace("memory_limit_reached and attempt <= 3", "any_failure");
    let (attempts, end) = chain(&config, RunnerState::ToolDetectedFailure);
    assert_eq!(attempts.len(), 10);
    assert!(matches!(end, ChainEnd::TooMany(_)), "{end:?}");
}

/// The attempts of jobs on a real Galaxy, which `python/tests/galaxy_server/resubmission/record` ran.
#[test]
fn attempts_are_those_of_galaxys_handler() {
    let folder = project().join("tests/galaxy/resubmission");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let mapper = mapper(&read("tpv.yml"));
    let cases: Vec<Value> = serde_json::from_str(&read("cases.json")).unwrap();
    let expected = read("expected.jsonl");
    let resubmitter = Resubmitter::new(Arc::new(resubmit::compile));
    let mut resubmitter = resubmitter.with_environments(["tpv_dispatcher".to_owned()]);
    let mut attempts = 0;
    for (case, expected) in cases.iter().zip(expected.lines()) {
        let tool = case["tool"].as_str().unwrap();
        let job = Arc::new(Job::builder(tool).build().unwrap());
        let map = |job: &Arc<Job>| mapper.map(job, &Arc::new(World::default()));
        let chain = follow(&mut resubmitter, Attempt::first(job.clone(), map(&job)), 10, map, |attempt| {
            let end = case["ends"].get(attempt.number as usize - 1)?.as_str().unwrap();
            Some(Failure { seconds_running: None, ..failure(RunnerState::from_name(end).unwrap(), attempt.number) })
        });
        let ran = chain.attempts.iter().filter(|attempt| attempt.answer.error().is_none());
        let shown: Vec<Value> = ran
            .map(|attempt| {
                let params = attempt.answer.get(Field::Params).unwrap();
                let param = |name: &str| match params.get(name) {
                    Some(Json::Str(text)) => text.to_string(),
                    other => panic!("{other:?}"),
                };
                json!({
                    "attempt": attempt.number,
                    "destination": attempt.answer.destination_id().unwrap(),
                    "mem": param("mem"),
                    "state": param("state"),
                    "waited": param("waited"),
                })
            })
            .collect();
        let end = match chain.end {
            ChainEnd::Done => "ok",
            ChainEnd::Failed(_) => "error",
            ChainEnd::NotMapped => "resubmitted",
            ChainEnd::TooMany(_) => "endless",
        };
        attempts += shown.len();
        let found = json!({"tool": tool, "attempts": shown, "end": end});
        assert_eq!(found, serde_json::from_str::<Value>(expected).unwrap(), "{tool}");
    }
    assert!(cases.len() >= 10 && attempts > cases.len(), "{} {attempts}", cases.len());
}
