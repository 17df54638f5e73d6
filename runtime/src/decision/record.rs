//! From the steps of a mapping to a decision.

use std::rc::Rc;
use std::sync::Arc;

use tpv_galaxy::answer::{Answer, Field};
use tpv_galaxy::helpers::recorded_input_size;
use tpv_galaxy::job::Job;
use tpv_galaxy::json::{Json, Reader, text_of};
use tpv_model::{EntityClass, Quantity, Resource};
use tpv_python::exception::PyResult;
use tpv_python::value::Value;
use tpv_python::vm::Vm;

use super::{Amount, Candidate, Decision, Fired, Head, Outcome, Passed, Rejected};
use crate::artifact::Rules;
use crate::first_line::first_line;
use crate::mapper::Mapped;
use crate::mapper::entity::Entity;
use crate::mapper::explain::{Because, Observer, Step, number, reasons};
use crate::mapper::places::ConfigPlace;
use crate::mapper::tags::TagNames;
use crate::mapper::trace::Trace;

/// The most entries that a decision keeps of any list: code may make any number of them.
const MOST: usize = 256;
/// The most destinations whose reasons are kept: most configs have many that other tools' tags are for.
const MOST_REJECTED: usize = 6;
/// The most characters of a text.
const LONGEST: usize = 400;

/// An observer that notes a decision. It takes numbers and entities as they are, and makes no text before the end.
pub struct Recorder {
    rules: Arc<Rules>,
    names: Rc<TagNames>,
    decision: Decision,
    /// The setters of each quantity: the job's, then those of the destination that is tried.
    setters: [Option<Setter>; Quantity::COUNT],
    of_job: [Option<Setter>; Quantity::COUNT],
    /// The values before clamps, of those that a clamp changed.
    asked: [Option<f64>; Quantity::COUNT],
    evaluated: Option<Rc<Entity>>,
    refused: Vec<(Rc<Entity>, Rc<Entity>)>,
    rule: Option<Rc<Entity>>,
    trying: Option<Rc<Entity>>,
    at: Option<String>,
}

/// The entity or rule that set an amount, and the place of the value.
#[derive(Clone)]
struct Setter {
    class: EntityClass,
    id: Value,
    because: Option<Because>,
    site: u32,
}

impl Recorder {
    /// For one mapping by these rules.
    pub fn new(rules: Arc<Rules>) -> Self {
        Self {
            rules,
            names: Rc::default(),
            decision: Decision::default(),
            setters: [const { None }; Quantity::COUNT],
            of_job: [const { None }; Quantity::COUNT],
            asked: [None; Quantity::COUNT],
            evaluated: None,
            refused: Vec::new(),
            rule: None,
            trying: None,
            at: None,
        }
    }

    /// The decision, after the mapping gave this answer.
    pub fn of_answer(self, answer: &Answer) -> Decision {
        self.ended(End::of_answer(answer))
    }

    /// The decision, after the mapping ended so.
    pub fn ended(mut self, end: End) -> Decision {
        let End { mut outcome, got } = end;
        if let Outcome::Error { at, .. } = &mut outcome {
            *at = self.at.take();
        }
        self.decision.outcome = outcome;
        self.finish(got)
    }

    fn finish(mut self, got: Option<[Option<f64>; Quantity::COUNT]>) -> Decision {
        let mut amounts: [Amount; Quantity::COUNT] = std::array::from_fn(|_| Amount::default());
        let parts = amounts.iter_mut().zip(&self.setters).zip(Quantity::ALL).zip(self.asked).enumerate();
        for (index, (((amount, setter), quantity), asked)) in parts {
            let evaluated = self.evaluated.as_ref().and_then(|entity| number(entity.resource(quantity.resource())));
            amount.got = got.map_or(evaluated, |got| got.get(index).copied().flatten());
            amount.asked = asked.or(evaluated).or(amount.got);
            amount.by = setter.as_ref().map(Setter::name);
            amount.at = setter.as_ref().and_then(|setter| self.place(setter.site));
        }
        let (rejected, more) = self.rejected();
        if more > 0 {
            self.decision.cut.push(("rejected".to_owned(), i64::try_from(more).unwrap_or(i64::MAX)));
        }
        Decision { amounts, rejected, ..self.decision }
    }

