//! T222: resubmissions that come to nothing: jobs that come back with the same memory, and those that no destination accepts at a later attempt.
//!
//! A job of each tool fails at each attempt in the same way, for each way that makes a difference.

use std::collections::HashSet;
use std::sync::Arc;

use tpv_analysis::check::Linter;
use tpv_analysis::check::reach::JobEnd;
use tpv_analysis::dry_job::DryJob;
use tpv_compiler::python::resubmit::compile;
use tpv_config::Config;
use tpv_config::entity::Common;
use tpv_galaxy::answer::{Answer, Field};
use tpv_galaxy::errors::NO_DESTINATIONS;
use tpv_galaxy::json::Json;
use tpv_model::EntityClass;
use tpv_runtime::Job;
use tpv_runtime::resubmit::{Attempt, Chain, ChainEnd, Failure, Next, Resubmission, Resubmitter, RunnerState, follow};
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::finding::Finding;
use tpv_text::source::Span;
use tpv_yaml::value::Text;

use super::sizes::{GIB, ORDINARY, shown};
use super::tool::Tool;
use super::trial::Trial;
use super::words::with_job;

/// The sizes of the inputs of jobs, in bytes; the ordinary one alone where no code looks at inputs.
const SIZES: [i64; 3] = [ORDINARY, 0, 20 * GIB];

/// The most attempts of a job.
const MOST_ATTEMPTS: u32 = 8;

/// Tries the jobs of all tools if anything in the config is resubmitted.
pub(super) fn check(linter: &mut Linter<'_>, trial: &Trial, tools: &[Tool<'_>]) {
    let config = linter.config;
    if commons(config).all(|common| common.resubmit.is_empty()) {
        return;
    }
    let mut trying = Trying { config, trial, resubmitter: Resubmitter::new(Arc::new(compile)), told: HashSet::new() };
    for tool in tools.iter().filter(|tool| tool.index.is_some() && tool.end().is_some_and(JobEnd::is_accepted)) {
        let sizes = if tool.ordinary.reads_inputs { &SIZES[..] } else { &SIZES[..1] };
        for bytes in sizes {
            for finding in trying.size(tool, *bytes) {
                linter.report(finding);
            }
        }
    }
}

/// The fields of all entities and rules that may be resubmitted.
fn commons(config: &Config) -> impl Iterator<Item = &Common> {
    let classes = [EntityClass::Tool, EntityClass::Role, EntityClass::User, EntityClass::Destination];
    classes.into_iter().flat_map(|class| config.section(class).values()).flat_map(|one| one.commons())
}

struct Trying<'t> {
    config: &'t Config,
    trial: &'t Trial,
    resubmitter: Resubmitter,
    /// The definitions that findings are about.
    told: HashSet<Span>,
}

