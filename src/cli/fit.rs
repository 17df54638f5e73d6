//! `tpvc fit`

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueEnum};
use tpv_galaxy::world::World;
use tpv_runtime::mapper::Mapper;
use tpv_runtime::stream::Work;

use super::common::Common;
use super::error::{CliError, Outcome};
use super::job_conf::Wanted;
use super::map::{self, hooks};
use super::output::{width, write_text};
use super::rewrite::{rewrite, with_line_ends_of};
use super::stream::{self, Jobs, Threads};
use super::{input, paths, rules, world};
use tpv_analysis::explain::Provenance;
use tpv_compiler::python::attempt_factor::AttemptFactor;
use tpv_config::Input;
use tpv_fit::csv::Table;
use tpv_fit::history::{History, Key, Lines};
use tpv_fit::page::page;
use tpv_fit::patch::{Value, patch};
use tpv_fit::policy::{Assumed, LostCosts};
use tpv_fit::probe::{self, Probe};
use tpv_fit::propose::{Keep, Settings};
use tpv_fit::report::{Proposal, Prospects, Report, Tool, changed, report};
use tpv_fit::rows::rows;
use tpv_fit::summary::{Summary, THRESHOLD, merged, summary};
use tpv_fit::text;
use tpv_fit::trial::TrialLines;
use tpv_fit::write::{self, NoWay, Way, Written, ways, written};
use tpv_text::figures::count;
use tpv_text::printable::Form;
use tpv_text::rows::Delimited;
use tpv_text::source::SourceMap;

/// Learn from finished jobs how much memory tools need
///
/// The jobs are those that `tpvc export-jobs` writes, with what each used. Each job is mapped, so that use is compared with what today's rules ask
/// for. The report lists the tools by the memory that they reserve and do not use, with a better value for `mem` if there is one: jobs that it was not
/// learnt from confirm it, and all jobs are mapped with it, attempt by attempt. It loses no more jobs than today's rules do. With an artifact no
/// value can be tried, so that none is proposed.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tpvc fit shared.yml 'tpv/*.yml' --jobs jobs.jsonl.zst\n  \
    tpvc fit shared.yml tpv.yml --jobs jobs.jsonl.gz --tool metaspades --explain\n  \
    tpvc fit tpv.yml --jobs usage.csv --csv --tool-id metaspades --columns memory_gib=peak_memory_gb\n  \
    tpvc fit shared.yml tpv.yml --jobs jobs.jsonl.gz --patch fitted.yml\n  \
    tpvc fit shared.yml tpv.yml --jobs jobs.jsonl.gz --format html -o fit.html\n  \
    tpvc fit tpv.yml --jobs jobs.jsonl.gz --privacy ours.json\n  \
    tpvc fit --merge ours.json theirs.json\n  \
    tpvc fit tpv.yml --jobs jobs.jsonl --attempts 1 --format csv -o fit.csv")]
