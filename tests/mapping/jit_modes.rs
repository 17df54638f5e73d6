//! The answers are the same whichever blocks become machine code, and whenever.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::support::{project, stderr, tpvc_in};
use serde_json::Value as Json;
use tpv_jit::Mode;
use tpv_runtime::artifact::Rules;
use tpv_runtime::galaxy::job::Job;
use tpv_runtime::galaxy::world::World;
use tpv_runtime::mapper::{Hooks, Mapper};

const MODES: [(Mode, &str); 3] = [(Mode::Off, "off"), (Mode::Lazy, "lazy"), (Mode::Eager, "eager")];

/// A case's folder, its configs and its world file.
fn cases() -> Vec<(PathBuf, Vec<String>, Option<String>)> {
    let folders = std::fs::read_dir(project().join("fixtures")).unwrap().map(|entry| entry.unwrap().path());
    let mut cases: Vec<_> = folders
        .filter(|folder| folder.join("case.json").is_file())
        .map(|folder| {
            let case: Json = serde_json::from_str(&std::fs::read_to_string(folder.join("case.json")).unwrap()).unwrap();
            let configs = case["configs"].as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned());
            (folder, configs.collect(), case["world"].as_str().map(str::to_owned))
        })
        .collect();
    cases.sort();
    cases
}

/// The rules of a case.
fn rules(folder: &Path, configs: &[String]) -> Arc<Rules> {
    let paths: Vec<String> = configs.iter().map(|name| folder.join(name).to_string_lossy().into_owned()).collect();
    Arc::new(
        tpv_compiler::compile(&paths, &tpv_compiler::CompileOptions::default()).rules.expect("the config compiles"),
    )
}

/// The answers to the jobs of a case in one mode.
fn answers(rules: &Arc<Rules>, folder: &Path, world: Option<&str>, mode: Mode) -> (String, usize) {
    let world = world.map_or_else(World::default, |world| {
        World::parse(&std::fs::read_to_string(folder.join(world)).unwrap()).unwrap()
    });
    let world = Arc::new(world);
    let hooks =
        Hooks { compile: Some(Arc::new(tpv_compiler::python::run_time::compile)), jit: mode, ..Hooks::default() };
    let mapper = Mapper::with_hooks(rules.clone(), hooks, true);
    let mut text = String::new();
    for line in std::fs::read_to_string(folder.join("jobs.jsonl")).unwrap().lines() {
        if let Ok(job) = Job::parse(line) {
            mapper.map(&Arc::new(job), &world).write_line(&mut text);
        }
    }
    (text, mapper.compiled_kernels())
}

#[test]
fn all_fixtures_have_the_same_answers_in_all_modes() {
    let mut machine_code = 0;
    for (folder, configs, world) in cases() {
        let rules = rules(&folder, &configs);
        let [off, lazy, (eager, compiled)] = MODES.map(|(mode, _)| answers(&rules, &folder, world.as_deref(), mode));
        let (off, lazy) = (off.0, lazy.0);
        assert!(off == lazy && off == eager, "{} has other answers", folder.display());
        machine_code += compiled;
    }
    if cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) {
        assert!(machine_code > 60, "only {machine_code} kernels became machine code");
    }
}

#[test]
fn the_command_line_gives_the_same_bytes_in_all_modes() {
    let folder = project().join("fixtures/production");
    let (_, configs, world) = cases().into_iter().find(|(path, ..)| *path == folder).expect("the production fixture");
    let output = tempfile::tempdir().unwrap();
    let mut all = Vec::new();
    for (_, mode) in MODES {
        let answers = output.path().join(mode);
        let answers = answers.to_string_lossy();
        let mut args = vec!["map", "jobs.jsonl", "--jit", mode, "-o", &answers];
        args.extend(configs.iter().flat_map(|config| ["--config", config]));
        args.extend(world.iter().flat_map(|world| ["--world", world]));
        let run = tpvc_in(&folder, &args);
        assert!(run.status.success(), "{}", stderr(&run));
        all.push(std::fs::read(output.path().join(mode)).unwrap());
    }
    assert!(!all[0].is_empty());
    assert!(all[0] == all[1] && all[0] == all[2]);
}

#[test]
fn another_mode_is_refused() {
    let run = tpvc_in(&project(), &["map", "--jit", "always", "rules.bin", "jobs.jsonl"]);
    assert_eq!(run.status.code(), Some(2));
    assert!(stderr(&run).contains("[possible values: off, lazy, eager]"), "{}", stderr(&run));
}

/// Kernels see in-place changes of a rule's code: in the entity's context once code sees the new entity, in its
/// `params` at once.
#[test]
fn kernels_see_what_code_changed() {
    let config = r#"
tools:
  context:
    cores: 2
    mem: len(entity.context['seen'])
    context:
      seen: [1]
    rules:
      - id: changes
        if: seen.append(2) or False
  params:
    cores: 2
    mem: 1
    params:
      list: [1]
    rules:
      - id: changes
        if: entity.params.update(x='y') or False
      - id: after
        if: entity.params.get('x') == 'y'
        mem: 2
destinations:
  local:
    runner: local
"#;
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("config.yml"), config).unwrap();
    let jobs = "{\"tool\": {\"id\": \"context\"}}\n{\"tool\": {\"id\": \"params\"}}\n";
    std::fs::write(folder.path().join("jobs.jsonl"), jobs).unwrap();
    let rules = rules(folder.path(), &["config.yml".to_owned()]);
    for (mode, name) in MODES {
        let (text, _) = answers(&rules, folder.path(), None, mode);
        for line in text.lines() {
            let answer: Json = serde_json::from_str(line).unwrap();
            assert_eq!(answer["mem"], 2, "{name}: {line}");
        }
    }
}
