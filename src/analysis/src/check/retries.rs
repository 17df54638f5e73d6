//! T222: resubmissions for want of memory that come to nothing, shown by sample jobs.
//!
//! A job of each tool is mapped, short of memory at each attempt. The findings are facts about these jobs, not proofs over all.

use std::collections::HashSet;
use std::sync::Arc;

use super::sample_ids;
use crate::json_number::to_f64;
use crate::lint::Linter;
use tpv_compiler::link::link;
use tpv_compiler::python::resubmit::compile;
use tpv_compiler::python::run_time;
use tpv_config::Config;
use tpv_galaxy::answer::{Answer, Field};
use tpv_galaxy::errors::NO_DESTINATIONS;
use tpv_galaxy::json::Json;
use tpv_model::EntityClass;
use tpv_runtime::artifact::Rules;
use tpv_runtime::resubmit::{Attempt, ChainEnd, Failure, Next, Resubmission, Resubmitter, RunnerState, follow};
use tpv_runtime::{Input, Job, Mapper, World};
use tpv_text::code::Code;
use tpv_text::diagnostic::{Diagnostic, Diagnostics};
use tpv_text::finding::Finding;
use tpv_text::source::Span;

/// The sizes of the inputs of sample jobs, in GiB.
const SIZES: [i64; 3] = [0, 1, 20];
/// The most tools that are sampled.
const MOST_TOOLS: usize = 500;
/// The most attempts of a sample job.
const MOST_ATTEMPTS: u32 = 8;

/// Maps sample jobs if anything in the config is resubmitted.
pub(super) fn check(linter: &mut Linter<'_>) {
    let config = linter.config;
    let classes = [EntityClass::Tool, EntityClass::Role, EntityClass::User, EntityClass::Destination];
    let mut commons =
        classes.into_iter().flat_map(|class| config.section(class).values()).flat_map(|one| one.commons());
    if commons.all(|common| common.resubmit.is_empty()) {
        return;
    }
    let (tables, program, _) = link(config, linter.sources, false, &mut Diagnostics::new());
    let Ok(rules) = Rules::new(tables, program) else { return };
    let ids = sample_ids(&rules, EntityClass::Tool);
    let mut samples = Samples {
        mapper: Mapper::with_hooks(Arc::new(rules), run_time::hooks(), false),
        world: Arc::new(World::default()),
        resubmitter: Resubmitter::new(Arc::new(compile)),
        told: HashSet::new(),
    };
    let concrete = config.tools.values().filter(|tool| !tool.common.is_abstract);
    for id in concrete.filter_map(|tool| ids.get(&*tool.id)).take(MOST_TOOLS) {
        for gib in SIZES {
            if let Some(finding) = samples.find(config, id, gib) {
                linter.report(finding);
            }
        }
    }
}

struct Samples {
    mapper: Mapper,
    world: Arc<World>,
    resubmitter: Resubmitter,
    /// The definitions that findings are about.
    told: HashSet<Span>,
}