    /// The nearest of the destinations that cannot take the job, with the number of the others. Those whose tags fit lack an amount, and stand first.
    fn rejected(&self) -> (Vec<Rejected>, usize) {
        let is_concrete = |(destination, _): &&(Rc<Entity>, Rc<Entity>)| {
            matches!(destination.is_abstract, Value::Bool(false) | Value::None)
        };
        let (near, far): (Vec<_>, Vec<_>) =
            (self.refused.iter().filter(is_concrete)).partition(|(destination, entity)| destination.fits(&entity.tags));
        let all = near.len() + far.len();
        let nearest = near.into_iter().chain(far).take(MOST_REJECTED);
        let mut rejected: Vec<Rejected> = nearest
            .map(|(destination, entity)| {
                let reasons = reasons(destination, entity, &self.names);
                Rejected { id: shown(&destination.id), reasons }
            })
            .collect();
        rejected.sort_by_key(|one| one.reasons.len());
        let more = all - rejected.len();
        (rejected, more)
    }

    /// The file and line of a site.
    fn place(&self, site: u32) -> Option<String> {
        ConfigPlace::of_site(&self.rules, site).map(|place| place.file_and_line())
    }

    fn set(&mut self, entity: &Entity, named: &Entity, because: Option<Because>, before: Option<&Entity>) {
        for (setter, quantity) in self.setters.iter_mut().zip(Quantity::ALL) {
            let resource: Resource = quantity.resource();
            let value = entity.resource(resource);
            if value.is_none() || before.is_some_and(|before| before.resource(resource).is(value)) {
                continue;
            }
            let code = match value {
                Value::Str(text) => text.code().map(|code| code.site),
                _ => None,
            };
            let site = code.unwrap_or(named.site);
            *setter = Some(Setter { class: named.class, id: named.id.clone(), because, site });
        }
    }

    fn fire(&mut self, rule: &Entity, failed: bool) {
        if self.decision.fired.len() < MOST {
            let destination = self.trying.as_ref().map(|destination| shown(&destination.id));
            let at = self.place(rule.site);
            self.decision.fired.push(Fired { rule: shown(&rule.id), at, destination, failed });
        }
    }

    /// Records that an exception ended the rule that was being applied.
    fn end_rule(&mut self) {
        if let Some(rule) = self.rule.take() {
            self.fire(&rule, true);
        }
    }
}

/// The end of a mapping, without the values that it came from.
pub struct End {
    outcome: Outcome,
    got: Option<[Option<f64>; Quantity::COUNT]>,
}

impl End {
    /// The end that an answer reports.
    pub fn of_answer(answer: &Answer) -> Self {
        let Some((kind, message)) = answer.error() else {
            let id = answer.text(Field::Id).unwrap_or_default();
            let name = Reader::new(id).string().map_or_else(|_| short(id), |text| short(&text));
            let got = Quantity::ALL.map(|quantity| answer.number(quantity.into()));
            return Self { outcome: Outcome::Destination(name), got: Some(got) };
        };
        let message = match message {
            Json::Str(text) => short(text),
            other => short(&text_of(other)),
        };
        Self { outcome: Outcome::Error { kind: short(kind), message, at: None }, got: None }
    }

    /// The end of a mapping of live objects.
    pub fn of_values(vm: &mut Vm, mapped: &PyResult<&Mapped>) -> Self {
        match mapped {
            Ok(mapped) => {
                let got = mapped.amounts.each_ref().map(number);
                Self { outcome: Outcome::Destination(shown(&mapped.dest_name)), got: Some(got) }
            }
            Err(_) => Self::of_answer(&Mapped::answer(vm, mapped)),
        }
    }
}

impl Setter {
    fn name(&self) -> String {
        match self.because {
            Some(Because::Wrapper) => "the tool's wrapper".to_owned(),
            _ => [self.class.noun(), " ", &shown(&self.id)].concat(),
        }
    }
}

impl Observer for Recorder {
    fn reads(&self) -> bool {
        false
    }

