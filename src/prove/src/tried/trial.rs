//! Jobs put through the rules of a config.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use tpv_analysis::dry_job::DryJob;
use tpv_analysis::lint::Blocks;
use tpv_compiler::python::run_time;
use tpv_galaxy::answer::Answer;
use tpv_galaxy::errors::NO_DESTINATIONS;
use tpv_galaxy::json::Json;
use tpv_model::{Field, Quantity, Resource, TagType};
use tpv_python::value::Value;
use tpv_runtime::artifact::Rules;
use tpv_runtime::mapper::entity::Entity;
use tpv_runtime::mapper::explain::{Observer, Reason, Step, reasons};
use tpv_runtime::mapper::tags::TagNames;
use tpv_runtime::mapper::trace::{Cause, Trace};
use tpv_runtime::{Job, Mapper, World};
use tpv_text::interrupt::Interrupt;

use crate::answers::{Answers, Lacks};

/// The most jobs of a check, those that look for a border among them.
const MOST_JOBS: usize = 100_000;

/// The most times that a job is mapped with further answers.
const MOST_ROUNDS: usize = 5;

/// The rules of a config, by which jobs are mapped.
pub(super) struct Trial {
    pub rules: Arc<Rules>,
    mapper: Mapper,
    world: Arc<World>,
    /// What the world was asked for in vain since the last job began.
    lacks: Lacks,
    /// Answers to that, which were made.
    answers: Rc<RefCell<Answers>>,
    left: Rc<Cell<usize>>,
    /// What is found after it is for nobody.
    interrupt: Interrupt,
}

/// The end of a job.
pub(super) enum Outcome {
    /// It got a destination.
    Mapped(Answer),
    /// No destination accepts it.
    Nowhere,
    /// A rule made it fail or wait.
    Refused,
    /// Code raised an exception.
    Raised,
}

impl Trial {
    /// The rules of a config that was linked. `None` if they cannot be run.
    pub(super) fn of(blocks: &Blocks, world: &Arc<World>) -> Option<Self> {
        let rules = Rules::new(blocks.tables.clone(), blocks.program.clone()).ok()?;
        Some(Self::by(Arc::new(rules), world))
    }

    /// Rules by which jobs are mapped.
    pub(super) fn by(rules: Arc<Rules>, world: &Arc<World>) -> Self {
        let mapper = Mapper::with_hooks(rules.clone(), run_time::hooks(), true);
        let lacks = Lacks::default();
        let world = Arc::new(World { lacks: Some(lacks.clone()), ..World::clone(world) });
        let answers = Rc::new(RefCell::new(Answers::new(&rules)));
        let (left, interrupt) = (Rc::new(Cell::new(MOST_JOBS)), Interrupt::present());
        Self { rules, mapper, world, lacks, answers, left, interrupt }
    }

    /// The same rules with one destination only. `None` if they cannot be run.
    pub(super) fn only(&self, destination: &str) -> Option<Self> {
        let mut tables = self.rules.tables().clone();
        let strings = &tables.strings;
        let is_other = |id: u32| strings.get(id as usize).is_none_or(|id| id != destination);
        for row in tables.destinations.iter_mut().filter(|row| is_other(row.id)) {
            row.abstract_ = true;
        }
        let rules = Arc::new(Rules::new(tables, (**self.rules.program()).clone()).ok()?);
        let mapper = Mapper::with_hooks(rules.clone(), run_time::hooks(), true);
        let (world, lacks, answers) = (self.world.clone(), self.lacks.clone(), self.answers.clone());
        let (left, interrupt) = (self.left.clone(), self.interrupt.clone());
        Some(Self { rules, mapper, world, lacks, answers, left, interrupt })
    }

    /// Returns `true` if no more jobs are mapped.
    pub(super) fn is_spent(&self) -> bool {
        self.left.get() == 0 || self.interrupt.is_set()
    }

    /// Maps a job. `None` if there have been too many, or it is no job.
    pub(super) fn map(&self, job: &DryJob) -> Option<Outcome> {
        Some(outcome(self.mapper.map(&Arc::new(self.take(job)?), &self.world)))
    }

    /// Maps a job, and looks how.
    pub(super) fn watch(&self, job: &DryJob) -> Option<(Outcome, Watched)> {
        let job = Arc::new(self.take(job)?);
        self.lacks.take();
        let (outcome, mut watched) = self.observe(&job, &self.world);
        if matches!(outcome, Outcome::Raised) {
            watched.is_for_want = self.is_for_want(&job, &watched);
        }
        Some((outcome, watched))
    }

    fn observe(&self, job: &Arc<Job>, world: &Arc<World>) -> (Outcome, Watched) {
        let mut watched = Watched::default();
        let answer = self.mapper.map_observed(job, world, &mut watched);
        watched.error = answer.error_text();
        (outcome(answer), watched)
    }

