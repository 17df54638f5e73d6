//! `tpvc jobs`

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use tpv_analysis::job_file::JobFile;
use tpv_galaxy::json::{Json, Reader, text_of};
use tpv_prove::jobs::{Asked, Made, Options, Unreached, job_file, make, make_answered};
use tpv_runtime::artifact::Rules;
use tpv_text::figures::count;
use tpv_text::printable::{Form, line};

use super::common::Common;
use super::error::{CliError, Outcome};
use super::output::write_text;
use super::{rules, stream, world};
use tpv_settings::Settings;

/// Make jobs from rules: together they take each branch that one of them can be brought to take
///
/// The first are an ordinary job of each tool, role and user. Jobs that do something new are kept and changed: the values that conditions compare
/// with are put where the conditions look. The jobs that are needed are written, in the form that `tpvc map` reads; stderr names the outcomes of
/// conditions that none of them has.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tpvc jobs shared.yml local.yml -o jobs.jsonl\n  \
    tpvc jobs rules.bin --tool bwa -o jobs.jsonl\n  \
    tpvc jobs rules/ --job jobs.jsonl --seconds 10 -o more.jsonl")]
pub(super) struct Jobs {
    /// Config files, URLs, folders or patterns, merged in this order, or one artifact [default: those of tpvc.toml]
    #[arg(value_name = "CONFIG|RULES")]
    configs: Vec<String>,
    /// Begin with the jobs of this file, too: they are changed as the others are
    #[arg(long, value_name = "FILE")]
    job: Option<PathBuf>,
    /// Only tools whose id holds this text
    #[arg(long, value_name = "TEXT")]
    tool: Option<String>,
    /// The most jobs to try
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    tries: usize,
    /// The longest time to try jobs
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    seconds: u64,
    /// Galaxy's state in which jobs are tried (a world file) [default: that of tpvc.toml, else an empty Galaxy, now]
    #[arg(long, value_name = "WORLD")]
    world: Option<PathBuf>,
    /// Write the world in which jobs are tried, with made answers to what the rules ask of Galaxy: the world for `tpvc map` of these jobs
    #[arg(long, value_name = "FILE")]
    world_out: Option<PathBuf>,
    /// Output file; `-` is stdout
    #[arg(short, long, value_name = "OUT", default_value = "-")]
    output: PathBuf,
}

/// More outcomes that no job has are not told without `--verbose`.
const MOST_TOLD: usize = 10;

/// The most jobs of a file that are begun with.
const MOST_GIVEN: usize = 10_000;

impl Jobs {
    pub(super) fn run(&self, common: &Common) -> Result<Outcome, CliError> {
        let given = self.job.as_deref().map(given).transpose()?.unwrap_or_default();
        let settings = if self.configs.is_empty() { common.settings()? } else { Settings::default() };
        let named = self.world.as_deref().or(settings.world.as_deref());
        let Some(rules) = rules::load_any(None, &self.configs, common)? else { return Ok(Outcome::Bad) };
        let options =
            Options { tries: self.tries, time: Duration::from_secs(self.seconds), tool: self.tool.clone(), all: false };
        let made = match &self.world_out {
            None => make(&rules.rules, &Arc::new(world::at_this_moment(named)?), &given, &options),
            Some(out) => answered(&rules.rules, named, &given, &options, out, common)?,
        };
        write_text("the jobs", &self.output, Form::Json, &job_file(&made.jobs, |_| 1))?;
        tell(&made, common);
        Ok(Outcome::Done)
    }
}

/// Jobs in a world with answers to what the rules ask, which is written.
fn answered(
    rules: &Arc<Rules>,
    named: Option<&Path>,
    given: &[Json],
    options: &Options,
    out: &Path,
    common: &Common,
) -> Result<Made, CliError> {
    // The world is read as text, and once: it may be a pipe.
    let text = named.map_or_else(|| Ok(b"{}".to_vec()), world::text)?;
    let json = Json::read(&mut Reader::new(&String::from_utf8_lossy(&text)));
    let mut world = json.unwrap_or(Json::Object(Vec::new()));
    if let (Json::Object(fields), Some(now)) = (&mut world, world::at_this_moment(None)?.now)
        && !fields.iter().any(|(name, _)| &**name == "now")
    {
        let now = jiff::Timestamp::from_microsecond(now).unwrap_or_default();
        fields.push(("now".into(), Json::str(now.to_string())));
    }
    let Asked { file, made, left, .. } =
        make_answered(rules, &world, None, given, options).map_err(|error| world::unanswered(&error))?;
    write_text("the world", out, Form::Json, &(text_of(&file) + "\n"))?;
    for what in left {
        common.note(&format!("the rules ask for {}: no answer is made, because its shape is not known", line(&what)));
    }
    Ok(made)
}

/// The jobs of a file.
///
/// # Errors
/// It cannot be read, or holds something else.
fn given(path: &Path) -> Result<Vec<Json>, CliError> {
    stream::check_kind(path)?;
    let (mut file, _) = JobFile::open(path).map_err(|error| CliError::new(error.message, error.help))?;
    let mut text = Vec::new();
    std::io::Read::read_to_end(&mut std::io::Read::take(&mut file, 256 << 20), &mut text)
        .map_err(|error| CliError::new(format!("`{}` cannot be read: {error}", path.display()), "name a job file"))?;
    let text = String::from_utf8_lossy(&text);
    let lines = text.lines().filter(|line| !line.trim().is_empty()).take(MOST_GIVEN);
    let jobs = lines.zip(1..).map(|(line, number)| {
        let mut reader = Reader::new(line);
        Json::read(&mut reader).and_then(|json| reader.end().map(|()| json)).map_err(|fault| {
            let message = format!("line {number} of `{}` is no job: {}", path.display(), fault.describe(line));
            CliError::new(message, "a job file holds one JSON object a line, each a job")
        })
    });
    jobs.collect()
}

/// The first line of a condition.
fn first_line(condition: &str) -> String {
    match condition.split_once('\n') {
        Some((first, _)) => format!("{} ...", first.trim_end()),
        None => condition.to_owned(),
    }
}

/// Tells on stderr what the jobs reach, and what they do not.
fn tell(made: &Made, common: &Common) {
    let all = made.branches + made.unreached.iter().map(|one| if one.outcome.is_none() { 2 } else { 1 }).sum::<usize>();
    let (jobs, tried) = (count(made.jobs.len() as u64, "job"), count(made.tried as u64, "job"));
    common.note(&format!("{jobs} with {} of {all} outcomes of conditions; {tried} tried", made.branches));
    if let Some(bound) = made.stopped {
        common.note(&format!("stopped: {bound} was spent; `--tries` and `--seconds` move the bounds"));
    }
    let most = if common.verbose > 0 { usize::MAX } else { MOST_TOLD };
    for one in made.unreached.iter().take(most) {
        let Unreached { place, condition, outcome } = one;
        let place = place.as_ref().map_or_else(String::new, |place| format!("{}:{}: ", place.file, place.line));
        let what = match outcome {
            Some(outcome) => format!("never {outcome}"),
            None => "never evaluated".to_owned(),
        };
        common.note(&format!("{place}{what}: `{}`", line(&first_line(condition.trim()))));
    }
    if made.unreached.len() > most {
        let more = count((made.unreached.len() - most) as u64, "more condition");
        let them = if made.unreached.len() - most == 1 { "it" } else { "them" };
        common.note(&format!("{more}: `--verbose` shows {them}"));
    }
}
