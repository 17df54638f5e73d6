//! The results that a mapper keeps between jobs change no answer: every fixture's jobs mapped by one mapper in their
//! order, in reverse, and each by a mapper of its own; and jobs of random configs. Where resource pools admit jobs, the
//! order of jobs decides, and only jobs in their order are compared.

mod rules;

use std::path::{Path, PathBuf};

use tpv_bench::Workload;
use tpv_galaxy::world::World;
use tpv_runtime::mapper::Mapper;

use crate::support::cases::{Case, hooks};
use crate::support::random::{Random, a_fifth, at_least, rounds, setting};

/// Each job by a mapper of its own takes long where there are many.
const ALONE: usize = 60;

/// Jobs of a random config.
const JOBS: usize = 40;

#[test]
fn answers_do_not_depend_on_the_jobs_before() {
    let mut seen = 0;
    for case in a_fifth(Case::fixtures(), 4) {
        // Cases with lines that are no jobs are about those lines.
        let (jobs, world) = (case.folder.join("jobs.jsonl"), case.world_file());
        let Ok(workload) = Workload::read(case.configs(), &jobs, world.as_deref()) else { continue };
        let shared = workload.mapper();
        let lines: Vec<String> = workload.jobs.iter().map(|job| shared.map(job, &workload.world).line()).collect();
        // Little room: what is kept is dropped again and again.
        let emptied = workload.mapper_that_keeps(100 << 10);
        for (job, line) in workload.jobs.iter().zip(&lines) {
            assert_eq!(emptied.map(job, &workload.world).line(), *line, "{}: emptied", case.name);
        }
        seen += 1;
        if shared.depends_on_order() {
            continue;
        }
        let backwards = workload.mapper();
        for (job, line) in workload.jobs.iter().zip(&lines).rev() {
            assert_eq!(backwards.map(job, &workload.world).line(), *line, "{}: in reverse", case.name);
        }
        for (job, line) in workload.jobs.iter().zip(&lines).take(ALONE) {
            assert_eq!(workload.mapper().map(job, &workload.world).line(), *line, "{}: alone", case.name);
        }
    }
    assert!(seen > at_least(40), "{seen} cases");
}

#[test]
fn answers_by_random_rules_do_not_depend_on_the_jobs_before() {
    let seed = setting("TPVC_SEED", 20_261_122);
    let count = rounds("TPVC_COUNT", 60);
    println!("seed {seed}, {count} configs (TPVC_SEED, TPVC_COUNT; TPVC_KEEP keeps them as cases for the recorder)");
    let mut random = Random::new(seed);
    let folder = tempfile::tempdir().unwrap();
    let kept = std::env::var_os("TPVC_KEEP").map(PathBuf::from);
    let (mut mapped, mut refused) = (0, 0);
    for number in 0..count {
        let configs = rules::configs(&mut random);
        let paths = write(folder.path(), &configs);
        let paths = paths.iter().map(|name| folder.path().join(name).to_string_lossy().into_owned()).collect();
        let lines: Vec<String> = (0..JOBS).map(|number| rules::job(&mut random, number)).collect();
        // What can be wrong with one of these configs is that a default inherits code that is no number.
        let workload = Workload::new(paths, lines.join("\n"), World::default()).unwrap();
        if let Some(kept) = &kept {
            keep(&kept.join(number.to_string()), &configs, &workload);
        }
        let shared = workload.mapper();
        for round in 0..2 {
            for (job, line) in workload.jobs.iter().zip(&lines) {
                let answer = shared.map(job, &workload.world).line();
                let alone = workload.mapper().map(job, &workload.world).line();
                assert_eq!(answer, alone, "seed {seed}, round {round}:\n{}\n{line}", configs.join("\n"));
                *(if answer.contains("\"error\"") { &mut refused } else { &mut mapped }) += 1;
            }
        }
    }
    println!("{mapped} jobs mapped, {refused} refused");
    assert!(mapped > refused / 4, "{mapped} jobs mapped, {refused} refused: the rules are too wild to tell anything");
}

/// Writes the files of a config; gives their names.
fn write(folder: &Path, configs: &[String]) -> Vec<String> {
    let names: Vec<String> = (0..configs.len()).map(|number| format!("tpv{number}.yml")).collect();
    for (name, config) in names.iter().zip(configs) {
        std::fs::write(folder.join(name), config).unwrap();
    }
    names
}

/// Writes a case as `fixtures/` has them, with tpvc's answers where TPV's are.
fn keep(folder: &Path, configs: &[String], workload: &Workload) {
    std::fs::create_dir_all(folder).unwrap();
    let mapper = Mapper::with_hooks(workload.rules.clone(), hooks(), true);
    let answers = workload.jobs.iter().map(|job| mapper.map(job, &workload.world).line());
    let names = serde_json::to_string(&write(folder, configs)).unwrap();
    let description = format!(r#"{{"about": "Rules at random", "configs": {names}}}"#);
    for (name, text) in [
        ("case.json", description.as_str()),
        ("jobs.jsonl", &workload.lines),
        ("expected.jsonl", &answers.collect::<String>()),
    ] {
        std::fs::write(folder.join(name), text).unwrap();
    }
}
