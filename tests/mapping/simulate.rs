//! Time that runs: the mapper of a simulation sees the world that one made new for each job would show it.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;

use tpv_compiler::{CompileOptions, compile};
use tpv_galaxy::answer::Answer;
use tpv_galaxy::job_table::JobRow;
use tpv_galaxy::world::World;
use tpv_runtime::artifact::Rules;
use tpv_runtime::pools::memory::InMemoryAllocationStore;
use tpv_runtime::resubmit::{Attempt, Failure, Resubmission};
use tpv_runtime::{Hooks, Job, Mapper};
use tpv_simulate::amount::{Amount, SECOND, Time};
use tpv_simulate::arrivals::{Arrival, Past};
use tpv_simulate::capacity::{Capacity, ClusterSpec};
use tpv_simulate::engine::{Settings, Step, run};
use tpv_simulate::measure::{End, Measure};
use tpv_simulate::route::{Routed, Router, RuleRouter};

use crate::support::cases::{Case, hooks};
use crate::support::site;

fn rules(files: &[String]) -> Arc<Rules> {
    Arc::new(compile(files, &CompileOptions::default()).rules.unwrap())
}

/// A case of `fixtures/`: its rules, its jobs in several rounds, and its world.
fn case(name: &str, rounds: usize) -> (Arc<Rules>, Vec<Arrival>, World) {
    let case = Case::fixture(name);
    let (jobs, world) = (case.jobs(), case.world());
    let mut arrivals = Vec::new();
    for (index, job) in (0..rounds).flat_map(|_| &jobs).enumerate() {
        let number = index as i64;
        let mut job = Job::clone(job);
        job.seed.get_or_insert(number.into());
        let past = Past { runs: (number * 37 % 900) * SECOND, ..Past::default() };
        arrivals.push(Arrival { at: number * 5 * SECOND, line: index + 1, job: Arc::new(job), past });
    }
    (case.rules(), arrivals, Arc::unwrap_or_clone(world))
}

/// Lets a case run, and asks a mapper about each job in a world whose table is made new. Gives the measure, and the number of answers that differ
/// from those in the case's own world.
fn compared(name: &str, rounds: usize, capacity: Capacity) -> (Measure, usize) {
    let (rules, arrivals, world) = case(name, rounds);
    let settings = Settings { capacity, world: world.clone(), ..Settings::default() };
    let pools = Arc::new(InMemoryAllocationStore::default());
    let mapper = Mapper::with_hooks(rules.clone(), Hooks { pool_store: Some(pools), ..hooks() }, false);
    let still = Mapper::with_hooks(rules.clone(), hooks(), false);
    let has_pools = mapper.depends_on_order();
    let world = Arc::new(world);
    let (mut asked, mut moved) = (0, 0);
    // The table as the steps tell of it, by the ids of its jobs.
    let mut rows: BTreeMap<i64, JobRow> = world.jobs.iter().map(|(_, row)| (row.id, row.clone())).collect();
    let mut touched = BTreeMap::new();
    let mut watch = |_: Time, step: Step<'_>| {
        if let Step::Row { place, id } = step {
            touched.insert(id, place);
        }
        let Step::Asked { job, world: moment, routed, .. } = step else { return };
        for (id, place) in std::mem::take(&mut touched) {
            match moment.jobs.get(place) {
                Some(row) => rows.insert(id, row.clone()),
                None => rows.remove(&id),
            };
        }
        assert!(
            rows.values().eq(moment
                .jobs
                .iter()
                .map(|(_, row)| (row.id, row))
                .collect::<BTreeMap<_, _>>()
                .into_values())
        );
        let mut fresh = moment.clone();
        fresh.jobs = moment.jobs.iter().map(|(_, row)| row.clone()).collect();
        // With pools an answer depends on those before, which the other mapper has not given.
        if !has_pools {
            assert_eq!(&Routed::of(mapper.map(job, &Arc::new(fresh))), routed, "{name}: {job:?}");
        }
        moved += usize::from(&Routed::of(still.map(job, &world)) != routed);
        asked += 1;
    };
    let count = arrivals.len() as u64;
    let measure = run(&settings, RuleRouter::new(rules, hooks()), &mut arrivals.into_iter(), Some(&mut watch));
    assert!(asked >= count && measure.is_conserved() && measure.obeys_little(), "{name}: {measure:?}");
    (measure, moved)
}

