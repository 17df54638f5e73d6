//! From the steps of a mapping to an explanation.

use std::rc::Rc;

use tpv_galaxy::answer::Answer;
use tpv_galaxy::job::{Job, Size};
use tpv_galaxy::json::Json;
use tpv_model::field::Parts;
use tpv_model::merge::env_subject;
use tpv_model::{Amount, EntityClass, Field, Quantity, Resource, TagType};
use tpv_python::value::Value;
use tpv_runtime::mapper::entity::Entity;
use tpv_runtime::mapper::explain::{self, Because, Observer, Read, Reason, Step, reasons};
use tpv_runtime::mapper::places::ConfigPlace;
use tpv_runtime::mapper::tags::TagNames;
use tpv_runtime::mapper::trace::Trace;

use super::provenance::Provenance;
use super::show::{MAX_SHOWN_OF_ALL, show};
use super::{
    Candidate, Change, Explanation, Found, InCpython, Lookup, Pool, Property, Rule, RuleState, Tried, Unset, Verdict,
    show_json,
};

/// An observer that records every step.
pub struct Collector<'a> {
    provenance: &'a Provenance<'a>,
    names: Rc<TagNames>,
    explanation: Explanation,
    /// The fields that each entity and rule sets, in the order in which they are applied.
    contributions: Vec<Contribution>,
    /// The number of them that belong to the job itself; those after it belong to the destination being tried.
    of_job: usize,
    rule: Option<Rc<Entity>>,
    condition: Option<(Rc<Entity>, Vec<Read>)>,
    trying: Option<String>,
    evaluated: Option<Rc<Entity>>,
    clamped: Vec<(Resource, String)>,
    trace: Option<Trace>,
}

/// The values that an entity or rule sets.
struct Contribution {
    /// The entity or rule, as in `tool bwa.*`.
    by: String,
    site: u32,
    values: Vec<FieldValue>,
}

/// A value that an entity itself has.
#[derive(Clone, PartialEq)]
struct FieldValue {
    field: Field,
    name: String,
    text: String,
    site: Option<u32>,
}

impl<'a> Collector<'a> {
    /// For one job.
    pub fn new(provenance: &'a Provenance<'a>, job: &Job, sources: Vec<String>) -> Self {
        Self::of(provenance, Explanation { job: facts(job), sources, ..Explanation::default() })
    }

    /// For a job of live objects, of which only what the mapping asks for is known.
    pub fn of_objects(provenance: &'a Provenance<'a>) -> Self {
        Self::of(provenance, Explanation::default())
    }

    /// For an explanation that has nothing of the mapping yet.
    fn of(provenance: &'a Provenance<'a>, explanation: Explanation) -> Self {
        Self {
            provenance,
            names: Rc::default(),
            explanation,
            contributions: Vec::new(),
            of_job: 0,
            rule: None,
            condition: None,
            trying: None,
            evaluated: None,
            clamped: Vec::new(),
            trace: None,
        }
    }

    /// The origin of the exception that ended the job.
    pub fn trace(&self) -> Option<&Trace> {
        self.trace.as_ref()
    }

    /// The explanation, after the mapping gave this answer.
    pub fn finish(mut self, answer: &Answer) -> Explanation {
        let mut values = self.values();
        if let Some(destination) = answer.destination() {
            for property in &mut values {
                let evaluated = match property.field {
                    Field::Env => env_value(&destination.env, &property.name),
                    Field::Params => destination.params.get(&property.name),
                    _ => None,
                };
                property.value = evaluated.map_or_else(|| property.value.clone(), show_json);
            }
        }
        self.explanation.values = values;
        self.explanation.outcome = Verdict::of(answer, self.trace);
        self.explanation
    }

    fn contribute(&mut self, by: String, entity: &Entity, values: Vec<FieldValue>) {
        self.contributions.push(Contribution { by, site: entity.site, values });
    }

