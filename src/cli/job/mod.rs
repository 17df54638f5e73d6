//! The job of a verb that maps one: made from flags as TPV's dry run makes it, or read from a file, and changed by `--set`.

mod set;
mod unmatched;

use std::path::{Path, PathBuf};

use clap::Args;
use tpv_analysis::dry_job::DryJob;
use tpv_galaxy::job::Job;
use tpv_galaxy::json::{Json, Reader, write_text};

use crate::cli::error::CliError;
use crate::cli::input;
pub(super) use set::{input_size, set};
use tpv_text::source::is_url;
pub(super) use unmatched::note_unmatched;

/// The tool of a job that is of none in particular, as in TPV's dry run.
const NO_TOOL: &str = "_default_";

/// The job as given by flags.
#[derive(Args)]
pub(super) struct JobArgs {
    /// The id of the tool
    #[arg(long, default_value = NO_TOOL)]
    tool: String,
    /// A job, as a line of the job file of `tpvc map`, in place of `--tool` and the flags of its user and inputs; `-` reads
    /// stdin
    #[arg(long, value_name = "FILE", conflicts_with_all = ["tool", "user", "roles", "history_tags", "input_size", "job_state"])]
    job: Option<PathBuf>,
    #[command(flatten)]
    flags: JobFlags,
}

/// All of a job but its tool, as given by flags.
#[derive(Args)]
pub(super) struct JobFlags {
    /// The email of the user; without it the job is anonymous
    #[arg(long, value_name = "EMAIL")]
    user: Option<String>,
    /// Roles of the user
    #[arg(long, num_args = 1.., value_name = "ROLE")]
    roles: Vec<String>,
    /// Tags of the job's history
    #[arg(long, num_args = 1.., value_name = "TAG")]
    history_tags: Vec<String>,
    /// Size of the input dataset: a number is in GiB, as for `tpv dry-run`; 500M, 5G and 1T are accepted, too
    #[arg(long, value_name = "GIB", allow_negative_numbers = true, value_parser = input_size)]
    input_size: Option<i64>,
    /// The job's state: `new`, `resubmitted`, ...
    #[arg(long, default_value = "new", value_name = "STATE")]
    job_state: String,
    /// Change a field of the job, by its path in the job file: `tool.version=1.2`; repeat it for more
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
    /// The seed of Python's `random` before the job
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = seed)]
    seed: Option<i64>,
}

fn seed(text: &str) -> Result<i64, String> {
    text.parse().map_err(|_| "write a whole number of at most 64 bits".to_owned())
}

impl JobArgs {
    /// The job in its JSON form.
    ///
    /// # Errors
    /// A file that cannot be read, and changes that lead nowhere.
    pub(super) fn json(&self) -> Result<Json, CliError> {
        match &self.job {
            Some(path) => {
                let json = from_file(path)?;
                let paths =
                    || self.flags.set.iter().filter_map(|assignment| assignment.split_once('=')).map(|(path, _)| path);
                let names_one = paths().any(|path| matches!(path, "user" | "user.email"));
                if !names_one {
                    paths().try_for_each(|path| self.check_user(&json, "--set", path))?;
                }
                self.flags.changed(json)
            }
            None => self.flags.json(&self.tool),
        }
    }

    /// Refuses to change a field of the user of an anonymous job: nobody but the job file knows whose job it is.
    ///
    /// # Errors
    /// An error if the job is from a file, has no user, and `path` leads to a field of the user other than the email.
    pub(super) fn check_user(&self, job: &Json, option: &str, path: &str) -> Result<(), CliError> {
        let is_anonymous = self.job.is_some() && matches!(job.get("user"), None | Some(Json::Null));
        match path.strip_prefix("user.").filter(|field| is_anonymous && *field != "email") {
            Some(_) => Err(CliError::misuse(
                format!("`{option} {path}` changes a user, and the job is anonymous"),
                "name the user as well: `--set user.email=EMAIL`",
            )),
            None => Ok(()),
        }
    }

