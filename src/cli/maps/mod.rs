//! `tpvc maps`: one file a verb, or two that are alike.

mod clean;
mod component;
mod context;
mod create;
mod edit;
mod errors;
mod hold;
mod limits;
mod list;
mod logs;
mod path;
mod remove;
mod rerun;
mod results;
mod run;
mod select;
mod settings;
mod status;
mod submission;
mod transplant;
mod version;
mod wait;

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::common::Common;
use super::error::{CliError, Outcome};
pub(super) use context::Context;
pub(super) use submission::{Submission, budget};
use tpv_maps::engine::Action;

/// Map years of jobs: in parts, on this machine, on HTCondor or on Slurm
///
/// A map is one command over many components, each a rule set on a slice of jobs. It is called by its tag, and its whole state is on disk,
/// so that it survives terminals, crashes and reboots, and any part of it can run again.
#[derive(Args)]
#[command(
    arg_required_else_help = true,
    after_help = "Examples:\n  \
    tpvc maps create --tag q3 --rules rules.bin jobs/*.jsonl.zst\n  \
    tpvc maps wait q3\n  \
    tpvc maps results q3 --summary\n  \
    tpvc maps rerun q3\n  \
    tpvc maps remove q3"
)]
pub(super) struct Maps {
    /// The folder of all maps [default: `dir` of `tpvc.toml`, or ~/.tpvc/maps]
    #[arg(long, global = true, value_name = "FOLDER")]
    maps_dir: Option<PathBuf>,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    Create(Box<create::Create>),
    List(list::List),
    Status(status::Status),
    Wait(wait::Wait),
    Results(results::Results),
    Errors(errors::Errors),
    Holds(errors::Holds),
    Logs(logs::Logs),
    /// Hold components; running ones are stopped
    #[command(after_help = "Examples:\n  tpvc maps hold q3\n  tpvc maps hold q3 --components 3,7-9")]
    Hold(hold::Acting),
    /// Release HELD components
    #[command(after_help = "Examples:\n  tpvc maps release q3")]
    Release(hold::Acting),
    /// Pause running components, to go on where they are (HTCondor)
    #[command(after_help = "Examples:\n  tpvc maps pause q3")]
    Pause(hold::Acting),
    /// Let SUSPENDED components go on (HTCondor)
    #[command(after_help = "Examples:\n  tpvc maps resume q3")]
    Resume(hold::Acting),
    /// Take components from their machines; they start anew (HTCondor)
    #[command(after_help = "Examples:\n  tpvc maps vacate q3 --components 3")]
    Vacate(hold::Acting),
    Rerun(rerun::Rerun),
    Remove(remove::Remove),
    Retag(rerun::Retag),
    Clean(clean::Clean),
    Edit(edit::Edit),
    Path(path::Path),
    Transplant(transplant::Transplant),
    Settings(settings::Settings),
    Version(version::Version),
    #[command(hide = true)]
    Run(run::Run),
    #[command(hide = true)]
    Component(component::Component),
}

impl Maps {
    pub(super) fn run(&self, common: &Common) -> Result<Outcome, CliError> {
        // What an engine starts reads no settings: all is in its arguments.
        match &self.verb {
            Verb::Run(verb) => return verb.run(),
            Verb::Component(verb) => return verb.run(common),
            _ => {}
        }
        let context = Context::new(self.maps_dir.as_deref(), common)?;
        match &self.verb {
            Verb::Create(verb) => verb.run(&context),
            Verb::List(verb) => verb.run(&context),
            Verb::Status(verb) => verb.run(&context),
            Verb::Wait(verb) => verb.run(&context),
            Verb::Results(verb) => verb.run(&context),
            Verb::Errors(verb) => verb.run(&context),
            Verb::Holds(verb) => verb.run(&context),
            Verb::Logs(verb) => verb.run(&context),
            Verb::Hold(verb) => verb.run(&context, Action::Hold),
            Verb::Release(verb) => verb.run(&context, Action::Release),
            Verb::Pause(verb) => verb.run(&context, Action::Pause),
            Verb::Resume(verb) => verb.run(&context, Action::Resume),
            Verb::Vacate(verb) => verb.run(&context, Action::Vacate),
            Verb::Rerun(verb) => verb.run(&context),
            Verb::Remove(verb) => verb.run(&context),
            Verb::Retag(verb) => verb.run(&context),
            Verb::Clean(verb) => verb.run(&context),
            Verb::Edit(verb) => verb.run(&context),
            Verb::Path(verb) => verb.run(&context),
            Verb::Transplant(verb) => verb.run(&context),
            Verb::Settings(verb) => verb.run(&context),
            Verb::Version(verb) => verb.run(&context),
            Verb::Run(_) | Verb::Component(_) => Ok(Outcome::Done),
        }
    }
}
