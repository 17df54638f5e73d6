//! Jobs made from rules: together they take each branch that one of them can be brought to take.
//!
//! It begins with an ordinary job of each tool and goes on from those that did something new: the values that conditions compare with are put where
//! the conditions look. What the jobs do is observed, not guessed (`coverage.rs`); the values are guesses (`changes.rs`).

mod asked;
mod changes;
mod coverage;
mod declared;

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tpv_analysis::check::sample_ids;
use tpv_analysis::dry_job::{DryJob, UNNAMED_TOOL, bytes_of};
use tpv_compiler::python::run_time;
use tpv_galaxy::json::{Json, text_of};
use tpv_model::{EntityClass, Field};
use tpv_runtime::artifact::Rules;
use tpv_runtime::mapper::places::ConfigPlace;
use tpv_runtime::{Job, Mapper, World};
use tpv_text::interrupt::Interrupt;

pub use asked::{Asked, make_answered};
pub(crate) use changes::set;
use changes::{Change, changes};
use coverage::{Covered, Key};
use declared::declared;

/// The bounds of making jobs.
#[derive(Clone, Debug)]
pub struct Options {
    /// The most jobs that are tried.
    pub tries: usize,
    /// The longest time.
    pub time: Duration,
    /// A part of the ids of tools, if not all tools are of interest.
    pub tool: Option<String>,
    /// `true` for all jobs that were tried, those on both sides of each border among them, rather than those that are needed.
    pub all: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { tries: 100_000, time: Duration::from_secs(60), tool: None, all: false }
    }
}

/// Jobs, and what they reach.
#[derive(Debug, Default)]
pub struct Made {
    /// The jobs, without ids.
    pub jobs: Vec<Json>,
    /// The number of jobs that were tried.
    pub tried: usize,
    /// The number of outcomes of conditions that the jobs have.
    pub branches: usize,
    /// The outcomes of conditions that none has.
    pub unreached: Vec<Unreached>,
    /// The bound that ended it, if one did.
    pub stopped: Option<&'static str>,
}

/// An outcome of a rule's condition that no job has.
#[derive(Clone, Debug)]
pub struct Unreached {
    /// The place of the rule.
    pub place: Option<ConfigPlace>,
    /// The condition.
    pub condition: String,
    /// The outcome; `None` if the condition is never evaluated.
    pub outcome: Option<bool>,
}

/// A job with what it did that was new.
struct Kept {
    job: Json,
    covered: Covered,
}

/// Makes jobs for rules, mapped in this world. The same rules and bounds give the same jobs, as long as the time is not what ends it.
pub fn make(rules: &Arc<Rules>, world: &Arc<World>, given: &[Json], options: &Options) -> Made {
    let mapper = Mapper::with_hooks(rules.clone(), run_time::hooks(), false);
    let first = first(rules, options);
    let mut run = Run {
        mapper,
        world,
        started: Instant::now(),
        interrupt: Interrupt::present(),
        options,
        seen: HashMap::new(),
        kept: Vec::new(),
        others: Vec::new(),
        tried: 0,
    };
    let mut waiting: VecDeque<Json> = given.iter().cloned().chain(first).collect();
    // The changes of each piece of code, with the number of jobs that they were made of.
    let mut suggested: HashMap<Box<str>, (usize, Vec<Change>)> = HashMap::new();
    let mut stopped = None;
    while let Some(job) = waiting.pop_front() {
        stopped = run.bound();
        if stopped.is_some() {
            break;
        }
        // A text of code may be no name that a job can have.
        let Ok(parsed) = Job::parse(&text_of(&job)) else { continue };
        let Some(covered) = run.tries(parsed) else {
            run.others.extend(options.all.then_some(job));
            continue;
        };
        // Code that asks a database mostly asks about the user: nobody's job may get further.
        if covered.keys.iter().any(|key| matches!(key, Key::Raised(_))) {
            let mut next = job.clone();
            if Change::nobody().apply(&mut next) {
                waiting.push_back(next);
            }
        }
        // Deeper changes of a job come after the first ones of all others.
        for text in &covered.texts {
            let (uses, changes) = suggested.entry(text.clone()).or_insert_with(|| (0, changes(text)));
            *uses += 1;
            if *uses > MOST_BASES && *uses * changes.len() > MOST_CHANGED {
                continue;
            }
            for change in &*changes {
                let mut next = job.clone();
                let is_left = run.tried + waiting.len() < options.tries;
                if is_left && change.apply(&mut next) {
                    waiting.push_back(next);
                }
            }
        }
        run.kept.push(Kept { job, covered });
    }
    let branches = run.seen.keys().filter(|key| matches!(key, Key::Rule(..))).count();
    let unreached = unreached(rules, &run.seen);
    let tried = run.tried;
    Made { jobs: run.needed(), tried, branches, unreached, stopped }
}

/// The changes that a piece of code suggests are made of so many jobs that it looks at; of more if there are few changes.
const MOST_BASES: usize = 4;

/// The most changed jobs of a piece of code whose few changes are made of more jobs.
const MOST_CHANGED: usize = 64;

struct Run<'a> {
    mapper: Mapper,
    world: &'a Arc<World>,
    started: Instant,
    interrupt: Interrupt,
    options: &'a Options,
    /// The things that were done, with the number of kept jobs that do each.
    seen: HashMap<Key, usize>,
    kept: Vec<Kept>,
    /// The jobs that do nothing new, if these are asked for.
    others: Vec<Json>,
    tried: usize,
}

