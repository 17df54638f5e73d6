//! `attempts` of a case: a job that fails, followed through its resubmissions.

use std::sync::Arc;

use tpv_compiler::python::resubmit;
use tpv_galaxy::answer::Answer;
use tpv_galaxy::job::Job;
use tpv_galaxy::json::Json;
use tpv_runtime::resubmit::{
    Attempt, Chain, ChainEnd, Ending, Failure, MAX_ATTEMPTS, Resubmitter, RunnerState, follow,
};
use tpv_text::diagnostic::{Diagnostic, Diagnostics};
use tpv_text::source::Span;
use tpv_yaml::value::ConfigValue;

use super::Case;
use super::expect::{Expectation, Mismatch, Subject, compare};
use super::fields::{Fields, fields, items, json_of};
use super::keys::ATTEMPT;
use crate::json_number::to_f64;
use tpv_text::figures::count;

/// An item of `attempts`.
pub struct ExpectedAttempt {
    /// The expectations of its answer.
    pub expect: Vec<Expectation>,
    /// The way in which it fails. `None` if it does not.
    pub ends: Option<RunnerState>,
    /// The seconds that it runs before it fails.
    pub seconds_running: f64,
    /// The expected delay before it in seconds, and its location.
    pub delay: Option<(f64, Span)>,
    /// Its mapping in the file.
    pub holder: ConfigValue,
}

/// Reads the items of `attempts`.
pub(super) fn read(value: &ConfigValue, problems: &mut Diagnostics) -> Vec<ExpectedAttempt> {
    let items = items(value);
    if items.is_empty() {
        problems.push(
            Diagnostic::error("`attempts` is empty")
                .at(value.span, "")
                .help("write `- {mem: 8, ends: memory_limit_reached}`, and below it the attempt after that"),
        );
    }
    if items.len() > MAX_ATTEMPTS as usize {
        problems.push(
            Diagnostic::error(format!("a job has at most {}", count(MAX_ATTEMPTS.into(), "attempt")))
                .at(value.span, format!("these are {}", items.len()))
                .help("leave out the last ones"),
        );
        return Vec::new();
    }
    let mut out: Vec<ExpectedAttempt> = Vec::new();
    let mut is_told = false;
    for item in items {
        let Some(found) = fields(item, &ATTEMPT, "an attempt", problems) else { continue };
        if let Some(before) = out.last().filter(|before| before.ends.is_none() && !is_told) {
            is_told = true;
            problems.push(
                Diagnostic::error("no attempt comes after one that does not fail")
                    .at(item.span, "")
                    .also(before.holder.span, "this one has no `ends`")
                    .help("write how the attempt before fails, such as `ends: memory_limit_reached`"),
            );
        }
        out.extend(read_one(item, &found, problems));
    }
    out
}

fn read_one(item: &ConfigValue, found: &Fields<'_>, problems: &mut Diagnostics) -> Option<ExpectedAttempt> {
    let ends = match found.get("ends") {
        None => None,
        Some(value) => {
            let name = value.python_str();
            let state = RunnerState::from_name(&name);
            if state.is_none() {
                let near = tpv_text::suggest::closest(&name, RunnerState::NAMES);
                let help = near.map_or_else(
                    || format!("expected one of `{}`", RunnerState::NAMES.join("`, `")),
                    tpv_text::suggest::did_you_mean,
                );
                problems.push(Diagnostic::error(format!("no attempt ends in `{name}`")).at(value.span, "").help(help));
                return None;
            }
            state
        }
    };
    let number = |name| found.get(name).and_then(|value| Some((to_f64(&json_of(value))?, value.span)));
    let expectations = found.only(|name| !["ends", "seconds_running", "delay"].contains(&name));
    Some(ExpectedAttempt {
        expect: Expectation::read_all(&expectations, problems),
        ends,
        seconds_running: number("seconds_running").map_or(0.0, |(seconds, _)| seconds),
        delay: number("delay"),
        holder: item.clone(),
    })
}

/// The resubmitter for the conditions of configs.
pub(super) fn resubmitter() -> Resubmitter {
    Resubmitter::new(Arc::new(resubmit::compile))
}

