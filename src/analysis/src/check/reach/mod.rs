//! Which destinations the jobs of a tool can reach.
//!
//! For every tool of the config, for all other tools and for those that users define, [`job`] follows what their jobs may carry on
//! their way to the destinations, over all users, roles and inputs; [`destination`] says why a destination takes none of them. What is
//! not a proof is possible.

mod code;
mod conditions;
mod destination;
mod effects;
mod fields;
mod job;
mod matrix;
mod names;
mod overlap;
mod page;
mod rules;
mod sizes;
mod tags;

use std::cell::OnceCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use crate::check::budget::{Budget, Spent, Unproved};
use crate::check::domain::Value;
use crate::lint::Blocks;
use crate::lint::capacity::of_everyone;
use crate::lint::tags::default;
use tpv_compiler::link::destination_defaults;
use tpv_config::Config;
use tpv_config::code::each_code;
use tpv_model::{Change, EntityClass, Field, Quantity};
use tpv_python::word_hash::WordMap;
use tpv_text::source::{SourceMap, Span};
use tpv_yaml::value::ConfigValue;

use code::Code;
use conditions::Conditions;
pub(crate) use conditions::Deciding;
use destination::Destination;
pub(crate) use destination::Reason;
pub use destination::Why;
use fields::{Fields, fields_of};
pub(crate) use job::End;
use job::{Asked, Higher, Jobs};
pub use matrix::{Column, DECLARED, JobEnd, Matrix, Row, Tool, Tried};
use names::{Context, any_input_size};
pub(crate) use overlap::{Beside, Overlap};
pub use page::page;
pub(crate) use sizes::{LostSizes, lost_sizes};

/// The type of user-defined tools, and the prefix of their ids.
const USER_DEFINED: &str = "user_defined";

/// Tools whose jobs are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JobsOf {
    /// Those of a tool of the config, by its place.
    Tool(usize),
    /// Those of tools that the config does not name.
    Other,
    /// Those of tools that users define.
    UserDefined,
}

impl JobsOf {
    /// The place of the tool in the config, `None` within for tools that it does not name. `None` for user-defined tools.
    pub fn tool(self) -> Option<Option<usize>> {
        match self {
            Self::Tool(index) => Some(Some(index)),
            Self::Other => Some(None),
            Self::UserDefined => None,
        }
    }
}

/// The users whose jobs are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Users {
    /// All, with any roles.
    All,
    /// Those who get no role or user of the config but those for everyone.
    Ordinary,
}

/// A destination's verdict on the jobs of a tool.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Verdict {
    /// It takes none of them, for these reasons.
    Never(Vec<Reason>),
    /// It may take some.
    Possible,
}

/// About what a reason takes in memory.
const BYTES_OF_REASON: usize = 2 * size_of::<Reason>();

impl Verdict {
    /// Returns `true` if amounts alone keep the jobs out.
    fn is_of_amounts(&self) -> bool {
        match self {
            Self::Never(reasons) => reasons.iter().all(|reason| reason.why.quantity().is_some()),
            Self::Possible => false,
        }
    }

    /// The number of reasons.
    fn reasons(&self) -> usize {
        match self {
            Self::Never(reasons) => reasons.len(),
            Self::Possible => 0,
        }
    }
}

/// The facts known about the jobs of a tool.
#[derive(Clone, Debug)]
pub(crate) struct Reached {
    /// The tools.
    pub jobs_of: JobsOf,
    /// The verdict of each destination; empty if the jobs end earlier or are not followed. Shared by all jobs with equal requests.
    pub verdicts: Rc<[Verdict]>,
    /// The reason that all of them end earlier, if they do.
    pub end: Option<End>,
    /// The code that may change what is known.
    pub doubts: Vec<Span>,
    /// `true` if all this holds only for tools whose wrapper declares no resources.
    pub unless_declared: bool,
    /// `true` if the jobs were followed. Otherwise they may reach any destination.
    pub is_followed: bool,
    /// The values that the config gives cores, mem and gpus, if they are the same for all of the jobs.
    pub amounts: [Option<Arc<ConfigValue>>; Quantity::COUNT],
}

impl Reached {
    /// Jobs of which only the owner is known.
    fn new(jobs_of: JobsOf) -> Self {
        Self {
            jobs_of,
            verdicts: Rc::default(),
            end: None,
            doubts: Vec::new(),
            unless_declared: false,
            is_followed: true,
            amounts: Default::default(),
        }
    }