impl Run<'_> {
    fn bound(&self) -> Option<&'static str> {
        if self.tried + 1 >= self.options.tries {
            return Some("the number of jobs to try");
        }
        if self.interrupt.is_set() {
            return Some("an interrupt");
        }
        (self.started.elapsed() > self.options.time).then_some("the time")
    }

    /// Maps a job. `None` if it does nothing new.
    fn tries(&mut self, mut job: Job) -> Option<Covered> {
        self.tried += 1;
        job.seed = Some(1.into());
        let mut covered = Covered::default();
        let answer = self.mapper.map_observed(&Arc::new(job), self.world, &mut covered);
        covered.finish(&answer);
        let is_new = covered.keys.iter().any(|key| !self.seen.contains_key(key));
        if !is_new {
            return None;
        }
        for key in &covered.keys {
            *self.seen.entry(key.clone()).or_default() += 1;
        }
        Some(covered)
    }

    /// The jobs that are needed: those that do what no other does. Earlier ones go first, since a later job often does what an earlier one did, too.
    fn needed(mut self) -> Vec<Json> {
        if self.options.all {
            return self.kept.into_iter().map(|kept| kept.job).chain(self.others).collect();
        }
        let mut needed = Vec::new();
        for Kept { job, covered } in self.kept {
            // Other amounts by the same branches are no reason to keep a job.
            let mut keys = covered.keys.iter().filter(|key| !matches!(key, Key::Amounts(..)));
            if keys.any(|key| self.seen.get(key).is_none_or(|count| *count <= 1)) {
                needed.push(job);
                continue;
            }
            for key in &covered.keys {
                if let Some(count) = self.seen.get_mut(key) {
                    *count -= 1;
                }
            }
        }
        needed
    }
}

/// Jobs as a job file, each once, with ids, and seeds by their number.
pub fn job_file<'j>(jobs: impl IntoIterator<Item = &'j Json>, seed: impl Fn(i64) -> i64) -> String {
    let mut known = HashSet::new();
    let different = jobs.into_iter().filter(|job| known.insert(text_of(job)));
    let numbered = different.zip(1_i64..).map(|(job, number)| {
        let mut line =
            vec![("id".into(), Json::str(format!("made-{number}"))), ("seed".into(), Json::Int(seed(number)))];
        if let Json::Object(fields) = job {
            line.extend(fields.iter().filter(|(name, _)| !matches!(&**name, "id" | "seed")).cloned());
        }
        text_of(&Json::Object(line)) + "\n"
    });
    numbered.collect()
}

/// The sizes of the inputs of the first jobs of each tool, in GiB.
const SIZES: [f64; 4] = [1.0, 0.0, 30.0, 300.0];

/// The first jobs: of each tool at some sizes, of each role and each user, and of nobody; and those of tools that declare amounts.
fn first(rules: &Rules, options: &Options) -> Vec<Json> {
    let ids = |class| {
        let mut ids: Vec<String> = sample_ids(rules, class).into_values().collect();
        ids.sort();
        ids
    };
    let wanted = |id: &String| options.tool.as_ref().is_none_or(|part| id.contains(part.as_str()));
    let mut tools: Vec<String> = ids(EntityClass::Tool).into_iter().filter(wanted).collect();
    if options.tool.is_none() || tools.is_empty() {
        tools.push(options.tool.clone().unwrap_or_else(|| UNNAMED_TOOL.to_owned()));
    }
    let mut jobs: Vec<DryJob> = Vec::new();
    for size in SIZES {
        jobs.extend(tools.iter().map(|tool| DryJob::ordinary(tool, bytes_of(size))));
    }
    let (roles, users) = (ids(EntityClass::Role), ids(EntityClass::User));
    // Code often asks whether a tool is from a tool shed.
    let of_shed = tools.iter().rev().find(|tool| tool.contains("/repos/"));
    for tool in tools.iter().rev().take(2).chain(of_shed) {
        let ordinary = DryJob::ordinary(tool, bytes_of(1.0));
        jobs.extend(roles.iter().map(|role| DryJob { roles: vec![role.clone()], ..ordinary.clone() }));
        jobs.extend(users.iter().map(|user| DryJob { user: Some(user.clone()), ..ordinary.clone() }));
        jobs.push(DryJob { user: None, ..ordinary });
    }
    let declared = if options.tool.is_none() { declared(rules) } else { Vec::new() };
    jobs.iter().map(DryJob::json).chain(declared).collect()
}

/// The outcomes of the conditions of all rules that are not among those seen.
fn unreached(rules: &Rules, seen: &HashMap<Key, usize>) -> Vec<Unreached> {
    let tables = rules.tables();
    let (mut out, mut sites) = (Vec::new(), HashSet::new());
    for row in tables.rules.iter().filter(|row| sites.insert(row.site)) {
        let has = |outcome| seen.contains_key(&Key::Rule(row.site, outcome));
        let condition = row.value(Field::If).map(|condition| coverage::shown(condition, tables)).unwrap_or_default();
        // A condition that is a plain value has one outcome.
        if matches!(condition.trim(), "true" | "True" | "false" | "False") {
            continue;
        }
        let place = || ConfigPlace::of_site(rules, row.site);
        match (has(true), has(false)) {
            (false, false) => out.push(Unreached { place: place(), condition, outcome: None }),
            (one, other) if one != other => out.push(Unreached { place: place(), condition, outcome: Some(other) }),
            _ => {}
        }
    }
    out
}
