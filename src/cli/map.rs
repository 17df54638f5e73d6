//! `tpvc map`

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use clap::Args;
use tpv_galaxy::world::World;
use tpv_python::vm::LogLevel;
use tpv_runtime::artifact::Rules;
use tpv_runtime::mapper::{Hooks, Log, Mapper};
use tpv_runtime::stream::{self, Work};

use super::answer_rows::Format;
use super::code::Code;
use super::common::Common;
use super::decisions::Decisions;
use super::error::{CliError, Outcome};
use super::kind::Kind;
use super::output::{Output, print_stderr};
use super::paths;
use super::progress::Progress;
use super::{rules, world};
use tpv_analysis::job_file::JobFile;
use tpv_analysis::rule_texts::RuleTexts;
use tpv_analysis::summary::Counts;
use tpv_compiler::{CompileOptions, compile_inputs};
use tpv_config::Input;
use tpv_settings::Settings;
use tpv_text::figures::{count, grouped};
use tpv_text::parallel;
use tpv_text::printable::Form;
use tpv_text::source::redacted;

/// Map a file of jobs
///
/// RULES is an artifact that `tpvc compile` wrote; `--config` takes config files instead. JOBS holds one
/// JSON object a line, plain or compressed with gzip or zstd; the answers come in the same order. Jobs that TPV would refuse
/// are answered with the error that it would raise.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tpvc map rules.bin jobs.jsonl -o answers.jsonl --world world.json\n  \
    tpvc map --config shared.yml --config local.yml jobs.jsonl --detail\n  \
    tpvc map rules.bin jobs.jsonl.gz --format csv -o answers.csv\n  \
    tpvc map rules.bin jobs.jsonl.gz | jq .destination.id")]
pub(super) struct Map {
    /// The artifact and the job file; with `--config` the job file only. `-` is stdin. If tpvc.toml names the config files,
    /// the job file or nothing
    #[arg(num_args = 1.., value_names = ["RULES", "JOBS"])]
    files: Vec<PathBuf>,
    /// A config file, URL, folder or pattern to compile in place of an artifact; repeat it for more, later over earlier
    #[arg(long, value_name = "CONFIG")]
    config: Vec<String>,
    /// Output file for the answers; `-` is stdout
    #[arg(short, long, value_name = "OUT", default_value = "-")]
    output: PathBuf,
    /// Galaxy's state at that moment (a world file): jobs, tool data tables, files, time
    #[arg(long, value_name = "WORLD")]
    world: Option<PathBuf>,
    /// Threads to map with [default: all cores; one if the rules have resource pools, which admit jobs in order]
    #[arg(long, value_name = "N", value_parser = threads)]
    threads: Option<u16>,
    /// Leave out the jobs of other dynamic destinations and those that went to a static one, as the job file names them
    /// (`export-jobs --job-conf`)
    #[arg(long, value_name = "DESTINATION")]
    dispatcher: Option<String>,
    /// Add the candidate destinations in rank order to each answer
    #[arg(long)]
    detail: bool,
    /// Form of the answers: lines of JSON, or flat columns
    #[arg(long, value_name = "FORMAT", default_value = "json")]
    format: Format,
    /// Write the decisions, too: one line of JSON a job, as Galaxy's handlers log them (`tpvc why`, `tpvc log`). One thread maps then
    #[arg(long, value_name = "FILE")]
    decisions: Option<PathBuf>,
    #[command(flatten)]
    code: Code,
}

/// A number of threads, as the command line takes it.
pub(super) fn threads(text: &str) -> Result<u16, String> {
    let number = text.parse().ok().filter(|number| (1..=1024).contains(number));
    number.ok_or_else(|| "write a number from 1 to 1024".to_owned())
}

