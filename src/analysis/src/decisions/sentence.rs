//! A decision in one sentence.

use tpv_galaxy::json::{Json, text_of};
use tpv_model::Quantity;
use tpv_runtime::decision::{Amount, Decision, Outcome, Rejected, Wait};
use tpv_runtime::mapper::explain::Reason;
use tpv_text::figures::count;

/// The answer to "why did this job go there?".
pub fn sentence(decision: &Decision) -> String {
    let job = match &decision.head.job {
        Json::Str(text) => text.to_string(),
        other => text_of(other),
    };
    let reasons = reasons(decision);
    let because = if reasons.is_empty() { String::new() } else { format!(": {}", reasons.join("; ")) };
    let passes_over = |end: String| format!("job {job} {end}{because}");
    match (&decision.outcome, &decision.head.wait) {
        (Outcome::Destination(name), _) => passes_over(format!("went to `{name}`")),
        (Outcome::Error { .. }, Some(Wait::Begins)) => passes_over("waits".to_owned()),
        (Outcome::Error { kind, message, at }, _) => {
            let message = if message.is_empty() { String::new() } else { format!(": {message}") };
            let at = at.as_ref().map_or_else(String::new, |at| format!(", {at}"));
            let more = if reasons.is_empty() { String::new() } else { format!("; {}", reasons.join("; ")) };
            format!("job {job} ended in {kind}{message}{at}{more}")
        }
        (Outcome::Open, Some(Wait::Ended { mappings, since })) => {
            let mappings = count(u64::try_from(*mappings).unwrap_or(0), "mapping");
            format!("job {job} waited from {since}: {mappings} were not ready, and nobody asked again")
        }
        (Outcome::Open, _) => format!("how job {job} ended is not in the line"),
    }
}

/// The reasons for the end: the rule that failed, candidates that passed the job on, the nearest destination that could not take it.
fn reasons(decision: &Decision) -> Vec<String> {
    let mut reasons = Vec::new();
    if decision.outcome.error().is_some() {
        let failed = decision.fired.iter().rfind(|fired| fired.failed);
        let told = match &decision.outcome {
            Outcome::Error { at, .. } => at.as_ref(),
            _ => None,
        };
        let place = |at: Option<&String>| if at == told { String::new() } else { placed(at) };
        reasons.extend(failed.map(|fired| format!("rule `{}` ended it{}", fired.rule, place(fired.at.as_ref()))));
    }
    for passed in decision.passed.iter().take(2) {
        let what = &passed.what;
        reasons.push(format!("`{}` passed it on with {what}{}", passed.id, placed(passed.at.as_ref())));
    }
    let nearest = decision.rejected.first().filter(|_| reasons.is_empty());
    reasons.extend(nearest.and_then(|nearest| rejection(decision, nearest)));
    if reasons.is_empty() && decision.outcome.destination().is_some() {
        reasons.extend(ranking(decision));
    }
    reasons
}

/// The rank of the destination among the candidates.
fn ranking(decision: &Decision) -> Option<String> {
    match decision.candidates.as_slice() {
        [] => None,
        [_] => Some("no other destination takes it".to_owned()),
        [first, second, ..] => {
            let more = decision.cut.iter().find(|(name, _)| name == "candidates").map_or(0, |(_, more)| *more);
            let all = decision.candidates.len() as u64 + u64::try_from(more).unwrap_or(0);
            let scores = match (first.score, second.score) {
                (Some(first), Some(next)) if first == next => {
                    format!(", with the same score as `{}` ({first}), which stands later in the config", second.id)
                }
                (Some(first), Some(next)) => format!(", with the score {first}; `{}` has {next}", second.id),
                _ => ", by the expression of `rank`".to_owned(),
            };
            Some(format!("it is the first of {}{scores}", count(all, "candidate")))
        }
    }
}

/// The reason that a destination did not take the job. `None` if the line does not have it.
pub fn why_not(decision: &Decision, destination: &str) -> Option<String> {
    if decision.outcome.destination() == Some(destination) {
        return Some(format!("`{destination}` took the job"));
    }
    if let Some(passed) = decision.passed.iter().find(|passed| passed.id == destination) {
        return Some(format!("`{destination}` passed it on with {}{}", passed.what, placed(passed.at.as_ref())));
    }
    if let Some(rejected) = decision.rejected.iter().find(|rejected| rejected.id == destination) {
        return rejection(decision, rejected);
    }
    let place = decision.candidates.iter().position(|candidate| candidate.id == destination)?;
    let score = decision.candidates.get(place).and_then(|candidate| candidate.score);
    let score = score.map_or_else(String::new, |score| format!(", with the score {score}"));
    let better = decision.candidates.first().map_or("", |candidate| &candidate.id);
    Some(format!(
        "`{destination}` could take it, and is number {} of the candidates{score}, after `{better}`",
        place + 1
    ))
}