fn small(destinations: &[&str]) -> Capacity {
    let has = Amount { cores: 64_000, jobs: 20, ..Amount::WITHOUT_LIMIT };
    Capacity { clusters: vec![ClusterSpec::whole("all", destinations, has)] }
}

#[test]
fn a_table_that_changes_in_place_answers_as_one_that_is_made_new() {
    let (measure, moved) = compared("queue-aware-rank", 10, small(&["*"]));
    assert!(measure.totals.all.waited > 0 && moved > 0, "the ranks see the queues: {moved}");
    compared("production", 1, small(&["*"]));
    let (_, moved) = compared("helpers-all", 3, Capacity::default());
    assert!(moved > 0, "jobs are counted");
}

#[test]
fn with_infinite_capacity_rules_that_look_at_no_job_answer_as_map_does() {
    for name in ["destination-rules", "handler-tags", "dynamic-strings", "fail-fstring", "patterns"] {
        let (measure, moved) = compared(name, 3, Capacity::default());
        assert_eq!((moved, measure.totals.all.waited), (0, 0), "{name}");
    }
}

const LIMITS: &str = "
global:
  default_inherits: default
  resource_pool_store: {class: tpv.core.resource_pool.InMemoryAllocationStore}
pools:
  some:
    max_concurrent_cores: 5
    scheduling: {require: [pooled]}
tools:
  default:
    cores: 1
    mem: 1
    rules:
      - id: limits
        if: |
          count = helpers.concurrent_job_count_for_tool
          count(app, tool) >= 5 or user and count(app, tool, user) >= 2
        execute: |
          from galaxy.jobs.mapper import JobNotReadyException
          raise JobNotReadyException()
  pooled.*:
    cores: 2 if job.destination_params else 4
    scheduling: {require: [pooled]}
    params: {again: 1}
    resubmit:
      smaller: {condition: memory_limit_reached and attempt <= 2, destination: tpv}
  morning.*:
    rules:
      - if: |
          from datetime import datetime
          datetime.now().hour < 6
        execute: |
          from galaxy.jobs.mapper import JobNotReadyException
          raise JobNotReadyException()
  quiet.*:
    rules:
      - if: |
          from galaxy.model import Job
          app.model.context.query(Job).filter(Job.state == 'running').count() > 8
        execute: |
          from galaxy.jobs.mapper import JobNotReadyException
          raise JobNotReadyException()
  by_state.*:
    rules:
      - if: |
          from sqlalchemy import text
          load = {state: jobs for state, jobs in app.model.context.execute(text('select by_state'))}
          load.get('queued', 0) > 1
        execute: |
          from galaxy.jobs.mapper import JobNotReadyException
          raise JobNotReadyException()
  of_all.*:
    cores: 2
    rules:
      - if: |
          from sqlalchemy import text
          sum(cores for (cores,) in app.model.context.execute(text('select of_all'))) > 12
        execute: |
          from galaxy.jobs.mapper import JobNotReadyException
          raise JobNotReadyException()
destinations:
  slurm:
    runner: slurm
    scheduling: {accept: [pooled]}
";

const LIMITS_SQL: &str = r#"{"queries": [
    {"sql": "select by_state", "rows": {"group_by": ["state"], "totals": ["count"]}},
    {"sql": "select of_all", "rows": {"group_by": [], "totals": ["cores"]}}]}"#;

/// Rules whose jobs are asked for again at each turn.
struct EachTurn(RuleRouter);

impl Router for EachTurn {
    fn route(&mut self, job: &Arc<Job>, world: &Arc<World>) -> Routed {
        self.0.route(job, world)
    }

    fn ended(&mut self, user: Option<i64>, job: i64) {
        self.0.ended(user, job);
    }

    fn resubmission(&mut self, attempt: &Attempt, failure: &Failure) -> Option<Resubmission> {
        self.0.resubmission(attempt, failure)
    }

    fn again(&mut self, job: &Arc<Job>, world: &Arc<World>) -> Option<Answer> {
        self.0.again(job, world)
    }
}

