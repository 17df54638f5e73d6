//! Explanations of routing decisions, as data and as text, YAML, JSON or a page.

mod collect;
mod data;
mod html;
mod paint;
mod provenance;
mod show;
mod text;

use tpv_galaxy::answer::{Answer, Field};
use tpv_galaxy::json::Json;
use tpv_model::{self as model, Quantity, Resource};
use tpv_runtime::mapper::explain::Read;
use tpv_runtime::mapper::places::ConfigPlace;
use tpv_runtime::mapper::trace::Trace;

use tpv_text::printable::Form;

pub use collect::Collector;
pub(crate) use provenance::config_place;
pub use provenance::{Provenance, of_common, word_at};

/// A decision.
#[derive(Clone, Debug, Default)]
pub struct Explanation {
    /// The job's attributes: name and value.
    pub job: Vec<(&'static str, String)>,
    /// The config files, in load order.
    pub sources: Vec<String>,
    /// The searches for entities.
    pub lookups: Vec<Lookup>,
    /// The rules that were looked at, in order.
    pub rules: Vec<Rule>,
    /// The origin of the result's values.
    pub values: Vec<Property>,
    /// The destinations, in the config's order.
    pub destinations: Vec<Candidate>,
    /// The expression that ranked the candidates, if it is not the score.
    pub ranked_by: Option<(String, Option<ConfigPlace>)>,
    /// The candidates in the order they were tried.
    pub tried: Vec<Tried>,
    /// The job's outcome in resource pools, in order.
    pub pools: Vec<Pool>,
    /// The blocks that CPython ran.
    pub in_cpython: Vec<InCpython>,
    /// The feature that native code lacked, if the job was mapped again because of it.
    pub once_more: Option<String>,
    /// The result.
    pub outcome: Verdict,
}

/// A block that CPython ran.
#[derive(Clone, Debug)]
pub struct InCpython {
    /// The location; `None` for code created at run time.
    pub place: Option<ConfigPlace>,
    /// The reason, to follow "because".
    pub reason: String,
}

/// A search in a section.
#[derive(Clone, Debug)]
pub struct Lookup {
    /// `tools`, `roles` or `users`.
    pub section: &'static str,
    /// The name looked up.
    pub name: String,
    /// The entities found, each over those before it.
    pub found: Vec<Found>,
}

/// An entity that was found.
#[derive(Clone, Debug)]
pub struct Found {
    /// Its id.
    pub id: String,
    /// The location.
    pub place: Option<ConfigPlace>,
    /// The reason that it applies.
    pub because: &'static str,
}

/// A rule and what became of it.
#[derive(Clone, Debug)]
pub struct Rule {
    /// Its id.
    pub id: String,
    /// The location.
    pub place: Option<ConfigPlace>,
    /// Its condition.
    pub condition: String,
    /// The value of the condition.
    pub value: String,
    /// The outcome.
    pub state: RuleState,
    /// The values that the condition could read.
    pub reads: Vec<Read>,
    /// The destination that was tried at the time, for rules that count there only.
    pub destination: Option<String>,
    /// The values that it would have set, if it did not fire.
    pub unset: Vec<Unset>,
}

/// A value that a rule would have set.
#[derive(Clone, Debug)]
pub struct Unset {
    /// The field of the value, as of a [`Property`]; of code that would have run, `execute`.
    pub field: model::Field,
    /// The name within the field.
    pub name: String,
    /// The setting.
    pub change: Change,
}

/// The outcome of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleState {
    /// Its condition was true, and it was applied.
    Fired,
    /// Its condition was not true.
    NotFired,
    /// Its condition raised an exception.
    Raised,
    /// Its condition was true, and applying it raised an exception: `fail`, or `execute`.
    Failed,
}

impl RuleState {
    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Fired => "fired",
            Self::NotFired => "no",
            Self::Raised => "raised",
            Self::Failed => "failed",
        }
    }
}

/// The origin of a value.
#[derive(Clone, Debug)]
pub struct Property {
    /// The field: `cores`, `env`, `params`, `tags`, ...
    pub field: model::Field,
    /// The name within the field: a variable, a parameter, a tag; empty for `cores` and the like.
    pub name: String,
    /// The value that counts.
    pub value: String,
    /// The settings in order; the last one counts.
    pub history: Vec<Change>,
    /// The effect of bounds on it.
    pub note: Option<String>,
}

/// A value that an entity or rule set.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The entity or rule: `tool bwa.*`, `rule big`.
    pub by: String,
    /// An expression or a value.
    pub value: String,
    /// `true` if it is an expression.
    pub is_code: bool,
    /// The location.
    pub place: Option<ConfigPlace>,
}

/// A destination.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Its id.
    pub id: String,
    /// The location.
    pub place: Option<ConfigPlace>,
    /// `true` if it is abstract, which never takes a job.
    pub is_abstract: bool,
    /// The reasons that it cannot take the job. Empty if it can.
    pub reasons: Vec<String>,
    /// The score of its tags, if it matched and that ranks it.
    pub score: Option<i64>,
    /// Its place in the order, from 1.
    pub rank: Option<usize>,
}

