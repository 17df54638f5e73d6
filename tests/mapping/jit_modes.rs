//! The answers are the same whichever blocks become machine code, and whenever.

use std::sync::Arc;

use crate::support::cases::{Case, hooks};
use crate::support::random::{a_fifth, at_least};
use crate::support::{project, site, stderr, tpvc_in};
use serde_json::Value as Json;
use tpv_compiler::{CompileOptions, compile};
use tpv_galaxy::job::Job;
use tpv_galaxy::world::World;
use tpv_jit::Mode;
use tpv_runtime::artifact::Rules;
use tpv_runtime::mapper::{Hooks, Mapper};

const MODES: [(Mode, &str); 3] = [(Mode::Off, "off"), (Mode::Lazy, "lazy"), (Mode::Eager, "eager")];

/// The answers to the jobs of a case in one mode, and the number of kernels that became machine code.
fn answers(rules: &Arc<Rules>, world: &Arc<World>, jobs: &[Arc<Job>], mode: Mode) -> (String, usize) {
    let mapper = Mapper::with_hooks(rules.clone(), Hooks { jit: mode, ..hooks() }, true);
    let mut text = String::new();
    for job in jobs {
        mapper.map(job, world).write_line(&mut text);
    }
    (text, mapper.compiled_kernels())
}

#[test]
fn fixtures_have_the_same_answers_in_all_modes() {
    let mut machine_code = 0;
    for case in a_fifth(Case::fixtures(), 2) {
        let (rules, world, jobs) = (case.rules(), case.world(), case.jobs());
        let [off, lazy, (eager, compiled)] = MODES.map(|(mode, _)| answers(&rules, &world, &jobs, mode));
        let (off, lazy) = (off.0, lazy.0);
        assert!(off == lazy && off == eager, "{} has other answers", case.name);
        machine_code += compiled;
    }
    if cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) {
        assert!(machine_code > at_least(60), "only {machine_code} kernels became machine code");
    }
}

#[test]
fn the_command_line_gives_the_same_bytes_in_all_modes() {
    let Case { folder, description, .. } = Case::fixture("production");
    let output = tempfile::tempdir().unwrap();
    let mut all = Vec::new();
    for (_, mode) in MODES {
        let answers = output.path().join(mode);
        let answers = answers.to_string_lossy();
        let mut args = vec!["map", "jobs.jsonl", "--jit", mode, "-o", &answers];
        args.extend(description.configs.iter().flat_map(|config| ["--config", config]));
        args.extend(description.world.iter().flat_map(|world| ["--world", world]));
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
    let folder = site(&[("config.yml", config)]);
    let paths = [folder.path().join("config.yml").display().to_string()];
    let rules = Arc::new(compile(&paths, &CompileOptions::default()).rules.unwrap());
    let jobs = ["context", "params"].map(|tool| Arc::new(Job::builder(tool).build().unwrap()));
    for (mode, name) in MODES {
        let (text, _) = answers(&rules, &Arc::default(), &jobs, mode);
        for line in text.lines() {
            let answer: Json = serde_json::from_str(line).unwrap();
            assert_eq!(answer["mem"], 2, "{name}: {line}");
        }
    }
}
