//! T150: limits of the server's `job_conf` that limit nothing.
//!
//! Galaxy compares them with the id and the tags of the destination that a job comes to, which TPV makes of `dest_name` and `tags` (`to_galaxy_destination`
//! of `tpv/core/mapper.py`). Of a tag it then counts the jobs of the environments in `job_conf` that have the tag: `__check_user_jobs` and
//! `__check_destination_jobs` of `galaxy/jobs/handler.py`, `get_destinations` of `galaxy/jobs/__init__.py`, Galaxy 26.1.1.

use std::collections::BTreeSet;

use super::Linter;
use super::server::{JobConf, JobLimit, is_open};
use tpv_compiler::checker::sites;
use tpv_config::Config;
use tpv_config::entity::DestinationFields;
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::finding::Finding;
use tpv_text::source::Span;
use tpv_text::suggest::{closest, did_you_mean};
use tpv_yaml::value::Text;

/// The function of TPV that an environment asks for a destination.
const OF_TPV: &str = "map_tool_to_destination";

/// Looks at the limits of `job_conf`, unless jobs may come to destinations that neither it nor the config names. The findings point into the text that
/// is added to the linter's sources next.
pub(super) fn check(linter: &mut Linter<'_>) {
    let Some(job_conf) = &linter.server().job_conf else { return };
    if job_conf.limits.is_empty() || !is_complete(job_conf) {
        return;
    }
    let Some(given) = Given::of(linter.config) else { return };
    let source = linter.sources.next_id();
    for limit in &job_conf.limits {
        if let Some(diagnostic) = judge(limit, job_conf, &given, Span::new(source, limit.at.start, limit.at.end)) {
            linter.report(Finding::new(Code::UselessLimit, diagnostic));
        }
    }
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
        let ids: BTreeSet<&str> = real.filter_map(|one| Some(one.destination.as_ref()?.dest_name.as_str())).collect();
        // In some versions of TPV abstract ones pass their tags on.
        let fields: Vec<&DestinationFields> = all.filter_map(|one| one.destination.as_deref()).collect();
        let tags: BTreeSet<&str> =
            fields.iter().flat_map(|fields| fields.handler_tags.iter().map(Text::as_str)).collect();
        let mut runners = fields.iter().filter_map(|fields| fields.runner.as_ref());
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
fn judge(limit: &JobLimit, job_conf: &JobConf, given: &Given<'_>, at: Span) -> Option<Diagnostic> {
    let name = limit.name.as_str();
    let is_counted = job_conf.environments.contains(name) || job_conf.tags.contains(name);
    if is_open(name) || is_counted || given.ids.contains(name) {
        return None;
    }
    if !given.tags.contains(name) {
        let of_server = job_conf.environments.iter().chain(&job_conf.tags).map(String::as_str);
        let near = closest(name, given.ids.iter().chain(&given.tags).copied().chain(of_server));
        let diagnostic = Diagnostic::warning(format!("the limit `{}` of `{name}` limits nothing", limit.kind))
            .at(at, "no environment has this id or tag, and no destination that is not abstract")
            .help(
                near.map_or_else(|| "name a destination that is there, or remove the limit".to_owned(), did_you_mean),
            );
        let of_runner =
            || format!("`{name}` is a runner of `job_conf`, and limits are for environments and destinations");
        return Some(if job_conf.runners.contains_key(name) { diagnostic.note(of_runner()) } else { diagnostic });
    }
    // A limit of 0 is reached whatever is counted.
    let diagnostic = Diagnostic::warning(format!("the limit `{}` of `{name}` counts no jobs", limit.kind))
        .at(at, "destinations have this tag, but no environment of `job_conf`")
        .note("Galaxy adds up the jobs of those environments of `job_conf` that have the tag")
        .help("add environments with this tag and the ids of the destinations to `job_conf`");
    (!limit.is_zero).then_some(diagnostic)
}