pub(super) struct Fit {
    /// Config files, URLs, folders or patterns, merged in this order, or one artifact [default: those of tpvc.toml]
    #[arg(value_name = "CONFIG|RULES")]
    configs: Vec<String>,
    /// The finished jobs: a job file with outcomes, plain, gzip or zstd; `-` is stdin
    #[arg(
        long,
        value_name = "JOBS",
        required_unless_present = "merge",
        default_value = "-",
        hide_default_value = true
    )]
    jobs: PathBuf,
    /// Leave out the jobs of other dynamic destinations and those that went to a static one, as the job file names them
    /// (`export-jobs --job-conf`)
    #[arg(long, value_name = "DESTINATION", conflicts_with = "csv")]
    dispatcher: Option<String>,
    /// Summaries that several sites wrote with `--privacy`, instead of jobs and rules
    #[arg(long, value_name = "SUMMARY", num_args = 1.., conflicts_with_all = ["jobs", "csv", "world", "patch", "write", "configs"])]
    merge: Vec<PathBuf>,
    /// Write a summary to publish: no users, datasets, parameters or dates, and no number of fewer than 10 jobs
    #[arg(long, value_name = "FILE")]
    privacy: Option<PathBuf>,
    /// The jobs are a table with a header: CSV, tabs, or `sacct --parsable2`
    #[arg(long)]
    csv: bool,
    /// Name a column of the table for a field of jobs, such as `memory_gib=peak_memory_gb`; separated by commas, or repeated
    #[arg(long, value_name = "FIELD=COLUMN", value_delimiter = ',', requires = "csv")]
    columns: Vec<String>,
    /// The tool of all rows of the table
    #[arg(long, value_name = "ID", requires = "csv")]
    tool_id: Option<String>,
    /// Galaxy's state for the jobs (a world file)
    #[arg(long, value_name = "WORLD")]
    world: Option<PathBuf>,
    /// Only tools whose id contains this text
    #[arg(long, value_name = "TEXT")]
    tool: Option<String>,
    /// Assume that a job whose memory is short runs at most N times, outside of Galaxy [default: the attempts that the rules give by `resubmit`]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=16))]
    attempts: Option<u32>,
    /// Memory of a further attempt, divided by that of the one before, where attempts are assumed
    #[arg(long, value_name = "FACTOR", default_value = "2", value_parser = factor)]
    factor: f64,
    /// The part of its jobs that a proposal may lose [default: as many as today's rules lose]
    #[arg(long, value_name = "PERCENT", default_value = "0", hide_default_value = true, value_parser = part)]
    max_lost: f64,
    /// The least memory that is proposed, in GiB
    #[arg(long, value_name = "GIB", default_value = "0.1", value_parser = floor)]
    floor: f64,
    /// Price of a job that no attempt finishes: GiB·h, or a multiple of what the job needs, such as `5x`
    #[arg(long, value_name = "PRICE", default_value = "5x", value_parser = price)]
    lost_costs: LostCosts,
    /// The fewest jobs of a tool for a proposal
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(20..))]
    least_jobs: u32,
    /// Write the proposals as a TPV file to merge last, each with its evidence as a comment
    #[arg(long, value_name = "FILE")]
    patch: Option<PathBuf>,
    /// Write the proposals into the config files, if the value there is used by that tool only
    #[arg(long, conflicts_with = "patch")]
    write: bool,
    /// Show the evidence of each tool
    #[arg(long)]
    explain: bool,
    /// Show tools without a better value, too, with the reason
    #[arg(long)]
    all: bool,
    /// Threads to map with [default: all cores; one if the rules have resource pools, which admit jobs in order]
    #[arg(long, value_name = "N", value_parser = map::threads)]
    threads: Option<u16>,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
    /// Output file; `-` is stdout
    #[arg(short, long, value_name = "OUT", default_value = "-")]
    output: PathBuf,
}

/// A form of output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A table for a terminal
    Text,
    /// All results as data
    Json,
    /// Comma-separated values with a header, safe to open in a spreadsheet
    Csv,
    /// A page with plots
    Html,
}

fn factor(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|factor| (1.0..=100.0).contains(factor));
    number.ok_or_else(|| "write a number from 1 to 100".to_owned())
}

fn part(text: &str) -> Result<f64, String> {
    let number = text.trim_end_matches('%').trim().parse().ok().filter(|percent| (0.0..=100.0).contains(percent));
    number
        .map(|percent: f64| percent / 100.0)
        .ok_or_else(|| "write a percentage from 0 to 100, such as `0.5`".to_owned())
}

fn floor(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|floor| (0.001..=1000.0).contains(floor));
    number.ok_or_else(|| "write GiB from 0.001 to 1000".to_owned())
}

fn price(text: &str) -> Result<LostCosts, String> {
    let number = |text: &str| text.parse::<f64>().ok().filter(|price| *price >= 0.0 && price.is_finite());
    let price = match text.strip_suffix('x') {
        Some(times) => number(times).map(LostCosts::Times),
        None => number(text).map(LostCosts::GibHours),
    };
    price.ok_or_else(|| "write GiB·h such as `500`, or a multiple such as `5x`".to_owned())
}

