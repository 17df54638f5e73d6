//! `tpvc who`: one file a question.

mod fires;
mod lacks;
mod needs;
mod reaches;
mod sets;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, Subcommand};
use tpv_galaxy::world::World;
use tpv_runtime::artifact::Rules;

use super::common::Common;
use super::error::{CliError, Outcome};
use super::output::{width, write_text};
use super::table::Format;
use super::{rules, world};
use tpv_analysis::check;
use tpv_analysis::check::reach::{Matrix, Users};
use tpv_analysis::tool_id::short;
use tpv_compiler::unlink::unlink;
use tpv_config::Config;
use tpv_prove::tried;
use tpv_settings::Settings;
use tpv_text::figures::count;
use tpv_text::rows::Rows;
use tpv_text::source::SourceMap;
use tpv_text::suggest::{closest, did_you_mean};

/// Answer a question about the rules: who reaches, sets, lacks, fires, needs
///
/// Each question is one command on config files or an artifact. `reaches` and `needs` answer from the proofs of `tpvc check`, over all
/// jobs; `sets` from the explanation of one job; `fires` and `needs --jobs` from the jobs of a file.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tpvc who reaches slurm\n  \
    tpvc who reaches slurm --only\n  \
    tpvc who sets cores toolshed.g2.bx.psu.edu/repos/iuc/bwa/bwa/0.7\n  \
    tpvc who lacks mem\n  \
    tpvc who fires --jobs jobs.jsonl --never\n  \
    tpvc who needs slurm --jobs jobs.jsonl")]
pub(super) struct Who {
    #[command(subcommand)]
    question: Question,
}

#[derive(Subcommand)]
enum Question {
    Reaches(reaches::Reaches),
    Sets(sets::Sets),
    Lacks(lacks::Lacks),
    Fires(fires::Fires),
    Needs(needs::Needs),
}

impl Who {
    pub(super) fn run(&self, common: &Common) -> Result<Outcome, CliError> {
        match &self.question {
            Question::Reaches(question) => question.run(common),
            Question::Sets(question) => question.run(common),
            Question::Lacks(question) => question.run(common),
            Question::Fires(question) => question.run(common),
            Question::Needs(question) => question.run(common),
        }
    }
}

/// The rules that a question is about, and the form of its answer.
#[derive(Args)]
struct Asked {
    /// Config files, URLs, folders or patterns, merged in this order, or one artifact [default: those of tpvc.toml]
    #[arg(value_name = "CONFIG|RULES")]
    configs: Vec<String>,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    format: Format,
    /// Output file; `-` is stdout
    #[arg(short, long, value_name = "OUT", default_value = "-")]
    output: PathBuf,
}

fn list(names: &[impl AsRef<str>]) -> String {
    names.iter().map(AsRef::as_ref).collect::<Vec<&str>>().join(", ")
}

/// The first `most` names of a list, and one more if only one is left.
fn brief(names: &[impl AsRef<str>], most: usize) -> String {
    match names.split_at_checked(most).filter(|(_, rest)| rest.len() > 1) {
        Some((first, rest)) => format!("{} and {} more", list(first), rest.len()),
        None => list(names),
    }
}

/// The error of an answer from which lines that are not jobs are left out.
fn complete(invalid: u64, path: &Path) -> Result<Outcome, CliError> {
    if invalid == 0 {
        return Ok(Outcome::Done);
    }
    Err(CliError::new(
        format!("{} of `{}` {} not a job", count(invalid, "line"), path.display(), crate::cli::map::are(invalid)),
        "the answer is about the other lines; `tpvc map` says what is wrong with each",
    ))
}

/// Rules, with the config behind them.
struct Subject {
    rules: Arc<Rules>,
    config: Config,
    sources: SourceMap,
    /// `true` if the texts of the config are known; of an artifact only the lines are.
    has_texts: bool,
}

