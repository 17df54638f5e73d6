//! Proofs of properties: of all jobs that `when` describes none gets to a destination where the property can break.
//!
//! The proofs are those of [`reach`](super::reach). They are about jobs of tools; what else `when` says only leaves fewer jobs. If there is any doubt,
//! there is no proof.

use std::fmt;

use num_traits::ToPrimitive;
use tpv_compiler::link::destination_defaults;
use tpv_compiler::python::stack::on_roomy_thread;
use tpv_config::Config;
use tpv_config::code::each_code;
use tpv_config::entity::Entity;
use tpv_galaxy::json::Json;
use tpv_model::{EntityClass, Quantity};
use tpv_text::diagnostic::Diagnostics;
use tpv_text::source::SourceMap;
use tpv_text::suggest::{closest, did_you_mean};
use tpv_yaml::value::ValueKind;

use super::budget::Unproved;
use super::nowhere::place;
use super::reach::{JobsOf, Overlap, Reach, Reached, Users, Verdict};
use crate::cases::expect::{Expectation, Subject, Wanted};
use crate::cases::property::Property;
use crate::lint::Blocks;

/// The reason that a property is not proved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doubt {
    /// The reason.
    pub why: String,
    /// The file and line of the code, tool or destination in the way.
    pub at: Option<String>,
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.at.iter().try_for_each(|at| write!(f, "{at}: "))?;
        f.write_str(&self.why)
    }
}

/// Proves properties of a config that loads, each for every job, user, role and world.
pub fn prove(config: &Config, sources: &SourceMap, properties: &[&Property]) -> Vec<Result<(), Doubt>> {
    let prove = || {
        let blocks = Blocks::of(config, sources, &mut Diagnostics::new());
        let reach = Reach::of(config, &blocks, Users::All);
        let prover = reach.map(|reach| Prover::new(config, sources, reach));
        let of_one = |property: &&Property| match &prover {
            Ok(Some(prover)) => prover.prove(property),
            Ok(None) => Err(Doubt { why: "the id of a tool is not a valid pattern".to_owned(), at: None }),
            Err(Unproved { message, span }) => {
                Err(Doubt { why: message.clone(), at: span.map(|at| place(sources, at)) })
            }
        };
        properties.iter().map(of_one).collect()
    };
    on_roomy_thread(prove).unwrap_or_else(prove)
}

/// The facts that properties are proved by.
struct Prover<'a> {
    config: &'a Config,
    sources: &'a SourceMap,
    reach: Reach,
    overlap: Overlap,
    destinations: Vec<Destination>,
}

/// The part that the answers of all jobs at a destination have in common. `None` is a field that may be anything.
struct Destination {
    id: Option<String>,
    runner: Option<Option<String>>,
    /// For each quantity the most that a job gets there. `None` if that depends on the job.
    most: [Option<f64>; Quantity::COUNT],
}

impl<'a> Prover<'a> {
    /// `None` if an id is not a valid pattern.
    fn new(config: &'a Config, sources: &'a SourceMap, reach: Reach) -> Option<Self> {
        let overlap = Overlap::new(config.tools.keys().map(|key| &**key))?;
        let mut words = [false; 2];
        for kind in EntityClass::COMBINED {
            for entity in config.section(kind).values() {
                note_words(entity, &mut words);
            }
        }
        let [renames, changes_runner] = words;
        let defaults = destination_defaults(config);
        let destinations = config.destinations.values().map(|own| {
            let merged =
                defaults.as_ref().map_or_else(|| Entity::clone(own), |defaults| own.inherit(defaults, config.version));
            let most = most(&merged);
            let own_id = own.dest_name().map(|name| name.as_str().to_owned());
            // Modules of the site may do anything to what a destination's own rules give them.
            let is_open = has_imports(own);
            let is_name = |id: &String| !id.is_empty() && !id.contains(['{', '}']);
            Destination {
                id: own_id.filter(is_name).filter(|_| !renames && !is_open),
                runner: (!changes_runner && !is_open).then(|| merged.runner().map(|runner| runner.as_str().to_owned())),
                most,
            }
        });
        let destinations = destinations.collect();
        Some(Self { config, sources, reach, overlap, destinations })
    }