/// A candidate that was tried.
#[derive(Clone, Debug)]
pub struct Tried {
    /// Its id.
    pub id: String,
    /// The outcome.
    pub what: String,
    /// The place at which it was decided.
    pub place: Option<ConfigPlace>,
}

/// Something about resource pools.
#[derive(Clone, Debug)]
pub struct Pool {
    /// The pool, or `None` for all pools.
    pub id: Option<String>,
    /// The step, in TPV's words.
    pub what: String,
    /// More of it, in lines.
    pub detail: Option<String>,
    /// The location of the pool.
    pub place: Option<ConfigPlace>,
}

/// The end.
#[derive(Clone, Debug, Default)]
pub enum Verdict {
    /// Not known yet.
    #[default]
    Open,
    /// A destination: its fields by Galaxy's names, and cores, mem and gpus.
    Mapped(Vec<(&'static str, Json)>),
    /// An exception.
    Failed {
        /// Its class.
        kind: String,
        /// Its message.
        message: String,
        /// The place in the config at which it was raised, with the calls that led there.
        trace: Option<Trace>,
    },
}

impl Verdict {
    /// The end that an answer tells.
    fn of(answer: &Answer, trace: Option<Trace>) -> Self {
        if let Some((kind, message)) = answer.error() {
            return Self::Failed { kind: kind.to_owned(), message: show_json(message), trace };
        }
        let amounts = Quantity::ALL.into_iter().map(|quantity| (quantity.name(), quantity.into()));
        let others =
            [("env", Field::Env), ("params", Field::Params), ("tags", Field::Tags), ("resubmit", Field::Resubmit)];
        let fields = [("id", Field::Id), ("runner", Field::Runner)].into_iter().chain(amounts).chain(others);
        Self::Mapped(fields.filter_map(|(name, field)| Some((name, answer.get(field)?))).collect())
    }
}

impl Explanation {
    /// As text: the result first, then what led to it.
    pub fn text(&self) -> String {
        text::text(self, None)
    }

    /// Returns `true` if an entity's id matches the job's tool.
    pub fn names_tool(&self) -> bool {
        let mut tools = self.lookups.iter().filter(|lookup| lookup.section == "tools");
        tools.any(|lookup| lookup.found.iter().any(|found| found.because == "matches"))
    }

    /// As text for a terminal of this width, if it has one: printable, with colours if they are wanted.
    pub fn painted(&self, width: Option<usize>, colour: bool) -> String {
        paint::painted(&Form::Text.of(&text::text(self, width)), width, colour)
    }

    /// As YAML.
    pub fn yaml(&self) -> String {
        tpv_config::json_as_yaml::yaml(&data::data(self), tpv_yaml::write::Layout::default())
    }

    /// As JSON, on one line.
    pub fn json(&self) -> String {
        let mut out = String::new();
        tpv_galaxy::json::write_text(&mut out, &data::data(self));
        out.push('\n');
        out
    }

    /// As a page of its own: no scripts, nothing to fetch.
    pub fn html(&self) -> String {
        html::page(self)
    }

    /// The destinations that matched by rank, then those that did not, fewest reasons first; without abstract ones.
    fn ordered_destinations(&self) -> Vec<&Candidate> {
        let mut ordered: Vec<&Candidate> =
            self.destinations.iter().filter(|candidate| !candidate.is_abstract).collect();
        ordered.sort_by_key(|candidate| {
            let refused = !candidate.reasons.is_empty();
            (refused, candidate.rank.unwrap_or(usize::MAX), candidate.reasons.len())
        });
        ordered
    }

    /// The ids of the abstract destinations.
    fn abstract_destinations(&self) -> Vec<&str> {
        self.destinations.iter().filter(|candidate| candidate.is_abstract).map(|candidate| &*candidate.id).collect()
    }
}

/// The fields of an answer that its summary shows.
fn shown_fields() -> impl Iterator<Item = &'static str> {
    ["runner"].into_iter().chain(Quantity::ALL.map(Quantity::name))
}

/// The value of a field of an answer with its unit, if it is a number with one.
fn with_unit_of(name: &str, value: &str) -> String {
    match Resource::from_name(name) {
        Some(resource) => with_unit(model::Field::Amount(resource.into()), value),
        None => value.to_owned(),
    }
}

/// The value of a field with its unit, if it is a number with one.
fn with_unit(field: model::Field, value: &str) -> String {
    match field.unit() {
        Some(unit) if value.parse::<f64>().is_ok() => format!("{value} {unit}"),
        _ => value.to_owned(),
    }
}

/// A value as people read it: strings bare.
fn show_json(value: &Json) -> String {
    match value {
        Json::Str(text) => text.to_string(),
        Json::Null => "none".to_owned(),
        other => {
            let mut text = String::new();
            tpv_galaxy::json::write_text(&mut text, other);
            text
        }
    }
}