impl Asked {
    /// The rules. `None` if the config is bad, which has then been reported.
    fn load(&self, common: &Common) -> Result<Option<Subject>, CliError> {
        let Some(loaded) = rules::load_any(None, &self.configs, common)? else { return Ok(None) };
        let has_texts = loaded.origin.is_some();
        let (config, sources) = loaded.origin.unwrap_or_else(|| unlink(loaded.rules.tables()));
        Ok(Some(Subject { rules: loaded.rules, config, sources, has_texts }))
    }

    /// The settings that go with the rules, if those are of `tpvc.toml`.
    fn settings(&self, common: &Common) -> Result<Settings, CliError> {
        if self.configs.is_empty() { common.settings() } else { Ok(Settings::default()) }
    }

    /// Galaxy's state, by the file or the settings.
    fn world(&self, path: Option<&Path>, common: &Common) -> Result<Arc<World>, CliError> {
        let settings = self.settings(common)?;
        Ok(Arc::new(world::at_this_moment(path.or(settings.world.as_deref()))?))
    }

    /// Writes the rows, and a note of what they come to.
    fn answer(&self, rows: &Rows, note: &str, common: &Common) -> Result<Outcome, CliError> {
        write_text("the answer", &self.output, self.format.form(), &self.format.show(rows, width(&self.output)))?;
        common.note(note);
        Ok(Outcome::Done)
    }

    /// The id of a tool as a cell: without the tool shed for people.
    fn tool<'i>(&self, id: &'i str) -> &'i str {
        if self.is_for_people() { short(id) } else { id }
    }

    /// An entity with its kind, or a rule, as a cell: a tool without the tool shed for people.
    fn owner(&self, owner: &str) -> String {
        match owner.strip_prefix("tool ").filter(|_| self.is_for_people()) {
            Some(id) => format!("tool {}", short(id)),
            None => owner.to_owned(),
        }
    }

    /// A text as a cell: its first line for people.
    fn text(&self, text: &str) -> String {
        match text.split_once('\n').filter(|_| self.is_for_people()) {
            Some((first, _)) => format!("{} ...", first.trim_end()),
            None => text.to_owned(),
        }
    }

    fn is_for_people(&self) -> bool {
        self.format == Format::Table
    }

    /// Names as a cell: all of them for programs, the first for people.
    fn names(&self, names: &[impl AsRef<str>]) -> String {
        if self.is_for_people() { brief(names, 1) } else { list(names) }
    }
}

impl Subject {
    /// The index of a destination that takes jobs.
    fn destination(&self, destination: &str) -> Result<usize, CliError> {
        let destinations = &self.config.destinations;
        let Some((index, _, entity)) = destinations.get_full(destination) else {
            let help = match closest(destination, destinations.keys().map(|id| &**id)) {
                Some(near) => did_you_mean(near),
                None => {
                    let concrete = destinations.values().filter(|entity| !entity.common.is_abstract);
                    match concrete.map(|entity| &*entity.id).collect::<Vec<_>>() {
                        ids if ids.is_empty() => {
                            "the config has no destinations: name all files of the site".to_owned()
                        }
                        ids => format!("the destinations are {}", list(&ids)),
                    }
                }
            };
            return Err(CliError::new(format!("no destination has the id `{destination}`"), help));
        };
        if entity.common.is_abstract {
            let message = format!("the destination `{destination}` is abstract: no job goes there");
            return Err(CliError::new(message, "name a destination that inherits from it"));
        }
        Ok(index)
    }

    /// The tools by destinations, for each of these users; the first with the ends of ordinary jobs.
    fn matrices<const N: usize>(&self, users: [Users; N], world: &Arc<World>) -> Result<[Matrix; N], CliError> {
        let matrices = check::matrices(&self.config, &self.sources, &users);
        let help = "`tpvc who needs DESTINATION --jobs JOBS` counts the jobs of a file, without proofs";
        let mut matrices = matrices.map_err(|unknown| CliError::new(unknown.text(&self.sources), help))?.into_iter();
        let mut matrices = users.map(|_| matrices.next().unwrap_or_default());
        if let Some(first) = matrices.first_mut() {
            first.add_tried(tried::ordinary(&self.config, &self.rules, world));
        }
        Ok(matrices)
    }
}
