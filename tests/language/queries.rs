//! Queries of the job table give what SQLAlchemy gives on SQLite: see `runtime/galaxy/tests/record/record_queries.py`.

use std::sync::Arc;

use serde_json::{Value as Json, json};
use tpv_galaxy::job::Job;
use tpv_galaxy::json::Json as Text;
use tpv_galaxy::world::World;
use tpv_runtime::mapper::{Hooks, Mapper};

const IMPORTS: &str = "from sqlalchemy import and_, asc, desc, distinct, func, not_, or_, select, text
          from galaxy.model import User";

/// The result of each query in a rule: `repr` of its value, or the class and text of its exception.
fn ask(queries: &[&str], world: &Arc<World>) -> Vec<(String, Option<String>)> {
    let mut config = String::from("destinations:\n  local:\n    runner: local\ntools:\n");
    for (number, query) in queries.iter().enumerate() {
        config.push_str(&format!(
            "  q{number}$:\n    rules:\n      - if: |\n          {IMPORTS}\n          \
             from galaxy.jobs.mapper import JobMappingException\n          Job = app.model.Job\n          \
             session, t = app.model.context, Job.table.c\n          raise JobMappingException(repr({query}))\n          \
             True\n"
        ));
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tpv.yml");
    std::fs::write(&path, config).unwrap();
    let compiled = tpv_compiler::compile(&[path.display().to_string()], &tpv_compiler::CompileOptions::default());
    let mapper = Mapper::with_hooks(Arc::new(compiled.rules.expect("compiles")), Hooks::default(), false);
    let answer = |number: usize| {
        let job = Job::parse(&json!({"tool": {"id": format!("q{number}")}}).to_string()).unwrap();
        let mapped = mapper.map(&Arc::new(job), world);
        let Some((kind, Text::Str(message))) = mapped.error() else {
            panic!("{} was not asked: {mapped:?}", queries[number]);
        };
        match kind {
            "JobMappingException" => (message.to_string(), None),
            kind => (message.to_string(), Some(kind.to_owned())),
        }
    };
    (0..queries.len()).map(answer).collect()
}

fn world_of(recorded: &Json) -> Arc<World> {
    let world = json!({ "jobs": recorded["jobs"], "queries": recorded["queries"] });
    Arc::new(World::parse(&world.to_string()).unwrap())
}

#[test]
fn queries_answer_as_sqlalchemy_on_sqlite() {
    let recorded: Json =
        serde_json::from_str(include_str!("../../runtime/galaxy/tests/recorded/queries.json")).unwrap();
    let answers = recorded["answers"].as_array().unwrap();
    assert!(answers.len() > 220);
    let queries: Vec<&str> = answers.iter().map(|answer| answer["query"].as_str().unwrap()).collect();
    let mut wrong = Vec::new();
    for (answer, (text, class)) in answers.iter().zip(ask(&queries, &world_of(&recorded))) {
        let found = class.as_ref().map_or(text.clone(), |class| format!("{class}: {text}"));
        let expected = match (answer["value"].as_str(), answer["error"].as_str(), answer["message"].as_str()) {
            (Some(value), ..) => value.to_owned(),
            (_, Some(error), Some(message)) => format!("{error}: {message}"),
            // The text has an address.
            (_, Some(error), None) => format!("{error}: {text}"),
            _ => panic!("{answer}"),
        };
        if found != expected {
            wrong.push(format!("{}\n  SQLAlchemy: {expected}\n  tpvc:       {found}", answer["query"]));
        }
    }
    assert!(wrong.is_empty(), "{} of {} differ:\n{}", wrong.len(), answers.len(), wrong.join("\n"));
}

#[test]
fn what_the_world_does_not_know_is_no_answer() {
    let recorded: Json =
        serde_json::from_str(include_str!("../../runtime/galaxy/tests/recorded/queries.json")).unwrap();
    let queries: Vec<&str> =
        recorded["unavailable"].as_array().unwrap().iter().map(|query| query.as_str().unwrap()).collect();
    assert!(queries.len() > 35);
    for (query, (text, class)) in queries.iter().zip(ask(&queries, &world_of(&recorded))) {
        assert_eq!(class.as_deref(), Some("HostUnavailable"), "{query}: {text}");
    }
}
