//! The job of a dry run: made from flags as TPV makes it, or read from a file, and changed by `--set`.

use std::path::Path;

use tpv_runtime::galaxy::job::Job;
use tpv_runtime::galaxy::json::{Json, Reader, write_text};

use crate::cli::error::CliError;
use crate::cli::input;

/// The user of TPV's dry runs, with the id that their name gives there.
const USERNAME: &str = "gargravarr";
/// `int(sha256(b"gargravarr").hexdigest(), 16) % 1000000`
const USER_ID: i64 = 133_988;
const EMAIL: &str = "gargravarr@vortex.org";

/// What the flags say about the job.
#[derive(Default)]
pub(super) struct Flags<'a> {
    pub(super) tool: &'a str,
    pub(super) user: Option<&'a str>,
    pub(super) roles: &'a [String],
    pub(super) history_tags: &'a [String],
    /// In bytes.
    pub(super) input_size: Option<i64>,
    pub(super) state: &'a str,
}

fn object(items: impl IntoIterator<Item = (&'static str, Json)>) -> Json {
    Json::Object(items.into_iter().map(|(key, value)| (key.into(), value)).collect())
}

fn strings(items: &[String]) -> Json {
    Json::List(items.iter().map(|item| Json::str(item.as_str())).collect())
}

/// The job that TPV's dry run would make of these flags.
pub(super) fn from_flags(flags: &Flags<'_>) -> Json {
    let mut tool = vec![("id", Json::str(flags.tool))];
    if let Some((_, version)) = flags.tool.rsplit_once('/') {
        tool.push(("version", Json::str(version)));
    }
    let email = flags.user.or((!flags.roles.is_empty()).then_some(EMAIL));
    let user = email.map_or(Json::Null, |email| {
        object([
            ("id", Json::Int(USER_ID)),
            ("username", Json::str(USERNAME)),
            ("email", Json::str(email)),
            ("roles", strings(flags.roles)),
        ])
    });
    // A size of 0 is none.
    let inputs = flags.input_size.filter(|size| *size != 0).map(|size| {
        object([
            ("name", Json::str("test")),
            ("id", Json::Int(0)),
            ("size", Json::Int(size)),
            ("extension", Json::str("txt")),
        ])
    });
    let history = object([("name", Json::str("Unnamed TPV dry run history")), ("tags", strings(flags.history_tags))]);
    object([
        ("tool", object(tool)),
        ("user", user),
        (
            "job",
            object([
                ("id", Json::Int(1)),
                ("state", Json::str(flags.state)),
                ("input_datasets", Json::List(inputs.into_iter().collect())),
                ("history", history),
            ]),
        ),
    ])
}

/// Reads a job.
///
/// # Errors
/// Where the file cannot be read or is of another kind.
pub(super) fn from_file(path: &Path) -> Result<Json, CliError> {
    let text = input::text("the job", path)?;
    let mut reader = Reader::new(&text);
    Json::read(&mut reader).and_then(|json| reader.end().map(|()| json)).map_err(|fault| {
        CliError::new(
            format!("`{}` is not a job: {}", path.display(), fault.describe(&text)),
            "a job file for `--job` holds one JSON object, as a line of the job file of `tpvc map` does",
        )
    })
}

/// Makes a job of its JSON form.
///
/// # Errors
/// Where it is not a job.
pub(super) fn parse(json: &Json, seed: Option<i64>) -> Result<Job, CliError> {
    let mut json = json.clone();
    if let (Some(seed), Json::Object(items)) = (seed, &mut json) {
        items.push(("seed".into(), Json::Int(seed)));
    }
    let mut text = String::new();
    write_text(&mut text, &json);
    Job::parse(&text).map_err(|error| {
        CliError::new(
            format!("this is not a job: {error}"),
            "a job for `--job` is one line of the job file of `tpvc map`",
        )
    })
}