    /// Returns `true` if no destination takes any of them.
    pub(crate) fn is_nowhere(&self) -> bool {
        let is_never = |verdict: &Verdict| matches!(verdict, Verdict::Never(_));
        self.is_followed && self.end.is_none() && self.verdicts.iter().all(is_never)
    }
}

/// The destinations that jobs of a config can reach.
pub(crate) struct Reach {
    /// By tool, in the order of the config, but for abstract ones; then those of other tools, then those of user-defined ones.
    pub reached: Vec<Reached>,
    /// The possible outcomes of the conditions of rules.
    pub conditions: Conditions,
    /// The missing proofs, if the jobs of some tools were not followed.
    pub unproved: Option<Unproved>,
}

impl Reach {
    /// Follows the jobs of a config.
    ///
    /// # Errors
    /// Its code may change destinations, an id is not a valid pattern, or its version of TPV clamps amounts otherwise.
    pub(crate) fn of(config: &Config, blocks: &Blocks, users: Users) -> Result<Self, Unproved> {
        Self::within(config, blocks, users, Budget::new())
    }

    fn within(config: &Config, blocks: &Blocks, users: Users, budget: Budget) -> Result<Self, Unproved> {
        let mut follower = Follower::new(config, blocks, users, budget)?;
        let all: Vec<JobsOf> = tools(config).chain([JobsOf::Other, JobsOf::UserDefined]).collect();
        let reached: Vec<Reached> = all.into_iter().map(|jobs_of| follower.reached(jobs_of)).collect();
        let unproved = unproved(config, &reached);
        Ok(Self { reached, conditions: follower.conditions, unproved })
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
                Verdict::Never(reasons) => Some(reasons.iter().map(|reason| intern(reason.why.to_string())).collect()),
                Verdict::Possible => None,
            });
            let never = never.collect();
            let ends = reached.end.map(|end| intern(end.to_string()));
            let mut unless: Vec<String> = reached.doubts.iter().map(|at| place(*at)).collect();
            unless.extend(reached.unless_declared.then(|| matrix::DECLARED.to_owned()));
            let row = Row { never, ends, unless, unproved: !reached.is_followed };
            let next = rows.len();
            let row = *rows.entry(row.clone()).or_insert_with(|| {
                out.rows.push(row);
                next
            });
            let (id, place) = match reached.jobs_of {
                JobsOf::Tool(index) => match config.tools.get_index(index) {
                    Some((id, tool)) => (id.to_string(), place(tool.span)),
                    None => continue,
                },
                JobsOf::Other => ("any other tool".to_owned(), String::new()),
                JobsOf::UserDefined => ("user-defined tools".to_owned(), String::new()),
            };
            let place_in_config = reached.jobs_of.tool();
            out.tools.push(Tool { id, place, row, ordinary: None, tried: Vec::new(), place_in_config });
        }
        out
    }
}

impl std::fmt::Display for End {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Fails(_) => "a rule fails all of these jobs",
            Self::Raises(_) => "the condition of a rule raises for all of these jobs",
            Self::Abstract(_) => "an abstract entity matches all of these ids",
        })
    }
}

/// The missing proofs if no jobs are followed.
fn unknown(span: Option<Span>, why: &str) -> Unproved {
    Unproved { message: format!("where jobs can go is not known, and T201 to T206 were not looked for: {why}"), span }
}

/// The first code that may change destinations, of which nothing is known then.
fn changes_destinations(config: &Config, code: &Code<'_>) -> Option<Span> {
    let mut found = None;
    for kind in EntityClass::COMBINED {
        for entity in config.section(kind).values() {
            let mut look = |text: &tpv_yaml::value::Text, kind, _: &'static str| {
                if found.is_none() && code.effects(text, kind).destinations {
                    found = Some(text.span);
                }
            };
            each_code(&entity.common, &mut look);
            entity.rules.values().for_each(|rule| rule.each_code(&mut look));
        }
    }
    found
}

/// Words by which a rank function may find destinations that are no candidates: nothing else that it is given leads to them.
const ALL_DESTINATIONS: [&str; 7] = ["mapper", "loader", "evaluator", "gateway", "getattr", "vars", "attrgetter"];

