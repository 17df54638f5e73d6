//! Lines of decisions: what they say, their bound, and that reading gives what was written.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use super::*;
use crate::mapper::{Hooks, Mapper};
use tpv_galaxy::job::Job;
use tpv_galaxy::world::World;
use tpv_model::{Limit, Resource};

fn decided(line: &str) -> Decision {
    let rules = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/rules.bin")).unwrap();
    let mapper = Mapper::with_hooks(Arc::new(crate::Rules::load(&rules).unwrap()), Hooks::default(), false);
    let job = Arc::new(Job::parse(line).unwrap());
    let mut recorder = Recorder::new(mapper.rules().clone());
    let answer = mapper.map_observed(&job, &Arc::new(World::default()), &mut recorder);
    assert_eq!(answer, mapper.map(&job, &Arc::new(World::default())), "observing changes no answer");
    Decision { head: Head { time: "2026-11-27T12:00:00Z".into(), ..Head::of_job(&job) }, ..recorder.of_answer(&answer) }
}

/// A decision in which every list has many entries, and every text this one.
fn full(text: &str) -> Decision {
    let texts = || vec![text.to_owned(); 300];
    let some = || Some(text.to_owned());
    let reasons = vec![
        Reason::Limit { limit: Limit::MaxAcceptedMem, bound: 52.0, resource: Resource::Mem, wanted: 64.5 },
        Reason::DestinationLacks(text.to_owned()),
        Reason::EntityLacks(text.to_owned()),
        Reason::EntityRejects(text.to_owned()),
        Reason::DestinationRejects(text.to_owned()),
    ];
    let fired = Fired { rule: text.to_owned(), at: some(), destination: some(), failed: true };
    let amount = || Amount { asked: Some(64.5), got: Some(52.0), by: some(), at: some() };
    let list = Json::List(vec![Json::List(vec![Json::str(text); 20]); 20]);
    Decision {
        head: Head {
            time: text.to_owned(),
            job: Json::str(text),
            dispatcher: some(),
            attempt: i64::MAX,
            again: i64::MAX,
            rules: some(),
            seed: some(),
            tool: text.to_owned(),
            version: some(),
            input_size: Some(0.1),
            user: Some(i64::MAX),
            read: vec![(text.to_owned(), list.clone()); 20],
            ms: Some(0.25),
            wait: Some(Wait::Ended { mappings: i64::MAX, since: text.to_owned() }),
            dropped: i64::MAX,
        },
        entities: texts(),
        fired: vec![fired; 300],
        amounts: [amount(), amount(), amount()],
        candidates: vec![Candidate { id: text.to_owned(), score: Some(-3) }; 300],
        rejected: vec![Rejected { id: text.to_owned(), reasons }; 300],
        passed: vec![Passed { id: text.to_owned(), what: text.to_owned(), at: some() }; 300],
        pools: texts(),
        outcome: Outcome::Error { kind: text.to_owned(), message: text.to_owned(), at: some() },
        cpython: texts(),
        once_more: some(),
        cut: Vec::new(),
    }
}

#[test]
fn a_line_says_where_the_job_went_and_why() {
    let decision = decided(
        r#"{"id": 7, "seed": 3, "tool": {"id": "bwa_mem"}, "user": {"id": 4, "email": "jo@example.org", "roles": ["training"]}}"#,
    );
    assert_eq!(decision.outcome.destination(), Some("normal"));
    assert_eq!(decision.head.user, Some(4));
    assert!(!decision.candidates.is_empty() && !decision.entities.is_empty(), "{decision:?}");
    assert!(decision.amounts.iter().any(|amount| amount.by.is_some() && amount.at.is_some()), "{decision:?}");
    let line = decision.line();
    assert!(!line.contains("jo@example.org"), "users appear as their ids: {line}");
    assert_eq!(Decision::read(&line), Some(decision));
}

#[test]
fn every_part_is_read_as_it_was_written() {
    let mut decision = full("a");
    for list in [&mut decision.entities, &mut decision.pools, &mut decision.cpython] {
        list.truncate(2);
    }
    decision.fired.truncate(2);
    decision.candidates.truncate(2);
    decision.rejected.truncate(2);
    decision.passed.truncate(2);
    decision.cut = vec![("rejected".to_owned(), 9)];
    decision.head.read = vec![("roles".to_owned(), Json::List(vec![Json::str("a")]))];
    assert_eq!(Decision::read(&decision.line()), Some(decision));
}

#[test]
fn a_line_is_bounded_and_says_what_it_left_out() {
    for text in ["a", "\u{10ffff}", "\"\\", "\n", &"\u{1f600}".repeat(3000), &"x".repeat(10_000)] {
        let line = full(text).line();
        assert!(line.len() <= MAX_LINE, "{} bytes", line.len());
        assert_eq!(line.matches('\n').count(), 1);
        let read = Decision::read(&line).unwrap();
        let left_out = |name: &str| read.cut.iter().any(|(cut, count)| cut == name && *count >= 20);
        assert!(left_out("rejected") && left_out("fired") && left_out("read"), "{line}");
    }
}

#[test]
fn what_is_no_line_is_no_decision() {
    let line = full("a").line();
    for text in ["", "null", "{}", "{\"tpvc\": 1}", "GET / HTTP/1.1", "\u{0}"] {
        assert_eq!(Decision::read(text), None);
    }
    for (end, _) in line.trim_end().char_indices() {
        assert_eq!(Decision::read(line.get(..end).unwrap()), None);
    }
    assert_eq!(Decision::read(&format!("tpvc.decisions INFO {line}")), Decision::read(&line));
}