    fn values(&self) -> Vec<Property> {
        let mut values: Vec<Property> = Vec::new();
        for contribution in &self.contributions {
            for value in &contribution.values {
                let change = self.change(&contribution.by, contribution.site, value);
                let same = |property: &&mut Property| property.field == value.field && property.name == value.name;
                match values.iter_mut().find(same) {
                    // An entity that inherits a value repeats what is written elsewhere.
                    Some(property) if property.history.last().is_some_and(|last| repeats(&change, last)) => {}
                    Some(property) => {
                        property.value = change.value.clone();
                        property.history.push(change);
                    }
                    None => values.push(Property {
                        field: value.field,
                        name: value.name.clone(),
                        value: change.value.clone(),
                        history: vec![change],
                        note: None,
                    }),
                }
            }
        }
        if let Some(evaluated) = &self.evaluated {
            for resource in Resource::ALL {
                if let Some(property) =
                    values.iter_mut().find(|property| property.field == Field::Amount(resource.into()))
                {
                    property.value = show(evaluated.resource(resource));
                }
            }
        }
        for (resource, note) in &self.clamped {
            if let Some(property) =
                values.iter_mut().find(|property| property.field == Field::Amount((*resource).into()))
            {
                property.note = Some(note.clone());
            }
        }
        let order = |field: Field| shown_order().position(|known| known == field).unwrap_or(usize::MAX);
        values.sort_by_key(|property| order(property.field));
        values
    }

    /// A value as the setting of an entity or rule.
    fn change(&self, by: &str, site: u32, value: &FieldValue) -> Change {
        let place = match value.site {
            Some(site) => self.provenance.site(site),
            None => self.provenance.field(site, value.field, &value.name),
        };
        Change { by: by.to_owned(), value: value.text.clone(), is_code: value.site.is_some(), place }
    }

    /// The values that a rule which did not fire would have set.
    fn unset(&self, rule: &Entity) -> Vec<Unset> {
        let by = format!("rule {}", show(&rule.id));
        let unset = |value: FieldValue| {
            let change = self.change(&by, rule.site, &value);
            Unset { field: value.field, name: value.name, change }
        };
        let mut out: Vec<Unset> = self.own(rule).into_iter().map(unset).collect();
        if let Value::Str(code) = rule.single(Field::Execute) {
            let place = code.code().and_then(|code| self.provenance.site(code.site));
            let change = Change { by, value: code.as_str().trim().to_owned(), is_code: true, place };
            out.push(Unset { field: Field::Execute, name: String::new(), change });
        }
        out
    }

    /// The values that an entity has and another has not, or has otherwise.
    fn changed(&self, before: &Entity, after: &Entity) -> Vec<FieldValue> {
        let old = self.own(before);
        self.own(after).into_iter().filter(|value| !old.contains(value)).collect()
    }

    /// The values that an entity itself has.
    fn own(&self, entity: &Entity) -> Vec<FieldValue> {
        let mut values = Vec::new();
        let mut room = MAX_SHOWN_OF_ALL;
        let mut put = |field: Field, name: String, value: &Value| {
            if value.is_none() {
                return;
            }
            let site = match value {
                Value::Str(text) => text.code().map(|code| code.site),
                _ => None,
            };
            let text = if room > 0 { show(value) } else { "...".to_owned() };
            room = room.saturating_sub(name.len() + text.len());
            values.push(FieldValue { field, name, text, site });
        };
        for field in Field::common_in(Parts::Whole).filter(|field| !matches!(field, Field::Amount(Amount::Limit(_)))) {
            entity.value(field).iter().for_each(|value| put(field, String::new(), value));
        }
        for field in Field::common_in(Parts::Entries) {
            match entity.value(field) {
                Some(Value::List(list)) if field == Field::Env => {
                    for entry in list.items.borrow().iter() {
                        let Value::Dict(entry) = entry else { continue };
                        let items = entry.items();
                        let named = env_subject(&items, |(key, _)| show(key) == "name");
                        let value = items.iter().find(|(key, _)| show(key) != "name").or(named);
                        if let (Some((_, name)), Some((_, value))) = (named, value) {
                            put(field, show(name), value);
                        }
                    }
                }
                Some(Value::Dict(dict)) if field != Field::Env => {
                    dict.items().iter().for_each(|(key, value)| put(field, show(key), value));
                }
                _ => {}
            }
        }
        if entity.class == EntityClass::Destination {
            entity.value(Field::Runner).iter().for_each(|value| put(Field::Runner, String::new(), value));
        }
        for kind in TagType::ALL {
            for id in entity.tags.list(kind) {
                let name = self.names.name(*id).as_str().to_owned();
                values.push(FieldValue { field: Field::Tags, name, text: kind.field().to_owned(), site: None });
            }
        }
        values
    }

