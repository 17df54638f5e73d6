//! Queries of the job table give what SQLAlchemy gives on SQLite: see `runtime/tests/record/record_queries.py`.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]

use std::sync::Arc;

use serde_json::{Value as Json, json};
use tpv_runtime::galaxy::job::Job;
use tpv_runtime::galaxy::json::Json as Text;
use tpv_runtime::galaxy::world::World;
use tpv_runtime::mapper::{Hooks, Mapper};

const IMPORTS: &str = "from sqlalchemy import and_, asc, desc, distinct, func, not_, or_, select, text";

#[test]
fn queries_answer_as_sqlalchemy_on_sqlite() {
    let recorded: Json = serde_json::from_str(include_str!("../runtime/tests/recorded/queries.json")).unwrap();
    let answers = recorded["answers"].as_array().unwrap();
    assert!(answers.len() > 100);
    let world = World::parse(&json!({ "jobs": recorded["jobs"], "queries": recorded["queries"] }).to_string()).unwrap();
    let world = Arc::new(world);
    let mut config = String::from("destinations:\n  local:\n    runner: local\ntools:\n");
    for (number, answer) in answers.iter().enumerate() {
        let query = answer["query"].as_str().unwrap();
        config.push_str(&format!(
            "  q{number}$:\n    rules:\n      - if: |\n          {IMPORTS}\n          \
             from galaxy.jobs.mapper import JobMappingException\n          Job = app.model.Job\n          \
             session = app.model.context\n          raise JobMappingException(repr({query}))\n          True\n"
        ));
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tpv.yml");
    std::fs::write(&path, config).unwrap();
    let compiled = tpvc::compile(&[path.display().to_string()], &tpvc::CompileOptions::default());
    let mapper = Mapper::with_hooks(Arc::new(compiled.rules.expect("compiles")), Hooks::default(), false);
    let mut wrong = Vec::new();
    for (number, answer) in answers.iter().enumerate() {
        let job = Job::parse(&json!({"tool": {"id": format!("q{number}")}}).to_string()).unwrap();
        let mapped = mapper.map(&Arc::new(job), &world);
        let Some((kind, Text::Str(message))) = mapped.error() else {
            panic!("{} was not asked: {mapped:?}", answer["query"]);
        };
        let found = match kind {
            "JobMappingException" => message.to_string(),
            kind => format!("{kind}: {message}"),
        };
        let expected = match answer["value"].as_str() {
            Some(value) => value.to_owned(),
            None => format!("{}: {}", answer["error"].as_str().unwrap(), answer["message"].as_str().unwrap()),
        };
        if found != expected {
            wrong.push(format!("{}\n  SQLAlchemy: {expected}\n  tpvc:       {found}", answer["query"]));
        }
    }
    assert!(wrong.is_empty(), "{} of {} differ:\n{}", wrong.len(), answers.len(), wrong.join("\n"));
}
