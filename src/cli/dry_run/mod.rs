//! `tpvc dry-run`

mod trace;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use tpv_galaxy::answer::{Answer, Destination};
use tpv_galaxy::json::Json;
use tpv_runtime::artifact::Rules;
use tpv_runtime::mapper::Mapper;
use tpv_runtime::mapper::explain::{Because, Observer, Step};
use tpv_runtime::mapper::trace::Trace;

use tpv_analysis::explain::{Collector, Provenance};
use tpv_config::json_as_yaml::yaml;
use tpv_settings::Settings;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::source::SourceMap;
use tpv_yaml::write::Layout;

use super::common::Common;
use super::error::{CliError, Outcome};
use super::job::{JobArgs, note_unmatched};
use super::job_conf::Wanted;
use super::output::{print_stderr, print_stdout, width_of};
use super::rules::{self, LoadedRules};
use super::{map, world};
use tpv_text::printable::Form;
use trace::Excerpts;

/// Map one job and print where it goes; --explain shows why
///
/// Takes the flags of `tpv dry-run`. The rules are those of `tpv_config_files` in the job configuration, of config files,
/// or of an artifact. The job is one that TPV's dry run would make of the flags: its tool, user and datasets have fewer
/// attributes than Galaxy's. `--job` and `--set` give a complete job. Exit status 1 if the job cannot be mapped.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tpvc dry-run --job-conf job_conf.yml --tool bwa_mem --input-size 20 --user ada@example.org --roles training\n  \
    tpvc dry-run --config shared.yml --config local.yml --tool bwa_mem --explain\n  \
    tpvc dry-run rules.bin --job job.json --set tool.version=1.2 --set job.input_datasets.0.size=5G\n  \
    tpvc dry-run --job-conf job_conf.yml --tool bwa_mem --explain --format html > why.html")]
pub(super) struct DryRun {
    /// Galaxy's job configuration, YAML or XML: TPV's destination in it names the config files
    #[arg(long, value_name = "FILE")]
    job_conf: Option<PathBuf>,
    /// Config files, URLs, folders or patterns, merged in this order, in place of those of the job configuration; or one
    /// artifact [default: those of tpvc.toml]
    #[arg(value_name = "CONFIG|RULES")]
    configs: Vec<String>,
    /// A config file or URL, as CONFIG; repeat it for more
    #[arg(long = "config", value_name = "CONFIG")]
    more_configs: Vec<String>,
    /// The dispatcher of the job configuration, of several [default: the job's, by its line or by `tools` of the job configuration]
    #[arg(long, value_name = "DESTINATION", requires = "job_conf")]
    dispatcher: Option<String>,
    #[command(flatten)]
    job: JobArgs,
    /// Galaxy's state at that moment (a world file): jobs, tool data tables, files, time [default: an empty Galaxy,
    /// now]
    #[arg(long, value_name = "WORLD")]
    world: Option<PathBuf>,
    /// Show the whole decision: text and yaml on stderr before the result, json and html on stdout in its place
    #[arg(long)]
    explain: bool,
    /// Output format: `html` is a self-contained page and explains
    #[arg(long, alias = "output-format", value_name = "FORMAT", default_value = "text")]
    format: Format,
}

/// A form of output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Yaml,
    Json,
    Html,
}

/// Keeps the trace of the exception that the job ended in, and looks for the tool.
#[derive(Default)]
struct Watch {
    raised: Option<Trace>,
    names_tool: bool,
}

impl Observer for Watch {
    fn step(&mut self, step: Step<'_>) {
        match step {
            Step::Raised { trace, .. } => self.raised = trace.cloned(),
            Step::Lookup { section: "tools", found, .. } => {
                self.names_tool = found.iter().any(|found| found.because == Because::Pattern);
            }
            _ => {}
        }
    }
}