#[test]
fn jobs_that_are_asked_for_only_after_changes_go_as_if_asked_at_each_turn() {
    let folder = site(&[("tpv.yml", LIMITS)]);
    let rules = rules(&[folder.path().join("tpv.yml").display().to_string()]);
    let (mut questions, mut questions_each_turn) = (0, 0);
    let mut not_ready: HashMap<String, usize> = HashMap::new();
    for seed in 1..=5_i64 {
        let mut state = seed.unsigned_abs();
        let mut number = |below: i64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33).cast_signed() % below
        };
        let mut at = 0;
        let mut arrivals = Vec::new();
        for line in 1..=60 {
            at += number(120) * SECOND;
            let tool =
                ["s/a/1", "s/a/2", "s/b/1", "plain", "pooled/a", "morning/a/1", "quiet/a", "by_state/a", "of_all/a"]
                    [number(9) as usize];
            let user = ["null", r#"{"id": 1}"#, r#"{"id": 2}"#, r#"{"id": 3}"#][number(4) as usize];
            let job =
                Job::parse(&format!(r#"{{"tool": {{"id": "{tool}"}}, "user": {user}, "seed": {line}}}"#)).unwrap();
            let needs = (number(2) == 0).then_some(2.0);
            let past = Past { runs: number(2_000) * SECOND, needs, ..Past::default() };
            arrivals.push(Arrival { at, line, job: Arc::new(job), past });
        }
        let world = World::parse(LIMITS_SQL).unwrap();
        let mut capacity = small(&["slurm"]);
        // With a delay jobs begin to run at moments when nothing else happens.
        capacity.clusters[0].start_delay = seed % 2 * 200 * SECOND;
        let settings = Settings { capacity, world, ..Settings::default() };
        let router = || RuleRouter::new(rules.clone(), hooks());
        let mut watch = |_: Time, step: Step<'_>| {
            if let Step::Asked { job, routed: Routed::NotReady, .. } = step {
                *not_ready.entry(job.tool_id().to_owned()).or_default() += 1;
            }
        };
        let found = run(&settings, router(), &mut arrivals.clone().into_iter(), Some(&mut watch));
        let expected = run(&settings, EachTurn(router()), &mut arrivals.into_iter(), None);
        assert_eq!(found.totals.all, expected.totals.all, "seed {seed}");
        assert!(found.waiting == expected.waiting, "seed {seed}");
        assert!(
            found.totals.all.not_ready > 10 && found.totals.all.lost == 0 && found.totals.all.resubmitted > 0,
            "seed {seed}: {:?}",
            found.totals.all
        );
        questions += found.asked;
        questions_each_turn += expected.asked;
    }
    assert!(questions * 10 < questions_each_turn * 9, "{questions} of {questions_each_turn}");
    assert!(not_ready["by_state/a"] > 5 && not_ready["of_all/a"] > 5, "{not_ready:?}");
}

const RETRIES: &str = "
tools:
  bwa:
    cores: 1
    mem: 4 * (int(job.destination_params.get('F', 1)) if job.destination_params else 1)
    params:
      F: \"{2 * int(job.destination_params.get('F', 2)) if job.destination_params else 2}\"
    resubmit:
      more: {condition: memory_limit_reached and attempt <= 2, destination: tpv, delay: attempt * 60}
destinations:
  slurm: {runner: slurm}
";

/// Jobs of this need in GiB and 1,000 seconds each.
fn retried(needs: f64) -> (Measure, Vec<Time>) {
    let folder = site(&[("tpv.yml", RETRIES)]);
    let rules = rules(&[folder.path().join(Path::new("tpv.yml")).display().to_string()]);
    let job = Arc::new(Job::builder("bwa").build().unwrap());
    let past = Past { runs: 1000 * SECOND, needs: Some(needs), ..Past::default() };
    let arrivals = vec![Arrival { at: 0, line: 1, job, past }];
    let mut starts = Vec::new();
    let mut watch = |now: Time, step: Step<'_>| {
        if let Step::Started { .. } = step {
            starts.push(now / SECOND);
        }
    };
    let settings = Settings { capacity: small(&["slurm"]), ..Settings::default() };
    let measure = run(&settings, RuleRouter::new(rules, hooks()), &mut arrivals.into_iter(), Some(&mut watch));
    (measure, starts)
}