    /// Parses a job from its JSON form.
    ///
    /// # Errors
    /// An error if the JSON is not a valid job.
    pub(super) fn parse(&self, json: &Json) -> Result<Job, CliError> {
        self.flags.parse(json)
    }

    /// The tool that a flag names. `None` if the job is from a file, or of no tool in particular.
    pub(super) fn named_tool(&self) -> Option<&str> {
        Some(self.tool.as_str()).filter(|tool| self.job.is_none() && *tool != NO_TOOL)
    }

    /// Returns `true` if the job is the one that TPV's dry run would create.
    pub(super) fn is_as_in_tpv(&self) -> bool {
        self.job.is_none() && self.flags.set.is_empty()
    }
}

impl JobFlags {
    /// The job of a tool in its JSON form.
    ///
    /// # Errors
    /// Changes that lead nowhere.
    pub(super) fn json(&self, tool: &str) -> Result<Json, CliError> {
        self.check_lists()?;
        self.changed(self.of_tool(tool))
    }

    /// Refuses a config file in a list that takes all that follows it.
    fn check_lists(&self) -> Result<(), CliError> {
        let is_file = |value: &&String| {
            is_url(value) || Path::new(value.as_str()).exists() && (value.contains(['/', '.']) || value.contains('*'))
        };
        for (option, noun, values) in
            [("--roles", "a role", &self.roles), ("--history-tags", "a tag", &self.history_tags)]
        {
            // DIFFERENCE: TPV takes the file for a name.
            if let Some(file) = values.iter().find(is_file) {
                return Err(CliError::misuse(
                    format!("`{option}` takes all that follows it: it took the file `{file}` for {noun}"),
                    format!("name the files before `{option}`, or write `--` between: `{option} {} -- {file}`", {
                        let names: Vec<&str> =
                            values.iter().take_while(|value| *value != file).map(String::as_str).collect();
                        if names.is_empty() { "NAME".to_owned() } else { names.join(" ") }
                    }),
                ));
            }
        }
        Ok(())
    }

    /// A job with the changes of `--set`.
    fn changed(&self, mut json: Json) -> Result<Json, CliError> {
        for assignment in &self.set {
            set(&mut json, assignment)?;
        }
        Ok(json)
    }

    /// Parses a job from its JSON form.
    ///
    /// # Errors
    /// An error if the JSON is not a valid job.
    pub(super) fn parse(&self, json: &Json) -> Result<Job, CliError> {
        let mut json = json.clone();
        if let (Some(seed), Json::Object(items)) = (self.seed, &mut json) {
            items.push(("seed".into(), Json::Int(seed)));
        }
        let mut text = String::new();
        write_text(&mut text, &json);
        Job::parse(&text).map_err(|error| {
            CliError::new(
                format!("invalid job: {error}"),
                "a job for `--job` is one line of the job file of `tpvc map`",
            )
        })
    }

    /// The job that TPV's dry run would make of the flags.
    fn of_tool(&self, id: &str) -> Json {
        let job = DryJob {
            tool: id.to_owned(),
            user: self.user.clone(),
            roles: self.roles.clone(),
            history_tags: self.history_tags.clone(),
            input_size: self.input_size,
            state: self.job_state.clone(),
            ..DryJob::default()
        };
        job.json()
    }
}

/// Reads a job.
///
/// # Errors
/// An error if the file cannot be read or is of another kind.
fn from_file(path: &Path) -> Result<Json, CliError> {
    let text = input::text("the job", path)?;
    let mut reader = Reader::new(&text);
    Json::read(&mut reader).and_then(|json| reader.end().map(|()| json)).map_err(|fault| {
        CliError::new(
            format!("`{}` is not a job: {}", path.display(), fault.describe(&text)),
            "a job file for `--job` holds one JSON object, as a line of the job file of `tpvc map` does",
        )
    })
}
