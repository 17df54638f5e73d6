//! The job of a dry run: what `tpvc dry-run` maps by its flags, and the flags of a job that a report shows.

use std::fmt;

use tpv_galaxy::helpers::GIB;
use tpv_galaxy::json::{Json, text_of};
use tpv_galaxy::{Error, Job};

use crate::tool_id::split_version;
use tpv_text::shell;

/// The user of TPV's dry runs, with the id that their name gives there.
const USERNAME: &str = "gargravarr";
/// `int(sha256(b"gargravarr").hexdigest(), 16) % 1000000`
const USER_ID: i64 = 133_988;
/// The address of the user of a dry run that names roles only.
pub const EMAIL: &str = "gargravarr@vortex.org";
/// The id of a tool that no config names.
pub const UNNAMED_TOOL: &str = "a_tool_without_an_entry";
/// The address of the user of an ordinary job.
pub const SOMEONE: &str = "someone@example.org";
/// The name and the extension of the input of a dry run.
const INPUT: &str = "test";
const EXTENSION: &str = "txt";
/// The name of the history of a dry run.
const HISTORY: &str = "Unnamed TPV dry run history";
/// The version of a made job whose tool's id has none.
const VERSION: &str = "1.0";

/// A job as the flags of a dry run describe it. Its [`fmt::Display`] are these flags.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DryJob {
    /// `--tool`: the id of the tool.
    pub tool: String,
    /// `--user`: the address of the user; without it and without roles the job is anonymous.
    pub user: Option<String>,
    /// `--roles`
    pub roles: Vec<String>,
    /// `--history-tags`
    pub history_tags: Vec<String>,
    /// `--input-size`, in bytes. A size of 0 is none.
    pub input_size: Option<i64>,
    /// `--job-state`; `new` if it is empty.
    pub state: String,
    /// The version of the tool, as `--set tool.version` gives it. `None` is the end of an id of a tool shed, as in TPV.
    pub version: Option<String>,
    /// Parameters of the tool, as `--set job.param_values.NAME` gives them.
    pub params: Vec<(String, String)>,
    /// The params of the attempt before, of a job that was resubmitted, as `--set job.destination_params=JSON` gives them.
    pub carried: Option<Json>,
    /// `true` if there is a `job_wrapper`, as in Galaxy, which `--set job_wrapper={}` gives: by `job_wrapper is None` rules know a dry run.
    pub wrapper: bool,
}

impl DryJob {
    /// An ordinary job of a tool as Galaxy makes them: with a version and a wrapper, of a user without roles. Bytes are those of its one input.
    pub fn ordinary(tool: &str, bytes: i64) -> Self {
        let version = match split_version(tool) {
            (_, "") => Some(VERSION.to_owned()),
            _ => None,
        };
        Self {
            tool: tool.to_owned(),
            user: Some(SOMEONE.to_owned()),
            input_size: Some(bytes),
            version,
            wrapper: true,
            ..Self::default()
        }
    }

    /// The job in its JSON form, as a line of a job file.
    pub fn json(&self) -> Json {
        let mut tool = vec![("id", Json::str(self.tool.as_str()))];
        let version = self.version.as_deref().or_else(|| Some(self.tool.rsplit_once('/')?.1));
        tool.extend(version.map(|version| ("version", Json::str(version))));
        let email = self.user.as_deref().or((!self.roles.is_empty()).then_some(EMAIL));
        let user = email.map_or(Json::Null, |email| user(email, &self.roles));
        let inputs = self.input_size.filter(|size| *size != 0).map(|size| {
            object([
                ("name", Json::str(INPUT)),
                ("id", Json::Int(0)),
                ("size", Json::Int(size)),
                ("extension", Json::str(EXTENSION)),
            ])
        });
        let history = object([("name", Json::str(HISTORY)), ("tags", strings(&self.history_tags))]);
        let state = if self.state.is_empty() { "new" } else { &self.state };
        let mut job = vec![
            ("id", Json::Int(1)),
            ("state", Json::str(state)),
            ("input_datasets", Json::List(inputs.into_iter().collect())),
            ("history", history),
        ];
        if !self.params.is_empty() {
            let params = self.params.iter().map(|(name, value)| (name.as_str().into(), Json::str(value.as_str())));
            job.push(("param_values", Json::Object(params.collect())));
        }
        job.extend(self.carried.clone().map(|carried| ("destination_params", carried)));
        let wrapper = self.wrapper.then(|| ("job_wrapper", object([])));
        object([("tool", object(tool)), ("user", user), ("job", object(job))].into_iter().chain(wrapper))
    }

    /// The job.
    ///
    /// # Errors
    /// A text in it is none that a job file may have.
    pub fn job(&self) -> Result<Job, Error> {
        Job::parse(&text_of(&self.json()))
    }
}