#[test]
fn a_job_short_of_memory_dies_and_comes_back() {
    let (measure, starts) = retried(3.0);
    assert_eq!((measure.totals.all.done, measure.totals.all.deaths, starts), (1, 0, vec![0]));
    // 4 of 10 GiB last 400 of 1,000 seconds; then 60 s of delay, 8 of 10 GiB for 800 s, and 120 s of delay.
    let (measure, starts) = retried(10.0);
    assert_eq!((measure.totals.all.done, measure.totals.all.deaths, measure.totals.all.resubmitted), (1, 2, 2));
    assert_eq!((starts, measure.to / SECOND), (vec![0, 460, 1380], 2380));
    assert_eq!(measure.totals.all.waited, 180_000_000);
    let (measure, starts) = retried(100.0);
    assert_eq!((measure.totals.all.count_of(End::OutOfMemory), measure.totals.all.deaths, starts.len()), (1, 3, 3));
}

/// Rules that send jobs where this expression of `load` is the least: by destination and state, jobs, cores, GiB and MiB.
fn by_load(query: &str, least: &str) -> String {
    format!(
        "
global: {{default_inherits: default}}
tools:
  default:
    cores: 1
    mem: 4
    rank: |
      from sqlalchemy import func, text
      Job = app.model.Job
      load = {{}}
      for destination, state, count, cores, mem, mem_mib in {query}:
          load.setdefault(destination, []).append((count, cores, mem, mem_mib))
      sorted(candidate_destinations, key=lambda d: ({least}, d.id))
  big.*: {{cores: 8, mem: 7.6}}
  half.*: {{cores: 0.5}}
destinations:
  north: {{runner: slurm}}
  south: {{runner: slurm}}
  west: {{runner: slurm}}
"
    )
}

/// The destinations of jobs of these tools, one a minute, that run for so many seconds each, in turn.
fn sent(rules_text: &str, world: &str, tools: &[&str], runs: &[i64]) -> String {
    let folder = site(&[("tpv.yml", rules_text)]);
    let rules = rules(&[folder.path().join("tpv.yml").display().to_string()]);
    let arrivals = tools.iter().zip(runs.iter().cycle()).enumerate().map(|(index, (tool, runs))| {
        let job = Job::builder(tool).build().unwrap();
        let past = Past { runs: runs * SECOND, ..Past::default() };
        Arrival { at: index as i64 * 60 * SECOND, line: index + 1, job: Arc::new(job), past }
    });
    let mut destinations = String::new();
    let mut watch = |_: Time, step: Step<'_>| match step {
        Step::Asked { routed: Routed::To(target), .. } => destinations.extend(target.destination.chars().next()),
        Step::Asked { routed, .. } => panic!("{routed:?}"),
        _ => {}
    };
    let settings = Settings { world: World::parse(world).unwrap(), capacity: small(&["*"]), ..Settings::default() };
    run(&settings, RuleRouter::new(rules, hooks()), &mut { arrivals }, Some(&mut watch));
    destinations
}

const BY_LOAD: &str = r#"{
    "jobs": [{"state": "running", "destination_id": "west", "cores": 2.5, "mem": 1}, {"state": "ok", "destination_id": "north", "cores": 99}],
    "queries": [{"sql": "select load", "rows": {"group_by": ["destination_id", "state"], "totals": ["count", "cores", "mem", "mem_mib"]}}]}"#;

#[test]
fn a_rank_by_sql_text_sees_the_jobs_of_each_moment() {
    let rules = |least: &str| by_load("app.model.context.execute(text('select load'))", least);
    let sum = |index: usize| format!("sum(row[{index}] for row in load.get(d.id, []))");
    let tools = ["big", "half", "half", "small", "small", "small", "big"];
    let long = [100_000];
    // Cores: 0 0 2.5, 8 0 2.5, 8 .5 2.5, 8 1 2.5, 8 2 2.5, 8 3 2.5, 8 3 3.5
    assert_eq!(sent(&rules(&sum(1)), BY_LOAD, &tools, &long), "nssssws");
    // GiB: 0 0 1, 7.6 0 1, 7.6 4 1, 7.6 4 5, 7.6 8 5, 7.6 8 9, 11.6 8 9
    assert_eq!(sent(&rules(&sum(2)), BY_LOAD, &tools, &long), "nswswns");
    assert_eq!(sent(&rules(&sum(3)), BY_LOAD, &tools, &long), "nswswns");
    // Jobs that have ended are not there any more; without the totals the answer is always the same.
    assert_eq!(sent(&rules(&sum(1)), BY_LOAD, &tools, &[30]), "nnnnnnn");
    let still = r#"{"queries": [{"sql": "select load", "rows": []}]}"#;
    assert_eq!(sent(&rules(&sum(1)), still, &tools, &long), "nnnnnnn");
}

