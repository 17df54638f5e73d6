//! Which destinations the jobs of a tool can reach.
//!
//! For every tool of the config, for all other tools and for those that users define, [`job`] follows what their jobs may carry on
//! their way to the destinations, over all users, roles and inputs; [`destination`] says why a destination takes none of them. What is
//! not a proof is possible.

mod code;
mod destination;
mod effects;
mod job;
mod matrix;
mod names;
mod overlap;
mod page;
mod tags;

use std::collections::HashMap;

use crate::config::Config;
use crate::config::entity::EntityKind;
use crate::link::destination_defaults;
use crate::lint::Blocks;
use crate::lint::tags::default;
use crate::source::{SourceMap, Span};

use code::Code;
use destination::Destination;
pub(crate) use destination::{Reason, Why};
pub(crate) use job::End;
use job::{Asked, Conditions, Higher, Jobs};
pub use matrix::{Column, DECLARED, Matrix, Row, Tool};
use names::Context;
use overlap::{Beside, Overlap};
pub use page::page;

/// What user-defined tools are called: their type, and an id of their own.
const USER_DEFINED: &str = "user_defined";

/// Whose jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Whose {
    /// Those of a tool of the config, by its place.
    Tool(usize),
    /// Those of tools that the config does not name.
    Other,
    /// Those of tools that users define.
    UserDefined,
}

/// What a destination makes of the jobs of a tool.
#[derive(Clone, Debug)]
pub(crate) enum Verdict {
    /// It takes none of them, for these reasons.
    Never(Vec<Reason>),
    /// It may take some.
    Possible,
}

/// What is known of the jobs of a tool.
#[derive(Clone, Debug)]
pub(crate) struct Reached {
    /// Whose they are.
    pub whose: Whose,
    /// For each destination whether it takes some; nothing where the jobs end before.
    pub verdicts: Vec<Verdict>,
    /// Why all of them end before.
    pub end: Option<End>,
    /// The code that may change what is known.
    pub doubts: Vec<Span>,
    /// Whether all this holds only for tools whose wrapper declares no resources.
    pub unless_declared: bool,
}

impl Reached {
    /// Whether no destination takes any of them.
    pub(crate) fn is_nowhere(&self) -> bool {
        self.end.is_none() && self.verdicts.iter().all(|verdict| matches!(verdict, Verdict::Never(_)))
    }
}

/// What jobs of a config can reach.
pub(crate) struct Reach {
    /// By tool, in the order of the config, but for abstract ones; then those of other tools, then those of user-defined ones.
    pub reached: Vec<Reached>,
    /// What was found of the conditions of rules, by the rules' places.
    pub conditions: Conditions,
}

impl Reach {
    /// Follows the jobs of a config; nothing where its code may change destinations, or its ids are no patterns.
    pub(crate) fn of(config: &Config, blocks: &Blocks) -> Option<Self> {
        let code = Code::new(blocks);
        let defaults = destination_defaults(config);
        let destinations: Vec<Destination> =
            config.destinations.values().map(|own| Destination::new(own, &defaults, &code)).collect();
        if changes_destinations(config, &code) {
            return None;
        }
        let overlap = Overlap::new(config.tools.keys().map(|key| &**key))?;
        let mut follower = Follower { config, code, overlap, higher: higher(config), conditions: Conditions::new() };
        let concrete = config.tools.values().enumerate().filter(|(_, tool)| !tool.common.is_abstract);
        let tools = concrete.map(|(index, _)| Whose::Tool(index));
        let all: Vec<Whose> = tools.chain([Whose::Other, Whose::UserDefined]).collect();
        let reached = all.into_iter().map(|whose| follower.reached(whose, &destinations)).collect();
        Some(Self { reached, conditions: follower.conditions })
    }

    /// The same as data.
    pub(crate) fn matrix(&self, config: &Config, sources: &SourceMap) -> Matrix {
        let place = |span: Span| match sources.get(span.source) {
            Some(source) => format!("{}:{}", source.name, source.place(span.start).line),
            None => String::new(),
        };
        let mut out = Matrix::default();
        out.destinations.extend(config.destinations.values().map(|destination| Column {
            id: destination.id.to_string(),
            is_abstract: destination.common.is_abstract,
            place: place(destination.span),
        }));
        let (mut rows, mut reasons) = (HashMap::<Row, usize>::new(), HashMap::<String, usize>::new());
        for reached in &self.reached {
            let mut intern = |text: String| {
                let next = reasons.len();
                *reasons.entry(text.clone()).or_insert_with(|| {
                    out.reasons.push(text);
                    next
                })
            };
            let never = reached.verdicts.iter().map(|verdict| match verdict {
                Verdict::Possible => None,
                Verdict::Never(reasons) => Some(reasons.iter().map(|reason| intern(reason.why.to_string())).collect()),
            });
            let never = never.collect();
            let ends = reached.end.map(|end| intern(end.to_string()));
            let mut unless: Vec<String> = reached.doubts.iter().map(|at| place(*at)).collect();
            unless.extend(reached.unless_declared.then(|| matrix::DECLARED.to_owned()));
            let row = Row { never, ends, unless };
            let next = rows.len();
            let row = *rows.entry(row.clone()).or_insert_with(|| {
                out.rows.push(row);
                next
            });
            let (id, place) = match reached.whose {
                Whose::Tool(index) => match config.tools.get_index(index) {
                    Some((id, tool)) => (id.to_string(), place(tool.span)),
                    None => continue,
                },
                Whose::Other => ("any other tool".to_owned(), String::new()),
                Whose::UserDefined => ("user-defined tools".to_owned(), String::new()),
            };
            out.tools.push(Tool { id, place, row });
        }
        out
    }
}