    /// Returns `true` if a job that ended in an exception may end otherwise where Galaxy has what the world lacks.
    fn is_for_want(&self, job: &Arc<Job>, raised: &Watched) -> bool {
        let place =
            |watched: &Watched| watched.trace.as_ref().and_then(Trace::place).map(|place| (place.line, place.column));
        let mut answers = self.answers.borrow_mut();
        // An answer may lead to the next question.
        for round in 0..MOST_ROUNDS {
            let lacks = self.lacks.take();
            let new = lacks.iter().filter(|lack| answers.add(lack)).count();
            if lacks.iter().any(|lack| answers.leaves(lack)) {
                return true;
            }
            if lacks.is_empty() && round == 0 || new == 0 && round > 0 {
                return false;
            }
            // A world that cannot be had proves nothing.
            let Ok(world) = answers.over(&self.world) else { return true };
            let (outcome, watched) = self.observe(job, &Arc::new(world));
            let is_same = watched.error == raised.error && place(&watched) == place(raised);
            if !matches!(outcome, Outcome::Raised) || !is_same {
                return true;
            }
        }
        false
    }

    /// The answer to a job.
    pub(super) fn answer(&self, job: &Arc<Job>) -> Answer {
        self.left.set(self.left.get().saturating_sub(1));
        self.mapper.map(job, &self.world)
    }

    /// The job to be mapped. `None` if there have been too many, or it is no job.
    pub(super) fn take(&self, job: &DryJob) -> Option<Job> {
        if self.is_spent() {
            return None;
        }
        self.left.set(self.left.get().saturating_sub(1));
        let mut job = job.job().ok()?;
        job.seed = Some(1.into());
        Some(job)
    }
}

fn outcome(answer: Answer) -> Outcome {
    let Some((kind, message)) = answer.error() else { return Outcome::Mapped(answer) };
    match kind {
        "JobMappingException" if matches!(message, Json::Str(text) if text.starts_with(NO_DESTINATIONS)) => {
            Outcome::Nowhere
        }
        "JobMappingException" | "JobNotReadyException" => Outcome::Refused,
        _ => Outcome::Raised,
    }
}

/// Returns `true` if code of an entity or rule has a word that leads to inputs.
fn reads_inputs(entity: &Entity) -> bool {
    let rule = [Field::If, Field::Execute].into_iter().map(|field| entity.single(field));
    let amounts = Resource::ALL.into_iter().map(|resource| entity.resource(resource));
    rule.chain(amounts).any(|value| match value {
        Value::Str(code) => ["input", "job", "dataset", "size"].iter().any(|word| code.as_str().contains(word)),
        _ => false,
    })
}

fn id(entity: &Entity) -> String {
    match &entity.id {
        Value::Str(id) => id.as_str().to_owned(),
        _ => String::new(),
    }
}

/// The mapping of a job.
#[derive(Default)]
pub(super) struct Watched {
    names: Rc<TagNames>,
    /// The destinations that do not accept it, with their reasons.
    pub refused: Vec<(String, Vec<Reason>)>,
    /// The entity whose destination was looked for, with its amounts.
    pub entity: Option<Rc<Entity>>,
    /// `true` if any code of the entity, or of its rules, may look at inputs.
    pub reads_inputs: bool,
    /// The place that the exception was raised at.
    pub trace: Option<Trace>,
    /// The exception that ended it: class and message.
    pub error: Option<String>,
    /// `true` if it may not have been raised where Galaxy has what the world lacks.
    is_for_want: bool,
}

impl Watched {
    /// Cores, memory in GiB and GPUs that destinations were looked for with, as text.
    pub(super) fn amounts(&self) -> [String; Quantity::COUNT] {
        let entity = self.entity.as_ref();
        Quantity::ALL.map(|quantity| match entity.map(|entity| entity.resource(quantity.resource())) {
            Some(Value::Int(number)) => number.to_string(),
            Some(Value::Float(number)) => number.to_string(),
            _ => String::new(),
        })
    }

    /// The names of the tags of a kind that the job has.
    pub(super) fn tags(&self, kind: TagType) -> Vec<String> {
        let tags = self.entity.iter().flat_map(|entity| entity.tags.list(kind));
        tags.map(|tag| self.names.name(*tag).as_str().to_owned()).collect()
    }

    /// Returns `true` if the job ended because a part of Galaxy or the network was not there, or in what came of that.
    pub(super) fn is_unavailable(&self) -> bool {
        if self.is_for_want {
            return true;
        }
        const AWAY: &str = "HostUnavailable";
        let begins = |text: &str| text.starts_with(AWAY);
        let mut cause = self.trace.as_ref().and_then(|trace| trace.cause.as_deref());
        while let Some(Cause { what, trace, .. }) = cause {
            if begins(what) {
                return true;
            }
            cause = trace.as_ref().and_then(|trace| trace.cause.as_deref());
        }
        self.error.as_deref().is_some_and(begins)
    }
}

impl Observer for Watched {
    fn reads(&self) -> bool {
        false
    }

    fn step(&mut self, step: Step<'_>) {
        match step {
            Step::OnceMore { .. } => *self = Self::default(),
            Step::Start { names } => self.names = names.clone(),
            Step::Destination { destination, entity, matched: false } => {
                self.refused.push((id(destination), reasons(destination, entity, &self.names)));
            }
            Step::Combined { entity } => {
                let rules = entity.rules.all().into_iter().flatten().map(|(_, rule)| &**rule);
                self.reads_inputs = std::iter::once(&**entity).chain(rules).any(reads_inputs);
            }
            Step::Resources { evaluated, .. } if self.entity.is_none() => self.entity = Some(evaluated.clone()),
            Step::Raised { trace, .. } => self.trace = trace.cloned(),
            _ => {}
        }
    }
}