    fn place(&self, entity: &Entity) -> Option<ConfigPlace> {
        self.provenance.site(entity.site)
    }
}

/// The fields in the order that their values are shown in, at the first place that they have here; others follow.
fn shown_order() -> impl Iterator<Item = Field> {
    let asked = Quantity::ALL.into_iter().map(Quantity::resource);
    let bounds = Quantity::ALL.into_iter().flat_map(|quantity| [quantity.least(), quantity.most()]);
    let amounts = asked.chain(bounds).chain(Resource::DEFINITION).map(|resource| Field::Amount(resource.into()));
    let others = [Field::Runner, Field::Tags, Field::Rank, Field::Env, Field::Params, Field::Resubmit, Field::Context];
    amounts.chain(others)
}

impl Observer for Collector<'_> {
    fn step(&mut self, step: Step<'_>) {
        match step {
            Step::OnceMore { reason, .. } => {
                let Explanation { job, sources, .. } = std::mem::take(&mut self.explanation);
                let once_more = Some(reason.to_owned());
                *self = Self::of(self.provenance, Explanation { job, sources, once_more, ..Explanation::default() });
            }
            Step::InCpython { blocks } => {
                let block = |block: &explain::InCpython| InCpython {
                    place: block.site.and_then(|site| self.provenance.site(site)),
                    reason: block.reason.clone(),
                };
                self.explanation.in_cpython = blocks.iter().map(block).collect();
            }
            Step::Start { names } => self.names = names.clone(),
            Step::Lookup { section, name, found } => {
                let noun = section.trim_end_matches('s');
                let mut list = Vec::new();
                for found in found {
                    let id = match found.because {
                        Because::Wrapper => "-".to_owned(),
                        _ => show(&found.entity.id),
                    };
                    let (by, because) = match found.because {
                        Because::Default => (format!("{noun} {id}"), "default_inherits"),
                        Because::Wrapper => ("the tool's wrapper".to_owned(), "the tool's wrapper"),
                        Because::Pattern => (format!("{noun} {id}"), "matches"),
                    };
                    let place = self.place(&found.entity);
                    list.push(Found { id, place, because });
                    let values = self.own(&found.entity);
                    self.contribute(by, &found.entity, values);
                }
                self.explanation.lookups.push(Lookup { section, name: name.to_owned(), found: list });
            }
            Step::Combined { .. } => self.of_job = self.contributions.len(),
            Step::Condition { rule, reads } => self.condition = Some((rule.clone(), reads.to_vec())),
            Step::Rule { rule, value, matched } => {
                let reads = self.condition.take().map_or_else(Vec::new, |(_, reads)| reads);
                let state = if matched { RuleState::Fired } else { RuleState::NotFired };
                self.push_rule(rule, show(value), state, reads);
                self.rule = matched.then(|| rule.clone());
            }
            Step::Applied { rule, before, after } => {
                let Some(matched) = self.rule.take() else { return };
                // What `execute` leaves is a whole entity: only what it changed is its own.
                let values = if Rc::ptr_eq(rule, &matched) { self.own(rule) } else { self.changed(before, after) };
                self.contribute(format!("rule {}", show(&matched.id)), &matched, values);
                if self.trying.is_none() {
                    self.of_job = self.contributions.len();
                }
            }
            Step::Clamped { resource, asked, value } => {
                let bound = if is_less(asked, value) { "min" } else { "max" };
                let unit = Field::Amount(resource.into()).unit_suffix();
                let note = format!("{}{unit} became {}{unit} by {bound}_{}", show(asked), show(value), resource.name());
                self.clamped.retain(|(known, _)| *known != resource);
                self.clamped.push((resource, note));
            }
            Step::Resources { evaluated, .. } => self.evaluated = Some(evaluated.clone()),
            Step::Destination { destination, entity, matched } => {
                let reasons = if matched { Vec::new() } else { reasons(destination, entity, &self.names) };
                let is_abstract = reasons.contains(&Reason::Abstract);
                let mut texts: Vec<String> = reasons.iter().map(|reason| self.reason(reason, destination)).collect();
                if !matched && texts.is_empty() {
                    texts.push("it does not match".to_owned());
                }
                self.explanation.destinations.push(Candidate {
                    id: show(&destination.id),
                    place: self.place(destination),
                    is_abstract,
                    reasons: texts,
                    score: None,
                    rank: None,
                });
            }
            Step::Ranked { candidates, entity, version } => {
                // Where an expression ranks them, the score of their tags has no effect.
                let scores = !matches!(entity.single(Field::Rank), Value::Str(text) if !text.is_empty());
                for (index, candidate) in candidates.iter().enumerate() {
                    let id = show(&candidate.id);
                    let known = self.explanation.destinations.iter_mut().find(|known| known.id == id);
                    if let Some(known) = known {
                        known.rank = known.rank.or(Some(index + 1));
                        known.score = scores.then(|| candidate.dest_tags().score(&entity.tags, version));
                    }
                }
                if let Value::Str(text) = entity.single(Field::Rank)
                    && !text.is_empty()
                {
                    let place = text.code().and_then(|code| self.provenance.site(code.site));
                    self.explanation.ranked_by = Some((text.as_str().to_owned(), place));
                }
            }
            Step::Trying { candidate } => {
                self.contributions.truncate(self.of_job);
                self.clamped.clear();
                let id = show(&candidate.id);
                let values = self.own(candidate);
                self.contribute(format!("destination {id}"), candidate, values);
                self.trying = Some(id);
            }
            Step::Passed { candidate, raised, trace } => {
                self.end_rule();
                let what = format!("passed it on: {raised:?}");
                self.explanation.tried.push(Tried {
                    id: candidate.to_owned(),
                    what,
                    place: trace.and_then(Trace::place).cloned(),
                });
            }
            Step::Pool { pool, step } => {
                let id = pool.map(|pool| show(&pool.id));
                self.explanation.pools.push(Pool {
                    what: step.message(id.as_deref()),
                    detail: step.detail(),
                    place: pool.and_then(|pool| self.place(pool)),
                    id,
                });
            }
            Step::Chosen { candidate } => {
                let what = "chosen".to_owned();
                self.explanation.tried.push(Tried { id: candidate.to_owned(), what, place: None });
            }
            Step::Raised { trace, .. } => {
                self.end_rule();
                self.trace = trace.cloned();
            }
            _ => {}
        }
    }
}