impl Map {
    pub(super) fn run(&self, common: &Common) -> Result<Outcome, CliError> {
        // Without RULES and `--config`, the rules and what else is not given are those of `tpvc.toml`.
        let names_rules = !self.config.is_empty() || self.files.len() > 1;
        let settings = if names_rules { Settings::default() } else { common.settings()? };
        let has_configs = !self.config.is_empty() || !settings.files.is_empty();
        let jobs_path = self.jobs_path(has_configs, &settings)?;
        let configs = if has_configs { paths::configs(&self.config, common)? } else { Vec::new() };
        self.check_kinds(jobs_path, has_configs)?;
        let Some((rules, texts)) = self.rules(&configs, common)? else { return Ok(Outcome::Bad) };
        let decisions = self.decisions.as_deref().map(|path| Decisions::create(path, texts.as_ref())).transpose()?;
        let world = self.world.as_deref().or(settings.world.as_deref().filter(|_| has_configs));
        let world = Arc::new(world::at_this_moment(world)?);
        let hooks = Hooks { jit: self.code.jit.into(), limits: self.code.limits(), ..hooks(common) };
        let mapper = Mapper::with_hooks(Arc::new(rules), hooks, self.detail);
        let (reader, size) = JobFile::open(jobs_path)?;
        let fault = reader.fault();
        let unwritable = |error: &io::Error| CliError::unwritable("the answers", error, &self.output);
        let mut output = Output::create(&self.output).map_err(|error| unwritable(&error))?;
        match output.write_all(self.format.header(self.detail).as_bytes()) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(Outcome::Done),
            written => written.map_err(|error| unwritable(&error))?,
        }
        let mut progress = Progress::of(common, &reader);
        let started = Instant::now();
        // One batch takes less time than starting a second thread. Pools admit jobs in the order of the file.
        let in_order = mapper.depends_on_order() || decisions.is_some();
        let one = in_order || size.is_some_and(|size| size <= stream::BATCH as u64);
        let threads = if one { 1 } else { threads_or_all(self.threads, common) };
        let (dispatcher, format, detail) = (self.dispatcher.clone(), self.format, self.detail);
        let mut lines = Lines { mapper, world, dispatcher, decisions, format, detail };
        let streamed = stream::run(reader, &mut output, threads, &lines, |amount| progress.advance_jobs(amount));
        Mapper::leave_to_system();
        let decisions = lines.decisions.take();
        Mapper::leave(lines);
        progress.finish();
        if let Some(fault) = fault.get() {
            return Err(fault.into());
        }
        let Tally { counts: total, left_out } = match streamed.and_then(|tallies| output.finish().map(|()| tallies)) {
            Ok(tallies) => {
                note_threads(common, threads, tallies.len());
                tallies.iter().fold(Tally::default(), |mut total, tally| {
                    total.counts.merge(&tally.counts);
                    total.left_out += tally.left_out;
                    total
                })
            }
            // The reader of the answers went away early.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(Outcome::Done),
            Err(error) => return Err(unwritable(&error)),
        };
        decisions.map_or(Ok(()), Decisions::finish)?;
        report(common, &total, started.elapsed().as_secs_f64());
        if left_out > 0 {
            common.note(&format!("left out {} of other dispatchers", count(left_out, "job")));
        }
        if total.invalid > 0 {
            let (lines, are) = (count(total.invalid, "line"), are(total.invalid));
            return Err(CliError::new(
                format!("{lines} of `{}` {are} not a job", jobs_path.display()),
                "their answers have the type `InvalidJob` and say what is wrong; the other lines were mapped",
            ));
        }
        Ok(Outcome::Done)
    }

    /// The job file: the last of the positional arguments, or that of the settings.
    fn jobs_path<'a>(&'a self, has_configs: bool, settings: &'a Settings) -> Result<&'a Path, CliError> {
        if let ([], true, Some(jobs)) = (self.files.as_slice(), has_configs, &settings.jobs) {
            return Ok(jobs);
        }
        let expected = if has_configs { 1 } else { 2 };
        if self.files.len() != expected {
            let (message, help) = if self.files.len() > 2 {
                ("`tpvc map` takes one job file", "join them: `cat JOBS MORE | tpvc map RULES -`")
            } else if expected == 2 {
                (
                    "`tpvc map` needs the rules and the jobs",
                    "write `tpvc map RULES JOBS`, or `tpvc map --config CONFIG JOBS`",
                )
            } else if self.config.is_empty() {
                ("`tpvc map` needs the jobs", "write `tpvc map JOBS`, or name them as `jobs = \"...\"` in `tpvc.toml`")
            } else {
                ("`--config` replaces the artifact", "write `tpvc map --config CONFIG JOBS`, without RULES")
            };
            return Err(CliError::misuse(message, help));
        }
        Ok(self.files.last().map_or(Path::new("-"), PathBuf::as_path))
    }

    /// Refuses files that are of another kind than their place asks for.
    fn check_kinds(&self, jobs: &Path, has_configs: bool) -> Result<(), CliError> {
        let rules = self.files.first().filter(|_| !has_configs);
        let (rules_are, jobs_are) = (rules.map_or(Kind::Unknown, |path| Kind::of(path)), Kind::of(jobs));
        let with_config =
            |config: &Path, jobs: &Path| format!("write `tpvc map --config {} {}`", config.display(), jobs.display());
        let fail = |path: &Path, kind: Kind, meant: &str, help: String| {
            Err(CliError::new(format!("`{}` is {}, not {meant}", path.display(), kind.noun()), help))
        };
        let (an_artifact, job_file) = ("an artifact", "a job file");
        if let Some(rules) = rules {
            match (rules_are, jobs_are) {
                (Kind::Config, Kind::Unknown | Kind::Jobs) => {
                    let help = with_config(rules, jobs) + ", or compile it first";
                    return fail(rules, rules_are, an_artifact, help);
                }
                (Kind::Jobs, Kind::Artifact) => {
                    let help = format!("write `tpvc map {} {}`: the rules come first", jobs.display(), rules.display());
                    return fail(rules, rules_are, an_artifact, help);
                }
                (Kind::Jobs, Kind::Config) => return fail(rules, rules_are, an_artifact, with_config(jobs, rules)),
                (Kind::World, _) => {
                    let help = format!("write `tpvc map RULES JOBS --world {}`", rules.display());
                    return fail(rules, rules_are, an_artifact, help);
                }
                (Kind::Jobs | Kind::JobConf | Kind::Config, _) => {
                    let help = "write `tpvc map RULES JOBS`, or `tpvc map --config CONFIG JOBS`".to_owned();
                    return fail(rules, rules_are, an_artifact, help);
                }
                (Kind::Artifact | Kind::Unknown, _) => {}
            }
        }
        let start = match rules {
            Some(rules) => format!("tpvc map {}", rules.display()),
            None => {
                self.config.iter().fold("tpvc map".to_owned(), |start, config| start + " --config " + &redacted(config))
            }
        };
        match jobs_are {
            Kind::World => fail(jobs, jobs_are, job_file, format!("write `{start} JOBS --world {}`", jobs.display())),
            Kind::Artifact if rules.is_none() => {
                let help = format!("write `tpvc map {} JOBS` without `--config`, or name the jobs", jobs.display());
                fail(jobs, jobs_are, job_file, help)
            }
            Kind::Artifact | Kind::Config | Kind::JobConf => {
                fail(jobs, jobs_are, job_file, format!("name the job file after the rules: `{start} JOBS`"))
            }
            Kind::Jobs | Kind::Unknown => Ok(()),
        }
    }

    /// The rules, compiled or loaded, with their texts if they were compiled. `None` if the config is bad, which has then been reported.
    fn rules(&self, configs: &[String], common: &Common) -> Result<Option<(Rules, Option<RuleTexts>)>, CliError> {
        if !configs.is_empty() {
            let inputs = Input::named(configs);
            let compiled = compile_inputs(&inputs, common.texts()?, &CompileOptions::default());
            common.show(&compiled.diagnostics, &compiled.sources);
            return Ok(compiled.rules.map(|rules| {
                let texts = RuleTexts::of(&inputs, &compiled.sources, rules.tables().global.version);
                (rules, texts)
            }));
        }
        let path = self.files.first().map_or(Path::new(""), PathBuf::as_path);
        let rules = rules::load(path)?;
        common.check_version(&rules)?;
        Ok(Some((rules, None)))
    }
}

