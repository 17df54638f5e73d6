//! Jobs that the `when` of a property describes: those of its tools that were tried, with its roles, user, tags and sizes.

use tpv_analysis::cases::expect::Wanted;
use tpv_analysis::cases::when::{Pattern, When};
use tpv_analysis::check::sample_id;
use tpv_analysis::dry_job::{DryJob, SOMEONE, bytes_of, gib_of, user};
use tpv_galaxy::json::Json;

use super::tried::Tried;
use crate::jobs::set;

/// The sizes of inputs that are tried beside those that `when` names, in GiB.
const SIZES: [f64; 6] = [0.0, 0.1, 1.0, 30.0, 300.0, 2000.0];

/// The type of user-defined tools, and the beginning of their names.
const USER_DEFINED: &str = "user_defined";

/// The uuid of a user-defined tool, unless `when` asks for another.
const UUID: &str = "b0c0a1d2-0000-4000-8000-000000000001";

/// Makes the tool of a job one that a user has defined.
pub(super) fn define(job: &mut Json, uuid: Option<&str>) {
    set(job, &["tool", "tool_type"], &Json::str(USER_DEFINED));
    set(job, &["tool", "dynamic_tool_uuid"], &Json::str(uuid.unwrap_or(UUID)));
}

/// Up to `most` jobs for a property; what it does not describe may be among them.
pub(super) fn jobs(when: &When, tried: &Tried, most: usize) -> Vec<Json> {
    let sizes = sizes(when);
    let bases = bases(when, tried, most.div_ceil(sizes.len().max(1)));
    let fitted = bases.into_iter().filter_map(|base| fit(base, when));
    let sized = fitted.flat_map(|job| {
        let of_size = |size: &Option<i64>| match size {
            None => job.clone(),
            Some(bytes) => with_size(job.clone(), *bytes),
        };
        sizes.iter().map(of_size).collect::<Vec<_>>()
    });
    sized.take(most).collect()
}

/// The sizes to try, in bytes: those on both sides of each border of `when`, and some others. Only that of the job if `when` names none.
fn sizes(when: &When) -> Vec<Option<i64>> {
    let Some(wanted) = &when.input_size else { return vec![None, Some(bytes_of(300.0)), Some(bytes_of(2000.0))] };
    let borders = when.borders().into_iter().flat_map(|border| {
        let bytes = bytes_of(border);
        [bytes, bytes - 1, bytes + 1, bytes / 2, bytes.saturating_mul(2)]
    });
    let is_wanted = |bytes: &i64| *bytes >= 0 && wanted.holds(&Json::Float(gib_of(*bytes)));
    let mut sizes: Vec<i64> = borders.chain(SIZES.map(bytes_of)).filter(is_wanted).collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes.into_iter().map(Some).collect()
}

/// Jobs of the tools, turn by turn one of each: an ordinary one of each pattern of `when`, then those that were tried.
fn bases(when: &When, tried: &Tried, most: usize) -> Vec<Json> {
    let mut out: Vec<Json> = Vec::new();
    if when.user_defined == Some(true) {
        let sample = |pattern: &Pattern| {
            let id = sample_id(&pattern.text, |id| pattern.matches(id))?;
            Some(id.strip_prefix(USER_DEFINED)?.strip_prefix('-')?.to_owned())
        };
        let mut uuids: Vec<Option<String>> = when.tools.iter().flatten().map(sample).collect();
        uuids.push(None);
        // A tool is looked up by its uuid: all that were tried serve.
        let jobs = tried.jobs.iter().flat_map(|one| uuids.iter().map(move |uuid| (one, uuid)));
        out.extend(jobs.take(most).map(|(one, uuid)| {
            let mut job = one.json.clone();
            define(&mut job, uuid.as_deref().filter(|uuid| !uuid.is_empty()));
            job
        }));
        return out;
    }
    let patterns = when.tools.iter().flatten();
    let ids: Vec<String> = patterns.filter_map(|pattern| sample_id(&pattern.text, |id| pattern.matches(id))).collect();
    out.extend(ids.iter().map(|id| DryJob::ordinary(id, bytes_of(1.0)).json()));
    let groups: Vec<&Vec<usize>> =
        tried.tools.iter().filter(|(name, _)| when.is_of_tool(name)).map(|(_, places)| places).collect();
    let longest = groups.iter().map(|places| places.len()).max().unwrap_or(0);
    let in_turn = (0..longest).flat_map(|turn| groups.iter().filter_map(move |places| places.get(turn)));
    let left = most.saturating_sub(out.len());
    out.extend(in_turn.filter_map(|place| tried.jobs.get(*place)).take(left).map(|one| one.json.clone()));
    // An entry of the config may match more ids than the one that was tried: jobs of others do something new for it, too.
    let others = tried.jobs.iter().flat_map(|one| ids.iter().map(move |id| (one, id)));
    let left = most.saturating_sub(out.len());
    out.extend(others.take(left).map(|(one, id)| {
        let mut job = one.json.clone();
        set(&mut job, &["tool", "id"], &Json::str(id.as_str()));
        job
    }));
    out
}

