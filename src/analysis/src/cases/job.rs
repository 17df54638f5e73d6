//! Converts a test case's short job to the form of a job file.

use num_traits::ToPrimitive;
use tpv_galaxy::helpers::GIB;
use tpv_galaxy::json::{Json, write_text};

use super::fields::{Fields, items, json_of};
use tpv_text::diagnostic::{Diagnostic, Diagnostics};
use tpv_text::source::Span;
use tpv_yaml::value::{ConfigValue, ValueKind};

/// The job in the form of a job file. `None` if a field is invalid; the error is added to `problems`.
pub(super) fn json(job: &Fields<'_>, at: Span, problems: &mut Diagnostics) -> Option<Json> {
    let Some(tool) = job.get("tool") else {
        problems.push(Diagnostic::error("the job has no tool").at(at, "").help("write `job: {tool: bwa_mem}`"));
        return None;
    };
    let mut tool = match tool.as_str() {
        Some(id) => Json::Object(vec![("id".into(), Json::str(id))]),
        None => json_of(tool),
    };
    if let Some(version) = job.get("version") {
        set(&mut tool, "version", json_of(version));
    }
    let mut out = Json::Object(vec![("tool".into(), tool)]);
    set(&mut out, "user", user(job, problems)?);
    set(&mut out, "job", galaxy_job(job, problems)?);
    for name in ["seed", "job_wrapper", "resource_params", "workflow_invocation_uuid"] {
        if let Some(value) = job.get(name) {
            set(&mut out, name, json_of(value));
        }
    }
    Some(out)
}

fn user(job: &Fields<'_>, problems: &mut Diagnostics) -> Option<Json> {
    let mut user = match job.get("user") {
        None => Json::Null,
        Some(user) => match user.as_str() {
            Some(email) => Json::Object(vec![("email".into(), Json::str(email))]),
            None => json_of(user),
        },
    };
    if let Some(roles) = job.get("roles") {
        if user == Json::Null && !items(roles).is_empty() {
            problems.push(
                Diagnostic::error("an anonymous job cannot have roles")
                    .at(roles.span, "")
                    .help("add `user: jo@example.org`"),
            );
            return None;
        }
        set(&mut user, "roles", json_of(roles));
    }
    Some(user)
}

/// `job` of a job file: the test case's `job` mapping plus its shortcut fields.
fn galaxy_job(job: &Fields<'_>, problems: &mut Diagnostics) -> Option<Json> {
    let mut out = job.get("job").map_or(Json::Object(Vec::new()), json_of);
    let mut twice = |short: &str, long: &str| {
        let (Some(entry), Some(_)) = (job.entry(short), out.get(long)) else { return false };
        problems.push(
            Diagnostic::error(format!("`{short}` conflicts with `job.{long}`"))
                .at(entry.key.span, "")
                .help("remove one of them"),
        );
        true
    };
    let pairs = [
        ("input_size", "input_datasets"),
        ("input_datasets", "input_datasets"),
        ("params", "param_values"),
        ("history_tags", "history"),
        ("state", "state"),
    ];
    if pairs.iter().any(|(short, long)| twice(short, long)) {
        return None;
    }
    if let (Some(size), Some(_)) = (job.entry("input_size"), job.get("input_datasets")) {
        problems.push(
            Diagnostic::error("`input_size` conflicts with `input_datasets`")
                .at(size.key.span, "")
                .help("remove one of them; `size` of a dataset is in bytes"),
        );
        return None;
    }
    if let Some(size) = job.get("input_size") {
        let Some(bytes) = bytes(size) else {
            problems.push(
                Diagnostic::error("`input_size` must be a size in GiB, of at least 0")
                    .at(size.span, "")
                    .help("write `input_size: 20` for 20 GiB"),
            );
            return None;
        };
        let dataset = [("name", Json::str("input")), ("id", Json::Int(1)), ("size", Json::Int(bytes))];
        let dataset = Json::Object(dataset.into_iter().map(|(key, value)| (key.into(), value)).collect());
        set(&mut out, "input_datasets", Json::List(vec![dataset]));
    }
    if let Some(datasets) = job.get("input_datasets") {
        let named = (1_i64..).zip(items(datasets)).map(|(number, dataset)| {
            let mut dataset = json_of(dataset);
            for (key, value) in [("id", Json::Int(number)), ("name", Json::str(format!("input{number}")))] {
                if dataset.get(key).is_none() {
                    set(&mut dataset, key, value);
                }
            }
            dataset
        });
        set(&mut out, "input_datasets", Json::List(named.collect()));
    }
    if let Some(params) = job.get("params") {
        let values = json_of(params);
        // Galaxy keeps parameters in two forms: as values, and each as JSON text.
        if out.get("parameters").is_none()
            && let Json::Object(values) = &values
        {
            let texts = values.iter().map(|(name, value)| {
                let mut text = String::new();
                write_text(&mut text, value);
                (name.clone(), Json::str(text))
            });
            let texts = Json::Object(texts.collect());
            set(&mut out, "parameters", texts);
        }
        set(&mut out, "param_values", values);
    }
    if let Some(tags) = job.get("history_tags") {
        set(&mut out, "history", Json::Object(vec![("tags".into(), json_of(tags))]));
    }
    if let Some(state) = job.get("state") {
        set(&mut out, "state", json_of(state));
    }
    Some(out)
}

