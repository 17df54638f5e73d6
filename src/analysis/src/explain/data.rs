//! An explanation as data, for YAML and JSON.

use tpv_galaxy::json::Json;
use tpv_runtime::mapper::places::ConfigPlace;
use tpv_runtime::mapper::trace::{Call, Trace};

use super::{Candidate, Change, Explanation, InCpython, Lookup, Pool, Property, Rule, Tried, Verdict};

fn object(items: Vec<(&str, Option<Json>)>) -> Json {
    Json::Object(items.into_iter().filter_map(|(key, value)| Some((key.into(), value?))).collect())
}

fn list<T>(items: &[T], each: impl Fn(&T) -> Json) -> Json {
    Json::List(items.iter().map(each).collect())
}

fn text(text: &str) -> Option<Json> {
    Some(Json::str(text))
}

fn place(place: Option<&ConfigPlace>) -> Option<Json> {
    place.map(|place| Json::str(place.to_string()))
}

/// The whole explanation.
pub(super) fn data(explanation: &Explanation) -> Json {
    let job = explanation.job.iter().map(|(name, value)| ((*name).into(), Json::str(value.as_str()))).collect();
    object(vec![
        ("result", Some(verdict(&explanation.outcome))),
        ("job", Some(Json::Object(job))),
        ("configs", Some(list(&explanation.sources, |source| Json::str(source.as_str())))),
        ("entities", Some(list(&explanation.lookups, lookup))),
        ("rules", Some(list(&explanation.rules, rule))),
        ("values", Some(list(&explanation.values, property))),
        ("destinations", Some(list(&explanation.destinations, candidate))),
        (
            "ranked_by",
            explanation
                .ranked_by
                .as_ref()
                .map(|(code, at)| object(vec![("expression", text(code)), ("at", place(at.as_ref()))])),
        ),
        ("tried", Some(list(&explanation.tried, tried))),
        ("pools", Some(&explanation.pools).filter(|pools| !pools.is_empty()).map(|pools| list(pools, pool))),
        ("cpython", Some(&explanation.in_cpython).filter(|ran| !ran.is_empty()).map(|ran| list(ran, in_cpython))),
        ("once_more", explanation.once_more.as_deref().and_then(text)),
    ])
}

fn verdict(outcome: &Verdict) -> Json {
    match outcome {
        Verdict::Open => Json::Null,
        Verdict::Mapped(fields) => object(vec![(
            "destination",
            Some(Json::Object(fields.iter().map(|(name, value)| ((*name).into(), value.clone())).collect())),
        )]),
        Verdict::Failed { kind, message, trace } => object(vec![(
            "error",
            Some(object(vec![
                ("type", text(kind)),
                ("message", text(message)),
                ("at", place(trace.as_ref().and_then(Trace::place))),
                ("calls", trace.as_ref().filter(|trace| trace.calls.len() > 1).map(calls)),
            ])),
        )]),
    }
}

/// The places that an exception passed, the innermost first.
fn calls(trace: &Trace) -> Json {
    let call =
        |call: &Call| object(vec![("at", place(Some(&call.place))), ("in", call.function.as_deref().and_then(text))]);
    Json::List(trace.calls.iter().map(call).collect())
}

fn lookup(lookup: &Lookup) -> Json {
    let found = list(&lookup.found, |found| {
        object(vec![("id", text(&found.id)), ("because", text(found.because)), ("at", place(found.place.as_ref()))])
    });
    object(vec![("section", text(lookup.section)), ("name", text(&lookup.name)), ("found", Some(found))])
}

fn rule(rule: &Rule) -> Json {
    let reads = rule.reads.iter().map(|read| (read.name.as_str().into(), Json::str(read.value.as_str()))).collect();
    object(vec![
        ("id", text(&rule.id)),
        ("state", text(rule.state.word())),
        ("destination", rule.destination.as_deref().and_then(text)),
        ("at", place(rule.place.as_ref())),
        ("if", text(&rule.condition)),
        ("gave", text(&rule.value)),
        ("read", Some(Json::Object(reads))),
    ])
}

fn property(property: &Property) -> Json {
    let change = |change: &Change| {
        object(vec![("by", text(&change.by)), ("value", text(&change.value)), ("at", place(change.place.as_ref()))])
    };
    object(vec![
        ("group", text(property.field.group())),
        ("name", Some(&*property.name).filter(|name| !name.is_empty()).and_then(text)),
        ("value", text(&property.value)),
        ("note", property.note.as_deref().and_then(text)),
        ("history", Some(list(&property.history, change))),
    ])
}

fn candidate(candidate: &Candidate) -> Json {
    object(vec![
        ("id", text(&candidate.id)),
        ("matched", Some(Json::Bool(candidate.reasons.is_empty()))),
        ("rank", candidate.rank.and_then(|rank| i64::try_from(rank).ok()).map(Json::Int)),
        ("score", candidate.score.map(Json::Int)),
        ("at", place(candidate.place.as_ref())),
        ("reasons", Some(list(&candidate.reasons, |reason| Json::str(reason.as_str())))),
    ])
}

fn in_cpython(block: &InCpython) -> Json {
    object(vec![("at", place(block.place.as_ref())), ("because", text(&block.reason))])
}

fn tried(tried: &Tried) -> Json {
    object(vec![("id", text(&tried.id)), ("what", text(&tried.what)), ("at", place(tried.place.as_ref()))])
}

fn pool(pool: &Pool) -> Json {
    object(vec![
        ("pool", pool.id.as_deref().and_then(text)),
        ("what", text(&pool.what)),
        ("detail", pool.detail.as_deref().and_then(text)),
        ("at", place(pool.place.as_ref())),
    ])
}
