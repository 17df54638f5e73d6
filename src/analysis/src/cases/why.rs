//! Explains, in lines for people, the origin of a value that a case did not expect.

use tpv_model::Field;
use tpv_runtime::first_line::first_line;
use tpv_runtime::mapper::places::ConfigPlace;

use super::expect::{Expectation, Mismatch, Subject, Wanted};
use crate::explain::{Candidate, Explanation, Property, RuleState, Verdict};
use tpv_text::suggest::{closest, did_you_mean};

/// The most lines that are said of one mismatch.
const MOST: usize = 4;
/// The most characters of a value in a line.
const LONGEST: usize = 200;

/// The lines of a mismatch with one of these expectations.
pub(super) fn reasons(mismatch: &Mismatch, expect: &[Expectation], explanation: &Explanation) -> Vec<String> {
    let wanted = || expect.iter().find(|one| Some(one.at) == mismatch.at).map(|one| &one.wanted);
    let mut lines = match &mismatch.subject {
        None => of_verdict(expect, explanation),
        Some(Subject::Error | Subject::ErrorType | Subject::ErrorMessage) => raised(explanation),
        Some(Subject::Destination | Subject::Runner | Subject::NotOn) => of_destination(wanted(), explanation),
        Some(Subject::Rule) => of_rule(wanted(), explanation),
        Some(Subject::Amount(quantity)) => of_value(Field::Amount(quantity.resource().into()), "", explanation),
        Some(Subject::Env(name)) => of_value(Field::Env, name, explanation),
        Some(Subject::Param(name)) => of_value(Field::Params, name, explanation),
        // Handler tags are the destination's own; a delay is no value of the mapping.
        Some(Subject::Tags | Subject::Delay) => Vec::new(),
    };
    if lines.len() > MOST {
        let more = lines.len() - (MOST - 1);
        lines.truncate(MOST - 1);
        lines.push(format!("and {more} more: `tpvc dry-run --explain` has all of it"));
    }
    lines
}

fn at(place: Option<&ConfigPlace>) -> String {
    place.map_or_else(String::new, |place| format!(" at {}:{}", place.file, place.line))
}

/// The first line of a text, cut where it is long.
fn short(text: &str) -> String {
    first_line(text, LONGEST)
}

/// A job that ended in an error where a destination was expected, or the other way round.
fn of_verdict(expect: &[Expectation], explanation: &Explanation) -> Vec<String> {
    match &explanation.outcome {
        Verdict::Failed { .. } => {
            let mut lines = raised(explanation);
            let wanted = expect.iter().find(|one| one.subject == Subject::Destination).map(|one| &one.wanted);
            if let Some(Wanted::Text(wanted)) = wanted {
                lines.extend(of_candidate(wanted, explanation));
            }
            lines
        }
        _ => Vec::new(),
    }
}

/// The place at which the error was raised.
fn raised(explanation: &Explanation) -> Vec<String> {
    match &explanation.outcome {
        Verdict::Failed { trace: Some(trace), .. } => {
            trace.place().map(|place| format!("raised at {}:{}", place.file, place.line)).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

fn of_destination(wanted: Option<&Wanted>, explanation: &Explanation) -> Vec<String> {
    let chosen = explanation.tried.last().map(|tried| tried.id.as_str());
    let mut lines = match wanted {
        Some(Wanted::Text(wanted)) if Some(wanted.as_str()) != chosen => of_candidate(wanted, explanation),
        _ => Vec::new(),
    };
    let candidate = explanation.destinations.iter().find(|candidate| Some(candidate.id.as_str()) == chosen);
    if let Some(candidate) = candidate {
        lines.push(format!("{} has {}", candidate.id, rank(candidate)));
    }
    lines
}

/// The reasons that a destination did not get the job.
fn of_candidate(wanted: &str, explanation: &Explanation) -> Vec<String> {
    let Some(candidate) = explanation.destinations.iter().find(|candidate| candidate.id == wanted) else {
        // If the job failed earlier, no destination was evaluated.
        if explanation.destinations.is_empty() {
            return Vec::new();
        }
        let mut line = format!("there is no destination `{wanted}`");
        if let Some(near) = closest(wanted, explanation.destinations.iter().map(|candidate| candidate.id.as_str())) {
            line = format!("{line}; {}", did_you_mean(near));
        }
        return vec![line];
    };
    if let Some(reason) = candidate.reasons.first() {
        let more = candidate.reasons.len() - 1;
        let more = if more > 0 { format!("; and {more} more") } else { String::new() };
        return vec![format!("{wanted} cannot take it: {reason}{more}")];
    }
    let tried = explanation.tried.iter().find(|tried| tried.id == wanted);
    match tried {
        Some(tried) => vec![format!("{wanted} {}{}", short(&tried.what), at(tried.place.as_ref()))],
        None => vec![format!("{wanted} has {}", rank(candidate))],
    }
}

fn rank(candidate: &Candidate) -> String {
    let score = candidate.score.map_or_else(String::new, |score| format!(" with the score {score}"));
    match candidate.rank {
        Some(rank) => format!("rank {rank}{score}"),
        None => "no rank".to_owned(),
    }
}

fn of_rule(wanted: Option<&Wanted>, explanation: &Explanation) -> Vec<String> {
    let Some(Wanted::Text(wanted)) = wanted else { return Vec::new() };
    let Some(rule) = explanation.rules.iter().find(|rule| rule.id == *wanted) else {
        let seen: Vec<&str> = explanation.rules.iter().map(|rule| rule.id.as_str()).collect();
        let seen = if seen.is_empty() { "none".to_owned() } else { seen.join(", ") };
        return vec![format!("the job has no rule `{wanted}`; its rules are {seen}")];
    };
    let reads: Vec<String> = rule.reads.iter().map(|read| format!("{} = {}", read.name, short(&read.value))).collect();
    let with = if reads.is_empty() { String::new() } else { format!(", with {}", reads.join(", ")) };
    match rule.state {
        RuleState::NotFired => {
            vec![format!("`{}` gave {}{}{with}", short(&rule.condition), short(&rule.value), at(rule.place.as_ref()))]
        }
        state => vec![format!("the rule {}{}", state.word(), at(rule.place.as_ref()))],
    }
}

/// The last setting of a value, and the effect of bounds on it.
fn of_value(field: Field, name: &str, explanation: &Explanation) -> Vec<String> {
    let same = |property: &&Property| property.field == field && property.name == name;
    let Some(property) = explanation.values.iter().find(same) else { return vec!["nothing sets it".to_owned()] };
    let mut lines = Vec::new();
    if let Some(last) = property.history.last() {
        lines.push(format!("set by {}{}: `{}`", last.by, at(last.place.as_ref()), short(&last.value)));
    }
    lines.extend(property.note.clone());
    lines
}
