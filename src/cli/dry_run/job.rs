//! The job of a dry run: made of flags as TPV makes it, or read, and changed by `--set`.

use std::path::Path;

use tpv_runtime::galaxy::job::Job;
use tpv_runtime::galaxy::json::{Json, Reader, write_text};

use crate::cli::report::{Trouble, io_help};

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
            ("size", Json::Int(size.saturating_mul(1 << 30))),
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
/// In words for the user.
pub(super) fn from_file(path: &Path) -> Result<Json, Trouble> {
    let text = std::fs::read_to_string(path).map_err(|error| {
        let (what, help) = io_help(&error, path);
        Trouble::new(format!("the job cannot be read from {what}"), help)
    })?;
    let mut reader = Reader::new(&text);
    Json::read(&mut reader).and_then(|json| reader.end().map(|()| json)).map_err(|fault| {
        Trouble::new(
            format!("`{}` is not a job: {}", path.display(), fault.describe(&text)),
            "a job file for `--job` holds one JSON object, as a line of the job file of `tpvc map` does",
        )
    })
}

/// Makes a job of its JSON form.
///
/// # Errors
/// In words for the user.
pub(super) fn parse(json: &Json, seed: Option<i64>) -> Result<Job, Trouble> {
    let mut json = json.clone();
    if let (Some(seed), Json::Object(items)) = (seed, &mut json) {
        items.push(("seed".into(), Json::Int(seed)));
    }
    let mut text = String::new();
    write_text(&mut text, &json);
    Job::parse(&text).map_err(|error| {
        Trouble::new(format!("this is not a job: {error}"), "docs/formats.md describes the fields of a job")
    })
}

/// Carries out one `--set path=value`.
///
/// # Errors
/// Where it is no `path=value`, or the path leads through a value that is no container.
pub(super) fn set(job: &mut Json, assignment: &str) -> Result<(), Trouble> {
    let wrong = |why: &str| {
        Trouble::new(
            format!("`--set {assignment}` {why}"),
            "write `--set PATH=VALUE`, such as `--set tool.version=1.2` or `--set job.input_datasets.0.size=5G`",
        )
    };
    let (path, text) = assignment.split_once('=').ok_or_else(|| wrong("has no `=`"))?;
    let keys: Vec<&str> = path.split('.').collect();
    if keys.iter().any(|key| key.is_empty()) {
        return Err(wrong("has an empty name in its path"));
    }
    let value = value_of(&keys, text);
    assign(job, &keys, value).map_err(|at| wrong(&format!("leads through `{at}`, which holds no fields")))?;
    number_datasets(job);
    Ok(())
}

/// The fields whose values are texts, even those that look like numbers: by the end of their path.
const TEXTS: &[&[&str]] = &[
    &["tool", "id"],
    &["tool", "version"],
    &["tool", "old_id"],
    &["tool", "tool_type"],
    &["tool", "dynamic_tool_uuid"],
    &["user", "username"],
    &["user", "email"],
    &["job", "state"],
    &["workflow_invocation_uuid"],
];
const DATASET_TEXTS: &[&str] = &["name", "extension", "object_store_id"];

fn value_of(keys: &[&str], text: &str) -> Json {
    let of_dataset = matches!(keys, ["job", "input_datasets", _, name] if DATASET_TEXTS.contains(name));
    if text != "null" && (TEXTS.contains(&keys) || of_dataset || matches!(keys, ["job", "parameters", _])) {
        return Json::str(text);
    }
    let mut reader = Reader::new(text);
    if let Ok(value) = Json::read(&mut reader).and_then(|value| reader.end().map(|()| value)) {
        return value;
    }
    match keys {
        ["user", "roles"] | ["job", "history", "tags"] => {
            Json::List(text.split(',').map(|name| Json::str(name.trim())).collect())
        }
        [.., "size"] => bytes(text).map_or_else(|| Json::str(text), Json::Int),
        _ => Json::str(text),
    }
}

/// `5G`, `5GB`, `5GiB`, `1.5k`: bytes, in powers of 1024 as Galaxy counts them.
fn bytes(text: &str) -> Option<i64> {
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.'))?;
    let (number, unit) = text.split_at_checked(end)?;
    let power = match unit.to_ascii_uppercase().trim_end_matches('B').trim_end_matches('I') {
        "" => 0,
        "K" => 1,
        "M" => 2,
        "G" => 3,
        "T" => 4,
        "P" => 5,
        _ => return None,
    };
    let size = number.parse::<f64>().ok()? * 1024_f64.powi(power);
    #[expect(clippy::cast_possible_truncation, reason = "a size beyond 64 bits is the largest there is")]
    Some(size as i64)
}

/// Sets the value at a path, making what is missing; the key that leads through no container otherwise.
fn assign(target: &mut Json, keys: &[&str], value: Json) -> Result<(), String> {
    let Some((key, rest)) = keys.split_first() else {
        *target = value;
        return Ok(());
    };
    if *target == Json::Null {
        let list = key.bytes().all(|byte| byte.is_ascii_digit());
        *target = if list { Json::List(Vec::new()) } else { Json::Object(Vec::new()) };
    }
    match target {
        Json::Object(items) => {
            let index = items.iter().position(|(name, _)| **name == **key).unwrap_or_else(|| {
                items.push(((*key).into(), Json::Null));
                items.len() - 1
            });
            items.get_mut(index).map_or(Ok(()), |(_, slot)| assign(slot, rest, value))
        }
        Json::List(items) => {
            let index: usize = key.parse().map_err(|_| (*key).to_owned())?;
            if index == items.len() {
                items.push(Json::Null);
            }
            let slot = items.get_mut(index).ok_or_else(|| (*key).to_owned())?;
            assign(slot, rest, value)
        }
        _ => Err((*key).to_owned()),
    }
}

/// Gives the input datasets ids that have none: every dataset of a job has one.
fn number_datasets(job: &mut Json) {
    let Json::Object(items) = job else { return };
    let Some((_, Json::Object(job))) = items.iter_mut().find(|(key, _)| &**key == "job") else { return };
    let Some((_, Json::List(datasets))) = job.iter_mut().find(|(key, _)| &**key == "input_datasets") else { return };
    for (index, dataset) in datasets.iter_mut().enumerate() {
        if let Json::Object(fields) = dataset
            && fields.iter().all(|(key, _)| &**key != "id")
        {
            fields.push(("id".into(), Json::Int(i64::try_from(index).unwrap_or(i64::MAX))));
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn after(assignments: &[&str]) -> String {
        let mut job = from_flags(&Flags { tool: "bwa", state: "new", ..Flags::default() });
        for assignment in assignments {
            set(&mut job, assignment).unwrap();
        }
        let mut text = String::new();
        write_text(&mut text, &job);
        text
    }

    #[test]
    fn values_take_the_type_of_their_field() {
        let text = after(&["tool.version=1.20", "job.input_datasets.0.size=1.5k", "user.roles=a,b", "x.y=[1]"]);
        assert!(text.contains(r#""version": "1.20""#), "{text}");
        assert!(text.contains(r#"{"size": 1536, "id": 0}"#), "{text}");
        assert!(text.contains(r#""roles": ["a", "b"]"#), "{text}");
        assert!(text.contains(r#""x": {"y": [1]}"#), "{text}");
    }

    #[test]
    fn paths_that_lead_nowhere_are_refused() {
        let mut job = from_flags(&Flags::default());
        for wrong in ["tool", "tool.id.x=1", "job.input_datasets.5.size=1", "a..b=1", "job.input_datasets.x=1"] {
            assert!(set(&mut job, wrong).is_err(), "{wrong}");
        }
    }
}