/// A size in GiB as bytes.
fn bytes(size: &ConfigValue) -> Option<i64> {
    let gib = match &size.kind {
        ValueKind::Int(size) => size.to_f64()?,
        ValueKind::Float(size) => *size,
        _ => return None,
    };
    (gib >= 0.0).then(|| (gib * GIB).round().to_i64()).flatten()
}

fn set(object: &mut Json, key: &str, value: Json) {
    if let Json::Object(items) = object {
        match items.iter_mut().find(|(known, _)| &**known == key) {
            Some((_, known)) => *known = value,
            None => items.push((key.into(), value)),
        }
    }
}

/// Converts an error of the job parser (`user.roles[0]: must be a name or an object`) to a diagnostic at the value that the path
/// names.
pub(super) fn fault(error: &str, job: &Fields<'_>, at: Span) -> Diagnostic {
    let (path, message) = error.split_once(": ").unwrap_or(("", error));
    let mut names = path.split(['.', '[']).map(|name| name.trim_end_matches(']')).filter(|name| !name.is_empty());
    let first = names.next().unwrap_or_default();
    let rest: Vec<&str> = names.collect();
    let short = match (first, rest.first()) {
        ("job", Some(&"param_values")) => Some("params"),
        ("job", Some(&"history")) => Some("history_tags"),
        ("job", Some(&"input_datasets")) => Some("input_datasets"),
        ("user", Some(&"roles")) => Some("roles"),
        _ => None,
    };
    let found = short.and_then(|short| Some((job.get(short)?, rest.get(1..).unwrap_or_default())));
    let found = found.or_else(|| Some((job.get(first)?, rest.as_slice())));
    let span = found.map_or(at, |(value, path)| deepest(value, path).span);
    Diagnostic::error(format!("invalid job: `{path}` {message}"))
        .at(span, message)
        .help("docs/formats.md has the fields of a job")
}

/// The value at a path, or the deepest one on it that exists.
fn deepest<'v>(value: &'v ConfigValue, path: &[&str]) -> &'v ConfigValue {
    let Some((name, rest)) = path.split_first() else { return value };
    let next = match &value.kind {
        ValueKind::Map(map) => map.get(name),
        ValueKind::List(items) => name.parse::<usize>().ok().and_then(|index| items.get(index)),
        _ => None,
    };
    next.map_or(value, |next| deepest(next, rest))
}