/// The number of threads: as many as were asked for or, if none were, one a core; fewer if the process has no memory for them.
pub(super) fn threads_or_all(threads: Option<u16>, common: &Common) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let wanted = threads.map_or_else(cores, usize::from);
    let threads = parallel::most_threads(wanted);
    note_threads(common, wanted, threads);
    threads
}

/// Reports that fewer threads work than are meant.
pub(super) fn note_threads(common: &Common, wanted: usize, threads: usize) {
    if threads < wanted {
        let threads = count(threads as u64, "thread");
        common.note(&format!(
            "note: {threads} instead of {wanted}: the limits of this process (`ulimit -a`) allow no more"
        ));
    }
}

/// The compiler for code made at run time, and the log that `-v` shows.
pub(super) fn hooks(common: &Common) -> Hooks {
    let log_level = match common.verbose {
        0 => None,
        1 => Some(LogLevel::Info),
        _ => Some(LogLevel::Debug),
    };
    let log: Log = Arc::new(|level, message| {
        let name = match level {
            LogLevel::Debug => "debug",
            LogLevel::Info => "info",
            LogLevel::Warning => "warning",
            LogLevel::Error => "error",
            LogLevel::Critical => "critical",
        };
        let mut text = String::new();
        for line in message.trim_end().split('\n') {
            // Further lines are indented, so that none of them looks like a message of its own.
            let start = match text.is_empty() {
                true => format!("{name}: "),
                false if line.starts_with(' ') => "\n".to_owned(),
                false => "\n    ".to_owned(),
            };
            text += &(start + line);
        }
        print_stderr(Form::Text, &text);
    });
    Hooks {
        compile: Some(Arc::new(tpv_compiler::python::run_time::compile)),
        log: log_level.is_some().then_some(log),
        log_level,
        cpython: common.host.cpython.clone(),
        force_cpython: common.host.force_cpython,
        ..Hooks::default()
    }
}

