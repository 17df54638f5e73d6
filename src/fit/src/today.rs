//! Today's rules, asked for a job: what it would get, and which line of the config says so.

use std::sync::Arc;

use tpv_model::{Limit, Quantity, Resource};
use tpv_python::value::Value;
use tpv_runtime::galaxy::answer::Field;
use tpv_runtime::galaxy::job::Job;
use tpv_runtime::galaxy::world::World;
use tpv_runtime::mapper::Mapper;
use tpv_runtime::mapper::entity::Entity;
use tpv_runtime::mapper::explain::{Observer, Reason, Step, reasons};
use tpv_runtime::mapper::tags::TagNames;

use crate::retries::Retries;

/// The entity or rule that set a value, by indexes of the artifact's table of sites.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Setter {
    /// The entity or rule; `None` if nothing set the value.
    pub entity: Option<u32>,
    /// The value's own place, where it is an expression.
    pub value: Option<u32>,
    /// The kind of what set it.
    pub by: SetBy,
}

/// The kind of what sets a tool's memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SetBy {
    /// An entity of a tool, or the default; nothing, too.
    #[default]
    Tool,
    /// A rule.
    Rule,
    /// A role, a user or a destination.
    Other,
}

/// The amounts that today's rules give a job.
#[derive(Clone, Debug, PartialEq)]
pub struct Today {
    /// Memory in GiB.
    pub memory: f64,
    /// Cores, if they are a number.
    pub cores: Option<f64>,
    /// The entity or rule that set the memory.
    pub setter: Setter,
    /// The attempts of a job whose memory is always short, if the destination's `resubmit` allows a second one.
    pub attempts: Option<u32>,
}

/// Asks the rules for a job. `None` if it ends in an error or gets no number for its memory.
pub fn ask(mapper: &Mapper, job: &Arc<Job>, world: &Arc<World>, retries: &Retries) -> Option<Today> {
    let mut origin = Origin::default();
    let answer = mapper.map_observed(job, world, &mut origin);
    let number = |field| answer.text(field).and_then(|text| text.parse::<f64>().ok());
    let memory = number(Field::Mem).filter(|memory| *memory > 0.0 && memory.is_finite())?;
    Some(Today { memory, cores: number(Field::Cores), setter: origin.setter, attempts: retries.attempts(&answer) })
}

/// The memory in GiB of the largest destination that would take a job if it asked for little: infinite if it sets no limit. `None` if
/// none takes it.
pub fn ceiling(mapper: &Mapper, job: &Arc<Job>, world: &Arc<World>) -> Option<f64> {
    let mut ceiling = Ceiling::default();
    mapper.map_observed(job, world, &mut ceiling);
    ceiling.most
}

/// Observes which entity or rule sets `mem`. It looks at the searches for entities only: what else would be made to be looked at
/// costs more than the mapping.
struct Origin {
    looks: bool,
    setter: Setter,
}

impl Default for Origin {
    fn default() -> Self {
        Self { looks: true, setter: Setter::default() }
    }
}

impl Origin {
    fn set(&mut self, by: SetBy, site: u32, value: &Value) {
        if value.is_none() {
            return;
        }
        let value = match value {
            Value::Str(text) => text.code().map(|code| code.site),
            _ => None,
        };
        self.setter = Setter { entity: Some(site), value, by };
    }
}

impl Observer for Origin {
    fn watches(&self) -> bool {
        self.looks
    }

    fn step(&mut self, step: Step<'_>) {
        match step {
            Step::OnceMore { .. } => *self = Self::default(),
            Step::Lookup { section, found, .. } => {
                let by = if section == "tools" { SetBy::Tool } else { SetBy::Other };
                for found in found {
                    self.set(by, found.entity.site, found.entity.resource(Resource::Mem));
                }
            }
            // Tool, role and user are known: the rest is mapped at full speed.
            Step::Matched { .. } => self.looks = false,
            Step::Applied { rule, before, after } => {
                let mem = after.resource(Resource::Mem);
                if !rule.resource(Resource::Mem).is_none() || !mem.is(before.resource(Resource::Mem)) {
                    self.set(SetBy::Rule, rule.site, mem);
                }
            }
            Step::Trying { candidate } => self.set(SetBy::Other, candidate.site, candidate.resource(Resource::Mem)),
            _ => {}
        }
    }
}

/// Observes the memory of the destinations that refuse a job for nothing but its memory, and of those that take it.
#[derive(Default)]
struct Ceiling {
    names: std::rc::Rc<TagNames>,
    most: Option<f64>,
}

impl Observer for Ceiling {
    fn step(&mut self, step: Step<'_>) {
        match step {
            Step::OnceMore { .. } => *self = Self::default(),
            Step::Start { names } => self.names = names.clone(),
            Step::Destination { destination, entity, matched } => {
                let is_about_memory = |reason: &Reason| matches!(reason, Reason::Limit { limit, .. } if limit.quantity() == Quantity::Mem);
                if matched || reasons(destination, entity, &self.names).iter().all(is_about_memory) {
                    let most = most_memory(destination);
                    self.most = Some(self.most.map_or(most, |known| known.max(most)));
                }
            }
            _ => {}
        }
    }
}

/// The most memory in GiB that a destination accepts.
fn most_memory(destination: &Entity) -> f64 {
    match destination.limit(Limit::MaxAcceptedMem) {
        #[expect(clippy::cast_precision_loss, reason = "an amount of memory")]
        Value::Int(number) => *number as f64,
        Value::Float(number) => *number,
        _ => f64::INFINITY,
    }
}
