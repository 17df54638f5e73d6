//! The job of a decision, as far as its line has it.

use crate::json_path::assign;
use tpv_galaxy::helpers::GIB;
use tpv_galaxy::json::Json;
use tpv_runtime::decision::Decision;

/// Something that the line of a decision does not have, and what stands in.
pub type Guess = String;

/// Sets a field of a job. One that is no job stays as it is: mapping it says what is wrong.
fn put(job: &mut Json, path: &[&str], value: Json) {
    let _ = assign(job, path, value);
}

/// The job of a decision in the form of a job file, with what had to be guessed. `exported` is the job as it was exported: then the line gives
/// what may have changed since.
pub fn job_of(decision: &Decision, exported: Option<Json>) -> (Json, Vec<Guess>) {
    let head = &decision.head;
    let mut guesses = Vec::new();
    let read = |name: &str| head.read.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone());
    let has_job = exported.is_some();
    let mut job = exported.unwrap_or_else(|| {
        guesses.push(
            "parameters and datasets of the job are not in the log: `--jobs FILE` reads them from `tpvc export-jobs`"
                .to_owned(),
        );
        made(decision)
    });
    match read("roles") {
        Some(roles) => put(&mut job, &["user", "roles"], roles),
        None if head.user.is_some() => {
            let stand = if has_job { "those of the job file" } else { "none" };
            guesses.push(format!("the log has no roles of the user: {stand} are taken"));
        }
        None => {}
    }
    if let Some(Json::List(tags)) = read("tags") {
        let tag = |tag: &Json| match tag {
            Json::Str(text) => match text.split_once(':') {
                Some((name, value)) => {
                    Json::Object(vec![("name".into(), Json::str(name)), ("value".into(), Json::str(value))])
                }
                None => tag.clone(),
            },
            _ => tag.clone(),
        };
        put(&mut job, &["job", "history", "tags"], Json::List(tags.iter().map(tag).collect()));
    }
    if let Some(preferences) = read("preferences") {
        put(&mut job, &["user", "extra_preferences"], preferences);
    }
    if let Some(Json::Object(of_file)) = read("tool") {
        for (name, value) in of_file {
            put(&mut job, &["tool", &name], value);
        }
    }
    match head.seed.as_deref().map(str::parse) {
        Some(Ok(seed)) => put(&mut job, &["seed"], Json::Int(seed)),
        Some(Err(_)) => {
            let seed = head.seed.as_deref().and_then(|seed| seed.parse().ok()).map_or(Json::Null, Json::BigInt);
            put(&mut job, &["seed"], seed);
        }
        None => guesses.push("the log has no seed: what rules draw at random may differ".to_owned()),
    }
    let live: Vec<&str> =
        head.read.iter().map(|(name, _)| name.as_str()).filter(|name| name.starts_with("jobs of")).collect();
    if !live.is_empty() {
        guesses.push(format!("the world of that moment is not known, but for {}", live.join(", ")));
    }
    if !decision.cpython.is_empty() || decision.once_more.is_some() {
        guesses.push(format!(
            "code ran inside Galaxy, which may have asked its database or files, or drawn at random: {}",
            decision.cpython.join(", ")
        ));
    }
    if decision.cut.iter().any(|(name, _)| name == "read") {
        guesses.push("the line had no room for everything that was read".to_owned());
    }
    (job, guesses)
}

fn made(decision: &Decision) -> Json {
    let head = &decision.head;
    let object =
        |items: Vec<(&str, Json)>| Json::Object(items.into_iter().map(|(key, value)| (key.into(), value)).collect());
    let text = |text: Option<&String>| text.map_or(Json::Null, |text| Json::str(text.as_str()));
    let user = head.user.map_or(Json::Null, |id| {
        object(vec![("id", Json::Int(id)), ("email", Json::str(format!("user-{id}@users.invalid")))])
    });
    let mut job = vec![("state", Json::str(if head.attempt > 1 { "resubmitted" } else { "new" }))];
    if let Json::Int(id) = head.job {
        job.push(("id", Json::Int(id)));
    }
    #[expect(clippy::cast_possible_truncation, reason = "checked to fit")]
    let bytes = head
        .input_size
        .map(|size| size * GIB)
        .filter(|bytes| (1.0..9e18).contains(bytes))
        .map(|bytes| bytes.round() as i64);
    if let Some(bytes) = bytes {
        let dataset = object(vec![("name", Json::str("input")), ("id", Json::Int(1)), ("size", Json::Int(bytes))]);
        job.push(("input_datasets", Json::List(vec![dataset])));
    }
    object(vec![
        ("id", head.job.clone()),
        ("tool", object(vec![("id", Json::str(head.tool.as_str())), ("version", text(head.version.as_ref()))])),
        ("user", user),
        ("job", object(job)),
        ("job_wrapper", object(Vec::new())),
    ])
}
