//! T150: limits of the server's `job_conf` that limit nothing, or with which Galaxy does not start.
//!
//! `_configure_from_dict` of `galaxy/jobs/__init__.py` keeps a limit of a type that it does not know, and nothing reads it; of those that it knows it makes
//! numbers, and ends if it cannot.
//!
//! Galaxy compares them with the id and the tags of the destination that a job comes to, which TPV makes of `dest_name` and `tags` (`to_galaxy_destination`
//! of `tpv/core/mapper.py`). Of a tag it then counts the jobs of the environments in `job_conf` that have the tag: `__check_user_jobs` and
//! `__check_destination_jobs` of `galaxy/jobs/handler.py`, `get_destinations` of `galaxy/jobs/__init__.py`, Galaxy 26.1.1.

use std::collections::BTreeSet;
use std::ops::Range;

use super::Linter;
use super::server::{JobConf, JobLimit, is_open};
use tpv_compiler::checker::sites;
use tpv_config::Config;
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::finding::Finding;
use tpv_text::source::Span;
use tpv_text::suggest::{closest, did_you_mean};
use tpv_yaml::value::Text;

/// The limits of environments, whose values are numbers. Each may also begin with `environment_`, as in newer files.
const OF_ENVIRONMENT: [&str; 3] =
    ["destination_user_concurrent_jobs", "destination_total_concurrent_jobs", "concurrent_jobs"];

/// The limits of users, whose values are numbers, too.
const OF_USERS: [&str; 2] = ["registered_user_concurrent_jobs", "anonymous_user_concurrent_jobs"];

/// The other limits.
const OTHERS: [&str; 3] = ["walltime", "total_walltime", "output_size"];

/// The function of TPV that an environment asks for a destination.
const OF_TPV: &str = "map_tool_to_destination";

/// Looks at the limits of `job_conf`; at the names in them unless jobs may come to destinations that neither it nor the config names. The findings point
/// into the text that is added to the linter's sources next.
pub(super) fn check(linter: &mut Linter<'_>) {
    let Some(job_conf) = linter.server().job_conf.as_ref().filter(|job_conf| job_conf.broken.is_none()) else { return };
    let given = Given::of(linter.config).filter(|_| is_complete(job_conf));
    let source = linter.sources.next_id();
    let place = |at: &Range<usize>| Span::new(source, at.start, at.end);
    let mut findings = Vec::new();
    for limit in job_conf.limits.iter().filter(|limit| !is_open(&limit.kind)) {
        let of_names = || {
            let (name, at) = limit.name.as_ref().filter(|_| is_of_environment(&limit.kind))?;
            judge(limit, name, job_conf, given.as_ref()?, place(at))
        };
        let diagnostic = of_type(limit, &place).or_else(|| of_value(limit, &place)).or_else(of_names);
        findings.extend(diagnostic.map(|diagnostic| Finding::new(Code::UselessLimit, diagnostic)));
    }
    findings.into_iter().for_each(|finding| linter.report(finding));
}

/// Returns `true` for a type that is for environments.
fn is_of_environment(kind: &str) -> bool {
    let kind = kind.strip_prefix("environment_").map_or_else(|| kind.to_owned(), |rest| format!("destination_{rest}"));
    OF_ENVIRONMENT.contains(&kind.as_str())
}

/// The finding of a type that Galaxy does not know.
fn of_type(limit: &JobLimit, place: &impl Fn(&Range<usize>) -> Span) -> Option<Diagnostic> {
    let kind = limit.kind.as_str();
    if is_of_environment(kind) || OF_USERS.contains(&kind) || OTHERS.contains(&kind) {
        return None;
    }
    let current = ["environment_user_concurrent_jobs", "environment_total_concurrent_jobs"];
    let known = || OF_USERS.into_iter().chain(OTHERS).chain(current);
    let named = || format!("write one of {}", known().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "));
    let near = closest(kind, known().chain(OF_ENVIRONMENT));
    Some(
        Diagnostic::warning(format!("Galaxy has no limit of the type `{kind}`"))
            .at(place(&limit.kind_at), "this limits nothing")
            .help(near.map_or_else(named, did_you_mean)),
    )
}

/// The finding of a value that is none for the type.
fn of_value(limit: &JobLimit, place: &impl Fn(&Range<usize>) -> Span) -> Option<Diagnostic> {
    let kind = limit.kind.as_str();
    let is_of_environment = is_of_environment(kind);
    let Some((value, at)) = &limit.value else {
        let label = if is_of_environment { "Galaxy does not start" } else { "this limits nothing" };
        let help = "add the number of jobs, such as `value: 5`";
        let help =
            if is_of_environment || OF_USERS.contains(&kind) { help } else { "add a `value`, or remove the limit" };
        return Some(
            Diagnostic::warning(format!("the limit `{kind}` has no value")).at(place(&limit.kind_at), label).help(help),
        );
    };
    if is_open(value) {
        return None;
    }
    // Ansible's role writes a value into YAML, where it needs quotes of its own.
    let value = value.trim().trim_matches(['\'', '"']);
    let is_count = is_of_environment || OF_USERS.contains(&kind);
    let is_number = value.trim().replace('_', "").parse::<i64>().is_ok()
        || value.trim().parse::<f64>().is_ok_and(|_| !value.contains(['e', 'n']));
    if is_count && !is_number {
        let diagnostic = Diagnostic::warning(format!("the value of the limit `{kind}` is not a number"));
        return Some(diagnostic.at(place(at), "Galaxy does not start").help("write the number of jobs, such as `5`"));
    }
    if OF_USERS.contains(&kind) && value.trim() == "0" {
        let diagnostic = Diagnostic::warning(format!("the limit `{kind}` of 0 limits nothing"));
        return Some(
            diagnostic.at(place(at), "Galaxy takes 0 for no limit").help("write 1 at least, or remove the limit"),
        );
    }
    let is_time = || value.split(':').count() == 3 && value.split(':').all(|part| part.trim().parse::<u32>().is_ok());
    if kind.ends_with("walltime") && !is_time() {
        let diagnostic = Diagnostic::warning(format!("the value of the limit `{kind}` is not a time"));
        return Some(
            diagnostic
                .at(place(at), "Galaxy does not start")
                .help("write hours, minutes and seconds in quotes, such as `\"24:00:00\"`"),
        );
    }
    None
}

/// Returns `true` if all environments are known, and at most TPV gives other destinations.
fn is_complete(job_conf: &JobConf) -> bool {
    let mut names = job_conf.environments.iter().chain(&job_conf.tags);
    job_conf.broken.is_none()
        && !job_conf.environments.is_empty()
        && !names.any(|name| is_open(name))
        && job_conf.asked.len() <= 1
        && job_conf.asked.iter().all(|function| function == OF_TPV)
}

/// The ids and tags that Galaxy gets from TPV.
struct Given<'a> {
    ids: BTreeSet<&'a str>,
    tags: BTreeSet<&'a str>,
}