impl Collector<'_> {
    fn push_rule(&mut self, rule: &Entity, value: String, state: RuleState, reads: Vec<Read>) {
        let condition = rule.value(Field::If).map_or_else(String::new, |condition| show(&condition));
        let unset = if state == RuleState::NotFired { self.unset(rule) } else { Vec::new() };
        self.explanation.rules.push(Rule {
            id: show(&rule.id),
            place: self.place(rule),
            condition: condition.trim().to_owned(),
            value,
            state,
            reads,
            destination: self.trying.clone(),
            unset,
        });
    }

    /// Records that an exception ended the rule that was being applied.
    fn end_rule(&mut self) {
        if let Some((rule, reads)) = self.condition.take() {
            self.push_rule(&rule, String::new(), RuleState::Raised, reads);
        }
        if self.rule.take().is_some()
            && let Some(last) = self.explanation.rules.last_mut()
        {
            last.state = RuleState::Failed;
        }
    }

    /// A reason in words, with the place of what refuses.
    fn reason(&self, reason: &Reason, destination: &Entity) -> String {
        let at = |field: Field, name: &str| match self.provenance.field(destination.site, field, name) {
            Some(place) => format!(" ({}:{})", place.file, place.line),
            None => String::new(),
        };
        match reason {
            Reason::Abstract => "it is abstract".to_owned(),
            Reason::Limit { limit, bound, resource, wanted } => {
                let relation = if limit.is_upper() { "more" } else { "less" };
                let (name, place) = (limit.name(), at(Field::Amount((*limit).into()), ""));
                let unit = limit.quantity().suffix();
                format!("{} {wanted}{unit} is {relation} than {name} {bound}{unit}{place}", resource.name())
            }
            Reason::DestinationLacks(tag) => format!("the destination lacks the tag `{tag}`, which the job requires"),
            Reason::EntityLacks(tag) => {
                format!("it requires the tag `{tag}`, which the job does not have{}", at(Field::Tags, tag))
            }
            Reason::EntityRejects(tag) => format!("the job rejects its tag `{tag}`{}", at(Field::Tags, tag)),
            Reason::DestinationRejects(tag) => format!("it rejects the job's tag `{tag}`{}", at(Field::Tags, tag)),
        }
    }
}