/// Maps lines of jobs.
struct Lines {
    mapper: Mapper,
    world: Arc<World>,
    /// The dispatcher whose jobs are mapped; all jobs if `None`.
    dispatcher: Option<String>,
    /// The file of decisions, which one thread writes.
    decisions: Option<Decisions>,
    format: Format,
    detail: bool,
}

/// The jobs of one thread.
#[derive(Default)]
struct Tally {
    counts: Counts,
    /// The number of jobs of other dispatchers.
    left_out: u64,
}

impl Work for Lines {
    type Tally = Tally;

    fn line(&self, number: usize, line: &[u8], output: &mut String, tally: &mut Tally) {
        let (mapper, dispatcher) = (&self.mapper, self.dispatcher.as_deref());
        let mapped = match (&self.decisions, dispatcher) {
            (Some(decisions), _) => decisions.map(mapper, dispatcher, number, line, &self.world),
            (None, None) => Some(mapper.map_line(number, line, &self.world)),
            (None, Some(dispatcher)) => mapper.map_line_of(dispatcher, number, line, &self.world),
        };
        let Some((job, answer)) = mapped else {
            tally.left_out += 1;
            return;
        };
        tally.counts.add(&answer);
        self.format.write(output, job.as_deref(), &answer, self.detail);
    }

    fn end_thread(&self) {
        Mapper::leave_to_system();
    }
}

pub(super) fn are(number: u64) -> &'static str {
    if number == 1 { "is" } else { "are" }
}

/// Reports how many jobs went to each destination.
#[expect(clippy::cast_precision_loss, reason = "a rate to three digits")]
fn report(common: &Common, counts: &Counts, seconds: f64) {
    let Counts { jobs, destinations, errors: kinds, .. } = counts;
    let (destinations, kinds) = (destinations.rows(), kinds.rows());
    let errors = kinds.rows.values().chain(&kinds.others).sum();
    let rate = if seconds > 0.0 { *jobs as f64 / seconds } else { 0.0 };
    common.note(&format!(
        "mapped {}: {} to {}, {}; {:.3} s, {} jobs a second",
        count(*jobs, "job"),
        grouped(jobs - errors),
        count(destinations.rows.len() as u64, "destination"),
        count(errors, "error"),
        seconds,
        grouped(rate.round() as u64),
    ));
    let line = |(name, jobs): (&str, &u64)| common.note(&format!("  {:>10}  {name}", grouped(*jobs)));
    destinations.most_first(|jobs| *jobs).into_iter().take(20).for_each(line);
    if errors > 0 {
        common.note("errors:");
        kinds.most_first(|jobs| *jobs).into_iter().for_each(line);
    }
}