impl Trying<'_> {
    /// The findings about a tool's job of a size.
    fn size(&mut self, tool: &Tool<'_>, bytes: i64) -> Vec<Finding> {
        let dry = tool.job(bytes);
        let Some(job) = self.trial.take(&dry).map(Arc::new) else { return Vec::new() };
        let answer = self.trial.answer(&job);
        let first = Attempt::first(job, answer);
        // Ways to fail by which the same definition applies are one way.
        let mut known = HashSet::new();
        let mut out = Vec::new();
        for state in RunnerState::ASKED {
            let Some(by) = self.applied(&first, state) else { continue };
            if known.insert(by) {
                out.extend(self.chain(&dry, &first, state));
            }
        }
        out
    }

    /// The definition that applies to an attempt which ends in a way.
    fn applied(&mut self, attempt: &Attempt, state: RunnerState) -> Option<usize> {
        match self.resubmitter.next(attempt.definitions(), &failure(state, attempt.number)) {
            Next::Resubmitted(by) => Some(by.definition),
            Next::Ends(_) => None,
        }
    }

    /// The finding about a job that fails in one way at each attempt.
    fn chain(&mut self, dry: &DryJob, first: &Attempt, state: RunnerState) -> Option<Finding> {
        let trial = self.trial;
        let map = |job: &Arc<Job>| trial.answer(job);
        let fails = |attempt: &Attempt| Some(failure(state, attempt.number));
        let chain = follow(&mut self.resubmitter, first.clone(), MOST_ATTEMPTS, map, fails);
        if trial.is_spent() {
            return None;
        }
        let is_short = state == RunnerState::MemoryLimitReached;
        is_short.then(|| self.same(dry, &chain)).flatten().or_else(|| self.nowhere(dry, &chain, state))
    }

    /// The finding about an attempt with no more memory than the one before, which was short of it.
    fn same(&mut self, dry: &DryJob, chain: &Chain) -> Option<Finding> {
        for (before, after) in chain.attempts.iter().zip(chain.attempts.iter().skip(1)) {
            let Some(by) = after.by.as_ref().filter(|by| is_dispatcher(by)) else { continue };
            if after.answer.error().is_some() {
                break;
            }
            // Another try may help what ends in an unknown error.
            let mut is_about_memory = || {
                self.applied(before, RunnerState::MemoryLimitReached) != self.applied(before, RunnerState::UnknownError)
            };
            if is_same(&before.answer, &after.answer) && is_about_memory() {
                let (span, silences) = place(self.config, before, by)?;
                let mem = before.answer.text(Field::Mem).unwrap_or("no");
                let label = format!(
                    "{} gets {mem} GiB at attempt {}, as at attempt {}",
                    sample(dry),
                    after.number,
                    before.number
                );
                let diagnostic =
                    Diagnostic::warning("a job that was short of memory is resubmitted with the same memory")
                        .at(span, label)
                        .note("rules see the params of the attempt before in `job.destination_params`");
                let diagnostic = with_job(diagnostic, &at_attempt(dry, before, by)).help(
                    "keep a factor in `params`, and multiply `mem` by it, as docs/test.md shows; or remove the definition",
                );
                return self.found(span, silences, diagnostic);
            }
        }
        None
    }

    /// The finding about an attempt that no destination accepts.
    fn nowhere(&mut self, dry: &DryJob, chain: &Chain, state: RunnerState) -> Option<Finding> {
        let (last, before) = (chain.attempts.last()?, chain.attempts.iter().rev().nth(1)?);
        let by = last.by.as_ref().filter(|by| is_dispatcher(by))?;
        let (_, message) = last.answer.error().filter(|_| chain.end == ChainEnd::NotMapped)?;
        if !matches!(message, Json::Str(text) if text.contains(NO_DESTINATIONS)) {
            return None;
        }
        let (span, silences) = place(self.config, before, by)?;
        let had = before.answer.text(Field::Mem).unwrap_or("no");
        let label =
            format!("{}: no destination accepts attempt {}, after one with {had} GiB", sample(dry), last.number);
        let diagnostic = Diagnostic::warning("a resubmitted job may find no destination")
            .at(span, label)
            .note(format!("each attempt before ended in `{}`", state.name()))
            .note("Galaxy 26.1 asks again every few seconds, and starts no other job of the same handler until one accepts it");
        let help = match state {
            RunnerState::MemoryLimitReached => {
                "end the condition earlier (`attempt <= 2`), or limit `mem` to what a destination accepts, as `max_mem` does"
            }
            _ => "end the condition earlier (`attempt <= 2`), or let a destination accept the job",
        };
        let diagnostic = with_job(diagnostic, &at_attempt(dry, before, by)).help(help);
        self.found(span, silences, diagnostic)
    }

    /// A finding about a definition that no other is about.
    fn found(&mut self, span: Span, silences: &[Text], diagnostic: Diagnostic) -> Option<Finding> {
        self.told.insert(span).then(|| Finding::new(Code::UselessResubmit, diagnostic).within([silences]))
    }
}

fn sample(dry: &DryJob) -> String {
    format!("a job of `{}` with {} of inputs", dry.tool, shown(dry.input_size.unwrap_or_default()))
}

/// The job as it is mapped after an attempt.
fn at_attempt(dry: &DryJob, before: &Attempt, by: &Resubmission) -> DryJob {
    DryJob { state: "resubmitted".to_owned(), carried: Some(before.carried(by)), ..dry.clone() }
}

fn failure(state: RunnerState, attempt: u32) -> Failure {
    Failure { state, attempt, seconds_running: Some(3600.0), seconds_since_queued: Some(3600.0) }
}

/// Returns `true` if a resubmission goes to an environment that is named as TPV's are: others may have other rules.
fn is_dispatcher(by: &Resubmission) -> bool {
    by.environment.as_deref().is_some_and(|name| name.contains("tpv"))
}

/// Returns `true` if a job got nothing new: the same destination, `env` and `params`, and no more memory.
fn is_same(before: &Answer, after: &Answer) -> bool {
    let mem = |answer: &Answer| answer.number(Field::Mem);
    let (Some(less), Some(more)) = (mem(before), mem(after)) else { return false };
    more <= less && [Field::Id, Field::Params, Field::Env].iter().all(|field| before.text(*field) == after.text(*field))
}

/// The place of a definition in the config, and the codes that its entity turns off: one of the same condition.
fn place<'c>(config: &'c Config, attempt: &Attempt, by: &Resubmission) -> Option<(Span, &'c [Text])> {
    let condition = attempt.definitions().iter().nth(by.definition)?.get("condition").cloned();
    commons(config).find_map(|common| {
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