    fn step(&mut self, step: Step<'_>) {
        match step {
            Step::OnceMore { reason, .. } => {
                *self = Self::new(self.rules.clone());
                self.decision.once_more = Some(short(reason));
            }
            Step::InCpython { blocks } => {
                let places = blocks.iter().filter_map(|block| block.site).filter_map(|site| self.place(site));
                self.decision.cpython = places.take(MOST).collect();
            }
            Step::Start { names } => self.names = names.clone(),
            Step::Lookup { found, .. } => {
                for found in found {
                    let setter = Setter {
                        class: found.entity.class,
                        id: found.entity.id.clone(),
                        because: Some(found.because),
                        site: found.entity.site,
                    };
                    if self.decision.entities.len() < MOST {
                        self.decision.entities.push(setter.name());
                    }
                    self.set(&found.entity, &found.entity, Some(found.because), None);
                }
            }
            Step::Rule { rule, matched, .. } => {
                self.end_rule();
                self.rule = matched.then(|| rule.clone());
            }
            Step::Applied { rule, before, after } => {
                let Some(matched) = self.rule.take() else { return };
                self.fire(&matched, false);
                // What `execute` leaves is a whole entity: only what it changed is its own.
                if Rc::ptr_eq(rule, &matched) {
                    self.set(rule, &matched, None, None);
                } else {
                    self.set(after, &matched, None, Some(before));
                }
            }
            Step::Clamped { resource, asked, .. } => {
                for (place, quantity) in self.asked.iter_mut().zip(Quantity::ALL) {
                    if quantity.resource() == resource {
                        *place = number(asked);
                    }
                }
            }
            Step::Resources { evaluated, .. } => {
                if self.trying.is_none() {
                    self.of_job = self.setters.clone();
                }
                self.evaluated = Some(evaluated.clone());
            }
            Step::Destination { destination, entity, matched: false } => {
                self.refused.push((destination.clone(), entity.clone()));
            }
            Step::Ranked { candidates, entity, version } => {
                let scores = !matches!(entity.single(tpv_model::Field::Rank), Value::Str(text) if !text.is_empty());
                let of = |candidate: &Rc<Entity>| Candidate {
                    id: shown(&candidate.id),
                    score: scores.then(|| candidate.dest_tags().score(&entity.tags, version)),
                };
                self.decision.candidates = candidates.iter().take(MOST).map(of).collect();
            }
            Step::Trying { candidate } => {
                self.setters = self.of_job.clone();
                self.asked = [None; Quantity::COUNT];
                self.set(candidate, candidate, None, None);
                self.trying = Some(candidate.clone());
            }
            Step::Passed { candidate, raised, trace } => {
                self.end_rule();
                if self.decision.passed.len() < MOST {
                    let at = trace.and_then(Trace::place).map(ConfigPlace::file_and_line);
                    let what = short(&format!("{raised:?}"));
                    self.decision.passed.push(Passed { id: short(candidate), what, at });
                }
            }
            Step::Pool { pool, step } if self.decision.pools.len() < MOST => {
                let pool = pool.map(|pool| shown(&pool.id));
                self.decision.pools.push(short(&step.message(pool.as_deref())));
            }
            Step::InputSize { size } => self.decision.head.input_size = number(size),
            Step::Raised { trace, .. } => {
                self.end_rule();
                self.at = trace.and_then(Trace::place).map(ConfigPlace::file_and_line);
            }
            _ => {}
        }
    }
}

impl Head {
    /// The circumstances that the line of a job gives.
    pub fn of_job(job: &Job) -> Self {
        let id = Json::read(&mut Reader::new(&job.id)).unwrap_or(Json::Null);
        let mut read = Vec::new();
        let texts = |places: &mut dyn Iterator<Item = &str>| Json::List(places.take(MOST).map(Json::str).collect());
        if let Some(user) = &job.user {
            let mut roles = user.roles.iter().filter(|role| !role.deleted).map(|role| job.text(role.name));
            read.push(("roles".to_owned(), texts(&mut roles)));
        }
        if let Some(history) = &job.history
            && !history.tags.is_empty()
        {
            read.push(("tags".to_owned(), texts(&mut history.tags.iter().map(|(name, _)| job.text(*name)))));
        }
        Self {
            job: if id == Json::Null { Json::Int(job.job_id) } else { id },
            dispatcher: job.dispatcher.flatten().map(|place| job.text(place).to_owned()),
            seed: job.seed.as_ref().map(ToString::to_string),
            tool: job.tool_id().to_owned(),
            version: job.tool.version.map(|version| job.text(version).to_owned()),
            input_size: recorded_input_size(job),
            user: job.user.as_ref().map(|user| user.id),
            read,
            ..Self::default()
        }
    }
}

fn short(text: &str) -> String {
    first_line(text, LONGEST)
}

/// An id, which is a string unless code set another.
fn shown(value: &Value) -> String {
    match value {
        Value::Str(text) => short(text),
        Value::Int(number) => number.to_string(),
        other => format!("<{}>", other.type_name().as_str()),
    }
}
