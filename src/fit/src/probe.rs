//! The memory that the rules make of a value of `mem`: found by asking them, with values that jobs carry.
//!
//! In the config that is asked, each tool's `mem` is an attribute of the job, with the factor of the attempt that today's value has.

use std::sync::Arc;

use serde_json::{Value as Json, json};
use tpv_compiler::python::attempt_factor::AttemptFactor;
use tpv_galaxy::job::Job;
use tpv_galaxy::world::World;
use tpv_runtime::mapper::Mapper;

use crate::attempts::{Given, attempts};
use crate::history::Group;
use crate::propose::Keep;
use crate::response::{Beyond, Response};

/// The attribute of jobs that has the value.
const ATTRIBUTE: &str = "tpvc_fit_mem";
/// The range of values that are tried, in GiB.
const RANGE: (f64, f64) = (0.01, 1e6);
/// Halvings of an interval in which a limit lies.
const HALVINGS: usize = 16;

/// The factor of the attempt in today's value.
///
/// # Errors
/// [`Keep::OfAttempts`] if it depends on the attempt in another way.
pub fn factor(group: &Group) -> Result<AttemptFactor, Keep> {
    let value = group.value.as_deref().unwrap_or("0");
    AttemptFactor::of(value).map_err(|_| Keep::OfAttempts)
}

/// The value of `mem` in the config that is asked.
pub fn value(factor: &AttemptFactor) -> String {
    factor.around(&format!("job.{ATTRIBUTE}"))
}

/// Asks the rules of a config with values from [`value`].
pub struct Probe<'a> {
    /// The rules.
    pub mapper: &'a Mapper,
    /// Galaxy's state.
    pub world: &'a Arc<World>,
}

impl Probe<'_> {
    /// The response of the rules to values for the jobs of a group: that of the jobs with the narrowest limits and the fewest attempts.
    ///
    /// # Errors
    /// [`Keep::WithoutEffect`] if the memory does not follow the value, [`Keep::OfAttempts`] if it does not grow as today's does.
    pub fn response(&self, group: &Group) -> Result<Response, Keep> {
        let mut all: Option<Response> = None;
        for line in group.examples() {
            let Some(one) = self.of_job(line, group.asked_median().unwrap_or(1.0))? else { continue };
            all = Some(match all {
                None => one,
                Some(known) => narrower(known, one),
            });
        }
        let response = all.ok_or(Keep::WithoutEffect)?;
        // Today's attempts rise, and those of another value do not.
        let rises = response.ratios.windows(2).any(|pair| matches!(pair, [one, next] if next > one));
        if group.usual_attempts() > 1 && !rises && response.ratios.len() > 1 {
            return Err(Keep::OfAttempts);
        }
        Ok(response)
    }

    /// The response for one job, where today's rules give about so many GiB; `None` if it gets no destination with any value.
    fn of_job(&self, line: &[u8], today: f64) -> Result<Option<Response>, Keep> {
        let Ok(Json::Object(job)) = serde_json::from_slice::<Json>(line) else { return Ok(None) };
        let ask = |value: f64| self.attempts(&job, value);
        let first = |value: f64| ask(value).first().map(|given| given.memory);
        // A value with which the job gets a destination: limits lie to both sides of it.
        let mut accepted = None;
        for power in 0..=20 {
            for value in [2_f64.powi(power), 2_f64.powi(-power)] {
                if accepted.is_none() && value > RANGE.0 && first(value).is_some() {
                    accepted = Some(value);
                }
            }
        }
        let Some(accepted) = accepted else { return Ok(None) };
        let (mut least, mut floor) = (0.0, 0.0);
        match first(RANGE.0) {
            Some(given) if given > 2.0 * RANGE.0 => floor = given,
            Some(_) => {}
            None => least = limit(accepted, RANGE.0, &|value| first(value).is_some()),
        }
        let (mut most, mut beyond) = (f64::INFINITY, Beyond::Refused);
        match first(RANGE.1) {
            Some(given) if given < 0.5 * RANGE.1 => (most, beyond) = (given, Beyond::Capped),
            Some(_) => {}
            None => {
                let value = limit(accepted, RANGE.1, &|value| first(value).is_some());
                most = first(value).unwrap_or(value);
            }
        }
        // A value that is above the floor, and so small that its attempts reach no limit where that can be.
        let value = floor.max(least).max(0.1);
        let given = ask(value);
        let [one, ..] = given.as_slice() else { return Err(Keep::WithoutEffect) };
        let other = first((value * 1.05).min(most)).unwrap_or_default();
        if other < one.memory || (one.memory - other).abs() < 1e-9 && most > value * 1.1 {
            return Err(Keep::WithoutEffect);
        }
        // Where a rule sets the memory of further attempts, they do not follow the value: then the ratios are those to today's value, above which few
        // proposals are.
        let today = today.clamp(value, most.max(value));
        let by_today = ask(today);
        let ratio = |(at, given): (usize, &Given)| {
            let by_today = by_today.get(at).map_or(f64::INFINITY, |given| given.memory / today);
            (given.memory / value).min(by_today)
        };
        let ratios = given.iter().enumerate().map(ratio).collect();
        Ok(Some(Response { ratios, floor, least, most, beyond }))
    }

    /// The attempts of a job that is killed each time.
    fn attempts(&self, job: &serde_json::Map<String, Json>, value: f64) -> Vec<Given> {
        let mut job = job.clone();
        job.entry("seed").or_insert_with(|| json!(0));
        let fields = job.entry("job").or_insert_with(|| json!({}));
        if let Json::Object(fields) = fields {
            fields.insert(ATTRIBUTE.to_owned(), json!(value));
        }
        let Ok(job) = Job::parse(&Json::Object(job).to_string()) else { return Vec::new() };
        let job = Arc::new(job.first_mapped());
        let answer = self.mapper.map(&job, self.world);
        attempts(self.mapper, self.world, &job, answer, |_| false)
    }
}

/// The response that both allow.
fn narrower(one: Response, other: Response) -> Response {
    let ratios = one.ratios.iter().zip(&other.ratios).map(|(one, other)| one.min(*other));
    Response {
        ratios: ratios.collect(),
        floor: one.floor.max(other.floor),
        least: one.least.max(other.least),
        most: one.most.min(other.most),
        beyond: if one.most <= other.most { one.beyond } else { other.beyond },
    }
}

/// The last value that is accepted on the way from an accepted one to another that is not, with three digits if such a number is.
fn limit(accepted: f64, refused: f64, is_accepted: &dyn Fn(f64) -> bool) -> f64 {
    let (mut inside, mut outside) = (accepted, refused);
    for _ in 0..HALVINGS {
        let middle = (inside * outside).sqrt();
        if is_accepted(middle) {
            inside = middle;
        } else {
            outside = middle;
        }
    }
    // Limits are round numbers.
    let round = format!("{outside:.2e}").parse().unwrap_or(inside);
    if (round / inside - 1.0).abs() < 0.01 && is_accepted(round) { round } else { inside }
}
