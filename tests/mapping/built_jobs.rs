//! Jobs that a program builds get the answers of those that it reads: all jobs of the fixtures, both ways.

use std::sync::Arc;

use tpv_galaxy::json::Reader;
use tpv_runtime::{Input, InputError, Job, Json, Mapper};

use crate::support::cases::{Case, hooks};
use crate::support::random::{a_fifth, at_least};

/// The items of an object. Empty if the field is absent.
fn items<'a>(object: &'a Json, key: &str) -> &'a [(Box<str>, Json)] {
    match object.get(key) {
        Some(Json::Object(items)) => items,
        _ => &[],
    }
}

/// The job of a line, field by field.
fn built(line: &Json) -> Result<Job, InputError> {
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
    for case in a_fifth(Case::fixtures(), 3) {
        let (rules, world) = (case.rules(), case.world());
        // An answer may depend on the jobs before, as where there are pools: each way has a mapper of its own.
        let [one, other] = [(); 2].map(|()| Mapper::with_hooks(rules.clone(), hooks(), false));
        for line in &case.lines("jobs.jsonl") {
            let Ok(job) = Job::parse(line) else { continue };
            let fields = Json::read(&mut Reader::new(line)).ok().unwrap();
            if fields.get("user").is_some_and(|user| matches!(user, Json::Object(items) if items.is_empty())) {
                continue;
            }
            let read = one.map(&Arc::new(job), &world);
            let built = other.map(&Arc::new(built(&fields).unwrap()), &world);
            assert_eq!(built.line(), read.line(), "{}: {line}", case.name);
            compared += 1;
        }
    }
    assert!(compared > at_least(1000), "{compared} jobs");
}