/// Follows the job of a case, which got an answer, through the attempts that it expects.
pub(super) fn run(
    case: &Case,
    resubmitter: &mut Resubmitter,
    answer: Answer,
    map: impl FnMut(&Arc<Job>) -> Answer,
) -> Chain {
    let most = u32::try_from(case.attempts.len()).unwrap_or(MAX_ATTEMPTS);
    let first = Attempt::first(case.job.clone(), answer);
    follow(resubmitter, first, most, map, |attempt| {
        let expected = expected(case, attempt)?;
        Some(Failure {
            state: expected.ends?,
            attempt: attempt.number,
            seconds_running: Some(expected.seconds_running),
            seconds_since_queued: Some(expected.seconds_running),
        })
    })
}

fn expected<'a>(case: &'a Case, attempt: &Attempt) -> Option<&'a ExpectedAttempt> {
    case.attempts.get(attempt.number as usize - 1)
}

/// The expectations that the attempts of a case do not meet; `fired` are the rules that fired in each mapping.
pub fn mismatches(case: &Case, chain: &Chain, fired: &[Vec<String>]) -> Vec<Mismatch> {
    let mut found = Vec::new();
    let mut mapped = fired.iter();
    let mut rules: &[String] = &[];
    for attempt in &chain.attempts {
        let Some(expected) = expected(case, attempt) else { break };
        // An attempt where the job was has not been mapped.
        if attempt.by.as_ref().is_none_or(|by| by.environment.is_some()) {
            rules = mapped.next().map_or(&[], Vec::as_slice);
        }
        let of_attempt = |mismatch: Mismatch| Mismatch { attempt: Some(attempt.number), ..mismatch };
        if let Some((delay, at)) = expected.delay.filter(|(delay, _)| *delay != attempt.delay) {
            let mismatch = Mismatch {
                subject: Some(Subject::Delay),
                expected: delay.to_string(),
                came: attempt.delay.to_string(),
                value: Some(seconds(attempt.delay)),
                ..Mismatch::whole(Some(at))
            };
            found.push(of_attempt(mismatch));
        }
        // An attempt that says only how it ends stands for any destination.
        if expected.expect.is_empty() && expected.ends.is_some() && attempt.answer.error().is_none() {
            continue;
        }
        found.extend(compare(&expected.expect, &attempt.answer, rules).into_iter().map(of_attempt));
    }
    found.extend(end(case, chain));
    found
}

/// Seconds as a number that is written without a fraction if it has none.
#[expect(clippy::cast_possible_truncation, reason = "a whole number that fits")]
fn seconds(seconds: f64) -> Json {
    if seconds.fract() == 0.0 && seconds.abs() < 1e15 { Json::Int(seconds as i64) } else { Json::Float(seconds) }
}

/// The mismatch of the end, if the job has fewer or more attempts than expected.
fn end(case: &Case, chain: &Chain) -> Option<Mismatch> {
    let last = chain.attempts.last()?;
    let next = case.attempts.get(last.number as usize);
    let (expected, came, why) = match &chain.end {
        ChainEnd::Failed(ending) => {
            next?;
            let raised = matches!(ending, Ending::Raised { .. });
            let help = "Galaxy logs the exception, and the job fails as without `resubmit`".to_owned();
            ("another attempt".to_owned(), format!("the job fails: {ending}"), raised.then_some(help))
        }
        ChainEnd::TooMany(by) => {
            let target = by.environment.as_deref().unwrap_or("the place where it was");
            ("the job to fail".to_owned(), format!("a resubmission to {target}"), None)
        }
        // The answer says so.
        ChainEnd::NotMapped if next.is_none() => return None,
        ChainEnd::NotMapped => ("another attempt".to_owned(), "the attempt is not mapped".to_owned(), None),
        ChainEnd::Done => return None,
    };
    let at = next.or_else(|| case.attempts.last()).map(|one| one.holder.span);
    let number = if next.is_some() { last.number + 1 } else { last.number };
    Some(Mismatch { attempt: Some(number), expected, came, why: why.into_iter().collect(), ..Mismatch::whole(at) })
}
