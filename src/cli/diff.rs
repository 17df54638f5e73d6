//! `tpvc diff`

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueEnum};
use tpv_runtime::mapper::Mapper;

use super::common::Common;
use super::compared::{Comparison, Which, made};
use super::error::{CliError, Outcome};
use super::job_conf::Wanted;
use super::map::{self, hooks};
use super::output::{width, write_text};
use super::progress::Working;
use super::revision::AtRevision;
use super::stream;
use super::tpv::Tpv;
use super::{paths, rules, world};
use tpv_analysis::check::listed;
use tpv_analysis::diff::Side;
use tpv_analysis::diff::entities::{Changes, compare};
use tpv_analysis::diff::parents::only_parents;
use tpv_analysis::diff::report::{Jobs, Report, arrow, markdown, page, text};
use tpv_analysis::diff::revision::{self, Revision};
use tpv_analysis::diff::upgrade::{self, Upgrade};
use tpv_analysis::people::Naming;
use tpv_config::{ConfigTexts, Input, unreadable};
use tpv_galaxy::World;
use tpv_model::Version;
use tpv_settings::Settings;
use tpv_text::diagnostic::Diagnostics;
use tpv_text::figures::{count, grouped};
use tpv_text::fold::fold;
use tpv_text::printable::Form;
use tpv_text::source::redacted;

/// Compare two versions of the rules: their entities, and the answers to jobs
///
/// OLD and NEW are artifacts, config files, folders or patterns; several files each with `--old` and `--new`; or revisions of git, with the
/// config files behind `--`: `main..topic`, `v1..` up to the current commit, `main...` from where the branch left main, or one revision up to the
/// files as they are now. The content of the rules is compared, not how it is written.
///
/// With `--tpv 3.2..3.3`, one set of config files is compared under two versions of TPV, which shows what an upgrade changes.
///
/// Jobs are mapped with both, and those whose answers differ are counted by cause: those of `--jobs`, or else jobs that are made from both rule
/// sets, as `tpvc jobs` makes them.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tpvc diff old.yml new.yml\n  \
    tpvc diff --old shared.yml --old local.yml --new shared.yml --new changed.yml\n  \
    tpvc diff main... -- 'tpv/*.yml'\n  \
    tpvc diff HEAD --jobs jobs.jsonl.gz --format markdown -o comment.md -- shared.yml 'tpv/*.yml'\n  \
    tpvc diff old.bin new.bin --jobs jobs.jsonl.gz --exit-code\n  \
    tpvc diff --prove main.. -- shared.yml 'tpv/*.yml'\n  \
    tpvc diff --tpv 3.2..3.3 'tpv/*.yml' --jobs jobs.jsonl.gz")]
pub(super) struct Diff {
    /// The old rules and the new ones; or one revision or range of git, with the files behind `--`
    #[arg(value_name = "OLD NEW | REVISION", num_args = 0..)]
    operands: Vec<String>,
    /// A config file of the old rules; repeat it for more, later over earlier
    #[arg(long, value_name = "CONFIG", requires = "new", conflicts_with = "operands")]
    old: Vec<String>,
    /// A config file of the new rules; repeat it for more, later over earlier
    #[arg(long, value_name = "CONFIG", requires = "old")]
    new: Vec<String>,
    /// The config in the repository: paths and patterns, as git reads them, and URLs; later over earlier [default: those of tpvc.toml]
    #[arg(last = true, value_name = "CONFIG", conflicts_with_all = ["old", "new"])]
    configs: Vec<String>,
    /// Map these jobs with both: a job file, plain, gzip or zstd; `-` is stdin
    #[arg(long, value_name = "JOBS")]
    jobs: Option<PathBuf>,
    /// Leave out the jobs of other dynamic destinations and those that went to a static one, as the job file names them
    /// (`export-jobs --job-conf`)
    #[arg(long, value_name = "DESTINATION", requires = "jobs")]
    dispatcher: Option<String>,
    /// Say whether every job gets the same answer: proved, refuted by a job whose answers differ (exit 1), or unknown
    #[arg(long, conflicts_with_all = ["jobs", "no_jobs", "format", "differences"])]
    prove: bool,
    /// Compare the entities only, and map no jobs
    #[arg(long, conflicts_with = "jobs")]
    no_jobs: bool,
    /// Without `--jobs`: write the jobs that were made, as a job file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["jobs", "no_jobs"])]
    made: Option<PathBuf>,
    /// Galaxy's state for the jobs (a world file)
    #[arg(long, value_name = "WORLD", conflicts_with = "no_jobs")]
    world: Option<PathBuf>,
    /// Example jobs to show for each cause
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u8).range(..=20))]
    examples: u8,
    /// Write each job whose answers differ, with both, as a line of JSON
    #[arg(long, value_name = "OUT", conflicts_with = "no_jobs")]
    differences: Option<PathBuf>,
    /// Name users in causes and examples as the jobs do [default: a short hash of the address]
    #[arg(long, requires = "jobs")]
    with_users: bool,
    /// Threads to map with [default: all cores; one if the rules have resource pools, which admit jobs in order]
    #[arg(long, value_name = "N", value_parser = map::threads, conflicts_with = "no_jobs")]
    threads: Option<u16>,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
    /// Output file; `-` is stdout
    #[arg(short, long, value_name = "OUT", default_value = "-")]
    output: PathBuf,
    /// Exit 1 if anything changed
    #[arg(long)]
    exit_code: bool,
}