impl Samples {
    /// The finding for a job that is always short of memory.
    fn find(&mut self, config: &Config, tool: &str, gib: i64) -> Option<Finding> {
        let input = Input::new(1).name("input").size(gib << 30);
        let job = Arc::new(Job::builder(tool).email("someone@example.org").seed(1).input(input).build().ok()?);
        // With resource pools, each job is alone.
        let (mapper, world) = (&self.mapper, &self.world);
        let map = |job: &Arc<Job>| mapper.map(job, world);
        let first = Attempt::first(job.clone(), map(&job));
        let short = |attempt: &Attempt| Some(short_of(RunnerState::MemoryLimitReached, attempt.number));
        let chain = follow(&mut self.resubmitter, first, MOST_ATTEMPTS, map, short);
        let sample = format!("a job of `{tool}` with {gib} GiB of inputs");
        for (before, after) in chain.attempts.iter().zip(chain.attempts.iter().skip(1)) {
            let Some(by) = after.by.as_ref().filter(|by| is_dispatcher(by)) else { continue };
            if after.answer.error().is_some() {
                break;
            }
            if is_same(&before.answer, &after.answer) && self.is_about_memory(before) {
                let (span, silences) = place(config, before, by)?;
                let mem = before.answer.text(Field::Mem).unwrap_or("no");
                let (first, second) = (before.number, after.number);
                let diagnostic = Diagnostic::warning("a job that was short of memory is resubmitted with the same memory")
                    .at(span, format!("{sample} gets {mem} GiB at attempt {second}, as at attempt {first}"))
                    .note("this was found with a sample job; rules see the params of the attempt before in `job.destination_params`")
                    .help("keep a factor in `params`, and multiply `mem` by it, as docs/test.md shows; or remove the definition");
                return self
                    .told
                    .insert(span)
                    .then(|| Finding::new(Code::UselessResubmit, diagnostic).within([silences]));
            }
        }
        let (last, before) = (chain.attempts.last()?, chain.attempts.iter().rev().nth(1)?);
        let by = last.by.as_ref().filter(|by| is_dispatcher(by))?;
        let (_, message) = last.answer.error().filter(|_| chain.end == ChainEnd::NotMapped)?;
        if !matches!(message, Json::Str(text) if text.contains(NO_DESTINATIONS)) {
            return None;
        }
        let (span, silences) = place(config, before, by)?;
        let had = before.answer.text(Field::Mem).unwrap_or("no");
        let diagnostic = Diagnostic::warning("a resubmitted job may find no destination")
            .at(span, format!("{sample}: no destination accepts attempt {}, after one with {had} GiB", last.number))
            .note("this was found with a sample job that is short of memory at each attempt")
            .note("Galaxy 26.1 asks again every few seconds, and starts no other job of the same handler until one accepts it")
            .help("end the condition earlier (`attempt <= 2`), or limit `mem` to what a destination accepts, as `max_mem` does");
        self.told.insert(span).then(|| Finding::new(Code::UselessResubmit, diagnostic).within([silences]))
    }

    /// Returns `true` if the definition that applies to an attempt short of memory does not apply to one that ends in an unknown error:
    /// another try may help that one.
    fn is_about_memory(&mut self, attempt: &Attempt) -> bool {
        let mut by = |state| match self.resubmitter.next(attempt.definitions(), &short_of(state, attempt.number)) {
            Next::Resubmitted(by) => Some(by.definition),
            Next::Ends(_) => None,
        };
        by(RunnerState::MemoryLimitReached) != by(RunnerState::UnknownError)
    }
}

fn short_of(state: RunnerState, attempt: u32) -> Failure {
    Failure { state, attempt, seconds_running: Some(3600.0), seconds_since_queued: Some(3600.0) }
}

/// Returns `true` if a resubmission goes to an environment that is named as TPV's are: others may have other rules.
fn is_dispatcher(by: &Resubmission) -> bool {
    by.environment.as_deref().is_some_and(|name| name.contains("tpv"))
}

/// Returns `true` if a job got nothing new: the same destination, `env` and `params`, and no more memory.
fn is_same(before: &Answer, after: &Answer) -> bool {
    let mem = |answer: &Answer| answer.get(Field::Mem).as_ref().and_then(to_f64);
    let (Some(less), Some(more)) = (mem(before), mem(after)) else { return false };
    more <= less && [Field::Id, Field::Params, Field::Env].iter().all(|field| before.text(*field) == after.text(*field))
}

/// The place of a definition in the config, and the codes that its entity turns off: one of the same condition.
fn place<'c>(config: &'c Config, attempt: &Attempt, by: &Resubmission) -> Option<(Span, &'c [tpv_yaml::value::Text])> {
    let condition = attempt.definitions().iter().nth(by.definition)?.get("condition").cloned();
    let classes = [EntityClass::Tool, EntityClass::Role, EntityClass::User, EntityClass::Destination];
    let mut commons =
        classes.into_iter().flat_map(|class| config.section(class).values()).flat_map(|one| one.commons());
    commons.find_map(|common| {
        let found = common.resubmit.values().find_map(|value| {
            let own = value.as_map()?.get("condition");
            let is_equal = match (&condition, own) {
                (Some(Json::Str(text)), Some(own)) => own.as_str() == Some(text),
                (None, None) => true,
                _ => false,
            };
            is_equal.then(|| own.map_or(value.span, |own| own.span))
        })?;
        Some((found, &**common.no_qa_codes))
    })
}
