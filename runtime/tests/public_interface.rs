//! A program that maps jobs, using only the names at the root of the crate.

#![allow(clippy::unwrap_used)]

use std::error::Error as _;
use std::sync::Arc;

use tpv_runtime::{Answer, Error, Hooks, Input, InputError, Job, Json, Mapper, Rules, World};

fn rules() -> Rules {
    Rules::load(include_bytes!("rules.bin")).unwrap()
}

#[test]
fn a_program_maps_jobs_of_its_own() {
    let mapper = Mapper::with_hooks(Arc::new(rules()), Hooks::default(), false);
    let world = Arc::new(World::default());
    let map = |job: Result<Job, InputError>| -> Answer { mapper.map(&Arc::new(job.unwrap()), &world) };

    let answer = map(Job::builder("bwa_mem").id(7).email("jo@example.org").build());
    assert_eq!(answer.destination_id().as_deref(), Some("normal"));
    assert!(answer.line().starts_with("{\"id\": 7, "));

    let reads = Input::new("reads").name("reads").size(214_748_364_800).extension("fastq");
    let refused = map(Job::builder("bwa_mem").input(reads).param("options", vec![("k", 19)]).build());
    assert_eq!(refused.destination_id(), None);
    assert!(refused.error_text().is_some());

    let read =
        map(Job::parse("{\"tool\": {\"id\": \"bwa_mem\"}, \"user\": {\"email\": \"jo@example.org\"}, \"id\": 7}"));
    assert_eq!(read.line(), answer.line());
}

#[test]
fn mappers_are_shared_by_threads() {
    let mapper = Mapper::new(rules());
    let world = Arc::new(World::parse("{\"now\": \"2026-01-01T00:00:00\"}").unwrap());
    let lines: Vec<String> = std::thread::scope(|scope| {
        let handles = [(); 4].map(|()| {
            let (mapper, world) = (mapper.clone(), world.clone());
            scope.spawn(move || mapper.map(&Arc::new(Job::builder("bwa_mem").build().unwrap()), &world).line())
        });
        handles.into_iter().map(|handle| handle.join().unwrap()).collect()
    });
    assert!(lines.windows(2).all(|pair| pair.first() == pair.last()));
}

#[test]
fn what_cannot_be_read_is_an_error_with_its_reason() {
    let error: Error = Rules::load(b"tools: {}").unwrap_err();
    assert!(matches!(error, Error::Foreign) && error.source().is_none());
    let error = Job::builder("a").job("id", Json::from(vec![1])).build().unwrap_err();
    assert!(error.to_string().starts_with("job.id: "), "{error}");
    assert!(matches!(World::parse("[]").unwrap_err(), InputError::World { line: 1, .. }));
}