/// Gives a job the user, roles and tags that `when` asks for. `None` if no such texts are found.
fn fit(mut job: Json, when: &When) -> Option<Json> {
    set(&mut job, &["seed"], &Json::Int(1));
    match &when.user {
        Some(None) => {
            set(&mut job, &["user"], &Json::Null);
        }
        Some(Some(pattern)) => {
            let email = sample_id(&pattern.text, |email| pattern.matches(email))?;
            person(&mut job);
            set(&mut job, &["user", "email"], &Json::str(email));
        }
        None if !when.roles.is_empty() => person(&mut job),
        None => {}
    }
    if !when.roles.is_empty() || !when.without_roles.is_empty() {
        let roles = joined(listed(&job, &["user", "roles"]), &when.roles, &when.without_roles)?;
        set(&mut job, &["user", "roles"], &Json::List(roles));
    }
    if !when.history_tags.is_empty() {
        if job.get("job").and_then(|own| own.get("history")).is_none_or(|history| *history == Json::Null) {
            set(&mut job, &["job", "history"], &Json::Object(Vec::new()));
        }
        let tags = joined(listed(&job, &["job", "history", "tags"]), &when.history_tags, &[])?;
        set(&mut job, &["job", "history", "tags"], &Json::List(tags));
    }
    Some(job)
}

/// Gives an anonymous job a user.
fn person(job: &mut Json) {
    if job.get("user").is_none_or(|user| *user == Json::Null) {
        set(job, &["user"], &user(SOMEONE, &[]));
    }
}

/// The texts of a list in a job.
fn listed(job: &Json, path: &[&str]) -> Vec<Json> {
    let list = path.iter().try_fold(job, |at, name| at.get(name));
    match list {
        Some(Json::List(items)) => items.clone(),
        _ => Vec::new(),
    }
}

/// The texts without those that must not be there, and with those that must.
fn joined(mut own: Vec<Json>, with: &[Wanted], without: &[Wanted]) -> Option<Vec<Json>> {
    own.retain(|text| !without.iter().any(|wanted| wanted.holds(text)));
    for wanted in with {
        if !own.iter().any(|text| wanted.holds(text)) {
            own.push(Json::str(sample(wanted)?));
        }
    }
    Some(own)
}

fn sample(wanted: &Wanted) -> Option<String> {
    match wanted {
        Wanted::Text(text) => Some(text.clone()),
        Wanted::Pattern(expression, _) => sample_id(expression, |text| wanted.holds(&Json::str(text))),
        _ => None,
    }
}

/// Gives a job one input of a size; none if it is 0.
fn with_size(mut job: Json, bytes: i64) -> Json {
    let sized = DryJob::ordinary("", bytes).json();
    if let Some(inputs) = sized.get("job").and_then(|own| own.get("input_datasets")) {
        set(&mut job, &["job", "input_datasets"], inputs);
    }
    job
}