/// Returns `true` if a change repeats the one before it, from the very same place.
fn repeats(change: &Change, last: &Change) -> bool {
    change.value == last.value && change.place.is_some() && change.place == last.place
}

fn is_less(a: &Value, b: &Value) -> bool {
    match (show(a).parse::<f64>(), show(b).parse::<f64>()) {
        (Ok(a), Ok(b)) => a < b,
        // No number was asked for: the lower bound took its place.
        _ => true,
    }
}

/// The value of an element of `env`.
fn env_value<'a>(env: &'a Json, name: &str) -> Option<&'a Json> {
    let Json::List(entries) = env else { return None };
    let entry = entries.iter().find(|entry| entry.get("name") == Some(&Json::str(name)))?;
    entry.get("value")
}

/// The job's attributes.
fn facts(job: &Job) -> Vec<(&'static str, String)> {
    let mut facts = vec![("tool", job.text(job.tool.id).to_owned())];
    if let Some(version) = job.tool.version {
        facts.push(("version", job.text(version).to_owned()));
    }
    match &job.user {
        Some(user) => {
            facts.push(("user", user.email.map_or_else(|| user.username(job), |email| job.text(email)).to_owned()));
            let roles: Vec<&str> = user.roles.iter().map(|role| job.text(role.name)).collect();
            if !roles.is_empty() {
                facts.push(("roles", roles.join(", ")));
            }
        }
        None => facts.push(("user", "none: the job is anonymous".to_owned())),
    }
    if let Some(history) = &job.history
        && !history.tags.is_empty()
    {
        let tags: Vec<&str> = history.tags.iter().map(|(name, _)| job.text(*name)).collect();
        facts.push(("history tags", tags.join(", ")));
    }
    let sizes = job.input_datasets.iter().filter_map(|input| input.size.map(Size::to_float));
    let bytes = sizes.fold(0.0, |total, size| total + size);
    facts.push(("inputs", format!("{} with {:.2} GiB", job.input_datasets.len(), bytes / f64::from(1 << 30))));
    facts.push(("state", job.state().to_owned()));
    facts
}