    fn prove(&self, property: &Property) -> Result<(), Doubt> {
        if !property.is_of_placed_jobs() {
            let why = "only jobs are tried of properties about errors, or about rules alone".to_owned();
            return Err(Doubt { why, at: None });
        }
        let breaking: Vec<usize> =
            (0..self.destinations.len()).filter(|index| self.may_break(property, *index)).collect();
        if breaking.is_empty()
            && let Some(doubt) = self.unknown_name(property)
        {
            return Err(doubt);
        }
        if property.when.user_defined == Some(true) {
            return self.all_hold(property, &breaking, self.jobs_of(JobsOf::UserDefined));
        }
        let Some(tools) = &property.when.tools else {
            return self.all_hold(property, &breaking, self.reach.reached.iter());
        };
        for pattern in tools {
            self.prove_tool(property, &pattern.text, &breaking)?;
        }
        Ok(())
    }

    /// Proves it for the jobs of tools whose ids a pattern matches.
    fn prove_tool(&self, property: &Property, pattern: &str, destinations: &[usize]) -> Result<(), Doubt> {
        let Some(beside) = self.overlap.of_pattern(pattern) else {
            return Err(Doubt { why: format!("`{pattern}` is not a valid pattern"), at: None });
        };
        let default = self.config.global.default_inherits.as_ref().map(|id| id.as_str());
        let is_own = |index: usize| match self.config.tools.get_index(index) {
            Some((id, tool)) => !tool.common.is_abstract && Some(&**id) != default,
            None => false,
        };
        // All of the jobs are jobs of each of these tools, too; the last is the closest.
        let mut doubt = None;
        for one in beside.iter().filter(|one| one.always && is_own(one.index)) {
            match self.all_hold(property, destinations, self.jobs_of(JobsOf::Tool(one.index))) {
                Ok(()) => return Ok(()),
                Err(found) => doubt = Some(found),
            }
        }
        if let Some(doubt) = doubt {
            return Err(doubt);
        }
        let tools = beside.iter().flat_map(|one| self.jobs_of(JobsOf::Tool(one.index)));
        self.all_hold(property, destinations, tools.chain(self.jobs_of(JobsOf::Other)))
    }

    fn jobs_of(&self, jobs_of: JobsOf) -> impl Iterator<Item = &Reached> {
        self.reach.reached.iter().filter(move |reached| reached.jobs_of == jobs_of)
    }

