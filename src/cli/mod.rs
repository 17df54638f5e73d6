//! The command line: one file a verb. Results go to stdout, everything else to stderr.
//!
//! Exit status: 0 done; 1 the input was judged and is bad; 2 the command line is wrong.

// `println` panics where nobody reads its output: `output::print_stdout` does not.
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod answer_rows;
mod baseline;
mod bench;
mod captured;
mod check;
mod code;
mod common;
mod compared;
mod compile;
mod completions;
mod decisions;
mod diff;
mod dry_run;
mod dump;
mod error;
mod explain_code;
mod export_jobs;
mod findings;
mod fit;
mod fixes;
mod format;
mod init;
mod input;
mod inspect;
mod job;
mod job_conf;
mod jobs;
mod kind;
mod lint;
mod man;
mod map;
mod maps;
mod output;
mod paths;
mod progress;
mod report;
mod revision;
mod rewrite;
mod rules;
mod schema;
mod shadow;
mod simulate;
mod spelling;
mod stream;
mod sweep;
mod table;
mod temporary;
mod test;
mod tpv;
mod unfinished;
mod update;
mod who;
mod world;

use std::borrow::Cow;
use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use captured::Stream;
use clap::error::{ContextKind, ContextValue};
use clap::{Parser, Subcommand};

pub use captured::Printed;
use common::Common;
pub use common::Host;
use error::{CliError, Outcome};
pub use temporary::temporary;

use tpv_compiler::python::stack::on_roomy_thread;
use tpv_text::interrupt::Interrupt;
use tpv_text::printable::line;

/// The command line.
#[derive(Parser)]
#[command(
    name = "tpvc",
    version = concat!(env!("CARGO_PKG_VERSION"), " (follows TPV 3.3.0)"),
    about = "Compiles TPV (Total Perspective Vortex) rules and maps Galaxy jobs with them",
    after_help = "Examples:\n  \
        tpvc compile tpv_rules.yml -o rules.bin\n  \
        tpvc map rules.bin jobs.jsonl -o answers.jsonl --world world.json\n  \
        tpvc map --config shared.yml --config local.yml jobs.jsonl\n  \
        tpvc dry-run --job-conf job_conf.yml --tool bwa_mem --explain\n  \
        tpvc lint rules/*.yml\n  \
        tpvc format --check rules/*.yml\n  \
        tpvc dump shared.yml local.yml\n\n\
        Exit status: 0 done; 1 the input is bad; 2 the command line is wrong.",
    arg_required_else_help = true
)]
pub struct Cli {
    #[command(flatten)]
    common: Common,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    Compile(compile::Compile),
    Map(map::Map),
    Maps(maps::Maps),
    Diff(diff::Diff),
    DryRun(dry_run::DryRun),
    Why(decisions::why::Why),
    Log(decisions::log::Log),
    Update(update::Update),
    Init(init::Init),
    Lint(lint::Lint),
    Test(test::Test),
    Check(check::Check),
    Who(who::Who),
    ExplainCode(explain_code::ExplainCode),
    Format(format::Format),
    Dump(dump::Dump),
    Inspect(inspect::Inspect),
    Jobs(jobs::Jobs),
    Sweep(sweep::Sweep),
    Fit(fit::Fit),
    Simulate(simulate::Simulate),
    Schema(schema::Schema),
    Bench(bench::Bench),
    ExportJobs(export_jobs::ExportJobs),
    Shadow(shadow::Shadow),
    Completions(completions::Completions),
    Man(completions::Man),
}

