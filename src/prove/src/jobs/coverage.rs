//! Coverage by a job: the outcomes of conditions, the destinations that refuse it or take it, the amounts that it gets.

use std::collections::{BTreeSet, HashSet};

use tpv_galaxy::answer::Answer;
use tpv_model::{Quantity, Resource};
use tpv_python::value::Value;
use tpv_runtime::artifact::tables::{Tables, ValueRow};
use tpv_runtime::mapper::entity::Entity;
use tpv_runtime::mapper::explain::{Observer, Step};

/// One thing that a job does.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Key {
    /// The condition of the rule at a site, and its outcome.
    Rule(u32, bool),
    /// An entity at a site was found.
    Found(u32),
    /// A destination at a site, and whether it accepts the job.
    Destination(u32, bool),
    /// A destination was chosen.
    Chosen(Box<str>),
    /// A bound at a site's entity changed a resource.
    Clamped(Resource),
    /// An exception was raised at a place.
    Raised(Box<str>),
    /// A tool's entity at a site with the order of magnitude of the job's amounts.
    Amounts(u32, [i8; Quantity::COUNT]),
}

/// The things that one job does, and the code that may make it do something else.
#[derive(Debug, Default)]
pub(super) struct Covered {
    pub keys: HashSet<Key>,
    /// The texts of the code that looked at the job.
    pub texts: BTreeSet<Box<str>>,
    tool: u32,
}

impl Covered {
    /// Adds what the answer shows.
    pub(super) fn finish(&mut self, answer: &Answer) {
        let amounts = Quantity::ALL.map(|quantity| {
            #[expect(clippy::cast_possible_truncation, reason = "saturates")]
            let order =
                answer.number(quantity.into()).map_or(-1, |number| number.max(0.0).ln_1p().mul_add(2.0, 0.5) as i8);
            order
        });
        self.keys.insert(Key::Amounts(self.tool, amounts));
    }

    fn read(&mut self, value: &Value) {
        if let Value::Str(text) = value
            && text.code().is_some()
        {
            self.texts.insert(text.as_str().into());
        }
    }

    fn read_all(&mut self, entity: &Entity) {
        for resource in Resource::ALL {
            self.read(entity.resource(resource));
        }
        for (_, value) in entity.singles.iter() {
            self.read(value);
        }
    }
}

impl Observer for Covered {
    fn reads(&self) -> bool {
        false
    }

    fn step(&mut self, step: Step<'_>) {
        match step {
            Step::OnceMore { .. } => *self = Self::default(),
            Step::Lookup { section, found, .. } => {
                for one in found {
                    self.keys.insert(Key::Found(one.entity.site));
                }
                if let Some(last) = found.last().filter(|_| section == "tools") {
                    self.tool = last.entity.site;
                }
            }
            Step::Combined { entity } => self.read_all(entity),
            Step::Rule { rule, matched, .. } => {
                self.keys.insert(Key::Rule(rule.site, matched));
                self.read_all(rule);
            }
            Step::Destination { destination, matched, .. } => {
                self.keys.insert(Key::Destination(destination.site, matched));
            }
            Step::Chosen { candidate } => {
                self.keys.insert(Key::Chosen(candidate.into()));
            }
            Step::Clamped { resource, .. } => {
                self.keys.insert(Key::Clamped(resource));
            }
            Step::Raised { trace: Some(trace), .. } => {
                let place = trace.place().map(|place| format!("{}:{}:{}", place.file, place.line, place.column));
                self.keys.insert(Key::Raised(place.unwrap_or_default().into()));
            }
            _ => {}
        }
    }
}

/// The text of a condition.
pub(super) fn shown(value: &ValueRow, tables: &Tables) -> String {
    match value {
        ValueRow::Bool(value) => value.to_string(),
        ValueRow::Str(id) | ValueRow::Code(id, _) => tables.strings.get(*id as usize).cloned().unwrap_or_default(),
        _ => String::new(),
    }
}