impl std::fmt::Display for End {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Fails(_) => "a rule fails every such job",
            Self::Raises(_) => "the condition of a rule raises for every such job",
            Self::Abstract(_) => "an abstract entity matches every such id",
        })
    }
}

/// Whether code may change destinations, of which nothing is known then.
fn changes_destinations(config: &Config, code: &Code<'_>) -> bool {
    let mut changes = false;
    for kind in [EntityKind::Tool, EntityKind::Role, EntityKind::User, EntityKind::Destination] {
        for entity in config.section(kind).values() {
            let mut look = |text: &crate::yaml::value::Text, kind, _: &'static str| {
                changes |= code.effects(text, kind).destinations;
            };
            entity.common.each_code(&mut look);
            entity.rules.values().for_each(|rule| rule.each_code(&mut look));
        }
    }
    changes
}

/// Follows jobs.
struct Follower<'a> {
    config: &'a Config,
    code: Code<'a>,
    overlap: Overlap,
    higher: Higher,
    conditions: Conditions,
}

impl Follower<'_> {
    fn reached(&mut self, whose: Whose, destinations: &[Destination]) -> Reached {
        let found = self.follow(whose, true, destinations);
        // What a wrapper declares is seldom known: without it there may be more to say.
        if found.is_nowhere() || found.end.is_some() || matches!(whose, Whose::Other | Whose::UserDefined) {
            return found;
        }
        let plain = self.follow(whose, false, destinations);
        if plain.is_nowhere() { Reached { unless_declared: true, ..plain } } else { found }
    }

    fn follow(&mut self, whose: Whose, declares: bool, destinations: &[Destination]) -> Reached {
        let mut out = Reached { whose, verdicts: Vec::new(), end: None, doubts: Vec::new(), unless_declared: false };
        match self.ask(whose, declares) {
            Ok(asked) => {
                out.verdicts = destinations.iter().map(|destination| verdict(destination, &asked)).collect();
                out.doubts = asked.doubts;
            }
            Err(end) => out.end = Some(end),
        }
        out
    }

    /// What destinations are matched with for the jobs of a tool.
    fn ask(&mut self, whose: Whose, declares: bool) -> Result<Asked, End> {
        let config = self.config;
        let mut jobs = Jobs::new(Context::global(&config.global.context));
        if let Some(default) = default(config, EntityKind::Tool) {
            jobs.inherit(default, true);
        }
        jobs.provide((whose == Whose::UserDefined).then_some(USER_DEFINED), declares);
        let beside = match whose {
            Whose::Tool(index) => self.overlap.beside(index),
            Whose::Other => Vec::new(),
            Whose::UserDefined => self.overlap.beginning(&format!("{USER_DEFINED}-")),
        };
        for Beside { index, always } in beside {
            match config.tools.get_index(index) {
                Some((_, tool)) if !tool.common.is_abstract => jobs.inherit(tool, always),
                // Jobs that match an abstract entity end in an error.
                Some((_, tool)) if always => return Err(End::Abstract(tool.span)),
                _ => {}
            }
        }
        jobs.or_with(&self.higher);
        jobs.apply_rules(&self.code, &mut self.conditions)?;
        Ok(jobs.ask(&self.code))
    }
}

/// The roles and users that jobs may have.
fn higher(config: &Config) -> Higher {
    let mut out = Higher::default();
    for kind in [EntityKind::Role, EntityKind::User] {
        let default = default(config, kind).map(|default| &default.id);
        let entities = config.section(kind).values();
        entities
            .filter(|entity| !entity.common.is_abstract || default == Some(&entity.id))
            .for_each(|entity| out.add(entity));
    }
    out
}

fn verdict(destination: &Destination, asked: &Asked) -> Verdict {
    match destination.refuses(asked) {
        reasons if reasons.is_empty() => Verdict::Possible,
        reasons => Verdict::Never(reasons),
    }
}