impl DryRun {
    pub(super) fn run(&self, common: &Common) -> Result<Outcome, CliError> {
        let configs: Vec<String> = self.configs.iter().chain(&self.more_configs).cloned().collect();
        let json = self.job.json()?;
        let wanted = Wanted { dispatcher: self.dispatcher.clone(), ..Wanted::of(&json) };
        let mut job = self.job.parse(&json)?;
        job.stand_in = self.job.is_as_in_tpv() && self.world.is_none();
        let job = Arc::new(job);
        let names_rules = self.job_conf.is_some() || !configs.is_empty();
        let settings = if names_rules { Settings::default() } else { common.settings()? };
        let world = Arc::new(world::at_this_moment(self.world.as_deref().or(settings.world.as_deref()))?);
        let Some(given) = rules::load_of(self.job_conf.as_deref(), &wanted, &configs, common)? else {
            return Ok(Outcome::Bad);
        };
        let mapper = Mapper::with_hooks(given.rules.clone(), map::hooks(common), false);
        if !self.explain && self.format != Format::Html {
            let mut watch = Watch::default();
            let answer = mapper.map_observed(&job, &world, &mut watch);
            self.note_tool(watch.names_tool, &given.rules, common);
            return self.report(&answer, watch.raised.as_ref(), job.stand_in, &given, common);
        }
        let origin = given.origin.as_ref().map(|(config, sources)| (config, sources));
        let provenance = Provenance::new(&given.rules, origin);
        let mut collector = Collector::new(&provenance, &job, sources(&given.rules));
        let answer = mapper.map_observed(&job, &world, &mut collector);
        let trace = collector.trace().cloned();
        let explanation = collector.finish(&answer);
        self.note_tool(explanation.names_tool(), &given.rules, common);
        match self.format {
            Format::Text => {
                let (width, colour) = (width_of(&io::stderr()), common.colour());
                print_stderr(Form::Styled, &explanation.painted(width, colour));
            }
            Format::Yaml => print_stderr(Form::Text, explanation.yaml().trim_end_matches('\n')),
            Format::Json => print_stdout(Form::Json, &explanation.json())?,
            Format::Html => print_stdout(Form::Data, &explanation.html())?,
        }
        self.report(&answer, trace.as_ref(), job.stand_in, &given, common)
    }

    /// Says that no entity names the tool of the flags, if that is so.
    fn note_tool(&self, is_named: bool, rules: &Rules, common: &Common) {
        if let Some(tool) = self.job.named_tool().filter(|_| !is_named) {
            note_unmatched(tool, rules, common);
        }
    }

    /// Prints the answer.
    fn report(
        &self,
        answer: &Answer,
        trace: Option<&Trace>,
        stand_in: bool,
        given: &LoadedRules,
        common: &Common,
    ) -> Result<Outcome, CliError> {
        // Such an explanation holds the result.
        let explained = self.format == Format::Html || (self.explain && self.format == Format::Json);
        match (answer.error(), answer.destination()) {
            (None, _) if explained => Ok(Outcome::Done),
            (None, destination) => {
                match (&self.format, destination) {
                    (Format::Json, _) | (_, None) => print_stdout(Form::Json, &answer.line())?,
                    (Format::Yaml, Some(destination)) => print_stdout(Form::Data, &galaxy_destination(&destination))?,
                    (_, Some(destination)) => print_stdout(Form::Text, &galaxy_destination(&destination))?,
                }
                Ok(Outcome::Done)
            }
            (Some((kind, _)), _) => {
                let title = answer.error_text().unwrap_or_default();
                let mut failure = Diagnostic::error(format!("the job cannot be mapped: {title}"));
                if !self.explain && !explained {
                    failure = failure.help("add `--explain` to see why");
                }
                if stand_in && kind == "AttributeError" {
                    failure = failure.note(
                        "the objects of a dry run have fewer attributes than Galaxy's, as in TPV; `--job` or `--set` make whole ones",
                    );
                }
                let mut excerpts = match &given.origin {
                    Some((_, sources)) => Excerpts::Whole(sources),
                    None => Excerpts::Lines(SourceMap::new()),
                };
                if let Some(trace) = trace {
                    failure = excerpts.show(failure, trace, kind);
                }
                common.print(&failure, excerpts.sources(), "");
                Ok(Outcome::Bad)
            }
        }
    }
}

/// The names of the config files.
fn sources(rules: &Rules) -> Vec<String> {
    let tables = rules.tables();
    tables.sources.iter().filter_map(|name| tables.strings.get(*name as usize)).cloned().collect()
}

/// The destination as TPV's dry run prints it: Galaxy's object, as ruamel.yaml dumps it.
fn galaxy_destination(destination: &Destination) -> String {
    let item = |key: &str, value: &Json| (key.into(), value.clone());
    let object = Json::Object(vec![
        item("converted", &Json::Bool(false)),
        item("env", &destination.env),
        item("id", &destination.id),
        item("legacy", &Json::Bool(false)),
        item("params", &destination.params),
        item("resubmit", &destination.resubmit),
        item("runner", &destination.runner),
        item("shell", &Json::Null),
        item("tags", &destination.tags),
        item("url", &Json::Null),
    ]);
    let tag = Some("!!python/object:galaxy.jobs.job_destination.JobDestination");
    yaml(&object, Layout { flow_leaves: true, sorted: true, tag, ..Layout::default() })
}
