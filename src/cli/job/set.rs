//! `--set`: fields of a job by their paths in the job file; and sizes with units.

use tpv_analysis::dry_job;
use tpv_analysis::json_path::assign;
use tpv_galaxy::json::{Json, Reader};
use tpv_galaxy::shape::Shape;
use tpv_galaxy::shape::job::JOB;

use crate::cli::error::CliError;
use tpv_text::suggest::{closest, did_you_mean};

/// Carries out one `--set path=value`.
///
/// # Errors
/// An error if it is not `path=value`, or if the path leads through a value without fields.
pub(in crate::cli) fn set(job: &mut Json, assignment: &str) -> Result<(), CliError> {
    let wrong = |why: &str| {
        CliError::misuse(
            format!("`--set {assignment}` {why}"),
            "write `--set PATH=VALUE`, such as `--set tool.version=1.2` or `--set job.input_datasets.0.size=5G`",
        )
    };
    let (path, text) = assignment.split_once('=').ok_or_else(|| wrong("has no `=`"))?;
    let keys: Vec<&str> = path.split('.').collect();
    if keys.iter().any(|key| key.is_empty()) {
        return Err(wrong("has an empty name in its path"));
    }
    check_names(assignment, &keys)?;
    let value = value_of(&keys, text);
    let is_negative = matches!(value, Json::Int(size) if size < 0) || matches!(value, Json::Float(size) if size < 0.0);
    if matches!(keys.as_slice(), ["job", "input_datasets", _, "size"]) && is_negative {
        return Err(wrong("is negative: no dataset is smaller than nothing"));
    }
    if let ([.., "size"], Json::Str(_)) = (keys.as_slice(), &value) {
        return Err(wrong(&format!(
            "isn't a size: `{text}` is neither a number of bytes nor one with a unit such as `5G`"
        )));
    }
    if matches!(keys.as_slice(), ["user", field, ..] if *field != "email")
        && matches!(job.get("user"), None | Some(Json::Null))
    {
        // Rules look users up by their email, so one without it fails every job.
        assign(job, &["user"], dry_job::user(dry_job::EMAIL, &[]))
            .map_err(|_| wrong("goes through a job that is no object"))?;
    }
    assign(job, &keys, value).map_err(|at| wrong(&format!("goes through `{at}`, which has no fields")))?;
    number_datasets(job);
    Ok(())
}

/// The shape that a job file allows at a path.
fn shape_of(keys: &[&str]) -> Option<Shape> {
    keys.iter().try_fold(Shape::Object(&JOB), |shape, key| shape.below(key))
}

fn value_of(keys: &[&str], text: &str) -> Json {
    // A text stays one, even if it looks like a number.
    if text != "null" && shape_of(keys).is_some_and(|shape| shape.is_text()) {
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

/// Refuses a name that is most likely a slip. Below `tool`, `user` and `job` any other name is an attribute that the rules
/// may read; a field of the job itself that is not known would have no effect.
fn check_names(assignment: &str, keys: &[&str]) -> Result<(), CliError> {
    for (depth, key) in keys.iter().enumerate() {
        let holder = keys.get(..depth).unwrap_or_default();
        let Some(object) = shape_of(holder).and_then(|shape| shape.object()) else { continue };
        if object.field(key).is_some() {
            continue;
        }
        let full = |name: &str| [holder, &[name]].concat().join(".");
        let elsewhere = || {
            let place = ["tool", "user", "job"].into_iter().find(|place| shape_of(&[place, key]).is_some())?;
            (depth == 0).then(|| format!("{place}.{key}"))
        };
        let near = elsewhere().or_else(|| closest(key, object.names()).map(full));
        let help = match near {
            Some(near) => did_you_mean(&near),
            None if depth == 0 => {
                format!("the fields of a job are `{}`", object.names().collect::<Vec<_>>().join("`, `"))
            }
            None => continue,
        };
        return Err(CliError::misuse(format!("`--set {assignment}`: unknown field `{}`", full(key)), help));
    }
    Ok(())
}

/// The size for `--input-size` in bytes: a number alone is in GiB, as for `tpv dry-run`.
///
/// # Errors
/// An error that says what to write.
pub(in crate::cli) fn input_size(text: &str) -> Result<i64, String> {
    // DIFFERENCE: TPV maps jobs of a size below 0.
    if text.starts_with('-') {
        return Err("a size is not negative: write GiB from 0, such as 5, 0.5 or 500M".to_owned());
    }
    let number: Result<f64, _> = text.parse();
    let size = match number {
        Ok(gib) if gib.is_finite() => bytes(&format!("{gib}G")),
        _ => bytes(text),
    };
    size.ok_or_else(|| "write GiB as a number, or a unit with it: 5, 0.5, 500M, 5G".to_owned())
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
    use tpv_galaxy::json::write_text;

    use super::*;

    fn job() -> Json {
        Json::Object(vec![("tool".into(), Json::Object(vec![("id".into(), Json::str("bwa"))]))])
    }

    fn after(assignments: &[&str]) -> String {
        let mut job = job();
        for assignment in assignments {
            set(&mut job, assignment).unwrap();
        }
        let mut text = String::new();
        write_text(&mut text, &job);
        text
    }

    #[test]
    fn values_take_the_type_of_their_field() {
        let text =
            after(&["tool.version=1.20", "job.input_datasets.0.size=1.5k", "user.roles=a,b", "tool.profile.y=[1]"]);
        assert!(text.contains(r#""version": "1.20""#), "{text}");
        assert!(text.contains(r#"{"size": 1536, "id": 0}"#), "{text}");
        assert!(text.contains(r#""roles": ["a", "b"]"#), "{text}");
        assert!(text.contains(r#""profile": {"y": [1]}"#), "{text}");
    }

    #[test]
    fn sizes_have_units() {
        for (text, expected) in [("5", 5 << 30), ("0.5", 1 << 29), ("500M", 500 << 20), ("5GB", 5 << 30)] {
            assert_eq!(input_size(text), Ok(expected), "{text}");
        }
        for text in ["5X", "G", "", "inf", "nan", "1 G", "-1", "-0.5", "-5M"] {
            assert!(input_size(text).is_err(), "{text}");
        }
    }

    #[test]
    fn paths_that_lead_nowhere_are_refused() {
        let mut job = job();
        for wrong in ["tool", "tool.id.x=1", "job.input_datasets.5.size=1", "a..b=1", "job.input_datasets.x=1"] {
            assert!(set(&mut job, wrong).is_err(), "{wrong}");
        }
    }
}
