//! `tpvc fit`

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueEnum};
use tpv_runtime::Job;
use tpv_runtime::mapper::Mapper;

use super::common::Common;
use super::error::{CliError, Outcome};
use super::kind::Kind;
use super::map::{self, hooks};
use super::output::write_text;
use super::rewrite::{rewrite, with_line_ends_of};
use super::stream::{self, Threads};
use super::table::{self, Cell, Rows};
use super::{input, rules, world};
use tpv_analysis::explain::Provenance;
use tpv_analysis::figures::{self, count};
use tpv_compiler::config::Input;
use tpv_compiler::printable::Form;
use tpv_compiler::source::SourceMap;
use tpv_fit::csv::Table;
use tpv_fit::history::{History, Lines};
use tpv_fit::page::page;
use tpv_fit::patch::patch;
use tpv_fit::policy::{LostCosts, Policy};
use tpv_fit::propose::{Keep, Settings};
use tpv_fit::report::{Proposal, Report, Tool, percent, report};
use tpv_fit::retries::Retries;
use tpv_fit::summary::{Summary, THRESHOLD, merged, summary};
use tpv_fit::today::{self, SetBy};
use tpv_fit::write::{Edits, edits};

/// Learn from finished jobs how much memory tools need
///
/// The rules are config files or an artifact; the jobs are those that `tpvc export-jobs` writes, with what each used. Each job is mapped, so that
/// use is compared with what today's rules ask for. The report lists the tools by the memory that they reserve and do not use, with a better
/// value for `mem` if later jobs confirm the one learnt from earlier jobs.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tpvc fit shared.yml 'tpv/*.yml' --jobs jobs.jsonl.zst\n  \
    tpvc fit rules.bin --jobs jobs.jsonl.gz --tool metaspades --explain\n  \
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
    /// The most attempts of a job that runs out of memory [default: by the `resubmit` of destinations if it has something for short memory, else 4]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=16))]
    attempts: Option<u32>,
    /// Memory of a further attempt, divided by that of the one before
    #[arg(long, value_name = "FACTOR", default_value = "2", value_parser = factor)]
    factor: f64,
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
            let report = report(&history, None, &self.settings(), self.attempts.is_some());
            self.write_report(&report)?;
            self.write_summary(&history, common)?;
            return Ok(Outcome::Done);
        }
        let Some(given) = rules::load_any(None, &self.configs, common)? else { return Ok(Outcome::Bad) };
        let world = Arc::new(world::at_this_moment(self.world.as_deref())?);
        let mapper = Mapper::with_hooks(given.rules.clone(), hooks(common), false);
        let history = self.history(Lines::new(mapper, world, self.tool.clone()), common)?;
        let origin = given.origin.as_ref().map(|(config, sources)| (config, sources));
        let provenance = Provenance::new(&given.rules, origin);
        let report = report(&history, Some(&provenance), &self.settings(), self.attempts.is_some());
        self.write_report(&report)?;
        for tool in
            report.tools.iter().filter(|tool| matches!(tool.proposal, Proposal::Keep { why: Keep::MixedUnits, .. }))
        {
            tool.unknown.first().into_iter().for_each(|fact| common.note(&format!("note: {}: {fact}", tool.tool)));
        }
        self.write_summary(&history, common)?;
        if let Some(path) = &self.patch {
            self.write_patch(path, &report, common)?;
        }
        if self.write {
            let Some((config, sources)) = &given.origin else {
                return Err(CliError::new(
                    "an artifact has no values to write to",
                    "name the config files that it was compiled from",
                ));
            };
            self.write_values(&report, &edits(&report, &provenance, config, sources), common)?;
        }
        Ok(Outcome::Done)
    }

    fn settings(&self) -> Settings {
        let attempts = self.attempts.unwrap_or(Policy::default().attempts);
        let policy = Policy { attempts, factor: self.factor, lost_costs: self.lost_costs };
        Settings { policy, least_jobs: self.least_jobs as usize }
    }

    fn write_report(&self, report: &Report) -> Result<(), CliError> {
        let (form, text) = match self.format {
            Format::Text => (Form::Text, self.text(report)),
            Format::Csv => (Form::Data, rows(report).show(table::Format::Csv)),
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

    /// Writes the proposals as a TPV file, and notes what it does not change.
    fn write_patch(&self, path: &Path, report: &Report, common: &Common) -> Result<(), CliError> {
        let patch = patch(report);
        let tools: Vec<&Tool> = patch.tools.iter().filter_map(|index| report.tools.get(*index)).collect();
        let ineffective = if self.is_artifact() {
            vec!["whether the patch takes effect was not tried, because the rules are an artifact".to_owned()]
        } else {
            let (mut inputs, mut sources) = rules::inputs(None, &self.configs, common)?;
            inputs.push(Input::Text(sources.add(&path.display().to_string(), &patch.text)));
            self.ineffective("the patch with these configs", &inputs, sources, &tools, common)?
        };
        write_text("the patch", path, Form::Text, &patch.text)?;
        let name = path.display();
        common.note(&format!("wrote {} to `{name}`: merge it last", count(tools.len() as u64, "value")));
        patch.left.iter().for_each(|left| common.note(&format!("left out: {left}")));
        ineffective.iter().for_each(|note| common.note(&format!("note: {note}")));
        Ok(())
    }

    /// Writes the proposals into the files of the config, and notes what changes and what does not.
    fn write_values(&self, report: &Report, edits: &Edits, common: &Common) -> Result<(), CliError> {
        let (inputs, mut sources) = rules::inputs(None, &self.configs, common)?;
        let inputs: Vec<Input> = inputs
            .into_iter()
            .map(|input| match input {
                Input::Named(name) => match edits.files.iter().find(|file| file.name == name) {
                    Some(file) => Input::Text(sources.add(&name, &file.new)),
                    None => Input::Named(name),
                },
                other => other,
            })
            .collect();
        let tools = edits.changes.iter().filter_map(|(index, _)| report.tools.get(*index));
        let tools: Vec<&Tool> = tools.filter(|tool| tool.setter.by == SetBy::Tool).collect();
        let ineffective = self.ineffective("the config with the new values", &inputs, sources, &tools, common)?;
        for file in &edits.files {
            rewrite(
                "the new values",
                Path::new(&file.name),
                with_line_ends_of(&file.old, file.new.clone()).as_bytes(),
            )?;
        }
        let (values, files) = (edits.changes.len() as u64, edits.files.len() as u64);
        common.note(&format!("wrote {} to {}", count(values, "value"), count(files, "file")));
        edits.changes.iter().for_each(|(_, change)| common.note(change));
        edits.left.iter().for_each(|left| common.note(&format!("left out: {left}")));
        ineffective.iter().for_each(|note| common.note(&format!("note: {note}")));
        Ok(())
    }

    /// The entities of a patch that do not decide the memory of their tool, by mapping a job without inputs with these configs; `what` names them.
    fn ineffective(
        &self,
        what: &str,
        inputs: &[Input],
        sources: SourceMap,
        tools: &[&Tool],
        common: &Common,
    ) -> Result<Vec<String>, CliError> {
        let compiled = tpv_compiler::compile_inputs(inputs, sources, &tpv_compiler::CompileOptions::default());
        let Some(rules) = compiled.rules else {
            common.show(&compiled.diagnostics, &compiled.sources);
            return Err(CliError::new(format!("{what} does not compile"), tpv_compiler::diagnostic::REPORT_BUG));
        };
        let mapper = Mapper::with_hooks(Arc::new(rules), hooks(common), false);
        let world = Arc::new(world::at_this_moment(self.world.as_deref())?);
        let (mut notes, retries) = (Vec::new(), Retries::default());
        for tool in tools {
            let Proposal::Change { rule, .. } = &tool.proposal else { continue };
            let Ok(job) = Job::builder(&tool.example).build() else { continue };
            let job = Arc::new(job);
            let (expected, got) =
                (rule.line.memory(0.0, 0.0), today::ask(&mapper, &job, &world, &retries).map(|today| today.memory));
            if got.is_none_or(|got| (got - expected).abs() > 1e-9) {
                let got = got.map_or_else(|| "no memory".to_owned(), |got| format!("{got} GiB"));
                notes.push(format!(
                    "a job of `{}` without inputs gets {got}, not {expected} GiB: a rule or a bound such as `min_mem` decides",
                    tool.tool
                ));
            }
        }
        Ok(notes)
    }

    /// Reads all jobs.
    fn history(&self, lines: Lines, common: &Common) -> Result<History, CliError> {
        let threads = Threads { wanted: self.threads, in_order: lines.mapper.depends_on_order() };
        let table = |file| {
            Table::new(file, &self.columns, self.tool_id.as_deref())
                .map_err(|(message, help)| CliError::new(format!("{}: {message}", self.name()), help))
        };
        let streamed = if self.csv {
            stream::through(&self.jobs, table, threads, &lines, common)?
        } else {
            stream::over(&self.jobs, io::sink(), threads, &lines, common)?
        };
        streamed
            .map_err(|error| CliError::new(format!("{} cannot be read: {error}", self.name()), "check the file"))?;
        let history = lines.take();
        Mapper::leave_to_system();
        std::mem::forget(lines);
        self.checked(history)
    }

    fn is_artifact(&self) -> bool {
        matches!(self.configs.as_slice(), [only] if Kind::of(Path::new(only)) == Kind::Artifact)
    }

    /// The rules as the arguments name them.
    fn rules_named(&self) -> String {
        if !self.merge.is_empty() {
            return "summaries".to_owned();
        }
        if self.configs.is_empty() { "those of tpvc.toml".to_owned() } else { self.configs.join(", ") }
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

    /// For a terminal.
    fn text(&self, report: &Report) -> String {
        let mut text = String::new();
        let mut table = Rows::new(vec![
            "TOOL", "JOBS", "ASKED", "MEDIAN", "95%", "MOST", "RESERVED", "UNUSED", "KILLED", "SAVES", "MEM",
        ]);
        for tool in &report.tools {
            let usage = &tool.usage;
            let (saves, mem) = match &tool.proposal {
                Proposal::Change { mem, evidence, by_version, .. } => {
                    let versions = if by_version.is_empty() { "" } else { " (by version: --explain)" };
                    (percent(evidence.saving), format!("{mem}{versions}"))
                }
                Proposal::Keep { why, .. } => (String::new(), format!("keep: {}", why.words())),
            };
            table.push(vec![
                tool.name().into(),
                Cell::Number(usage.jobs),
                amount(Some(usage.asked_median)),
                amount(usage.used_median),
                amount(usage.used_95),
                amount(usage.used_most),
                amount(Some(usage.reserved)),
                Cell::Decimal(if usage.reserved > 0.0 {
                    percent(tool.waste() / usage.reserved)
                } else {
                    String::new()
                }),
                Cell::Number(usage.killed),
                Cell::Decimal(saves),
                mem.into(),
            ]);
        }
        text += &table.show(table::Format::Table);
        text += "\nMemory in GiB, RESERVED in GiB·h. SAVES is the part of today's cost on later jobs, lost jobs included.\n";
        report.left_out().iter().for_each(|what| text += &format!("Left out: {what}.\n"));
        if self.explain {
            report.tools.iter().for_each(|tool| text += &explained(tool));
        }
        text
    }
}

/// The evidence of a tool.
fn explained(tool: &Tool) -> String {
    let facts = tool.facts().into_iter().map(|(name, value)| format!("  {name}: {value}\n"));
    format!("\n{}\n{}", tool.tool, facts.collect::<String>())
}

/// All of it as rows.
fn rows(report: &Report) -> Rows {
    let mut rows = Rows::new(vec![
        "tool",
        "place",
        "jobs",
        "asked_median_gib",
        "used_median_gib",
        "used_95_gib",
        "used_most_gib",
        "reserved_gib_h",
        "used_gib_h",
        "failed_gib_h",
        "killed",
        "lost",
        "cores_busy",
        "verdict",
        "mem",
        "saving",
        "saving_low",
        "saving_high",
    ]);
    for tool in &report.tools {
        let usage = &tool.usage;
        let number = |value: Option<f64>| value.map_or(Cell::Empty, |value| Cell::Decimal(format!("{value:.4}")));
        let (verdict, mem, evidence) = match &tool.proposal {
            Proposal::Change { mem, evidence, .. } => ("change", Some(mem.clone()), Some(evidence)),
            Proposal::Keep { why, evidence } => (why.words(), None, evidence.as_ref()),
        };
        rows.push(vec![
            tool.tool.as_str().into(),
            tool.place.clone().into(),
            usage.jobs.into(),
            number(Some(usage.asked_median)),
            number(usage.used_median),
            number(usage.used_95),
            number(usage.used_most),
            number(Some(usage.reserved)),
            number(Some(usage.used)),
            number(Some(usage.failed)),
            usage.killed.into(),
            usage.lost.into(),
            number(usage.cores_busy),
            verdict.into(),
            mem.into(),
            number(evidence.map(|evidence| evidence.saving)),
            number(evidence.map(|evidence| evidence.interval[0])),
            number(evidence.map(|evidence| evidence.interval[1])),
        ]);
    }
    rows
}

fn amount(value: Option<f64>) -> Cell {
    value.map_or(Cell::Empty, |value| {
        Cell::Decimal(if value >= 100.0 { figures::amount(value.round()) } else { format!("{value:.1}") })
    })
}