/// A form of output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For a terminal
    Text,
    /// All results as data
    Json,
    /// For the comment of a pull request
    Markdown,
    /// A page with plots
    Html,
}

impl Diff {
    pub(super) fn run(&self, common: &Common) -> Result<Outcome, CliError> {
        let Some((old, new)) = self.sides(common)? else { return Ok(Outcome::Bad) };
        let working = Working::on(common, "comparing entities, and the destinations that tools can reach");
        let changes = compare(&old, &new);
        drop(working);
        if self.prove {
            return self.judged(&old, &new, changes, common);
        }
        let jobs = match &self.jobs {
            None if self.no_jobs || changes.groups.is_empty() && !matches!(common.tpv, Some(Tpv::Range(..))) => None,
            Some(path) => {
                let jobs = Which::File(stream::Jobs { path, dispatcher: self.dispatcher.as_deref() });
                Some(self.map(jobs, &self.world(common)?, [&old, &new], &changes, common)?)
            }
            None => {
                let world = self.world(common)?;
                let made = self.made([&old, &new], &world, common)?;
                Some(self.map(Which::Made(made), &world, [&old, &new], &changes, common)?)
            }
        };
        let report = Report { old: old.name, new: new.name, changes, jobs };
        let unwritten = |error| CliError::bug("the report", &error);
        let (form, text) = match self.format {
            Format::Text => (Form::Text, self.folded(&text(&report))),
            Format::Markdown => (Form::Text, markdown(&report)),
            Format::Json => (Form::Json, report.json().map_err(unwritten)?),
            Format::Html => (Form::Data, page(&report).map_err(unwritten)?),
        };
        write_text("the report", &self.output, form, &text)?;
        Ok(if self.exit_code && !report.is_empty() { Outcome::Bad } else { Outcome::Done })
    }

    /// A text for people, whose lines fit the terminal.
    fn folded(&self, text: &str) -> String {
        fold(text, width(&self.output)).into_owned()
    }

    /// Both rule sets. `None` if one does not compile, which has then been reported.
    fn sides(&self, common: &Common) -> Result<Option<(Side, Side)>, CliError> {
        if let Some(Tpv::Range(old, new)) = common.tpv {
            return self.versions([old, new].map(|asked| common.answering(asked)), common);
        }
        if let [revision] = self.operands.as_slice() {
            if self.configs.is_empty() && Path::new(revision).exists() {
                let help = format!("write `tpvc diff OLD {revision}`, or a revision of git with the files behind `--`");
                return Err(CliError::misuse("`tpvc diff` compares two rule sets, and one is given", help));
            }
            return revisions(&self.configs, revision, common);
        }
        if !self.configs.is_empty() {
            let help = "write `tpvc diff main.. -- 'tpv/*.yml'`";
            return Err(CliError::misuse("files behind `--` are those of one revision or range of git", help));
        }
        let sides = match self.operands.as_slice() {
            [old, new] => [std::slice::from_ref(old), std::slice::from_ref(new)],
            [] if !self.old.is_empty() => [self.old.as_slice(), self.new.as_slice()],
            _ => {
                return Err(CliError::misuse(
                    "`tpvc diff` compares two rule sets",
                    "write `tpvc diff OLD NEW`, `tpvc diff --old A --old B --new C`, or `tpvc diff main.. -- CONFIG...`",
                ));
            }
        };
        let mut loaded = Vec::with_capacity(2);
        for names in sides {
            let Some(rules) = rules::load_any(None, names, common)? else { return Ok(None) };
            loaded.push(Side { name: shown(names), rules: rules.rules, origin: rules.origin });
        }
        let mut loaded = loaded.into_iter();
        Ok(loaded.next().zip(loaded.next()))
    }