/// The first rank function that may give a destination which is no candidate. TPV takes any.
fn ranks_others(config: &Config) -> Option<Span> {
    let mut found = None;
    let mut look = |text: &tpv_yaml::value::Text, _, field: &'static str| {
        let mut words = text.as_str().split(|c: char| !c.is_alphanumeric() && c != '_');
        let leads_away = |word: &str| ALL_DESTINATIONS.contains(&word) || word.starts_with("__");
        if field == Field::Rank.alias() && words.any(leads_away) {
            found.get_or_insert(text.span);
        }
    };
    for entity in EntityClass::COMBINED.into_iter().flat_map(|kind| config.section(kind).values()) {
        each_code(&entity.common, &mut look);
        entity.rules.values().for_each(|rule| rule.each_code(&mut look));
    }
    found
}

/// The missing proofs, if some jobs were not followed, at the first tool that is affected.
fn unproved(config: &Config, reached: &[Reached]) -> Option<Unproved> {
    let first = reached.iter().find(|reached| !reached.is_followed)?;
    let followed = reached.iter().filter(|reached| reached.is_followed).count();
    let (span, tools) = match first.jobs_of {
        JobsOf::Tool(index) => {
            let (id, tool) = config.tools.get_index(index)?;
            (Some(tool.span), format!("`{id}` and the tools before it"))
        }
        JobsOf::Other | JobsOf::UserDefined => (None, "the tools".to_owned()),
    };
    let message = format!(
        "too many entities and rules meet in the jobs of {tools}; where jobs can go is known of {followed} of {} tools, \
         and T202 to T205 were not looked for",
        reached.len()
    );
    Some(Unproved { message, span })
}

/// Follows jobs.
struct Follower<'a> {
    config: &'a Config,
    code: Code<'a>,
    overlap: Overlap,
    /// The tools beside each that was met so far.
    beside: Vec<OnceCell<Rc<[Beside]>>>,
    higher: Higher,
    destinations: Vec<Destination>,
    /// The fields of the tools that were met so far.
    fields: Vec<OnceCell<Fields>>,
    conditions: Conditions,
    /// `true` if the jobs of a tool are those that no other entry matches unless it matches all, and to which no rule applies whose condition is
    /// not decided.
    is_plain: bool,
    /// The verdicts on what was asked for so far.
    verdicts: WordMap<Asked, Rc<[Verdict]>>,
    budget: Budget,
}

/// The tools of a config that jobs can be of.
fn tools(config: &Config) -> impl Iterator<Item = JobsOf> + '_ {
    let concrete = config.tools.values().enumerate().filter(|(_, tool)| !tool.common.is_abstract);
    concrete.map(|(index, _)| JobsOf::Tool(index))
}

impl<'a> Follower<'a> {
    /// A follower that has not followed any jobs yet.
    ///
    /// # Errors
    /// As of [`Reach::of`].
    fn new(config: &'a Config, blocks: &'a Blocks, users: Users, budget: Budget) -> Result<Self, Unproved> {
        if !config.version.has(Change::ClampByBounds) {
            return Err(unknown(None, "TPV before 3.1 bounds cores and memory in another way"));
        }
        let code = Code::new(blocks);
        let defaults = destination_defaults(config);
        let destinations: Vec<Destination> = config
            .destinations
            .values()
            .map(|own| Destination::new(own, defaults.as_ref(), config.version, &code))
            .collect();
        if let Some(at) = changes_destinations(config, &code) {
            return Err(unknown(Some(at), "this code may change destinations"));
        }
        if let Some(at) = ranks_others(config) {
            return Err(unknown(Some(at), "this code may rank destinations that refuse the job"));
        }
        let overlap = Overlap::new(config.tools.keys().map(|key| &**key))
            .ok_or_else(|| unknown(None, "the id of a tool is not a valid pattern"))?;
        Ok(Self {
            config,
            code,
            overlap,
            beside: vec![OnceCell::new(); config.tools.len()],
            higher: higher(config, users),
            destinations,
            fields: vec![OnceCell::new(); config.tools.len()],
            conditions: Conditions::default(),
            is_plain: false,
            verdicts: WordMap::default(),
            budget,
        })
    }