impl Fit {
    pub(super) fn run(&self, common: &Common) -> Result<Outcome, CliError> {
        if !self.merge.is_empty() {
            let history = self.merged()?;
            let report = report(&history, None, None, &self.settings(), self.assumed());
            self.write_report(&report)?;
            self.write_summary(&history, common)?;
            return Ok(Outcome::Done);
        }
        let Some(given) = rules::load_any(None, &self.configs, common)? else { return Ok(Outcome::Bad) };
        if self.write && given.origin.is_none() {
            return Err(CliError::new(
                "an artifact has no values to write to",
                "name the config files that it was compiled from",
            ));
        }
        let world = Arc::new(world::at_this_moment(self.world.as_deref())?);
        let mapper = Mapper::with_hooks(given.rules.clone(), hooks(common), false);
        // The jobs are read more than once.
        let (jobs, _spool) = spooled(&self.jobs)?;
        let run = Run { fit: self, common, jobs: &jobs, mapper: &mapper, world: &world };
        let history = run.history()?;
        let origin = given.origin.as_ref().map(|(config, sources)| (config, sources));
        let provenance = Provenance::new(&given.rules, origin);
        let ways = ways(&history, self.form(), &provenance, origin);
        let prospects = run.prospects(&history, ways, origin.map(|(_, sources)| sources))?;
        let mut report = report(&history, Some(&provenance), Some(&prospects), &self.settings(), self.assumed());
        let text = match origin {
            Some((_, sources)) => run.tried(&mut report, sources)?,
            None => Written::default(),
        };
        self.write_report(&report)?;
        for tool in
            report.tools.iter().filter(|tool| matches!(tool.proposal, Proposal::Keep { why: Keep::MixedUnits, .. }))
        {
            tool.unknown.first().into_iter().for_each(|fact| common.note(&format!("note: {}: {fact}", tool.tool)));
        }
        self.write_summary(&history, common)?;
        if self.patch.is_some() || self.write {
            self.write_texts(&report, &text, origin.map(|(_, sources)| sources), common)?;
        }
        Ok(Outcome::Done)
    }

    fn settings(&self) -> Settings {
        Settings {
            lost_costs: self.lost_costs,
            least_jobs: self.least_jobs as usize,
            max_lost: self.max_lost,
            floor: self.floor,
            by_version: true,
        }
    }

    /// The attempts that the arguments assume; `None` if they are those of the rules.
    fn assumed(&self) -> Option<Assumed> {
        self.attempts.map(|attempts| Assumed { attempts, factor: self.factor })
    }

    fn form(&self) -> write::Form {
        match (&self.patch, self.write) {
            (Some(_), _) => write::Form::Patch,
            (None, true) => write::Form::Edits,
            (None, false) => write::Form::None,
        }
    }

    fn details(&self) -> text::Details {
        text::Details { all: self.all, explain: self.explain }
    }

    fn write_report(&self, report: &Report) -> Result<(), CliError> {
        let (form, text) = match self.format {
            Format::Text => (Form::Text, text::text(report, self.details(), width(&self.output))),
            Format::Csv => (Form::Data, rows(report).delimited(Delimited::Csv)),
            Format::Html => {
                let page = page(report, &self.rules_named()).map_err(|error| CliError::bug("the page", &error))?;
                (Form::Data, page)
            }
            Format::Json => {
                let text = serde_json::to_string_pretty(report).map_err(|error| CliError::bug("the report", &error))?;
                (Form::Json, text + "\n")
            }
        };
        write_text("the report", &self.output, form, &text)
    }

    /// Writes the summary for others, if it is wanted.
    fn write_summary(&self, history: &History, common: &Common) -> Result<(), CliError> {
        let Some(path) = &self.privacy else { return Ok(()) };
        let summary = summary(history);
        let text = serde_json::to_string_pretty(&summary).map_err(|error| CliError::bug("the summary", &error))?;
        write_text("the summary", path, Form::Json, &(text + "\n"))?;
        let tools = count(summary.tools.len() as u64, "tool");
        let left = count(summary.left_out, "job");
        common.note(&format!(
            "wrote {tools} to `{}`; left out: {left} of tools with fewer than {THRESHOLD}",
            path.display()
        ));
        Ok(())
    }

    /// The summaries of several sites as one history.
    fn merged(&self) -> Result<History, CliError> {
        let mut summaries = Vec::new();
        for path in &self.merge {
            let text = input::text("the summary", path)?;
            let mut summary = Summary::read(&text).map_err(|error| {
                let message = format!("`{}` is not a summary: {error}", path.display());
                CliError::new(message, "name files that `tpvc fit --privacy FILE` wrote")
            })?;
            summary.tools.retain(|usage| self.tool.as_ref().is_none_or(|tool| usage.tool.contains(tool.as_str())));
            summaries.push(summary);
        }
        Ok(merged(&summaries))
    }

