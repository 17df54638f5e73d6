//! T304: texts that a scheduler refuses or misreads, judged on the params that a job got.
//!
//! A text is not judged as it is written in a config but as it reaches its reader: `--mem={mem}G` is right or wrong by the number that `mem` has. Each
//! reader has a file, whose tables name their source. A param is read by whom its name tells ([`readers`]); the runner's id decides only who does not
//! read it. Whatever no table knows is taken to be right.
//!
//! The tables are tried with the real programs: `tests/engines/texts.py`.

mod classad;
mod condor;
mod containers;
mod environment;
mod fault;
mod kubernetes;
mod leftovers;
mod memory;
mod pbs;
mod pulsar;
mod readers;
mod slurm;
mod switches;

use tpv_config::template::PLACEHOLDER;
use tpv_galaxy::answer::{Answer, Field};
use tpv_galaxy::json::{Json, text_of};

pub use fault::{Amounts, Effect, Fault};
use readers::{Param, Runner};

/// A job as it would be submitted.
#[derive(Clone, Copy, Debug)]
pub struct Submission<'a> {
    /// The id of the destination's runner, or the class of its plugin; empty if it is not known.
    pub runner: &'a str,
    /// The params that it got: an object.
    pub params: &'a Json,
    /// The variables that it got: a list, as answers have it.
    pub env: &'a Json,
    /// The amounts that it got.
    pub amounts: Amounts,
}

/// The faults of a job's answer. None for a job that got no destination.
pub fn faults(answer: &Answer) -> Vec<Fault> {
    let Some(destination) = answer.destination() else { return Vec::new() };
    let amounts = Amounts { cores: answer.number(Field::Cores), mem: answer.number(Field::Mem) };
    let runner = if let Json::Str(runner) = &destination.runner { runner } else { "" };
    judge(&Submission { runner, params: &destination.params, env: &destination.env, amounts })
}

/// The faults of all texts of a job, in the order of its params. Texts with the missing value of a template's variable have none.
pub fn judge(job: &Submission<'_>) -> Vec<Fault> {
    let params: Vec<(&str, String)> = match job.params {
        Json::Object(params) => params.iter().filter_map(|(name, value)| Some((&**name, text(value)?))).collect(),
        _ => Vec::new(),
    };
    let runner = Runner::of(job.runner);
    let mut faults = Vec::new();
    for (name, text) in params.iter().filter(|(_, text)| !text.contains(PLACEHOLDER)) {
        let found = match readers::of(name, runner, &params) {
            Some(Param::Native) => native(text, runner, job.amounts),
            Some(Param::Sbatch(option)) => slurm::of_sbatch(option, text, job.amounts),
            Some(Param::Resources) => pbs::resources(text),
            Some(Param::Condor(command)) => condor::command(command, text, job.amounts),
            Some(Param::Kubernetes(resource)) => kubernetes::resource(resource, text, job.amounts),
            Some(Param::Container(setting)) => containers::setting(setting, text),
            Some(Param::Switch(name)) => switches::fault(name, text).into_iter().collect(),
            Some(Param::Pulsar(setting)) => pulsar::setting(setting, text),
            None => Vec::new(),
        };
        let lines = if readers::is_line_of_condor(name, runner) { condor::line(text) } else { None };
        faults.extend(found.into_iter().chain(lines).map(|fault| of(fault, name, text)));
    }
    // Params that are read together.
    let together = [kubernetes::bounds(&params, runner), condor::slots(&params, runner)];
    faults.extend(together.into_iter().flatten().map(|(name, text, fault)| of(fault, name, text)));
    faults.extend(environment::judge(job.env));
    faults
}

/// Options in one text: those of Slurm's commands, or those of `qsub`.
fn native(text: &str, runner: Runner, amounts: Amounts) -> Vec<Fault> {
    if slurm::is_for_slurm(text, runner) { slurm::native(text, amounts) } else { pbs::native(text, runner) }
}

/// A fault in the text of a param. The part of a text that is empty is shown as the param.
fn of(mut fault: Fault, name: &str, text: &str) -> Fault {
    if fault.part.trim().is_empty() {
        fault.part = format!("{name}:");
    }
    (fault.param, fault.text) = (name.to_owned(), text.to_owned());
    fault
}

/// The text that a reader gets for a value. `None` for values that are no texts.
fn text(value: &Json) -> Option<String> {
    match value {
        Json::Str(text) => Some(text.to_string()),
        Json::Int(_) | Json::BigInt(_) | Json::Float(_) => Some(text_of(value)),
        Json::Bool(value) => Some(if *value { "True" } else { "False" }.to_owned()),
        Json::Null | Json::List(_) | Json::Object(_) => None,
    }
}
