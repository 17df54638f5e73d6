//! T158: parts of the server's `job_conf` that keep jobs from TPV: tools whose entry there names an environment of its own, a default that is not TPV,
//! and settings of environments that only share their names with destinations of TPV.
//!
//! Galaxy asks TPV for the jobs of tools that go to a dynamic environment (`get_job_tool_configurations` of `galaxy/jobs/__init__.py`, 26.1.1), and gets a
//! destination from it, of which `job_conf` knows nothing.

use tpv_runtime::patterns::{Matcher, PatternSet};

use super::Linter;
use super::server::{EnvironmentSettings, JobConf, is_open};
use super::tags::default;
use super::words::words;
use crate::tool_id::split_version;
use tpv_config::Config;
use tpv_config::entity::Entity;
use tpv_model::EntityClass;
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::finding::Finding;
use tpv_text::listed::joined;
use tpv_text::source::Span;

/// Looks at a `job_conf` that asks TPV, and of which all is known.
pub(super) fn check(linter: &mut Linter<'_>) {
    let Some(job_conf) = &linter.server().job_conf else { return };
    let is_dispatcher = |name: &str| job_conf.dynamic.get(name) == Some(&true);
    let asks_tpv = job_conf.dynamic.values().any(|asks_tpv| *asks_tpv);
    if job_conf.broken.is_some() || !asks_tpv || job_conf.environments.iter().any(|name| is_open(name)) {
        return;
    }
    let is_fixed = |name: &str| job_conf.environments.contains(name) && !job_conf.dynamic.contains_key(name);
    let source = linter.sources.next_id();
    let mut findings = Vec::new();
    for (id, environment) in job_conf.tools.iter().filter(|(_, environment)| is_fixed(environment)) {
        // A tool may have more than one entry.
        let is_only = job_conf.tools.iter().all(|(other, another)| other != id || another == environment);
        findings.extend(entry_of(linter.config, id).filter(|_| is_only).map(|tool| of_tool(tool, id, environment)));
    }
    if let Some((name, at)) = job_conf.default.as_ref().filter(|(name, _)| is_fixed(name))
        && !job_conf.tools.iter().any(|(_, environment)| !is_fixed(environment))
        && !job_conf.has_other_tools
        && linter.config.tools.values().any(|tool| !tool.common.is_abstract)
    {
        let dispatcher = job_conf.environments.iter().find(|name| is_dispatcher(name)).map_or("", String::as_str);
        let diagnostic = Diagnostic::warning(format!("TPV sees no job: `job_conf` sends them to `{name}`"))
            .at(Span::new(source, at.start, at.end), "tools without an entry in `job_conf` go there")
            .note(format!("no tool has an entry that names `{dispatcher}`, the environment that asks TPV"))
            .help(format!("write `{dispatcher}`"));
        findings.push(Finding::new(Code::NeverSeen, diagnostic));
    }
    for settings in job_conf.settings.iter().filter(|settings| is_fixed(&settings.id)) {
        findings.extend(of_environment(
            linter.config,
            job_conf,
            settings,
            Span::new(source, settings.at.start, settings.at.end),
        ));
    }
    findings.into_iter().for_each(|finding| linter.report(finding));
}

/// The entry that is for a tool and hardly for others: its id names the tool.
fn entry_of<'a>(config: &'a Config, id: &str) -> Option<&'a Entity> {
    let keys: Vec<String> = config.tools.keys().map(|key| key.to_lowercase()).collect();
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    let mut found = Vec::new();
    // An id of `job_conf` may lack the version.
    let matcher = Matcher::new(PatternSet::build(&keys));
    for id in [id.to_owned(), format!("{id}/1.0")] {
        drop(matcher.matches(&id, &mut found));
    }
    let mut tools = found.into_iter().filter_map(|index| Some(&**config.tools.get_index(index as usize)?.1));
    let default = default(config, EntityClass::Tool).map(|default| &default.id);
    let name = split_version(id).0.rsplit('/').next().unwrap_or(id).to_lowercase();
    let is_for_it = |tool: &&Entity| {
        !tool.common.is_abstract && Some(&tool.id) != default && words(&tool.id.to_lowercase()).any(|word| word == name)
    };
    tools.rfind(is_for_it)
}

fn of_tool(tool: &Entity, id: &str, environment: &str) -> Finding {
    let diagnostic =
        Diagnostic::warning(format!("no job of `{}` comes to TPV: `job_conf` sends them to `{environment}`", tool.id))
            .at(tool.span, "this entry has no effect")
            .note(format!("`tools` of `job_conf` has an entry for `{id}`"))
            .help("remove one of both entries");
    Finding::new(Code::NeverSeen, diagnostic).of(&tool.common.no_qa_codes)
}

/// The finding of an environment that has the name of a destination, and settings that jobs there never get.
fn of_environment(config: &Config, job_conf: &JobConf, settings: &EnvironmentSettings, at: Span) -> Option<Finding> {
    let id = settings.id.as_str();
    let is_destination = |one: &&std::sync::Arc<Entity>| {
        !one.common.is_abstract && one.destination.as_ref().is_some_and(|fields| fields.dest_name.as_str() == id)
    };
    let destination = config.destinations.values().find(is_destination)?;
    // In TPV 1 destinations are environments of `job_conf`.
    let is_target = config.version.evaluates_early()
        || EntityClass::SECTIONS
            .into_iter()
            .flat_map(|kind| config.section(kind).values())
            .flat_map(|one| one.commons())
            .any(|common| common.resubmit.values().any(|value| value.python_str().contains(id)));
    // Other parts of the file may send jobs to the environment.
    let uses = job_conf.source.as_ref().map_or(0, |source| source.text.match_indices(id).count());
    if is_target || uses != 1 {
        return None;
    }
    let names: Vec<String> = settings.names.iter().map(|name| format!("`{name}`")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let diagnostic = Diagnostic::warning(format!(
        "jobs of the destination `{id}` do not get the settings of the environment `{id}`"
    ))
    .at(at, format!("TPV does not see {} of `job_conf`", joined(&names)))
    .also(destination.span, "the destination is made from this alone")
    .help("move the settings to the destination: its `params`, `env` and `resubmit`");
    Some(Finding::new(Code::NeverSeen, diagnostic).of(&destination.common.no_qa_codes))
}
