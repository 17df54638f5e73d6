//! `tpvc maps create`

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::context::Context;
use super::submission::{Submission, budget};
use crate::cli::code::Code;
use crate::cli::common::Common;
use crate::cli::error::{CliError, Outcome};
use crate::cli::kind::Kind as FileKind;
use crate::cli::map::hooks;
use crate::cli::output::print_stdout;
use crate::cli::progress::Progress;
use crate::cli::revision::History;
use crate::cli::{input, paths, world};
use tpv_maps::create::{Plan, RuleSet, Step, Versions, create};
use tpv_maps::history::{self, Broken, Commit, Lacking, Plain, Site, quoted};
use tpv_maps::slice_size::SliceSize;
use tpv_text::figures::{count, grouped};
use tpv_text::printable::Form;

/// Make a map and submit it
///
/// Each rule set maps each slice of the jobs. Rules, jobs, world and the program are copied into the map, so that later changes of the
/// files do not matter. The tag is printed.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tpvc maps create --tag q3 --rules rules.bin jobs/*.jsonl.zst\n  \
    tpvc maps create --tag versions --rules 'v*.bin' 2025.jsonl.gz --engine slurm\n  \
    tpvc maps create --tag change --rules new.bin --against old.bin 2025.jsonl.gz\n  \
    tpvc maps create --tag year --git ~/playbook --since 2025-01-01 2025.jsonl.gz -- 'tpv/*.yml'")]
pub(super) struct Create {
    /// The job files: plain, gzip or zstd
    #[arg(required = true, value_name = "JOBS")]
    jobs: Vec<PathBuf>,
    /// Name of the map; a map without a tag gets two random words, and `clean` removes it
    #[arg(short, long, value_name = "TAG")]
    tag: Option<String>,
    /// An artifact, or a pattern of artifacts, each of which maps all jobs; repeat it for more
    #[arg(short, long, value_name = "RULES", required_unless_present = "git")]
    rules: Vec<String>,
    /// A git repository: each of its commits that touches the config is compiled, with its own settings, and maps all jobs; equal artifacts once
    #[arg(long, value_name = "REPO")]
    git: Option<PathBuf>,
    /// Only commits since this date, or after this commit
    #[arg(long, value_name = "DATE|COMMIT", requires = "git")]
    since: Option<String>,
    /// The config in the repository: paths and patterns, as git reads them, and URLs; later over earlier [default: that of tpvc.toml]
    #[arg(last = true, value_name = "CONFIG", requires = "git")]
    configs: Vec<String>,
    /// Write the differences from the answers of this artifact, in place of answers
    #[arg(long, value_name = "RULES", conflicts_with = "detail")]
    against: Option<PathBuf>,
    /// Galaxy's state (a world file)
    #[arg(long, value_name = "WORLD")]
    world: Option<PathBuf>,
    /// Add the candidate destinations in rank order to each answer
    #[arg(long)]
    detail: bool,
    #[command(flatten)]
    submission: Submission,
    /// Approximate seconds of work for a component [default: 60, or less if that keeps this machine's cores busy]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    slice_seconds: Option<u64>,
    /// The fewest bytes of jobs for a component
    #[arg(long, value_name = "BYTES", conflicts_with = "slice_seconds", value_parser = clap::value_parser!(u64).range(1..))]
    slice_bytes: Option<u64>,
    #[command(flatten)]
    code: Code,
}

impl Create {
    pub(super) fn run(&self, context: &Context) -> Result<Outcome, CliError> {
        let plan = self.plan(context)?;
        let sizes: Option<Vec<u64>> =
            self.jobs.iter().map(|path| path.metadata().ok().map(|data| data.len())).collect();
        let mut progress = Progress::bytes(&context.common, sizes.map(|sizes| sizes.iter().sum()));
        let mut history = match &self.git {
            Some(repository) => Some(History::of(repository, !self.configs.is_empty(), &context.common)?),
            None => None,
        };
        let mut plain = Plain;
        let site: &mut dyn Site = history.as_mut().map_or(&mut plain, |history| history);
        let map = create(&context.root, &plan, site, &hooks(&context.common), &mut |step| match step {
            Step::Cut(bytes) => progress.advance(bytes),
            Step::Compiled { done: 0, all } => {
                context.common.note(&format!("compiling {}", count(all as u64, "version")));
            }
            Step::Compiled { .. } => {}
        });
        progress.finish();
        if let Some(history) = history {
            history.report();
        }
        let map = map?;
        if let Some(commits) = map.dir().history()? {
            report_commits(&commits, &context.common);
        }
        let components = map.dir().components()?;
        context.common.note(&format!(
            "{}: {} on {}",
            map.tag(),
            count(u64::from(components), "component"),
            plan.execution.engine
        ));
        print_stdout(Form::Text, &format!("{}\n", map.tag()))?;
        Ok(Outcome::Done)
    }

