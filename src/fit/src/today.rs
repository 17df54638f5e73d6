//! Today's rules, asked for a job: what it would get, and which line of the config says so.

use std::sync::Arc;

use tpv_galaxy::answer::{Answer, Field};
use tpv_galaxy::job::Job;
use tpv_galaxy::world::World;
use tpv_model::Resource;
use tpv_python::string::Str;
use tpv_python::value::Value;
use tpv_runtime::mapper::Mapper;
use tpv_runtime::mapper::explain::{Observer, Step};

use crate::attempts::{Given, attempts};
use crate::need::Ladder;

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
    /// The memory of a job that is killed for memory each time, by attempt.
    pub ladder: Ladder,
    /// Memory in GiB.
    pub memory: f64,
    /// Cores, if they are a number.
    pub cores: Option<f64>,
    /// The entity or rule that set the memory.
    pub setter: Setter,
    /// The text of the value that set it, where it is one.
    pub value: Option<Str>,
}

/// Asks the rules for a job. `None` if it ends in an error or gets no number for its memory.
pub fn ask(mapper: &Mapper, job: &Arc<Job>, world: &Arc<World>) -> Option<Today> {
    let (answer, origin) = observed(mapper, job, world);
    let cores = answer.text(Field::Cores).and_then(|text| text.parse::<f64>().ok());
    let given = attempts(mapper, world, job, answer, |_| false);
    let (first, further) = given.split_first()?;
    #[expect(clippy::cast_possible_truncation, reason = "an amount: seven digits are enough")]
    let small = |given: &Given| given.memory as f32;
    let ladder = Ladder { first: small(first), further: further.iter().map(small).collect() };
    Some(Today { ladder, memory: first.memory, cores, setter: origin.setter, value: origin.text })
}

/// The answer for a job, and what set its memory.
pub fn observed(mapper: &Mapper, job: &Arc<Job>, world: &Arc<World>) -> (Answer, Origin) {
    let mut origin = Origin::default();
    let answer = mapper.map_observed(job, world, &mut origin);
    (answer, origin)
}

/// Observes which entity or rule sets `mem`. It looks at the searches for entities only: what else would be made to be looked at
/// costs more than the mapping.
pub struct Origin {
    looks: bool,
    /// The entity or rule that set the memory.
    pub setter: Setter,
    text: Option<Str>,
}

impl Default for Origin {
    fn default() -> Self {
        Self { looks: true, setter: Setter::default(), text: None }
    }
}

impl Origin {
    fn set(&mut self, by: SetBy, site: u32, value: &Value) {
        if value.is_none() {
            return;
        }
        self.text = None;
        let value = match value {
            Value::Str(text) => {
                self.text = Some(text.clone());
                text.code().map(|code| code.site)
            }
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