    /// Writes the proposals as they were tried, and notes what changes and what does not.
    fn write_texts(
        &self,
        report: &Report,
        text: &Written,
        sources: Option<&SourceMap>,
        common: &Common,
    ) -> Result<(), CliError> {
        let values = report.tools.iter().filter_map(|tool| Some((tool, tool.value(report.assumed)?)));
        let values: Vec<(&Tool, Value)> = values.collect();
        let number = count(values.len() as u64, "value");
        if let Some(path) = &self.patch {
            let nothing = patch([].iter());
            write_text("the patch", path, Form::Text, text.patch.as_ref().unwrap_or(&nothing))?;
            common.note(&format!("wrote {number} to `{}`: merge it last", path.display()));
        } else {
            for file in &text.files {
                let new = with_line_ends_of(&file.old, file.new.clone());
                rewrite("the new values", Path::new(&file.name), new.as_bytes())?;
            }
            common.note(&format!("wrote {number} to {}", count(text.files.len() as u64, "file")));
            for (tool, value) in &values {
                let at = tool.place.as_deref().unwrap_or("nowhere");
                let (Some(Way::Edit(span)), Some(sources)) = (tool.way, sources) else { continue };
                let saves = tool.saving().map_or(String::new(), |saved| format!(", GIB·H {}", changed(saved)));
                common.note(&format!("{at}: mem of {}: {} -> {}{saves}", tool.tool, sources.text(span), value.mem));
            }
        }
        for tool in &report.tools {
            let Proposal::Keep { why, refused, .. } = &tool.proposal else { continue };
            if let Some((mem, trial)) = refused {
                let words = trial.in_words().join("; ");
                common.note(&format!("left out: {}: `mem: {mem}` was tried and refused: {words}", tool.tool));
            } else if matches!(why, Keep::OfRule | Keep::OfOther | Keep::NotReplaceable | Keep::OfAttempts) {
                let reason = tool.unknown.last().map_or(why.words(), String::as_str);
                common.note(&format!("left out: {}: {reason}", tool.tool));
            }
        }
        if report.others_changed > 0 {
            let jobs = count(report.others_changed, "job");
            common.note(&format!("note: {jobs} of tools without a new value get another answer, too"));
        }
        Ok(())
    }

    /// The rules as the arguments name them.
    fn rules_named(&self) -> String {
        if !self.merge.is_empty() {
            return "summaries".to_owned();
        }
        paths::rules_of(&self.configs)
    }

    fn name(&self) -> String {
        if self.jobs == Path::new("-") { "stdin".to_owned() } else { format!("`{}`", self.jobs.display()) }
    }

    /// Refuses a history with faulty lines, and one that tells nothing.
    fn checked(&self, history: History) -> Result<History, CliError> {
        if history.faulty > 0 {
            let faults = history.faults.iter().map(|fault| format!("line {}: {}", fault.line, fault.message));
            let faults = faults.collect::<Vec<_>>().join("; ");
            let message = format!("{} of {} cannot be used: {faults}", count(history.faulty, "line"), self.name());
            let help = if self.csv {
                "correct these lines of the table, or remove them"
            } else if history.jobs == 0 {
                "name a job file that `tpvc export-jobs` wrote; if this is a table, add `--csv`"
            } else {
                "correct these lines, or remove them; docs/formats.md describes `outcome`"
            };
            return Err(CliError::new(message, help));
        }
        if history.jobs == 0 {
            let what = if self.tool.is_some() { "no job of such a tool" } else { "no jobs" };
            return Err(CliError::new(
                format!("{} has {what}", self.name()),
                "name a job file that `tpvc export-jobs` wrote",
            ));
        }
        if history.outcomes == 0 {
            let message = format!(
                "no line of {} has an `outcome`: line 1 and all others are jobs that are still to run",
                self.name()
            );
            return Err(CliError::new(
                message,
                "export the finished jobs: `tpvc export-jobs --since 365d -o jobs.jsonl.gz`",
            ));
        }
        let groups = || history.groups.values();
        if groups().any(|group| group.unmeasured > 0)
            && groups().all(|group| group.unmeasured + group.failed == group.jobs)
        {
            let message = format!(
                "no job of {} has its memory and its time: line 1 and all others lack one of them",
                self.name()
            );
            let help = if self.csv {
                "name the columns with `--columns memory_gib=COLUMN,runtime_seconds=COLUMN`"
            } else {
                "`outcome` needs `memory_bytes` and `runtime_seconds`: turn on Galaxy's job metrics `core` and `cgroup`, and export later jobs"
            };
            return Err(CliError::new(message, help));
        }
        Ok(history)
    }
}