    /// Refuses files that are of another kind than jobs, each line of which would be told as no job.
    fn check_kinds(&self) -> Result<(), CliError> {
        for path in &self.jobs {
            let help = match FileKind::of(path) {
                FileKind::Jobs | FileKind::Unknown => continue,
                FileKind::Artifact => {
                    format!("name it with `--rules {}`, and the jobs without an option", path.display())
                }
                FileKind::World => format!("name it with `--world {}`, and the jobs without an option", path.display()),
                FileKind::Config | FileKind::JobConf => {
                    "compile configs before: `tpvc compile CONFIG... -o RULES`".to_owned()
                }
            };
            let noun = FileKind::of(path).noun();
            return Err(CliError::new(format!("`{}` is {noun}, not a job file", path.display()), help));
        }
        Ok(())
    }

    fn plan(&self, context: &Context) -> Result<Plan, CliError> {
        self.check_kinds()?;
        let mut rules = Vec::new();
        for path in paths::expand(&self.rules)? {
            rules.push(rule_set(Path::new(&path))?);
        }
        // Read as `tpvc map` does, so that a wrong file is reported now and not by each component.
        let world = self.world.as_deref().map(world::text).transpose()?;
        Ok(Plan {
            tag: self.tag.clone(),
            rules,
            versions: self.git.as_ref().map(|repository| Versions {
                repository: repository.clone(),
                since: self.since.clone(),
                configs: self.configs.clone(),
            }),
            against: self.against.as_deref().map(rule_set).transpose()?,
            jobs: self.jobs.clone(),
            world,
            simulation: None,
            detail: self.detail,
            jit: self.code.jit.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default(),
            budget: budget(self.code.limits()),
            execution: self.submission.choose(context)?,
            slices: match (self.slice_bytes, self.slice_seconds) {
                (Some(bytes), _) => SliceSize::Bytes(bytes),
                (None, Some(seconds)) => SliceSize::Time(Duration::from_secs(seconds)),
                (None, None) => SliceSize::Fitting,
            },
        })
    }
}

/// Reports the number of commits, rule sets and broken commits of a history.
fn report_commits(history: &history::History, common: &Common) {
    let commits = history.rule_sets.iter().map(|set| set.commits.len()).sum::<usize>() + history.broken.len();
    let (commits, sets) = (count(commits as u64, "commit"), count(history.rule_sets.len() as u64, "rule set"));
    common.note(&format!("{commits}: {sets}, {} without rules", grouped(history.broken.len() as u64)));
    report_alike(history.broken.iter().map(|Broken { commit, error }| (commit, error.clone())), common);
    if history.lacking.is_empty() {
        return;
    }
    let lacking = count(history.lacking.len() as u64, "commit");
    common.note(&format!("{lacking} without a config file that is named, compiled from the others:"));
    let lacking = history.lacking.iter().map(|Lacking { commit, files }| (commit, format!("no {}", quoted(files))));
    report_alike(lacking, common);
    common.note("  a file that had another name is found by a pattern: docs/maps.md");
}

/// Reports commits with the same to say of them in one line each.
fn report_alike<'a>(commits: impl Iterator<Item = (&'a Commit, String)>, common: &Common) {
    let mut groups: Vec<(String, Vec<&Commit>)> = Vec::new();
    for (commit, text) in commits {
        // The same error moves with the lines above it.
        match groups.iter_mut().find(|(first, _)| without_line(first) == without_line(&text)) {
            Some((_, group)) => group.push(commit),
            None => groups.push((text, vec![commit])),
        }
    }
    let brief = |commit: &Commit| format!("{:.12} {:.10}", commit.id, commit.date);
    for (text, group) in groups.iter().take(MOST_LINES) {
        match group.as_slice() {
            [only] => common.note(&format!("  {}: {text}", only.name())),
            [first, .., last] => {
                let commits = count(group.len() as u64, "commit");
                common.note(&format!("  {commits} from {} to {}: {text}", brief(first), brief(last)));
            }
            [] => {}
        }
    }
    if groups.len() > MOST_LINES {
        common.note("  ...");
    }
}

/// The lines that such a report has.
const MOST_LINES: usize = 10;

/// The file and the message of an error at `file:line:column: message`.
fn without_line(error: &str) -> (&str, &str) {
    let (place, message) = error.split_once(": ").unwrap_or(("", error));
    (place.split(':').next().unwrap_or(""), message)
}

fn rule_set(path: &Path) -> Result<RuleSet, CliError> {
    // Loaded for its errors, which say what the file is instead.
    crate::cli::rules::load(path)?;
    Ok(RuleSet { name: path.display().to_string(), bytes: input::artifact(path)? })
}