impl Verb {
    fn run(&self, common: &Common) -> Result<Outcome, CliError> {
        match self {
            Self::Compile(verb) => roomy(|| verb.run(common)),
            Self::Map(verb) => verb.run(common),
            Self::Maps(verb) => verb.run(common),
            Self::Diff(verb) => verb.run(common),
            Self::DryRun(verb) => verb.run(common),
            Self::Why(verb) => roomy(|| verb.run(common)),
            Self::Log(verb) => roomy(|| verb.run(common)),
            Self::Update(verb) => roomy(|| verb.run(common)),
            Self::Init(verb) => roomy(|| verb.run(common)),
            Self::Lint(verb) => verb.run(common),
            Self::Test(verb) => roomy(|| verb.run(common)),
            Self::Check(verb) => verb.run(common),
            Self::Who(verb) => verb.run(common),
            Self::ExplainCode(verb) => verb.run(common),
            Self::Format(verb) => verb.run(common),
            Self::Dump(verb) => verb.run(common),
            Self::Inspect(verb) => verb.run(),
            Self::Jobs(verb) => verb.run(common),
            Self::Sweep(verb) => verb.run(common),
            Self::Fit(verb) => verb.run(common),
            Self::Simulate(verb) => verb.run(common),
            Self::Schema(verb) => verb.run(),
            Self::Bench(verb) => roomy(|| verb.run()),
            Self::ExportJobs(verb) => verb.run(),
            Self::Shadow(verb) => verb.run(),
            Self::Completions(verb) => verb.run(),
            Self::Man(verb) => verb.run(),
        }
    }
}

/// Runs a verb that mostly compiles on a thread with enough stack for any code, so that not every block needs one of its own.
fn roomy(run: impl Fn() -> Result<Outcome, CliError> + Send + Copy) -> Result<Outcome, CliError> {
    on_roomy_thread(run).unwrap_or_else(run)
}

/// The error with the arguments that it quotes as they can be printed.
fn printable(mut error: clap::Error) -> clap::Error {
    let context: Vec<(ContextKind, ContextValue)> =
        error.context().map(|(kind, value)| (kind, value.clone())).collect();
    let mut is_changed = false;
    for (kind, value) in &context {
        if let ContextValue::String(text) = value
            && let Cow::Owned(text) = line(text)
        {
            error.insert(*kind, ContextValue::String(text));
            is_changed = true;
        }
    }
    // To write `-- --format` would make a file of an option.
    error.remove(ContextKind::Suggested);
    // What is suggested quotes the argument among styles.
    let suggested = context.iter().filter(|(_, value)| is_changed && matches!(value, ContextValue::StyledStrs(_)));
    for (kind, _) in suggested {
        error.remove(*kind);
    }
    error
}

/// Runs the command line of this process, and reports the error that ended it.
pub fn run() -> ExitCode {
    unfinished::survive_limits();
    ExitCode::from(run_with(std::env::args_os(), Host::default()))
}

/// Runs a command line, of which the first argument is the program's name, and gives its exit status: for a program that has
/// one of its own, such as the `tpvc` of the Python package.
pub fn run_with(args: impl IntoIterator<Item = OsString>, host: Host) -> u8 {
    tpv_text::open::forget_inputs();
    let (args, told) = spelling::modern(args.into_iter().collect());
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => Cli { common: Common { host, ..cli.common }, ..cli },
        Err(error) => {
            // This includes help and the version, which have the status 0. A failure to print cannot be reported.
            let error = printable(error);
            let status = u8::try_from(error.exit_code()).unwrap_or(2);
            if captured::is_captured() {
                let stream = if error.use_stderr() { Stream::Stderr } else { Stream::Stdout };
                let _ = write!({ stream }, "{}", error.render());
                return status;
            }
            let _ = error.print();
            return status;
        }
    };
    told.iter().for_each(|note| cli.common.note(note));
    let outcome = cli.verb.run(&cli.common);
    cli.common.show_versions();
    cli.common.show_templates();
    match outcome {
        Ok(Outcome::Done) => 0,
        Ok(Outcome::Bad) => 1,
        Err(error) => {
            cli.common.show_error(&error);
            error.status
        }
    }
}

/// Runs a command line as [`run_with`] does, for a program that goes on and may interrupt it, and gives what it printed. Other calls wait until it ends.
pub fn run_captured(args: impl IntoIterator<Item = OsString>, host: Host, interrupt: &Interrupt) -> Printed {
    captured::capture(interrupt, || run_with(args, host))
}