#[test]
fn totals_count_the_jobs_that_queries_count() {
    let by_query = "[row + (0, 0, 0) for row in map(tuple, app.model.context.query(Job.destination_id, Job.state, func.count(Job.id))\
        .filter(Job.state.in_(['queued', 'running'])).group_by(Job.destination_id, Job.state).all())]";
    let tools: Vec<&str> = ["big", "half", "small"].into_iter().cycle().take(200).collect();
    let runs = [500, 2000, 90, 3000, 1200, 10, 700];
    let count = "sum(row[0] for row in load.get(d.id, [])), len(load.get(d.id, []))";
    let found = sent(&by_load("app.model.context.execute(text('select load'))", count), BY_LOAD, &tools, &runs);
    assert_eq!(found, sent(&by_load(by_query, count), BY_LOAD, &tools, &runs));
    assert!(["n", "s", "w"].iter().all(|destination| found.matches(destination).count() > 40), "{found}");
}

#[test]
fn the_verb_reports_and_refuses() {
    let jobs: String = (0..40)
        .map(|n| {
            format!(
                "{{\"tool\": {{\"id\": \"t\"}}, \"job\": {{\"create_time\": \"2026-03-02T00:{n:02}:00\"}}, \"outcome\": {{\"runtime_seconds\": 300}}}}\n"
            )
        })
        .collect();
    let folder = site(&[
        ("tpv.yml", "tools: {'.*': {cores: 2}}\ndestinations: {slurm: {runner: slurm}}\n"),
        ("capacity.yml", "clusters: {main: {destinations: [slurm], cores: 4}}\n"),
        ("bad.yml", "clusters: {main: {destinations: [slrm], cores: 0}}\n"),
        ("untimed.jsonl", "{\"tool\": {\"id\": \"t\"}, \"outcome\": {\"runtime_seconds\": 3}}\n"),
        ("jobs.jsonl", &jobs),
    ]);
    let run = |args: &[&str]| crate::support::run(folder.path(), &[&["simulate", "tpv.yml", "--jobs"], args].concat());
    let (status, text) = run(&["jobs.jsonl", "--capacity", "capacity.yml"]);
    // Two at a time, one a minute, five minutes each: the n-th of a pair waits 3 n / 2 minutes more than the one before.
    assert_eq!(status, 0, "{text}");
    assert!(text.starts_with("40 jobs in 0.1 days\n"), "{text}");
    assert!(text.contains("main") && text.contains("100 %"), "{text}");
    for threads in ["1", "2"] {
        let args =
            ["jobs.jsonl", "--capacity", "capacity.yml", "--seeds", "3", "--format", "json", "--threads", threads];
        let (status, _) = run(&[&args[..], &["-o", threads]].concat());
        assert_eq!(status, 0);
    }
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!(read("1"), read("2"), "the threads change nothing");
    let (status, text) = run(&["jobs.jsonl", "--capacity", "bad.yml"]);
    assert_eq!(status, 1);
    assert!(text.contains("no destination `slrm`") && text.contains("did you mean `slurm`?"), "{text}");
    assert!(text.contains("bad.yml:1:48") && text.contains("no job can ever start"), "{text}");
    let (status, text) = run(&["untimed.jsonl"]);
    assert_eq!(status, 1);
    assert!(text.contains("no job of `untimed.jsonl` has the time of its creation (`job.create_time`)"), "{text}");
    let (status, text) = crate::support::run(folder.path(), &["simulate", "--guess-capacity", "--jobs", "jobs.jsonl"]);
    assert_eq!(status, 1);
    assert!(text.contains("no job of `jobs.jsonl` has the times that it ran"), "{text}");
}
