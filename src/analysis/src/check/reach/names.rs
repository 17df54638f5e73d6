//! The values of names in a job's code.

use std::sync::Arc;

use tpv_model::Resource;
use tpv_python::word_hash::WordMap;

use crate::check::domain::{Kinds, Names, Outcome, Value};
use tpv_config::entity::Dict;

use super::code::constant;

/// The possible values of a name of the context.
#[derive(Clone, Debug, PartialEq)]
struct Held {
    value: Value,
    /// `true` if the context may lack it.
    unset: bool,
}

/// The context that entities and rules give.
#[derive(Clone, Debug, Default)]
pub(super) struct Context {
    names: WordMap<Arc<str>, Held>,
    /// `true` if code may have changed it.
    pub open: bool,
}

impl Context {
    /// The global context.
    pub(super) fn global(names: &Dict) -> Self {
        let mut out = Self::default();
        out.enter(names);
        out
    }

    /// Puts the names of a child over these, for all jobs or for some. Returns the steps that it took.
    pub(super) fn inherit(&mut self, child: &Self, always: bool) -> usize {
        for (name, held) in &child.names {
            match self.names.get_mut(name) {
                Some(own) if always && !held.unset => *own = held.clone(),
                Some(own) => own.value = own.value.or(&held.value),
                None => {
                    let unset = held.unset || !always;
                    self.names.insert(name.clone(), Held { value: held.value.clone(), unset });
                }
            }
        }
        self.open |= child.open;
        child.names.len()
    }

    /// Returns `true` if the context has a name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.names.contains_key(name)
    }

    /// Sets names.
    pub(super) fn enter(&mut self, names: &Dict) {
        for (name, value) in names {
            self.names.insert(name.clone(), Held { value: constant(value), unset: false });
        }
    }
}

/// The names that Galaxy gives, but for those that code may find unset.
const OBJECTS: [&str; 7] = ["app", "tool", "job", "mapper", "entity", "self", "helpers"];

/// The names that may hold anything.
const ANYTHING: [&str; 3] = ["job_wrapper", "resource_params", "workflow_invocation_uuid"];

/// The size of the job's inputs, in GiB.
pub(super) const INPUT_SIZE: &str = "input_size";

/// The names of one job's code.
pub(super) struct JobNames<'s> {
    /// The context.
    pub context: &'s Context,
    /// The size of the inputs.
    pub input_size: &'s Value,
    /// The resources that are evaluated by now.
    pub resources: &'s [Option<Outcome>; Resource::COUNT],
    /// `true` if the switches of the context, its booleans, count as settings that anyone may change.
    pub switches: bool,
}

impl Names for JobNames<'_> {
    fn get(&self, name: &str) -> Option<Outcome> {
        if name == INPUT_SIZE {
            return Some(Outcome::of(self.input_size.clone()));
        }
        if self.context.open {
            return Some(Outcome::unknown());
        }
        let held = self.context.names.get(name).map(|held| {
            let mut value = held.value.clone();
            if self.switches && value.kinds().has(Kinds::BOOL) {
                value = value.or(&Value::of_kinds(Kinds::BOOL));
            }
            Outcome { value, raises: held.unset }
        });
        let resource = Resource::from_name(name).and_then(|resource| self.resources.get(resource as usize));
        let own = match resource {
            Some(Some(evaluated)) => Some(evaluated.clone()),
            _ if OBJECTS.contains(&name) => Some(Outcome::of(Value::of_kinds(Kinds::OTHER))),
            _ if name == "user" => Some(Outcome::of(Value::of_kinds(Kinds::OTHER.or(Kinds::NONE)))),
            _ if ANYTHING.contains(&name) => Some(Outcome::of(Value::any())),
            _ => None,
        };
        match (own, held) {
            (Some(own), Some(held)) => Some(own.or(&held)),
            (own, held) => own.or(held),
        }
    }
}

/// Any size of inputs.
pub(super) fn any_input_size() -> Value {
    Value::number(Kinds::FLOAT, 0.0, f64::MAX, false)
}