/// A run over the jobs.
struct Run<'a> {
    fit: &'a Fit,
    common: &'a Common,
    /// The file of the jobs.
    jobs: &'a Path,
    /// Maps by today's rules.
    mapper: &'a Mapper,
    world: &'a Arc<World>,
}

impl Run<'_> {
    /// Reads all jobs.
    fn history(&self) -> Result<History, CliError> {
        let lines = Lines::new(self.mapper.clone(), self.world.clone(), self.fit.tool.clone());
        self.read(&lines, self.mapper.depends_on_order(), true)?;
        let history = lines.take();
        Mapper::leave_to_system();
        Mapper::leave(lines);
        self.fit.checked(history)
    }

    /// Works on all jobs; the first time, the columns of a table are told.
    fn read<K: Work>(&self, work: &K, in_order: bool, is_first: bool) -> Result<(), CliError> {
        let (fit, common) = (self.fit, self.common);
        let threads = Threads { wanted: fit.threads, in_order };
        let table = |file| {
            let table = Table::new(file, &fit.columns, fit.tool_id.as_deref())
                .map_err(|(message, help)| CliError::new(format!("{}: {message}", fit.name()), help))?;
            if is_first {
                common.note(&format!("columns of {}: {}", fit.name(), table.columns()));
            }
            Ok(table)
        };
        let streamed = if fit.csv {
            stream::through(self.jobs, table, threads, work, common)?
        } else {
            let jobs = Jobs { path: self.jobs, dispatcher: fit.dispatcher.as_deref() };
            stream::over(jobs, io::sink(), threads, work, common)?
        };
        streamed.map_err(|error| CliError::new(format!("{} cannot be read: {error}", fit.name()), "check the file"))?;
        Ok(())
    }

    /// Rules with other texts.
    fn compiled(&self, text: &Written, what: &str) -> Result<Mapper, CliError> {
        let (inputs, mut texts) = rules::inputs(None, &Wanted::default(), &self.fit.configs, self.common)?;
        let edited = |input| match input {
            Input::Named(name) => match text.files.iter().find(|file| file.name == name) {
                Some(file) => Input::Text(texts.sources.add(&name, &file.new)),
                None => Input::Named(name),
            },
            other => other,
        };
        let mut inputs: Vec<Input> = inputs.into_iter().map(edited).collect();
        if let Some(patch) = &text.patch {
            let name = self.fit.patch.as_deref().unwrap_or(Path::new("the proposals"));
            inputs.push(Input::Text(texts.sources.add(&name.display().to_string(), patch)));
        }
        let compiled = tpv_compiler::compile_inputs(&inputs, texts, &tpv_compiler::CompileOptions::default());
        let Some(rules) = compiled.rules else {
            self.common.show(&compiled.diagnostics, &compiled.sources);
            return Err(CliError::new(format!("{what} does not compile"), tpv_text::diagnostic::REPORT_BUG));
        };
        Ok(Mapper::with_hooks(Arc::new(rules), hooks(self.common), false))
    }

    /// Asks the rules what they make of values of `mem`, for the tools that have enough jobs and a way to write one.
    fn prospects(
        &self,
        history: &History,
        ways: HashMap<Key, Result<Way, NoWay>>,
        sources: Option<&SourceMap>,
    ) -> Result<Prospects, CliError> {
        let mut prospects = Prospects::new();
        let mut asked: Vec<(Key, AttemptFactor, Way)> = Vec::new();
        for (key, way) in ways {
            let Some(group) = history.groups.get(&key) else { continue };
            if group.observed() < self.fit.least_jobs as usize {
                continue;
            }
            let found = way.map_err(|(why, reason)| (why, Some(reason)));
            match found.and_then(|way| Ok((probe::factor(group).map_err(|why| (why, None))?, way))) {
                Ok((factor, way)) => asked.push((key, factor, way)),
                Err(reason) => {
                    prospects.insert(key, Err(reason));
                }
            }
        }
        let Some(sources) = sources.filter(|_| !asked.is_empty()) else { return Ok(prospects) };
        asked.sort_by(|one, other| one.0.cmp(&other.0));
        let value = |(key, factor, way): &(Key, AttemptFactor, Way)| {
            let has_version = history.groups.get(key).is_some_and(|group| group.example != key.tool);
            (Value { tool: key.tool.clone(), has_version, mem: probe::value(factor), ..Value::default() }, *way)
        };
        let values: Vec<(Value, Way)> = asked.iter().map(value).collect();
        let text = written(values.iter().map(|(value, way)| (value, *way)), sources);
        let mapper = self.compiled(&text, "the config whose memory is asked for")?;
        let probe = Probe { mapper: &mapper, world: self.world };
        for (key, factor, way) in asked {
            let Some(group) = history.groups.get(&key) else { continue };
            let response = probe.response(group).map_err(|why| (why, None));
            let response = response.map(|response| match self.fit.assumed() {
                Some(assumed) => response.with_attempts(assumed),
                None => response,
            });
            prospects.insert(key, response.map(|response| (response, factor, way)));
        }
        Ok(prospects)
    }

    /// Maps the whole history with the proposals, until all that are left hold. The text is the one that was tried.
    fn tried(&self, report: &mut Report, sources: &SourceMap) -> Result<Written, CliError> {
        loop {
            let proposed =
                |tool: &Tool| Some((tool.value(None)?, tool.way?, tool.key.clone(), tool.largest_destination));
            let values: Vec<_> = report.tools.iter().filter_map(proposed).collect();
            if values.is_empty() {
                report.trial = None;
                return Ok(Written::default());
            }
            let text = written(values.iter().map(|(value, way, ..)| (value, *way)), sources);
            let what = if self.fit.write { "the config with the new values" } else { "the patch with these configs" };
            let mapper = self.compiled(&text, what)?;
            let limits = values.iter().map(|(.., key, most)| (key.clone(), most.unwrap_or(f64::INFINITY))).collect();
            let tool = self.fit.tool.as_deref();
            let lines = TrialLines::new(self.mapper, &mapper, self.world, tool, self.fit.assumed(), &limits);
            self.read(&lines, self.mapper.depends_on_order() || mapper.depends_on_order(), false)?;
            if report.take(&lines.take(), self.fit.max_lost) {
                // The comments say what the trial found; the values are those that were tried.
                let values = report.tools.iter().filter_map(|tool| Some((tool.value(report.assumed)?, tool.way?)));
                let values: Vec<(Value, Way)> = values.collect();
                return Ok(written(values.iter().map(|(value, way)| (value, *way)), sources));
            }
        }
    }
}

/// A path that can be read several times: that of the jobs, or of a copy of stdin or a pipe.
fn spooled(jobs: &Path) -> Result<(PathBuf, Option<tempfile::NamedTempFile>), CliError> {
    let is_stdin = jobs == Path::new("-");
    // A path that is not there has its error where it is read.
    let is_pipe = jobs.metadata().is_ok_and(|meta| !meta.is_file() && !meta.is_dir());
    if !is_stdin && !is_pipe {
        return Ok((jobs.to_owned(), None));
    }
    let copied = || -> io::Result<tempfile::NamedTempFile> {
        let mut file = tempfile::NamedTempFile::new()?;
        if is_stdin {
            io::copy(&mut tpv_text::open::stdin(), &mut file)?;
        } else {
            io::copy(&mut tpv_text::open::open(jobs)?, &mut file)?;
        }
        Ok(file)
    };
    let file = copied().map_err(|error| {
        CliError::new(format!("the jobs cannot be copied: {error}"), "write them to a file and name it with `--jobs`")
    })?;
    Ok((file.path().to_owned(), Some(file)))
}