    /// The same configs by two versions of TPV; `None` if they do not compile by one, which has then been reported.
    fn versions(&self, versions: [Version; 2], common: &Common) -> Result<Option<(Side, Side)>, CliError> {
        if !self.old.is_empty() || !self.configs.is_empty() {
            let help = "write `tpvc diff --tpv 3.2..3.3 CONFIG...`";
            return Err(CliError::misuse("two versions of TPV are compared by one set of configs", help));
        }
        let configs = paths::configs(&self.operands, common)?;
        let mut loaded = Vec::with_capacity(2);
        for version in versions {
            let common = Common { tpv: Some(Tpv::One(version.into())), ..common.clone() };
            let Some(rules) = rules::load_any(None, &configs, &common)? else { return Ok(None) };
            let name = format!("{} by TPV {version}", shown(&configs));
            loaded.push(Side { name, rules: rules.rules, origin: rules.origin });
        }
        let mut loaded = loaded.into_iter();
        Ok(loaded.next().zip(loaded.next()))
    }

    /// The changes of TPV between two versions, each of which can be tried alone on these configs.
    fn upgrade(&self, from: Version, to: Version, sides: [&Side; 2], common: &Common) -> Result<Upgrade, CliError> {
        let configs = paths::configs(&self.operands, common)?;
        let [old, new] = sides.map(|side| side.rules.clone());
        let (hooks, common) = (hooks(common), common.clone());
        let load = move |version: Version, change| {
            if !upgrade::is_of_loading(change) {
                let rules = if version.number() == from.number() { &old } else { &new };
                return upgrade::of_version(rules, version);
            }
            let common = Common { tpv: Some(Tpv::One(version.into())), ..common.clone() };
            let (inputs, texts) = rules::inputs(None, &Wanted::default(), &configs, &common).ok()?;
            let compiled = tpv_compiler::compile_inputs(&inputs, texts, &tpv_compiler::CompileOptions::default());
            compiled.rules.map(Arc::new)
        };
        let make = move |version, change| Some(Mapper::with_hooks(load(version, change)?, hooks.clone(), false));
        Ok(Upgrade::new(from, to, Box::new(make)))
    }

    /// Says whether both rule sets give every job the same answer: proved if they say the same, refuted by a job whose answers differ.
    fn judged(&self, old: &Side, new: &Side, changes: Changes, common: &Common) -> Result<Outcome, CliError> {
        if changes.groups.is_empty() {
            write_text(
                "the report",
                &self.output,
                Form::Text,
                "proved: every job gets the same answer, because both rule sets say the same\n",
            )?;
            return Ok(Outcome::Done);
        }
        let world = self.world(common)?;
        let made = self.made([old, new], &world, common)?;
        let jobs = self.map(Which::Made(made.clone()), &world, [old, new], &changes, common)?;
        let tried = count(jobs.all.new.jobs, "job");
        let example = jobs.causes.first().and_then(|cause| cause.examples.first());
        let parents = only_parents(&changes, [old, new]).map(|ids| listed(&ids));
        let report = Report { old: old.name.clone(), new: new.name.clone(), changes, jobs: None };
        let Some(example) = example else {
            if let Some(parents) = parents {
                let said = format!(
                    "proved: every job gets the same answer, unless its tool, role or user begins with {parents}, abstract in one rule set only\n"
                );
                write_text("the report", &self.output, Form::Text, &self.folded(&said))?;
                return Ok(Outcome::Done);
            }
            let said = format!(
                "unknown: {tried} made from both rule sets get the same answers, but these do not say the same:\n\n"
            );
            write_text("the report", &self.output, Form::Text, &self.folded(&(said + &text(&report))))?;
            return Ok(if self.exit_code { Outcome::Bad } else { Outcome::Done });
        };
        let line = usize::try_from(example.line).ok().and_then(|line| made.lines().nth(line.checked_sub(1)?));
        let differ: Vec<String> = example
            .differ
            .iter()
            .map(|detail| format!("  {}: {}\n", detail.field, arrow(&detail.old, &detail.new)))
            .collect();
        let said = format!(
            "refuted: {} of {tried} made from both rule sets get another answer\n\nsuch as this job, for `tpvc dry-run CONFIG... --job - --explain`:\n\n{}\n\n{}",
            grouped(jobs.differing.new.jobs),
            line.unwrap_or_default(),
            differ.concat()
        );
        write_text("the report", &self.output, Form::Text, &self.folded(&said))?;
        Ok(Outcome::Bad)
    }