/// Returns `true` if a dataset is the input of a dry run, of any size.
pub fn is_ordinary_input(dataset: &[(Box<str>, Json)]) -> bool {
    dataset.iter().all(|(name, value)| match (&**name, value) {
        ("id" | "size", _) => true,
        ("name", Json::Str(name)) => &**name == INPUT,
        ("extension", Json::Str(extension)) => &**extension == EXTENSION,
        _ => false,
    })
}

/// Returns `true` if a history is that of a dry run, with any tags.
pub fn is_ordinary_history(history: &Json) -> bool {
    let Json::Object(fields) = history else { return false };
    fields.iter().all(|(name, value)| match (&**name, value) {
        ("tags", _) => true,
        ("name", Json::Str(name)) => &**name == HISTORY,
        _ => false,
    })
}

/// A user as TPV's dry run makes one.
pub fn user(email: &str, roles: &[String]) -> Json {
    object([
        ("id", Json::Int(USER_ID)),
        ("username", Json::str(USERNAME)),
        ("email", Json::str(email)),
        ("roles", strings(roles)),
    ])
}

fn object(items: impl IntoIterator<Item = (&'static str, Json)>) -> Json {
    Json::Object(items.into_iter().map(|(key, value)| (key.into(), value)).collect())
}

fn strings(items: &[String]) -> Json {
    Json::List(items.iter().map(|item| Json::str(item.as_str())).collect())
}

impl fmt::Display for DryJob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "--tool {}", shell::word(&self.tool))?;
        if let Some(size) = self.input_size.filter(|size| *size != 0) {
            write!(f, " --input-size {}", flag_of_size(size))?;
        }
        if let Some(user) = &self.user {
            write!(f, " --user {}", shell::word(user))?;
        }
        for (flag, words) in [("--roles", &self.roles), ("--history-tags", &self.history_tags)] {
            if !words.is_empty() {
                write!(f, " {flag}")?;
                words.iter().try_for_each(|word| write!(f, " {}", shell::word(word)))?;
            }
        }
        if !self.state.is_empty() && self.state != "new" {
            write!(f, " --job-state {}", shell::word(&self.state))?;
        }
        let version = self.version.iter().map(|version| format!("tool.version={version}"));
        let params = self.params.iter().map(|(name, value)| format!("job.param_values.{name}={value}"));
        let carried = self.carried.iter().map(|carried| format!("job.destination_params={}", text_of(carried)));
        let wrapper = self.wrapper.then(|| "job_wrapper={}".to_owned());
        version
            .chain(params)
            .chain(carried)
            .chain(wrapper)
            .try_for_each(|set| write!(f, " --set {}", shell::word(&set)))
    }
}

/// A size in bytes as `--input-size` takes it: GiB where a short number gives the very same bytes, else bytes.
fn flag_of_size(bytes: i64) -> String {
    let short = short_gib(bytes);
    match short >= 0.001 && bytes_of(short) == bytes {
        true => short.to_string(),
        false => format!("{bytes}B"),
    }
}

/// The bytes of a size in GiB.
pub fn bytes_of(gib: f64) -> i64 {
    #[expect(clippy::cast_possible_truncation, reason = "as `--input-size` reads it")]
    let bytes = (gib * GIB) as i64;
    bytes
}

/// A size in GiB.
pub fn gib_of(bytes: i64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "as rules see it")]
    let gib = bytes as f64 / GIB;
    gib
}

/// A size in GiB to four digits.
pub fn short_gib(bytes: i64) -> f64 {
    let gib = gib_of(bytes);
    format!("{gib:.3e}").parse().unwrap_or(gib)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn flags_are_words_of_a_shell() {
        let mut job = DryJob::ordinary("toolshed.g2.bx.psu.edu/repos/iuc/bwa/bwa/0.7+galaxy1", 20 << 30);
        job.roles = vec!["a b".to_owned(), "it's".to_owned()];
        assert_eq!(
            job.to_string(),
            "--tool toolshed.g2.bx.psu.edu/repos/iuc/bwa/bwa/0.7+galaxy1 --input-size 20 --user someone@example.org --roles 'a b' 'it'\\''s' --set 'job_wrapper={}'"
        );
        let job = DryJob::ordinary("bwa", 5);
        assert_eq!(
            job.to_string(),
            "--tool bwa --input-size 5B --user someone@example.org --set tool.version=1.0 --set 'job_wrapper={}'"
        );
        assert_eq!(job.job().unwrap().tool_id(), "bwa");
        assert_eq!(flag_of_size(3 << 28), "0.75");
        assert_eq!(flag_of_size(bytes_of(0.2)), "0.2");
        assert_eq!(flag_of_size(bytes_of(0.2) + 1), "214748365B");
    }
}