fn rejection(decision: &Decision, rejected: &Rejected) -> Option<String> {
    let id = &rejected.id;
    Some(match rejected.reasons.first()? {
        Reason::Abstract => format!("`{id}` is abstract"),
        Reason::Limit { limit, bound, wanted, .. } => {
            let quantity = limit.quantity();
            let amount = Quantity::ALL.into_iter().zip(&decision.amounts).find(|(each, _)| *each == quantity);
            let asks = amount.and_then(|(_, amount)| asker(amount));
            let place = amount.and_then(|(_, amount)| amount.at.clone());
            let whole = number(*wanted);
            let asks = asks.map_or_else(|| "the job asks".to_owned(), |by| format!("{by} asks"));
            if limit.is_upper() {
                let lacking = wanted - bound;
                let (lacking, unit) = (number(lacking), quantity.noun(lacking));
                format!("`{id}` lacks {lacking} {unit} of the {whole} that {asks}{}", placed(place.as_ref()))
            } else {
                let (least, unit) = (number(*bound), quantity.noun(*bound));
                format!("`{id}` takes {least} {unit} or more, and {asks} {whole}{}", placed(place.as_ref()))
            }
        }
        Reason::DestinationLacks(tag) => format!("`{id}` lacks the tag `{tag}`, which the job requires"),
        Reason::EntityLacks(tag) => format!("`{id}` requires the tag `{tag}`, which the job does not have"),
        Reason::EntityRejects(tag) => format!("the job rejects the tag `{tag}` of `{id}`"),
        Reason::DestinationRejects(tag) => format!("`{id}` rejects the tag `{tag}` of the job"),
    })
}

/// The setter of an amount, with its id in backticks: rule `large`.
fn asker(amount: &Amount) -> Option<String> {
    let by = amount.by.as_ref()?;
    Some(match by.split_once(' ') {
        Some((noun @ ("rule" | "tool" | "role" | "user" | "destination"), id)) => format!("{noun} `{id}`"),
        _ => by.clone(),
    })
}

fn placed(at: Option<&String>) -> String {
    at.map_or_else(String::new, |at| format!(", {at}"))
}

/// A number of at most three digits after the point.
fn number(value: f64) -> String {
    let rounded = (value * 1e3).round() / 1e3;
    format!("{rounded}")
}

/// An amount of the answer with its unit: `8 cores`. `None` if there is none.
pub fn amount(decision: &Decision, quantity: Quantity) -> Option<String> {
    let (_, amount) = Quantity::ALL.into_iter().zip(&decision.amounts).find(|(each, _)| *each == quantity)?;
    let got = amount.got?;
    Some(format!("{} {}", number(got), quantity.noun(got)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tpv_model::{Limit, Resource};
    use tpv_runtime::decision::{Candidate, Head, Passed};

    fn decision(outcome: Outcome) -> Decision {
        let mem = Amount {
            asked: Some(64.0),
            got: Some(64.0),
            by: Some("rule large".into()),
            at: Some("shared.yml:812".into()),
        };
        Decision {
            head: Head { job: Json::Int(1234), ..Head::default() },
            amounts: [Amount::default(), mem, Amount::default()],
            outcome,
            ..Decision::default()
        }
    }

    #[test]
    fn the_nearest_destination_says_what_it_lacks() {
        let reasons =
            vec![Reason::Limit { limit: Limit::MaxAcceptedMem, bound: 52.0, resource: Resource::Mem, wanted: 64.0 }];
        let rejected = vec![Rejected { id: "pulsar-mel3".into(), reasons }];
        let decision = Decision { rejected, ..decision(Outcome::Destination("slurm".into())) };
        assert_eq!(
            sentence(&decision),
            "job 1234 went to `slurm`: `pulsar-mel3` lacks 12 GiB of the 64 that rule `large` asks, shared.yml:812"
        );
        assert_eq!(why_not(&decision, "moon"), None);
        let limit = Limit::MaxAcceptedCores;
        let reasons = vec![Reason::Limit { limit, bound: 7.0, resource: Resource::Cores, wanted: 8.0 }];
        let rejected = vec![Rejected { id: "pulsar".into(), reasons }];
        let sentence = sentence(&Decision { rejected, ..decision });
        assert!(sentence.contains("`pulsar` lacks 1 core of the 8 that"), "{sentence}");
    }

    #[test]
    fn candidates_are_compared() {
        let candidate = |id: &str, score| Candidate { id: id.into(), score: Some(score) };
        let candidates = vec![candidate("slurm", 4), candidate("pulsar", 2)];
        let went = Decision { candidates, ..decision(Outcome::Destination("slurm".into())) };
        let expected = "job 1234 went to `slurm`: it is the first of 2 candidates, with the score 4; `pulsar` has 2";
        assert_eq!(sentence(&went), expected);
        assert!(why_not(&went, "pulsar").is_some_and(|why| why.contains("number 2 of the candidates")));
        let passed = vec![Passed { id: "a".into(), what: "TryNextDestinationOrFail('full')".into(), at: None }];
        let went = Decision { passed, ..went };
        assert!(sentence(&went).ends_with("`a` passed it on with TryNextDestinationOrFail('full')"));
    }
}