impl<'a> Given<'a> {
    /// The ids and tags of all destinations that jobs can come to. `None` if there are none, or code makes others.
    fn of(config: &'a Config) -> Option<Self> {
        let all = config.destinations.values();
        let real = all.clone().filter(|destination| !destination.common.is_abstract);
        let ids: BTreeSet<&str> = real.filter_map(|one| Some(one.dest_name()?.as_str())).collect();
        // In some versions of TPV abstract ones pass their tags on.
        let tags: BTreeSet<&str> = all.clone().flat_map(|one| one.handler_tags()).map(Text::as_str).collect();
        let mut runners = all.filter_map(|one| one.runner());
        let is_asked_again = runners.any(|runner| runner.as_str() == "dynamic" || runner.as_str().contains('{'));
        let is_made = sites::collect(config).iter().any(|site| makes(site.text.as_str()));
        let is_known = !ids.is_empty() && !ids.iter().chain(&tags).any(|name| is_open(name));
        (is_known && !is_asked_again && !is_made).then_some(Self { ids, tags })
    }
}

/// Returns `true` if code may give a destination another id or other tags.
fn makes(code: &str) -> bool {
    if ["handler_tags", "JobDestination", "setattr"].iter().any(|word| code.contains(word)) {
        return true;
    }
    code.match_indices("dest_name").any(|(at, word)| {
        let rest = code.get(at + word.len()..).unwrap_or("").trim_start();
        rest.strip_prefix('=').is_some_and(|rest| !rest.starts_with('='))
    })
}

/// The finding of a limit that limits nothing.
fn judge(limit: &JobLimit, name: &str, job_conf: &JobConf, given: &Given<'_>, at: Span) -> Option<Diagnostic> {
    let is_counted = job_conf.environments.contains(name) || job_conf.tags.contains(name);
    if is_open(name) || given.ids.contains(name) {
        return None;
    }
    if job_conf.dynamic.get(name) == Some(&true) && !job_conf.tags.contains(name) {
        return Some(
            Diagnostic::warning(format!("the limit `{}` of `{name}` limits nothing", limit.kind))
                .at(at, "no job stays in the environment that asks TPV")
                .note("Galaxy compares the limit with the destination that TPV gives")
                .help("name a destination of TPV, or limit the jobs of users: `registered_user_concurrent_jobs`"),
        );
    }
    if is_counted {
        return None;
    }
    if !given.tags.contains(name) {
        let of_server = job_conf.environments.iter().chain(&job_conf.tags).map(String::as_str);
        let near = closest(name, given.ids.iter().chain(&given.tags).copied().chain(of_server));
        let diagnostic = Diagnostic::warning(format!("the limit `{}` of `{name}` limits nothing", limit.kind))
            .at(at, "no environment and no concrete destination has this id or tag")
            .help(near.map_or_else(|| "name an existing destination, or remove the limit".to_owned(), did_you_mean));
        let of_runner =
            || format!("`{name}` is a runner of `job_conf`, and limits are for environments and destinations");
        return Some(if job_conf.runners.contains_key(name) { diagnostic.note(of_runner()) } else { diagnostic });
    }
    // A limit of 0 is reached whatever is counted.
    let is_zero = limit.value.as_ref().is_some_and(|(value, _)| value.trim() == "0");
    let diagnostic = Diagnostic::warning(format!("the limit `{}` of `{name}` counts no jobs", limit.kind))
        .at(at, "destinations have this tag, but no environment of `job_conf`")
        .note("Galaxy adds up the jobs of those environments of `job_conf` that have the tag")
        .help("add environments with this tag and the ids of the destinations to `job_conf`");
    (!is_zero).then_some(diagnostic)
}