    /// Proves it for some jobs: none of them gets to one of the destinations.
    fn all_hold<'r>(
        &self,
        property: &Property,
        destinations: &[usize],
        jobs: impl Iterator<Item = &'r Reached>,
    ) -> Result<(), Doubt> {
        for reached in jobs {
            let is_open = !reached.is_followed || reached.unless_declared;
            if !is_open && reached.end.is_some() {
                continue;
            }
            let is_never = |index: usize| matches!(reached.verdicts.get(index), Some(Verdict::Never(_)));
            if let Some(index) = destinations.iter().find(|index| is_open || !is_never(**index)) {
                return Err(self.doubt(property, reached, *index));
            }
        }
        Ok(())
    }

    fn doubt(&self, property: &Property, reached: &Reached, destination: usize) -> Doubt {
        let (whose, own) = match reached.jobs_of {
            JobsOf::Tool(index) => match self.config.tools.get_index(index) {
                Some((id, tool)) => (format!("of the tool `{id}`"), Some(tool.span)),
                None => (String::new(), None),
            },
            JobsOf::Other => ("of tools without an entry".to_owned(), None),
            JobsOf::UserDefined => ("of user-defined tools".to_owned(), None),
        };
        let id = self.config.destinations.get_index(destination).map_or("", |(id, _)| id);
        let code = reached.doubts.first();
        let how = match (code, reached.is_followed, reached.unless_declared) {
            (_, false, _) => ": there is too much to follow",
            (_, _, true) => " if the tool declares resources",
            (Some(_), ..) => " if this code lets them",
            (None, ..) => "",
        };
        let of_fields = |one: &&Expectation| {
            !matches!(one.subject, Subject::Destination | Subject::NotOn | Subject::Runner | Subject::Rule)
        };
        let open = property.expect.iter().find(of_fields);
        // The amount that the jobs ask for, if it is one and the same.
        let amount = open.and_then(|one| match one.subject {
            Subject::Amount(quantity) => reached.amounts.get(quantity as usize)?.as_ref().map(|value| value.span),
            _ => None,
        });
        let with = open.map_or_else(String::new, |one| format!(", with any `{}`", one.subject.name()));
        let at = amount.or(code.copied()).or(own).map(|at| place(self.sources, at));
        Doubt { why: format!("jobs {whose} may get to `{id}`{with}{how}"), at }
    }

    /// Returns `true` if a job that goes to a destination may break the property there.
    fn may_break(&self, property: &Property, index: usize) -> bool {
        let Some(destination) = self.destinations.get(index) else { return true };
        let mut known = property.expect.iter().map(|one| destination.holds(one));
        match property.is_always {
            true => known.any(|holds| holds != Some(true)),
            false => known.all(|holds| holds != Some(false)),
        }
    }

    /// The doubt about a name that no destination has: a slip must not look like a proof.
    fn unknown_name(&self, property: &Property) -> Option<Doubt> {
        let of_name = |one: &&Expectation| matches!(one.subject, Subject::Destination | Subject::NotOn);
        let name = property.expect.iter().filter(of_name).find_map(|one| match &one.wanted {
            Wanted::Text(name) if !self.destinations.iter().any(|own| own.id.as_ref() == Some(name)) => Some(name),
            _ => None,
        })?;
        let known = self.destinations.iter().filter_map(|destination| destination.id.as_deref());
        let near = closest(name, known).map_or_else(String::new, |near| format!("; {}", did_you_mean(near)));
        Some(Doubt { why: format!("there is no destination `{name}`{near}"), at: None })
    }
}

impl Destination {
    /// `true` if an expectation holds for all jobs here, `false` if for none. `None` if that is not known.
    fn holds(&self, one: &Expectation) -> Option<bool> {
        let text = |text: &str| Json::str(text);
        match one.subject {
            Subject::Destination => Some(one.wanted.holds(&text(self.id.as_ref()?))),
            Subject::NotOn => Some(!one.wanted.holds(&text(self.id.as_ref()?))),
            Subject::Runner => {
                let runner = self.runner.as_ref()?;
                Some(one.wanted.holds(&runner.as_ref().map_or(Json::Null, |runner| text(runner))))
            }
            Subject::Amount(quantity) => {
                let Wanted::Range(range) = &one.wanted else { return None };
                let most = self.most.get(quantity as usize).copied().flatten();
                range.holds_between(f64::NEG_INFINITY, most?)
            }
            _ => None,
        }
    }
}

/// The most of each quantity that jobs get at a destination: its own bound, if that is a number and no rule of it changes it.
fn most(destination: &Entity) -> [Option<f64>; Quantity::COUNT] {
    Quantity::ALL.map(|quantity| {
        let bound = destination.common.amounts.get(quantity.most())?;
        let bound = match bound.kind {
            ValueKind::Int(bound) => bound.to_f64()?,
            ValueKind::Float(bound) => bound,
            _ => return None,
        };
        (destination.rules.is_empty() && bound > 0.0).then_some(bound)
    })
}

/// Notes if code of an entity may give its destination another name, or another runner.
fn note_words(entity: &Entity, words: &mut [bool; 2]) {
    let mut look = |text: &tpv_yaml::value::Text, _, _: &'static str| {
        for (seen, word) in words.iter_mut().zip(["dest_name", "runner"]) {
            *seen |= text.as_str().contains(word) || text.as_str().contains("setattr");
        }
    };
    each_code(&entity.common, &mut look);
    entity.rules.values().for_each(|rule| rule.each_code(&mut look));
}

/// Returns `true` if code of a destination imports something.
fn has_imports(destination: &Entity) -> bool {
    let mut found = false;
    let mut look = |text: &tpv_yaml::value::Text, _, _: &'static str| found |= text.as_str().contains("import");
    each_code(&destination.common, &mut look);
    destination.rules.values().for_each(|rule| rule.each_code(&mut look));
    found
}