    fn reached(&mut self, jobs_of: JobsOf) -> Reached {
        self.try_reached(jobs_of).unwrap_or_else(|Spent| {
            let verdicts = self.destinations.iter().map(|_| Verdict::Possible).collect();
            Reached { verdicts, is_followed: false, ..Reached::new(jobs_of) }
        })
    }

    fn try_reached(&mut self, jobs_of: JobsOf) -> Result<Reached, Spent> {
        let found = self.follow(jobs_of, true, any_input_size())?;
        // What a wrapper declares is seldom known: without it there may be more to say.
        if found.is_nowhere() || found.end.is_some() || matches!(jobs_of, JobsOf::Other | JobsOf::UserDefined) {
            return Ok(found);
        }
        let plain = self.follow(jobs_of, false, any_input_size())?;
        Ok(if plain.is_nowhere() { Reached { unless_declared: true, ..plain } } else { found })
    }

    /// Follows jobs with inputs of these sizes.
    fn follow(&mut self, jobs_of: JobsOf, declares: bool, sizes: Value) -> Result<Reached, Spent> {
        let followed = self.jobs(jobs_of, declares, sizes)?;
        let mut out = Reached::new(jobs_of);
        match followed {
            Ok(jobs) => {
                out.amounts = jobs.amounts();
                let (asked, doubts) = jobs.ask(&self.code);
                self.budget.bytes(size_of_val(doubts.as_slice()))?;
                out.verdicts = self.verdicts(asked)?;
                out.doubts = doubts;
            }
            Err(end) => out.end = Some(end),
        }
        Ok(out)
    }

    /// The verdicts of all destinations on what jobs ask for.
    fn verdicts(&mut self, asked: Asked) -> Result<Rc<[Verdict]>, Spent> {
        if let Some(known) = self.verdicts.get(&asked) {
            return Ok(known.clone());
        }
        let verdicts: Rc<[Verdict]> =
            self.destinations.iter().map(|destination| verdict(destination, &asked)).collect();
        let reasons: usize = verdicts.iter().map(Verdict::reasons).sum();
        self.budget.steps(10 * verdicts.len())?;
        self.budget.bytes(size_of_val(&*verdicts) + reasons * BYTES_OF_REASON)?;
        self.verdicts.insert(asked, verdicts.clone());
        Ok(verdicts)
    }

    /// The jobs of a tool, with their rules applied; or why none of them goes on to destinations.
    fn jobs(&mut self, jobs_of: JobsOf, declares: bool, sizes: Value) -> Result<Result<Jobs, End>, Spent> {
        let mut jobs = match self.unruled(jobs_of, declares, sizes)? {
            Ok(jobs) => jobs,
            Err(end) => return Ok(Err(end)),
        };
        jobs.is_plain = self.is_plain;
        let ended = jobs.apply_rules(&self.code, &mut self.conditions);
        self.budget.steps(std::mem::take(&mut jobs.steps))?;
        Ok(ended.map(|()| jobs))
    }

    /// The jobs of a tool before their rules are applied.
    fn unruled(&mut self, jobs_of: JobsOf, declares: bool, sizes: Value) -> Result<Result<Jobs, End>, Spent> {
        let config = self.config;
        // Nothing is begun that cannot be ended.
        self.budget.steps(1)?;
        let mut jobs = Jobs::new(Context::global(&config.global.context), sizes);
        if let Some(default) = default(config, EntityClass::Tool) {
            jobs.inherit(default, &fields_of(&default.common), true);
        }
        jobs.provide((jobs_of == JobsOf::UserDefined).then_some(USER_DEFINED), declares);
        let beside = match jobs_of {
            JobsOf::Tool(index) => self.beside(index)?,
            JobsOf::Other => Rc::default(),
            JobsOf::UserDefined => self.overlap.beginning(&format!("{USER_DEFINED}-")).into(),
        };
        self.budget.steps(beside.len())?;
        for &Beside { index, always } in beside.iter().filter(|beside| beside.always || !self.is_plain) {
            match config.tools.get_index(index) {
                Some((_, tool)) if !tool.common.is_abstract => {
                    let Some(fields) = self.fields.get(index) else { continue };
                    jobs.inherit(tool, fields.get_or_init(|| fields_of(&tool.common)), always);
                }
                // Jobs that match an abstract entity end in an error.
                Some((_, tool)) if always => return Ok(Err(End::Abstract(tool.span))),
                _ => {}
            }
            self.budget.steps(std::mem::take(&mut jobs.steps))?;
        }
        jobs.or_with(&self.higher);
        self.budget.steps(std::mem::take(&mut jobs.steps))?;
        Ok(Ok(jobs))
    }