    /// Maps jobs by both rule sets: those of a file, or those of a text.
    fn map(
        &self,
        jobs: Which<'_>,
        world: &Arc<World>,
        [old, new]: [&Side; 2],
        changes: &Changes,
        common: &Common,
    ) -> Result<Jobs, CliError> {
        let upgrade = match common.tpv {
            Some(Tpv::Range(from, to)) => Some(self.upgrade(from.version, to.version, [old, new], common)?),
            _ => None,
        };
        let comparison = Comparison {
            world,
            changes,
            upgrade,
            examples: self.examples.into(),
            naming: Naming::with_users(self.with_users),
            differences: self.differences.as_deref(),
            threads: self.threads,
        };
        comparison.run(jobs, [old, new], common)
    }

    /// The world that jobs are mapped in. The settings that name the files name their world.
    ///
    /// # Errors
    /// It cannot be read.
    fn world(&self, common: &Common) -> Result<Arc<World>, CliError> {
        let of_settings = self.operands.len() == 1 && self.configs.is_empty();
        let settings = if of_settings { common.settings()? } else { Settings::default() };
        Ok(Arc::new(world::at_this_moment(self.world.as_deref().or(settings.world.as_deref()))?))
    }

    /// A job file with jobs that are made from both rule sets, which is written where `--made` says.
    ///
    /// # Errors
    /// It cannot be written.
    fn made(&self, sides: [&Side; 2], world: &Arc<World>, common: &Common) -> Result<String, CliError> {
        let text = made(sides, world, common);
        if let Some(path) = &self.made {
            write_text("the jobs", path, Form::Json, &text)?;
        }
        Ok(text)
    }
}

/// A short name for files taken together.
pub(super) fn shown(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [only] => redacted(only).into_owned(),
        [first, rest @ ..] => format!("{} and {} more", redacted(first), rest.len()),
    }
}

/// Both sides of a revision or range, each with its own settings and variables; `configs` are those of the command line. `None` if one does not
/// compile, which has then been reported.
///
/// # Errors
/// Git's, or the settings or variables of one are wrong.
pub(super) fn revisions(configs: &[String], revision: &str, common: &Common) -> Result<Option<(Side, Side)>, CliError> {
    let named = paths::named(configs, common)?;
    let is_named = !configs.is_empty();
    let revisions = Revision::sides(Path::new("."), revision)?;
    let [old, new] = &revisions;
    let sites = [AtRevision::of(old, is_named, common)?, AtRevision::of(new, is_named, common)?];
    let [old, new] = &sites;
    let configs = match is_named {
        true => [named.to_vec(), named.to_vec()],
        false => [old.configs()?, new.configs()?],
    };
    let [old_texts, new_texts] =
        revision::texts(&revisions, configs.each_ref().map(Vec::as_slice), [old.remotes(), new.remotes()])?;
    let Some(old) = side(old_texts, old, common)? else { return Ok(None) };
    Ok(side(new_texts, new, common)?.map(|new| (old, new)))
}

/// The rule set of a revision. `None` if it does not compile, which has then been reported.
///
/// # Errors
/// The variables of templates are wrong.
fn side(revision: revision::Texts, site: &AtRevision, common: &Common) -> Result<Option<Side>, CliError> {
    let name = revision.name;
    for path in &revision.missing {
        common.note(&format!("`{path}` is not in `{name}`: it is only on the other side"));
    }
    let uncompiled = || common.note(&format!("the config of `{name}` does not compile:"));
    let ConfigTexts { mut sources, version } = site.texts(common)?;
    let mut problems = Diagnostics::new();
    let mut inputs = Vec::with_capacity(revision.files.len());
    for (file, text) in &revision.files {
        match sources.add_or_fill(&site.path_of(file), text) {
            Ok(id) => inputs.push(Input::Text(id)),
            Err(error) => problems.push(unreadable(file, &error, &mut sources)),
        }
    }
    if problems.has_errors() {
        uncompiled();
        common.show(&problems, &sources);
        return Ok(None);
    }
    let texts = ConfigTexts { sources, version };
    let compiled = tpv_compiler::compile_inputs(&inputs, texts, &tpv_compiler::CompileOptions::default());
    if compiled.rules.is_none() {
        uncompiled();
    }
    if compiled.rules.is_none() || common.verbose > 0 {
        common.show(&compiled.diagnostics, &compiled.sources);
    }
    let origin = Some((compiled.config, compiled.sources));
    Ok(compiled.rules.map(|rules| Side { name, rules: Arc::new(rules), origin }))
}
