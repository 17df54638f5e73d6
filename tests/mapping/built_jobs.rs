//! Jobs that a program builds get the answers of those that it reads: all jobs of the fixtures, both ways.

use std::sync::Arc;

use serde_json::Value;
use tpv_compiler::{CompileOptions, compile};
use tpv_runtime::galaxy::json::Reader;
use tpv_runtime::{Error, Hooks, Input, Job, Json, Mapper, World};

use crate::support::project;

/// The items of an object. Empty if the field is absent.
fn items<'a>(object: &'a Json, key: &str) -> &'a [(Box<str>, Json)] {
    match object.get(key) {
        Some(Json::Object(items)) => items,
        _ => &[],
    }
}

/// The job of a line, field by field.
fn built(line: &Json) -> Result<Job, Error> {
    let mut builder = Job::builder("");
    let Json::Object(fields) = line else { panic!("{line:?}") };
    for (name, value) in fields.iter().filter(|(name, _)| !["tool", "user", "job"].contains(&&**name)) {
        builder = builder.field(name, value.clone());
    }
    for (name, value) in items(line, "tool") {
        builder = builder.tool(name, value.clone());
    }
    for (name, value) in items(line, "user") {
        builder = builder.user(name, value.clone());
    }
    for (name, value) in items(line, "job") {
        builder = match (&**name, value) {
            ("input_datasets", Json::List(inputs)) => inputs.iter().fold(builder, |builder, input| {
                let Json::Object(fields) = input else { panic!("{input:?}") };
                let id = input.get("id").unwrap().clone();
                let input = fields.iter().fold(Input::new(id), |input, (name, value)| input.field(name, value.clone()));
                builder.input(input)
            }),
            ("param_values", Json::Object(values)) if !values.is_empty() => {
                values.iter().fold(builder, |builder, (name, value)| builder.param(name, value.clone()))
            }
            _ => builder.job(name, value.clone()),
        };
    }
    builder.build()
}

#[test]
fn built_jobs_get_the_answers_of_jobs_that_are_read() {
    let mut compared = 0;
    for entry in std::fs::read_dir(project().join("fixtures")).unwrap() {
        let folder = entry.unwrap().path();
        let Ok(text) = std::fs::read_to_string(folder.join("case.json")) else { continue };
        let case: Value = serde_json::from_str(&text).unwrap();
        let texts = |name: &str| -> Vec<String> {
            case[name].as_array().into_iter().flatten().map(|item| item.as_str().unwrap().to_owned()).collect()
        };
        let configs: Vec<String> =
            texts("configs").iter().map(|name| folder.join(name).display().to_string()).collect();
        let rules = Arc::new(compile(&configs, &CompileOptions::default()).rules.unwrap());
        // An answer may depend on the jobs before, as where there are pools: each way has a mapper of its own.
        let hooks = Hooks { compile: Some(Arc::new(tpv_compiler::python::run_time::compile)), ..Hooks::default() };
        let [one, other] = [(); 2].map(|()| Mapper::with_hooks(rules.clone(), hooks.clone(), false));
        let world = case["world"].as_str().map(|name| std::fs::read_to_string(folder.join(name)).unwrap());
        let world = Arc::new(world.map_or_else(World::default, |text| World::parse(&text).unwrap()));
        let jobs = std::fs::read_to_string(folder.join("jobs.jsonl")).unwrap();
        for line in jobs.lines().filter(|line| !line.trim().is_empty()) {
            let Ok(job) = Job::parse(line) else { continue };
            let fields = Json::read(&mut Reader::new(line)).ok().unwrap();
            if fields.get("user").is_some_and(|user| matches!(user, Json::Object(items) if items.is_empty())) {
                continue;
            }
            let read = one.map(&Arc::new(job), &world);
            let built = other.map(&Arc::new(built(&fields).unwrap()), &world);
            assert_eq!(built.line(), read.line(), "{}: {line}", folder.display());
            compared += 1;
        }
    }
    assert!(compared > 1000, "{compared} jobs");
}