    /// The tools that may match an id that this one matches. Jobs of a tool are followed several times.
    fn beside(&mut self, index: usize) -> Result<Rc<[Beside]>, Spent> {
        let Some(cell) = self.beside.get(index) else { return Ok(Rc::default()) };
        if let Some(known) = cell.get() {
            return Ok(known.clone());
        }
        let found: Rc<[Beside]> = self.overlap.beside(index).into();
        self.budget.bytes(size_of_val(&*found))?;
        Ok(cell.get_or_init(|| found).clone())
    }
}

/// The roles and users that jobs may have, each after those that it may be laid over.
fn higher(config: &Config, users: Users) -> Higher {
    let mut out = Higher::default();
    for kind in [EntityClass::Role, EntityClass::User] {
        // The default is below all others, wherever it stands.
        default(config, kind).into_iter().for_each(|entity| out.add(entity));
        if users == Users::Ordinary {
            let everyone = of_everyone(config).into_iter().filter(|entity| entity.class == kind);
            everyone.filter(|entity| !entity.common.is_abstract).for_each(|entity| out.add(entity));
            continue;
        }
        let entities = config.section(kind).values();
        entities.filter(|entity| !entity.common.is_abstract).for_each(|entity| out.add(entity));
    }
    out
}

fn verdict(destination: &Destination, asked: &Asked) -> Verdict {
    match destination.refuses(asked) {
        reasons if reasons.is_empty() => Verdict::Possible,
        reasons => Verdict::Never(reasons),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]
    use super::*;
    use tpv_config::load_sources;
    use tpv_text::diagnostic::Diagnostics;

    /// The analysis of a config with ten tools of ten rules each, and its texts.
    fn reach(budget: Budget) -> (Reach, Matrix, SourceMap) {
        let rule = |index| format!("    - {{id: r{index}, if: input_size > {index}, mem: {index}}}\n");
        let rules: String = (0..10).map(rule).collect();
        let tools: String =
            (0..10).map(|index| format!("  t{index}_:\n    cores: {}\n    rules:\n{rules}", index + 3)).collect();
        let text = format!("tools:\n{tools}destinations:\n  d: {{runner: slurm, max_accepted_cores: 2}}\n");
        let (mut sources, mut problems) = (SourceMap::new(), Diagnostics::new());
        let source = sources.add("config.yml", &text);
        let config = load_sources(tpv_model::Version::default(), &sources, &[source], &mut problems);
        let blocks = Blocks::of(&config, &sources, &mut problems);
        assert!(problems.is_empty());
        let reach = Reach::within(&config, &blocks, Users::All, budget).unwrap();
        let matrix = reach.matrix(&config, &sources);
        (reach, matrix, sources)
    }

    #[test]
    fn tools_that_are_too_much_may_go_anywhere() {
        let (all, matrix, _) = reach(Budget::new());
        assert!(all.unproved.is_none() && all.reached.iter().take(10).all(Reached::is_nowhere));
        assert!(matrix.rows.iter().all(|row| !row.unproved));
        for budget in [Budget::of(200, 1 << 20), Budget::of(1 << 20, 400)] {
            let (some, matrix, sources) = reach(budget);
            let lost = some.reached.iter().take(10).filter(|reached| reached.is_nowhere()).count();
            assert!((1..10).contains(&lost), "{lost}");
            let told = some.unproved.unwrap().text(&sources);
            let place = format!("config.yml:{}:3: ", 2 + 13 * lost);
            let rest = told.strip_prefix(&place).unwrap_or_else(|| panic!("{told}"));
            let expected = format!(
                "not proved: too many entities and rules meet in the jobs of `t{lost}_` and the tools before it"
            );
            assert!(rest.starts_with(&expected), "{told}");
            let rows: Vec<&Row> = matrix.tools.iter().map(|tool| &matrix.rows[tool.row]).collect();
            assert!(rows[..lost].iter().all(|row| !row.unproved && row.never[0].is_some()));
            assert!(rows[lost..].iter().all(|row| row.unproved && row.never[0].is_none() && row.ends.is_none()));
        }
    }
}
